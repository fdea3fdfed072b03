/* Parses WHAT:KEY=VALUE,... and decides which runs of a result have these settings. */
#include "cmd/compare/subset.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/opt.h"
#include "core/text/opt_text.h"
#include "core/text/word.h"
#include "plan/settings/kinds.h"
#include "plan/settings/settings.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- reading ---- */

/* The length of KEY in "KEY=...", 0: it does not begin so. */
static size_t key_length(const char *text)
{
	size_t n = 0;

	while (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '-')
		n++;
	return text[n] == '=' ? n : 0;
}

/* The colon that the settings stand after; NULL: there are none. */
static const char *find_colon(const char *text)
{
	const char *colon = access(text, F_OK) == 0 ? NULL : strchr(text, ':');

	while (colon && (colon == text || !key_length(colon + 1)))
		colon = strchr(colon + 1, ':');
	return colon;
}

/* The comma after a value, or the text's end. */
static const char *value_end(const char *key, const char *value)
{
	const char *end = value + strcspn(value, ",");

	return kind_known(key) && memchr(value, ':', (size_t)(end - value)) ?
		value + strlen(value) : end;
}

/* KEY=VALUE,...; what is no such pair is a key without a value. */
static void read_pairs(cJSON *wanted, const char *text)
{
	for (;;) {
		const size_t n = key_length(text) ? key_length(text) : strcspn(text, ",");
		char *key = xasprintf("%.*s", (int)n, text);
		const char *value = text + n + (text[n] == '='), *end = value_end(key, value);
		char *own = xasprintf("%.*s", (int)(end - value), value);

		cJSON_AddStringToObject(wanted, key, own);
		free(own);
		free(key);
		if (!*end)
			return;
		text = end + 1;
	}
}

/* Under the settings' own names, in their own notation. */
static int subset_check(struct subset *p, const cJSON *pairs, const char *where)
{
	const cJSON *pair;

	if (settings_check_keys(pairs, where) < 0)
		return -1;
	cJSON_ArrayForEach(pair, pairs) {
		const struct opt *o = opt_find(settings_opts, pair->string);
		char *text = settings_canonical(o, pair->valuestring, where);

		if (!text)
			return -1;
		cJSON_AddStringToObject(p->wanted, o->name, text);
		free(text);
	}
	return 0;
}

int subset_read(struct subset *p, const char *text)
{
	const char *colon = find_colon(text);
	cJSON *pairs = cJSON_CreateObject();
	int ret;

	*p = (struct subset){
		.what = xasprintf("%.*s", (int)(colon ? (size_t)(colon - text) : strlen(text)),
				  text),
		.wanted = cJSON_CreateObject(),
	};
	if (colon)
		read_pairs(pairs, colon + 1);
	ret = subset_check(p, pairs, text);
	cJSON_Delete(pairs);
	return ret;
}

void subset_release(struct subset *p)
{
	free(p->what);
	cJSON_Delete(p->wanted);
	*p = (struct subset){ 0 };
}

/* ---- agreeing ---- */

static bool same_value(const char *a, const char *b)
{
	double x, y;

	if (strcmp(a, b) == 0)
		return true;
	return text_double(a, &x) && text_double(b, &y) && fabs(x - y) <= 0;
}

/* Whether "KEY=VALUE" is among "KEY=VALUE,KEY=VALUE". */
static bool has_option(const char *options, const char *wanted)
{
	const size_t n = key_length(wanted);
	bool found = false;

	for (const char *at = options; !found; at++) {
		const size_t length = strcspn(at, ",");
		char *own = xasprintf("%.*s", (int)length, at);

		found = strcmp(own, wanted) == 0 ||
			(n && key_length(own) == n && strncmp(own, wanted, n) == 0 &&
			 same_value(own + n + 1, wanted + n + 1));
		free(own);
		at += length;
		if (!*at)
			break;
	}
	return found;
}

bool subset_value_agrees(const char *wanted, const char *own)
{
	const size_t n = strcspn(wanted, ":");
	char *options, *rest = NULL;
	bool all = true;

	if (same_value(wanted, own))
		return true;
	if (strncmp(wanted, own, n) != 0 || own[n] != ':')
		return false;
	options = xstrdup(wanted[n] ? wanted + n + 1 : "");
	for (char *option = strtok_r(options, ",", &rest); option;
	     option = strtok_r(NULL, ",", &rest))
		all = all && has_option(own + n + 1, option);
	free(options);
	return all;
}

/* A setting that the file leaves out is as it is by default. */
static const char *subset_value_of(const struct result *r, const char *key)
{
	const struct result_value *v = result_value(r, RESULT_SETTINGS, key);
	const char *text = v ? v->text : opt_find(settings_opts, key)->def;

	return text ? text : "";
}

static bool subset_agrees(const struct result *r, const cJSON *wanted)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, wanted)
		if (!subset_value_agrees(item->valuestring, subset_value_of(r, item->string)))
			return false;
	return true;
}

/* error() about the first setting of which no run has the value, or else the last one. */
static int subset_none(const struct subset *p, const struct results *runs)
{
	const char **words = xcalloc(runs->n + 1, sizeof(*words));
	const cJSON *item, *wrong = NULL;
	char *advice;
	size_t n = 0;

	cJSON_ArrayForEach(item, p->wanted) {
		bool any = false;

		wrong = item;
		for (size_t i = 0; i < runs->n; i++)
			any |= subset_value_agrees(item->valuestring,
						   subset_value_of(&runs->v[i], item->string));
		if (!any)
			break;
	}
	for (size_t k = 0; k < runs->n; k++) {
		const char *own = subset_value_of(&runs->v[k], wrong->string);
		size_t i = 0;

		while (i < n && strcmp(words[i], own) != 0)
			i++;
		words[i] = own;
		n += i == n;
	}
	advice = word_advice(wrong->valuestring, words);
	error("%s: no run has %s=%s%s", p->what, wrong->string, wrong->valuestring, advice);
	free(advice);
	free(words);
	return -1;
}

int subset_keep(const struct subset *p, struct results *runs)
{
	bool any = false;
	size_t n = 0;

	for (size_t i = 0; i < runs->n; i++)
		any = any || subset_agrees(&runs->v[i], p->wanted);
	if (!any)
		return subset_none(p, runs);
	for (size_t i = 0; i < runs->n; i++)
		if (subset_agrees(&runs->v[i], p->wanted))
			runs->v[n++] = runs->v[i];
		else
			result_release(&runs->v[i]);
	runs->n = n;
	return 0;
}
