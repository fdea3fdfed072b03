#include "cmd/cluster.h"

#include "cmd/cluster_numbers.h"
#include "core/error.h"
#include "core/json.h"
#include "core/mem.h"
#include "core/paths.h"

#include <math.h>
#include <stdlib.h>

static int read_number(const cJSON *object, const char *key, const char *path, double *value)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

	if (!item)
		return 0;
	if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble) || item->valuedouble < 0)
		return error("%s: %s must be a number that is not negative", path, key);
	*value = item->valuedouble;
	return 0;
}

static int read_text(const cJSON *object, const char *key, const char *path, const char **value)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

	if (!item)
		return 0;
	if (!cJSON_IsString(item))
		return error("%s: %s must be a text", path, key);
	*value = item->valuestring;
	return 0;
}

static int read_workers(struct cluster *c, const char *path)
{
	double workers = 1;

	if (read_number(c->file, "workers", path, &workers) < 0)
		return -1;
	if (workers < 1 || workers > 1 << 24 || workers != floor(workers))
		return error("%s: workers must be a whole number, at least 1", path);
	c->workers = (int64_t)workers;
	return 0;
}

static int read_overlap(struct cluster *c, const char *path)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(c->file, "overlap");

	c->overlap = 1;
	if (!item)
		return 0;
	if (!cJSON_IsBool(item))
		return error("%s: overlap must be true or false", path);
	c->overlap = cJSON_IsTrue(item);
	return 0;
}

/* {"1": seconds, "4": seconds}: by workers that compute at once, ascending. */
static int check_by_workers(const cJSON *times, const char *path)
{
	const cJSON *item;
	double seconds;
	long last = 0;

	if (!times->child)
		return error("%s: seconds_per_sample: %s has no times", path, times->string);
	cJSON_ArrayForEach(item, times) {
		char *end;
		const long workers = strtol(item->string, &end, 10);

		if (*end || workers <= last)
			return error("%s: seconds_per_sample: '%s' of %s must be a number of "
				     "workers, in ascending order", path, item->string,
				     times->string);
		if (read_number(times, item->string, path, &seconds) < 0)
			return -1;
		last = workers;
	}
	return 0;
}

static int check_per_sample(const cJSON *all, const char *path)
{
	const cJSON *net;
	double seconds;

	if (all && !cJSON_IsObject(all))
		return error("%s: seconds_per_sample must be an object of seconds by net", path);
	cJSON_ArrayForEach(net, all) {
		if (cJSON_IsObject(net) ? check_by_workers(net, path)
					: read_number(all, net->string, path, &seconds))
			return -1;
	}
	return 0;
}

static int read_compute(struct cluster *c, const char *path)
{
	static const char *const known[] = { "seconds_per_sample", "flops", NULL };
	const cJSON *compute = cJSON_GetObjectItemCaseSensitive(c->file, "compute");

	c->flops = CLUSTER_FLOPS;
	if (!compute)
		return 0;
	if (!cJSON_IsObject(compute))
		return error("%s: compute must be an object", path);
	if (json_check_keys(compute, known, path) < 0 ||
	    read_number(compute, "flops", path, &c->flops) < 0)
		return -1;
	if (c->flops <= 0)
		return error("%s: flops must be greater than 0", path);
	c->per_sample = cJSON_GetObjectItemCaseSensitive(compute, "seconds_per_sample");
	return check_per_sample(c->per_sample, path);
}

/* A text or a list of texts. */
static int check_derivation(const cJSON *derivation, const char *path)
{
	const cJSON *line;

	if (derivation && !cJSON_IsString(derivation) && !cJSON_IsArray(derivation))
		return error("%s: derivation must be a text or a list of texts", path);
	cJSON_ArrayForEach(line, derivation)
		if (!cJSON_IsString(line))
			return error("%s: derivation must be a text or a list of texts", path);
	return 0;
}

/* What is for people. */
static int check_words(const struct cluster *c, const char *path)
{
	static const char *const keys[] = { "about", "source", "cite" };
	const char *text;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (read_text(c->file, keys[i], path, &text) < 0)
			return -1;
	return check_derivation(cJSON_GetObjectItemCaseSensitive(c->file, "derivation"), path);
}

/* What `convoy calibrate` says of its measurement. */
static int read_measured(struct cluster *c, const char *path)
{
	static const char *const known[] = { "date", "hosts", "ranks", "threads", "net", "data",
					     "batch", "backend", "precision", "optim", "allreduce",
					     "dim", "batch_s", "batch_cv", "gradients", "command",
					     NULL };

	c->measured = cJSON_GetObjectItemCaseSensitive(c->file, "measured");
	if (!c->measured)
		return 0;
	if (!cJSON_IsObject(c->measured))
		return error("%s: measured must be an object", path);
	return json_check_keys(c->measured, known, path);
}

static int cluster_read(struct cluster *c, const char *path)
{
	static const char *const known[] = { "about", "source", "cite", "derivation", "workers",
					     "compute", "handoff_GBps", "update_s", "delay",
					     "link", "overlap", "measured", "sources",
					     NULL };

	if (!cJSON_IsObject(c->file))
		return error("%s: a cluster must be an object", path);
	if (json_check_keys(c->file, known, path) < 0 || check_words(c, path) < 0 ||
	    read_workers(c, path) < 0 || read_overlap(c, path) < 0 ||
	    read_compute(c, path) < 0 || read_measured(c, path) < 0 ||
	    read_number(c->file, "handoff_GBps", path, &c->handoff_GBps) < 0 ||
	    read_number(c->file, "update_s", path, &c->update_s) < 0 ||
	    read_text(c->file, "delay", path, &c->delay) < 0 ||
	    read_text(c->file, "link", path, &c->link) < 0)
		return -1;
	return cluster_check_sources(c, path);
}

int cluster_load(struct cluster *c, const char *name)
{
	char *path = path_find("sim/clusters", name);
	int ret = -1;

	*c = (struct cluster){ .delay = "constant", .link = "ideal" };
	if (!path)
		return -1;
	c->file = json_load(path);
	if (c->file)
		ret = cluster_read(c, path);
	if (ret < 0)
		cluster_release(c);
	free(path);
	return ret;
}

void cluster_release(struct cluster *c)
{
	cJSON_Delete(c->file);
	*c = (struct cluster){ 0 };
}

/* Seconds at so many workers of {"1": seconds, "4": seconds}. */
static double by_workers(const cJSON *times, double workers)
{
	const cJSON *low = times->child, *high = low;
	double a, b;

	while (high->next && strtod(high->string, NULL) < workers) {
		low = high;
		high = high->next;
	}
	a = strtod(low->string, NULL);
	b = strtod(high->string, NULL);
	if (workers <= a || a == b)
		return low->valuedouble;
	return low->valuedouble + (high->valuedouble - low->valuedouble) *
				  fmin((workers - a) / (b - a), 1.0);
}

double cluster_compute(const struct cluster *c, const char *net, int64_t macs, int64_t batch,
		       int64_t workers)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(c->per_sample, net);

	if (cJSON_IsObject(item))
		return (double)batch * by_workers(item, (double)workers);
	if (item)
		return (double)batch * item->valuedouble;
	return (double)batch * 6 * (double)macs / c->flops;
}

double cluster_handoff(const struct cluster *c, size_t dim)
{
	if (c->handoff_GBps <= 0)
		return 0;
	return 2.0 * sizeof(float) * (double)dim / (c->handoff_GBps * 1e9);
}
