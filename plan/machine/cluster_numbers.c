/* Lists the numbers of a cluster's file with unit and source, and checks the sources. */
#include "plan/machine/cluster_numbers.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"
#include "plan/settings/settings.h"

#include <stdlib.h>
#include <string.h>

static const char *cluster_numbers_unit_of(const char *name)
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

/* Takes name and value over. */
static void cluster_numbers_add(struct cluster_numbers *all, const struct cluster *c, char *name,
				char *value)
{
	const cJSON *source = json_get(json_get(c->file, "sources"), name);

	all->v = xrealloc(all->v, all->n + 1, sizeof(*all->v));
	all->v[all->n++] =
		(struct cluster_number){ name, value, cluster_numbers_unit_of(name),
					 cJSON_IsString(source) ? source->valuestring : NULL };
}

static void add_member(struct cluster_numbers *all, const struct cluster *c, const cJSON *object,
		       const char *key)
{
	const cJSON *item = json_get(object, key);

	if (item)
		cluster_numbers_add(all, c, xstrdup(key), json_text(item));
}

/* {"1": 0.1, "4": 0.2}: "0.1 of 1, 0.2 of 4". */
static char *by_workers_text(const cJSON *times)
{
	char *text = NULL;
	const cJSON *item;

	cJSON_ArrayForEach(item, times) {
		char *value = json_text(item);

		xappend_own(&text, ", ", xasprintf("%s of %s", value, item->string));
		free(value);
	}
	return text;
}

static void add_compute(struct cluster_numbers *all, const struct cluster *c)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, c->per_sample)
		cluster_numbers_add(all, c, xasprintf("seconds_per_sample.%s", item->string),
				    cJSON_IsObject(item) ? by_workers_text(item) : json_text(item));
	cJSON_ArrayForEach(item, c->per_batch)
		cluster_numbers_add(all, c, xasprintf("seconds_per_batch.%s", item->string),
				    json_text(item));
	cJSON_ArrayForEach(item, c->times)
		cluster_numbers_add(all, c, xasprintf("times.%s", item->string), json_text(item));
	add_member(all, c, json_get(c->file, "compute"), "flops");
}

/* "latency_s=1e-5,bandwidth_GBps=1": "NAME.latency_s" and so on. */
static void add_link_keys(struct cluster_numbers *all, const struct cluster *c, const char *name,
			  const char *text)
{
	while (*text) {
		const size_t n = strcspn(text, ","), key = strcspn(text, "=,");

		if (key < n)
			cluster_numbers_add(all, c, xasprintf("%s.%.*s", name, (int)key, text),
					    xasprintf("%.*s", (int)(n - key - 1), text + key + 1));
		text += n + (text[n] == ',');
	}
}

/* Ends the text at the separator; what is after it and its spaces, or NULL. */
static char *cluster_numbers_cut(char *text, char separator)
{
	char *end = text ? strchr(text, separator) : NULL;

	if (!end)
		return NULL;
	*end++ = '\0';
	return end + strspn(end, " ");
}

/* "nic:latency_s=1e-5; 0-3: bandwidth_GBps=1": its name, every setting, those of "link.0-3". */
static void add_link(struct cluster_numbers *all, const struct cluster *c)
{
	const bool given = json_get(c->file, "link") != NULL;
	char *text = xstrdup(c->link), *next;

	for (char *clause = given ? text : NULL; clause; clause = next) {
		char *keys, *name;

		next = cluster_numbers_cut(clause, ';');
		keys = cluster_numbers_cut(clause, ':');
		name = clause == text ? xstrdup("link") : xasprintf("link.%s", clause);
		if (clause == text)
			cluster_numbers_add(all, c, xstrdup("link"), xstrdup(clause));
		add_link_keys(all, c, name, keys ? keys : "");
		free(name);
	}
	free(text);
}

struct cluster_numbers cluster_numbers(const struct cluster *c)
{
	struct cluster_numbers all = { 0 };

	add_member(&all, c, c->file, "workers");
	add_compute(&all, c);
	add_member(&all, c, c->file, "host_copy_GBps");
	add_member(&all, c, c->file, "host_copy_latency_s");
	add_member(&all, c, c->file, "update_s");
	add_member(&all, c, c->file, "overlap");
	add_member(&all, c, c->file, "bucket_bytes");
	add_member(&all, c, c->file, "delay");
	add_link(&all, c);
	return all;
}

void cluster_numbers_free(struct cluster_numbers *all)
{
	for (size_t i = 0; i < all->n; i++) {
		free(all->v[i].name);
		free(all->v[i].value);
	}
	free(all->v);
	*all = (struct cluster_numbers){ 0 };
}

static int check_texts(const cJSON *sources, const char *path)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, sources)
		if (!cJSON_IsString(item))
			return error("%s: sources: %s must be a text", path, item->string);
	return 0;
}

int cluster_check_sources(const struct cluster *c, const char *path)
{
	const cJSON *sources = json_get(c->file, "sources");
	struct cluster_numbers all;
	const char **known;
	char *where;
	int ret;

	if (!sources)
		return 0;
	all = cluster_numbers(c);
	known = xcalloc(all.n + 1, sizeof(*known));
	for (size_t i = 0; i < all.n; i++)
		known[i] = all.v[i].name;
	where = xasprintf("%s: sources", path);
	ret = json_check_keys(sources, known, where);
	free(where);
	free(known);
	cluster_numbers_free(&all);
	return ret < 0 ? ret : check_texts(sources, path);
}
