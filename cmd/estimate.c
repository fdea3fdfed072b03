#include "cmd/estimate.h"

#include "cmd/context.h"
#include "core/mem.h"
#include "report/cost.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RESULTS = 200 };    /* are read */

/* What runs of the same cost for each sample, or gradient, have in common. */
static const char *const learning[] = { "engine", "timing", "net", "precision", "backend", NULL };
static const char *const timing[] = { "engine", "timing", "algo", "workers", NULL };
static const char *const real[] = { "engine", "timing", "net", "algo", "workers", "slow",
				    "compute_s", "batch", NULL };

struct kind {                   /* of runs: what is known of its cost */
	char *text;             /* owned */
	double wall_s, samples;
	size_t results;
};

struct past {                   /* results of the experiment */
	struct kind *kind;      /* [n] */
	size_t n, read;
};

static const char *const all_keys[] = { "engine", "timing", "net", "precision", "backend", "algo",
					"workers", "slow", "compute_s", "batch", NULL };

/* Values of settings, given by their names, as one text: of the kind of run that it is. */
static char *kind_text(const char *(*value)(const void *of, const char *key), const void *of)
{
	const bool is_real = strcmp(value(of, "engine"), "mpi") == 0;
	const bool is_timing = strcmp(value(of, "timing"), "true") == 0;
	const char *const *keys = is_real ? real : is_timing ? timing : learning;
	char *all = xstrdup("");

	for (; *keys; keys++) {
		char *longer = xasprintf("%s%s ", all, value(of, *keys));

		free(all);
		all = longer;
	}
	return all;
}

static const char *value_of_setup(const void *setup, const char *key)
{
	return setup_text(setup, key);
}

static const char *value_of_result(const void *texts, const char *key)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(texts, key));

	return text ? text : "";
}

static struct kind *find(const struct past *p, const char *text)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->kind[i].text, text) == 0)
			return &p->kind[i];
	return NULL;
}

/* Takes text. */
static void add(struct past *p, char *text, const struct cost *c, double batch)
{
	struct kind *k = find(p, text);

	if (!k) {
		p->kind = xrealloc(p->kind, p->n + 1, sizeof(*p->kind));
		k = &p->kind[p->n++];
		*k = (struct kind){ .text = xstrdup(text) };
	}
	k->wall_s += c->wall_s;
	k->samples += (double)c->gradients * batch;
	k->results++;
	free(text);
}

static void read_result(struct past *past, const char *path)
{
	struct cost c;
	cJSON *texts = result_cost(path, all_keys, &c);

	if (!texts)
		return;
	past->read++;
	add(past, kind_text(value_of_result, texts), &c,
	    strtod(value_of_result(texts, "batch"), NULL));
	cJSON_Delete(texts);
}

static void read_folder(struct past *past, const char *folder)
{
	DIR *d = opendir(folder);
	struct dirent *e;

	while (d && past->read < MOST_RESULTS && (e = readdir(d))) {
		const char *dot = strrchr(e->d_name, '.');
		char *path = xasprintf("%s/%s", folder, e->d_name);

		if (dot && strcmp(dot, ".h5") == 0)
			read_result(past, path);
		free(path);
	}
	if (d)
		closedir(d);
}

/* OUT/EXPERIMENT/SCALE/runs, of this scale first. */
static void read_past(struct past *past, const struct plan *p)
{
	char *above = xasprintf("%.*s", (int)(strrchr(p->dir, '/') - p->dir), p->dir);
	DIR *d = opendir(above);
	struct dirent *e;

	read_folder(past, p->folder);
	while (d && (e = readdir(d))) {
		char *folder = xasprintf("%s/%s/runs", above, e->d_name);

		if (e->d_name[0] != '.' && strcmp(folder, p->folder) != 0)
			read_folder(past, folder);
		free(folder);
	}
	if (d)
		closedir(d);
	free(above);
}

void estimate_samples(const struct setup *su, int64_t n[2])
{
	n[SPLIT_TRAIN] = su->samples;
	n[SPLIT_TEST] = 0;
	if (!setup_needs_data(su))
		return;
	context_mute();
	if (dataset_count((const struct dataset_type *)su->data.plugin, su->data.conf, n) != 0)
		n[SPLIT_TRAIN] = n[SPLIT_TEST] = 0;
	context_set(NULL);
}

/* Training samples until the budget is spent; NaN: not known. */
static double samples_of(const struct setup *su, const int64_t n[2])
{
	double all = HUGE_VAL;

	if (su->in.gradients > 0)
		all = (double)su->in.gradients * (double)su->in.batch;
	if (su->num.epochs > 0)
		all = fmin(all, n[SPLIT_TRAIN] ? su->num.epochs * (double)n[SPLIT_TRAIN] :
						 (double)NAN);
	return isfinite(all) ? all : (double)NAN;
}

