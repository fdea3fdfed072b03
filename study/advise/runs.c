/* The timing-only runs that an answer is drawn from: their settings, and their times per step. */
#include "study/advise/advise.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "plan/machine/machine.h"
#include "runner/plan_run.h"
#include "sim/faults/failing.h"

#include <math.h>
#include <stdlib.h>

enum {
	GRADIENTS = 400,        /* of each worker in a run whose length is not given ... */
	FEWEST = 64,            /* ... of many workers, so that all together compute no more than */
	MOST = 100000,          /* ... also where it takes more for enough that is rare */
	WARM_UP = 10            /* one of so many is not measured */
};

const char *advise_algo(const struct advise *a, int which)
{
	return cJSON_GetArrayItem(a->algos, which)->valuestring;
}

/* ---- settings ---- */

/* Uncertain numbers with their values in a draw. */
static cJSON *runs_filled(const struct advise *a, const struct draw *draw)
{
	cJSON *settings = cJSON_CreateObject();
	const double *value = draw->value;
	const cJSON *text;

	cJSON_ArrayForEach(text, a->settings) {
		struct uncertain_list own = { 0 };
		char *filled = uncertain_fill(text->valuestring, value);

		uncertain_find(&own, text->string, text->valuestring);
		value += own.n;
		uncertain_release(&own);
		cJSON_AddStringToObject(settings, text->string, filled);
		free(filled);
	}
	return settings;
}

/* Of a worker, at least so many if all together are not too many. */
static double runs_each(double workers, double least)
{
	return fmax(FEWEST, fmin(ceil(fmax(GRADIENTS, least)), floor(MOST / workers)));
}

/* At x: as many as at the points next to it. */
static double runs_each_at(const struct advise *a, double x)
{
	size_t i = 0;

	while (i + 1 < a->nx && a->x[i] < x)
		i++;
	return i && a->x[i] > x ? fmax(a->each[i - 1], a->each[i]) : a->each[i];
}

/* A tenth more than what is measured, so that the start is left out. */
static void runs_add_length(const struct advise *a, double x, cJSON *point)
{
	const double workers = strtod(json_word(point, "workers"), NULL);
	const double each = runs_each(workers, a->each ? runs_each_at(a, x) : 0.0);
	const double warm = ceil(each / WARM_UP);

	cJSON_AddNumberToObject(point, "gradients", (each + warm) * workers);
	cJSON_AddNumberToObject(point, "time_from", warm * workers);
}

cJSON *advise_settings(const struct advise *a, double x, const struct draw *draw)
{
	cJSON *settings = runs_filled(a, draw), *point = vary_apply(&a->vary, settings, x);

	cJSON_Delete(settings);
	cJSON_AddNumberToObject(point, "seed", (double)draw->seed);
	return point;
}

static cJSON *runs_point(const struct advise *a, double x, const struct draw *draw, int which)
{
	cJSON *point = advise_settings(a, x, draw);

	cJSON_AddStringToObject(point, "algo", advise_algo(a, which));
	if (!a->has_length)
		runs_add_length(a, x, point);
	return point;
}

/* In a second of a run, of all workers. */
static void runs_rare(const struct setup *su, double rare[RARES])
{
	const struct delays *delays = su->sim.pace.delays;
	const struct restart *restart = &su->sim.restart;

	rare[RARE_SLOW_PERIODS] = delays ? delays_slow_periods(delays) : 0.0;
	rare[RARE_FAILURES] = failing_rate(&su->sim, (int)su->num.workers);
	rare[RARE_CHECKPOINTS] = restart->cost_s > 0.0 ? 1.0 / restart->interval_s : 0.0;
}

/* When the latest of the faults at given times is over, or begins for good; 0: there are none. */
static double runs_faults_until(const struct sim_conf *conf)
{
	double until = 0.0;

	for (size_t i = 0; i < conf->nfaults; i++) {
		const struct fault *f = &conf->fault[i];

		if (f->kind != FAULT_FAIL)
			until = fmax(until, isfinite(f->to) ? f->to : f->from);
	}
	return until;
}

/* What of the run was not measured, but the rest was; NULL: nothing. The caller frees. */
static char *runs_beyond(const struct setup *su)
{
	char *text = measured_beyond(su);
	char *compute = compute_times_beyond(&su->times, (int)su->num.workers, su->slice);

	if (compute)
		xappend_own(&text, "; ", xasprintf("compute_s: %s", compute));
	free(compute);
	return text;
}

static void runs_look_at(struct advise *a, size_t i, const struct setup *su)
{
	double least_s = 0.0;

	runs_rare(su, a->rare[i]);
	for (int k = 0; k < RARES; k++)
		if (a->rare[i][k] > 0.0)
			least_s = fmax(least_s, ADVICE_RARE / a->rare[i][k]);
	a->faults_until = runs_faults_until(&su->sim);
	a->each[i] = runs_each((double)su->num.workers, least_s / su->num.compute_s);
	if (!a->extrapolate && !a->no_data[i])
		a->no_data[i] = runs_beyond(su);
}

