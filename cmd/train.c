/*
 * train.c - `convoy train`: one run on real ranks.
 *
 * Called by a user it checks the settings and starts itself through the launcher of the MPI
 * library; called as a rank, by a launcher or srun, it runs.
 */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "cmd/common.h"
#include "cmd/opts.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"
#include "data/data.h"
#include "plan/plan.h"
#include "runner/launch/launch.h"
#include "runner/measured_shares.h"
#include "runner/results/folder.h"
#include "runner/single_run/single.h"

#include <stdlib.h>
#include <string.h>

struct train_conf {
	char *out, *trace, *hostfile, *hosts, *mpirun;
	char *file, *experiment, *scale, *lease;        /* of a run of an experiment */
	bool noted;
	int64_t ranks, threads, restarts, keep;
	double heartbeat, hang, checkpoint_every;
	bool resume, dry_run, json, quiet;
};

static const struct opt train_opts[] = {
	RANKS_OPT(struct train_conf),
	HOSTS_THREADS_OPTS(struct train_conf),
	MPIRUN_OPT(struct train_conf),
	OPT_NUMBER(struct train_conf, heartbeat, "30",
		   "seconds without a heartbeat before a warning; 0: never", "SECONDS", 0, 1e9),
	/* The first name of --heartbeat. */
	{ "late", OPT_AT(DOUBLE, struct train_conf, heartbeat), "30", "--heartbeat", "SECONDS", 0,
	  1e9, NULL, OPT_HIDDEN },
	OPT_NUMBER(struct train_conf, hang, "0",
		   "seconds without a heartbeat before the run ends; 0: never", "SECONDS", 0, 1e9),
	OPT_NUMBER(struct train_conf, checkpoint_every, "0", "epochs between checkpoints; 0: none",
		   "EPOCHS", 0, 1e9),
	OPT_FLAG(struct train_conf, resume,
		 "continue from the last checkpoint, or a shorter run's"),
	OPT_NUMBER(struct train_conf, restarts, "0",
		   "times that a crashed run restarts from its checkpoint", "N", 0, 1000000),
	KEEP_OPT(struct train_conf),
	OUT_OPT(struct train_conf),
	FOR_ANOTHER_OPTS(struct train_conf),
	SINGLE_OPTS(struct train_conf),
	{ 0 }
};

static const char train_about[] =
	"Trains on real MPI ranks, with the algorithms and settings of 'convoy sim', and writes\n"
	"OUT/train/HASH.h5. It starts mpirun, or the launcher of another MPI, itself; 'mpirun\n"
	"-n 8 convoy train' and 'srun --mpi=pmix convoy train' work too. A server has its own\n"
	"rank, unless --server shared. --slow and --delay make workers wait, as stragglers do.\n"
	"--shares speed measures ranks before the run, unless settings make workers differ.\n"
	"\n"
	"--checkpoint-every 0.5 saves a checkpoint twice an epoch (convoy sim counts seconds);\n"
	"Ctrl-C, SIGTERM and SIGUSR1 save one more.\n"
	"--resume continues from the last one, and with more --epochs also a finished run.\n"
	"\n"
	"Exit codes: 0 finished; 1 failed, or wrong input; 128 memory or disk; 129 command line;\n"
	"130, 138, 143 interrupted by Ctrl-C, SIGUSR1, SIGTERM.\n"
	"\n"
	"Examples:\n"
	"  convoy train -n 2 --algo allreduce --net lenet --lr 0.01 --epochs 2\n"
	"  convoy train -n 5 --algo asgd --slow 0:10 --compute-s 0.1 --seconds 30\n"
	"  convoy train -n 4 --net resnet20 --epochs 160 --checkpoint-every 1 \\\n"
	"               --restarts 3\n"
	"  convoy train --algo ad-psgd --workers 4 --hosts node1:2,node2:2";

static char *train_folder(const struct train_conf *c)
{
	return xasprintf("%s/train", results_folder(c->out));
}

static char *result_path(const struct setup *su, const struct train_conf *c)
{
	return c->file ? xstrdup(c->file)
		       : xasprintf("%s/train/%s.h5", results_folder(c->out), su->hash);
}

