/* Teams through the pool of threads: idle threads help, and nothing shows of who did what. */
#include "core/base/mem.h"
#include "core/pool/pool.h"
#include "tests/support/check.h"

#include <stdlib.h>

enum { TASKS = 64, LANES = 64 };

/* What a problem's gradient does in a test, and what was seen of it. */
struct watch {
	void (*task)(void *arg, int k, int lane);
	int n;
	atomic_int runs[TASKS], inside[LANES];
	atomic_int clashes;             /* tasks that met another in their lane */
	atomic_int met;
	struct turn turn;
	float sum;
};

/* A scratch is its thread's team. */
struct seat {
	struct team *team;
};

static void *seat_new(const struct problem *p, size_t max_batch, struct team *team)
{
	struct seat *s = xcalloc(1, sizeof(*s));

	(void)p, (void)max_batch;
	s->team = team;
	return s;
}

static void seat_free(const struct problem *p, void *scratch)
{
	(void)p;
	free(scratch);
}

static double run_tasks(const struct problem *p, void *scratch, const float *x,
			const struct batch *b, float *g, struct grad_hook *hook)
{
	struct watch *w = p->priv;

	(void)x, (void)b;
	team_run(((struct seat *)scratch)->team, w->n, w->task, w);
	g[0] = w->sum;
	grad_done(hook, 0, 1);
	return 0;
}

static const struct problem_ops ops = {
	.scratch_new = seat_new, .scratch_free = seat_free, .grad = run_tasks,
};

static void run_jobs(struct watch *w, int threads, int jobs)
{
	struct problem p = { .ops = &ops, .dim = 1, .n = { 8, 0 }, .priv = w };
	struct sampler s = { .seed = 1, .samples = 8, .workers = 1, .size = 1 };
	struct pool *pool = pool_threads(&p, &s, threads);
	struct job *job = xcalloc((size_t)jobs, sizeof(*job));
	float x = 0, *g = vec_new((size_t)jobs);

	for (int i = 0; i < jobs; i++) {
		job[i] = (struct job){ .kind = JOB_GRAD, .x = &x, .out = g + i };
		pool_submit(pool, &job[i]);
	}
	for (int i = 0; i < jobs; i++)
		pool_wait(pool, &job[i]);
	pool_free(pool);
	free(g);
	free(job);
}

static void count_task(void *arg, int k, int lane)
{
	struct watch *w = arg;

	if (atomic_fetch_add(&w->inside[lane], 1))
		atomic_fetch_add(&w->clashes, 1);
	atomic_fetch_add(&w->runs[k], 1);
	for (volatile int i = 0; i < 2000; i++)
		;
	atomic_fetch_sub(&w->inside[lane], 1);
}

static void each_task_runs_once(void **state)
{
	for (int threads = 1; threads <= 5; threads++)
		for (int round = 0; round < 20; round++) {
			struct watch w = { .task = count_task, .n = TASKS };

			run_jobs(&w, threads, 1);
			for (int k = 0; k < TASKS; k++)
				assert_int_equal(atomic_load(&w.runs[k]), 1);
			assert_int_equal(atomic_load(&w.clashes), 0);
		}
}

/* Ends only when as many threads are inside at once. */
static void meet_task(void *arg, int k, int lane)
{
	struct watch *w = arg;

	(void)k, (void)lane;
	atomic_fetch_add(&w->met, 1);
	while (atomic_load(&w->met) < w->n)
		;
}

static void idle_threads_help(void **state)
{
	for (int threads = 2; threads <= 4; threads++) {
		struct watch w = { .task = meet_task, .n = threads };

		run_jobs(&w, threads, 1);
		assert_int_equal(atomic_load(&w.met), threads);
	}
}

/* A sum whose rounding depends on the order of its terms. */
static void sum_task(void *arg, int k, int lane)
{
	struct watch *w = arg;
	float part = k % 2 ? 1e8f / (float)(k + 1) : 1.0f / (float)(k + 1);

	(void)lane;
	turn_wait(&w->turn, k);
	w->sum += part;
	turn_pass(&w->turn);
}

static void turns_give_one_sum(void **state)
{
	struct watch alone = { .task = sum_task, .n = TASKS };

	run_jobs(&alone, 1, 1);
	for (int round = 0; round < 50; round++) {
		struct watch w = { .task = sum_task, .n = TASKS };

		run_jobs(&w, 1 + round % 5, 1);
		assert_true(w.sum == alone.sum);
	}
}

static atomic_int in_flight, most;

/* Counts the tasks that run at once, of all jobs. */
static void busy_task(void *arg, int k, int lane)
{
	int now = atomic_fetch_add(&in_flight, 1) + 1, seen = atomic_load(&most);

	(void)arg, (void)k, (void)lane;
	while (now > seen && !atomic_compare_exchange_weak(&most, &seen, now))
		;
	for (volatile int i = 0; i < 1000; i++)
		;
	atomic_fetch_sub(&in_flight, 1);
}

static void many_jobs_and_helpers_end(void **state)
{
	for (int threads = 1; threads <= 4; threads++) {
		struct watch w = { .task = busy_task, .n = TASKS };

		atomic_store(&most, 0);
		run_jobs(&w, threads, 100);
		assert_int_equal(atomic_load(&in_flight), 0);
		assert_within(atomic_load(&most), 1, threads);
	}
}

static void no_team_at_all(void **state)
{
	struct watch w = { .task = count_task, .n = 3 };

	assert_int_equal(team_lanes(NULL), 1);
	team_run(NULL, w.n, w.task, &w);
	for (int k = 0; k < 3; k++)
		assert_int_equal(atomic_load(&w.runs[k]), 1);
	team_run(NULL, 0, w.task, &w);
	assert_int_equal(atomic_load(&w.runs[0]), 1);
}

RUN_ALL(each_task_runs_once, idle_threads_help, turns_give_one_sum, many_jobs_and_helpers_end,
	no_team_at_all)
