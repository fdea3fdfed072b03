/* What a search for settings did: as it goes on, in the end, as JSON. */
#include "study/tune/tune.h"

#include "core/file/json.h"
#include "core/text/word.h"
#include "runner/results/outcome.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what it took ---- */

static bool is_probe(const char *phase)
{
	return strcmp(phase, "cold") == 0 || strcmp(phase, "refined") == 0;
}

/* Of the attempts of a phase, or of all that are probes (NULL) with the timing-only ones. */
static struct cost tune_cost(const struct tune *t, const char *phase)
{
	struct cost c = { 0 };

	if (!phase)
		c = (struct cost){ .seconds = t->timing_s, .gradients = t->timing_gradients };
	for (size_t i = 0; i < t->n; i++) {
		const struct attempt *a = &t->all[i];

		if (phase ? strcmp(a->phase, phase) != 0 : !is_probe(a->phase))
			continue;
		c.seconds += a->time_s;
		c.gradients += a->gradients;
		c.samples += a->samples;
		c.runs++;
	}
	return c;
}

/* ---- tuned against untuned ---- */

struct race {
	double loss, tuned_s, untuned_s;        /* HUGE_VAL: never */
};

/* The loss that both reach; where one of the runs diverged, that of the other one. */
static struct race race_of(const struct tune *t, const struct search *s)
{
	const struct attempt *tuned = &t->all[s->tuned], *untuned = &t->all[s->untuned];
	struct race r = { .loss = isfinite(untuned->loss) && isfinite(tuned->loss)
					  ? fmax(tuned->loss, untuned->loss)
					  : fmin(tuned->loss, untuned->loss) };

	if (!isfinite(r.loss))
		return (struct race){ HUGE_VAL, HUGE_VAL, HUGE_VAL };
	r.tuned_s = attempt_time_to(tuned, r.loss);
	r.untuned_s = attempt_time_to(untuned, r.loss);
	return r;
}

static size_t exhaustive_best(const struct tune *t)
{
	return tune_best(t, "exhaustive", 0, t->n);
}

/* ---- text ---- */

void tune_print_updates(const struct tune *t)
{
	printf("groups  seconds of an update\n");
	for (size_t i = 0; i < t->ngroups; i++)
		printf("%6lld  %.6g\n", (long long)t->groups[i], t->update_s[i]);
}

static void tune_print_print_list(const char *what, const struct opt_doubles *list)
{
	printf("%s", what);
	for (size_t i = 0; i < list->n; i++)
		printf(" %g", list->v[i]);
}

void tune_print_lists(const struct tune *t)
{
	const double budget = t->budget > 0 ? t->budget : TUNE_UPDATES;

	printf("%lld worker%s, updates of %lld samples; runs of %.4g %s, probes of %.4g\n",
	       (long long)t->workers, word_plural((double)t->workers), (long long)t->batch, budget,
	       t->budget > 0 ? "simulated seconds" : "updates of the fewest groups",
	       t->share * budget);
	tune_print_print_list("learning rates", &t->rates);
	tune_print_print_list("; momenta", &t->momenta);
	printf("\n\n");
}

void tune_print_plan(const struct tune *t)
{
	tune_print_lists(t);
	tune_print_updates(t);
	printf("\n%-10s %6s %8s %13s %10s %10s\n", "phase", "groups", "momentum", "learning rate",
	       "loss", "seconds");
	fflush(stdout);
}

void tune_print_attempt(const struct attempt *a)
{
	if (strcmp(a->phase, "exhaustive") == 0)
		return;
	printf("%-10s %6lld %8g %13g ", a->phase, (long long)a->trial.groups, a->trial.momentum,
	       a->trial.lr);
	if (isfinite(a->loss))
		printf("%10.4g", a->loss);
	else
		printf("%10s", "diverged");
	printf(" %10.4g\n", a->time_s);
	fflush(stdout);
}

static void print_trial(const struct trial *a)
{
	printf("%lld group%s, momentum %g, learning rate %g", (long long)a->groups,
	       word_plural((double)a->groups), a->momentum, a->lr);
}

