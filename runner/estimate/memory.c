/* Estimates the memory of a run: vectors, activations x threads, and the data. */
#include "runner/estimate/estimate.h"

#include "algos/algos.h"
#include "core/base/context.h"
#include "core/base/cores.h"
#include "core/base/error.h"
#include "core/base/process.h"
#include "core/file/code.h"
#include "core/graph.h"
#include "core/pool/pool.h"
#include "core/text/word.h"
#include "core/watch.h"
#include "mpi/real.h"
#include "nets/graph/graph.h"
#include "nets/nets.h"
#include "runner/signals.h"
#include "sim/link/link.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Memory of a process that has just begun, and of the libraries with which it computes a net. */
static const double process_bytes = 3e7, libraries_bytes = 3e7;

/*
 * Bytes of address space, which the libraries ask for and hardly touch: a thread's stack, its heap,
 * and the buffers that OpenBLAS has for it. Where they do not get it, OpenBLAS tries again without
 * end.
 */
static const double thread_space = 1.5e8;

/* ---- vectors of the nodes and their messages, as the simulator counts them ---- */

/* Exchanges after which all vectors are allocated; gradients that take a tenth of a second. */
enum { EXCHANGES = 4, GRADIENTS_MOST = 200000 };

/* Seconds that a user's algorithm may take for one exchange. */
static const double patience_s = 5;

struct memory_count {
	struct sim_conf conf;
	struct run run;
	struct run_floats floats;
};

/* Counts what the first exchanges of the run take, without faults. */
static void memory_count_run(struct memory_count *c)
{
	struct run_result result = { 0 };

	context_mute();
	if (sim_run(&c->conf, &c->run, &result) == 0)
		c->floats = result.floats;
	context_unmute();
}

static int memory_count_child(void *arg, int fd)
{
	struct memory_count *c = arg;

	signals_end_with_parent(SIGNALS_PATIENCE_S);
	memory_count_run(c);
	return process_write(fd, &c->floats, sizeof(c->floats)) < 0 ? EXIT_DIE : EXIT_OK;
}

/* The same in a child process: a user's algorithm may crash without vectors. False: it did. */
static bool memory_count_apart(struct memory_count *c)
{
	const struct process_way way = { .run = memory_count_child, .arg = c,
					 .out = PROCESS_NULL, .err = PROCESS_NULL };
	struct process_answer a = { 0 };
	struct process child;
	bool ok;

	if (process_start(&child, &way) < 0)
		return false;
	a = process_collect(&child, &(struct process_limits){ .seconds = patience_s });
	ok = a.n == sizeof(c->floats) && process_succeeded(a.status);
	if (ok)
		memcpy(&c->floats, a.text, a.n);
	free(a.text);
	return ok;
}

/*
 * Gradients of all workers that are simulated; few of a user's algorithm, which may ask again for
 * vectors that it has.
 */
static int64_t memory_count_gradients(const struct run *run)
{
	const double workers = (double)run->workers, round = algo_round(run->algo, run->algo_conf);
	const int exchanges = run->algo->plugin.code ? 1 : EXCHANGES;
	const double all = fmin(exchanges * workers * round, GRADIENTS_MOST);

	return run->gradients > 0 && (double)run->gradients < all ? run->gradients : (int64_t)all;
}

/* A user's algorithm that cannot be counted is taken for a built-in one with as many nodes. */
static struct run_floats run_count_floats(const struct setup *su)
{
	struct memory_count c = { .conf = su->sim, .run = setup_run(su) };
	struct choice link = { 0 }, stand_in = { 0 };

	c.run.samples = c.run.samples > 0 ? c.run.samples : c.run.workers * (int64_t)c.run.batch;
	c.run.lr.epochs = run_length(&c.run);
	c.run.gradients = memory_count_gradients(&c.run);
	c.run.epochs = c.run.mark_every = 0;
	c.conf.nfaults = 0;
	c.conf.restart = (struct restart){ 0 };
	if (su->in.engine == ENGINE_MPI) {      /* as on some network */
		choice_parse(&link, link_table, "link model", "nic");
		c.conf.link = link;
		c.conf.batch_s = 1;
	}
	if (!su->algo.plugin->code) {
		memory_count_run(&c);
	} else if (su->in.engine == ENGINE_MPI || !code_permitted() || !memory_count_apart(&c)) {
		choice_parse(&stand_in, algo_table, "algorithm",
			     c.run.algo->server ? "asgd" : "allreduce");
		c.run.algo = (const struct algo *)stand_in.plugin;
		c.run.algo_conf = stand_in.conf;
		memory_count_run(&c);
	}
	choice_release(&link);
	choice_release(&stand_in);
	return c.floats;
}

