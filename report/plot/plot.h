/* A plot of a spec as points, and the gnuplot script that draws them. */
#ifndef REPORT_PLOT_PLOT_H
#define REPORT_PLOT_PLOT_H

#include "core/base/mem.h"
#include "record/select.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Pixels of an SVG. */
enum {
	PLOT_WIDTH = 640,
	PLOT_AREA = 500,        /* between the ends of the x axis, about */
	PLOT_HEIGHT = 480,      /* if nothing makes it higher */
	PLOT_AREA_HEIGHT = 330, /* between the ends of the y axis, about */
	PLOT_FONT = 17          /* size of letters */
};

/* Form of a PDF: cm, and points. */
enum { PDF_WIDTH = 16, PDF_FONT = 11 };

/* Colours of what workers do in all pictures and pages; web/page.css has the same ones. */
#define COLOR_COMPUTING "#0072b2"
#define COLOR_HANDLING "#56b4e9"
#define COLOR_COMMUNICATING "#009e73"
#define COLOR_WAITING "#f5d9a0"
#define COLOR_AWAY "#8c8c8c"
#define COLOR_LOST "#d55e00"

struct point {
	double x, y;
	double lo, hi;          /* y -+ one deviation, above 0 on a log axis; y with one run */
	int diverged;           /* of its runs; of a curve, of the series */
};

struct series {
	char *label;            /* owned */
	char *title;            /* owned, in lines: how many seeds where they are fewer, ... */
	char *algo;             /* owned; the algorithm of all its runs, or NULL */
	struct point *p;        /* [n], owned */
	size_t n;
	struct point *pub;      /* [npub] published, owned */
	size_t npub;
	double *never;          /* [nnever] x of infinite means, or of diverged runs; owned */
	int *lost;              /* [nnever] of their runs, those that diverged; owned; or NULL */
	size_t nnever;
	double *missing;        /* [nmissing] x of configurations without a value, owned */
	size_t nmissing;
	int fewest, most;       /* runs that a point is the mean of */
	int runs, diverged;     /* of the series, and those of them that diverged */
};

/* Output of a script: SVG and, if gnuplot can, PNG; NAME.pdf, or NAME.tikz. */
enum plot_medium { PLOT_PICTURES, PLOT_PDF, PLOT_TIKZ };

/*
 * How a PDF or TikZ picture is drawn, where that is asked for; without its title, which a caption
 * has. Zeros are the usual.
 */
struct plot_form {
	double width, height;   /* cm; a height of 0 is what the plot needs */
	double font;            /* size of letters, points */
	bool no_legend;
	bool latex;             /* LaTeX draws the texts: of TikZ */
};

struct figure {
	const char *name, *title;       /* borrowed from the spec */
	const struct plot_form *form;   /* borrowed; NULL: the usual one, as of SVG and PNG */
	char *xlabel, *ylabel;
	char *yname;            /* the measure or column on the y axis; NULL: none of ours */
	bool workers;           /* x counts workers */
	bool calculated;        /* the published points: by us, as the paper defines them */
	bool curves;            /* a line per row of a curve; else a point per run */
	bool logx, logy;
	bool worded;            /* x is 0, 1, .. into the words; else a number */
	char **words;           /* [nwords], owned */
	size_t nwords;
	int seeds;              /* most runs that a point is the mean of */
	size_t n;
	struct series *series;  /* [n], with points, or with positions where it never has one */
};

/* ---- figure.c: from runs to points ---- */

/*
 * Fills *f from an entry of "plots" in spec; false when there is nothing to draw.
 * The caller calls figure_release() either way.
 */
bool figure_build(struct figure *f, const cJSON *entry, const cJSON *spec,
		  const struct results *runs);
void figure_release(struct figure *f);

/* A word for the axis; the position of a word, which is added when new. */
void figure_add_word(struct figure *f, const char *word);
size_t figure_word(struct figure *f, const char *word);

/* ---- words.c: settings in the words of a legend, and plug-ins that differ in one number ---- */

/*
 * The words that tell a run's series from the others: of each key the text in labels, else the
 * quantity with its value ("4 workers", "momentum -0.6"). The caller frees.
 */
