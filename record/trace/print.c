/*
 * print.c - the rows of a trace as text and as JSON; and its timeline in the Trace Event format,
 * which Perfetto and Chrome open: a node is a thread, and what it handled during a gradient
 * another, for complete events ("X") of one thread never overlap. Times are microseconds, in
 * whole nanoseconds.
 */
#include "record/trace/trace.h"

#include "core/base/mem.h"
#include "core/file/output.h"
#include "core/text/word.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static void print_peer(const struct trace_row *r, FILE *out)
{
	char name[32];

	trace_node_name(r->peer, name);
	if (r->kind == TRACE_SENT || r->kind == TRACE_MESSAGE)
		fprintf(out, " %s %s,", r->kind == TRACE_SENT ? "to" : "from", name);
	if (r->tag != TRACE_NO_TAG)
		fprintf(out, " tag %d,", r->tag);
}

static void print_fault(const struct trace_row *r, FILE *out)
{
	char name[32];

	trace_node_name(r->peer, name);
	if (r->peer != r->rank)
		fprintf(out, " the link to %s is %s", name, r->kind == TRACE_OVER ? "up" : "down");
	else if (r->rank == SERVER)
		fputs(r->kind == TRACE_OVER ? " resumes" : " stalls", out);
	else
		fputs(r->kind == TRACE_OVER ? " is back" : " leaves", out);
	if (r->kind == TRACE_OVER)
		fprintf(out, ", since %.9f", r->begun);
}

static void print_detail(const struct trace *t, const struct trace_row *r, FILE *out)
{
	print_peer(r, out);
	switch (r->kind) {
	case TRACE_COMPUTED:
		fprintf(out, " number %" PRId64 ", since %.9f", r->gradients, r->begun);
		if (t->model)
			fprintf(out, ", loss %.6g", r->loss);
		break;
	case TRACE_DROPPED:
	case TRACE_STAGED:
	case TRACE_PAUSED:
		fprintf(out, " since %.9f", r->begun);
		break;
	case TRACE_SENT:
		fprintf(out, " %" PRId64 " bytes", r->bytes);
		break;
	case TRACE_STEPPED:
		fprintf(out, " staleness %" PRId64, r->staleness);
		break;
	case TRACE_MESSAGE:
	case TRACE_ALLREDUCE:
		fprintf(out, " %" PRId64 " bytes, under way since %.9f,", r->bytes, r->begun);
		break;
	case TRACE_TIMER:
		fprintf(out, " token %d,", r->peer);
		break;
	case TRACE_FAULT:
	case TRACE_OVER:
		print_fault(r, out);
		break;
	default:
		break;
	}
	if (trace_is_handler(r->kind))
		fprintf(out, " %" PRId64 " gradient%s known, took %.9f", r->gradients,
			word_plural((double)r->gradients), r->seconds);
}

void trace_print(const struct trace *t, FILE *out)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct trace_row *r = &t->row[i];
		char name[32];

		trace_node_name(r->rank, name);
		fprintf(out, "%14.9f  %-12s %-9s", r->time, name, trace_kind_name[r->kind]);
		print_detail(t, r, out);
		putc('\n', out);
	}
}

void trace_print_json(const struct trace *t, FILE *out)
{
	fputs("{\"algo\":", out);
	output_quoted(t->algo, out);
	fprintf(out, ",\"workers\":%d,\"nodes\":%d,\"hash\":", t->workers, t->nodes);
	output_quoted(t->hash, out);
	fputs(",\"end\":", out);
	output_quoted(t->end, out);
	fprintf(out, ",\"time_s\":%.17g,\"gradients\":%" PRId64 ",\"model\":\"%016" PRIx64 "\","
		"\"events\":[", t->time, t->gradients, t->model);
	for (size_t i = 0; i < t->n; i++) {
		const struct trace_row *r = &t->row[i];

		fprintf(out, "%s\n{\"kind\":\"%s\",\"rank\":%d,\"peer\":%d,\"time_s\":%.17g,"
			"\"begun_s\":%.17g,\"seconds\":%.17g,\"bytes\":%" PRId64 ",\"gradients\":%"
			PRId64 ",\"staleness\":%" PRId64 ",\"tag\":", i ? "," : "",
			trace_kind_name[r->kind], r->rank, r->peer, r->time, r->begun, r->seconds,
			r->bytes, r->gradients, r->staleness);
		if (r->tag == TRACE_NO_TAG)
			fputs("null,\"loss\":", out);
		else
			fprintf(out, "%d,\"loss\":", r->tag);
		fprintf(out, isfinite(r->loss) ? "%.17g}" : "null}", r->loss);
	}
	fputs("\n]}\n", out);
}

