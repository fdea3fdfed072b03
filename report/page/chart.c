/* Charts and timelines as SVG within a page, in colours that follow its light or dark style. */
#include "report/page/answer.h"

#include "core/base/mem.h"
#include "record/trace/trace.h"
#include "report/page/html.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 640, LEFT = 62, RIGHT = 14, LEGEND_ROW = 18, BAR_ROW = 40 };

static const double plot_height = 250.0, axis_height = 46.0, head = 6.0;

struct number {
	char text[32];
};

static struct number num(double x)
{
	struct number n;

	snprintf(n.text, sizeof(n.text), "%.5g", fabs(x) < 1e-9 || !isfinite(x) ? 0.0 : x);
	return n;
}

/* ---- elements ---- */

static void svg_begin(FILE *out, double height, const char *label)
{
	char box[64];

	snprintf(box, sizeof(box), "0 0 %d %.0f", WIDTH, height);
	html_open(out, "svg", "xmlns", "http://www.w3.org/2000/svg", "viewBox", box, "role",
		  "img", "aria-label", label, "class", "chart", NULL);
}

static void svg_text(FILE *out, double x, double y, const char *anchor, const char *text)
{
	html_open(out, "text", "x", num(x).text, "y", num(y).text, "text-anchor", anchor, NULL);
	html_leaf(out, "tspan", NULL, text);
	html_close(out, "text");
}

static void svg_line(FILE *out, const char *class, double x1, double y1, double x2, double y2)
{
	html_void(out, "line", "class", class, "x1", num(x1).text, "y1", num(y1).text, "x2",
		  num(x2).text, "y2", num(y2).text, NULL);
}

static void svg_rect(FILE *out, const char *class, double x, double y, double w, double h)
{
	html_void(out, "rect", "class", class, "x", num(x).text, "y", num(y).text, "width",
		  num(fmax(w, 0.0)).text, "height", num(fmax(h, 0.0)).text, NULL);
}

static const char *series_class(size_t i)
{
	static const char *const names[] = { "s0", "s1", "s2", "s3", "s4", "s5", "s6", "other" };

	return names[i < CHART_SERIES ? i : CHART_SERIES];
}

void chart_looks(const struct chart *c, struct look look[CHART_SERIES])
{
	char *name[CHART_SERIES];

	for (size_t k = 0; k < c->nseries; k++)
		name[k] = c->series[k].name;
	algo_looks(name, c->nseries, look);
}

/* A group in the colour of a series. */
static void series_open(FILE *out, const struct look *look)
{
	html_open(out, "g", "color", look->color, NULL);
}

/* ---- scales ---- */

struct scale {
	bool log;
	double lo, hi;          /* values at both ends */
	double from, to;        /* positions there */
};

/* A finite position for any value: an axis may have no length, or one that overflows. */
static double scale_at(const struct scale *s, double x)
{
	static const double far = 100.0;
	const double share = s->log ? log(x / s->lo) / log(s->hi / s->lo)
				    : (x - s->lo) / (s->hi - s->lo);

	return s->from + (isnan(share) ? 0.5 : fmin(fmax(share, -far), far)) * (s->to - s->from);
}

static bool scale_has(const struct scale *s, double x)
{
	return isfinite(x) && !(s->log && x <= 0.0);
}

enum { TICKS = 8 };

/* At most so many ticks of a scale: 1, 2, 5 of each decade, or steps of such a size. */
static size_t scale_ticks(const struct scale *s, double tick[TICKS])
{
	static const double steps[] = { 1.0, 2.0, 5.0 };
	size_t n = 0;

	if (s->log && s->hi > 3.0 * s->lo) {
		const bool wide = s->hi > 300.0 * s->lo;
		const double first = floor(log10(s->lo)), last = ceil(log10(s->hi));
		const double skip = fmax(1.0, ceil((last - first) / (double)TICKS));

		for (double e = first; e <= last; e += skip)
			for (size_t k = 0; k < (wide ? 1 : 3) && n < TICKS; k++) {
				const double x = steps[k] * pow(10.0, e);

				if (x >= s->lo * (1 - 1e-9) && x <= s->hi * (1 + 1e-9))
					tick[n++] = x;
			}
		return n;
	}
	for (int k = 0; k < 60; k++) {
		const int decade = k / 3;
		const double step = steps[k % 3] *
				    pow(10.0, floor(log10((s->hi - s->lo) / 50.0)) + decade);
		const double first = ceil(s->lo / step - 1e-9);

		if ((s->hi - s->lo) / step > (double)TICKS)
			continue;
		for (double i = first; i * step <= s->hi + 1e-9 * step && n < TICKS; i++)
			tick[n++] = i * step;
		break;
	}
	return n;
}