char *words_series(const struct selection *all, const struct result *run, const cJSON *keys,
		   const cJSON *labels);

/*
 * "groups" for "groups:groups=1", "groups:groups=8": the option that makes an axis of a setting's
 * values in the runs: numbers, two or more of one plug-in where each value has one, else three or
 * more, and more than values without. The caller frees; NULL when there is none.
 */
char *words_option(const struct selection *all, const char *key);

/* A run's number of that option; NaN when it has none. */
double words_number(const struct result *run, const char *key, const char *option);

/* True when the setting of two runs differs in that option at most. */
bool words_same_rest(const struct result *a, const struct result *b, const char *key,
		     const char *option);

/* The setting but for that option, as in words_series(); "" where all runs have the same. */
char *words_rest(const struct selection *all, const struct result *run, const char *key,
		 const char *option);

/* "nic bandwidth [GB/s]": the label of such an axis. The caller frees. */
char *words_axis(const struct selection *all, const char *key, const char *option);

/* ---- file.c: the numbers of a figure ---- */

/*
 * As CSV, a row a point: series, algorithm, "measured", "published" or "calculated", x, y, ends of
 * the deviation, seeds; y is "inf" where it has no end. As JSON, from which figure_load() makes it
 * again: 0, or error() that names path; the caller releases it either way, and keeps the JSON until
 * then.
 */
void figure_csv(const struct figure *f, FILE *out);
void figure_save(const struct figure *f, FILE *out);
int figure_load(struct figure *f, const cJSON *json, const char *path);

/* ---- axes.c ---- */

/* Ends of a deviation within what the measure can be. */
void figure_bound(const struct figure *f, double *low, double *high);

/* True of a measure within 0 and 1, such as an accuracy: never logarithmic. */
bool plot_is_share(const char *name);

/* True when one linear axis cannot show the smallest value and the largest. */
bool plot_is_wide(double low, double high);

/* The top of a plot of losses, if some curves rise so high that they leave it; else HUGE_VAL. */
double figure_ceiling(const struct figure *f);

/* The highest value of such a curve; NaN: the series does not leave the plot. */
double figure_rise(const struct figure *f, const struct series *s);

/* Distance of the i-th series from its word on the x axis, as series stand side by side; else 0. */
double figure_shift(const struct figure *f, size_t i);

/* Writes the signs for means that are infinite or missing (`never`), as labels of a script. */
void figure_never(const struct figure *f, FILE *out);

/*
 * Height of the i-th series' signs, 1: the top; share of the height for signs, above all points, or
 * below them where more of the measure is better.
 */
double figure_never_height(const struct figure *f, size_t i);
double figure_never_margin(const struct figure *f);

/* The sign, in UTF-8; its meaning, for the legend, NULL if there are no signs. */
const char *figure_never_sign(const struct figure *f);
const char *figure_nevers(const struct figure *f);

/* Ranges of the axes: of all points and deviations, and a margin. Of a log axis, not logarithms. */
struct frame {
	double x0, x1, y0, y1;
};
struct frame figure_frame(const struct figure *f);

/* True when words on the x axis get boxes, which stand on 0; false: points, to show differences. */
bool figure_boxes(const struct figure *f);

/* Step of ticks along a linear x axis of `width` pixels; 0: gnuplot's own ticks do not overlap. */
double plot_step(double low, double high, double width);

/*
 * Writes a log axis with three or more ticks: at 1, 2, 5 of each decade; if these are too few, at
 * more steps of a decade, or at equal distances. numbers: ticks have numbers. letters: the plot is
 * drawn in a terminal's letters.
 */
void plot_log_axis(char axis, double low, double high, bool numbers, bool letters, FILE *out);

/*
 * Writes ticks along x at powers of two, as many as there is space for their numbers: `digits` fit
 * along the axis. False, and nothing is written, if there is no space for two.
 */
bool plot_power_ticks(bool log_axis, double low, double high, double digits, bool numbers,
		      FILE *out);

