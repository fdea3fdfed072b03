/* `convoy replay`: a recorded run again, alone. */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "cmd/common.h"
#include "cmd/opts.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/members.h"
#include "core/math/vec.h"
#include "data/data.h"
#include "nets/external/external.h"
#include "record/trace/trace.h"
#include "runner/progress.h"
#include "runner/signals.h"
#include "runner/single_run/handler_watch.h"
#include "runner/single_run/simrun.h"
#include "runner/single_run/single.h"
#include "sim/replay/replay.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct replay_conf {
	int64_t threads;
	bool json, quiet;
};

static const struct opt replay_opts[] = {
	ALL_THREADS_OPT(struct replay_conf),
	OPT_FLAG(struct replay_conf, json, "what came of it as one JSON object on stdout"),
	QUIET_OPT(struct replay_conf),
	{ 0 }
};

static const char replay_about[] =
	"Runs again, in one process, what 'convoy sim' or 'convoy train' recorded with --trace:\n"
	"every node handles the same events in the same order, and the model comes out the same,\n"
	"bit for bit. Exits with 1 when it does not. If more than two real ranks added with\n"
	"--allreduce whole, models agree to rounding only: MPI chooses in which order it adds.\n"
	"\n"
	"Examples:\n"
	"  convoy train -n 5 --algo asgd --net lenet --lr 0.002 --trace run.trace.h5\n"
	"  convoy replay run.trace.h5";

/* Rounding of sums makes no larger difference, relative to the model. */
static const double rounding = 1e-3;

struct replay_job {             /* a replay */
	struct trace *trace;
	struct replay_event *event;     /* [n] */
	size_t n;
	struct replay_result result;
	struct hook hook;
	struct progress progress;
};

/* ---- from the file to a run ---- */

/* Settings that decide what is computed; the order of events decides the rest. */
static const char *const used[] = {
	"algo", "graph", "workers", "batch", "accumulate", "net", "data", "backend", "precision",
	"lowering", "partitions", "fusion", "seed", "epochs", "seconds", "gradients", "lr",
	"lr_scaling", "lr_batch", "schedule", "warmup", "warmup_from", "optim", "codec", "shares",
};

static int other_net(const struct trace *t, const struct setup *su)
{
	return error("'%s': net '%s' is not what it was when this was recorded", t->path,
		     su->in.net);
}

/* Compares the digest of a net that is code before setup_resolve() may start it. 0 or error(). */
static int check_code(const struct trace *t, struct setup *su)
{
	struct model m;
	int ret;

	if (!su->in.net)
		return error("'%s' is damaged: it does not name its net", t->path);
	if (!external_chosen(su->in.net))
		return 0;
	ret = model_identify(&m, su->in.net);
	if (ret == 0 && m.digest != t->net)
		ret = other_net(t, su);
	model_release(&m);
	/* Times are those of the trace, whatever a gradient takes. */
	return ret < 0 ? ret : settings_set(&su->in, "compute_s", "1", t->path);
}

/* Resolves the settings of the trace, and looks whether it can be repeated. 0 or error(). */
static int replay_resolve(const struct trace *t, struct setup *su)
{
	const char *faults = trace_setting(t, "faults"), *why = NULL;
	const struct algo *algo;
	struct backend_conf *conf = &su->backend_conf;

	for (size_t i = 0; i < sizeof(used) / sizeof(used[0]); i++) {
		const char *value = trace_setting(t, used[i]);

		if (value && strcmp(value, "none") != 0 &&
		    settings_set(&su->in, used[i], value, t->path) < 0)
			return -1;
	}
	if (check_code(t, su) < 0 || setup_resolve(su) < 0)
		return -1;
	if (faults && strcmp(faults, "none") != 0)
		return error("'%s': workers that were away cannot be replayed (faults = %s): "
			     "'convoy sim' with the same settings runs it again", t->path, faults);
	if (setup_former(su) && !t->changed)
		return error("'%s' was recorded with %s, and cannot be replayed any more. Record "
			     "the run again", t->path, setup_former(su));
	if (su->model.digest != t->net)
		return other_net(t, su);
	algo = setup_algo(su);
	if (su->num.workers != t->workers || t->nodes != t->workers + (algo->server != NULL))
		return error("'%s' is damaged: %s with %d workers has no %d nodes", t->path,
			     algo->plugin.name, (int)su->num.workers, t->nodes);
	/* another arithmetic gives another model; older files do not say which it was */
	if (conf->precision != PRECISION_F32 && t->computed_in && *t->computed_in) {
		conf->precision = strcmp(t->computed_in, "bf16") == 0 ? PRECISION_BF16
								      : PRECISION_F32;
		conf->decided = true;
		why = su->backend->cannot(conf->precision);
	}
	return why ? error("'%s' was computed in %s, and this process cannot: %s", t->path,
			   t->computed_in, why) : 0;
}

