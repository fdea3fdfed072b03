/* print.c - the errors as a table and as JSON. */
#include "study/check/check.h"

#include <math.h>
#include <stdio.h>

enum { NAME = 36, WIDTH = 14 };

/* The rows after the blobs. */
static const char *const others[] = { "all parameters", "loss", "statistics", "logits" };
enum { OTHERS = sizeof(others) / sizeof(others[0]) };

static double check_print_other(const struct comparison *k, int i)
{
	const double errors[OTHERS] = { k->whole, k->loss, k->stats, k->logits };

	return errors[i];
}

/* NaN, not looked at, is fine. */
static bool check_print_fine(double error, double tolerance)
{
	return isnan(error) || (!isinf(error) && error <= tolerance);
}

/* Rounding may do so many times what the draws of rounding.c showed, but not nearly all. */
static const double draws_miss = 3, most_of_rounding = 0.5;

static double with_rounding(double limit, double rounding)
{
	return fmax(limit, fmin(draws_miss * rounding, most_of_rounding));
}

/* Of blob b. */
static double tolerance_of_blob(const struct comparison *k, size_t b)
{
	return with_rounding(k->tolerance_grad, k->rounding[b]);
}

static const char *check_print_verdict(const struct comparison *k, size_t nblobs)
{
	if (!comparison_holds(k, nblobs))
		return "FAILS";
	return isinf(k->tolerance_grad) ? "n/a" : "holds";
}

/* Of the i-th of the others, the first of which is a gradient's. */
static double check_print_tolerance(const struct comparison *k, int i)
{
	return i ? k->tolerance : with_rounding(k->tolerance_grad, k->rounding_whole);
}

bool comparison_holds(const struct comparison *k, size_t nblobs)
{
	bool holds = true;

	for (size_t b = 0; b < nblobs; b++)
		holds &= check_print_fine(k->blobs[b], tolerance_of_blob(k, b));
	for (int i = 0; i < OTHERS; i++)
		holds &= check_print_fine(check_print_other(k, i), check_print_tolerance(k, i));
	return holds;
}

bool comparison_only_grads(const struct comparison *k, size_t nblobs)
{
	bool only = !isinf(k->whole);

	for (size_t b = 0; b < nblobs; b++)
		only &= !isinf(k->blobs[b]);
	for (int i = 1; i < OTHERS; i++)
		only &= check_print_fine(check_print_other(k, i), k->tolerance);
	return only;
}

bool check_holds(const struct check *c)
{
	bool holds = true;

	for (int i = 0; i < c->ncomparisons; i++)
		holds &= comparison_holds(&c->comparisons[i], c->graph->nblobs);
	return holds;
}

static void print_words(const struct check *c, const char *head, size_t offset)
{
	printf("%-*s", NAME, head);
	for (int i = 0; i < c->ncomparisons; i++)
		printf(" %*s", WIDTH, (const char *)&c->comparisons[i] + offset);
	putchar('\n');
}

/* limit: the tolerance; most: the same, or what rounding makes of it. */
static void print_error(double error, double limit, double most)
{
	const char *mark = check_print_fine(error, limit) ? "" :
			   check_print_fine(error, most)  ? " ~" :
							    " !";
	char text[32];

	snprintf(text, sizeof(text), isnan(error) ? "-" : "%.1e%s", error, mark);
	printf(" %*s", WIDTH, text);
}

static void print_rows(const struct check *c)
{
	for (size_t b = 0; b < c->graph->nblobs; b++) {
		printf("%-*s", NAME, c->graph->blobs[b].name);
		for (int i = 0; i < c->ncomparisons; i++)
			print_error(c->comparisons[i].blobs[b], c->comparisons[i].tolerance_grad,
				    tolerance_of_blob(&c->comparisons[i], b));
		putchar('\n');
	}
	for (int r = 0; r < OTHERS; r++) {
		printf("%-*s", NAME, others[r]);
		for (int i = 0; i < c->ncomparisons; i++)
			print_error(check_print_other(&c->comparisons[i], r),
				    r ? c->comparisons[i].tolerance :
					c->comparisons[i].tolerance_grad,
				    check_print_tolerance(&c->comparisons[i], r));
		putchar('\n');
	}
}

