/* The file that a recorder writes, group by group. */
#include "record/recorder.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "record/environ.h"
#include "record/h5.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int put_texts(hid_t file, const char *name, const struct setting *s, size_t n)
{
	hid_t group = h5_group(file, name);
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		rc |= h5_put_text(group, s[i].key, s[i].value);
	H5Gclose(group);
	return rc;
}

static int record_file_put_head(const struct recorder *r, hid_t file)
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

static double gradient_s(const struct run *run)
{
	return run->pool ? pool_gradient_s(run->pool) : (double)NAN;
}

static int put_environment(const struct recorder *r, hid_t file, const struct run_result *result)
{
	static const struct run_result none;
	const struct run_result *real = result ? result : &none;
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
	     h5_put_real(group, "loop_s", real->loop_s) |
	     h5_put_real(group, "handler_s", real->handler_s) |
	     h5_put_real(group, "pool_s", real->pool_s) |
	     h5_put_real(group, "data_s", real->data_s) |
	     h5_put_real(group, "eval_s", r->eval_s) |
	     h5_put_real(group, "gradient_wall_s", gradient_s(r->run)) |
	     h5_put_column(group, &r->wall[WALL_TRAIN]) |
	     h5_put_column(group, &r->wall[WALL_EVAL]) | environ_write(group);
	if (!result)
		rc |= h5_put_whole(group, "pid", getpid());
	H5Gclose(group);
	return rc;
}

static int put_columns(hid_t file, const char *name, const struct column *c, size_t n)
{
	hid_t group = h5_group(file, name);
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		rc |= h5_put_column(group, &c[i]);
	H5Gclose(group);
	return rc;
}

static int put_staleness(const struct recorder *r, hid_t file)
{
	struct column c[] = { { .name = "value", .integer = true },
			      { .name = "count", .integer = true } };
	int rc;

	tally_columns(&r->staleness, &c[0], &c[1]);
	rc = put_columns(file, "staleness", c, 2);
	column_release(&c[0]);
	column_release(&c[1]);
	return rc;
}

static int put_gaps(const struct recorder *r, hid_t file)
{
	struct column c[] = { { .name = layout_gap[GAP_AT_LEAST].name },
			      { .name = layout_gap[GAP_COUNT].name, .integer = true } };
	int rc;

	record_gaps(r, &c[0], &c[1]);
	rc = put_columns(file, "gap", c, 2);
	column_release(&c[0]);
	column_release(&c[1]);
	return rc;
}

static double record_file_ratio(double a, double b)
{
	return b > 0 ? a / b : (double)NAN;
}

/* Only of a net of tokens. */
static int put_tokens(const struct recorder *r, hid_t group)
{
	const struct pool *pool = r->run->pool;

	return pool && pool->problem->tokens ? h5_put_whole(group, "tokens", 1) : 0;
}

static int put_run(const struct recorder *r, hid_t group)
{
	return h5_put_text(group, "algo", r->run->algo->plugin.name) |
	       h5_put_whole(group, "workers", r->run->workers) |
	       h5_put_whole(group, "seed", (int64_t)r->run->seed) |
	       h5_put_whole(group, "dim", (int64_t)r->run->dim) |
	       h5_put_whole(group, "macs", r->info.macs) |
	       h5_put_whole(group, "batch", (int64_t)r->run->batch) |
	       h5_put_whole(group, "samples", r->run->samples) | put_tokens(r, group);
}

/* As text: HDF5's readers have signed numbers, or none so long. "" for a run without models. */
static int put_digest(hid_t group, uint64_t model)
{
	char text[17] = "";

	if (model)
		snprintf(text, sizeof(text), "%016" PRIx64, model);
	return h5_put_text(group, "model", text);
}

static int put_totals(const struct recorder *r, hid_t group)
{
	const struct record_totals t = record_totals(r);

	return h5_put_real(group, "staleness_max", t.staleness_max) |
	       h5_put_real(group, "global_staleness_mean", t.global_staleness_mean) |
	       h5_put_real(group, "global_staleness_max", t.global_staleness_max) |
	       h5_put_real(group, "gap_mean", t.gap_mean) |
	       h5_put_real(group, "gap_max", t.gap_max) |
	       h5_put_real(group, "norm_mean", t.norm_mean) |
	       h5_put_real(group, "momentum_mean", t.momentum_mean) |
	       h5_put_real(group, "momentum_published_mean", t.momentum_published_mean) |
	       h5_put_real(group, "staleness_head_max", t.staleness_head_max) |
	       h5_put_real(group, "spread", column_final(&r->eval[EVAL_SPREAD])) |
	       h5_put_real(group, "fairness", t.fairness) |
	       h5_put_whole(group, "dropped", r->total.dropped);
}

