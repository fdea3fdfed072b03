/*
 * legend.c - where a plot's legend stands, and how high the picture is with it: in a corner
 * where it hides nothing, or below, where the picture grows by its rows.
 *
 * Lengths are pixels of the SVG; gnuplot takes every letter there for 0.7 of the font's size,
 * and a line for 1.5 of it, times the legend's spacing.
 */
#include "report/plot/plot.h"

#include "report/text/width.h"

#include <math.h>

enum { BETWEEN = 8 };                   /* positions looked at along a line from point to point */
#define LETTER (0.7 * PLOT_FONT)
#define LINE (1.5 * 1.15 * PLOT_FONT)
enum { SEEDS = 22, SAMPLE = 6 };        /* letters above the entries, and next to each of them */
enum { NUMBER = 4 };                    /* before the name of a numbered series */
#define WORD (0.6 * PLOT_FONT)            /* a letter of a word under the axis */
#define SLANT 0.42                      /* the sine of the words' slope: 25 degrees */

static bool has_published(const struct figure *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->series[i].npub)
			return true;
	return false;
}

/* Of the longest line, in letters. */
static int longest_title(const struct figure *f)
{
	const enum plot_naming naming = figure_naming(f);
	int longest = has_published(f) || figure_nevers(f) ? text_width("not reached") : 0;

	if (naming == PLOT_NAMES)
		return f->seeds > 1 ? SEEDS : longest;
	for (size_t i = 0; i < f->n; i++) {
		const int n = text_longest_line(f->series[i].title) +
			      (naming == PLOT_NUMBERS ? NUMBER : 0);

		longest = n > longest ? n : longest;
	}
	return longest;
}

int figure_entries(const struct figure *f)
{
	int lines = has_published(f) + (figure_nevers(f) != NULL);

	for (size_t i = 0; i < f->n; i++)
		lines += text_lines(f->series[i].title);
	return lines;
}

/* The seeds are an entry, too, where there are no series that they could stand above. */
int figure_legend_lines(const struct figure *f)
{
	if (figure_naming(f) == PLOT_NAMES)
		return has_published(f) + (figure_nevers(f) != NULL) + (f->seeds > 1);
	return figure_entries(f);
}

/* Lines above the entries. */
static int legend_head(const struct figure *f)
{
	return f->seeds > 1 && figure_naming(f) != PLOT_NAMES ? 2 : 0;
}

/* ---- in a corner ---- */

/* A value's position along its axis, from 0 to 1. */
static double plot_legend_position(double v, double low, double high, bool log_axis)
{
	if (!log_axis)
		return (v - low) / (high - low);
	return v > 0 ? (log(v) - log(low)) / (log(high) - log(low)) : (double)NAN;
}

static struct point plot_legend_point(const struct figure *f, const struct frame *b,
				      const struct point *p)
{
	return (struct point){ .x = plot_legend_position(p->x, b->x0, b->x1, f->logx),
			       .lo = plot_legend_position(p->lo, b->y0, b->y1, f->logy),
			       .hi = plot_legend_position(p->hi, b->y0, b->y1, f->logy) };
}

struct corner {
	bool top, right;
	double width, height;           /* shares of the axes */
};

static struct corner corner_of(const struct figure *f, bool top, bool right)
{
	const int lines = figure_legend_lines(f) + legend_head(f), title = longest_title(f);
	const int letters = f->seeds > 1 && title < SEEDS ? SEEDS : title;

	return (struct corner){
		top, right, (SAMPLE + letters) * LETTER / figure_area_width(f) + 0.02,
		lines * LINE / figure_area_height(f) + 0.04
	};
}

static bool plot_legend_inside(double x, double y, const struct corner *c)
{
	return (c->right ? x > 1 - c->width : x < c->width) &&
	       (c->top ? y > 1 - c->height : y < c->height);
}

/* True when the line between both points, or its band, goes through the corner. */
static bool plot_legend_crosses(const struct point *p, const struct point *q,
				const struct corner *c)
{
	for (int k = 0; k < BETWEEN; k++) {
		const double t = (double)k / BETWEEN, x = (1 - t) * p->x + t * q->x;

		if (plot_legend_inside(x, (1 - t) * p->lo + t * q->lo, c) ||
		    plot_legend_inside(x, (1 - t) * p->hi + t * q->hi, c))
			return true;
	}
	return false;
}

static bool plot_legend_hits(const struct figure *f, const struct frame *b, const struct point *p,
			     size_t n, const struct corner *c)
{
	for (size_t i = 0; i < n; i++) {
		const struct point from = plot_legend_point(f, b, &p[i]);
		const struct point to = plot_legend_point(f, b, &p[i + 1 < n ? i + 1 : i]);

		if (plot_legend_crosses(&from, &to, c))
			return true;
	}
	return false;
}

/* True when a sign for an infinite mean lies there. */
static bool hits_never(const struct figure *f, const struct frame *b, size_t i,
		       const struct corner *c)
{
	for (size_t k = 0; k < f->series[i].nnever; k++) {
		const double x = f->series[i].never[k] + figure_shift(f, i);

		if (plot_legend_inside(plot_legend_position(x, b->x0, b->x1, f->logx),
				       figure_never_height(f, i), c))
			return true;
	}
	return false;
}

static bool is_free(const struct figure *f, const struct frame *b, const struct corner *c)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct series *s = &f->series[i];

		if (plot_legend_hits(f, b, s->p, s->n, c) ||
		    plot_legend_hits(f, b, s->pub, s->npub, c) || hits_never(f, b, i, c))
			return false;
	}
	return true;
}

const char *figure_corner(const struct figure *f)
{
	static const char *const name[] = { "top right", "top left", "bottom right",
					    "bottom left" };
	const struct frame b = figure_frame(f);

	for (int i = 0; i < (figure_boxes(f) ? 2 : 4); i++) {
		const struct corner c = corner_of(f, i < 2, i % 2 == 0);

		if (is_free(f, &b, &c))
			return name[i];
	}
	return NULL;
}

/* ---- below ---- */

int figure_columns(const struct figure *f)
{
	const int n = (int)(PLOT_AREA / ((SAMPLE + longest_title(f)) * LETTER));

	return n > 1 ? n : 1;
}

static double legend_height(const struct figure *f)
{
	const int columns = figure_columns(f), lines = figure_legend_lines(f);
	const int rows = (lines + columns - 1) / columns, head = legend_head(f);

	return !lines || figure_corner(f) ? 0 : LINE * (rows + (head ? head : 1));
}

/* ---- words under the axis ---- */

static int longest_word(const struct figure *f)
{
	const cJSON *word;
	int longest = 0;

	cJSON_ArrayForEach(word, f->categories) {
		const int n = text_width(word->valuestring);

		longest = n > longest ? n : longest;
	}
	return longest;
}

bool figure_slanted(const struct figure *f)
{
	return f->categories &&
	       longest_word(f) * WORD * cJSON_GetArraySize(f->categories) > PLOT_AREA;
}

int figure_height(const struct figure *f)
{
	const double words = figure_slanted(f) ? SLANT * WORD * longest_word(f) : 0;

	const double title = LINE * (figure_title_lines(f) - 1);

	return PLOT_HEIGHT + (int)(legend_height(f) + words + title) +
	       (int)(figure_area_height(f) - PLOT_AREA_HEIGHT);
}
