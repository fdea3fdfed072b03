/* `convoy new algo NAME`: writes an algorithm of one's own, to begin with, and its test. */
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

/* ---- the files, in which @NAME@ is the name and @C_NAME@ the same in C ---- */

static const char algorithm_head[] =
	"/*\n"
	" * @C_NAME@.c - asynchronous SGD whose learning rate falls with the staleness.\n"
	" *\n"
	" *     server, for every gradient:   x <- optimiser(x, g / (tau + 1)^power)\n"
	" *\n"
	" * tau counts the server's steps since the model that the gradient was computed at.\n"
	" */\n";

static const char algorithm_includes[] =
	"#include \"algos/common/server/serve.h\"\n"
	"#include \"algos/common/server/stale_gradient.h\"\n"
	"\n"
	"#include <math.h>\n"
	"\n";

static const char algorithm_body[] =
	"struct conf {                   /* the options */\n"
	"\tdouble power;\n"
	"};\n"
	"\n"
	"struct server {                 /* the server's state, kept in checkpoints */\n"
	"\tfloat *scratch;         /* [dim] */\n"
	"};\n"
	"\n"
	"static void server_start(struct node *nd)\n"
	"{\n"
	"\tstruct server *s = nd->state;\n"
	"\n"
	"\ts->scratch = node_vec(nd);\n"
	"}\n"
	"\n"
	"/* A gradient has come: a step, and the new model for its worker. */\n"
	"static void server_msg(struct node *nd, const struct msg *m)\n"
	"{\n"
	"\tconst struct conf *c = nd->conf;\n"
	"\tstruct server *s = nd->state;\n"
	"\tconst double tau = (double)serve_staleness(nd, m);\n"
	"\n"
	"\tstale_step(nd, m, pow(tau + 1.0, -c->power), s->scratch);\n"
	"\tserve_model(nd, m->from);\n"
	"}\n"
	"\n"
	"static const struct role server = {\n"
	"\t.state_size = sizeof(struct server), .start = server_start, .msg = server_msg,\n"
	"\t.fetch = serve_model,\n"
	"};\n"
	"\n"
	"static const struct opt opts[] = {\n"
	"\tOPT_NUMBER(struct conf, power, \"0.5\", \"the power of the staleness\", \"A\", 0, 10),\n"
	"\t{ 0 }\n"
	"};\n"
	"\n";

static const char algorithm_table[] =
	"const struct algo algo_@C_NAME@ = {\n"
	"\t.plugin = { .name = \"@NAME@\",\n"
	"\t\t    .brief = \"asgd with a learning rate that falls with the staleness\",\n"
	"\t\t    .cite = \"Xie, Koyejo, Gupta 2019, arXiv 1903.03934\",\n"
	"\t\t    .opts = opts, .conf_size = sizeof(struct conf) },\n"
	"\t.facts = { .rule = \"server, for every gradient:  \"\n"
	"\t\t\t   \"x <- optimiser(x, g / (tau + 1)^power)\",\n"
	"\t\t   .waits = \"no worker\",\n"
	"\t\t   .staleness = \"about workers - 1\",\n"
	"\t\t   .late = LATE_BY_WORKERS,\n"
	"\t\t   .messages = \"2: gradient up, model down; 2 m\",\n"
	"\t\t   .memory = \"1 / 0\",\n"
	"\t\t   .tolerates = SERVE_TOLERATES },\n"
	"\t.server = &server,\n"
	"\t.worker = &serve_worker,\n"
	"\t.sends_gradients = true,\n"
	"\t.check = stale_check,\n"
	"};\n";

static const char test_script[] =
	"#!/bin/sh\n"
	"# @NAME@: a run gives the same model twice, and so do replays of it and of a run on real\n"
	"# ranks; the loss falls.\n"
	"set -eu\n"
	"convoy=${CONVOY:-convoy} here=$(mktemp -d)\n"
	"trap 'rm -rf \"$here\"' EXIT\n"
	"settings='--algo ./@C_NAME@.c --net quadratic --workers 4 --lr 0.01 --gradients 200'\n"
	"settings=\"$settings --quiet\"\n"
	"field() { sed -n \"s/^$1 *//p\" \"$2\"; }\n"
	"\n"
	"$convoy sim $settings --out \"$here/1\" --trace \"$here/sim.h5\" >\"$here/first\"\n"
	"$convoy sim $settings --out \"$here/2\" >\"$here/second\"\n"
	"[ \"$(field model \"$here/first\")\" = \"$(field model \"$here/second\")\" ]\n"
	"$convoy replay \"$here/sim.h5\" --allow-code --quiet | grep '^verdict  *identical'\n"
	"$convoy sim $settings --gradients 1 --out \"$here/3\" >\"$here/begin\"\n"
	"awk -v a=\"$(field test_loss \"$here/begin\")\" \\\n"
	"\t-v b=\"$(field test_loss \"$here/first\")\" \\\n"
	"\t'BEGIN { print \"loss\", a, \"->\", b; exit !(b < a) }'\n"
	"$convoy doctor | grep -q '^mpirun  *none' || {\n"
	"\t$convoy train $settings --out \"$here/4\" --trace \"$here/real.h5\" >\"$here/real\"\n"
	"\t$convoy replay \"$here/real.h5\" --allow-code --quiet | grep '^verdict  *identical'\n"
	"}\n"
	"echo \"@NAME@: ok\"\n";