static void print_tolerances(const struct check *c, const char *head, size_t offset)
{
	printf("%-*s", NAME, head);
	for (int i = 0; i < c->ncomparisons; i++)
		printf(" %*.1e", WIDTH,
		       *(const double *)((const char *)&c->comparisons[i] + offset));
	putchar('\n');
}

void check_print(const struct check *c)
{
	const struct graph *g = c->graph;

	printf("%s: input %dx%dx%d, batch %zu, seed %llu; %zu parameters in %zu blobs\n"
	       "Relative errors |a - b| / |b| of gradients, blob by blob; ! where too large, ~ "
	       "where\nrounding in f32 alone may do as much\n\n",
	       g->name, g->input.h, g->input.w, g->input.c, c->n, (unsigned long long)c->seed,
	       g->dim, g->nblobs);
	print_words(c, "", offsetof(struct comparison, who));
	print_words(c, "compared with", offsetof(struct comparison, against));
	print_rows(c);
	print_tolerances(c, "tolerance of gradients", offsetof(struct comparison, tolerance_grad));
	print_tolerances(c, "tolerance of the others", offsetof(struct comparison, tolerance));
	printf("%-*s", NAME, "verdict");
	for (int i = 0; i < c->ncomparisons; i++)
		printf(" %*s", WIDTH, check_print_verdict(&c->comparisons[i], g->nblobs));
	putchar('\n');
}

/* JSON has no infinity: what is no number at all is -1. */
static void add_error(cJSON *object, const char *key, double error)
{
	cJSON_AddNumberToObject(object, key, isinf(error) ? -1 : error);
}

static void add_rounding(cJSON *o, const struct check *c, const struct comparison *k)
{
	cJSON *rounding, *blobs;

	if (k->rounding_whole == 0) {
		cJSON_AddNullToObject(o, "rounding");
		return;
	}
	rounding = cJSON_AddObjectToObject(o, "rounding");
	add_error(rounding, "all", k->rounding_whole);
	blobs = cJSON_AddObjectToObject(rounding, "blobs");
	for (size_t b = 0; b < c->graph->nblobs; b++)
		add_error(blobs, c->graph->blobs[b].name, k->rounding[b]);
}

static cJSON *comparison_json(const struct check *c, const struct comparison *k)
{
	static const char *const keys[OTHERS] = { "all", "loss", "statistics", "logits" };
	cJSON *o = cJSON_CreateObject(), *blobs;

	cJSON_AddStringToObject(o, "who", k->who);
	cJSON_AddStringToObject(o, "against", k->against);
	cJSON_AddNumberToObject(o, "tolerance", k->tolerance);
	cJSON_AddNumberToObject(o, "tolerance_gradient", k->tolerance_grad);
	add_rounding(o, c, k);
	cJSON_AddBoolToObject(o, "holds", comparison_holds(k, c->graph->nblobs));
	for (int i = 0; i < OTHERS; i++)
		add_error(o, keys[i], check_print_other(k, i));
	blobs = cJSON_AddObjectToObject(o, "blobs");
	for (size_t b = 0; b < c->graph->nblobs; b++)
		add_error(blobs, c->graph->blobs[b].name, k->blobs[b]);
	return o;
}

cJSON *check_json(const struct check *c)
{
	const struct shape s = c->graph->input;
	cJSON *o = cJSON_CreateObject(), *list;

	cJSON_AddStringToObject(o, "net", c->graph->name);
	cJSON_AddItemToObject(o, "input", cJSON_CreateIntArray((int[]){ s.h, s.w, s.c }, 3));
	cJSON_AddNumberToObject(o, "batch", (double)c->n);
	cJSON_AddNumberToObject(o, "seed", (double)c->seed);
	cJSON_AddNumberToObject(o, "parameters", (double)c->graph->dim);
	cJSON_AddBoolToObject(o, "holds", check_holds(c));
	list = cJSON_AddArrayToObject(o, "comparisons");
	for (int i = 0; i < c->ncomparisons; i++)
		cJSON_AddItemToArray(list, comparison_json(c, &c->comparisons[i]));
	return o;
}
