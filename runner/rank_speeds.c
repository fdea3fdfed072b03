/* Measures how long a gradient of a run takes on each of its ranks, while all compute. */
#include "runner/measured_shares.h"

#include "core/base/error.h"
#include "core/math/median.h"
#include "data/data.h"
#include "runner/signals.h"
#include "runner/single_run/simrun.h"

enum {
	WARM = 2,               /* gradients of a worker that do not count */
	SPANS = 5               /* of which the median counts */
};

/* A span is a gradient, or as many as take so long: systems that share a core do so in turns. */
static const double span_s = 0.4;

enum { MEASURED, END };         /* tags */

struct clock {                  /* state of a worker */
	double asked;           /* when, for the gradient in flight */
	int warm;
	double took;            /* seconds of the gradients of this span ... */
	int gradients;          /* ... so many */
	double span[SPANS];     /* seconds of a gradient */
	int spans;
	int known;              /* worker 0: workers that have measured */
	bool over;
};

struct speeds {                 /* the algorithm's conf */
	double *seconds;        /* [workers] of a gradient, on process 0 */
};

static void clock_ask(struct node *nd)
{
	struct clock *c = nd->state;

	c->asked = node_now(nd);
	node_grad(nd);
}

static void clock_end(struct node *nd)
{
	struct clock *c = nd->state;

	c->over = true;
	node_stop(nd);
}

/* On worker 0. All compute until the last one has measured, so all have the same load. */
static void clock_book(struct node *nd, int rank, double seconds)
{
	const struct speeds *s = nd->conf;
	struct clock *c = nd->state;

	s->seconds[rank] = seconds;
	if (++c->known < nd->workers)
		return;
	for (int w = 1; w < nd->workers; w++)
		node_send(nd, w, &(struct msg){ .tag = END, .vec = nd->x, .n = 0 });
	clock_end(nd);
}

static void clock_tell(struct node *nd)
{
	struct clock *c = nd->state;
	const double seconds = median_of(c->span, SPANS);
	const float v = (float)seconds;

	if (nd->rank == 0)
		clock_book(nd, 0, seconds);
	else
		node_send(nd, 0, &(struct msg){ .tag = MEASURED, .vec = &v, .n = 1 });
}

static void clock_count(struct node *nd)
{
	struct clock *c = nd->state;

	c->took += node_now(nd) - c->asked;
	c->gradients++;
	if (c->took < span_s)
		return;
	c->span[c->spans++] = c->took / c->gradients;
	c->took = 0.0;
	c->gradients = 0;
	if (c->spans == SPANS)
		clock_tell(nd);
}

static void clock_grad(struct node *nd, const struct grad *g)
{
	struct clock *c = nd->state;

	(void)g;
	if (c->warm < WARM)
		c->warm++;
	else if (c->spans < SPANS)
		clock_count(nd);
	if (!c->over)
		clock_ask(nd);
}

static void clock_msg(struct node *nd, const struct msg *m)
{
	if (m->tag == MEASURED)
		clock_book(nd, m->from, (double)m->vec[0]);
	else
		clock_end(nd);
}

/* Much more than it takes. */
static const double patience_s = 1e6;

/* The engine as the run has it, without what the settings would make workers wait. */
static int run_clocks(const struct setup *su, const struct problem *problem, struct pool *pool,
		      double *seconds)
{
	static const struct role worker = { .state_size = sizeof(struct clock), .start = clock_ask,
					    .grad = clock_grad, .msg = clock_msg };
	static const struct algo algo = { .plugin = { .name = "speeds" }, .worker = &worker };
	const struct speeds speeds = { seconds };
	struct real_conf conf = su->real;
	struct run run = setup_run(su);
	struct run_result result;

	conf.pace = (struct pace){ 0 };
	run.algo = &algo;
	run.algo_conf = &speeds;
	run.graph = NULL;
	run.codec = NULL;
	run.slice = NULL;
	run.samples = problem->n[SPLIT_TRAIN];
	run.dim = problem->dim;
	run.carry = problem->carry;
	run.pool = pool;
	run.epochs = 0.0;
	run.gradients = 0;
	run.seconds = patience_s;
	run.mark_every = 0.0;
	run.interrupted = &signal_caught;
	if (real_run(&conf, &run, &result) < 0)
		return -1;
	return result.end == END_STOPPED ? 0 : -1;
}

static int measure_problem(const struct setup *su, struct problem *problem, int threads,
			   double *seconds)
{
	const struct sampler sampler = { .seed = (uint64_t)su->in.seed,
					 .workers = (int)su->num.workers,
					 .size = (size_t)su->in.batch,
					 .samples = problem->n[SPLIT_TRAIN],
					 .streams = problem->streams };
	struct pool *pool = setup_pool(su, problem, &sampler, threads);
	const int ret = pool ? run_clocks(su, problem, pool, seconds) : -1;

	pool_free(pool);
	return ret;
}

int rank_speeds(const struct setup *su, int threads, double *seconds)
{
	struct dataset *data = setup_needs_data(su) ? dataset_open(&su->data) : NULL;
	struct problem *problem = data || !setup_needs_data(su) ? setup_problem(su, data) : NULL;
	int ret = -1;

	if (real_agree(problem ? EXIT_OK : EXIT_BAD) == EXIT_OK && problem)
		ret = measure_problem(su, problem, threads, seconds);
	if (problem)
		problem->ops->close(problem);
	dataset_close(data);
	if (real_agree(ret < 0 ? EXIT_BAD : EXIT_OK) != EXIT_OK)
		return -1;
	real_share(seconds, (size_t)su->num.workers * sizeof(*seconds));
	return 0;
}
