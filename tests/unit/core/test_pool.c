/* What a pool of threads does with a job that is taken back, or computed elsewhere. */
#include "core/pool/pool.h"

#include "core/base/clock.h"
#include "tests/support/check.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static atomic_int begun;

static void *scratch(const struct problem *p, size_t max_batch, struct team *team)
{
	(void)p, (void)max_batch, (void)team;
	return NULL;
}

static void scratch_free(const struct problem *p, void *s)
{
	(void)p, (void)s;
}

/* Computes as soon as the gate is open; the loss is the job's position among those computed. */
static double wait_at_the_gate(const struct problem *p, void *s, const float *x,
			       const struct batch *b, float *g, struct grad_hook *hook)
{
	const int position = ++begun;

	(void)p, (void)s, (void)x, (void)b, (void)g, (void)hook;
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	return position;
}

static const struct problem_ops ops = {
	.scratch_new = scratch, .scratch_free = scratch_free, .grad = wait_at_the_gate,
};

/* Of four jobs for one thread the first has been begun, the second and the last are taken back. */
static void an_unstarted_job_is_not_computed(void **state)
{
	const struct problem problem = { .ops = &ops, .dim = 1 };
	const struct sampler sampler = { .samples = 8, .workers = 1, .size = 1 };
	struct pool *p = pool_threads(&problem, &sampler, 1);
	struct job jobs[5] = { 0 };

	assert_true(isnan(pool_gradient_s(p)));
	pthread_mutex_lock(&gate);
	for (int i = 0; i < 4; i++)
		pool_submit(p, &jobs[i]);
	while (!begun)
		;
	assert_true(pool_withdraw(p, &jobs[1]));
	assert_true(pool_withdraw(p, &jobs[3]));
	assert_false(pool_withdraw(p, &jobs[0]));
	pool_submit(p, &jobs[4]);
	pthread_mutex_unlock(&gate);

	pool_wait(p, &jobs[0]);
	pool_wait(p, &jobs[2]);
	pool_wait(p, &jobs[4]);
	assert_int_equal(begun, 3);
	assert_true(pool_gradient_s(p) > 0);
	assert_near(jobs[2].loss, 2.0, 0.0);
	assert_near(jobs[4].loss, 3.0, 0.0);
	pool_free(p);
}

/* The one thread is busy: the two jobs that wait may be taken, the first of them first. */
static void what_no_thread_has_time_for_is_computed_elsewhere(void **state)
{
	const struct problem problem = { .ops = &ops, .dim = 1 };
	const struct sampler sampler = { .samples = 8, .workers = 1, .size = 1 };
	struct pool *p = pool_threads(&problem, &sampler, 1);
	struct job jobs[3] = { 0 };

	begun = 0;
	pthread_mutex_lock(&gate);
	pool_submit(p, &jobs[0]);
	while (!begun)
		;
	assert_null(pool_take(p, 0.0));
	pool_submit(p, &jobs[1]);
	pool_submit(p, &jobs[2]);
	assert_ptr_equal(pool_take(p, 0.0), &jobs[1]);
	assert_false(pool_withdraw(p, &jobs[1]));
	assert_false(pool_wait_for(p, &jobs[1], 0.0));
	jobs[1].loss = 7.0;
	pool_done(p, &jobs[1]);
	pool_wait(p, &jobs[1]);
	pthread_mutex_unlock(&gate);

	pool_wait(p, &jobs[0]);
	pool_wait(p, &jobs[2]);
	assert_near(jobs[1].loss, 7.0, 0.0);
	assert_near(jobs[2].loss, 2.0, 0.0);
	pool_free(p);
}

static double seconds_each;
static pthread_t who;

/* Takes seconds_each; the loss is 1 where the thread that waits computes it. */
static double who_computes(const struct problem *p, void *s, const float *x,
			   const struct batch *b, float *g, struct grad_hook *hook)
{
	(void)p, (void)s, (void)x, (void)b, (void)g, (void)hook;
	if (seconds_each > 0.0)
		clock_sleep(seconds_each);
	return pthread_equal(pthread_self(), who) ? 1.0 : 0.0;
}

/* Of at most `most` gradients, one after another: whether one was computed by this thread. */
static bool computed_here(double seconds, bool patient, int most)
{
	static const struct problem_ops who_ops = {
		.scratch_new = scratch, .scratch_free = scratch_free, .grad = who_computes,
	};
	const struct problem problem = { .ops = &who_ops, .dim = 1 };
	const struct sampler sampler = { .samples = 8, .workers = 1, .size = 1 };
	struct pool *p = pool_threads(&problem, &sampler, 2);
	struct job job = { 0 };

	seconds_each = seconds;
	who = pthread_self();
	for (int i = 0; i < most && job.loss < 1.0; i++) {
		job = (struct job){ .index = i, .patient = patient };
		pool_submit(p, &job);
		pool_wait(p, &job);
	}
	pool_free(p);
	return job.loss > 0.0;
}

static void who_waits_for_a_short_job_computes_it(void **state)
{
	assert_true(computed_here(0, true, 100000));
	assert_false(computed_here(0, false, 1000));
	assert_false(computed_here(1e-4, true, 50));
}

RUN_ALL(an_unstarted_job_is_not_computed, what_no_thread_has_time_for_is_computed_elsewhere,
	who_waits_for_a_short_job_computes_it)
