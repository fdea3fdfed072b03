/* Remarks on runs: settings without effect, and what of their machine is left open. */
#include "plan/resolve/remarks.h"

#include "core/base/mem.h"
#include "core/codec.h"
#include "core/node.h"
#include "plan/machine/accelerator.h"
#include "plan/machine/cluster.h"
#include "plan/machine/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- settings that are given although the run does not depend on them ---- */

static bool run_is_timing(const struct setup *su)
{
	return su->in.timing;
}

static bool run_has_no_server(const struct setup *su)
{
	return su->in.engine == ENGINE_SIM && !setup_algo(su)->server;
}

static bool run_has_no_buckets(const struct setup *su)
{
	return su->in.engine == ENGINE_SIM && !machine_has_buckets(su);
}

static bool run_is_simulated(const struct setup *su)
{
	return su->in.engine == ENGINE_SIM;
}

static bool run_has_no_real_buckets(const struct setup *su)
{
	return su->in.allreduce != ALLREDUCE_BUCKETS || !machine_has_buckets(su) ||
	       ((const struct codec *)su->codec.plugin)->words;
}

static bool run_has_compute(const struct setup *su)
{
	return setting_is_given(su, "compute_s");
}

static bool run_is_external(const struct setup *su)
{
	return su->model.external;
}

static bool run_is_analytic(const struct setup *su)
{
	return su->model.analytic.plugin != NULL;
}

static bool run_scales_nothing(const struct setup *su)
{
	return su->in.lr_scaling == LR_AS_IT_IS;
}

static bool run_has_no_warmup(const struct setup *su)
{
	return !(su->in.warmup > 0.0);
}

/* True where the schedule's factor still is 1 at the end of a run whose length is bounded. */
static bool run_ends_before_schedule(const struct setup *su)
{
	const struct run run = setup_run(su);
	const struct schedule *sch = (const struct schedule *)su->schedule.plugin;
	const double length = run_length(&run), end = length * (1.0 - 1e-9);

	return length > 0.0 && strcmp(sch->plugin.name, "constant") != 0 &&
	       sch->factor(su->schedule.conf, end, length) >= 1.0;
}

/* Reasons for which a run does not depend on a setting, by its row in settings.def. */
static const struct unused_rule {
	enum unused rule;
	const char *why;
	bool (*holds)(const struct setup *su);
} unused_rules[] = {
	{ UNUSED_TIMED_PRODUCTS, "timing only: compute times follow from compute_s, sizes of "
	  "messages from codec", run_is_timing },
	{ UNUSED_BACKEND, "timing only: compute times follow from compute_s, sizes of messages "
	  "from codec", run_is_timing },
	{ UNUSED_TIMED_TRAINING, "timing only: no gradient is computed", run_is_timing },
	{ UNUSED_LR_BATCH, "timing only: no gradient is computed", run_is_timing },
	{ UNUSED_WARMUP_FROM, "timing only: no gradient is computed", run_is_timing },
	{ UNUSED_SCHEDULE, "timing only: no gradient is computed", run_is_timing },
	{ UNUSED_LR_BATCH, "lr_scaling is none", run_scales_nothing },
	{ UNUSED_WARMUP_FROM, "warmup is 0", run_has_no_warmup },
	{ UNUSED_SCHEDULE, "the run ends before the learning rate falls",
	  run_ends_before_schedule },
	{ UNUSED_BACKEND, "the net's own code computes", run_is_external },
	{ UNUSED_BACKEND, "the net needs no backend", run_is_analytic },
	{ UNUSED_DATA, "the net's own code has the data; give it a file as an argument: "
	  "--net python:FILE:make_problem,KEY=VALUE", run_is_external },
	{ UNUSED_DATA, "the net has no data set", run_is_analytic },
	{ UNUSED_NO_SERVER, "the algorithm has no server", run_has_no_server },
	{ UNUSED_NO_BUCKETS, "no gradient is all-reduced in buckets", run_has_no_buckets },
	{ UNUSED_NO_REAL_BUCKETS, "it is of real ranks; the simulator has sim_bucket",
	  run_is_simulated },
	{ UNUSED_NO_REAL_BUCKETS, "no gradient is all-reduced in buckets",
	  run_has_no_real_buckets },
	{ UNUSED_COMPUTE, "compute_s is given", run_has_compute },
};

