/*
 * legend.c - the names of series: in a legend, which stands in a corner where it hides nothing or
 * below, where the picture grows by its rows; of more series than a legend can be read for, at
 * their lines and points, or, where names are long, as numbers, which the legend explains.
 *
 * Lengths are pixels of the SVG, y from below. gnuplot takes every letter of the legend for 0.7 of
 * the font's size, and a line for 1.5 of it, times the legend's spacing.
 */
#include "report/plot/plot.h"

#include "core/base/mem.h"
#include "core/text/word.h"
#include "report/text/width.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- titles of series ---- */

enum { TITLE_WIDTH = 40 };      /* letters in a line */

static bool has_common_seeds(const struct figure *f, const struct series *s)
{
	return s->fewest == f->seeds && s->most == f->seeds;
}

/* Whether no difference of the two could be seen. */
static bool points_are_same(const struct series *a, const struct series *b)
{
	static const double part = 1e-3;

	if (a->n != b->n || a->n < 2)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		const struct point *p = &a->p[i], *q = &b->p[i];

		if (!(fabs(p->x - q->x) <= part * fabs(p->x) &&
		      fabs(p->y - q->y) <= part * fabs(p->y)))
			return false;
	}
	return true;
}

/* The first series, before s, on whose points those of s lie; NULL: there is none. */
static const struct series *series_under(const struct figure *f, const struct series *s)
{
	for (const struct series *one = f->series; one < s; one++)
		if (*one->label && points_are_same(one, s))
			return one;
	return NULL;
}

/* "no value at 2, 4, 8", or of many "at 6 of 8 points"; the caller frees. */
static char *missing_text(const struct figure *f, const struct series *s)
{
	enum { NAMED = 4 };
	char *at = NULL, *text;

	for (size_t i = 0; i < s->nmissing && s->nmissing <= NAMED; i++)
		xappend_own(&at, ", ", f->worded ? xstrdup(f->words[lround(s->missing[i])])
						 : xasprintf("%.4g", s->missing[i]));
	text = at ? xasprintf("no value at %s", at)
		  : xasprintf("no value at %zu of %zu points", s->nmissing,
			      s->nmissing + s->nnever + s->n);
	free(at);
	return text;
}

/* "A (as B, 1 seed, rises to 3e+15, 1 of 2 diverged)". The caller frees. */
static char *series_title(const struct figure *f, const struct series *s)
{
	const struct series *under = series_under(f, s);
	const double rise = figure_rise(f, s);
	char *more = under ? xasprintf("as %s", under->label) : xstrdup(""), *title;

	if (!has_common_seeds(f, s) && s->n)
		xappend_own(&more, ", ", s->fewest < s->most ?
					       xasprintf("%d to %d seeds", s->fewest, s->most) :
					       xasprintf("%d seed%s", s->most,
							 word_plural(s->most)));
	if (s->nmissing)
		xappend_own(&more, ", ", missing_text(f, s));
	if (!isnan(rise))
		xappendf(&more, ", ", "rises to %.1g", rise);
	if (s->diverged)
		xappend_own(&more, ", ", s->runs > 1 ? xasprintf("%d of %d diverged", s->diverged,
								 s->runs) :
						       xstrdup("diverged"));
	if (!*more || !*s->label)
		title = xstrdup(*more ? more : s->label);
	else
		title = xasprintf("%s (%s)", s->label, more);
	free(more);
	return title;
}

void figure_titles(struct figure *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->series[i].most > f->seeds)
			f->seeds = f->series[i].most;
	for (size_t i = 0; i < f->n; i++) {
		scoped char *title = series_title(f, &f->series[i]);

		f->series[i].title = text_wrap(title, TITLE_WIDTH);
	}
}

void figure_seeds(const struct figure *f, bool deviation, FILE *out)
{
	const char *more = deviation ? ", ± 1 s.d." : "";

	/* Where all series name their own counts there is none for all. */
	for (size_t i = 0; i < f->n; i++)
		if (has_common_seeds(f, &f->series[i])) {
			fprintf(out, "mean of %d seeds%s", f->seeds, more);
			return;
		}
	fprintf(out, "mean of seeds%s", more);
}

/* ---- where names are ---- */

enum { IN_LEGEND = 6, NAME = 18 };      /* most series there; letters of a short name */
enum { ROW = 20, GAP = 26 };            /* height of a label; from the axes to the column */
enum { LEFT = 105 };                    /* of the axes, about: gnuplot computes it later */
enum { LEAST = 100 };                   /* width and height of the axes */
#define LETTER (0.6 * PLOT_FONT)        /* of a label, and of a word under the axis */

