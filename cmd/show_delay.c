/* `convoy show delay`: moments, quantiles and a histogram of what a delay model draws. */
#include "cmd/show.h"

#include "cmd/common.h"
#include "cmd/plot_path.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/members.h"
#include "core/math/median.h"
#include "core/text/utf8.h"
#include "core/text/wrap.h"
#include "delays/delay.h"
#include "record/trace/steplog.h"
#include "report/plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As many workers as there may be, so that any clause is right; seeds are those of a run. */
enum { DELAY_QUANTILES = 7, DRAWS = 100000, WORKERS = 1 << 24, SEED = 1 };

static const struct {
	const char *name;
	double p;
} quantiles[DELAY_QUANTILES] = {
	{ "p1", 0.01 }, { "p5", 0.05 }, { "p25", 0.25 }, { "p50", 0.50 }, { "p75", 0.75 },
	{ "p95", 0.95 }, { "p99", 0.99 },
};

struct delay_summary {          /* of the workers of one clause */
	char *ranks, *text;     /* owned */
	double mean, deviation; /* by formula; HUGE_VAL: infinite */
	double quantile[DELAY_QUANTILES];
	bool exact;             /* quantiles are by formula, and not of draws */
	double *draw;           /* [ndraws] ascending, owned */
	size_t ndraws;
};

static const struct delay *delay_of(const struct choice *model)
{
	return (const struct delay *)model->plugin;
}

/* As the clauses up to the i-th have it, for the first worker that the i-th names. */
static void clause_summarise(const struct delays *all, size_t i, struct delay_summary *s)
{
	struct delays d = *all;
	const struct delay_clause *c = &all->clause[i];
	/* of which a worker's factors are multiplied */
	scoped const struct choice **models = xcalloc((size_t)all->parts, sizeof(*models));
	double square = 1.0;
	size_t n;

	d.n = i + 1;
	n = delays_models(&d, c->who.n ? c->who.span[0].first : WORKERS - 1, models);
	*s = (struct delay_summary){ .ranks = delay_ranks(c), .mean = 1.0, .ndraws = DRAWS,
				     .draw = xcalloc(DRAWS, sizeof(*s->draw)) };
	/* E x = product of means, E x^2 = product of (mean^2 + deviation^2). */
	for (size_t k = 0; k < n; k++) {
		const struct choice *model = models[k];
		const struct delay_moments m = delay_of(model)->moments(model->conf);

		xappend_own(&s->text, " * ", choice_format(model));
		s->mean *= m.mean;
		square *= m.mean * m.mean + m.deviation * m.deviation;
		s->deviation = m.deviation;
	}
	if (n != 1)
		s->deviation = sqrt(fmax(square - s->mean * s->mean, 0.0));
	for (size_t k = 0; k < s->ndraws; k++) {
		struct delay_at at = { .seed = SEED };
		struct rng r;

		s->draw[k] = 1.0;
		for (; at.part < (int)n; at.part++) {
			delay_rng(&r, &at, DELAY_GRADIENT, 0, (int64_t)k);
			s->draw[k] *= delay_draw(models[at.part], &r);
		}
	}
	sort_doubles(s->draw, s->ndraws);
	s->exact = n == 1 && delay_of(models[0])->quantile;
	for (size_t k = 0; k < DELAY_QUANTILES; k++) {
		const double q = quantiles[k].p;

		s->quantile[k] = s->exact ? delay_of(models[0])->quantile(models[0]->conf, q)
					  : s->draw[(size_t)(q * (double)s->ndraws)];
	}
}

/* ---- the histogram, through gnuplot ---- */

/* Draws beyond a quantile are not drawn: a tail would squeeze the rest. */
enum { BINS = 120, SHOWN_PER_MILLE = 995, LEGEND = 48 };

struct histogram {
	const struct delay_summary *s;  /* [n] */
	size_t n;
	double width;           /* of a bin; the first begins at 0 */
};

static void histogram_data(const void *ctx, FILE *out)
{
	const struct histogram *h = ctx;

	fputs("# columns: factor (middle of a bin), share of the draws (percent)\n", out);
	for (size_t i = 0; i < h->n; i++) {
		const struct delay_summary *s = &h->s[i];
		size_t from = 0, to = 0;

		fprintf(out, "%s# %s: %s\n", i ? "\n\n" : "", s->ranks, s->text);
		for (int bin = 0; bin < BINS; bin++, from = to) {
			while (to < s->ndraws && s->draw[to] < (bin + 1) * h->width)
				to++;
			fprintf(out, "%.6g %.6g\n", (bin + 0.5) * h->width,
				100.0 * (double)(to - from) / (double)s->ndraws);
		}
	}
}

