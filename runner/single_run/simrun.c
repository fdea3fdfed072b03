/* Opens recorder, tracer and hooks of a run, runs it and finishes its files. */
#include "runner/single_run/simrun.h"

#include "core/base/clock.h"
#include "core/base/context.h"
#include "core/base/cores.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/samples/partition.h"
#include "core/text/word.h"
#include "core/watch.h"
#include "data/data.h"
#include "mpi/real.h"
#include "mpi/remote/remote.h"
#include "nets/external/external.h"
#include "nets/nets.h"
#include "plan/machine/batch_system.h"
#include "plan/resolve/remarks.h"
#include "record/environ.h"
#include "record/trace/trace.h"
#include "runner/estimate/estimate.h"
#include "runner/launch/launch.h"
#include "runner/signals.h"
#include "runner/single_run/handler_watch.h"
#include "runner/single_run/trained.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Gradients of a timing-only run, which are too fast to look at the clock at each. */
enum { TICK_GRADIENTS = 1024 };

/* Seconds between two ticks. */
static const double tick_s = 0.2;

struct ticker {                 /* a hook that tells how far the run is */
	struct hook hook;
	const struct run_context *context;
	const struct run *run;
	double last;            /* of the wall clock */
};

static void ticker_event(struct hook *h, const struct event *ev)
{
	struct ticker *t = (struct ticker *)h;
	const struct run *run = t->run;
	double now, spent = 0;

	if (!run->pool && ev->gradients % TICK_GRADIENTS)
		return;
	now = clock_s();
	if (now - t->last < tick_s)
		return;
	t->last = now;
	if (run->epochs > 0)    /* the bound that is nearest decides */
		spent = fmax(spent, ev->epoch / run->epochs);
	if (run->seconds > 0)
		spent = fmax(spent, ev->time / run->seconds);
	if (run->gradients > 0)
		spent = fmax(spent, (double)ev->gradients / (double)run->gradients);
	t->context->tick(t->context->ctx, fmin(spent, 1), (double)ev->gradients);
}

/* "": nothing is. */
static const char *computed_in(const struct setup *su)
{
	if (!setup_needs_data(su))
		return "";
	return settings_choice("precision", (int)su->backend_conf.precision);
}

static struct recorder *open_recorder(const struct setup *su, const struct run_context *t,
				      const struct run *run)
{
	scoped_json cJSON *settings = setup_settings_json(su);
	char *spec = json_format(settings, false), key[17];
	size_t nassumed;
	struct setting *assumed = assumed_settings(su, &nassumed);
	struct record_info info = {
		.experiment = t->experiment, .scale = t->scale, .hash = su->hash,
		.spec = spec, .settings = su->canonical, .nsettings = su->ncanonical,
		.assumed = assumed, .nassumed = nassumed,
		.ranks = real_size() > 1 ? real_size() : 1,
		.macs = su->model.macs, .window = su->model.window, .peak = su->peak,
		.computed_in = computed_in(su),
		.train_every = su->in.train_every, .time_from = su->in.time_from,
		.synced_later = t->synced_later, .saved_late = su->in.timing,
		.test_samples = su->in.eval_samples, .keep_model = su->in.keep_model,
		.stat_batches = (int)su->in.stat_batches,
		.training = run->pool && training_key(su, key) ? key : NULL,
		.figures = t->figures, .mark = t->mark, .baseline_s = t->baseline_s,
	};
	struct recorder *r = t->figures || result_check_replaces(t->path) == 0
				     ? recorder_open(t->path, &info, run) : NULL;

	free(assumed);
	free(spec);
	return r;
}

struct watchers {               /* of one run, on the first rank */
	struct recorder *recorder;
	struct tracer *tracer;  /* NULL: no trace */
	struct ticker ticker;
	struct divergence_check *divergence;    /* NULL: timing only */
};

