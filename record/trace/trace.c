/* The hook that records what every node did; writes the trace file, reads it and checks it. */
#include "record/trace/trace.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/temporary.h"
#include "core/math/vec.h"
#include "record/tree.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRACE_FORMAT "convoy trace"

/*
 * Layout versions. A file gets the least version that has all of its rows, so that an older convoy
 * reads what it can.
 */
enum {
	TRACE_OLDEST = 1,
	TRACE_FAULTS,           /* with rows of faults */
	TRACE_STAGES,           /* with rows of stages */
	TRACE_CHANGED,          /* of a run that an older convoy would compute in another way */
	TRACE_PAUSES,           /* with rows of pauses */
	TRACE_NEWEST = TRACE_PAUSES
};

enum trace_column {
	ROW_KIND, ROW_RANK, ROW_PEER, ROW_TIME, ROW_BEGUN, ROW_SECONDS, ROW_BYTES,
	ROW_GRADIENTS, ROW_STALENESS, ROW_LOSS,
	ROW_TAG,                /* missing in the oldest files */
	ROW_COLUMNS
};

static const struct layout_column layout_trace[ROW_COLUMNS] = {
	[ROW_KIND] = { "kind", true },
	[ROW_RANK] = { "rank", true },
	[ROW_PEER] = { "peer", true },
	[ROW_TIME] = { "time_s", false },
	[ROW_BEGUN] = { "begun_s", false },
	[ROW_SECONDS] = { "seconds", false },
	[ROW_BYTES] = { "bytes", true },
	[ROW_GRADIENTS] = { "gradients", true },
	[ROW_STALENESS] = { "staleness", true },
	[ROW_LOSS] = { "loss", false },
	[ROW_TAG] = { "tag", true },
};

struct tracer {
	struct hook hook;               /* first, so that its address is that of the tracer */
	const struct run *run;          /* borrowed until close */
	char *path, *hash, *computed_in;
	char *temporary;                /* path of an empty file: `path` can be written */
	int reserved;                   /* descriptor of that file */
	uint64_t net;
	struct setting *settings;       /* [nsettings] */
	size_t nsettings;
	struct column column[ROW_COLUMNS];
	float *x;                       /* [dim] the final model, if rounding may differ; or NULL */
	bool allreduces;                /* some were delivered */
	bool faults;                    /* some began, or ended */
	bool changed;                   /* as in trace_info */
	bool stages;                    /* some gradients came in stages */
	bool pauses;                    /* all nodes stood still for a time */
};

/* ---- events ---- */

static enum trace_kind kind_of(const struct event *ev)
{
	switch (ev->kind) {
	case EV_GRAD:
		return TRACE_COMPUTED;
	case EV_DROP:
		return TRACE_DROPPED;
	case EV_STAGE:
		return TRACE_STAGED;
	case EV_SEND:
		return TRACE_SENT;
	case EV_STEP:
		return TRACE_STEPPED;
	default:                /* EV_HANDLED. Kinds from TRACE_START on are as in enum handler */
		return ev->handler == HANDLER_STAGE
			       ? TRACE_STAGE : TRACE_START + (enum trace_kind)ev->handler;
	}
}

static void put_row(struct tracer *t, const struct trace_row *r)
{
	struct column *c = t->column;

	column_whole(&c[ROW_KIND], r->kind);
	column_whole(&c[ROW_RANK], r->rank);
	column_whole(&c[ROW_PEER], r->peer);
	column_real(&c[ROW_TIME], r->time);
	column_real(&c[ROW_BEGUN], r->begun);
	column_real(&c[ROW_SECONDS], r->seconds);
	column_whole(&c[ROW_BYTES], r->bytes);
	column_whole(&c[ROW_GRADIENTS], r->gradients);
	column_whole(&c[ROW_STALENESS], r->staleness);
	column_real(&c[ROW_LOSS], r->loss);
	column_whole(&c[ROW_TAG], r->tag);
}