/* The handlers; the loss of a gradient stands in a row of its own before. */
static void find_events(struct replay_job *job)
{
	const struct trace *t = job->trace;
	const char *engine = trace_setting(t, "engine"), *update = trace_setting(t, "update_s");
	const char *shards = trace_setting(t, "shards");
	/* node_now() advances by steps of the simulated server alone. */
	const double step_s = engine && strcmp(engine, "sim") == 0 && update
		? strtod(update, NULL) / (shards ? strtod(shards, NULL) : 1.0) : 0.0;
	scoped double *loss = xcalloc((size_t)t->nodes, sizeof(*loss));

	job->event = xcalloc(t->n + 1, sizeof(*job->event));
	for (size_t i = 0; i < t->n; i++) {
		const struct trace_row *row = &t->row[i];
		const int location = row->rank == SERVER ? t->workers : row->rank;

		if (row->kind == TRACE_COMPUTED)
			loss[location] = row->loss;
		if (!trace_is_handler(row->kind))
			continue;
		job->event[job->n++] = (struct replay_event){
			.handler = trace_handler(row->kind), .rank = row->rank,
			.peer = row->peer, .time = row->time,
			.step_s = row->seconds > 0.0 ? step_s : 0.0,
			.gradients = row->gradients, .loss = loss[location],
		};
	}
}

/* ---- the replay ---- */

static void replay_progress(struct hook *h, const struct event *ev)
{
	struct replay_job *job = (struct replay_job *)(void *)((char *)h -
							       offsetof(struct replay_job, hook));

	progress_show(&job->progress, 0,
		      (double)ev->gradients / fmax((double)job->trace->gradients, 1.0),
		      (double)ev->gradients);
}

/* True when real ranks added so. */
static bool is_allreduced_by(const struct trace *t, const char *allreduce)
{
	const char *engine = trace_setting(t, "engine"), *how = trace_setting(t, "allreduce");

	return engine && strcmp(engine, "mpi") == 0 && how && strcmp(how, allreduce) == 0;
}

static enum run_end replay_go(const struct setup *su, const struct run_context *context,
			      struct run *run)
{
	struct replay_job *job = context->ctx;
	struct handler_watch *watch = handler_watch_begin(run, context, NULL);
	int rc;

	(void)su;
	job->hook = (struct hook){ .mask = 1u << EV_GRAD, .event = replay_progress };
	run->hooks = &job->hook;
	rc = replay_run(run, job->event, job->n, is_allreduced_by(job->trace, "ring"),
			&job->result);
	handler_watch_end(watch);
	return rc < 0 ? RUN_END_FAILED : rc ? RUN_END_INTERRUPTED : RUN_END_DONE;
}

static enum run_end replay(struct replay_job *job, const struct setup *su,
			   const struct replay_conf *c)
{
	const struct run_context context = { .threads = single_threads(c->threads), .ctx = job,
				   .interrupted = &signal_caught };
	struct dataset *data = setup_needs_data(su) ? dataset_open(&su->data) : NULL;
	enum run_end end = RUN_END_FAILED;

	progress_start(&job->progress, 1, c->quiet);
	if (context.threads > 0 && (data || !setup_needs_data(su)))
		end = simrun_by(replay_go, su, data, &context);
	progress_end(&job->progress);
	dataset_close(data);
	if (end < RUN_END_DONE)
		note("'%s' cannot be replayed", job->trace->path);
	return end;
}

/* ---- the result ---- */

