/* Trace files: written, read back, refused; and their spans, which add up to the ledgers. */
#include "record/trace/trace.h"

#include "core/base/mem.h"
#include "record/h5.h"
#include "sim/storage.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/files.h"
#include "tests/support/played.h"
#include "tests/support/toy.h"

#include <math.h>
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
	t->sim.host_copy_s = 0.125;
	t->run.epochs = 0;
	t->run.gradients = 40;
}

static void what_was_written_is_read(void **state)
{
	char *folder = folder_new(), *path;
	struct trace trace;
	struct toy t;
	int64_t computed = 0, steps = 0;

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
		assert_true(s[i].from >= free_at[s[i].during_grad]);
		assert_true(s[i].to >= s[i].from);
		free_at[s[i].during_grad] = s[i].to;
	}
}

/* Seconds of a node in a state, until the end of the run. */
static double total(const struct span *s, size_t n, int node, enum span_state state, double end)
{
	double sum = 0.0;

	for (size_t i = 0; i < n; i++)
		if (s[i].node == node && s[i].state == state && !s[i].during_grad &&
		    s[i].from < end)
			sum += s[i].to - s[i].from;
	return sum;
}

/* With lost work: a ledger counts it as computing. */
static double total_computed(const struct span *s, size_t n, int node, double end)
{
	return total(s, n, node, SPAN_COMPUTING, end) + total(s, n, node, SPAN_LOST, end);
}

static void assert_spans_are_the_ledgers(const char *algo, bool overlap, const char *storage)
{
	char *folder = folder_new(), *path;
	struct trace trace;
	struct span *s;
	struct toy t;
	size_t n;

	open_toy(&t, algo);
	t.sim.overlap = overlap;
	if (storage)
		assert_int_equal(choice_parse(&t.sim.storage, storage_table, "storage", storage),
				 0);
	path = run_traced(&t, folder);
	assert_int_equal(trace_read(&trace, path), 0);
	s = trace_spans(&trace, &n);
	assert_no_overlap(s, n);
	for (int i = 0; i < trace.nodes; i++) {
		const struct ledger *l = &t.nodes[i].ledger;
		double comm, wait;

		assert_near(total_computed(s, n, i, trace.time) +
			    total(s, n, i, SPAN_HANDLING, trace.time), l->compute, 1e-9);
		comm = total(s, n, i, SPAN_COMMUNICATING, trace.time);
		wait = total(s, n, i, SPAN_WAITING, trace.time);
		assert_near(comm + wait, l->comm + l->wait, 1e-9);
		/* a message may be on its way to a node that waits for samples */
		if (!storage)
			assert_near(wait, l->wait, 1e-9);
	}
	free(s);
	trace_release(&trace);
	choice_release(&t.sim.storage);
	toy_close(&t);
	free(path);
	folder_remove(folder);
}

static void spans_add_up_to_the_ledgers(void **state)
{
	static const char *const storages[] = { NULL, "shared:samples_per_s=4" };

	for (int i = 0; i < 4; i++) {
		const bool overlap = i % 2;

		assert_spans_are_the_ledgers("asgd", overlap, storages[i / 2]);
		assert_spans_are_the_ledgers("ad-psgd", overlap, storages[i / 2]);
		assert_spans_are_the_ledgers("d-psgd", overlap, storages[i / 2]);
		assert_spans_are_the_ledgers("allreduce", overlap, storages[i / 2]);
	}
}

/* ---- faults ---- */

static void read_faulty(struct toy *t, const char *algo, const char *faults, struct trace *trace)
{
	char *folder = folder_new(), *path;

	toy_open(t, algo, 2, "sgd");
	assert_true(toy_faults(t, faults));
	t->run.epochs = 0;
	t->run.gradients = 8;
	path = run_traced(t, folder);
	assert_int_equal(trace_read(trace, path), 0);
	free(path);
	folder_remove(folder);
}

/* The k-th row of a kind. */
static const struct trace_row *row_of(const struct trace *t, enum trace_kind kind, int k)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->row[i].kind == kind && k-- == 0)
			return &t->row[i];
	return NULL;
}