enum { UNUSED_RULES = sizeof(unused_rules) / sizeof(unused_rules[0]) };

void unused_mark(struct setup *su)
{
	for (const struct opt *o = settings_opts; o->name; o++) {
		struct setting_source *src = &su->sources[o - settings_opts];

		for (size_t i = 0; src->from == FROM_GIVEN && !src->unused && i < UNUSED_RULES; i++)
			if (unused_rules[i].rule == setting_facts(o)->unused &&
			    unused_rules[i].holds(su))
				src->unused = unused_rules[i].why;
	}
}

/*
 * "no effect: precision, lr (timing only: ...); update_s (no server)": settings that are given and
 * without effect in all of n runs. NULL: none. The caller frees.
 */
static char *unused_text(const struct setup *const *runs, size_t n)
{
	char *all = NULL;
	const char *why[SETTINGS_MOST] = { NULL };      /* of settings that no run uses */

	for (const struct opt *o = settings_opts; o->name; o++) {
		bool used = false;

		for (size_t i = 0; i < n && !used; i++) {
			const struct setting_source *src = &runs[i]->sources[o - settings_opts];

			used = src->from == FROM_GIVEN && !src->unused;
			if (src->from == FROM_GIVEN && src->unused)
				why[o - settings_opts] = src->unused;
		}
		if (used)
			why[o - settings_opts] = NULL;
	}
	for (size_t rule = 0; rule < UNUSED_RULES; rule++) {
		char *keys = NULL;

		for (const struct opt *o = settings_opts; o->name; o++) {
			if (!why[o - settings_opts] ||
			    strcmp(why[o - settings_opts], unused_rules[rule].why) != 0)
				continue;
			xappend(&keys, ", ", o->name);
			why[o - settings_opts] = NULL;  /* rules may have one reason */
		}
		if (keys)
			xappendf(&all, "; ", "%s%s (%s)", all ? "" : "no effect: ", keys,
				 unused_rules[rule].why);
		free(keys);
	}
	return all;
}

/* ---- gradients that their codec has gathered instead of reduced ---- */

/* Bytes that a worker sends, over those of an all-reduce of floats in a ring. */
static double gathered_ratio(const struct setup *su)
{
	const struct run run = setup_run(su);
	const double floats = (double)su->model.dim * sizeof(float);

	return (double)codec_bytes(&run) / floats * (double)su->num.workers / 2.0;
}

/* NULL: no run gathers. The caller frees. */
static char *gathered_text(const struct setup *const *runs, const struct grid_point *const *points,
			   size_t n)
{
	const struct setup *most = NULL;
	scoped enum holds *is = xcalloc(n + 1, sizeof(*is));
	char *where, *text = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct codec *codec = (const struct codec *)runs[i]->codec.plugin;
		const bool gathers = codec->words && !codec->float_bytes &&
				     !setup_algo(runs[i])->server && runs[i]->num.workers > 1;

		is[i] = gathers ? HOLDS : HOLDS_NOT;
		if (is[i] == HOLDS && (!most || gathered_ratio(runs[i]) > gathered_ratio(most)))
			most = runs[i];
	}
	if (most) {
		where = holds_text(points, is, n);
		text = xasprintf("compressed gradients%s are gathered from all workers, not "
				 "all-reduced: codes cannot be added", where);
		free(where);
	}
	if (most && gathered_ratio(most) > 1.0)
		xappendf(&text, "; ", "%d workers with %s send %.3g times the bytes of no codec",
			 (int)most->num.workers, most->codec.plugin->name, gathered_ratio(most));
	return text;
}

