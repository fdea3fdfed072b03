/*
 * cluster.c - reads a cluster's file, gives a net's compute and host-device copy times on it, and
 * lists its numbers with unit and source.
 */
#include "plan/machine/cluster.h"

#include "core/base/context.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/fields.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "core/text/opt.h"
#include "core/text/opt_text.h"
#include "core/text/units.h"
#include "core/text/word.h"
#include "nets/sizes/sizes.h"
#include "plan/compute/times.h"
#include "sim/link/clauses.h"
#include "sim/link/link.h"
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define END { NULL, JSON_OWN, false, NULL, NULL }

const struct json_key cluster_keys[] = {
	SCHEMA_KEY,
	{ "about", JSON_TEXT, false, "what machine it is", NULL },
	{ "source", JSON_TEXT, false, "where its numbers are from", NULL },
	{ "cite", JSON_TEXT, false, "the paper", NULL },
	{ "derivation", JSON_TEXTS, false, "how numbers follow from what was published", NULL },
	{ "workers", JSON_OWN, false, "that compute gradients", "workers" },
	{ "compute", JSON_OWN, false, "how fast a worker computes", "compute" },
	{ "device", JSON_TEXT, false,
	  "accelerator of a worker, of 'convoy list devices', for its peak", NULL },
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

const char *const cluster_measured_keys[] = {
	"date", "hosts", "ranks", "threads", "net", "data", "batch", "backend", "precision",
	"optim", "allreduce", "dim", "macs", "batch_s", "batch_cv", "gradients", "command", NULL
};

/* ---- reading ---- */

/* *value <- the number, unless item is NULL. 0 or error(). */
static int number_read(const cJSON *item, const char *key, const char *path, double *value)
{
	if (!item)
		return 0;
	if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble) || item->valuedouble < 0)
		return error("%s: %s must be a number that is not negative", path, key);
	*value = item->valuedouble;
	return 0;
}

static void times_add(struct net_times *t, double workers, double seconds)
{
	APPEND(t->at, t->n) = (struct time_at){ workers, seconds };
}

/* {"1": seconds, "4": seconds}: by workers that compute at once, ascending. */
static int times_read_by_workers(struct net_times *t, const cJSON *json, const char *path)
{
	const cJSON *item;
	long last = 0;

	if (!json->child)
		return error("%s: seconds_per_sample: %s has no times", path, t->net);
	cJSON_ArrayForEach(item, json) {
		double seconds = 0.0;
		char *end, *key;
		const long workers = strtol(item->string, &end, 10);
		int ret;

		if (*end || workers <= last)
			return error("%s: seconds_per_sample: '%s' of %s must be a number of "
				     "workers, in ascending order", path, item->string, t->net);
		key = xasprintf("seconds_per_sample of %s, %s", t->net, item->string);
		ret = number_read(item, key, path, &seconds);
		free(key);
		if (ret < 0)
			return -1;
		times_add(t, (double)workers, seconds);
		last = workers;
	}
	return 0;
}

static const struct net_times *times_find(const struct net_list *list, const char *net)
{
	for (size_t i = 0; net && i < list->n; i++)
		if (strcmp(list->v[i].net, net) == 0)
			return &list->v[i];
	return NULL;
}

/*
 * Reads the member `what` of "compute", {net: value}: a value is a text, or seconds, or for
 * seconds_per_sample an object of seconds by workers. 0 or error().
 */
static int net_list_read(struct net_list *list, const cJSON *json, const char *what, bool texts,
			 const char *path)
{
	const cJSON *item;

	if (json && !cJSON_IsObject(json))
		return error("%s: %s must be an object of %s by net", path, what,
			     texts ? "texts" : "seconds");
	cJSON_ArrayForEach(item, json) {
		const bool by_workers =
			cJSON_IsObject(item) && strcmp(what, "seconds_per_sample") == 0;
		struct net_times *t;
		double seconds = 0.0;
		char *key;
		int ret;

		t = &APPEND(list->v, list->n);
		*t = (struct net_times){ .net = item->string, .text = cJSON_GetStringValue(item) };
		if (texts && (!t->text || !*t->text))
			return error("%s: times: %s must be a text, as of the setting compute_s",
				     path, item->string);
		key = xasprintf("%s of %s", what, item->string);
		ret = by_workers ? times_read_by_workers(t, item, path)
				 : texts ? 0 : number_read(item, key, path, &seconds);
		free(key);
		if (ret < 0)
			return -1;
		if (!by_workers)
			times_add(t, 0, seconds);
	}
	return 0;
}

/*
 * error() for a net that no run has: a name that is neither among the known ones nor, with a '@'
 * before its digest, that of a file; else 0.
 */
