/*
 * mark.c - what a finished file learns from others: that its run is a baseline, its speedup over
 * which baseline, and which of its settings were tuned.
 */
#include "record/record.h"

#include "record/h5.h"
#include "record/seal.h"

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

/* Whether it had to be changed, or -1. */
static int mark_baseline(hid_t summary)
{
	int64_t is = 0;

	if (h5_get_whole(summary, "is_baseline", &is) == 0 && is == 1)
		return 0;
	take_out(summary, "is_baseline");
	return h5_put_whole(summary, "is_baseline", 1) < 0 ? -1 : 1;
}

static int mark_speedup(hid_t summary, const struct result_mark *m)
{
	if (has_text(summary, "baseline", m->baseline) && has_real(summary, "speedup", m->speedup))
		return 0;
	take_out(summary, "baseline");
	take_out(summary, "speedup");
	return h5_put_text(summary, "baseline", m->baseline) |
			       h5_put_real(summary, "speedup", m->speedup) ? -1 : 1;
}

static int mark_tuned(hid_t summary, const char *tuned)
{
	if (has_text(summary, "tuned", tuned))
		return 0;
	take_out(summary, "tuned");
	return h5_put_text(summary, "tuned", tuned) < 0 ? -1 : 1;
}

static int mark(hid_t file, const void *ctx)
{
	const struct result_mark *m = ctx;
	hid_t summary = H5Gopen2(file, "summary", H5P_DEFAULT);
	int baseline, speedup, tuned;

	if (summary < 0)
		return -1;
	baseline = m->is_baseline ? mark_baseline(summary) : 0;
	speedup = m->baseline ? mark_speedup(summary, m) : 0;
	tuned = m->tuned ? mark_tuned(summary, m->tuned) : 0;
	H5Gclose(summary);
	return baseline < 0 || speedup < 0 || tuned < 0 ? -1 : baseline || speedup || tuned;
}

int result_mark(const char *path, const struct result_mark *m)
{
	return result_change(path, !m->synced_later, mark, m);
}
