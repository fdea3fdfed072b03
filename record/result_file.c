/* Reads a result file, judges whether it is a whole one, and what its run took. */
#include "record/result.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/members.h"
#include "core/metric.h"
#include "core/text/units.h"
#include "record/environ_file.h"
#include "record/h5.h"
#include "record/layout.h"
#include "record/record.h"
#include "record/recorder_file.h"
#include "record/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- members ---- */

static int read_text(struct result *r, const struct tree *object, const char *name,
		     enum result_text which)
{
	char *text = tree_get_text(object, name);

	if (!text)
		return -1;
	result_say(r, which, text);
	free(text);
	return 0;
}

static int read_number(struct result *r, const struct tree *object, const char *name,
		       bool whole, int which)
{
	int64_t count;
	double x;

	if (whole && tree_get_whole(object, name, &count) == 0)
		x = (double)count;
	else if (tree_get_real(object, name, &x) || (whole && x < 0x1p63))
		return -1;
	result_set(r, which, x);
	return 0;
}

/* The measures of the summary; rare ones where they are there. */
static int read_measures(struct result *r, const struct tree *summary)
{
	for (int i = 0; i < MEASURE_COUNT; i++) {
		const struct measure_info *m = &measure_table[i];
		const bool rare = m->source == MEASURED_RARE || m->source == MEASURED_RARE_COUNT;
		const bool whole = m->source == MEASURED_COUNT || m->source == MEASURED_RARE_COUNT;

		if (rare ? !tree_has(summary, m->name) :
			   m->source != MEASURED_SUMMARY && m->source != MEASURED_COUNT)
			continue;
		if (read_number(r, summary, m->name, whole, i) < 0)
			return -1;
	}
	result_set(r, MEASURE_SPEEDUP, (double)NAN);
	if (tree_has(summary, "trained_by") &&
	    read_text(r, summary, "trained_by", RESULT_TRAINED_BY) < 0)
		return -1;
	return !tree_has(summary, "remark") ? 0 :
		read_text(r, summary, "remark", RESULT_REMARK);
}

/* The texts of a group, by name. */
static int read_values(struct result *r, const struct tree *file, const char *name,
		       enum result_part part)
{
	const struct tree *group = tree_find(file, name);
	size_t n;
	scoped const struct tree_attribute **all = tree_attributes(group, &n);
	int rc = group ? 0 : -1;

	r->values[part].there = true;
	for (size_t i = 0; i < n && rc == 0; i++) {
		char *text = tree_text_of(all[i]);

		rc = text ? 0 : -1;
		if (text)
			result_add_value(r, part, (struct result_value){
				.key = xstrdup(all[i]->name), .text = text });
	}
	return rc;
}

static int read_column(struct curve *curve, const struct tree *file, const struct tree *group,
		       const char *dataset, const char *name)
{
	scoped_by(column_release) struct column c = { .name = dataset };
	const int rc = tree_get_column(file, group, &c);

	if (!rc) {
		struct curve_column *to = curve_add(curve, name, c.n ? 0 : 1);

		if (c.n) {
			free(to->v);
			to->v = c.v.real;
			c.v.real = NULL;
		}
		to->n = c.n;
		for (size_t i = 0; i < c.n; i++)
			to->v[i] = isfinite(to->v[i]) ? to->v[i] : (double)NAN;
	}
	return rc;
}

static int read_curve(struct result *r, const struct tree *file, const char *name,
		      const struct layout_column *c, enum result_curve which)
{
	const struct tree *group = tree_find(file, name);
	int rc = group ? 0 : -1;

	r->curve[which].there = true;
	for (; !rc && c->name; c++)
		rc = read_column(&r->curve[which], file, group, c->name, c->name);
	return rc;
}

/* The columns of eval, and the metrics among them. */
static int read_eval(struct result *r, const struct tree *file)
{
	const struct tree *group = tree_find(file, "eval");
	int rc = read_curve(r, file, "eval", layout_eval, RESULT_EVAL);

	for (size_t i = 0; !rc && i < group->nmembers; i++) {
		const char *name = group->member[i]->name;

		if (metric_is_key(name))
			rc = read_column(&r->curve[RESULT_EVAL], file, group, name, name);
	}
	return rc;
}

