/* Between the files of `convoy show`, and the table of all algorithms for `convoy list`. */
#ifndef CMD_SHOW_H
#define CMD_SHOW_H

#include "core/file/members.h"
#include "core/node.h"
#include "core/text/opt.h"

#include <stdbool.h>

/* ---- show_algo.c ---- */

/* The facts of an algorithm as lines, and as members of an object. */
void facts_print(const struct algo *algo);
void facts_add(cJSON *object, const struct algo *algo);

/* All algorithms in Markdown: a table, then the rule of each. */
void facts_table(void);

/* ---- show_net.c ---- */

/* Options that are for nets alone. */
struct show_net {
	const char *input;      /* "HxWxC"; NULL: the file's own */
	int classes;            /* 0: the file's own */
	bool json, plot;
	const char *file;       /* of the plot; NULL: NAME.dot and NAME.svg */
};

/* Loads and prints, or draws and prints where. Exit code. */
int show_net(const char *name, const struct show_net *how);

/* True of a net whose layers are known by their size alone; prints them. Exit code. */
bool show_is_size(const char *name);
int show_size(const char *name, bool as_json);

/* ---- show_delay.c: how long compute times are, and how often ---- */

/* The preset of that name, or NULL, silently. */
const struct plugin *show_delay_preset(const char *name);

/*
 * Prints mean, deviation and quantiles of what a text of --delay gives to each clause's workers,
 * of a preset its source as well; with plot draws a histogram into `file`, NAME.svg or .png (NULL:
 * a name of its own), with script and its data, and prints the paths. Exit code.
 */
int show_delay(const char *text, bool as_json, bool plot, const char *file);

#endif
