/* A run's settings, resolved: their memory, the run's length, first model, and their sources. */
#include "plan/resolve/setup.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/members.h"
#include "core/node.h"
#include "core/text/word.h"
#include "nets/graph/graph.h"
#include "nets/nets.h"

#include <math.h>
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

struct graph *setup_load_net(const struct setup *su)
{
	struct dataset_shape s;

	if (dataset_shape((const struct dataset_type *)su->data.plugin, su->data.conf, &s) < 0)
		return NULL;
	return graph_load(su->in.net, (struct shape){ s.height, s.width, s.channels }, s.classes);
}

struct run setup_run(const struct setup *su)
{
	const struct settings *in = &su->in;
	const double factor = lr_factor((enum lr_scaling)in->lr_scaling,
					(double)setup_batch(su) * (double)su->num.workers,
					(double)in->lr_batch);

	return (struct run){
		.algo = setup_algo(su), .algo_conf = su->algo.conf,
		.workers = (int)su->num.workers, .graph = su->graph.plugin ? &su->topology : NULL,
		.seed = (uint64_t)su->in.seed,
		.dim = su->model.dim, .cut = su->model.cut, .nlayers = su->model.nlayers,
		.layers = su->model.layers,
		.batch = (size_t)setup_batch(su), .slice = su->slice, .samples = su->samples,
		.optim = (const struct optim *)su->optim.plugin, .optim_conf = su->optim.conf,
		.codec = (const struct codec *)su->codec.plugin, .codec_conf = su->codec.conf,
		.lr = { .base = in->lr * factor, .schedule = su->schedule, .warmup = in->warmup,
			.warmup_from = su->num.warmup_from },
		.epochs = su->num.epochs, .seconds = su->in.seconds,
		.gradients = su->in.gradients,
		.mark_every = su->in.timing ? 0 : su->in.eval_every,
	};
}

static void setting_sources_release(struct setting_source *all)
{
	for (size_t i = 0; settings_opts[i].name; i++)
		free_all(all[i].source, all[i].beyond, all[i].name, all[i].value);
}

void setup_release(struct setup *su)
{
	opt_release(settings_opts, &su->in);
	for (const struct opt *o = settings_opts; o->name; o++)
		if (setting_choice_in(su, o))
			choice_release(setting_choice_in(su, o));
	topology_free(&su->topology);
	delays_free(su->sim.pace.delays);
	clauses_release(&su->sim.own);
	model_release(&su->model);
	compute_times_release(&su->times);
	free_all(su->own, su->cluster, su->measured, su->link_text);
	setting_sources_release(su->sources);
	free_all(su->slow, su->slice, su->fault);
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
	return !su->in.timing && !su->model.analytic.plugin && !su->model.external;
}

size_t setup_most_batch(const struct setup *su)
{
	return slices_most(su->slice, (int)su->num.workers, (size_t)setup_batch(su));
}

size_t setup_most_minibatch(const struct setup *su)
{
	return setup_most_batch(su) / (size_t)su->in.accumulate;
}

/* Whose the samples of an epoch are, and what to give: the end of a message. The caller frees. */
static char *samples_whose(const struct setup *su)
{
	const bool chosen = setting_is_given(su, "data");
	const bool analytic = su->model.analytic.plugin || su->model.external;

	if (su->in.timing && su->in.samples)
		return xstrdup(". Give more --samples");
	if (analytic)
		return xasprintf(", which net %s has%s", su->model.name,
				 su->in.timing ? ". Give --samples" : "");
	return xasprintf(", which %s %s has%s", chosen ? "data set" : "the default data set",
			 su->data.plugin->name,
			 !su->in.timing ? "" : chosen ? ". Give --samples"
						      : ". Give --samples, or --data");
}