/* Builds of before say of a model whose loss is NaN that it is never right. */
static void mask_accuracy(struct result *r)
{
	struct curve_column *c = r->curve[RESULT_EVAL].column;

	for (size_t i = 0; i < c[EVAL_TEST_ACCURACY].n && i < c[EVAL_TEST_LOSS].n; i++)
		if (isnan(c[EVAL_TEST_LOSS].v[i]))
			c[EVAL_TEST_ACCURACY].v[i] = (double)NAN;
}

/* ---- what follows from others ---- */

static double known(double x)
{
	return x > 0.0 ? x : (double)NAN;
}

void result_derive_model(struct result *r, double dim, double macs, double batch)
{
	const double flop = 2.0 * known(macs);

	result_set(r, RESULT_BATCH, known(batch));
	result_set(r, MEASURE_PARAMETERS, known(dim));
	result_set(r, MEASURE_FORWARD_FLOP, flop);
	result_set(r, MEASURE_FLOP_PER_PARAMETER, flop / known(dim));
}

void result_derive_rates(struct result *r, double seconds)
{
	const double samples = r->number[RESULT_BATCH] / seconds;

	result_set(r, MEASURE_GRADIENT_WALL, seconds);
	result_set(r, MEASURE_SAMPLES_PER_WALL, samples);
	result_set(r, MEASURE_GFLOP_PER_WALL, 3e-9 * r->number[MEASURE_FORWARD_FLOP] * samples);
}

/*
 * v[] <- rows of a column of the nodes from `from` on, NaN where they are not finite. How many; 0:
 * no more. -1: they cannot be read.
 */
static int nodes_part(const struct tree *file, int column, uint64_t from, double v[TREE_PART])
{
	const int n = tree_get_part(file, tree_find(file, "nodes"), layout_nodes[column].name, from,
				    v);

	for (int i = 0; i < n; i++)
		v[i] = isfinite(v[i]) ? v[i] : (double)NAN;
	return n;
}

/* The most that a machine sent and received, taken together; shards have equal parts. 0 or -1. */
static int busiest_bytes(const struct tree *file, double shards, double *most)
{
	double rank[TREE_PART], out[TREE_PART], in[TREE_PART];
	int n = TREE_PART;

	*most = 0.0;
	for (uint64_t at = 0; n == TREE_PART; at += TREE_PART) {
		const int outs = nodes_part(file, NODE_BYTES_SENT, at, out);
		const int ins = nodes_part(file, NODE_BYTES_RECEIVED, at, in);

		n = nodes_part(file, NODE_RANK, at, rank);
		n = outs < n ? outs : n;
		n = ins < n ? ins : n;
		for (int i = 0; i < n; i++)
			*most = fmax(*most, (out[i] + in[i]) /
					    (fabs(rank[i] - SERVER) < 0.5 ? shards : 1.0));
	}
	return n < 0 ? -1 : 0;
}

/* *all <- the sum of a column of the first `most` nodes, as the server comes last. 0 or -1. */
static int nodes_total(const struct tree *file, int column, double most, double *all)
{
	double v[TREE_PART];
	int n = TREE_PART;

	*all = 0.0;
	for (uint64_t at = 0; n == TREE_PART; at += TREE_PART) {
		n = nodes_part(file, column, at, v);
		for (int i = 0; i < n; i++)
			if (most-- > 0.0 && !isnan(v[i]))
				*all += v[i];
	}
	return n < 0 ? -1 : 0;
}

/*
 * What all workers together computed in a second of whole rounds: `samples` of an epoch, each
 * `window` tokens.
 */
static void derive_throughput(struct result *r, double samples, double window)
{
	const double *x = r->number, seconds = known(x[MEASURE_TIME_PER_EPOCH]);

	result_set(r, MEASURE_STEP, seconds * x[MEASURE_EPOCHS] / known(x[MEASURE_ITERATIONS]));
	result_set(r, MEASURE_SAMPLES_PER_TIME, known(samples) / seconds);
	result_set(r, MEASURE_TOKENS_PER_TIME, x[MEASURE_SAMPLES_PER_TIME] * known(window));
}

/*
 * Utilisation of a worker's peak, by 3 forward passes a gradient; device hours and cost. Hours are
 * of runs whose devices are known, or have a price. after: seconds of all workers together in
 * exchanges after the last gradient.
 */
