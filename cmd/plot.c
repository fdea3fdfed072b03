/* `convoy plot`: an experiment's plots from its finished runs. */
#include "cmd/cmd.h"

#include "cmd/common.h"
#include "cmd/plot_path.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/utf8.h"
#include "core/text/word.h"
#include "plan/spec_tune.h"
#include "report/plot/plot.h"
#include "runner/results/outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALL, SVG, PNG, TERM, PDF, TEX, TIKZ };
static const char *const formats[] = { "all", "svg", "png", "term", "pdf", "tex", "tikz", NULL };

struct conf {
	struct finished finished;
	int format;
	char *name;
	struct print_conf print;
};

static const struct opt opts[] = {
	FINISHED_OPTS,
	OPT_CHOICE(struct conf, format, "all", "output format, or term for the terminal", NULL,
		   formats),
	OPT_TEXT(struct conf, name, "this plot alone", "NAME"),
	PRINT_OPTS(struct conf),
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
	"  convoy plot convergence --name loss-epochs --format pdf --plot-size 8.5cm \\\n"
	"              --plot-font 8";

/* 0, or error() where there are no plots, or none of that name. */
static int plot_check_name(const struct plan *p, const char *name)
{
	struct words known = { 0 };
	int ret = 0;

	while (plot_at(p, known.n))
		words_add(&known, json_word(plot_at(p, known.n), "name"));
	if (!known.n)
		ret = error("%s has no plots", p->spec.name);
	else if (name && !word_is_among(name, known.v))
		ret = word_unknown(p->spec.name, "plot", name, known.v);
	free(known.v);
	return ret;
}

static int plot_show(const struct plan *p, const struct outcome *o, const void *conf)
{
	const struct conf *c = conf;
	const struct tuning *t = p->tuning;
	struct plot_form form = { 0 };
	int ret;

	if (plot_check_name(p, c->name) < 0 ||
	    plot_form_read(&form, &c->print, formats[c->format]) < 0)
		return EXIT_BAD;
	if (c->format != TERM && p->left_out)
		return error("plots of a part of the runs would replace those of all; with --only, "
			     "give --format term"), EXIT_BAD;
	if (c->format != TERM) {
		struct texts paths = { 0 };
		size_t plots = 0, pictures = 0;

		ret = draw_plots(p, o, c->name, formats[c->format],
				 form_is_given(&c->print) ? &form : NULL, &paths);
		/* all paths, or those of one format */
		for (size_t i = 0; i < paths.n && ret == 0; i++) {
			const char *dot = strrchr(paths.v[i], '.');

			if (c->format == ALL || (dot && strcmp(dot + 1, formats[c->format]) == 0))
				utf8_puts(paths.v[i]);
			plots += dot && strcmp(dot, ".gp") == 0;
			pictures += dot && strcmp(dot, ".svg") == 0;
		}
		texts_release(&paths);
		if (ret == 0 && pictures < plots)
			ret = error("%zu of %zu plots are not drawn", plots - pictures, plots);
		return ret < 0 ? EXIT_BAD : EXIT_OK;
	}
	ret = plots_term(p->spec.json, &o->runs, c->name, stdout);
	if (ret >= 0 && t && t->results.n)
		ret = plots_term(t->plan.spec.json, &t->results, c->name, stdout);
	return ret < 0 ? EXIT_BAD : EXIT_OK;
}

static int plot_finished(const struct args *a)
{
	return finished_show(a, FINISHED_LAST, plot_show);
}

const struct syntax cmd_plot = {
	.opts = opts, .conf_size = sizeof(struct conf), .one = "experiment", .settings = true,
	.usage = "plot EXPERIMENT [--scale SCALE] [--format FORMAT] [OPTIONS]",
	.about = about, .run = plot_finished,
};
