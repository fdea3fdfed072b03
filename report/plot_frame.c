/*
 * plot_frame.c - the frame of a plot: its ranges, and the corner in which a legend hides nothing.
 */
#include "report/plot.h"

#include <math.h>
#include <string.h>

enum { BETWEEN = 8 };                   /* places looked at along a line from point to point */
#define MARGIN 0.04                     /* share of a range that is left free at its ends */

static double on_axis(double v, bool log_axis)
{
	return log_axis ? (v > 0 ? log(v) : (double)NAN) : v;
}

static void stretch(double v, double *low, double *high)
{
	if (v < *low)
		*low = v;
	if (v > *high)
		*high = v;
}

static void stretch_all(const struct figure *f, const struct point *p, size_t n, struct frame *b)
{
	for (size_t i = 0; i < n; i++) {
		stretch(on_axis(p[i].x, f->logx), &b->x0, &b->x1);
		stretch(on_axis(p[i].lo, f->logy), &b->y0, &b->y1);
		stretch(on_axis(p[i].hi, f->logy), &b->y0, &b->y1);
	}
}

/* Leaves room at both ends; a linear axis that nearly reaches 0 begins there. */
static void widen(double *low, double *high, bool log_axis)
{
	double room = MARGIN * (*high - *low);

	if (!(*high >= *low))
		*low = *high = 0;
	if (!(room > 0))
		room = log_axis ? log(1.5) : *high < 0 || *high > 0 ? 0.1 * fabs(*high) : 1;
	if (!log_axis && *low > 0 && *low < 0.25 * *high)
		*low = 0;
	else
		*low -= room;
	*high += room;
}

static struct frame seen(const struct figure *f)
{
	struct frame b = { HUGE_VAL, -HUGE_VAL, HUGE_VAL, -HUGE_VAL };

	for (size_t i = 0; i < f->n; i++) {
		stretch_all(f, f->series[i].p, f->series[i].n, &b);
		stretch_all(f, f->series[i].pub, f->series[i].npub, &b);
		for (size_t k = 0; k < f->series[i].nnever; k++)
			stretch(on_axis(f->series[i].never[k], f->logx), &b.x0, &b.x1);
	}
	return b;
}

bool figure_boxes(const struct figure *f)
{
	struct frame b = seen(f);

	return f->categories && !f->logy && b.y0 >= 0 && b.y0 < 0.5 * b.y1;
}

/* The frame with log axes still as logarithms. */
static struct frame wide(const struct figure *f)
{
	struct frame b = seen(f);

	widen(&b.x0, &b.x1, f->logx);
	widen(&b.y0, &b.y1, f->logy);
	if (figure_boxes(f))
		b.y0 = 0;
	if (f->categories) {
		b.x0 = -0.6;
		b.x1 = cJSON_GetArraySize(f->categories) - 0.4;
	}
	return b;
}

struct frame figure_frame(const struct figure *f)
{
	struct frame b = wide(f);

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

/* The share of the plot that the legend needs. */
static void legend_size(const struct figure *f, double *width, double *height)
{
	size_t longest = f->seeds > 1 ? 22 : 9, lines = f->seeds > 1 ? 2 : 1;

	for (size_t i = 0; i < f->n; i++) {
		size_t n = strlen(f->series[i].title);

		longest = n > longest ? n : longest;
		lines += 1 + (i == 0 && f->series[i].npub);
	}
	*width = 0.15 + 0.017 * (double)longest;
	*height = 0.03 + 0.06 * (double)lines;
}

/* True when the place (x, y), both in [0, 1], lies in that corner. */
static bool inside(double x, double y, bool top, bool right, double width, double height)
{
	return (right ? x > 1 - width : x < width) && (top ? y > 1 - height : y < height);
}

static bool hits(const struct figure *f, const struct frame *b, const struct point *p, size_t n,
		 bool top, bool right)
{
	double width, height;

	legend_size(f, &width, &height);
	for (size_t i = 0; i < n; i++) {
		size_t j = i + 1 < n ? i + 1 : i;

		for (int k = 0; k < BETWEEN; k++) {
			double t = (double)k / BETWEEN;
			double x = (1 - t) * on_axis(p[i].x, f->logx) +
				   t * on_axis(p[j].x, f->logx);
			double lo = (1 - t) * on_axis(p[i].lo, f->logy) +
				    t * on_axis(p[j].lo, f->logy);
			double hi = (1 - t) * on_axis(p[i].hi, f->logy) +
				    t * on_axis(p[j].hi, f->logy);

			x = (x - b->x0) / (b->x1 - b->x0);
			lo = (lo - b->y0) / (b->y1 - b->y0);
			hi = (hi - b->y0) / (b->y1 - b->y0);
			if (inside(x, lo, top, right, width, height) ||
			    inside(x, hi, top, right, width, height))
				return true;
		}
	}
	return false;
}

/* True when a sign for an infinite mean lies there. */
static bool hits_never(const struct figure *f, const struct frame *b, size_t i, bool right)
{
	double width, height;

	legend_size(f, &width, &height);
	for (size_t k = 0; k < f->series[i].nnever; k++) {
		double x = on_axis(f->series[i].never[k] + figure_shift(f, i), f->logx);

		if (inside((x - b->x0) / (b->x1 - b->x0), figure_never_height(i), true, right,
			   width, height))
			return true;
	}
	return false;
}

static bool free_corner(const struct figure *f, const struct frame *b, bool top, bool right)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct series *s = &f->series[i];

		if (hits(f, b, s->p, s->n, top, right) ||
		    hits(f, b, s->pub, s->npub, top, right) ||
		    (top && hits_never(f, b, i, right)))
			return false;
	}
	return true;
}

const char *figure_corner(const struct figure *f)
{
	static const char *const name[] = { "top right", "top left", "bottom right",
					    "bottom left" };
	struct frame b = wide(f);

	for (int i = 0; i < (figure_boxes(f) ? 2 : 4); i++)
		if (free_corner(f, &b, i < 2, i % 2 == 0))
			return name[i];
	return NULL;
}