static void derive_devices(struct result *r, double peak, double after)
{
	const double *x = r->number;
	const double hours = (x[RESULT_WORKERS] * known(x[MEASURE_TIME]) + after) / 3600.0;
	const char *devices = result_setting(r, "gpus_per_worker");
	const char *text = result_setting(r, "price");
	const double each = fmax(devices ? strtod(devices, NULL) : 1.0, 1.0);
	struct price price = { .per_hour = 0.0 };
	const double mfu = 3.0 * x[MEASURE_FORWARD_FLOP] * x[MEASURE_SAMPLES_PER_TIME] /
			   (x[RESULT_WORKERS] * peak);

	if (text && *text)
		price_parse(&price, text);
	if (peak > 0.0 && isfinite(mfu))
		result_set(r, MEASURE_MFU, mfu);
	if (peak > 0.0 || each > 1.0 || price.per_hour > 0.0)
		result_set(r, MEASURE_GPU_HOURS, hours * each);
	if (price.per_hour > 0.0) {
		result_set(r, MEASURE_COST, hours * price.per_hour *
			   (price.of_worker ? 1.0 : each));
		measure_currency(price.currency);
	}
}

/*
 * What follows from the columns of nodes, which may be long: they are read in parts. after: as in
 * derive_devices(). 0 or -1.
 */
static int derive_totals(struct result *r, const struct tree *file, double after)
{
	const double *x = r->number, workers = x[RESULT_WORKERS];
	const double shards = fmax(strtod(result_setting(r, "shards"), NULL), 1.0);
	double communicate, compute, wait, messages, busiest, share;

	if (nodes_total(file, NODE_COMMUNICATE, workers, &communicate) ||
	    nodes_total(file, NODE_COMPUTE, workers, &compute) ||
	    nodes_total(file, NODE_WAIT, workers, &wait) ||
	    nodes_total(file, NODE_MESSAGES, HUGE_VAL, &messages) ||
	    busiest_bytes(file, shards, &busiest))
		return -1;
	result_set(r, MEASURE_BUSIEST_BYTES, busiest);
	result_set(r, MEASURE_ITERATIONS, x[MEASURE_GRADIENTS] / workers);
	result_set(r, MEASURE_BUSIEST_BYTES_PER_EPOCH,
		   x[MEASURE_BUSIEST_BYTES] / x[MEASURE_EPOCHS]);
	result_set(r, MEASURE_MESSAGES, messages);
	result_set(r, MEASURE_MESSAGE_BYTES, x[MEASURE_BYTES_SENT] / messages);
	communicate += after;
	share = communicate / (communicate + compute + wait);
	/* A rest by rounding is no time. */
	result_set(r, MEASURE_COMMUNICATION_SHARE, fabs(share) < 1e-12 ? 0.0 : share);
	return 0;
}

static double bits_of(double loss)
{
	return loss / log(2.0);
}

/* A column of the curve: f of the test losses. */
static void derive_column(struct curve *eval, const char *name, double (*f)(double))
{
	double *v = curve_add(eval, name, eval->column[EVAL_TEST_LOSS].n)->v;
	const struct curve_column *loss = &eval->column[EVAL_TEST_LOSS];

	for (size_t i = 0; i < loss->n; i++) {
		const double x = f(loss->v[i]);

		v[i] = isfinite(x) ? x : (double)NAN;
	}
}

/* The loss per token of a text as perplexity, its exponential, and in bits. */
static void derive_tokens(struct result *r)
{
	const double loss = r->number[MEASURE_TEST_LOSS];

	result_set(r, MEASURE_TEST_PERPLEXITY, exp(loss));
	result_set(r, MEASURE_TEST_BITS, bits_of(loss));
	derive_column(&r->curve[RESULT_EVAL], "test_perplexity", exp);
	derive_column(&r->curve[RESULT_EVAL], "test_bits", bits_of);
}