static int net_list_check(const struct net_list *list, const char *what, const char *path,
			  const char *const *known)
{
	scoped char *where = xasprintf("%s: %s", path, what);
	int ret = 0;

	for (size_t i = 0; i < list->n && ret == 0; i++) {
		const char *net = list->v[i].net;
		scoped char *name = xasprintf("%.*s", (int)strcspn(net, ":"), net);

		if (!strchr(net, '@') && !word_is_among(name, known)) {
			ret = word_unknown(where, "net", name, known);
			if (!nearest_word(name, known))
				note("a net of your own is named with its digest, %s@..., as "
				     "'convoy calibrate' and 'convoy delay fit' write it", name);
		}
	}
	return ret;
}

/* 0, or error() for a net of the file's times that no run has. */
static int cluster_check_nets(const struct cluster *c, const char *path)
{
	scoped_paths char **zoo = path_list("nets/zoo");
	const char **plugins = plugin_names(net_table), **known;
	size_t n = 0, k = 0;
	int ret = 0;

	while (zoo[n])
		n++;
	while (plugins[k])
		k++;
	known = xcalloc(n + k + 1, sizeof(*known));
	for (size_t i = 0; i < n; i++)
		known[i] = path_base(zoo[i]);
	memcpy(&known[n], plugins, k * sizeof(*known));
	/* without the zoo, as no files are installed, nothing is known */
	if (n && (net_list_check(&c->times, "times", path, known) < 0 ||
		  net_list_check(&c->per_sample, "seconds_per_sample", path, known) < 0))
		ret = -1;
	free_all(known, plugins);
	return ret;
}

static void net_list_release(struct net_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->v[i].at);
	free(list->v);
}

static int compute_section_read(struct cluster *c, const cJSON *compute, const char *path)
{
	struct compute_json {
		const cJSON *flops, *times, *per_sample, *per_batch;
	} j = { 0 };
	static const struct field fields[] = {
		FIELD(TREE, struct compute_json, flops, "flops"),
		FIELD(TREE, struct compute_json, times, "times"),
		FIELD(TREE, struct compute_json, per_sample, "seconds_per_sample"),
		FIELD(TREE, struct compute_json, per_batch, "seconds_per_batch"), { 0 }
	};

	fields_read(compute, fields, &j);
	c->flops = CLUSTER_FLOPS;
	c->names_flops = j.flops;
	if (!compute)
		return 0;
	if (!cJSON_IsObject(compute))
		return error("%s: compute must be an object", path);
	if (json_check_members(compute, cluster_compute_keys, path) < 0 ||
	    number_read(j.flops, "flops", path, &c->flops) < 0)
		return -1;
	if (c->flops <= 0)
		return error("%s: flops must be greater than 0", path);
	if (net_list_read(&c->times, j.times, "times", true, path) < 0 ||
	    net_list_read(&c->per_sample, j.per_sample, "seconds_per_sample", false, path) < 0 ||
	    net_list_read(&c->per_batch, j.per_batch, "seconds_per_batch", false, path) < 0)
		return -1;
	if (cluster_check_nets(c, path) < 0)
		return -1;
	for (size_t i = 0; i < c->per_batch.n; i++)
		if (!times_find(&c->per_sample, c->per_batch.v[i].net))
			return error("%s: seconds_per_batch: %s has no seconds_per_sample (a batch "
				     "takes both). Add it, or leave %s out", path,
				     c->per_batch.v[i].net, c->per_batch.v[i].net);
	return 0;
}

/* Renames members with a former name to the present one, unless the object has that too. */
static void members_rename(cJSON *object)
{
	/* what is no object has no names */
	for (cJSON *item = object ? object->child : NULL, *next; item && item->string;
	     item = next) {
		const char *present = former_name(item->string);

		next = item->next;
		if (present && !json_get(object, present))
			cJSON_AddItemToObject(object, present,
					      cJSON_DetachItemViaPointer(object, item));
	}
}

/* 0 when `sources` is missing, or has only texts, each for a number of the file; else error(). */
static int sources_check(const struct cluster *c, const char *path)
{
	struct cluster_numbers all;
	const char **known;
	const cJSON *item;
	int ret = 0;

	if (!c->sources)
		return 0;
	if (!cJSON_IsObject(c->sources))
		return error("%s: sources must be an object of texts", path);
	all = cluster_numbers(c);
	known = xcalloc(all.n + 1, sizeof(*known));
	for (size_t i = 0; i < all.n; i++)
		known[i] = all.v[i].name;
	cJSON_ArrayForEach(item, c->sources) {
		scoped char *advice = word_is_among(item->string, known)
				      ? NULL : word_advice(item->string, known);

		if (advice && ret == 0)
			ret = error("%s: sources: '%s' is no number of this file%s", path,
				    item->string, advice);
	}
	free(known);
	cluster_numbers_free(&all);
	cJSON_ArrayForEach(item, c->sources)
		if (ret == 0 && !cJSON_IsString(item))
			ret = error("%s: sources: %s must be a text", path, item->string);
	return ret;
}

