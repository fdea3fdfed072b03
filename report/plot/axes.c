/* Axes in a script of gnuplot: titles, ranges, and ticks whose numbers do not overlap. */
#include "report/plot/plot.h"

#include "core/base/mem.h"
#include "report/text/width.h"

#include <math.h>
#include <stdlib.h>

/* Letters in a line of a title, of the label below, and of the one at the side. */
enum { TITLE = 58, XLABEL = 56, YLABEL = 34 };

static void plot_axes_put_setting(const char *what, const char *text, int width, FILE *out)
{
	char *wrapped = text_wrap(text, width);

	fprintf(out, "set %s ", what);
	gnuplot_string(wrapped, out);
	fputs(" noenhanced\n", out);
	free(wrapped);
}

static void put_title_term(const struct figure *f, int width, FILE *out)
{
	char *title = text_wrap(f->title ? f->title : "", width);
	char *label = text_wrap(f->ylabel, width);
	char *both = xasprintf("%s%s%s", title, *title ? "\n" : "", label);

	fputs("set title ", out);
	gnuplot_string(both, out);
	fputs(" noenhanced\n", out);
	free(title);
	free(label);
	free(both);
}

int figure_title_lines(const struct figure *f)
{
	char *wrapped = text_wrap(f->title ? f->title : "", TITLE);
	const int lines = text_lines(wrapped);

	free(wrapped);
	return lines;
}

enum { STEPS = 7, FEW = 3 };            /* of log_steps; too few ticks */
static const double log_steps[STEPS] = { 1, 1.5, 2, 3, 4, 5, 7 };

/* Ticks of each decade at 1, 2, 5, or at all steps; how many there are. out may be NULL. */
static int log_tics(bool all, double low, double high, FILE *out)
{
	const char *comma = "";
	int n = 0;

	for (double decade = pow(10, floor(log10(low))); decade <= high; decade *= 10)
		for (int i = 0; i < STEPS; i++) {
			const double at = decade * log_steps[i];

			if (at < low || at > high || !(all || i == 0 || i == 2 || i == 5))
				continue;
			if (out)
				fprintf(out, "%s'%g' %g", comma, at, at);
			comma = ", ";
			n++;
		}
	return n;
}

/* Where whole decades would be too few. */
static void put_log_tics(char axis, double low, double high, FILE *out)
{
	fprintf(out, "set %ctics (", axis);
	log_tics(log_tics(false, low, high, NULL) < FEW, low, high, out);
	fputs(")\n", out);
}

/* Plain numbers while they are short, else powers of ten, on paper with exponents to be read. */
static const char *log_format(double low, double high, bool letters)
{
	if (low >= 1e-4 && high < 2e5)
		return "%g";
	return letters ? "1e%L" : "10^{/*1.15 %L}";
}

/* ---- ticks at powers of two ---- */

/* Columns between the ends of the x axis, a picture's being of PLOT_FONT's digits. */
static double area_of(int columns)
{
	return columns ? columns - 15 : PLOT_AREA / (0.6 * PLOT_FONT);
}

static double plot_axes_position(const struct figure *f, const struct frame *b, double x)
{
	return f->logx ? log(x / b->x0) / log(b->x1 / b->x0) : (x - b->x0) / (b->x1 - b->x0);
}

/* From the highest down, as numbers fit. */
static void put_power_tics(const struct figure *f, const struct frame *b, int columns, FILE *out)
{
	const double highest = pow(2, floor(log2(b->x1)));
	const double gap = (2 + floor(log10(highest))) / area_of(columns);
	const char *comma = "";
	double last = HUGE_VAL;

	fputs("set xtics (", out);
	for (double at = highest; at >= 1 && at >= b->x0; at /= 2) {
		if (plot_axes_position(f, b, at) > last - gap)
			continue;
		last = plot_axes_position(f, b, at);
		fprintf(out, "%s'%g' %g", comma, at, at);
		comma = ", ";
	}
	fputs(")\n", out);
}

static bool is_power(double x)
{
	int exponent;

	return x >= 1 && frexp(x, &exponent) <= 0.5;
}

/* Ticks along x are at powers of two: of workers, and where all points are at such. */
static bool figure_powers(const struct figure *f)
{
	bool all = true;

	for (size_t i = 0; i < f->n; i++)
		for (size_t k = 0; k < f->series[i].n; k++)
			all = all && is_power(f->series[i].p[k].x);
	return !f->categories && !f->curves && (all ? f->logx || f->workers
						    : f->logx && f->workers);
}

/* ---- both axes ---- */

static void put_scale(char axis, bool log_axis, double low, double high, bool letters, FILE *out)
{
	if (log_axis)
		fprintf(out, "set logscale %c\n", axis);
	if (log_axis && high / low < 300)
		put_log_tics(axis, low, high, out);
	else
		fprintf(out, "set format %c '%s'\n", axis,
			log_axis ? log_format(low, high, letters) : "%g");
}

static void put_x_scale(const struct figure *f, const struct frame *b, int columns, FILE *out)
{
	const double step = f->logx || f->categories || columns ? 0 : plot_step(b->x0, b->x1);

	put_scale('x', f->logx, b->x0, b->x1, columns > 0, out);
	if (figure_powers(f))
		put_power_tics(f, b, columns, out);
	else if (step > 0)
		fprintf(out, "set xtics %g\n", step);
}

/* A terminal has no space at its side: the label stands above the axis. */
static void put_words(const struct figure *f, int columns, FILE *out)
{
	plot_axes_put_setting("xlabel", f->xlabel, columns ? columns - 12 : XLABEL, out);
	if (!columns && f->title)
		plot_axes_put_setting("title", f->title, TITLE, out);
	if (!columns)
		plot_axes_put_setting("ylabel", f->ylabel, YLABEL, out);
	if (columns)
		put_title_term(f, columns - 4, out);
}

void figure_axes(const struct figure *f, int columns, FILE *out)
{
	const struct frame b = figure_frame(f);

	put_words(f, columns, out);
	fputs("set border 3 lc rgb '#404040'\nset tics nomirror\n", out);
	put_x_scale(f, &b, columns, out);
	put_scale('y', f->logy, b.y0, b.y1, columns > 0, out);
	fprintf(out, "set xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n", b.x0, b.x1, b.y0, b.y1);
}

/* Words under the boxes. A tick's text is a format of numbers to gnuplot. */
void figure_words(const struct figure *f, bool slanted, FILE *out)
{
	const cJSON *word;
	int i = 0;

	if (!f->categories)
		return;
	fprintf(out, "set xtics noenhanced %s(",
		slanted ? "rotate by 25 right offset 0.6,0 " : "");
	cJSON_ArrayForEach(word, f->categories) {
		fputs(i ? ", " : "", out);
		gnuplot_tic(word->valuestring, out);
		fprintf(out, " %d", i++);
	}
	fputs(") scale 0\nset grid noxtics\n", out);
	fprintf(out, "set boxwidth %.4g\n", 0.72 / (double)f->n);
}