static void on_event(struct hook *h, const struct event *ev)
{
	struct tracer *t = (struct tracer *)h;
	const struct fault *f = ev->fault;
	enum trace_kind kind;

	/* sums of all-reduces may be rounded otherwise elsewhere: a digest is not enough then */
	if (ev->kind == EV_END) {
		if (ev->model && t->allreduces) {
			t->x = vec_new(t->run->dim);
			vec_copy(t->run->dim, ev->model, t->x);
		}
		return;
	}
	if (ev->kind == EV_FAULT) {
		t->faults = true;
		put_row(t, &(struct trace_row){
			.kind = ev->over ? TRACE_OVER : TRACE_FAULT, .rank = f->rank,
			.peer = f->kind == FAULT_DROP ? f->peer : f->rank, .time = ev->time,
			.begun = f->from, .seconds = ev->time - f->from,
			.gradients = ev->gradients, .loss = (double)NAN, .tag = TRACE_NO_TAG,
		});
		return;
	}
	if (ev->kind == EV_PAUSE) {
		t->pauses = true;
		for (int rank = t->run->algo->server ? SERVER : 0; rank < t->run->workers; rank++)
			put_row(t, &(struct trace_row){
				.kind = TRACE_PAUSED, .rank = rank, .peer = rank, .time = ev->time,
				.begun = ev->begun, .seconds = ev->time - ev->begun,
				.gradients = ev->gradients, .loss = (double)NAN,
				.tag = TRACE_NO_TAG,
			});
		return;
	}
	kind = kind_of(ev);
	t->allreduces |= kind == TRACE_ALLREDUCE;
	t->stages |= kind == TRACE_STAGED;
	put_row(t, &(struct trace_row){
		.kind = kind, .rank = ev->node->rank,
		/* a timer's token; else a rank, or -1 if there is no peer: only for steps */
		.peer = kind == TRACE_TIMER ? ev->token : ev->peer == NO_PEER ? -1 : ev->peer,
		.time = ev->time,
		.begun = ev->begun, .seconds = ev->seconds, .bytes = (int64_t)ev->bytes,
		.gradients = ev->gradients, .staleness = ev->staleness,
		.loss = kind == TRACE_COMPUTED ? ev->loss : (double)NAN,
		.tag = kind == TRACE_SENT || kind == TRACE_MESSAGE ? ev->tag : TRACE_NO_TAG,
	});
}

/* ---- writing the file ---- */

static void put_summary(const struct tracer *t, struct tree *file, const struct run_result *result)
{
	struct tree *group = tree_add(file, "summary");
	char model[17], net[17];

	snprintf(model, sizeof(model), "%016" PRIx64, result->model);
	snprintf(net, sizeof(net), "%016" PRIx64, t->net);
	tree_put_text(group, "algo", t->run->algo->plugin.name);
	tree_put_whole(group, "workers", t->run->workers);
	tree_put_whole(group, "nodes", t->run->workers + (t->run->algo->server != NULL));
	tree_put_whole(group, "dim", t->run->pool ? (int64_t)t->run->dim : 0);
	tree_put_text(group, "end", end_reason_name[result->end]);
	tree_put_real(group, "time_s", result->time);
	tree_put_whole(group, "gradients", result->gradients);
	tree_put_text(group, "net", net);
	tree_put_text(group, "computed_in", t->computed_in);
	tree_put_text(group, "model", result->model ? model : "");
	if (t->x)
		tree_put_floats(file, "model", t->run->dim, t->x);
}

