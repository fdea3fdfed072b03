/* Writes the HDF5 result file of a run, group by group. */
#include "record/recorder_file.h"

#include "core/base/clock.h"
#include "core/learnt.h"
#include "record/environ.h"
#include "record/environ_file.h"
#include "record/mark.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes the group `name`: a text attribute for each of s[n]. */
static void put_texts(struct tree *file, const char *name, const struct setting *s, size_t n)
{
	struct tree *group = tree_add(file, name);

	for (size_t i = 0; i < n; i++)
		tree_put_text(group, s[i].key, s[i].value);
}

static void put_head(const struct recorder *r, struct tree *file)
{
	tree_put_text(file, "format", LAYOUT_FORMAT);
	tree_put_whole(file, "layout_version", LAYOUT_VERSION);
	tree_put_text(file, "experiment", r->info.experiment);
	tree_put_text(file, "scale", r->info.scale);
	tree_put_text(file, "hash", r->info.hash);
	tree_put_long_text(file, "spec", r->info.spec);

	put_texts(file, "settings", r->settings, r->info.nsettings);
	put_texts(file, "assumed", r->assumed, r->info.nassumed);
}

static void put_environment(const struct recorder *r, struct tree *file,
			    const struct run_result *result)
{
	static const struct run_result none;
	const struct run_result *times = result ? result : &none;       /* real seconds */
	struct tree *group = tree_add(file, "environment");
	char ended[32] = "";

	if (result)
		environ_clock(ended);
	tree_put_text(group, "command", r->command);
	tree_put_text(group, "started", r->started);
	tree_put_text(group, "ended", ended);
	tree_put_text(group, "computed_in", r->info.computed_in);
	tree_put_whole(group, "ranks", r->info.ranks);
	tree_put_whole(group, "threads", r->run->pool ? r->run->pool->width : 0);
	tree_put_real(group, "wall_s", clock_s() - r->began);
	tree_put_real(group, "loop_s", times->loop_s);
	tree_put_real(group, "handler_s", times->handler_s);
	tree_put_real(group, "pool_s", times->pool_s);
	tree_put_real(group, "data_s", times->data_s);
	tree_put_real(group, "eval_s", r->eval_s);
	tree_put_real(group, "gradient_wall_s",
		      r->run->pool ? pool_gradient_s(r->run->pool) : (double)NAN);
	tree_put_column(group, &r->wall[WALL_TRAIN]);
	tree_put_column(group, &r->wall[WALL_EVAL]);
	environ_write(group);
	if (!result)            /* the run goes on, in this process */
		tree_put_whole(group, "pid", getpid());
}

/* Writes the group `name`: a data set for each of c[n]. */
static void put_columns(struct tree *file, const char *name, const struct column *c, size_t n)
{
	struct tree *group = tree_add(file, name);

	for (size_t i = 0; i < n; i++)
		tree_put_column(group, &c[i]);
}

/* Writes how often each staleness and each gap occurred. */
static void put_tallies(const struct recorder *r, struct tree *file)
{
	struct column staleness[] = { { .name = "value", .integer = true },
				      { .name = "count", .integer = true } };
	struct column gaps[] = { { .name = layout_gap[GAP_AT_LEAST].name },
				 { .name = layout_gap[GAP_COUNT].name, .integer = true } };
	struct tree *staleness_group = tree_add(file, "staleness"), *gap = tree_add(file, "gap");

	tally_columns(&r->staleness, &staleness[0], &staleness[1]);
	record_gaps(r, &gaps[0], &gaps[1]);
	for (int i = 0; i < 2; i++) {
		tree_take_column(staleness_group, &staleness[i]);
		tree_take_column(gap, &gaps[i]);
	}
}

/* Number of test samples that accuracies are of; 0: there are none. */
static int64_t record_tested(const struct recorder *r)
{
	const int64_t all = r->run->pool ? r->run->pool->problem->n[SPLIT_TEST] : 0;
	const int64_t limit = r->info.test_samples;

	if (isnan(column_final(&r->eval[EVAL_TEST_ACCURACY])))
		return 0;
	return r->run->learnt ? r->run->learnt->tested : limit > 0 && limit < all ? limit : all;
}

