/* `convoy trace`: a recorded run's events, and its timeline. */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "cmd/common.h"
#include "cmd/plot_path.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/output.h"
#include "core/text/word.h"
#include "record/trace/trace.h"
#include "report/page/trace_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trace_conf {
	int format;
	bool html;
	char *out, *plot;
};

static const char *const formats[] = { "text", "chrome", "json", NULL };

static void (*const print[])(const struct trace *, FILE *) = {
	trace_print, trace_print_chrome, trace_print_json
};

static const struct opt trace_opts[] = {
	OPT_CHOICE(struct trace_conf, format, "text",
		   "text or json: an event a line; chrome: the timeline, for Perfetto", NULL,
		   formats),
	OPT_TEXT(struct trace_conf, out, "file to write, also -o; else standard output", "FILE"),
	OPT_FLAG(struct trace_conf, html,
		 "page for a browser: FILE, else the trace's name with .html"),
	OPT_TEXT(struct trace_conf, plot, "Gantt chart of the run: .svg, .png or .pdf", "FILE"),
	{ 0 }
};

static const char trace_about[] =
	"Shows what 'convoy sim' or 'convoy train' recorded with --trace: every event, or the\n"
	"timeline of computing, handling, communicating and waiting.\n"
	"\n"
	"--html writes the timeline as one page, to zoom and to pan, which any browser opens\n"
	"without a network. --format chrome is for ui.perfetto.dev; messages are arrows there.\n"
	"\n"
	"Examples:\n"
	"  convoy trace run.trace.h5 | less\n"
	"  convoy trace run.trace.h5 --html\n"
	"  convoy trace run.trace.h5 --html run.html\n"
	"  convoy trace run.trace.h5 --format chrome -o run.json\n"
	"  convoy trace run.trace.h5 --plot run.svg";

/* The page's path, from the command line or from the trace's; NULL after error(). To be freed. */
static char *page_path(const struct args *a)
{
	const struct trace_conf *c = a->conf;
	const char *given = a->nwords > 1 ? a->words[1] : c->out, *trace = a->words[0];
	const size_t n = strlen(trace) - (word_ends(trace, ".h5") ? 3 : 0);

	if (given && !word_ends(given, ".html") && !word_ends(given, ".htm")) {
		error("--html %s: expected a name that ends in .html", given);
		return NULL;
	}
	return given ? xstrdup(given) : xasprintf("%.*s.html", (int)n, trace);
}

/* 0 or error(). */
static int page_show(const struct trace *t, const struct args *a)
{
	scoped char *path = page_path(a);
	const int ret = path ? timeline_page_write(t, path) : -1;

	if (ret == 0)
		printf("%s\n", path);
	return ret;
}

/* 0 or error(). */
static int picture_show(const struct trace *t, const char *path)
{
	scoped_by(texts_release) struct texts paths = { 0 };
	const int ret = timeline_draw(t, path, &paths);

	if (ret == 0)
		paths_print(&paths, "");
	return ret;
}

/* 0 or error(). */
static int events_show(const struct trace *t, const struct trace_conf *c)
{
	scoped char *text = NULL;
	size_t n;
	FILE *out;

	if (!c->out) {
		print[c->format](t, stdout);
		return 0;
	}
	out = xmemstream(&text, &n);
	print[c->format](t, out);
	xmemclose(out);
	return output_write(c->out, text, n);
}

static int trace_show(const struct args *a)
{
	const struct trace_conf *c = a->conf;
	struct trace trace;
	int rc;

	if (!a->nwords)
		return args_usage(a, "no trace is named. 'convoy sim --trace FILE' writes one");
	if (a->nwords > (c->html ? 2 : 1))
		return args_usage(a, "one trace at a time");
	if (c->html && a->nwords > 1 && c->out)
		return args_usage(a, "the page has two names: '%s' and '%s'", a->words[1], c->out);
	if (c->format && (c->html || (c->plot && !c->out)))
		return args_usage(a, "--format %s is of printed events, and %s prints none",
				  formats[c->format], c->html ? "--html" : "--plot");
	if (c->plot && plot_path_check(c->plot, PLOT_PATH_PICTURE) < 0)
		return EXIT_BAD;
	rc = trace_read(&trace, a->words[0]);
	if (!rc && c->html)
		rc = page_show(&trace, a);
	if (!rc && c->plot)
		rc = picture_show(&trace, c->plot);
	if (!rc && !c->html && (c->out || !c->plot))
		rc = events_show(&trace, c);
	trace_release(&trace);
	return rc < 0 ? EXIT_BAD : EXIT_OK;
}

const struct syntax cmd_trace = {
	.opts = trace_opts, .conf_size = sizeof(struct trace_conf),
	.usage = "trace FILE [--html [FILE]] [--format FORMAT] [-o FILE] [--plot FILE]",
	.about = trace_about, .run = trace_show,
};
