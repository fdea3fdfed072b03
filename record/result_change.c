/*
 * result_change.c - what a file learns after its run: that it was killed, that it is a baseline,
 * its speedup over which baseline, and which of its settings were tuned.
 */
#include "record/record.h"

#include "core/file/json.h"
#include "record/environ.h"
#include "record/environ_file.h"
#include "record/h5.h"
#include "record/layout.h"
#include "record/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool has_text(hid_t summary, const char *name, const char *value)
{
	char *own = h5_get_text(summary, name);
	const bool same = own && strcmp(own, value) == 0;

	free(own);
	return same;
}

static bool has_real(hid_t summary, const char *name, double value)
{
	double own = (double)NAN;

	return h5_get_real(summary, name, &own) == 0 && !(own < value) && !(own > value) &&
	       !isnan(own);
}

static void take_out(hid_t summary, const char *name)
{
	if (H5Aexists(summary, name) > 0)
		H5Adelete(summary, name);
}

/* Whether the file had to be changed, or -1. */
static int mark(hid_t file, const void *ctx)
{
	const struct result_mark *m = ctx;
	hid_t summary = H5Gopen2(file, "summary", H5P_DEFAULT);
	int64_t is = 0;
	int rc = 0;
	bool changed = false;

	if (summary < 0)
		return -1;
	if (m->is_baseline && !(h5_get_whole(summary, "is_baseline", &is) == 0 && is == 1)) {
		take_out(summary, "is_baseline");
		rc |= h5_put_whole(summary, "is_baseline", 1);
		changed = true;
	}
	if (m->baseline && !(has_text(summary, "baseline", m->baseline) &&
			     has_real(summary, "speedup", m->speedup))) {
		take_out(summary, "baseline");
		take_out(summary, "speedup");
		rc |= h5_put_text(summary, "baseline", m->baseline) |
		      h5_put_real(summary, "speedup", m->speedup);
		changed = true;
	}
	if (m->tuned && !has_text(summary, "tuned", m->tuned)) {
		take_out(summary, "tuned");
		rc |= h5_put_text(summary, "tuned", m->tuned);
		changed = true;
	}
	H5Gclose(summary);
	return rc ? -1 : changed;
}

int result_mark(const char *path, const struct result_mark *m)
{
	return result_change(path, !m->synced_later, mark, m);
}

/* ---- killed runs: numbers that only a run's end brings are NaN, counts 0 ---- */

static int interrupt_put_outcome(hid_t file, hid_t summary)
{
	int rc = h5_put_text(summary, "end", end_reason_name[END_INTERRUPTED]) |
		 h5_put_text(summary, "model", "");

	for (const struct measure_info *m = measure_table; m < measure_table + MEASURE_COUNT; m++) {
		struct column c = { .name = m->last };
		double value = (double)NAN;

		/* The time per epoch is kept with each save. */
		if ((m->source != MEASURED_SUMMARY && m->source != MEASURED_COUNT) ||
		    H5Aexists(summary, m->name) > 0)
			continue;
		if (*m->last && h5_get_column(file, &c) == 0)
			value = column_final(&c);
		column_release(&c);
		rc |= m->source == MEASURED_COUNT ?
			h5_put_whole(summary, m->name, isfinite(value) ? (int64_t)value : 0) :
			h5_put_real(summary, m->name, value);
	}
	return rc;
}

/* True when the open file was written by that process, or by any where it is 0. */
static bool is_of(hid_t file, pid_t writer)
{
	int64_t pid = 0;
	char *host = writer ? environ_host(file, &pid) : NULL;
	const bool its = !writer || (host && pid == writer);

	free(host);
	return its;
}

/* Whether the open file says that its run goes on; it then says no more so. -1: it cannot. */
static int interrupt_change(hid_t file, const void *ctx)
{
	hid_t summary = H5Gopen2(file, "summary", H5P_DEFAULT);
	char *status = summary < 0 ? NULL : h5_get_text(summary, "status");
	const pid_t *writer = ctx;
	int changed = !status ? -1 : strcmp(status, STATUS_RUNNING) == 0 && is_of(file, *writer);

	if (changed > 0 && (h5_change_text(summary, "status", STATUS_INTERRUPTED) < 0 ||
			    interrupt_put_outcome(file, summary) < 0))
		changed = -1;
	free(status);
	H5Gclose(summary);
	return changed;
}

int result_interrupt_of(const char *path, pid_t writer)
{
	return result_change(path, true, interrupt_change, &writer);
}

int result_interrupt(const char *path)
{
	return result_interrupt_of(path, 0);
}
