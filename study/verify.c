/*
 * verify.c - closed forms of queues, barriers, collectives, slow phases and failures; the cases
 * that have one; and a case, simulated under independent seeds.
 */
#include "study/verify.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "plan/resolve/setup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BARRIER = 16, VERIFY_SEEDS = 20 };

#define T_19 2.860934606464979          /* Student's t, 19 degrees of freedom, 99.5 % */
#define ROUNDING 1e-9

/* ---- closed forms ---- */

/*
 * With b the Laplace transform of an update's time and l = 1/compute_s, a busy period serves
 *
 *     K = sum_{j=0}^{n-1} C(n-1, j) c_j,     c_j = prod_{i=1}^{j} (1 - b(i l)) / b(i l)
 *
 * on average, and an idle one lasts 1 / (n l); the throughput follows, and Little's law.
 */
double exact_closed_queue(int n, double compute_s, double update_s, bool random_update)
{
	const double load = update_s / compute_s;
	double term = 1.0, served = 1.0, cycle;

	for (int j = 1; j < n; j++) {
		term *= (double)(n - j) / j * (random_update ? j * load : expm1(j * load));
		served += term;
	}
	cycle = compute_s / n + served * update_s;
	return n * cycle / served - compute_s;
}

/*
 * Mean seconds until so many have passed without a failure, where failures are a Poisson process of
 * that mean time between two, and each is followed by `repair` seconds without one. Daly 2006: a
 * failure after u seconds costs u and the repair, which failures may interrupt too;
 * M e^(R/M) (e^(x/M) - 1).
 */
static double exact_segment(double seconds, double repair, double mtbf)
{
	return mtbf * exp(repair / mtbf) * expm1(seconds / mtbf);
}

double exact_harmonic(int from, int to)
{
	double sum = 0.0;

	for (int i = from + 1; i <= to; i++)
		sum += 1.0 / i;
	return sum;
}

/* E e^(-r X) of a gamma variate with that mean. */
static double gamma_transform(double r, double mean, double cv)
{
	return cv > 0.0 ? exp(-log1p(r * mean * cv * cv) / (cv * cv)) : exp(-r * mean);
}

double exact_modulated(double fast_s, double slow_s, double factor, double cv)
{
	const double rate = 1.0 / fast_s + 1.0 / slow_s, slow = slow_s / (fast_s + slow_s);
	const double to_slow = slow * (1.0 - gamma_transform(rate, 1.0, cv));
	const double to_fast = (1.0 - slow) * (1.0 - gamma_transform(rate, factor, cv));

	return (to_fast + to_slow * factor) / (to_fast + to_slow);
}

/* to[j] <- to[j] + weight * P(j of n are slow a round later), a and b: of a fast and a slow one. */
static void add_round(double *to, int n, int slow, double weight, double a, double b)
{
	double p[MOST_BARRIER + 1] = { 1.0 };

	for (int i = 0; i < n; i++) {
		const double chance = i < slow ? b : a;

		for (int j = i + 1; j > 0; j--)
			p[j] = p[j] * (1.0 - chance) + p[j - 1] * chance;
		p[0] *= 1.0 - chance;
	}
	for (int j = 0; j <= n; j++)
		to[j] += weight * p[j];
}

double exact_modulated_barrier(int n, double fast_s, double slow_s, double factor)
{
	const double rate = 1.0 / fast_s + 1.0 / slow_s, share = slow_s / (fast_s + slow_s);
	double at[MOST_BARRIER + 1] = { 1.0 }, change = 1.0;

	while (change > 1e-14) {
		double next[MOST_BARRIER + 1] = { 0 };

		for (int j = 0; j <= n; j++) {
			const double stays = exp(-rate * (j ? factor : 1.0));

			add_round(next, n, j, at[j], share * (1.0 - stays),
				  share + (1.0 - share) * stays);
		}
		change = 0.0;
		for (int j = 0; j <= n; j++) {
			change += fabs(next[j] - at[j]);
			at[j] = next[j];
		}
	}
	return at[0] + (1.0 - at[0]) * factor;
}

