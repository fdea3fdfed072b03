/* Algorithms of users by the paths of their files. */
#include "algos/own/own.h"

#include "algos/algos.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/text/word.h"

#include <stdlib.h>
#include <string.h>

struct own {
	struct algo algo;       /* first: its plug-in stands for it; name and code are owned */
	bool loaded;
	struct own *next;
};

/* All that were asked for, as long as the process lives: setups borrow them. */
static struct own *all;

static struct own *own_known(const char *path, const char *digest)
{
	for (struct own *o = all; o; o = o->next)
		if (!strcmp(o->algo.plugin.name, path) && !strcmp(o->algo.plugin.code, digest) &&
		    o->loaded == code_permitted())
			return o;
	return NULL;
}

static void own_keep(const struct algo *algo, const char *path, const char *digest, bool loaded)
{
	struct own *o = xcalloc(1, sizeof(*o));

	o->algo = *algo;
	o->algo.plugin.name = xstrdup(path);
	o->algo.plugin.code = xstrdup(digest);
	if (!o->algo.plugin.brief)
		o->algo.plugin.brief = "an algorithm in a file of one's own";
	o->loaded = loaded;
	o->next = all;
	all = o;
}

/* Loads it, or what was described of it. 0 or error(). */
static int own_add(const char *what, const char *path, const char *digest)
{
	const bool load = code_permitted();
	const struct algo *algo = load ? NULL : own_described(digest);
	scoped char *library = NULL;

	if (!load && !algo)
		return error("%s is code (digest %s) that was never loaded, and this command loads "
			     "none: 'convoy show algo %s' does. Of one with .staged or .shared "
			     "nothing is kept, and such commands cannot read its results",
			     what, digest, path);
	if (!load) {
		own_keep(algo, path, digest, false);
		return 0;
	}
	if (code_check(what, path, digest) < 0)
		return -1;
	/* dlopen() looks for a name without a slash elsewhere. */
	library = word_ends(path, ".c") ? own_compile(what, path, digest)
		  : strchr(path, '/')	? xstrdup(path)
					: xasprintf("./%s", path);
	if (library)
		own_crash_expect(path);         /* already when it is loaded it may run code */
	algo = library ? own_load(what, library) : NULL;
	if (algo) {
		own_describe(algo, digest);
		own_keep(algo, path, digest, true);
	}
	return algo ? 0 : -1;
}

/*
 * The algorithm of "./mine.so" or "./mine.c". If this process runs no code, it is only what
 * own_describe() wrote when the same code was loaded before: its options and facts, with handlers
 * and functions that must not be called. `digest`: that the file must have; NULL: any. Kept until
 * the process ends; NULL after error().
 */
static const struct plugin *own_algorithm_find(const char *path, const char *digest)
{
	char *what = xasprintf("algorithm '%s'", path), now[CODE_DIGEST];
	const struct own *found = NULL;
	int ret = code_digest(what, path, now);

	if (ret == 0 && digest && strcmp(digest, now) != 0)
		ret = error("%s is not the code that this was made with: its digest is %s "
			    "(expected %s). Put the former file there", what, now, digest);
	if (ret == 0)
		found = own_known(path, now);
	if (ret == 0 && !found && own_add(what, path, now) == 0)
		found = own_known(path, now);
	free(what);
	return found ? &found->algo.plugin : NULL;
}

void own_algorithms(void)
{
	plugin_files(algo_table, own_algorithm_find);
}
