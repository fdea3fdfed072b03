/*
 * fields.c - a misspelt field of a filter.
 *
 * It is text that is looked at, not jq's program, and in doubt nothing is said: a name that the
 * filter has anywhere but after a dot, be it in a text, counts as made by it.
 */
#include "report/claims/fields.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"
#include "report/measure/measure.h"
#include "report/record/layout.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct word {                   /* of a filter */
	const char *at;
	size_t n;
	bool read;              /* .NAME, and not what is assigned to */
};

struct scan {
	const char *filter, *at;
	bool quoted;
};

static bool is_letter(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

static bool is_more(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Whether "=", "|=", "+=" and the like follow. */
static bool is_assigned(const char *end)
{
	end += strspn(end, " ");
	end += strspn(end, "|+-*/%");
	return end[0] == '=' && end[1] != '=';
}

/* $ENV.HOME and env.HOME are of the shell. */
static bool is_of_shell(const struct scan *s, const char *dot)
{
	const size_t before = (size_t)(dot - s->filter);

	return before >= 3 && (!strncmp(dot - 3, "ENV", 3) || !strncmp(dot - 3, "env", 3));
}

static bool is_read(const struct scan *s, const char *at, const char *end)
{
	return !s->quoted && at > s->filter && at[-1] == '.' && !is_of_shell(s, at - 1) &&
	       !is_assigned(end);
}

/* Over a character that is of no word. */
static void fields_pass(struct scan *s)
{
	if (*s->at == '"')
		s->quoted = !s->quoted;
	if (*s->at == '#' && !s->quoted)
		s->at += strcspn(s->at, "\n");
	else if (*s->at == '\\' && s->quoted && s->at[1])
		s->at += 2;
	else
		s->at++;
}

/* The next word; false: there is none. */
static bool next_word(struct scan *s, struct word *w)
{
	while (*s->at && !is_letter(*s->at)) {
		if (isdigit((unsigned char)*s->at))
			while (is_more(*s->at) || *s->at == '.')
				s->at++;
		else
			fields_pass(s);
	}
	w->at = s->at;
	while (is_more(*s->at))
		s->at++;
	w->n = (size_t)(s->at - w->at);
	w->read = is_read(s, w->at, s->at);
	return w->n > 0;
}

static bool fields_is_word(const struct word *w, const char *name)
{
	return strlen(name) == w->n && !strncmp(w->at, name, w->n);
}

static bool is_made(const char *filter, const char *name)
{
	struct scan s = { filter, filter, false };
	struct word w;

	while (next_word(&s, &w))
		if (!w.read && fields_is_word(&w, name))
			return true;
	return false;
}

static bool was_read(const char *filter, const struct word *w)
{
	struct scan s = { filter, filter, false };
	struct word earlier;

	while (next_word(&s, &earlier) && earlier.at < w->at)
		if (earlier.read && earlier.n == w->n && !strncmp(earlier.at, w->at, w->n))
			return true;
	return false;
}

/* Members that jq's own functions make: to_entries, match, capture, $__loc__. */
static bool is_of_jq(const char *name)
{
	static const char *const all[] = { "key", "value", "name", "offset", "length", "string",
					   "captures", "file", "line" };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(all[i], name))
			return true;
	return false;
}

/* Columns and measures that some runs have, others not. */
static bool is_of_results(const char *name)
{
	const struct layout_column *const tables[] = { layout_train, layout_eval, layout_nodes,
						       layout_staleness, layout_gap, layout_faults,
						       layout_summary };

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct layout_column *c = tables[i]; c->name; c++)
			if (!strcmp(c->name, name))
				return true;
	return measure_known(name) || !strcmp(name, "faults");
}

static bool has_key(const cJSON *tree, const char *name)
{
	const cJSON *item;

	if (cJSON_IsArray(tree) && cJSON_IsNumber(tree->child))
		return false;
	cJSON_ArrayForEach(item, tree)
		if ((item->string && !strcmp(item->string, name)) || has_key(item, name))
			return true;
	return false;
}

/* ---- the nearest ---- */

/* Names of the run's members and of theirs, in [*n] borrowed texts and a NULL. */
static void add_keys(const char ***words, size_t *n, const cJSON *object, int depth)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, object) {
		*words = xrealloc(*words, *n + 2, sizeof(**words));
		(*words)[(*n)++] = item->string;
		(*words)[*n] = NULL;
	}
	cJSON_ArrayForEach(item, object)
		if (depth > 1 && cJSON_IsObject(item))
			add_keys(words, n, item, depth - 1);
}

static char *advice_of(const cJSON *runs, const char *name)
{
	const char **words = xcalloc(1, sizeof(*words));
	size_t n = 0;
	char *advice;

	add_keys(&words, &n, runs->child, 2);
	advice = word_advice(name, words);
	free(words);
	return advice;
}

/* ---- claims ---- */

struct inputs {
	const cJSON *spec, *runs, *tables;
};

static bool is_there(const struct inputs *in, const char *name)
{
	static const char *const whole[] = { "scale", "runs", "tables", "published",
					     "tuning", "files" };

	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		if (!strcmp(whole[i], name))
			return true;
	return is_of_results(name) || is_of_jq(name) || has_key(in->spec, name) ||
	       has_key(in->tables, name) || has_key(in->runs, name);
}

static void warn_of(const struct inputs *in, const char *filter, const char *where)
{
	struct scan s = { filter, filter, false };
	struct word w;

	while (next_word(&s, &w)) {
		const bool first = w.read && !was_read(filter, &w);
		char *name = first ? xasprintf("%.*s", (int)w.n, w.at) : NULL;

		if (name && !is_made(filter, name) && !is_there(in, name)) {
			char *advice = advice_of(in->runs, name);

			warning("%s: no run has '%s', which is null then%s", where, name, advice);
			free(advice);
		}
		free(name);
	}
}

/* Neither makes members out of a text, nor has filters in one. */
static bool fields_is_plain(const char *filter)
{
	return !strstr(filter, "fromjson") && !strstr(filter, "\\(");
}

void fields_warn(const cJSON *spec, const cJSON *runs, const cJSON *tables, const char *path)
{
	static const char *const keys[] = { "jq", "shows" };
	const struct inputs in = { spec, runs, tables };
	const cJSON *claim;
	int i = 0;

	cJSON_ArrayForEach(claim, json_get(spec, "claims")) {
		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
			const char *filter = json_string(claim, keys[k]);
			char *where = xasprintf("%s: claims[%d]: %s", path, i, keys[k]);

			if (filter && runs && runs->child && fields_is_plain(filter))
				warn_of(&in, filter, where);
			free(where);
		}
		i++;
	}
}
