/* A trace file, read and checked. */
#include "record/trace/trace.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "record/h5.h"
#include "record/seal.h"
#include "record/trace/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct layout_column layout_trace[ROW_COLUMNS] = {
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

const char *const trace_kind_name[] = {
	[TRACE_COMPUTED] = "computed", [TRACE_DROPPED] = "dropped", [TRACE_SENT] = "sent",
	[TRACE_STEPPED] = "stepped",   [TRACE_START] = "start",	    [TRACE_GRAD] = "gradient",
	[TRACE_MESSAGE] = "message",   [TRACE_ALLREDUCE] = "allreduce", [TRACE_TIMER] = "timer",
	[TRACE_FAULT] = "fault",       [TRACE_OVER] = "over",	    [TRACE_STAGED] = "staged",
	[TRACE_STAGE] = "stage",       [TRACE_KINDS] = NULL,
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

/* ---- the head ---- */

static int check_format(hid_t file, struct trace *t)
{
	const char *path = t->path;
	char *format = h5_get_text(file, "format");
	int64_t version = 0;
	int rc = 0;

	if (!format || strcmp(format, TRACE_FORMAT) ||
	    h5_get_whole(file, "layout_version", &version) < 0)
		rc = error("'%s' is %s, not a trace: 'convoy sim' and 'convoy train' write one "
			   "with --trace", path, format && !strcmp(format, LAYOUT_FORMAT) ?
			   "the result of a run" : "an HDF5 file");
	else
		rc = layout_check(path, version, TRACE_OLDEST, TRACE_NEWEST);
	t->changed = version >= TRACE_CHANGED;
	free(format);
	return rc;
}

static herr_t trace_read_add_setting(hid_t group, const char *name, const H5A_info_t *info,
				     void *trace)
{
	struct trace *t = trace;
	char *value = h5_get_text(group, name);

	(void)info;
	if (!value)
		return -1;
	t->settings = xrealloc(t->settings, t->nsettings + 1, sizeof(*t->settings));
	t->settings[t->nsettings++] = (struct setting){ xstrdup(name), value };
	return 0;
}

static int read_settings(struct trace *t, hid_t file)
{
	hid_t group = H5Gopen2(file, "settings", H5P_DEFAULT);
	herr_t rc = group < 0 ? -1 :
				H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_INC, NULL,
					    trace_read_add_setting, t);

	H5Gclose(group);
	return rc < 0 ? -1 : 0;
}

static int get_digest(hid_t group, const char *name, uint64_t *digest)
{
	char *text = h5_get_text(group, name), *end;

	if (!text)
		return -1;
	*digest = strtoull(text, &end, 16);
	free(text);
	return 0;
}

/* A whole number from low to INT32_MAX. */
static int get_int(hid_t group, const char *name, int low, int *value)
{
	int64_t x;

	if (h5_get_whole(group, name, &x) < 0 || x < low || x > INT32_MAX)
		return -1;
	*value = (int)x;
	return 0;
}

static int read_summary(struct trace *t, hid_t file)
{
	hid_t group = H5Gopen2(file, "summary", H5P_DEFAULT);
	int dim = 0;
	int rc = group < 0 || !(t->algo = h5_get_text(group, "algo")) ||
		 !(t->end = h5_get_text(group, "end")) ||
		 get_int(group, "workers", 1, &t->workers) ||
		 get_int(group, "nodes", t->workers, &t->nodes) || t->nodes > t->workers + 1 ||
		 get_int(group, "dim", 0, &dim) || h5_get_real(group, "time_s", &t->time) ||
		 !isfinite(t->time) || h5_get_whole(group, "gradients", &t->gradients) ||
		 get_digest(group, "net", &t->net) || get_digest(group, "model", &t->model);

	t->dim = (size_t)dim;
	if (!rc)
		t->computed_in = h5_get_text(group, "computed_in");
	H5Gclose(group);
	return rc ? -1 : 0;
}

static int trace_read_read_model(struct trace *t, hid_t file)
{
	struct column c = { .name = "model" };
	int rc = 0;

	if (H5Lexists(file, "model", H5P_DEFAULT) <= 0)
		return 0;
	rc = h5_get_column(file, &c) || c.n != t->dim;
	t->x = rc ? NULL : vec_new(t->dim);
	for (size_t i = 0; !rc && i < t->dim; i++)
		t->x[i] = (float)c.v.real[i];
	column_release(&c);
	return rc ? -1 : 0;
}

/* ---- the rows ---- */

static bool peer_is_node(enum trace_kind kind)
{
	return kind == TRACE_SENT || kind == TRACE_MESSAGE || kind == TRACE_FAULT ||
	       kind == TRACE_OVER;
}

