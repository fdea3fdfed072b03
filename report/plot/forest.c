/* Comparisons of claims as rows of a forest plot, and the gnuplot script that draws them. */
#include "report/plot/forest.h"

#include "record/measure.h"
#include "report/claims/contrast.h"
#include "report/claims/looks.h"
#include "report/plot/plot.h"
#include "report/text/width.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROW = 34, LOOK = 9, AROUND = 185 }; /* pixels: a row, each earlier look in it, the rest */
enum { LABEL = 32, ROWS = 40 };            /* columns of each line of a label; most rows */

enum bar_kind { BAR_EARLIER, BAR_HOLDS, BAR_FAILS, BAR_UNDECIDED, BAR_KINDS };

/* The colours are of Okabe and Ito's, told apart by the colour-blind. */
static const struct {
	const char *title, *color;
	double width;
} bar_kinds[BAR_KINDS] = {
	{ "earlier look", "#B0B0B0", 1.5 }, { "holds", "#0072B2", 3 }, { "fails", "#D55E00", 3 },
	{ "undecided", "#606060", 3 },
};

struct bar {                    /* an interval, in deviations of a seed */
	double x, low, high;
	double margin;          /* left of 0, and of `within` right of it, too; NaN: none */
	bool both;
	double y;               /* row, from 1 on, less for earlier looks */
	int seeds;
	enum bar_kind kind;
};

struct forest {
	struct bar *bar;        /* [n] owned */
	size_t n;
	char **label;           /* [nrows] owned */
	size_t nrows;
	int looks;              /* drawn above the last one of their row */
};

/* ---- rows ---- */

/* A deviation of one seed: the root of the mean of both variances; NaN: values do not vary. */
static double contrast_deviation(const struct claim_contrast *c)
{
	const bool both = c->spread.a > 0 && c->spread.b > 0;
	const double sum = c->spread.a + c->spread.b;

	return sum > 0 ? sqrt(both ? sum / 2 : sum) : (double)NAN;
}

/* False where it has no finite interval. */
static bool bar_of(struct bar *b, const struct claim_contrast *c)
{
	const double deviation = contrast_deviation(c);
	const bool within = !strcmp(c->rule, "within");
	const bool higher = strcmp(c->rule, "no_later") != 0 && measure_is_better_high(c->measure);
	const double scale = (within || higher ? 1 : -1) / deviation;

	*b = (struct bar){ .x = c->difference * scale, .low = c->low * scale,
			   .high = c->high * scale, .seeds = c->spread.seeds,
			   .margin = c->margin > 0 ? c->margin / deviation : (double)NAN,
			   .both = within,
			   .kind = !strcmp(c->word, "holds") ? BAR_HOLDS :
				   !strcmp(c->word, "fails") ? BAR_FAILS : BAR_UNDECIDED };
	return isfinite(b->x) && isfinite(b->low) && isfinite(b->high) && fabs(b->x) < 1e6;
}

static void forest_add_bar(struct forest *f, struct bar bar)
{
	APPEND(f->bar, f->n) = bar;
}

/* "3: SAYS", or its groups if others of the claim have rows; two lines. The caller frees. */
static char *row_label(const struct verdict *v, size_t claim, size_t k)
{
	scoped char *sides = contrast_at(v->contrast, 1) ? verdict_sides(v, k) : NULL;
	scoped char *text = xasprintf("%zu: %s", claim + 1,
				      sides	 ? sides :
				      v->of.says ? v->of.says :
						   "");
	char *lines = text_wrap(text, LABEL), *second = strchr(lines, '\n');
	char *third = second ? strchr(second + 1, '\n') : NULL;

	if (third)
		*third = '\0';
	if (third)
		xappend(&lines, "", "…");
	return lines;
}

/* The k-th comparison of a claim, at each look. */
static void forest_add_row(struct forest *f, const struct verdict *v, size_t claim, size_t k)
{
	const struct claim_looks *l = v->looks;
	const int last = l && l->n ? l->n - 1 : 0;
	const size_t before = f->n;

	for (int i = 0; i <= last; i++) {
		const struct claim_contrast *c = contrast_at(l && l->n ? l->made[i].contrast :
								       v->contrast, k);
		struct bar b;

		if (c && bar_of(&b, c)) {
			b.y = (double)f->nrows + 1 - 0.6 * (last - i) / (last + 1);
			b.kind = i < last ? BAR_EARLIER : b.kind;
			forest_add_bar(f, b);
		}
	}
	if (f->n == before)
		return;
	f->looks += last;
	APPEND(f->label, f->nrows) = row_label(v, claim, k);
}