enum plot_naming figure_naming(const struct figure *f)
{
	if (f->n <= IN_LEGEND)
		return PLOT_LEGEND;
	for (size_t i = 0; i < f->n; i++)
		if (f->worded || !*f->series[i].title || strchr(f->series[i].title, '\n') ||
		    text_width(f->series[i].title) > NAME)
			return PLOT_NUMBERS;
	return PLOT_NAMES;
}

/* The caller frees. */
static char *label_text(const struct figure *f, size_t i)
{
	return figure_naming(f) == PLOT_NAMES ? xstrdup(f->series[i].title)
					      : xasprintf("%zu", i + 1);
}

static double label_width(const struct figure *f, size_t i)
{
	scoped char *text = label_text(f, i);

	return LETTER * text_width(text);
}

double figure_width(const struct figure *f)
{
	const struct plot_form *form = f->form;
	const double cm = form && form->width > 0 ? form->width : PDF_WIDTH;
	const double font = form && form->font > 0 ? form->font : PDF_FONT;

	return form ? PLOT_WIDTH * (cm / PDF_WIDTH) * (PDF_FONT / font) : PLOT_WIDTH;
}

double figure_side(const struct figure *f)
{
	double widest = 0;
	bool lines = false;     /* some series is a line along a number */

	for (size_t i = 0; i < f->n; i++)
		lines = lines || f->series[i].n > 1;
	if (figure_naming(f) == PLOT_LEGEND || !lines || f->worded)
		return 0;
	for (size_t i = 0; i < f->n; i++)
		widest = fmax(widest, label_width(f, i));
	return GAP + widest;
}

double figure_area_width(const struct figure *f)
{
	const double side = figure_side(f);

	const double area = figure_width(f) - (PLOT_WIDTH - PLOT_AREA);

	return fmax(side > 0 ? fmin(area, figure_width(f) - LEFT - side) : area, LEAST);
}

/* The height of axes that have the usual shape. */
static double usual_height(const struct figure *f)
{
	return fmax(PLOT_AREA_HEIGHT * figure_width(f) / PLOT_WIDTH, LEAST);
}

double figure_area_height(const struct figure *f)
{
	return figure_side(f) > 0 ? fmax(usual_height(f), ROW * (double)f->n) : usual_height(f);
}

/* ---- what the legend has ---- */

#define KEY_LETTER (0.7 * PLOT_FONT)
#define LINE (1.5 * 1.15 * PLOT_FONT)
enum { SEEDS = 22, SAMPLE = 6 };        /* letters above the entries, and next to each of them */
enum { NUMBER = 4 };                    /* before the name of a numbered series */

const char *figure_published(const struct figure *f)
{
	return f->calculated ? "calculated" : "published";
}

/* Entries that belong to no series: of published points, and of signs for infinite means. */
static int common_entries(const struct figure *f)
{
	bool published = false;

	for (size_t i = 0; i < f->n; i++)
		published = published || f->series[i].npub;
	return published + (figure_nevers(f) != NULL);
}

int figure_entries(const struct figure *f)
{
	int lines = common_entries(f);

	for (size_t i = 0; i < f->n; i++)
		lines += text_lines(f->series[i].title);
	return lines;
}

int figure_legend_lines(const struct figure *f)
{
	/* The seeds are an entry, too, where there are no series that they could stand above. */
	if (figure_naming(f) == PLOT_NAMES)
		return common_entries(f) + (f->seeds > 1);
	return figure_entries(f);
}

/* Letters of the longest line. */
static int legend_letters(const struct figure *f)
{
	const enum plot_naming naming = figure_naming(f);
	int longest = common_entries(f) ? text_width("not reached") : 0;

	if (naming == PLOT_NAMES)
		return f->seeds > 1 ? SEEDS : longest;
	for (size_t i = 0; i < f->n; i++) {
		const int n = text_longest_line(f->series[i].title) +
			      (naming == PLOT_NUMBERS ? NUMBER : 0);

		longest = n > longest ? n : longest;
	}
	return longest;
}

/* Lines above the entries. */
static int legend_head(const struct figure *f)
{
	return f->seeds > 1 && figure_naming(f) != PLOT_NAMES ? 2 : 0;
}

/* ---- the legend in a corner ---- */

