/* Between the parts of `convoy show`. */
#ifndef CMD_SHOW_SHOW_H
#define CMD_SHOW_SHOW_H

#include "core/node.h"
#include "core/text/opt.h"
#include "nets/graph/graph.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* An experiment: what it is, its scales with their numbers of runs, its settings. Exit code. */
int show_experiment(const char *path);

/* A cluster: its words, every number with its unit and its source, what is not given. Exit code. */
int show_cluster(const char *path);

/* The published rates of a device of compute_table, as lines, or added to an object as "rates". */
void show_device(const struct plugin *p);
void show_device_json(cJSON *json, const struct plugin *p);

/* Any object: one member a line, lists of texts one a line, objects indented. */
void show_members(const cJSON *object);

/* ---- graphs ---- */

/*
 * Prints degrees, edges, what holds of the graph, and how fast it mixes. `text` is a graph with
 * its options, as --graph takes it. Exit code.
 */
int show_graph(const char *text, int workers, bool as_json);

/* ---- the facts of an algorithm ---- */

/* The facts as lines, and as members of an object. */
void facts_print(const struct algo *algo);
void facts_add(cJSON *object, const struct algo *algo);

/* All algorithms in Markdown: a table, then the rule of each. */
void facts_table(void);

/* ---- nets ---- */

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

/* ---- delays: how long compute times are, and how often ---- */

enum { DELAY_QUANTILES = 7 };

struct delay_summary {          /* of the workers of one clause */
	char *ranks, *text;     /* owned */
	double mean, deviation; /* by formula; HUGE_VAL: infinite */
	double quantile[DELAY_QUANTILES];
	bool exact;             /* quantiles are by formula, and not of draws */
	double *draw;           /* [ndraws] ascending, owned */
	size_t ndraws;
};

/* The preset of that name, or NULL, silently. */
const struct plugin *show_delay_preset(const char *name);

/*
 * Prints mean, deviation and quantiles of what a text of --delay gives to each clause's workers,
 * of a preset its source as well; with plot draws a histogram into `file`, NAME.svg or .png (NULL:
 * a name of its own), with script and its data, and prints the paths. Exit code.
 */
int show_delay(const char *text, bool as_json, bool plot, const char *file);

/* delay_plot.c: the histogram of n >= 1 summaries; paths, or NULL after error(). */
cJSON *show_delay_plot(const struct delay_summary *s, size_t n, const char *dir, const char *name,
		       const char *format);

#endif