/* What evaluations cost beside, in samples: a forward pass is a third of a gradient. */
static double evaluated(const struct setup *su, const int64_t n[2], double samples)
{
	const double test = su->in.eval_samples ? (double)su->in.eval_samples :
						  (double)n[SPLIT_TEST];
	const double epochs = n[SPLIT_TRAIN] ? samples / (double)n[SPLIT_TRAIN] : 0;
	const double times = su->in.eval_every > 0 ? floor(epochs / su->in.eval_every) : 1;

	return times * (test + 128.0 * (double)su->in.stat_batches) / 3;
}

/* Seconds of one run; NaN: not known. */
static double seconds_of(const struct setup *su, const struct past *past, int threads,
			 struct estimate *e)
{
	char *text = kind_text(value_of_setup, su);
	const struct kind *k = find(past, text);
	int64_t n[2];
	double samples, rate;

	free(text);
	if (su->in.engine == ENGINE_MPI && su->in.seconds > 0)
		return su->in.seconds;
	estimate_samples(su, n);
	samples = samples_of(su, n);
	if (isnan(samples))
		return samples;
	if (k && k->samples > 0) {
		e->results = past->read;
		return samples * k->wall_s / k->samples;
	}
	rate = setup_needs_data(su) && su->in.engine == ENGINE_SIM ? estimate_rate(su, threads) : 0;
	e->nets += rate > 0;
	return rate > 0 ? (samples + evaluated(su, n, samples)) / rate : (double)NAN;
}

struct estimate plan_estimate(const struct plan *p, int jobs, int threads)
{
	struct estimate e = { 0 };
	struct past past = { 0 };
	double most = 0;

	if (plan_count(p, RUN_TODO))
		read_past(&past, p);
	for (size_t i = 0; i < p->n; i++) {
		const struct planned *r = &p->runs[i];
		double seconds;

		if (r->state != RUN_TODO || r->twin != i)
			continue;
		seconds = seconds_of(&r->su, &past, threads, &e);
		e.known += !isnan(seconds);
		e.unknown += isnan(seconds);
		/* What computes shares the cores already, whatever the jobs. */
		if (!isnan(seconds))
			e.seconds += setup_needs_data(&r->su) && r->su.in.engine == ENGINE_SIM ?
					     seconds : seconds / jobs;
		most = fmax(most, estimate_memory(&r->su, threads));
	}
	e.bytes = most * jobs;
	for (size_t i = 0; i < past.n; i++)
		free(past.kind[i].text);
	free(past.kind);
	return e;
}

void estimate_add(struct estimate *e, const struct estimate *next)
{
	e->seconds += next->seconds;
	e->known += next->known;
	e->unknown += next->unknown;
	e->results += next->results;
	e->nets += next->nets;
	e->bytes = fmax(e->bytes, next->bytes);
}

static char *span_text(double s)
{
	if (s < 90)
		return xasprintf("about %.0f s", ceil(s));
	if (s < 5400)
		return xasprintf("about %.0f min", s / 60);
	return xasprintf("about %.1f h", s / 3600);
}

static char *source_text(const struct estimate *e)
{
	if (e->results && e->nets)
		return xasprintf(" (from %zu results and rates measured now)", e->results);
	if (e->results)
		return xasprintf(" (from %zu results)", e->results);
	return xstrdup(e->nets ? " (from the net's rate, measured now)" : "");
}

char *estimate_text(const struct estimate *e)
{
	char *span = span_text(e->seconds), *from = source_text(e), *rest, *memory, *all;

	rest = e->unknown ? xasprintf("%stime of %zu runs unknown", e->known ? ", " : "",
				      e->unknown) : xstrdup("");
	memory = e->bytes > 0 ? xasprintf(", memory about %.*f GB", e->bytes < 1e10 ? 2 : 0,
					  e->bytes / 1e9) : xstrdup("");
	all = e->known + e->unknown ? xasprintf("%s%s%s%s", e->known ? span : "",
						e->known ? from : "", rest, memory) : NULL;
	free(span);
	free(from);
	free(rest);
	free(memory);
	return all;
}

cJSON *estimate_json(const struct estimate *e)
{
	cJSON *json = cJSON_CreateObject();

	cJSON_AddItemToObject(json, "seconds", e->known || !e->unknown ?
						       cJSON_CreateNumber(e->seconds) :
						       cJSON_CreateNull());
	cJSON_AddNumberToObject(json, "known_runs", (double)e->known);
	cJSON_AddNumberToObject(json, "unknown_runs", (double)e->unknown);
	cJSON_AddNumberToObject(json, "results", (double)e->results);
	cJSON_AddItemToObject(json, "memory_bytes", e->bytes > 0 ? cJSON_CreateNumber(e->bytes) :
								   cJSON_CreateNull());
	return json;
}
