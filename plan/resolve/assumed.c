/* What a run's machine has that its settings leave open, and where it is from. */
#include "plan/resolve/assumed.h"

#include "core/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* How a setting is called in a line, and its unit. */
static const struct {
	const char *key, *before, *after;
} words[] = {
	{ "workers", "workers ", "" },
	{ "compute_s", "compute ", " s" },
	{ "host_copy_s", "host-device copy ", " s" },
	{ "update_s", "update ", " s" },
	{ "overlap", "messages received while computing: ", "" },
	{ "sim_bucket", "all-reduce overlaps the backward pass, in buckets of ", " bytes" },
	{ "delay", "delay ", "" },
	{ "link", "link ", "" },
};

enum { WORDS = sizeof(words) / sizeof(words[0]) };

struct assumption {
	const char *key, *value, *source;       /* borrowed */
};

/* What the run assumes of that setting; false: nothing. */
static bool assumption_of(const struct setup *su, const char *key, struct assumption *a)
{
	const size_t i = (size_t)(opt_find(settings_opts, key) - settings_opts);
	const struct setting_source *src = &su->sources[i];

	*a = (struct assumption){ key, src->value ? src->value : su->canonical[i].value,
				  src->name };
	return src->name && src->used;
}

struct setting *assumed_settings(const struct setup *su, size_t *n)
{
	struct setting *all = xcalloc(WORDS, sizeof(*all));
	struct assumption a;

	*n = 0;
	for (size_t i = 0; i < WORDS; i++)
		if (assumption_of(su, words[i].key, &a))
			all[(*n)++] = (struct setting){ a.key, a.source };
	return all;
}

cJSON *assumed_json(const struct setup *su)
{
	cJSON *object = cJSON_CreateObject();
	size_t n;
	struct setting *all = assumed_settings(su, &n);

	for (size_t i = 0; i < n; i++)
		cJSON_AddStringToObject(object, all[i].key, all[i].value);
	free(all);
	return object;
}

bool assumed_is_named(const struct setup *su)
{
	for (size_t i = 0; settings_opts[i].name; i++) {
		const struct setting_source *src = &su->sources[i];

		if (src->name && src->used && !src->named)
			return false;
	}
	return true;
}

/* "compute 0.01155 s": numbers with four digits. The caller frees. */
static char *value_text(const struct assumption *a)
{
	char *end;
	const double x = strtod(a->value, &end);
	size_t i = 0;

	if (strcmp(a->key, "sim_bucket") == 0 && x <= 0.0)
		return xstrdup("all-reduce after the backward pass");
	while (strcmp(words[i].key, a->key) != 0)
		i++;
	if (*end || strcmp(a->key, "sim_bucket") == 0)
		return xasprintf("%s%s%s", words[i].before, a->value, words[i].after);
	return xasprintf("%s%.4g%s", words[i].before, x, words[i].after);
}

struct group {                  /* what comes from one source */
	const char *source;     /* borrowed */
	char **text;            /* [n], each once; owned */
	size_t n;
};

/* Takes the text over. */
static void group_add(struct group *g, char *text)
{
	for (size_t i = 0; i < g->n; i++)
		if (strcmp(g->text[i], text) == 0) {
			free(text);
			return;
		}
	g->text = xrealloc(g->text, g->n + 1, sizeof(*g->text));
	g->text[g->n++] = text;
}

static void groups_add(struct group **groups, size_t *n, const struct assumption *a)
{
	size_t i = 0;

	while (i < *n && strcmp((*groups)[i].source, a->source) != 0)
		i++;
	if (i == *n) {
		*groups = xrealloc(*groups, *n + 1, sizeof(**groups));
		(*groups)[(*n)++] = (struct group){ .source = a->source };
	}
	group_add(&(*groups)[i], value_text(a));
}

/* "A, B, C (source)", of many texts the first and the last; frees the group. The caller frees. */
static char *group_end(struct group *g)
{
	enum { MOST = 12 };
	char *all = NULL;

	for (size_t i = 0; i < g->n; i++)
		if (g->n <= MOST || i < MOST - 1 || i == g->n - 1)
			xappend_own(&all, i >= MOST ? ", ..., " : ", ", g->text[i]);
		else
			free(g->text[i]);
	free(g->text);
	xappend_own(&all, " ", xasprintf("(%s)", g->source));
	return all;
}

char *assumed_text(const struct setup *const *runs, size_t n)
{
	struct assumption a;
	struct group *groups = NULL;
	size_t ngroups = 0;
	char *line;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < WORDS; k++)
			if (assumption_of(runs[i], words[k].key, &a))
				groups_add(&groups, &ngroups, &a);
	line = ngroups ? xstrdup("assumed:") : NULL;
	for (size_t i = 0; i < ngroups; i++)
		xappend_own(&line, i ? "; " : " ", group_end(&groups[i]));
	free(groups);
	return line;
}
