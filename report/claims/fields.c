/*
 * fields.c - a misspelt name in a filter.
 *
 * It is text that is looked at, not jq's program, and in doubt nothing is said: a name that the
 * filter has anywhere but after a dot, be it in a text, counts as made by it.
 */
#include "report/claims/claims.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"
#include "record/layout.h"
#include "record/measure.h"

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

static bool is_more(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The next word; false: there is none. Digits, comments and escaped characters are passed over. */
static bool next_word(struct scan *s, struct word *w)
{
	const char *end;

	while (*s->at && (!is_more(*s->at) || isdigit((unsigned char)*s->at))) {
		if (*s->at == '"')
			s->quoted = !s->quoted;
		if (isdigit((unsigned char)*s->at))
			while (is_more(*s->at) || *s->at == '.')
				s->at++;
		else if (*s->at == '#' && !s->quoted)
			s->at += strcspn(s->at, "\n");
		else
			s->at += *s->at == '\\' && s->quoted && s->at[1] ? 2 : 1;
	}
	w->at = s->at;
	while (is_more(*s->at))
		s->at++;
	w->n = (size_t)(s->at - w->at);
	end = s->at + strspn(s->at, " ");       /* "=", "|=", "+=" and the like assign */
	end += strspn(end, "|+-*/%");
	w->read = !s->quoted && w->at > s->filter && w->at[-1] == '.' &&
		  !(end[0] == '=' && end[1] != '=') &&
		  !(w->at - s->filter >= 4 &&   /* $ENV.HOME and env.HOME are the shell's */
		    (!strncmp(w->at - 4, "ENV", 3) || !strncmp(w->at - 4, "env", 3)));
	return w->n > 0;
}

static bool is_made(const char *filter, const char *name)
{
	struct scan s = { filter, filter, false };
	struct word w;

	while (next_word(&s, &w))
		if (!w.read && strlen(name) == w.n && !strncmp(w.at, name, w.n))
			return true;
	return false;
}

/* Columns and measures that some runs have, others not. */
static bool is_of_results(const char *name)
{
	const struct layout_column *const tables[] = {
		layout_train, layout_eval, layout_nodes, layout_staleness, layout_gap, layout_faults
	};

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

static bool runs_have(const struct results *runs, const char *name)
{
	bool have = false;

	for (size_t i = 0; i < runs->n && !have; i++) {
		const char **names = result_names(&runs->v[i]);

		have = word_is_among(name, names);
		free(names);
	}
	return have;
}

/* ---- a filter ---- */

static bool is_there(const struct fields *in, const char *name)
{
	static const char *const always[] = {
		"scale", "runs", "tables", "published", "tuning", "files",      /* the input's */
		"key", "value", "name", "offset", "length", "string",   /* to_entries, match */
		"captures", "file", "line", NULL                        /* capture, $__loc__ */
	};

	return word_is_among(name, always) || is_of_results(name) || has_key(in->spec, name) ||
	       has_key(in->tables, name) || runs_have(in->runs, name);
}

/* Whether the spec has the text anywhere but in its claims; other scales have other values. */
static bool fields_has_value(const cJSON *tree, const char *text)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, tree) {
		char *own = value_text(item);
		const bool same = own && !strcmp(own, text);

		free(own);
		if (same || ((!item->string || strcmp(item->string, "claims") != 0) &&
			     fields_has_value(item, text)))
			return true;
	}
	return false;
}