static int train_resolve(struct setup *su, const struct train_conf *c)
{
	if (setup_resolve(su) < 0)
		return -1;
	/* A model that workers share is of no rank, and how they met in it stands nowhere. */
	if (setup_algo(su)->shared && c->trace)
		return error("trace: %s's workers share a model, and the order in which they read "
			     "and write it is not recorded: a replay could not be the same",
			     su->algo.plugin->name);
	if (setup_algo(su)->shared && (c->checkpoint_every > 0 || c->resume || c->restarts))
		return error("%s: %s's workers share a model, and checkpoints hold only what ranks "
			     "keep for themselves",
			     c->checkpoint_every > 0 ? "checkpoint_every"
			     : c->resume	     ? "resume" : "restarts",
			     su->algo.plugin->name);
	return c->file ? 0 : shares_check_unmeasured(su);
}

/* Prints what would be run. */
static int train_dry(const struct setup *su, const struct train_conf *c)
{
	const bool unmeasured = !c->file && shares_unmeasured(su);
	char *path = result_path(su, c);
	const bool there = !c->trace && !unmeasured && result_finished(path, su->hash);

	free(path);
	single_print_settings(su, c->json);
	if (unmeasured)
		note("shares = speed: the settings give all workers one speed, so the run will "
		     "measure its ranks; the hash above is that of equal shares");
	/* files on other machines cannot be seen from here */
	return there || c->hosts || c->hostfile || setup_look_data(su) == 0 ? EXIT_OK : EXIT_BAD;
}

/* With a resumed run's shares, where they were measured on this machine. */
static int recall_shares(struct setup *su, const struct train_conf *c)
{
	scoped char *dir = train_folder(c);

	return c->file || !shares_unmeasured(su) ? 0 : shares_recall(su, dir);
}

/* good: this rank could read its settings. The exit code, on all ranks. */
static int resolve_as_rank(struct setup *su, const struct args *a, bool good)
{
	const struct train_conf *c = a->conf;
	const char *starting = c->restarts ? "restarts" : c->hosts ? "hosts" :
			       c->hostfile ? "hostfile" : c->mpirun ? "mpirun" : NULL;
	int code;

	if (c->dry_run)
		dataset_plan_only();
	su->ranks = real_size();
	good = good && world_check_own(starting) == 0 && world_check_asked(c->ranks) == 0 &&
	       train_resolve(su, c) == 0;
	code = real_agree(good ? EXIT_OK : EXIT_BAD);
	return code == EXIT_OK && ranks_check_same(a, su) < 0 ? EXIT_BAD : code;
}

static int as_rank(struct setup *su, const struct args *a, bool good)
{
	const struct train_conf *c = a->conf;
	char *dir = train_folder(c), *path = NULL, *hosts;
	int code = resolve_as_rank(su, a, good), rank = 0;

	if (code == EXIT_OK && c->dry_run) {
		free(dir);
		if (real_rank() > 0)
			return EXIT_OK;
		return c->resume && recall_shares(su, c) < 0 ? EXIT_BAD : train_dry(su, c);
	}
	/* runs of experiments have the shares that their settings alone decide, which name files */
	if (code == EXIT_OK && shares_unmeasured(su) && !c->file)
		code = shares_settle(su, &(struct shares_context){
						 .dir = dir, .resume = c->resume,
						 .threads = (int)c->threads, .quiet = c->quiet });
	else if (code == EXIT_OK && shares_unmeasured(su) && real_rank() == 0)
		warning("shares = speed: only 'convoy train' measures ranks; here the settings "
			"give all workers one speed, so the shares are equal");
	su->real.heartbeat_s = c->heartbeat;
	su->real.hang_s = c->hang;
	if (code == EXIT_OK) {
		path = result_path(su, c);
		hosts = real_hosts();
		if (hosts && !c->quiet)
			for (char *host = strtok(hosts, "\n"); host; host = strtok(NULL, "\n"))
				note("rank %d: %s, %d compute thread%s", rank++, host,
				     (int)c->threads, word_plural((double)c->threads));
		free(hosts);
		guard_result(path);
		code = real_agree(!c->file && real_rank() == 0 && folder_prepare(dir) < 0
					  ? EXIT_BAD : EXIT_OK);
		code = run_end_code(code != EXIT_OK ? RUN_END_FAILED :
				    single_run(su, &(struct run_context){
			.experiment = c->experiment ? c->experiment : "",
			.scale = c->scale ? c->scale : "", .path = path, .trace = c->trace,
			.threads = (int)c->threads, .resume = c->resume,
			.checkpoint_every = c->checkpoint_every, .alone = !c->file,
			.lease = c->lease, .noted = c->noted,
			.keep = c->file || c->trace ? 0 : c->keep }, c->quiet));
		if (code == EXIT_OK && real_rank() == 0 && !c->file)
			code = result_print(su, path, c->json, c->quiet);
	}
	free_all(path, dir);
	return code;
}

