/* The hook that records what every node did. */
#include "record/trace/trace.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/temporary.h"
#include "core/math/vec.h"
#include "record/h5.h"
#include "record/trace/file.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct tracer {
	struct hook hook;               /* first: the engine hands us its address */
	const struct run *run;          /* borrowed until close */
	char *path, *hash, *computed_in;
	char *temporary;                /* a file that reserves the name */
	int reserved;                   /* that file, open */
	uint64_t net;
	struct setting *settings;       /* [nsettings] */
	size_t nsettings;
	struct column column[ROW_COLUMNS];
	float *x;                       /* [dim] the final model */
	bool allreduces;                      /* some were delivered */
	bool faults;                    /* some began, or were over */
	bool changed;                   /* of its info */
	bool stages;                    /* some gradients came in them */
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
	default:
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

/* What the column holds. A file says -1 for no peer, in rows of steps alone. */
static int row_peer(enum trace_kind kind, const struct event *ev)
{
	if (kind == TRACE_TIMER)
		return ev->token;
	return ev->peer == NO_PEER ? -1 : ev->peer;
}

static void add_row(struct tracer *t, const struct event *ev)
{
	const enum trace_kind kind = kind_of(ev);

	t->allreduces |= kind == TRACE_ALLREDUCE;
	t->stages |= kind == TRACE_STAGED;
	put_row(t, &(struct trace_row){
		.kind = kind, .rank = ev->node->rank,
		.peer = row_peer(kind, ev), .time = ev->time,
		.begun = ev->begun, .seconds = ev->seconds, .bytes = (int64_t)ev->bytes,
		.gradients = ev->gradients, .staleness = ev->staleness,
		.loss = kind == TRACE_COMPUTED ? ev->loss : (double)NAN,
		.tag = kind == TRACE_SENT || kind == TRACE_MESSAGE ? ev->tag : TRACE_NO_TAG,
	});
}

static void add_fault(struct tracer *t, const struct event *ev)
{
	const struct fault *f = ev->fault;

	t->faults = true;
	put_row(t, &(struct trace_row){
		.kind = ev->over ? TRACE_OVER : TRACE_FAULT, .rank = f->rank,
		.peer = f->kind == FAULT_DROP ? f->peer : f->rank, .time = ev->time,
		.begun = f->from, .seconds = ev->time - f->from, .gradients = ev->gradients,
		.loss = (double)NAN, .tag = TRACE_NO_TAG,
	});
}

static void keep_model(struct tracer *t, const float *x)
{
	if (!x || !t->allreduces)
		return;
	t->x = vec_new(t->run->dim);
	vec_copy(t->run->dim, x, t->x);
}

static void on_event(struct hook *h, const struct event *ev)
{
	struct tracer *t = (struct tracer *)h;

	if (ev->kind == EV_END)
		keep_model(t, ev->model);
	else if (ev->kind == EV_FAULT)
		add_fault(t, ev);
	else
		add_row(t, ev);
}

/* ---- the file ---- */

static int put_settings(const struct tracer *t, hid_t file)
{
	hid_t group = h5_group(file, "settings");
	int rc = 0;

	for (size_t i = 0; i < t->nsettings; i++)
		rc |= h5_put_text(group, t->settings[i].key, t->settings[i].value);
	H5Gclose(group);
	return rc;
}

static int put_summary(const struct tracer *t, hid_t file, const struct run_result *result)
{
	hid_t group = h5_group(file, "summary");
	const int dim = (int)t->run->dim;
	char model[17], net[17];
	int rc;

	snprintf(model, sizeof(model), "%016" PRIx64, result->model);
	snprintf(net, sizeof(net), "%016" PRIx64, t->net);
	rc = h5_put_text(group, "algo", t->run->algo->plugin.name) |
	     h5_put_whole(group, "workers", t->run->workers) |
	     h5_put_whole(group, "nodes", t->run->workers + (t->run->algo->server != NULL)) |
	     h5_put_whole(group, "dim", t->run->pool ? (int64_t)t->run->dim : 0) |
	     h5_put_text(group, "end", end_reason_name[result->end]) |
	     h5_put_real(group, "time_s", result->time) |
	     h5_put_whole(group, "gradients", result->gradients) |
	     h5_put_text(group, "net", net) |
	     h5_put_text(group, "computed_in", t->computed_in) |
	     h5_put_text(group, "model", result->model ? model : "");
	H5Gclose(group);
	if (t->x)
		rc |= h5_put_floats(file, "model", 1, &dim, t->x);
	return rc;
}

static int put_events(const struct tracer *t, hid_t file)
{
	hid_t group = h5_group(file, "events");
	int rc = 0;

	for (int i = 0; i < ROW_COLUMNS; i++)
		rc |= h5_put_column(group, &t->column[i]);
	H5Gclose(group);
	return rc;
}

static int trace_version(const struct tracer *t)
{
	return t->changed ? TRACE_CHANGED : t->stages ? TRACE_STAGES
		: t->faults ? TRACE_FAULTS : TRACE_OLDEST;
}

static int trace_save(const struct tracer *t, const struct run_result *result)
{
	hid_t file = h5_create(NULL);

	if (file >= 0 && !h5_put_text(file, "format", TRACE_FORMAT) &&
	    !h5_put_whole(file, "layout_version", trace_version(t)) &&
	    !h5_put_text(file, "hash", t->hash) && !put_settings(t, file) &&
	    !put_summary(t, file, result) && !put_events(t, file))
		return h5_save(file, t->path, true);
	H5Fclose(file);
	return error("cannot write '%s': HDF5 failed", t->path);
}

/* ---- life ---- */

static void tracer_free(struct tracer *t)
{
	for (size_t i = 0; i < t->nsettings; i++) {
		free((char *)t->settings[i].key);
		free((char *)t->settings[i].value);
	}
	free(t->settings);
	free(t->path);
	free(t->temporary);
	free(t->hash);
	free(t->computed_in);
	for (int i = 0; i < ROW_COLUMNS; i++)
		column_release(&t->column[i]);
	free(t->x);
	free(t);
}

struct tracer *tracer_open(const char *path, const struct trace_info *info, const struct run *run)
{
	struct tracer *t = xcalloc(1, sizeof(*t));

	t->hook = (struct hook){
		.mask = 1u << EV_GRAD | 1u << EV_DROP | 1u << EV_SEND | 1u << EV_STEP |
			1u << EV_HANDLED | 1u << EV_END | 1u << EV_FAULT | 1u << EV_STAGE,
		.event = on_event,
	};
	t->run = run;
	t->path = xstrdup(path);
	t->hash = xstrdup(info->hash);
	t->changed = info->changed;
	t->computed_in = xstrdup(info->computed_in ? info->computed_in : "");
	t->net = info->net;
	t->nsettings = info->nsettings;
	t->settings = xcalloc(t->nsettings + 1, sizeof(*t->settings));
	for (size_t i = 0; i < t->nsettings; i++)
		t->settings[i] = (struct setting){ xstrdup(info->settings[i].key),
						   xstrdup(info->settings[i].value) };
	for (int i = 0; i < ROW_COLUMNS; i++)
		t->column[i] = (struct column){ .name = layout_trace[i].name,
						.integer = layout_trace[i].integer };
	/* There from the first moment: what cannot be written is known at once. */
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
