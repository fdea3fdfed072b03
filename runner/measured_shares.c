/* Measures how fast the ranks of a run are, for its shares, and keeps the file that says so. */
#include "runner/measured_shares.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/output.h"
#include "core/file/paths.h"
#include "core/math/median.h"
#include "data/data.h"
#include "mpi/real.h"
#include "plan/settings/shares.h"
#include "runner/results/folder.h"
#include "runner/signals.h"
#include "runner/single_run/simrun.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- how long a gradient takes on each rank, while all compute ---- */

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

static void clock_count(struct node *nd)
{
	struct clock *c = nd->state;
	double seconds;
	float v;

	c->took += node_now(nd) - c->asked;
	c->gradients++;
	if (c->took < span_s)
		return;
	c->span[c->spans++] = c->took / c->gradients;
	c->took = 0.0;
	c->gradients = 0;
	if (c->spans < SPANS)
		return;
	seconds = median_of(c->span, SPANS);
	v = (float)seconds;
	if (nd->rank == 0)
		clock_book(nd, 0, seconds);
	else
		node_send(nd, 0, &(struct msg){ .tag = MEASURED, .vec = &v, .n = 1 });
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

/*
 * seconds[workers] <- of a minibatch of `batch` samples, with so many threads a rank, while all
 * workers compute: the median of 5 spans, after 2 gradients. A span has 0.4 s of gradients, or one.
 * What the settings make workers wait (slow, delay) is left out. All ranks call it alike. 0; -1
 * after error(), or a signal.
 */
static int rank_speeds(const struct setup *su, int threads, double *seconds)
{
	struct dataset *data;
	struct problem *problem = setup_data(su, &data) == 0 ? setup_problem(su, data) : NULL;
	struct sampler sampler = { .seed = (uint64_t)su->in.seed,
				   .workers = (int)su->num.workers, .size = (size_t)su->in.batch };
	struct pool *pool = NULL;
	int ret = -1;

	if (real_agree(problem ? EXIT_OK : EXIT_BAD) == EXIT_OK && problem) {
		sampler.samples = problem->n[SPLIT_TRAIN];
		sampler.streams = problem->streams;
		pool = setup_pool(su, problem, &sampler, threads);
	}
	if (pool)
		ret = run_clocks(su, problem, pool, seconds);
	pool_free(pool);
	if (problem)
		problem->ops->close(problem);
	dataset_close(data);
	if (real_agree(ret < 0 ? EXIT_BAD : EXIT_OK) != EXIT_OK)
		return -1;
	real_share(seconds, (size_t)su->num.workers * sizeof(*seconds));
	return 0;
}

/* ---- whose shares are measured ---- */

bool shares_unmeasured(const struct setup *su)
{
	const struct pace *p = &su->sim.pace;
	const uint64_t seed = (uint64_t)su->in.seed;

	if (su->in.engine != ENGINE_MPI || su->in.timing || !su->in.shares ||
	    strcmp(su->in.shares, "speed") != 0)
		return false;
	for (int w = 1; w < su->num.workers; w++)
		if (pace_mean(p, seed, w) < pace_mean(p, seed, 0) ||
		    pace_mean(p, seed, w) > pace_mean(p, seed, 0))
			return false;
	return su->num.workers > 1;
}

int shares_check_unmeasured(const struct setup *su)
{
	static const int64_t some;
	struct run run = setup_run(su);

	if (!shares_unmeasured(su))
		return 0;
	run.slice = &some;
	return shares_check(&run);
}

/* ---- what follows from it ---- */

/* NULL after error(): a worker is so slow that it would have no sample. */
static char *shares_of(const struct setup *su, const double *seconds)
{
	const int workers = (int)su->num.workers;
	const size_t batch = (size_t)su->in.batch;
	scoped double *part = xcalloc((size_t)workers, sizeof(*part));
	scoped int64_t *slice = NULL;
	char *text = NULL;
	int none;

	for (int w = 0; w < workers; w++)
		part[w] = 1.0 / seconds[w];
	none = shares_cut(part, workers, batch, &slice);
	if (none >= 0)
		error("shares = speed: worker %d is so slow (%.3g s for each minibatch of %zu) "
		      "that it has no sample of a round. Leave it out, or give a larger batch.",
		      none, seconds[none], batch);
	else
		text = shares_format(slice, workers);
	return text;
}

/* NULL after error(), or a signal. */
static char *shares_measure(const struct setup *su, int threads, bool quiet)
{
	scoped double *seconds = xcalloc((size_t)su->num.workers, sizeof(*seconds));
	char *text = rank_speeds(su, threads, seconds) == 0 ? shares_of(su, seconds) : NULL;
	scoped char *times = xstrdup("");

	for (int w = 0; w < su->num.workers; w++)
		xappendf(&times, ", ", "%d: %.4g s", w, seconds[w]);
	if (text && !quiet && real_rank() == 0)
		note("measured for each minibatch of %lld, by worker: %s; the same shares again: "
		     "--shares %s", (long long)su->in.batch, times, text);
	return text;
}

/* ---- for --resume ---- */

/* LINEAGE.shares, of the unmeasured run: a longer one has the same. The caller frees. */
static char *shares_path(const struct setup *su, const char *dir)
{
	char lineage[17];

	setup_lineage(su, true, lineage);
	return xasprintf("%s/%s.shares", dir, lineage);
}

/* NULL: there is no such file. The caller frees. */
static char *shares_read(const char *path)
{
	enum { MOST = 1 << 20 };
	char *text = access(path, F_OK) == 0 ? file_read_most(path, MOST, NULL) : NULL;

	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

/* ---- in the command, and in its ranks ---- */

int shares_recall(struct setup *su, const char *dir)
{
	scoped char *path = shares_path(su, dir), *text = shares_read(path);

	return text ? setup_resolve_with(su, "shares", text, path) : 0;
}

/* On process 0 alone. */
static int shares_keep(const char *dir, const char *path, const char *text)
{
	scoped char *line = xasprintf("%s\n", text);
	int ret = 0;

	if (real_rank() == 0)
		ret = folder_prepare(dir) < 0 ? -1 : output_final(path, line, strlen(line));
	return ret;
}

int shares_settle(struct setup *su, const struct shares_context *c)
{
	scoped char *path = shares_path(su, c->dir), *text = NULL;
	int code = EXIT_OK;

	if (c->resume)
		text = real_share_text(real_rank() == 0 ? shares_read(path) : NULL);
	if (!text) {
		text = shares_measure(su, c->threads, c->quiet);
		code = text && shares_keep(c->dir, path, text) == 0 ? EXIT_OK
		       : signal_caught ? signals_exit_code() : EXIT_BAD;
	}
	code = real_agree(code);
	if (code == EXIT_OK)
		code = real_agree(setup_resolve_with(su, "shares", text, "measured shares") < 0
				  ? EXIT_BAD : EXIT_OK);
	return code;
}
