/* qq.c - the quantiles of models against those of a log, through gnuplot. */
#include "study/fit/fit.h"

#include "report/plot/plot.h"

#include <math.h>

struct qq {
	const struct fit *f;
	const char *name;
};

/* Every fifth quantile, and each of the last few, where a tail shows. */
static bool qq_shows(size_t i)
{
	return i % 5 == 0 || i + 20 >= FIT_QUANTILES;
}

/* The model that is the k-th drawn: the best one is the first. */
static size_t qq_model(const struct fit *f, size_t k)
{
	return k == 0 ? f->best : k <= f->best ? k - 1 : k;
}

static void qq_put_data(const void *ctx, FILE *out)
{
	const struct fit *f = ((const struct qq *)ctx)->f;

	fputs("# columns: quantile of the log; of the model: middle, least and greatest of its "
	      "runs (seconds)\n", out);
	for (size_t k = 0; k < f->n; k++) {
		const size_t m = qq_model(f, k);

		fprintf(out, "%s# %s: %s\n", k ? "\n\n" : "", f->model[m].name,
			f->model[m].delay);
		for (size_t i = 0; i < FIT_QUANTILES; i++)
			if (qq_shows(i))
				fprintf(out, "%.6g %.6g %.6g %.6g\n", f->own.quantile[i],
					f->of[m].quantile[i].middle, f->of[m].quantile[i].low,
					f->of[m].quantile[i].high);
	}
}

static void qq_put_curve(const struct qq *q, size_t k, FILE *out)
{
	static const char *const color[] = { "#0072B2", "#D55E00", "#009E73", "#CC79A7",
					     "#E69F00", "#56B4E9" };
	const struct fit *f = q->f;

	fputs(", \\\n\t", out);
	gnuplot_path(q->name, ".dat", out);
	fprintf(out, " index %zu using 1:2 with points pt 7 ps %g lc rgb '%s' title ", k,
		k == 0 ? 0.6 : 0.3, color[k]);
	gnuplot_string(f->model[qq_model(f, k)].name, out);
}

static void qq_put_script(const void *ctx, bool pdf, FILE *out)
{
	const struct qq *q = ctx;
	const double low = q->f->own.quantile[0], high = q->f->own.quantile[FIT_QUANTILES - 1];
	const double margin = fmax(0.05 * (high - low), 0.01 * high);
	const struct plot_file file = { q->name, PLOT_HEIGHT, pdf };

	gnuplot_head(q->name, out);
	fputs("set xlabel 'quantile of the log [s]'\nset ylabel 'quantile of the model [s]'\n"
	      "set border 3 lc rgb '#404040'\nset tics nomirror\n"
	      "set grid lt 1 lc rgb '#DCDCDC' lw 0.8\n"
	      "set key above left Left reverse samplen 1 maxrows 3 noenhanced\n", out);
	fprintf(out, "set xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n", low - margin,
		high + margin, low - margin, high + margin);
	plot_terminals_begin(&file, out);
	fputs("plot ", out);
	gnuplot_path(q->name, ".dat", out);
	fprintf(out, " index 0 using 1:3:4 with filledcurves fc rgb '#CCE3F0' title 'runs of %s', "
		"\\\n\tx with lines dt 2 lc rgb '#404040' title 'equal'",
		q->f->model[q->f->best].name);
	for (size_t k = 0; k < q->f->n; k++)
		qq_put_curve(q, k, out);
	fputs("\n", out);
	plot_terminals_end(&file, "\treplot\n", out);
}

cJSON *fit_plot(const struct fit *f, const char *dir, const char *name, const char *format)
{
	const struct qq q = { f, name };
	const struct plot_parts parts = { .name = name, .ctx = &q, .script = qq_put_script,
					  .data = qq_put_data };

	return plot_write(&parts, dir, format);
}
