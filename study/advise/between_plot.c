/* The picture of a break-even's sensitivity: bars for each uncertain value, the widest first. */
#include "study/advise/answer.h"

#include "core/base/mem.h"
#include "report/plot/plot.h"
#include "report/text/escape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct tornado {
	const struct break_even *r;
	const struct advise *a;
};

/* The x axis; ticks of workers are at powers of two. */
static void put_log_axis(const struct advise *a, double lo, double hi, FILE *out)
{
	const double digits = PLOT_AREA / (0.6 * PLOT_FONT);

	if (strcmp(a->vary[0].kind->name, "workers") == 0 &&
	    plot_power_ticks(true, lo, hi, digits, true, out))
		fputs("set logscale x\n", out);
	else
		plot_log_axis('x', lo, hi, true, false, out);
}

/* A grey strip over the interval and a line at the break-even; none without one. */
static void put_even(const struct break_even *r, FILE *out)
{
	const double lo = fmax(r->even.lo, r->lo), hi = fmin(r->even.hi, r->hi);

	if (!r->inside)
		return;
	fprintf(out, "set object 1 rectangle from first %.9g, graph 0 to first %.9g, graph 1 "
		"behind fc rgb '#E0E0E0' fs solid noborder\n", lo, hi);
	if (isfinite(r->even.median))
		fprintf(out, "set arrow 1 from first %.9g, graph 0 to first %.9g, graph 1 nohead "
			"lc rgb '#606060' lw 1.5\n", r->even.median, r->even.median);
}

static void tornado_put_data(const void *ctx, FILE *out)
{
	const struct tornado *t = ctx;

	fprintf(out, "# columns: row from below; break-even, with the value one deviation lower, "
		"higher, or the end of the range next to it; share of the variance\n");
	for (size_t i = 0; i < t->r->neffects; i++) {
		const struct effect *e = &t->r->effect[i];

		fprintf(out, "%zu %.9g %.9g %.9g %.9g\n", t->r->neffects - i, t->r->even.median,
			fmin(fmax(e->lo, t->r->lo), t->r->hi),
			fmin(fmax(e->hi, t->r->lo), t->r->hi), e->share);
	}
}

/* A field; as in the JSON, a word says on which side of the range it is. */
static void tornado_put_end(double x, FILE *out)
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
		tornado_put_end(e->lo, out);
		tornado_put_end(e->hi, out);
		fprintf(out, ",%.9g\n", e->share);
	}
}

/* The x axis: all bars and the interval, and a margin within the range with data. */
static void tornado_put_axes(const struct tornado *t, FILE *out)
{
	static const double padding = 0.06;
	const struct vary *v = &t->a->vary[0];
	scoped char *label = xasprintf("break-even: %s", v->kind->axis);
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
	from = v->log ? exp(from - margin) : from - margin;
	to = v->log ? exp(to + margin) : to + margin;
	fputs("set xlabel ", out);
	gnuplot_string(label, out);
	fputs(" noenhanced\nset border 1 lc rgb '#404040'\nset xtics out nomirror\nunset ytics\n"
	      "set style textbox opaque fc rgb '#FFFFFF' noborder margins 0.4, 0.2\n"
	      "set grid x lt 1 lc rgb '#DCDCDC' lw 0.8\n"
	      "set key above left Left reverse samplen 2 maxrows 3\n", out);
	if (v->log)
		put_log_axis(t->a, from, to, out);
	fprintf(out, "set xrange [%.9g:%.9g]\nset yrange [0.15:%zu.75]\n", from, to,
		t->r->neffects);
}

/* Over each bar its value, both ends and the share. */
static void tornado_put_labels(const struct tornado *t, FILE *out)
{
	for (size_t i = 0; i <= t->r->neffects; i++) {
		const bool rest = i == t->r->neffects;
		const struct effect *e = rest ? NULL : &t->r->effect[i];
		const struct uncertain *u = rest ? NULL : &t->a->uncertain.v[e->uncertain];
		scoped char *text = rest ? xasprintf("from run to run, or not linear: %.0f %%",
					      100.0 * t->r->rest)
				  : xasprintf("%s %.4g to %.4g: %.0f %% of the variance", u->name,
					      uncertain_at(u, -1.0), uncertain_at(u, 1.0),
					      100.0 * e->share);

		fputs("set label ", out);
		gnuplot_string(text, out);
		fprintf(out, " at graph 0.01, first %zu.42 left front noenhanced boxed\n",
			t->r->neffects - i);
	}
}

/* True where a value one deviation lower, or higher, has another break-even: it has a bar. */
static bool tornado_has_bar(const struct tornado *t, bool higher)
{
	for (size_t i = 0; i < t->r->neffects; i++) {
		const struct effect *e = &t->r->effect[i];
		const double end = fmin(fmax(higher ? e->hi : e->lo, t->r->lo), t->r->hi);

		if (fabs(end - t->r->even.median) > 0.0)
			return true;
	}
	return false;
}

static void tornado_put_script(const void *ctx, const char *name, FILE *out)
{
	static const struct {
		const char *color, *side;
	} end[] = { { "#56B4E9", "lower" }, { "#E69F00", "higher" } };
	const struct tornado *t = ctx;

	tornado_put_axes(t, out);
	tornado_put_labels(t, out);
	put_even(t->r, out);
	fputs("plot ", out);
	for (int i = 0; i < 2; i++) {
		if (!tornado_has_bar(t, i))
			continue;
		gnuplot_path(name, ".dat", out);
		fprintf(out, " using 2:1:2:%d:($1-0.22):($1+0.22) with boxxyerror fc rgb '%s' fs "
			"solid noborder title 'value one deviation %s', \\\n\t", 3 + i,
			end[i].color, end[i].side);
	}
	fputs("NaN with lines lc rgb '#606060' lw 1.5 title 'break-even and its interval'\n", out);
}

int break_even_plot(const struct break_even *r, const struct advise *a, const char *dir,
		    const char *name, const char *format, struct texts *paths)
{
	enum { ABOVE = 150, ROW = 60 };         /* pixels of legend and axis, and of a bar */
	scoped char *own = xasprintf("%s" ADVISE_SECOND_PLOT, name);
	const struct tornado tornado = { r, a };
	int ret = 0;

	if (r->neffects)
		ret = plot_write(&(struct plot_parts){ .name = own, .ctx = &tornado,
						       .height = ABOVE +
								 ROW * (int)(r->neffects + 1),
						       .script = tornado_put_script,
						       .data = tornado_put_data,
						       .csv = tornado_put_csv },
				 dir, format, paths);
	else
		plot_discard(dir, own, format);
	return ret;
}
