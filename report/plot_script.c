/*
 * plot_script.c - a figure as gnuplot data and script.
 *
 * Colours are Okabe and Ito's eight, told apart by the colour-blind; dashes and
 * marks tell lines apart in grey. All paths are relative, so that a user edits
 * the script and runs it in its folder.
 */
#include "report/plot.h"

#include <math.h>
#include <string.h>

enum { STYLES = PLOT_STYLES, MARKS = 12 };      /* marks along a curve */

static const struct {
	const char *color, *dash;
	int full, hollow;               /* gnuplot's point types */
} style[STYLES] = {
	{ "#0072B2", "1", 7, 6 },       { "#D55E00", "(14,4)", 5, 4 },
	{ "#009E73", "(14,3,3,3)", 9, 8 },      { "#CC79A7", "(6,3)", 13, 12 },
	{ "#E69F00", "(20,4,6,4)", 11, 10 },    { "#56B4E9", "1", 15, 14 },
	{ "#000000", "(14,4)", 7, 6 },  { "#8C7A00", "(14,3,3,3)", 5, 4 },
};

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

static void put_setting(const char *what, const char *text, FILE *out)
{
	fprintf(out, "set %s ", what);
	gnuplot_string(text, out);
	fputs(" noenhanced\n", out);
}

/* Tics at 1, 2, 5 of each decade, where whole decades would be too few. */
static void put_log_tics(char axis, double low, double high, FILE *out)
{
	static const double steps[] = { 1, 2, 5 };
	const char *comma = "";

	fprintf(out, "set %ctics (", axis);
	for (double decade = pow(10, floor(log10(low))); decade <= high; decade *= 10)
		for (int i = 0; i < 3; i++) {
			double at = decade * steps[i];

			if (at < low || at > high)
				continue;
			fprintf(out, "%s'%g' %g", comma, at, at);
			comma = ", ";
		}
	fputs(")\n", out);
}

/* Plain numbers while they are short, else powers of ten, on paper with exponents to be read. */
static const char *log_format(double low, double high, bool letters)
{
	if (low >= 1e-4 && high < 2e5)
		return "%g";
	return letters ? "10^{%L}" : "10^{/*1.15 %L}";
}

static void put_step(const struct frame *b, FILE *out)
{
	const double step = plot_step(b->x0, b->x1);

	if (step > 0)
		fprintf(out, "set xtics %g\n", step);
}

static void put_scale(char axis, bool log_axis, double low, double high, bool letters, FILE *out)
{
	if (log_axis)
		fprintf(out, "set logscale %c\n", axis);
	if (log_axis && high / low < 300)
		put_log_tics(axis, low, high, out);
	else
		fprintf(out, "set format %c '%s'\n", axis,
			log_axis ? log_format(low, high, letters) : "%g");
}

static void put_axes(const struct figure *f, bool letters, FILE *out)
{
	struct frame b = figure_frame(f);

	if (f->title)
		put_setting("title", f->title, out);
	put_setting("xlabel", f->xlabel, out);
	put_setting("ylabel", f->ylabel, out);
	fputs("set border 3 lc rgb '#404040'\nset tics nomirror\n", out);
	put_scale('x', f->logx, b.x0, b.x1, letters, out);
	put_scale('y', f->logy, b.y0, b.y1, letters, out);
	if (!f->logx && !f->categories && !letters)
		put_step(&b, out);
	fprintf(out, "set xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n", b.x0, b.x1, b.y0, b.y1);
}

/* Words under the boxes. A tic's text is a format of numbers to gnuplot. */
static void put_categories(const struct figure *f, bool slanted, FILE *out)
{
	const cJSON *word;
	int i = 0;

	if (!f->categories)
		return;
	fprintf(out, "set xtics noenhanced %s(",
		slanted ? "rotate by 25 right offset 0.6,0 " : "");
	cJSON_ArrayForEach(word, f->categories) {
		fputs(i ? ", " : "", out);
		gnuplot_tic(word->valuestring, out);
		fprintf(out, " %d", i++);
	}
	fputs(") scale 0\nset grid noxtics\n", out);
	fprintf(out, "set boxwidth %.4g\n", 0.72 / (double)f->n);
}

static void put_seeds(const struct figure *f, const char *before, FILE *out)
{
	if (f->seeds < 2)
		return;
	fprintf(out, "set key title \"%s", before);
	figure_seeds(f, out);
	fputs("\" noenhanced\n", out);
}

/* Below the axes, an empty line keeps off their label. */
static void put_key(const struct figure *f, FILE *out)
{
	const char *corner = figure_corner(f);

	if (corner)
		fprintf(out, "set key %s Left reverse samplen 3 spacing 1.15 noenhanced\n", corner);
	else
		fprintf(out, "set key below horizontal center Left reverse samplen 3 spacing 1.15 "
			"maxcols %d height %d noenhanced\n", figure_columns(f), f->seeds < 2);
	put_seeds(f, corner ? "" : "\\n", out);
}

static void put_key_term(const struct figure *f, FILE *out)
{
	const char *corner = figure_corner(f);

	fprintf(out, "set key %s Left reverse samplen 3 noenhanced\n",
		corner ? corner : "below horizontal center");
	put_seeds(f, "", out);
}