/* ---- parts of charts ---- */

static void put_x_axis(FILE *out, const struct scale *x, double top, double bottom,
		       const char *label)
{
	double tick[TICKS];
	const size_t n = scale_ticks(x, tick);

	for (size_t i = 0; i < n; i++) {
		const double at = scale_at(x, tick[i]);

		svg_line(out, "grid", at, top, at, bottom);
		svg_text(out, at, bottom + 16.0, "middle", num(tick[i]).text);
	}
	svg_line(out, "axis", x->from, bottom, x->to, bottom);
	svg_text(out, 0.5 * (x->from + x->to), bottom + 36.0, "middle", label);
}

static void put_y_axis(FILE *out, const struct scale *y, double left, double right)
{
	double tick[TICKS];
	const size_t n = scale_ticks(y, tick);

	for (size_t i = 0; i < n; i++) {
		const double at = scale_at(y, tick[i]);

		svg_line(out, "grid", left, at, right, at);
		svg_text(out, left - 6.0, at + 4.0, "end", num(tick[i]).text);
	}
	svg_line(out, "axis", left, y->from, left, y->to);
}

static double legend_height(const struct chart *c)
{
	const size_t rows = (c->nseries + 1) / 2;

	return LEGEND_ROW * (double)rows;
}

/* Names after squares of their colours, two in a row; returns the height. */
static double put_legend(FILE *out, const struct chart *c, double top)
{
	static const double letter = 7.4, margins = 31.0;
	double second = (WIDTH - LEFT) / 2.0;
	struct look look[CHART_SERIES];

	chart_looks(c, look);
	for (size_t i = 0; i < c->nseries; i += 2)
		second = fmax(second, letter * (double)strlen(c->series[i].name) + margins);
	for (size_t i = 0; i < c->nseries; i++) {
		const double x = LEFT + (i % 2 ? second : 0.0);
		const size_t row = i / 2;
		const double y = top + LEGEND_ROW * (double)row;

		series_open(out, &look[i]);
		svg_rect(out, series_class(i), x, y, 11.0, 11.0);
		html_close(out, "g");
		svg_text(out, x + 17.0, y + 10.0, "start", c->series[i].name);
	}
	return legend_height(c);
}

/* ---- bars ---- */

static void chart_bars(const struct chart *c, FILE *out)
{
	const double bottom = head + BAR_ROW * (double)c->nseries;
	struct scale x = { false, 0.0, 0.0, LEFT - 50.0, WIDTH - RIGHT };
	double longest = 0.0;
	struct look look[CHART_SERIES];

	chart_looks(c, look);
	for (size_t i = 0; i < c->nseries; i++)
		longest = fmax(longest, c->series[i].y[0]);
	/* an interval that is far longer than all bars is cut */
	for (size_t i = 0; i < c->nseries; i++)
		x.hi = fmax(x.hi, fmin(c->series[i].hi ? c->series[i].hi[0] : 0.0, 2.0 * longest));
	x.hi = fmax(x.hi, longest) * 1.02;
	x.hi = x.hi > 0.0 && isfinite(x.hi) ? x.hi : 1.0;
	svg_begin(out, bottom + axis_height, c->title);
	put_x_axis(out, &x, head, bottom, c->xlabel);
	for (size_t i = 0; i < c->nseries; i++) {
		const struct chart_series *s = &c->series[i];
		const double y = head + BAR_ROW * (double)i;
		scoped char *text = xasprintf("%s: %.4g", s->name, s->y[0]);

		series_open(out, &look[i]);
		svg_rect(out, series_class(i), x.from, y + 19.0,
			 scale_at(&x, s->y[0]) - x.from, 15.0);
		html_close(out, "g");
		svg_text(out, x.from + 4.0, y + 14.0, "start", text);
		if (s->lo && s->hi && s->hi[0] > s->lo[0])
			svg_line(out, "whisker", scale_at(&x, fmin(s->lo[0], x.hi)), y + 26.5,
				 scale_at(&x, fmin(s->hi[0], x.hi)), y + 26.5);
	}
	html_close(out, "svg");
}

