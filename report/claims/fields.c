/*
 * fields.c - a name in a filter that is misspelt, or not where the filter reads it.
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
	const char *of;         /* [n_of] .OF.NAME; NULL: another expression */
	size_t n_of;
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
	w->of = w->at - (w->at > s->filter);
	while (w->of > s->filter && is_more(w->of[-1]))
		w->of--;
	w->n_of = (size_t)(w->at - w->of) - (w->at > s->filter);
	w->of = w->n_of && w->of > s->filter && w->of[-1] == '.' ? w->of : NULL;
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

/* Columns that some runs have, others not. */
static bool is_column(const char *name)
{
	const struct layout_column *const tables[] = {
		layout_train, layout_eval, layout_nodes, layout_staleness, layout_gap, layout_faults
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct layout_column *c = tables[i]; c->name; c++)
			if (!strcmp(c->name, name))
				return true;
	return false;
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

/* ---- objects that have a name ---- */

/* Parts and curves of a run: all members that are objects. */
static const char *const run_objects[] = {
	"point", "settings", "tuned", "assumed", "train", "eval", "nodes", "staleness", "gap",
	"faults"
};
enum { RUN_OBJECTS = sizeof(run_objects) / sizeof(run_objects[0]), POINT = 0 };
static const enum result_part run_parts[] = { RESULT_POINT, RESULT_SETTINGS, RESULT_TUNED,
					      RESULT_ASSUMED };
enum { RUN_PARTS = sizeof(run_parts) / sizeof(run_parts[0]) };

/* Whether run_objects[k] of some run has the name. */
static bool object_has(const struct fields *in, int k, const char *name)
{
	bool has = false;
	size_t n;

	for (size_t i = 0; i < in->runs->n && !has; i++) {
		const struct result *r = &in->runs->v[i];

		has = k < RUN_PARTS ? result_value(r, run_parts[k], name) != NULL :
		      result_column(r, result_curve_named(run_objects[k]), name, &n) != NULL;
	}
	return has;
}

/* Whether it may have it: other scales vary and set other settings, and record other curves. */
static bool object_may_have(const struct fields *in, int k, const char *name)
{
	return object_has(in, k, name) || (k >= RUN_PARTS && is_column(name)) ||
	       (k < RUN_PARTS && (has_key(json_get(in->spec, "grid"), name) ||
				  has_key(json_get(in->spec, "scales"), name) ||
				  (k != POINT && has_key(json_get(in->spec, "base"), name))));
}

static bool run_has(const struct fields *in, const char *name)
{
	bool has = measure_known(name) || !strcmp(name, "faults");

	for (size_t i = 0; i < in->runs->n && !has; i++)
		has = result_has_name(&in->runs->v[i], name);
	return has;
}

/* Whether the filter takes the object, and not only a member of it: .NAME that no . follows. */
static bool is_taken_whole(const char *filter, const char *name)
{
	struct scan s = { filter, filter, false };
	struct word w;

	while (next_word(&s, &w))
		if (strlen(name) == w.n && !strncmp(w.at, name, w.n) &&
		    !(w.read && w.at[w.n] == '.' && is_more(w.at[w.n + 1])))
			return true;
	return false;
}

/* Whether it may take an object without its name, or others that have settings. */
static bool is_walking(const char *filter)
{
	static const char *const ways[] = { "to_entries", "with_entries", "map_values", "walk",
					    "recurse", "getpath", "paths", "tostream", "files",
					    "tuning", NULL };
	bool any = strstr(filter, "..") != NULL;

	for (int i = 0; ways[i] && !any; i++)
		any = filter_names(filter, ways[i]);
	return any;
}

/* Which of run_objects[] .OF.NAME reads; -1: another object. */
static int word_object(const struct word *w)
{
	for (int k = 0; k < RUN_OBJECTS; k++)
		if (w->of && strlen(run_objects[k]) == w->n_of &&
		    !strncmp(w->of, run_objects[k], w->n_of))
			return k;
	return -1;
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

/* Whether a setting has the name as its value, which may be a key: {(.point.algo): .time_s}. */
static bool is_point_value(const struct fields *in, const char *name)
{
	bool has = fields_has_value(json_get(in->spec, "grid"), name) ||
		   fields_has_value(json_get(in->spec, "scales"), name);

	for (size_t i = 0; i < in->runs->n && !has; i++) {
		const struct result_values *point = &in->runs->v[i].values[RESULT_POINT];

		for (size_t k = 0; k < point->n; k++)
			has = has || (point->v[k].text && !strcmp(point->v[k].text, name));
	}
	return has;
}

/* Whether what the filter reads there may have the name. */
static bool is_there(const struct fields *in, const char *filter, const struct word *w,
		     const char *name)
{
	static const char *const always[] = {
		"scale", "runs", "tables", "published", "tuning", "files",      /* the input's */
		"key", "value", "name", "offset", "length", "string",   /* to_entries, match */
		"captures", "file", "line", NULL                        /* capture, $__loc__ */
	};
	static const char *const of_spec[] = { "published", "tuning", "files" };
	const bool walking = is_walking(filter);
	const int object = word_object(w);
	bool there;

	if (object >= 0 && object_may_have(in, object, name))
		return true;
	there = word_is_among(name, always) ||
		(object < 0 && (run_has(in, name) || is_point_value(in, name))) ||
		(filter_names(filter, "tables") && has_key(in->tables, name));
	for (size_t i = 0; i < sizeof(of_spec) / sizeof(of_spec[0]) && !there; i++)
		there = filter_names(filter, of_spec[i]) &&
			has_key(json_get(in->spec, of_spec[i]), name);
	for (int k = 0; k < RUN_OBJECTS && !there && object < 0; k++)
		there = (walking || is_taken_whole(filter, run_objects[k])) &&
			object_may_have(in, k, name);
	return there;
}

/* ".point.slow" of a name that runs have elsewhere; NULL: nowhere. The caller frees. */
static char *name_elsewhere(const struct fields *in, const char *name)
{
	if (run_has(in, name))
		return xasprintf(".%s", name);
	for (int k = 0; k < RUN_OBJECTS; k++)
		if (object_has(in, k, name))
			return xasprintf(".%s.%s", run_objects[k], name);
	return NULL;
}

/* ---- a filter ---- */

/* The n bytes at `value` against that setting of the runs. NULL: some have it, or none sets it. */
static char *value_missing(const struct fields *in, const char *setting, const char *value,
			   size_t n)
{
	char *text = xasprintf("%.*s", (int)n, value), *message = NULL, *advice;
	struct words known = { 0 };
	bool there = fields_has_value(in->spec, text);

	for (size_t i = 0; i < in->runs->n; i++) {
		const struct result_value *own = result_value(&in->runs->v[i], RESULT_POINT,
							      setting);

		if (!own)
			own = result_value(&in->runs->v[i], RESULT_SETTINGS, setting);
		if (own && (own->kind != VALUE_TEXT || !own->text))
			there = true;
		else if (own)
			words_add_new(&known, own->text);
		there = there || (own && own->kind == VALUE_TEXT && own->text &&
				  !strcmp(own->text, text));
	}
	if (!there && known.n) {
		advice = word_advice(text, known.v);
		message = xasprintf("no run has %s '%s'%s", setting, text, advice);
		free(advice);
	}
	free_all(known.v, text);
	return message;
}

/* Text after the == or != that follows a word; NULL: there is none. */
static const char *word_compared(const struct word *w)
{
	const char *s = w->at + w->n;

	s += strspn(s, " \n");
	return (s[0] == '=' || s[0] == '!') && s[1] == '=' ? s + 2 + strspn(s + 2, " \n") : NULL;
}

/* The text that a word is compared with, as in .algo == "asgd", of *n bytes; NULL: none. */
static const char *text_compared(const struct word *w, size_t *n)
{
	const char *s = word_compared(w);

	if (!s || *s++ != '"')
		return NULL;
	*n = strcspn(s, "\"\\");
	return s[*n] == '"' && s[*n + 1 + strspn(s + *n + 1, " \n")] != '+' ? s : NULL;
}

/* Whether it is .settings.NAME, of texts, == a number: jq takes no text for equal to one. */
static bool is_text_by_number(const struct fields *in, const struct word *w, const char *name)
{
	const char *s = word_compared(w);
	const int object = word_object(w);
	bool texts = s && object >= 0 && object < RUN_PARTS &&
		     run_parts[object] == RESULT_SETTINGS && isdigit((unsigned char)s[*s == '-']);

	for (size_t i = 0; i < in->runs->n && texts; i++) {
		const struct result_value *v = result_value(&in->runs->v[i], RESULT_SETTINGS, name);

		texts = v && v->kind == VALUE_TEXT;
	}
	return texts;
}

/* Fault of a name that is not where the filter reads it; the caller frees. */
static char *name_missing(const struct fields *in, const struct word *w, const char *name)
{
	struct words known = { 0 };
	const char **all;
	char *other = name_elsewhere(in, name), *advice, *message;
	const int object = word_object(w);

	if (other) {
		message = xasprintf("no run has '%s%s.%s', which is null then; use %s",
				    object < 0 ? "" : ".", object < 0 ? "" : run_objects[object],
				    name, other);
		free(other);
		return message;
	}
	all = result_names(in->runs->v);
	for (const char **own = all; *own; own++)
		words_add_new(&known, *own);
	advice = word_advice(name, known.v);
	message = xasprintf("no run has '%s', which is null then%s", name, advice);
	free_all(advice, all, known.v);
	return message;
}

static char *word_missing(const struct fields *in, const char *filter, const struct word *w)
{
	char *name = xasprintf("%.*s", (int)w->n, w->at), *message = NULL;
	const char *value;
	size_t n;

	if (is_made(filter, name)) {
		free(name);
		return NULL;
	}
	value = text_compared(w, &n);
	if (!is_there(in, filter, w, name))
		message = name_missing(in, w, name);
	else if (is_text_by_number(in, w, name))
		message = xasprintf("'.settings.%s' is a text, which equals no number; write the "
				    "number in quotes, or use tonumber", name);
	else if (value)
		message = value_missing(in, name, value, n);
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
		scoped char *name = xasprintf("%.*s", (int)w.n, w.at);

		all = has_key(input, name) ||
		      (!w.read && !measure_known(name) && !is_column(name) &&
		       strcmp(name, "faults") != 0);
		any = any || w.read;
	}
	return all && any;
}
