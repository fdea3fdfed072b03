/* A quadratic problem with a known optimum, and runs of it on the simulator. */
#include "tests/support/toy.h"

#include "algos/algos.h"
#include "core/base/mem.h"
#include "core/math/vec.h"
#include "plan/settings/faults.h"
#include "record/trace/steplog.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <stdlib.h>

float toy_target(int64_t s, size_t i)
{
	struct rng r;

	rng_at(&r, 7, RNG_DATA, (uint32_t)i, (uint64_t)s);
	return (float)rng_normal(&r);
}

void toy_optimum(size_t dim, int64_t samples, float *x)
{
	for (size_t i = 0; i < dim; i++) {
		double sum = 0.0;

		for (int64_t s = 0; s < samples; s++)
			sum += (double)toy_target(s, i);
		x[i] = (float)(sum / (double)samples);
	}
}

static void toy_init(const struct problem *p, uint64_t seed, float *x)
{
	struct rng r;

	rng_at(&r, seed, RNG_INIT, 0, 0);
	for (size_t i = 0; i < p->dim; i++)
		x[i] = (float)rng_normal(&r);
}

static void *toy_scratch(const struct problem *p, size_t max_batch, struct team *team)
{
	(void)team;
	(void)p;
	return xcalloc(max_batch, 1);
}

static void toy_scratch_free(const struct problem *p, void *scratch)
{
	(void)p;
	free(scratch);
}

static double toy_grad(const struct problem *p, void *scratch, const float *x,
		       const struct batch *b, float *g, struct grad_hook *hook)
{
	double loss = 0.0;

	(void)scratch;
	for (size_t i = 0; i < p->dim; i++) {
		double sum = 0.0;

		for (size_t k = 0; k < b->n; k++) {
			double d = (double)x[i] - (double)toy_target(b->sample[k], i);

			sum += d;
			loss += 0.5 * d * d;
		}
		g[i] = (float)(sum / (double)b->n);
	}
	grad_done(hook, 0, p->dim);
	return loss / (double)b->n;
}

static struct score toy_score(const struct problem *p, void *scratch, const float *x,
			      const float *stats, enum split split, int64_t first, size_t n)
{
	struct score s = { .correct = -1, .n = (int64_t)n };

	(void)scratch, (void)stats, (void)split;
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < p->dim; i++) {
			double d = (double)x[i] - (double)toy_target(first + (int64_t)k, i);

			s.loss += 0.5 * d * d;
		}
	return s;
}

static void toy_problem_close(struct problem *p)
{
	free(p);
}

static const struct problem_ops toy_ops = {
	.init = toy_init, .scratch_new = toy_scratch, .scratch_free = toy_scratch_free,
	.grad = toy_grad, .score = toy_score, .close = toy_problem_close,
};

struct problem *toy_new(size_t dim, int64_t samples)
{
	struct problem *p = xcalloc(1, sizeof(*p));

	p->ops = &toy_ops;
	p->dim = dim;
	p->n[SPLIT_TRAIN] = p->n[SPLIT_TEST] = samples;
	return p;
}

void toy_delay(struct toy *t, const char *text)
{
	struct delays *d = delays_new(delay_table, text, t->run.workers, samples_read);

	assert_non_null(d);
	delays_free(t->sim.pace.delays);
	t->sim.pace.delays = d;
}

void toy_link(struct toy *t, const char *text)
{
	char *model = xasprintf("%.*s", (int)clauses_model(text), text);

	clauses_release(&t->sim.own);
	assert_int_equal(choice_parse(&t->sim.link, link_table, "link", model), 0);
	assert_int_equal(clauses_parse(&t->sim.own, text, t->run.workers), 0);
	free(model);
}

bool toy_faults(struct toy *t, const char *text)
{
	free(t->faults);
	if (faults_parse(text, &t->faults, &t->sim.nfaults) < 0)
		return false;
	t->sim.fault = t->faults;
	return true;
}

void toy_graph(struct toy *t, const char *text)
{
	topology_free(&t->topology);
	assert_int_equal(choice_parse(&t->graph, graph_table, "graph", text), 0);
	assert_int_equal(topology_make(&t->topology, &t->graph, t->run.workers, t->run.seed), 0);
	t->run.graph = &t->topology;
}

