/* Logs of step times: what is read, what is refused with its line, and the delay model replay. */
#include "core/base/mem.h"
#include "delays/delay.h"
#include "record/trace/steplog.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/files.h"

#include <stdlib.h>
#include <string.h>

#define HEADER "worker,step,seconds\n"

static char *folder, *path;

static int setup(void **state)
{
	folder = folder_new();
	path = xasprintf("%s/log.csv", folder);
	return 0;
}

static int teardown(void **state)
{
	free(path);
	folder_remove(folder);
	return 0;
}

static void write_log(const char *text)
{
	folder_write(folder, "log.csv", PACK_PLAIN, text, strlen(text));
}

/* In any order, with spaces and carriage returns, steps from any number on. */
static void logs_are_sorted(void **state)
{
	struct steplog l;
	const double want[] = { 1, 2, 3, 4, 5, 6 };

	write_log("worker, step ,seconds\r\n1,12,6\n0,11,2\r\n1,10, 4\n\n0,10,1\n0,12,3\n1,11,5");
	assert_int_equal(steplog_read(&l, &(const char *){ path }, 1), 0);
	assert_int_equal(l.workers, 2);
	assert_int_equal(l.steps, 3);
	for (size_t i = 0; i < 6; i++)
		assert_near(l.seconds[i], want[i], 0.0);
	steplog_release(&l);
}

static void is_refused(const char *text, const char *says)
{
	char *whole = xasprintf("%s%s", *says == ':' ? path : "", says);
	struct steplog l;

	write_log(text);
	capture_start();
	assert_int_equal(steplog_read(&l, &(const char *){ path }, 1), -1);
	if (!strstr(capture_text(), whole))
		fail_msg("'%s': '%s' does not say '%s'", text, capture_text(), whole);
	capture_stop();
	assert_null(l.seconds);
	free(whole);
}

static void faults_are_named_with_their_line(void **state)
{
	is_refused("", ":1: columns: none; expected worker, step, seconds. Put a line with these");
	is_refused("0,0,1\n", ":1: columns: 0, 0, 1; expected worker, step, seconds. Put a line");
	is_refused("worker,step,time\n0,0,1\n", ":1: columns: worker, step, time; expected worker, "
		   "step, seconds. Call the column 'seconds' that has the time of computing "
		   "alone, not of a clock; of a clock, take the differences");
	is_refused("worker,step,time,loss\n0,0,1,2\n", ":1: columns: worker, step, time, loss; "
		   "expected worker, step, seconds. Call the column 'seconds' that has");
	is_refused("worker,step,one_ms,two_ms\n0,0,1,2\n", ":1: columns: worker, step, one_ms, "
		   "two_ms; expected worker, step, seconds. Call the column 'seconds' that has");
	is_refused("gpu,k,time\n0,0,1\n", ":1: columns: gpu, k, time; expected worker, step, "
		   "seconds. Rename the columns");
	is_refused("worker,worker,step,seconds\n0,0,1,1\n", ":1: two columns are called 'worker'");
	is_refused(HEADER, ": the log has no steps");
	is_refused(HEADER "0,0\n", ":2: 2 fields, but the header names 3 columns");
	is_refused(HEADER "0,0,1,1\n", ":2: 4 fields, but the header names 3 columns");
	is_refused(HEADER "0,0,one\n", ":2: column 'seconds': 'one' is no number");
	is_refused(HEADER "0,0,nan\n", ":2: column 'seconds': 'nan' is no number");
	is_refused(HEADER "x,0,1\n", ":2: column 'worker': 'x' is no whole number");
	is_refused("rank;iter;duration\n0;0,5;1\n", ":2: column 'iter': '0.5' is no whole number");
	is_refused(HEADER "0,0,1\n0,1,-0.1\n", ":3: a step cannot take -0.1 s");
	is_refused(HEADER "0,0,0\n", ":2: a step cannot take 0 s");
	is_refused(HEADER "0,0,inf\n", ":2: a step cannot take inf s");
	is_refused(HEADER "0,0,1.7e9\n", ":2: a step cannot take 1.7e+09 s");
	is_refused(HEADER "-1,0,1\n", ":2: there is no worker -1");
	is_refused(HEADER "0,-1,1\n", ":2: there is no step -1 (");
	is_refused(HEADER "0,9223372036854775807,1\n", ":2: there is no step");
	is_refused(HEADER "0,0,1\n0,1,1\n0,0,1\n", ":4: worker 0, step 0 is on line 2 already");
}