/*
 * Launches, and after a crash again, to go on. Ranks on other machines do not see the variables
 * of the batch system, so they are told their threads.
 */
static int launch_again(const struct launch *l, const struct args *a)
{
	const struct train_conf *c = a->conf;
	const int argc = a->argc;
	char **more = xcalloc((size_t)argc + 3, sizeof(*more)), resume[] = "--resume";
	char *threads = xasprintf("--threads=%d", (int)c->threads);
	int code;

	memcpy(more, a->argv, (size_t)argc * sizeof(*more));
	more[argc] = threads;
	more[argc + 1] = resume;
	batch_patience();
	code = launch(l, argc + 1, more);
	for (int64_t k = 1; k <= c->restarts && launch_crashed(code); k++) {
		note("restart %d of %d", (int)k, (int)c->restarts);
		code = launch(l, argc + 2, more);
	}
	free_all(threads, more);
	return code;
}

static int train_start(struct setup *su, const struct args *a)
{
	const struct train_conf *c = a->conf;
	char *path = result_path(su, c);
	const bool unmeasured = !c->file && shares_unmeasured(su);
	const struct launch l = { .ranks = setup_ranks(su), .hostfile = c->hostfile,
				  .hosts = c->hosts, .options = c->mpirun,
				  .result = unmeasured ? NULL : path, .quiet = c->quiet };
	int code;

	if (!c->quiet && !c->file)
		single_note_assumed(su);
	if (unmeasured) {
		/* The file that the run writes is not known before it has measured its shares. */
		code = launch_again(&l, a);
		if (code != EXIT_OK && recall_shares(su, c) == 0 && !shares_unmeasured(su)) {
			free(path);
			path = result_path(su, c);
			launch_keep_partial(path, 0, true);
		}
	} else if (!c->trace && result_finished(path, su->hash)) {
		if (!c->quiet)
			note("finished before: %s", path);
		plan_warn_of_file(su, path);
		code = result_print(su, path, c->json, c->quiet);
	} else {
		plan_warn_of_former(su, path);
		code = launch_again(&l, a);
	}
	free(path);
	return code;
}

static int as_command(struct setup *su, const struct args *a)
{
	const struct train_conf *c = a->conf;
	const bool given = su->in.workers && strcmp(su->in.workers, "auto") != 0;

	if (c->dry_run)
		dataset_plan_only();
	su->ranks = c->ranks ? (int)c->ranks : given ? 0 : batch_ranks();
	if (train_resolve(su, c) < 0 || setup_check_ranks(su) < 0 ||
	    (c->resume && recall_shares(su, c) < 0))
		return EXIT_BAD;
	return c->dry_run ? train_dry(su, c) : train_start(su, a);
}

/* A setting of engine that is given is mpi. */
static int engine_apply(struct setup *su, const struct args *a)
{
	if (settings_apply(&su->in, a->set, "command line") < 0)
		return -1;
	if (json_get(a->set, "engine") && su->in.engine != ENGINE_MPI)
		return error("engine = sim is for 'convoy sim': train has real ranks");
	return settings_set(&su->in, "engine", "mpi", "train");
}

static int apply_and_train(const struct args *a)
{
	struct train_conf *c = a->conf;
	struct setup su;
	int code = EXIT_BAD;
	bool good;

	if (a->nwords)
		return args_usage(a, "'%s': train accepts options only; experiments are for "
				     "'convoy run'", a->words[0]);
	if (c->trace && (c->resume || c->restarts))
		return args_usage(a, "a trace is of a whole run: --trace goes with neither "
				     "--resume nor --restarts");
	c->threads = batch_threads(c->threads, 1);
	if (c->threads < 0 || launch_hosts(c->hosts, c->hostfile) < 0)
		return EXIT_BAD;
	setup_init(&su);
	good = engine_apply(&su, a) == 0;
	if (world_inside())
		code = as_rank(&su, a, good);
	else if (good)
		code = as_command(&su, a);
	setup_release(&su);
	return code;
}

const struct syntax cmd_train = {
	.opts = train_opts, .conf_size = sizeof(struct train_conf), .settings = true, .code = true,
	.ranks = RANKS_ALL,
	.common = "algo workers net data epochs lr slow compute_s server",
	.usage = "train [-n RANKS] [--SETTING VALUE]... [OPTIONS]",
	.about = train_about, .run = apply_and_train,
};