static void put_styles(const struct figure *f, FILE *out)
{
	size_t n = f->n < STYLES ? f->n : STYLES;

	for (size_t i = 0; i < n; i++) {
		fprintf(out, "set style line %zu lc rgb '%s' lw 2 dt %s pt %d ps 0.9\n", i + 1,
			style[i].color, style[i].dash, style[i].full);
		fprintf(out, "set style line %zu lc rgb '%s' lw 1.5 dt 1 pt %d ps 1.9\n",
			i + 1 + STYLES, style[i].color, style[i].hollow);
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

static void put_band(const struct figure *f, size_t i, const char *name, FILE *out)
{
	char how[128];

	if (!f->curves || f->series[i].most < 2)
		return;
	snprintf(how, sizeof(how),
		 "using 1:3:4 with filledcurves fc rgb '%s' fs transparent solid 0.18 noborder "
		 "notitle",
		 style[i % STYLES].color);
	put_item(name, i, how, out);
}

/* A long curve: the line, and marks at every step-th point, not where the others have theirs. */
static void put_marked(const struct figure *f, size_t i, const char *name, FILE *out)
{
	size_t step = f->series[i].n / MARKS, ls = i % STYLES + 1;
	char how[96];

	snprintf(how, sizeof(how), "using 1:2 with lines ls %zu notitle", ls);
	put_item(name, i, how, out);
	snprintf(how, sizeof(how), "every %zu::%zu using 1:2 with points ls %zu notitle", step,
		 i * step / f->n, ls);
	put_item(name, i, how, out);
	fprintf(out, ", \\\n\tNaN with linespoints ls %zu", ls);
}

static void put_series(const struct figure *f, size_t i, const char *name, FILE *out)
{
	size_t ls = i % STYLES + 1;
	char how[96];

	if (f->curves && f->series[i].n >= 2 * MARKS) {
		put_marked(f, i, name, out);
		return;
	}
	if (figure_boxes(f))
		snprintf(how, sizeof(how),
			 "using 1:2 with boxes ls %zu dt 1 lw 1 fs solid %.2g border", ls,
			 i % 3 == 0 ? 0.9 : i % 3 == 1 ? 0.6 : 0.35);
	else
		snprintf(how, sizeof(how), "using 1:2 with %s ls %zu",
			 f->categories ? "points" : "linespoints", ls);
	put_item(name, i, how, out);
}

static void put_title(const struct figure *f, size_t i, FILE *out)
{
	if (f->n == 1 && !*f->series[i].title) {
		fputs(" notitle", out);
		return;
	}
	fputs(" title ", out);
	gnuplot_string(f->series[i].title, out);
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
		 figure_boxes(f) ? "#000000" : style[i % STYLES].color,
		 figure_boxes(f) ? "1" : "1.5");
	put_item(name, i, how, out);
}

/* Published points, and one grey entry in the legend for all of them. */
static void put_published(const struct figure *f, const char *name, FILE *out)
{
	size_t index = f->n;
	char how[80];

	for (size_t i = 0; i < f->n; i++) {
		if (!f->series[i].npub)
			continue;
		snprintf(how, sizeof(how), "using 1:2 with points ls %zu%s notitle",
			 i % STYLES + 1 + STYLES, figure_boxes(f) ? " lc rgb '#000000'" : "");
		put_item(name, index++, how, out);
	}
	if (index > f->n)
		fputs(", \\\n\tNaN with points lc rgb '#606060' lw 1.5 pt 6 ps 1.9 "
		      "title 'published'", out);
}

/* "NaN notitle" first, so that every item begins alike. */
static void put_plot(const struct figure *f, const char *name, bool bands, FILE *out)
{
	fputs("plot NaN notitle", out);
	for (size_t i = 0; i < f->n && bands; i++)
		put_band(f, i, name, out);
	for (size_t i = 0; i < f->n; i++) {
		if (!figure_boxes(f))
			put_bars(f, i, name, out);
		put_series(f, i, name, out);
		put_title(f, i, out);
		if (figure_boxes(f))
			put_bars(f, i, name, out);
	}
	put_published(f, name, out);
	fputs("\n", out);
}

/* All but the plot command. */
static void put_head(const struct figure *f, FILE *out)
{
	fputs("set grid lt 1 lc rgb '#DCDCDC' lw 0.8\n", out);
	put_axes(f, false, out);
	put_categories(f, figure_slanted(f), out);
	put_key(f, out);
	put_styles(f, out);
	figure_never(f, out);
}

void figure_script(const struct figure *f, FILE *out)
{
	const struct plot_file file = { f->name, figure_height(f) };

	gnuplot_head(f->name, out);
	put_head(f, out);
	plot_terminals_begin(&file, out);
	put_plot(f, f->name, true, out);
	plot_terminals_end(&file, out);
}

void figure_script_pdf(const struct figure *f, FILE *out)
{
	const struct plot_file file = { f->name, figure_height(f) };

	fputs("set encoding utf8\n", out);
	put_head(f, out);
	plot_terminal_pdf(&file, out);
	put_plot(f, f->name, true, out);
	fputs("set output\n", out);
}

void figure_script_term(const struct figure *f, int width, int height, FILE *out)
{
	fprintf(out, "set encoding utf8\nset terminal dumb %d %d mono noenhanced\n", width, height);
	fputs("$data << EOD_OF_CONVOY\n", out);
	figure_data(f, out);
	fputs("EOD_OF_CONVOY\n", out);
	put_axes(f, true, out);
	put_categories(f, false, out);
	put_key_term(f, out);
	figure_never(f, out);
	put_plot(f, NULL, false, out);
}
