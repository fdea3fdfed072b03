/* Traces of torch.profiler: seconds of computing on hosts and devices, and what is refused. */
#include "core/base/mem.h"
#include "record/trace/json_items.h"
#include "record/trace/torch_log.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/files.h"

#include <stdlib.h>
#include <string.h>

#define STEP(n, ts, dur) EVENT("user_annotation", "ProfilerStep#" #n, ts, dur, 0)
#define EVENT(cat, name, ts, dur, id) "{\"ph\": \"X\", \"cat\": \"" cat "\", \"name\": \"" name \
	"\", \"pid\": 1, \"tid\": 1, \"ts\": " #ts ", \"dur\": " #dur \
	", \"args\": {\"correlation\": " #id "}}"
#define LAUNCH(ts, id) EVENT("cuda_runtime", "cudaLaunchKernel", ts, 1, id)
#define KERNEL(ts, dur, id) EVENT("kernel", "sgemm", ts, dur, id)
#define NCCL(ts, dur, id) EVENT("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", ts, dur, id)
#define GLOO(ts, dur) EVENT("user_annotation", "gloo:all_reduce", ts, dur, 0)
#define ATEN(ts, dur) EVENT("cpu_op", "aten::mm", ts, dur, 0)
#define RANK(r) "\"distributedInfo\": {\"backend\": \"gloo\", \"rank\": " #r "}"
#define TRACE(rank, events) "{\"schemaVersion\": 1, " rank ", \"traceEvents\": [" events "]}\n"

/* Two steps of 100 us; the host waits 20 us in the first, and 5 + 10 us in the second. */
#define HOST_EVENTS STEP(4, 1000, 100) ", " ATEN(1010, 50) ", " GLOO(1050, 30) ", " \
	GLOO(1070, 10) ", " STEP(5, 1100, 100) ", " GLOO(1105, 15) ", " ATEN(1110, 10) ", " \
	ATEN(1140, 30) ", " ATEN(1145, 5) ", " GLOO(1150, 30)

static char *folder, *path[3];

static int setup(void **state)
{
	folder = folder_new();
	for (int i = 0; i < 3; i++)
		path[i] = xasprintf("%s/%d.json", folder, i);
	return 0;
}

static int teardown(void **state)
{
	for (int i = 0; i < 3; i++)
		free(path[i]);
	folder_remove(folder);
	return 0;
}

static void write_trace(int i, const char *text)
{
	char *name = xasprintf("%d.json", i);

	folder_write(folder, name, PACK_PLAIN, text, strlen(text));
	free(name);
}

static int read_traces(struct steplog *l, size_t n)
{
	return torch_log_read(l, (const char *const *)path, n);
}

static void is_read(const char *text, size_t steps, const double *microseconds)
{
	struct steplog l;

	write_trace(0, text);
	assert_int_equal(read_traces(&l, 1), 0);
	assert_int_equal(l.workers, 1);
	assert_int_equal(l.steps, steps);
	for (size_t i = 0; i < steps; i++)
		assert_near(l.seconds[i], 1e-6 * microseconds[i], 1e-12);
	steplog_release(&l);
}

static void are_refused(size_t n, const char *says)
{
	struct steplog l;

	capture_start();
	assert_int_equal(read_traces(&l, n), -1);
	if (!strstr(capture_text(), says))
		fail_msg("'%s' does not say '%s'", capture_text(), says);
	capture_stop();
	assert_null(l.seconds);
}

static void is_refused(const char *text, const char *says)
{
	write_trace(0, text);
	are_refused(1, says);
}

/* A wait is when a collective runs and no operator does. */
static void waits_of_a_host_do_not_count(void **state)
{
	is_read(TRACE(RANK(0), HOST_EVENTS), 2, (double[]){ 80, 85 });
	is_read("[" HOST_EVENTS "]", 2, (double[]){ 80, 85 });
}