/* Slow: (slow_s - 1/2) / factor + 1/2 begin in a phase; fast: fast_s - factor / 2 + 1/2. */
double exact_phases(double fast_s, double slow_s, double factor)
{
	const double gradients = (slow_s - 0.5) / factor + 0.5 + fast_s - 0.5 * factor + 0.5;

	return (fast_s + slow_s) / gradients;
}

/* ---- cases ---- */

#define QUEUE "algo=asgd delay=exponential update_s=0.8 "
#define NIC "algo=asgd link=nic:latency_s=0.05,bandwidth_GBps=4.24e-6 "
#define RING "algo=allreduce workers=16 sim_bucket=0 link=nic:latency_s=1e-5,bandwidth_GBps=1.25 "
#define ALLREDUCE "algo=allreduce sim_bucket=0 net=quadratic:dim=15000000 "
#define NODES "latency_s=1e-3,bandwidth_GBps=1.25,node=8,nics=2,node_GBps=20,node_latency_s=1e-5"

static void cases_add(struct verify_cases *all, const struct verify_case *c, size_t n)
{
	all->v = xrealloc(all->v, all->n + n, sizeof(*all->v));
	memcpy(all->v + all->n, c, n * sizeof(*c));
	all->n += n;
}

/* A server that updates one gradient at a time, compute times exponential; full bottlenecks. */
static void add_queues(struct verify_cases *all)
{
	const struct verify_case c[] = {
		{ "server M/M/1//16", "machine repairman; seconds at the server",
		  QUEUE "workers=16 compute_s=16", .measure = SERVER_TIME, .warmup = 2000,
		  .gradients = 20000, .random = true, .random_update = true,
		  .exact = exact_closed_queue(16, 16.0, 0.8, true) },
		{ "server M/D/1//16", "Takacs, constant updates; seconds at the server",
		  QUEUE "workers=16 compute_s=16", .measure = SERVER_TIME, .warmup = 2000,
		  .gradients = 20000, .random = true,
		  .exact = exact_closed_queue(16, 16.0, 0.8, false) },
		{ "server M/M/1//4096", "machine repairman; limit D / (1 - r)",
		  QUEUE "workers=4096 compute_s=4096", .measure = SERVER_TIME, .warmup = 5000,
		  .gradients = 20000, .random = true, .random_update = true,
		  .exact = exact_closed_queue(4096, 4096.0, 0.8, true),
		  .limit = 0.8 / (1.0 - 0.8) },
		{ "server M/D/1//4096", "Takacs; limit D (1 + r / (2 (1 - r)))",
		  QUEUE "workers=4096 compute_s=4096", .measure = SERVER_TIME, .warmup = 5000,
		  .gradients = 20000, .random = true,
		  .exact = exact_closed_queue(4096, 4096.0, 0.8, false),
		  .limit = 0.8 * (1.0 + 0.8 / (2.0 * (1.0 - 0.8))) },
		/* a step every max(cycle / n, the bottleneck's time) */
		{ "server, 8 workers", "(C + D) / n a step, n < (C + D) / D = 11",
		  "algo=asgd workers=8 update_s=0.1", .warmup = 800, .gradients = 8000,
		  .exact = (1.0 + 0.1) / 8 },
		{ "server, 16 workers", "D a step, n > (C + D) / D = 11",
		  "algo=asgd workers=16 update_s=0.1", .warmup = 1600, .gradients = 8000,
		  .exact = 0.1 },
		/* 424 bytes, a model of 100 floats and its header, take 0.1 s through a NIC */
		{ "server's NIC, 8 workers", "(C + 2 (S/B + L)) / n a step, n < 13",
		  "workers=8 " NIC, .warmup = 800, .gradients = 8000,
		  .exact = (1.0 + 2.0 * (0.1 + 0.05)) / 8 },
		{ "server's NIC, 16 workers", "S/B a step, n > (C + 2 (S/B + L)) / (S/B) = 13",
		  "workers=16 " NIC, .warmup = 1600, .gradients = 8000, .exact = 0.1 },
	};

	cases_add(all, c, sizeof(c) / sizeof(c[0]));
}