/* Two ranks and 12 steps; the readings of a clock, and one step of rank 1 that takes less. */
static char *log_of_clock(bool falls)
{
	char *text = xstrdup("rank,step,elapsed_ms\n");

	for (int w = 0; w < 2; w++)
		for (int k = 0; k < 12; k++)
			xappend_own(&text, "", xasprintf("%d,%d,%d\n", w, k, falls && w && k == 7
							 ? 1 : 40 + w + k / 2 * 50));
	return text;
}

static void a_clock_is_refused(void **state)
{
	char *clock = log_of_clock(false), *times = log_of_clock(true);
	struct steplog l;

	is_refused(clock, ": column 'elapsed_ms' is a clock: ");
	is_refused(clock, "log['elapsed_ms'] = log.groupby('rank')['elapsed_ms'].diff()");
	write_log(times);
	assert_int_equal(steplog_read(&l, &(const char *){ path }, 1), 0);
	steplog_release(&l);
	free(clock);
	free(times);
}

/* Names, order, units and separators that other programs write; the same 6 times. */
static void columns_are_found_by_name(void **state)
{
	static const char *const texts[] = {
		"seconds,loss,rank,iter\n6,x,1,1\n2,,0,1\n4,,1,0\n1,,0,0\n",
		"Node;Global Step;step_time_ms\n1;1;6000\n0;1;2e3\n1;0;4000\n0;0;1000\n",
		"\"duration (us)\"\t\"Iteration\"\trank\n6e6\t8\t1\n2e6\t8\t0\n4e6\t7\t1\n"
		"1e6\t7\t0\n",
		"\xef\xbb\xbfworker,step,time_s\r1,1,6\r0,1,2\r1,0,4\r0,0,1\r",
		"# of two\nworker,step,global_step,compute_ns,step_time\n1,0,1,6e9,9\n0,0,1,2e9,9\n"
		"1,0,0,4e9,9\n0,0,0,1e9,9\n",
	};
	const double want[] = { 1, 2, 4, 6 };

	for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
		struct steplog l;

		write_log(texts[k]);
		assert_int_equal(steplog_read(&l, &(const char *){ path }, 1), 0);
		assert_int_equal(l.workers, 2);
		assert_int_equal(l.steps, 2);
		for (size_t i = 0; i < 4; i++)
			assert_near(l.seconds[i], want[i], 0.0);
		steplog_release(&l);
	}
}

static void missing_steps_are_named_with_their_line(void **state)
{
	is_refused(HEADER "0,0,1\n0,2,1\n", ":3: worker 0 has no step 1 (");
	is_refused(HEADER "0,0,1\n0,4,1\n", ":3: worker 0 has no steps 1 to 3 (");
	is_refused(HEADER "0,0,1\n0,1,1\n1,1,1\n", ":4: worker 1 has no step 0 (");
	is_refused(HEADER "0,0,1\n0,1,1\n1,0,1\n", ":4: worker 1 has no step 1 (");
	is_refused(HEADER "0,0,1\n1,0,1\n1,1,1\n", ":2: worker 0 has no step 1 (");
	is_refused(HEADER "0,1,1\n1,0,1\n1,1,1\n", ":2: worker 0 has no step 0 (");
	is_refused(HEADER "0,0,1\n2,0,1\n", ":3: worker 2, but there is no worker 1");
	is_refused(HEADER "1,0,1\n2,0,1\n", ":2: worker 1, but there is no worker 0");
}

static struct delays *parse(const char *options, int workers)
{
	char *text = xasprintf("replay:file=%s%s", path, options);
	struct delays *d = delays_new(delay_table, text, workers, samples_read);

	assert_non_null(d);
	free(text);
	return d;
}