/* Advice for training, where there are no more samples: ". Give --batch 31 or less". */
static char *samples_advice(const struct setup *su, int64_t samples)
{
	const int64_t most = samples / su->num.workers;
	const char *fewer = su->num.workers > 1 ? ", or fewer --workers" : "";

	if (su->in.timing || most < 1)
		return xstrdup(su->in.timing ? "" : ". Give fewer --workers");
	if (setup_batch(su) != su->in.batch)
		return xasprintf(". Give a smaller --batch%s", fewer);
	return xasprintf(". Give --batch %lld or less%s", (long long)most, fewer);
}

int setup_check_samples(const struct setup *su, int64_t samples)
{
	scoped char *whose = NULL, *advice = NULL;

	if (setup_batch(su) <= samples / su->num.workers)
		return length_check(su, samples);
	whose = samples_whose(su);
	advice = samples_advice(su, samples);
	error("%lld worker%s with batches of %lld need%s more than the %lld samples of an "
	      "epoch%s%s", (long long)su->num.workers, word_plural((double)su->num.workers),
	      (long long)setup_batch(su), su->num.workers == 1 ? "s" : "", (long long)samples,
	      whose, advice);
	return -1;
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

cJSON *setup_settings_json(const struct setup *su)
{
	cJSON *object = cJSON_CreateObject();

	for (size_t i = 0; i < su->ncanonical; i++)
		ADD(object, j_text(su->canonical[i].key, su->canonical[i].value));
	return object;
}

/* ---- how long a timing-only run must be for its times to mean something ---- */

enum {
	MANY = 16,      /* workers that are given an epoch, however short it is for them */
	ENOUGH = 64,    /* gradients of each of more workers */
	FEW = 20        /* of each, which is warned of */
};

/* Epochs in which every worker computes enough gradients. */
static double epochs_enough(const struct setup *su)
{
	return ENOUGH * (double)su->num.workers * (double)setup_batch(su) / (double)su->samples;
}

double length_enough(const struct setup *su)
{
	const double epochs = su->num.workers > MANY ? fmax(1, ceil(epochs_enough(su))) : 1;
	const double epoch = (double)su->samples / (double)setup_batch(su);
	const double round = algo_round(setup_algo(su), su->algo.conf) * (double)su->num.workers;
	const double given = ceil(epochs * epoch - 1e-9);
	/* The last round of a server's workers is not timed, for its exchange is cut off. */
	const double least = setup_algo(su)->server ? 2 : 1;
	const double gradients = fmax(ceil(given / round), least) * round;

	return gradients > given ? gradients * (double)setup_batch(su) / (double)su->samples
				 : epochs;
}

double length_each(const struct setup *su)
{
	double gradients = (double)INFINITY;

	if (!su->in.timing || su->in.time_from > 0 || su->num.workers == 1)
		return gradients;
	if (su->num.epochs > 0)
		gradients = su->num.epochs * (double)su->samples / (double)setup_batch(su);
	if (su->in.gradients > 0)
		gradients = fmin(gradients, (double)su->in.gradients);
	return gradients / (double)su->num.workers;
}

int length_check(const struct setup *su, int64_t samples)
{
	double gradients = (double)INFINITY;

	if (su->in.engine != ENGINE_SIM || su->in.seconds > 0)
		return 0;
	if (su->num.epochs > 0 && samples > 0)
		gradients = su->num.epochs * (double)samples / (double)setup_batch(su);
	if (su->in.gradients > 0)
		gradients = fmin(gradients, (double)su->in.gradients);
	if (isinf(gradients) || gradients <= RUN_GRADIENTS_MOST)
		return 0;
	return error("the run has %.3g gradients, and the simulator accepts %g; give fewer epochs "
		     "or gradients", gradients, RUN_GRADIENTS_MOST);
}

/* False where every round takes as long as the others. */
static bool times_vary(const struct setup *su)
{
	static const char *const links[] = { "jitter", "loss", "burst_bytes", "slow_start_bytes" };
	bool vary = !setup_algo(su)->lockstep ||
		    strcmp(setup_text(su, "faults"), "none") != 0 ||
		    strcmp(setup_text(su, "delay"), "constant") != 0 ||
		    strchr(setup_text(su, "slow"), '@');

	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++)
		vary = vary || setup_link_number(su, links[i]) > 0.0;
	return vary;
}

