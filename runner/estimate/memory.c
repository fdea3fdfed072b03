/* Estimates the memory of a run: vectors x workers, activations x threads, and the data. */
#include "runner/estimate/estimate.h"

#include "core/base/cores.h"
#include "core/base/error.h"
#include "core/graph.h"
#include "core/optim.h"
#include "core/pool/pool.h"
#include "core/text/word.h"
#include "core/watch.h"
#include "mpi/real.h"
#include "nets/graph/graph.h"
#include "nets/nets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Memory of a process that has just begun, with its libraries. */
static const double process_bytes = 6e7;

/*
 * Bytes of address space, which the libraries ask for and hardly touch: a thread's stack, its heap,
 * and the buffers that OpenBLAS has for it. Where they do not get it, OpenBLAS tries again without
 * end.
 */
static const double thread_space = 1.5e8;

/* The value of a term such as 3, n or 2 n, with n workers; *at moves past it. Others are 0. */
static double estimate_memory_term(const char **at, double workers)
{
	char *end;
	const double number = (double)strtol(*at, &end, 10), factor = end == *at ? 1 : number;

	end += strspn(end, " ");
	*at = end + (*end == 'n');
	if (**at != '\0' && !strchr(" /;,+", **at))
		return 0;
	return *end == 'n' ? factor * workers : number;
}

/* Sum of such terms in the algorithm's facts, "server / worker"; the rest is not counted. */
static double estimate_memory_extra(const struct algo *algo, bool server, double workers)
{
	const char *text = algo->facts.memory, *slash = text ? strchr(text, '/') : NULL;
	const char *at = server ? text : slash ? slash + 1 : NULL;
	double sum = 0;

	while (slash && *at) {
		at += strspn(at, " ");
		sum += estimate_memory_term(&at, workers);
		at += strspn(at, " ");
		if (*at++ != '+')
			break;
	}
	return sum;
}

static bool estimate_memory_is_bf16(const struct setup *su)
{
	return su->in.precision == PRECISION_BF16 && !su->backend->no_bf16();
}

/*
 * Two copies of what every convolution and dense layer gives: about what is left when what is
 * normalised, added and cut off between them shares its memory by lifetimes. In training, an
 * adaptive softmax has a loss for each token and no output. Those of nets of tokens stay f32.
 */
static double estimate_memory_activations(const struct setup *su, const struct graph *g)
{
	const double size = estimate_memory_is_bf16(su) && !g->tokens ? 2 : 4;
	/* An evaluation takes EVAL_BATCH, but one of a net with memory; of images it keeps none. */
	const size_t least = g->tokens && !g->carry.floats ? EVAL_BATCH : 1;
	const size_t batch = (setup_most_batch(su) - 1) / (size_t)su->in.accumulate + 1;
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
static double estimate_memory_pixels(const struct setup *su)
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

/* Vectors of the model's size that the server has; 0: there is none. */
static double estimate_memory_server(const struct setup *su)
{
	const struct algo *algo = setup_algo(su);
	const double state = (double)((const struct optim *)su->optim.plugin)->vectors;

	return algo->server ? 2 + state + estimate_memory_extra(algo, true,
								(double)su->num.workers) : 0;
}

/* Vectors of all nodes: of a worker model, snapshot, gradient, what rules keep. */
static double estimate_memory_vectors(const struct setup *su)
{
	const struct algo *algo = setup_algo(su);
	const double state = (double)((const struct optim *)su->optim.plugin)->vectors;
	const double workers = (double)su->num.workers;
	const double kept = 3 + (su->in.measures == WATCH_ALL ? 2 : 0) + (algo->server ? 0 : state);

	return workers * (kept + estimate_memory_extra(algo, false, workers)) +
	       estimate_memory_server(su);
}

double estimate_memory(const struct setup *su, int threads)
{
	const double workers = (double)su->num.workers;
	double bytes, own, copies = 0;
	struct graph *g;

	if (su->in.timing)
		return 0;
	/* An evaluation has the statistics of each of its batches, and their mean. */
	bytes = 4 * (double)su->model.dim * estimate_memory_vectors(su) +
		4 * (double)su->model.stats_dim * ((double)su->in.stat_batches + 1);
	/* Each thread's process shares a model, a gradient and statistics with convoy. */
	if (su->model.external)
		bytes += 4 * threads * (2 * (double)su->model.dim + (double)su->model.stats_dim);
	if (!setup_needs_data(su))
		return process_bytes + bytes;
	own = estimate_memory_pixels(su) + process_bytes;
	g = setup_load_net(su);
	if (g) {
		const size_t batch = setup_most_batch(su);

		/*
		 * Copies of a thread that computes a net of tokens: its parameters in bf16, for
		 * training, and once more for an evaluation with memory, which has windows of its
		 * own; and the gradient of a part of a batch.
		 */
		if (g->tokens && estimate_memory_is_bf16(su))
			copies += g->carry.floats ? 4 : 2;
		if (problem_net_most(g, batch) < batch || su->in.accumulate > 1)
			copies += 4;
		own += threads * (estimate_memory_activations(su, g) + copies * (double)g->dim);
		/* Rows of all workers' streams: those that a gradient reads, and that it leaves. */
		bytes += 2 * 4.0 * workers * (double)setup_batch(su) * (double)g->carry.floats;
		graph_free(g);
	}
	return bytes + (su->in.engine == ENGINE_MPI ? own * workers : own);
}

/* ---- compared with what there is ---- */

/* "6000 workers" with its graph, or "3 workers of NET" lack memory. */
static int estimate_memory_lacks(const struct setup *su, double needs, double has)
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
		return estimate_memory_lacks(su, needs, has);
	if (su->in.timing)
		return needs - process_bytes <= left ? 0 : estimate_memory_lacks(su, needs, left);
	if (needs <= 0 || needs + threads * thread_space <= left)
		return 0;
	return error("%d thread%s and a run of about %.3g GB need more than the %.3g GB "
		     "of address space that are left by the limit 'ulimit -v'. Raise it, or take "
		     "fewer --threads.", threads, word_plural(threads), 1e-9 * needs,
		     1e-9 * fmax(left, 0));
}

int estimate_check_ranks(const struct setup *su)
{
	const int server = (int)su->num.workers < real_size() ? (int)su->num.workers : 0;
	const double vectors = estimate_memory_server(su), has = memory_of_machine();
	const double needs = 4 * (double)su->model.dim * vectors + process_bytes;
	const double all = 4 * (double)su->model.dim * estimate_memory_vectors(su);
	const bool alone = real_neighbours() == real_size();

	if (real_agree(alone && all > has ? EXIT_BAD : EXIT_OK) != EXIT_OK)
		return estimate_memory_lacks(su, all, has);
	if (real_agree(real_rank() == server && needs > memory_there_is() ? EXIT_BAD : EXIT_OK) ==
	    EXIT_OK)
		return 0;
	return error("the server of %s has %.0f vectors of the size of %s: about %.3g GB of "
		     "memory, more than its process can get. Use fewer workers or a smaller net.",
		     su->algo.plugin->name, vectors, su->model.name, 1e-9 * needs);
}
