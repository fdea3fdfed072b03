/* A trace's version: raised by rows of faults and of stages, and what a newer one is told to be. */
#include "record/trace/trace.h"

#include "core/base/mem.h"
#include "core/file/paths.h"
#include "record/h5.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/files.h"
#include "tests/support/library.h"
#include "tests/support/played.h"
#include "tests/support/toy.h"

#include <stdlib.h>
#include <string.h>

/* The path of a trace of a short run, owned by the caller; faults NULL: it had none. */
static char *traced(const char *folder, const char *faults)
{
	const struct trace_info info = { .hash = "abc" };
	char *path = xasprintf("%s/run.h5", folder);
	struct tracer *tracer;
	struct toy t;

	toy_open(&t, "asgd", 3, "sgd");
	t.run.epochs = 0;
	t.run.gradients = 40;
	if (faults)
		assert_true(toy_faults(&t, faults));
	tracer = tracer_open(path, &info, &t.run);
	assert_non_null(tracer);
	t.run.hooks = tracer_hook(tracer);
	toy_run(&t);
	assert_int_equal(tracer_close(tracer, &t.result), 0);
	toy_close(&t);
	return path;
}

static int64_t version_of(const char *path)
{
	hid_t file = h5_open(path);
	int64_t version = -1;

	assert_int_equal(h5_get_whole(file, "layout_version", &version), 0);
	H5Fclose(file);
	return version;
}

/* What trace_read() says of it; "" when it takes the file. */
static const char *said_of(const char *path)
{
	struct trace trace;

	capture_start();
	trace_read(&trace, path);
	capture_stop();
	trace_release(&trace);
	return capture_text();
}

static void faults_alone_raise_it(void **state)
{
	static const char *const faults[] = { NULL, "1:leave@2.5-4.25", "1:leave@1e6" };
	static const int64_t versions[] = { 1, 2, 1 };
	char *folder = folder_new();

	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		char *path = traced(folder, faults[i]);

		assert_int_equal(version_of(path), versions[i]);
		assert_string_equal(said_of(path), "");
		free(path);
	}
	folder_remove(folder);
}

/* Gradients in stages: each leaves a row of computing, and one of its handler. */
static void stages_raise_it(void **state)
{
	const struct trace_info info = { .hash = "abc" };
	char *folder = folder_new(), *path = xasprintf("%s/run.h5", folder);
	int computed = 0, staged = 0, handled = 0;
	struct tracer *tracer;
	struct trace trace;
	struct toy t;

	toy_timing(&t, "groups:groups=2,head=apart", 2, 8, "ideal");
	t.run.cut = (struct cut){ .at = 2, .width = 3, .share = 0.25 };
	tracer = tracer_open(path, &info, &t.run);
	t.run.hooks = tracer_hook(tracer);
	toy_run(&t);
	assert_int_equal(tracer_close(tracer, &t.result), 0);
	assert_int_equal(version_of(path), 3);
	assert_int_equal(trace_read(&trace, path), 0);
	for (size_t i = 0; i < trace.n; i++) {
		computed += trace.row[i].kind == TRACE_COMPUTED;
		staged += trace.row[i].kind == TRACE_STAGED;
		handled += trace.row[i].kind == TRACE_STAGE;
	}
	assert_int_equal(computed, 8);
	assert_true(staged >= 16 && staged == handled);
	trace_release(&trace);
	toy_close(&t);
	free(path);
	folder_remove(folder);
}

/* Whether the file says that its settings were taken as they are now. */
static bool is_of_changed(const char *path)
{
	struct trace trace;
	bool changed;

	assert_int_equal(trace_read(&trace, path), 0);
	changed = trace.changed;
	trace_release(&trace);
	return changed;
}

static void another_is_named(void **state)
{
	char *folder = folder_new(), *path = traced(folder, NULL);

	played_set_version(path, 2);
	assert_string_equal(said_of(path), "");
	played_set_version(path, 3);
	assert_string_equal(said_of(path), "");
	assert_false(is_of_changed(path));
	played_set_version(path, 4);
	assert_string_equal(said_of(path), "");
	assert_true(is_of_changed(path));
	played_set_version(path, 5);
	assert_string_equal(said_of(path), "");
	played_set_version(path, 6);
	assert_non_null(strstr(said_of(path), "by a newer convoy: its layout version is 6"));
	assert_non_null(strstr(said_of(path), path));
	played_set_version(path, 0);
	assert_non_null(strstr(said_of(path), "written by an older convoy"));
	free(path);
	folder_remove(folder);
}

/* A file of an earlier build, which has no column of tags. */
static void without_tags_it_is_read(void **state)
{
	char *folder = folder_new(), *path = traced(folder, NULL);
	struct trace trace;
	hid_t file, group;

	file = played_open(path);
	group = H5Gopen2(file, "events", H5P_DEFAULT);
	assert_true(H5Ldelete(group, "tag", H5P_DEFAULT) >= 0);
	H5Gclose(group);
	assert_int_equal(h5_save(file, path, false), 0);
	assert_int_equal(trace_read(&trace, path), 0);
	assert_true(trace.n > 40);
	for (size_t i = 0; i < trace.n; i++)
		assert_int_equal(trace.row[i].tag, TRACE_NO_TAG);
	trace_release(&trace);
	free(path);
	folder_remove(folder);
}

RUN_ALL(faults_alone_raise_it, stages_raise_it, another_is_named, without_tags_it_is_read)
