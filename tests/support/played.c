/* Feeds a recorder events by hand, and reads values from the run object it wrote. */
#include "tests/support/played.h"

#include "core/base/mem.h"
#include "core/file/paths.h"
#include "record/environ.h"
#include "record/h5.h"
#include "record/result.h"
#include "tests/support/check.h"
#include "tests/support/files.h"

#include <math.h>
#include <stdlib.h>

cJSON *tree_read(const char *path)
{
	struct result r;
	cJSON *tree;

	if (result_load(&r, path, RESULT_WHOLE) < 0)
		return NULL;
	tree = result_json(&r, RESULT_ALL);
	result_release(&r);
	return tree;
}

double tree_at(const cJSON *run, const char *group, const char *column, int i)
{
	const cJSON *list = cJSON_GetObjectItem(cJSON_GetObjectItem(run, group), column);
	const cJSON *item = cJSON_GetArrayItem(list, i);

	return cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

int tree_rows(const cJSON *run, const char *group, const char *column)
{
	return cJSON_GetArraySize(cJSON_GetObjectItem(cJSON_GetObjectItem(run, group), column));
}

double tree_number(const cJSON *run, const char *name)
{
	const cJSON *item = cJSON_GetObjectItem(run, name);

	return cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

const char *tree_text(const cJSON *run, const char *name)
{
	return cJSON_GetStringValue(cJSON_GetObjectItem(run, name));
}

static const struct setting settings[] = { { "algo", "toy" }, { "batch", "4" }, { "empty", "" } };
static char *words[] = { "convoy", "sim", "it's" };

const struct record_info played_info = {
	.experiment = "toys", .scale = "smoke", .hash = "abc", .spec = "{\"algo\":\"toy\"}",
	.settings = settings, .nsettings = 3, .train_every = 0.5,
	.stat_batches = 2,
};
static const struct algo no_algo = { .plugin = { .name = "toy" }, .lockstep = true };

void played_grad(struct hook *h, int64_t k, double loss)
{
	const struct node node = { .rank = (int)(k + 1) % 2 };

	/* A round of the two workers takes 4 s. */
	h->event(h, &(struct event){ .kind = EV_GRAD, .time = 2.0 * (double)k,
				     .epoch = 0.25 * (double)k, .gradients = k, .loss = loss,
				     .node = &node, .asked = 4.0 * (double)((k - 1) / 2) });
	h->event(h, &(struct event){ .kind = EV_STEP, .staleness = k % 3, .gradients = k,
				     .lr = 0.1 * (double)k });
}

static void mark(struct hook *h, int64_t k)
{
	const struct node node = { .ledger = { .gradients = k, .bytes_sent = 10 * k } };

	h->event(h, &(struct event){ .kind = EV_MARK, .time = 2.0 * (double)k,
				     .epoch = 0.25 * (double)k, .gradients = k, .nodes = &node,
				     .nnodes = 1 });
}

struct recorder *play(const char *path, const struct run *run)
{
	return play_as(path, &played_info, run);
}

struct recorder *play_as(const char *path, const struct record_info *info, const struct run *run)
{
	struct recorder *r;
	struct node nodes[3] = { { .rank = 0 }, { .rank = 1 }, { .rank = SERVER } };
	struct hook *h;

	environ_set_command(3, words);
	r = recorder_open(path, info, run);
	assert_non_null(r);
	h = recorder_hook(r);
	assert_false(h->mask & 1u << EV_SEND);
	for (int k = 1; k <= 6; k++) {
		played_grad(h, k, k);
		if (k == 4 || k == 6)
			mark(h, k);
	}
	mark(h, 6);
	nodes[0].ledger = (struct ledger){ 6, 3, 1, 4, 4, 5, 100, 200, .dropped = 1 };
	nodes[1].ledger = (struct ledger){ 2, 3, 5, 2, 2, 5, 50, 60, .dropped = 0 };
	nodes[2].ledger = (struct ledger){ .wait = 77, .bytes_sent = 7 };
	for (int i = 0; i < 2; i++)
		h->event(h, &(struct event){ .kind = EV_REFUSE, .node = &nodes[i], .asked = 12 });
	h->event(h, &(struct event){ .kind = EV_END, .nodes = nodes, .nnodes = 3 });
	return r;
}

const struct run_result played_result = { .end = END_EPOCHS, .time = 12, .epochs = 1.5,
					  .gradients = 6, .events = 9, .loop_s = 0.25 };
const struct run played_run = { .algo = &no_algo, .workers = 2, .seed = 5, .dim = 10,
				   .batch = 4, .samples = 16, .lr = { .base = 0.5 } };

cJSON *play_and_read(const struct run *run, const struct run_result *result, char **folder)
{
	char *path;
	cJSON *tree;

	*folder = folder_new();
	path = xasprintf("%s/run.h5", *folder);
	assert_int_equal(recorder_close(play(path, run), result), 0);
	tree = tree_read(path);
	assert_non_null(tree);
	assert_string_equal(tree_text(tree, "file"), path);
	free(path);
	return tree;
}

hid_t played_open(const char *path)
{
	size_t n;
	char *bytes = file_read(path, &n);
	const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
	hid_t file;

	assert_true(H5Pset_fapl_core(fapl, H5_GROW, false) >= 0);
	assert_true(H5Pset_file_image(fapl, bytes, n) >= 0);
	assert_true(H5Pset_libver_bounds(fapl, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST) >= 0);
	file = H5Fopen("convoy-in-memory", H5F_ACC_RDWR, fapl);
	assert_true(file >= 0);
	H5Pclose(fapl);
	free(bytes);
	return file;
}

void played_set_version(const char *path, int64_t version)
{
	const hid_t file = played_open(path);

	assert_true(H5Adelete(file, "layout_version") >= 0);
	assert_int_equal(h5_put_whole(file, "layout_version", version), 0);
	assert_int_equal(h5_save(file, path, false), 0);
}