/* ---- racks ---- */

static long long rack_of(const struct setup *su)
{
	const struct link *model = (const struct link *)su->sim.link.plugin;

	return model->fabric ? model->fabric(su->sim.link.conf).rack : 0;
}

static char *remark_one_rack(const struct setup *su)
{
	const long long rack = rack_of(su), workers = su->num.workers;
	const long long locations = workers + (setup_algo(su)->server ? su->in.shards : 0);

	if (locations > rack || !setting_is_given(su, "link"))
		return NULL;
	return xasprintf("link: rack=%lld: one rack holds all %lld workers, so uplinks and core "
			 "carry nothing", rack, workers);
}

/* Real racks may be partly filled, so that this is no error. */
static char *remark_last_rack(const struct setup *su)
{
	const long long rack = rack_of(su), workers = su->num.workers;

	if (rack == 0 || workers <= rack || workers % rack == 0 || !setting_is_given(su, "link"))
		return NULL;
	return xasprintf("link: rack=%lld does not divide %lld workers: the last rack has %lld",
			 rack, workers, workers % rack);
}

/* ---- parts of a link without effect ---- */

static char *remark_link_unused(const struct setup *su)
{
	/* Settings that count only where another one has this value, or another than this. */
	static const struct {
		const char *key, *other, *value;
		bool is;
	} needs[] = {
		{ "group", "collective", "hierarchical", true },
		{ "allreduce_ranks", "collective", "measured", true },
		{ "timeout_s", "loss", "0", false },
	};
	const struct choice *link = &su->sim.link;
	const struct link_clauses *c = &su->sim.own;
	bool named = false;
	char *all = NULL, *text, *model;
	const char *given;

	if (!setting_is_given(su, "link"))
		return NULL;
	model = xasprintf("%.*s", (int)clauses_model(su->in.link), su->in.link);
	given = strchr(model, ':');
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		const struct opt *o = opt_find(link->plugin->opts, needs[i].other);
		scoped char *value = o ? opt_format(o, link->conf) : NULL;

		if (value && (strcmp(value, needs[i].value) == 0) != needs[i].is && given &&
		    opt_gives(link->plugin->opts, given + 1, needs[i].key))
			xappendf(&all, ", ", "%s (%s=%s)", needs[i].key, needs[i].other, value);
	}
	for (size_t i = 0; i < c->n; i++)
		named = named || ranks_has(&c->clause[i].from, SERVER) ||
			ranks_has(&c->clause[i].to, SERVER);
	if (named && !setup_algo(su)->server)
		xappend(&all, ", ", "the server's clause (the algorithm has no server)");
	text = all ? xasprintf("no effect: of link: %s", all) : NULL;
	free_all(all, model);
	return text;
}

/* ---- values that are possible, but seldom meant ---- */

/* A list of the link's model; an empty one where it has none of that name. */
static struct opt_doubles link_list(const struct setup *su, const char *key)
{
	const struct opt *o = opt_find(su->sim.link.plugin->opts, key);

	return o && o->type == OPT_DOUBLES
		? *(const struct opt_doubles *)((const char *)su->sim.link.conf + o->offset)
		: (struct opt_doubles){ 0 };
}

static char *remark_table(const struct setup *su)
{
	static const char *const tables[][2] = { { "allreduce_bytes", "allreduce_s" },
						 { "message_bytes", "message_s" } };

	for (size_t k = 0; k < 2 && setting_is_given(su, "link"); k++) {
		const struct opt_doubles b = link_list(su, tables[k][0]);
		const struct opt_doubles s = link_list(su, tables[k][1]);
		size_t i = 1;

		while (i < s.n && s.v[i] >= s.v[i - 1])
			i++;
		if (i < s.n && i < b.n)
			return xasprintf("link: %s falls from %g s at %g bytes to %g s at %g bytes "
					 "(expected times that rise)", tables[k][1], s.v[i - 1],
					 b.v[i - 1], s.v[i], b.v[i]);
	}
	return NULL;
}

