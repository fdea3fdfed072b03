/*
 * trace.h - what every node did, event by event: the hook that records it, the file, and the
 * timeline made of it. docs/results.md describes the layout.
 */
#ifndef RECORD_TRACE_TRACE_H
#define RECORD_TRACE_TRACE_H

#include "core/run.h"
#include "record/record.h"

/*
 * A row of the file. What a handler did (SENT, STEPPED) stands before the row of the
 * handler itself; rows of one rank are in the order of its handlers.
 */
enum trace_kind {
	TRACE_COMPUTED,         /* a gradient was ready: from begun, for seconds; loss */
	TRACE_DROPPED,          /* a gradient in flight was dropped: from begun, for seconds */
	TRACE_SENT,             /* bytes to peer */
	TRACE_STEPPED,          /* a gradient was applied; staleness */
	/* A handler began at time, for seconds; it received what was on its way since begun. */
	TRACE_START, TRACE_GRAD, TRACE_MESSAGE, TRACE_ALLREDUCE, TRACE_TIMER,
	/* Something went wrong, or is over, since begun, for seconds: see peer. */
	TRACE_FAULT, TRACE_OVER,
	TRACE_STAGED,           /* a stage, not the last, was ready: from begun, for seconds */
	TRACE_STAGE,            /* the handler of that */
	TRACE_PAUSED,           /* the node stood still since begun, for seconds, as all did */
	TRACE_KINDS
};

extern const char *const trace_kind_name[];     /* "computed", ..., NULL-ended */

/* Tag of rows without a message, of the engine's own messages, and where a file has no tags. */
enum { TRACE_NO_TAG = -1 };

struct trace_row {
	enum trace_kind kind;
	int rank;               /* of the node; SERVER */
	/*
	 * SENT: to; MESSAGE: from; TIMER: its token; FAULT, OVER: the link's other end, or the
	 * rank itself, which is away, or stalls.
	 */
	int peer;
	double time, begun, seconds;
	int64_t bytes;
	int64_t gradients;      /* of all workers, as the node knew; COMPUTED: its own number */
	int64_t staleness;
	int tag;                /* SENT, MESSAGE: struct msg's; TRACE_NO_TAG otherwise */
	double loss;            /* NaN but for COMPUTED */
};

static inline bool trace_is_handler(enum trace_kind kind)
{
	return (kind >= TRACE_START && kind <= TRACE_TIMER) || kind == TRACE_STAGE;
}

/* The handler that ran, if trace_is_handler(). */
static inline enum handler trace_handler(enum trace_kind kind)
{
	return kind == TRACE_STAGE ? HANDLER_STAGE : (enum handler)(kind - TRACE_START);
}

/* True for the kinds of row that end a time of computing. */
static inline bool trace_ends_computing(enum trace_kind kind)
{
	return kind == TRACE_COMPUTED || kind == TRACE_DROPPED || kind == TRACE_STAGED;
}

struct trace_info {
	const char *hash;               /* of the settings */
	const struct setting *settings; /* [nsettings] */
	size_t nsettings;
	uint64_t net;                   /* digest of the net's definition; 0: it has none */
	bool changed;                   /* an older convoy would compute these settings otherwise */
	const char *computed_in;        /* f32 or bf16; "": nothing was computed */
};

/* ---- trace.c: recording a run ---- */

struct tracer;

/*
 * Makes sure that PATH can be written, and watches the run from the next event on;
 * everything but run is copied. NULL after error(). Add tracer_hook() to run->hooks.
 */
struct tracer *tracer_open(const char *path, const struct trace_info *info,
			   const struct run *run);
struct hook *tracer_hook(struct tracer *t);

/*
 * Writes the file to a temporary one, renamed, and frees t. A NULL result writes nothing: the run
 * failed. 0 or error().
 */
int tracer_close(struct tracer *t, const struct run_result *result);

/* ---- trace.c: reading a file ---- */

struct trace {                          /* a file, read; all owned */
	char *path, *hash, *algo, *end;
	bool changed;                   /* as written: trace_info */
	char *computed_in;              /* f32 or bf16; NULL: the file does not say */
	int workers, nodes;             /* nodes: with the server */
	double time;                    /* seconds until the budget was spent */
	int64_t gradients;
	uint64_t net;
	uint64_t model;                 /* digest of the final model; 0: timing-only */
	float *x;                       /* [dim] the final model, if rounding may differ; or NULL */
	size_t dim;
	struct setting *settings;       /* [nsettings] */
	size_t nsettings;
	struct trace_row *row;          /* [n] */
	size_t n;
};

/* 0, or error() for a file that is damaged, not a trace, or says what cannot be. */
int trace_read(struct trace *t, const char *path);
void trace_release(struct trace *t);

/* The canonical text of a setting; NULL when the file has none. */
const char *trace_setting(const struct trace *t, const char *key);

/* "worker 3", "server" */
void trace_node_name(int rank, char name[32]);

/* ---- spans.c: what each node did with its time ---- */

enum span_state {
	SPAN_COMPUTING, SPAN_HANDLING, SPAN_COMMUNICATING, SPAN_WAITING,
	SPAN_AWAY,              /* or stalled; waiting, in a ledger */
	SPAN_LOST,              /* computing of which the gradient was dropped before the end */
	SPAN_STATES
};

extern const char *const span_state_name[];     /* "computing", ... */

struct span {
	int node;               /* location: the workers' ranks, then the server */
	bool during_grad;       /* handling while a gradient was computed */
	enum span_state state;
	double from, to;        /* seconds */
	size_t row;             /* of the trace, that ended it; AWAY: that began it */
};

/*
 * The spans of all nodes, by node, then in time. Those of one node that are not during a
 * gradient do not overlap, nor do those that are. An idle node communicates from the moment
 * at which what it then received was on its way, and waits before, as in a ledger. A worker is away
 * until it has a model again. The caller frees.
 */
struct span *trace_spans(const struct trace *t, size_t *n);

/* ---- columns.c ---- */

/*
 * The spans and messages as columns of numbers, compressed, in base64 (the caller frees); NULL
 * after error(). Columns: begin and end of each span, sent and received of each message, all f64
 * and in seconds; i32: the first span of each lane (2 nodes + 1; of each node what it does, then
 * what it handles while it computes); of the spans peer, gradients, staleness (-1: none) and, f32,
 * loss or bytes; of the messages sender, receiver and, f32, bytes; u8: state of a span, kind of its
 * row.
 */
char *trace_columns(const struct trace *t, size_t *spans, size_t *messages);

/* ---- print.c ---- */

/* A line per row; an object per row, one a line. */
void trace_print(const struct trace *t, FILE *out);
void trace_print_json(const struct trace *t, FILE *out);

/* The timeline in the Trace Event format, with an arrow for every message that was received. */
void trace_print_chrome(const struct trace *t, FILE *out);

#endif
