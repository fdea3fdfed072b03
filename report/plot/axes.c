/* Axes in a script of gnuplot: titles, ranges, and ticks whose numbers do not overlap. */
#include "report/plot/plot.h"

#include "core/base/mem.h"
#include "report/text/width.h"

#include <math.h>
#include <stdlib.h>

/* Letters in a line of a title, of the label below, and of the one at the side. */
enum { TITLE = 56, XLABEL = 56, YLABEL = 34 };

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

/* ---- ticks of a log axis ---- */

enum { STEPS = 7, FEW = 3, WIDE = 300 };        /* of log_steps; too few ticks; decades do */
static const double log_steps[STEPS] = { 1, 1.5, 2, 3, 4, 5, 7 };

enum { DIGITS = 6, MOST_DIGITS = 15 };

/* Significant digits that tell ticks between two values apart. */
static int axis_digits(double low, double high)
{
	const double ratio = 10 * fmax(fabs(low), fabs(high)) / (high - low);

	if (!isfinite(ratio) || ratio < pow(10, DIGITS - 1))
		return DIGITS;
	return ratio < pow(10, MOST_DIGITS - 1) ? 2 + (int)log10(ratio) : MOST_DIGITS;
}

/* digits of its number; 0: it has none. */
static void put_tick(const char *comma, double at, int digits, FILE *out)
{
	if (digits)
		fprintf(out, "%s'%.*g' %.*g", comma, digits, at, digits, at);
	else
		fprintf(out, "%s'' %.10g", comma, at);
}

/* Ticks of each decade at 1, 2, 5, or at all steps; how many there are. out may be NULL. */
static int log_tics(bool all, double low, double high, bool numbers, FILE *out)
{
	int n = 0;

	for (double decade = pow(10, floor(log10(low))); decade <= high; decade *= 10)
		for (int i = 0; i < STEPS; i++) {
			const double at = decade * log_steps[i];

			if (at < low || at > high || !(all || i == 0 || i == 2 || i == 5))
				continue;
			if (out)
				put_tick(n ? ", " : "", at, numbers ? DIGITS : 0, out);
			n++;
		}
	return n;
}

/* Three to seven, at multiples of 1, 2 or 5 and a power of ten. */
static void even_tics(double low, double high, bool numbers, FILE *out)
{
	const double most = (high - low) / FEW, power = pow(10, floor(log10(most)));
	const double step = power * (5 * power <= most ? 5 : 2 * power <= most ? 2 : 1);
	const char *comma = "";

	for (double k = ceil(low / step); k * step <= high; k++) {
		put_tick(comma, k * step, numbers ? axis_digits(low, high) : 0, out);
		comma = ", ";
	}
}

/* Plain numbers while they are short, else powers of ten, on paper with exponents to be read. */
static const char *log_format(double low, double high, bool letters)
{
	if (low >= 1e-4 && high < 2e5)
		return "%g";
	return letters ? "1e%L" : "10^{/*1.15 %L}";
}

void plot_log_axis(char axis, double low, double high, bool numbers, bool letters, FILE *out)
{
	bool all;

	fprintf(out, "set logscale %c\n", axis);
	if (!(high / low < WIDE)) {
		fprintf(out, "set format %c '%s'\n", axis,
			numbers ? log_format(low, high, letters) : "");
		return;
	}
	all = log_tics(false, low, high, true, NULL) < FEW;
	fprintf(out, "set %ctics (", axis);
	if (all && log_tics(true, low, high, true, NULL) < FEW)
		even_tics(low, high, numbers, out);
	else
		log_tics(all, low, high, numbers, out);
	fputs(")\n", out);
}

/* ---- ticks at powers of two ---- */

/* From the highest down. How many there are; out may be NULL. */
static int power_tics(bool log_axis, double low, double high, double digits, bool numbers,
		      FILE *out)
{
	const double highest = pow(2, floor(log2(high)));
	const double gap = (2 + floor(log10(highest))) / digits;
	double last = HUGE_VAL;
	int n = 0;

	for (double at = highest; at >= 1 && at >= low; at /= 2) {
		const double x = log_axis ? log(at / low) / log(high / low)
					  : (at - low) / (high - low);

		if (x > last - gap)
			continue;
		last = x;
		if (out)
			put_tick(n ? ", " : "", at, numbers ? DIGITS : 0, out);
		n++;
	}
	return n;
}

bool plot_power_ticks(bool log_axis, double low, double high, double digits, bool numbers,
		      FILE *out)
{
	if (!isfinite(high) || power_tics(log_axis, low, high, digits, true, NULL) < 2)
		return false;
	fputs("set xtics (", out);
	power_tics(log_axis, low, high, digits, numbers, out);
	fputs(")\n", out);
	return true;
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

static void put_format(char axis, double low, double high, FILE *out)
{
	if (axis_digits(low, high) == DIGITS)
		fprintf(out, "set format %c '%%g'\n", axis);
	else
		fprintf(out, "set format %c '%%.%dg'\n", axis, axis_digits(low, high));
}

static void put_range(char axis, double low, double high, FILE *out)
{
	const int digits = axis_digits(low, high);

	fprintf(out, "set %crange [%.*g:%.*g]\n", axis, digits, low, digits, high);
}

/* digits: of numbers side by side along the axis. */
static void put_x_scale(const struct figure *f, const struct frame *b, int columns, FILE *out)
{
	const double width = figure_area_width(f);
	const double digits = columns ? columns - 15 : width / (0.6 * PLOT_FONT);
	const double step = f->logx || f->categories || columns ? 0 :
				    plot_step(b->x0, b->x1, width);

	if (figure_powers(f) && plot_power_ticks(f->logx, b->x0, b->x1, digits, true, out)) {
		fputs(f->logx ? "set logscale x\n" : "", out);
		return;
	}
	if (f->logx)
		plot_log_axis('x', b->x0, b->x1, true, columns > 0, out);
	else
		put_format('x', b->x0, b->x1, out);
	if (step > 0)
		fprintf(out, "set xtics %g\n", step);
	else if (f->workers && !f->categories && b->x1 - b->x0 < 5)
		fputs("set xtics 1\n", out);
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
	if (f->logy)
		plot_log_axis('y', b.y0, b.y1, true, columns > 0, out);
	else
		put_format('y', b.y0, b.y1, out);
	put_range('x', b.x0, b.x1, out);
	put_range('y', b.y0, b.y1, out);
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