/* ---- the rest ---- */

static bool activations_are_bf16(const struct setup *su)
{
	return su->in.precision == PRECISION_BF16 && !su->backend->no_bf16();
}

/*
 * Two copies of what every convolution and dense layer gives: about what is left when what is
 * normalised, added and cut off between them shares its memory by lifetimes. In training, an
 * adaptive softmax has a loss for each token and no output. Those of nets of tokens stay f32.
 */
static double activation_bytes(const struct setup *su, const struct graph *g)
{
	const double size = activations_are_bf16(su) && !g->tokens ? 2 : 4;
	/* An evaluation takes EVAL_BATCH, but one of a net with memory; of images it keeps none. */
	const size_t least = g->tokens && !g->carry.floats ? EVAL_BATCH : 1;
	const size_t batch = setup_most_minibatch(su);
	double values = 0;

	for (int i = 0; i < g->n; i++) {
		const struct shape *o = &g->layers[i].os;

		if (g->layers[i].macs > 0 && g->layers[i].kind != LAYER_ADAPTIVE)
			values += (double)o->h * (double)o->w * (double)o->c;
	}
	return 2 * size * values *
	       (double)problem_net_most(g, batch < least ? least : batch);
}

/* Bytes of a set that is held in memory. */
static double data_bytes(const struct setup *su)
{
	const struct dataset_type *type = (const struct dataset_type *)su->data.plugin;
	struct dataset_shape s;
	int64_t n[2];

	estimate_samples(su, n);
	/* Vectors are floats if they are read from a file; others are drawn at each use. */
	if (type->view || (type->vector && !type->look)
	    || dataset_shape(type, su->data.conf, &s) < 0)
		return 0;
	return (type->vector ? sizeof(float) : 1) * (double)s.height * (double)s.width
		* (double)s.channels * (double)(n[0] + n[1]);
}

/* Processes of engine mpi: ranks, and the one that launches them. */
static double processes_of(const struct setup *su)
{
	if (su->in.engine != ENGINE_MPI)
		return 1;
	return (double)su->num.workers + (setup_algo(su)->server && !su->real.shared) + 1;
}

/*
 * Floats that real ranks have and the simulator has not: a message at its receiver; the gradient
 * that a worker asks for while it handles one; its copy of what is all-reduced, and others' parts;
 * and on rank 0 the models to evaluate.
 */
static double floats_of_ranks(const struct setup *su, const struct run_floats *floats)
{
	const struct algo *algo = setup_algo(su);
	const struct role *worker = algo->worker;
	const double workers = (double)su->num.workers;
	const double evaluated = (algo->server || algo->shared ? 1 : workers) + 3;
	const double each = (worker->grad ? 2 : 0) +
			    (worker->allreduce ? worker->grad ? 2 : 1 : 0);

	if (su->in.engine != ENGINE_MPI)
		return 0;
	return floats->sent + (workers * each + evaluated) * (double)su->model.dim;
}

/* Bytes of all vectors: of nodes, what measures them, and in each process a problem's own. */
static double vector_bytes(const struct setup *su, const struct run_floats *floats)
{
	const double measured = su->in.measures == WATCH_ALL ? 2 * (double)su->num.workers + 1 : 0;
	const double problem = su->model.analytic.plugin ? 2 * processes_of(su) : 0;

	return 4 * (floats->all + floats_of_ranks(su, floats) +
		    (measured + problem) * (double)su->model.dim);
}

double estimate_memory(const struct setup *su, int threads)
{
	const double workers = (double)su->num.workers;
	double bytes, own = process_bytes, copies = 0;
	struct run_floats floats;
	struct graph *g;

	if (su->in.timing)
		return 0;
	floats = run_count_floats(su);
	/* An evaluation has the statistics of each of its batches, and their mean. */
	bytes = vector_bytes(su, &floats) +
		4 * (double)su->model.stats_dim * ((double)su->in.stat_batches + 1);
	/* Each thread's process shares a model, a gradient and statistics with convoy. */
	if (su->model.external)
		bytes += 4 * threads * (2 * (double)su->model.dim + (double)su->model.stats_dim);
	if (setup_needs_data(su))
		own += data_bytes(su) + libraries_bytes;
	g = setup_needs_data(su) ? setup_load_net(su) : NULL;
	if (g) {
		const size_t batch = setup_most_batch(su);

		/*
		 * Copies of a thread that computes a net of tokens: its parameters in bf16, for
		 * each of the two passes of training, as without matrix units, and once more for
		 * an evaluation with memory, which has windows of its own; and the gradient of a
		 * part of a batch.
		 */
		if (g->tokens && activations_are_bf16(su))
			copies += g->carry.floats ? 6 : 4;
		if (problem_net_most(g, batch) < batch || su->in.accumulate > 1)
			copies += 4;
		own += threads * (activation_bytes(su, g) + copies * (double)g->dim);
		/* Rows of all workers' streams: those that a gradient reads, and that it leaves. */
		bytes += 2 * 4.0 * workers * (double)setup_batch(su) * (double)g->carry.floats;
		graph_free(g);
	}
	return bytes + own * processes_of(su);
}

