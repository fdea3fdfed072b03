/* `convoy show net`: a net's layers as a table, as JSON, as a diagram. */
#ifndef CMD_SHOW_NET_H
#define CMD_SHOW_NET_H

#include "nets/graph/graph.h"

#include <stdio.h>

/* What of the command line is for nets alone. */
struct show_net {
	const char *input;      /* "HxWxC"; NULL: the file's own */
	int classes;            /* 0: the file's own */
	bool json, plot;
	const char *file;       /* of the plot; NULL: NAME.dot and NAME.svg */
};

/* Loads and prints, or draws and prints where. Exit code. */
int show_net(const char *name, const struct show_net *how);

/* The layers as boxes with their connections, in Graphviz's language DOT. */
void net_dot(const struct graph *g, FILE *out);

/*
 * Writes that as FILE.dot and, where Graphviz is installed, the picture FILE.svg or FILE.pdf, as
 * the name of the file ends (NULL: NAME.svg), and prints their names. 0, or error().
 */
int net_plot(const struct graph *g, const char *file);

/* True of a net whose layers are known by their size alone; prints them. Exit code. */
bool show_is_size(const char *name);
int show_size(const char *name, bool as_json);

#endif
