/* print.c - how well the models fit a log, as a table and as JSON. */
#include "study/fit/fit.h"

#include "core/base/mem.h"
#include "core/text/word.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A limit from here on excludes few laws: two without a common value are 1 apart. */
static const double WEAK_KS = 0.25;

static double fit_log_mean(const struct fit *f)
{
	return fit_mean(f->log.seconds, f->log.workers * f->log.steps);
}

static void print_outlier(const struct outlier *o)
{
	printf("worker %zu: %.4g s, %.4g times the median worker", o->worker, o->seconds,
	       o->factor);
	if (o->phases)
		printf(": slow phases of %.4g times, %.2g %% of the time", o->of.factor,
		       100.0 * o->of.slow_s / (o->of.slow_s + o->of.fast_s));
	puts("");
}

static void print_log(const struct fit *f)
{
	const struct outliers *o = &f->outliers;

	printf("%s: %zu worker%s, %zu steps each, mean %.4g s", f->path, f->log.workers,
	       word_plural((double)f->log.workers), f->log.steps, fit_log_mean(f));
	if (f->cut)
		printf("; the first %zu steps are compared", f->compared);
	puts("\n");
	for (size_t i = 0; i < o->n; i++)
		print_outlier(&o->v[i]);
	if (o->n)
		printf("The models are fitted to the other %zu workers.\n\n", f->rest.workers);
}

static void print_model(const struct fit *f, size_t i)
{
	const struct comparison *c = &f->of[i];
	char *ks = xasprintf("%.3f (%.3f)", c->ks, c->ks_most);
	char *lag1 = xasprintf("%.3f (%.3f to %.3f)", c->lag1.middle, c->lag1.low, c->lag1.high);
	char *spread = xasprintf("%.3f (%.3f to %.3f)", c->spread.middle, c->spread.low,
				 c->spread.high);

	printf("%-10s %-16s %-26s %-24s %s\n", f->model[i].name, ks, lag1, spread,
	       c->fits ? "yes" : "no");
	free(ks);
	free(lag1);
	free(spread);
}

/* A path in a value of --delay, which some characters would end. */
static void print_path(const char *path)
{
	for (; *path; path++)
		printf("%s%c", *path == ';' || *path == '*' || *path == ',' ? "\\" : "", *path);
}

/* The end of --delay, and " --slow 3:1.5": workers with phases, and with factors, of their own. */
static void print_outliers(const struct outliers *o, double compute_s)
{
	char *slow = outliers_slow(o), *clauses = outliers_clauses(o, compute_s, false);

	printf("%s'", clauses);
	if (*slow)
		printf(" --slow %s", slow);
	puts("");
	free(clauses);
	free(slow);
}

/* Runs that are far from each other include almost any log. */
static void print_weakness(const struct fit *f)
{
	const struct comparison *c = &f->of[f->best];

	if (c->ks_most >= WEAK_KS)
		printf("The KS distance says little: runs of %s with %zu worker%s differ by up to "
		       "%.3f.\n", f->model[f->best].name, f->rest.workers,
		       word_plural((double)f->rest.workers), c->ks_most);
}

static void print_best(const struct fit *f)
{
	const struct fit_model *m = &f->model[f->best];

	if (f->of[f->best].fits)
		printf("\nBest: %s, the simplest model that fits.\n", m->name);
	else
		printf("\nNo model fits; %s is the nearest.\n", m->name);
	printf("  --compute-s %.5g --delay '%s", m->compute_s, m->delay);
	print_outliers(&f->outliers, m->compute_s);
	if (f->of[f->best].fits) {
		print_weakness(f);
		return;
	}
	if (!f->csv) {
		puts("The log itself can be replayed. Give --csv FILE.");
		return;
	}
	printf("The log itself:\n  --compute-s %.5g --delay 'replay:file=", fit_log_mean(f));
	print_path(f->csv);
	puts("'");
}

static void print_parameters(const struct fit_parameters *p)
{
	if (p->n == 0)
		return;
	printf("\nParameters, with 95 %% intervals by %d fits to runs of the model:\n", p->refits);
	for (size_t i = 0; i < p->n; i++)
		printf("  %-20s %10.4g  %.4g to %.4g\n", p->v[i].name, p->v[i].value, p->v[i].low,
		       p->v[i].high);
}

/* "+-DEVIATION" of a 95 % interval, as convoy advise reads it; nothing of a value of 0 or less. */
static void print_deviation(const struct fit_parameter *v)
{
	const double deviation = fmin(0.25 * (v->high - v->low), v->value);

	if (deviation > 0.0)
		printf("+-%.2g", deviation);
}

/* The values of --delay in their order are the parameters from the second on. */
static void print_uncertain(const struct fit_parameters *p, const struct outliers *o,
			    const char *delay)
{
	if (p->n == 0)
		return;
	printf("A cluster file holds no intervals. For convoy advise, with a quarter of each as "
	       "the deviation:\n  --compute-s %.5g", p->v[0].value);
	print_deviation(&p->v[0]);
	printf(" --delay '");
	for (size_t i = 1; i < p->n; i++) {
		const char *value = strchr(delay, '=') + 1;
		const int n = (int)(value - delay) + (int)strcspn(value, ", ");

		printf("%.*s", n, delay);
		print_deviation(&p->v[i]);
		delay += n;
	}
	fputs(delay, stdout);
	print_outliers(o, p->v[0].value);
}