static const char makefile[] =
	"# Compiles @C_NAME@.so, and tests it. With --algo ./@C_NAME@.c, convoy compiles.\n"
	"CFLAGS ?= -O3 -Wall -Wextra\n"
	"CONVOY_CFLAGS ?= $(shell pkg-config --cflags convoy 2>/dev/null || echo \"@HEADERS@\")\n"
	"\n"
	"@C_NAME@.so: @C_NAME@.c\n"
	"\t$(CC) -std=c11 $(CFLAGS) -fPIC -shared $(CONVOY_CFLAGS) -o $@ $< -lm\n"
	"\n"
	"test:\n"
	"\tsh test_@C_NAME@.sh\n"
	"\n"
	"clean:\n"
	"\trm -f @C_NAME@.so\n"
	"\n"
	".PHONY: test clean\n";

static const char test_program[] =
	"/* @NAME@: a server whose learning rate falls with the staleness. */\n"
	"#include \"tests/support/check.h\"\n"
	"#include \"tests/support/script.h\"\n"
	"\n"
	"static void steps_by_the_inverse_root(void **state)\n"
	"{\n"
	"\tstruct script s;\n"
	"\n"
	"\tscript_open(&s, \"@NAME@\", 4, SERVER, 1.0, 0.0f, 0.0f);\n"
	"\tscript_msg(&s, 0, 0, 0, 1.0f, 0.0f);    /* tau 0: the whole gradient */\n"
	"\tscript_sends(&s, 0, 1, -1.0, 0.0);\n"
	"\tscript_msg(&s, 1, 0, 0, 0.0f, 0.0f);\n"
	"\tscript_sends(&s, 1, 2, -1.0, 0.0);\n"
	"\tscript_msg(&s, 0, 0, 1, 0.0f, 0.0f);\n"
	"\tscript_sends(&s, 0, 3, -1.0, 0.0);\n"
	"\tscript_msg(&s, 2, 0, 0, 4.0f, 8.0f);    /* tau 3: a half */\n"
	"\tscript_sends(&s, 2, 4, -3.0, -4.0);\n"
	"\tscript_close(&s);\n"
	"}\n"
	"\n"
	"RUN_ALL(steps_by_the_inverse_root)\n";

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
};

static char *expanded(const struct new_names *n, char *text)
{
	text = replaced(text, "@NAME@", n->name);
	text = replaced(text, "@C_NAME@", n->in_c);
	return replaced(text, "@HEADERS@", n->headers);
}

/* 0, or error() when there is such a file. */
static int path_check_new(const char *path)
{
	struct stat st;

	return lstat(path, &st) < 0 && errno == ENOENT ? 0
		: error("'%s' is there already. Take another name or folder, or move it away",
			path);
}

/* Writes a file from its text, which it frees; prints its path. 0 or error(). */
static int new_write(const struct new_names *n, const char *path, char *text)
{
	int ret;

	text = expanded(n, text);
	ret = output_text(path, text);
	if (ret == 0)
		printf("%s\n", path);
	free(text);
	return ret;
}

/* ---- outside of convoy's sources ---- */

static int new_outside(const struct new_names *n)
{
	char *paths[] = { xasprintf("%s.c", n->in_c), xasprintf("test_%s.sh", n->in_c),
			  xstrdup("Makefile") };
	char *texts[] = {
		xasprintf("%s#include <convoy.h>\n\n%s%sstatic %s\nCONVOY_ALGORITHM(%s)\n",
			  algorithm_head, algorithm_includes, algorithm_body, algorithm_table,
			  n->in_c),
		xstrdup(test_script), xstrdup(makefile)
	};
	enum { FILES = sizeof(paths) / sizeof(paths[0]) };
	int ret = 0;

	for (size_t i = 0; i < FILES && ret == 0; i++)
		ret = path_check_new(paths[i]);
	for (size_t i = 0; i < FILES; i++) {
		if (ret == 0)
			ret = new_write(n, paths[i], texts[i]);
		else
			free(texts[i]);
		free(paths[i]);
	}
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
	char *path = xasprintf("algos/server/%s.c", n->in_c);
	char *test = xasprintf("tests/algos/test_%s.c", n->in_c);
	char *listed = xasprintf("ALGO(%s)\n", n->in_c);
	char *source = xasprintf("\talgos/server/%s.c \\\n", n->in_c);
	int ret = path_check_new(path) < 0 || path_check_new(test) < 0 ? -1 : 0;

	if (ret == 0)
		ret = new_write(n, path, xasprintf("%s%s%s%s", algorithm_head, algorithm_includes,
						   algorithm_body, algorithm_table));
	if (ret == 0)
		ret = new_write(n, test, xstrdup(test_program));
	if (ret == 0)
		ret = line_insert("algos/list.h", "ALGO(", listed, false);
	if (ret == 0)
		ret = line_insert("sources.mk", "\talgos/server/", source, true);
	if (ret == 0)
		note("%s is now in the sources: two files are new, and a line was added to each of "
		     "the two lists. Next: ./dev test quick -R algos_%s; docs/my-algorithm.md has "
		     "the rest", n->name, n->in_c);
	free_all(path, test, listed, source);
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
				.headers = own_headers_flags(headers ? headers : ".") };
	for (char *c = n.in_c; *c; c++)
		if (*c == '-')
			*c = '_';
	ret = conf->in_tree ? new_inside(&n) : new_outside(&n);
	free_all(headers, n.in_c, n.headers);
	return ret < 0 ? EXIT_BAD : EXIT_OK;
}

int cmd_new(int argc, char **argv)
{
	struct conf conf;
	struct args a = { .opts = opts, .conf = &conf, .about = about,
			  .usage = "new algo NAME [OPTIONS]" };

	return args_main(&a, argc, argv, new_dispatch);
}
