/*
 * estimate.c - what a plan will take: from the finished results that are nearest to its runs, from
 * the rate of a net, measured now, and from the spec's own figure.
 */
#include "runner/estimate/estimate.h"

#include "core/base/clock.h"
#include "core/base/context.h"
#include "core/base/cores.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "core/file/paths.h"
#include "core/text/opt_text.h"
#include "core/text/word.h"
#include "nets/graph/graph.h"
#include "runner/estimate/gradient_rate.h"
#include "runner/single_run/trained.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- finished results, and those nearest to a run in settings ---- */

enum { MOST_RESULTS = 200 };    /* are read */

/* Settings, and after them what else tells runs apart. */
enum {
	ENGINE, TIMING, NET, PRECISION, BACKEND, LOWERING, PARTITIONS, DATA, BATCH,
	COMPUTE_THREADS, ALGO, WORKERS, MEASURES, EVAL_EVERY, SLOW, COMPUTE_S, GRAPH, LINK,
	SHARES, ACCUMULATE, NSETTINGS, MACS = NSETTINGS, THREADS, NKEYS
};

static const char *const setting[] = {
	"engine", "timing", "net", "precision", "backend", "lowering", "partitions", "data",
	"batch", "compute_threads", "algo", "workers", "measures", "eval_every", "slow",
	"compute_s", "graph", "link", "shares", "accumulate", NULL
};

enum { MOST_KEYS = 12 };        /* of a list */

struct run_kind {                   /* of runs: lists of keys that end with NKEYS */
	int same[MOST_KEYS];    /* what such runs have in common */
	int near[MOST_KEYS];    /* what they may differ in, the most important first */
};

static const struct run_kind
	learning = { { ENGINE, TIMING, NET, MACS, PRECISION, BACKEND, NKEYS },
		     { DATA, BATCH, ACCUMULATE, LOWERING, PARTITIONS, COMPUTE_THREADS, THREADS,
		       ALGO, WORKERS, MEASURES, EVAL_EVERY, NKEYS } },
	clocks = { { ENGINE, TIMING, ALGO, WORKERS, NKEYS },
		   { NET, BATCH, GRAPH, LINK, SLOW, NKEYS } },
	real = { { ENGINE, TIMING, NET, MACS, PRECISION, BACKEND, BATCH, ALGO, WORKERS, SLOW,
		   COMPUTE_S, NKEYS },
		 { ACCUMULATE, SHARES, DATA, LOWERING, PARTITIONS, COMPUTE_THREADS, THREADS,
		   MEASURES, EVAL_EVERY, NKEYS } };

struct values {
	const char *v[NKEYS];
};

struct previous_run {
	char *value[NKEYS];     /* owned */
	double wall_s, gradients, samples;
	bool used;
};

void previous_add(struct previous *previous, const cJSON *texts, const struct run_cost *c)
{
	struct previous_run *r;
	const char *text;

	r = &APPEND(previous->run, previous->n);
	*r = (struct previous_run){ .wall_s = c->wall_s, .gradients = (double)c->gradients };
	for (int i = 0; i < NSETTINGS; i++) {
		text = json_string(texts, setting[i]);
		r->value[i] = xstrdup(text ? text : "");
	}
	r->value[MACS] = xasprintf("%lld", (long long)c->macs);
	r->value[THREADS] = xasprintf("%lld", (long long)c->threads);
	/* results of older versions have no such setting */
	r->samples = r->gradients * strtod(r->value[BATCH], NULL) *
		     fmax(1, strtod(r->value[ACCUMULATE], NULL));
}

static void read_folder(struct previous *previous, const char *folder)
{
	scoped_paths char **paths = dir_list(folder, ".h5");

	for (char **path = paths; path && *path && previous->n < MOST_RESULTS; path++) {
		struct run_cost c;
		scoped_json cJSON *texts = result_cost(*path, setting, &c);

		if (texts && !c.shown)
			previous_add(previous, texts, &c);
	}
}

/*
 * Adds what the results of the experiment took, at any scale, of this one first: 200 at most. They
 * are in OUT/EXPERIMENT/SCALE/runs and tuning.
 */