void fit_print(const struct fit *f)
{
	print_log(f);
	if (strcmp(f->model[0].name, "constant") == 0) {
		printf("All times%s are equal: the delay is constant.\n  --compute-s %.5g --delay "
		       "'constant", f->outliers.n ? " of these" : "", f->model[0].compute_s);
		print_outliers(&f->outliers, f->model[0].compute_s);
		return;
	}
	printf("%-10s %-16s %-26s %-24s %s\n", "model", "KS distance", "lag-1 autocorrelation",
	       "spread between workers", "fits");
	printf("%-10s %-16s %-26.3f %-24.3f\n", "the log", "", f->own.lag1, f->own.spread);
	for (size_t i = 0; i < f->n; i++)
		print_model(f, i);
	printf("In parentheses: %d runs of the model, the largest distance and the ranges.\n",
	       FIT_RUNS);
	print_best(f);
	print_parameters(&f->parameters);
	print_uncertain(&f->parameters, &f->outliers, f->model[f->best].delay);
}

static cJSON *range_json(const struct fit_range *r)
{
	cJSON *o = cJSON_CreateObject();

	cJSON_AddNumberToObject(o, "low", r->low);
	cJSON_AddNumberToObject(o, "middle", r->middle);
	cJSON_AddNumberToObject(o, "high", r->high);
	return o;
}

static cJSON *model_json(const struct fit *f, size_t i)
{
	const struct comparison *c = &f->of[i];
	cJSON *o = cJSON_CreateObject();

	cJSON_AddStringToObject(o, "name", f->model[i].name);
	cJSON_AddStringToObject(o, "delay", f->model[i].delay);
	cJSON_AddNumberToObject(o, "compute_s", f->model[i].compute_s);
	cJSON_AddNumberToObject(o, "ks", c->ks);
	cJSON_AddNumberToObject(o, "ks_most", c->ks_most);
	cJSON_AddItemToObject(o, "lag1", range_json(&c->lag1));
	cJSON_AddItemToObject(o, "spread", range_json(&c->spread));
	cJSON_AddBoolToObject(o, "fits", c->fits);
	return o;
}

static cJSON *parameters_json(const struct fit_parameters *p)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < p->n; i++) {
		cJSON *o = cJSON_CreateObject();

		cJSON_AddStringToObject(o, "name", p->v[i].name);
		cJSON_AddNumberToObject(o, "value", p->v[i].value);
		cJSON_AddNumberToObject(o, "low", p->v[i].low);
		cJSON_AddNumberToObject(o, "high", p->v[i].high);
		cJSON_AddItemToArray(list, o);
	}
	return list;
}

/* Of a worker's slow phases: their factor, and mean times without and with one. */
static cJSON *phases_json(const struct estimates *e)
{
	cJSON *o = cJSON_CreateObject();

	cJSON_AddNumberToObject(o, "factor", e->factor);
	cJSON_AddNumberToObject(o, "fast_s", e->fast_s);
	cJSON_AddNumberToObject(o, "slow_s", e->slow_s);
	return o;
}

static cJSON *outliers_json(const struct outliers *outliers)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < outliers->n; i++) {
		cJSON *o = cJSON_CreateObject();

		cJSON_AddNumberToObject(o, "worker", (double)outliers->v[i].worker);
		cJSON_AddNumberToObject(o, "mean_s", outliers->v[i].seconds);
		cJSON_AddNumberToObject(o, "factor", outliers->v[i].factor);
		if (outliers->v[i].phases)
			cJSON_AddItemToObject(o, "phases", phases_json(&outliers->v[i].of));
		cJSON_AddItemToArray(list, o);
	}
	return list;
}

cJSON *fit_json(const struct fit *f)
{
	cJSON *o = cJSON_CreateObject(), *log = cJSON_AddObjectToObject(o, "log"), *models, *best;

	cJSON_AddStringToObject(log, "file", f->path);
	cJSON_AddNumberToObject(log, "workers", (double)f->log.workers);
	cJSON_AddNumberToObject(log, "steps", (double)f->log.steps);
	cJSON_AddNumberToObject(log, "compared", (double)f->compared);
	cJSON_AddNumberToObject(log, "mean_s", fit_log_mean(f));
	cJSON_AddNumberToObject(log, "lag1", f->own.lag1);
	cJSON_AddNumberToObject(log, "spread", f->own.spread);
	if (f->outliers.n)
		cJSON_AddItemToObject(log, "outliers", outliers_json(&f->outliers));
	models = cJSON_AddArrayToObject(o, "models");
	for (size_t i = 0; i < f->n; i++)
		cJSON_AddItemToArray(models, model_json(f, i));
	best = model_json(f, f->best);
	if (f->parameters.n)
		cJSON_AddItemToObject(best, "parameters", parameters_json(&f->parameters));
	cJSON_AddItemToObject(o, "best", best);
	return o;
}
