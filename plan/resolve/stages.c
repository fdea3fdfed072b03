/* The stages by which settings become a resolved run and its canonical form. */
#include "plan/resolve/setup.h"

#include "algos/algos.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/codec.h"
#include "core/samples/partition.h"
#include "core/slow.h"
#include "core/text/units.h"
#include "core/text/word.h"
#include "data/data.h"
#include "nets/nets.h"
#include "plan/machine/machine.h"
#include "plan/resolve/remarks.h"
#include "plan/settings/faults.h"
#include "plan/settings/shares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "none", as the settings of a run have it that used none: as if not given, where it is true. */
static void drop_none(struct setup *su, const char *key)
{
	const struct opt *o = opt_find(settings_opts, key);
	char **text = (char **)((char *)&su->in + o->offset);

	if (!*text || strcmp(*text, "none") != 0)
		return;
	free(*text);
	*text = xstrdup(o->def);
	su->in.given &= ~(UINT64_C(1) << (o - settings_opts));
	su->none = o->name;
}

/* Finds what is wrong with settings alone. */
static int stages_check_settings(struct setup *su)
{
	const struct settings *in = &su->in;
	struct price price;

	drop_none(su, "data");
	drop_none(su, "backend");
	setting_sources_begin(su->sources, in);
	if (price_parse(&price, in->price ? in->price : "none") < 0)
		return -1;
	/* Some gradients must remain after the warm-up. */
	if (in->gradients > 0 && in->time_from >= in->gradients)
		return error("time_from %lld: the run has only %lld gradient%s",
			     (long long)in->time_from, (long long)in->gradients,
			     word_plural((double)in->gradients));
	return 0;
}

/*
 * Without gradients there is no data: layers have the sizes that the net was made for, unless a
 * data set is given. The text of the setting `data`, of which the assumption is noted.
 */
static const char *timed_data(struct setup *su)
{
	struct setting_source *src = setting_source_at(su->sources, "data");
	const char *usual = su->in.data ? su->in.data : "";
	const char *own = su->in.timing && src->from != FROM_GIVEN && su->in.net
				  ? model_data(su->in.net, usual) : usual;

	if (strcmp(own, usual) != 0) {
		src->value = xstrdup(own);
		src->used = true;
		setting_source_is(src, xasprintf("the input and classes of net %s", su->in.net));
	}
	return own;
}

static int read_plugins(struct setup *su)
{
	const char *data = timed_data(su);

	for (const struct opt *o = settings_opts; o->name; o++) {
		const struct setting_facts *f = setting_facts(o);
		const char *text = f->kind ? *(char **)((char *)&su->in + o->offset) : NULL;

		if (strcmp(o->name, "data") == 0)
			text = data;
		if (f->kind && choice_parse(setting_choice_in(su, o), f->table, f->kind,
					    text ? text : "") < 0)
			return -1;
	}
	return setup_is_auto(su->in.backend) || backend_find(su->in.backend) ? 0 : -1;
}

static int read_backend(struct setup *su)
{
	su->backend =
		setup_is_auto(su->in.backend) ? backend_table[0] : backend_find(su->in.backend);
	if (!su->backend)
		return -1;
	su->backend_conf = (struct backend_conf){
		.precision = (enum precision)su->in.precision,
		.lowering = (enum lowering)su->in.lowering,
		.partitions = (int)su->in.partitions,
		.unfused = !su->in.fusion,
	};
	/* CONVOY_BF16 asks for what there is, where the backend computes */
	if (su->in.precision != PRECISION_F32 && !su->in.timing && !su->model.external &&
	    !su->model.analytic.plugin) {
		const int wish = bf16_wish();
		const char *why = wish == BF16_ON ? su->backend->cannot(PRECISION_BF16) : NULL;

		if (why)
			return error("CONVOY_BF16=on: %s. Unset it to compute in f32.", why);
		if (wish < 0)
			return -1;
	}
	if (su->backend != &backend_openblas)
		return su->in.lowering == LOWERING_1 && !su->in.partitions && su->in.fusion ? 0
			: error("%s is a setting of the backend openblas, not of %s",
				su->in.partitions ? "partitions"
				: su->in.fusion ? "lowering" : "fusion", su->backend->name);
	if (su->in.precision != PRECISION_F32 && !setup_is_auto(su->in.backend))
		return error("precision: openblas computes in f32 only; bf16 needs onednn");
	if (su->in.lowering == LOWERING_CAFFE && su->in.partitions)
		return error("partitions: lowering caffe goes image by image and has none");
	if (su->in.lowering == LOWERING_CAFFE && !su->in.fusion)
		return error("fusion = false: lowering caffe lowers whole images already (expected "
			     "lowering 1, 2, 3 or auto). Leave fusion out.");
	return 0;
}