static char *remark_checkpoints(const struct setup *su)
{
	if (!(su->sim.restart.interval_s > 0.0) || su->sim.restart.cost_s > 0.0 ||
	    !su->in.recovery || strstr(su->in.recovery, "cost_s"))
		return NULL;
	return xstrdup("recovery: checkpoints take no time (cost_s is 0 unless given)");
}

/* ---- what formulas and codecs do not see ---- */

static char *remark_mean_messages(const struct setup *su)
{
	const struct link *model = (const struct link *)su->sim.link.plugin;
	const bool jitter = setup_link_number(su, "jitter") > 0.0;
	const bool loss = setup_link_number(su, "loss") > 0.0;

	if (!(jitter || loss) || !setup_algo(su)->worker->allreduce || su->num.workers < 2 ||
	    model->stepwise(su->sim.link.conf) != RING_NONE)
		return NULL;
	return xasprintf("link: the formula of all-reduces has the mean%s%s%s of messages and "
			 "waits for none that is late, so they take longer as single messages "
			 "(collective=ring,stepwise=true)", jitter ? " latency" : "",
			 jitter && loss ? " and" : "", loss ? " number of tries" : "");
}

static bool model_has_matrices(const struct setup *su)
{
	for (size_t i = 0; su->model.layers && i < su->model.nlayers; i++)
		if (su->model.layers[i].rank > 1)
			return true;
	return false;
}

static char *remark_no_matrices(const struct setup *su)
{
	const struct codec *codec = (const struct codec *)su->codec.plugin;
	const bool muon = strcmp(su->optim.plugin->name, "muon") == 0;

	if (model_has_matrices(su) || !(codec->stage || (muon && su->in.timing)))
		return NULL;
	return xasprintf("net %s has no known matrices, on which alone %s%s%s act%s%s",
			 su->model.name, codec->stage ? codec->plugin.name : "",
			 codec->stage && muon ? " and " : "", muon ? "muon" : "",
			 codec->stage && muon ? "" : "s",
			 codec->stage ? ": gradients are not compressed" : "");
}

static char *remark_shared_model(const struct setup *su)
{
	const struct algo *algo = setup_algo(su);
	const struct link *link = (const struct link *)su->sim.link.plugin;
	struct sharing how;

	if (!algo->shared || link->handle)
		return NULL;
	how = algo->shared(su->algo.conf);
	if (how.read_s >= 0.0 && how.write_s >= 0.0)
		return NULL;
	return xasprintf("%s: a worker reads the model, and adds a step to it, at %g GB/s (read_s, "
			 "write_s)", algo->plugin.name, SIM_MEMORY_RATE / 1e9);
}

static char *remark_whole_gradient(const struct setup *su)
{
	const struct codec *codec = (const struct codec *)su->codec.plugin;

	if (!setup_algo(su)->allreduces_gradients || su->num.workers < 2 || !su->num.overlap ||
	    codec_keeps_floats(codec) || su->model.dim * sizeof(float) <= CLUSTER_BUCKET)
		return NULL;
	return xstrdup("the codec has an all-reduce begin when the whole gradient is computed, so "
		       "that it overlaps nothing of it");
}

/* Remark on buckets that take longer than the gradient, so that it cannot hide them. */
static char *remark_bucket_latency(const struct setup *su)
{
	const int times = su->in.zero == 3 ? 3 : 1;     /* two all-gathers, a reduce-scatter */
	struct allreduced a;
	double n;

	if (!su->sim.bucket || !setup_algo(su)->allreduces_gradients || su->num.workers < 2 ||
	    su->in.sim_in_flight > 1 || !allreduce_of(su, &a))
		return NULL;
	n = times * a.parts;
	if (a.parts <= 1.0 || 2.0 * a.latency_s <= a.seconds || n * a.seconds < su->num.compute_s)
		return NULL;
	return xasprintf("%.4g of the %.4g s in which %.0f buckets are %s (%s) are latencies, not "
			 "bytes; one bucket takes %.4g s: larger buckets (--sim-bucket), or "
			 "another collective of the link, may be faster", n * a.latency_s,
			 n * a.seconds, ceil(a.parts),
			 times > 1 ? "gathered twice and reduce-scattered"
			 : su->in.zero ? "reduce-scattered" : "all-reduced", a.kind,
			 times * a.whole_s);
}

