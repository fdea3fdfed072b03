/* `convoy calibrate`: how fast these ranks are, as a cluster for the simulator. */
#include "study/calibrate/calibrate.h"

#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/opts.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/text/word.h"
#include "data/data.h"
#include "runner/launch/launch.h"
#include "runner/launch/world.h"
#include "runner/progress.h"
#include "runner/results/folder.h"
#include "runner/signals.h"
#include "runner/single_run/simrun.h"

#include <math.h>
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

/* ---- the measurement ---- */

struct meter {
	struct progress progress;
	double all;             /* seconds that it will take, about */
};

static void calibrate_tick(void *ctx)
{
	struct meter *m = ctx;
	const double gone = progress_elapsed(&m->progress);

	progress_show(&m->progress, 0, fmin(gone / m->all, 0.99), gone);
}

/* 1, 2, 4, .. and all workers. */
static void choose_levels(struct findings *f)
{
	for (int k = 1; k < f->workers; k *= 2)
		f->level[f->levels++] = k;
	f->level[f->levels++] = f->workers;
}

/* Nothing, then every eightfold size up to the model's. */
static void choose_sizes(struct findings *f, size_t dim)
{
	if (f->ranks < 2)
		return;
	f->floats[f->sizes++] = 0;
	for (size_t n = 256; n < dim && f->sizes < SIZES_MAX - 1; n *= 8)
		f->floats[f->sizes++] = n;
	f->floats[f->sizes++] = dim;
}

enum {
	ENOUGH = 12,    /* gradients of a worker: for a mean, and for a pass of handlers */
	COLD = 3        /* of them, while code is made and memory is touched first */
};

/* All workers once, for so many seconds; of interest is only how they get their batches. */
static int look_first(const struct probe *p, struct findings *f, double seconds)
{
	const struct computing c = { .active = f->workers, .seconds = seconds };
	struct times periods = { 0 }, steps = { 0 }, passes = { 0 };
	struct computed to = { &periods, &steps, &passes, &f->first, 0 };
	int ret;

	f->first.from = f->seen > COLD ? f->seen : COLD;
	f->first.end = f->epoch;
	ret = probe_compute(p, &c, &to);
	if (to.gradients > f->seen)
		f->seen = to.gradients;
	times_release(&periods);
	times_release(&steps);
	times_release(&passes);
	return ret;
}

/*
 * The batches that later probes compute with, which begin with the same: so that their gradients
 * are all of known samples. On a busy machine these gradients may take longer than the time that
 * is given: it is doubled.
 */
static int measure_first(const struct probe *p, struct findings *f, double seconds)
{
	enum { TRIES = 8 };

	for (int k = 0; k < TRIES && f->seen < ENOUGH && !signal_caught; k++, seconds *= 2) {
		if (real_agree(look_first(p, f, seconds) < 0) != EXIT_OK)
			return -1;
		real_share(&f->seen, sizeof(f->seen));
	}
	if (f->seen >= ENOUGH || signal_caught)
		return 0;
	if (real_rank() == 0)
		error("a worker had only %d gradient%s in %g s. Give more --seconds.", (int)f->seen,
		      word_plural((double)f->seen), seconds / 2);
	return -1;
}

static int measure_level(const struct probe *p, struct findings *f, size_t i, int64_t gradients)
{
	const struct computing c = { .active = f->level[i],
				     .gradients = f->level[i] * gradients };
	struct computed to = { &f->periods[i], &f->steps, &f->passes, &f->known, 0 };

	f->steps.n = f->passes.n = 0;
	f->known.from = COLD;
	f->known.end = INT64_MAX;
	return real_agree(probe_compute(p, &c, &to) < 0) == EXIT_OK ? 0 : -1;
}