static int trace_save(const struct tracer *t, const struct run_result *result)
{
	const int version = t->pauses ? TRACE_PAUSES :
			    t->changed ? TRACE_CHANGED : t->stages ? TRACE_STAGES :
			    t->faults ? TRACE_FAULTS : TRACE_OLDEST;
	struct tree *file = tree_new(), *settings, *events;
	int rc;

	tree_put_text(file, "format", TRACE_FORMAT);
	tree_put_whole(file, "layout_version", version);
	tree_put_text(file, "hash", t->hash);
	settings = tree_add(file, "settings");
	for (size_t i = 0; i < t->nsettings; i++)
		tree_put_text(settings, t->settings[i].key, t->settings[i].value);
	put_summary(t, file, result);
	events = tree_add(file, "events");
	for (int i = 0; i < ROW_COLUMNS; i++)
		tree_put_column(events, &t->column[i]);
	rc = tree_save(file, t->path, true);
	tree_free(file);
	return rc;
}

/* ---- opening and closing a tracer ---- */

static void tracer_free(struct tracer *t)
{
	settings_free(t->settings, t->nsettings);
	free_all(t->path, t->temporary, t->hash, t->computed_in);
	for (int i = 0; i < ROW_COLUMNS; i++)
		column_release(&t->column[i]);
	free_all(t->x, t);
}

struct tracer *tracer_open(const char *path, const struct trace_info *info, const struct run *run)
{
	struct tracer *t = xcalloc(1, sizeof(*t));

	t->hook = (struct hook){
		.mask = 1u << EV_GRAD | 1u << EV_DROP | 1u << EV_SEND | 1u << EV_STEP |
			1u << EV_HANDLED | 1u << EV_END | 1u << EV_FAULT | 1u << EV_STAGE |
			1u << EV_PAUSE,
		.event = on_event,
	};
	t->run = run;
	t->path = xstrdup(path);
	t->hash = xstrdup(info->hash);
	t->changed = info->changed;
	t->computed_in = xstrdup(info->computed_in ? info->computed_in : "");
	t->net = info->net;
	t->nsettings = info->nsettings;
	t->settings = settings_copy(info->settings, info->nsettings);
	for (int i = 0; i < ROW_COLUMNS; i++)
		t->column[i] = (struct column){ .name = layout_trace[i].name,
						.integer = layout_trace[i].integer };
	/* created before the run: a path that cannot be written is an error now, not at the end */
	t->reserved = temporary_create(path, ".new", &t->temporary);
	if (t->reserved >= 0)
		return t;
	temporary_failed(path, errno);
	tracer_free(t);
	return NULL;
}

struct hook *tracer_hook(struct tracer *t)
{
	return &t->hook;
}

int tracer_close(struct tracer *t, const struct run_result *result)
{
	int rc = 0;

	unlink(t->temporary);
	close(t->reserved);
	if (result)
		rc = trace_save(t, result);
	tracer_free(t);
	return rc;
}

/* ---- names and settings ---- */

const char *const trace_kind_name[] = {
	[TRACE_COMPUTED] = "computed", [TRACE_DROPPED] = "dropped", [TRACE_SENT] = "sent",
	[TRACE_STEPPED] = "stepped",   [TRACE_START] = "start",	    [TRACE_GRAD] = "gradient",
	[TRACE_MESSAGE] = "message",   [TRACE_ALLREDUCE] = "allreduce", [TRACE_TIMER] = "timer",
	[TRACE_FAULT] = "fault",       [TRACE_OVER] = "over",	    [TRACE_STAGED] = "staged",
	[TRACE_STAGE] = "stage",       [TRACE_PAUSED] = "paused",   [TRACE_KINDS] = NULL,
};

const char *trace_setting(const struct trace *t, const char *key)
{
	for (size_t i = 0; i < t->nsettings; i++)
		if (!strcmp(t->settings[i].key, key))
			return t->settings[i].value;
	return NULL;
}

void trace_node_name(int rank, char name[32])
{
	if (rank == SERVER)
		strcpy(name, "server");
	else
		snprintf(name, 32, "worker %d", rank);
}

/* ---- reading: format, settings, summary, model ---- */