/* Of models that are exchanged after the gradient, where all-reduces overlap it. */
static char *remark_late_exchange(const struct setup *su)
{
	const struct opt *o = opt_find(su->algo.plugin->opts, "overlap");
	char *value = o ? opt_format(o, su->algo.conf) : NULL;
	const bool late = value && strcmp(value, "false") == 0;

	free(value);
	if (!late || su->num.workers < 2 || !su->buckets ||
	    strcmp(su->sim.link.plugin->name, "ideal") == 0)
		return NULL;
	return xasprintf("each exchange of models begins after the gradient (%s:overlap=true: "
			 "with it, as all-reduces do)", su->algo.plugin->name);
}

/* ---- times of a net that was measured with other settings ---- */

static char *remark_measured(const struct setup *su)
{
	return su->measured ? xstrdup(su->measured) : NULL;
}

/* ---- a run that ends within its warm-up ---- */

static char *remark_warmup(const struct setup *su)
{
	struct run run = setup_run(su);
	const double length = run_length(&run);

	if (su->in.timing || !(length > 0.0) || length >= su->in.warmup)
		return NULL;
	run.lr.epochs = length;
	return xasprintf("warmup: the run ends after %.3g of the %g epochs of its warm-up, at a "
			 "learning rate of %.3g", length, su->in.warmup,
			 stepsize_at(&run.lr, length * (1.0 - 1e-9)));
}

/* ---- all of them ---- */

static const struct {
	char *(*of)(const struct setup *su);
	bool real;              /* of real ranks, too; else of the simulator alone */
} machine_remarks[] = {
	{ remark_one_rack, false }, { remark_last_rack, false }, { remark_link_unused, false },
	{ remark_table, false }, { remark_checkpoints, false }, { remark_mean_messages, false },
	{ remark_no_matrices, false }, { remark_shared_model, false },
	{ remark_whole_gradient, false }, { remark_bucket_latency, false },
	{ remark_late_exchange, false }, { remark_measured, false }, { remark_warmup, true },
	{ accelerator_full, false },
};

enum { MACHINE_REMARKS = sizeof(machine_remarks) / sizeof(machine_remarks[0]) };

/* The first text of the runs that have one, and which these are. NULL: none. The caller frees. */
static char *machine_text(const struct setup *const *runs, const struct grid_point *const *points,
			  size_t n, size_t at)
{
	scoped enum holds *is = xcalloc(n + 1, sizeof(*is));
	size_t have = 0;
	char *first = NULL;
	bool differ = false;

	for (size_t i = 0; i < n; i++) {
		const bool is_shown = runs[i]->in.engine == ENGINE_SIM || machine_remarks[at].real;
		char *text = is_shown ? machine_remarks[at].of(runs[i]) : NULL;

		is[i] = text ? HOLDS : HOLDS_NOT;
		have += text != NULL;
		differ |= text && first && strcmp(text, first) != 0;
		if (first)
			free(text);
		else
			first = text;
	}
	if (first)
		xappend_own(&first, "", differ ? xasprintf(" (one of %zu such runs)", have)
					       : holds_text(points, is, n));
	return first;
}

/* ---- outer learning rates that follow from a gain ---- */

