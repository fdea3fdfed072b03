/* `convoy plot`: an experiment's plots from its finished runs. */
#include "cmd/cmd.h"

#include "cmd/common.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/utf8.h"
#include "core/text/word.h"
#include "plan/tuning.h"
#include "runner/results/outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALL, SVG, PNG, TERM, PDF, TEX };
static const char *const formats[] = { "all", "svg", "png", "term", "pdf", "tex", NULL };

struct conf {
	struct finished finished;
	int format;
	char *name;
};

static const struct opt opts[] = {
	FINISHED_OPTS,
	OPT_CHOICE(struct conf, format, "all", "output format, or term for the terminal", NULL,
		   formats),
	OPT_TEXT(struct conf, name, "this plot alone", "NAME"),
	{ 0 }
};

static const char about[] =
	"Draws the plots of an experiment from its finished results, without running anything,\n"
	"and prints the paths of the files: each picture, its gnuplot script and its data.\n"
	"Without settings and scale it uses the runs that were made last. If 'convoy run' was\n"
	"given settings, give them here too to select its results.\n"
	"\n"
	"Examples:\n"
	"  convoy plot slow-worker\n"
	"  convoy plot convergence --scale smoke --format term\n"
	"  convoy plot convergence --name loss-epochs --format pdf";

static void print_paths(const cJSON *paths, int format)
{
	const cJSON *path;

	cJSON_ArrayForEach(path, paths) {
		const char *dot = strrchr(path->valuestring, '.');

		if (format == ALL || (dot && strcmp(dot + 1, formats[format]) == 0))
			utf8_puts(path->valuestring);
	}
}

static int write_files(const struct plan *p, const struct outcome *o, int format,
		       const char *name)
{
	cJSON *paths = draw_plots(p, o, name, formats[format]);

	print_paths(paths, format);
	if (!paths)
		return EXIT_BAD;
	cJSON_Delete(paths);
	return EXIT_OK;
}

static int plot_check_name(const struct plan *p, const cJSON *plots, const char *name)
{
	const char **known = xcalloc((size_t)cJSON_GetArraySize(plots) + 1, sizeof(*known));
	const cJSON *plot;
	bool found = false;
	size_t n = 0;

	cJSON_ArrayForEach(plot, plots) {
		known[n] = json_get(plot, "name")->valuestring;
		found = found || strcmp(known[n++], name) == 0;
	}
	if (!found)
		word_unknown(p->spec.name, "plot", name, known);
	free(known);
	return found ? 0 : -1;
}

static bool plot_is_in(const cJSON *spec, const char *name)
{
	const cJSON *plot;

	cJSON_ArrayForEach(plot, json_get(spec, "plots"))
		if (!strcmp(json_word(plot, "name"), name))
			return true;
	return false;
}

/* That plot, or all, in letters. */
static int plot_term(const struct plan *p, const struct outcome *o, const char *name)
{
	const bool drawn = p->tuning && p->tuning->results->child;
	const bool tuning = drawn && (!name || plot_is_in(p->tuning->plan.spec.json, name));

	if ((!name || !tuning) && plots_term(p->spec.json, o->tree, name, stdout) < 0)
		return -1;
	return tuning ? plots_term(p->tuning->plan.spec.json, p->tuning->results, name, stdout) : 0;
}

static int plot_check(const struct plan *p, const char *name)
{
	cJSON *plots = plots_of(p);
	const int ret = !plots->child ? error("%s has no plots", p->spec.name) :
			name ? plot_check_name(p, plots, name) : 0;

	cJSON_Delete(plots);
	return ret;
}

static int plot_show(const struct plan *p, const struct outcome *o, const void *c)
{
	const struct conf *conf = c;

	if (plot_check(p, conf->name) < 0)
		return EXIT_BAD;
	if (conf->format != TERM && p->left_out)
		return error("plots of a part of the runs would replace those of all; with --only, "
			     "give --format term"), EXIT_BAD;
	if (conf->format != TERM)
		return write_files(p, o, conf->format, conf->name);
	return plot_term(p, o, conf->name) < 0 ? EXIT_BAD : EXIT_OK;
}

int cmd_plot(int argc, char **argv)
{
	struct conf conf;
	struct args a = { .opts = opts, .conf = &conf, .settings = true, .about = about,
			  .usage = "plot EXPERIMENT [--scale SCALE] [--format FORMAT] "
				   "[OPTIONS]" };

	return finished_main(&a, argc, argv, FINISHED_LAST, plot_show);
}