static void assert_fault(const struct trace_row *r, int rank, int peer, double begun, double time)
{
	assert_non_null(r);
	assert_int_equal(r->rank, rank);
	assert_int_equal(r->peer, peer);
	assert_near(r->begun, begun, 0);
	assert_near(r->time, time, 0);
	assert_near(r->seconds, time - begun, 0);
}

static void faults_are_rows(void **state)
{
	struct trace trace;
	struct toy t;

	read_faulty(&t, "asgd", "1:leave@2.5-4.25+0-server:drop@3.5-3.75+server:stall@4.5-9",
		    &trace);
	assert_fault(row_of(&trace, TRACE_FAULT, 0), 1, 1, 2.5, 2.5);
	assert_fault(row_of(&trace, TRACE_FAULT, 1), 0, SERVER, 3.5, 3.5);
	assert_fault(row_of(&trace, TRACE_FAULT, 2), SERVER, SERVER, 4.5, 4.5);
	assert_fault(row_of(&trace, TRACE_OVER, 0), 0, SERVER, 3.5, 3.75);
	assert_fault(row_of(&trace, TRACE_OVER, 1), 1, 1, 2.5, 4.25);
	assert_null(row_of(&trace, TRACE_FAULT, 3));
	trace_release(&trace);
	toy_close(&t);
}

/* The node's only absence. */
static void assert_away(const struct trace *t, int node, double from, double to)
{
	const struct span *away = NULL;
	size_t n;
	struct span *s = trace_spans(t, &n);

	assert_no_overlap(s, n);
	for (size_t i = 0; i < n; i++)
		if (s[i].node == node && s[i].state == SPAN_AWAY) {
			assert_null(away);
			away = &s[i];
		}
	assert_non_null(away);
	assert_near(away->from, from, 1e-12);
	assert_near(away->to, to, 1e-12);
	free(s);
}

/* A gradient a second each: with worker 1 away, the eighth is ready at 5.25 s. */
static void the_absent_are_away_by_hand(void **state)
{
	struct trace trace;
	struct span *s;
	struct toy t;
	size_t n;

	read_faulty(&t, "asgd", "1:leave@2.5-4.25", &trace);
	assert_near(trace.time, 5.25, 0);
	assert_away(&trace, 1, 2.5, 4.25);
	s = trace_spans(&trace, &n);
	assert_near(total_computed(s, n, 1, 9), 3.5, 0);
	assert_near(total(s, n, 1, SPAN_LOST, 4.0), 0.5, 0);
	assert_near(total(s, n, 1, SPAN_WAITING, 9), 0, 0);
	assert_near(total_computed(s, n, 0, 9), 5.25, 0);
	free(s);
	trace_release(&trace);
	toy_close(&t);
	read_faulty(&t, "asgd", "1:leave@2.5", &trace);
	assert_away(&trace, 1, 2.5, 6);
	trace_release(&trace);
	toy_close(&t);
	read_faulty(&t, "asgd", "server:stall@2.5-4.25", &trace);
	assert_away(&trace, 2, 2.5, 4.25);
	trace_release(&trace);
	toy_close(&t);
}

/* A step takes 0.5 s, the first from 1 s on. */
static void a_server_finishes_before_it_stalls(void **state)
{
	static const struct {
		const char *faults;
		double from, to;
	} stall[] = { { "server:stall@1.25-3", 1.5, 3 }, { "server:stall@1.5-1.75", 1.5, 1.75 } };

	for (int i = 0; i < 2; i++) {
		char *folder = folder_new(), *path;
		struct trace trace;
		struct toy t;

		toy_open(&t, "asgd", 1, "sgd");
		assert_true(toy_faults(&t, stall[i].faults));
		t.sim.update_s = 0.5;
		t.run.epochs = 0;
		t.run.gradients = 3;
		path = run_traced(&t, folder);
		assert_int_equal(trace_read(&trace, path), 0);
		assert_away(&trace, 1, stall[i].from, stall[i].to);
		trace_release(&trace);
		toy_close(&t);
		free(path);
		folder_remove(folder);
	}
}