static int check_format(const struct tree *file, struct trace *t)
{
	scoped char *format = tree_get_text(file, "format");
	int64_t version = 0;
	int rc = 0;

	if (!format || strcmp(format, TRACE_FORMAT) ||
	    tree_get_whole(file, "layout_version", &version) < 0)
		rc = error("'%s' is %s, not a trace: 'convoy sim' and 'convoy train' write one "
			   "with --trace", t->path, format && !strcmp(format, LAYOUT_FORMAT) ?
			   "the result of a run" : "an HDF5 file");
	else
		rc = layout_check(t->path, version, TRACE_OLDEST, TRACE_NEWEST);
	t->changed = version >= TRACE_CHANGED;
	return rc;
}

static int read_settings(struct trace *t, const struct tree *group)
{
	size_t n;
	scoped const struct tree_attribute **all = tree_attributes(group, &n);
	int rc = group ? 0 : -1;

	t->settings = xcalloc(n + 1, sizeof(*t->settings));
	for (; t->nsettings < n && rc == 0; t->nsettings++) {
		const struct tree_attribute *a = all[t->nsettings];

		t->settings[t->nsettings] = (struct setting){ xstrdup(a->name), tree_text_of(a) };
		rc = t->settings[t->nsettings].value ? 0 : -1;
	}
	return rc;
}

static int get_digest(const struct tree *group, const char *name, uint64_t *digest)
{
	char *text = tree_get_text(group, name), *end;
	bool whole;

	if (!text)
		return -1;
	*digest = strtoull(text, &end, 16);
	whole = *end == '\0';
	free(text);
	return whole ? 0 : -1;
}

enum { WORKERS_MOST = 1 << 21 };        /* as in a run */
static const double time_most = 1e30;   /* longer is no run, in seconds */

/* A whole number from low to most. */
static int get_int(const struct tree *group, const char *name, int low, int most, int *value)
{
	int64_t x;

	if (tree_get_whole(group, name, &x) < 0 || x < low || x > most)
		return -1;
	*value = (int)x;
	return 0;
}

static int read_summary(struct trace *t, const struct tree *group)
{
	int dim = 0;
	int rc = !(t->algo = tree_get_text(group, "algo")) ||
		 !(t->end = tree_get_text(group, "end")) ||
		 get_int(group, "workers", 1, WORKERS_MOST, &t->workers) ||
		 get_int(group, "nodes", t->workers, t->workers + 1, &t->nodes) ||
		 get_int(group, "dim", 0, INT32_MAX, &dim) ||
		 tree_get_real(group, "time_s", &t->time) ||
		 !(t->time >= 0 && t->time <= time_most) ||
		 tree_get_whole(group, "gradients", &t->gradients) || t->gradients < 0 ||
		 get_digest(group, "net", &t->net) || get_digest(group, "model", &t->model);

	t->dim = (size_t)dim;
	t->computed_in = tree_get_text(group, "computed_in");
	return rc ? -1 : 0;
}

static int read_model(struct trace *t, const struct tree *file)
{
	struct column c = { .name = "model" };
	int rc = 0;

	if (!tree_find(file, c.name))
		return 0;
	rc = tree_get_column(file, file, &c) || c.n != t->dim;
	t->x = rc ? NULL : vec_new(t->dim);
	for (size_t i = 0; !rc && i < t->dim; i++)
		t->x[i] = (float)c.v.real[i];
	column_release(&c);
	return rc ? -1 : 0;
}

/* ---- reading the rows ---- */

/*
 * 0 when v is a row that can be: columns of integers have integers, exact in a double (up to 2^53)
 * and within int where struct trace_row has an int; kind, ranks and nodes exist; times are bounded.
 */
