/* What a search for settings would do, as far as can be said before it is made. */
#include "study/tune/tune.h"

#include "core/base/error.h"
#include "plan/plan.h"
#include "runner/estimate/estimate.h"
#include "runner/jobs.h"
#include "runner/results/outcome.h"
#include "runner/settings_table.h"

#include <stdio.h>
#include <stdlib.h>

enum { AROUND = 4 };            /* refined probes around the best momentum, at most */

struct most {                   /* runs that learn, at most */
	size_t cold, refined, tuned, steady, exhaustive;
};

/* Momenta that are not above one of the list, with those that are not below it. */
static size_t tune_dry_around(const struct tune *t, double momentum)
{
	size_t n = 0;

	for (size_t i = 0; i < t->momenta.n; i++)
		n += (size_t)(t->momenta.v[i] <= momentum) + (size_t)(t->momenta.v[i] >= momentum);
	return n;
}

/* Of any momentum. */
static size_t most_around(const struct tune *t)
{
	size_t most = 0;

	for (size_t i = 0; i < t->momenta.n; i++) {
		const size_t n = tune_dry_around(t, t->momenta.v[i]);

		most = n > most ? n : most;
	}
	return most;
}

/* As long as all probes have diverged, more groups are tried like the fewest. */
static struct most most_of(const struct tune *t)
{
	const size_t probes = most_around(t), more = probes > t->rates.n ? probes : t->rates.n;

	return (struct most){
		.cold = t->rates.n + (t->ngroups - 1) * more, .refined = t->refine ? AROUND : 0,
		.tuned = 2, .steady = (size_t)t->rounds * (t->ngroups * probes + 1),
		.exhaustive = t->exhaustive ? t->ngroups * t->momenta.n * t->rates.n : 0,
	};
}

static size_t sum_of(const struct most *m)
{
	return m->cold + m->refined + m->tuned + m->steady + m->exhaustive;
}

/* ---- the first probes ---- */

static struct trial first_trial(const struct tune *t, size_t i)
{
	return (struct trial){ t->groups[0], t->momenta.v[t->momenta.n - 1], t->rates.v[i] };
}

static bool is_timed(const struct tune *t)
{
	return t->timed == 2 * t->ngroups;
}

/* Only where seconds of an update are known can a probe be named. */
static bool is_made(const struct tune *t, const struct trial *trial)
{
	const struct request r = { .phase = "cold", .seconds = t->share * t->budget };
	cJSON *points;
	struct plan p;
	bool made;

	if (!is_timed(t))
		return false;
	points = cJSON_CreateArray();
	cJSON_AddItemToArray(points, tune_point(t, trial, &r));
	made = plan_from_points(&p, t->base, points, t->out) == 0 && plan_count(&p, RUN_FINISHED);
	plan_release(&p);
	cJSON_Delete(points);
	return made;
}

/* Of the probes that are not there already. 0 or error(); release in either case. */
static int plan_first(const struct tune *t, struct plan *p)
{
	cJSON *points = cJSON_CreateArray();
	int ret;

	for (size_t i = 0; i < t->rates.n; i++) {
		const struct trial trial = first_trial(t, i);

		if (!is_made(t, &trial))
			cJSON_AddItemToArray(points, tune_point_alike(t, &trial));
	}
	ret = plan_from_points(p, t->base, points, t->out);
	cJSON_Delete(points);
	return ret;
}

static struct estimate estimate_first(const struct tune *t, struct plan *p)
{
	struct pool_conf n = t->conf;

	return jobs_choose(p, &n) < 0 ? (struct estimate){ 0 }
				      : plan_estimate(p, n.jobs, n.threads);
}

/* ---- text ---- */

static void print_groups(const struct tune *t)
{
	printf("groups");
	for (size_t i = 0; i < t->ngroups; i++)
		printf(" %lld", (long long)t->groups[i]);
	printf("\n");
}