static void add_hook(struct run *run, struct hook *h)
{
	h->next = run->hooks;
	run->hooks = h;
}

/* True when what was asked for watches the run. */
static bool open_watchers(struct watchers *w, const struct setup *su, const struct run_context *t,
			  struct run *run)
{
	const struct trace_info info = { .hash = su->hash, .settings = su->canonical,
					 .nsettings = su->ncanonical, .net = su->model.digest,
					 .changed = setup_former(su) != NULL,
					 .computed_in = computed_in(su) };

	*w = (struct watchers){
		.recorder = open_recorder(su, t, run),
		.ticker = { .hook = { .mask = 1u << EV_GRAD, .event = ticker_event },
			    .context = t, .run = run, .last = clock_s() },
	};
	if (w->recorder && t->trace)
		w->tracer = tracer_open(t->trace, &info, run);
	if (!w->recorder || (t->trace && !w->tracer))
		return false;
	add_hook(run, recorder_hook(w->recorder));
	if (w->tracer)
		add_hook(run, tracer_hook(w->tracer));
	if (t->tick)
		add_hook(run, &w->ticker.hook);
	if (run->pool || run->learnt) {
		w->divergence = divergence_check_new();
		add_hook(run, divergence_check_hook(w->divergence));
	}
	return true;
}

/* result NULL: the run failed. 0, or -1 when a file cannot be written. */
static int close_watchers(struct watchers *w, const struct setup *su,
			  const struct run_context *t, const struct run_result *result)
{
	int rc = w->recorder ? recorder_close(w->recorder, result) : 0;

	if (w->tracer && tracer_close(w->tracer, result) < 0)
		rc = -1;
	if (w->divergence && result && result->end != END_INTERRUPTED &&
	    result->end != END_STALLED && !(result->end == END_DIVERGED && t->unjudged))
		divergence_check_judge(w->divergence, su, result);
	free(w->divergence);
	return rc;
}

/* run_one(), which a handler of a user's algorithm cannot hold up after a signal. */
static int run_one_watched(const struct setup *su, const struct run_context *t,
			   const struct run *run, struct recorder *r, struct run_result *result)
{
	struct handler_watch *watch = handler_watch_begin(run, t, r);
	const int rc = run_one(su, t, run, r, result);

	handler_watch_end(watch);
	return rc;
}

/* On ranks but the first, which watch nothing: hooks are the first one's. */
static enum run_end simrun_follow(const struct setup *su, const struct run_context *t,
				  struct run *run)
{
	struct run_result result;

	if (real_agree(EXIT_OK) != EXIT_OK || run_one_watched(su, t, run, NULL, &result) < 0)
		return RUN_END_FAILED;
	if (result.end == END_STALLED)
		return RUN_END_FAILED;
	return result.end == END_INTERRUPTED ? RUN_END_INTERRUPTED : RUN_END_DONE;
}

static enum run_end simrun_watched(const struct setup *su, const struct run_context *t,
				   struct run *run)
{
	const bool real = su->in.engine == ENGINE_MPI;
	struct watchers watchers;
	struct run_result result;
	bool failed, ready;

	if (real && real_rank() > 0)
		return simrun_follow(su, t, run);
	mem_huge_pages(run_is_long(run));
	ready = open_watchers(&watchers, su, t, run);
	if (real)
		ready = real_agree(ready ? EXIT_OK : EXIT_BAD) == EXIT_OK && ready;
	if (!ready) {
		close_watchers(&watchers, su, t, NULL);
		return RUN_END_FAILED;
	}
	failed = run_one_watched(su, t, run, watchers.recorder, &result) < 0;
	if (failed && su->model.external && !real && recorder_cut(watchers.recorder) == 0 &&
	    !signal_caught)
		note("what was reached is in %s.part", t->path);
	if (run->learnt)
		result.model = run->learnt->model;
	if (close_watchers(&watchers, su, t, failed ? NULL : &result) < 0 || failed)
		return failed && external_code_failed() && signal_caught ? RUN_END_INTERRUPTED
									 : RUN_END_FAILED;
	if (result.end == END_INTERRUPTED)
		return RUN_END_INTERRUPTED;
	if (result.end != END_STALLED) {
		run_one_done(su, t, &result);
		trained_add(su, t, run, &result);
		return RUN_END_DONE;
	}
	error("stalled after %g s and %lld gradient%s: %s%s%s", result.time,
	      (long long)result.gradients, word_plural((double)result.gradients),
	      result.fault[0] ? result.fault : "nothing was left to happen",
	      result.waits[0] ? "; " : "", result.waits);
	return RUN_END_FAILED;
}