/*
 * Replaces texts with units by numbers, among members that are a quantity by their names, or, of a
 * part of the file called `times`, are all times. 0 or error().
 */
static int members_plain(cJSON *object, const char *times, const char *path)
{
	for (cJSON *item = object ? object->child : NULL, *next; item && item->string;
	     item = next) {
		const enum quantity q = times ? QUANTITY_TIME : quantity_of_key(item->string);
		const char *text = cJSON_GetStringValue(item);
		double x;

		next = item->next;
		if (times && cJSON_IsObject(item) && members_plain(item, times, path) < 0)
			return -1;
		if (!text || q == QUANTITY_NONE)
			continue;
		if (!unit_text(item->string, text, q, &x)) {
			char *advice = unit_advice(q, text);

			error("%s: %s%s%s must be a number that is not negative, or a text with "
			      "a unit, not '%s'%s", path, times ? times : "", times ? " of " : "",
			      item->string, text, advice);
			free(advice);
			return -1;
		}
		cJSON_ReplaceItemInObjectCaseSensitive(object, item->string,
						       cJSON_CreateNumber(x));
	}
	return 0;
}

static bool cluster_device_known(const char *device, const char *path)
{
	scoped char *where = xasprintf("%s: device", path);

	return device_find(device, where);
}

/* The link's model and its options: sources name these, so what is wrong in them is said first. */
static int cluster_check_link(const struct cluster *c, const char *path)
{
	scoped char *about = xasprintf("cluster %s: link", path);
	scoped char *model = xasprintf("%.*s", (int)clauses_model(c->link), c->link);
	scoped_by(choice_release) struct choice link = { 0 };
	int ret;

	context_about(about);
	ret = choice_parse(&link, link_table, "link model", model);
	context_about(NULL);
	return ret;
}

static int cluster_read(struct cluster *c, const char *path)
{
	static const struct field members[] = {
		FIELD(AMOUNT, struct cluster, host_copy_GBps, "host_copy_GBps"),
		FIELD(AMOUNT, struct cluster, host_copy_s, "host_copy_latency_s"),
		FIELD(AMOUNT, struct cluster, update_s, "update_s"),
		FIELD(LENT, struct cluster, device, "device"),
		FIELD(LENT, struct cluster, delay, "delay"),
		FIELD(LENT, struct cluster, link, "link"),
		FIELD(TREE, struct cluster, measured, "measured"),
		FIELD(TREE, struct cluster, sources, "sources"),
		FIELD(LENT, struct cluster, about, "about"),
		FIELD(LENT, struct cluster, source, "source"),
		FIELD(LENT, struct cluster, cite, "cite"),
		FIELD(TREE, struct cluster, derivation, "derivation"), { 0 }
	};
	struct cluster_json {
		const cJSON *workers, *bucket_bytes, *compute, *overlap;
	} j = { 0 };
	/* numbers with bounds, which number_read() checks, and what has a function of its own */
	static const struct field checked[] = {
		FIELD(TREE, struct cluster_json, workers, "workers"),
		FIELD(TREE, struct cluster_json, bucket_bytes, "bucket_bytes"),
		FIELD(TREE, struct cluster_json, compute, "compute"),
		FIELD(TREE, struct cluster_json, overlap, "overlap"), { 0 }
	};
	static const char *const by_net[] = { "seconds_per_sample", "seconds_per_batch" };
	double workers = 1, bytes = CLUSTER_BUCKET;

	if (!cJSON_IsObject(c->file))
		return error("%s: a cluster must be an object", path);
	members_rename(c->file);
	members_rename(json_get(c->file, "sources"));
	if (members_plain(c->file, NULL, path) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(by_net) / sizeof(by_net[0]); i++)
		if (members_plain(json_get(json_get(c->file, "compute"), by_net[i]), by_net[i],
				  path) < 0)
			return -1;
	fields_read(c->file, checked, &j);
	if (json_check_members(c->file, cluster_keys, path) < 0)
		return -1;
	if (j.workers)
		workers = cJSON_IsNumber(j.workers) ? j.workers->valuedouble : 0;
	if (workers < 1 || workers > SIM_WORKERS_MOST || workers != floor(workers))
		return error("%s: workers must be a whole number, from 1 to %d", path,
			     SIM_WORKERS_MOST);
	if (number_read(j.bucket_bytes, "bucket_bytes", path, &bytes) < 0)
		return -1;
	if (bytes > 1 << 30 || bytes != floor(bytes) || (bytes > 0 && bytes < sizeof(float)))
		return error("%s: bucket_bytes must be a whole number of bytes, from 4 to %d, or 0",
			     path, 1 << 30);
	c->workers = (int64_t)workers;
	c->bucket_bytes = (int64_t)bytes;
	if (compute_section_read(c, j.compute, path) < 0)
		return -1;
	fields_read(c->file, members, c);
	c->overlap = !cJSON_IsFalse(j.overlap);
	if (c->device && !cluster_device_known(c->device, path))
		return -1;
	if (c->measured && !cJSON_IsObject(c->measured))
		return error("%s: measured must be an object", path);
	if (c->measured && json_check_keys(c->measured, cluster_measured_keys, path) < 0)
		return -1;
	return cluster_check_link(c, path) < 0 ? -1 : sources_check(c, path);
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

	*c = (struct cluster){ .delay = "constant", .link = "ideal", .overlap = true };
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
	net_list_release(&c->per_sample);
	net_list_release(&c->per_batch);
	net_list_release(&c->times);
	cJSON_Delete(c->file);
	*c = (struct cluster){ 0 };
}