/* ---- lines ---- */

void chart_y_range(const struct chart *c, double *lo, double *hi)
{
	*lo = HUGE_VAL;
	*hi = -HUGE_VAL;
	for (size_t i = 0; i < c->nseries; i++)
		for (size_t k = 0; k < c->n; k++) {
			const struct chart_series *s = &c->series[i];

			if (!isfinite(s->y[k]))
				continue;
			*lo = fmin(*lo, s->y[k]);
			*hi = fmax(*hi, s->y[k]);
			if (s->lo && s->lo[k] > 0.0)
				*lo = fmin(*lo, s->lo[k]);
			if (s->hi)
				*hi = fmax(*hi, s->hi[k]);
		}
}

/* The area between lo and hi, where it has one. */
static void put_band(FILE *out, const struct chart *c, size_t i, const struct scale *x,
		     const struct scale *y)
{
	const struct chart_series *s = &c->series[i];
	scoped char *points = xstrdup(""), *class = xasprintf("%s band", series_class(i));

	for (size_t k = 0; k < 2 * c->n && s->lo && s->hi; k++) {
		const size_t at = k < c->n ? k : 2 * c->n - 1 - k;
		const double edge = k < c->n ? s->lo[at] : s->hi[at];

		if (scale_has(x, c->x[at]) && scale_has(y, edge) && s->hi[at] > s->lo[at])
			xappendf(&points, " ", "%.2f,%.2f", scale_at(x, c->x[at]),
				 scale_at(y, edge));
	}
	if (*points)
		html_void(out, "polygon", "class", class, "points", points, NULL);
}

static void put_series(FILE *out, const struct chart *c, size_t i, const struct scale *x,
		       const struct scale *y)
{
	const struct chart_series *s = &c->series[i];
	scoped char *points = xstrdup("");
	scoped char *class = xasprintf("line %s%s", series_class(i), s->dashed ? " over" : "");

	for (size_t k = 0; k < c->n; k++)
		if (scale_has(x, c->x[k]) && scale_has(y, s->y[k]))
			xappendf(&points, " ", "%.2f,%.2f", scale_at(x, c->x[k]),
				 scale_at(y, s->y[k]));
	html_void(out, "polyline", "class", class, "points", points, NULL);
	for (size_t k = 0; k < c->n; k++)
		if (scale_has(x, c->x[k]) && scale_has(y, s->y[k]))
			html_void(out, "circle", "class", series_class(i), "cx",
				  num(scale_at(x, c->x[k])).text, "cy",
				  num(scale_at(y, s->y[k])).text, "r", "2.6", NULL);
}

static void chart_lines(const struct chart *c, FILE *out)
{
	static const double padding = 1.06;
	const double legend = legend_height(c) + 24.0;
	const double top = head + legend, bottom = top + plot_height;
	struct scale x = { c->logx, c->x[0], c->x[c->n - 1], LEFT, WIDTH - RIGHT };
	struct scale y = { .log = c->logy, .from = bottom, .to = top };
	struct look look[CHART_SERIES];

	chart_looks(c, look);
	chart_y_range(c, &y.lo, &y.hi);
	y.lo = y.log ? y.lo / padding : 0.0;
	y.hi = fmin(y.hi * padding, DBL_MAX);
	svg_begin(out, bottom + axis_height, c->title);
	put_legend(out, c, head);
	svg_text(out, 4.0, top - 8.0, "start", c->ylabel);
	if (c->strip_hi > c->strip_lo)
		svg_rect(out, "strip", scale_at(&x, c->strip_lo), top,
			 scale_at(&x, c->strip_hi) - scale_at(&x, c->strip_lo), plot_height);
	put_y_axis(out, &y, LEFT, WIDTH - RIGHT);
	put_x_axis(out, &x, top, bottom, c->xlabel);
	for (size_t i = 0; i < c->nmarks; i++)
		svg_line(out, "mark", scale_at(&x, c->mark[i]), top, scale_at(&x, c->mark[i]),
			 bottom);
	for (size_t k = 0; k < 2 * c->nseries; k++) {   /* bands lie below all lines */
		series_open(out, &look[k % c->nseries]);
		(k < c->nseries ? put_band : put_series)(out, c, k % c->nseries, &x, &y);
		html_close(out, "g");
	}
	html_close(out, "svg");
}

