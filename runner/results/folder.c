/*
 * folder.c - the folders of results: chosen, made and synced; a result locked while it is made; the
 * folder that was written last; and the spec that a folder's results are of.
 */
#define _GNU_SOURCE             /* syncfs(), realpath() */
#include "runner/results/folder.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/output.h"
#include "core/file/paths.h"
#include "core/file/temporary.h"
#include "plan/settings/values.h"
#include "runner/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *results_folder(const char *out)
{
	const char *env = getenv("CONVOY_RESULTS");

	if (out && *out)
		return out;
	return env && *env ? env : "results";
}

/* 0, or error() that ends with the advice. */
static int check_writable(const char *dir, const char *advice)
{
	if (access(dir, W_OK | X_OK) < 0)
		return error("cannot write into %s: %s%s", dir, strerror(errno), advice);
	return 0;
}

int folder_writable(const char *dir)
{
	return check_writable(dir, "");
}

int folder_make(const char *dir)
{
	static const char advice[] = ". Name another folder by --out or CONVOY_RESULTS";

	return dir_make_or(dir, advice) < 0 ? -1 : check_writable(dir, advice);
}

int folder_prepare(const char *dir)
{
	if (folder_make(dir) < 0)
		return -1;
	temporary_clean(dir);
	return 0;
}

void folder_sync(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || syncfs(fd) < 0)
		warning("cannot see to it that %s reaches the disk: %s", dir, strerror(errno));
	if (fd >= 0)
		close(fd);
}

/* ---- locks: another process that would make a result waits ---- */

static const double look_s = 0.02, look_most_s = 1;     /* between two looks, at first and later */
static const double quiet_s = 0.4;      /* before it says for what it waits */

/* As lease_take(); after LEASE_OURS the lock is kept. */
static enum lease_answer lock_take(const char *path, struct result_lock *lock,
				   struct lease_watch *watch)
{
	scoped char *file = lease_path(path);
	const enum lease_answer answer = lease_take(&lock->lease, file, "", watch);

	if (answer == LEASE_OURS) {
		lock->taken_over = lease_was_taken_over(lock->lease);
		if (lock->taken_over)
			temporary_remove(path);
		lease_keep(lock->lease, EXIT_DIE, lease_lost);
	}
	return answer;
}

bool result_lock_try(const char *path, struct result_lock *lock)
{
	struct lease_watch *watch = lease_watch_new();
	enum lease_answer answer;

	*lock = (struct result_lock){ 0 };
	answer = lease_held(path) ? LEASE_NONE : lock_take(path, lock, watch);
	lease_watch_free(watch);
	return answer != LEASE_THEIRS;
}

struct result_lock result_lock(const char *path)
{
	struct lease_watch *watch = lease_watch_new();
	struct result_lock lock = { 0 };
	const double began = clock_s();
	double look = look_s;
	bool said = false;

	while (!lease_held(path) && lock_take(path, &lock, watch) == LEASE_THEIRS &&
	       !signal_caught) {
		lock.waited = true;
		if (!said && clock_s() - began > quiet_s) {
			note("another convoy is making %s; waiting for its end", path);
			said = true;
		}
		clock_sleep(look);
		look = 1.1 * look < look_most_s ? 1.1 * look : look_most_s;
	}
	lease_watch_free(watch);
	return lock;
}

void parents_lock_keep(const char *path, const char *key)
{
	scoped char *file = lease_path(path);

	lease_keep_parents(file, key, EXIT_DIE, lease_lost);
}

void result_unlock(struct result_lock *lock)
{
	lease_release(lock->lease);
	lock->lease = NULL;
}

/* ---- the folder that was written last ---- */

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

static void time_add(struct timespec *last, const char *file)
{
	struct stat st;

	if (stat(file, &st) == 0 && time_is_later(st.st_mtim, *last))
		*last = st.st_mtim;
}

/*
 * When a command made one of these results last, or found all of them finished. The time of their
 * folder would not do: commands that only read results put files there for a moment.
 */
static struct timespec time_written(const char *path, char *const *results)
{
	static const char *const names[] = { "runs.json", "settings.json" };
	struct timespec last = { 0 };

	for (; *results; results++)
		time_add(&last, *results);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		scoped char *file = xasprintf("%s/%s", path, names[i]);

		time_add(&last, file);
	}
	return last;
}

static int last_first(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (time_is_later(x->written, y->written))
		return -1;
	return time_is_later(y->written, x->written) ? 1 : strcmp(x->path, y->path);
}

static struct candidates find_candidates(const char *name, const char *out)
{
	struct candidates c = { 0 };
	char *dir = xasprintf("%s/%s", out, name);
	char **paths = dir_list(dir, "");

	for (char **path = paths; path && *path; path++) {
		const char *last = *path + strlen(dir) + 1;
		const size_t n = given_scale(last);
		scoped char *runs = xasprintf("%s/runs", *path);
		scoped_paths char **results = dir_list(runs, ".h5");

		if (results && *results)
			APPEND(c.v, c.n) = (struct candidate){
				.path = xstrdup(*path), .changed = last[n] == '+',
				.scale = xasprintf("%.*s", (int)n, last),
				.written = time_written(*path, results),
			};
	}
	path_list_free(paths);
	free(dir);
	if (c.n)
		qsort(c.v, c.n, sizeof(*c.v), last_first);
	return c;
}

static void candidates_release(struct candidates *c)
{
	for (size_t i = 0; i < c->n; i++)
		free_all(c->v[i].path, c->v[i].scale);
	free(c->v);
}

