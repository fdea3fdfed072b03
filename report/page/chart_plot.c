/* Bars, lines and maps of a page as files: gnuplot's script, its data, and pictures. */
#include "report/page/answer.h"

#include "core/base/mem.h"
#include "report/text/width.h"

#include <math.h>
#include <stdlib.h>

struct chart_file {
	const struct chart *c;
	const struct plot_parts *numbers;
	struct look look[CHART_SERIES];
	char *title;            /* in lines; owned */
};

enum { LEGEND = 26 };           /* pixels of a line over the axes */

/* ---- data ---- */

static bool chart_has_bands(const struct chart *c)
{
	for (size_t i = 0; i < c->nseries; i++)
		for (size_t k = 0; k < c->n; k++)
			if (c->series[i].hi[k] > c->series[i].lo[k])
				return true;
	return false;
}

static void lines_put_data(const struct chart *c, FILE *out)
{
	const bool bands = chart_has_bands(c);

	fprintf(out, "# columns: x; y of each line%s%s\n",
		bands ? ", the ends of its interval" : "", c->lower ? "; probability" : "");
	for (size_t k = 0; k < c->n; k++) {
		fprintf(out, "%.9g", c->x[k]);
		for (size_t i = 0; i < c->nseries; i++) {
			fprintf(out, " %.9g", c->series[i].y[k]);
			if (bands)
				fprintf(out, " %.9g %.9g", c->series[i].lo[k], c->series[i].hi[k]);
		}
		if (c->lower)
			fprintf(out, " %.9g", c->lower[k]);
		putc('\n', out);
	}
}

static void chart_put_data(const void *ctx, FILE *out)
{
	const struct chart_file *f = ctx;
	const struct chart *c = f->c;

	if (c->kind == CHART_LINES) {
		lines_put_data(c, out);
	} else if (c->kind == CHART_BARS) {
		fputs("# columns: row from below; length of its bar, ends of the interval\n", out);
		for (size_t i = 0; i < c->nseries; i++)
			fprintf(out, "%zu %.9g %.9g %.9g\n", c->nseries - i, c->series[i].y[0],
				c->series[i].lo[0], c->series[i].hi[0]);
	} else {
		fputs("# columns: x; y; which of the legend is the first\n", out);
		for (size_t i = 0; i < c->n * c->nup; i++)
			fprintf(out, "%.9g %.9g %zu\n", c->x[i % c->n], c->up[i / c->n],
				c->winner[i]);
	}
}

static void chart_put_csv(const void *ctx, FILE *out)
{
	const struct chart_file *f = ctx;

	f->numbers->csv(f->numbers->ctx, out);
}

static void chart_put_json(const void *ctx, FILE *out)
{
	const struct chart_file *f = ctx;

	f->numbers->json(f->numbers->ctx, out);
}

/* ---- scripts ---- */

static void put_title(const char *title, FILE *out)
{
	fputs("set title ", out);
	gnuplot_string(title, out);
	fputs(" noenhanced\n", out);
}

static void put_label(char axis, const char *text, FILE *out)
{
	fprintf(out, "set %clabel ", axis);
	gnuplot_string(text, out);
	fputs(" noenhanced\n", out);
}

/* Ticks of workers are at powers of two. */
static void put_x_ticks(const struct chart *c, bool numbers, FILE *out)
{
	const double lo = c->x[0], hi = c->x[c->n - 1], digits = PLOT_AREA / (0.6 * PLOT_FONT);

	if (!c->logx)
		fprintf(out, "set format x '%s'\n", numbers ? "%g" : "");
	else if (c->workers && plot_power_ticks(true, lo, hi, digits, numbers, out))
		fputs("set logscale x\n", out);
	else
		plot_log_axis('x', lo, hi, numbers, false, out);
}

static int chart_height(const struct chart_file *f)
{
	enum { ABOVE = 110, ROW = 56, LOWER = 160 };    /* pixels: of bars; of a second panel */
	const int series = (int)f->c->nseries, title = LEGEND * text_lines(f->title);

	if (f->c->kind == CHART_BARS)
		return title + ABOVE + ROW * series;
	return title + PLOT_HEIGHT + LEGEND * series + (f->c->lower ? LOWER : 0);
}

