/* The flags that table, plot and claims share: which finished runs. */
#ifndef CMD_FINISHED_H
#define CMD_FINISHED_H

#include "cmd/args.h"
#include "cmd/opts.h"
#include "runner/results/outcome.h"

struct finished {               /* first member of a command's conf */
	char *scale, *out, *only;
};

#define FINISHED_OPTS EXPERIMENT_OPTS(struct finished), OUT_OPT(struct finished)

/* Without settings: the last results, whatever their settings; or the last of the spec's own. */
enum finished_which { FINISHED_LAST, FINISHED_UNCHANGED };

/*
 * Parses the command line of one experiment, reads its finished runs, and warns
 * of those that are missing. Calls show() and gives its exit code. Of an experiment without
 * settings it takes what latest_find() finds.
 */
int finished_main(struct args *a, int argc, char **argv, enum finished_which which,
		  int (*show)(const struct plan *p, const struct outcome *o, const void *conf));

#endif