/* ||replayed - recorded|| / ||recorded||, NaN where the file has no model. */
static double replay_distance(const struct replay_job *job)
{
	const struct trace *t = job->trace;

	if (!t->x || !job->result.x)
		return (double)NAN;
	return vec_dist(t->dim, job->result.x, t->x) / sqrt(vec_dot(t->dim, t->x, t->x));
}

static void replay_print(const struct replay_job *job, const char *verdict, bool as_json)
{
	const struct trace *t = job->trace;
	const struct replay_result *r = &job->result;
	char recorded[17], replayed[17];

	snprintf(recorded, sizeof(recorded), "%016" PRIx64, t->model);
	snprintf(replayed, sizeof(replayed), "%016" PRIx64, r->model);
	if (as_json) {
		json_print_own(OBJECT(
			j_text("file", t->path), j_text("algo", t->algo),
			j_number("workers", t->workers), j_number("handlers", (double)r->handlers),
			j_number("gradients", (double)r->gradients),
			j_number("steps", (double)r->steps), j_text("recorded", recorded),
			j_text("replayed", replayed), j_text("verdict", verdict),
			j_number("distance", replay_distance(job))));
		return;
	}
	printf("%-17s %s\n", "algo", t->algo);
	printf("%-17s %d\n", "workers", t->workers);
	printf("%-17s %" PRId64 "\n", "handlers", r->handlers);
	printf("%-17s %" PRId64 "\n", "gradients", r->gradients);
	printf("%-17s %" PRId64 "\n", "steps", r->steps);
	printf("%-17s %s\n", "recorded", recorded);
	printf("%-17s %s\n", "replayed", replayed);
	printf("%-17s %s\n", "verdict", verdict);
}

/* Prints the verdict, and on stderr what is not as it was; the exit code. */
static int replay_judge(const struct replay_job *job, bool as_json)
{
	const struct replay_result *r = &job->result;
	const struct trace *t = job->trace;
	const char *verdict = r->model == t->model ? "identical" : "different";
	bool rounds = false;

	/* MPI adds up more than two vectors in an order of its own. */
	if (r->model != t->model && t->workers > 2 && is_allreduced_by(t, "whole"))
		for (size_t i = 0; i < t->n && !rounds; i++)
			rounds = t->row[i].kind == TRACE_ALLREDUCE;
	if (rounds && replay_distance(job) <= rounding)
		verdict = "rounding";
	replay_print(job, verdict, as_json);
	if (!strcmp(verdict, "rounding"))
		note("all-reduces of %d ranks agree to rounding: the models are %.2g apart, "
		     "relative to their size",
		     job->trace->workers, replay_distance(job));
	if (strcmp(verdict, "different") != 0)
		return EXIT_OK;
	if (r->differs)
		note("the first gradient that differs is minibatch %" PRId64 " of worker %d: its "
		     "loss was %.17g and is %.17g", r->differs_index, r->differs->rank,
		     r->differs->loss, r->differs_loss);
	error("the model is not the recorded one%s", r->differs && r->differs_index == 0 ?
	      ": data, net or processor are not what they were" : "");
	return EXIT_BAD;
}

static int replay_file(const struct args *a)
{
	scoped_by(trace_release) struct trace trace;
	struct replay_job job = { .trace = &trace };
	const struct replay_conf *conf = a->conf;
	scoped_by(setup_release) struct setup su;
	enum run_end end;
	int code = EXIT_BAD;

	setup_init(&su);
	if (trace_read(&trace, a->words[0]) < 0)
		;
	else if (!trace.model)
		error("'%s' is of a timing-only run, which has no model to compute again",
		      a->words[0]);
	else if (replay_resolve(&trace, &su) == 0) {
		find_events(&job);
		end = replay(&job, &su, conf);
		code = end == RUN_END_DONE ? replay_judge(&job, conf->json) : run_end_code(end);
	}
	free(job.event);
	free(job.result.x);
	return code;
}

const struct syntax cmd_replay = {
	.opts = replay_opts, .conf_size = sizeof(struct replay_conf), .one = "trace", .code = true,
	.usage = "replay FILE [OPTIONS]",
	.about = replay_about, .run = replay_file,
};