/* Numbers of a column of whole ones are whole, and not too large for an int where they are one. */
static int check_row(const struct trace *t, const double v[ROW_COLUMNS])
{
	const double last = t->nodes > t->workers ? SERVER : 0;

	for (int i = 0; i < ROW_COLUMNS; i++)
		if (layout_trace[i].integer && (v[i] != floor(v[i]) || fabs(v[i]) > 0x1p53))
			return -1;
	if (v[ROW_KIND] < 0 || v[ROW_KIND] >= TRACE_KINDS || v[ROW_RANK] < last ||
	    v[ROW_RANK] >= t->workers || fabs(v[ROW_PEER]) > INT32_MAX ||
	    fabs(v[ROW_TAG]) > INT32_MAX)
		return -1;
	if (peer_is_node((enum trace_kind)v[ROW_KIND]) &&
	    (v[ROW_PEER] < last || v[ROW_PEER] >= t->workers))
		return -1;
	return isfinite(v[ROW_TIME] + v[ROW_BEGUN] + v[ROW_SECONDS]) ? 0 : -1;
}

static struct trace_row trace_read_row_of(const double v[ROW_COLUMNS])
{
	return (struct trace_row){
		.kind = (enum trace_kind)v[ROW_KIND], .rank = (int)v[ROW_RANK],
		.peer = (int)v[ROW_PEER], .time = v[ROW_TIME], .begun = v[ROW_BEGUN],
		.seconds = v[ROW_SECONDS], .bytes = (int64_t)v[ROW_BYTES],
		.gradients = (int64_t)v[ROW_GRADIENTS], .staleness = (int64_t)v[ROW_STALENESS],
		.loss = v[ROW_LOSS], .tag = (int)v[ROW_TAG],
	};
}

static int fill_rows(struct trace *t, const struct column c[ROW_COLUMNS])
{
	t->n = c[0].n;
	t->row = xcalloc(t->n + 1, sizeof(*t->row));
	for (size_t i = 0; i < t->n; i++) {
		double v[ROW_COLUMNS];

		for (int k = 0; k < ROW_COLUMNS; k++)
			v[k] = c[k].n ? c[k].v.real[i] : TRACE_NO_TAG;
		if (check_row(t, v))
			return -1;
		t->row[i] = trace_read_row_of(v);
	}
	return 0;
}

/* An older file has no tags: the column stays empty. */
static int read_column(hid_t group, enum trace_column k, size_t rows, struct column *c)
{
	c->name = layout_trace[k].name;
	if (k == ROW_TAG && H5Lexists(group, c->name, H5P_DEFAULT) <= 0)
		return 0;
	return h5_get_column(group, c) < 0 || (k && c->n != rows) ? -1 : 0;
}

static int read_events(struct trace *t, hid_t file)
{
	struct column c[ROW_COLUMNS] = { 0 };
	hid_t group = H5Gopen2(file, "events", H5P_DEFAULT);
	int rc = group < 0 ? -1 : 0;

	for (int k = 0; !rc && k < ROW_COLUMNS; k++)
		rc = read_column(group, (enum trace_column)k, c[0].n, &c[k]);
	if (!rc)
		rc = fill_rows(t, c);
	for (int k = 0; k < ROW_COLUMNS; k++)
		column_release(&c[k]);
	H5Gclose(group);
	return rc;
}

/* ---- the file ---- */

static int trace_read_read_all(struct trace *t, hid_t file)
{
	if (check_format(file, t))
		return -1;
	if (!(t->hash = h5_get_text(file, "hash")) || read_settings(t, file) ||
	    read_summary(t, file) || trace_read_read_model(t, file) || read_events(t, file))
		return error("'%s' is damaged: its rows or its summary say what cannot be",
			     t->path);
	return 0;
}

int trace_read(struct trace *t, const char *path)
{
	const char *fault = seal_fault(path);
	hid_t file = fault ? -1 : h5_open(path);
	int rc;

	*t = (struct trace){ .path = xstrdup(path) };
	if (fault)
		return error("'%s' %s", path, fault);
	if (file < 0)
		return error("'%s' is damaged: its parts are not those of a trace", path);
	rc = trace_read_read_all(t, file);
	H5Fclose(file);
	return rc;
}

void trace_release(struct trace *t)
{
	for (size_t i = 0; i < t->nsettings; i++) {
		free((char *)t->settings[i].key);
		free((char *)t->settings[i].value);
	}
	free(t->settings);
	free(t->path);
	free(t->hash);
	free(t->computed_in);
	free(t->algo);
	free(t->end);
	free(t->x);
	free(t->row);
	*t = (struct trace){ 0 };
}
