#include "cmd/single.h"

#include "cmd/batch_system.h"
#include "cmd/outcome.h"
#include "core/error.h"

#include <stdio.h>
#include <unistd.h>

void single_print_settings(const struct setup *su, bool json)
{
	cJSON *object = cJSON_CreateObject();
	const cJSON *value;

	cJSON_AddStringToObject(object, "hash", su->hash);
	for (size_t i = 0; i < su->ncanon; i++)
		cJSON_AddStringToObject(object, su->canon[i].key, su->canon[i].value);
	if (json)
		json_print(object);
	else
		cJSON_ArrayForEach(value, object)
			printf("%-13s %s\n", value->string, value->valuestring);
	cJSON_Delete(object);
}

static void print_value(const cJSON *run, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(run, key);

	if (cJSON_IsNumber(item))
		printf("%-17s %.6g\n", key, item->valuedouble);
	else if (cJSON_IsString(item) && *item->valuestring)
		printf("%-17s %s\n", key, item->valuestring);
	else
		printf("%-17s -\n", key);
}

static void print_run(const cJSON *run)
{
	static const char *const keys[] = {
		"algo", "workers", "seed", "status", "end", "time_s", "epochs",
		"time_per_epoch_s", "wait_share", "bytes_sent", "staleness_mean", "train_loss",
		"test_loss", "test_accuracy", "model", "file"
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		print_value(run, keys[i]);
}

int single_print_result(const char *path, bool json)
{
	cJSON *run = result_read(path);
	cJSON *brief;

	if (!run)
		return EXIT_BAD;
	brief = run_brief(run);
	if (json)
		json_print(brief);
	else
		print_run(brief);
	cJSON_Delete(brief);
	cJSON_Delete(run);
	return EXIT_OK;
}

int single_threads(int64_t asked)
{
	const long cores = sysconf(_SC_NPROCESSORS_ONLN);

	return batch_threads(asked, cores < 1 ? 1 : (int)cores);
}
