/* A job that fails ends a simulated run, wherever it was asked for, with an error. */
#include "core/base/error.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/toy.h"

#include <stdatomic.h>

static const struct problem_ops *whole;
static atomic_int until_failure;        /* jobs */
static atomic_bool failed;

static void count_down(void)
{
	if (atomic_fetch_sub(&until_failure, 1) != 1)
		return;
	error("the job fails");
	atomic_store(&failed, true);
}

static double failing_grad(const struct problem *p, void *scratch, const float *x,
			   const struct batch *b, float *g, struct grad_hook *hook)
{
	count_down();
	return whole->grad(p, scratch, x, b, g, hook);
}

static struct score failing_score(const struct problem *p, void *scratch, const float *x,
				  const float *stats, enum split split, int64_t first, size_t n)
{
	count_down();
	return whole->score(p, scratch, x, stats, split, first, n);
}

static bool has_failed(const struct problem *p)
{
	(void)p;
	return atomic_load(&failed);
}

static struct pool *pool;

static void evaluate_mark(struct hook *h, const struct event *ev)
{
	(void)h;
	evaluate(pool, ev->model, SPLIT_TEST, 0, 1, NULL);
}

/* What a run of 24 gradients returns, with an evaluation at its end, whose n-th job fails. */
static int run_until(const char *algo, int n, int threads)
{
	struct hook mark = { .mask = 1u << EV_MARK, .event = evaluate_mark };
	struct problem_ops ops;
	struct sampler sampler;
	struct toy t;
	int ret;

	toy_open(&t, algo, 3, "sgd");
	whole = t.problem->ops;
	ops = *whole;
	ops.grad = failing_grad;
	ops.score = failing_score;
	ops.failed = has_failed;
	t.problem->ops = &ops;
	t.run.epochs = 0;
	t.run.gradients = 24;
	t.run.hooks = &mark;
	sampler = (struct sampler){ .seed = t.run.seed, .samples = t.run.samples,
				    .workers = t.run.workers, .size = t.run.batch };
	atomic_store(&until_failure, n);
	atomic_store(&failed, false);
	pool = t.run.pool = pool_threads(t.problem, &sampler, threads);
	capture_start();
	ret = sim_run(&t.sim, &t.run, &t.result);
	capture_stop();
	pool_free(pool);
	t.problem->ops = whole;
	toy_close(&t);
	return ret;
}

static void a_failing_job_ends_the_run(void **state)
{
	static const char *const algos[] = { "asgd", "allreduce", "ad-psgd", "easgd" };

	for (size_t k = 0; k < sizeof(algos) / sizeof(algos[0]); k++)
		for (int threads = 1; threads <= 3; threads += 2) {
			assert_int_equal(run_until(algos[k], 1000, threads), 0);
			for (int n = 1; n <= 13; n += 4) {
				assert_int_equal(run_until(algos[k], n, threads), -1);
				assert_string_equal(capture_text(), "error: the job fails\n");
			}
		}
}

/* 24 gradients are delivered; of the two jobs of the evaluation of 256 samples one fails. */
static void a_failing_evaluation_ends_it_too(void **state)
{
	assert_int_equal(run_until("allreduce", 25, 1), -1);
	assert_int_equal(run_until("allreduce", 26, 1), -1);
	assert_int_equal(run_until("allreduce", 27, 1), 0);
}

RUN_ALL(a_failing_job_ends_the_run, a_failing_evaluation_ends_it_too)
