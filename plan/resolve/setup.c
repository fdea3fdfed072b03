#include "plan/resolve/setup.h"

#include "algos/algos.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/node.h"
#include "data/data.h"
#include "plan/resolve/batch_system.h"
#include "plan/resolve/machine.h"
#include "plan/settings/faults.h"
#include "plan/settings/length.h"
#include "plan/settings/shares.h"
#include "plan/settings/slow.h"
#include "report/trace/samples.h"

#include <stdlib.h>
#include <string.h>

void setup_init(struct setup *su)
{
	*su = (struct setup){ 0 };
	opt_init(settings_opts, &su->in);
	opt_init(autos_opts, &su->num);
}

bool setup_is_auto(const char *text)
{
	return !text || strcmp(text, "auto") == 0;
}

static int parse_choices(struct setup *su)
{
	const struct settings *in = &su->in;

	if (choice_parse(&su->algo, algo_table, "algorithm", in->algo ? in->algo : "") < 0 ||
	    choice_parse(&su->data, dataset_table, "data set", in->data ? in->data : "") < 0 ||
	    choice_parse(&su->schedule, schedule_table, "schedule",
			 in->schedule ? in->schedule : "") < 0)
		return -1;
	if (choice_parse(&su->optim, optim_table, "optimiser", in->optim ? in->optim : "") < 0)
		return -1;
	return choice_parse(&su->codec, codec_table, "codec", in->codec ? in->codec : "");
}

static int find_backend(struct setup *su)
{
	su->backend = setup_is_auto(su->in.backend) ? backend_table[0]
						    : backend_find(su->in.backend);
	return su->backend ? 0 : -1;
}

static int read_backend(struct setup *su)
{
	su->backend_conf = (struct backend_conf){
		.precision = (enum precision)su->in.precision,
		.lowering = (enum lowering)su->in.lowering,
		.partitions = (int)su->in.partitions,
	};
	if (su->backend != &backend_openblas)
		return su->in.lowering == LOWERING_1 && !su->in.partitions ? 0
			: error("%s is a setting of the backend openblas, not of %s",
				su->in.partitions ? "partitions" : "lowering", su->backend->name);
	if (su->in.precision != PRECISION_F32 && !setup_is_auto(su->in.backend))
		return error("precision: openblas computes in f32 only; bf16 needs onednn");
	if (su->in.lowering == LOWERING_CAFFE && su->in.partitions)
		return error("partitions: lowering caffe goes image by image and has none");
	return 0;
}

int setup_auto(struct setup *su, const char *key, const char *text)
{
	return setup_is_auto(text) ? 0 : opt_set(autos_opts, &su->num, key, text, "settings");
}

static const struct algo *algo_of(const struct setup *su)
{
	return (const struct algo *)su->algo.plugin;
}

int setup_delays(struct setup *su, const char *text)
{
	su->sim.pace.delays = delays_new(delay_table, text, (int)su->num.workers, samples_read);
	return su->sim.pace.delays ? 0 : -1;
}

/* Engine mpi: workers are as many as the ranks allow, and as fast as they are. */
static int read_ranks(struct setup *su)
{
	const int served = real_processes(&su->real, algo_of(su), 0);
	const int ranks = su->ranks		   ? su->ranks
			  : setup_is_auto(su->in.workers) ? launch_ranks() : 1;

	if (ranks < 0)
		return -1;
	su->num.workers = ranks > served ? ranks - served : 1;
	su->num.overlap = true;
	if (setup_auto(su, "workers", su->in.workers) < 0 ||
	    setup_auto(su, "compute_s", su->in.compute_s) < 0 ||
	    setup_auto(su, "overlap", su->in.overlap) < 0)
		return -1;
	return setup_delays(su, setup_is_auto(su->in.delay) ? "constant" : su->in.delay);
}

static int read_budget(struct setup *su)
{
	su->num.epochs = su->in.seconds > 0 || su->in.gradients > 0 ? 0 : 1;
	if (setup_auto(su, "epochs", su->in.epochs) < 0)
		return -1;
	if (su->num.epochs > 0 || su->in.seconds > 0 || su->in.gradients > 0)
		return 0;
	return error("the run would never end: give epochs, seconds or gradients");
}