enum { BETWEEN = 8 };                   /* positions looked at along a line from point to point */

/* A value's position along its axis, from 0 to 1. */
static double axis_share(double v, double low, double high, bool log_axis)
{
	if (!log_axis)
		return (v - low) / (high - low);
	return v > 0 ? (log(v) - log(low)) / (log(high) - log(low)) : (double)NAN;
}

static struct point point_share(const struct figure *f, const struct frame *b,
				const struct point *p)
{
	return (struct point){ .x = axis_share(p->x, b->x0, b->x1, f->logx),
			       .lo = axis_share(p->lo, b->y0, b->y1, f->logy),
			       .hi = axis_share(p->hi, b->y0, b->y1, f->logy) };
}

struct corner {
	bool top, right;
	double width, height;           /* shares of the axes */
};

static bool corner_has(const struct corner *c, double x, double y)
{
	return (c->right ? x > 1 - c->width : x < c->width) &&
	       (c->top ? y > 1 - c->height : y < c->height);
}

/* True when the line through these points, or its band, goes through the corner. */
static bool corner_is_crossed(const struct corner *c, const struct figure *f,
			      const struct frame *b, const struct point *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct point from = point_share(f, b, &p[i]);
		const struct point to = point_share(f, b, &p[i + 1 < n ? i + 1 : i]);

		for (int k = 0; k < BETWEEN; k++) {
			const double t = (double)k / BETWEEN, x = (1 - t) * from.x + t * to.x;

			if (corner_has(c, x, (1 - t) * from.lo + t * to.lo) ||
			    corner_has(c, x, (1 - t) * from.hi + t * to.hi))
				return true;
		}
	}
	return false;
}

static bool corner_is_free(const struct corner *c, const struct figure *f, const struct frame *b)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct series *s = &f->series[i];

		if (corner_is_crossed(c, f, b, s->p, s->n) ||
		    corner_is_crossed(c, f, b, s->pub, s->npub))
			return false;
		for (size_t k = 0; k < s->nnever; k++)
			if (corner_has(c, axis_share(s->never[k] + figure_shift(f, i), b->x0,
						     b->x1, f->logx),
				       figure_never_height(f, i)))
				return false;
	}
	return true;
}

const char *figure_corner(const struct figure *f)
{
	static const char *const name[] = { "top right", "top left", "bottom right",
					    "bottom left" };
	const struct frame b = figure_frame(f);
	const int lines = figure_legend_lines(f) + legend_head(f), title = legend_letters(f);
	const int letters = f->seeds > 1 && title < SEEDS ? SEEDS : title;
	struct corner c = { .width = (SAMPLE + letters) * KEY_LETTER / figure_area_width(f) + 0.02,
			    .height = lines * LINE / figure_area_height(f) + 0.04 };

	for (int i = 0; i < (figure_boxes(f) ? 2 : 4); i++) {
		c.top = i < 2;
		c.right = i % 2 == 0;
		if (corner_is_free(&c, f, &b))
			return name[i];
	}
	return NULL;
}

/* ---- below the axes: the legend, and slanted words ---- */

#define SLANT 0.42                      /* the sine of the words' slope: 25 degrees */

/* Of a PDF or TikZ of an asked form: a line of the legend; all above and below the axes else. */
#define FORM_LINE (1.25 * PLOT_FONT)
enum { FORM_MARGINS = 75 };

int figure_columns(const struct figure *f)
{
	const double area = figure_width(f) - (PLOT_WIDTH - PLOT_AREA);
	const int n = (int)(area / ((SAMPLE + legend_letters(f)) * KEY_LETTER));

	return n > 1 ? n : 1;
}

static double legend_height(const struct figure *f)
{
	const int columns = figure_columns(f), lines = figure_legend_lines(f);
	const int rows = (lines + columns - 1) / columns, head = legend_head(f);

	if (!lines || figure_corner(f) || (f->form && f->form->no_legend))
		return 0;
	return (f->form ? FORM_LINE : LINE) * (rows + (head ? head : 1));
}

static int longest_word(const struct figure *f)
{
	int longest = 0;

	for (size_t i = 0; i < f->nwords; i++) {
		const int n = text_width(f->words[i]);

		longest = n > longest ? n : longest;
	}
	return longest;
}

bool figure_slanted(const struct figure *f)
{
	return f->worded && longest_word(f) * LETTER * (double)f->nwords >
			    figure_width(f) - (PLOT_WIDTH - PLOT_AREA);
}

