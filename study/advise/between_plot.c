/* The answer about two algorithms as CSV and plots: times, P(second is faster), sensitivity. */
#include "study/advise/answer.h"

#include "core/base/mem.h"
#include "report/plot/plot.h"
#include "report/text/escape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void csv_digits(double x, FILE *out)
{
	putc(',', out);
	if (!isnan(x))
		fprintf(out, "%.9g", x);
}

void break_even_print_csv(const struct break_even *r, const struct advise *a, FILE *out)
{
	fprintf(out, "%s", a->vary[0].kind->name);
	for (int k = 0; k < ADVISE_ALGOS; k++)
		fprintf(out, ",step_s_%d,step_s_%d_low,step_s_%d_high", k + 1, k + 1, k + 1);
	fprintf(out, ",p_second_faster\n");
	for (size_t i = 0; i < a->nx; i++) {
		fprintf(out, "%.9g", r->row[i].x);
		for (int k = 0; k < ADVISE_ALGOS; k++) {
			csv_digits(r->row[i].time[k].median, out);
			csv_digits(r->row[i].time[k].lo, out);
			csv_digits(r->row[i].time[k].hi, out);
		}
		csv_digits(r->row[i].p, out);
		putc('\n', out);
	}
}

/* ---- both plots ---- */

struct answer_plot {
	const struct break_even *r;
	const struct advise *a;
	const char *name;
};

/* The x axis; ticks of workers are at powers of two. */
static void plot_put_log_axis(const struct advise *a, double lo, double hi, bool numbers, FILE *out)
{
	const double digits = PLOT_AREA / (0.6 * PLOT_FONT);

	if (strcmp(a->vary[0].kind->name, "workers") == 0 &&
	    plot_power_ticks(true, lo, hi, digits, numbers, out))
		fputs("set logscale x\n", out);
	else
		plot_log_axis('x', lo, hi, numbers, false, out);
}

/* A grey strip over the interval and a line at the break-even; none without one. */
static void plot_put_even(const struct break_even *r, FILE *out)
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

static const char even_title[] =
	"NaN with lines lc rgb '#606060' lw 1.5 title 'break-even and its interval'\n";

/* ---- times, and P(second is faster) ---- */

/* A filled circle where the lines cross. */
static void times_put_mark(const struct break_even *r, FILE *out)
{
	for (size_t i = 0; i < r->nfiner && r->inside; i++)
		if (!(r->finer[i].x < r->even.median) && !(r->finer[i].x > r->even.median))
			fprintf(out, "set label 1 '' at first %.9g, first %.9g point pt 7 ps 1.2 "
				"lc rgb '#000000' front\n", r->even.median,
				sqrt(r->finer[i].time[ADVISE_FIRST].median *
				     r->finer[i].time[ADVISE_SECOND].median));
}

/* The look of the algorithm in other plots. */
static struct look times_look(const struct advise *a, int which)
{
	struct look look[ADVISE_ALGOS];

	algo_looks(a->algo, ADVISE_ALGOS, look);
	return look[which];
}

static void row_put(const struct row *row, FILE *out)
{
	fprintf(out, "%.9g", row->x);
	for (int k = 0; k < ADVISE_ALGOS; k++)
		fprintf(out, " %.9g %.9g %.9g", row->time[k].median, row->time[k].lo,
			row->time[k].hi);
	fprintf(out, " %.9g\n", row->p);
}

/* The rows of the table, and the finer ones between them. */
static void times_put_data(const void *ctx, FILE *out)
{
	const struct answer_plot *p = ctx;

	fprintf(out, "# columns: %s; %s: median, ends of 90 %% of the draws; %s: the same; "
		"P(second is faster)\n", p->a->vary[0].kind->axis, p->a->algo[ADVISE_FIRST],
		p->a->algo[ADVISE_SECOND]);
	for (size_t i = 0, k = 0; i < p->a->nx; i++) {
		for (; k < p->r->nfiner && p->r->finer[k].x < p->r->row[i].x; k++)
			row_put(&p->r->finer[k], out);
		row_put(&p->r->row[i], out);
	}
}

static void times_put_csv(const void *ctx, FILE *out)
{
	const struct answer_plot *p = ctx;

	break_even_print_csv(p->r, p->a, out);
}