int advise_look(struct advise *a)
{
	struct plan p;
	cJSON *points = cJSON_CreateArray(), *base = cJSON_CreateObject();
	int ret;

	for (size_t i = 0; i < a->nx; i++)
		for (int k = 0; k < ADVISE_ALGOS; k++)
			cJSON_AddItemToArray(points, runs_point(a, a->x[i], &a->centre, k));
	ret = plan_from_points(&p, base, points, a->out);
	a->no_data = xcalloc(a->nx, sizeof(*a->no_data));
	a->rare = xcalloc(a->nx, sizeof(*a->rare));
	a->each = xcalloc(a->nx, sizeof(*a->each));
	for (size_t i = 0; i < p.n && ret == 0; i++)
		runs_look_at(a, i / ADVISE_ALGOS, &p.runs[i].su);
	if (ret == 0)
		provenance_note(a, &p.runs[0].su);
	if (ret == 0 && !a->conf.quiet) {
		note_own(plan_assumed(&p));
		notes_own(plan_remarks(&p));
	}
	plan_release(&p);
	cJSON_Delete(points);
	cJSON_Delete(base);
	return ret;
}

/* ---- results ---- */

/* Seconds in which the workers compute as many gradients as there are workers. */
static int runs_read(const struct planned *r, double *step_s, double *gradients)
{
	cJSON *run = result_read(r->path);
	const double epoch_s = cJSON_GetNumberValue(json_get(run, "time_per_epoch_s"));
	const double epochs = cJSON_GetNumberValue(json_get(run, "epochs"));
	const double all = cJSON_GetNumberValue(json_get(run, "gradients"));
	const double workers = cJSON_GetNumberValue(json_get(run, "workers"));

	cJSON_Delete(run);
	*step_s = epoch_s * epochs / all * workers;
	*gradients = (all - (double)r->su.in.time_from) / workers;
	return isfinite(*step_s) && *step_s > 0.0
		       ? 0
		       : error("%s: the run has no time per epoch. Make it longer with --gradients",
			       r->label);
}

static int runs_collect(const struct plan *p, struct cell *cell)
{
	for (size_t i = 0; i < p->n; i++) {
		struct times *t = &cell[i / ADVISE_ALGOS].times;

		t->x = cell[i / ADVISE_ALGOS].x;
		if (runs_read(&p->runs[i], &t->step_s[i % ADVISE_ALGOS], &t->gradients) < 0)
			return -1;
	}
	return 0;
}

int advise_run(const struct advise *a, struct cell *cell, size_t n)
{
	cJSON *points = cJSON_CreateArray(), *base = cJSON_CreateObject();
	struct pool_conf conf = a->conf;
	struct plan p;
	int code = EXIT_BAD;

	conf.unannounced = conf.fail_fast = true;
	for (size_t i = 0; i < n; i++)
		for (int k = 0; k < ADVISE_ALGOS; k++)
			cJSON_AddItemToArray(points, runs_point(a, cell[i].x,
								&a->draw[cell[i].draw], k));
	if (plan_from_points(&p, base, points, a->out) == 0)
		code = plan_count(&p, RUN_TODO) == 0 ? EXIT_OK : plan_run(&p, &conf);
	if (code == EXIT_OK && (plan_failed(&p) > 0 || runs_collect(&p, cell) < 0))
		code = EXIT_BAD;
	plan_release(&p);
	cJSON_Delete(points);
	cJSON_Delete(base);
	return code;
}

/* ---- useful time ---- */

/* Of a factor that may be uncertain. */
static double runs_value(const struct advise *a, size_t draw, size_t uncertain, double otherwise)
{
	return uncertain == SIZE_MAX ? otherwise : a->draw[draw].value[uncertain];
}

double advise_useful_s(const struct advise *a, size_t draw, const struct times *t, int which)
{
	const struct progress *p = &a->progress[which];
	double progress = runs_value(a, draw, p->uncertain, p->value);

	if (which == ADVISE_SECOND && a->measured.net)
		progress *= measured_progress(a, t->x) *
			    runs_value(a, draw, a->measured.uncertain, 1.0);
	return t->step_s[which] / progress;
}

double advise_log_ratio(const struct advise *a, size_t draw, const struct times *t)
{
	const double ratio = advise_useful_s(a, draw, t, ADVISE_SECOND) /
			     advise_useful_s(a, draw, t, ADVISE_FIRST);

	return log(ratio * runs_value(a, draw, a->model_error, 1.0));
}
