/*
 * script.c - a figure as gnuplot data and script.
 *
 * All paths are relative, so that a user edits the script and runs it in its folder.
 */
#include "report/plot/plot.h"

#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MARKS = 12 };                    /* along a curve */
enum { TOO_FAR = 100 };                 /* heights of the plot */

/* ---- data ---- */

static void put_points(const struct point *p, size_t n, double shift, FILE *out)
{
	if (!n)
		fputs("NaN NaN NaN NaN\n", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%.10g %.10g %.10g %.10g\n", p[i].x + shift, p[i].y, p[i].lo, p[i].hi);
}

/* A comment of one line, whatever the text. */
static void put_comment(const char *prefix, const char *text, FILE *out)
{
	fprintf(out, "# %s", prefix);
	for (; *text; text++)
		putc((unsigned char)*text < 32 ? ' ' : *text, out);
	putc('\n', out);
}

void figure_data(const struct figure *f, FILE *out)
{
	fputs("# columns: x, mean of y, mean - deviation, mean + deviation\n", out);
	put_comment("x: ", f->xlabel, out);
	put_comment("y: ", f->ylabel, out);
	for (size_t i = 0; i < f->n; i++) {
		fputs(i ? "\n\n" : "", out);
		put_comment("", f->series[i].title, out);
		put_points(f->series[i].p, f->series[i].n, figure_shift(f, i), out);
	}
	for (size_t i = 0; i < f->n; i++) {
		if (!f->series[i].npub)
			continue;
		fputs("\n\n", out);
		put_comment("published: ", f->series[i].label, out);
		put_points(f->series[i].pub, f->series[i].npub, figure_shift(f, i), out);
	}
}

/* ---- script ---- */

static void put_seeds(const struct figure *f, const char *before, bool deviation, FILE *out)
{
	if (f->seeds < 2)
		return;
	fprintf(out, "set key title \"%s", before);
	figure_seeds(f, deviation, out);
	fputs("\" noenhanced\n", out);
}

/* Below the axes, an empty line keeps off their label. */
static void put_key(const struct figure *f, FILE *out)
{
	const char *corner = figure_corner(f);

	if (!figure_legend_lines(f)) {
		fputs("unset key\n", out);
		return;
	}
	if (corner)
		fprintf(out, "set key %s Left reverse samplen 3 spacing 1.15 noenhanced\n", corner);
	else
		fprintf(out, "set key below horizontal center Left reverse samplen 3 spacing 1.15 "
			"maxcols %d height %d noenhanced\n", figure_columns(f),
			f->seeds < 2 || figure_naming(f) == PLOT_NAMES);
	if (figure_naming(f) != PLOT_NAMES)
		put_seeds(f, corner ? "" : "\\n", true, out);
}

/* Styles 1 to n are the series', n more those of the published points. */
static void put_styles(const struct figure *f, FILE *out)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct look l = figure_look(f, i);

		fprintf(out, "set style line %zu lc rgb '%s' lw 2 dt %s pt %d ps 0.9\n", i + 1,
			l.color, l.dash, l.full);
		fprintf(out, "set style line %zu lc rgb '%s' lw 1.5 dt 1 pt %d ps 1.9\n",
			i + 1 + f->n, l.color, l.hollow);
	}
}

/* NAME.dat, or the data in the script itself. */
static void put_source(const char *name, FILE *out)
{
	if (name)
		gnuplot_path(name, ".dat", out);
	else
		fputs("$data", out);
}

static void put_item(const char *name, size_t index, const char *how, FILE *out)
{
	fputs(", \\\n\t", out);
	put_source(name, out);
	fprintf(out, " index %zu %s", index, how);
}

/* Some curve leaves a linear plot, where gnuplot draws no line to a point too far outside. */
static bool plot_script_leaves(const struct figure *f)
{
	return !f->logy && isfinite(figure_ceiling(f));
}

static void put_top(const struct figure *f, FILE *out)
{
	const double y = TOO_FAR * figure_frame(f).y1;

	if (plot_script_leaves(f))
		fprintf(out, "top(y) = y > %.6g ? %.6g : y\n", y, y);
}

static const char *plot_script_columns(const struct figure *f)
{
	return plot_script_leaves(f) ? "1:(top($2))" : "1:2";
}

