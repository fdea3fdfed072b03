/* Trace files: written, read back, refused; and their spans, which add up to the ledgers. */
#include "report/trace.h"

#include "core/mem.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/files.h"
#include "tests/support/toy.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct setting settings[] = { { "algo", "toy" }, { "engine", "sim" } };

/* Runs t with a trace of it in FOLDER/run.h5; the path, owned by the caller. */
static char *run_traced(struct toy *t, const char *folder)
{
	const struct trace_info info = { .hash = "abc", .settings = settings, .nsettings = 2,
					 .net = 17 };
	char *path = xasprintf("%s/run.h5", folder);
	struct tracer *tracer = tracer_open(path, &info, &t->run);

	assert_non_null(tracer);
	assert_int_equal(access(path, F_OK), -1);
	t->run.hooks = tracer_hook(tracer);
	toy_run(t);
	assert_int_equal(tracer_close(tracer, &t->result), 0);
	return path;
}

static void open_toy(struct toy *t, const char *algo)
{
	toy_open(t, algo, 3, "sgd");
	toy_delay(t, "gamma:cv=0.5");
	toy_link(t, "nic:latency_s=0.25,bandwidth_GBps=1e-7");
	t->sim.update_s = 0.25;
	t->sim.handoff_s = 0.125;
	t->run.epochs = 0;
	t->run.gradients = 40;
}

static void what_was_written_is_read(void **state)
{
	char *folder = folder_new(), *path;
	struct trace trace;
	struct toy t;
	int64_t computed = 0, steps = 0;

	(void)state;
	open_toy(&t, "asgd");
	path = run_traced(&t, folder);
	assert_int_equal(trace_read(&trace, path), 0);
	assert_string_equal(trace.hash, "abc");
	assert_string_equal(trace.algo, "asgd");
	assert_string_equal(trace.end, "gradients");
	assert_string_equal(trace_setting(&trace, "engine"), "sim");
	assert_null(trace_setting(&trace, "nosuch"));
	assert_int_equal(trace.workers, 3);
	assert_int_equal(trace.nodes, 4);
	assert_int_equal(trace.gradients, 40);
	assert_true(trace.model == t.result.model && trace.net == 17);
	assert_near(trace.time, t.result.time, 0);
	assert_null(trace.x);
	for (size_t i = 0; i < trace.n; i++) {
		computed += trace.row[i].kind == TRACE_COMPUTED;
		steps += trace.row[i].kind == TRACE_STEPPED;
	}
	assert_int_equal(computed, 40);
	assert_int_equal(steps, t.nodes[3].ledger.steps);
	trace_release(&trace);
	toy_close(&t);
	free(path);
	folder_remove(folder);
}

static void assert_no_overlap(const struct span *s, size_t n)
{
	double free_at[2] = { 0, 0 };

	for (size_t i = 0; i < n; i++) {
		if (i && s[i].node != s[i - 1].node)
			free_at[0] = free_at[1] = 0;
		assert_true(s[i].from >= free_at[s[i].beside]);
		assert_true(s[i].to >= s[i].from);
		free_at[s[i].beside] = s[i].to;
	}
}

/* Seconds of a node in a state, until the end of the run. */
static double total(const struct span *s, size_t n, int node, enum span_state state, double end)
{
	double sum = 0.0;

	for (size_t i = 0; i < n; i++)
		if (s[i].node == node && s[i].state == state && !s[i].beside && s[i].from < end)
			sum += s[i].to - s[i].from;
	return sum;
}

static void assert_spans_are_the_ledgers(const char *algo, bool overlap)
{
	char *folder = folder_new(), *path;
	struct trace trace;
	struct span *s;
	struct toy t;
	size_t n;

	open_toy(&t, algo);
	t.sim.overlap = overlap;
	path = run_traced(&t, folder);
	assert_int_equal(trace_read(&trace, path), 0);
	s = trace_spans(&trace, &n);
	assert_no_overlap(s, n);
	for (int i = 0; i < trace.nodes; i++) {
		const struct ledger *l = &t.nodes[i].ledger;

		assert_near(total(s, n, i, SPAN_COMPUTING, trace.time) +
			    total(s, n, i, SPAN_HANDLING, trace.time), l->compute, 1e-9);
		assert_near(total(s, n, i, SPAN_COMMUNICATING, trace.time), l->comm, 1e-9);
		assert_near(total(s, n, i, SPAN_WAITING, trace.time), l->wait, 1e-9);
	}
	free(s);
	trace_release(&trace);
	toy_close(&t);
	free(path);
	folder_remove(folder);
}

static void spans_add_up_to_the_ledgers(void **state)
{
	(void)state;
	for (int overlap = 0; overlap < 2; overlap++) {
		assert_spans_are_the_ledgers("asgd", overlap);
		assert_spans_are_the_ledgers("ad-psgd", overlap);
		assert_spans_are_the_ledgers("d-psgd", overlap);
		assert_spans_are_the_ledgers("allreduce", overlap);
	}
}

static const char *refusal(const char *path)
{
	struct trace trace;

	capture_start();
	assert_int_equal(trace_read(&trace, path), -1);
	capture_stop();
	trace_release(&trace);
	return capture_text();
}

static void damaged_files_are_refused(void **state)
{
	char *folder = folder_new(), *path, *missing = xasprintf("%s/none.h5", folder);
	struct toy t;

	(void)state;
	open_toy(&t, "asgd");
	path = run_traced(&t, folder);
	assert_non_null(strstr(refusal(missing), "does not exist"));
	folder_truncate(folder, "run.h5", 5000);
	assert_non_null(strstr(refusal(path), "is not a whole"));
	folder_truncate(folder, "run.h5", 0);
	assert_non_null(strstr(refusal(path), path));
	toy_close(&t);
	free(path);
	free(missing);
	folder_remove(folder);
}

/* A run that fails leaves nothing; a place that cannot be written is known before it begins. */
static void nothing_is_left_of_a_failure(void **state)
{
	const struct trace_info info = { .hash = "abc" };
	char *folder = folder_new(), *path = xasprintf("%s/no/run.h5", folder);
	char *fine = xasprintf("%s/run.h5", folder), *aside = xasprintf("%s.new", fine);
	struct tracer *tracer;
	struct toy t;

	(void)state;
	open_toy(&t, "asgd");
	capture_start();
	assert_null(tracer_open(path, &info, &t.run));
	capture_stop();
	assert_non_null(strstr(capture_text(), path));
	tracer = tracer_open(fine, &info, &t.run);
	assert_non_null(tracer);
	assert_int_equal(access(aside, F_OK), 0);
	assert_int_equal(tracer_close(tracer, NULL), 0);
	assert_int_equal(access(aside, F_OK), -1);
	assert_int_equal(access(fine, F_OK), -1);
	toy_close(&t);
	free(path);
	free(fine);
	free(aside);
	folder_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(spans_add_up_to_the_ledgers),
		cmocka_unit_test(damaged_files_are_refused),
		cmocka_unit_test(nothing_is_left_of_a_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
