/* `convoy new algo NAME`: writes a first version of an algorithm, and its test. */
#include "cmd/cmd.h"

#include "algos/algos.h"
#include "algos/own/own.h"
#include "cmd/args.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/output.h"
#include "core/file/paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char about[] =
	"Writes NAME.c, an asynchronous algorithm to begin with, a test of it, and a Makefile\n"
	"(of a name my-own, my_own.c).\n"
	"'convoy sim --algo ./NAME.c' compiles and runs it; 'make test' runs the test.\n"
	"--in-tree is for contributors, in the top folder of convoy's sources: it writes the\n"
	"files of a built-in algorithm, and adds it to the lists of the sources.\n"
	"\n"
	"Examples:\n"
	"  convoy new algo polynomial\n"
	"  convoy show algo ./polynomial.c\n"
	"  convoy check algo ./polynomial.c\n"
	"  convoy sim --algo asgd,./polynomial.c:power=1 --net quadratic --workers 8 \\\n"
	"             --lr 0.01 --compute-s 0.01";

struct conf {
	bool in_tree;
};

static const struct opt opts[] = {
	{ "in_tree", OPT_BOOL, offsetof(struct conf, in_tree), "false",
	  "add a built-in algorithm to the sources of convoy in this folder", NULL, 0, 0, NULL,
	  0 },
	{ 0 }
};

/* ---- writing them ---- */

/* The text with every `from` replaced; frees the text. The caller frees. */
static char *replaced(char *text, const char *from, const char *to)
{
	char *all = xstrdup(""), *at = text, *found;

	for (; (found = strstr(at, from)); at = found + strlen(from)) {
		xappendf(&all, "", "%.*s", (int)(found - at), at);
		xappend(&all, "", to);
	}
	xappend(&all, "", at);
	free(text);
	return all;
}

struct new_names {
	const char *name;
	char *in_c;             /* with '_' for '-'; owned */
	char *headers;          /* flags by which the headers are found; owned */
	bool in_tree;
};

/* A file of algos/own/template/ with the names; NULL after error(). The caller frees. */
static char *template_fill(const struct new_names *n, const char *file)
{
	const char *const words[][3] = {        /* what stands for them outside and inside */
		{ "@INCLUDE@\n", "#include <convoy.h>\n\n", "" },
		{ "@STATIC@", "static ", "" },
		{ "@EXPORT@\n", "\nCONVOY_ALGORITHM(@C_NAME@)\n", "" },
		{ "@NAME@", n->name, n->name },
		{ "@C_NAME@", n->in_c, n->in_c },
		{ "@HEADERS@", n->headers, n->headers },
	};
	scoped char *path = xasprintf("algos/own/template/%s", file);
	char *text = path_shipped_text(path, "convoy new");

	for (size_t i = 0; text && i < sizeof(words) / sizeof(words[0]); i++)
		text = replaced(text, words[i][0], words[i][1 + n->in_tree]);
	return text;
}

/* 0, or error() when there is such a file. */
static int path_check_new(const char *path)
{
	struct stat st;

	return lstat(path, &st) < 0 && errno == ENOENT ? 0
		: error("'%s' is there already. Take another name or folder, or move it away",
			path);
}

/* Writes a file from a template; prints its path. 0 or error(). */
static int new_write(const struct new_names *n, const char *path, const char *file)
{
	scoped char *text = template_fill(n, file);
	const int ret = text ? output_text(path, text) : -1;

	if (ret == 0)
		printf("%s\n", path);
	return ret;
}

/* ---- outside of convoy's sources ---- */

static int new_outside(const struct new_names *n)
{
	static const char *const files[] = { "algorithm.c.in", "test.sh.in", "Makefile.in" };
	enum { FILES = sizeof(files) / sizeof(files[0]) };
	char *paths[FILES] = { xasprintf("%s.c", n->in_c), xasprintf("test_%s.sh", n->in_c),
			       xstrdup("Makefile") };
	int ret = 0;

	for (size_t i = 0; i < FILES && ret == 0; i++)
		ret = path_check_new(paths[i]);
	for (size_t i = 0; i < FILES && ret == 0; i++)
		ret = new_write(n, paths[i], files[i]);
	free_all(paths[0], paths[1], paths[2]);
	if (ret == 0)
		note("try it: convoy sim --algo asgd,./%s.c --net quadratic --workers 8 --lr 0.01 "
		     "--compute-s 0.01; test it: convoy check algo ./%s.c, or make test", n->in_c,
		     n->in_c);
	return ret;
}