/* A build without Kineto writes no categories, and other events have no times. */
static void other_events_are_passed_over(void **state)
{
	is_read("[{\"name\": \"ProfilerStep#1\", \"ph\": \"X\", \"ts\": 0, \"dur\": 10}, "
		"{\"name\": \"gloo:all_reduce\", \"ph\": \"X\", \"ts\": 5, \"dur\": 10}, "
		"{\"name\": \"aten::mm\", \"ph\": \"X\", \"ts\": 0, \"dur\": 6}, "
		"{\"name\": \"aten::mm\", \"ph\": \"i\"}, {\"name\": \"X\", \"dur\": -1}]", 1,
		(double[]){ 6 });
	is_read(TRACE("\"deviceProperties\": [{\"a\": \"]\\\"}\"}], \"distributedInfo\": {}",
		      EVENT("gpu_user_annotation", "ProfilerStep#4", 0, 5, 0) ", "
		      EVENT("python_function", "run", 0, -5, 0) ", " HOST_EVENTS), 2,
		(double[]){ 80, 85 });
}

/* Some profilers leave control characters in names; some programs write a mark first. */
static void raw_control_characters_are_read(void **state)
{
	is_read("\xef\xbb\xbf\r\n" TRACE(RANK(0), EVENT("cpu_op", "a\x01\tb\n\\\"c\r", 0, 5, 0) ", "
					   HOST_EVENTS), 2, (double[]){ 80, 85 });
	assert_true(json_items_are_in(path[0]));
	folder_write(folder, "0.json", PACK_PLAIN, "{\"a\": \"b\0c\"}", 12);
	are_refused(1, "0.json: byte 9: a zero byte in a string");
	is_refused("\xff\xfe{", "0.json: a text in UTF-16 (expected UTF-8)");
}

/*
 * Kernels begin about 100 us after their launches. Step 1 ends at 190, step 2 at 320 with a wait
 * from 260 on but for 300 to 305, step 3 at 400 with none.
 */
static void kernels_belong_to_their_launches(void **state)
{
	is_read(TRACE(RANK(0), STEP(1, 0, 100) ", " STEP(2, 100, 100) ", " STEP(3, 200, 100) ", "
		      LAUNCH(80, 11) ", " LAUNCH(110, 21) ", " LAUNCH(120, 22) ", "
		      LAUNCH(190, 23) ", " LAUNCH(210, 31) ", " KERNEL(180, 10, 11) ", "
		      KERNEL(200, 60, 21) ", " NCCL(250, 70, 22) ", " KERNEL(300, 5, 23) ", "
		      KERNEL(350, 50, 31) ", " ATEN(0, 300) ", " KERNEL(0, 150, 99)), 2,
		(double[]){ 75, 80 });
}

/* Ranks say which worker a file is; gzip makes no difference. */
static void workers_are_ranks(void **state)
{
	const char *later = TRACE(RANK(1), STEP(4, 0, 50) ", " STEP(5, 50, 70) ", " GLOO(45, 5));
	char *packed = xasprintf("%s.gz", path[2]);
	struct steplog l;

	write_trace(0, later);
	write_trace(1, TRACE(RANK(0), HOST_EVENTS));
	assert_int_equal(read_traces(&l, 2), 0);
	assert_int_equal(l.workers, 2);
	assert_near(l.seconds[0], 80e-6, 1e-12);
	assert_near(l.seconds[2], 45e-6, 1e-12);
	steplog_release(&l);
	folder_write(folder, "2.json", PACK_GZ, later, strlen(later));
	assert_int_equal(torch_log_read(&l, (const char *const[]){ packed, path[1] }, 2), 0);
	assert_near(l.seconds[3], 70e-6, 1e-12);
	assert_true(json_items_are_in(packed) && json_items_are_in(path[1]));
	steplog_release(&l);
	free(packed);
}