static void previous_read(struct previous *previous, const struct plan *p)
{
	scoped char *above = path_folder(p->dir);
	scoped_paths char **paths = dir_list(above, "");

	read_folder(previous, p->folder);
	for (char **path = paths; path && *path; path++)
		for (int i = 0; i < 2; i++) {
			scoped char *folder = xasprintf("%s/%s", *path, i ? TUNING_NAME : "runs");

			if (strcmp(folder, p->folder) != 0)
				read_folder(previous, folder);
		}
}

/* Logarithm of the ratio of numbers; HUGE_VAL of other values that differ. */
static double previous_apart(const char *a, const char *b)
{
	double x, y;

	if (strcmp(a, b) == 0)
		return 0;
	if (!text_double(a, &x) || !text_double(b, &y) || x <= 0 || y <= 0)
		return HUGE_VAL;
	return fabs(log(x / y));
}

static bool is_of_kind(const struct run_kind *k, const struct values *run,
		       const struct previous_run *r)
{
	for (const int *key = k->same; *key != NKEYS; key++)
		if (strcmp(run->v[*key], r->value[*key]) != 0)
			return false;
	return r->samples > 0;
}

/* Below 0: a is nearer than b; 0: both are as near. */
static int previous_compare(const struct run_kind *k, const struct values *run,
			    const struct previous_run *a, const struct previous_run *b)
{
	for (const int *key = k->near; *key != NKEYS; key++) {
		const double to_a = previous_apart(run->v[*key], a->value[*key]);
		const double to_b = previous_apart(run->v[*key], b->value[*key]);

		if (to_a < to_b || to_a > to_b)
			return to_a < to_b ? -1 : 1;
	}
	return 0;
}

double previous_seconds(struct previous *previous, const struct setup *su, int threads,
			double samples)
{
	const struct run_kind *k = su->in.engine == ENGINE_MPI ? &real
			       : su->in.timing ? &clocks : &learning;
	char *macs = xasprintf("%lld", (long long)su->model.macs);
	char *on = xasprintf("%d", threads);
	struct values run = { .v = { [MACS] = macs, [THREADS] = on } };
	const struct previous_run *best = NULL;
	struct previous_run sum = { 0 };

	for (int i = 0; i < NSETTINGS; i++)
		run.v[i] = setup_text(su, setting[i]);
	for (size_t i = 0; i < previous->n; i++) {
		const struct previous_run *r = &previous->run[i];

		if (is_of_kind(k, &run, r) && (!best || previous_compare(k, &run, r, best) < 0))
			best = r;
	}
	/* All that are as near as the nearest, together. */
	for (size_t i = 0; i < previous->n && best; i++) {
		struct previous_run *r = &previous->run[i];

		if (!is_of_kind(k, &run, r) || previous_compare(k, &run, r, best) != 0)
			continue;
		r->used = true;
		sum.wall_s += r->wall_s;
		sum.gradients += r->gradients;
		sum.samples += r->samples;
	}
	free_all(macs, on);
	if (sum.samples <= 0)
		return (double)NAN;
	if (su->in.timing)
		return samples / (double)setup_batch(su) * sum.wall_s / sum.gradients;
	return samples * sum.wall_s / sum.samples;
}

size_t previous_used(const struct previous *previous)
{
	size_t n = 0;

	for (size_t i = 0; i < previous->n; i++)
		n += previous->run[i].used;
	return n;
}

void previous_release(struct previous *previous)
{
	for (size_t i = 0; i < previous->n; i++)
		for (int k = 0; k < NKEYS; k++)
			free(previous->run[i].value[k]);
	free(previous->run);
	*previous = (struct previous){ 0 };
}

/* ---- how fast a net is here: a few gradients in a process of their own ---- */

/* Seconds of measuring; operations of one minibatch, and of one sample, that are not too many. */
static const double span_s = 0.1, batch_flops = 8e9, sample_flops = 3e10;

/* Whole seconds that all measuring of a process may take, its setting up included. */
enum { PATIENCE_S = 3 };

