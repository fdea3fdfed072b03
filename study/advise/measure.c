/*
 * measure.c - progress per step, measured by training runs of a small net on the same machine.
 *
 * Staleness follows from the times of computing and of messages. So the small net gets the seconds
 * of the large one, and a network whose rates are lower in the ratio of their sizes: its messages
 * then take as long. Both algorithms train for equally many gradients. The progress of the second,
 * relative to the first, is the ratio of the gradients that they need to the loss that both reach.
 */
#include "study/advise/advise.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/node.h"
#include "plan/settings/settings.h"
#include "runner/plan_run.h"
#include "runner/single_run/divergence_cause.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	SCORED = 10,            /* rows of a training curve that a loss is the mean of */
	HEADER_BYTES = 24       /* of a message; all-reduces have none */
};

/* ---- the network ---- */

/* Whether the name that ends at text[n] is one of a rate or of sizes, which go with the net's. */
static bool measure_is_size(const char *text, size_t n)
{
	static const char *const ends[] = { "_GBps", "_bytes" };

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		const size_t length = strlen(ends[i]);

		if (n >= length && strncmp(text + n - length, ends[i], length) == 0)
			return true;
	}
	return false;
}

/* The link's text with its rates and its tables' sizes multiplied. The caller frees. */
static char *measure_scaled_link(const char *link, double ratio)
{
	char *scaled;
	size_t size;
	FILE *out = xmemstream(&scaled, &size);
	const char *p = link;

	while (*p) {
		const char *equal = strchr(p, '=');

		if (!equal || !measure_is_size(link, (size_t)(equal - link))) {
			const size_t n = equal ? (size_t)(equal - p) + 1 : strlen(p);

			fwrite(p, 1, n, out);
			p += n;
			continue;
		}
		fwrite(p, 1, (size_t)(equal - p) + 1, out);
		for (p = equal + 1; isdigit((unsigned char)*p); p += *p == '/') {
			char *end;

			fprintf(out, "%.9g", ratio * strtod(p, &end));
			p = end;
			fputs(*p == '/' ? "/" : "", out);
		}
	}
	xmemclose(out);
	return scaled;
}

/* ---- settings ---- */

/* The value, or of "FIRST,SECOND", such as two learning rates, that of an algorithm. */
static char *measure_value(const struct opt *o, const char *value, int which)
{
	const char *comma = strchr(value, ',');

	if (!comma || o->type == OPT_STRING)
		return xstrdup(value);
	return which == ADVISE_SECOND ? xstrdup(comma + 1)
				      : xasprintf("%.*s", (int)(comma - value), value);
}

/* Adds "KEY=VALUE KEY=VALUE ..." to the settings, instead of what they have. 0 or error(). */
static int measure_overlay(cJSON *point, const char *text, int which)
{
	char *copy = xstrdup(text), *rest;
	int ret = 0;

	for (char *word = strtok_r(copy, " ", &rest); word && ret == 0;
	     word = strtok_r(NULL, " ", &rest)) {
		char *equal = strchr(word, '=');
		const struct opt *o;

		if (equal)
			*equal = '\0';
		o = equal ? opt_find(settings_opts, word) : NULL;
		if (o)
			json_set_owned(point, o->name, measure_value(o, equal + 1, which));
		else
			ret = error("--progress-by: '%s': expected settings of a training run, "
				    "such as 'net=lenet lr=0.01 epochs=2'", word);
	}
	free(copy);
	return ret;
}