static void put_band(const struct figure *f, size_t i, const char *name, FILE *out)
{
	char how[160];

	if (!f->curves || f->series[i].most < 2)
		return;
	snprintf(how, sizeof(how),
		 "using 1:%s with filledcurves fc rgb '%s' fs transparent solid 0.18 noborder "
		 "notitle",
		 plot_script_leaves(f) ? "(top($3)):(top($4))" : "3:4", figure_look(f, i).color);
	put_item(name, i, how, out);
}

/* A long curve: the line, and marks at every step-th point, not where the others have theirs. */
static void put_marked(const struct figure *f, size_t i, const char *name, FILE *out)
{
	size_t step = f->series[i].n / MARKS, ls = i + 1;
	char how[96];

	snprintf(how, sizeof(how), "using %s with lines ls %zu notitle", plot_script_columns(f),
		 ls);
	put_item(name, i, how, out);
	snprintf(how, sizeof(how), "every %zu::%zu using 1:2 with points ls %zu notitle", step,
		 i * step / f->n, ls);
	put_item(name, i, how, out);
	fprintf(out, ", \\\n\tNaN with linespoints ls %zu", ls);
}

/* An algorithm keeps its colour; others are told apart in grey too. */
static double box_density(const struct figure *f, size_t i)
{
	return figure_own_look(f, i) || i % 3 == 0 ? 0.9 : i % 3 == 1 ? 0.6 : 0.35;
}

static void put_series(const struct figure *f, size_t i, const char *name, FILE *out)
{
	size_t ls = i + 1;
	char how[96];

	if (f->curves && f->series[i].n >= 2 * MARKS) {
		put_marked(f, i, name, out);
		return;
	}
	if (figure_boxes(f))
		snprintf(how, sizeof(how),
			 "using 1:2 with boxes ls %zu dt 1 lw 1 fs solid %.2g border", ls,
			 box_density(f, i));
	else
		snprintf(how, sizeof(how), "using %s with %s ls %zu", plot_script_columns(f),
			 f->categories ? "points" : "linespoints", ls);
	put_item(name, i, how, out);
}

/*
 * A text in the legend. Each further line is an entry of its own, without a mark, for gnuplot
 * gives an entry the height of one line.
 */
static void put_entry(const char *text, FILE *out)
{
	const size_t n = strcspn(text, "\n");
	char *line = xasprintf("%.*s", (int)n, text);

	fputs(" title ", out);
	gnuplot_string(line, out);
	free(line);
	if (text[n]) {
		fputs(", \\\n\tNaN with points pt ' '", out);
		put_entry(text + n + 1, out);
	}
}

static void plot_script_put_title(const struct figure *f, size_t i, enum plot_naming naming,
				  FILE *out)
{
	char *title = naming == PLOT_NUMBERS ? xasprintf("%zu  %s", i + 1, f->series[i].title)
					     : xstrdup(f->series[i].title);

	if (naming == PLOT_NAMES || !*title)
		fputs(" notitle", out);
	else
		put_entry(title, out);
	free(title);
}

/*
 * Whiskers of one deviation, where there is no band: lines with two flat heads, for gnuplot's
 * error bars come with a disc of the background in their middle.
 */
static void put_bars(const struct figure *f, size_t i, const char *name, FILE *out)
{
	char how[160];

	if (f->curves || f->series[i].most < 2)
		return;
	snprintf(how, sizeof(how),
		 "using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '%s' "
		 "dt 1 lw %s notitle",
		 figure_boxes(f) ? "#000000" : figure_look(f, i).color,
		 figure_boxes(f) ? "1" : "1.5");
	put_item(name, i, how, out);
}

/* On a box of its colour, a mark stands on white. */
static void put_white(const struct figure *f, size_t i, size_t index, const char *name, FILE *out)
{
	char how[80];

	snprintf(how, sizeof(how), "using 1:2 with points lc rgb '#FFFFFF' pt %d ps 2.2 notitle",
		 figure_look(f, i).full);
	put_item(name, index, how, out);
}

/* Published points, and one grey entry in the legend for all of them. */
static void put_published(const struct figure *f, const char *name, FILE *out)
{
	size_t index = f->n;
	char how[80];

	for (size_t i = 0; i < f->n; i++) {
		if (!f->series[i].npub)
			continue;
		if (figure_boxes(f))
			put_white(f, i, index, name, out);
		snprintf(how, sizeof(how), "using 1:2 with points ls %zu notitle", i + 1 + f->n);
		put_item(name, index++, how, out);
	}
	if (index > f->n)
		fputs(", \\\n\tNaN with points lc rgb '#606060' lw 1.5 pt 6 ps 1.9 "
		      "title 'published'", out);
}