int figure_height(const struct figure *f)
{
	const double words = figure_slanted(f) ? SLANT * LETTER * longest_word(f) : 0;
	const double title = LINE * (figure_title_lines(f) - 1);

	if (f->form && f->form->height > 0)
		return (int)(f->form->height * figure_width(f) /
			     (f->form->width > 0 ? f->form->width : PDF_WIDTH));
	if (f->form)
		return FORM_MARGINS + (int)(legend_height(f) + words + figure_area_height(f));
	return PLOT_HEIGHT + (int)(legend_height(f) + words + title) +
	       (int)(figure_area_height(f) - PLOT_AREA_HEIGHT);
}

/* ---- labels at the last point of each series ---- */

struct spot {
	size_t series;
	double x, y;            /* in the axes */
};

static double label_share(double v, double low, double high, bool log_axis)
{
	const double at = log_axis ? log(v / low) / log(high / low) : (v - low) / (high - low);

	return isfinite(at) ? fmin(fmax(at, 0), 1) : 1;
}

static struct spot spot_at(const struct figure *f, const struct frame *b, size_t i, double x,
			   double y)
{
	const double shifted = x + figure_shift(f, i);

	return (struct spot){
		i, figure_area_width(f) * label_share(shifted, b->x0, b->x1, f->logx),
		figure_area_height(f) * label_share(y, b->y0, b->y1, f->logy)
	};
}

static struct spot spot_of(const struct figure *f, const struct frame *b, size_t i)
{
	const struct series *s = &f->series[i];
	struct spot spot;

	if (s->n)
		return spot_at(f, b, i, s->p[s->n - 1].x, s->p[s->n - 1].y);
	spot = spot_at(f, b, i, s->nnever ? s->never[s->nnever - 1] : 0, HUGE_VAL);
	spot.y = figure_never_height(f, i) * figure_area_height(f);
	return spot;
}

static void label_put(const struct figure *f, size_t i, double x, double y, FILE *out)
{
	scoped char *text = label_text(f, i);

	fputs("set label ", out);
	gnuplot_string(text, out);
	fprintf(out, " at graph %.4f, graph %.4f left front noenhanced tc rgb '%s'\n",
		x / figure_area_width(f), y / figure_area_height(f), figure_look(f, i).color);
}

/* A thin line from the point to its label. */
static void leader_put(const struct figure *f, const struct spot *from, double x, double y,
		       FILE *out)
{
	const double width = figure_area_width(f), height = figure_area_height(f);

	fprintf(out, "set arrow from graph %.4f, graph %.4f to graph %.4f, graph %.4f nohead back "
		"lc rgb '%s' lw 1 dt (3,3)\n", from->x / width, from->y / height, x / width,
		y / height, figure_look(f, from->series).color);
}

/*
 * ---- of lines: in a column right of the axes, in the order of their ends and each as near to its
 * end as the others leave it ----
 */

static int by_height(const void *a, const void *b)
{
	const struct spot *p = a, *q = b;

	if (p->y < q->y || p->y > q->y)
		return p->y < q->y ? -1 : 1;
	return (p->series < q->series) - (p->series > q->series);
}

/*
 * The heights of n labels, ROW or more apart, that are nearest to those of the spots, which are
 * sorted: neighbours that are too near are one block, at the mean of what its labels want.
 */
