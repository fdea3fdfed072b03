/* Writes the HDF5 result file of a run, group by group. Functions return 0 if all is written. */
#include "record/recorder_file.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/learnt.h"
#include "record/environ.h"
#include "record/environ_file.h"
#include "record/h5.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes the group `name`: a text attribute for each of s[n]. */
static int put_texts(hid_t file, const char *name, const struct setting *s, size_t n)
{
	hid_t group = h5_group(file, name);
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		rc |= h5_put_text(group, s[i].key, s[i].value);
	H5Gclose(group);
	return rc;
}

static int put_head(const struct recorder *r, hid_t file)
{
	int rc = h5_put_text(file, "format", LAYOUT_FORMAT) |
		 h5_put_whole(file, "layout_version", LAYOUT_VERSION) |
		 h5_put_text(file, "experiment", r->info.experiment) |
		 h5_put_text(file, "scale", r->info.scale) |
		 h5_put_text(file, "hash", r->info.hash) |
		 h5_put_long_text(file, "spec", r->info.spec);

	return rc | put_texts(file, "settings", r->settings, r->info.nsettings) |
	       put_texts(file, "assumed", r->assumed, r->info.nassumed);
}

static int put_environment(const struct recorder *r, hid_t file, const struct run_result *result)
{
	static const struct run_result none;
	const struct run_result *times = result ? result : &none;       /* real seconds */
	hid_t group = h5_group(file, "environment");
	char ended[32] = "";
	int rc;

	if (result)
		environ_clock(ended);
	rc = h5_put_text(group, "command", r->command) |
	     h5_put_text(group, "started", r->started) | h5_put_text(group, "ended", ended) |
	     h5_put_text(group, "computed_in", r->info.computed_in) |
	     h5_put_whole(group, "ranks", r->info.ranks) |
	     h5_put_whole(group, "threads", r->run->pool ? r->run->pool->width : 0) |
	     h5_put_real(group, "wall_s", clock_s() - r->began) |
	     h5_put_real(group, "loop_s", times->loop_s) |
	     h5_put_real(group, "handler_s", times->handler_s) |
	     h5_put_real(group, "pool_s", times->pool_s) |
	     h5_put_real(group, "data_s", times->data_s) |
	     h5_put_real(group, "eval_s", r->eval_s) |
	     h5_put_real(group, "gradient_wall_s",
			 r->run->pool ? pool_gradient_s(r->run->pool) : (double)NAN) |
	     h5_put_column(group, &r->wall[WALL_TRAIN]) |
	     h5_put_column(group, &r->wall[WALL_EVAL]) | environ_write(group);
	if (!result)            /* the run goes on, in this process */
		rc |= h5_put_whole(group, "pid", getpid());
	H5Gclose(group);
	return rc;
}

/* Writes the group `name`: a data set for each of c[n]. */
static int put_columns(hid_t file, const char *name, const struct column *c, size_t n)
{
	hid_t group = h5_group(file, name);
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		rc |= h5_put_column(group, &c[i]);
	H5Gclose(group);
	return rc;
}