/* A number, or the share of one worker. */
static int read_warmup(struct setup *su)
{
	const char *text = su->in.warmup_from;

	if (text && strcmp(text, "workers") == 0) {
		su->num.warmup_from = 1.0 / (double)su->num.workers;
		return 0;
	}
	if (setup_auto(su, "warmup_from", text) == 0)
		return 0;
	note("or warmup_from = workers, which is 1 / workers");
	return -1;
}

/* Asks the data set itself, and opens it where only that can tell. */
static int count_samples(const struct choice *data, int64_t n[2])
{
	int ret = dataset_count((const struct dataset_type *)data->plugin, data->conf, n);
	struct dataset *ds;

	if (ret <= 0)
		return ret;
	ds = dataset_open(data);
	if (!ds)
		return -1;
	n[SPLIT_TRAIN] = ds->n[SPLIT_TRAIN];
	dataset_close(ds);
	return 0;
}

/* The size of a timing-only run's epoch, where none was given. */
static int data_samples(const struct choice *data, int64_t *samples)
{
	int64_t n[2] = { 0, 0 };

	if (count_samples(data, n) < 0) {
		note("or give samples: a timing-only run then reads no data");
		return -1;
	}
	*samples = n[SPLIT_TRAIN];
	return 0;
}

static int read_samples(struct setup *su)
{
	if (su->in.samples > 0 && !su->in.timing)
		return error("samples is a setting of timing-only runs; a training run uses "
			     "its data set's");
	su->samples = su->in.samples;
	if (su->samples == 0 && su->model.analytic.plugin)
		su->samples = su->model.samples;
	else if (su->samples == 0 && su->in.timing && data_samples(&su->data, &su->samples) < 0)
		return -1;
	return su->samples ? setup_check_samples(su, su->samples) : 0;
}

/* What was not given to a timing-only run follows from its workers. */
static void read_length(struct setup *su)
{
	if (su->in.timing && setup_is_auto(su->in.epochs) && su->num.epochs > 0)
		su->num.epochs = length_enough(su);
}

static void fill_sim(struct setup *su)
{
	su->sim.batch_s = su->num.compute_s;
	su->sim.handoff_s = su->num.handoff_s;
	su->sim.update_s = su->num.update_s;
	su->sim.overlap = su->num.overlap;
	su->sim.shards = (int)su->in.shards;
	su->sim.bucket = (size_t)su->num.sim_bucket / sizeof(float);
	su->sim.backward = su->model.backward;
	su->sim.nbackward = su->model.nbackward;
}

static void fill_real(struct setup *su)
{
	su->real.overlap = su->num.overlap;
	su->real.compute_s = su->num.compute_s;
	su->real.pace = su->sim.pace;
}

static int read_machine(struct setup *su)
{
	su->real.shared = su->in.server == SERVER_SHARED;
	su->real.sum = (enum sum_kind)su->in.allreduce;
	su->real.bucket = su->in.bucket;
	if (setup_check_machine(su) < 0)
		return -1;
	return su->in.engine == ENGINE_MPI ? read_ranks(su) : machine_read(su);
}

static int read_shares(struct setup *su)
{
	const struct share_of of = { .workers = (int)su->num.workers, .batch = (size_t)su->in.batch,
				     .seed = (uint64_t)su->in.seed, .pace = &su->sim.pace };

	if (slow_parse(su->in.slow, su->num.workers, &su->slow, &su->sim.pace.nslow) < 0)
		return -1;
	su->sim.pace.slow = su->slow;
	return shares_parse(su->in.shares, &of, &su->slice);
}

/* The graph that was asked for, or the algorithm's own. */
static int read_graph(struct setup *su)
{
	const char *own = algo_of(su)->graph, *asked = su->in.graph;

	if (!own)
		return setup_is_auto(asked) || strcmp(asked, "none") == 0 ? 0
			: error("graph '%s': %s has none, its workers %s", asked,
				su->algo.plugin->name, algo_of(su)->shared ? "share one model"
				: "send to all or to a server");
	if (choice_parse(&su->graph, graph_table, "graph", setup_is_auto(asked) ? own : asked) < 0)
		return -1;
	return topology_make(&su->topology, &su->graph, (int)su->num.workers,
			     (uint64_t)su->in.seed);
}

const struct topology *setup_graph(const struct setup *su)
{
	return su->graph.plugin ? &su->topology : NULL;
}