void length_warn(const struct setup *su)
{
	const double each = length_each(su), epochs = epochs_enough(su);

	if (each < FEW && times_vary(su))
		warning("%.3g gradient%s for each of %d worker%s: too few for a mean of times that "
			"vary; %d each are %lld gradients, %.3g epoch%s", each, word_plural(each),
			(int)su->num.workers, word_plural((double)su->num.workers), ENOUGH,
			ENOUGH * (long long)su->num.workers, epochs, word_plural(epochs));
}

float *setup_start(const struct setup *su)
{
	struct graph *g;
	float *x;

	if (!setup_needs_data(su) || !gpt2_file_is(su->in.init))
		return result_model(su->in.init, su->model.dim);
	g = setup_load_net(su);
	x = g ? gpt2_file_read(su->in.init, g) : NULL;
	graph_free(g);
	return x;
}

/* ---- where the value of a setting comes from ---- */

const struct default_rule default_rules[] = {
	{ "graph", FROM_ALGORITHM, "algo",
	  "the algorithm's own topology; none if its workers have no neighbours" },
	{ "workers", FROM_CLUSTER, "cluster link compute_s gpus_per_worker",
	  "the cluster's over gpus_per_worker, 1 if its file has none; 16 without a cluster" },
	{ "workers", FROM_RANKS, "engine",
	  "engine mpi: the ranks of the batch system, or one a core, less the server's" },
	{ "data", FROM_NET, "net timing",
	  "none if no gradient of a net is computed: an analytic problem, or timing only, where "
	  "a net has its own input and classes if a data set has these" },
	{ "backend", FROM_NET, "net timing", "none in the same cases" },
	{ "backend", FROM_BUILD, "", "the first backend of this build" },
	{ "epochs", FROM_BOUNDS, "seconds gradients", "0, no bound, if one of these is given" },
	{ "epochs", FROM_WORKERS, "workers timing batch samples algo",
	  "timing only: 1 epoch, of more than 16 workers at least 64 gradients each, and on to "
	  "the end of a round of all workers" },
	{ "cluster", FROM_MACHINE, "link compute_s device", "none if one of these is given" },
	{ "cluster", FROM_ENGINE, "engine", "engine mpi: none" },
	{ "compute_s", FROM_CLUSTER, "cluster net batch workers gpus_per_worker",
	  "batch times the cluster's seconds a sample of the net, else by operations a second" },
	{ "compute_s", FROM_NET, "net", "the sum of its layers' seconds, if they are measured" },
	{ "compute_s", FROM_DEVICE, "device mfu gpus_per_worker net batch",
	  "6 x parameters x tokens / (mfu x peak x devices), or by multiply-accumulates" },
	{ "compute_s", FROM_ENGINE, "engine", "engine mpi: 0, what the gradient takes" },
	{ "host_copy_s", FROM_CLUSTER, "cluster link net",
	  "two copies of the model at the cluster's host_copy_GBps, _latency_s; 0 if it has none" },
	{ "host_copy_s", FROM_ENGINE, "engine", "engine mpi: none" },
	{ "update_s", FROM_CLUSTER, "cluster link", "the cluster's; 0 if it has none" },
	{ "update_s", FROM_ENGINE, "engine", "engine mpi: none" },
	{ "link", FROM_CLUSTER, "cluster compute_s", "the cluster's; ideal if it has none" },
	{ "link", FROM_ENGINE, "engine", "engine mpi: none" },
	{ "overlap", FROM_CLUSTER, "cluster", "the cluster's" },
	{ "sim_bucket", FROM_CLUSTER, "cluster algo net workers overlap codec",
	  "its bucket_bytes, or 25 MiB; 0 unless larger gradients are all-reduced and overlap" },
	{ "delay", FROM_CLUSTER, "cluster link", "the cluster's; constant if it has none" },
	{ "samples", FROM_NET, "net", "those of the analytic problem" },
	{ "samples", FROM_DATA, "timing data", "timing only: those of the data set" },
	{ NULL, FROM_DEFAULT, NULL, NULL }
};