/* What a timing-only run has that a training run on a small net has not. */
static void measure_drop(cJSON *point)
{
	static const char *const keys[] = { "timing", "net", "data", "batch", "samples", "epochs",
					    "seconds", "gradients", "time_from", "cluster" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		cJSON_DeleteItemFromObjectCaseSensitive(point, keys[i]);
}

/* The machine of a timing-only run, for a net that is smaller by `ratio`. */
static void measure_machine(cJSON *point, const struct setup *su, double ratio)
{
	json_set_owned(point, "compute_s", xasprintf("%.9g", su->num.compute_s));
	json_set_owned(point, "host_copy_s", xasprintf("%.9g", su->num.host_copy_s));
	json_set_owned(point, "update_s", xasprintf("%.9g", su->num.update_s));
	json_set_owned(point, "overlap", xstrdup(su->num.overlap ? "true" : "false"));
	json_set_owned(point, "train_every", xstrdup("0.01"));
	json_set_owned(point, "eval_every", xstrdup("0"));
	json_set_owned(point, "link", measure_scaled_link(setup_text(su, "link"), ratio));
	if (su->num.sim_bucket > 0)
		json_set_owned(point, "sim_bucket",
			    xasprintf("%.0f", fmax(4.0, ratio * (double)su->num.sim_bucket)));
}

/* Refuses what a small net's run would not have: 0 or error(). */
static int measure_check(const struct setup *su)
{
	if (strcmp(setup_text(su, "storage"), "none") != 0)
		return error("--progress-by cannot scale storage to the samples of a small net. "
			     "Give --progress instead.");
	for (int w = 0; su->own && w < su->num.workers; w++)
		if (fabs(su->own[w] - 1.0) > 1e-9)
			return error("--progress-by cannot take compute_s that differs between "
				     "workers. Give --progress instead.");
	return 0;
}

/* Bytes of the model in a message, or in an all-reduce. */
static double measure_bytes(const struct setup *su)
{
	return (double)(su->model.dim * sizeof(float)) +
	       (setup_algo(su)->worker->allreduce ? 0.0 : HEADER_BYTES);
}

static int measure_resolve(struct setup *su, const cJSON *point, const char *algo)
{
	cJSON *all = cJSON_Duplicate(point, true);
	int ret;

	setup_init(su);
	cJSON_AddStringToObject(all, "algo", algo);
	ret = settings_apply(&su->in, all, "command line");
	cJSON_Delete(all);
	return ret < 0 ? ret : setup_resolve(su);
}

/* Turns the settings of a timing-only run into those of a training run. 0 or error(). */
static int measure_turn(cJSON *point, const struct advise *a, int which, const char *text)
{
	const char *algo = advise_algo(a, which);
	struct setup large, small;
	int ret = measure_resolve(&large, point, algo);

	measure_drop(point);
	ret = ret < 0 ? ret : measure_check(&large);
	if (ret == 0)
		measure_machine(point, &large, 1.0);
	ret = ret < 0 ? ret : measure_overlay(point, text, which);
	if (ret < 0) {
		setup_release(&large);
		return ret;
	}
	ret = measure_resolve(&small, point, algo);
	if (ret == 0)
		measure_machine(point, &large, measure_bytes(&small) / measure_bytes(&large));
	setup_release(&large);
	setup_release(&small);
	return ret < 0 ? ret : measure_overlay(point, text, which);
}

/* All points of both algorithms, seeds within algorithms within values; NULL after error(). */
static cJSON *measure_points(const struct advise *a, const char *text)
{
	cJSON *points = cJSON_CreateArray();

	for (int i = 0; i < MEASURED_POINTS * ADVISE_ALGOS * MEASURED_SEEDS; i++) {
		const int which = i / MEASURED_SEEDS % ADVISE_ALGOS;
		const double u = a->measured.u[i / MEASURED_SEEDS / ADVISE_ALGOS];
		cJSON *point = advise_settings(a, vary_x(&a->vary, u), &a->centre);

		cJSON_AddItemToArray(points, point);
		if (measure_turn(point, a, which, text) < 0) {
			cJSON_Delete(points);
			return NULL;
		}
		cJSON_DeleteItemFromObjectCaseSensitive(point, "seed");
		cJSON_AddNumberToObject(point, "seed",
					(double)a->centre.seed + i % MEASURED_SEEDS);
		cJSON_AddStringToObject(point, "algo", advise_algo(a, which));
	}
	return points;
}

/* ---- what the curves say ---- */

/* The mean of the SCORED losses up to row i; NaN: there are fewer. */
static double curve_loss(const cJSON *loss, int i)
{
	const cJSON *row = cJSON_GetArrayItem(loss, i - SCORED + 1);
	double sum = 0.0;

	if (i < SCORED - 1)
		return (double)NAN;
	for (int k = 0; k < SCORED; k++, row = row->next)
		sum += cJSON_IsNumber(row) ? row->valuedouble : HUGE_VAL;
	return sum / SCORED;
}

static double curve_end(const cJSON *run)
{
	const cJSON *loss = json_get(json_get(run, "train"), "loss");

	return strcmp(json_word(run, "status"), "done") == 0
		       ? curve_loss(loss, cJSON_GetArraySize(loss) - 1)
		       : (double)NAN;
}

/* Gradients until the loss; there are some, as it is the end of this curve or above. */
static double curve_gradients(const cJSON *run, double wanted)
{
	const cJSON *train = json_get(run, "train"), *loss = json_get(train, "loss");
	const int n = cJSON_GetArraySize(loss);
	int i = SCORED - 1;

	while (i + 1 < n && !(curve_loss(loss, i) <= wanted))
		i++;
	return cJSON_GetArrayItem(json_get(train, "gradients"), i)->valuedouble;
}

/* error() of a run that has no loss at its end. */
static void measure_refuse(const struct planned *r, const cJSON *run)
{
	const bool brief = isnan(curve_end(run)) &&
			   strcmp(json_word(run, "status"), "done") == 0;
	char *advice = brief ? xasprintf("it is shorter than %d rows. Give more epochs", SCORED)
			     : divergence_advice(&r->su);

	error("--progress-by: %s has no loss at the end of its run%s%s", r->su.in.algo,
	      brief ? ": " : ", as it diverged: ", advice);
	free(advice);
}

/* log(progress of the second / of the first), of a seed; NaN after error(). */
static double measure_log_progress(const struct planned *r, const cJSON *first,
				   const cJSON *second)
{
	const cJSON *run[ADVISE_ALGOS] = { first, second };
	double end[ADVISE_ALGOS], wanted;

	for (int k = 0; k < ADVISE_ALGOS; k++) {
		end[k] = curve_end(run[k]);
		if (!isfinite(end[k])) {
			measure_refuse(&r[k * MEASURED_SEEDS], run[k]);
			return (double)NAN;
		}
	}
	wanted = fmax(end[ADVISE_FIRST], end[ADVISE_SECOND]);
	return log(curve_gradients(first, wanted) / curve_gradients(second, wanted));
}

/* Mean and variance of the mean at a point, from its runs: seeds of the first, of the second. */
static int measure_point(struct advise *a, const struct plan *p, const cJSON *runs, int point,
			 double *variance)
{
	const int first = point * ADVISE_ALGOS * MEASURED_SEEDS;
	double sum = 0.0, squares = 0.0;

	for (int s = 0; s < MEASURED_SEEDS; s++) {
		const double x = measure_log_progress(
			&p->runs[first + s], cJSON_GetArrayItem(runs, first + s),
			cJSON_GetArrayItem(runs, first + MEASURED_SEEDS + s));

		if (isnan(x))
			return -1;
		sum += x;
		squares += x * x;
	}
	a->measured.log_progress[point] = sum / MEASURED_SEEDS;
	*variance += fmax(0.0, squares - sum * sum / MEASURED_SEEDS) / (MEASURED_SEEDS - 1) /
		     MEASURED_SEEDS;
	return 0;
}

static int measure_read(struct advise *a, const struct plan *p)
{
	cJSON *runs = cJSON_CreateArray();
	double variance = 0.0;
	int ret = 0;

	for (size_t i = 0; i < p->n && ret == 0; i++) {
		cJSON *run = result_read(p->runs[i].path);

		ret = run ? 0 : -1;
		if (run)
			cJSON_AddItemToArray(runs, run);
	}
	for (int i = 0; i < MEASURED_POINTS && ret == 0; i++)
		ret = measure_point(a, p, runs, i, &variance);
	a->measured.error = sqrt(variance / MEASURED_POINTS);
	cJSON_Delete(runs);
	return ret;
}

/* ---- the whole ---- */

static int measure_run(struct advise *a, const cJSON *points)
{
	struct pool_conf conf = a->conf;
	cJSON *base = cJSON_CreateObject();
	struct plan p;
	int code = EXIT_BAD;

	conf.threads = 0;
	conf.unjudged = true;
	if (plan_from_points(&p, base, points, a->out) == 0) {
		a->measured.net = xstrdup(setup_text(&p.runs[0].su, "net"));
		a->measured.runs = p.n;
		code = plan_run(&p, &conf);
	}
	if (code == EXIT_OK && (plan_failed(&p) > 0 || measure_read(a, &p) < 0))
		code = EXIT_BAD;
	plan_release(&p);
	cJSON_Delete(base);
	return code;
}

static void measure_choose_points(struct advise *a)
{
	const double from = vary_u(&a->vary, a->vary.lo), to = vary_u(&a->vary, a->vary.hi);

	for (int i = 0; i < MEASURED_POINTS; i++)
		a->measured.u[i] = from + (to - from) * i / (MEASURED_POINTS - 1);
}

int advise_measure(struct advise *a, const char *text)
{
	const double began = clock_s();
	cJSON *points;
	int code = EXIT_BAD;

	measure_choose_points(a);
	points = measure_points(a, text);
	if (points)
		code = measure_run(a, points);
	cJSON_Delete(points);
	a->measured.wall_s = clock_s() - began;
	a->measured.uncertain = SIZE_MAX;
	if (code == EXIT_OK && a->measured.error > 0.0) {
		a->measured.uncertain = a->uncertain.n;
		uncertain_add(&a->uncertain, "measured progress", 1.0, a->measured.error);
	}
	return code;
}

double measured_progress(const struct advise *a, double x)
{
	const struct measured *m = &a->measured;
	const double u = vary_u(&a->vary, x);
	int i = 0;
	double share;

	while (i + 2 < MEASURED_POINTS && u > m->u[i + 1])
		i++;
	share = (u - m->u[i]) / (m->u[i + 1] - m->u[i]);
	return exp(m->log_progress[i] + share * (m->log_progress[i + 1] - m->log_progress[i]));
}
