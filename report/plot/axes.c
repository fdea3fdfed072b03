/*
 * axes.c - ranges and titles of a plot's axes, and ticks whose numbers do not overlap; signs above
 * or below all points, for means that are infinite or missing because runs diverged.
 */
#include "report/plot/plot.h"

#include "core/base/mem.h"
#include "record/measure.h"
#include "report/text/width.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which values a measure can have; curves of losses that leave the plot ---- */

/* A curve of losses leaves the plot if it rises above this multiple of its first value. */
#define LOST 1e3

bool plot_is_share(const char *name)
{
	return name && measure_range(name) == RANGE_SHARE;
}

bool plot_is_wide(double low, double high)
{
	return low > 0.0 && high > 20.0 * low;
}

void figure_bound(const struct figure *f, double *low, double *high)
{
	const enum measure_range range = f->yname ? measure_range(f->yname) : RANGE_ANY;

	if (range == RANGE_SHARE && *high > 1)
		*high = 1;
	if (*low < 0 && range != RANGE_SIGNED && range != RANGE_ANY)
		*low = 0;
}

static double least_first_loss(const struct figure *f)
{
	double least = HUGE_VAL;

	for (size_t i = 0; i < f->n; i++)
		if (f->series[i].n)
			least = fmin(least, f->series[i].p[0].y);
	return least;
}

/*
 * The loss from which on it is said that the curve rises: its first one. If runs of it diverged,
 * that may be after they did: it is the least first one of all curves then.
 */
static double first_loss(const struct figure *f, const struct series *s)
{
	return s->diverged ? least_first_loss(f) : s->n ? s->p[0].y : HUGE_VAL;
}

double figure_rise(const struct figure *f, const struct series *s)
{
	const bool loss = f->yname && measure_range(f->yname) == RANGE_LOSS;
	const double first = first_loss(f, s);
	double highest = -HUGE_VAL;

	for (size_t i = 0; i < s->n; i++)
		highest = fmax(highest, s->p[i].y);
	return f->curves && loss && first > 0 && highest > LOST * first ? highest : (double)NAN;
}

double figure_ceiling(const struct figure *f)
{
	const double first = least_first_loss(f);
	double top = 0;
	bool lost = false;

	for (size_t i = 0; i < f->n; i++) {
		const struct series *s = &f->series[i];

		if (!isnan(figure_rise(f, s))) {
			lost = true;
			top = fmax(top, s->p[0].y > LOST * first ? first : s->p[0].y);
			continue;
		}
		for (size_t k = 0; k < s->n; k++)
			top = fmax(top, s->p[k].hi);
	}
	return lost ? top * (f->logy ? 10 : 1.5) : HUGE_VAL;
}

/* ---- signs for means without a point ---- */

#define TOP 0.97                /* height of the first series' signs, 1: the plot's top ... */
#define BELOW 0.05              /* ... and how much lower those of the next series are */
enum { ROWS = 8 };              /* then they begin at TOP again */

double figure_shift(const struct figure *f, size_t i)
{
	double width = 0.8 / (double)f->n;

	return f->worded ? width * ((double)i - 0.5 * (double)(f->n - 1)) : 0;
}

/* How many series before the i-th have a sign. */
static size_t rows_before(const struct figure *f, size_t i)
{
	size_t rows = 0;

	for (size_t k = 0; k < i; k++)
		rows += f->series[k].nnever > 0;
	return rows;
}

double figure_never_margin(const struct figure *f)
{
	const size_t rows = rows_before(f, f->n);

	return rows ? 1 - TOP + BELOW * (double)(rows < ROWS ? rows : ROWS) : 0;
}

/* Meaning of a sign: "not reached" for a target, "infinite" for losses and times, or "diverged". */
static const char *never_words(const struct figure *f)
{
	struct target target;

	if (f->yname && target_parse(f->yname, &target))
		return "not reached";
	return f->yname && measure_learnt(f->yname) && measure_range(f->yname) != RANGE_LOSS ?
		       "diverged" : "infinite";
}