/* Writes title and axes, and words under boxes. columns: of a terminal; 0: a picture. */
void figure_axes(const struct figure *f, int columns, FILE *out);
void figure_words(const struct figure *f, bool slanted, FILE *out);
int figure_title_lines(const struct figure *f);

/* ---- legend.c ---- */

/* Fills in seeds and the titles. */
void figure_titles(struct figure *f);

/* The words over the legend of a figure with means, and whether their deviations are drawn. */
void figure_seeds(const struct figure *f, bool deviation, FILE *out);

/* Name of published points: "published", or "calculated". */
const char *figure_published(const struct figure *f);

/* Names of series are in the legend or at the series; it explains numbers. */
enum plot_naming { PLOT_LEGEND, PLOT_NAMES, PLOT_NUMBERS };
enum plot_naming figure_naming(const struct figure *f);

/* The labels at lines and points, and the margin that they take. */
void figure_labels(const struct figure *f, FILE *out);

/*
 * Pixels as wide as a letter of PLOT_FONT needs: a picture of another size, or with letters of
 * another size, has more or fewer than PLOT_WIDTH.
 */
double figure_width(const struct figure *f);

/* In pixels: the margin right of the axes for them, 0: none; the axes next to it. */
double figure_side(const struct figure *f);
double figure_area_width(const struct figure *f);
double figure_area_height(const struct figure *f);

/* Lines of a legend with all series; of a picture's, where they may be labelled elsewhere. */
int figure_entries(const struct figure *f);
int figure_legend_lines(const struct figure *f);

/* The corner where the legend hides nothing, "top right" .. "bottom left"; NULL: none. */
const char *figure_corner(const struct figure *f);

/* How many entries of the legend stand side by side where it is below the axes; 1 or more. */
int figure_columns(const struct figure *f);

/* True when the words under the axis fit only slanted. */
bool figure_slanted(const struct figure *f);

/* The SVG's height in pixels, with all that stands below its axes. */
int figure_height(const struct figure *f);

/* ---- style.c ---- */

struct look {
	char color[8];          /* "#RRGGBB" */
	const char *dash;       /* gnuplot's dashes and point types; hollow: published */
	int full, hollow;
};

/*
 * The look of the i-th series: the algorithm's own where algorithms are compared, the same in all
 * plots, also of an algorithm that is not ours; else in turn.
 */
struct look figure_look(const struct figure *f, size_t i);

/*
 * The looks of algorithms with their options, as a plot that compares them has them; more than one
 * of an algorithm differ in colour, too.
 */
void algo_looks(char *const *algo, size_t n, struct look *look);

/* True when that is the algorithm's own. */
bool figure_own_look(const struct figure *f, size_t i);

/* ---- script.c ---- */

/* The data: a block per series, then a block per series of published points. */
void figure_data(const struct figure *f, FILE *out);

/* The script that draws NAME.dat. */
void figure_script(const struct figure *f, enum plot_medium medium, FILE *out);

struct plot_screen {
	int width, height;      /* columns, and rows without the legend's */
	bool colour;
};

/* A script with the data inside that draws on a terminal. */
void figure_script_term(const struct figure *f, const struct plot_screen *s, FILE *out);

/* A LaTeX figure that includes NAME.pdf, with a caption and a label. */
void figure_tex(const struct figure *f, FILE *out);

/* ---- gnuplot.c ---- */

/*
 * Text of any kind in a script. A string in quotes; the same where it is a tic's label, which
 * gnuplot takes for a format; the path of NAMEsuffix, which is never a pipe or an option; the first
 * lines of the script of ./NAME.gp.
 */
void gnuplot_string(const char *text, FILE *out);
void gnuplot_tic(const char *text, FILE *out);
void gnuplot_path(const char *name, const char *suffix, FILE *out);
void gnuplot_head(const char *name, FILE *out);

/* From now on such texts are for LaTeX, which draws the strings of a TikZ script; or not. */
void gnuplot_strings_in_latex(bool latex);