/* "outer_lr is gain / 1.9 of mla", or with a limit "outer_lr is gain / (5 - 10 gain) of ..." */
static char *gain_rule(const struct setup *su)
{
	const struct algo *algo = setup_algo(su);
	const int workers = (int)su->num.workers;
	const double of_one = algo->gain(su->algo.conf, workers);
	const double limit = algo_gain_limit(algo, su->algo.conf, workers);

	if (isinf(limit))
		return xasprintf("%s is gain / %.4g of %s", algo->outer, of_one, su->in.algo);
	return xasprintf("%s is gain / (%.4g - %.4g gain) of %s", algo->outer, of_one,
			 of_one / limit, su->in.algo);
}

/*
 * "outer_lr is gain / 1.9 of mla, outer_lr is gain / 2.5 of diloco": each algorithm of the runs
 * that have a gain, once. NULL: none. The caller frees.
 */
static char *gain_text(const struct setup *const *runs, size_t n)
{
	char *all = NULL;

	for (size_t i = 0; i < n; i++) {
		scoped char *text = NULL;

		if (runs[i]->in.gain <= 0.0)
			continue;
		text = gain_rule(runs[i]);
		if (!all || !strstr(all, text))
			xappend(&all, ", ", text);
	}
	if (all)
		xappend(&all, "", " ('convoy show algo NAME': gain)");
	return all;
}

/*
 * Of runs with the same seconds of computing, a plain number, for minibatches of different sizes,
 * as a sweep of batch has. NULL: there are none. The caller frees.
 */
static char *batches_text(const struct setup *const *runs, size_t n)
{
	size_t same = 0;

	while (same < n && runs[same]->in.batch == runs[0]->in.batch)
		same++;
	for (size_t i = same; i < n; i++) {
		const struct setup *a = runs[i];

		if (a->in.engine != ENGINE_SIM || !setting_is_given(a, "compute_s") || a->times.n)
			continue;
		for (size_t k = 0; k < i; k++)
			if (runs[k]->in.batch != a->in.batch && !runs[k]->times.n
			    && strcmp(runs[k]->in.compute_s, a->in.compute_s) == 0)
				return xasprintf("compute_s = %s: of a minibatch of %lld samples "
						 "as of one of %lld; give times by batch, as in "
						 "table:batch=8/64,seconds=0.01/0.06",
						 a->in.compute_s, (long long)runs[k]->in.batch,
						 (long long)a->in.batch);
	}
	return NULL;
}

char **remarks(const struct setup *const *runs, const struct grid_point *const *points, size_t n,
	       size_t *machine)
{
	char **all = xcalloc(MACHINE_REMARKS + 5, sizeof(*all));
	size_t count = 0;

	all[count] = unused_text(runs, n);
	count += all[count] != NULL;
	all[count] = gathered_text(runs, points, n);
	count += all[count] != NULL;
	all[count] = gain_text(runs, n);
	count += all[count] != NULL;
	all[count] = batches_text(runs, n);
	count += all[count] != NULL;
	if (machine)
		*machine = count;
	for (size_t i = 0; i < MACHINE_REMARKS; i++) {
		all[count] = machine_text(runs, points, n, i);
		count += all[count] != NULL;
	}
	return all;
}

/* ---- what the machine has that the settings leave open, and where it is from ---- */

/* How a setting is called in a line, and its unit. */
static const struct {
	const char *key, *before, *after;
} words[] = {
	{ "workers", "workers ", "" },
	{ "data", "inputs as in data set ", "" },
	{ "samples", "an epoch of ", " samples" },
	{ "compute_s", "compute ", " s" },
	{ "host_copy_s", "host-device copy ", " s" },
	{ "update_s", "update ", " s" },
	{ "overlap", "messages received while computing: ", "" },
	{ "sim_bucket", "all-reduce overlaps the backward pass, in buckets of ", " bytes" },
	{ "delay", "delay ", "" },
	{ "link", "link ", "" },
};

enum { WORDS = sizeof(words) / sizeof(words[0]) };

struct assumption {
	const char *key, *value, *source;       /* borrowed */
};