/* ---- in convoy's sources ---- */

static bool in_sources(void)
{
	return file_is_regular("core/node.h") && file_is_regular("algos/list.h") &&
	       file_is_regular("sources.mk");
}

/*
 * Puts a line after the last line that begins with `head`; sorted: before the first of them that it
 * precedes. 0 or error().
 */
static int line_insert(const char *path, const char *head, const char *line, bool sorted)
{
	char *text = file_read(path, NULL), *at = NULL, *all;
	const size_t n = strlen(head);
	int ret;

	if (!text)
		return -1;
	for (char *row = text, *next; *row; row = next) {
		next = row + strcspn(row, "\n");
		next += *next == '\n';
		if (strncmp(row, head, n) != 0)
			continue;
		at = next;
		if (sorted && strcmp(line, row) < 0) {
			at = row;
			break;
		}
	}
	if (!at) {
		free(text);
		return error("'%s' has no line of another algorithm, after which this one could be "
			     "put", path);
	}
	all = xasprintf("%.*s%s%s", (int)(at - text), text, line, at);
	ret = output_text(path, all);
	if (ret == 0)
		printf("%s\n", path);
	free_all(all, text);
	return ret;
}

static int new_inside(const struct new_names *n)
{
	scoped char *path = xasprintf("algos/server/%s.c", n->in_c);
	scoped char *test = xasprintf("tests/algos/test_%s.c", n->in_c);
	scoped char *listed = xasprintf("ALGO(%s)\n", n->in_c);
	scoped char *source = xasprintf("\talgos/server/%s.c \\\n", n->in_c);
	int ret = path_check_new(path) < 0 || path_check_new(test) < 0 ? -1 : 0;

	if (ret == 0)
		ret = new_write(n, path, "algorithm.c.in");
	if (ret == 0)
		ret = new_write(n, test, "test.c.in");
	if (ret == 0)
		ret = line_insert("algos/list.h", "ALGO(", listed, false);
	if (ret == 0)
		ret = line_insert("sources.mk", "\talgos/server/", source, true);
	if (ret == 0)
		note("%s is now in the sources: two files are new, and a line was added to each of "
		     "the two lists. Next: ./dev test quick -R algos_%s; docs/my-algorithm.md has "
		     "the rest", n->name, n->in_c);
	return ret;
}

/* 0, or error() for a name that no algorithm may have. */
static int name_check(const char *name)
{
	const size_t n = strlen(name);

	if (n < 1 || n > 60 || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != n ||
	    name[0] < 'a')
		return error("'%s' is no name for an algorithm (expected at most 60 small letters, "
			     "digits and '-', beginning with a letter)", name);
	for (size_t i = 0; algo_table[i]; i++)
		if (strcmp(algo_table[i]->name, name) == 0)
			return error("'%s' is a built-in algorithm. Take another name", name);
	return 0;
}

static int new_dispatch(const struct args *a)
{
	const struct conf *conf = a->conf;
	struct new_names n;
	char *headers;
	int ret;

	if (a->nwords != 2 || strcmp(a->words[0], "algo") != 0)
		return args_usage(a, "expected 'algo' and a name");
	if (name_check(a->words[1]) < 0)
		return EXIT_BAD;
	if (conf->in_tree && !in_sources())
		return error("--in-tree: this folder has no core/node.h, algos/list.h and "
			     "sources.mk (expected the top folder of convoy's sources)"),
		       EXIT_BAD;
	headers = own_headers();
	n = (struct new_names){ .name = a->words[1], .in_c = xstrdup(a->words[1]),
				.headers = own_headers_flags(headers ? headers : "."),
				.in_tree = conf->in_tree };
	for (char *c = n.in_c; *c; c++)
		if (*c == '-')
			*c = '_';
	ret = conf->in_tree ? new_inside(&n) : new_outside(&n);
	free_all(headers, n.in_c, n.headers);
	return ret < 0 ? EXIT_BAD : EXIT_OK;
}

const struct syntax cmd_new = {
	.opts = opts, .conf_size = sizeof(struct conf),
	.usage = "new algo NAME [OPTIONS]",
	.about = about, .run = new_dispatch,
};
