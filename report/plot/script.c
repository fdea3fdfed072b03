/*
 * script.c - a figure as gnuplot data and script, and as a figure of LaTeX.
 *
 * All paths are relative, so that a user edits the script and runs it in its folder.
 */
#include "report/plot/plot.h"

#include "core/base/mem.h"
#include "report/text/escape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MARKS = 12 };                    /* along a curve */
enum { TOO_FAR = 100 };                 /* heights of the plot */

/* ---- data ---- */

/* A comment of one line, whatever the text. */
static void comment_put(const char *prefix, const char *text, FILE *out)
{
	fprintf(out, "# %s", prefix);
	for (; *text; text++)
		putc((unsigned char)*text < 32 ? ' ' : *text, out);
	putc('\n', out);
}

static bool is_between(const double *x, size_t n, double from, double to)
{
	for (size_t i = 0; i < n; i++)
		if (x[i] > from && x[i] < to)
			return true;
	return false;
}

/* An empty line, at which gnuplot's line ends, where the series has no finite value between two. */
static void points_put(const struct series *s, double shift, FILE *out)
{
	const struct point *p = s->p;

	if (!s->n)
		fputs("NaN NaN NaN NaN\n", out);
	for (size_t i = 0; i < s->n; i++) {
		if (i && (is_between(s->never, s->nnever, p[i - 1].x, p[i].x) ||
			  is_between(s->missing, s->nmissing, p[i - 1].x, p[i].x)))
			putc('\n', out);
		fprintf(out, "%.10g %.10g %.10g %.10g\n", p[i].x + shift, p[i].y, p[i].lo, p[i].hi);
	}
}

void figure_data(const struct figure *f, FILE *out)
{
	fputs("# columns: x, mean of y, mean - deviation, mean + deviation\n", out);
	comment_put("x: ", f->xlabel, out);
	comment_put("y: ", f->ylabel, out);
	for (size_t i = 0; i < f->n; i++) {
		fputs(i ? "\n\n" : "", out);
		comment_put("", f->series[i].title, out);
		points_put(&f->series[i], figure_shift(f, i), out);
	}
	for (size_t i = 0; i < f->n; i++) {
		char *prefix;

		if (!f->series[i].npub)
			continue;
		fputs("\n\n", out);
		prefix = xasprintf("%s: ", figure_published(f));
		comment_put(prefix, f->series[i].label, out);
		free(prefix);
		points_put(&(struct series){ .p = f->series[i].pub, .n = f->series[i].npub },
			   figure_shift(f, i), out);
	}
}

/* ---- items of the plot command ---- */

/* NAME.dat, or, of a terminal without a name, the data in the script itself. */
static void item_put(const char *name, size_t index, const char *how, FILE *out)
{
	fputs(", \\\n\t", out);
	if (name)
		gnuplot_path(name, ".dat", out);
	else
		fputs("$data", out);
	fprintf(out, " index %zu %s", index, how);
}

/* A curve leaves a linear plot, where gnuplot draws no line to a point too far outside. */
static bool curves_leave(const struct figure *f)
{
	return !f->logy && isfinite(figure_ceiling(f));
}

static void band_put(const struct figure *f, size_t i, const char *name, FILE *out)
{
	char how[160];

	if (!f->curves || f->series[i].most < 2)
		return;
	snprintf(how, sizeof(how),
		 "using 1:%s with filledcurves fc rgb '%s' fs transparent solid 0.18 noborder "
		 "notitle",
		 curves_leave(f) ? "(top($3)):(top($4))" : "3:4", figure_look(f, i).color);
	item_put(name, i, how, out);
}

static void series_put(const struct figure *f, size_t i, const char *name, FILE *out)
{
	const char *columns = curves_leave(f) ? "1:(top($2))" : "1:2";
	const size_t ls = i + 1, step = f->series[i].n / MARKS;
	char how[96];

	if (f->curves && f->series[i].n >= 2 * MARKS) {
		/* The line, and marks at every step-th point, not where the others have theirs. */
		snprintf(how, sizeof(how), "using %s with lines ls %zu notitle", columns, ls);
		item_put(name, i, how, out);
		snprintf(how, sizeof(how), "every %zu::%zu using 1:2 with points ls %zu notitle",
			 step, i * step / f->n, ls);
		item_put(name, i, how, out);
		fprintf(out, ", \\\n\tNaN with linespoints ls %zu", ls);
		return;
	}
	if (figure_boxes(f)) {
		/* An algorithm keeps its colour; others are told apart in grey too. */
		const double density = figure_own_look(f, i) || i % 3 == 0 ? 0.9 :
				       i % 3 == 1			   ? 0.6 :
									     0.35;

		snprintf(how, sizeof(how),
			 "using 1:2 with boxes ls %zu dt 1 lw 1 fs solid %.2g border", ls, density);
	} else {
		snprintf(how, sizeof(how), "using %s with %s ls %zu", columns,
			 f->worded ? "points" : "linespoints", ls);
	}
	item_put(name, i, how, out);
}