/* Fills in what the run assumes of that setting; false: nothing. */
static bool assumption_of(const struct setup *su, const char *key, struct assumption *a)
{
	const size_t i = (size_t)(opt_find(settings_opts, key) - settings_opts);
	const struct setting_source *src = &su->sources[i];

	*a = (struct assumption){ key, src->value ? src->value : su->canonical[i].value,
				  src->name };
	return src->name && src->used;
}

struct setting *assumed_settings(const struct setup *su, size_t *n)
{
	struct setting *all = xcalloc(WORDS, sizeof(*all));
	struct assumption a;

	*n = 0;
	for (size_t i = 0; i < WORDS; i++)
		if (assumption_of(su, words[i].key, &a))
			all[(*n)++] = (struct setting){ a.key, a.source };
	return all;
}

struct grid_point assumed_point(const struct setup *su)
{
	struct grid_point sources = { 0 };
	size_t n;
	scoped struct setting *all = assumed_settings(su, &n);

	for (size_t i = 0; i < n; i++)
		point_put_text(&sources, all[i].key, all[i].value);
	return sources;
}

cJSON *assumed_json(const struct setup *su)
{
	scoped_by(point_release) struct grid_point sources = assumed_point(su);

	return point_json(&sources);
}

bool assumed_is_named(const struct setup *su)
{
	for (size_t i = 0; settings_opts[i].name; i++) {
		const struct setting_source *src = &su->sources[i];

		if (src->name && src->used && !src->named)
			return false;
	}
	return true;
}

/* "compute 0.01155 s": numbers with four digits. The caller frees. */
static char *assumption_text(const struct setup *su, const struct assumption *a)
{
	char *end;
	const double x = strtod(a->value, &end);
	size_t i = 0;

	if (strcmp(a->key, "sim_bucket") == 0 && x <= 0.0)
		return xstrdup("all-reduce after the backward pass");
	if (strcmp(a->key, "sim_bucket") == 0 && su->in.zero == 3)
		return xasprintf("all-gathers and reduce-scatters overlap the passes, in whole "
				 "layers of %s bytes or more", a->value);
	if (strcmp(a->key, "sim_bucket") == 0 && su->in.zero)
		return xasprintf("reduce-scatters overlap the backward pass, in buckets of %s "
				 "bytes", a->value);
	if (strcmp(a->key, "sim_bucket") == 0 && su->model.nbackward == 1)
		return xasprintf("all-reduce after the backward pass, in buckets of %s bytes, as "
				 "the net has one layer", a->value);
	while (strcmp(words[i].key, a->key) != 0)
		i++;
	if (strcmp(a->key, "sim_bucket") == 0 || strcmp(a->key, "samples") == 0)
		return xasprintf("%s%s%s", words[i].before, a->value, words[i].after);
	if (*end)
		return xasprintf("%s%s", words[i].before, a->value);
	return xasprintf("%s%.4g%s", words[i].before, x, words[i].after);
}

/* ---- of several runs, in a line ---- */

struct held {                   /* of a setting of a run */
	char *text;             /* owned; NULL: nothing is assumed */
	const char *source;     /* borrowed */
	bool given;
};

struct assumed_line {                   /* what is said of n runs */
	const struct grid_point *const *points;     /* [n], borrowed */
	size_t n;
	struct held *held;      /* [n * WORDS], owned */
};

struct source_group {                  /* what comes from one source */
	const char *source;     /* borrowed */
	size_t *at;             /* [n]: where in line.held each text is first; owned */
	size_t n;
};

/* True when two runs assume the same: the same setting, in the same words. */
static bool is_same(const struct assumed_line *l, size_t i, size_t j)
{
	const struct held *a = &l->held[i], *b = &l->held[j];

	return a->text && b->text && i % WORDS == j % WORDS && strcmp(a->text, b->text) == 0 &&
	       strcmp(a->source, b->source) == 0;
}

