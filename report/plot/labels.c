/*
 * labels.c - more series than a legend can be read for have their names at their lines and points;
 * where names are long, numbers, which the legend explains.
 *
 * Lines have their labels in a column right of the axes, in the order of their ends and each as
 * near to its end as the others leave it; points have them next to them, where they hide least.
 * Lengths are pixels of the SVG, y from below.
 */
#include "report/plot/plot.h"

#include "core/base/mem.h"
#include "report/text/width.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { IN_LEGEND = 6, NAME = 18 };      /* most series there; letters of a short name */
enum { LINE = 20, GAP = 26 };           /* height of a label; from the axes to the column */
enum { LEFT = 105 };                    /* of the axes, about: gnuplot computes it later */
#define LETTER (0.6 * PLOT_FONT)

enum plot_naming figure_naming(const struct figure *f)
{
	if (f->n <= IN_LEGEND)
		return PLOT_LEGEND;
	for (size_t i = 0; i < f->n; i++)
		if (f->categories || !*f->series[i].title || strchr(f->series[i].title, '\n') ||
		    text_width(f->series[i].title) > NAME)
			return PLOT_NUMBERS;
	return PLOT_NAMES;
}

/* Some series is a line along a number. */
static bool has_lines(const struct figure *f)
{
	bool lines = false;

	for (size_t i = 0; i < f->n; i++)
		lines = lines || f->series[i].n > 1;
	return lines && !f->categories;
}

/* The caller frees. */
static char *label_text(const struct figure *f, size_t i)
{
	return figure_naming(f) == PLOT_NAMES ? xstrdup(f->series[i].title)
					      : xasprintf("%zu", i + 1);
}

static double label_width(const struct figure *f, size_t i)
{
	char *text = label_text(f, i);
	const double width = LETTER * text_width(text);

	free(text);
	return width;
}

double figure_side(const struct figure *f)
{
	double widest = 0;

	if (figure_naming(f) == PLOT_LEGEND || !has_lines(f))
		return 0;
	for (size_t i = 0; i < f->n; i++)
		widest = fmax(widest, label_width(f, i));
	return GAP + widest;
}

double figure_area_width(const struct figure *f)
{
	const double side = figure_side(f);

	return side > 0 ? fmin(PLOT_AREA, PLOT_WIDTH - LEFT - side) : PLOT_AREA;
}

double figure_area_height(const struct figure *f)
{
	return figure_side(f) > 0 ? fmax(PLOT_AREA_HEIGHT, LINE * (double)f->n) : PLOT_AREA_HEIGHT;
}

/* ---- what is labelled: the last point of a series ---- */

struct spot {
	size_t series;
	double x, y;            /* in the axes */
};

static double label_share(double v, double low, double high, bool log_axis)
{
	const double at = log_axis ? log(v / low) / log(high / low) : (v - low) / (high - low);

	return isfinite(at) ? fmin(fmax(at, 0), 1) : 1;
}

static struct spot spot_at(const struct figure *f, size_t i, double x, double y)
{
	const struct frame b = figure_frame(f);

	return (struct spot){
		i, figure_area_width(f) * label_share(x + figure_shift(f, i), b.x0, b.x1, f->logx),
		figure_area_height(f) * label_share(y, b.y0, b.y1, f->logy)
	};
}

static struct spot spot_of(const struct figure *f, size_t i)
{
	const struct series *s = &f->series[i];
	struct spot spot;

	if (s->n)
		return spot_at(f, i, s->p[s->n - 1].x, s->p[s->n - 1].y);
	spot = spot_at(f, i, s->nnever ? s->never[s->nnever - 1] : 0, HUGE_VAL);
	spot.y = figure_never_height(f, i) * figure_area_height(f);
	return spot;
}

/* ---- writing ---- */

static void put_label(const struct figure *f, size_t i, double x, double y, const char *side,
		      FILE *out)
{
	char *text = label_text(f, i);

	fputs("set label ", out);
	gnuplot_string(text, out);
	fprintf(out, " at graph %.4f, graph %.4f %s front noenhanced tc rgb '%s'\n",
		x / figure_area_width(f), y / figure_area_height(f), side, figure_look(f, i).color);
	free(text);
}

static void put_leader(const struct figure *f, const struct spot *from, double x, double y,
		       FILE *out)
{
	const double width = figure_area_width(f), height = figure_area_height(f);

	fprintf(out, "set arrow from graph %.4f, graph %.4f to graph %.4f, graph %.4f nohead back "
		"lc rgb '%s' lw 1 dt (3,3)\n", from->x / width, from->y / height, x / width,
		y / height, figure_look(f, from->series).color);
}

/* ---- a column ---- */

static int by_height(const void *a, const void *b)
{
	const struct spot *p = a, *q = b;

	if (p->y < q->y || p->y > q->y)
		return p->y < q->y ? -1 : 1;
	return (p->series < q->series) - (p->series > q->series);
}

/*
 * The heights of n labels, LINE or more apart, that are nearest to those of the spots, which are
 * sorted: neighbours that are too near are one block, at the mean of what its labels want.
 */
