/*
 * finished.h - the flags that table, plot and claims share: which finished runs.
 */
#ifndef CMD_FINISHED_H
#define CMD_FINISHED_H

#include "cmd/args.h"
#include "cmd/outcome.h"

struct finished {               /* first member of a command's conf */
	char *scale, *out, *only;
};

#define FINISHED_OPTS \
	{ "scale", OPT_STRING, offsetof(struct finished, scale), NULL, \
	  "which of the experiment's scales", "SCALE", 0, 0, NULL, 0 }, \
	{ "only", OPT_STRING, offsetof(struct finished, only), NULL, \
	  "only the points of the grid that have this value", "KEY=VALUE", 0, 0, NULL, 0 }, \
	{ "out", OPT_STRING, offsetof(struct finished, out), NULL, \
	  "folder of results; else $CONVOY_RESULTS, else results", "DIR", 0, 0, NULL, 0 }

/*
 * Parses the command line of one experiment, reads its finished runs, and warns
 * of those that are missing. Calls show() and gives its exit code.
 */
int finished_main(struct args *a, int argc, char **argv,
		  int (*show)(const struct plan *p, const struct outcome *o, const void *conf));

#endif
