/* The command `convoy data info`: size, classes and checksum of a data set. */
#include "cmd/data/parts.h"

#include "cmd/args.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "data/data.h"
#include "runner/results/outcome.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char about[] =
	"Opens a data set as --data does, with the same options, and says what it holds: size of\n"
	"the images, how many of each split and class, means and deviations, digest, and whether\n"
	"that is the set as published; of a text its windows, vocabulary and, where it is known,\n"
	"entropy.\n"
	"\n"
	"Examples:\n"
	"  convoy data info cifar10\n"
	"  convoy data info mnist:train=1000 --json";

static const char *const split_name[] = { "train", "test" };

static const char *standing_text(enum standing standing)
{
	static const char *const text[] = {
		[SET_OWN] = "nothing published to compare it with",
		[SET_PUBLISHED] = "the published set",
		[SET_PART] = "a part, so not compared with the published set",
		[SET_OTHER] = "not the published set",
	};

	return text[standing];
}

/* [classes] samples of each class; NULL where labels cannot be had quickly. */
static int64_t *count_classes(const struct dataset *ds, enum split split)
{
	int64_t *counts;

	if (!ds->type->label)
		return NULL;
	counts = xcalloc((size_t)ds->classes, sizeof(*counts));
	for (int64_t i = 0; i < ds->n[split]; i++)
		counts[ds->type->label(ds, split, i)]++;
	return counts;
}

/* "5000 of each", "980 to 1135 of each", or "" when it is not known. */
static void data_info_summarise(const struct dataset *ds, enum split split, char *text, size_t size)
{
	int64_t *counts = count_classes(ds, split), least, most;

	*text = '\0';
	if (!counts)
		return;
	least = most = counts[0];
	for (int c = 1; c < ds->classes; c++) {
		least = counts[c] < least ? counts[c] : least;
		most = counts[c] > most ? counts[c] : most;
	}
	if (least == most)
		snprintf(text, size, ", %" PRId64 " of each class", least);
	else
		snprintf(text, size, ", %" PRId64 " to %" PRId64 " of each class", least, most);
	free(counts);
}

static const char *samples_name(const struct dataset *ds)
{
	return ds->tokens ? "windows" : ds->type->vector ? "vectors" : "images";
}

static void print_split(const struct dataset *ds, enum split split)
{
	char each[80];

	data_info_summarise(ds, split, each, sizeof(each));
	printf("%-10s %" PRId64 " %s%s\n", split_name[split], ds->n[split], samples_name(ds),
	       each);
}

static void print_channels(const char *what, int channels, const float *v)
{
	printf("%-10s", what);
	for (int c = 0; c < channels; c++)
		printf(" %.4f", (double)v[c]);
	printf("  of pixel / 255\n");
}

static void data_info_print_text(const struct dataset *ds, const float *mean, const float *dev)
{
	printf("%s: %s\n", ds->type->plugin.name, ds->type->plugin.brief);
	if (ds->type->plugin.cite)
		printf("Source: %s\n", ds->type->plugin.cite);
	putchar('\n');
	if (ds->path)
		printf("%-10s %s\n", "from", ds->path);
	if (ds->tokens)
		printf("%-10s of %d tokens\n", "windows", ds->height);
	else
		printf("%-10s %d x %d x %d\n", samples_name(ds), ds->height, ds->width,
		       ds->channels);
	printf("%-10s %d\n", ds->tokens ? "vocabulary" : "classes", ds->classes);
	print_split(ds, SPLIT_TRAIN);
	print_split(ds, SPLIT_TEST);
	if (ds->least > 0)
		printf("%-10s %.6f, the least mean loss that a net can have\n", "entropy",
		       ds->least);
	if (ds->type->moments) {
		print_channels("mean", ds->channels, mean);
		print_channels("deviation", ds->channels, dev);
	}
	printf("%-10s %016" PRIx64 ", %s\n", "digest", ds->digest, standing_text(ds->standing));
}

static cJSON *split_json(const struct dataset *ds, enum split split)
{
	cJSON *json = cJSON_CreateObject(), *list;
	int64_t *counts = count_classes(ds, split);

	cJSON_AddNumberToObject(json, samples_name(ds), (double)ds->n[split]);
	list = counts ? cJSON_AddArrayToObject(json, "classes")
		      : cJSON_AddNullToObject(json, "classes");
	for (int c = 0; counts && c < ds->classes; c++)
		cJSON_AddItemToArray(list, cJSON_CreateNumber((double)counts[c]));
	free(counts);
	return json;
}

static void data_info_print_json(const struct dataset *ds, const float *mean, const float *dev)
{
	static const char *const standing[] = { "own", "published", "part", "other" };
	cJSON *json = cJSON_CreateObject();
	char digest[17];

	snprintf(digest, sizeof(digest), "%016" PRIx64, ds->digest);
	cJSON_AddStringToObject(json, "name", ds->type->plugin.name);
	json_add_text(json, "from", ds->path);
	cJSON_AddItemToObject(json, "shape", cJSON_CreateIntArray(
		(const int[]){ ds->height, ds->width, ds->channels }, 3));
	cJSON_AddNumberToObject(json, "classes", ds->classes);
	for (int k = 0; k < 2; k++)
		cJSON_AddItemToObject(json, split_name[k], split_json(ds, (enum split)k));
	if (ds->type->moments) {
		cJSON_AddItemToObject(json, "mean", cJSON_CreateFloatArray(mean, ds->channels));
		cJSON_AddItemToObject(json, "deviation",
				      cJSON_CreateFloatArray(dev, ds->channels));
	}
	if (ds->least > 0)
		cJSON_AddNumberToObject(json, "entropy", ds->least);
	cJSON_AddStringToObject(json, "digest", digest);
	cJSON_AddStringToObject(json, "standing", standing[ds->standing]);
	json_print(json);
	cJSON_Delete(json);
}

static int info(const struct args *a)
{
	const struct json_conf *c = a->conf;
	struct dataset *ds = dataset_open_text(a->words[0]);
	float *mean;

	if (!ds)
		return EXIT_BAD;
	mean = vec_new(2 * (size_t)ds->channels);
	if (ds->type->moments)
		ds->type->moments(ds, mean, mean + ds->channels);
	if (c->json)
		data_info_print_json(ds, mean, mean + ds->channels);
	else
		data_info_print_text(ds, mean, mean + ds->channels);
	free(mean);
	dataset_close(ds);
	return EXIT_OK;
}

int cmd_data_info(int argc, char **argv)
{
	struct json_conf conf;
	struct args a = { .opts = json_opts, .conf = &conf, .about = about, .one = "set",
			  .usage = "data info NAME[:key=value,...] [--json]" };

	return args_main(&a, argc, argv, info);
}
