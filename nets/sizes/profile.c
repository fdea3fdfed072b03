/*
 * profile.c - a net's layers from a text file: bytes and measured seconds.
 *
 * CSV (core/file/csv.h); each line is a layer, in the order of the forward pass. Columns: layer
 * (its name); bytes, or parameters; seconds (of both passes), or forward_s and backward_s, of a
 * minibatch, or these in another unit; macs.
 */
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/csv.h"
#include "core/file/textfile.h"
#include "core/text/word.h"
#include "nets/sizes/sizes.h"

#include <stdlib.h>

enum column { COLUMN_LAYER, COLUMN_BYTES, COLUMN_PARAMETERS, COLUMN_SECONDS, COLUMN_FORWARD,
	      COLUMN_BACKWARD, COLUMN_MACS, COLUMNS };

enum { MOST_LAYERS = 1 << 20 };

static bool profile_has(const struct csv_column *column, enum column which)
{
	return column[which].at != CSV_NONE;
}

/* Refuses unknown columns: a misspelt one would leave out sizes or times. */
static int profile_check_names(const struct csv *c, const struct csv_column column[COLUMNS])
{
	const char *names[COLUMNS + 1] = { NULL };
	char *advice;

	for (size_t i = 0; i < COLUMNS; i++)
		names[i] = column[i].name;
	for (size_t i = 0; i < c->columns; i++) {
		if (csv_is_known(column, COLUMNS, i))
			continue;
		advice = word_advice(c->name[i], names);
		error("%s:%zu: unknown column '%.40s'%s", c->path, c->line, c->name[i], advice);
		free(advice);
		return -1;
	}
	return 0;
}

static int profile_read_layer(const struct csv *c, const struct csv_column column[COLUMNS],
			      struct size_list *list)
{
	double v[COLUMNS] = { 0 };

	if (list->n == MOST_LAYERS)
		return error("%s:%zu: too many layers", c->path, c->line);
	for (enum column i = COLUMN_BYTES; i < COLUMNS; i++) {
		if (!profile_has(column, i))
			continue;
		if (csv_double(c, &column[i], &v[i]) < 0)
			return -1;
		if (!(v[i] >= 0.0 && v[i] <= 1e18))
			return error("%s:%zu: %s must be a number, from 0 to 1e18, not '%.40s'",
				     c->path, c->line, column[i].name, c->field[column[i].at]);
	}
	/* A backward pass takes twice as long as the forward pass. */
	if (profile_has(column, COLUMN_SECONDS)) {
		v[COLUMN_FORWARD] = v[COLUMN_SECONDS] / 3.0;
		v[COLUMN_BACKWARD] = v[COLUMN_SECONDS] - v[COLUMN_FORWARD];
	}
	sizes_add(list, 1, (struct size_layer){
		.parameters = profile_has(column, COLUMN_BYTES) ? v[COLUMN_BYTES] / 4.0
								: v[COLUMN_PARAMETERS],
		.macs = v[COLUMN_MACS], .forward_s = v[COLUMN_FORWARD],
		.backward_s = v[COLUMN_BACKWARD] });
	return 0;
}

static int profile_read_text(const char *path, char *text, struct size_list *list)
{
	static const char *const layers[] = { "layer", "name", NULL };
	static const char *const sizes[] = { "parameters", "params", NULL };
	static const char *const times[] = { "seconds", "time_s", "duration", NULL };
	static const char *const forwards[] = { "forward_s", "forward_time", "fwd_s", NULL };
	static const char *const backwards[] = { "backward_s", "backward_time", "bwd_s", NULL };
	struct csv_column column[COLUMNS] = {
		[COLUMN_LAYER] = { .name = "layer", .names = layers },
		[COLUMN_BYTES] = { .name = "bytes" },
		[COLUMN_PARAMETERS] = { .name = "parameters", .names = sizes },
		[COLUMN_SECONDS] = { .name = "seconds", .names = times, .time = true },
		[COLUMN_FORWARD] = { .name = "forward_s", .names = forwards, .time = true },
		[COLUMN_BACKWARD] = { .name = "backward_s", .names = backwards, .time = true },
		[COLUMN_MACS] = { .name = "macs" },
	};
	bool forward, seconds;
	struct csv c;
	int ret;

	csv_begin(&c, path, text);
	ret = csv_header(&c, column, COLUMNS) < 0 || profile_check_names(&c, column) < 0 ? -1 : 0;
	forward = profile_has(column, COLUMN_FORWARD);
	seconds = profile_has(column, COLUMN_SECONDS);
	if (ret == 0 && c.columns
	    && profile_has(column, COLUMN_BYTES) == profile_has(column, COLUMN_PARAMETERS))
		ret = error("%s:%zu: a profile has one column of 'bytes' or 'parameters'", path,
			    c.line);
	else if (ret == 0
		 && (forward != profile_has(column, COLUMN_BACKWARD) || (forward && seconds)))
		ret = error("%s:%zu: times are one column 'seconds', or the two columns "
			    "'forward_s' and 'backward_s'", path, c.line);
	while (ret == 0 && (ret = csv_row(&c)) > 0)
		ret = profile_read_layer(&c, column, list);
	csv_release(&c);
	if (ret < 0)
		return -1;
	if (list->n == 0)
		return error("%s: a profile without layers (expected a line of columns, such as "
			     "'layer,bytes,seconds', and a line for each layer)", path);
	list->split = forward;
	list->timed = forward || seconds;
	return 0;
}

struct profile_conf {
	char *file;
};

static int profile_layers(const void *conf, struct size_list *list)
{
	const struct profile_conf *c = conf;
	scoped char *text = NULL;

	if (!c->file)
		return error("net profile: a file is missing (expected profile:FILE)");
	text = textfile_read(c->file);
	return text ? profile_read_text(c->file, text, list) : -1;
}

static const struct opt profile_opts[] = {
	{ .name = "file", OPT_AT(STRING, struct profile_conf, file), .arg = "FILE",
	  .help = "layers, one a line: bytes or parameters, and seconds of a minibatch "
	  "(docs/nets.md)", .flags = OPT_NOHASH },
	{ 0 }
};

const struct size_type size_profile = {
	.plugin = { .name = "profile",
		    .brief = "timing only: measured layers from a file, profile:FILE",
		    .opts = profile_opts,
		    .conf_size = sizeof(struct profile_conf) },
	.layers = profile_layers,
};