static const struct candidate *latest_choose(const struct candidates *c, const struct spec *s,
					     const char *scale, bool unchanged)
{
	for (size_t i = 0; i < c->n && scale; i++)
		if (!c->v[i].changed && strcmp(c->v[i].scale, scale) == 0)
			return &c->v[i];
	for (size_t i = 0; i < c->n; i++)
		if (!(unchanged && c->v[i].changed) &&
		    (scale ? strcmp(c->v[i].scale, scale) == 0 : spec_has_scale(s, c->v[i].scale)))
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

/* The settings that the folder's command line gave. 0, or error() that names their file. */
static int folder_settings(const char *path, cJSON **set)
{
	scoped char *file = xasprintf("%s/settings.json", path);
	int ret = given_read(path, set);

	for (const cJSON *v = *set ? (*set)->child : NULL; v && ret == 0; v = v->next) {
		scoped_by(value_list_release) struct value_list values;

		ret = values_parse(&values, v->string, v->valuestring, file);
	}
	return ret;
}

int latest_find(struct last *l, struct plan_request *request, bool unchanged)
{
	const struct candidate *chosen;
	struct candidates c;
	struct spec s;
	int ret = 0;

	*l = (struct last){ 0 };
	if (spec_load_settings(&s, request->experiment, request->scale) < 0)
		return -1;
	c = find_candidates(s.name, request->out);
	chosen = latest_choose(&c, &s, request->scale, unchanged);
	if (chosen) {
		/* The folder's settings, and its scale where it has another. */
		ret = folder_settings(chosen->path, &l->set);
		request->set = l->set;
		if (strcmp(chosen->scale, s.scale) != 0)
			request->scale = l->scale = xstrdup(chosen->scale);
	}
	if (chosen && (chosen->changed || l->scale) && ret == 0) {
		scoped char *others = paths_of(&c, chosen);

		note("the last results are in %s%s%s", chosen->path, *others
		     ? "; there are others, which --scale and settings choose: " : "", others);
	}
	candidates_release(&c);
	spec_release(&s);
	return ret;
}

void latest_release(struct last *l)
{
	free(l->scale);
	cJSON_Delete(l->set);
	*l = (struct last){ 0 };
}

void latest_error(const struct plan *p, const char *out)
{
	scoped_by(candidates_release) struct candidates c = find_candidates(p->spec.name, out);
	const struct candidate *own = NULL;
	char *paths;

	for (size_t i = 0; i < c.n; i++)
		own = strcmp(c.v[i].path, p->dir) == 0 ? &c.v[i] : own;
	paths = paths_of(&c, own);
	error("%s: no finished run in %s; 'convoy run' with the same settings makes them%s%s%s",
	      p->spec.name, p->dir,
	      own ? "; those there have other settings than the spec has now" : "",
	      *paths ? "; there are results in " : "", paths);
	free(paths);
}

/* ---- the spec that the results in a folder are of ---- */

int provenance_write(const struct plan *p)
{
	char **names = path_list("experiments"), *file, *path, *line;
	bool built_in = false;
	int ret;

	for (char **n = names; *n && !built_in; n++)
		built_in = strcmp(*n, p->spec.name) == 0;
	path_list_free(names);
	path = built_in ? NULL : realpath(p->spec.path, NULL);
	if (!path)
		return 0;
	file = xasprintf("%s/spec.path", p->dir);
	line = xasprintf("%s\n", path);
	ret = output_text(file, line);
	free_all(line, path, file);
	return ret;
}

/* The spec that a file names; NULL where there is no such file. The caller frees. */
static char *read_path(const char *file)
{
	char *path = access(file, R_OK) == 0 ? file_read(file, NULL) : NULL;

	if (path)
		path[strcspn(path, "\n")] = '\0';
	return path;
}

void provenance_warn(const struct plan *p)
{
	scoped char *file = xasprintf("%s/spec.path", p->dir), *before = read_path(file);
	scoped char *now = before ? realpath(p->spec.path, NULL) : NULL, *x = NULL, *y = NULL;

	if (now && strcmp(before, now) != 0 && access(before, R_OK) == 0)
		x = file_read(before, NULL);
	if (x)
		y = file_read(now, NULL);
	if (x && y && strcmp(x, y) != 0)
		warning("%s has the tables and claims of %s, and those of %s replace them: give "
			"one another name, or another --out", p->dir, before, now);
}

/* OUT/NAME/SCALE, and OUT/PAPER/NAME/SCALE. */
char **provenance_list(const char *out)
{
	static const char *const depth[] = { "*/*/spec.path", "*/*/*/spec.path" };
	char **list = xcalloc(1, sizeof(*list)), *begin = xcalloc(2 * strlen(out) + 1, 1);
	char *to = begin;
	size_t n = 0;

	/* A pattern that this folder's path alone matches. */
	for (; *out; out++) {
		if (strchr("*?[\\", *out))
			*to++ = '\\';
		*to++ = *out;
	}
	for (size_t i = 0; i < sizeof(depth) / sizeof(depth[0]); i++) {
		scoped char *pattern = xasprintf("%s/%s", begin, depth[i]);
		glob_t found = { 0 };

		glob(pattern, 0, NULL, &found);
		for (size_t k = 0; k < found.gl_pathc; k++) {
			scoped char *path = read_path(found.gl_pathv[k]);
			size_t at = 0;

			while (path && at < n && strcmp(list[at], path) != 0)
				at++;
			if (path && access(path, R_OK) < 0) {
				note("%s: the spec %s is not there any more", found.gl_pathv[k],
				     path);
			} else if (path && at == n) {
				list = xrealloc(list, n + 2, sizeof(*list));
				list[n++] = path;
				list[n] = path = NULL;
			}
		}
		globfree(&found);
	}
	free(begin);
	return list;
}