/* Seconds of a ring of sixteen nodes, 1.25 GB/s, 10 microseconds, after a gradient of 1 s. */
static double ring_of(double bytes)
{
	return 1.0 + 2.0 * 15.0 / 16.0 * bytes / 1.25e9 + 2.0 * 15.0 * 1e-5;
}

/* The k-th smallest of n; collectives. */
static void add_rounds(struct verify_cases *all)
{
	const struct verify_case c[] = {
		{ "barrier of 16", "H_n a round, exponential times",
		  "algo=allreduce workers=16 delay=gamma:cv=1", .warmup = 16,
		  .gradients = 16 * 2000, .per = 16, .random = true,
		  .exact = exact_harmonic(0, 16) },
		{ "barrier of 256", "H_n a round, exponential times",
		  "algo=allreduce workers=256 delay=exponential", .warmup = 256,
		  .gradients = 256 * 200, .per = 256, .random = true,
		  .exact = exact_harmonic(0, 256) },
		{ "barrier of 16, uniform", "a + (b - a) n / (n + 1) a round, times in [a, b]",
		  "algo=allreduce workers=16 delay=uniform:spread=0.5", .warmup = 16,
		  .gradients = 16 * 500, .per = 16, .random = true, .exact = 0.5 + 16.0 / 17.0 },
		{ "8 fastest of 16", "H_n - H_(n-k) a round, k-sync, exponential times",
		  "algo=k-sync:k=8 workers=16 delay=gamma:cv=1", .warmup = 8,
		  .gradients = 8 * 2000, .per = 8, .random = true, .exact = exact_harmonic(8, 16) },
		{ "8 gradients by 16", "k / n a round, k-batch-sync, exponential times",
		  "algo=k-batch-sync:k=8 workers=16 delay=gamma:cv=1", .warmup = 8,
		  .gradients = 8 * 2000, .per = 8, .random = true, .exact = 8.0 / 16.0 },
		{ "ring all-reduce, 1 MB", "C + 2 (n-1)/n S/B + 2 (n-1) L a round",
		  RING "net=quadratic:dim=250000", .warmup = 16, .gradients = 16 * 10, .per = 16,
		  .exact = ring_of(1e6) },
		{ "ring all-reduce, 60 MB", "C + 2 (n-1)/n S/B + 2 (n-1) L a round",
		  RING "net=quadratic:dim=15000000", .warmup = 16, .gradients = 16 * 10,
		  .per = 16, .exact = ring_of(60e6) },
		/* twelve workers, two with other NICs: 22 steps of 5 MB over 1.5 ms */
		{ "ring with two slow links",
		  "C + 2 (n-1) (L + S/(n B)) of the slowest, by messages",
		  ALLREDUCE "workers=12 link=nic:latency_s=1e-3,bandwidth_GBps=1.25,"
		  "stepwise=pairs;3,7:latency_s=2e-3,bandwidth_GBps=0.125", .warmup = 12,
		  .gradients = 12 * 10, .per = 12,
		  .exact = 1.0 + 22.0 * (0.5 * (1e-3 + 2e-3) + 5e6 / 0.125e9) },
		/* a step waits for what crosses, one piece at each NIC */
		{ "ring over two nodes of 8",
		  "C + 2 (n-1) (L + S/(n B)) between nodes, by messages",
		  ALLREDUCE "workers=16 link=fair:" NODES ",stepwise=pairs", .warmup = 16,
		  .gradients = 16 * 10, .per = 16,
		  .exact = 1.0 + 30.0 * (1e-3 + 60e6 / 16.0 / 1.25e9) },
		/* reduce-scatter in nodes, eight rings of two nodes over two NICs, all-gather */
		{ "two levels, nodes of 8", "C + 2 (g-1) t'(S/g) + 2 (k-1) t(S/(g k)), two NICs",
		  ALLREDUCE "workers=16 link=nic:" NODES ",collective=two-level", .warmup = 16,
		  .gradients = 16 * 10, .per = 16,
		  .exact = 1.0 + 14.0 * (1e-5 + 60e6 / 8.0 / 20e9) +
			   2.0 * (1e-3 + 60e6 / 16.0 / (1.25e9 / 4.0)) },
		/* other jobs leave 0.3 of an uplink's 0.5 GB/s */
		{ "uplinks with other jobs", "C + 2 (n-1) (L + S/(n (U - r))), by messages",
		  ALLREDUCE "workers=16 link=fair:latency_s=1e-3,bandwidth_GBps=1.25,rack=4,"
		  "uplink_GBps=0.5,background_GBps=0.2,stepwise=pairs", .warmup = 16,
		  .gradients = 16 * 10, .per = 16,
		  .exact = 1.0 + 30.0 * (1e-3 + 60e6 / 16.0 / 0.3e9) },
		{ "double binary tree", "C + 2 ceil(log2 n) L + 2 S/B a round",
		  ALLREDUCE "workers=16 link=nic:latency_s=1e-3,bandwidth_GBps=1.25,"
		  "collective=double-tree", .warmup = 16, .gradients = 16 * 10, .per = 16,
		  .exact = 1.0 + 8.0 * 1e-3 + 2.0 * 60e6 / 1.25e9 },
	};

	cases_add(all, c, sizeof(c) / sizeof(c[0]));
}