static const char *const names[] = {
	[FROM_DEFAULT] = "default", [FROM_GIVEN] = "given", [FROM_ALGORITHM] = "algorithm",
	[FROM_NET] = "net", [FROM_DATA] = "data", [FROM_BUILD] = "build",
	[FROM_BOUNDS] = "seconds or gradients", [FROM_WORKERS] = "workers",
	[FROM_RANKS] = "ranks", [FROM_ENGINE] = "engine",
	[FROM_MACHINE] = "link or compute_s", [FROM_DEVICE] = "device",
	[FROM_CLUSTER] = "cluster",
	[FROM_NEUTRAL] = "neutral",
};

void setting_sources_begin(struct setting_source *all, const struct settings *in)
{
	for (size_t i = 0; settings_opts[i].name; i++)
		if (in->given >> i & 1)
			all[i].from = FROM_GIVEN;
}

struct setting_source *setting_source_at(struct setting_source *all, const char *key)
{
	return &all[opt_find(settings_opts, key) - settings_opts];
}

bool setting_is_given(const struct setup *su, const char *key)
{
	return su->sources[opt_find(settings_opts, key) - settings_opts].from == FROM_GIVEN;
}

const struct default_rule *default_rule_find(const char *key, enum from from)
{
	for (const struct default_rule *r = default_rules; r->key; r++)
		if (strcmp(r->key, key) == 0 && r->from == from)
			return r;
	return NULL;
}

void setting_source_set(struct setting_source *all, const char *key, enum from from)
{
	struct setting_source *src = setting_source_at(all, key);

	if (src->from == FROM_GIVEN)
		return;
	if (!default_rule_find(key, from == FROM_NEUTRAL ? FROM_CLUSTER : from))
		BUG("no rule says that %s is from %s", key, names[from]);
	src->from = from;
}

/* Puts source and extrapolation together. */
static void source_name(struct setting_source *src)
{
	free(src->name);
	src->name = xstrdup(src->source);
	if (src->beyond)
		xappendf(&src->name, ", ", "extrapolated: %s", src->beyond);
}

void setting_source_is(struct setting_source *src, char *source)
{
	free(src->source);
	src->source = source;
	source_name(src);
}

void setting_source_extrapolated(struct setting_source *src, char *beyond, char *value)
{
	free(src->beyond);
	src->beyond = beyond;
	source_name(src);
	free(src->value);
	src->value = value;
	src->used = true;
	src->named = false;
}

char *from_text(enum from from)
{
	const bool plain = from == FROM_DEFAULT || from == FROM_GIVEN || from == FROM_NEUTRAL;

	return xasprintf("%s%s", plain ? "" : "from ", names[from]);
}

char *setting_source_text(const struct setting_source *src)
{
	if (src->unused)
		return xasprintf("%s (not used)", names[src->from]);
	if (!src->source)
		return from_text(src->from);
	if (src->from == FROM_GIVEN && src->value)
		return xasprintf("given, but %s", src->value);
	return xasprintf("%s%.*s%s", src->from == FROM_CLUSTER ? "from " : "",
			 (int)strcspn(src->source, ","), src->source,
			 src->used ? "" : " (not used)");
}

cJSON *setting_sources_json(const struct setting_source *all)
{
	cJSON *object = cJSON_CreateObject();

	for (size_t i = 0; settings_opts[i].name; i++) {
		scoped char *text = setting_source_text(&all[i]);

		ADD(object, j_text(settings_opts[i].name, text));
	}
	return object;
}
