/* Files of killed runs become whole ones, with the outcome of their last rows. */
#include "record/record.h"

#include "core/base/mem.h"
#include "record/environ_file.h"
#include "record/layout.h"
#include "record/measure.h"
#include "record/tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The last value of the data set GROUP/NAME; NaN: there is none. */
static double last_value(const struct tree *file, const char *path)
{
	const char *slash = strchr(path, '/');
	char group[16];
	scoped_by(column_release) struct column c = { .name = slash + 1 };
	double value = (double)NAN;

	snprintf(group, sizeof(group), "%.*s", (int)(slash - path), path);
	if (tree_get_column(file, tree_find(file, group), &c) == 0)
		value = column_final(&c);
	return value;
}

static void interrupt_put_outcome(const struct tree *file, struct tree *summary)
{
	tree_put_text(summary, "end", end_reason_name[END_INTERRUPTED]);
	tree_put_text(summary, "model", "");
	for (const struct measure_info *m = measure_table; m < measure_table + MEASURE_COUNT; m++) {
		double value = (double)NAN;

		/* The time per epoch is kept with each save. */
		if ((m->source != MEASURED_SUMMARY && m->source != MEASURED_COUNT) ||
		    tree_has(summary, m->name))
			continue;
		if (*m->last)
			value = last_value(file, m->last);
		if (m->source == MEASURED_COUNT)
			tree_put_count(summary, m->name, isfinite(value) ? (__int128)value : 0);
		else
			tree_put_real(summary, m->name, value);
	}
}

/* True when the open file was written by that process, or by any where it is 0. */
static bool is_of(const struct tree *file, pid_t writer)
{
	int64_t pid = 0;
	scoped char *host = writer ? environ_host(file, &pid) : NULL;

	return !writer || (host && pid == writer);
}

/* Whether the open file says that its run goes on; it then says no more so. -1: it cannot. */
static int interrupt_change(struct tree *file, const void *ctx)
{
	struct tree *summary = tree_find(file, "summary");
	scoped char *status = tree_get_text(summary, "status");
	const pid_t *writer = ctx;
	int changed = !status ? -1 : strcmp(status, STATUS_RUNNING) == 0 && is_of(file, *writer);

	if (changed > 0) {
		tree_take_out(summary, "status");
		tree_put_text(summary, "status", STATUS_INTERRUPTED);
		interrupt_put_outcome(file, summary);
	}
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
