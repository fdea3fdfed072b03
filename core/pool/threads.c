/*
 * The pool of threads: a queue of gradient and score jobs, and the threads that compute them.
 *
 * Waking a thread takes longer than a very short job. Such jobs stay in the queue, and who waits
 * for one computes it instead of an idle thread, with that thread's working memory.
 */
#include "core/pool/pool.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/base/thread.h"
#include "core/math/median.h"
#include "core/math/vec.h"
#include "core/pool/thread_group.h"
#include "core/samples/ahead.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { QUEUED = 1, BEGUN, DONE };
enum { TIMED = 4096 };          /* gradients whose seconds are kept */
enum { JOB_KINDS = JOB_SCORE + 1 };
static const double SHORT_S = 20e-6;    /* about the time to wake a thread and to be woken by it */

struct seat {                   /* of a thread: where one job at a time is computed */
	struct threads *pool;
	pthread_t thread;
	struct team team;
	void *scratch;
	bool taken;             /* a job is computed here, or the thread has not begun */
};

struct threads {
	struct pool pool;
	size_t max_batch;
	struct thread_group group;      /* its lock guards all below */
	pthread_cond_t done;
	pthread_cond_t surplus;         /* more jobs wait than threads */
	struct job *head, **tail;       /* jobs in the order in which they were submitted */
	struct seat *seat;              /* [n] */
	double mean_s[JOB_KINDS];       /* of the latest jobs of a kind; 0: not measured yet */
	struct ahead ahead;
	bool closing;
	double seconds[TIMED];          /* seconds of gradient i per mean batch, at i % TIMED */
	size_t ntimed;
	int n;
};

/* Called with the lock held, like the functions below: takes a job out of the queue. */
static void take_job(struct threads *t, struct job *j)
{
	atomic_fetch_sub(&t->group.jobs, 1);
	*j->link = j->next;
	if (j->next)
		j->next->link = j->link;
	else
		t->tail = j->link;
	j->state = BEGUN;
}

/* Takes the first job; NULL: none. */
static struct job *first_job(struct threads *t)
{
	struct job *j = t->head;

	if (j)
		take_job(t, j);
	return j;
}

static void job_done(struct threads *t, struct job *j)
{
	j->state = DONE;
	pthread_cond_signal(&t->done);
}

/* The next job of the thread that has this seat; NULL: the pool ends. */
static struct job *next_job(struct threads *t, const struct seat *own)
{
	while ((!t->head || own->taken) && !t->closing) {
		if (thread_group_help(&t->group))
			continue;
		t->group.idle++;
		pthread_cond_wait(&t->group.wake, &t->group.lock);
		t->group.idle--;
	}
	return first_job(t);
}

/* Announces the batches after a job that is about to run; releases the lock meanwhile. */
static void look_ahead(struct threads *t, const struct job *begun)
{
	const struct problem *p = t->pool.problem;
	size_t most = (size_t)(p->ahead + 1) * (size_t)t->pool.width, n, sure;
	struct job list[AHEAD_MOST];

	if (!p->ahead)
		return;
	ahead_note(&t->ahead, begun);
	n = ahead_list(&t->ahead, t->head, list, most < AHEAD_MOST ? most : AHEAD_MOST, &sure);
	pthread_mutex_unlock(&t->group.lock);
	ahead_announce(p, &t->pool.sampler, list, n, sure);
	pthread_mutex_lock(&t->group.lock);
}

/* Whether a job is left in the queue, for who waits for it to compute: it is very short. */
static bool is_left(const struct threads *t, const struct job *j)
{
	const double mean = t->mean_s[j->kind];

	return j->patient && mean > 0.0 && mean < SHORT_S && !t->pool.problem->ahead;
}

/* Whether jobs wait that are worth sending away. */
static bool has_surplus(const struct threads *t)
{
	return atomic_load(&t->group.jobs) > t->group.idle && t->head &&
	       !is_left(t, t->head);
}

/* Notes the seconds that a job took. */
static void note_seconds(struct threads *t, const struct job *j, double seconds)
{
	enum { LATEST = 16 };
	double *mean = &t->mean_s[j->kind];

	*mean = *mean > 0.0 ? *mean + (seconds - *mean) / LATEST : seconds;
	/* Scaled to the mean batch size, so that unequal batches can be compared. */
	if (j->kind == JOB_GRAD && !j->stage)
		t->seconds[t->ntimed++ % TIMED] =
			seconds / sampler_weight(&t->pool.sampler, j->rank);
}