/* Jain's index: 1 when all are alike, 1 / n when one has all. NaN when none has any. */
static double updates_fairness(const struct recorder *r)
{
	const int n = r->run->workers;
	double sum = 0.0, squares = 0.0;

	for (int i = 0; i < n; i++) {
		sum += (double)r->updates[i];
		squares += (double)r->updates[i] * (double)r->updates[i];
	}
	return squares > 0.0 ? sum * sum / (n * squares) : (double)NAN;
}

/* Puts figures of the whole run; NaN: not measured. */
static void put_totals(const struct recorder *r, struct tree *group)
{
	const struct seen *of = r->at.whole, *momentum = &of[SEEN_MOMENTUM];
	const struct seen *global = &of[record_is_gossip(r->run) ? SEEN_GLOBAL : SEEN_STALENESS];

	tree_put_real(group, "staleness_mean",
		      record_ratio(r->staleness.sum, (double)r->staleness.total));
	tree_put_real(group, "staleness_max", seen_max(&of[SEEN_STALENESS]));
	tree_put_real(group, "global_staleness_mean", seen_mean(global));
	tree_put_real(group, "global_staleness_max", seen_max(global));
	tree_put_real(group, "gap_mean", seen_mean(&of[SEEN_GAP]));
	tree_put_real(group, "gap_max", seen_max(&of[SEEN_GAP]));
	tree_put_real(group, "norm_mean", seen_mean(&of[SEEN_NORM]));
	/* the last one, which is of all steps */
	tree_put_real(group, "momentum_mean", momentum->n ? momentum->last : (double)NAN);
	tree_put_real(group, "momentum_published_mean", seen_mean(&of[SEEN_PUBLISHED]));
	/* of a head that is served apart */
	tree_put_real(group, "staleness_head_max", seen_max(&of[SEEN_HEAD]));
	tree_put_real(group, "spread", column_final(&r->eval[EVAL_SPREAD]));
	tree_put_real(group, "fairness", updates_fairness(r));
}

static void put_outcome(const struct recorder *r, struct tree *group,
			const struct run_result *result)
{
	const int64_t tested = record_tested(r);
	const struct ledger *t = &r->total;
	char *remark = record_remark(r, result), digest[17] = "";

	/* a text, for some readers of HDF5 have no unsigned 64-bit numbers; "": no model */
	if (result->model)
		snprintf(digest, sizeof(digest), "%016" PRIx64, result->model);
	tree_put_text(group, "end", end_reason_name[result->end]);
	tree_put_real(group, "time_s", result->time);
	tree_put_real(group, "epochs", result->epochs);
	tree_put_real(group, "time_per_epoch_s", record_time_per_epoch(r, result));
	if (remark)
		tree_put_text(group, "remark", remark);
	if (r->run->learnt)
		tree_put_text(group, "trained_by", r->run->learnt->by);
	tree_put_whole(group, "gradients", result->gradients);
	tree_put_text(group, "model", digest);
	tree_put_whole(group, "events", result->events);
	tree_put_real(group, "wait_share", record_wait_share(r, result));
	tree_put_real(group, "after_end_s", record_after_end(r, result));
	tree_put_count(group, "bytes_sent", t->bytes_sent);
	put_totals(r, group);
	tree_put_whole(group, "dropped", t->dropped);
	tree_put_real(group, "train_loss", column_final(&r->eval[EVAL_TRAIN_LOSS]));
	tree_put_real(group, "test_loss", column_final(&r->eval[EVAL_TEST_LOSS]));
	tree_put_real(group, "test_accuracy", column_final(&r->eval[EVAL_TEST_ACCURACY]));
	free(remark);
	if (tested > 0)
		tree_put_whole(group, "test_samples", tested);
	if (result->end == END_STALLED) {
		tree_put_text(group, "fault", result->fault);
		tree_put_text(group, "waits", result->waits);
	}
}