const char *figure_never_sign(const struct figure *f)
{
	return strcmp(never_words(f), "diverged") == 0 ? "×" : "∞";
}

/* At the upper edge a diverged accuracy would look like the best one. */
static bool never_below(const struct figure *f)
{
	return f->yname && measure_is_better_high(f->yname) &&
	       strcmp(never_words(f), "diverged") == 0;
}

double figure_never_height(const struct figure *f, size_t i)
{
	const double height = TOP - BELOW * (double)(rows_before(f, i) % ROWS);

	return never_below(f) ? 1 - height : height;
}

void figure_never(const struct figure *f, FILE *out)
{
	for (size_t i = 0; i < f->n; i++)
		for (size_t k = 0; k < f->series[i].nnever; k++)
			fprintf(out, "set label '%s' at first %.10g, graph %.3g center "
				"tc ls %zu front\n", figure_never_sign(f),
				f->series[i].never[k] + figure_shift(f, i),
				figure_never_height(f, i), i + 1);
}

const char *figure_nevers(const struct figure *f)
{
	return rows_before(f, f->n) ? never_words(f) : NULL;
}

/* ---- ranges ---- */

#define MARGIN 0.04                     /* share of a range that is left free at its ends */

/* The value, or on a log axis its logarithm; NaN: it cannot be drawn there. */
static double on_axis(double v, bool log_axis)
{
	return log_axis ? (v > 0 ? log(v) : (double)NAN) : v;
}

/* Makes the range contain v; NaN changes nothing. */
static void range_stretch(double v, double *low, double *high)
{
	if (v < *low)
		*low = v;
	if (v > *high)
		*high = v;
}

/* Makes the frame contain n points, which are drawn up to `top`. */
static void frame_stretch(struct frame *b, const struct figure *f, const struct point *p, size_t n,
			  double top)
{
	for (size_t i = 0; i < n; i++) {
		range_stretch(on_axis(p[i].x, f->logx), &b->x0, &b->x1);
		range_stretch(on_axis(fmin(p[i].lo, top), f->logy), &b->y0, &b->y1);
		range_stretch(on_axis(fmin(p[i].hi, top), f->logy), &b->y0, &b->y1);
	}
}

/* The range of all that is drawn; on log axes, of logarithms. */
static struct frame frame_drawn(const struct figure *f)
{
	struct frame b = { HUGE_VAL, -HUGE_VAL, HUGE_VAL, -HUGE_VAL };
	const double top = figure_ceiling(f);

	for (size_t i = 0; i < f->n; i++) {
		frame_stretch(&b, f, f->series[i].p, f->series[i].n, top);
		frame_stretch(&b, f, f->series[i].pub, f->series[i].npub, top);
		for (size_t k = 0; k < f->series[i].nnever; k++)
			range_stretch(on_axis(f->series[i].never[k], f->logx), &b.x0, &b.x1);
	}
	return b;
}

bool figure_boxes(const struct figure *f)
{
	struct frame b = frame_drawn(f);

	return f->worded && !f->logy && b.y0 >= 0 && b.y0 < 0.5 * b.y1;
}

/*
 * Adds a margin at both ends. A range of one value gets 1 if it is of whole numbers, else a tenth
 * of the value, or a factor of 1.5 on a log axis. A linear axis that nearly reaches 0 begins there.
 */
static void range_widen(double *low, double *high, bool log_axis, bool whole)
{
	double margin = MARGIN * (*high - *low);

	if (!(*high >= *low))
		*low = *high = 0;
	if (!(margin > 0))
		margin = log_axis ? log(1.5) : whole ? 1 : *high < 0 || *high > 0 ?
			 0.1 * fabs(*high) : 1;
	if (!log_axis && *low > 0 && *low < 0.25 * *high)
		*low = 0;
	else
		*low -= margin;
	*high += margin;
}

struct frame figure_frame(const struct figure *f)
{
	struct frame b = frame_drawn(f);