static void print_cost(const char *what, const struct cost *c)
{
	printf("%s: %zu run%s, %.4g simulated seconds, %.4g gradients of %.4g samples", what,
	       c->runs, word_plural((double)c->runs), c->seconds, c->gradients, c->samples);
}

static void print_choice(const struct tune *t, const struct search *s)
{
	const struct attempt *a = &t->all[s->chosen];

	printf("\nchosen: ");
	print_trial(&a->trial);
	printf(": the least loss of all probes, %.4g\n", a->loss);
	if (s->saturated < t->ngroups)
		printf("%lld groups and more were not tried: an update is not a tenth faster than "
		       "with %lld\n", (long long)t->groups[s->saturated],
		       (long long)t->groups[s->saturated - 1]);
}

static void print_loss(const char *what, double loss)
{
	if (isfinite(loss))
		printf("%s %.4g", what, loss);
	else
		printf("%s diverged", what);
}

static void print_time(double time)
{
	if (isfinite(time))
		printf("after %.4g s", time);
	else
		printf("never");
}

static void print_race(const struct tune *t, const struct search *s)
{
	const struct race r = race_of(t, s);

	print_loss("\nin the end: tuned", t->all[s->tuned].loss);
	print_loss(", untuned", t->all[s->untuned].loss);
	printf("\n");
	if (!isfinite(r.loss))
		return;
	printf("a loss of %.4g: tuned ", r.loss);
	print_time(r.tuned_s);
	printf(", untuned (");
	print_trial(&t->untuned);
	printf(") ");
	print_time(r.untuned_s);
	if (isfinite(r.untuned_s) && isfinite(r.tuned_s))
		printf(": a factor of %.3g\n", r.untuned_s / r.tuned_s);
	else
		printf(isfinite(r.tuned_s) ? ": an infinite factor\n" : "\n");
}

static void print_exhaustive(const struct tune *t, const struct search *s)
{
	const struct cost search = tune_cost(t, NULL), all = tune_cost(t, "exhaustive");
	const size_t best = exhaustive_best(t);

	print_cost("exhaustive search", &all);
	printf("\n");
	if (best == SIZE_MAX) {
		printf("all of it diverged\n");
		return;
	}
	printf("its best: ");
	print_trial(&t->all[best].trial);
	printf(": a loss of %.4g; ", t->all[best].loss);
	print_loss("the run with what was chosen:", t->all[s->tuned].loss);
	printf("\n");
	printf("the search took %.3g %% of its simulated seconds, %.3g %% of its samples\n",
	       100.0 * search.seconds / all.seconds, 100.0 * search.samples / all.samples);
}

static void print_steady(const struct attempt *a)
{
	printf("steady state: ");
	print_trial(&a->trial);
	if (isfinite(a->loss))
		printf(": a loss of %.4g after another %.4g s\n", a->loss, a->time_s);
	else
		printf(": diverged after another %.4g s\n", a->time_s);
}

void tune_print(const struct tune *t, const struct search *s, double wall_s)
{
	const struct cost search = tune_cost(t, NULL);

	print_choice(t, s);
	print_race(t, s);
	if (s->steady != SIZE_MAX)
		print_steady(&t->all[s->steady]);
	printf("\n");
	print_cost("search", &search);
	if (t->before)
		printf("; %zu result%s of earlier commands used, the rest took %.3g s here\n",
		       t->before, word_plural((double)t->before), wall_s);
	else
		printf("; all took %.3g s here\n", wall_s);
	if (tune_cost(t, "exhaustive").runs)
		print_exhaustive(t, s);
}

/* ---- JSON ---- */

cJSON *tune_trial_json(const struct trial *a)
{
	cJSON *object = cJSON_CreateObject();

	cJSON_AddNumberToObject(object, "groups", (double)a->groups);
	cJSON_AddNumberToObject(object, "momentum", a->momentum);
	cJSON_AddNumberToObject(object, "lr", a->lr);
	return object;
}

