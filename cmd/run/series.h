/* The experiments of a command line, one after the other. */
#ifndef CMD_RUN_SERIES_H
#define CMD_RUN_SERIES_H

#include "cmd/args.h"
#include "cmd/run/parts.h"
#include "runner/estimate/estimate.h"
#include "runner/worker_pool.h"

struct run_conf {
	char *scale, *out, *only, *hostfile, *hosts, *mpirun;
	int64_t jobs, threads, ranks;
	double checkpoint_every;
	bool all, dry_run, json, quiet, fail_fast, resume, again;
};

struct entry {                  /* an experiment of the command line */
	const char *name;       /* borrowed */
	struct plan plan;
	bool made;              /* the plan */
	struct estimate estimate;       /* of its runs to do */
	struct estimate tuning;         /* of those before them that choose settings */
	struct run_row row;
};

struct series {                 /* all of them */
	const struct args *args;
	const struct run_conf *conf;
	struct entry *entries;  /* [n] */
	size_t n;
};

/* Whether finished runs are made once more. */
bool series_again(const struct run_conf *c);

/* How the runs of one of them are carried out. */
struct pool_conf series_conf(const struct series *b);

/* Makes all runs of one of them, those that choose settings first. An exit code as plan_run(). */
int series_run(const struct series *b, struct entry *e);

#endif