/* Of handlers that began before: a ledger has no writing of a shared model after the end. */
static double handled_after(const struct span *s, size_t n, int node, double end)
{
	double sum = 0.0;

	for (size_t i = 0; i < n; i++)
		if (s[i].node == node && s[i].state == SPAN_HANDLING && !s[i].during_grad &&
		    s[i].from < end)
			sum += fmax(s[i].to - end, 0.0);
	return sum;
}

/* Of a worker. */
static void assert_ledger(const struct span *s, size_t n, int node, const struct toy *t)
{
	const struct ledger *l = &t->nodes[node].ledger;
	const double end = t->result.time;

	double busy = total_computed(s, n, node, end) +
		      total(s, n, node, SPAN_HANDLING, end);

	if (t->run.algo->shared)
		busy -= handled_after(s, n, node, end);
	assert_near(busy, l->compute, 1e-9);
	assert_near(total(s, n, node, SPAN_COMMUNICATING, end) +
		    total(s, n, node, SPAN_WAITING, end) +
		    total(s, n, node, SPAN_AWAY, end), l->comm + l->wait, 1e-9);
}

static void assert_faulty_spans(const char *algo, const char *faults)
{
	char *folder = folder_new(), *path;
	struct trace trace;
	struct span *s;
	struct toy t;
	double away = 0.0;
	size_t n;

	open_toy(&t, algo);
	assert_true(toy_faults(&t, faults));
	path = run_traced(&t, folder);
	assert_int_equal(trace_read(&trace, path), 0);
	s = trace_spans(&trace, &n);
	assert_no_overlap(s, n);
	for (int i = 0; i < trace.nodes; i++) {
		assert_ledger(s, n, i, &t);
		away += total(s, n, i, SPAN_AWAY, trace.time);
	}
	assert_true(away > 1.0);
	free(s);
	trace_release(&trace);
	toy_close(&t);
	free(path);
	folder_remove(folder);
}

static void faulty_spans_add_up_to_the_ledgers(void **state)
{
	static const char *const faults[] = {
		"1:leave@2.5-6", "1:leave@2.5-6,copy=old", "0:leave@3-5+2:leave@4.25-8",
		"2:leave@4.25", "1:leave@2-3+1:leave@3.01-7", "server:stall@3-7",
		"server:stall@3-5+0:leave@4-6+server:stall@5-5.5",
	};

	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		assert_faulty_spans("asgd", faults[i]);
		assert_faulty_spans("k-sync:k=2", faults[i]);
	}
	assert_faulty_spans("hogwild:blocks=5,read_s=0,write_s=1", "0:leave@2.05-4.1,copy=old");
}