struct plot_file {              /* what a script draws */
	const char *name;       /* of the file, without its suffix */
	int height;             /* of the SVG, in pixels; its width is PLOT_WIDTH */
	enum plot_medium medium;        /* a PDF or TikZ of the same shape, 16 cm wide ... */
	const struct plot_form *form;   /* ... unless this says otherwise; may be NULL */
	double width;           /* pixels of that form; 0: PLOT_WIDTH */
};

/*
 * Before a script's plot command: what gnuplot draws on. After the command: the same plot once
 * more, in dots, by the commands `again`.
 */
void plot_terminals_begin(const struct plot_file *p, FILE *out);
void plot_terminals_end(const struct plot_file *p, const char *again, FILE *out);

/*
 * Once `stop` is true, gnuplot is killed, no picture of the plot is left and no further plot of a
 * spec is drawn.
 */
void gnuplot_stop_when(bool (*stop)(void));
bool gnuplot_stopped(void);

/*
 * Runs gnuplot on `script` (from the folder dir; NULL: here), without the user's own
 * settings, and waits at most a minute. Its output goes to out (NULL: nowhere). 0; 1 when
 * there is no gnuplot; -1 when it failed, with its first line of complaint in why.
 */
int gnuplot_run(const char *script, const char *dir, FILE *out, char why[256]);

/* ---- svg.c ---- */

/*
 * A picture like gnuplot's SVG and shorter: without its symbols and groups that draw nothing, and
 * with the attributes that most groups have in one group around them. It has that title, which
 * screen readers say and svg_title() gives back. What is no SVG of gnuplot's is copied. The caller
 * frees.
 */
char *svg_lean(const char *svg, const char *title);

/* Title of a picture; NULL: it has none. The caller frees. */
char *svg_title(const char *svg);

/* ---- plot.c: files and terminals ---- */

struct plot_parts {             /* what makes a plot */
	const char *name;
	const struct figure *figure;    /* all of it; NULL: the next */
	int height;             /* of the SVG, in pixels; 0: PLOT_HEIGHT */
	bool panels;            /* the script has several plot commands */
	const void *ctx;
	void (*script)(const void *ctx, const char *name, FILE *out);   /* of NAME.dat */
	void (*data)(const void *ctx, FILE *out);
	void (*csv)(const void *ctx, FILE *out);        /* NULL: none; so is the next */
	void (*json)(const void *ctx, FILE *out);
};

/*
 * Writes DIR/NAME.gp, NAME.dat, .csv and .json and, through gnuplot, NAME.svg and NAME.png, and
 * makes the folder; without gnuplot script and data alone, and error(). With the format "pdf"
 * NAME.pdf too, with "tex" that and NAME.tex, a LaTeX figure around it, with "tikz" NAME.tikz.
 * Other files stay, whatever their names. Adds the paths that it writes (NULL: to no list). 0 or
 * error(); also 0 where gnuplot_stopped().
 */
int plot_write(const struct plot_parts *p, const char *dir, const char *format,
	       struct texts *paths);
int figure_write(const struct figure *f, const char *dir, const char *format, struct texts *paths);

/* True when DIR/NAME.gp is a script that plot_write() made, perhaps edited since. */
bool plot_is_ours(const char *dir, const char *name);

/*
 * Removes what plot_write() made in that format of a plot that is no longer made: nothing where
 * DIR/NAME.gp is not ours.
 */
void plot_discard(const char *dir, const char *name, const char *format);

/* Does so with all plots in DIR that are of the stem of one of `names`, but not among them. */
void plots_remove_others(const char *dir, const struct texts *names, const char *format);

/*
 * plot_write() for every plot of the spec, or the one of that name, that has data; where gnuplot
 * draws no SVG, after a warning. `form` is of PDF and TikZ, NULL: the usual. 0 or error().
 */
int plots_write(const cJSON *spec, const struct results *runs, const char *name,
		const char *dir, const char *format, const struct plot_form *form,
		struct texts *paths);

/*
 * Draws the plot of that name in letters, $COLUMNS wide (gnuplot's dumb terminal); name NULL: all
 * of the spec. How many were drawn, or -1 after error().
 */
int plots_term(const cJSON *spec, const struct results *runs, const char *name, FILE *out);

#endif