static void print_first(const struct tune *t, const struct estimate *e)
{
	char *takes = estimate_text(e);

	printf("\nat first: %zu timing-only runs, %zu of them finished; then the probes\n",
	       2 * t->ngroups, t->timed);
	printf("groups  momentum  learning rate\n");
	for (size_t i = 0; i < t->rates.n; i++) {
		const struct trial a = first_trial(t, i);

		printf("%6lld  %8g  %9g\n", (long long)a.groups, a.momentum, a.lr);
	}
	printf("these probes: %s\n\n", takes ? takes : "finished");
	free(takes);
}

static void print_share(const char *what, size_t n)
{
	if (n)
		printf(", %s %zu", what, n);
}

static void print_most(const struct most *m)
{
	printf("at most %zu training runs: cold start %zu", sum_of(m), m->cold);
	print_share("refined", m->refined);
	print_share("tuned and untuned", m->tuned);
	print_share("steady state", m->steady);
	print_share("exhaustive", m->exhaustive);
	printf("\n");
}

static void print_text(const struct tune *t, const struct plan *p, const struct estimate *e)
{
	const struct most most = most_of(t);

	tune_print_lists(t);
	if (is_timed(t))
		tune_print_updates(t);
	else
		print_groups(t);
	print_first(t, e);
	print_most(&most);
	printf("into %s/sim\n", t->out);
	if (p->n) {
		printf("\nsettings of the probes\n");
		settings_table_of_plan(p);
	}
}

/* ---- JSON ---- */

static cJSON *first_json(const struct tune *t)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < t->rates.n; i++) {
		const struct trial a = first_trial(t, i);

		cJSON_AddItemToArray(list, tune_trial_json(&a));
	}
	return list;
}

static cJSON *most_json(const struct most *m)
{
	cJSON *object = cJSON_CreateObject();

	cJSON_AddNumberToObject(object, "cold", (double)m->cold);
	cJSON_AddNumberToObject(object, "refined", (double)m->refined);
	cJSON_AddNumberToObject(object, "tuned", (double)m->tuned);
	cJSON_AddNumberToObject(object, "steady", (double)m->steady);
	cJSON_AddNumberToObject(object, "exhaustive", (double)m->exhaustive);
	cJSON_AddNumberToObject(object, "all", (double)sum_of(m));
	return object;
}

static void tune_dry_print_json(const struct tune *t, const struct estimate *e)
{
	const struct most most = most_of(t);
	cJSON *json = cJSON_CreateObject(), *groups = cJSON_AddArrayToObject(json, "groups");

	for (size_t i = 0; i < t->ngroups; i++)
		cJSON_AddItemToArray(groups, cJSON_CreateNumber((double)t->groups[i]));
	cJSON_AddItemToObject(json, "rates", cJSON_CreateDoubleArray(t->rates.v, (int)t->rates.n));
	cJSON_AddItemToObject(json, "momenta",
			      cJSON_CreateDoubleArray(t->momenta.v, (int)t->momenta.n));
	cJSON_AddItemToObject(json, "budget_s", t->budget > 0 ? cJSON_CreateNumber(t->budget)
							      : cJSON_CreateNull());
	cJSON_AddNumberToObject(json, "timing_runs", (double)(2 * t->ngroups));
	cJSON_AddNumberToObject(json, "timing_finished", (double)t->timed);
	cJSON_AddItemToObject(json, "first", first_json(t));
	cJSON_AddItemToObject(json, "estimate", estimate_json(e));
	cJSON_AddItemToObject(json, "at_most", most_json(&most));
	json_print(json);
	cJSON_Delete(json);
}

static int tune_dry_print(const struct tune *t)
{
	struct estimate e;
	struct plan p;
	int ret = plan_first(t, &p);

	if (ret == 0) {
		e = estimate_first(t, &p);
		if (t->text)
			print_text(t, &p, &e);
		else
			tune_dry_print_json(t, &e);
		ret = plan_look_data(&p);
	}
	plan_release(&p);
	return ret;
}

int tune_dry_run(struct tune *t)
{
	int code = tune_timed(t) == 0 ? EXIT_OK : EXIT_BAD;

	if (code == EXIT_OK && is_timed(t))
		code = tune_hardware(t);
	return code == EXIT_OK && tune_dry_print(t) == 0 ? EXIT_OK : EXIT_BAD;
}