static void times_put_json(const void *ctx, FILE *out)
{
	const struct answer_plot *p = ctx;
	struct answer answer = answer_of_between(p->r, p->a);

	answer_print_json(&answer, out);
	answer_release(&answer);
}

/* Numbers stand below the lower panel. */
static void times_put_x_axis(const struct advise *a, bool numbers, FILE *out)
{
	const struct vary *v = &a->vary[0];

	if (v->log)
		plot_put_log_axis(a, v->lo, v->hi, numbers, out);
	else
		fprintf(out, "set format x '%s'\n", numbers ? "%g" : "");
}

static void times_put_upper(const struct answer_plot *p, FILE *out)
{
	static const double wide = 6.0, margin = 1.1;   /* of a log axis */
	double lo = HUGE_VAL, hi = 0;

	for (size_t i = 0; i < p->a->nx; i++)
		for (int k = 0; k < ADVISE_ALGOS; k++) {
			lo = fmin(lo, p->r->row[i].time[k].lo);
			hi = fmax(hi, p->r->row[i].time[k].hi);
		}
	fputs("set tmargin at screen 0.84\nset bmargin at screen 0.41\nunset title\n"
	      "unset xlabel\nset ytics autofreq\n"
	      "set ylabel 'time to the same loss [s per step]'\n"
	      "set key above left Left reverse samplen 2 maxrows 6 noenhanced\n", out);
	times_put_x_axis(p->a, false, out);
	if (lo > 0.0 && (plot_is_wide(lo, hi) || hi > wide * lo)) {
		plot_log_axis('y', lo, hi, true, false, out);
		fprintf(out, "set yrange [%.9g:%.9g]\n", lo / margin, hi * margin);
	} else {
		fputs("set yrange [0:*]\n", out);
	}
	times_put_mark(p->r, out);
	fputs("plot ", out);
	for (int k = 0; k < ADVISE_ALGOS; k++) {
		const struct look look = times_look(p->a, k);
		const int column = 2 + 3 * k;

		if (p->a->random) {
			gnuplot_path(p->name, ".dat", out);
			fprintf(out, " using 1:%d:%d with filledcurves fc rgb '%s' fs transparent "
				"solid 0.18 noborder notitle, \\\n\t", column + 1, column + 2,
				look.color);
		}
		gnuplot_path(p->name, ".dat", out);
		fprintf(out, " using 1:%d with linespoints lc rgb '%s' lw 2 pt %d ps 0.7 title ",
			column, look.color, look.full);
		gnuplot_string(p->a->algo[k], out);
		fputs(", \\\n\t", out);
	}
	fputs(p->r->inside ? even_title : "NaN notitle\n", out);
}

static void times_put_lower(const struct answer_plot *p, FILE *out)
{
	char *title = xasprintf("P(%s is faster)", p->a->algo[ADVISE_SECOND]);

	fputs("unset label 1\nset tmargin at screen 0.32\nset bmargin at screen 0.14\n"
	      "set title ", out);
	gnuplot_string(title, out);
	fputs(" offset 0, -0.4 noenhanced\nset xlabel ", out);
	gnuplot_string(p->a->vary[0].kind->axis, out);
	fputs("\n", out);
	times_put_x_axis(p->a, true, out);
	fputs("set ylabel 'probability'\nunset logscale y\n"
	      "set yrange [-0.05:1.05]\nset ytics 0, 0.5, 1\nunset key\nplot ", out);
	gnuplot_path(p->name, ".dat", out);
	fputs(" using 1:8 with lines lc rgb '#000000' lw 2 notitle\n", out);
	free(title);
}

/* Times and the probability, which are two quantities, in two panels. */
static void times_put_script(const void *ctx, bool pdf, FILE *out)
{
	enum { LOWER = 160 };           /* pixels that the second panel takes more */
	const struct answer_plot *p = ctx;
	const struct plot_file file = { .name = p->name, .height = PLOT_HEIGHT + LOWER,
					.medium = pdf ? PLOT_PDF : PLOT_PICTURES };
	char *panels = NULL;
	size_t n = 0;
	FILE *to = xmemstream(&panels, &n);

	fputs("set multiplot\n", to);
	times_put_upper(p, to);
	times_put_lower(p, to);
	fputs("unset multiplot\n", to);
	fclose(to);
	gnuplot_head(p->name, out);
	fprintf(out, "set border 3 lc rgb '#404040'\nset tics nomirror\nset lmargin 11\n"
		"set rmargin 4\nset grid x y lt 1 lc rgb '#DCDCDC' lw 0.8\n"
		"set xrange [%.9g:%.9g]\n", p->a->vary[0].lo, p->a->vary[0].hi);
	plot_put_even(p->r, out);
	plot_terminals_begin(&file, out);
	fputs(panels, out);
	plot_terminals_end(&file, panels, out);
	free(panels);
}