struct writer {
	const struct trace *t;
	FILE *out;
	const char *comma;
	int *lane;                      /* [t->n] thread of the handler of a row; -1: none */
};

static int lane_of(const struct trace *t, const struct span *s)
{
	return s->node + (s->during_grad ? t->nodes : 0);
}

static void trace_chrome_begin(struct writer *w)
{
	fprintf(w->out, "%s\n{", w->comma);
	w->comma = ",";
}

/* Whole nanoseconds, of any number of digits, as microseconds. */
static void put_time(struct writer *w, const char *key, double ns)
{
	const double rest = fmod(ns, 1e3);

	fprintf(w->out, ",\"%s\":%.0f.%03.0f", key, (ns - rest) / 1e3, rest);
}

static double trace_chrome_nanoseconds(double seconds)
{
	return round(fmax(seconds, 0.0) * 1e9);
}

static void put_metadata(struct writer *w, const char *what, int thread, const char *text)
{
	trace_chrome_begin(w);
	fprintf(w->out, "\"name\":\"%s\",\"ph\":\"M\",\"pid\":0,\"tid\":%d,"
		"\"args\":{\"name\":", what, thread);
	output_quoted(text, w->out);
	fputs("}}", w->out);
}

static void put_names(struct writer *w, const bool *used)
{
	const struct trace *t = w->t;
	char text[64], name[32];

	snprintf(text, sizeof(text), "convoy: %.32s", t->algo);
	put_metadata(w, "process_name", 0, text);
	for (int lane = 0; lane < 2 * t->nodes; lane++) {
		const int node = lane % t->nodes;

		if (!used[lane])
			continue;
		trace_node_name(node == t->workers ? SERVER : node, name);
		snprintf(text, sizeof(text), "%s%s", name, lane >= t->nodes ? ", overlapped" : "");
		put_metadata(w, "thread_name", lane, text);
		trace_chrome_begin(w);
		fprintf(w->out, "\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":0,\"tid\":%d,"
			"\"args\":{\"sort_index\":%d}}", lane, 2 * node + (lane >= t->nodes));
	}
}

static void put_args(struct writer *w, const struct trace_row *r)
{
	char peer[32];

	trace_node_name(r->peer, peer);
	fprintf(w->out, ",\"args\":{\"event\":\"%s\"", trace_kind_name[r->kind]);
	if (r->kind == TRACE_MESSAGE)
		fprintf(w->out, ",\"from\":\"%s\"", peer);
	if (r->tag != TRACE_NO_TAG)
		fprintf(w->out, ",\"tag\":%d", r->tag);
	if (r->bytes)
		fprintf(w->out, ",\"bytes\":%" PRId64, r->bytes);
	if (isfinite(r->loss))
		fprintf(w->out, ",\"loss\":%.17g", r->loss);
	fprintf(w->out, ",\"gradients\":%" PRId64 "}}", r->gradients);
}

static void put_span(struct writer *w, const struct span *s)
{
	const double from = trace_chrome_nanoseconds(s->from),
		     to = trace_chrome_nanoseconds(s->to);

	trace_chrome_begin(w);
	fprintf(w->out, "\"name\":\"%s\",\"cat\":\"state\",\"ph\":\"X\",\"pid\":0,\"tid\":%d",
		span_state_name[s->state], lane_of(w->t, s));
	put_time(w, "ts", from);
	put_time(w, "dur", to - from);
	put_args(w, &w->t->row[s->row]);
}

