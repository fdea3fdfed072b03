/* `convoy calibrate`: how fast these ranks are, as a cluster for the simulator. */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "cmd/common.h"
#include "cmd/opts.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/text/word.h"
#include "data/data.h"
#include "plan/machine/batch_system.h"
#include "report/text/say.h"
#include "runner/launch/launch.h"
#include "runner/results/folder.h"
#include "runner/single_run/simrun.h"
#include "study/calibrate/calibrate.h"
#include "study/calibrate/placements.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct conf {
	char *hostfile, *hosts, *file;
	char *net, *data, *batch, *backend, *precision, *lowering, *partitions, *optim, *allreduce;
	char *placements;
	int64_t ranks, workers, threads, rounds;
	double seconds, bucket;
	bool quiet;
};

static const struct opt opts[] = {
	{ "n", OPT_AT(INT, struct conf, ranks), "0",
	  "ranks to measure; 0: the batch system's, else one a core", "N", 0, 1 << 20, NULL, 0 },
	OPT_NUMBER(struct conf, workers, "0", "ranks that compute at once; the others wait; 0: all",
		   "N", 0, 1 << 20),
	HOSTS_THREADS_OPTS(struct conf),
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
	OPT_TEXT(struct conf, placements,
		 "step times of several placements, as CSV; measures nothing", "FILE"),
	OPT_NUMBER(struct conf, bucket, "26214400",
		   "--placements: bytes of an all-reduced bucket; 0: none", "BYTES", 0, 1e15),
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
	"With --placements, a cluster of GPUs is fitted to step times of synchronous training: a\n"
	"CSV file with the columns nodes, gpus (of all nodes), batch (of a GPU), seconds (or\n"
	"step_time_ms ...); or placement (124: nodes of 1, 2 and 4 GPUs) for the first two.\n"
	"Rows of one GPU give compute times; give at least three numbers of nodes: rates of NICs\n"
	"differ between them, and two do not say how.\n"
	"\n"
	"Examples:\n"
	"  convoy calibrate -n 2 --net lenet -o here.json\n"
	"  convoy sim --cluster here.json --net lenet --data shapes --timing\n"
	"  convoy predict --cluster here.json --net lenet --lr 0.01 -n 2 \\\n"
	"                 --algo allreduce,ad-psgd\n"
	"  convoy calibrate --placements steps.csv --net resnet18-cifar -o mine.json";

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
	if (!f->sizes)
		puts("network                 not measured: link ideal, no time, is assumed");
	for (size_t i = 0; i < f->sizes; i++)
		printf("message   %9zu %12.4g s\n", f->floats[i] * sizeof(float),
		       times_mean(&f->messages[i]));
	for (size_t i = 1; i < f->sizes; i++)
		printf("allreduce %9zu %12.4g s\n", f->floats[i] * sizeof(float),
		       times_mean(&f->allreduces[i]));
}

/* ---- fitted to step times of placements ---- */

static void print_rate(const struct placement_rate *r)
{
	scoped char *what = r->nodes == 1 ? xstrdup("GPUs of a node")
					  : xasprintf("NIC, %d nodes", r->nodes);
	scoped char *rows = r->rows ? xasprintf("%zu row%s", r->rows, word_plural((double)r->rows))
				    : xstrdup("extrapolated");

	if (r->few)
		printf("%-20s %10.4g GB/s   %s: too few for an interval\n", what, 1e-9 * r->rate,
		       rows);
	else
		printf("%-20s %10.4g GB/s   95 %%: %.4g to %.4g   %s\n", what, 1e-9 * r->rate,
		       1e-9 * r->low, 1e-9 * r->high, rows);
}

static void print_placements(const struct placements *p)
{
	const struct placement_rate *last = &p->rate[p->rates - 1];

	say("%s: %zu batches of one GPU, %zu rows of several\n\n", p->path, p->alone,
	    p->n - p->alone);
	if (p->few)
		say("times of GPUs are taken as constant: too few rows to see how they vary\n");
	else
		say("times of GPUs vary by %.3g of their mean (gamma)\n", p->cv);
	for (size_t i = 0; i < p->rates; i++)
		print_rate(&p->rate[i]);
	for (int i = 1; i <= 2 && !placements_lack_nic(p); i++) {
		const struct placement_rate r = placements_rate(p, i * last->nodes + 2 - i);

		print_rate(&r);
	}
	if (p->few)
		return;
	say("\nerrors of these rows: median %.3g %%, 90th percentile %.3g %%\n",
	    100.0 * p->median, 100.0 * p->most);
	say("from row to row, ln seconds vary by %.3g (computing) and %.3g (rates)\n",
	    p->computing, p->network);
}

