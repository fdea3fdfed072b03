/* The kind `table`: points of the settings or of a file; and points of any kind. */
#include "plan/compute/kinds.h"

#include "core/base/error.h"
#include "core/base/mem.h"

#include <stdlib.h>
#include <string.h>

struct table_conf {
	char *file;
	struct opt_doubles batch, seconds;
};

static const struct opt table_opts[] = {
	OPT_TEXT(struct table_conf, file, "text file of lines BATCH SECONDS, batches ascending",
		 "PATH"),
	{ "batch", OPT_AT(DOUBLES, struct table_conf, batch), NULL,
	  "samples of the measured minibatches, ascending", "A/B/...", 0, 0, NULL, 0 },
	{ "seconds", OPT_AT(DOUBLES, struct table_conf, seconds), NULL,
	  "seconds of each", "S/T/...", 0, 0, NULL, 0 },
	{ 0 }
};

const struct compute_kind compute_measured = {
	.plugin = { .name = "table",
		    .brief = "measured times: batch to seconds, with an affine fit beyond them",
		    .opts = table_opts, .conf_size = sizeof(struct table_conf) },
};

static int table_points(const struct table_conf *c, struct timetable *to, const char *where)
{
	if (c->file && (c->batch.n || c->seconds.n))
		return error("%s: file and batch or seconds are two tables. Give one of them",
			     where);
	if (c->file && timetable_read(to, c->file) < 0)
		return -1;
	if (c->batch.n != c->seconds.n)
		return error("%s: %zu batches, but %zu times (expected a time for each batch)",
			     where, c->batch.n, c->seconds.n);
	for (size_t i = 0; i < c->batch.n; i++)
		timetable_add(to, c->batch.v[i], c->seconds.v[i]);
	return 0;
}

/* "resnet50, alexnet": each net of the list once. The caller frees. */
static char *device_nets(const struct device_rate *rate)
{
	char *text = xstrdup(rate->net);

	for (const struct device_rate *r = rate + 1; r->net; r++) {
		char *longer = strcmp(r->net, r[-1].net) == 0 ? NULL
			: xasprintf("%s, %s", text, r->net);

		if (longer) {
			free(text);
			text = longer;
		}
	}
	return text;
}

static int device_points(const struct device_rate *rate, const char *net, struct timetable *to,
			 const char *where)
{
	char *nets;

	for (const struct device_rate *r = rate; net && r->net; r++) {
		const double batch = r->batch > 0.0 ? r->batch : 1.0;

		if (strcmp(r->net, net) == 0)
			timetable_add(to, batch, batch / r->samples_s);
	}
	if (to->batch.n)
		return 0;
	nets = device_nets(rate);
	error("%s: no published rate of net %s on it (expected %s). Give a table of your own: "
	      "table:batch=A/B/...,seconds=S/T/...", where, net ? net : "that is not built in",
	      nets);
	free(nets);
	return -1;
}

int compute_points(const struct compute_kind *kind, const void *conf, const char *net,
		   struct timetable *to, const char *where)
{
	*to = (struct timetable){ 0 };
	if (kind->rate ? device_points(kind->rate, net, to, where) < 0
		       : table_points(conf, to, where) < 0)
		return -1;
	return timetable_check(to, where);
}