/* ---- compared with what there is ---- */

/* "6000 workers" with its graph, or "3 workers of NET" lack memory. */
static int memory_lacks(const struct setup *su, double needs, double has)
{
	const bool graph = su->in.timing && su->topology.name;

	return error("%lld worker%s%s%s need about %.3g GB of memory, and %s has at most "
		     "%.3g GB here. Use fewer workers%s.", (long long)su->num.workers,
		     word_plural((double)su->num.workers),
		     !su->in.timing ? " of " : graph ? " of graph " : "",
		     !su->in.timing ? su->model.name : graph ? su->topology.name : "",
		     1e-9 * needs, su->in.engine == ENGINE_MPI ? "a machine" : "a process",
		     1e-9 * has, su->in.timing ? "" : " or a smaller net, or add --timing");
}

int estimate_check_memory(const struct setup *su, int threads)
{
	static double found = -1;       /* limits stay while a process makes many short runs */
	const struct topology *t = &su->topology;
	const double has = found < 0 ? (found = memory_there_is()) : found;
	const double left = memory_address_space();
	/*
	 * A run that is a clock alone: what nodes and their events take, at most; the arcs of a
	 * graph, and a message on each. Measured with 10^6 workers of ad-psgd, and 4,000 of d-psgd
	 * on all arcs.
	 */
	const double clock = process_bytes + 1800.0 * (double)su->num.workers +
			     (t->first ? 28.0 * (double)t->first[t->n] : 0.0);
	const double needs = su->in.timing ? clock : estimate_memory(su, threads);

	if (needs > has)
		return memory_lacks(su, needs, has);
	if (su->in.timing)
		return needs - process_bytes <= left ? 0 : memory_lacks(su, needs, left);
	if (needs <= 0 || needs + threads * thread_space <= left)
		return 0;
	return error("%d thread%s and a run of about %.3g GB need more than the %.3g GB "
		     "of address space that are left by the limit 'ulimit -v'. Raise it, or take "
		     "fewer --threads.", threads, word_plural(threads), 1e-9 * needs,
		     1e-9 * fmax(left, 0));
}

int estimate_check_trace(const struct run *run)
{
	static const double row_bytes = 88, least_rows = 4;     /* of a gradient */
	const double given = run->gradients > 0 ? (double)run->gradients : HUGE_VAL;
	const double pass = run->epochs > 0 && run->samples > 0
		? run->epochs * (double)run->samples / (double)run->batch : HUGE_VAL;
	const double gradients = fmin(given, pass), needs = least_rows * row_bytes * gradients;
	const double has = fmin(memory_there_is(), memory_address_space());

	/* How many there are in some seconds is not known. */
	if (needs <= has || isinf(gradients) || run->seconds > 0)
		return 0;
	return error("trace: the rows of %.4g gradients need %.3g GB of memory or more, and a "
		     "process has at most %.3g GB here. Trace a shorter run.", gradients,
		     1e-9 * needs, 1e-9 * has);
}

int estimate_check_ranks(const struct setup *su)
{
	const int server = (int)su->num.workers < real_size() ? (int)su->num.workers : 0;
	const struct run_floats floats = run_count_floats(su);
	const double server_has = floats.server + floats.sent;
	const double needs = 4 * server_has + process_bytes;
	const double all = vector_bytes(su, &floats), has = memory_of_machine();
	const bool alone = real_ranks_here() == real_size();

	if (real_agree(alone && all > has ? EXIT_BAD : EXIT_OK) != EXIT_OK)
		return memory_lacks(su, all, has);
	if (real_agree(real_rank() == server && needs > memory_there_is() ? EXIT_BAD : EXIT_OK) ==
	    EXIT_OK)
		return 0;
	return error("the server of %s has %.0f vectors of the size of %s: about %.3g GB of "
		     "memory, more than its process can get. Use fewer workers or a smaller net.",
		     su->algo.plugin->name, server_has / (double)su->model.dim, su->model.name,
		     1e-9 * needs);
}