/*
 * A text in the legend. Each further line is an entry of its own, without a mark, for gnuplot
 * gives an entry the height of one line.
 */
static void entry_put(const char *text, FILE *out)
{
	const size_t n = strcspn(text, "\n");
	char *line = xasprintf("%.*s", (int)n, text);

	fputs(" title ", out);
	gnuplot_string(line, out);
	free(line);
	if (text[n]) {
		fputs(", \\\n\tNaN with points pt ' '", out);
		entry_put(text + n + 1, out);
	}
}

static void series_entry_put(const struct figure *f, size_t i, enum plot_naming naming, FILE *out)
{
	scoped char *title = naming == PLOT_NUMBERS ?
				     xasprintf("%zu  %s", i + 1, f->series[i].title) :
				     xstrdup(f->series[i].title);

	if (naming == PLOT_NAMES || !*title)
		fputs(" notitle", out);
	else
		entry_put(title, out);
}

/*
 * Whiskers of one deviation, where there is no band: lines with two flat heads, for gnuplot's
 * error bars come with a disc of the background in their middle.
 */
static void bars_put(const struct figure *f, size_t i, const char *name, FILE *out)
{
	const bool boxes = figure_boxes(f);
	char how[160];

	if (f->curves || f->series[i].most < 2)
		return;
	snprintf(how, sizeof(how),
		 "using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '%s' "
		 "dt 1 lw %s notitle",
		 boxes ? "#000000" : figure_look(f, i).color, boxes ? "1" : "1.5");
	item_put(name, i, how, out);
}

/* Published points; on a terminal, where marks are letters, each series has its entry. */
static void published_put(const struct figure *f, const char *name, FILE *out)
{
	size_t index = f->n;
	char how[80];

	for (size_t i = 0; i < f->n; i++) {
		const struct series *s = &f->series[i];

		if (!s->npub)
			continue;
		if (name && figure_boxes(f)) {
			/* On a box of its colour, a mark stands on white. */
			snprintf(how, sizeof(how), "using 1:2 with points lc rgb '#FFFFFF' pt %d "
				 "ps 2.2 notitle", figure_look(f, i).full);
			item_put(name, index, how, out);
		}
		snprintf(how, sizeof(how), "using 1:2 with points ls %zu%s", i + 1 + f->n,
			 name ? " notitle" : "");
		item_put(name, index++, how, out);
		if (!name) {
			scoped char *title = xasprintf("%s%s%s", s->label, *s->label ? ", " : "",
						       figure_published(f));

			entry_put(title, out);
		}
	}
	if (name && index > f->n)
		fprintf(out, ", \\\n\tNaN with points lc rgb '#606060' lw 1.5 pt 6 ps 1.9 "
			"title '%s'", figure_published(f));
}

/* The command, which begins with "NaN notitle", so that every item begins alike. */
static void plot_put(const struct figure *f, const char *name, FILE *out)
{
	const enum plot_naming naming = name ? figure_naming(f) : PLOT_LEGEND;

	fputs("plot NaN notitle", out);
	for (size_t i = 0; i < f->n && name; i++)
		band_put(f, i, name, out);
	for (size_t i = 0; i < f->n; i++) {
		if (!figure_boxes(f) && name)
			bars_put(f, i, name, out);
		series_put(f, i, name, out);
		series_entry_put(f, i, naming, out);
		if (figure_boxes(f) && name)
			bars_put(f, i, name, out);
	}
	published_put(f, name, out);
	if (figure_nevers(f)) {
		fprintf(out, ", \\\n\tNaN with points lc rgb '#606060' pt '%s'",
			figure_never_sign(f));
		entry_put(figure_nevers(f), out);
	}
	if ((naming == PLOT_NAMES || (f->form && f->form->latex)) && f->seeds > 1) {
		fputs(", \\\n\tNaN with points pt ' ' title \"", out);
		figure_seeds(f, true, out);
		putc('"', out);
	}
	fputs("\n", out);
}

