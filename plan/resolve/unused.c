/* Settings that are given although the run does not depend on them. */
#include "plan/resolve/unused.h"

#include "core/base/mem.h"
#include "core/node.h"
#include "plan/machine/machine.h"

#include <stdlib.h>
#include <string.h>

static bool unused_is_timing(const struct setup *su)
{
	return su->in.timing;
}

static bool unused_has_no_server(const struct setup *su)
{
	return su->in.engine == ENGINE_SIM && !setup_algo(su)->server;
}

static bool unused_has_no_buckets(const struct setup *su)
{
	return su->in.engine == ENGINE_SIM && !machine_has_buckets(su);
}

static bool unused_is_simulated(const struct setup *su)
{
	return su->in.engine == ENGINE_SIM;
}

/* Settings with a reason for which a run does not depend on them. */
static const struct {
	const char *why;
	bool (*holds)(const struct setup *su);
	const char *keys[16];
} rules[] = {
	{ "timing only: compute times follow from compute_s, sizes of messages from codec",
	  unused_is_timing,
	  { "precision", "backend", "lowering", "partitions", "fusion", "compute_threads" } },
	{ "timing only: no gradient is computed", unused_is_timing,
	  { "lr", "lr_scaling", "lr_batch", "schedule", "warmup", "warmup_from", "init",
	    "keep_model", "eval_every", "eval_samples", "stat_batches", "measures" } },
	{ "the algorithm has no server", unused_has_no_server, { "update_s" } },
	{ "no gradient is all-reduced in buckets", unused_has_no_buckets, { "sim_bucket" } },
	{ "it is of real ranks", unused_is_simulated, { "bucket" } },
};

enum { RULES = sizeof(rules) / sizeof(rules[0]) };

void unused_mark(struct setup *su)
{
	for (size_t i = 0; i < RULES; i++)
		for (size_t k = 0; rules[i].keys[k] && rules[i].holds(su); k++) {
			struct setting_source *src = setting_source_at(su->sources,
								       rules[i].keys[k]);

			if (src->from == FROM_GIVEN)
				src->unused = rules[i].why;
		}
}

/* Given in one of the runs, and in none with an effect. */
static bool unused_in_all(const struct setup *const *runs, size_t n, const char *key)
{
	const size_t at = (size_t)(opt_find(settings_opts, key) - settings_opts);
	bool given = false;

	for (size_t i = 0; i < n; i++) {
		const struct setting_source *src = &runs[i]->sources[at];

		if (src->from == FROM_GIVEN && !src->unused)
			return false;
		given |= src->from == FROM_GIVEN;
	}
	return given;
}

char *unused_text(const struct setup *const *runs, size_t n)
{
	char *all = NULL;

	for (size_t i = 0; i < RULES; i++) {
		char *keys = NULL;

		for (size_t k = 0; rules[i].keys[k]; k++)
			if (unused_in_all(runs, n, rules[i].keys[k]))
				xappend(&keys, ", ", rules[i].keys[k]);
		if (keys)
			xappend_own(&all, "; ",
				    xasprintf("%s%s (%s)", all ? "" : "no effect: ", keys,
					      rules[i].why));
		free(keys);
	}
	return all;
}
