/* base.c - a net's file may be based on another one, and change its parameters. */
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "nets/layers/layers.h"
#include "nets/nets.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEEPEST = 8 };

/* A net's file, the file that it is based on, and so on. */
struct chain {
	char *path[DEEPEST];    /* owned */
	cJSON *root[DEEPEST];   /* owned */
	int n;
};

/* Adds a file. Takes root, which may be NULL after an error. */
static int chain_add(struct chain *c, char *path, cJSON *root)
{
	c->path[c->n] = path;
	c->root[c->n++] = root;
	return root ? 0 : -1;
}

static void chain_release(struct chain *c)
{
	for (int i = 0; i < c->n; i++) {
		free(c->path[i]);
		cJSON_Delete(c->root[i]);
	}
}

/*
 * Path of a base: "NAME.json" is relative to the file, other names are in the zoo. NULL: error().
 */
static char *base_path(const char *path, const char *base)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(base, '.');
	bool is_file = dot && !strcmp(dot, ".json");
	char *sibling, *found;

	if (!is_file && strchr(base, '/')) {
		error("'%.64s' is neither a net of the zoo nor a file that ends in .json", base);
		return NULL;
	}
	if (!is_file || !slash || *base == '/')
		return path_find("nets/zoo", base);
	sibling = xasprintf("%.*s/%s", (int)(slash - path), path, base);
	found = path_find("nets/zoo", sibling);
	free(sibling);
	return found;
}

/* Refuses a base that is already in the chain, under any path, and one too many. */
static int chain_check(const struct chain *c, const char *base)
{
	const char *last = c->path[c->n - 1];
	struct stat a, b;

	for (int i = 0; i < c->n; i++)
		if (!strcmp(c->path[i], base)
		    || (!stat(c->path[i], &a) && !stat(base, &b) && a.st_dev == b.st_dev
			&& a.st_ino == b.st_ino))
			return error("%s: its \"base\" %s has it as a base in turn", last, base);
	if (c->n == DEEPEST)
		return error("%s: its \"base\" %s would be file %d of the chain (expected at most "
			     "%d)", last, base, DEEPEST + 1, DEEPEST);
	return 0;
}

/* Adds the base of the last file, its base, and so on. */
static int chain_follow(struct chain *c)
{
	const cJSON *base;

	while ((base = json_get(c->root[c->n - 1], "base"))) {
		const char *last = c->path[c->n - 1];
		char *path;

		if (json_check_members(c->root[c->n - 1], net_over_keys, last))
			return -1;
		path = base_path(last, base->valuestring);
		if (!path)
			return error("%s: its \"base\" '%.64s' cannot be found", last,
				     base->valuestring);
		if (chain_check(c, path)) {
			free(path);
			return -1;
		}
		if (chain_add(c, path, json_load(path)))
			return error("%s: its \"base\" %s cannot be read", last, path);
	}
	return 0;
}

void member_put(cJSON *object, const cJSON *item)
{
	cJSON_DeleteItemFromObjectCaseSensitive(object, item->string);
	cJSON_AddItemToObject(object, item->string, cJSON_Duplicate(item, 1));
}

/* Gives parameters of the base other values; each must exist in the base. */
static int merge_params(cJSON *base, const cJSON *over, const char *where)
{
	scoped const char **known = xcalloc((size_t)cJSON_GetArraySize(base) + 1, sizeof(*known));
	const cJSON *p;
	size_t n = 0;
	int ret;

	cJSON_ArrayForEach(p, base)
		known[n++] = p->string;
	ret = json_check_keys(over, known, where);
	if (!ret)
		cJSON_ArrayForEach(p, over)
			cJSON_ReplaceItemInObjectCaseSensitive(base, p->string,
							       cJSON_Duplicate(p, 1));
	return ret;
}

/* Applies the file at `path` to its base, the merged file `below`. */
static int merge_file(cJSON *base, const cJSON *over, const char *path, const char *below)
{
	cJSON *params = json_get(base, "params");
	scoped char *where = xasprintf("%s: \"params\" of its base %s", path, below);
	const cJSON *item;
	int ret = 0;

	if (!cJSON_IsObject(base))
		ret = error("%s: its base %s is no object with \"layers\"", path, below);
	cJSON_ArrayForEach(item, over)
		if (ret)
			break;
		else if (!strcmp(item->string, "params"))
			ret = merge_params(params, item, where);
		else if (strcmp(item->string, "base"))
			member_put(base, item);
	return ret;
}

cJSON *graph_base(cJSON *root, const char *path, char **where)
{
	scoped_by(chain_release) struct chain c = { .n = 0 };
	cJSON *whole = NULL;
	int ret = chain_add(&c, xstrdup(path), root);

	if (!ret)
		ret = chain_follow(&c);
	for (int i = c.n - 1; i > 0 && !ret; i--)
		ret = merge_file(c.root[c.n - 1], c.root[i - 1], c.path[i - 1], c.path[i]);
	if (!ret) {
		whole = c.root[c.n - 1];
		c.root[c.n - 1] = NULL;
		*where = xstrdup(path);         /* "PATH (on BASE)" */
		for (int i = 1; i < c.n; i++)
			xappendf(where, " ", "(on %s)", c.path[i]);
	}
	return whole;
}

char **net_files(const char *net)
{
	scoped_by(chain_release) struct chain c = { .n = 0 };
	char *path = path_find("nets/zoo", net), **files = NULL;

	if (path && !chain_add(&c, path, json_load(path)) && !chain_follow(&c)) {
		files = xcalloc((size_t)c.n + 1, sizeof(*files));
		for (int i = 0; i < c.n; i++)
			files[i] = xstrdup(c.path[i]);
	}
	return files;
}