static void histogram_script(const void *ctx, const char *name, FILE *out)
{
	static const char *const color[] = { "#0072B2", "#D55E00", "#009E73", "#CC79A7",
					     "#E69F00", "#56B4E9" };
	const struct histogram *h = ctx;

	fputs("set xlabel 'factor on the time of a gradient'\n"
	      "set ylabel 'share of draws [%]'\n"
	      "set border 3 lc rgb '#404040'\nset tics nomirror\n"
	      "set grid lt 1 lc rgb '#DCDCDC' lw 0.8\n"
	      "set key above left Left reverse samplen 2 maxrows 6 noenhanced\n", out);
	fprintf(out, "set xrange [0:%.6g]\nset yrange [0:*]\n", h->width * BINS);
	for (size_t i = 0; i < h->n; i++) {
		const struct delay_summary *s = &h->s[i];
		const size_t n = strlen(s->text);
		const int shown = (int)(n > LEGEND ? utf8_whole(s->text, LEGEND) : n);
		scoped char *title = xasprintf("%s: %.*s%s", s->ranks, shown, s->text,
					       n > LEGEND ? "..." : "");

		fputs(i ? ", \\\n\t" : "plot ", out);
		gnuplot_path(name, ".dat", out);
		fprintf(out, " index %zu using 1:2 with histeps lw 2 lc rgb '%s' title ", i,
			color[i % (sizeof(color) / sizeof(color[0]))]);
		gnuplot_string(title, out);
	}
	fputs("\n", out);
}

/* Draws n >= 1 summaries into the file (NULL: NAME.svg), and adds the paths. 0 or error(). */
static int histogram_draw(const struct delays *d, const struct delay_summary *s, const char *file,
			  struct texts *paths)
{
	const struct delay_clause *c = d->clause;
	scoped char *path = file ? xstrdup(file)
			  : xasprintf("%s.svg", d->n == 1 && c->nmodels == 1
							? c->model[0].plugin->name : "delay");
	struct histogram h = { .s = s, .n = d->n };
	struct plot_parts parts = { .ctx = &h, .script = histogram_script,
				    .data = histogram_data };
	struct plot_path at;
	int ret = -1;
	double end = 0.0;

	if (plot_path_check(path, PLOT_PATH_PICTURE) == 0 &&
	    plot_path_split(path, PLOT_PATH_PICTURE, &at) == 0) {
		for (size_t i = 0; i < d->n; i++)
			end = fmax(end, s[i].draw[s[i].ndraws * SHOWN_PER_MILLE / 1000]);
		h.width = 1.05 * end / BINS;
		parts.name = at.name;
		ret = plot_write(&parts, at.dir, at.format, paths);
	}
	return ret;
}

/* ---- what is printed ---- */

const struct plugin *show_delay_preset(const char *name)
{
	for (size_t i = 0; delay_table[i]; i++)
		if (((const struct delay *)delay_table[i])->stands_for &&
		    strcmp(delay_table[i]->name, name) == 0)
			return delay_table[i];
	return NULL;
}

static void summaries_print(const struct delays *d, const struct delay_summary *s,
			    const struct plugin *preset, const struct texts *paths)
{
	if (preset) {
		printf("%s: %s\nSource: ", preset->name, preset->brief);
		wrap_print(preset->cite, (int)strlen("Source: "), 0, HELP_COLUMNS, stdout);
		putchar('\n');
	}
	for (const struct delay_summary *end = s + d->n; s < end; s++) {
		printf("%s: %s\n", s->ranks, s->text);
		printf("  %-10s %-12.6g by formula\n", "mean", s->mean);
		printf(isinf(s->deviation) ? "  deviation  infinite     by formula\n"
					   : "  deviation  %-12.6g by formula\n", s->deviation);
		for (size_t i = 0; i < DELAY_QUANTILES; i++)
			printf("  %-10s %-12.6g %s\n", quantiles[i].name, s->quantile[i],
			       s->exact ? "by formula" : "of 100,000 draws");
	}
	paths_print(paths, "");
}

static void summaries_print_json(const struct delays *d, const struct delay_summary *s,
				 const struct plugin *preset, const struct texts *paths)
{
	cJSON *clauses = cJSON_CreateArray(), *json = cJSON_CreateObject();
	scoped char *text = delays_format(d);

	for (const struct delay_summary *end = s + d->n; s < end; s++) {
		cJSON *list = cJSON_CreateObject();

		for (size_t i = 0; i < DELAY_QUANTILES; i++)
			ADD(list, j_number(quantiles[i].name, s->quantile[i]));
		list_add(clauses, OBJECT(j_text("workers", s->ranks), j_text("delay", s->text),
					 j_number("mean", s->mean),
					 j_number("deviation", s->deviation),
					 j_json("quantiles", list),
					 j_text("quantiles_by", s->exact ? "formula" : "draws"),
					 j_number("draws", s->exact ? 0 : (double)s->ndraws)));
	}
	if (preset)
		ADD(json, j_text("name", preset->name), j_text("brief", preset->brief),
		    j_text("cite", preset->cite));
	json_print_own(ADD(json, j_text("delay", text), j_json("clauses", clauses),
			   j_if(paths->n, j_texts("plots", paths->v, paths->n))));
}

int show_delay(const char *text, bool as_json, bool plot, const char *file)
{
	struct delays *d = delays_new(delay_table, text, WORKERS, samples_read);
	struct delay_summary *s;
	struct texts paths = { 0 };
	bool failed;

	if (!d)
		return EXIT_BAD;
	s = xcalloc(d->n, sizeof(*s));
	for (size_t i = 0; i < d->n; i++)
		clause_summarise(d, i, &s[i]);
	failed = plot && histogram_draw(d, s, file, &paths) < 0;
	(as_json ? summaries_print_json : summaries_print)(d, s, show_delay_preset(text), &paths);
	texts_release(&paths);
	for (size_t i = 0; i < d->n; i++)
		free_all(s[i].ranks, s[i].text, s[i].draw);
	free(s);
	delays_free(d);
	return failed ? EXIT_BAD : EXIT_OK;
}
