/* Result files of runs that were killed, cut short, changed, foreign; disks that refuse. */
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "record/environ.h"
#include "record/h5.h"
#include "record/record.h"
#include "record/result.h"
#include "record/trace/trace.h"
#include "record/tree.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/files.h"
#include "tests/support/forged.h"
#include "tests/support/played.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A run that was killed leaves a file that opens and is not taken for a whole one. */
static void test_killed(void **state)
{
	char *folder = folder_new(), *path = xasprintf("%s/run.h5", folder);
	char *part = xasprintf("%s.part", path);
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		play(path, &played_run);
		raise(SIGKILL);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(access(path, F_OK), -1);
	assert_false(result_finished(part, "abc"));
	capture_start();
	assert_null(tree_read(part));
	capture_stop();
	assert_said("is not whole: its run was killed");
	free(part);
	free(path);
	folder_remove(folder);
}

/* Version 3 had other random draws: it is not read, and its run is made again. */
static void test_older(void **state)
{
	char *folder = folder_new(), *path = xasprintf("%s/run.h5", folder);

	assert_int_equal(recorder_close(play(path, &played_run), &played_result), 0);
	assert_true(result_finished(path, "abc"));
	played_set_version(path, 3);
	assert_false(result_finished(path, "abc"));
	assert_string_equal(result_fault(path, "abc"), "is of another layout version");
	capture_start();
	assert_null(tree_read(path));
	capture_stop();
	assert_said("its layout version is 3, and this one reads from 4");
	free(path);
	folder_remove(folder);
}

/* What a killed run left can be made a whole file, once, and is then read. */
static void test_interrupted(void **state)
{
	char *folder = folder_new(), *path = xasprintf("%s/run.h5", folder);
	char *part = xasprintf("%s.part", path);
	pid_t pid = fork();
	cJSON *run;

	if (pid == 0) {
		play(path, &played_run);
		raise(SIGKILL);
	}
	waitpid(pid, NULL, 0);
	assert_int_equal(result_interrupt_of(part, getpid()), 0);
	assert_int_equal(result_interrupt_of(part, pid), 1);
	assert_int_equal(result_interrupt(part), 0);
	run = tree_read(part);
	assert_non_null(run);
	assert_string_equal(cJSON_GetObjectItem(run, "status")->valuestring, "interrupted");
	assert_string_equal(cJSON_GetObjectItem(run, "end")->valuestring, "interrupted");
	assert_false(result_finished(part, "abc"));
	cJSON_Delete(run);
	folder_truncate(folder, "run.h5.part", 1000);
	capture_start();
	assert_int_equal(result_interrupt(part), -1);
	capture_stop();
	assert_said(part);
	free(part);
	free(path);
	folder_remove(folder);
}

static const char *refusal(const char *path)
{
	capture_start();
	assert_null(tree_read(path));
	capture_stop();
	assert_null(strchr(capture_text(), '\n') ? strchr(strchr(capture_text(), '\n') + 1, '\n') :
						   NULL);
	return capture_text();
}

static void test_truncated(void **state)
{
	char *folder, *path;
	struct stat st;

	cJSON_Delete(play_and_read(&played_run, &played_result, &folder));
	path = xasprintf("%s/run.h5", folder);
	assert_int_equal(stat(path, &st), 0);
	for (off_t n = st.st_size - 1; n >= 0; n -= n > 512 ? 512 : 100) {
		folder_truncate(folder, "run.h5", (size_t)n);
		assert_non_null(strstr(refusal(path), path));
		assert_false(result_finished(path, "abc"));
	}
	free(path);
	folder_remove(folder);
}

/* A byte changed anywhere is noticed, before HDF5 sees it. */
static void test_changed(void **state)
{
	char *folder, *path, *bytes;
	size_t n;

	cJSON_Delete(play_and_read(&played_run, &played_result, &folder));
	path = xasprintf("%s/run.h5", folder);
	bytes = file_read(path, &n);
	assert_true(n > 1000);
	for (size_t i = 0; i < n; i += i + 64 < n ? 61 : 1) {
		bytes[i] ^= 4;
		folder_write(folder, "run.h5", PACK_PLAIN, bytes, n);
		assert_non_null(strstr(refusal(path), path));
		bytes[i] ^= 4;
	}
	folder_write(folder, "run.h5", PACK_PLAIN, bytes, n);
	assert_true(result_finished(path, "abc"));
	free(bytes);
	free(path);
	folder_remove(folder);
}

