/* `convoy trace`: a recorded run's events, and its timeline. */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "cmd/common.h"
#include "cmd/plot_path.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/output.h"
#include "record/trace/trace.h"

#include <stdlib.h>

struct trace_conf {
	int format;
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
	OPT_TEXT(struct trace_conf, plot, "Gantt chart of the run: .svg, .png or .pdf", "FILE"),
	{ 0 }
};

static const char trace_about[] =
	"Shows what 'convoy sim' or 'convoy train' recorded with --trace: every event, or the\n"
	"timeline of computing, handling, communicating and waiting. Open the latter, of --format\n"
	"chrome, at ui.perfetto.dev; messages are arrows there.\n"
	"\n"
	"Examples:\n"
	"  convoy trace run.trace.h5 | less\n"
	"  convoy trace run.trace.h5 --format chrome -o run.json\n"
	"  convoy trace run.trace.h5 --plot run.svg";

static int trace_show(const struct args *a)
{
	const struct trace_conf *c = a->conf;
	struct trace trace;
	char *text;
	size_t n;
	int rc;

	if (c->plot && plot_path_check(c->plot, PLOT_PATH_PICTURE) < 0)
		return EXIT_BAD;
	rc = trace_read(&trace, a->words[0]);
	if (!rc && c->plot) {
		struct texts paths = { 0 };

		rc = timeline_draw(&trace, c->plot, &paths);
		if (!rc)
			paths_print(&paths, "");
		texts_release(&paths);
	}
	if (!rc && c->out) {
		FILE *out = xmemstream(&text, &n);

		print[c->format](&trace, out);
		xmemclose(out);
		rc = output_write(c->out, text, n);
		free(text);
	} else if (!rc && !c->plot) {
		print[c->format](&trace, stdout);
	}
	trace_release(&trace);
	return rc < 0 ? EXIT_BAD : EXIT_OK;
}

int cmd_trace(int argc, char **argv)
{
	struct trace_conf conf;
	struct args a = { .opts = trace_opts, .conf = &conf, .about = trace_about, .one = "trace",
			  .usage = "trace FILE [--format FORMAT] [-o FILE] [--plot FILE]" };

	return args_main(&a, argc, argv, trace_show);
}