/* Computes a job that has been taken out of the queue; releases the lock meanwhile. */
static void compute(struct threads *t, struct seat *at, struct job *j)
{
	double began;

	at->taken = true;
	pthread_mutex_unlock(&t->group.lock);
	began = clock_s();
	job_run(t->pool.problem, &t->pool.sampler, at->scratch, j);
	began = clock_s() - began;
	pthread_mutex_lock(&t->group.lock);
	note_seconds(t, j, began);
	at->taken = false;
}

static void *thread_main(void *arg)
{
	struct seat *own = arg;
	struct threads *t = own->pool;
	const struct problem *p = t->pool.problem;
	struct job *j;

	own->scratch = p->ops->scratch_new(p, t->max_batch, &own->team);
	pthread_mutex_lock(&t->group.lock);
	own->taken = false;
	pthread_cond_signal(&t->done);
	while ((j = next_job(t, own))) {
		look_ahead(t, j);
		compute(t, own, j);
		job_done(t, j);
	}
	pthread_mutex_unlock(&t->group.lock);
	p->ops->scratch_free(p, own->scratch);
	return NULL;
}

static void threads_submit(struct pool *p, struct job *j)
{
	struct threads *t = (struct threads *)p;

	pthread_mutex_lock(&t->group.lock);
	atomic_fetch_add(&t->group.jobs, 1);
	j->state = QUEUED;
	j->next = NULL;
	j->link = t->tail;
	*t->tail = j;
	t->tail = &j->next;
	if (!is_left(t, j))
		pthread_cond_signal(&t->group.wake);
	if (has_surplus(t))
		pthread_cond_signal(&t->surplus);
	pthread_mutex_unlock(&t->group.lock);
}

/* Computes a short job in place of a thread that is idle; false: there is none. */
static bool compute_here(struct threads *t, struct job *j)
{
	const size_t passed = vec_passed();
	struct seat *at = t->seat;

	while (at < t->seat + t->n && at->taken)
		at++;
	if (at == t->seat + t->n)
		return false;
	take_job(t, j);
	compute(t, at, j);
	j->state = DONE;
	vec_forget(passed);
	if (t->head && !is_left(t, t->head))
		pthread_cond_signal(&t->group.wake);
	return true;
}

static void threads_wait(struct pool *p, struct job *j)
{
	struct threads *t = (struct threads *)p;

	pthread_mutex_lock(&t->group.lock);
	while (j->state != DONE) {
		if (j->state == QUEUED && is_left(t, j) && compute_here(t, j))
			break;
		if (j->state == QUEUED)
			pthread_cond_signal(&t->group.wake);
		pthread_cond_wait(&t->done, &t->group.lock);
	}
	j->state = 0;
	pthread_mutex_unlock(&t->group.lock);
}

/* The time that is `seconds` from now. */
static struct timespec deadline_in(double seconds)
{
	struct timespec t;
	double whole = floor(seconds);

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec += (time_t)whole;
	t.tv_nsec += (long)(1e9 * (seconds - whole));
	if (t.tv_nsec >= 1000000000) {
		t.tv_sec++;
		t.tv_nsec -= 1000000000;
	}
	return t;
}

static bool threads_wait_for(struct pool *p, struct job *j, double seconds)
{
	struct threads *t = (struct threads *)p;
	struct timespec until;
	bool done;

	if (seconds > 0.0)
		until = deadline_in(seconds);
	pthread_mutex_lock(&t->group.lock);
	while (j->state != DONE && seconds > 0.0)
		if (pthread_cond_timedwait(&t->done, &t->group.lock, &until))
			seconds = 0.0;
	done = j->state == DONE;
	if (done)
		j->state = 0;
	pthread_mutex_unlock(&t->group.lock);
	return done;
}

static bool threads_withdraw(struct pool *p, struct job *j)
{
	struct threads *t = (struct threads *)p;
	bool found;

	pthread_mutex_lock(&t->group.lock);
	found = j->state == QUEUED;
	if (found) {
		take_job(t, j);
		j->state = 0;
	}
	pthread_mutex_unlock(&t->group.lock);
	return found;
}

