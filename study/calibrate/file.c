/* What was measured, as a cluster file and in words. */
#include "study/calibrate/calibrate.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/output.h"
#include "core/math/median.h"
#include "record/environ.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FACTORS = 20 };          /* of the distribution */

void findings_release(struct findings *f)
{
	for (size_t i = 0; i < f->levels; i++)
		times_release(&f->periods[i]);
	for (size_t i = 0; i < f->sizes; i++) {
		times_release(&f->messages[i]);
		times_release(&f->allreduces[i]);
	}
	times_release(&f->steps);
	times_release(&f->passes);
	times_release(&f->receiving);
}

static double mean_of(const struct times *t)
{
	double sum = 0.0;

	for (size_t i = 0; i < t->n; i++)
		sum += t->v[i];
	return sum / (double)t->n;
}

static double cv_of(const struct times *t)
{
	const double mean = mean_of(t);
	double sum = 0.0;

	for (size_t i = 0; i < t->n; i++)
		sum += (t->v[i] - mean) * (t->v[i] - mean);
	return t->n > 1 ? sqrt(sum / (double)(t->n - 1)) / mean : 0.0;
}

/* Five digits: more were not measured. */
static void calibrate_file_add_number(cJSON *object, const char *key, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.5g", value);
	cJSON_AddRawToObject(object, key, text);
}

static void add_by_level(cJSON *object, const struct findings *f, double share)
{
	for (size_t i = 0; i < f->levels; i++) {
		char key[16];

		snprintf(key, sizeof(key), "%d", f->level[i]);
		calibrate_file_add_number(object, key, share * mean_of(&f->periods[i]));
	}
}

static void calibrate_file_add_text(cJSON *object, const char *key, FILE *f, char **text)
{
	xmemclose(f);
	cJSON_AddStringToObject(object, key, *text);
	free(*text);
}

static double per_gradient(const struct fetching *f)
{
	return f->n ? f->seconds / (double)f->n : 0.0;
}

/* Seconds of a gradient of new samples beyond those of one of known samples, relative to these. */
static double first_use(const struct findings *f)
{
	const double resolved = 0.005, all = mean_of(&f->periods[f->levels - 1]);
	const double extra = (per_gradient(&f->first) - per_gradient(&f->known)) / all;

	return f->first.n && f->known.n && extra > resolved ? extra : 0.0;
}

/* Means of equally many neighbours of the sorted times, relative to the mean of all. */
static void add_delay(cJSON *file, struct findings *found)
{
	struct times *t = &found->periods[found->levels - 1];
	const size_t n = t->n < FACTORS ? t->n : FACTORS;
	const double mean = mean_of(t);
	char *text;
	size_t size;
	FILE *f = xmemstream(&text, &size);

	sort_doubles(t->v, t->n);
	fputs("measured:factors=", f);
	for (size_t i = 0; i < n; i++) {
		const size_t first = i * t->n / n, end = (i + 1) * t->n / n;
		const struct times part = { .v = t->v + first, .n = end - first };

		fprintf(f, "%s%.5g", i ? "/" : "", mean_of(&part) / mean);
	}
	if (first_use(found) > 0.0)
		fprintf(f, "*first-use:extra=%.4g,gradients=%lld,workers=%d", first_use(found),
			(long long)(found->epoch > 0 ? found->epoch : 1), found->workers);
	calibrate_file_add_text(file, "delay", f, &text);
}

static void put_sizes(FILE *f, const char *name, const struct findings *fi, size_t first)
{
	fprintf(f, "%s_bytes=", name);
	for (size_t i = first; i < fi->sizes; i++)
		fprintf(f, "%s%zu", i > first ? "/" : "", fi->floats[i] * sizeof(float));
}

/*
 * Means: a thread that waits for a core now and then is part of what a run meets, and is missing
 * from a middle.
 */
static void put_times(FILE *f, const char *name, const struct times *t, size_t first, size_t n)
{
	fprintf(f, ",%s_s=", name);
	for (size_t i = first; i < n; i++)
		fprintf(f, "%s%.4g", i > first ? "/" : "", mean_of(&t[i]));
}

/* 1e9 bytes a second of what handlers read and write, and receive during a gradient; 0: no cost. */
static double handler_rate(struct findings *f)
{
	return f->passes.n ? sizeof(float) / times_middle(&f->passes) / 1e9 : 0.0;
}

static double receive_rate(struct findings *f)
{
	const double delay = times_middle(&f->receiving) - times_middle(&f->periods[f->levels - 1]);

	return f->receiving.n && delay > 0.0
		       ? (double)f->floats[f->sizes - 1] * sizeof(float) / delay / 1e9 : 0.0;
}