/* Fits a cluster to a file of step times. An exit code. */
static int calibrate_placements(const struct conf *c)
{
	const struct {
		const char *key, *value;
	} all[] = { { "net", c->net }, { "data", c->data }, { "engine", "sim" },
		    { "timing", "true" }, { "algo", "allreduce" }, { "workers", "2" },
		    { "compute_s", "1" }, { "link", "ideal" }, { "samples", "1e6" } };
	struct placements p = { 0 };
	scoped_by(setup_release) struct setup su;
	double bucket;
	int code = EXIT_BAD, ret = 0;

	setup_init(&su);
	if (!c->net)
		ret = error("--placements: give --net NET, whose gradient is all-reduced, or "
			    "--net bytes:SIZE");
	else if (!word_ends(c->file, ".json"))
		ret = error("-o '%s': a cluster file's name ends in .json", c->file);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && ret == 0; i++)
		if (all[i].value)
			ret = opt_set(settings_opts, &su.in, all[i].key, all[i].value,
				      "command line");
	if (ret == 0 && setup_resolve(&su) == 0 && placements_read(&p, c->placements) == 0 &&
	    placements_check(&p) == 0) {
		bucket = c->bucket > 0.0 ? c->bucket : (double)su.model.dim * sizeof(float);
		placements_fit(&p, &su, bucket);
		placements_warn(&p);
		if (placements_lack_nic(&p))
			warning("%s: no step of several nodes, so the rate of a NIC is not known, "
				"and the file has 1e9: no time. Add such rows, or set "
				"bandwidth_GBps of the link in %s", p.path, c->file);
		else if (p.rate[0].nodes > 1 ? p.rates < 2 : p.rates < 3)
			warning("%s: too few numbers of nodes to see how rates of NICs change "
				"(expected three). Give step times of 1, 2 and 4 nodes, for "
				"example", p.path);
		if (placements_lack_node(&p))
			warning("%s: no step of several GPUs on one node, so the rate within a "
				"node is not known, and the file has 0: no time. Add such rows, "
				"or set node_GBps of the link in %s", p.path, c->file);
		if (placements_write(&p, &su, c->bucket, c->file) == 0) {
			print_placements(&p);
			code = EXIT_OK;
		}
	}
	placements_release(&p);
	return code;
}

/* One of the ranks, of which the first writes. */
static int calibrate_rank(const struct setup *su, const struct conf *c)
{
	const struct calibrate_conf calibrate = {
		.threads = (int)c->threads, .workers = (int)c->workers, .seconds = c->seconds,
		.rounds = c->rounds, .quiet = c->quiet,
	};
	struct dataset *data;
	struct problem *problem = setup_data(su, &data) == 0 ? setup_problem(su, data) : NULL;
	struct findings f = { 0 };
	int code = real_agree(problem && setup_check_samples(su, problem->n[SPLIT_TRAIN]) == 0
			      ? EXIT_OK : EXIT_BAD);

	if (problem && code == EXIT_OK)
		code = calibrate_measure(&f, su, &calibrate, problem);
	if (problem && code == EXIT_OK && real_rank() == 0) {
		code = calibrate_write(&f, su, c->file) < 0 ? EXIT_BAD : EXIT_OK;
		if (code == EXIT_OK && f.sizes == 0)
			warning("one rank sends no message, so the network was not measured: %s "
				"has link ideal, no time. Measure with -n 2 or more, or set link "
				"in the file, such as nic:latency_s=S,bandwidth_GBps=RATE",
				c->file);
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

	if (c->placements) {
		free(dir);
		return calibrate_placements(c);
	}
	c->threads = batch_threads(c->threads, 1);
	if (c->threads < 0 || launch_hosts(c->hosts, c->hostfile) < 0) {
		free(dir);
		return EXIT_BAD;
	}
	if (!l.ranks && !world_inside())
		l.ranks = batch_ranks();
	setup_init(&su);
	su.ranks = world_inside() ? real_size() : l.ranks;
	if (world_check_own(c->hosts ? "hosts" : c->hostfile ? "hostfile" : NULL) == 0 &&
	    world_check_asked(c->ranks) == 0 && calibrate_apply(&su, c) == 0 &&
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
	if (code == EXIT_OK && real_size() > 1 && ranks_check_same(a, &su) < 0)
		code = EXIT_BAD;
	if (code == EXIT_OK)
		code = world_inside() ? calibrate_rank(&su, c) : launch(&l, a->argc, a->argv);
	setup_release(&su);
	return code;
}

const struct syntax cmd_calibrate = {
	.opts = opts, .conf_size = sizeof(struct conf), .none = true, .code = true,
	.ranks = RANKS_ALL,
	.usage = "calibrate [-n RANKS] [--net NET] [-o FILE] [OPTIONS]",
	.about = about, .run = resolve_and_calibrate,
};
