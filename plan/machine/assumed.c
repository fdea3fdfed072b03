/* What a run's machine has that its settings leave open, and where it is from. */
#include "plan/machine/machine.h"

#include "core/base/mem.h"
#include "core/file/members.h"

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
		ADD(object, j_text(all[i].key, all[i].value));
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
static char *assumption_text(const struct assumption *a)
{
	char *end;
	const double x = strtod(a->value, &end);
	size_t i = 0;

	if (strcmp(a->key, "sim_bucket") == 0 && x <= 0.0)
		return xstrdup("all-reduce after the backward pass");
	while (strcmp(words[i].key, a->key) != 0)
		i++;
	if (strcmp(a->key, "sim_bucket") == 0)
		return xasprintf("%s%s%s", words[i].before, a->value, words[i].after);
	if (*end)
		return xasprintf("%s%s", words[i].before, a->value);
	return xasprintf("%s%.4g%s", words[i].before, x, words[i].after);
}

/* ---- of several runs, in a line ---- */

struct held {                   /* of a setting of a run */
	char *text;             /* owned; NULL: nothing is assumed */
	const char *source;     /* borrowed */
	bool given;
};

struct assumed_line {                   /* what is said of n runs */
	const struct grid_point *const *points;     /* [n], borrowed */
	size_t n;
	struct held *held;      /* [n * WORDS], owned */
};

struct source_group {                  /* what comes from one source */
	const char *source;     /* borrowed */
	size_t *at;             /* [n]: where in line.held each text is first; owned */
	size_t n;
};

/* Whether two runs assume the same: the same setting, in the same words. */
static bool is_same(const struct assumed_line *l, size_t i, size_t j)
{
	const struct held *a = &l->held[i], *b = &l->held[j];

	return a->text && b->text && i % WORDS == j % WORDS && strcmp(a->text, b->text) == 0 &&
	       strcmp(a->source, b->source) == 0;
}

static void groups_add(struct source_group **groups, size_t *n, const struct assumed_line *l,
		       size_t at)
{
	const char *source = l->held[at].source;
	size_t i = 0;
	struct source_group *g;

	while (i < *n && strcmp((*groups)[i].source, source) != 0)
		i++;
	if (i == *n) {
		*groups = xrealloc(*groups, *n + 1, sizeof(**groups));
		(*groups)[(*n)++] = (struct source_group){ .source = source };
	}
	g = &(*groups)[i];
	for (size_t k = 0; k < g->n; k++)
		if (is_same(l, g->at[k], at))
			return;
	g->at = xrealloc(g->at, g->n + 1, sizeof(*g->at));
	g->at[g->n++] = at;
}

/* Whether the run has anything of the source; HOLDS_NOT: it has something of it from elsewhere. */
static enum holds group_holds(const struct assumed_line *l, const struct source_group *g,
			      size_t run)
{
	enum holds is = HOLDS_ANY;

	for (size_t i = 0; i < g->n; i++) {
		const struct held *h = &l->held[run * WORDS + g->at[i] % WORDS];

		if (h->text ? strcmp(h->source, g->source) != 0 : h->given)
			is = HOLDS_NOT;
		else if (h->text)
			return HOLDS;
	}
	return is;
}

/* Whether a run that has something of the source has that text. */
static enum holds text_holds(const struct assumed_line *l, const struct source_group *g, size_t at,
			     size_t run)
{
	const size_t own = run * WORDS + at % WORDS;

	if (is_same(l, at, own))
		return HOLDS;
	if (group_holds(l, g, run) != HOLDS)
		return HOLDS_ANY;
	return l->held[own].text || l->held[own].given ? HOLDS_NOT : HOLDS_ANY;
}

/* Frees is. The caller frees. */
static char *where_text(const struct assumed_line *l, enum holds *is)
{
	char *text = holds_text(l->points, is, l->n);

	free(is);
	return text;
}

/* "compute 0.01155 s with net=resnet20". The caller frees. */
static char *group_text(const struct assumed_line *l, const struct source_group *g, size_t at)
{
	enum holds *is = xcalloc(l->n, sizeof(*is));
	char *text = xstrdup(l->held[at].text);

	for (size_t i = 0; i < l->n; i++)
		is[i] = text_holds(l, g, at, i);
	xappend_own(&text, "", where_text(l, is));
	return text;
}

/*
 * "A, B with net=lenet, C (source) with algo=asgd", of many texts the first and the last; frees the
 * group. The caller frees.
 */
static char *group_end(struct source_group *g, const struct assumed_line *l)
{
	enum { MOST = 12 };
	enum holds *is = xcalloc(l->n, sizeof(*is));
	char *all = NULL;

	for (size_t i = 0; i < g->n; i++)
		if (g->n <= MOST || i < MOST - 1 || i == g->n - 1)
			xappend_own(&all, i >= MOST ? ", ..., " : ", ",
				    group_text(l, g, g->at[i]));
	for (size_t i = 0; i < l->n; i++)
		is[i] = group_holds(l, g, i);
	xappend_own(&all, " ", xasprintf("(%s)", g->source));
	xappend_own(&all, "", where_text(l, is));
	free(g->at);
	return all;
}

static struct assumed_line line_of(const struct setup *const *runs,
				   const struct grid_point *const *points, size_t n)
{
	struct assumed_line l = { points, n, xcalloc(n * WORDS, sizeof(*l.held)) };
	struct assumption a;

	for (size_t i = 0; i < n * WORDS; i++) {
		const struct setup *su = runs[i / WORDS];
		const char *key = words[i % WORDS].key;
		const size_t o = (size_t)(opt_find(settings_opts, key) - settings_opts);

		l.held[i].given = su->sources[o].from == FROM_GIVEN;
		if (!assumption_of(su, key, &a))
			continue;
		l.held[i].text = assumption_text(&a);
		l.held[i].source = a.source;
	}
	return l;
}

char *assumed_text(const struct setup *const *runs, const struct grid_point *const *points,
		   size_t n)
{
	struct assumed_line l = line_of(runs, points, n);
	struct source_group *groups = NULL;
	size_t ngroups = 0;
	char *line;

	for (size_t key = 0; key < WORDS; key++)
		for (size_t i = key; i < n * WORDS; i += WORDS)
			if (l.held[i].text)
				groups_add(&groups, &ngroups, &l, i);
	line = ngroups ? xstrdup("assumed:") : NULL;
	for (size_t i = 0; i < ngroups; i++)
		xappend_own(&line, i ? "; " : " ", group_end(&groups[i], &l));
	free(groups);
	for (size_t i = 0; i < n * WORDS; i++)
		free(l.held[i].text);
	free(l.held);
	return line;
}
