/* The FILE of --plot and --timeline, and a timeline drawn into it. */
#ifndef CMD_PLOT_PATH_H
#define CMD_PLOT_PATH_H

#include "core/base/mem.h"
#include "core/text/opt.h"
#include "record/trace/trace.h"
#include "report/plot/plot.h"

#include <limits.h>

/* .svg, .png, .pdf; one with numbers as .csv and .json next to it; a figure, also .tex, .tikz. */
enum plot_path_kind { PLOT_PATH_PICTURE, PLOT_PATH_NUMBERS, PLOT_PATH_FIGURE };

struct plot_path {              /* DIR/NAME.svg */
	char dir[PATH_MAX], name[NAME_MAX + 1];
	const char *format;     /* "svg", ...: the end of the path that was split, borrowed */
};

/* Options of a picture for print, which plot_form_read() reads. */
struct print_conf {
	char *size;
	double font;
	bool legend;
};
#define PRINT_OPTS(CONF)                                                                           \
	{ "plot_size", OPT_AT(STRING, CONF, print.size), NULL,                                     \
	  "for print: 8.5cm, 3.3in, 240pt, 8.5cmx6cm; else 16cm", "SIZE", 0, 0, NULL, 0 },         \
	{ "plot_font", OPT_AT(DOUBLE, CONF, print.font), "0",                                      \
	  "for print: size of letters, points; 0: 11", "POINTS", 0, 100, NULL, 0 },                \
	{ "plot_legend", OPT_AT(BOOL, CONF, print.legend), "true",                                 \
	  "for print: the legend; --no-plot-legend", NULL, 0, 0, NULL, 0 }

/* Fills the form of a plot in that format. 0, or error() also where they are of another format. */
int plot_form_read(struct plot_form *form, const struct print_conf *c, const char *format);

/* True when one of the options is given. */
static inline bool form_is_given(const struct print_conf *c)
{
	return c->size || c->font > 0 || !c->legend;
}

/* 0 or error(). */
int plot_path_split(const char *path, enum plot_path_kind kind, struct plot_path *to);

/*
 * 0, or error(): no such path, or in a folder that cannot be, or the plot's other files would
 * replace some that no plot made. A missing folder is made later.
 */
int plot_path_check(const char *path, enum plot_path_kind kind);

/* After plot_path_check(): the same of a second plot of the command, DIR/NAMEending. */
int plot_path_check_second(const char *path, enum plot_path_kind kind, const char *ending);

/* Draws a trace into DIR/NAME.svg, .png or .pdf, and adds the paths. 0 or error(). */
int timeline_draw(const struct trace *t, const char *path, struct texts *paths);

#endif