/* Shards are a server's. */
static int check_shards(const struct setup *su)
{
	if (su->in.shards == 1 || algo_of(su)->server)
		return 0;
	return error("shards = %lld: %s has no parameter server to divide (expected an algorithm "
		     "that has one, such as asgd). Leave shards out, or choose another algorithm.",
		     (long long)su->in.shards, su->algo.plugin->name);
}

/* Of the algorithm, and of what else must go with it. */
static int check_algo(struct setup *su)
{
	const struct run run = {
		.algo = algo_of(su), .algo_conf = su->algo.conf, .graph = setup_graph(su),
		.workers = (int)su->num.workers, .dim = su->model.dim, .slice = su->slice,
		.optim = (const struct optim *)su->optim.plugin, .optim_conf = su->optim.conf,
		.codec = (const struct codec *)su->codec.plugin, .codec_conf = su->codec.conf,
	};

	if (run.optim->check && run.optim->check(run.optim_conf, run.workers) < 0)
		return -1;
	if (check_shards(su) < 0 || codec_check(&run) < 0 || shares_check(&run) < 0)
		return -1;
	if (run.algo->check && run.algo->check(&run) < 0)
		return -1;
	su->sim.fault = su->fault;
	return faults_check(&su->sim, &run);
}

/* What is left behind the warm-up must be some gradients. */
static int check_time_from(const struct settings *in)
{
	if (in->gradients > 0 && in->time_from >= in->gradients)
		return error("time_from %lld: the run has only %lld gradients",
			     (long long)in->time_from, (long long)in->gradients);
	return 0;
}

int setup_resolve(struct setup *su)
{
	if (parse_choices(su) < 0 || find_backend(su) < 0 || read_backend(su) < 0 ||
	    model_load(&su->model, su->in.net, &su->data) < 0 || read_machine(su) < 0 ||
	    read_budget(su) < 0 || read_warmup(su) < 0 || read_samples(su) < 0 ||
	    read_shares(su) < 0 ||
	    faults_parse(su->in.faults, &su->fault, &su->sim.nfaults) < 0 ||
	    read_graph(su) < 0 || check_algo(su) < 0 || check_time_from(&su->in) < 0)
		return -1;
	read_length(su);
	fill_sim(su);
	fill_real(su);
	setup_canon(su);
	return 0;
}

void setup_release(struct setup *su)
{
	opt_release(settings_opts, &su->in);
	choice_release(&su->algo);
	choice_release(&su->graph);
	topology_free(&su->topology);
	choice_release(&su->data);
	choice_release(&su->schedule);
	choice_release(&su->optim);
	choice_release(&su->codec);
	delays_free(su->sim.pace.delays);
	choice_release(&su->sim.link);
	model_release(&su->model);
	free(su->cluster);
	assumed_release(&su->assumed);
	free(su->slow);
	free(su->slice);
	free(su->fault);
	for (size_t i = 0; i < su->ncanon; i++)
		free((char *)(uintptr_t)su->canon[i].value);
	free(su->canon);
	*su = (struct setup){ 0 };
}

bool setup_needs_data(const struct setup *su)
{
	return !su->in.timing && !su->model.analytic.plugin;
}

size_t setup_most_batch(const struct setup *su)
{
	return slices_most(su->slice, (int)su->num.workers, (size_t)su->in.batch);
}

int setup_check_samples(const struct setup *su, int64_t samples)
{
	if (su->in.batch <= samples / su->num.workers)
		return 0;
	return error("%lld workers with batches of %lld need more than the %lld samples of an "
		     "epoch", (long long)su->num.workers, (long long)su->in.batch,
		     (long long)samples);
}

int setup_ranks(const struct setup *su)
{
	return real_processes(&su->real, algo_of(su), (int)su->num.workers);
}

int setup_check_ranks(const struct setup *su)
{
	const int need = setup_ranks(su);

	if (su->ranks == 0 || su->ranks == need)
		return 0;
	return error("%d ranks for %d workers%s: %d are needed", su->ranks, (int)su->num.workers,
		     need > su->num.workers ? " and a server" : "", need);
}

const char *setup_text(const struct setup *su, const char *key)
{
	for (size_t i = 0; i < su->ncanon; i++)
		if (strcmp(su->canon[i].key, key) == 0)
			return su->canon[i].value;
	BUG("no setting %s", key);
}