/* Mean 3 of all: worker 0 has 1/3 and 1, worker 1 has 5/3 and 1; the log begins again after. */
static void replays_follow_the_log(void **state)
{
	struct delays *d;

	write_log(HEADER "0,0,1\n0,1,3\n1,0,5\n1,1,3\n");
	d = parse("", 2);
	assert_near(delays_factor(d, 1, 0, 0, 9.0), 1.0 / 3.0, 1e-12);
	assert_near(delays_factor(d, 1, 0, 1, 0.0), 1.0, 1e-12);
	assert_near(delays_factor(d, 1, 0, 2, 0.0), 1.0 / 3.0, 1e-12);
	assert_near(delays_factor(d, 2, 1, 10, 0.0), 5.0 / 3.0, 1e-12);
	assert_near(delays_factor(d, 1, 0, 0, 9.0), 1.0 / 3.0, 1e-12);
	assert_near(delays_mean(d, 1, 0), 2.0 / 3.0, 1e-12);
	assert_near(delays_mean(d, 1, 1), 4.0 / 3.0, 1e-12);
	delays_free(d);
	d = parse(",worker=1", 3);
	for (int rank = 0; rank < 3; rank++)
		assert_near(delays_factor(d, 1, rank, 2, 0.0), 5.0 / 3.0, 1e-12);
	delays_free(d);
}

/* Lag-1 autocorrelation around the mean 3 of 1 1 1 5 5 5: 4 (1 + 1 - 1 + 1 + 1) / 24. */
static void replays_keep_the_memory(void **state)
{
	struct delays *d;
	double product = 0, square = 0;

	write_log(HEADER "0,0,1\n0,1,1\n0,2,1\n0,3,5\n0,4,5\n0,5,5\n");
	d = parse("", 1);
	for (int k = 0; k < 6; k++) {
		const double x = 3.0 * delays_factor(d, 1, 0, k, 0.0) - 3.0;

		square += x * x;
		product += k < 5 ? x * (3.0 * delays_factor(d, 1, 0, k + 1, 0.0) - 3.0) : 0.0;
	}
	assert_near(product / square, 0.5, 1e-12);
	delays_free(d);
}

/* Ranks 2 and 3 are workers 0 and 1 once more, from one drawn step on. */
static void repetitions_stay_together(void **state)
{
	struct delays *d;
	bool moved = false;

	write_log(HEADER "0,0,1\n0,1,2\n0,2,3\n0,3,4\n1,0,11\n1,1,12\n1,2,13\n1,3,14\n");
	d = parse("", 40);
	for (int rank = 2; rank < 40; rank += 2) {
		const double mean = 60.0 / 8.0, a = mean * delays_factor(d, 1, rank, 0, 0.0);

		assert_near(mean * delays_factor(d, 1, rank + 1, 0, 0.0), a + 10.0, 1e-9);
		moved = moved || !check_is_near(a, 1.0, 1e-9);
	}
	assert_true(moved);
	delays_free(d);
}

static void replays_refuse(void **state)
{
	char *text = xasprintf("replay:file=%s,worker=2", path);

	write_log(HEADER "0,0,1\n1,0,1\n");
	capture_start();
	assert_null(delays_new(delay_table, text, 2, samples_read));
	assert_said("has no worker 2 (it has workers 0 to 1)");
	assert_null(delays_new(delay_table, text, 2, NULL));
	assert_said("no files are read here");
	assert_null(delays_new(delay_table, "replay", 2, samples_read));
	assert_said("no log is named");
	write_log("1 2 3\n");
	assert_null(delays_new(delay_table, text, 2, samples_read));
	assert_said(":1: columns: 1 2 3; expected worker, step, seconds. ");
	capture_stop();
	free(text);
}

/* The model empirical takes the same log, without its order. */
static void logs_are_samples_too(void **state)
{
	struct opt_doubles v;

	write_log(HEADER "0,0,1\n1,0,2\n0,1,3\n1,1,4\n");
	assert_int_equal(samples_read(path, -1, &v), 0);
	assert_int_equal(v.n, 4);
	assert_near(v.v[1], 3.0, 0.0);
	free(v.v);
	assert_int_equal(samples_read(path, 1, &v), 0);
	assert_int_equal(v.n, 2);
	assert_near(v.v[0], 2.0, 0.0);
	free(v.v);
	capture_start();
	assert_int_equal(samples_read(path, 2, &v), -1);
	assert_said("no numbers of rank 2");
	capture_stop();
}