/* Reads, and changes, what is there in every way. */
static void read_all(const char *path)
{
	static const char *const keys[] = { "net", NULL };
	struct trace trace;
	struct run_cost cost;
	struct result r;

	if (result_load(&r, path, RESULT_TIMED) == 0)
		result_release(&r);
	if (result_load(&r, path, RESULT_GLANCE) == 0)
		result_release(&r);
	cJSON_Delete(result_cost(path, keys, &cost));
	cJSON_Delete(environ_read(path));
	free(result_model(path, 10));
	if (trace_read(&trace, path) == 0)
		BUG("a result is no trace");
	trace_release(&trace);
	result_interrupt(path);
}

/* A seal that is right says nothing of who made a file: HDF5 would crash on its headers. */
static void test_sealed(void **state)
{
	char *folder, *path, *bytes;
	int whole = 0;
	struct rng r;
	size_t n;

	cJSON_Delete(play_and_read(&played_run, &played_result, &folder));
	path = xasprintf("%s/run.h5", folder);
	bytes = file_read(path, &n);
	rng_at(&r, 41, RNG_DATA, 1, 0);
	for (int k = forged_times(300); k; k--) {
		forged_sealed(folder, "run.h5", bytes, n, &r);
		whole += result_finished(path, "abc");
		capture_start();
		read_all(path);
		capture_stop();
	}
	assert_true(whole > 0);
	free(bytes);
	free(path);
	folder_remove(folder);
}

struct forgery {
	const char *group, *name, *said;
	double is;              /* of an attribute of this name */
	const char *text;       /* the same of a text */
};

/* Changes an attribute, or takes the last rows out of a column. */
static int forge(struct tree *file, const void *ctx)
{
	const struct forgery *f = ctx;
	struct tree *group = tree_find(file, f->group), *column = tree_find(group, f->name);
	const struct tree_attribute *was = tree_attribute(group, f->name);
	const bool whole = was && was->type == TREE_WHOLE;

	if (column) {
		assert_true(column->count > 0);
		column->dim[0] = --column->count;
		return 1;
	}
	tree_take_out(group, f->name);
	if (f->text)
		tree_put_text(group, f->name, f->text);
	else if (whole)
		tree_put_whole(group, f->name, (int64_t)f->is);
	else
		tree_put_real(group, f->name, f->is);
	return 1;
}

/* What no run has, in a file whose seal is right. */
static void test_impossible(void **state)
{
	static const char lengths[] = "differ in length", settings[] = "of other settings";
	static const struct forgery all[] = {
		{ "train", "epoch", lengths, 0, NULL },
		{ "train", "loss", lengths, 0, NULL },
		{ "eval", "test_loss", lengths, 0, NULL },
		{ "nodes", "rank", lengths, 0, NULL },
		{ "staleness", "count", lengths, 0, NULL },
		{ "environment", "train_wall_s", lengths, 0, NULL },
		{ "environment", "eval_wall_s", lengths, 0, NULL },
		{ "summary", "time_s", "no run has a time_s of -5", -5, NULL },
		{ "summary", "gradients", "a gradients of -60", -60, NULL },
		{ "summary", "wait_share", "a wait_share of 17", 17, NULL },
		{ "summary", "test_accuracy", "a test_accuracy of 7.5", 7.5, NULL },
		{ "settings", "workers", settings, 0, "3" },
		{ "settings", "seed", settings, 0, "6" },
		{ "settings", "algo", settings, 0, "toys" },
	};
	const struct forgery loss = { "summary", "train_loss", NULL, -3, NULL };
	char *folder, *path, *bytes;
	struct result totals;
	size_t n;

	cJSON_Delete(play_and_read(&played_run, &played_result, &folder));
	path = xasprintf("%s/run.h5", folder);
	bytes = file_read(path, &n);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		folder_write(folder, "run.h5", PACK_PLAIN, bytes, n);
		assert_int_equal(result_change(path, false, forge, &all[i]), 1);
		assert_non_null(strstr(refusal(path), path));
		assert_said(all[i].said);
		capture_start();
		assert_int_equal(result_load(&totals, path, RESULT_TOTALS), -1);
		capture_stop();
	}
	/* Of a user's model. */
	folder_write(folder, "run.h5", PACK_PLAIN, bytes, n);
	assert_int_equal(result_change(path, false, forge, &loss), 1);
	assert_int_equal(result_load(&totals, path, RESULT_TOTALS), 0);
	result_release(&totals);
	free(bytes);
	free(path);
	folder_remove(folder);
}

