/* The folders that hold an experiment's results, and the one written last. */
#include "runner/results/latest.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "plan/settings/values.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NAMED = 8 };             /* folders in a message */

struct candidate {
	char *path, *scale;     /* owned */
	bool changed;           /* the folder's name has a hash of settings */
	struct timespec written;
};

struct candidates {
	struct candidate *v;    /* [n], the last one first */
	size_t n;
};

/* ---- the folders ---- */

static bool has_results(const char *path)
{
	char *runs = xasprintf("%s/runs", path);
	char **results = dir_list(runs, ".h5");
	const bool found = results && *results;

	path_list_free(results);
	free(runs);
	return found;
}

static bool is_later(struct timespec a, struct timespec b)
{
	return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

/* When a command made runs there last, or found all of them finished. */
static struct timespec time_written(const char *path)
{
	static const char *const names[] = { "runs", "runs.json", "settings.json" };
	struct timespec last = { 0 };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *file = xasprintf("%s/%s", path, names[i]);
		struct stat st;

		if (stat(file, &st) == 0 && is_later(st.st_mtim, last))
			last = st.st_mtim;
		free(file);
	}
	return last;
}

static void add_candidate(struct candidates *c, const char *path, const char *name)
{
	const size_t n = given_scale(name);

	c->v = xrealloc(c->v, c->n + 1, sizeof(*c->v));
	c->v[c->n++] = (struct candidate){ .path = xstrdup(path), .changed = name[n] == '+',
					   .scale = xasprintf("%.*s", (int)n, name),
					   .written = time_written(path) };
}

static int last_first(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (is_later(x->written, y->written))
		return -1;
	return is_later(y->written, x->written) ? 1 : strcmp(x->path, y->path);
}

static struct candidates find_candidates(const char *name, const char *out)
{
	struct candidates c = { 0 };
	char *dir = xasprintf("%s/%s", out, name);
	char **paths = dir_list(dir, "");

	for (char **path = paths; path && *path; path++)
		if (has_results(*path))
			add_candidate(&c, *path, *path + strlen(dir) + 1);
	path_list_free(paths);
	free(dir);
	if (c.n)
		qsort(c.v, c.n, sizeof(*c.v), last_first);
	return c;
}

static void candidates_release(struct candidates *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->v[i].path);
		free(c->v[i].scale);
	}
	free(c->v);
}

/* ---- the choice ---- */

static bool has_scale(const struct spec *s, const char *scale)
{
	return strcmp(s->scale, scale) == 0 ||
	       json_get(json_get(s->json, "scales"), scale);
}

static const struct candidate *latest_choose(const struct candidates *c, const struct spec *s,
					     const char *scale, bool unchanged)
{
	for (size_t i = 0; i < c->n && scale; i++)
		if (!c->v[i].changed && strcmp(c->v[i].scale, scale) == 0)
			return &c->v[i];
	for (size_t i = 0; i < c->n; i++)
		if (!(unchanged && c->v[i].changed) &&
		    (scale ? strcmp(c->v[i].scale, scale) == 0 : has_scale(s, c->v[i].scale)))
			return &c->v[i];
	return NULL;
}

static char *paths_of(const struct candidates *c, const struct candidate *except)
{
	char *all = xstrdup("");
	size_t named = 0;

	for (size_t i = 0; i < c->n && named <= NAMED; i++)
		if (&c->v[i] != except)
			xappend(&all, ", ", named++ < NAMED ? c->v[i].path : "...");
	return all;
}

static void latest_announce(const struct candidates *c, const struct candidate *chosen)
{
	char *others = paths_of(c, chosen);

	note("the last results are in %s%s%s", chosen->path,
	     *others ? "; there are others, which --scale and settings choose: " : "", others);
	free(others);
}

/* The request's own settings are those of the folder, and its scale where it has another. */
static void ask_for(struct last *l, struct plan_request *request, const struct candidate *chosen,
		    const char *usual)
{
	l->set = given_read(chosen->path);
	request->set = l->set;
	if (strcmp(chosen->scale, usual) == 0)
		return;
	l->scale = xstrdup(chosen->scale);
	request->scale = l->scale;
}

int latest_find(struct last *l, struct plan_request *request, bool unchanged)
{
	const struct candidate *chosen;
	struct candidates c;
	struct spec s;

	*l = (struct last){ 0 };
	if (spec_load_settings(&s, request->experiment, request->scale) < 0)
		return -1;
	c = find_candidates(s.name, request->out);
	chosen = latest_choose(&c, &s, request->scale, unchanged);
	if (chosen) {
		ask_for(l, request, chosen, s.scale);
		if (chosen->changed || l->scale)
			latest_announce(&c, chosen);
	}
	candidates_release(&c);
	spec_release(&s);
	return 0;
}

void latest_release(struct last *l)
{
	free(l->scale);
	cJSON_Delete(l->set);
	*l = (struct last){ 0 };
}

void latest_error(const struct plan *p, const char *out)
{
	struct candidates c = find_candidates(p->spec.name, out);
	char *paths = paths_of(&c, NULL);

	error("%s: no finished run in %s; 'convoy run' with the same settings makes them%s%s",
	      p->spec.name, p->dir, c.n ? "; there are results in " : "", paths);
	free(paths);
	candidates_release(&c);
}
