/* Reads a cluster's file, and gives a net's compute and host-device copy times on it. */
#include "plan/machine/cluster.h"

#include "core/base/error.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "core/text/opt.h"
#include "plan/machine/cluster_numbers.h"

#include <math.h>
#include <stdlib.h>

#define END { NULL, JSON_OWN, false, NULL, NULL }

const struct json_key cluster_keys[] = {
	SCHEMA_KEY,
	{ "about", JSON_TEXT, false, "what machine it is", NULL },
	{ "source", JSON_TEXT, false, "where its numbers are from", NULL },
	{ "cite", JSON_TEXT, false, "the paper", NULL },
	{ "derivation", JSON_TEXTS, false, "how numbers follow from what was published", NULL },
	{ "workers", JSON_OWN, false, "that compute gradients", "workers" },
	{ "compute", JSON_OWN, false, "how fast a worker computes", "compute" },
	{ "host_copy_GBps", JSON_AMOUNT, false,
	  "of a copy between accelerator and host, in 1e9 bytes a second; 0: at once", NULL },
	{ "host_copy_latency_s", JSON_AMOUNT, false,
	  "seconds of each such copy that do not depend on its size", NULL },
	{ "update_s", JSON_AMOUNT, false, "seconds that the server spends on one step", NULL },
	{ "delay", JSON_TEXT, false, "how compute times vary, as the setting has it", NULL },
	{ "link", JSON_TEXT, false, "when messages arrive, as the setting has it", NULL },
	{ "overlap", JSON_BOOL, false, "workers receive messages while computing", NULL },
	{ "bucket_bytes", JSON_AMOUNT, false,
	  "of a bucket of an all-reduced gradient, added during the backward pass; 0: all of it "
	  "after", NULL },
	{ "measured", JSON_OWN, false, "what 'convoy calibrate' says of its measurement",
	  "measured" },
	{ "sources", JSON_OWN, false, "where each number is from", "sources" },
	END
};

const struct json_key cluster_compute_keys[] = {
	{ "seconds_per_sample", JSON_OWN, false, "by net, and there by workers at once",
	  "seconds_per_sample" },
	{ "seconds_per_batch", JSON_OWN, false,
	  "by net: seconds of a gradient in addition to those of its samples",
	  "seconds_per_batch" },
	{ "times", JSON_OWN, false,
	  "by net: a text as the setting compute_s has it, such as table:batch=32/64,"
	  "seconds=0.04/0.06; comes before the others", "times" },
	{ "flops", JSON_OWN, false, "operations a second, for all other nets", "flops" },
	END
};

static int cluster_read_number(const cJSON *object, const char *key, const char *path,
				       double *value)
{
	const cJSON *item = json_get(object, key);

	if (!item)
		return 0;
	if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble) || item->valuedouble < 0)
		return error("%s: %s must be a number that is not negative", path, key);
	*value = item->valuedouble;
	return 0;
}

static void cluster_read_text(const cJSON *object, const char *key, const char **value)
{
	const cJSON *item = json_get(object, key);

	if (item)
		*value = item->valuestring;
}

static int read_workers(struct cluster *c, const char *path)
{
	double workers = 1;

	if (cluster_read_number(c->file, "workers", path, &workers) < 0)
		return -1;
	if (workers < 1 || workers > 1 << 24 || workers != floor(workers))
		return error("%s: workers must be a whole number, at least 1", path);
	c->workers = (int64_t)workers;
	return 0;
}

static int read_bucket(struct cluster *c, const char *path)
{
	double bytes = CLUSTER_BUCKET;

	if (cluster_read_number(c->file, "bucket_bytes", path, &bytes) < 0)
		return -1;
	if (bytes > 1 << 30 || bytes != floor(bytes) || (bytes > 0 && bytes < sizeof(float)))
		return error("%s: bucket_bytes must be a whole number of bytes, from 4 to %d, or 0",
			     path, 1 << 30);
	c->bucket_bytes = (int64_t)bytes;
	return 0;
}

static void read_overlap(struct cluster *c)
{
	const cJSON *item = json_get(c->file, "overlap");

	c->overlap = !item || cJSON_IsTrue(item);
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
		if (cluster_read_number(times, item->string, path, &seconds) < 0)
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
		if (cJSON_IsObject(net) ?
			    check_by_workers(net, path) :
			    cluster_read_number(all, net->string, path, &seconds))
			return -1;
	}
	return 0;
}

/* Of nets that have a time per sample. */
static int check_per_batch(const struct cluster *c, const char *path)
{
	const cJSON *net;
	double seconds;

	if (c->per_batch && !cJSON_IsObject(c->per_batch))
		return error("%s: seconds_per_batch must be an object of seconds by net", path);
	cJSON_ArrayForEach(net, c->per_batch) {
		if (cluster_read_number(c->per_batch, net->string, path, &seconds) < 0)
			return -1;
		if (!json_get(c->per_sample, net->string))
			return error("%s: seconds_per_batch: %s has no seconds_per_sample (a batch "
				     "takes both). Add it, or leave %s out", path, net->string,
				     net->string);
	}
	return 0;
}