	range_widen(&b.x0, &b.x1, f->logx, f->workers);
	range_widen(&b.y0, &b.y1, f->logy, false);
	if (figure_boxes(f))
		b.y0 = 0;
	if (!never_below(f))
		b.y1 = b.y0 + (b.y1 - b.y0) / (1 - figure_never_margin(f));
	else if (!figure_boxes(f))      /* a box that is not there leaves space */
		b.y0 = b.y1 - (b.y1 - b.y0) / (1 - figure_never_margin(f));
	if (f->worded) {        /* words are at 0, 1, ... nwords - 1 */
		b.x0 = -0.6;
		b.x1 = (double)f->nwords - 0.4;
	}
	if (f->logx) {
		b.x0 = exp(b.x0);
		b.x1 = exp(b.x1);
	}
	if (f->logy) {
		b.y0 = exp(b.y0);
		b.y1 = exp(b.y1);
	}
	return b;
}

/* ---- ticks of a linear axis ---- */

enum { DIGITS = 6, MOST_DIGITS = 15 };

/* Significant digits that tell ticks between two values apart. */
static int axis_digits(double low, double high)
{
	const double ratio = 10 * fmax(fabs(low), fabs(high)) / (high - low);

	if (!isfinite(ratio) || ratio < pow(10, DIGITS - 1))
		return DIGITS;
	return ratio < pow(10, MOST_DIGITS - 1) ? 2 + (int)log10(ratio) : MOST_DIGITS;
}

enum { MOST_TICKS = 10 };               /* about as many as gnuplot makes */

/* The step after one of 1, 2, 5, 10, 20, ... */
static double coarser_step(double step)
{
	const double first = step / pow(10, floor(log10(step) + 1e-9));

	return first > 1.5 && first < 2.5 ? 2.5 * step : 2 * step;
}

/* Pixels of the longest number of these ticks, and of a gap. */
static double tick_width(double low, double high, double step)
{
	size_t longest = 0;

	for (double at = ceil(low / step); at * step <= high; at++) {
		char number[32];
		const int n = snprintf(number, sizeof(number), "%g", at * step);

		longest = (size_t)n > longest ? (size_t)n : longest;
	}
	return 0.6 * PLOT_FONT * (double)(longest + 1);
}

double plot_step(double low, double high, double width)
{
	const double range = high - low, most = fmax(fabs(low), fabs(high));
	double step = pow(10, floor(log10(range / MOST_TICKS)));
	const double pixel = range / width;     /* in the axis' units */
	int tried = 0;

	if (!(range > 1e-9 * most) || !isfinite(range))
		return 0;
	/* gnuplot's own step; then coarser ones, until the numbers fit */
	while (range / step > MOST_TICKS)
		step = coarser_step(step);
	while (tick_width(low, high, step) * pixel > step && tried++ < MOST_TICKS)
		step = coarser_step(step);
	return tried ? step : 0;
}

/* ---- ticks of a log axis ---- */

enum { STEPS = 7 };
enum { FEW = 3 };               /* fewer ticks are too few */
enum { WIDE = 300 };            /* from this ratio of the ends on, gnuplot's ticks at decades do */
static const double log_steps[STEPS] = { 1, 1.5, 2, 3, 4, 5, 7 };

/* Writes a tick and its number, with `digits` digits; 0: without a number. */
static void tick_put(const char *comma, double at, int digits, FILE *out)
{
	if (digits)
		fprintf(out, "%s'%.*g' %.*g", comma, digits, at, digits, at);
	else
		fprintf(out, "%s'' %.10g", comma, at);
}

/*
 * Writes ticks at 1, 2 and 5 of each decade, or at all steps. Returns their number; out NULL:
 * counts them only.
 */
static int log_ticks(bool all, double low, double high, bool numbers, FILE *out)
{
	int n = 0;

	for (double decade = pow(10, floor(log10(low))); decade <= high; decade *= 10)
		for (int i = 0; i < STEPS; i++) {
			const double at = decade * log_steps[i];

			if (at < low || at > high || !(all || i == 0 || i == 2 || i == 5))
				continue;
			if (out)
				tick_put(n ? ", " : "", at, numbers ? DIGITS : 0, out);
			n++;
		}
	return n;
}