static void put_published_title(const struct series *s, FILE *out)
{
	char *title = xasprintf("%s%spublished", s->label, *s->label ? ", " : "");

	put_entry(title, out);
	free(title);
}

/* On a terminal, where marks are letters, each has its entry. */
static void put_published_term(const struct figure *f, FILE *out)
{
	size_t index = f->n;
	char how[80];

	for (size_t i = 0; i < f->n; i++) {
		if (!f->series[i].npub)
			continue;
		snprintf(how, sizeof(how), "using 1:2 with points ls %zu", i + 1 + f->n);
		put_item(NULL, index++, how, out);
		put_published_title(&f->series[i], out);
	}
}

/* "NaN notitle" first, so that every item begins alike. */
static void put_plot(const struct figure *f, const char *name, FILE *out)
{
	const enum plot_naming naming = name ? figure_naming(f) : PLOT_LEGEND;

	fputs("plot NaN notitle", out);
	for (size_t i = 0; i < f->n && name; i++)
		put_band(f, i, name, out);
	for (size_t i = 0; i < f->n; i++) {
		if (!figure_boxes(f) && name)
			put_bars(f, i, name, out);
		put_series(f, i, name, out);
		plot_script_put_title(f, i, naming, out);
		if (figure_boxes(f) && name)
			put_bars(f, i, name, out);
	}
	if (name)
		put_published(f, name, out);
	else
		put_published_term(f, out);
	if (figure_nevers(f)) {
		fprintf(out, ", \\\n\tNaN with points lc rgb '#606060' pt '%s'",
			figure_never_sign(f));
		put_entry(figure_nevers(f), out);
	}
	if (naming == PLOT_NAMES && f->seeds > 1) {
		fputs(", \\\n\tNaN with points pt ' ' title \"", out);
		figure_seeds(f, true, out);
		putc('"', out);
	}
	fputs("\n", out);
}

/* All but the plot command. */
static void plot_script_put_head(const struct figure *f, FILE *out)
{
	fputs("set grid lt 1 lc rgb '#DCDCDC' lw 0.8\n", out);
	figure_axes(f, 0, out);
	figure_words(f, figure_slanted(f), out);
	put_key(f, out);
	put_styles(f, out);
	figure_never(f, out);
	figure_labels(f, out);
	put_top(f, out);
}

static void put_all(const struct figure *f, bool pdf, FILE *out)
{
	const struct plot_file file = { f->name, figure_height(f), pdf };

	gnuplot_head(f->name, out);
	plot_script_put_head(f, out);
	plot_terminals_begin(&file, out);
	put_plot(f, f->name, out);
	plot_terminals_end(&file, "\treplot\n", out);
}

void figure_script(const struct figure *f, FILE *out)
{
	put_all(f, false, out);
}

void figure_script_pdf(const struct figure *f, FILE *out)
{
	put_all(f, true, out);
}

/* ---- on a terminal: series are A, B, .., published numbers a, b, .. ---- */

static void put_styles_term(const struct figure *f, FILE *out)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct look look = figure_look(f, i);
		const char *light = strcmp(look.color, "#000000") ? look.color : "#808080";
		const int letter = (int)(i % 26);

		fprintf(out, "set style line %zu lc rgb '%s' pt '%c'\n", i + 1, light,
			'A' + letter);
		fprintf(out, "set style line %zu lc rgb '%s' pt '%c'\n", i + 1 + f->n, light,
			'a' + letter);
	}
}

static void put_key_term(const struct figure *f, FILE *out)
{
	fputs("set key below left Left reverse samplen 3 maxcols 1 noenhanced\n", out);
	put_seeds(f, "\\n", false, out);
}

void figure_script_term(const struct figure *f, const struct plot_screen *s, FILE *out)
{
	const int height = s->height + figure_entries(f) + (f->seeds > 1 ? 2 : 0);

	fprintf(out, "set encoding utf8\nset terminal dumb %d %d %s noenhanced\n", s->width, height,
		s->colour ? "ansi256" : "mono");
	fputs("$data << EOD_OF_CONVOY\n", out);
	figure_data(f, out);
	fputs("EOD_OF_CONVOY\n", out);
	figure_axes(f, s->width, out);
	figure_words(f, false, out);
	put_key_term(f, out);
	put_styles_term(f, out);
	figure_never(f, out);
	put_top(f, out);
	put_plot(f, NULL, out);
}