/* Work between SEGMENTS checkpoints, the last of which is not saved; for each of its seconds. */
enum { SEGMENTS = 100, YOUNG = 100, DALY = 546 };

static double checkpointed(double interval, double cost, double repair, double mtbf)
{
	return ((SEGMENTS - 1) * exact_segment(interval + cost, repair, mtbf) +
		exact_segment(interval, repair, mtbf)) / (SEGMENTS * interval);
}

/* Slow for a while; failures, with checkpoints and without. */
static void add_disturbances(struct verify_cases *all)
{
	const struct verify_case c[] = {
		/* 100 gradients of 1 s, 10 of 10 s that begin in [100, 200), 190 of 1 s */
		{ "slow from 100 s to 200 s", "seconds of 300 gradients, by hand",
		  "algo=allreduce workers=1 slow=0:10@100-200", .gradients = 300, .per = 300,
		  .exact = 100.0 + 10.0 * 10.0 + 190.0 },
		/* one gradient of 10 s begins in the first 10 of every 100 s, 90 of 1 s after */
		{ "slow 10 s of every 100 s", "seconds of 91 gradients, by hand",
		  "algo=allreduce workers=1 delay=periodic:factor=10,period_s=100,slow_s=10",
		  .gradients = 9100, .per = 91, .exact = 100.0 },
		{ "slow at random times", "alternating renewal, seconds a gradient",
		  "algo=allreduce workers=1 delay=markov:factor=10,fast_s=50,slow_s=20",
		  .warmup = 200, .gradients = 20000, .random = true,
		  .exact = exact_modulated(50.0, 20.0, 10.0, 0.0) },
		{ "slow phases, gamma times", "Markov-modulated worker, seconds a gradient",
		  "algo=allreduce workers=1 "
		  "delay=gamma:cv=0.7*markov:factor=3,fast_s=50,slow_s=20", .warmup = 200,
		  .gradients = 20000, .random = true,
		  .exact = exact_modulated(50.0, 20.0, 3.0, 0.7) },
		{ "barrier of 8, slow phases", "chain of how many are slow, seconds a round",
		  "algo=allreduce workers=8 delay=markov:factor=3,fast_s=90,slow_s=10",
		  .warmup = 800, .gradients = 8 * 10000, .per = 8, .random = true,
		  .exact = exact_modulated_barrier(8, 90.0, 10.0, 3.0) },
		{ "log-normal slow phases", "cycle / gradients that begin in it, short gradients",
		  "algo=allreduce workers=1 delay=phases:fast_s=90,slow_s=30,slow_cv=1,depth=1",
		  .warmup = 200, .gradients = 20000, .random = true,
		  .exact = exact_phases(90.0, 30.0, 2.0) },
		{ "checkpoints, Young's t", "M e^(R/M) (e^((t+d)/M) - 1) / t, t = sqrt(2 d M)",
		  "algo=allreduce workers=8 faults=all:fail@mtbf_s=4000,detect_s=10,restart_s=20 "
		  "recovery=restart:interval_s=100,cost_s=10", .gradients = 8 * SEGMENTS * YOUNG,
		  .per = 8, .random = true, .exact = checkpointed(YOUNG, 10.0, 30.0, 500.0) },
		/* M = 15 min, R = 10 min, d = 5 min; Daly's formula gives 9.1 min */
		{ "checkpoints, Daly's Fig. 5", "M e^(R/M) (e^((t+d)/M) - 1) / t, M = 15 min",
		  "algo=allreduce workers=4 faults=all:fail@mtbf_s=3600,restart_s=600 "
		  "recovery=restart:interval_s=546,cost_s=300", .gradients = 4 * SEGMENTS * DALY,
		  .per = 4, .random = true, .exact = checkpointed(DALY, 300.0, 600.0, 900.0) },
		{ "16 workers that fail", "M e^(R/M) (e^(C/M) - 1) / n a step, asgd",
		  "algo=asgd workers=16 faults=all:fail@mtbf_s=50,detect_s=2,restart_s=3",
		  .warmup = 1600, .gradients = 160000, .random = true,
		  .exact = exact_segment(1.0, 5.0, 50.0) / 16.0 },
	};

	cases_add(all, c, sizeof(c) / sizeof(c[0]));
}

