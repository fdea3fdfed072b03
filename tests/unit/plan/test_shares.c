/* Slices of a round for unequal workers, by hand, and the grammar of --shares. */
#include "core/pool/pool.h"
#include "core/samples/batch.h"
#include "delays/delay.h"
#include "plan/settings/shares.h"
#include "record/trace/steplog.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <stdlib.h>

enum { MOST = 64 };

/* ---- slices ---- */

static void sizes_are(int workers, size_t batch, const double *part, const int64_t *want)
{
	int64_t slice[MOST + 1];

	assert_int_equal(slices_cut(part, workers, batch, slice), -1);
	assert_int_equal(slice[0], 0);
	for (int w = 0; w < workers; w++)
		assert_int_equal(slice[w + 1] - slice[w], want[w]);
	assert_int_equal(slice[workers], (int64_t)batch * workers);
}

static void slices_by_hand(void **state)
{
	sizes_are(2, 128, (double[]){ 1, 1 }, (int64_t[]){ 128, 128 });
	sizes_are(2, 128, (double[]){ 3, 1 }, (int64_t[]){ 192, 64 });
	/* 12 / 7, 24 / 7, 48 / 7: the whole parts are 1, 3, 6; two are left, for .86 and .71. */
	sizes_are(3, 4, (double[]){ 1, 2, 4 }, (int64_t[]){ 2, 3, 7 });
	/* Three have 4 / 3: of equal remainders the lower rank's is the larger. */
	sizes_are(4, 2, (double[]){ 1, 1, 1, 3 }, (int64_t[]){ 2, 1, 1, 4 });
	sizes_are(4, 2, (double[]){ 3, 1, 1, 1 }, (int64_t[]){ 4, 2, 1, 1 });
	sizes_are(3, 1, (double[]){ 0.6, 0.6, 0.6 }, (int64_t[]){ 1, 1, 1 });
	sizes_are(1, 7, (double[]){ 0.01 }, (int64_t[]){ 7 });
	/* Of 5.9 times the GPU's time: 256 / 6.9 = 37.1. */
	sizes_are(2, 128, (double[]){ 5.9, 1 }, (int64_t[]){ 219, 37 });
}

/* Whatever the parts: together they are the round, and no worker is a sample off its share. */
static void slices_partition_the_round(void **state)
{
	int64_t slice[MOST + 1];
	struct rng r;

	rng_at(&r, 1, RNG_DATA, 0, 0);
	for (int k = 0; k < 2000; k++) {
		const int workers = 1 + (int)(rng_uniform(&r) * MOST);
		const size_t batch = 1 + (size_t)(rng_uniform(&r) * 100);
		double part[MOST], sum = 0.0;
		int none, first = -1;

		for (int w = 0; w < workers; w++)
			sum += part[w] = rng_uniform(&r) + 1e-3;
		none = slices_cut(part, workers, batch, slice);
		assert_int_equal(slice[workers], (int64_t)batch * workers);
		for (int w = workers - 1; w >= 0; w--) {
			const double own = (double)batch * workers * part[w] / sum;
			const double size = (double)slice_size(slice, batch, w);

			assert_true(size - own < 1.0 && own - size < 1.0);
			first = size < 1.0 ? w : first;
		}
		assert_int_equal(none, first);
	}
}

/* Round by round, workers of unequal slices see what one worker of all of them sees. */
static void slices_deal_the_round(void **state)
{
	const int64_t slice[] = { 0, 2, 5, 12 };
	const struct sampler one = { .seed = 2, .samples = 64, .workers = 1, .size = 12 };
	const struct sampler all = { .seed = 2, .samples = 64, .workers = 3, .size = 4,
				     .slice = slice };
	int64_t big[12], small[12];
	uint64_t big_use[12], small_use[12];

	for (int64_t k = 0; k < 20; k++) {
		sampler_batch(&one, 0, k, big, big_use);
		for (int w = 0; w < 3; w++) {
			sampler_batch(&all, w, k, small + slice[w], small_use + slice[w]);
			assert_int_equal(sampler_size(&all, w), slice[w + 1] - slice[w]);
		}
		assert_memory_equal(small, big, sizeof(big));
		assert_memory_equal(small_use, big_use, sizeof(big_use));
	}
}