/* Real seconds, and in which precision the run computed. */
static void read_clock(struct result *r, const struct tree *file)
{
	const struct tree *group = tree_find(file, "environment");
	char *computed_in = tree_get_text(group, "computed_in");
	double seconds;

	if (computed_in && *computed_in)
		result_say(r, RESULT_COMPUTED_IN, computed_in);
	free(computed_in);
	read_number(r, group, "wall_s", false, MEASURE_WALL);
	if (tree_get_real(group, "gradient_wall_s", &seconds) == 0)
		result_derive_rates(r, seconds);
	read_column(&r->curve[RESULT_TRAIN], file, group, layout_wall[WALL_TRAIN].name, "wall_s");
	read_column(&r->curve[RESULT_EVAL], file, group, layout_wall[WALL_EVAL].name, "wall_s");
}

/* ---- files ---- */

static int read_identity(struct result *r, const struct tree *file, const struct tree *summary)
{
	return read_text(r, file, "experiment", RESULT_EXPERIMENT) ||
	       read_text(r, file, "scale", RESULT_SCALE) ||
	       read_text(r, file, "hash", RESULT_HASH) ||
	       read_text(r, summary, "algo", RESULT_ALGO) ||
	       read_number(r, summary, "workers", true, RESULT_WORKERS) ||
	       read_number(r, summary, "seed", true, RESULT_SEED) ||
	       read_text(r, summary, "status", RESULT_STATUS);
}

/* A seal says nothing of who made the file. 0, or error() for what no run can have. */
static int check_figures(const struct result *r, const char *path)
{
	for (int i = 0; i < MEASURE_COUNT; i++) {
		const struct measure_info *m = &measure_table[i];
		const bool share = m->range == RANGE_SHARE;
		const double x = r->number[i];

		if ((share || m->range == RANGE_POSITIVE) && (x < 0 || (share && x > 1 + 1e-9)))
			return error("'%s' is damaged: no run has a %s of %g", path, m->name, x);
	}
	return 0;
}

/* 0, or error() for a summary that is not of these settings. */
static int check_identity(const struct result *r, const char *path)
{
	const char *algo = result_setting(r, "algo"), *workers = result_setting(r, "workers");
	const char *seed = result_setting(r, "seed"), *own = r->text[RESULT_ALGO];
	const size_t n = strlen(own);

	/* Options, and the digest of a user's own, stand after the name. */
	if ((*algo && (strncmp(own, algo, n) != 0 || (algo[n] && !strchr(":@", algo[n])))) ||
	    (*workers && fabs(strtod(workers, NULL) - r->number[RESULT_WORKERS]) > 0) ||
	    (*seed && fabs(strtod(seed, NULL) - r->number[RESULT_SEED]) > 0))
		return error("'%s' is damaged: its summary is of other settings than its own",
			     path);
	return 0;
}

static int read_correct(struct result *r, const struct tree *file, const char *path)
{
	struct correct c;
	char *text;

	if (correct_get(&c, file, path))
		return -1;
	text = correct_text(&c);
	if (text)
		result_say(r, RESULT_TEST_CORRECT, text);
	free(text);
	correct_release(&c);
	return 0;
}