static double positive_or_nan(double x)
{
	return x > 0.0 ? x : (double)NAN;
}

/*
 * Only for a simulated run that lost workers, or saved checkpoints to go back to. Of a run that was
 * down between its failures, a goodput of 0 is known.
 */
static void put_goodput(const struct run_goodput *g, struct tree *group)
{
	if (!(g->goodput > 0.0) && !(g->down_s > 0.0))
		return;
	tree_put_real(group, "goodput", g->goodput);
	tree_put_whole(group, "failures", g->failures);
	tree_put_whole(group, "checkpoints", g->saves);
	tree_put_real(group, "checkpoint_s", g->save_s);
	tree_put_real(group, "lost_s", g->lost_s);
	tree_put_real(group, "down_s", g->down_s);
	tree_put_real(group, "young_s", positive_or_nan(g->young_s));
	tree_put_real(group, "daly_s", positive_or_nan(g->daly_s));
	tree_put_real(group, "goodput_expected",
		      g->young_s > 0.0 ? g->expected : positive_or_nan(g->expected));
}

static void put_summary(const struct recorder *r, struct tree *file,
			const struct run_result *result, const char *status)
{
	const struct pool *pool = r->run->pool;
	const struct learnt *learnt = r->run->learnt;
	struct tree *group = tree_add(file, "summary");
	tree_put_text(group, "status", status);
	tree_put_text(group, "algo", r->run->algo->plugin.name);
	tree_put_whole(group, "workers", r->run->workers);
	tree_put_whole(group, "seed", (int64_t)r->run->seed);
	tree_put_whole(group, "dim", (int64_t)r->run->dim);
	tree_put_whole(group, "macs", r->info.macs);
	tree_put_whole(group, "batch", (int64_t)r->run->batch);
	tree_put_whole(group, "samples", r->run->samples);

	if (pool ? pool->problem->tokens : learnt && learnt->tokens)    /* samples are windows */
		tree_put_whole(group, "tokens", 1);
	if (r->info.window > 0)
		tree_put_whole(group, "window", r->info.window);
	if (r->info.peak > 0.0)
		tree_put_real(group, "peak_flops", r->info.peak);
	if (result)
		put_outcome(r, group, result);
	if (result)
		put_goodput(&result->goodput, group);
	else
		tree_put_real(group, "time_per_epoch_s", record_time_per_epoch(r, NULL));
}

/* Adds what is known of other runs, as result_mark() would. */
static void put_mark(const struct recorder *r, struct tree *file, const struct run_result *result)
{
	const struct record_info *info = &r->info;
	struct result_mark m = *info->mark;

	m.speedup = info->baseline_s / record_time_per_epoch(r, result);
	if (!isfinite(m.speedup))
		m.baseline = NULL;
	mark_put(tree_find(file, "summary"), &m);
}

int record_save(const struct recorder *r, const char *path, const struct run_result *result,
		const char *status)
{
	struct tree *file = tree_new();
	int rc;

	put_head(r, file);
	put_environment(r, file, result);
	put_columns(file, "train", r->train, TRAIN_COLUMNS);
	put_columns(file, "eval", r->eval, (size_t)r->evals);
	put_columns(file, "nodes", r->nodes, NODE_COLUMNS);
	put_tallies(r, file);
	if (r->model)           /* only if the recorder keeps it */
		tree_put_floats(file, "model", r->run->dim, r->model);
	if (result && strcmp(status, STATUS_DIVERGED) != 0)
		correct_put(&r->correct, file);
	if (r->faults[FAULT_TIME].n)
		put_columns(file, "faults", r->faults, FAULT_COLUMNS);
	put_summary(r, file, result, status);
	if (r->info.mark && (!strcmp(status, STATUS_DONE) || !strcmp(status, STATUS_DIVERGED)))
		put_mark(r, file, result);
	learnt_put(r, file, result);
	rc = tree_save(file, path, result && !r->info.synced_later);
	tree_free(file);
	return rc;
}
