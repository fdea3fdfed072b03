/*
 * assumed.c - what a run's machine has that its settings leave open, and where it is from.
 */
#include "plan/resolve/assumed.h"

#include "core/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* How a setting is called in a line, and its unit. */
static const struct {
	const char *key, *before, *behind;
} words[] = {
	{ "workers", "workers ", "" },
	{ "compute_s", "compute ", " s" },
	{ "handoff_s", "host-device copy ", " s" },
	{ "update_s", "update ", " s" },
	{ "overlap", "messages received while computing: ", "" },
	{ "sim_bucket", "all-reduce overlaps the backward pass, in buckets of ", " bytes" },
	{ "delay", "delay ", "" },
	{ "link", "link ", "" },
};

void assumed_add(struct assumed *all, const char *key, char *value, char *source, bool named)
{
	all->v = xrealloc(all->v, all->n + 1, sizeof(*all->v));
	all->v[all->n++] = (struct assumption){ key, value, source, named };
}

void assumed_release(struct assumed *all)
{
	for (size_t i = 0; i < all->n; i++) {
		free(all->v[i].value);
		free(all->v[i].source);
	}
	free(all->v);
	*all = (struct assumed){ 0 };
}

cJSON *assumed_json(const struct assumed *all)
{
	cJSON *object = cJSON_CreateObject();

	for (size_t i = 0; i < all->n; i++)
		cJSON_AddStringToObject(object, all->v[i].key, all->v[i].source);
	return object;
}

/* "compute 0.01155 s": numbers with four digits. The caller frees. */
static char *value_text(const struct assumption *a)
{
	char *end;
	const double x = strtod(a->value, &end);
	size_t i = 0;

	if (strcmp(a->key, "sim_bucket") == 0 && x <= 0.0)
		return xstrdup("all-reduce behind the backward pass");
	while (strcmp(words[i].key, a->key) != 0)
		i++;
	if (*end || strcmp(a->key, "sim_bucket") == 0)
		return xasprintf("%s%s%s", words[i].before, a->value, words[i].behind);
	return xasprintf("%s%.4g%s", words[i].before, x, words[i].behind);
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

/* Adds "A, B, C (source)" to the line, of many texts the first and the last; frees the group. */
static char *group_end(char *line, struct group *g)
{
	enum { MOST = 12 };
	char *longer = xasprintf("%s%s", line, strcmp(line, "assumed: ") == 0 ? "" : "; ");

	free(line);
	for (size_t i = 0; i < g->n; i++) {
		if (g->n <= MOST || i < MOST - 1 || i == g->n - 1) {
			line = longer;
			longer = xasprintf("%s%s%s", line, i == 0 ? "" :
					   i >= MOST ? ", ..., " : ", ", g->text[i]);
			free(line);
		}
		free(g->text[i]);
	}
	free(g->text);
	line = xasprintf("%s (%s)", longer, g->source);
	free(longer);
	return line;
}

char *assumed_text(const struct assumed *const *runs, size_t n)
{
	struct group *groups = NULL;
	size_t ngroups = 0;
	char *line;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < runs[i]->n; k++)
			groups_add(&groups, &ngroups, &runs[i]->v[k]);
	line = ngroups ? xstrdup("assumed: ") : NULL;
	for (size_t i = 0; i < ngroups; i++)
		line = group_end(line, &groups[i]);
	free(groups);
	return line;
}