/* ---- weights ---- */

struct received {
	struct grad_hook hook;
	const float *g;
	float sum;              /* of the parts, as they were when they were received */
	size_t n;
};

static void receive(struct grad_hook *h, size_t from, size_t to)
{
	struct received *own = (struct received *)h;

	for (size_t i = from; i < to; i++)
		own->sum += own->g[i];
	own->n += to - from;
}

static void parts_are_weighed_before_they_are_handed_on(void **state)
{
	float g[] = { 1, 2, 4, 8 };
	struct received received = { .hook = { receive }, .g = g };
	struct weigher w;
	struct grad_hook *hook = weigh(&w, &received.hook, g, 0.5);

	grad_done(hook, 1, 4);
	assert_true(g[0] == 1.0f && g[1] == 1.0f && g[3] == 4.0f);
	assert_true(received.sum == 7.0f && received.n == 3);
	grad_done(hook, 0, 1);
	assert_true(g[0] == 0.5f && received.n == 4);
	grad_done(weigh(&w, NULL, g, 2.0), 0, 4);
	assert_true(g[0] == 1.0f && g[3] == 8.0f);
	assert_ptr_equal(weigh(&w, &received.hook, g, 1.0), &received.hook);
	assert_null(weigh(&w, NULL, g, 1.0));
}

static size_t largest;

static void *scratch(const struct problem *p, size_t max_batch, struct team *team)
{
	(void)p, (void)team;
	largest = max_batch;
	return NULL;
}

static void scratch_free(const struct problem *p, void *s)
{
	(void)p, (void)s;
}

/* The gradient is the size of the batch. */
static double count(const struct problem *p, void *s, const float *x, const struct batch *b,
		    float *g, struct grad_hook *hook)
{
	(void)p, (void)s, (void)x;
	*g = (float)b->n;
	grad_done(hook, 0, 1);
	return (double)b->n;
}

static void count_of_all(const struct problem *p, void *s, const float *x, const struct batch *b,
			 float *stats)
{
	(void)p, (void)s, (void)x;
	*stats = (float)b->n;
}

/* Statistics are of batches of their own. */
static void a_pool_holds_the_largest_and_weighs(void **state)
{
	static const struct problem_ops ops = { .scratch_new = scratch, .grad = count,
						.scratch_free = scratch_free,
						.stats = count_of_all };
	const struct problem problem = { .ops = &ops, .dim = 1 };
	const int64_t slice[] = { 0, 300, 400 };
	const struct sampler s = { .samples = 400, .workers = 2, .size = 200, .slice = slice };
	struct pool *p = pool_threads(&problem, &s, 1);
	float g[3];

	for (int w = 0; w < 3; w++) {
		struct job j = { .kind = w < 2 ? JOB_GRAD : JOB_STATS, .rank = w % 2,
				 .out = &g[w] };

		pool_submit(p, &j);
		pool_wait(p, &j);
		assert_near(j.loss, w == 0 ? 300.0 : w == 1 ? 100.0 : 0.0, 0.0);
	}
	assert_int_equal(largest, 300);
	assert_true(g[0] == 300 * 1.5f && g[1] == 100 * 0.5f && g[2] == EVAL_BATCH);
	pool_free(p);
}

/* ---- the setting ---- */

static char *canonical(const char *text, const struct share_of *of)
{
	int64_t *slice;
	char *own;

	assert_int_equal(shares_parse(text, of, &slice), 0);
	own = shares_format(slice, of->workers);
	free(slice);
	return own;
}

static void means(const char *text, const struct share_of *of, const char *want)
{
	char *once = canonical(text, of), *twice = canonical(once, of);

	assert_string_equal(once, want);
	assert_string_equal(twice, want);
	free(once);
	free(twice);
}