/* Writes three to seven ticks, at multiples of 1, 2 or 5 times a power of ten. */
static void even_ticks(double low, double high, bool numbers, FILE *out)
{
	const double most = (high - low) / FEW, power = pow(10, floor(log10(most)));
	const double step = power * (5 * power <= most ? 5 : 2 * power <= most ? 2 : 1);
	const char *comma = "";

	for (double k = ceil(low / step); k * step <= high; k++) {
		tick_put(comma, k * step, numbers ? axis_digits(low, high) : 0, out);
		comma = ", ";
	}
}

void plot_log_axis(char axis, double low, double high, bool numbers, bool letters, FILE *out)
{
	/* plain numbers while they are short; else powers of ten, with legible exponents */
	const char *format = low >= 1e-4 && high < 2e5 ? "%g" : letters ? "1e%L" :
									  "10^{/*1.15 %L}";
	bool all;

	fprintf(out, "set logscale %c\n", axis);
	if (!(high / low < WIDE)) {
		fprintf(out, "set format %c '%s'\n", axis, numbers ? format : "");
		return;
	}
	all = log_ticks(false, low, high, true, NULL) < FEW;
	fprintf(out, "set %ctics (", axis);
	if (all && log_ticks(true, low, high, true, NULL) < FEW)
		even_ticks(low, high, numbers, out);
	else
		log_ticks(all, low, high, numbers, out);
	fputs(")\n", out);
}

/* ---- ticks at powers of two ---- */

/*
 * Writes ticks at powers of two, from the highest down, leaving out those without space for a
 * number; `digits` fit along the axis. Returns their number; out NULL: counts them only.
 */
static int power_ticks(bool log_axis, double low, double high, double digits, bool numbers,
		      FILE *out)
{
	const double highest = pow(2, floor(log2(high)));
	double last = HUGE_VAL, half = 0.0;     /* of the axis: the last tick, and of its number */
	int n = 0;

	for (double at = highest; at >= 1 && at >= low; at /= 2) {
		const double x = log_axis ? log(at / low) / log(high / low)
					  : (at - low) / (high - low);
		const double own = 0.5 * (1 + floor(log10(at))) / digits;

		if (x > last - half - own - 1 / digits)
			continue;
		last = x;
		half = own;
		if (out)
			tick_put(n ? ", " : "", at, numbers ? DIGITS : 0, out);
		n++;
	}
	return n;
}

bool plot_power_ticks(bool log_axis, double low, double high, double digits, bool numbers,
		      FILE *out)
{
	if (!isfinite(high) || power_ticks(log_axis, low, high, digits, true, NULL) < 2)
		return false;
	fputs("set xtics (", out);
	power_ticks(log_axis, low, high, digits, numbers, out);
	fputs(")\n", out);
	return true;
}

/*
 * True when ticks along x are at powers of two: if all points are, and x counts workers or is
 * logarithmic; on a log axis of workers always.
 */
static bool figure_powers(const struct figure *f)
{
	bool all = true;
	int exponent;

	for (size_t i = 0; i < f->n; i++)
		for (size_t k = 0; k < f->series[i].n; k++) {
			const double x = f->series[i].p[k].x;

			all = all && x >= 1 && frexp(x, &exponent) <= 0.5;
		}
	return !f->worded && !f->curves && (all ? f->logx || f->workers : f->logx && f->workers);
}

/* ---- both axes ---- */

/* Most characters in a line of the title, the x label and the y label. */
enum { TITLE = 56, YLABEL = 34 };

/* Writes "set WHAT TEXT" for gnuplot, and frees the text. */
static void setting_put(const char *what, char *text, FILE *out)
{
	fprintf(out, "set %s ", what);
	gnuplot_string(text, out);
	fputs(" noenhanced\n", out);
	free(text);
}