/* Counts, sizes and addresses of groups that are larger than the file, or lead in a circle. */
static void test_parts(void **state)
{
	static const struct {
		const char *mark;
		size_t at, n;   /* bytes of the number, after the mark's first */
		uint64_t is;
	} parts[] = { { "TREE", 6, 2, 0xffff }, { "TREE", 32, 8, 96 }, { "SNOD", 6, 2, 0xffff },
		      { "SNOD", 16, 8, 96 }, { "HEAP", 8, 8, (uint64_t)1 << 40 },
		      { "HEAP", 24, 8, 96 } };
	char *folder, *path, *bytes;
	size_t n;

	cJSON_Delete(play_and_read(&played_run, &played_result, &folder));
	path = xasprintf("%s/run.h5", folder);
	bytes = file_read(path, &n);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		char was[8];
		size_t at = 0;

		while (memcmp(bytes + at, parts[i].mark, 4) != 0)
			at++;
		at += parts[i].at;
		memcpy(was, bytes + at, parts[i].n);
		memcpy(bytes + at, &parts[i].is, parts[i].n);
		seal_write(bytes, n - SEAL_BYTES, bytes + n - SEAL_BYTES);
		folder_write(folder, "run.h5", PACK_PLAIN, bytes, n);
		assert_non_null(strstr(refusal(path), "its parts are not those of a result"));
		memcpy(bytes + at, was, parts[i].n);
	}
	seal_write(bytes, n - SEAL_BYTES, bytes + n - SEAL_BYTES);
	folder_write(folder, "run.h5", PACK_PLAIN, bytes, n);
	assert_true(result_finished(path, "abc"));
	free(bytes);
	free(path);
	folder_remove(folder);
}

/* All members of the file's first group have one name, of a megabyte: it is not read for each. */
static void test_long_names(void **state)
{
	enum { TREE = 80, HEAP = 88, NAME = 1 << 20 };  /* offsets in the superblock; bytes */
	char *folder, *path, *bytes;
	uint64_t tree, heap, symbols, end;
	uint16_t members;
	struct tree *root = tree_new();
	size_t n;

	cJSON_Delete(play_and_read(&played_run, &played_result, &folder));
	path = xasprintf("%s/run.h5", folder);
	bytes = file_read(path, &n);
	n = (n - SEAL_BYTES + 7) / 8 * 8;
	end = n + NAME;
	bytes = xrealloc(bytes, end, 1);
	memset(bytes + n, 'a', NAME);
	bytes[end - 1] = 0;
	memcpy(&tree, bytes + TREE, 8);
	memcpy(&heap, bytes + HEAP, 8);
	memcpy(bytes + heap + 8, &(uint64_t){ NAME }, 8);
	memcpy(bytes + heap + 16, &(uint64_t){ 1 }, 8);
	memcpy(bytes + heap + 24, &(uint64_t){ n }, 8);
	memcpy(&symbols, bytes + tree + 32, 8);
	memcpy(&members, bytes + symbols + 6, 2);
	assert_true(members >= 4);
	for (uint16_t i = 0; i < members; i++)
		memset(bytes + symbols + 8 + 40 * i, 0, 8);
	memset(bytes + tree + 24, 0, 8);
	memcpy(bytes + 40, &end, 8);
	assert_false(structure_of_image(root, (unsigned char *)bytes, end));
	tree_free(root);
	free(bytes);
	free(path);
	folder_remove(folder);
}

static void test_foreign(void **state)
{
	char *folder = folder_new(), *path = xasprintf("%s/run.h5", folder);

	assert_non_null(strstr(refusal(path), "does not exist"));
	assert_non_null(strstr(refusal(folder), "is not a regular file"));
	folder_write(folder, "run.h5", PACK_PLAIN, "{}\n", 3);
	assert_non_null(strstr(refusal(path), "is not a whole result of convoy"));
	folder_unlink(folder, "run.h5");
	free(path);
	folder_remove(folder);
}

static void test_unwritable(void **state)
{
	char *folder = folder_new(), *path = xasprintf("%s/none/run.h5", folder);

	capture_start();
	assert_null(recorder_open(path, &played_info, &played_run));
	capture_stop();
	assert_said(path);
	assert_said("No such file or directory");
	free(path);
	folder_remove(folder);
}

/* A disk that fills up while the run goes on. */
static void test_full_disk(void **state)
{
	char *folder = folder_new(), *path = xasprintf("%s/run.h5", folder);
	struct recorder *r = play(path, &played_run);
	struct rlimit old, tight;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	tight = (struct rlimit){ 4096, old.rlim_max };
	setrlimit(RLIMIT_FSIZE, &tight);
	capture_start();
	assert_int_equal(recorder_close(r, &played_result), -1);
	capture_stop();
	setrlimit(RLIMIT_FSIZE, &old);
	assert_said("cannot write");
	assert_said("File too large");
	assert_int_equal(access(path, F_OK), -1);
	free(path);
	folder_remove(folder);
}

RUN_ALL(test_killed, test_older, test_interrupted, test_truncated, test_changed, test_sealed,
	test_impossible, test_parts, test_long_names, test_foreign, test_unwritable, test_full_disk)
