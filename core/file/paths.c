/* Finds files by kind and name in the folders of specs, nets and clusters, and lists them. */
#include "core/file/paths.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/text/word.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEEPEST = 3 };

struct shared {
	char *name;             /* below the kind's folder, without .json */
	char *path;
};

struct library {                /* files of one kind, in order of the roots */
	struct shared *v;
	size_t n;
};

static const char *paths_noun(const char *kind)
{
	if (!strcmp(kind, "nets/zoo"))
		return "net";
	return strcmp(kind, "sim/clusters") ? "experiment" : "cluster";
}

const char *path_base(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

char *path_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? xasprintf("%.*s", (int)(slash - path) + (slash == path), path)
		     : xstrdup(".");
}

char *path_cached(const char *file)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (cache && *cache == '/')
		return xasprintf("%s/convoy/%s", cache, file);
	return home && *home == '/' ? xasprintf("%s/.cache/convoy/%s", home, file) : NULL;
}

char *path_bare(const char *path)
{
	char *bare = xstrdup(path);

	if (word_ends(bare, ".json"))
		bare[strlen(bare) - 5] = '\0';
	return bare;
}

char *path_stem(const char *path)
{
	return path_bare(path_base(path));
}

static bool paths_is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISDIR(st.st_mode);
}

static bool library_has(const struct library *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->v[i].name, name))
			return true;
	return false;
}

/* Adds a file, unless an earlier root has one with the same name. */
static void library_add(struct library *s, const char *path, size_t skip)
{
	char *name = path_bare(path + skip);

	if (library_has(s, name)) {
		free(name);
		return;
	}
	APPEND(s->v, s->n) = (struct shared){ name, xstrdup(path) };
}

/* Adds every .json below dir; names begin after `skip` characters of the path. */
static void paths_scan(struct library *s, const char *dir, size_t skip, int depth)
{
	scoped_paths char **paths = depth < DEEPEST ? dir_list(dir, "") : NULL;

	for (char **path = paths; path && *path; path++)
		if (!paths_is_file(*path))
			paths_scan(s, *path, skip, depth + 1);
		else if (word_ends(*path, ".json"))
			library_add(s, *path, skip);
}

static void scan_root(struct library *s, const char *root, const char *kind)
{
	scoped char *dir = xasprintf("%s/%s", root, kind);

	paths_scan(s, dir, strlen(dir) + 1, 0);
}

/*
 * Folders near the program that may have shared files. An installed program is PREFIX/bin/convoy,
 * with PREFIX/share/convoy. A build leaves the link convoy-share to its sources next to the
 * program; its tests are in folders below.
 */
static struct texts folders_near_program(void)
{
	char *exe = process_program(), *slash;
	struct texts folders = { 0 };

	for (int up = 0; up < 2 && exe && (slash = strrchr(exe, '/')); up++) {
		*slash = '\0';
		texts_putf(&folders, "%s/convoy-share", exe);
		texts_putf(&folders, "%s/share/convoy", exe);
	}
	free(exe);
	return folders;
}

static void scan_near_program(struct library *s, const char *kind)
{
	scoped_by(texts_release) struct texts folders = folders_near_program();

	for (size_t i = 0; i < folders.n; i++)
		scan_root(s, folders.v[i], kind);
}

/* The path if there is such a file, else NULL; takes the path over. */
static char *path_if_file(char *path)
{
	if (paths_is_file(path))
		return path;
	free(path);
	return NULL;
}

char *path_shipped(const char *file)
{
	const char *home = getenv("CONVOY_HOME");
	scoped_by(texts_release) struct texts folders = folders_near_program();
	char *path = home && *home ? path_if_file(xasprintf("%s/%s", home, file)) : NULL;

	for (size_t i = 0; i < folders.n && !path; i++)
		path = path_if_file(xasprintf("%s/%s", folders.v[i], file));
	return path ? path : path_if_file(xasprintf("%s/%s", CONVOY_PREFIX_SHARE, file));
}

char *path_shipped_text(const char *file, const char *what)
{
	char *path = path_shipped(file), *text = path ? file_read(path, NULL) : NULL;

	if (!path)
		error("%s needs '%s', which is not installed: set CONVOY_HOME to convoy's share "
		      "folder", what, file);
	free(path);
	return text;
}

bool path_is_shipped(const char *path)
{
	const char *file = strstr(path, "/experiments/");
	scoped char *own = file ? path_shipped(file + 1) : NULL;

	return own && strcmp(own, path) == 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct shared *)a)->name, ((const struct shared *)b)->name);
}

static struct library library_of(const char *kind)
{
	const char *home = getenv("CONVOY_HOME");
	struct library s = { 0 };

	if (home && *home)
		scan_root(&s, home, kind);
	scan_near_program(&s, kind);
	scan_root(&s, CONVOY_PREFIX_SHARE, kind);
	if (s.n)
		qsort(s.v, s.n, sizeof *s.v, by_name);
	return s;
}

static void library_release(struct library *s)
{
	for (size_t i = 0; i < s->n; i++)
		free_all(s->v[i].name, s->v[i].path);
	free(s->v);
}

static bool is_experiment(const char *kind)
{
	return strcmp(paths_noun(kind), "experiment") == 0;
}

static bool is_python_net(const char *kind, const char *name)
{
	return strcmp(paths_noun(kind), "net") == 0 && word_ends(name, ".py");
}

/*
 * error() for a name that can only be the path of a file, which does not exist. Nets and clusters
 * are settings with the same name as the kind, which the message gives.
 */
