/* Rows of the option tables that several commands share; CONF is the struct they fill. */
#ifndef CMD_OPTS_H
#define CMD_OPTS_H

#include "core/text/opt.h"

#include <stddef.h>

/* char *out */
#define OUT_OPT(CONF) \
	OPT_TEXT(CONF, out, "folder of results; else $CONVOY_RESULTS, else results", "DIR")

/* bool quiet */
#define QUIET_OPT(CONF) \
	OPT_FLAG(CONF, quiet, "no progress on stderr")

/* int64_t threads, where each of the cores has its own */
#define ALL_THREADS_OPT(CONF) \
	{ "threads", OPT_AT(INT, CONF, threads), "0", \
	  "threads; 0: $SLURM_CPUS_PER_TASK, else one a core", "N", 0, 4096, NULL, 0 }

/* int64_t ranks */
#define RANKS_OPT(CONF) \
	{ "n", OPT_AT(INT, CONF, ranks), "0", \
	  "ranks to start; 0: what the workers need, else those of the hosts or the batch " \
	  "system, else one a core", \
	  "N", 0, 1 << 20, NULL, 0 }

/* char *mpirun */
#define MPIRUN_OPT(CONF) \
	OPT_TEXT(CONF, mpirun, "more options of the MPI launcher, separated by spaces", "OPTIONS")

/* int64_t ranks */
#define SIM_RANKS_OPT(CONF) \
	{ "sim_ranks", OPT_AT(INT, CONF, ranks), "0", \
	  "MPI ranks that compute gradients; 0: those of the hosts or mpirun, else one", "R", 0, \
	  1 << 20, NULL, 0 }

/* Flags of a run that another command has started: char *file, *experiment, *scale, *lease; bool
 * noted */
#define FOR_ANOTHER_OPTS(CONF) \
	{ "file", OPT_AT(STRING, CONF, file), NULL, \
	  "the result, instead of OUT/COMMAND/HASH.h5", "FILE", 0, 0, NULL, OPT_HIDDEN }, \
	{ "experiment", OPT_AT(STRING, CONF, experiment), NULL, "experiment of the run", \
	  "NAME", 0, 0, NULL, OPT_HIDDEN }, \
	{ "scale", OPT_AT(STRING, CONF, scale), NULL, "at which scale", "SCALE", 0, 0, \
	  NULL, OPT_HIDDEN }, \
	{ "lease", OPT_AT(STRING, CONF, lease), NULL, "lock of the result that the caller has", \
	  "KEY", 0, 0, NULL, OPT_HIDDEN }, \
	{ "noted", OPT_AT(BOOL, CONF, noted), NULL, "the caller has said what runs compute in", \
	  NULL, 0, 0, NULL, OPT_HIDDEN }

/* char *hostfile, *hosts */
#define HOSTS_OPTS(CONF) \
	OPT_TEXT(CONF, hostfile, "file of hosts, a line each: 'a slots=2' or 'a:2'", "FILE"), \
	OPT_TEXT(CONF, hosts, "hosts and their ranks: a:2,b:2", "HOSTS")

/* The same, and int64_t threads */
#define HOSTS_THREADS_OPTS(CONF) \
	HOSTS_OPTS(CONF), \
	{ "threads", OPT_AT(INT, CONF, threads), "0", \
	  "threads of a rank; 0: $SLURM_CPUS_PER_TASK, else one", "N", 0, 4096, NULL, 0 }

/* Flags of one run: char *trace; bool dry_run, json, quiet */
#define SINGLE_OPTS(CONF) \
	OPT_TEXT(CONF, trace, "record all events, for 'convoy replay' and 'trace'", \
	  "FILE"), \
	OPT_FLAG(CONF, dry_run, "print the settings, run and write nothing"), \
	OPT_FLAG(CONF, json, "the run as one JSON object on stdout"), \
	QUIET_OPT(CONF)

/* double checkpoint_every, of simulated runs */
#define CHECKPOINT_OPT(CONF, DEFAULT) \
	{ "checkpoint_every", OPT_AT(DOUBLE, CONF, checkpoint_every), DEFAULT, \
	  "wall-clock seconds between checkpoints; 0: none", "SECONDS", 0, 1e9, NULL, 0 }

/* bool retrain */
#define RETRAIN_OPT(CONF) \
	OPT_FLAG(CONF, retrain, "train again, even if a finished run with the same training " \
				"settings has the same order of events")

/* int64_t keep */
#define KEEP_OPT(CONF) \
	{ "checkpoint_keep", OPT_AT(INT, CONF, keep), "268435456", \
	  "largest checkpoint that a finished run keeps", "BYTES", 0, 1e15, NULL, 0 }

/* Flags of an experiment: char *scale, *only */
#define EXPERIMENT_OPTS(CONF) \
	OPT_TEXT(CONF, scale, "which of the experiment's scales", "SCALE"), \
	{ "only", OPT_AT(STRING, CONF, only), NULL, \
	  "only grid points with this value; a name alone: with any options; repeat to combine " \
	  "(AND)", \
	  "KEY=VALUE", 0, 0, NULL, OPT_MANY }

#endif
