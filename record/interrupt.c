/*
 * interrupt.c - the file that a killed run left: its status becomes what happened, and its
 * outcome what the last rows say. Numbers that only a run's end brings are NaN, counts 0.
 */
#include "record/record.h"

#include "core/file/json.h"
#include "record/environ.h"
#include "record/h5.h"
#include "record/layout.h"
#include "record/seal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the summary has of a column's last row. */
static const struct {
	const char *name, *group, *column;
} lasts[] = {
	{ "time_s", "train", "time_s" },
	{ "epochs", "train", "epoch" },
	{ "gradients", "train", "gradients" },
	{ "train_loss", "eval", "train_loss" },
	{ "spread", "eval", "spread" },
	{ "test_loss", "eval", "test_loss" },
	{ "test_accuracy", "eval", "test_accuracy" },
};

static double last_of(hid_t file, const char *group_name, const char *name)
{
	hid_t group = H5Gopen2(file, group_name, H5P_DEFAULT);
	struct column c = { .name = name };
	double last = (double)NAN;

	if (group >= 0 && h5_get_column(group, &c) == 0)
		last = column_last(&c);
	column_release(&c);
	H5Gclose(group);
	return last;
}

static double interrupt_value_of(hid_t file, const char *name)
{
	for (size_t i = 0; i < sizeof(lasts) / sizeof(lasts[0]); i++)
		if (strcmp(lasts[i].name, name) == 0)
			return last_of(file, lasts[i].group, lasts[i].column);
	return (double)NAN;
}

static int put_outcome(hid_t file, hid_t summary)
{
	int rc = h5_put_text(summary, "end", end_reason_name[END_INTERRUPTED]) |
		 h5_put_text(summary, "model", "");

	for (const struct layout_column *c = layout_summary; c->name; c++) {
		const double value = interrupt_value_of(file, c->name);

		/* The time per epoch is kept with each save. */
		if (H5Aexists(summary, c->name) > 0)
			continue;
		rc |= c->integer ? h5_put_whole(summary, c->name,
						isfinite(value) ? (int64_t)value : 0)
				 : h5_put_real(summary, c->name, value);
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
			    put_outcome(file, summary) < 0))
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