const struct cluster *clusters_find(struct clusters *all, const char *name)
{
	struct cluster c;

	for (size_t i = 0; i < all->n; i++)
		if (strcmp(all->v[i].name, name) == 0)
			return &all->v[i].cluster;
	if (cluster_load(&c, name) < 0)
		return NULL;
	all->v = xrealloc(all->v, all->n + 1, sizeof(*all->v));
	all->v[all->n] = (struct named_cluster){ xstrdup(name), c };
	return &all->v[all->n++].cluster;
}

void clusters_release(struct clusters *all)
{
	for (size_t i = 0; i < all->n; i++) {
		free(all->v[i].name);
		cluster_release(&all->v[i].cluster);
	}
	free(all->v);
	*all = (struct clusters){ 0 };
}

bool cluster_has(const struct cluster *c, const char *key)
{
	return json_get(c->file, key);
}

/* ---- a net's compute times, and the time of host-device copies ---- */

const char *cluster_times(const struct cluster *c, const char *net)
{
	const struct net_times *t = times_find(&c->times, net);

	return t ? t->text : NULL;
}

enum cluster_time cluster_time(const struct cluster *c, const char *net)
{
	if (cluster_times(c, net))
		return CLUSTER_TIME_TABLE;
	if (times_find(&c->per_sample, net))
		return CLUSTER_TIME_NET;
	return c->names_flops ? CLUSTER_TIME_FLOPS : CLUSTER_TIME_NEUTRAL;
}

bool cluster_has_time(const struct cluster *c, const char *net)
{
	return cluster_times(c, net) || times_find(&c->per_sample, net);
}

double cluster_compute(const struct cluster *c, const char *net, int64_t macs, int64_t batch,
		       int64_t workers)
{
	const struct net_times *each = times_find(&c->per_sample, net);
	const struct net_times *fixed = times_find(&c->per_batch, net);
	const double at = (double)workers;
	const struct time_at *low, *high;       /* measured with fewer workers, and with more */
	double seconds;         /* per sample */

	if (!each)
		return (double)batch * 6 * (double)macs / c->flops;
	for (low = high = each->at; high < each->at + each->n - 1 && high->workers < at; high++)
		low = high;
	seconds = low->seconds;
	if (at > low->workers && low != high)
		seconds = low->seconds + (high->seconds - low->seconds) *
			  fmin((at - low->workers) / (high->workers - low->workers), 1.0);
	return (fixed ? fixed->at->seconds : 0.0) + (double)batch * seconds;
}

double cluster_host_copy(const struct cluster *c, size_t dim)
{
	const double bytes = sizeof(float) * (double)dim;

	return 2.0 * (c->host_copy_s +
		      (c->host_copy_GBps > 0 ? bytes / (c->host_copy_GBps * 1e9) : 0.0));
}

/* ---- numbers with unit and source ---- */

/* Unit of a number, by how its name begins and ends; the first line that fits counts. */
static const char *number_unit(const char *name)
{
	static const struct {
		const char *begin, *end, *unit;
	} units[] = {
		{ "seconds_per_sample.", "", "s a sample" },
		{ "seconds_per_batch.", "", "s a batch" },
		{ "times.", "", "s" },
		{ "flops", "", "floating-point operations a second" },
		{ "", "_GBps", "GB/s (1e9 bytes a second)" },
		{ "", "_bytes", "bytes" },
		{ "", "_s", "s" },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strncmp(name, units[i].begin, strlen(units[i].begin)) == 0 &&
		    word_ends(name, units[i].end))
			return units[i].unit;
	return "";
}