static int check_row(const struct trace *t, const double v[ROW_COLUMNS])
{
	const double lowest = t->nodes > t->workers ? SERVER : 0;       /* rank: SERVER < 0 */
	const enum trace_kind kind = v[ROW_KIND] >= 0 && v[ROW_KIND] < TRACE_KINDS ?
					     (enum trace_kind)v[ROW_KIND] : TRACE_KINDS;

	for (int i = 0; i < ROW_COLUMNS; i++)
		if (layout_trace[i].integer && (v[i] != floor(v[i]) || fabs(v[i]) > 0x1p53))
			return -1;
	if (kind == TRACE_KINDS || v[ROW_RANK] < lowest || v[ROW_RANK] >= t->workers ||
	    fabs(v[ROW_PEER]) > INT32_MAX || fabs(v[ROW_TAG]) > INT32_MAX)
		return -1;
	/* the peer of these kinds is a node; others have a token, or no peer */
	if ((kind == TRACE_SENT || kind == TRACE_MESSAGE || kind == TRACE_FAULT ||
	     kind == TRACE_OVER) &&
	    (v[ROW_PEER] < lowest || v[ROW_PEER] >= t->workers))
		return -1;
	return fabs(v[ROW_TIME]) <= time_most && fabs(v[ROW_BEGUN]) <= time_most &&
	       fabs(v[ROW_SECONDS]) <= time_most ? 0 : -1;
}

static int read_events(struct trace *t, const struct tree *file)
{
	struct column c[ROW_COLUMNS] = { 0 };
	const struct tree *group = tree_find(file, "events");
	int rc = 0;

	for (int k = 0; !rc && k < ROW_COLUMNS; k++) {
		c[k].name = layout_trace[k].name;
		/* an older file has no tags: the column stays empty */
		if (k != ROW_TAG || tree_find(group, c[k].name))
			rc = tree_get_column(file, group, &c[k]) < 0 || c[k].n != c[0].n ? -1 : 0;
	}
	t->n = rc ? 0 : c[0].n;
	t->row = xcalloc(t->n + 1, sizeof(*t->row));
	for (size_t i = 0; i < t->n && !rc; i++) {
		double v[ROW_COLUMNS];

		for (int k = 0; k < ROW_COLUMNS; k++)
			v[k] = c[k].n ? c[k].v.real[i] : TRACE_NO_TAG;
		rc = check_row(t, v);
		if (rc)
			break;
		t->row[i] = (struct trace_row){
			.kind = (enum trace_kind)v[ROW_KIND], .rank = (int)v[ROW_RANK],
			.peer = (int)v[ROW_PEER], .time = v[ROW_TIME], .begun = v[ROW_BEGUN],
			.seconds = v[ROW_SECONDS], .bytes = (int64_t)v[ROW_BYTES],
			.gradients = (int64_t)v[ROW_GRADIENTS],
			.staleness = (int64_t)v[ROW_STALENESS],
			.loss = v[ROW_LOSS], .tag = (int)v[ROW_TAG],
		};
	}
	for (int k = 0; k < ROW_COLUMNS; k++)
		column_release(&c[k]);
	return rc;
}

/* ---- reading the file ---- */

int trace_read(struct trace *t, const char *path)
{
	const char *fault;
	struct tree *file = tree_open(path, &fault);
	int rc;

	*t = (struct trace){ .path = xstrdup(path) };
	if (!file)
		return error("'%s' %s", path, fault);
	rc = check_format(file, t);
	if (!rc && (!(t->hash = tree_get_text(file, "hash")) ||
		    read_settings(t, tree_find(file, "settings")) ||
		    read_summary(t, tree_find(file, "summary")) || read_model(t, file) ||
		    read_events(t, file)))
		rc = error("'%s' is damaged: its rows or its summary have impossible values",
			   t->path);
	tree_free(file);
	return rc;
}

void trace_release(struct trace *t)
{
	settings_free(t->settings, t->nsettings);
	free_all(t->path, t->hash, t->computed_in, t->algo, t->end, t->x, t->row);
	*t = (struct trace){ 0 };
}