static int read_whole(struct result *r, const struct tree *file, const struct tree *summary,
		      const char *path, enum result_extent extent)
{
	int64_t dim = 0, macs = 0, batch = 0, samples = 0, window = 0, tested = 0;
	double peak = 0.0, after = 0.0;         /* older versions tell no `after` */

	if (read_identity(r, file, summary))
		return error("'%s' is damaged: its summary cannot be read", path);
	if (result_is(r, STATUS_RUNNING))
		return error("'%s' is not whole: its run was killed, or is not finished", path);
	if (read_text(r, summary, "end", RESULT_END) ||
	    read_text(r, summary, "model", RESULT_MODEL) || read_measures(r, summary))
		return error("'%s' is damaged: its summary cannot be read", path);
	if (check_figures(r, path) < 0)
		return -1;
	if (extent == RESULT_SUMMARY)
		return 0;
	tree_get_whole(summary, "dim", &dim);
	tree_get_whole(summary, "macs", &macs);
	tree_get_whole(summary, "batch", &batch);
	tree_get_whole(summary, "samples", &samples);
	tree_get_whole(summary, "window", &window);
	if (tree_get_whole(summary, "test_samples", &tested) == 0)
		result_set(r, RESULT_TEST_SAMPLES, (double)tested);
	tree_get_real(summary, "peak_flops", &peak);
	tree_get_real(summary, "after_end_s", &after);
	result_derive_model(r, (double)dim, (double)macs, (double)batch);
	result_say(r, RESULT_FILE, path);
	mark_read(&r->said, summary);
	if (read_values(r, file, "settings", RESULT_SETTINGS) ||
	    (tree_find(file, "assumed") &&
	     read_values(r, file, "assumed", RESULT_ASSUMED)) ||
	    read_curve(r, file, "train", layout_train, RESULT_TRAIN) ||
	    read_eval(r, file) ||
	    (extent != RESULT_TOTALS &&
	     read_curve(r, file, "nodes", layout_nodes, RESULT_NODES)) ||
	    read_curve(r, file, "staleness", layout_staleness, RESULT_STALENESS) ||
	    read_curve(r, file, "gap", layout_gap, RESULT_GAP) ||
	    (tree_find(file, "faults") &&
	     read_curve(r, file, "faults", layout_faults, RESULT_FAULTS)) ||
	    derive_totals(r, file, after))
		return error("'%s' is damaged: a column cannot be read", path);
	if (check_identity(r, path) < 0 || read_correct(r, file, path) < 0)
		return -1;
	mask_accuracy(r);
	if (result_diverged(r))
		result_set(r, MEASURE_TEST_ACCURACY, (double)NAN);
	derive_throughput(r, (double)samples, (double)window);
	derive_devices(r, peak, after);
	if (tree_has(summary, "tokens"))
		derive_tokens(r);
	return 0;
}

static int read_glance(struct result *r, const struct tree *file, const struct tree *summary,
		       const char *path)
{
	if (read_identity(r, file, summary) || read_values(r, file, "settings", RESULT_SETTINGS) ||
	    read_curve(r, file, "train", layout_train, RESULT_TRAIN) ||
	    read_eval(r, file))
		return error("'%s' is damaged: its curves cannot be read", path);
	if (check_identity(r, path) < 0)
		return -1;
	mask_accuracy(r);
	result_say(r, RESULT_FILE, path);
	r->host = environ_host(file, &r->pid);
	return 0;
}

/* Rows of a curve belong together, those of the real clock, too. 0, or error() that names one. */
static int check_rows(const struct tree *file, const char *path)
{
	static const char *const curves[] = { "train", "eval", "nodes", "staleness", "gap",
					      "faults" };
	const struct tree *clock = tree_find(file, "environment");

	for (size_t k = 0; k < sizeof(curves) / sizeof(curves[0]); k++) {
		const struct tree *curve = tree_find(file, curves[k]);
		const struct tree *wall =
			k < WALL_COLUMNS ? tree_find(clock, layout_wall[k].name) : NULL;
		const uint64_t rows = curve && curve->nmembers ? curve->member[0]->count : 0;
		bool even = !wall || wall->count == rows;

		for (size_t i = 0; curve && i < curve->nmembers; i++)
			even = even && curve->member[i]->count == rows;
		if (!even)
			return error("'%s' is damaged: the columns of %s differ in length", path,
				     curves[k]);
	}
	return 0;
}

static struct tree *open_result(const char *path)
{
	const char *fault;
	struct tree *file = tree_open(path, &fault);

	if (!file)
		error("'%s' %s", path, fault);
	return file;
}

/* True when the file says that it is one of ours, of a version we know. */
static int check_format(const struct tree *file, const char *path)
{
	scoped char *format = tree_get_text(file, "format");
	int64_t version = 0;
	int rc = 0;

	if (!format || strcmp(format, LAYOUT_FORMAT) ||
	    tree_get_whole(file, "layout_version", &version) < 0)
		rc = error("'%s' is an HDF5 file, but not a result of convoy", path);
	else
		rc = layout_check(path, version, LAYOUT_OLDEST, LAYOUT_VERSION);
	return rc;
}

int result_load(struct result *r, const char *path, enum result_extent extent)
{
	struct tree *file = open_result(path), *summary = tree_find(file, "summary");
	int rc;

	result_of_json(r, NULL);
	if (!file)
		return -1;
	rc = check_format(file, path) || check_rows(file, path) ? -1 : 0;
	if (!rc) {
		rc = extent == RESULT_GLANCE ? read_glance(r, file, summary, path) :
					       read_whole(r, file, summary, path, extent);
		if (!rc && (extent == RESULT_TIMED || extent == RESULT_GLANCE))
			read_clock(r, file);
	}
	tree_free(file);
	if (rc)
		result_release(r);
	return rc;
}

