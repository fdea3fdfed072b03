/* Adds a run's speedup over its baseline; explains superlinear ones in notes. */
#include "record/measure.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Share by which a speedup may be above the number of workers, for rounding. */
#define ROUNDING 1e-3

void result_speedup(cJSON *run, const cJSON *baseline)
{
	const double base = baseline ? run_number(baseline, "time_per_epoch_s") : (double)NAN;
	const double ratio = base / run_number(run, "time_per_epoch_s");
	const char *hash = json_string(baseline, "hash");

	json_put(run, "speedup",
		    isfinite(ratio) ? cJSON_CreateNumber(ratio) : cJSON_CreateNull());
	json_put(run, "baseline", hash ? cJSON_CreateString(hash) : cJSON_CreateNull());
}

/* ---- reasons ---- */

static const cJSON *baseline_of(const cJSON *run, const cJSON *baselines)
{
	const char *hash = json_string(run, "baseline");
	const cJSON *baseline;

	cJSON_ArrayForEach(baseline, baselines) {
		const cJSON *own = json_get(baseline, "hash");

		if (hash && cJSON_IsString(own) && strcmp(own->valuestring, hash) == 0)
			return baseline;
	}
	return NULL;
}

static const char *speedup_setting_of(const cJSON *run, const char *key)
{
	const char *value = json_string(json_get(run, "settings"), key);

	return value ? value : "";
}

/* A setting that makes a gradient take another time, and that the baseline has otherwise. */
static const char *speedup_differs(const cJSON *run, const cJSON *baseline)
{
	static const char *const keys[] = { "delay", "compute_s", "batch", "net", "data",
					    "precision", "backend", "lowering", "partitions",
					    "fusion", "update_s", "engine" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strcmp(speedup_setting_of(run, keys[i]),
			   speedup_setting_of(baseline, keys[i])) != 0)
			return keys[i];
	return NULL;
}

static bool speeds_up(const char *slow)
{
	for (; (slow = strchr(slow, ':')); slow++)
		if (strtod(slow + 1, NULL) < 1)
			return true;
	return false;
}

/* Only what is so of these runs. The caller frees. */
static char *reason_of(const cJSON *run, const cJSON *baseline)
{
	const char *key = speedup_differs(run, baseline), *delay = speedup_setting_of(run, "delay");
	const char *slow = speedup_setting_of(run, "slow");

	if (key)
		return xasprintf("the baseline has %s=%s, these runs have not", key,
				 speedup_setting_of(baseline, key));
	if (speeds_up(slow))
		return xasprintf("slow=%s makes a worker faster than the baseline's", slow);
	if (*delay && strcmp(delay, "constant") != 0)
		return xasprintf("compute times vary by delay=%s, and the baseline's one worker is "
				 "slower than these workers on average", delay);
	if (strcmp(speedup_setting_of(run, "engine"), "mpi") == 0)
		return xstrdup("real ranks were timed in several runs, between which caches, clock "
			       "rates and other load differ");
	return xstrdup("no reason known, check the baseline");
}

/* ---- notes ---- */

struct reason {
	char *text;             /* owned */
	int runs;
	const cJSON *most;      /* the run with the largest speedup */
};

static void add_run(struct reason **all, size_t *n, const cJSON *run, char *text)
{
	size_t i = 0;
	struct reason *r;

	while (i < *n && strcmp((*all)[i].text, text) != 0)
		i++;
	if (i == *n) {
		*all = xrealloc(*all, ++*n, sizeof(**all));
		(*all)[i] = (struct reason){ .text = xstrdup(text), .most = run };
	}
	r = &(*all)[i];
	r->runs++;
	if (run_number(run, "speedup") > run_number(r->most, "speedup"))
		r->most = run;
	free(text);
}

static char *note_of(const struct reason *r)
{
	const char *algo = json_string(r->most, "algo");

	return xasprintf("Speedup above the number of workers in %d run%s (at most %.4g, "
			 "%s with %g workers): %s.", r->runs, word_plural(r->runs),
			 run_number(r->most, "speedup"), algo ? algo : "",
			 run_number(r->most, "workers"), r->text);
}

cJSON *speedup_notes(const cJSON *runs, const cJSON *baselines)
{
	cJSON *notes = cJSON_CreateArray();
	struct reason *all = NULL;
	const cJSON *run;
	size_t n = 0;

	cJSON_ArrayForEach(run, runs) {
		const double most = run_number(run, "workers") * (1 + ROUNDING);
		const cJSON *baseline = baseline_of(run, baselines);

		if (baseline && run_number(run, "speedup") > most)
			add_run(&all, &n, run, reason_of(run, baseline));
	}
	for (size_t i = 0; i < n; i++) {
		char *note = note_of(&all[i]);

		cJSON_AddItemToArray(notes, cJSON_CreateString(note));
		free(note);
		free(all[i].text);
	}
	free(all);
	return notes;
}