static cJSON *attempt_json(const struct attempt *a)
{
	cJSON *object = tune_trial_json(&a->trial);
	const cJSON *file = json_get(a->run, "file");

	cJSON_AddStringToObject(object, "phase", a->phase);
	cJSON_AddNumberToObject(object, "loss", a->loss);
	cJSON_AddNumberToObject(object, "time_s", a->time_s);
	cJSON_AddNumberToObject(object, "gradients", a->gradients);
	cJSON_AddNumberToObject(object, "samples", a->samples);
	cJSON_AddStringToObject(object, "file", cJSON_GetStringValue(file));
	return object;
}

static cJSON *cost_json(const struct cost *c)
{
	cJSON *object = cJSON_CreateObject();

	cJSON_AddNumberToObject(object, "runs", (double)c->runs);
	cJSON_AddNumberToObject(object, "seconds", c->seconds);
	cJSON_AddNumberToObject(object, "gradients", c->gradients);
	cJSON_AddNumberToObject(object, "samples", c->samples);
	return object;
}

static void put_hardware(const struct tune *t, const struct search *s, cJSON *json)
{
	cJSON *list = cJSON_AddArrayToObject(json, "hardware");

	for (size_t i = 0; i < t->ngroups; i++) {
		cJSON *row = cJSON_CreateObject();

		cJSON_AddNumberToObject(row, "groups", (double)t->groups[i]);
		cJSON_AddNumberToObject(row, "update_s", t->update_s[i]);
		cJSON_AddBoolToObject(row, "tried", i < s->saturated);
		cJSON_AddItemToArray(list, row);
	}
}

static void put_race(const struct tune *t, const struct search *s, cJSON *json)
{
	const struct race r = race_of(t, s);

	cJSON_AddNumberToObject(json, "to_loss", r.loss);
	cJSON_AddNumberToObject(json, "tuned_s", r.tuned_s);
	cJSON_AddNumberToObject(json, "untuned_s", r.untuned_s);
	cJSON_AddNumberToObject(json, "factor", r.untuned_s / r.tuned_s);
}

static void put_exhaustive(const struct tune *t, cJSON *json)
{
	const struct cost search = tune_cost(t, NULL), all = tune_cost(t, "exhaustive");
	const size_t best = exhaustive_best(t);
	cJSON *object = cJSON_AddObjectToObject(json, "exhaustive");

	cJSON_AddItemToObject(object, "cost", cost_json(&all));
	cJSON_AddNumberToObject(object, "search_share_of_seconds", search.seconds / all.seconds);
	cJSON_AddNumberToObject(object, "search_share_of_samples", search.samples / all.samples);
	cJSON_AddItemToObject(object, "best", best == SIZE_MAX ? cJSON_CreateNull()
							       : attempt_json(&t->all[best]));
}

void tune_print_json(const struct tune *t, const struct search *s, double wall_s)
{
	const struct cost search = tune_cost(t, NULL);
	cJSON *json = cJSON_CreateObject(), *list;

	put_hardware(t, s, json);
	cJSON_AddNumberToObject(json, "budget_s", t->budget);
	list = cJSON_AddArrayToObject(json, "runs");
	for (size_t i = 0; i < t->n; i++)
		cJSON_AddItemToArray(list, attempt_json(&t->all[i]));
	cJSON_AddItemToObject(json, "chosen", attempt_json(&t->all[s->chosen]));
	cJSON_AddItemToObject(json, "untuned", tune_trial_json(&t->untuned));
	put_race(t, s, json);
	cJSON_AddItemToObject(json, "steady", s->steady == SIZE_MAX
						      ? cJSON_CreateNull()
						      : attempt_json(&t->all[s->steady]));
	cJSON_AddItemToObject(json, "cost", cost_json(&search));
	cJSON_AddNumberToObject(json, "finished_before", (double)t->before);
	cJSON_AddNumberToObject(json, "wall_s", wall_s);
	if (tune_cost(t, "exhaustive").runs)
		put_exhaustive(t, json);
	json_print(json);
	cJSON_Delete(json);
}