void toy_open(struct toy *t, const char *algo, int workers, const char *optim)
{
	*t = (struct toy){ .threads = 1, .problem = toy_new(5, 256) };
	assert_int_equal(choice_parse(&t->algo, algo_table, "algorithm", algo), 0);
	assert_int_equal(choice_parse(&t->optim, optim_table, "optimiser", optim), 0);
	toy_link(t, "ideal");
	t->sim.batch_s = 1.0;
	t->sim.overlap = true;
	t->run = (struct run){
		.algo = (const struct algo *)t->algo.plugin, .algo_conf = t->algo.conf,
		.optim = (const struct optim *)t->optim.plugin, .optim_conf = t->optim.conf,
		.workers = workers, .seed = 3, .dim = 5, .batch = 4, .samples = 256,
		.lr = { .base = 0.1, .epochs = 1 }, .epochs = 1,
	};
	toy_delay(t, "constant");
	if (t->run.algo->graph)
		toy_graph(t, t->run.algo->graph);
}

void toy_open_faulty(struct toy *t, const char *algo, int workers, const char *faults,
		     int64_t gradients)
{
	toy_open(t, algo, workers, "sgd:momentum=0,nesterov=false,weight_decay=0");
	assert_true(toy_faults(t, faults));
	t->run.epochs = 0;
	t->run.gradients = gradients;
}

void toy_timing(struct toy *t, const char *algo, int workers, int64_t gradients,
		const char *link)
{
	toy_open(t, algo, workers, "sgd");
	t->threads = 0;
	t->run.epochs = 0.0;
	t->run.gradients = gradients;
	toy_link(t, link);
}

struct keeper {
	struct hook hook;
	struct toy *toy;
};

static float *copy(size_t n, const float *x)
{
	float *y = x ? vec_new(n) : NULL;

	vec_copy(n, x, y);
	return y;
}

static void keep(struct hook *h, const struct event *ev)
{
	struct toy *t = ((struct keeper *)h)->toy;

	t->model = copy(t->run.dim, ev->model);
	t->nnodes = ev->nnodes;
	t->nodes = xcalloc((size_t)ev->nnodes, sizeof(*t->nodes));
	t->xs = xcalloc((size_t)ev->nnodes, sizeof(*t->xs));
	for (int i = 0; i < ev->nnodes; i++) {
		t->nodes[i] = ev->nodes[i];
		t->xs[i] = copy(t->run.dim, ev->nodes[i].x);
	}
}

void toy_run(struct toy *t)
{
	struct keeper k = { .hook = { .mask = 1u << EV_END, .event = keep,
				      .next = t->run.hooks }, .toy = t };
	struct sampler s = { .seed = t->run.seed, .samples = t->run.samples,
			     .workers = t->run.workers, .size = t->run.batch,
			     .slice = t->run.slice, .part = t->part };

	if (t->run.graph)
		t->run.graph = &t->topology;    /* the toy may be a copy of that which was opened */
	t->run.hooks = &k.hook;
	t->run.pool = t->threads ? pool_threads(t->problem, &s, t->threads) : NULL;
	assert_int_equal(sim_run(&t->sim, &t->run, &t->result), 0);
	pool_free(t->run.pool);
	t->run.hooks = k.hook.next;
}

void toy_close(struct toy *t)
{
	for (int i = 0; i < t->nnodes; i++)
		free(t->xs[i]);
	free(t->xs);
	free(t->nodes);
	free(t->model);
	t->problem->ops->close(t->problem);
	choice_release(&t->algo);
	choice_release(&t->optim);
	choice_release(&t->graph);
	topology_free(&t->topology);
	delays_free(t->sim.pace.delays);
	choice_release(&t->sim.link);
	clauses_release(&t->sim.own);
	free(t->faults);
}

void toy_faults_refused(struct toy *t, const char *text, const char *because)
{
	capture_start();
	if (toy_faults(t, text))
		assert_int_equal(faults_check(&t->sim, &t->run), -1);
	capture_stop();
	assert_said(because);
	toy_close(t);
}

void toy_rough(struct toy *t)
{
	toy_delay(t, "gamma:cv=0.5");
	toy_link(t, "nic:latency_s=0.05,bandwidth_GBps=1e-6");
	t->sim.update_s = 0.01;
	t->run.epochs = 3;
}

double toy_time(struct toy *t, const char *link, int64_t gradients)
{
	double time;

	toy_link(t, link);
	t->threads = 0;
	t->run.epochs = 0;
	t->run.gradients = gradients;
	toy_run(t);
	assert_int_equal(t->result.end, END_GRADIENTS);
	time = t->result.time;
	toy_close(t);
	return time;
}