static void spread(const struct spot *spot, size_t n, double height, double *y)
{
	const double line = fmin(LINE, height / (double)n), top = height - line * (double)(n - 1);
	struct block {
		double sum;
		size_t n;
	} *block = xcalloc(n, sizeof(*block));
	size_t blocks = 0, k = 0;

	for (size_t i = 0; i < n; i++) {
		block[blocks++] = (struct block){ spot[i].y - line * (double)i, 1 };
		while (blocks > 1 && block[blocks - 2].sum / (double)block[blocks - 2].n >
					     block[blocks - 1].sum / (double)block[blocks - 1].n) {
			block[blocks - 2].sum += block[blocks - 1].sum;
			block[blocks - 2].n += block[blocks - 1].n;
			blocks--;
		}
	}
	for (size_t b = 0; b < blocks; b++)
		for (size_t i = 0; i < block[b].n; i++, k++)
			y[k] = fmin(fmax(block[b].sum / (double)block[b].n, 0), top) +
			       line * (double)k;
	free(block);
}

static void put_column(const struct figure *f, FILE *out)
{
	const double width = figure_area_width(f), height = figure_area_height(f);
	struct spot *spot = xcalloc(f->n, sizeof(*spot));
	double *y = xcalloc(f->n, sizeof(*y));

	for (size_t i = 0; i < f->n; i++)
		spot[i] = spot_of(f, i);
	qsort(spot, f->n, sizeof(*spot), by_height);
	spread(spot, f->n, height, y);
	for (size_t i = 0; i < f->n; i++) {
		put_leader(f, &spot[i], width + GAP - 8, y[i], out);
		put_label(f, spot[i].series, width + GAP - 4, y[i], "left", out);
	}
	fprintf(out, "set rmargin at screen %.4f\n", 1 - figure_side(f) / PLOT_WIDTH);
	free(spot);
	free(y);
}

/* ---- next to points ---- */

struct box {
	double x0, y0, x1, y1;
};

static double boxes_share(const struct box *a, const struct box *b)
{
	return fmax(fmin(a->x1, b->x1) - fmax(a->x0, b->x0), 0) *
	       fmax(fmin(a->y1, b->y1) - fmax(a->y0, b->y0), 0);
}

/* What each point and its deviation hide of a box, in pixels; outside the axes everything is. */
static double box_hidden(const struct figure *f, const struct box *box)
{
	const struct box axes = { 0, 0, figure_area_width(f), figure_area_height(f) };
	double hidden = (box->x1 - box->x0) * (box->y1 - box->y0) - boxes_share(box, &axes);

	for (size_t i = 0; i < f->n; i++)
		for (size_t k = 0; k < f->series[i].n; k++) {
			const struct point *p = &f->series[i].p[k];
			const struct spot at = spot_at(f, i, p->x, p->y);
			const struct box mark = { at.x - 7, at.y - 7, at.x + 7, at.y + 7 };
			const struct box bar = { at.x - 3, spot_at(f, i, p->x, p->lo).y, at.x + 3,
						 spot_at(f, i, p->x, p->hi).y };

			hidden += 3 * boxes_share(box, &mark) + boxes_share(box, &bar);
		}
	return hidden;
}

/* Where a label is tried: to which side of its point, and how far away. */
static const double sides[][2] = { { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 }, { 1, 1 }, { 1, -1 },
				   { -1, 1 }, { -1, -1 } };
static const double distances[] = { 13, 26, 44, 66, 90 };
enum { SIDES = sizeof(sides) / sizeof(sides[0]) };
enum { DISTANCES = sizeof(distances) / sizeof(distances[0]) };

static struct box box_at(const struct spot *spot, double width, int side, double distance)
{
	const double x = spot->x + sides[side][0] * distance;
	const double y = spot->y + sides[side][1] * (distance + (sides[side][0] ? 0 : 3));
	const double left = sides[side][0] > 0 ? 0 : sides[side][0] < 0 ? width : width / 2;

	return (struct box){ x - left, y - LINE / 2.0, x - left + width, y + LINE / 2.0 };
}

static void put_near(const struct figure *f, size_t i, struct box *taken, FILE *out)
{
	const struct spot spot = spot_of(f, i);
	const double width = label_width(f, i);
	double least = HUGE_VAL;
	int best = 0;

	for (int k = 0; k < SIDES * DISTANCES; k++) {
		const struct box box = box_at(&spot, width, k % SIDES, distances[k / SIDES]);
		double cost = box_hidden(f, &box) + 5 * k;

		for (size_t j = 0; j < i; j++)
			cost += 4 * boxes_share(&box, &taken[j]);
		if (cost < least) {
			least = cost;
			best = k;
		}
	}
	taken[i] = box_at(&spot, width, best % SIDES, distances[best / SIDES]);
	if (best >= SIDES)
		put_leader(f, &spot, fmin(fmax(spot.x, taken[i].x0), taken[i].x1),
			   fmin(fmax(spot.y, taken[i].y0 + 5), taken[i].y1 - 5), out);
	put_label(f, i, taken[i].x0, (taken[i].y0 + taken[i].y1) / 2, "left", out);
}

void figure_labels(const struct figure *f, FILE *out)
{
	struct box *taken = xcalloc(f->n, sizeof(*taken));

	if (figure_side(f) > 0)
		put_column(f, out);
	else if (figure_naming(f) != PLOT_LEGEND)
		for (size_t i = 0; i < f->n; i++)
			put_near(f, i, taken, out);
	free(taken);
}
