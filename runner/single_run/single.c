/* Settings, thread counts and printed results of commands that make one run. */
#include "runner/single_run/single.h"

#include "core/base/cores.h"
#include "core/base/error.h"
#include "core/file/json.h"
#include "core/text/utf8.h"
#include "data/data.h"
#include "mpi/real.h"
#include "plan/machine/batch_system.h"
#include "plan/machine/machine.h"
#include "plan/resolve/remarks.h"
#include "record/layout.h"
#include "runner/progress.h"
#include "runner/results/lock.h"
#include "runner/results/outcome.h"
#include "runner/settings_table.h"
#include "runner/signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void single_note_assumed(const struct setup *su)
{
	note_own(assumed_text(&su, NULL, 1));
	notes_own(remarks(&su, NULL, 1));
}

void single_print_settings(const struct setup *su, bool json)
{
	cJSON *object;

	if (!json) {
		printf("%-15s %s\n", "hash", su->hash);
		settings_table_print(&su, 1, true);
		return;
	}
	object = cJSON_CreateObject();
	cJSON_AddStringToObject(object, "hash", su->hash);
	for (size_t i = 0; i < su->ncanonical; i++)
		cJSON_AddStringToObject(object, su->canonical[i].key, su->canonical[i].value);
	cJSON_AddItemToObject(object, "assumed", assumed_json(su));
	cJSON_AddItemToObject(object, "sources", setting_sources_json(su->sources));
	json_print(object);
	cJSON_Delete(object);
}

static void print_value(const cJSON *run, const char *key)
{
	const cJSON *item = json_get(run, key);

	printf("%-19s ", key);
	if (cJSON_IsNumber(item))
		printf("%.6g\n", item->valuedouble);
	else
		utf8_puts(cJSON_IsString(item) && *item->valuestring ? item->valuestring : "-");
}

/* Not of every run: shown where it has it. */
static bool single_is_rare(const char *key)
{
	const enum measure_id m = measure_find(key);

	if (m < MEASURE_COUNT && (measure_table[m].source == MEASURED_RARE ||
				  measure_table[m].source == MEASURED_RARE_COUNT))
		return true;
	return strncmp(key, "test_", 5) == 0 || strcmp(key, "remark") == 0;
}

static void print_run(const cJSON *run)
{
	static const char *const keys[] = {
		"algo", "workers", "seed", "status", "end", "time_s", "epochs",
		"time_per_epoch_s", "wait_share", "communication_share", "goodput",
		"goodput_expected", "failures", "checkpoints", "checkpoint_s", "lost_s",
		"down_s", "young_s", "daly_s", "bytes_sent", "staleness_mean", "train_loss",
		"test_loss", "test_perplexity", "test_bits", "test_accuracy", "model", "file",
		"remark"
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!single_is_rare(keys[i]) || json_get(run, keys[i]))
			print_value(run, keys[i]);
}

int single_print_result(const char *path, bool json)
{
	struct result r;
	cJSON *brief;

	if (result_load(&r, path, RESULT_WHOLE) < 0)
		return EXIT_BAD;
	brief = result_json(&r, true);
	if (json)
		json_print(brief);
	else
		print_run(brief);
	note_own(unfailing_text(&(struct results){ &r, json ? 0 : 1 }));
	cJSON_Delete(brief);
	result_release(&r);
	return EXIT_OK;
}

int single_threads(int64_t asked)
{
	return batch_threads(asked, cores_allowed());
}

static void single_tick(void *ctx, double fraction, double gradients)
{
	progress_show(ctx, 0, fraction, gradients);
}

/* What rank 0 finds before the run; with its lock. */
enum single_state { SINGLE_TODO, SINGLE_FINISHED, SINGLE_INTERRUPTED };

/* A run of an experiment has been planned, and its result looked for. */
static enum single_state single_look(const struct setup *su, const struct run_context *t)
{
	const bool finished = t->alone && result_usable(t->path, su->hash);

	if (signal_caught)
		return SINGLE_INTERRUPTED;
	return finished && !t->trace ? SINGLE_FINISHED : SINGLE_TODO;
}

static enum run_end single_make(const struct setup *su, struct run_context *t, bool quiet)
{
	struct progress progress;
	struct dataset *data = setup_needs_data(su) ? dataset_open(&su->data) : NULL;
	const bool ready = data || !setup_needs_data(su);
	enum run_end end = RUN_END_FAILED;

	t->tick = single_tick;
	t->ctx = &progress;
	t->interrupted = &signal_caught;
	progress_start(&progress, 1, quiet);
	if (real_agree(ready ? EXIT_OK : EXIT_BAD) == EXIT_OK)
		end = simrun(su, data, t);
	progress_end(&progress);
	dataset_close(data);
	if (end == RUN_END_INTERRUPTED)
		note("interrupted; what was reached is in %s.part", t->path);
	return end;
}

enum run_end single_run(const struct setup *su, struct run_context *t, bool quiet)
{
	const bool first = real_rank() == 0;
	const struct result_lock lock = first ? result_lock(t->path)
					      : (struct result_lock){ .fd = -1 };
	enum single_state state = first ? single_look(su, t) : SINGLE_TODO;
	enum run_end end = RUN_END_DONE;

	real_share(&state, sizeof(state));
	if (state == SINGLE_TODO)
		end = single_make(su, t, quiet);
	else if (state == SINGLE_INTERRUPTED)
		end = RUN_END_INTERRUPTED;
	else if (first && !quiet)
		note("finished before: %s", t->path);
	result_unlock(&lock);
	return end;
}
