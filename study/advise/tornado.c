/* The sensitivity chart: the break-even at both ends of each uncertain value, the widest first. */
#include "study/advise/advise.h"

#include "core/base/mem.h"
#include "report/plot/plot.h"
#include "report/text/escape.h"

#include <math.h>
#include <stdlib.h>

struct tornado {
	const struct advice *r;
	const struct advise *a;
	const char *name;
};

static const char *const end_colors[] = { "#56B4E9", "#E69F00" };      /* low, high */

/* ---- data ---- */

/* The nearest end of the range for a break-even outside it. */
static double tornado_inside(const struct advice *r, double x)
{
	return fmin(fmax(x, r->lo), r->hi);
}

static void tornado_put_data(const void *ctx, FILE *out)
{
	const struct tornado *t = ctx;

	fprintf(out, "# columns: row from below; break-even, with the value one deviation lower, "
		"higher, or the end of the range next to it; share of the variance\n");
	for (size_t i = 0; i < t->r->neffects; i++) {
		const struct effect *e = &t->r->effect[i];

		fprintf(out, "%zu %.9g %.9g %.9g %.9g\n", t->r->neffects - i, t->r->even.median,
			tornado_inside(t->r, e->lo), tornado_inside(t->r, e->hi), e->share);
	}
}

/* A field; as in the JSON, a word says on which side of the range it is. */
static void tornado_put_even(double x, FILE *out)
{
	if (isinf(x))
		fprintf(out, ",%s", x < 0.0 ? "below" : "above");
	else
		fprintf(out, ",%.9g", x);
}

static void tornado_put_csv(const void *ctx, FILE *out)
{
	const struct tornado *t = ctx;

	fputs("value,low,high,break_even_at_low,break_even_at_high,share\n", out);
	for (size_t i = 0; i < t->r->neffects; i++) {
		const struct effect *e = &t->r->effect[i];
		const struct uncertain *u = &t->a->uncertain.v[e->uncertain];

		escape_csv(u->name, out);
		fprintf(out, ",%.9g,%.9g", uncertain_at(u, -1.0), uncertain_at(u, 1.0));
		tornado_put_even(e->lo, out);
		tornado_put_even(e->hi, out);
		fprintf(out, ",%.9g\n", e->share);
	}
}

/* ---- the script ---- */

/* Ends of the x axis: all bars and the interval, and a margin within the range with data. */
static void tornado_range(const struct tornado *t, double *lo, double *hi)
{
	static const double padding = 0.06;
	const struct vary *v = &t->a->vary;
	double from = fmin(t->r->even.lo, t->r->even.median);
	double to = fmax(t->r->even.hi, t->r->even.median), margin;

	for (size_t i = 0; i < t->r->neffects; i++) {
		const struct effect *e = &t->r->effect[i];

		from = fmin(from, fmin(e->lo, e->hi));
		to = fmax(to, fmax(e->lo, e->hi));
	}
	from = vary_u(v, fmax(from, t->r->lo));
	to = vary_u(v, fmin(to, t->r->hi));
	margin = to > from ? padding * (to - from) : v->log ? log(1.1) : fmax(0.1 * to, 1e-9);
	*lo = v->log ? exp(from - margin) : from - margin;
	*hi = v->log ? exp(to + margin) : to + margin;
}

static void tornado_put_axes(const struct tornado *t, FILE *out)
{
	char *label = xasprintf("break-even: %s", t->a->vary.kind->axis);
	double lo, hi;

	tornado_range(t, &lo, &hi);
	fputs("set xlabel ", out);
	gnuplot_string(label, out);
	fputs(" noenhanced\nset border 1 lc rgb '#404040'\nset xtics nomirror\nunset ytics\n"
	      "set grid x lt 1 lc rgb '#DCDCDC' lw 0.8\n"
	      "set key above left Left reverse samplen 2 maxrows 3\n", out);
	if (t->a->vary.log)
		advice_put_log_axis(t->a, lo, hi, true, out);
	fprintf(out, "set xrange [%.9g:%.9g]\nset yrange [0.15:%zu.75]\n", lo, hi, t->r->neffects);
	free(label);
}

/* Over each bar its value, both ends and the share. */
static void tornado_put_labels(const struct tornado *t, FILE *out)
{
	for (size_t i = 0; i <= t->r->neffects; i++) {
		const bool rest = i == t->r->neffects;
		const struct effect *e = rest ? NULL : &t->r->effect[i];
		const struct uncertain *u = rest ? NULL : &t->a->uncertain.v[e->uncertain];
		char *text = rest ? xasprintf("from run to run, or not linear: %.0f %%",
					      100.0 * t->r->rest)
				  : xasprintf("%s %.4g to %.4g: %.0f %% of the variance", u->name,
					      uncertain_at(u, -1.0), uncertain_at(u, 1.0),
					      100.0 * e->share);

		fputs("set label ", out);
		gnuplot_string(text, out);
		fprintf(out, " at graph 0.01, first %zu.42 left front noenhanced\n",
			t->r->neffects - i);
		free(text);
	}
}

static void tornado_put_bars(const struct tornado *t, int end, FILE *out)
{
	gnuplot_path(t->name, ".dat", out);
	fprintf(out, " using 2:1:2:%d:($1-0.22):($1+0.22) with boxxyerror fc rgb '%s' fs solid "
		"noborder title 'value one deviation %s', \\\n\t", 3 + end, end_colors[end],
		end ? "higher" : "lower");
}

static void tornado_put_script(const void *ctx, bool pdf, FILE *out)
{
	enum { ABOVE = 150, ROW = 60 };         /* pixels of legend and axis, and of a bar */
	const struct tornado *t = ctx;
	const struct plot_file file = { t->name, ABOVE + ROW * (int)(t->r->neffects + 1), pdf };

	gnuplot_head(t->name, out);
	tornado_put_axes(t, out);
	tornado_put_labels(t, out);
	advice_put_even(t->r, out);
	plot_terminals_begin(&file, out);
	fputs("plot ", out);
	tornado_put_bars(t, 0, out);
	tornado_put_bars(t, 1, out);
	fputs("NaN with lines lc rgb '#606060' lw 1.5 title 'break-even and its interval'\n", out);
	plot_terminals_end(&file, "\treplot\n", out);
}

cJSON *advice_plot_sensitivity(const struct advice *r, const struct advise *a, const char *dir,
			       const char *name, const char *format)
{
	char *own = xasprintf("%s-sensitivity", name);
	const struct tornado t = { r, a, own };
	cJSON *paths = plot_write(&(struct plot_parts){ .name = own, .ctx = &t,
							.script = tornado_put_script,
							.data = tornado_put_data,
							.csv = tornado_put_csv }, dir, format);

	free(own);
	return paths;
}
