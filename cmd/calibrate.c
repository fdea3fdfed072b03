/* `convoy calibrate`: how fast these ranks are, as a cluster for the simulator. */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "cmd/opts.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/text/word.h"
#include "data/data.h"
#include "plan/machine/batch_system.h"
#include "runner/launch/launch.h"
#include "runner/results/folder.h"
#include "runner/single_run/simrun.h"
#include "study/calibrate/calibrate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct conf {
	char *hostfile, *hosts, *file;
	char *net, *data, *batch, *backend, *precision, *lowering, *partitions, *optim, *allreduce;
	int64_t ranks, workers, threads, rounds;
	double seconds;
	bool quiet;
};

static const struct opt opts[] = {
	{ "n", OPT_AT(INT, struct conf, ranks), "0",
	  "ranks to measure; 0: the batch system's, else one a core", "N", 0, 1 << 20, NULL, 0 },
	OPT_NUMBER(struct conf, workers, "0", "ranks that compute at once; the others wait; 0: all",
		   "N", 0, 1 << 20),
	HOSTS_OPTS(struct conf),
	OPT_TEXT(struct conf, net, "net, as in a run", "NET"),
	OPT_TEXT(struct conf, data, "data set, as in a run", "DATA"),
	OPT_TEXT(struct conf, batch, "samples of a minibatch", "N"),
	OPT_TEXT(struct conf, backend, "compute backend, as in a run", "NAME"),
	OPT_TEXT(struct conf, precision, "f32 or bf16", "TYPE"),
	OPT_TEXT(struct conf, lowering, "openblas: as in a run", "TYPE"),
	OPT_TEXT(struct conf, partitions, "openblas: as in a run", "N"),
	OPT_TEXT(struct conf, optim, "optimiser that is timed", "OPTIM"),
	{ "allreduce", OPT_AT(STRING, struct conf, allreduce), "whole",
	  "method of the timed all-reduces: whole or ring", "HOW", 0, 0, NULL, 0 },
	OPT_NUMBER(struct conf, seconds, "5", "time of each measurement of gradients", "SECONDS",
		   0.1, 3600),
	OPT_NUMBER(struct conf, rounds, "200", "messages and all-reduces of each size", "N", 1,
		   100000),
	{ "o", OPT_AT(STRING, struct conf, file), "calibrated.json", "the cluster file", "FILE", 0,
	  0, NULL, 0 },
	QUIET_OPT(struct conf),
	{ 0 }
};

static const char about[] =
	"Measures real ranks and writes a cluster file, with which the simulator predicts them:\n"
	"seconds per minibatch of one worker and of all at once, how these times vary, seconds of\n"
	"a message and of an all-reduce by size, and of a server's step. It measures the engine\n"
	"of 'convoy train'. Give it the ranks of the later run: for 2 workers and a server -n 3\n"
	"--workers 2. The file is for one net, data set and batch; the times of other nets are\n"
	"estimated from its rate.\n"
	"\n"
	"Examples:\n"
	"  convoy calibrate -n 2 --net lenet -o here.json\n"
	"  convoy sim --cluster here.json --net lenet --workers 2 --algo asgd --timing\n"
	"  convoy predict --cluster here.json --net lenet --lr 0.01 -n 2 \\\n"
	"                 --algo allreduce,ad-psgd";

/* The figures, a line each. */
static void print_findings(struct findings *f)
{
	for (size_t i = 0; i < f->levels; i++)
		printf("gradient, %d at once %12.4g s, cv %.3g, %zu of them\n", f->level[i],
		       times_mean(&f->periods[i]), times_cv(&f->periods[i]), f->periods[i].n);
	if (findings_first_use(f) > 0.0)
		printf("new samples         %12.4g s a gradient\n", findings_first_use(f));
	printf("optimiser's step    %12.4g s\n", times_middle(&f->steps));
	if (f->sizes)
		printf("handlers            %12.4g GB/s, during a gradient %.4g GB/s\n",
		       findings_handler_rate(f), findings_receive_rate(f));
	for (size_t i = 0; i < f->sizes; i++)
		printf("message   %9zu %12.4g s\n", f->floats[i] * sizeof(float),
		       times_mean(&f->messages[i]));
	for (size_t i = 1; i < f->sizes; i++)
		printf("allreduce %9zu %12.4g s\n", f->floats[i] * sizeof(float),
		       times_mean(&f->allreduces[i]));
}

