/* Where the value of a setting comes from, and the rules for those that are omitted. */
#include "plan/resolve/setting_source.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/members.h"

#include <stdlib.h>
#include <string.h>

const struct default_rule default_rules[] = {
	{ "graph", FROM_ALGORITHM, "algo",
	  "the algorithm's own topology; none if its workers have no neighbours" },
	{ "workers", FROM_CLUSTER, "cluster link compute_s",
	  "the cluster's workers, 1 if its file has none; 16 on a machine without a cluster" },
	{ "workers", FROM_RANKS, "engine",
	  "engine mpi: the ranks of the batch system, or one a core, less the server's" },
	{ "data", FROM_NET, "net timing",
	  "none if no gradient of a net is computed: an analytic problem, or timing only" },
	{ "backend", FROM_NET, "net timing", "none in the same cases" },
	{ "backend", FROM_BUILD, "", "the first backend of this build" },
	{ "epochs", FROM_BOUNDS, "seconds gradients", "0, no bound, if one of these is given" },
	{ "epochs", FROM_WORKERS, "workers timing batch samples algo",
	  "timing only: 1 epoch, of more than 16 workers at least 64 gradients each, and on to "
	  "the end of a round of all workers" },
	{ "cluster", FROM_MACHINE, "link compute_s", "none if one of these is given" },
	{ "cluster", FROM_ENGINE, "engine", "engine mpi: none" },
	{ "compute_s", FROM_CLUSTER, "cluster net batch workers",
	  "batch times the cluster's seconds a sample of the net, else by operations a second" },
	{ "compute_s", FROM_NET, "net", "the sum of its layers' seconds, if they are measured" },
	{ "compute_s", FROM_ENGINE, "engine", "engine mpi: 0, what the gradient takes" },
	{ "host_copy_s", FROM_CLUSTER, "cluster link net",
	  "two copies of the model at the cluster's host_copy_GBps, _latency_s; 0 if it has none" },
	{ "host_copy_s", FROM_ENGINE, "engine", "engine mpi: none" },
	{ "update_s", FROM_CLUSTER, "cluster link", "the cluster's; 0 if it has none" },
	{ "update_s", FROM_ENGINE, "engine", "engine mpi: none" },
	{ "link", FROM_CLUSTER, "cluster compute_s", "the cluster's; ideal if it has none" },
	{ "link", FROM_ENGINE, "engine", "engine mpi: none" },
	{ "overlap", FROM_CLUSTER, "cluster", "the cluster's" },
	{ "sim_bucket", FROM_CLUSTER, "cluster algo net workers overlap codec",
	  "its bucket_bytes, or 25 MiB; 0 unless larger gradients are all-reduced and overlap" },
	{ "delay", FROM_CLUSTER, "cluster link", "the cluster's; constant if it has none" },
	{ "samples", FROM_NET, "net", "those of the analytic problem" },
	{ "samples", FROM_DATA, "timing data", "timing only: those of the data set" },
	{ NULL, FROM_DEFAULT, NULL, NULL }
};

static const char *const names[] = {
	[FROM_DEFAULT] = "default", [FROM_GIVEN] = "given", [FROM_ALGORITHM] = "algorithm",
	[FROM_NET] = "net", [FROM_DATA] = "data", [FROM_BUILD] = "build",
	[FROM_BOUNDS] = "seconds or gradients", [FROM_WORKERS] = "workers",
	[FROM_RANKS] = "ranks", [FROM_ENGINE] = "engine",
	[FROM_MACHINE] = "link or compute_s", [FROM_CLUSTER] = "cluster",
	[FROM_NEUTRAL] = "neutral",
};

void setting_sources_begin(struct setting_source *all, const struct settings *in)
{
	for (size_t i = 0; settings_opts[i].name; i++)
		if (in->given >> i & 1)
			all[i].from = FROM_GIVEN;
}

void setting_sources_release(struct setting_source *all)
{
	for (size_t i = 0; settings_opts[i].name; i++) {
		free(all[i].source);
		free(all[i].beyond);
		free(all[i].name);
		free(all[i].value);
	}
}

struct setting_source *setting_source_at(struct setting_source *all, const char *key)
{
	return &all[opt_find(settings_opts, key) - settings_opts];
}

const struct default_rule *default_rule_find(const char *key, enum from from)
{
	for (const struct default_rule *r = default_rules; r->key; r++)
		if (strcmp(r->key, key) == 0 && r->from == from)
			return r;
	return NULL;
}

void setting_source_set(struct setting_source *all, const char *key, enum from from)
{
	struct setting_source *src = setting_source_at(all, key);

	if (src->from == FROM_GIVEN)
		return;
	if (!default_rule_find(key, from == FROM_NEUTRAL ? FROM_CLUSTER : from))
		BUG("no rule says that %s is from %s", key, names[from]);
	src->from = from;
}

/* Puts source and extrapolation together. */
static void source_name(struct setting_source *src)
{
	free(src->name);
	src->name = xstrdup(src->source);
	if (src->beyond)
		xappend_own(&src->name, ", ", xasprintf("extrapolated: %s", src->beyond));
}

void setting_source_is(struct setting_source *src, char *source)
{
	free(src->source);
	src->source = source;
	source_name(src);
}

void setting_source_extrapolated(struct setting_source *src, char *beyond, char *value)
{
	free(src->beyond);
	src->beyond = beyond;
	source_name(src);
	free(src->value);
	src->value = value;
	src->used = true;
	src->named = false;
}

char *from_text(enum from from)
{
	const bool plain = from == FROM_DEFAULT || from == FROM_GIVEN || from == FROM_NEUTRAL;

	return xasprintf("%s%s", plain ? "" : "from ", names[from]);
}

char *setting_source_text(const struct setting_source *src)
{
	if (src->unused)
		return xasprintf("%s (not used)", names[src->from]);
	if (!src->source)
		return from_text(src->from);
	if (src->from == FROM_GIVEN && src->value)
		return xasprintf("given, but %s", src->value);
	return xasprintf("%s%.*s%s", src->from == FROM_CLUSTER ? "from " : "",
			 (int)strcspn(src->source, ","), src->source,
			 src->used ? "" : " (not used)");
}

cJSON *setting_sources_json(const struct setting_source *all)
{
	cJSON *object = cJSON_CreateObject();

	for (size_t i = 0; settings_opts[i].name; i++) {
		char *text = setting_source_text(&all[i]);

		ADD(object, j_text(settings_opts[i].name, text));
		free(text);
	}
	return object;
}