static double threads_gradient_s(struct pool *p)
{
	struct threads *t = (struct threads *)p;
	double kept[TIMED];
	size_t n;

	pthread_mutex_lock(&t->group.lock);
	n = t->ntimed < TIMED ? t->ntimed : TIMED;
	memcpy(kept, t->seconds, n * sizeof(*kept));
	pthread_mutex_unlock(&t->group.lock);
	return median_of(kept, n);
}

static void threads_free(struct pool *p)
{
	struct threads *t = (struct threads *)p;

	pthread_mutex_lock(&t->group.lock);
	t->closing = true;
	pthread_cond_broadcast(&t->group.wake);
	pthread_mutex_unlock(&t->group.lock);
	for (int i = 0; i < t->n; i++) {
		pthread_join(t->seat[i].thread, NULL);
		team_release(&t->seat[i].team);
	}
	thread_group_release(&t->group);
	pthread_cond_destroy(&t->done);
	pthread_cond_destroy(&t->surplus);
	shuffles_free(t->pool.sampler.shuffles);
	free_all(t->seat, t);
}

static struct job *threads_take(struct pool *p, double seconds)
{
	struct threads *t = (struct threads *)p;
	const struct timespec until = deadline_in(seconds);
	struct job *j;
	int late = 0;

	pthread_mutex_lock(&t->group.lock);
	while (!has_surplus(t) && !late)
		late = pthread_cond_timedwait(&t->surplus, &t->group.lock, &until);
	j = has_surplus(t) ? first_job(t) : NULL;
	pthread_mutex_unlock(&t->group.lock);
	return j;
}

static void threads_done(struct pool *p, struct job *j)
{
	struct threads *t = (struct threads *)p;

	pthread_mutex_lock(&t->group.lock);
	job_done(t, j);
	pthread_mutex_unlock(&t->group.lock);
}

static void threads_give_back(struct pool *p, struct job *j)
{
	struct threads *t = (struct threads *)p;

	pthread_mutex_lock(&t->group.lock);
	atomic_fetch_add(&t->group.jobs, 1);
	j->state = QUEUED;
	j->next = t->head;
	j->link = &t->head;
	t->head = j;
	if (j->next)
		j->next->link = &j->next;
	else
		t->tail = &j->next;
	pthread_cond_signal(&t->group.wake);
	pthread_mutex_unlock(&t->group.lock);
}

static const struct pool_ops threads_ops = {
	.submit = threads_submit, .wait = threads_wait, .wait_for = threads_wait_for,
	.withdraw = threads_withdraw, .take = threads_take, .done = threads_done,
	.give_back = threads_give_back, .gradient_s = threads_gradient_s, .free = threads_free,
};

/*
 * Waits until each thread has its working memory: what fails then, such as a user's process that
 * differs from the first one, must stop a run before it begins.
 */
static void threads_await(struct threads *t)
{
	pthread_mutex_lock(&t->group.lock);
	for (int i = 0; i < t->n; i++)
		while (t->seat[i].taken)
			pthread_cond_wait(&t->done, &t->group.lock);
	pthread_mutex_unlock(&t->group.lock);
}

/* Initialises a condition whose time-outs use the monotonic clock. */
static void timed_init(pthread_cond_t *cond)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
}

struct pool *pool_threads(const struct problem *problem, const struct sampler *sampler,
			  int threads)
{
	const size_t most = slices_most(sampler->slice, sampler->workers, sampler->size);
	struct threads *t = xcalloc(1, sizeof(*t));

	t->pool = (struct pool){ .ops = &threads_ops, .problem = problem, .sampler = *sampler,
				.width = threads };
	t->pool.sampler.shuffles = shuffles_open(sampler);
	t->max_batch = most > EVAL_BATCH ? most : EVAL_BATCH;
	t->tail = &t->head;
	thread_group_init(&t->group, threads);
	timed_init(&t->done);
	timed_init(&t->surplus);
	t->seat = xcalloc((size_t)threads, sizeof(*t->seat));
	for (; t->n < threads; t->n++) {
		struct seat *at = &t->seat[t->n];

		at->pool = t;
		at->taken = true;
		team_init(&at->team, &t->group);
		if (!thread_start(&at->thread, thread_main, at))
			continue;
		error("cannot start compute thread %d of %d", t->n + 1, threads);
		team_release(&at->team);
		threads_free(&t->pool);
		return NULL;
	}
	if (!problem->ops->failed)
		return &t->pool;
	threads_await(t);
	if (!pool_failed(&t->pool))
		return &t->pool;
	threads_free(&t->pool);
	return NULL;
}