/* All workers, with messages and without, by turns: their difference counts, and machines drift. */
static int measure_all(const struct probe *p, struct findings *f)
{
	enum { TURNS = 3 };
	const size_t last = f->levels - 1;
	const int64_t gradients = f->seen / TURNS > ENOUGH ? f->seen / TURNS : ENOUGH;
	const struct computing c = { .active = f->workers, .gradients = f->workers * gradients };
	int bad = 0;

	f->known = (struct fetching){ 0 };
	for (int turn = 0; turn < TURNS && !bad; turn++) {
		bad = measure_level(p, f, last, gradients) < 0;
		if (!bad && f->workers > 1)
			bad = probe_receiving(p, &c, &f->receiving) < 0;
	}
	return bad ? -1 : 0;
}

static int measure_compute(const struct probe *p, struct findings *f, double seconds)
{
	if (measure_first(p, f, seconds) < 0)
		return -1;
	for (size_t i = 0; i + 1 < f->levels; i++)
		if (measure_level(p, f, i, f->seen) < 0)
			return -1;
	return measure_all(p, f);
}

/* As many as were asked for, but fewer where gradients take long: each has one before it. */
static int count_rounds(const struct findings *f, const struct conf *c)
{
	struct times all = f->periods[f->levels - 1];
	int rounds = 0;

	if (real_rank() == 0)
		rounds = (int)(2.0 * c->seconds / (times_middle(&all) * (double)f->sizes));
	if (rounds > c->rounds)
		rounds = (int)c->rounds;
	if (rounds < 4)
		rounds = 4;
	real_share(&rounds, sizeof(rounds));
	return rounds;
}

static int calibrate_measure(const struct probe *p, struct findings *f, const struct conf *c)
{
	int rounds;

	choose_levels(f);
	choose_sizes(f, p->run.dim);
	if (measure_compute(p, f, c->seconds) < 0)
		return -1;
	if (f->sizes == 0 || signal_caught)
		return 0;
	rounds = count_rounds(f, c);
	if (probe_messages(p, f->floats, f->sizes, rounds, f->messages) < 0)
		return -1;
	return probe_allreduces(p, f->floats + 1, f->sizes - 1, rounds, f->allreduces + 1);
}

/* A step so small that the net stays where it is. */
static const double probe_lr = 1e-9;

static struct run run_of(const struct setup *su, const struct problem *problem)
{
	return (struct run){
		.workers = real_size(), .seed = (uint64_t)su->in.seed, .dim = problem->dim,
		.batch = (size_t)su->in.batch, .samples = problem->n[SPLIT_TRAIN],
		.optim = (const struct optim *)su->optim.plugin, .optim_conf = su->optim.conf,
		.carry = problem->carry, .lr = { .base = probe_lr },
		.interrupted = &signal_caught,
	};
}

static int calibrate(const struct conf *c, struct probe *p, struct findings *f)
{
	struct meter meter = { .all = 1.0 + c->seconds * (7.0 + log2(real_size())) };
	int ret;

	progress_start(&meter.progress, 1, c->quiet || real_rank() > 0);
	meter.progress.unit = "seconds";
	p->tick = calibrate_tick;
	p->ctx = &meter;
	ret = calibrate_measure(p, f, c);
	progress_end(&meter.progress);
	if (real_agree(ret < 0 ? EXIT_BAD : EXIT_OK) != EXIT_OK)
		return EXIT_BAD;
	return signal_caught ? signals_exit_code() : EXIT_OK;
}