/* ---- the script ---- */

static void seeds_put(const struct figure *f, const char *before, bool deviation, FILE *out)
{
	if (f->seeds < 2)
		return;
	fprintf(out, "set key title \"%s", before);
	figure_seeds(f, deviation, out);
	fputs("\" noenhanced\n", out);
}

/* Below the axes, an empty line keeps off their label. */
static void key_put(const struct figure *f, FILE *out)
{
	const char *corner = figure_corner(f);

	if (!figure_legend_lines(f) || (f->form && f->form->no_legend)) {
		fputs("unset key\n", out);
		return;
	}
	if (corner)
		fprintf(out, "set key %s Left reverse samplen 3 spacing 1.15 noenhanced\n", corner);
	else
		fprintf(out, "set key below horizontal center Left reverse samplen 3 spacing 1.15 "
			"maxcols %d height %d noenhanced\n", figure_columns(f),
			(f->seeds < 2 || figure_naming(f) == PLOT_NAMES) +
			2 * (f->form && f->form->latex));
	/* in TikZ a title of the legend would stand in its first entry */
	if (figure_naming(f) != PLOT_NAMES && !(f->form && f->form->latex))
		seeds_put(f, corner ? "" : "\\n", true, out);
}

static void top_put(const struct figure *f, FILE *out)
{
	const double y = TOO_FAR * figure_frame(f).y1;

	if (curves_leave(f))
		fprintf(out, "top(y) = y > %.6g ? %.6g : y\n", y, y);
}

void figure_script(const struct figure *f, enum plot_medium medium, FILE *out)
{
	const struct plot_file file = { f->name, figure_height(f), medium, f->form,
					figure_width(f) };

	gnuplot_strings_in_latex(medium == PLOT_TIKZ);
	gnuplot_head(f->name, out);
	fputs("set grid lt 1 lc rgb '#DCDCDC' lw 0.8\n", out);
	figure_axes(f, 0, out);
	figure_words(f, figure_slanted(f), out);
	key_put(f, out);
	/* Styles 1 to n are the series', n more those of the published points. */
	for (size_t i = 0; i < f->n; i++) {
		const struct look l = figure_look(f, i);

		fprintf(out, "set style line %zu lc rgb '%s' lw 2 dt %s pt %d ps 0.9\n", i + 1,
			l.color, l.dash, l.full);
		fprintf(out, "set style line %zu lc rgb '%s' lw 1.5 dt 1 pt %d ps 1.9\n",
			i + 1 + f->n, l.color, l.hollow);
	}
	figure_never(f, out);
	figure_labels(f, out);
	top_put(f, out);
	plot_terminals_begin(&file, out);
	plot_put(f, f->name, out);
	plot_terminals_end(&file, "\treplot\n", out);
	gnuplot_strings_in_latex(false);
}

/* On a terminal series are A, B, .., published numbers a, b, .. */
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
	fputs("set key below left Left reverse samplen 3 maxcols 1 noenhanced\n", out);
	seeds_put(f, "\\n", false, out);
	for (size_t i = 0; i < f->n; i++) {
		const struct look look = figure_look(f, i);
		const char *light = strcmp(look.color, "#000000") ? look.color : "#808080";
		const int letter = (int)(i % 26);

		fprintf(out, "set style line %zu lc rgb '%s' pt '%c'\n", i + 1, light,
			'A' + letter);
		fprintf(out, "set style line %zu lc rgb '%s' pt '%c'\n", i + 1 + f->n, light,
			'a' + letter);
	}
	figure_never(f, out);
	top_put(f, out);
	plot_put(f, NULL, out);
}

void figure_tex(const struct figure *f, FILE *out)
{
	fputs("% Needs \\usepackage{graphicx}.\n\\begin{figure}[htbp]\n\\centering\n", out);
	fprintf(out, "\\includegraphics%s{%s.pdf}\n\\caption{",
		f->form && f->form->width > 0 ? "" : "[width=\\linewidth]", f->name);
	escape_latex(f->title ? f->title : f->name, out);
	fputs("}\n\\label{", out);
	escape_latex_label("fig:", f->name, out);
	fputs("}\n\\end{figure}\n", out);
}