/* Letters of a title along x, and of the label along y, in a picture of the figure's size. */
static int title_letters(const struct figure *f)
{
	return (int)fmax(TITLE * figure_width(f) / PLOT_WIDTH, 10);
}

static int ylabel_letters(const struct figure *f)
{
	return (int)fmax(YLABEL * figure_area_height(f) / PLOT_AREA_HEIGHT, 10);
}

int figure_title_lines(const struct figure *f)
{
	scoped char *wrapped = text_wrap(f->title ? f->title : "", title_letters(f));

	return text_lines(wrapped);
}

static void scale_put(char axis, bool log_axis, double low, double high, bool letters, FILE *out)
{
	const int digits = axis_digits(low, high);

	if (log_axis)
		plot_log_axis(axis, low, high, true, letters, out);
	else if (digits == DIGITS)
		fprintf(out, "set format %c '%%g'\n", axis);
	else
		fprintf(out, "set format %c '%%.%dg'\n", axis, digits);
}

static void x_scale_put(const struct figure *f, const struct frame *b, int columns, FILE *out)
{
	const double width = figure_area_width(f);
	/* of numbers side by side along the axis; a terminal has margins */
	const double digits = columns ? columns - 15 : width / (0.6 * PLOT_FONT);
	const double step = f->logx || f->worded || columns ? 0 : plot_step(b->x0, b->x1, width);

	if (figure_powers(f) && plot_power_ticks(f->logx, b->x0, b->x1, digits, true, out)) {
		fputs(f->logx ? "set logscale x\n" : "", out);
		return;
	}
	scale_put('x', f->logx, b->x0, b->x1, columns > 0, out);
	if (step > 0)
		fprintf(out, "set xtics %g\n", step);
	else if (f->workers && !f->worded && b->x1 - b->x0 < 5)
		fputs("set xtics 1\n", out);
}

void figure_axes(const struct figure *f, int columns, FILE *out)
{
	const struct frame b = figure_frame(f);
	const int xdigits = axis_digits(b.x0, b.x1), ydigits = axis_digits(b.y0, b.y1);

	setting_put("xlabel", text_wrap(f->xlabel, columns ? columns - 12
							    : title_letters(f)), out);
	if (columns) {
		/* A terminal has no space at its side: the label stands above the axis. */
		scoped char *title = text_wrap(f->title ? f->title : "", columns - 4);
		scoped char *label = text_wrap(f->ylabel, columns - 4);

		setting_put("title", xasprintf("%s%s%s", title, *title ? "\n" : "", label), out);
	} else {
		if (f->title && !f->form)
			setting_put("title", text_wrap(f->title, title_letters(f)), out);
		setting_put("ylabel", text_wrap(f->ylabel, ylabel_letters(f)), out);
	}
	fputs("set border 3 lc rgb '#404040'\nset tics nomirror\n", out);
	x_scale_put(f, &b, columns, out);
	scale_put('y', f->logy, b.y0, b.y1, columns > 0, out);
	fprintf(out, "set xrange [%.*g:%.*g]\n", xdigits, b.x0, xdigits, b.x1);
	fprintf(out, "set yrange [%.*g:%.*g]\n", ydigits, b.y0, ydigits, b.y1);
}

/* The words on the x axis. gnuplot_tic(): gnuplot takes the text of a tick for a number format. */
void figure_words(const struct figure *f, bool slanted, FILE *out)
{
	if (!f->worded)
		return;
	fprintf(out, "set xtics noenhanced %s(",
		slanted ? "rotate by 25 right offset 0.6,0 " : "");
	for (size_t i = 0; i < f->nwords; i++) {
		fputs(i ? ", " : "", out);
		gnuplot_tic(f->words[i], out);
		fprintf(out, " %zu", i);
	}
	fputs(") scale 0\nset grid noxtics\n", out);
	fprintf(out, "set boxwidth %.4g\n", 0.72 / (double)f->n);
}