/* Puts the frame of lines and maps: axes at two sides, the legend above. */
static void put_frame(const struct chart *c, FILE *out)
{
	fprintf(out, "set border 3 lc rgb '#404040'\nset tics nomirror\n"
		"set key above left Left reverse samplen 2 maxrows 8 noenhanced\n"
		"set xrange [%.9g:%.9g]\n", c->x[0], c->x[c->n - 1]);
	put_label('y', c->ylabel, out);
}

static void put_bars(const void *ctx, const char *name, FILE *out)
{
	const struct chart_file *f = ctx;
	const struct chart *c = f->c;

	put_title(f->title, out);
	put_label('x', c->xlabel, out);
	fprintf(out, "set border 1 lc rgb '#404040'\nset xtics nomirror\nunset ytics\nunset key\n"
		"set grid x lt 1 lc rgb '#DCDCDC' lw 0.8\nset xrange [0:*]\n"
		"set yrange [0.3:%zu.8]\n", c->nseries);
	for (size_t i = 0; i < c->nseries; i++) {
		scoped char *text = xasprintf("%s: %.4g", c->series[i].name, c->series[i].y[0]);

		fputs("set label ", out);
		gnuplot_string(text, out);
		fprintf(out, " at graph 0.01, first %zu.42 left front noenhanced\n",
			c->nseries - i);
	}
	fputs("plot ", out);
	for (size_t i = 0; i < c->nseries; i++) {
		gnuplot_path(name, ".dat", out);
		fprintf(out, " every ::%zu::%zu using (0):1:(0):2:($1-0.22):($1+0.22) with "
			"boxxyerror fc rgb '%s' fs solid noborder, \\\n\t", i, i, f->look[i].color);
	}
	gnuplot_path(name, ".dat", out);
	fputs(" using 2:1:3:4 with xerrorbars lc rgb '#404040' lw 1.5 pt 0\n", out);
}

static void plot_lines(const struct chart_file *f, const char *name, FILE *out)
{
	const struct chart *c = f->c;
	const bool bands = chart_has_bands(c);

	fputs("plot ", out);
	for (size_t i = 0; i < c->nseries; i++) {
		const size_t column = 2 + i * (bands ? 3 : 1);

		if (bands) {
			gnuplot_path(name, ".dat", out);
			fprintf(out, " using 1:%zu:%zu with filledcurves fc rgb '%s' fs "
				"transparent solid 0.18 noborder notitle, \\\n\t", column + 1,
				column + 2, f->look[i].color);
		}
		gnuplot_path(name, ".dat", out);
		fprintf(out, " using 1:%zu with linespoints lc rgb '%s' lw 2%s pt %d ps 0.7 title ",
			column, f->look[i].color, c->series[i].dashed ? " dt 2" : "",
			f->look[i].full);
		gnuplot_string(c->series[i].name, out);
		fputs(i + 1 < c->nseries ? ", \\\n\t" : "\n", out);
	}
}

/* The probabilities, which are another quantity, have a panel of their own. */
static void put_lower(const struct chart_file *f, const char *name, FILE *out)
{
	const size_t column = 2 + f->c->nseries * (chart_has_bands(f->c) ? 3 : 1);

	fputs("set tmargin at screen 0.32\nset bmargin at screen 0.14\n", out);
	put_title(f->c->lower_title, out);
	put_label('x', f->c->xlabel, out);
	put_x_ticks(f->c, true, out);
	fputs("set ylabel 'probability'\nunset logscale y\nset yrange [-0.05:1.05]\n"
	      "set ytics 0, 0.5, 1\nunset key\nplot ", out);
	gnuplot_path(name, ".dat", out);
	fprintf(out, " using 1:%zu with lines lc rgb '#000000' lw 2 notitle\nunset multiplot\n",
		column);
}