/* Runs with everything prepared but the hooks, and what measures. */
static enum run_end run_recorded(const struct setup *su, const struct run_context *t,
				 struct run *run)
{
	enum run_end end;

	run->watch = watch_new((enum watch_level)su->in.measures, run);
	end = simrun_watched(su, t, run);
	watch_free(run->watch);
	run->watch = NULL;
	return end;
}

/* ---- ranks that share the gradients of a simulated run ---- */

int simranks_check(const struct setup *su, int64_t asked)
{
	const int started = real_size();
	char *lines = started > 1 ? setup_identity(su) : xstrdup("");
	const int same = world_check_same(lines, ALL_ALIKE);

	free(lines);
	if (same < 0)
		return -1;
	if (asked > 1 && !real_version())
		return error("sim_ranks = %d: %s", (int)asked, real_missing());
	if (world_check_asked(asked) < 0)
		return -1;
	if (su->in.timing && (asked > 1 || started > 1))
		return error("sim_ranks: ranks compute gradients, and a timing-only run has none; "
			     "leave out --timing, or the ranks");
	return 0;
}

int simranks_threads(int64_t asked)
{
	const int own = batch_threads(asked, 0);
	const int cores = own ? own : cores_allowed(), quota = cores_quota();
	const int all = cores_online() < quota ? cores_online() : quota;
	const int part = own || real_size() < 2 ? cores : all / real_ranks_here();

	return part < 1 ? 1 : part < cores ? part : cores;
}

/*
 * go() with a pool whose jobs all ranks compute; on ranks but the first the computing alone. With
 * engine mpi, and in a process alone, go() as it is.
 */
static enum run_end simranks_go(run_engine *go, const struct setup *su, const struct run_context *t,
				struct run *run)
{
	struct remote *others;
	enum run_end end;

	if (su->in.engine == ENGINE_MPI || real_size() < 2)
		return go(su, t, run);
	if (!remote_possible()) {
		error("this MPI does not let another thread than the first speak to other ranks");
		return RUN_END_BROKEN;
	}
	if (real_rank() > 0)
		return remote_serve(run->pool) < 0 ? RUN_END_FAILED : RUN_END_DONE;
	others = remote_open(run->pool);
	if (!others)
		return RUN_END_BROKEN;
	end = go(su, t, run);
	remote_close(others);
	return end;
}

/* ---- problem, pool and first model ---- */

struct problem *setup_problem(const struct setup *su, const struct dataset *data)
{
	const struct problem_type *type = (const struct problem_type *)su->model.analytic.plugin;
	struct problem *problem;

	if (type)
		return type->open(su->model.analytic.conf);
	if (su->model.external)
		return external_open(su->in.net);
	problem = problem_net(su->in.net, su->backend, &su->backend_conf, data);
	if (problem)
		problem->accumulate = (int)su->in.accumulate;
	return problem;
}