/* ---- arrows ---- */

/* Finds the thread of each row's handler: that of a sending is the next one's of its node. */
static void find_lanes(struct writer *w, const struct span *s, size_t n)
{
	const struct trace *t = w->t;
	scoped int *now = xcalloc((size_t)t->nodes, sizeof(*now));

	for (size_t i = 0; i < t->n; i++)
		w->lane[i] = -1;
	for (size_t i = 0; i < n; i++)
		if (s[i].state == SPAN_HANDLING)
			w->lane[s[i].row] = lane_of(t, &s[i]);
	for (int node = 0; node < t->nodes; node++)
		now[node] = node;
	for (size_t i = t->n; i-- > 0;) {
		const int node = t->row[i].rank == SERVER ? t->workers : t->row[i].rank;

		if (t->row[i].kind == TRACE_SENT)
			w->lane[i] = now[node];
		else if (w->lane[i] >= 0)
			now[node] = w->lane[i];
	}
}

static void put_end(struct writer *w, const char *phase, size_t row, size_t id)
{
	trace_chrome_begin(w);
	fprintf(w->out, "\"name\":\"message\",\"cat\":\"message\",\"ph\":%s,\"id\":%zu,\"pid\":0,"
		"\"tid\":%d", phase, id, w->lane[row]);
	put_time(w, "ts", trace_chrome_nanoseconds(w->t->row[row].time));
	fputs("}", w->out);
}

struct pair {                           /* a sending, or a receiving, between two nodes */
	int64_t key;
	size_t row;
};

static int by_key(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* The rows of a kind by sender and receiver, in order; the caller frees. */
static struct pair *pairs_of(const struct trace *t, enum trace_kind kind, size_t *n)
{
	struct pair *p = xcalloc(t->n + 1, sizeof(*p));

	*n = 0;
	for (size_t i = 0; i < t->n; i++) {
		const struct trace_row *r = &t->row[i];
		const int from = kind == TRACE_SENT ? r->rank : r->peer;
		const int to = kind == TRACE_SENT ? r->peer : r->rank;

		if (r->kind == kind)
			p[(*n)++] = (struct pair){ ((int64_t)from + 1) << 32 | (to + 1), i };
	}
	qsort(p, *n, sizeof(*p), by_key);
	return p;
}

/* Messages between two nodes are received in the order in which they were sent. */
static void put_arrows(struct writer *w)
{
	size_t nsent, nreceived;
	scoped struct pair *sent = pairs_of(w->t, TRACE_SENT, &nsent);
	scoped struct pair *received = pairs_of(w->t, TRACE_MESSAGE, &nreceived);

	for (size_t i = 0, k = 0; i < nsent && k < nreceived;) {
		if (sent[i].key == received[k].key) {
			put_end(w, "\"s\"", sent[i].row, received[k].row);
			put_end(w, "\"f\",\"bp\":\"e\"", received[k].row, received[k].row);
		}
		const bool both = sent[i].key == received[k].key;
		const bool first = sent[i].key < received[k].key;

		i += both || first;
		k += both || !first;
	}
}

void trace_print_chrome(const struct trace *t, FILE *out)
{
	struct writer w = { .t = t, .out = out, .comma = "",
			    .lane = xcalloc(t->n + 1, sizeof(*w.lane)) };
	bool *used = xcalloc(2 * (size_t)t->nodes, sizeof(*used));
	size_t n;
	struct span *s = trace_spans(t, &n);

	for (size_t i = 0; i < n; i++)
		used[lane_of(t, &s[i])] = true;
	fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[", out);
	put_names(&w, used);
	for (size_t i = 0; i < n; i++)
		put_span(&w, &s[i]);
	find_lanes(&w, s, n);
	put_arrows(&w);
	fputs("\n]}\n", out);
	free_all(w.lane, used, s);
}
