/*
 * profile.c - a net's layers from a text file: bytes and measured seconds.
 *
 * The first line names the columns, separated by commas; each further line is a layer, in the
 * order of the forward pass. Columns: layer (its name); bytes, or parameters; seconds (of both
 * passes), or forward_s and backward_s, of a minibatch; macs. Lines that begin with '#' are
 * comments.
 */
#include "core/base/error.h"
#include "core/file/paths.h"
#include "core/text/opt_text.h"
#include "core/text/word.h"
#include "nets/sizes/sizes.h"

#include <stdlib.h>
#include <string.h>

enum column { COLUMN_LAYER, COLUMN_BYTES, COLUMN_PARAMETERS, COLUMN_SECONDS, COLUMN_FORWARD,
	      COLUMN_BACKWARD, COLUMN_MACS, COLUMNS };

static const char *const column_names[] = { "layer", "bytes", "parameters", "seconds", "forward_s",
					    "backward_s", "macs", NULL };

enum { MOST_LAYERS = 1 << 20 };

struct profile_text {
	const char *path;
	int line;
	enum column column[COLUMNS];    /* [n] in their order */
	size_t n;
	bool has[COLUMNS];
};

static const char blanks[] = " \t\r";

/* Without blanks at either end; *rest <- after the comma, or NULL. */
static char *profile_cell(char *text, char **rest)
{
	char *comma = strchr(text, ','), *end;

	*rest = comma ? comma + 1 : NULL;
	if (comma)
		*comma = '\0';
	text += strspn(text, blanks);
	for (end = text + strlen(text); end > text && strchr(blanks, end[-1]); end--)
		end[-1] = '\0';
	return text;
}

static int profile_add_column(struct profile_text *t, const char *name)
{
	char *advice;

	for (int i = 0; i < COLUMNS; i++) {
		if (strcmp(column_names[i], name) != 0)
			continue;
		if (t->has[i])
			return error("%s:%d: two columns are called '%s'", t->path, t->line, name);
		t->has[i] = true;
		t->column[t->n++] = (enum column)i;
		return 0;
	}
	advice = word_advice(name, column_names);
	error("%s:%d: unknown column '%.40s'%s", t->path, t->line, name, advice);
	free(advice);
	return -1;
}

static int profile_check_columns(const struct profile_text *t)
{
	if (t->has[COLUMN_BYTES] == t->has[COLUMN_PARAMETERS])
		return error("%s:%d: a profile has one column of 'bytes' or 'parameters'", t->path,
			     t->line);
	if (t->has[COLUMN_FORWARD] != t->has[COLUMN_BACKWARD] ||
	    (t->has[COLUMN_FORWARD] && t->has[COLUMN_SECONDS]))
		return error("%s:%d: times are one column 'seconds', or the two columns "
			     "'forward_s' and 'backward_s'", t->path, t->line);
	return 0;
}

static int profile_read_head(struct profile_text *t, char *text)
{
	for (char *rest = text; rest;)
		if (profile_add_column(t, profile_cell(rest, &rest)) < 0)
			return -1;
	return profile_check_columns(t);
}

static int profile_read_number(const struct profile_text *t, const char *text, enum column column,
			       double *value)
{
	if (text_double(text, value) && *value >= 0.0 && *value <= 1e18)
		return 0;
	return error("%s:%d: %s must be a number, from 0 to 1e18, not '%s'", t->path, t->line,
		     column_names[column], text);
}

static int profile_read_layer(const struct profile_text *t, char *text, struct size_list *list)
{
	double v[COLUMNS] = { 0 };
	char *rest = text;

	for (size_t i = 0; i < t->n; i++) {
		const char *cell;

		if (!rest)
			return error("%s:%d: %zu values, but the first line names %zu columns",
				     t->path, t->line, i, t->n);
		cell = profile_cell(rest, &rest);
		if (t->column[i] != COLUMN_LAYER &&
		    profile_read_number(t, cell, t->column[i], &v[t->column[i]]) < 0)
			return -1;
	}
	if (rest || list->n == MOST_LAYERS)
		return error("%s:%d: %s", t->path, t->line, rest ? "more values than columns"
								  : "too many layers");
	/* A backward pass takes twice as long as the forward pass. */
	if (t->has[COLUMN_SECONDS]) {
		v[COLUMN_FORWARD] = v[COLUMN_SECONDS] / 3.0;
		v[COLUMN_BACKWARD] = v[COLUMN_SECONDS] - v[COLUMN_FORWARD];
	}
	sizes_add(list, 1, (struct size_layer){
		.parameters = t->has[COLUMN_BYTES] ? v[COLUMN_BYTES] / 4.0 : v[COLUMN_PARAMETERS],
		.macs = v[COLUMN_MACS], .forward_s = v[COLUMN_FORWARD],
		.backward_s = v[COLUMN_BACKWARD] });
	return 0;
}

static int profile_read_text(struct profile_text *t, char *text, struct size_list *list)
{
	for (char *next; text; text = next) {
		next = strchr(text, '\n');
		if (next)
			*next++ = '\0';
		t->line++;
		text += strspn(text, blanks);
		if (!*text || *text == '#')
			continue;
		if (t->n == 0 ? profile_read_head(t, text) : profile_read_layer(t, text, list))
			return -1;
	}
	if (list->n == 0)
		return error("%s: a profile without layers (expected a line of columns, such as "
			     "'layer,bytes,seconds', and a line for each layer)", t->path);
	list->split = t->has[COLUMN_FORWARD];
	list->timed = list->split || t->has[COLUMN_SECONDS];
	return 0;
}

static int sizes_read(const char *path, struct size_list *list)
{
	struct profile_text t = { .path = path };
	char *text = file_read(path, NULL);
	int ret = text ? profile_read_text(&t, text, list) : -1;

	free(text);
	return ret;
}

struct profile_conf {
	char *file;
};

static int profile_layers(const void *conf, struct size_list *list)
{
	const struct profile_conf *c = conf;

	if (!c->file)
		return error("net profile: a file is missing (expected profile:FILE)");
	return sizes_read(c->file, list);
}

static const struct opt profile_opts[] = {
	{ "file", OPT_AT(STRING, struct profile_conf, file), NULL,
	  "layers, one a line: bytes or parameters, and seconds of a minibatch (docs/nets.md)",
	  "FILE", 0, 0, NULL, OPT_NOHASH },
	{ 0 }
};

const struct size_type size_profile = {
	.plugin = { "profile", "timing only: measured layers from a file, profile:FILE", NULL,
		    profile_opts, sizeof(struct profile_conf) },
	.layers = profile_layers,
};