static void text_that_is_no_json_is_refused(void **state)
{
	is_refused("", "0.json: the JSON ends after byte 0 ('{' or '[' expected)");
	is_refused("worker", "0.json: byte 1: not JSON ('{' or '[' expected)");
	is_refused("{\"traceEvents\": [" HOST_EVENTS, "0.json: the JSON ends after byte ");
	is_refused("{\"traceEvents\": [{\"ph\": \"X", "(the end of a string expected)");
	is_refused("{\"traceEvents\" [", "byte 16: not JSON (':' expected)");
	is_refused("{traceEvents: []}", "byte 2: not JSON (a key expected)");
	is_refused("[{\"ph\": \"X\"} 3", "(',' or ']' expected)");
	is_refused("[{\"ph\": \"X\", ts: 3}]", "0.json: [0]:1:13: ");
	is_refused("[] []x", "byte 6: not JSON");
}

static void times_that_cannot_be_are_refused(void **state)
{
	is_refused(TRACE(RANK(0), STEP(1, 0, -10)), "0.json: traceEvents[0]: 'ProfilerStep#1' has "
		   "no usable time: ts 0, dur -10");
	is_refused(TRACE(RANK(0), STEP(1, 0, 1e300)), "no usable time");
	is_refused(TRACE(RANK(0), STEP(1, null, 3)), "no usable time");
	is_refused(TRACE(RANK(0), STEP(1, 0, 2e12) ", " GLOO(0, 1)), "ProfilerStep#1 computes for "
		   "2e+06 s (from 1e-12 to 1e+06)");
	is_refused(TRACE(RANK(0), STEP(1, 0, 10) ", " GLOO(0, 10)), "ProfilerStep#1 computes for "
		   "0 s");
	is_refused(TRACE(RANK(0), STEP(1, 0, 9) ", " STEP(2, 8, 9) ", " GLOO(0, 1)),
		   "ProfilerStep#2 begins before ProfilerStep#1 ends");
}

static void traces_that_lack_something_are_refused(void **state)
{
	is_refused("{}", "0.json: the trace has no step 'ProfilerStep#N'");
	is_refused(TRACE(RANK(0), STEP(1, 0, 9) ", " STEP(3, 9, 9)), "ProfilerStep#2 is missing");
	is_refused(TRACE(RANK(0), STEP(1, 0, 9) ", " STEP(1, 9, 9)), "#1 is there twice");
	is_refused(TRACE(RANK(0), STEP(1, 0, 9) ", " ATEN(0, 3)), "no all-reduce or other "
		   "collective (gloo:, mpi: or ucc:)");
	is_refused(TRACE(RANK(0), STEP(1, 0, 9) ", " KERNEL(0, 3, 1)), "no all-reduce or other "
		   "collective of NCCL");
	is_refused(TRACE(RANK(0), STEP(1, 0, 9) ", " NCCL(0, 3, 1)), "one step is too few");
	is_refused(TRACE(RANK(0), STEP(1, 0, 9) ", " STEP(2, 9, 9) ", " LAUNCH(1, 1) ", "
			 NCCL(0, 3, 1)), "ProfilerStep#2 launches no kernel");
	is_refused(TRACE(RANK(-1), HOST_EVENTS), "distributedInfo: -1 is no rank");
}

static void traces_that_do_not_agree_are_refused(void **state)
{
	write_trace(0, TRACE(RANK(1), HOST_EVENTS));
	write_trace(1, TRACE(RANK(1), HOST_EVENTS));
	are_refused(2, "are both of rank 1. Give one trace of each rank");
	write_trace(1, "[" HOST_EVENTS "]");
	are_refused(2, "1.json has no rank, but ");
	write_trace(1, TRACE(RANK(0), STEP(4, 0, 9) ", " GLOO(0, 1)));
	are_refused(2, "0.json has the steps 4 to 5, but ");
}

RUN_WITH(setup, teardown, waits_of_a_host_do_not_count, other_events_are_passed_over,
	raw_control_characters_are_read, kernels_belong_to_their_launches, workers_are_ranks,
	text_that_is_no_json_is_refused, times_that_cannot_be_are_refused,
	traces_that_lack_something_are_refused, traces_that_do_not_agree_are_refused)