/* One of the ranks, of which the first writes. */
static int calibrate_rank(const struct setup *su, const struct conf *c)
{
	const struct calibrate_conf calibrate = {
		.threads = (int)c->threads, .workers = (int)c->workers, .seconds = c->seconds,
		.rounds = c->rounds, .quiet = c->quiet,
	};
	struct dataset *data = setup_needs_data(su) ? dataset_open(&su->data) : NULL;
	struct problem *problem = data || !setup_needs_data(su) ? setup_problem(su, data) : NULL;
	struct findings f = { 0 };
	int code = real_agree(problem && setup_check_samples(su, problem->n[SPLIT_TRAIN]) == 0
			      ? EXIT_OK : EXIT_BAD);

	if (problem && code == EXIT_OK)
		code = calibrate_measure(&f, su, &calibrate, problem);
	if (problem && code == EXIT_OK && real_rank() == 0) {
		code = calibrate_write(&f, su, c->file) < 0 ? EXIT_BAD : EXIT_OK;
		if (code == EXIT_OK)
			print_findings(&f);
	}
	findings_release(&f);
	if (problem)
		problem->ops->close(problem);
	dataset_close(data);
	return code;
}

/* The flags that are settings of a run and override its defaults. */
static int calibrate_apply(struct setup *su, const struct conf *c)
{
	const struct {
		const char *key, *value;
	} all[] = { { "net", c->net }, { "data", c->data }, { "batch", c->batch },
		    { "backend", c->backend }, { "precision", c->precision },
		    { "lowering", c->lowering }, { "partitions", c->partitions },
		    { "optim", c->optim }, { "allreduce", c->allreduce },
		    { "engine", "mpi" } };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].value && opt_set(settings_opts, &su->in, all[i].key, all[i].value,
					    "command line") < 0)
			return -1;
	return 0;
}

static int resolve_and_calibrate(const struct args *a)
{
	struct conf *c = a->conf;
	struct launch l = { .ranks = (int)c->ranks, .hostfile = c->hostfile, .hosts = c->hosts,
			    .quiet = c->quiet };
	const char *slash = strrchr(c->file, '/');
	char *dir = !slash ? xstrdup(".")
			   : xasprintf("%.*s", (int)(slash - c->file + 1), c->file);
	struct setup su;
	int code = EXIT_BAD;

	c->threads = batch_threads(c->threads, 1);
	if (c->threads < 0 || launch_hosts(c->hosts, c->hostfile) < 0) {
		free(dir);
		return EXIT_BAD;
	}
	if (!l.ranks && !world_inside())
		l.ranks = launch_ranks();
	setup_init(&su);
	su.ranks = world_inside() ? real_size() : l.ranks;
	if (world_check_asked(c->ranks) == 0 && calibrate_apply(&su, c) == 0 &&
	    setup_resolve(&su) == 0) {
		if (c->workers > su.ranks)
			error("%d workers on %d rank%s (expected a rank for each worker)",
			      (int)c->workers, su.ranks, word_plural(su.ranks));
		else if (!word_ends(c->file, ".json"))
			error("-o '%s': a cluster file's name ends in .json", c->file);
		else if (folder_writable(dir) == 0)     /* before anything is measured */
			code = EXIT_OK;
	}
	free(dir);
	if (world_inside())
		code = real_agree(code);
	if (code == EXIT_OK)
		code = world_inside() ? calibrate_rank(&su, c) : launch(&l, a->argc, a->argv);
	setup_release(&su);
	return code;
}

static int parse_and_calibrate(int argc, char **argv)
{
	struct conf conf;
	struct args a = { .opts = opts, .conf = &conf, .code = true, .about = about, .none = true,
			  .usage = "calibrate [-n RANKS] [--net NET] [-o FILE] [OPTIONS]" };

	return args_main(&a, argc, argv, resolve_and_calibrate);
}

int cmd_calibrate(int argc, char **argv)
{
	return launch_main(argc, argv, parse_and_calibrate);
}