/* ---- what trainers print ---- */

enum { PRINTED_STEPS = 12 };

/* Rank 2 is slow; no clock has such times. */
static double printed_seconds(int rank, int step)
{
	return (rank == 2 ? 0.3 : 0.2) + 0.001 * (step * 7 % 5);
}

/*
 * Prints a line: @r is the rank, @n the step, @t ten times that, @f that with a fraction; @s are
 * its seconds, @m its milliseconds.
 */
static void print_line(const char *line, int rank, int step, FILE *out)
{
	for (const char *c = line; *c; c++)
		if (*c != '@')
			putc(*c, out);
		else if (*++c == 's' || *c == 'm')
			fprintf(out, "%.4f", printed_seconds(rank, step) * (*c == 'm' ? 1e3 : 1.0));
		else
			fprintf(out, *c == 'f' ? "%d.00" : "%d", *c == 'r' ? rank
								 : *c == 't' ? 10 * step : step);
	putc('\n', out);
}

/* What is wrong with what is read of n ranks' lines; NULL: nothing. The caller frees. */
static char *printed_fault(const char *line, int n, bool refused, const char *says)
{
	char *text, *fault = NULL;
	struct steplog l;
	size_t size;
	FILE *out = xmemstream(&text, &size);
	int ret;

	for (int i = 0; i < n * PRINTED_STEPS; i++)
		print_line(line, i % n, i / n, out);
	xmemclose(out);
	write_log(text);
	free(text);
	capture_start();
	ret = steplog_read(&l, &(const char *){ path }, 1);
	if ((ret < 0) != refused)
		fault = xasprintf("%s: %s", refused ? "read" : "refused", capture_text());
	else if (says ? !strstr(capture_text(), says) : strstr(capture_text(), "warning:") != NULL)
		fault = xasprintf("says: %s", capture_text());
	else if (!refused && (l.workers != (size_t)n || l.steps != PRINTED_STEPS))
		fault = xasprintf("%zu workers, %zu steps", l.workers, l.steps);
	for (int i = 0; i < n * PRINTED_STEPS && !fault && !refused; i++)
		if (!check_is_near(l.seconds[i], printed_seconds(i / PRINTED_STEPS,
								 i % PRINTED_STEPS), 1e-9))
			fault = xasprintf("%g s", l.seconds[i]);
	capture_stop();
	steplog_release(&l);
	return fault;
}

static bool is_printed(const char *line, int n, bool refused, const char *says)
{
	char *fault = printed_fault(line, n, refused, says);
	const bool is = !fault;

	if (fault)
		print_error("%s: %s\n", line, fault);
	free(fault);
	return is;
}