static float *result_read_model(const struct tree *file, size_t dim)
{
	scoped_by(column_release) struct column c = { .name = "model" };
	const bool there = tree_get_column(file, file, &c) == 0 && c.n == dim;
	float *x = there ? vec_new(dim) : NULL;

	for (size_t i = 0; x && i < dim; i++)
		x[i] = (float)c.v.real[i];
	return x;
}

float *result_model(const char *path, size_t dim)
{
	struct tree *file = open_result(path);
	float *x = NULL;

	if (!file)
		return NULL;
	if (check_format(file, path) == 0) {
		x = result_read_model(file, dim);
		if (!x)
			error("'%s' has no model of %zu parameters: it is kept with "
			      "--keep-model", path, dim);
	}
	tree_free(file);
	return x;
}

static const char *fault_of(const struct tree *file, const char *hash)
{
	const struct tree *summary = tree_find(file, "summary");
	scoped char *own = tree_get_text(file, "hash"), *status = tree_get_text(summary, "status");
	const char *fault = NULL;
	int64_t version = 0;

	if (!own || !status)
		fault = "is not a result of convoy";
	else if (tree_get_whole(file, "layout_version", &version) || version != LAYOUT_VERSION)
		fault = "is of another layout version";
	else if (strcmp(own, hash))
		fault = "is the result of another run";
	else if (strcmp(status, STATUS_DONE) && strcmp(status, STATUS_DIVERGED))
		fault = "is of a run that did not end";
	return fault;
}

const char *result_fault(const char *path, const char *hash)
{
	const char *fault;
	struct tree *file = tree_open(path, &fault);

	if (!file)
		return fault;
	fault = fault_of(file, hash);
	tree_free(file);
	return fault;
}

bool result_finished(const char *path, const char *hash)
{
	return !result_fault(path, hash);
}

/* No user would look for it. */
bool result_usable(const char *path, const char *hash)
{
	const char *fault = result_fault(path, hash);

	if (fault && !seal_is_unread(fault) && access(path, F_OK) == 0)
		warning("'%s' %s; ignored, the run will be repeated", path, fault);
	return !fault;
}

int result_check_replaces(const char *path)
{
	const char *fault = seal_fault(path);

	if (!fault || !seal_is_unread(fault))
		return 0;
	return error("'%s' %s. It may be a finished result, so its run is not made again. Have it "
		     "made readable, move it away, or give another folder by --out", path, fault);
}

bool result_is_written(const char *path)
{
	return seal_ends(path);
}

static cJSON *texts_of(const struct tree *settings, const char *const *keys)
{
	cJSON *texts = cJSON_CreateObject();

	for (; *keys; keys++) {
		scoped char *text = tree_get_text(settings, *keys);

		if (text)
			cJSON_AddStringToObject(texts, *keys, text);
	}
	return texts;
}

static cJSON *read_cost(const struct tree *file, const char *const *keys, struct run_cost *cost)
{
	const struct tree *summary = tree_find(file, "summary");
	const struct tree *environment = tree_find(file, "environment");
	const struct tree *settings = tree_find(file, "settings");
	cJSON *texts = NULL;

	if (summary && environment && settings &&
	    tree_get_whole(summary, "gradients", &cost->gradients) == 0 &&
	    tree_get_real(environment, "wall_s", &cost->wall_s) == 0 &&
	    tree_get_whole(environment, "threads", &cost->threads) == 0)
		texts = texts_of(settings, keys);
	if (texts && tree_get_whole(summary, "macs", &cost->macs) < 0)
		cost->macs = 0;
	if (texts)
		cost->shown = tree_has(summary, "trained_by");
	return texts;
}

cJSON *result_cost(const char *path, const char *const *keys, struct run_cost *cost)
{
	const char *fault;
	struct tree *file = tree_open(path, &fault);
	cJSON *texts;

	if (!file)
		return NULL;
	texts = read_cost(file, keys, cost);
	tree_free(file);
	return texts;
}
