/*
 * plot_path.h - the FILE of --plot.
 */
#ifndef CMD_PLOT_PATH_H
#define CMD_PLOT_PATH_H

/* DIR/NAME.svg or .png -> DIR and NAME, owned by the caller; 0 or error(). */
int plot_path_split(const char *path, char **dir, char **name);

/* 0, or error() for what is no such path, or in a folder that is not there. */
int plot_path_check(const char *path);

#endif
