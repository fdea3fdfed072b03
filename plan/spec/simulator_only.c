/* Removes from a spec what real ranks do not support or do not use. */
#include "plan/spec/spec.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"

#include <stdlib.h>
#include <string.h>

/* What setup_resolve() refuses of real ranks that compute, and what they do not look at. */
static const char *const simulated[] = {
	"cluster", "host_copy_s", "update_s", "link", "faults", "recovery", "init", "shards",
	"sim_bucket", "sim_in_flight", "zero", "storage",
	"samples", NULL
};

static bool take_out(cJSON *object, const char *key)
{
	const bool there = json_get(object, key);

	cJSON_DeleteItemFromObjectCaseSensitive(object, key);
	return there;
}

/* A baseline that is timed alone, among training runs, computes on real ranks as they do. */
static void compute_baseline(struct spec *s)
{
	take_out(s->baseline, "timing");
}

/* True where the spec had the setting. */
static bool drop(struct spec *s, const char *key)
{
	bool there = take_out(s->base, key);
	cJSON *product;

	there = take_out(s->baseline, key) || there;
	cJSON_ArrayForEach(product, s->grid)
		there = take_out(product, key) || there;
	return there;
}

void simulator_only_drop(struct spec *s, const cJSON *set)
{
	const char *engine = json_string(set, "engine");
	char *all;

	if (!engine || strcmp(engine, "mpi") != 0)
		return;
	all = xstrdup("");
	compute_baseline(s);
	for (size_t i = 0; simulated[i]; i++)
		if (!json_get(set, simulated[i]) && drop(s, simulated[i]))
			xappend(&all, ", ", simulated[i]);
	if (*all)
		warning("%s: left out with engine = mpi, for only the simulator has them: %s",
			s->name, all);
	free(all);
}