/* Only of a run that has one. */
static int put_remark(const struct recorder *r, hid_t group)
{
	char *text = record_remark(r);
	const int rc = text ? h5_put_text(group, "remark", text) : 0;

	free(text);
	return rc;
}

static int put_outcome(const struct recorder *r, hid_t group, const struct run_result *result)
{
	const struct ledger *t = &r->total;

	return h5_put_text(group, "end", end_reason_name[result->end]) |
	       h5_put_real(group, "time_s", result->time) |
	       h5_put_real(group, "epochs", result->epochs) |
	       h5_put_real(group, "time_per_epoch_s", record_time_per_epoch(r, result)) |
	       put_remark(r, group) |
	       h5_put_whole(group, "gradients", result->gradients) |
	       put_digest(group, result->model) | h5_put_whole(group, "events", result->events) |
	       h5_put_real(group, "wait_share",
			   record_file_ratio(fmax(t->wait, 0.0),
					     t->compute + t->comm + t->wait)) |
	       h5_put_whole(group, "bytes_sent", t->bytes_sent) |
	       h5_put_real(group, "staleness_mean",
			   record_file_ratio(r->staleness.sum, (double)r->staleness.total)) |
	       put_totals(r, group) |
	       h5_put_real(group, "train_loss", column_final(&r->eval[EVAL_TRAIN_LOSS])) |
	       h5_put_real(group, "test_loss", column_final(&r->eval[EVAL_TEST_LOSS])) |
	       h5_put_real(group, "test_accuracy", column_final(&r->eval[EVAL_TEST_ACCURACY]));
}

static int put_stall(const struct run_result *result, hid_t group)
{
	if (result->end != END_STALLED)
		return 0;
	return h5_put_text(group, "fault", result->fault) |
	       h5_put_text(group, "waits", result->waits);
}

static double record_file_known(double x)
{
	return x > 0.0 ? x : (double)NAN;
}

/* Only of a simulated run that lost workers, or saved checkpoints to go back to. */
static int put_goodput(const struct run_goodput *g, hid_t group)
{
	if (!(g->goodput > 0.0))
		return 0;
	return h5_put_real(group, "goodput", g->goodput) |
	       h5_put_whole(group, "failures", g->failures) |
	       h5_put_whole(group, "checkpoints", g->saves) |
	       h5_put_real(group, "checkpoint_s", g->save_s) |
	       h5_put_real(group, "lost_s", g->lost_s) | h5_put_real(group, "down_s", g->down_s) |
	       h5_put_real(group, "young_s", record_file_known(g->young_s)) |
	       h5_put_real(group, "daly_s", record_file_known(g->daly_s)) |
	       h5_put_real(group, "goodput_expected", record_file_known(g->expected));
}

/* Only of a run that had some. */
static int put_faults(const struct recorder *r, hid_t file)
{
	return r->faults[FAULT_TIME].n ? put_columns(file, "faults", r->faults, FAULT_COLUMNS) : 0;
}

static int put_summary(const struct recorder *r, hid_t file, const struct run_result *result,
		       const char *status)
{
	hid_t group = h5_group(file, "summary");
	int rc = h5_put_text(group, "status", status) | put_run(r, group);

	if (result)
		rc |= put_outcome(r, group, result) | put_stall(result, group) |
		      put_goodput(&result->goodput, group);
	else
		rc |= h5_put_real(group, "time_per_epoch_s", record_time_per_epoch(r, NULL));
	H5Gclose(group);
	return rc;
}

static int put_model(const struct recorder *r, hid_t file)
{
	const int dim = (int)r->run->dim;

	return r->model ? h5_put_floats(file, "model", 1, &dim, r->model) : 0;
}

int record_save(const struct recorder *r, const char *path, const struct run_result *result,
		const char *status)
{
	hid_t file = h5_create(NULL);

	if (file >= 0 && !record_file_put_head(r, file) && !put_environment(r, file, result) &&
	    !put_columns(file, "train", r->train, TRAIN_COLUMNS) &&
	    !put_columns(file, "eval", r->eval, EVAL_COLUMNS) &&
	    !put_columns(file, "nodes", r->nodes, NODE_COLUMNS) && !put_staleness(r, file) &&
	    !put_gaps(r, file) && !put_model(r, file) && !put_faults(r, file) &&
	    !put_summary(r, file, result, status))
		return h5_save(file, path, result && !r->info.synced_later);
	H5Fclose(file);
	return error("cannot write '%s': HDF5 failed", path);
}