static int no_file(const char *kind, const char *name)
{
	const bool of_run = !is_experiment(kind);
	struct stat st;
	int gone = stat(name, &st);
	const int why = gone ? errno : EISDIR;
	char *advice;

	if (word_ends(name, ".json") || word_starts(name, "/") || word_starts(name, "./") ||
	    word_starts(name, "../") || (!gone && strchr(name, '/'))) {
		advice = gone ? path_cut_advice(name)
			      : xasprintf(" (expected the name or the JSON file of %s %s)",
					  is_experiment(kind) ? "an" : "a", paths_noun(kind));
		error("%s%scannot read '%s': %s%s", of_run ? paths_noun(kind) : "",
		      of_run ? ": " : "", name, strerror(why), advice);
		free(advice);
		return -1;
	}
	return 0;
}

/* What is at the name as a path, which an experiment's may be; "" for most names of others. */
static const char *path_words(const char *kind, const char *name)
{
	struct stat st;

	if (stat(name, &st) == 0)
		return S_ISDIR(st.st_mode) ? ", and the folder of that name is no JSON file"
					   : ", and the file of that name does not end in .json";
	return is_experiment(kind) && *name ? ", and no such file or folder" : "";
}

/* "accuracy, speedup"; NULL: nothing is below a folder of this name. Owned. */
static char *names_below(const struct library *s, const char *name)
{
	const size_t n = strlen(name);
	char *text = NULL;

	for (size_t i = 0; i < s->n; i++)
		if (word_starts(s->v[i].name, name) && s->v[i].name[n] == '/')
			xappend(&text, ", ", s->v[i].name + n + 1);
	return text;
}

/* Advice for a name that is unknown: "; did you mean 'resnet20'?" Owned. */
static char *advice_on(const struct library *s, const char *kind, const char *name,
		       const char *const *others)
{
	size_t n = 0;
	const char **words;
	char *file = xasprintf("%s.json", name), *advice;

	while (others[n])
		n++;
	words = xcalloc(s->n + n + 1, sizeof *words);
	memcpy(&words[s->n], others, n * sizeof *words);
	for (size_t i = 0; i < s->n; i++)
		words[i] = strchr(name, '/') ? s->v[i].name : path_base(s->v[i].name);
	if (paths_is_file(file))
		advice = xasprintf("; the file is called '%s'", file);
	else if (is_python_net(kind, name))
		advice = xasprintf("; a model of your own is --net python:%s", name);
	else
		advice = word_advice_on(paths_noun(kind), name, words);
	free_all(file, words);
	return advice;
}

/* error() with similar names: whole, or without their folder if the user wrote none. */
static int not_found(const struct library *s, const char *kind, const char *name,
		     const char *const *others)
{
	scoped char *below = names_below(s, name);
	scoped char *advice = below ? xasprintf("; that is the folder of: %s", below)
				    : advice_on(s, kind, name, others);

	error("unknown %s '%s'%s%s", paths_noun(kind), name,
	      below ? "" : path_words(kind, name),
	      s->n ? advice : "; none are installed: set CONVOY_HOME to convoy's share folder");
	return -1;
}

/* True for a lesson: its name without the folder is enough, even if other experiments have it. */
static bool is_lesson(const char *kind, const struct shared *file)
{
	return is_experiment(kind) && word_starts(file->name, "tour/");
}

/*
 * The only file with that name, with or without its folder; if there are several, the lesson. NULL
 * after error().
 */
static const struct shared *paths_pick(const struct library *s, const char *kind, const char *name,
				       const char *written, const char *const *others)
{
	const struct shared *found = NULL, *other = NULL;

	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->v[i].name, name))
			return &s->v[i];
	for (size_t i = 0; i < s->n; i++) {
		if (strcmp(path_base(s->v[i].name), name))
			continue;
		if (is_lesson(kind, &s->v[i]))
			return &s->v[i];
		other = found;
		found = &s->v[i];
	}
	if (other) {
		error("%s '%s' is ambiguous: %s or %s?", paths_noun(kind), name, other->name,
		      found->name);
		return NULL;
	}
	if (!found && no_file(kind, written) == 0)
		not_found(s, kind, name, others);
	return found;
}

char *path_find(const char *kind, const char *name)
{
	return path_find_or(kind, name, (const char *const[]){ NULL });
}

char *path_find_or(const char *kind, const char *name, const char *const *others)
{
	const struct shared *found;
	struct library s;
	char *bare, *path = NULL;

	if (paths_is_file(name) && is_python_net(kind, name)) {
		error("net '%s': a model of your own is --net python:%s", name, name);
		return NULL;
	}
	if ((strchr(name, '/') || word_ends(name, ".json")) && paths_is_file(name))
		return xstrdup(name);
	bare = path_bare(name);
	s = library_of(kind);
	found = paths_pick(&s, kind, bare, name, others);
	if (found)
		path = xstrdup(found->path);
	library_release(&s);
	free(bare);
	return path;
}

char **path_list(const char *kind)
{
	scoped_by(library_release) struct library s = library_of(kind);
	char **names = xcalloc(s.n + 1, sizeof *names);

	for (size_t i = 0; i < s.n; i++)
		names[i] = xstrdup(s.v[i].name);
	return names;
}

void path_list_free(char **names)
{
	for (size_t i = 0; names && names[i]; i++)
		free(names[i]);
	free(names);
}

void path_list_scoped(char ***names)
{
	path_list_free(*names);
}
