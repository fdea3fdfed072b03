/* Tests grid points against --only filters, and names filters that match no point. */
#include "plan/spec/spec.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"
#include "plan/settings/settings.h"

#include <stdlib.h>
#include <string.h>

/* The setting's own spelling. */
static const char *key_of(const char *only)
{
	char *key = xasprintf("%.*s", (int)strcspn(only, "="), only);
	const char *name = opt_find(settings_opts, key)->name;

	free(key);
	return name;
}

/* One KEY=VALUE. */
static bool agrees(const cJSON *point, const char *only)
{
	const cJSON *value = json_get(point, key_of(only));
	char *text = value ? json_text(value) : NULL;
	const bool same = text && strcmp(text, strchr(only, '=') + 1) == 0;

	free(text);
	return same;
}

bool point_filter_agrees(const cJSON *point, const char *only)
{
	char *copy = xstrdup(only ? only : ""), *rest, *line = strtok_r(copy, "\n", &rest);
	bool all = true;

	for (; line && all; line = strtok_r(NULL, "\n", &rest))
		all = agrees(point, line);
	free(copy);
	return all;
}

/* Words, each once. */
struct words {
	const char **v; /* [n + 1], NULL-ended */
	size_t n;
};

static void point_filter_add(struct words *w, const char *word)
{
	for (size_t i = 0; i < w->n; i++)
		if (strcmp(w->v[i], word) == 0)
			return;
	w->v = xrealloc(w->v, w->n + 2, sizeof(*w->v));
	w->v[w->n++] = word;
	w->v[w->n] = NULL;
}

/* Texts of the list are added to `owned`, which keeps them alive. */
static void point_filter_add_values(struct words *w, const cJSON *list, cJSON *owned)
{
	const cJSON *value;

	cJSON_ArrayForEach(value, list) {
		char *text = json_text(value);
		cJSON *item = cJSON_CreateString(text);

		cJSON_AddItemToArray(owned, item);
		point_filter_add(w, item->valuestring);
		free(text);
	}
}

static bool point_filter_holds(const struct words *w, const char *word)
{
	size_t i = 0;

	while (i < w->n && strcmp(w->v[i], word) != 0)
		i++;
	return i < w->n;
}

/* 0 when some point has it, else error(). */
static int point_filter_seek(const struct spec *s, const char *only)
{
	const char *key = key_of(only), *value = strchr(only, '=') + 1;
	struct words values = { xcalloc(1, sizeof(char *)), 0 }, keys = values;
	cJSON *owned = cJSON_CreateArray();
	const cJSON *product, *list;
	char *advice;
	int ret;

	keys.v = xcalloc(1, sizeof(char *));
	cJSON_ArrayForEach(product, s->grid) {
		cJSON_ArrayForEach(list, product)
			point_filter_add(&keys, list->string);
		point_filter_add_values(&values, json_get(product, key), owned);
	}
	advice = values.n ? word_advice(value, values.v) : word_advice(key, keys.v);
	ret = point_filter_holds(&values, value) ?
		      0 :
		      error("%s: no run has %s%s%s", s->name, only,
			    values.n ? "" : ": the grid has no such setting", advice);
	free(advice);
	free(values.v);
	free(keys.v);
	cJSON_Delete(owned);
	return ret;
}

int point_filter_matches_none(const struct spec *s, const char *only)
{
	char *copy = xstrdup(only), *rest, *line = strtok_r(copy, "\n", &rest), *all = NULL;
	int ret = 0;

	for (; ret == 0 && line; line = strtok_r(NULL, "\n", &rest)) {
		xappend(&all, " and ", line);
		ret = point_filter_seek(s, line);
	}
	if (ret == 0)
		error("%s: no run has %s", s->name, all);
	free(all);
	free(copy);
	return -1;
}
