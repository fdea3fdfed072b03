/* The FILE of --plot and --timeline, and a timeline drawn into it. */
#ifndef CMD_PLOT_PATH_H
#define CMD_PLOT_PATH_H

#include "core/base/mem.h"
#include "record/trace/trace.h"

#include <limits.h>

/* .svg, .png or .pdf; one with numbers as .csv and .json next to it; a figure, also .tex. */
enum plot_path_kind { PLOT_PATH_PICTURE, PLOT_PATH_NUMBERS, PLOT_PATH_FIGURE };

struct plot_path {              /* DIR/NAME.svg */
	char dir[PATH_MAX], name[NAME_MAX + 1];
	const char *format;     /* "svg", ...: the end of the path that was split, borrowed */
};

/* 0 or error(). */
int plot_path_split(const char *path, enum plot_path_kind kind, struct plot_path *to);

/*
 * 0, or error(): no such path, or in a folder that cannot be, or the plot's other files would
 * replace some that no plot made. A missing folder is made later.
 */
int plot_path_check(const char *path, enum plot_path_kind kind);

/* Draws a trace into DIR/NAME.svg, .png or .pdf, and adds the paths. 0 or error(). */
int timeline_draw(const struct trace *t, const char *path, struct texts *paths);

#endif