/* A job that goes back to checkpoints stands still while they are saved, and work is done again. */
static void pauses_add_up_to_the_ledgers(void **state)
{
	static const char *const algos[] = { "allreduce", "asgd", "d-psgd" };

	for (int i = 0; i < 6; i++) {
		char *folder = folder_new(), *path;
		double paused = 0.0;
		struct trace trace;
		struct span *s;
		struct toy t;
		size_t n;

		open_toy(&t, algos[i % 3]);
		assert_true(toy_faults(&t, "1:leave@7.3-8"));
		t.sim.restart = (struct restart){ .interval_s = 3, .cost_s = 0.5 };
		if (i >= 3) {           /* it ends while the work is done again */
			t.run.gradients = 0;
			t.run.seconds = 8.2;
		}
		path = run_traced(&t, folder);
		assert_int_equal(trace_read(&trace, path), 0);
		s = trace_spans(&trace, &n);
		assert_no_overlap(s, n);
		for (size_t k = 0; k < trace.n; k++)
			if (trace.row[k].kind == TRACE_PAUSED && trace.row[k].rank == 0 &&
			    trace.row[k].begun < trace.time)
				paused += trace.row[k].seconds;
		assert_near(paused, trace.time * (1.0 - t.result.goodput.goodput), 1e-9);
		for (int node = 0; node < trace.nodes; node++) {
			const struct ledger *l = &t.nodes[node].ledger;

			assert_ledger(s, n, node, &t);
			if (i < 3)      /* what is under way at the end is shown to arrive then */
				assert_near(total(s, n, node, SPAN_COMMUNICATING, trace.time),
					    l->comm, 1e-9);
			assert_near(total(s, n, node, SPAN_AWAY, trace.time), paused, 1e-9);
		}
		free(s);
		trace_release(&trace);
		toy_close(&t);
		free(path);
		folder_remove(folder);
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

static void no_run_takes_less_than_nothing(void **state)
{
	static const double times[] = { -1e308, 1e31, HUGE_VAL };
	char *folder = folder_new(), *path;
	struct toy t;

	open_toy(&t, "asgd");
	path = run_traced(&t, folder);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		const hid_t file = played_open(path);
		const hid_t summary = H5Gopen2(file, "summary", H5P_DEFAULT);

		assert_true(H5Adelete(summary, "time_s") >= 0);
		assert_int_equal(h5_put_real(summary, "time_s", times[i]), 0);
		H5Gclose(summary);
		assert_int_equal(h5_save(file, path, false), 0);
		assert_non_null(strstr(refusal(path), "impossible values"));
	}
	toy_close(&t);
	free(path);
	folder_remove(folder);
}

static cJSON *printed(const struct trace *t, void (*print)(const struct trace *t, FILE *out))
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	cJSON *json;

	print(t, out);
	fclose(out);
	json = cJSON_Parse(text);
	assert_non_null(json);
	free(text);
	return json;
}

/* Texts with quotes, as the path of a user's algorithm may have, and times of any size. */
static void all_of_it_is_json(void **state)
{
	static const char name[] = "./a\",\"workers\":999,\"x\\";
	char *folder = folder_new(), *path;
	struct trace trace;
	struct toy t;
	cJSON *json;

	open_toy(&t, "asgd");
	path = run_traced(&t, folder);
	assert_int_equal(trace_read(&trace, path), 0);
	free(trace.algo);
	trace.algo = xstrdup(name);
	trace.row[trace.n / 2].time = 1e18;
	json = printed(&trace, trace_print_json);
	assert_string_equal(cJSON_GetObjectItem(json, "algo")->valuestring, name);
	assert_int_equal(cJSON_GetObjectItem(json, "workers")->valueint, 3);
	cJSON_Delete(json);
	cJSON_Delete(printed(&trace, trace_print_chrome));
	trace_release(&trace);
	toy_close(&t);
	free(path);
	folder_remove(folder);
}

/* A run that fails leaves nothing; a path that cannot be written is known before it begins. */
static void nothing_is_left_of_a_failure(void **state)
{
	const struct trace_info info = { .hash = "abc" };
	char *folder = folder_new(), *path = xasprintf("%s/no/run.h5", folder);
	char *fine = xasprintf("%s/run.h5", folder), *temporary = xasprintf("%s.new", fine);
	struct tracer *tracer;
	struct toy t;

	open_toy(&t, "asgd");
	capture_start();
	assert_null(tracer_open(path, &info, &t.run));
	capture_stop();
	assert_said(path);
	tracer = tracer_open(fine, &info, &t.run);
	assert_non_null(tracer);
	assert_int_equal(access(temporary, F_OK), 0);
	assert_int_equal(tracer_close(tracer, NULL), 0);
	assert_int_equal(access(temporary, F_OK), -1);
	assert_int_equal(access(fine, F_OK), -1);
	toy_close(&t);
	free(path);
	free(fine);
	free(temporary);
	folder_remove(folder);
}

RUN_ALL(what_was_written_is_read, spans_add_up_to_the_ledgers, faults_are_rows,
	the_absent_are_away_by_hand, a_server_finishes_before_it_stalls,
	faulty_spans_add_up_to_the_ledgers, pauses_add_up_to_the_ledgers, damaged_files_are_refused,
	no_run_takes_less_than_nothing, all_of_it_is_json, nothing_is_left_of_a_failure)