static void add_link(cJSON *file, struct findings *fi)
{
	char *text;
	size_t size;
	FILE *f = xmemstream(&text, &size);

	if (fi->sizes == 0) {
		fputs("ideal", f);
	} else {
		fputs("measured:", f);
		put_sizes(f, "message", fi, 0);
		put_times(f, "message", fi->messages, 0, fi->sizes);
		putc(',', f);
		put_sizes(f, "allreduce", fi, 1);
		put_times(f, "allreduce", fi->allreduces, 1, fi->sizes);
		fprintf(f, ",ranks=%d,handler_GBps=%.4g,receive_GBps=%.4g", fi->ranks,
			handler_rate(fi), receive_rate(fi));
	}
	calibrate_file_add_text(file, "link", f, &text);
}

static void add_hosts(cJSON *object, const char *hosts)
{
	cJSON *list = cJSON_AddArrayToObject(object, "hosts");

	while (*hosts) {
		const size_t n = strcspn(hosts, "\n");
		char *host = xasprintf("%.*s", (int)n, hosts);

		cJSON_AddItemToArray(list, cJSON_CreateString(host));
		free(host);
		hosts += n + (hosts[n] == '\n');
	}
}

/* With what it was measured. */
static void add_measured(cJSON *file, const struct findings *f, const struct setup *su)
{
	static const char *const keys[] = { "net", "data", "backend", "precision", "optim",
					    "allreduce" };
	cJSON *m = cJSON_AddObjectToObject(file, "measured");
	char *command = environ_command(), date[32];

	environ_clock(date);
	cJSON_AddStringToObject(m, "date", date);
	add_hosts(m, f->hosts);
	cJSON_AddNumberToObject(m, "ranks", f->ranks);
	cJSON_AddNumberToObject(m, "threads", f->threads);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		cJSON_AddStringToObject(m, keys[i], setup_text(su, keys[i]));
	cJSON_AddNumberToObject(m, "batch", (double)su->in.batch);
	cJSON_AddNumberToObject(m, "dim", (double)su->model.dim);
	add_by_level(cJSON_AddObjectToObject(m, "batch_s"), f, 1.0);
	calibrate_file_add_number(m, "batch_cv", cv_of(&f->periods[f->levels - 1]));
	cJSON_AddNumberToObject(m, "gradients", (double)f->periods[f->levels - 1].n);
	cJSON_AddStringToObject(m, "command", command);
	free(command);
}

static cJSON *make_file(struct findings *f, const struct setup *su)
{
	const double batch = (double)su->in.batch;
	struct times *all = &f->periods[f->levels - 1];
	cJSON *file = cJSON_CreateObject(), *compute, *nets;
	char *net = model_time_key(&su->model);

	cJSON_AddStringToObject(file, "about", "As 'convoy calibrate' measured real ranks.");
	cJSON_AddNumberToObject(file, "workers", f->workers);
	compute = cJSON_AddObjectToObject(file, "compute");
	nets = cJSON_AddObjectToObject(compute, "seconds_per_sample");
	add_by_level(cJSON_AddObjectToObject(nets, net), f, 1.0 / batch);
	free(net);
	calibrate_file_add_number(compute, "flops",
				  6.0 * (double)su->model.macs * batch / mean_of(all));
	calibrate_file_add_number(file, "update_s", times_middle(&f->steps));
	cJSON_AddBoolToObject(file, "overlap", true);
	add_delay(file, f);
	add_link(file, f);
	add_measured(file, f, su);
	return file;
}

int calibrate_write(struct findings *f, const struct setup *su, const char *path)
{
	cJSON *file = make_file(f, su);
	char *text = cJSON_Print(file), *whole = xasprintf("%s\n", text ? text : "");
	const int ret = output_text(path, whole);

	cJSON_Delete(file);
	free(text);
	free(whole);
	if (ret == 0)
		note("wrote %s", path);
	return ret;
}

void calibrate_print(struct findings *f)
{
	for (size_t i = 0; i < f->levels; i++)
		printf("gradient, %d at once %12.4g s, cv %.3g, %zu of them\n", f->level[i],
		       mean_of(&f->periods[i]), cv_of(&f->periods[i]), f->periods[i].n);
	if (first_use(f) > 0.0)
		printf("new samples         %12.4g s a gradient\n",
		       per_gradient(&f->first) - per_gradient(&f->known));
	printf("optimiser's step    %12.4g s\n", times_middle(&f->steps));
	if (f->sizes)
		printf("handlers            %12.4g GB/s, during a gradient %.4g GB/s\n",
		       handler_rate(f), receive_rate(f));
	for (size_t i = 0; i < f->sizes; i++)
		printf("message   %9zu %12.4g s\n", f->floats[i] * sizeof(float),
		       mean_of(&f->messages[i]));
	for (size_t i = 1; i < f->sizes; i++)
		printf("allreduce %9zu %12.4g s\n", f->floats[i] * sizeof(float),
		       mean_of(&f->allreduces[i]));
}