/* ---- maps ---- */

/* Ends of the k-th of n fields, half-way to its neighbours. */
static void field_ends(const struct scale *s, const double *v, size_t n, size_t k, double end[2])
{
	const double at = scale_at(s, v[k]);

	end[0] = k ? 0.5 * (at + scale_at(s, v[k - 1])) : at;
	end[1] = k + 1 < n ? 0.5 * (at + scale_at(s, v[k + 1])) : at;
}

static void chart_map(const struct chart *c, FILE *out)
{
	const double legend = legend_height(c) + 24.0;
	const double top = head + legend, bottom = top + plot_height;
	const struct scale x = { c->logx, c->x[0], c->x[c->n - 1], LEFT, WIDTH - RIGHT };
	const struct scale y = { c->logy, c->up[0], c->up[c->nup - 1], bottom, top };
	struct look look[CHART_SERIES];

	chart_looks(c, look);
	svg_begin(out, bottom + axis_height, c->title);
	put_legend(out, c, head);
	svg_text(out, 4.0, top - 8.0, "start", c->ylabel);
	put_y_axis(out, &y, LEFT, WIDTH - RIGHT);
	put_x_axis(out, &x, top, bottom, c->xlabel);
	for (size_t i = 0; i < c->nup; i++)
		for (size_t k = 0; k < c->n; k++) {
			double across[2], up[2];

			const size_t winner = c->winner[i * c->n + k];

			field_ends(&x, c->x, c->n, k, across);
			field_ends(&y, c->up, c->nup, i, up);
			if (winner < c->nseries)
				series_open(out, &look[winner]);
			svg_rect(out, series_class(winner), across[0] + 0.5, up[1] + 0.5,
				 across[1] - across[0] - 1.0, up[0] - up[1] - 1.0);
			if (winner < c->nseries)
				html_close(out, "g");
			if (c->marked && c->marked[i * c->n + k])
				svg_text(out, 0.5 * (across[0] + across[1]),
					 0.5 * (up[0] + up[1]) + 5.0, "middle",
					 (char[]){ c->marked[i * c->n + k], '\0' });
		}
	html_close(out, "svg");
}

/* ---- heat maps ---- */

enum { HEATS = 7 };

/* Ratios from which a field has a colour; below the first it is like the usual value. */
static const double heat_from[HEATS] = { 0.0, 0.9, 1.1, 1.25, 1.5, 2.0, 3.0 };
static const char *const heat_class[HEATS] = { "h0", "h1", "h2", "h3", "h4", "h5", "h6" };
static const char *const heat_name[HEATS] = { "< 0.9", "about 1", "> 1.1", "> 1.25", "> 1.5", "> 2",
					       "> 3" };

static size_t heat_of(double ratio)
{
	size_t k = HEATS - 1;

	while (k > 0 && ratio < heat_from[k])
		k--;
	return k;
}

