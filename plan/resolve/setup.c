/* A run's settings, resolved: its memory, and what others ask of it. */
#include "plan/resolve/setup.h"

#include "core/base/error.h"
#include "core/node.h"
#include "core/text/word.h"
#include "nets/graph/graph.h"
#include "plan/settings/length.h"

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

int setup_auto(struct setup *su, const char *key, const char *text)
{
	return setup_is_auto(text) ? 0 : opt_set(autos_opts, &su->num, key, text, "settings");
}

const struct algo *setup_algo(const struct setup *su)
{
	return (const struct algo *)su->algo.plugin;
}

/* The workers' graph, borrowed; NULL: the algorithm has none. */
static const struct topology *setup_graph(const struct setup *su)
{
	return su->graph.plugin ? &su->topology : NULL;
}

struct graph *setup_load_net(const struct setup *su)
{
	struct dataset_shape s;

	if (dataset_shape((const struct dataset_type *)su->data.plugin, su->data.conf, &s) < 0)
		return NULL;
	return graph_load(su->in.net, (struct shape){ s.height, s.width, s.channels }, s.classes);
}

static struct stepsize stepsize_of(const struct setup *su)
{
	const struct settings *in = &su->in;
	const double factor = lr_factor((enum lr_scaling)in->lr_scaling,
					(double)in->batch * (double)su->num.workers,
					(double)in->lr_batch);

	return (struct stepsize){ .base = in->lr * factor, .schedule = su->schedule,
				  .warmup = in->warmup, .warmup_from = su->num.warmup_from };
}

struct run setup_run(const struct setup *su)
{
	return (struct run){
		.algo = setup_algo(su), .algo_conf = su->algo.conf,
		.workers = (int)su->num.workers, .graph = setup_graph(su),
		.seed = (uint64_t)su->in.seed,
		.dim = su->model.dim, .cut = su->model.cut, .nlayers = su->model.nlayers,
		.layers = su->model.layers,
		.batch = (size_t)su->in.batch, .slice = su->slice, .samples = su->samples,
		.optim = (const struct optim *)su->optim.plugin, .optim_conf = su->optim.conf,
		.codec = (const struct codec *)su->codec.plugin, .codec_conf = su->codec.conf,
		.lr = stepsize_of(su),
		.epochs = su->num.epochs, .seconds = su->in.seconds,
		.gradients = su->in.gradients,
		.mark_every = su->in.timing ? 0 : su->in.eval_every,
	};
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
	choice_release(&su->sim.storage);
	clauses_release(&su->sim.own);
	model_release(&su->model);
	compute_times_release(&su->times);
	free(su->own);
	free(su->cluster);
	setting_sources_release(su->sources);
	free(su->slow);
	free(su->slice);
	free(su->fault);
	for (size_t i = 0; i < su->ncanonical; i++)
		free((char *)(uintptr_t)su->canonical[i].value);
	free(su->canonical);
	*su = (struct setup){ 0 };
}

int setup_resolve_with(struct setup *su, const char *key, const char *text, const char *where)
{
	const struct settings in = su->in;
	const int ranks = su->ranks;

	su->in = (struct settings){ 0 };
	setup_release(su);
	su->in = in;
	su->ranks = ranks;
	opt_init(autos_opts, &su->num);
	return settings_set(&su->in, key, text, where) < 0 ? -1 : setup_resolve(su);
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
		return length_check(su, samples);
	return error("%lld worker%s with batches of %lld need%s more than the %lld samples of an "
		     "epoch", (long long)su->num.workers, word_plural((double)su->num.workers),
		     (long long)su->in.batch, su->num.workers == 1 ? "s" : "",
		     (long long)samples);
}

int setup_ranks(const struct setup *su)
{
	return real_processes(&su->real, setup_algo(su), (int)su->num.workers);
}

int setup_check_ranks(const struct setup *su)
{
	const int need = setup_ranks(su);

	if (su->ranks == 0 || su->ranks == need)
		return 0;
	return error("%d rank%s for %d worker%s%s (expected %d)", su->ranks, word_plural(su->ranks),
		     (int)su->num.workers, word_plural((double)su->num.workers),
		     need > su->num.workers ? " and a server" : "", need);
}

const char *setup_text(const struct setup *su, const char *key)
{
	for (size_t i = 0; i < su->ncanonical; i++)
		if (strcmp(su->canonical[i].key, key) == 0)
			return su->canonical[i].value;
	BUG("no setting %s", key);
}