/* Ranks at a line's beginning and elsewhere. */
static const char *const rank_lines[] = {
	"[rank@r]:step @n time @s", "[rank@r]: step @n time @s", "[Rank @r] step @n time @s",
	"Rank @r: step @n time @s", "rank @r | step @n | time @s",
	"rank=@r step=@n time=@s", "rank: @r, step: @n, time: @s",
	"(rank @r) step @n time @s", "<rank @r> step @n time @s",
	"step @n rank @r time @s", "step @n time @s rank @r",
	"2026-01-01 10:00:00,123 - rank@r - INFO - step @n time @s",
	"[2026-01-01 10:00:00] [rank @r/4] INFO step @n time @s",
	"global_step=@n rank=@r step_time_ms=@m", "[rank: @r] step @n time @s",
	"INFO {\"rank\": @r, \"step\": @n, \"step_time\": @s}",
	"global_rank=@r rank=0 step=@n time=@s", "local_rank=@r step=@n time=@s",
	"RANK @r/4 step @n time @s", "[my-full-rank-sft-1] rank @r step @n time @s",
	/* launchers: torchrun, srun, Open MPI of three releases, MPICH, Ray */
	"[default@r]:step @n time @s", "0: [default@r]:step @n time @s",
	"@r: step @n time @s", " @r: step @n time @s", "0@r: step @n time @s",
	"[1,@r]<stdout>:step @n time @s", "[1,@r]<stderr>: step @n time @s",
	"Thu Jan  1 10:00:00 2026[1,@r]<stdout>:step @n time @s",
	"[prterun-node1-4711@1,@r]<stdout>: step @n time @s", "[@r] step @n time @s",
	"(train_fn pid=470@r) step @n time @s",
	"(RayTrainWorker pid=470@r, ip=10.0.0.1) step @n time @s",
	/* devices and machines */
	"[node3:@r] step @n time @s", "[gpu-node-3:@r] step @n time @s",
	"[GPU @r] step @n time @s", "[gpu:@r] step @n time @s", "GPU @r: step @n time @s",
	"(cuda:@r) step @n time @s", "[device @r] step @n time @s",
	"worker @r: step @n time @s", "[Worker-@r] step @n time @s",
	"Process @r step @n time @s", "[proc @r] step @n time @s", "[trainer@r] step @n time @s",
	"node@r: step @n time @s",
	"2026-01-01 10:00:00 INFO [@r] step @n time @s",
	"\033[36m[rank@r]\033[0m \033[32mstep @n\033[0m time @s",
};

static void ranks_are_read_from_lines(void **state)
{
	bool fine = true;

	for (size_t i = 0; i < sizeof(rank_lines) / sizeof(rank_lines[0]); i++)
		fine = is_printed(rank_lines[i], 4, false, NULL) && fine;
	assert_true(fine);
}

