/* Reads what a finished run took, with its settings, from its result file. */
#include "record/cost.h"

#include "record/h5.h"
#include "record/seal.h"

#include <stdlib.h>

static cJSON *texts_of(hid_t settings, const char *const *keys)
{
	cJSON *texts = cJSON_CreateObject();

	for (; *keys; keys++) {
		char *text = h5_get_text(settings, *keys);

		if (text)
			cJSON_AddStringToObject(texts, *keys, text);
		free(text);
	}
	return texts;
}

static cJSON *read_cost(hid_t file, const char *const *keys, struct cost *cost)
{
	hid_t summary = H5Gopen2(file, "summary", H5P_DEFAULT);
	hid_t environment = H5Gopen2(file, "environment", H5P_DEFAULT);
	hid_t settings = H5Gopen2(file, "settings", H5P_DEFAULT);
	cJSON *texts = NULL;

	if (summary >= 0 && environment >= 0 && settings >= 0 &&
	    h5_get_whole(summary, "gradients", &cost->gradients) == 0 &&
	    h5_get_real(environment, "wall_s", &cost->wall_s) == 0 &&
	    h5_get_whole(environment, "threads", &cost->threads) == 0)
		texts = texts_of(settings, keys);
	if (texts && h5_get_whole(summary, "macs", &cost->macs) < 0)
		cost->macs = 0;
	H5Gclose(summary);
	H5Gclose(environment);
	H5Gclose(settings);
	return texts;
}

cJSON *result_cost(const char *path, const char *const *keys, struct cost *cost)
{
	hid_t file = seal_fault(path) ? -1 : h5_open(path);
	cJSON *texts;

	if (file < 0)
		return NULL;
	texts = read_cost(file, keys, cost);
	H5Fclose(file);
	return texts;
}