/* Appends a number, which owns name and value from now on. */
static void numbers_add(struct cluster_numbers *all, const struct cluster *c, char *name,
			char *value)
{
	APPEND(all->v, all->n) = (struct cluster_number){ name, value, number_unit(name),
							   json_string(c->sources, name) };
}

/* Appends the number x, if the file has the key: a default is left out. */
static void numbers_add_number(struct cluster_numbers *all, const struct cluster *c,
			       const char *key, double x)
{
	if (cluster_has(c, key))
		numbers_add(all, c, xstrdup(key), double_text(x));
}

/* Appends LIST.NET of each net: a text, "0.1", or with 1 and 4 workers "0.1 of 1, 0.2 of 4". */
static void numbers_add_nets(struct cluster_numbers *all, const struct cluster *c, const char *name,
			     const struct net_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct net_times *t = &list->v[i];
		char *text = xstrdup(t->text);

		for (size_t k = 0; k < t->n && !t->text; k++) {
			scoped char *seconds = double_text(t->at[k].seconds);

			if (t->at[k].workers > 0)
				xappendf(&text, ", ", "%s of %.0f", seconds, t->at[k].workers);
			else
				xappend(&text, "", seconds);
		}
		numbers_add(all, c, xasprintf("%s.%s", name, t->net), text);
	}
}

/* Ends the text at the separator. Returns what follows it and its spaces; NULL: it has none. */
static char *text_cut(char *text, char separator)
{
	char *end = text ? strchr(text, separator) : NULL;

	if (!end)
		return NULL;
	*end++ = '\0';
	return end + strspn(end, " ");
}

/*
 * Appends the link's model and options: "nic:latency_s=1e-5; 0-3: bandwidth_GBps=1" gives "link",
 * "link.latency_s", and for the ranks 0 to 3 "link.0-3.bandwidth_GBps".
 */
static void numbers_add_link(struct cluster_numbers *all, const struct cluster *c)
{
	char *text = xstrdup(c->link), *next;

	for (char *clause = cluster_has(c, "link") ? text : NULL; clause; clause = next) {
		const bool first = clause == text;
		const char *keys;

		next = text_cut(clause, ';');
		keys = text_cut(clause, ':');
		if (first)
			numbers_add(all, c, xstrdup("link"), xstrdup(clause));
		while (keys && *keys) {
			const size_t n = strcspn(keys, ","), key = strcspn(keys, "=,");

			if (key < n)
				numbers_add(all, c, xasprintf("link%s%s.%.*s", first ? "" : ".",
							      first ? "" : clause, (int)key, keys),
					    xasprintf("%.*s", (int)(n - key - 1), keys + key + 1));
			keys += n + (keys[n] == ',');
		}
	}
	free(text);
}

struct cluster_numbers cluster_numbers(const struct cluster *c)
{
	struct cluster_numbers all = { 0 };

	numbers_add_number(&all, c, "workers", (double)c->workers);
	numbers_add_nets(&all, c, "seconds_per_sample", &c->per_sample);
	numbers_add_nets(&all, c, "seconds_per_batch", &c->per_batch);
	numbers_add_nets(&all, c, "times", &c->times);
	if (c->names_flops)
		numbers_add(&all, c, xstrdup("flops"), double_text(c->flops));
	if (c->device)
		numbers_add(&all, c, xstrdup("device"), xstrdup(c->device));
	numbers_add_number(&all, c, "host_copy_GBps", c->host_copy_GBps);
	numbers_add_number(&all, c, "host_copy_latency_s", c->host_copy_s);
	numbers_add_number(&all, c, "update_s", c->update_s);
	if (cluster_has(c, "overlap"))
		numbers_add(&all, c, xstrdup("overlap"), xstrdup(c->overlap ? "true" : "false"));
	numbers_add_number(&all, c, "bucket_bytes", (double)c->bucket_bytes);
	if (cluster_has(c, "delay"))
		numbers_add(&all, c, xstrdup("delay"), xstrdup(c->delay));
	numbers_add_link(&all, c);
	return all;
}

void cluster_numbers_free(struct cluster_numbers *all)
{
	for (size_t i = 0; i < all->n; i++)
		free_all(all->v[i].name, all->v[i].value);
	free(all->v);
	*all = (struct cluster_numbers){ 0 };
}