/* Lines of trainers, of how many ranks, whether they are refused, and what is said. */
static const struct {
	const char *line;
	int ranks;
	bool refused;
	const char *says;
} printed[] = {
	/* nanoGPT, its successors and llm.c: each step's own, printed every tenth */
	{ "iter @n: loss 2.3, time @mms, mfu 35.20%", 1, false, NULL },
	{ "iter @t: loss 2.3, time @mms, mfu 35.20%", 1, false, "one step in 10 is there" },
	{ "step    @n | loss: 6.23 | lr 1.2e-04 | norm: 1.2 | dt: @mms | tok/sec: 2834567.9",
	  1, false, NULL },
	{ "step   @n/19560 | loss 7.6 (+1.2z)| norm 3.2 (+0.1z)| lr 1.2e-05 | @m ms | 45.1% "
	  "bf16 MFU | 1621234 tok/s", 1, false, NULL },
	/* Megatron-LM */
	{ " [2026-01-01 10:00:00] iteration    @n/  500000 | consumed samples:   64 | elapsed "
	  "time per iteration (ms): @m | throughput per GPU (TFLOP/s/GPU): 123.4 | loss: 1 |",
	  1, false, NULL },
	{ "@r:  iteration    @t/  500000 | elapsed time per iteration (ms): @m |", 2, true,
	  "the mean of the 10 steps since the line before it" },
	/* DeepSpeed */
	{ "[2026-01-01 10:00:00,123] [INFO] [engine.py:1:train_batch] steps: @n loss: 7.12 "
	  "iter time (s): @s samples/sec: 1234.5", 1, false, NULL },
	{ "steps: @t loss: 7.12 iter time (s): @s samples/sec: 1234.5", 1, true,
	  "the mean of the 10 steps since the line before it" },
	{ "[2026-01-01 10:00:00,123] [INFO] [logging.py:96:log_dist] [Rank 0] time (ms) | "
	  "fwd: 51.79 | bwd: 97.30 | bwd_inner: 96.8 | bwd_allreduce: 0.4 | step: @m", 1, true,
	  "DeepSpeed prints the parts of a step" },
	{ "[2026-01-01 10:00:00,123] [INFO] [timer.py:260:stop] epoch=0/micro_step=@n/"
	  "global_step=@n, RunningAvgSamplesPerSec=12.3, CurrSamplesPerSec=12.5", 1, true,
	  "a rate is there" },
	/* Detectron2: the median of 20 steps, and the last one's own since 2022 */
	{ "[11/29 12:00:00 d2.utils.events]:  eta: 2:00:00  iter: @n  total_loss: 1.2  time: "
	  "0.2502  last_time: @s  data_time: 0.0051  last_data_time: 0.0043   lr: 0.01", 1,
	  false, NULL },
	{ "\033[32m[11/29 12:00:00 d2.utils.events]: \033[0m eta: 2:00:00  iter: @t  "
	  "total_loss: 1.2  time: 0.2502  last_time: @s  data_time: 0.0051  lr: 0.01", 1,
	  false, "one step in 10 is there" },
	{ "[11/29 12:00:00 d2.utils.events]:  eta: 2:00:00  iter: @t  total_loss: 1.2  time: "
	  "@s  data_time: 0.0051  lr: 0.01  max_mem: 7000M", 1, false, "warning: " },
	/* MMDetection 2 and 3 */
	{ "2026-01-01 10:00:00,123 - mmdet - INFO - Epoch [1][@n/7330]\tlr: 1.978e-03, eta: "
	  "20:00:00, time: @s, data_time: 0.050, memory: 3900, loss: 1.2", 1, false, NULL },
	{ "2026-01-01 10:00:00,123 - mmdet - INFO - Epoch [1][@t/7330]\tlr: 1.978e-03, eta: "
	  "20:00:00, time: @s, data_time: 0.050, memory: 3900, loss: 1.2", 1, true,
	  "the mean of the 10 steps since the line before it" },
	{ "01/01 10:00:00 - mmengine - INFO - Epoch(train)  [1][ @t/7330]  lr: 1.9e-04  eta: "
	  "20:00:00  time: @s  data_time: 0.0500  memory: 3900  loss: 1.2", 1, false, "warning: " },
	{ "01/01 10:00:00 - mmengine - INFO - Iter(train) [   @t/40000]  lr: 1.9e-04  eta: "
	  "20:00:00  time: @s  data_time: 0.0500  memory: 3900  loss: 1.2", 1, false, "warning: " },
	/* torchvision's references, DETR, MAE */
	{ "Epoch: [0]  [  @t/5004]  eta: 0:55:00  lr: 0.1  img/s: 400.0  loss: 6.9 (6.95)  "
	  "time: @s  data: 0.0002  max mem: 7000", 1, false, "warning: " },
	/* PyTorch's ImageNet, Swin, timm: a step's own, then the mean */
	{ "Epoch: [0][  @t/5005]\tTime  @s ( 0.512)\tData  0.001 ( 0.120)\tLoss 6.9 (6.9)", 1,
	  false, "one step in 10 is there" },
	{ "[2026-01-01 10:00:00 swin_tiny] (main.py 200): INFO Train: [0/300][@n/1251]\teta "
	  "0:10:00 lr 0.000001\ttime @s (0.4512)\tloss 6.9 (6.9)\tmem 7000MB", 1, false, NULL },
	{ "Train: 0 [   @t/1251 (  0%)]  Loss: 6.9 (6.9)  Time: @ss, 3292.50/s  (0.315s, "
	  "3250.10/s)  LR: 1.000e-05  Data: 0.010 (0.012)", 1, false, "one step in 10 is there" },
	/* NeMo 2, and the progress bar of NeMo 1 */
	{ "0: Training epoch 0, iteration @n/99 | lr: 4.8e-06 | global_batch_size: 16 | "
	  "global_step: @n | reduced_train_loss: 1.4 | train_step_timing in s: @s | "
	  "consumed_samples: 528", 1, false, NULL },
	{ "Epoch 0: :  47%|####7     | 7/15 [06:19<07:13, v_num=0, reduced_train_loss=11.50, "
	  "global_step=@f, consumed_samples=12288.0, train_step_timing in s=@s]\r"
	  "Epoch 0: :  47%|####7     | 8/15 [06:19<07:13, v_num=0, reduced_train_loss=11.50, "
	  "global_step=@f, consumed_samples=12288.0, train_step_timing in s=@s]", 1, false,
	  "12 lines repeat" },
	/* TorchTitan, Composer, Hugging Face, Lightning, fairseq, Keras: no time of a step */
	{ "[rank0]:[titan] 2026-01-01 10:00:00,123 - root - INFO - step: @n  loss:  8.1234  "
	  "memory: 47.2GiB(59.6%)  tps: 2,345  tflops: 45.6  mfu: 14.5%", 1, true,
	  "a rate is there" },
	{ "[epoch=0][batch=@n/625]: wall_clock/train: 17.1607", 1, true, "Composer" },
	{ "{'loss': 2.3, 'grad_norm': 1.2, 'learning_rate': 5e-05, 'epoch': 0.@n}", 1, true,
	  "Hugging Face" },
	{ "Epoch 0:  10%|#   | 10/100 [00:10<01:30,  1.02it/s, v_num=0, train_loss=2.3]", 1, true,
	  "a running mean" },
	{ "2026-01-01 10:00:00 | INFO | train_inner | epoch 001:     @n / 5000 loss=12.3, "
	  "ppl=5000, wps=1234, ups=2.1, wpb=12, bsz=3, num_updates=@n, lr=1e-05, wall=10", 1, true,
	  "a rate is there" },
	{ "@n/100 [====>....] - ETA: 5s - 120ms/step - loss: 2.3", 1, true, "a running mean" },
	{ "| epoch   1 |   @n/ 2928 batches | lr 5.00 | ms/batch 12.34 | loss 6.9", 1, true,
	  "a running mean" },
	{ "I0101 10:00:00.123456 140 logging_writer.py:48] [@n] steps_per_sec=2.1, loss=6.9", 1,
	  true, "a rate is there" },
	/* MaxText */
	{ "completed step: @n, seconds: @s, TFLOP/s/device: 12.1, Tokens/s/device: 1234.5, "
	  "total_weights: 65536, loss: 2.1", 1, false, NULL },
	/* no rank: a step, a share, a date, a line of a program, a process */
	{ "[ @n/5000] step @n time @s", 1, false, NULL },
	{ "[ @n%] step @n time @s", 1, false, NULL },
	{ "[@n] step @n time @s", 1, false, NULL },
	{ "[2026-01-01 10:00:00] [train.py:120] python[4711]: step @n time @s", 1, false, NULL },
	{ "[1767261600] step @n time @s", 1, false, NULL },
	{ "lora_rank=8 num_workers=4 step @n time @s gpu 7@n%", 1, false, NULL },
	{ "[DEBUG] step 2e+3 iter @n time @s rank 7.5", 1, false, NULL },
	{ "Epoch [@n] Step [@t] Time @ss", 1, false, "one step in 10 is there" },
	{ "[Epoch:@n] step @t time @s", 1, false, "one step in 10 is there" },
	/* a mean, perhaps: nothing says it */
	{ "step @t time @s", 1, false, "warning: " },
	/* a time by no known name, and no step */
	{ "step @n loss 2 tempo @s", 1, true, "no time by a name that is known" },
	{ "loss 2.3, lr 0.1, time @ss", 1, true, "no number of a step" },
	/* ranks that cannot be read */
	{ "step @n time @s", 4, true, "log.csv:3: step 0 is on line 1 of " },
	{ "@r | step @n | time @s", 4, true, "give a file of each rank" },
	{ "[default0]:step @n time @s", 3, true, "give a file of each rank" },
};

static void trainers_lines_are_read(void **state)
{
	bool fine = true;

	for (size_t i = 0; i < sizeof(printed) / sizeof(printed[0]); i++)
		fine = is_printed(printed[i].line, printed[i].ranks, printed[i].refused,
				  printed[i].says) && fine;
	assert_true(fine);
}

RUN_WITH(setup, teardown, logs_are_sorted, columns_are_found_by_name,
	 faults_are_named_with_their_line, a_clock_is_refused,
	 missing_steps_are_named_with_their_line, replays_follow_the_log, replays_keep_the_memory,
	 repetitions_stay_together, replays_refuse, logs_are_samples_too,
	 ranks_are_read_from_lines, trainers_lines_are_read)