struct known_rate {             /* measured by this process */
	char *text;
	double rate;
	struct known_rate *next;
};

static double estimate_rate_measure(const struct setup *su, int threads)
{
	static double spent_s;
	const double began = clock_s(), flops = 6.0 * (double)su->model.macs;
	const double fit = batch_flops / flops;
	struct rate_case c = {
		.net = su->model.name, .graph = setup_load_net(su), .backend = su->backend,
		.conf = su->backend_conf, .threads = threads, .team = 1,
		.batch = (size_t)(fit < 1 ? 1 : fmin(fit, (double)setup_most_minibatch(su))),
		.limit_s = spent_s < PATIENCE_S ? (unsigned)ceil(PATIENCE_S - spent_s) : 0,
	};

	c.conf.times = NULL;
	if (c.conf.lowering == LOWERING_AUTO)
		c.conf.lowering = LOWERING_1;
	if (c.graph && c.limit_s)
		rate_measure_apart(&c, span_s, NULL, NULL);
	graph_free(c.graph);
	spent_s += clock_s() - began;
	return c.rate;
}

/* Samples a second of a run's net on so many threads; 0: it would take long, or others have. */
static double estimate_rate(const struct setup *su, int threads)
{
	static struct known_rate *all_known;
	struct known_rate *k = all_known;
	scoped char *text = NULL;

	if (6.0 * (double)su->model.macs > sample_flops)
		return 0;
	text = xasprintf("%s %zu %lld %s %d %zu %d", su->model.name, su->model.dim,
			 (long long)su->model.macs, su->backend->name, su->in.precision,
			 setup_most_minibatch(su), threads);
	while (k && strcmp(k->text, text) != 0)
		k = k->next;
	if (!k) {
		context_mute();
		k = xcalloc(1, sizeof(*k));
		*k = (struct known_rate){ xstrdup(text), estimate_rate_measure(su, threads),
					  all_known };
		all_known = k;
		context_unmute();
	}
	return k->rate;
}

/* ---- the plan ---- */

void estimate_samples(const struct setup *su, int64_t n[2])
{
	n[SPLIT_TRAIN] = su->samples;
	n[SPLIT_TEST] = 0;
	if (!setup_needs_data(su))
		return;
	context_mute();
	if (dataset_count((const struct dataset_type *)su->data.plugin, su->data.conf, n) != 0)
		n[SPLIT_TRAIN] = n[SPLIT_TEST] = 0;
	context_unmute();
}

/* Seconds of one run; NaN: not known. */
static double seconds_of(const struct setup *su, struct previous *previous, int threads,
			 struct estimate *e)
{
	int64_t n[2];
	double samples = HUGE_VAL, seconds, rate, test, epochs, times;

	if (su->in.engine == ENGINE_MPI && su->in.seconds > 0)
		return su->in.seconds;
	/* Training samples until the budget is spent. */
	estimate_samples(su, n);
	if (su->in.gradients > 0)
		samples = (double)su->in.gradients * (double)setup_batch(su);
	if (su->num.epochs > 0)
		samples = fmin(samples, n[SPLIT_TRAIN] ? su->num.epochs * (double)n[SPLIT_TRAIN]
						       : (double)NAN);
	if (!isfinite(samples))
		return (double)NAN;
	seconds = previous_seconds(previous, su, threads, samples);
	if (!isnan(seconds))
		return seconds;
	rate = setup_needs_data(su) && su->in.engine == ENGINE_SIM ? estimate_rate(su, threads) : 0;
	if (rate <= 0)
		return (double)NAN;
	e->nets++;
	/* Evaluations in addition, in samples: a forward pass is a third of a gradient. */
	test = su->in.eval_samples ? (double)su->in.eval_samples : (double)n[SPLIT_TEST];
	epochs = n[SPLIT_TRAIN] ? samples / (double)n[SPLIT_TRAIN] : 0;
	times = su->in.eval_every > 0 ? floor(epochs / su->in.eval_every) : 1;
	return (samples + times * (test + 128.0 * (double)su->in.stat_batches) / 3) / rate;
}