/* Writes how often each staleness and each gap occurred. */
static int put_tallies(const struct recorder *r, hid_t file)
{
	struct column staleness[] = { { .name = "value", .integer = true },
				      { .name = "count", .integer = true } };
	struct column gaps[] = { { .name = layout_gap[GAP_AT_LEAST].name },
				 { .name = layout_gap[GAP_COUNT].name, .integer = true } };
	int rc;

	tally_columns(&r->staleness, &staleness[0], &staleness[1]);
	record_gaps(r, &gaps[0], &gaps[1]);
	rc = put_columns(file, "staleness", staleness, 2) | put_columns(file, "gap", gaps, 2);
	for (int i = 0; i < 2; i++) {
		column_release(&staleness[i]);
		column_release(&gaps[i]);
	}
	return rc;
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

static int put_outcome(const struct recorder *r, hid_t group, const struct run_result *result)
{
	const int64_t tested = record_tested(r);
	const struct record_totals totals = record_totals(r);
	const struct ledger *t = &r->total;
	char *remark = record_remark(r, result), digest[17] = "";
	int rc;

	/* a text, for some readers of HDF5 have no unsigned 64-bit numbers; "": no model */
	if (result->model)
		snprintf(digest, sizeof(digest), "%016" PRIx64, result->model);
	rc = h5_put_text(group, "end", end_reason_name[result->end]) |
	     h5_put_real(group, "time_s", result->time) |
	     h5_put_real(group, "epochs", result->epochs) |
	     h5_put_real(group, "time_per_epoch_s", record_time_per_epoch(r, result)) |
	     (remark ? h5_put_text(group, "remark", remark) : 0) |
	     (r->run->learnt ? h5_put_text(group, "trained_by", r->run->learnt->by) : 0) |
	     h5_put_whole(group, "gradients", result->gradients) |
	     h5_put_text(group, "model", digest) | h5_put_whole(group, "events", result->events) |
	     h5_put_real(group, "wait_share", record_ratio(fmax(t->wait, 0.0),
							   t->compute + t->comm + t->wait)) |
	     h5_put_whole(group, "bytes_sent", t->bytes_sent) |
	     h5_put_real(group, "staleness_mean",
			 record_ratio(r->staleness.sum, (double)r->staleness.total)) |
	     h5_put_real(group, "staleness_max", totals.staleness_max) |
	     h5_put_real(group, "global_staleness_mean", totals.global_staleness_mean) |
	     h5_put_real(group, "global_staleness_max", totals.global_staleness_max) |
	     h5_put_real(group, "gap_mean", totals.gap_mean) |
	     h5_put_real(group, "gap_max", totals.gap_max) |
	     h5_put_real(group, "norm_mean", totals.norm_mean) |
	     h5_put_real(group, "momentum_mean", totals.momentum_mean) |
	     h5_put_real(group, "momentum_published_mean", totals.momentum_published_mean) |
	     h5_put_real(group, "staleness_head_max", totals.staleness_head_max) |
	     h5_put_real(group, "spread", column_final(&r->eval[EVAL_SPREAD])) |
	     h5_put_real(group, "fairness", totals.fairness) |
	     h5_put_whole(group, "dropped", t->dropped) |
	     h5_put_real(group, "train_loss", column_final(&r->eval[EVAL_TRAIN_LOSS])) |
	     h5_put_real(group, "test_loss", column_final(&r->eval[EVAL_TEST_LOSS])) |
	     h5_put_real(group, "test_accuracy", column_final(&r->eval[EVAL_TEST_ACCURACY]));
	free(remark);
	if (tested > 0)
		rc |= h5_put_whole(group, "test_samples", tested);
	if (result->end == END_STALLED)
		rc |= h5_put_text(group, "fault", result->fault) |
		      h5_put_text(group, "waits", result->waits);
	return rc;
}

static double positive_or_nan(double x)
{
	return x > 0.0 ? x : (double)NAN;
}

/* Only for a simulated run that lost workers, or saved checkpoints to go back to. */
static int put_goodput(const struct run_goodput *g, hid_t group)
{
	if (!(g->goodput > 0.0))
		return 0;
	return h5_put_real(group, "goodput", g->goodput) |
	       h5_put_whole(group, "failures", g->failures) |
	       h5_put_whole(group, "checkpoints", g->saves) |
	       h5_put_real(group, "checkpoint_s", g->save_s) |
	       h5_put_real(group, "lost_s", g->lost_s) | h5_put_real(group, "down_s", g->down_s) |
	       h5_put_real(group, "young_s", positive_or_nan(g->young_s)) |
	       h5_put_real(group, "daly_s", positive_or_nan(g->daly_s)) |
	       h5_put_real(group, "goodput_expected", positive_or_nan(g->expected));
}

static int put_summary(const struct recorder *r, hid_t file, const struct run_result *result,
		       const char *status)
{
	const struct pool *pool = r->run->pool;
	const struct learnt *learnt = r->run->learnt;
	hid_t group = h5_group(file, "summary");
	int rc = h5_put_text(group, "status", status) |
		 h5_put_text(group, "algo", r->run->algo->plugin.name) |
		 h5_put_whole(group, "workers", r->run->workers) |
		 h5_put_whole(group, "seed", (int64_t)r->run->seed) |
		 h5_put_whole(group, "dim", (int64_t)r->run->dim) |
		 h5_put_whole(group, "macs", r->info.macs) |
		 h5_put_whole(group, "batch", (int64_t)r->run->batch) |
		 h5_put_whole(group, "samples", r->run->samples);

	if (pool ? pool->problem->tokens : learnt && learnt->tokens)    /* samples are windows */
		rc |= h5_put_whole(group, "tokens", 1);
	if (r->info.window > 0)
		rc |= h5_put_whole(group, "window", r->info.window);
	if (r->info.peak > 0.0)
		rc |= h5_put_real(group, "peak_flops", r->info.peak);
	if (result)
		rc |= put_outcome(r, group, result) | put_goodput(&result->goodput, group);
	else
		rc |= h5_put_real(group, "time_per_epoch_s", record_time_per_epoch(r, NULL));
	H5Gclose(group);
	return rc;
}

int record_save(const struct recorder *r, const char *path, const struct run_result *result,
		const char *status)
{
	const int dim = (int)r->run->dim;
	hid_t file = h5_create(NULL);

	/* a model only if the recorder keeps it, faults only if there were some, and the samples
	 * that are correct only at the end */
	if (file >= 0 && !put_head(r, file) && !put_environment(r, file, result) &&
	    !put_columns(file, "train", r->train, TRAIN_COLUMNS) &&
	    !put_columns(file, "eval", r->eval, (size_t)r->evals) &&
	    !put_columns(file, "nodes", r->nodes, NODE_COLUMNS) && !put_tallies(r, file) &&
	    !(r->model && h5_put_floats(file, "model", 1, &dim, r->model)) &&
	    !(result && strcmp(status, STATUS_DIVERGED) != 0 && correct_put(&r->correct, file)) &&
	    !(r->faults[FAULT_TIME].n && put_columns(file, "faults", r->faults, FAULT_COLUMNS)) &&
	    !put_summary(r, file, result, status) && !learnt_put(r, file, result))
		return h5_save(file, path, result && !r->info.synced_later);
	H5Fclose(file);
	return error("cannot write '%s': HDF5 failed", path);
}
