/* The files of `show net --plot`: DOT, and a picture of it by Graphviz's dot. */
#include "cmd/show/show.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/file/output.h"
#include "core/file/paths.h"
#include "core/text/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DOT_S = 120 };           /* that dot may take */

/* 1 when there is no dot, -1 after error(). */
static int net_plot_judge(const char *path, const struct process_answer *a)
{
	char how[96];

	if (a->end != PROCESS_ENDED)
		return error("%s: Graphviz's dot takes more than %d s. Draw the .dot file by "
			     "another of its programs, such as sfdp", path, DOT_S);
	if (process_succeeded(a->status))
		return output_write(path, a->text, a->n);
	process_ending(a->status, how);
	return error("%s: Graphviz's dot %s. Run it on the .dot file to see why", path, how);
}

/* Draws the DOT file as path, whose format is svg or pdf. 0, 1: there is no dot, -1: error(). */
static int net_plot_draw(const char *dot_path, const char *path, const char *format)
{
	char *words[] = { "dot", xasprintf("-T%s", format), NULL };
	const int in = open(dot_path, O_RDONLY | O_CLOEXEC);
	const struct process_way way = { .words = words, .in = in, .out = PROCESS_PIPE,
					 .end_signal = SIGTERM };
	struct process_answer a;
	struct process dot;
	int rc = 1;

	if (in < 0) {
		rc = error("%s: %s", dot_path, strerror(errno));
	} else if (process_start(&dot, &way) == 0) {
		a = process_collect(&dot, &(struct process_limits){ .seconds = DOT_S });
		rc = net_plot_judge(path, &a);
		free(a.text);
	} else if (errno != ENOENT) {
		rc = error("cannot start Graphviz's dot: %s", strerror(errno));
	}
	if (in >= 0)
		close(in);
	free(words[1]);
	return rc;
}

static int write_dot(const struct graph *g, const char *path)
{
	char *text;
	size_t n;
	FILE *out = xmemstream(&text, &n);
	int rc;

	net_dot(g, out);
	xmemclose(out);
	rc = output_write(path, text, n);
	if (!rc)
		utf8_puts(path);
	free(text);
	return rc;
}

/* The picture that was asked for is an error when it cannot be had; the usual one is not. */
static int write_picture(const char *dot_path, const char *path, bool asked)
{
	static const char absent[] = "%s is not drawn: Graphviz's program dot is not installed "
				     "(Debian: apt install graphviz). %s was written";
	int rc = net_plot_draw(dot_path, path, strrchr(path, '.') + 1);

	if (rc == 0)
		utf8_puts(path);
	else if (rc > 0 && asked)
		rc = error(absent, path, dot_path);
	else if (rc > 0)
		note(absent, path, dot_path);
	return rc < 0 ? -1 : 0;
}

/* Makes the folder of a file where it is missing, as other plots do. */
static int net_plot_folder(const char *path)
{
	char *folder = xstrdup(path), *slash = strrchr(folder, '/');
	int rc = 0;

	if (slash && slash != folder) {
		*slash = '\0';
		rc = dir_make(folder);
	}
	free(folder);
	return rc;
}

int net_plot(const struct graph *g, const char *file)
{
	char *path = file ? xstrdup(file) : xasprintf("%s.svg", g->name);
	char *suffix = strrchr(path, '.'), *dot_path;
	bool is_dot = suffix && strcmp(suffix, ".dot") == 0;
	int rc;

	if (!suffix || (!is_dot && strcmp(suffix, ".svg") != 0 && strcmp(suffix, ".pdf") != 0)) {
		rc = error("%s: a plot is a DOT, SVG or PDF file. Give it a name that ends in "
			   ".dot, .svg or .pdf", path);
		free(path);
		return rc;
	}
	dot_path = xasprintf("%.*s.dot", (int)(suffix - path), path);
	rc = net_plot_folder(path);
	if (!rc)
		rc = write_dot(g, dot_path);
	if (!rc && !is_dot)
		rc = write_picture(dot_path, path, file != NULL);
	free(dot_path);
	free(path);
	return rc;
}