/* The n bytes at `value` against that setting of the runs. NULL: some have it, or none sets it. */
static char *value_missing(const struct fields *in, const char *setting, const char *value,
			   size_t n)
{
	char *text = xasprintf("%.*s", (int)n, value), *message = NULL, *advice;
	const char **words = xcalloc(in->runs->n + 1, sizeof(*words));
	size_t known = 0;
	bool there = fields_has_value(in->spec, text);

	for (size_t i = 0; i < in->runs->n; i++) {
		const struct result_value *own = result_value(&in->runs->v[i], RESULT_POINT,
							      setting);

		if (!own)
			own = result_value(&in->runs->v[i], RESULT_SETTINGS, setting);
		if (own && (own->kind != VALUE_TEXT || !own->text))
			there = true;
		else if (own && !word_is_among(own->text, words))
			words[known++] = own->text;
		there = there || (own && own->kind == VALUE_TEXT && own->text &&
				  !strcmp(own->text, text));
	}
	if (!there && known) {
		advice = word_advice(text, words);
		message = xasprintf("no run has %s '%s'%s", setting, text, advice);
		free(advice);
	}
	free(words);
	free(text);
	return message;
}

/* The text that a word is compared with, as in .algo == "asgd", of *n bytes; NULL: none. */
static const char *fields_compared(const struct word *w, size_t *n)
{
	const char *s = w->at + w->n;

	s += strspn(s, " \n");
	if ((s[0] != '=' && s[0] != '!') || s[1] != '=')
		return NULL;
	s += 2 + strspn(s + 2, " \n");
	if (*s++ != '"')
		return NULL;
	*n = strcspn(s, "\"\\");
	return s[*n] == '"' && s[*n + 1 + strspn(s + *n + 1, " \n")] != '+' ? s : NULL;
}

static char *word_missing(const struct fields *in, const char *filter, const struct word *w)
{
	char *name = xasprintf("%.*s", (int)w->n, w->at), *message = NULL;
	const char *value;
	size_t n;

	if (!is_made(filter, name) && !is_there(in, name)) {
		const char **all = result_names(in->runs->v);
		const char **words = xcalloc(1, sizeof(*words));
		size_t known = 0;
		char *advice;

		for (const char **own = all; *own; own++)
			if (!word_is_among(*own, words)) {
				words = xrealloc(words, known + 2, sizeof(*words));
				words[known++] = *own;
				words[known] = NULL;
			}
		advice = word_advice(name, words);
		free(all);
		message = xasprintf("no run has '%s', which is null then%s", name, advice);
		free(advice);
		free(words);
	} else if (!is_made(filter, name)) {
		value = fields_compared(w, &n);
		message = value ? value_missing(in, name, value, n) : NULL;
	}
	free(name);
	return message;
}

/* The text as a value of the setting, in a list too; or the values of a rule's sides. */
static char *rule_value_missing(const struct fields *in, const char *setting, const cJSON *value)
{
	const cJSON *item;
	char *message = NULL;

	if (cJSON_IsString(value) && setting)
		return value_missing(in, setting, value->valuestring, strlen(value->valuestring));
	if (!cJSON_IsArray(value) && !cJSON_IsObject(value))
		return NULL;
	cJSON_ArrayForEach(item, value) {
		const char *key = item->string ? item->string : setting;
		const bool own = key && (!strcmp(key, "measure") || !strcmp(key, "target"));

		message = message || own ? message : rule_value_missing(in, key, item);
	}
	return message;
}

char *fields_missing_of_rule(const struct fields *in, const cJSON *rule)
{
	return in->runs->n ? rule_value_missing(in, NULL, rule) : NULL;
}

char *fields_missing(const struct fields *in, const char *filter)
{
	struct scan s = { filter, filter, false };
	char *message = NULL;
	struct word w;

	if (!in->runs->n)
		return NULL;
	if (strstr(filter, "fromjson") || strstr(filter, "\\("))   /* members made of a text */
		return NULL;
	while (!message && next_word(&s, &w))
		if (w.read)
			message = word_missing(in, filter, &w);
	return message;
}

bool fields_all_in(const cJSON *input, const char *filter)
{
	struct scan s = { filter, filter, false };
	bool all = !strstr(filter, "\\("), any = false;       /* a name may be made of parts */
	struct word w;

	while (all && next_word(&s, &w)) {
		char *name = xasprintf("%.*s", (int)w.n, w.at);

		all = has_key(input, name) || (!w.read && !is_of_results(name));
		any = any || w.read;
		free(name);
	}
	return all && any;
}
