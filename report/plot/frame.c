/* The frame of a plot: its ranges, and tics whose numbers fit. */
#include "report/plot/plot.h"

#include <math.h>
#include <stdio.h>

enum { TICS = 10 };                     /* gnuplot has about so many at most */
#define MARGIN 0.04                     /* share of a range that is left free at its ends */

static double on_axis(double v, bool log_axis)
{
	return log_axis ? (v > 0 ? log(v) : (double)NAN) : v;
}

static void plot_frame_stretch(double v, double *low, double *high)
{
	if (v < *low)
		*low = v;
	if (v > *high)
		*high = v;
}

static void stretch_all(const struct figure *f, const struct point *p, size_t n, struct frame *b)
{
	const double top = figure_ceiling(f);

	for (size_t i = 0; i < n; i++) {
		plot_frame_stretch(on_axis(p[i].x, f->logx), &b->x0, &b->x1);
		plot_frame_stretch(on_axis(fmin(p[i].lo, top), f->logy), &b->y0, &b->y1);
		plot_frame_stretch(on_axis(fmin(p[i].hi, top), f->logy), &b->y0, &b->y1);
	}
}

/*
 * Leaves a margin at both ends, of whole numbers where one is alone; a linear axis that nearly
 * reaches 0 begins there.
 */
static void plot_frame_widen(double *low, double *high, bool log_axis, bool whole)
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

static struct frame plot_frame_seen(const struct figure *f)
{
	struct frame b = { HUGE_VAL, -HUGE_VAL, HUGE_VAL, -HUGE_VAL };

	for (size_t i = 0; i < f->n; i++) {
		stretch_all(f, f->series[i].p, f->series[i].n, &b);
		stretch_all(f, f->series[i].pub, f->series[i].npub, &b);
		for (size_t k = 0; k < f->series[i].nnever; k++)
			plot_frame_stretch(on_axis(f->series[i].never[k], f->logx), &b.x0, &b.x1);
	}
	return b;
}

bool figure_boxes(const struct figure *f)
{
	struct frame b = plot_frame_seen(f);

	return f->categories && !f->logy && b.y0 >= 0 && b.y0 < 0.5 * b.y1;
}

/* The frame with log axes still as logarithms. */
static struct frame plot_frame_wide(const struct figure *f)
{
	struct frame b = plot_frame_seen(f);

	plot_frame_widen(&b.x0, &b.x1, f->logx, f->workers);
	plot_frame_widen(&b.y0, &b.y1, f->logy, false);
	if (figure_boxes(f))
		b.y0 = 0;
	b.y1 = b.y0 + (b.y1 - b.y0) / (1 - figure_never_margin(f));
	if (f->categories) {
		b.x0 = -0.6;
		b.x1 = cJSON_GetArraySize(f->categories) - 0.4;
	}
	return b;
}

struct frame figure_frame(const struct figure *f)
{
	struct frame b = plot_frame_wide(f);

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

/* ---- tics along x ---- */

/* The next of 1, 2, 5, 10, 20, .. */
static double plot_frame_coarser(double step)
{
	const double first = step / pow(10, floor(log10(step) + 1e-9));

	return first > 1.5 && first < 2.5 ? 2.5 * step : 2 * step;
}

/* Pixels that the longest number of these tics takes, and a gap. */
static double number_width(double low, double high, double step)
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
	double step = pow(10, floor(log10(range / TICS)));
	const double pixel = range / width;
	int tried = 0;

	if (!(range > 1e-9 * most) || !isfinite(range))
		return 0;
	while (range / step > TICS)
		step = plot_frame_coarser(step);
	while (number_width(low, high, step) * pixel > step && tried++ < TICS)
		step = plot_frame_coarser(step);
	return tried ? step : 0;
}