struct verify_cases verify_cases(void)
{
	struct verify_cases all = { 0 };

	add_queues(&all);
	add_rounds(&all);
	add_disturbances(&all);
	return all;
}

/* ---- a case, simulated ---- */

static const char shared_settings[] =
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

static void watcher_event(struct hook *h, const struct event *ev)
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

static int case_simulate(const struct verify_case *c, struct setup *su, double *value)
{
	struct watcher w = { .hook = { .mask = 1u << EV_GRAD, .event = watcher_event },
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
	if (ret == 0 && c->measure == SERVER_TIME)
		*value = w.away / (double)w.times;
	else if (ret == 0)
		*value = (result.time - w.began) * (double)(c->per ? c->per : 1) /
			 (double)c->gradients;
	free(w.ended);
	return ret;
}

/* in <- "key=value key=value". 0 or error(). */
static int settings_read(struct settings *in, const char *text, const char *where)
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

int verify_run(const struct verify_case *c, uint64_t seed, struct verified *v)
{
	const int n = c->random ? VERIFY_SEEDS : 1;
	double x[VERIFY_SEEDS], sum = 0.0, squares = 0.0;
	int ret = 0;

	*v = (struct verified){ .of = c };
	for (int i = 0; i < n && ret == 0; i++) {
		struct setup su;        /* one each: a delay model caches what is its run's */

		setup_init(&su);
		su.in.gradients = c->warmup + c->gradients;
		su.in.seed = (int64_t)(seed + (uint64_t)i);
		ret = settings_read(&su.in, shared_settings, c->name) < 0 ||
				      settings_read(&su.in, c->settings, c->name) < 0
			      ? -1 : setup_resolve(&su);
		if (ret == 0)
			ret = case_simulate(c, &su, &x[i]);
		setup_release(&su);
	}
	if (ret < 0)
		return ret;
	for (int i = 0; i < n; i++)
		sum += x[i];
	v->mean = sum / n;
	for (int i = 0; i < n; i++)
		squares += (x[i] - v->mean) * (x[i] - v->mean);
	v->half = n > 1 ? T_19 * sqrt(squares / (n - 1)) / sqrt(n) : 0.0;
	v->holds = fabs(v->mean - c->exact) <= fmax(v->half, ROUNDING * fabs(c->exact));
	return 0;
}