static void texts_have_one_form(void **state)
{
	const struct pace pace = { 0 };
	const struct share_of two = { .workers = 2, .batch = 128, .pace = &pace };
	const struct share_of eight = { .workers = 8, .batch = 16, .pace = &pace };

	means("equal", &two, "equal");
	means("0:1+1:1", &two, "equal");
	means("1:5+0:5", &two, "equal");
	means("0:1.000001", &two, "equal");
	means("speed", &two, "equal");
	means("0:3", &two, "0:192+1:64");
	means("1:1+0:3", &two, "0:192+1:64");
	means("0-3:3", &eight, "0-3:24+4-7:8");
	means("7:0.5", &eight, "0-6:17+7:9");
	means("0:2", &eight, "0:29+1:15+2-7:14");
}

/* One over what slows a worker for good: by slow, by a clause of delay, by what is drawn once. */
static void speeds_are_known_beforehand(void **state)
{
	const struct slow slow[] = { { .rank = 0, .factor = 3 },
				     { .rank = 1, .factor = 9, .from = 1, .to = 2 },
				     { .rank = 1, .factor = 9, .from = 5 } };
	struct pace pace = { .slow = slow, .nslow = 3 };
	const struct share_of of = { .workers = 2, .batch = 128, .seed = 4, .pace = &pace };
	double machine;

	means("speed", &of, "0:64+1:192");
	pace.delays = delays_new(delay_table, "gamma:cv=0.2; 1: * periodic:factor=5,period_s=4,"
				 "slow_s=2", 2, samples_read);
	assert_near(pace_mean(&pace, 4, 0), 3.0, 1e-12);
	assert_near(pace_mean(&pace, 4, 1), 3.0, 1e-12);
	means("speed", &of, "equal");
	delays_free(pace.delays);

	pace.delays = delays_new(delay_table, "cvb:v_mach=0.6,v_task=0", 2, samples_read);
	pace.nslow = 0;
	for (int w = 0; w < 2; w++) {
		machine = delays_factor(pace.delays, 4, w, 17, 100.0);
		assert_near(pace_mean(&pace, 4, w), machine, 1e-12);
	}
	assert_true(pace_mean(&pace, 4, 0) < pace_mean(&pace, 4, 1) ||
		    pace_mean(&pace, 4, 0) > pace_mean(&pace, 4, 1));
	delays_free(pace.delays);
}

static void refuses(const char *text, const char *why)
{
	const struct pace pace = { 0 };
	const struct share_of of = { .workers = 4, .batch = 16, .pace = &pace };
	int64_t *slice;

	capture_start();
	assert_int_equal(shares_parse(text, &of, &slice), -1);
	capture_stop();
	assert_null(slice);
	assert_said(text);
	assert_said(why);
}

static void what_makes_no_sense_is_refused(void **state)
{
	static const char *const texts[] = { "", "0", "0:", "0:x", "0:-1", "0x1:2", "sped",
					     "0:inf", "0:nan", "0-:2", "-1:2", "0:1+", "1.0:2",
					     "+", "all:1" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		refuses(texts[i], "expected equal, speed, or parts");
	refuses("sped", "did you mean 'speed'?");
	refuses("4:1", "no rank 4 among 4 workers (ranks are 0 to 3)");
	refuses("0-9:1", "no rank 9");
	refuses("2-1:1", "the lower one stands first");
	refuses("0:1+1:2+0:1", "rank 0 has two parts");
	refuses("0-2:1+1:2", "rank 1 has two parts");
	refuses("0:0", "between 1e-09 and 1e+09");
	refuses("0:2e9", "between 1e-09 and 1e+09");
	refuses("0:1 1:2", "is left over");
	/* 64 x 0.004 / 3.004 = 0.0852; a batch of 188 gives it one: 4 x 188 x 0.004 / 3.004 > 1. */
	refuses("2:0.004", "worker 2 has 0.0852 of the 64 samples of a round, which is none: its "
		"part must be larger, or the batch at least 188");
}

RUN_ALL(slices_by_hand, slices_partition_the_round, slices_deal_the_round,
	parts_are_weighed_before_they_are_handed_on, a_pool_holds_the_largest_and_weighs,
	texts_have_one_form, speeds_are_known_beforehand, what_makes_no_sense_is_refused)