static struct forest forest_of(const struct verdicts *all)
{
	struct forest f = { 0 };

	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; contrast_at(all->v[i].contrast, k) && f.nrows < ROWS; k++)
			forest_add_row(&f, &all->v[i], i, k);
	return f;
}

static void forest_release(struct forest *f)
{
	for (size_t i = 0; i < f->nrows; i++)
		free(f->label[i]);
	free(f->label);
	free(f->bar);
}

/* ---- data ---- */

/* A block for each kind, and one of margins; a line of NaN keeps a block from being empty. */
static void forest_put_data(const void *ctx, FILE *out)
{
	const struct forest *f = ctx;

	fputs("# columns: difference, ends of the interval (deviations of a seed), row\n", out);
	for (int kind = 0; kind < BAR_KINDS; kind++) {
		fprintf(out, "%s# %s\nNaN NaN NaN NaN\n", kind ? "\n\n" : "",
			bar_kinds[kind].title);
		for (size_t i = 0; i < f->n; i++)
			if (f->bar[i].kind == (enum bar_kind)kind)
				fprintf(out, "%.6g %.6g %.6g %.4g\n", f->bar[i].x, f->bar[i].low,
					f->bar[i].high, f->bar[i].y);
	}
	fputs("\n\n# margin\nNaN NaN\n", out);
	for (size_t i = 0; i < f->n; i++)
		if (f->bar[i].kind != BAR_EARLIER && !isnan(f->bar[i].margin))
			for (int side = f->bar[i].both ? 1 : -1; side >= -1; side -= 2)
				fprintf(out, "%.6g %.4g\n", side * f->bar[i].margin, f->bar[i].y);
}

/* ---- the script ---- */

static bool has_kind(const struct forest *f, enum bar_kind kind)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->bar[i].kind == kind)
			return true;
	return false;
}

static bool has_margin(const struct forest *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (!isnan(f->bar[i].margin))
			return true;
	return false;
}

static void forest_put_bars(const struct forest *f, FILE *out)
{
	fputs("plot NaN notitle", out);
	for (int k = 0; k < BAR_KINDS; k++) {
		if (!has_kind(f, (enum bar_kind)k))
			continue;
		fprintf(out, ", \\\n\t'claims.dat' index %d using 2:4:($3-$2):(0) with vectors "
			"nohead lc rgb '%s' lw %g notitle", k, bar_kinds[k].color,
			bar_kinds[k].width);
		fprintf(out, ", \\\n\t'claims.dat' index %d using 1:4 with points pt 7 ps %g "
			"lc rgb '%s' title '%s'", k, k == BAR_EARLIER ? 0.5 : 0.9,
			bar_kinds[k].color, bar_kinds[k].title);
	}
	if (has_margin(f))
		fprintf(out, ", \\\n\t'claims.dat' index %d using 1:($2-0.3):(0):(0.6) with "
			"vectors nohead lc rgb '#000000' lw 1.5 dt 2 title 'margin'",
			(int)BAR_KINDS);
	fputs("\n", out);
}

static void forest_put_script(const void *ctx, const char *name, FILE *out)
{
	const struct forest *f = ctx;

	(void)name;
	fputs("set title 'Differences that the claims rest on'\n"
	      "set xlabel 'difference [deviations of a seed], right of 0 for the claim' "
	      "font ',12'\n"
	      "set lmargin at screen 0.42\nset rmargin at screen 0.96\n"
	      "set border 1 lc rgb '#404040'\nset xtics nomirror font ',12'\n"
	      "set ytics scale 0 font ',12' (", out);
	for (size_t i = 0; i < f->nrows; i++) {
		fputs(i ? ", " : "", out);
		gnuplot_tic(f->label[i], out);
		fprintf(out, " %zu", i + 1);
	}
	fprintf(out, ") noenhanced\nset yrange [%zu.6:0.2]\n", f->nrows);
	fputs("set offsets graph 0.03, graph 0.03, 0, 0\n"
	      "set arrow from first 0, graph 0 to first 0, graph 1 nohead lc rgb '#404040' lw 1\n"
	      "set key below horizontal center Left reverse samplen 1 font ',12'\n", out);
	forest_put_bars(f, out);
}

int forest_write(const struct verdicts *all, const char *dir, struct texts *paths)
{
	scoped_by(forest_release) struct forest f = forest_of(all);
	const struct plot_parts parts = {
		.name = "claims", .height = AROUND + ROW * (int)f.nrows + LOOK * f.looks,
		.ctx = &f, .script = forest_put_script, .data = forest_put_data
	};
	const int ret = f.nrows ? plot_write(&parts, dir, "svg", paths) : 0;
	const int rows = (int)f.nrows;

	return ret < 0 ? -1 : rows;
}