static int check_times(const cJSON *times, const char *path)
{
	const cJSON *net;

	if (times && !cJSON_IsObject(times))
		return error("%s: times must be an object of texts by net", path);
	cJSON_ArrayForEach(net, times)
		if (!cJSON_IsString(net) || !*net->valuestring)
			return error("%s: times: %s must be a text, as of the setting compute_s",
				     path, net->string);
	return 0;
}

static int read_compute(struct cluster *c, const char *path)
{
	const cJSON *compute = json_get(c->file, "compute");

	c->flops = CLUSTER_FLOPS;
	if (!compute)
		return 0;
	if (!cJSON_IsObject(compute))
		return error("%s: compute must be an object", path);
	if (json_check_members(compute, cluster_compute_keys, path) < 0 ||
	    cluster_read_number(compute, "flops", path, &c->flops) < 0)
		return -1;
	if (c->flops <= 0)
		return error("%s: flops must be greater than 0", path);
	c->per_sample = json_get(compute, "seconds_per_sample");
	c->per_batch = json_get(compute, "seconds_per_batch");
	c->times = json_get(compute, "times");
	if (check_times(c->times, path) < 0 || check_per_sample(c->per_sample, path) < 0)
		return -1;
	return check_per_batch(c, path);
}

const char *const cluster_measured_keys[] = {
	"date", "hosts", "ranks", "threads", "net", "data", "batch", "backend", "precision",
	"optim", "allreduce", "dim", "batch_s", "batch_cv", "gradients", "command", NULL
};

/* What `convoy calibrate` says of its measurement. */
static int read_measured(struct cluster *c, const char *path)
{
	c->measured = json_get(c->file, "measured");
	if (!c->measured)
		return 0;
	if (!cJSON_IsObject(c->measured))
		return error("%s: measured must be an object", path);
	return json_check_keys(c->measured, cluster_measured_keys, path);
}

/* Gives members that have a former name their present one, unless that is there too. */
static void cluster_rename(cJSON *object)
{
	for (cJSON *item = object ? object->child : NULL, *next; item; item = next) {
		const char *present = former_name(item->string);

		next = item->next;
		if (present && !json_get(object, present))
			cJSON_AddItemToObject(object, present,
					      cJSON_DetachItemViaPointer(object, item));
	}
}

static int cluster_read(struct cluster *c, const char *path)
{
	if (!cJSON_IsObject(c->file))
		return error("%s: a cluster must be an object", path);
	cluster_rename(c->file);
	cluster_rename(cJSON_GetObjectItemCaseSensitive(c->file, "sources"));
	if (json_check_members(c->file, cluster_keys, path) < 0 || read_workers(c, path) < 0 ||
	    read_bucket(c, path) < 0 || read_compute(c, path) < 0 || read_measured(c, path) < 0 ||
	    cluster_read_number(c->file, "host_copy_GBps", path, &c->host_copy_GBps) < 0 ||
	    cluster_read_number(c->file, "host_copy_latency_s", path,
					&c->host_copy_s) < 0 ||
	    cluster_read_number(c->file, "update_s", path, &c->update_s) < 0)
		return -1;
	read_overlap(c);
	cluster_read_text(c->file, "delay", &c->delay);
	cluster_read_text(c->file, "link", &c->link);
	return cluster_check_sources(c, path);
}

struct cluster cluster_neutral(void)
{
	return (struct cluster){ .delay = "constant", .link = "ideal", .workers = CLUSTER_WORKERS,
				 .overlap = true, .flops = CLUSTER_FLOPS,
				 .bucket_bytes = CLUSTER_BUCKET };
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

enum cluster_time cluster_time(const struct cluster *c, const char *net)
{
	const cJSON *compute = json_get(c->file, "compute");

	if (json_get(c->times, net))
		return CLUSTER_TIME_TABLE;
	if (json_get(c->per_sample, net))
		return CLUSTER_TIME_NET;
	return json_get(compute, "flops") ? CLUSTER_TIME_FLOPS
								  : CLUSTER_TIME_NEUTRAL;
}

bool cluster_has_time(const struct cluster *c, const char *net)
{
	return json_get(c->times, net) || json_get(c->per_sample, net);
}

double cluster_compute(const struct cluster *c, const char *net, int64_t macs, int64_t batch,
		       int64_t workers)
{
	const cJSON *item = json_get(c->per_sample, net), *fixed = json_get(c->per_batch, net);
	const double begin = fixed ? fixed->valuedouble : 0.0;

	if (cJSON_IsObject(item))
		return begin + (double)batch * by_workers(item, (double)workers);
	if (item)
		return begin + (double)batch * item->valuedouble;
	return (double)batch * 6 * (double)macs / c->flops;
}

double cluster_host_copy(const struct cluster *c, size_t dim)
{
	const double bytes = sizeof(float) * (double)dim;

	return 2.0 * (c->host_copy_s +
		      (c->host_copy_GBps > 0 ? bytes / (c->host_copy_GBps * 1e9) : 0.0));
}