static void groups_add(struct source_group **groups, size_t *n, const struct assumed_line *l,
		       size_t at)
{
	const char *source = l->held[at].source;
	size_t i = 0;
	struct source_group *g;

	while (i < *n && strcmp((*groups)[i].source, source) != 0)
		i++;
	if (i == *n)
		APPEND(*groups, *n) = (struct source_group){ .source = source };
	g = &(*groups)[i];
	for (size_t k = 0; k < g->n; k++)
		if (is_same(l, g->at[k], at))
			return;
	APPEND(g->at, g->n) = at;
}

/* HOLDS when the run has anything of the source; HOLDS_NOT: something of it from elsewhere. */
static enum holds group_holds(const struct assumed_line *l, const struct source_group *g,
			      size_t run)
{
	enum holds is = HOLDS_ANY;

	for (size_t i = 0; i < g->n; i++) {
		const struct held *h = &l->held[run * WORDS + g->at[i] % WORDS];

		if (h->text ? strcmp(h->source, g->source) != 0 : h->given)
			is = HOLDS_NOT;
		else if (h->text)
			return HOLDS;
	}
	return is;
}

/* True when a run that has something of the source has that text. */
static enum holds text_holds(const struct assumed_line *l, const struct source_group *g, size_t at,
			     size_t run)
{
	const size_t own = run * WORDS + at % WORDS;

	if (is_same(l, at, own))
		return HOLDS;
	if (group_holds(l, g, run) != HOLDS)
		return HOLDS_ANY;
	return l->held[own].text || l->held[own].given ? HOLDS_NOT : HOLDS_ANY;
}

/*
 * "A, B with net=lenet, C (source) with algo=asgd", of many texts the first and the last; frees the
 * group. The caller frees.
 */
static char *group_end(struct source_group *g, const struct assumed_line *l)
{
	enum { MOST = 12 };
	enum holds *is = xcalloc(l->n, sizeof(*is));
	char *all = NULL;

	for (size_t i = 0; i < g->n; i++) {
		if (g->n > MOST && i >= MOST - 1 && i != g->n - 1)
			continue;
		/* "compute 0.01155 s with net=resnet20" */
		for (size_t run = 0; run < l->n; run++)
			is[run] = text_holds(l, g, g->at[i], run);
		xappend(&all, i >= MOST ? ", ..., " : ", ", l->held[g->at[i]].text);
		xappend_own(&all, "", holds_text(l->points, is, l->n));
	}
	for (size_t i = 0; i < l->n; i++)
		is[i] = group_holds(l, g, i);
	xappendf(&all, " ", "(%s)", g->source);
	xappend_own(&all, "", holds_text(l->points, is, l->n));
	free_all(is, g->at);
	return all;
}

char *assumed_text(const struct setup *const *runs, const struct grid_point *const *points,
		   size_t n)
{
	struct assumed_line l = { points, n, xcalloc(n * WORDS, sizeof(*l.held)) };
	struct source_group *groups = NULL;
	struct assumption a;
	size_t ngroups = 0;
	char *line;

	for (size_t i = 0; i < n * WORDS; i++) {
		const struct setup *su = runs[i / WORDS];
		const char *key = words[i % WORDS].key;
		const size_t o = (size_t)(opt_find(settings_opts, key) - settings_opts);

		l.held[i].given = su->sources[o].from == FROM_GIVEN;
		if (!assumption_of(su, key, &a))
			continue;
		l.held[i].text = assumption_text(su, &a);
		l.held[i].source = a.source;
	}
	for (size_t key = 0; key < WORDS; key++)
		for (size_t i = key; i < n * WORDS; i += WORDS)
			if (l.held[i].text)
				groups_add(&groups, &ngroups, &l, i);
	line = ngroups ? xstrdup("assumed:") : NULL;
	for (size_t i = 0; i < ngroups; i++)
		xappend_own(&line, i ? "; " : " ", group_end(&groups[i], &l));
	free(groups);
	for (size_t i = 0; i < n * WORDS; i++)
		free(l.held[i].text);
	free(l.held);
	return line;
}