/* A run of the plan before run i, finished or not, is of the training training[i]. */
static bool run_is_shown(const uint64_t *training, size_t i)
{
	for (size_t k = 0; k < i && training[i]; k++)
		if (training[k] == training[i])
			return true;
	return false;
}

struct estimate plan_estimate(const struct plan *p, int jobs, int threads, bool retrain)
{
	scoped uint64_t *training = xcalloc(p->n + 1, sizeof(*training));
	struct estimate e = { 0 };
	scoped_by(previous_release) struct previous previous = { 0 };
	double most = 0;
	/* Runs that compute, each on so many threads, share the cores. */
	const double at_once = fmax(1, fmin(jobs, floor((double)cores_allowed() / threads)));

	if (plan_count(p, RUN_TODO))
		previous_read(&previous, p);
	for (size_t i = 0; i < p->n; i++) {
		const struct planned *r = &p->runs[i];
		double seconds;

		training[i] = retrain ? 0 : training_fixed(&r->su);
		if (r->state != RUN_TODO || r->same_as != i)
			continue;
		seconds = run_is_shown(training, i) ?
				  0.0 : seconds_of(&r->su, &previous, threads, &e);
		e.known += !isnan(seconds);
		e.unknown += isnan(seconds);
		if (!isnan(seconds))
			e.seconds += seconds / (setup_needs_data(&r->su) &&
						r->su.in.engine == ENGINE_SIM ? at_once : jobs);
		most = fmax(most, estimate_memory(&r->su, threads));
	}
	e.bytes = most * jobs;
	/* Time that the spec gives for its scale, where the settings are its own. */
	e.declared = e.unknown && !p->changes.settings && !p->changes.data ? p->spec.time : NULL;
	e.results = previous_used(&previous);
	return e;
}

void estimate_add(struct estimate *e, const struct estimate *next)
{
	e->declared = e->known + e->unknown ? NULL : next->declared;
	e->seconds += next->seconds;
	e->known += next->known;
	e->unknown += next->unknown;
	e->results += next->results;
	e->nets += next->nets;
	e->bytes = fmax(e->bytes, next->bytes);
}

char *estimate_text(const struct estimate *e)
{
	const char *s = word_plural((double)e->results), *joint = e->known ? ", " : "";
	const double t = e->seconds;
	char *all;

	if (e->known + e->unknown == 0)
		return NULL;
	all = xstrdup("");
	if (e->known) {
		xappend(&all, "", "about ");
		xappend_own(&all, "", t < 90	      ? xasprintf("%.0f s", ceil(t))
				      : t < 72 * 3600 ? word_duration(t)
						      : xasprintf("%.0f days", t / 86400));
	}
	if (e->known && e->results)
		xappendf(&all, "", " (from %zu result%s%s)", e->results, s,
			 e->nets ? " and rates of nets, measured now" : "");
	else if (e->known && e->nets)
		xappend(&all, "", " (from the net's rate, measured now; without the algorithm's "
				  "own steps)");
	if (e->unknown && e->declared)
		xappendf(&all, "", "%stime of %zu run%s not measured; the spec says of all: %s",
			 joint, e->unknown, word_plural((double)e->unknown), e->declared);
	else if (e->unknown)
		xappendf(&all, "", "%stime of %zu run%s unknown", joint, e->unknown,
			 word_plural((double)e->unknown));
	if (e->bytes > 0)
		xappendf(&all, "", ", memory about %.*f GB", e->bytes < 1e10 ? 2 : 0,
			 e->bytes / 1e9);
	return all;
}

cJSON *estimate_json(const struct estimate *e)
{
	return OBJECT(e->known || !e->unknown ? j_number("seconds", e->seconds) : j_null("seconds"),
		      j_number("known_runs", (double)e->known),
		      j_number("unknown_runs", (double)e->unknown),
		      j_number("results", (double)e->results), j_text("declared", e->declared),
		      e->bytes > 0 ? j_number("memory_bytes", e->bytes) : j_null("memory_bytes"));
}
