/* run.c - a case, simulated under independent seeds. */
#include "study/verify/verify.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "plan/resolve/setup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 20 };

#define T_19 2.860934606464979          /* Student's t, 19 degrees of freedom, 99.5 % */
#define ROUNDING 1e-9

static const char shared[] =
	"timing=true net=quadratic samples=1000000 batch=1 compute_s=1 host_copy_s=0 update_s=0 "
	"overlap=true delay=constant link=ideal";

/* Sees every gradient end, from the last one left out on. */
struct watcher {
	struct hook hook;
	int64_t warmup, n;
	double began;           /* when the last one left out ended */
	double away;            /* seconds between gradients, of `times` pairs */
	int64_t times;
	double *ended;          /* [workers] each one's last gradient */
};

static void verify_run_watch(struct hook *h, const struct event *ev)
{
	struct watcher *w = (struct watcher *)h;
	double *ended = &w->ended[ev->node->rank];

	if (++w->n == w->warmup)
		w->began = ev->time;
	if (w->n > w->warmup && *ended >= w->began && *ended > 0.0) {
		w->away += ev->begun - *ended;
		w->times++;
	}
	*ended = ev->time;
}

static double verify_run_measured(const struct verify_case *c, const struct watcher *w, double end)
{
	if (c->measure == SERVER_TIME)
		return w->away / (double)w->times;
	return (end - w->began) * (double)c->per / (double)c->gradients;
}

static int verify_run_simulate(const struct verify_case *c, struct setup *su, double *value)
{
	struct watcher w = { .hook = { .mask = 1u << EV_GRAD, .event = verify_run_watch },
			     .warmup = c->warmup };
	struct run run = setup_run(su);
	struct run_result result;
	int ret;

	run.hooks = &w.hook;
	w.ended = xcalloc((size_t)run.workers, sizeof(*w.ended));
	su->sim.random_update = c->random_update;
	ret = sim_run(&su->sim, &run, &result);
	if (ret == 0 && result.end != END_GRADIENTS)
		ret = error("%s: ended early: %s", c->name, end_reason_name[result.end]);
	*value = verify_run_measured(c, &w, result.time);
	free(w.ended);
	return ret;
}

/* in <- "key=value key=value". */
static int verify_run_apply(struct settings *in, const char *text, const char *where)
{
	char *copy = xstrdup(text), *rest = NULL;
	int ret = 0;

	for (char *word = strtok_r(copy, " ", &rest); word && ret == 0;
	     word = strtok_r(NULL, " ", &rest)) {
		char *value = strchr(word, '=');

		*value++ = '\0';
		ret = settings_set(in, word, value, where);
	}
	free(copy);
	return ret;
}

static int verify_run_resolve(const struct verify_case *c, uint64_t seed, struct setup *su)
{
	su->in.gradients = c->warmup + c->gradients;
	su->in.seed = (int64_t)seed;
	if (verify_run_apply(&su->in, shared, c->name) < 0 ||
	    verify_run_apply(&su->in, c->settings, c->name) < 0)
		return -1;
	return setup_resolve(su);
}

/* One seed. What a delay model caches is its run's: the next has a setup of its own. */
static int run_seed(const struct verify_case *c, uint64_t seed, double *value)
{
	struct setup su;
	int ret;

	setup_init(&su);
	ret = verify_run_resolve(c, seed, &su);
	if (ret == 0)
		ret = verify_run_simulate(c, &su, value);
	setup_release(&su);
	return ret;
}

static double verify_run_deviation(const double *x, int n, double mean)
{
	double sum = 0.0;

	for (int i = 0; i < n; i++)
		sum += (x[i] - mean) * (x[i] - mean);
	return sqrt(sum / (n - 1));
}

static void verify_run_judge(struct verified *v, const double *x, int n)
{
	double sum = 0.0;

	for (int i = 0; i < n; i++)
		sum += x[i];
	v->mean = sum / n;
	v->half = n > 1 ? T_19 * verify_run_deviation(x, n, v->mean) / sqrt(n) : 0.0;
	v->holds = fabs(v->mean - v->exact) <= fmax(v->half, ROUNDING * fabs(v->exact));
}

int verify_run(const struct verify_case *c, uint64_t seed, struct verified *v)
{
	const int n = c->random ? SEEDS : 1;
	double x[SEEDS];
	int ret = 0;

	*v = (struct verified){ .of = c, .exact = c->exact() };
	for (int i = 0; i < n && ret == 0; i++)
		ret = run_seed(c, seed + (uint64_t)i, &x[i]);
	if (ret == 0)
		verify_run_judge(v, x, n);
	return ret;
}