static int stages_read_model(struct setup *su)
{
	if (model_load(&su->model, su->in.net, &su->data) < 0)
		return -1;
	if (su->model.sized.plugin && !su->in.timing)
		return error("net %s: only the size of its layers is known, so it cannot be "
			     "trained (expected a timing-only run: convoy sim --timing)",
			     su->model.name);
	if (!setup_needs_data(su)) {
		setting_source_set(su->sources, "data", FROM_NET);
		setting_source_set(su->sources, "backend", FROM_NET);
		return 0;
	}
	if (su->none)
		return error("%s none: net %s learns from a data set, by a backend. Leave %s out",
			     su->none, su->model.name, su->none);
	setting_source_set(su->sources, "backend", FROM_BUILD);
	return dataset_complete((const struct dataset_type *)su->data.plugin, su->data.conf);
}

/*
 * Sets the option of the algorithm that is the outer learning rate to what gives the gain asked
 * for. Goes through its text, so that the canonical form gives the same rate.
 */
static int read_gain(struct setup *su)
{
	const struct algo *algo = setup_algo(su);
	const char *name = su->algo.plugin->name, *given = strchr(su->in.algo, ':');
	const bool names = given && algo->outer &&
			   opt_gives(algo->plugin.opts, given + 1, algo->outer);
	const struct opt *rate;
	scoped char *text = NULL, *before = NULL;
	double of_one, limit;
	int ret;

	if (su->in.gain <= 0.0)
		return 0;
	if (!algo->gain)
		return error("gain = %g: %s has no outer steps with one learning rate (expected an "
			     "algorithm that has, such as diloco or mla). Leave gain out",
			     su->in.gain, name);
	of_one = algo->gain(su->algo.conf, (int)su->num.workers);
	if (of_one <= 0.0)
		return error("gain = %g: with these settings of %s no update moves the model, "
			     "whatever %s is. Change them, or leave gain out", su->in.gain, name,
			     algo->outer);
	limit = algo_gain_limit(algo, su->algo.conf, (int)su->num.workers);
	if (isinf(of_one))
		return error("gain = %g: with these settings of %s the gain is %.4g, whatever %s "
			     "is. Change them, or leave gain out", su->in.gain, name, limit,
			     algo->outer);
	if (su->in.gain >= limit)
		return error("gain = %g: with these settings of %s it is less than %.4g, however "
			     "large %s is ('convoy show algo %s': gain). Choose a smaller gain, "
			     "or other settings", su->in.gain, name, limit, algo->outer, name);
	rate = opt_find(algo->plugin.opts, algo->outer);
	text = xasprintf("%.15g", su->in.gain / (of_one * (1.0 - su->in.gain / limit)));
	before = opt_format(rate, su->algo.conf);
	if (names && strcmp(before, text) != 0)
		ret = error("gain = %g: %s then has %s = %s, and algo says %s. Give gain or %s",
			    su->in.gain, name, algo->outer, text, before, algo->outer);
	else
		ret = opt_set(algo->plugin.opts, su->algo.conf, algo->outer, text, name);
	return ret;
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

static int read_samples(struct setup *su)
{
	const struct dataset_type *type = (const struct dataset_type *)su->data.plugin;
	const struct setting_source *data = setting_source_at(su->sources, "data");
	struct setting_source *samples = setting_source_at(su->sources, "samples");
	int64_t n[2] = { 0, 0 };
	struct dataset *ds;
	int ret;

	su->samples = su->in.samples;
	/* but the number of a problem that has one may be given back */
	if (su->samples > 0 && !su->in.timing &&
	    !(su->model.analytic.plugin && su->samples == su->model.samples))
		return error("samples is a setting of timing-only runs; a training run uses "
			     "its data set's");
	if (su->samples == 0 && (su->model.analytic.plugin || su->model.external)) {
		su->samples = su->model.samples;
		setting_source_set(su->sources, "samples", FROM_NET);
	} else if (su->samples == 0 && su->in.timing) {
		/* The size of the epoch: the data set is opened where only that can tell. */
		ret = dataset_count(type, su->data.conf, n);
		ds = ret > 0 ? dataset_open(&su->data) : NULL;
		if (ds)
			n[SPLIT_TRAIN] = ds->n[SPLIT_TRAIN];
		if (ret < 0 || (ret > 0 && !ds)) {
			note("or give samples: a timing-only run then reads no data");
			return -1;
		}
		dataset_close(ds);
		su->samples = n[SPLIT_TRAIN];
		setting_source_set(su->sources, "samples", FROM_DATA);
		/* Known sizes, of a net or of tokens, say nothing of how much there is to learn. */
		if ((su->model.sized.plugin || su->model.tokens) && data->from != FROM_GIVEN) {
			samples->value = xasprintf("%lld", (long long)su->samples);
			samples->used = true;
			setting_source_is(samples, xasprintf("as many as data set %s has; give "
							     "--samples", type->plugin.name));
		}
	}
	return su->samples ? setup_check_samples(su, su->samples) : 0;
}

/* A timing-only run's length follows from its workers where it is not given. */
static int read_length(struct setup *su)
{
	const bool bounded = su->in.seconds > 0 || su->in.gradients > 0;

	su->num.epochs = bounded ? 0 : 1;
	if (setup_is_auto(su->in.epochs) && bounded)
		setting_source_set(su->sources, "epochs", FROM_BOUNDS);
	if (setup_auto(su, "epochs", su->in.epochs) < 0)
		return -1;
	if (su->num.epochs <= 0 && !bounded)
		return error("the run would never end: give epochs, seconds or gradients");
	if (length_check(su, su->samples) < 0)
		return -1;
	if (!su->in.timing || !setup_is_auto(su->in.epochs) || bounded)
		return 0;
	if (!su->model.external)
		su->num.epochs = length_enough(su);
	if (su->num.epochs > 1)
		setting_source_set(su->sources, "epochs", FROM_WORKERS);
	return 0;
}

static int read_shares(struct setup *su)
{
	const struct share_of of = { .workers = (int)su->num.workers,
				     .batch = (size_t)setup_batch(su),
				     .seed = (uint64_t)su->in.seed, .pace = &su->sim.pace };

	if (slow_parse(su->in.slow, su->num.workers, &su->slow, &su->sim.pace.nslow) < 0)
		return -1;
	su->sim.pace.slow = su->slow;
	if (shares_parse(su->in.shares, &of, &su->slice) < 0)
		return -1;
	machine_correct_compute(su);
	return 0;
}

static int read_faults(struct setup *su)
{
	if (faults_parse(su->in.faults, &su->fault, &su->sim.nfaults) < 0)
		return -1;
	su->sim.fault = su->fault;
	return restart_parse(su->in.recovery, &su->sim.restart);
}

/* The graph that was asked for, or the algorithm's own. */
static int read_graph(struct setup *su)
{
	const char *own = setup_algo(su)->graph, *asked = su->in.graph;

	if (setup_is_auto(asked))
		setting_source_set(su->sources, "graph", FROM_ALGORITHM);
	if (!own)
		return setup_is_auto(asked) || strcmp(asked, "none") == 0 ? 0
			: error("graph '%s': %s has none, its workers %s", asked,
				su->algo.plugin->name, setup_algo(su)->shared ? "share one model"
				: "send to all or to a server");
	if (choice_parse(&su->graph, graph_table, "graph", setup_is_auto(asked) ? own : asked) < 0)
		return -1;
	return topology_make(&su->topology, &su->graph, (int)su->num.workers,
			     (uint64_t)su->in.seed);
}

/* Fills in what the engines take of it. */
static int fill_engines(struct setup *su)
{
	su->sim.batch_s = su->num.compute_s * (double)su->in.accumulate;
	su->sim.host_copy_s = su->num.host_copy_s;
	su->sim.update_s = su->num.update_s;
	su->sim.overlap = su->num.overlap;
	for (const struct opt *o = settings_opts; o->name; o++)
		if (setting_facts(o)->sim)
			*(int *)((char *)su + setting_facts(o)->sim) =
				(int)*(int64_t *)((char *)&su->in + o->offset);
	su->sim.bucket = (size_t)su->num.sim_bucket / sizeof(float);
	su->sim.backward = su->model.backward;
	su->sim.nbackward = su->model.nbackward;
	su->sim.forward = su->model.forward;
	su->sim.last = 1.0 / (double)su->in.accumulate;
	su->real.overlap = su->num.overlap;
	su->real.compute_s = su->num.compute_s * (double)su->in.accumulate;
	su->real.pace = su->sim.pace;
	link_note(su);
	return 0;
}

/* All-reduces of gradients whose times follow from formulas. */
static int check_allreduces(const struct setup *su)
{
	const struct link *link = (const struct link *)su->sim.link.plugin;
	const struct codec *codec = (const struct codec *)su->codec.plugin;
	const char *key = su->in.zero ? "zero" : "sim_in_flight";
	const long long value = su->in.zero ? su->in.zero : su->in.sim_in_flight;

	if (su->in.zero == 0 && su->in.sim_in_flight == 1)
		return 0;
	if (!setup_algo(su)->allreduces_gradients)
		return error("%s = %lld: %s all-reduces no gradients (expected an algorithm that "
			     "does, such as allreduce). Leave %s out", key, value,
			     su->algo.plugin->name, key);
	if (su->sim.link.plugin && link->stepwise && link->stepwise(su->sim.link.conf))
		return error("%s = %lld: needs all-reduces by formula. Leave stepwise out of link",
			     key, value);
	if (!codec_keeps_floats(codec) || (codec->words && su->in.zero))
		return error("%s = %lld: compressed gradients are sent as codes or factors. Leave "
			     "codec out", key, value);
	if (su->in.zero && setup_algo(su)->worker->grad)
		return error("%s = %lld: %s makes local steps, for which each worker needs the "
			     "whole model. Leave %s out", key, value, su->algo.plugin->name, key);
	return 0;
}

/* Refuses what does not go with gradients of several minibatches. */
static int check_accumulate(const struct setup *su)
{
	const long long k = su->in.accumulate;
	const struct opt *head = opt_find(su->algo.plugin->opts, "head");
	char *text = head ? opt_format(head, su->algo.conf) : NULL;
	const bool apart = text && strcmp(text, "apart") == 0;

	free(text);
	if (k == 1)
		return 0;
	if (apart)
		return error("accumulate = %lld: with head=apart each minibatch goes to the server "
			     "(expected head=joined). Leave accumulate out, or give a larger batch",
			     k);
	if (su->model.external && !su->in.timing)
		return error("accumulate = %lld: net %s is computed by another process, a gradient "
			     "at a time (expected a net of convoy's). Leave accumulate out", k,
			     su->in.net);
	if (su->slice)
		return error("accumulate = %lld: needs equal shares of a round. Leave shares out",
			     k);
	if (su->in.zero)
		return error("accumulate = %lld: ZeRO exchanges gradients after each minibatch, "
			     "which is not simulated. Leave zero out", k);
	return 0;
}

/* Checks of the algorithm, and of what else must go with it. */
static int check_run(struct setup *su)
{
	const struct run run = setup_run(su);
	const struct problem_type *type = (const struct problem_type *)su->model.analytic.plugin;

	if (type && type->parts && type->parts(su->model.analytic.conf, run.workers, NULL) < 0)
		return -1;
	if (run.optim->check && run.optim->check(run.optim_conf, &run) < 0)
		return -1;
	if (su->in.shards > 1 && !setup_algo(su)->server)
		return error("shards = %lld: %s has no parameter server to divide (expected an "
			     "algorithm that has one, such as asgd). Leave shards out, or choose "
			     "another algorithm.", (long long)su->in.shards, su->algo.plugin->name);
	if (check_accumulate(su) < 0 || check_allreduces(su) < 0 || codec_check(&run) < 0 ||
	    shares_check(&run) < 0)
		return -1;
	if (run.algo->check && run.algo->check(&run) < 0)
		return -1;
	if (!su->in.timing && su->model.external && su->partition.plugin != partition_table[0])
		return error("partition %s: the samples of a model of your own are known to its "
			     "code alone, so all workers draw from all of them. Leave partition "
			     "out, or train a built-in net on your data: --data npz:file=FILE",
			     su->partition.plugin->name);
	if (!su->in.timing && partition_check(&su->partition, setup_needs_data(su) ?
	    (const struct dataset_type *)su->data.plugin : NULL) < 0)
		return -1;
	unused_mark(su);
	return faults_check(&su->sim, &run);
}

/* The resolved run: what setup_run() and the engines need. */
#define RUN (PART_SETTINGS | PART_PLUGINS | PART_MODEL | PART_MACHINE | PART_WARMUP |              \
	     PART_SAMPLES | PART_LENGTH | PART_SHARES | PART_GRAPH | PART_GAIN)