static void put_lines(const void *ctx, const char *name, FILE *out)
{
	static const double margin = 1.1;       /* of a log axis */
	const struct chart_file *f = ctx;
	const struct chart *c = f->c;
	const int above = LEGEND * (text_lines(f->title) + (int)c->nseries + 1);
	double lo, hi;

	chart_y_range(c, &lo, &hi);
	if (c->lower)
		fprintf(out, "set multiplot\nset lmargin 11\nset rmargin 4\n"
			"set tmargin at screen %.3f\nset bmargin at screen 0.41\nunset xlabel\n"
			"set ytics autofreq\n", 1.0 - (double)above / chart_height(f));
	else
		put_label('x', c->xlabel, out);
	put_title(f->title, out);
	put_frame(c, out);
	fputs("set grid x y lt 1 lc rgb '#DCDCDC' lw 0.8\n", out);
	put_x_ticks(c, !c->lower, out);
	if (c->logy) {
		plot_log_axis('y', lo, hi, true, false, out);
		fprintf(out, "set yrange [%.9g:%.9g]\n", lo / margin, hi * margin);
	} else {
		fputs("set yrange [0:*]\n", out);
	}
	if (c->strip_hi > c->strip_lo)
		fprintf(out, "set object 1 rectangle from first %.9g, graph 0 to first %.9g, "
			"graph 1 back fc rgb '#E0E0E0' fs solid noborder\n", c->strip_lo,
			c->strip_hi);
	for (size_t i = 0; i < c->nmarks; i++)
		fprintf(out, "set arrow %zu from first %.9g, graph 0 to first %.9g, graph 1 nohead "
			"lc rgb '#606060' lw 1.2 dt 2\n", i + 1, c->mark[i], c->mark[i]);
	plot_lines(f, name, out);
	if (c->lower)
		put_lower(f, name, out);
}

/* Ends of the k-th of n fields, half the distance to its neighbours, and its middle. */
static void field_ends(const double *v, size_t n, size_t k, bool logarithmic, double end[3])
{
	const double before = v[k ? k - 1 : k], after = v[k + 1 < n ? k + 1 : k];

	end[0] = logarithmic ? sqrt(v[k] * before) : 0.5 * (v[k] + before);
	end[1] = logarithmic ? sqrt(v[k] * after) : 0.5 * (v[k] + after);
	end[2] = logarithmic ? sqrt(end[0] * end[1]) : 0.5 * (end[0] + end[1]);
}

static void put_map(const void *ctx, const char *name, FILE *out)
{
	const struct chart_file *f = ctx;
	const struct chart *c = f->c;

	(void)name;
	put_title(f->title, out);
	put_label('x', c->xlabel, out);
	put_frame(c, out);
	put_x_ticks(c, true, out);
	if (c->logy)
		plot_log_axis('y', c->up[0], c->up[c->nup - 1], true, false, out);
	fprintf(out, "set yrange [%.9g:%.9g]\n", c->up[0], c->up[c->nup - 1]);
	for (size_t i = 0; i < c->n * c->nup; i++) {
		const size_t winner = c->winner[i];
		double x[3], y[3];

		field_ends(c->x, c->n, i % c->n, c->logx, x);
		field_ends(c->up, c->nup, i / c->n, c->logy, y);
		fprintf(out, "set object %zu rectangle from first %.9g, first %.9g to first %.9g, "
			"first %.9g fc rgb '%s' fs solid 0.85 border lc rgb '#FFFFFF'\n", i + 1,
			x[0], y[0], x[1], y[1],
			winner < c->nseries ? f->look[winner].color : "#E0E0E0");
		if (c->marked && c->marked[i])
			fprintf(out, "set label %zu '%c' at first %.9g, first %.9g center front\n",
				i + 1, c->marked[i], x[2], y[2]);
	}
	fputs("plot ", out);
	for (size_t i = 0; i < c->nseries; i++) {
		fprintf(out, "NaN with boxes fc rgb '%s' fs solid 0.85 noborder title ",
			f->look[i].color);
		gnuplot_string(c->series[i].name, out);
		fputs(", \\\n\t", out);
	}
	fputs("NaN notitle\n", out);
}

int chart_write(const struct chart *c, const struct plot_parts *numbers, const char *dir,
		const char *format, struct texts *paths)
{
	enum { WIDE = 60 };             /* letters over a picture */
	struct chart_file f = { .c = c, .numbers = numbers, .title = text_wrap(c->title, WIDE) };
	int ret;

	chart_looks(c, f.look);
	ret = plot_write(&(struct plot_parts){ .name = numbers->name, .ctx = &f,
					       .height = chart_height(&f), .panels = c->lower,
					       .script = c->kind == CHART_LINES ? put_lines
							 : c->kind == CHART_BARS  ? put_bars
										  : put_map,
					       .data = chart_put_data,
					       .csv = chart_put_csv, .json = chart_put_json },
			 dir, format, paths);
	free(f.title);
	return ret;
}