/* *p <- the samples of each worker: by the net's own optima, or by the setting partition. */
static int setup_parts(const struct setup *su, const struct dataset *data, struct partition *p)
{
	const struct problem_type *type = (const struct problem_type *)su->model.analytic.plugin;
	const int workers = (int)su->num.workers;
	int ret;

	if (!type || !type->parts)
		return partition_open(p, &su->partition, data, workers, (uint64_t)su->in.seed);
	*p = (struct partition){ xcalloc((size_t)workers, sizeof(*p->part)), NULL };
	ret = type->parts(su->model.analytic.conf, workers, p->part);
	if (ret > 0)
		partition_release(p);
	return ret < 0 ? -1 : 0;
}

int setup_data(const struct setup *su, struct dataset **data)
{
	const struct dataset *ds = *data = setup_needs_data(su) ? dataset_open(&su->data) : NULL;
	scoped char *line = NULL;

	if (real_agree(ds || !setup_needs_data(su) ? EXIT_OK : EXIT_BAD) != EXIT_OK)
		return -1;
	if (!ds)
		return 0;
	line = xasprintf("%016" PRIx64 " %" PRId64 " %" PRId64 "\tthe data set %s, of %" PRId64
			 " + %" PRId64 " samples with digest %016" PRIx64 "\n", ds->digest,
			 ds->n[SPLIT_TRAIN], ds->n[SPLIT_TEST], ds->type->plugin.name,
			 ds->n[SPLIT_TRAIN], ds->n[SPLIT_TEST], ds->digest);
	return world_check_same(line, ALL_ALIKE);
}

struct pool *setup_pool(const struct setup *su, struct problem *problem,
			const struct sampler *sampler, int threads)
{
	const int own = (int)su->in.compute_threads;
	struct pool *pool = NULL;

	if (problem && setup_check_samples(su, sampler->samples) == 0)
		pool = pool_threads(problem, sampler, own ? own : threads);
	if (real_agree(pool ? EXIT_OK : EXIT_BAD) == EXIT_OK)
		return pool;
	pool_free(pool);
	return NULL;
}

/*
 * False, after error() on one rank, if the processes of a user's problem on all ranks do not
 * compute the same function from the same first model. problem: NULL after error().
 */
static bool ranks_check_problem(const struct setup *su, const struct problem *problem,
				uint64_t seed)
{
	uint64_t part[EXTERNAL_PARTS];
	int code = EXIT_BAD, ret;
	scoped char *lines = NULL;

	if (!su->model.external || real_size() < 2)
		return true;
	if (problem && external_identity(problem, seed, part) == 0)
		code = EXIT_OK;
	if (real_agree(code) != EXIT_OK)
		return false;
	lines = xstrdup("");
	for (int i = 0; i < EXTERNAL_PARTS; i++)
		xappendf(&lines, "", "%016" PRIx64 "\t%s\n", part[i],
			 external_part_text((enum external_part)i));
	ret = world_check_same(lines, "");
	return ret == 0;
}

/*
 * Process 0 decides for all what bf16 is computed in: as its checkpoint was, else by its processor.
 * 0, or error() on all where one of them cannot.
 */
static int decide_precision(struct setup *su, const struct run_context *t)
{
	struct backend_conf *conf = &su->backend_conf;
	const char *why;
	int saved;

	if (conf->precision == PRECISION_F32 || conf->decided || !setup_needs_data(su))
		return 0;
	saved = real_rank() > 0 ? -1 : run_one_saved_in(su, t);
	if (t->noted)
		context_mute();
	conf->precision = saved < 0 ? su->backend->precision(conf->precision)
				    : (enum precision)saved;
	if (t->noted)
		context_unmute();
	real_share(&conf->precision, sizeof(conf->precision));
	conf->decided = true;
	why = su->backend->cannot(conf->precision);
	if (why)
		error("%s in %s, and this process cannot: %s. Change that%s.",
		      real_rank() > 0 ? "rank 0 computes" : "the checkpoint was computed",
		      computed_in(su), why,
		      real_rank() > 0 ? "" : ", or start without --resume");
	return real_agree(why ? EXIT_BAD : EXIT_OK) == EXIT_OK ? 0 : -1;
}