/* ---- sensitivity: the break-even at both ends of each uncertain value, the widest first ---- */

static void tornado_put_data(const void *ctx, FILE *out)
{
	const struct answer_plot *t = ctx;

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
	const struct answer_plot *t = ctx;

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
static void tornado_put_axes(const struct answer_plot *t, FILE *out)
{
	static const double padding = 0.06;
	const struct vary *v = &t->a->vary[0];
	char *label = xasprintf("break-even: %s", v->kind->axis);
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
		plot_put_log_axis(t->a, from, to, true, out);
	fprintf(out, "set xrange [%.9g:%.9g]\nset yrange [0.15:%zu.75]\n", from, to,
		t->r->neffects);
	free(label);
}

/* Over each bar its value, both ends and the share. */
static void tornado_put_labels(const struct answer_plot *t, FILE *out)
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
		fprintf(out, " at graph 0.01, first %zu.42 left front noenhanced boxed\n",
			t->r->neffects - i);
		free(text);
	}
}

/* True where a value one deviation lower, or higher, has another break-even: it has a bar. */
static bool tornado_has_bar(const struct answer_plot *t, bool higher)
{
	for (size_t i = 0; i < t->r->neffects; i++) {
		const struct effect *e = &t->r->effect[i];
		const double end = fmin(fmax(higher ? e->hi : e->lo, t->r->lo), t->r->hi);

		if (fabs(end - t->r->even.median) > 0.0)
			return true;
	}
	return false;
}

static void tornado_put_script(const void *ctx, bool pdf, FILE *out)
{
	static const struct {
		const char *color, *side;
	} end[] = { { "#56B4E9", "lower" }, { "#E69F00", "higher" } };
	enum { ABOVE = 150, ROW = 60 };         /* pixels of legend and axis, and of a bar */
	const struct answer_plot *t = ctx;
	const struct plot_file file = { .name = t->name,
					.height = ABOVE + ROW * (int)(t->r->neffects + 1),
					.medium = pdf ? PLOT_PDF : PLOT_PICTURES };

	gnuplot_head(t->name, out);
	tornado_put_axes(t, out);
	tornado_put_labels(t, out);
	plot_put_even(t->r, out);
	plot_terminals_begin(&file, out);
	fputs("plot ", out);
	for (int i = 0; i < 2; i++) {
		if (!tornado_has_bar(t, i))
			continue;
		gnuplot_path(t->name, ".dat", out);
		fprintf(out, " using 2:1:2:%d:($1-0.22):($1+0.22) with boxxyerror fc rgb '%s' fs "
			"solid noborder title 'value one deviation %s', \\\n\t", 3 + i,
			end[i].color, end[i].side);
	}
	fputs(even_title, out);
	plot_terminals_end(&file, "\treplot\n", out);
}

int break_even_plot(const struct break_even *r, const struct advise *a, const char *dir,
		    const char *name, const char *format, struct texts *paths)
{
	char *own = xasprintf("%s" ADVISE_SECOND_PLOT, name);
	const struct answer_plot times = { r, a, name }, tornado = { r, a, own };
	int ret = plot_write(&(struct plot_parts){ .name = name, .ctx = &times,
						   .script = times_put_script,
						   .data = times_put_data, .csv = times_put_csv,
						   .json = times_put_json }, dir, format, paths);

	if (!r->neffects)
		plot_discard(dir, own, format);
	else if (ret == 0)
		ret = plot_write(&(struct plot_parts){ .name = own, .ctx = &tornado,
						       .script = tornado_put_script,
						       .data = tornado_put_data,
						       .csv = tornado_put_csv },
				 dir, format, paths);
	free(own);
	return ret;
}