const struct stage setup_stages[] = {
	{ "settings", stages_check_settings, 0, PART_SETTINGS },
	{ "plug-ins", read_plugins, PART_SETTINGS, PART_PLUGINS },
	{ "model", stages_read_model, PART_SETTINGS | PART_PLUGINS, PART_MODEL },
	{ "backend", read_backend, PART_SETTINGS | PART_MODEL, PART_BACKEND },
	{ "machine", machine_read, PART_SETTINGS | PART_PLUGINS | PART_MODEL, PART_MACHINE },
	{ "gain", read_gain, PART_SETTINGS | PART_PLUGINS | PART_MACHINE, PART_GAIN },
	{ "warm-up", read_warmup, PART_SETTINGS | PART_MACHINE, PART_WARMUP },
	{ "samples", read_samples, PART_SETTINGS | PART_PLUGINS | PART_MODEL | PART_MACHINE,
	  PART_SAMPLES },
	{ "length", read_length, PART_SETTINGS | PART_PLUGINS | PART_MACHINE | PART_SAMPLES,
	  PART_LENGTH },
	{ "shares", read_shares, PART_SETTINGS | PART_MACHINE, PART_SHARES },
	{ "faults", read_faults, PART_SETTINGS, PART_FAULTS },
	{ "graph", read_graph, PART_SETTINGS | PART_PLUGINS | PART_MACHINE, PART_GRAPH },
	{ "engines", fill_engines, PART_SETTINGS | PART_MODEL | PART_MACHINE | PART_SHARES,
	  PART_ENGINES },
	{ "checks", check_run, RUN | PART_FAULTS | PART_ENGINES, PART_CHECKED },
	{ "canonical form", setup_canonical, RUN | PART_BACKEND | PART_FAULTS | PART_CHECKED,
	  PART_CANONICAL },
	{ NULL, NULL, 0, 0 }
};

const struct stage *stages_unmet(const struct stage *stages)
{
	unsigned set = 0;

	for (; stages->name; stages++) {
		if (stages->needs & ~set)
			return stages;
		set |= stages->sets;
	}
	return NULL;
}

int stages_walk(const struct stage *stages, struct setup *su)
{
	const struct stage *unmet = stages_unmet(stages);

	if (unmet)
		BUG("stage %s needs what no earlier stage sets", unmet->name);
	for (; stages->name; stages++)
		if (stages->run(su) < 0)
			return -1;
	return 0;
}

int setup_resolve(struct setup *su)
{
	return stages_walk(setup_stages, su);
}