static void labels_spread(const struct spot *spot, size_t n, double height, double *y)
{
	const double line = fmin(ROW, height / (double)n), top = height - line * (double)(n - 1);
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

static void labels_in_column(const struct figure *f, const struct frame *b, FILE *out)
{
	const double width = figure_area_width(f), height = figure_area_height(f);
	scoped struct spot *spot = xcalloc(f->n, sizeof(*spot));
	scoped double *y = xcalloc(f->n, sizeof(*y));

	for (size_t i = 0; i < f->n; i++)
		spot[i] = spot_of(f, b, i);
	qsort(spot, f->n, sizeof(*spot), by_height);
	labels_spread(spot, f->n, height, y);
	for (size_t i = 0; i < f->n; i++) {
		leader_put(f, &spot[i], width + GAP - 8, y[i], out);
		label_put(f, spot[i].series, width + GAP - 4, y[i], out);
	}
	fprintf(out, "set rmargin at screen %.4f\n", 1 - figure_side(f) / figure_width(f));
}

/* ---- of points: next to them, where they hide least ---- */

struct box {
	double x0, y0, x1, y1;
};

static double boxes_share(const struct box *a, const struct box *b)
{
	return fmax(fmin(a->x1, b->x1) - fmax(a->x0, b->x0), 0) *
	       fmax(fmin(a->y1, b->y1) - fmax(a->y0, b->y0), 0);
}

struct obstacles {              /* to labels, of boxes in the axes */
	struct box axes;
	struct box *mark, *bar; /* [n] owned: each point, and its deviation */
	size_t n;
};

static struct obstacles obstacles_of(const struct figure *f, const struct frame *b)
{
	struct obstacles o = { .axes = { 0, 0, figure_area_width(f), figure_area_height(f) } };

	for (size_t i = 0; i < f->n; i++)
		for (size_t k = 0; k < f->series[i].n; k++) {
			const struct point *p = &f->series[i].p[k];
			const struct spot at = spot_at(f, b, i, p->x, p->y);

			o.mark = xgrown(o.mark, o.n, sizeof(*o.mark));
			o.bar = xgrown(o.bar, o.n, sizeof(*o.bar));
			o.mark[o.n] = (struct box){ at.x - 7, at.y - 7, at.x + 7, at.y + 7 };
			o.bar[o.n++] = (struct box){ at.x - 3, spot_at(f, b, i, p->x, p->lo).y,
						     at.x + 3, spot_at(f, b, i, p->x, p->hi).y };
		}
	return o;
}

/* Pixels of a box that points and deviations hide; outside the axes everything is. */
static double box_hidden(const struct obstacles *o, const struct box *box)
{
	double hidden = (box->x1 - box->x0) * (box->y1 - box->y0) - boxes_share(box, &o->axes);

	for (size_t i = 0; i < o->n; i++)
		hidden += 3 * boxes_share(box, &o->mark[i]) + boxes_share(box, &o->bar[i]);
	return hidden;
}

/* Positions that are tried for a label: to a side of its point, and so far away. */
static const double sides[][2] = { { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 }, { 1, 1 }, { 1, -1 },
				   { -1, 1 }, { -1, -1 } };
static const double distances[] = { 13, 26, 44, 66, 90 };
enum { SIDES = sizeof(sides) / sizeof(sides[0]) };
enum { DISTANCES = sizeof(distances) / sizeof(distances[0]) };

static struct box box_at(const struct spot *spot, double width, int which)
{
	const double *side = sides[which % SIDES], distance = distances[which / SIDES];
	const double x = spot->x + side[0] * distance;
	const double y = spot->y + side[1] * (distance + (side[0] ? 0 : 3));
	const double left = side[0] > 0 ? 0 : side[0] < 0 ? width : width / 2;

	return (struct box){ x - left, y - ROW / 2.0, x - left + width, y + ROW / 2.0 };
}

static void label_near(const struct figure *f, const struct obstacles *o, const struct spot *spot,
		       struct box *taken, FILE *out)
{
	const size_t i = spot->series;
	const double width = label_width(f, i);
	double least = HUGE_VAL;
	int best = 0;

	for (int k = 0; k < SIDES * DISTANCES; k++) {
		const struct box box = box_at(spot, width, k);
		double cost = box_hidden(o, &box) + 5 * k;

		for (size_t j = 0; j < i; j++)
			cost += 4 * boxes_share(&box, &taken[j]);
		if (cost < least) {
			least = cost;
			best = k;
		}
	}
	taken[i] = box_at(spot, width, best);
	if (best >= SIDES)
		leader_put(f, spot, fmin(fmax(spot->x, taken[i].x0), taken[i].x1),
			   fmin(fmax(spot->y, taken[i].y0 + 5), taken[i].y1 - 5), out);
	label_put(f, i, taken[i].x0, (taken[i].y0 + taken[i].y1) / 2, out);
}

static void labels_at_points(const struct figure *f, const struct frame *b, FILE *out)
{
	struct obstacles o = obstacles_of(f, b);
	struct box *taken = xcalloc(f->n, sizeof(*taken));

	for (size_t i = 0; i < f->n; i++) {
		const struct spot spot = spot_of(f, b, i);

		label_near(f, &o, &spot, taken, out);
	}
	free_all(taken, o.mark, o.bar);
}

void figure_labels(const struct figure *f, FILE *out)
{
	const struct frame b = figure_frame(f);

	if (figure_side(f) > 0)
		labels_in_column(f, &b, out);
	else if (figure_naming(f) != PLOT_LEGEND)
		labels_at_points(f, &b, out);
}