static enum run_end simrun_learn(const struct setup *su, const struct dataset *data,
				 const struct run_context *t, struct run *run, run_engine *go)
{
	scoped_by(partition_release) struct partition parts;
	const int parted = setup_parts(su, data, &parts);
	struct problem *problem = parted < 0 ? NULL : setup_problem(su, data);
	struct sampler sampler = { .seed = run->seed, .workers = run->workers,
				   .size = run->batch, .slice = run->slice, .part = parts.part,
				   .order = parts.order };
	enum run_end end = RUN_END_FAILED;
	bool broken;
	/* a first model other than by the seed */
	const bool asked = su->in.init && strcmp(su->in.init, "seed") != 0;

	environ_set_external(external_versions());
	if (problem) {
		sampler.samples = run->samples = problem->n[SPLIT_TRAIN];
		sampler.streams = problem->streams;
		run->dim = problem->dim;
		run->carry = problem->carry;
	}
	if (ranks_check_problem(su, problem, run->seed))
		run->pool = setup_pool(su, problem, &sampler, t->threads);
	run->lr.epochs = run_length(run);
	if (run->pool && asked)
		run->start = setup_start(su);
	if (run->pool && (run->start || !asked))
		end = simranks_go(go, su, t, run);
	/* What the user's code did wrong is no failure of the machine. */
	broken = problem && problem->ops->failed && problem->ops->failed(problem);
	if (end == RUN_END_FAILED && !external_code_failed() && (broken || real_alone()))
		end = RUN_END_BROKEN;
	free((float *)(uintptr_t)run->start);
	pool_free(run->pool);
	if (problem)
		problem->ops->close(problem);
	return end;
}

int run_end_code(enum run_end end)
{
	switch (end) {
	case RUN_END_BROKEN:
		return EXIT_DIE;
	case RUN_END_FAILED:
		return EXIT_BAD;
	case RUN_END_INTERRUPTED:
		return signal_caught ? signals_exit_code() : EXIT_SIGINT;
	default:
		return EXIT_OK;
	}
}

enum run_end simrun_by(run_engine *go, const struct setup *su, const struct dataset *data,
			const struct run_context *t)
{
	struct run run = setup_run(su);
	struct setup decided = *su;

	run.interrupted = t->interrupted;
	if (su->in.engine == ENGINE_SIM &&
	    (estimate_check_memory(su, t->threads) < 0 ||
	     (t->trace && estimate_check_trace(&run) < 0)))
		return RUN_END_FAILED;
	if (su->in.engine == ENGINE_MPI && !su->in.timing &&
	    estimate_check_ranks(su) < 0)
		return RUN_END_FAILED;
	if (decide_precision(&decided, t) < 0)
		return RUN_END_FAILED;
	if (!su->in.timing)
		return simrun_learn(&decided, data, t, &run, go);
	run.lr.epochs = run_length(&run);
	return go(su, t, &run);
}

struct run simrun_shape(const struct setup *su, const struct run_context *t, size_t dim,
			int64_t samples)
{
	struct run run = setup_run(su);

	run.interrupted = t->interrupted;
	run.dim = dim;
	run.samples = samples;
	run.lr.epochs = run_length(&run);
	return run;
}

/* Without gradients: all that the run learns is there. */
static enum run_end simrun_shown(const struct setup *su, const struct run_context *t,
				 struct learnt *learnt)
{
	struct run run = simrun_shape(su, t, learnt->dim, learnt->samples);

	run.learnt = learnt;
	return run_recorded(su, t, &run);
}

enum run_end simrun(const struct setup *su, const struct dataset *data, const struct run_context *t)
{
	struct learnt *learnt = trained_find(su, data, t);
	enum run_end end;

	if (!learnt)
		return simrun_by(run_recorded, su, data, t);
	end = simrun_shown(su, t, learnt);
	learnt_free(learnt);
	return end;
}