/* Rows from the top, of numbers 0 to nup - 1 times up[1]; equal fields of a row are one shape. */
static void chart_heat(const struct chart *c, FILE *out)
{
	const double top = head + LEGEND_ROW + 24.0;
	const double row = fmin(fmax(plot_height / (double)c->nup, 4.0), 26.0);
	const double bottom = top + row * (double)c->nup, width = WIDTH - LEFT - RIGHT;
	const struct scale x = { false, c->x[0], c->x[c->n - 1], LEFT, WIDTH - RIGHT };
	const size_t every = (size_t)ceil(16.0 / row);

	svg_begin(out, bottom + axis_height, c->title);
	for (size_t k = 0; k < HEATS; k++) {
		svg_rect(out, heat_class[k], LEFT + 78.0 * (double)k, head, 11.0, 11.0);
		svg_text(out, LEFT + 17.0 + 78.0 * (double)k, head + 10.0, "start", heat_name[k]);
	}
	svg_text(out, 4.0, top - 8.0, "start", c->ylabel);
	put_x_axis(out, &x, top, bottom, c->xlabel);
	for (size_t i = 0; i < c->nup; i++) {
		const double *v = c->heat + i * c->n, y = top + row * (double)i;
		size_t k = 0;

		if (i % every == 0)
			svg_text(out, LEFT - 6.0, y + 0.5 * row + 4.0, "end", num(c->up[i]).text);
		while (k < c->n) {
			const size_t from = k, heat = heat_of(v[k]);

			while (k < c->n && heat_of(v[k]) == heat)
				k++;
			svg_rect(out, heat_class[heat], LEFT + width * (double)from / (double)c->n,
				 y, width * (double)(k - from) / (double)c->n,
				 row > 8.0 ? row - 1.0 : row);
		}
	}
	html_close(out, "svg");
}

void chart_put(const struct chart *c, FILE *out)
{
	if (c->kind == CHART_BARS)
		chart_bars(c, out);
	else if (c->kind == CHART_LINES)
		chart_lines(c, out);
	else if (c->kind == CHART_MAP)
		chart_map(c, out);
	else
		chart_heat(c, out);
}

void chart_release(struct chart *c)
{
	for (size_t i = 0; i < c->nseries; i++)
		free_all(c->series[i].name, c->series[i].y, c->series[i].lo, c->series[i].hi);
	free_all(c->title, c->xlabel, c->ylabel, c->lower_title, c->lower, c->without, c->x,
		 c->mark, c->up, c->winner, c->marked, c->heat);
	*c = (struct chart){ 0 };
}

/* ---- timelines ---- */

static const char *const span_class[SPAN_STATES] = { "computing", "handling", "communicating",
						     "waiting", "away", "lost" };

void gantt_put(const struct gantt *g, FILE *out)
{
	enum { LANE = 20, BAR = 14, KEY = 120, LABEL = 28 };
	const double top = head + LEGEND_ROW + 4.0, bottom = top + LANE * (double)g->nlanes;
	const struct scale x = { false, 0.0, g->seconds, LEFT + LABEL, WIDTH - RIGHT };
	bool seen[SPAN_STATES] = { false };
	double key = LEFT + LABEL;

	for (size_t i = 0; i < g->n; i++)
		seen[g->span[i].state] |= g->span[i].to > g->span[i].from;
	svg_begin(out, bottom + axis_height, g->title);
	for (int s = 0; s < SPAN_STATES; s++) {
		if (!seen[s])
			continue;
		svg_rect(out, span_class[s], key, head, 11.0, 11.0);
		svg_text(out, key + 17.0, head + 10.0, "start", span_state_name[s]);
		key += KEY;
	}
	put_x_axis(out, &x, top, bottom, "seconds");
	for (size_t i = 0; i < g->nlanes; i++)
		svg_text(out, LEFT + LABEL - 6.0, top + LANE * (double)i + 12.0, "end", g->lane[i]);
	for (size_t i = 0; i < g->n; i++) {
		const struct gantt_span *s = &g->span[i];
		const double from = scale_at(&x, s->from);

		svg_rect(out, span_class[s->state], from, top + LANE * (double)s->lane + 2.0,
			 scale_at(&x, fmin(s->to, g->seconds)) - from, BAR);
	}
	html_close(out, "svg");
}

void gantt_release(struct gantt *g)
{
	for (size_t i = 0; i < g->nlanes; i++)
		free(g->lane[i]);
	free_all(g->lane, g->span, g->title);
	*g = (struct gantt){ 0 };
}