/* With the problem open on every rank. */
static int measure_and_write(const struct setup *su, const struct conf *c,
			     const struct problem *problem)
{
	const struct sampler sampler = { .seed = (uint64_t)su->in.seed, .workers = real_size(),
					 .size = (size_t)su->in.batch,
					 .samples = problem->n[SPLIT_TRAIN],
					 .streams = problem->streams };
	const int workers = c->workers ? (int)c->workers : real_size();
	struct probe p = { .conf = &su->real, .run = run_of(su, problem),
			   .measures = (enum watch_level)su->in.measures };
	struct findings f = { .ranks = real_size(), .threads = (int)c->threads,
			      .workers = workers,
			      .epoch = problem->n[SPLIT_TRAIN] / (su->in.batch * workers) };
	char *hosts = real_hosts();
	int code;

	f.hosts = hosts ? hosts : "";
	p.run.pool = pool_threads(problem, &sampler, (int)c->threads);
	code = real_agree(p.run.pool ? EXIT_OK : EXIT_BAD);
	if (code == EXIT_OK)
		code = calibrate(c, &p, &f);
	if (code == EXIT_OK && real_rank() == 0) {
		code = calibrate_write(&f, su, c->file) < 0 ? EXIT_BAD : EXIT_OK;
		if (code == EXIT_OK)
			calibrate_print(&f);
	}
	pool_free(p.run.pool);
	findings_release(&f);
	free(hosts);
	return code;
}

static int as_rank(const struct setup *su, const struct conf *c)
{
	struct dataset *data = setup_needs_data(su) ? dataset_open(&su->data) : NULL;
	struct problem *problem = data || !setup_needs_data(su) ? setup_problem(su, data) : NULL;
	int code = real_agree(problem && setup_check_samples(su, problem->n[SPLIT_TRAIN]) == 0
			      ? EXIT_OK : EXIT_BAD);

	if (problem && code == EXIT_OK)
		code = measure_and_write(su, c, problem);
	if (problem)
		problem->ops->close(problem);
	dataset_close(data);
	return code;
}

/* ---- the command ---- */

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

static int check_workers(const struct setup *su, const struct conf *c)
{
	if (c->workers <= su->ranks)
		return 0;
	return error("%d workers on %d rank%s (expected a rank for each worker)", (int)c->workers,
		     su->ranks, word_plural(su->ranks));
}

/* Before anything is measured: that the file can be written. */
static int check_file(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = !slash ? xstrdup(".") : xasprintf("%.*s", (int)(slash - path + 1), path);
	int ret = 0;

	if (!word_ends(path, ".json"))
		ret = error("-o '%s': a cluster file's name ends in .json", path);
	else
		ret = folder_writable(dir);
	free(dir);
	return ret;
}

static int calibrate_start(const struct args *a)
{
	const struct conf *c = a->conf;
	const struct launch l = { .ranks = c->ranks ? (int)c->ranks : launch_ranks(),
				  .hostfile = c->hostfile, .hosts = c->hosts, .quiet = c->quiet };

	return launch(&l, a->argc, a->argv);
}

static int resolve_and_calibrate(const struct args *a)
{
	struct conf *c = a->conf;
	struct setup su;
	int code = EXIT_BAD;

	c->threads = batch_threads(c->threads, 1);
	if (c->threads < 0 || launch_hosts(c->hosts, c->hostfile) < 0)
		return EXIT_BAD;
	setup_init(&su);
	su.ranks = world_inside() ? real_size() : c->ranks ? (int)c->ranks : launch_ranks();
	if (world_check_asked(c->ranks) == 0 && calibrate_apply(&su, c) == 0 &&
	    setup_resolve(&su) == 0 && check_workers(&su, c) == 0 && check_file(c->file) == 0)
		code = EXIT_OK;
	if (world_inside())
		code = real_agree(code);
	if (code == EXIT_OK)
		code = world_inside() ? as_rank(&su, c) : calibrate_start(a);
	setup_release(&su);
	return code;
}

static int parse_and_calibrate(int argc, char **argv)
{
	struct conf conf;
	struct args a = { .opts = opts, .conf = &conf, .about = about, .none = true,
			  .usage = "calibrate [-n RANKS] [--net NET] [-o FILE] [OPTIONS]" };

	return args_main(&a, argc, argv, resolve_and_calibrate);
}

int cmd_calibrate(int argc, char **argv)
{
	return launch_main(argc, argv, parse_and_calibrate);
}
