/* cases.c - runs whose mean is known. */
#include "study/verify/verify.h"

#include <stddef.h>

/* ---- a server that updates one gradient at a time; compute times are exponential ---- */

static double mm_16(void)
{
	return exact_closed_queue(16, 16.0, 0.8, true);
}

static double md_16(void)
{
	return exact_closed_queue(16, 16.0, 0.8, false);
}

static double mm_4096(void)
{
	return exact_closed_queue(4096, 4096.0, 0.8, true);
}

static double md_4096(void)
{
	return exact_closed_queue(4096, 4096.0, 0.8, false);
}

/* ---- a bottleneck without chance: a step every max(cycle / n, the bottleneck's time) ---- */

static double below_saturation(void)
{
	return (1.0 + 0.1) / 8;
}

static double verify_cases_saturated(void)
{
	return 0.1;
}

/* 424 bytes, a model of 100 floats and its header, take 0.1 s through a NIC. */
static double nic_below(void)
{
	return (1.0 + 2.0 * (0.1 + 0.05)) / 8;
}

/* ---- the barrier: the k-th smallest of n ---- */

static double barrier_16(void)
{
	return exact_harmonic(0, 16);
}

static double barrier_256(void)
{
	return exact_harmonic(0, 256);
}

/* Between 0.5 and 1.5. */
static double uniform_16(void)
{
	return 0.5 + 16.0 / 17.0;
}

static double eighth_of_16(void)
{
	return exact_harmonic(8, 16);
}

static double eight_by_16(void)
{
	return 8.0 / 16.0;
}

/* ---- collectives ---- */

/* Sixteen nodes, 1.25 GB/s, 10 microseconds, after a gradient of 1 s. */
static double ring_of(double bytes)
{
	return 1.0 + 2.0 * 15.0 / 16.0 * bytes / 1.25e9 + 2.0 * 15.0 * 1e-5;
}

static double ring_1mb(void)
{
	return ring_of(1e6);
}

static double ring_60mb(void)
{
	return ring_of(60e6);
}

/* ---- slow for a while ---- */

static double verify_cases_renewal(void)
{
	return exact_modulated(50.0, 20.0, 10.0, 0.0);
}

static double verify_cases_modulated(void)
{
	return exact_modulated(50.0, 20.0, 3.0, 0.7);
}

static double verify_cases_slow_barrier(void)
{
	return exact_modulated_barrier(8, 90.0, 10.0, 3.0);
}

static double verify_cases_phases(void)
{
	return exact_phases(90.0, 30.0, 2.0);
}

/* Of every 100 s the first 10 are slow: one gradient of 10 s begins in them, 90 of 1 s after. */
static double verify_cases_period(void)
{
	return 100.0;
}

/* 100 gradients of 1 s, 10 of 10 s that begin in [100, 200), 190 of 1 s. */
static double verify_cases_window(void)
{
	return 100.0 + 10.0 * 10.0 + 190.0;
}

/* Twelve workers, two with NICs of 0.125 GB/s and 2 ms: 22 steps of 5 MB over 1.5 ms. */
static double verify_cases_star(void)
{
	return 1.0 + 22.0 * (0.5 * (1e-3 + 2e-3) + 5e6 / 0.125e9);
}

/* 16 workers in two nodes: a step waits for what crosses, one piece at each NIC. */
static double verify_cases_nodes(void)
{
	return 1.0 + 30.0 * (1e-3 + 60e6 / 16.0 / 1.25e9);
}

/* Reduce-scatter in nodes of 8, eight rings of two nodes over two NICs, all-gather. */
static double verify_cases_levels(void)
{
	return 1.0 + 14.0 * (1e-5 + 60e6 / 8.0 / 20e9) +
	       2.0 * (1e-3 + 60e6 / 16.0 / (1.25e9 / 4.0));
}

/* Other jobs leave 0.3 of an uplink's 0.5 GB/s. */
static double verify_cases_uplinks(void)
{
	return 1.0 + 30.0 * (1e-3 + 60e6 / 16.0 / 0.3e9);
}

static double verify_cases_trees(void)
{
	return 1.0 + 8.0 * 1e-3 + 2.0 * 60e6 / 1.25e9;
}

/* ---- failures: seconds of work, of a checkpoint, and until a failure is mended ---- */

enum { SEGMENTS = 100, YOUNG = 100, DALY = 546 };

/* Work between SEGMENTS checkpoints, the last of which is not saved; for each of its seconds. */
static double checkpointed(double interval, double cost, double repair, double mtbf)
{
	return ((SEGMENTS - 1) * exact_segment(interval + cost, repair, mtbf) +
		exact_segment(interval, repair, mtbf)) / (SEGMENTS * interval);
}

static double verify_cases_young(void)
{
	return checkpointed(YOUNG, 10.0, 30.0, 500.0);
}

/* Daly's Fig. 5: M = 15 min, R = 10 min, d = 5 min; his formula gives 9.1 min. */
static double verify_cases_daly(void)
{
	return checkpointed(DALY, 300.0, 600.0, 900.0);
}

static double verify_cases_failing(void)
{
	return exact_segment(1.0, 5.0, 50.0) / 16.0;
}

#define QUEUE "algo=asgd delay=exponential update_s=0.8 "
#define NIC "algo=asgd link=nic:latency_s=0.05,bandwidth_GBps=4.24e-6 "
#define RING "algo=allreduce workers=16 sim_bucket=0 link=nic:latency_s=1e-5,bandwidth_GBps=1.25 "
#define ALLREDUCE "algo=allreduce sim_bucket=0 net=quadratic:dim=15000000 "
#define NODES "latency_s=1e-3,bandwidth_GBps=1.25,node=8,nics=2,node_GBps=20,node_latency_s=1e-5"

const struct verify_case verify_cases[] = {
	{ "server M/M/1//16", "machine repairman; seconds at the server",
	  QUEUE "workers=16 compute_s=16", SERVER_TIME, 2000, 20000, 1, true, true, mm_16, 0 },
	{ "server M/D/1//16", "Takacs, constant updates; seconds at the server",
	  QUEUE "workers=16 compute_s=16", SERVER_TIME, 2000, 20000, 1, true, false, md_16, 0 },
	{ "server M/M/1//4096", "machine repairman; limit D / (1 - r)",
	  QUEUE "workers=4096 compute_s=4096", SERVER_TIME, 5000, 20000, 1, true, true, mm_4096,
	  0.8 / (1.0 - 0.8) },
	{ "server M/D/1//4096", "Takacs; limit D (1 + r / (2 (1 - r)))",
	  QUEUE "workers=4096 compute_s=4096", SERVER_TIME, 5000, 20000, 1, true, false, md_4096,
	  0.8 * (1.0 + 0.8 / (2.0 * (1.0 - 0.8))) },
	{ "server, 8 workers", "(C + D) / n a step, n < (C + D) / D = 11",
	  "algo=asgd workers=8 update_s=0.1", STEP_TIME, 800, 8000, 1, false, false,
	  below_saturation, 0 },
	{ "server, 16 workers", "D a step, n > (C + D) / D = 11",
	  "algo=asgd workers=16 update_s=0.1", STEP_TIME, 1600, 8000, 1, false, false,
	  verify_cases_saturated, 0 },
	{ "server's NIC, 8 workers", "(C + 2 (S/B + L)) / n a step, n < 13", "workers=8 " NIC,
	  STEP_TIME, 800, 8000, 1, false, false, nic_below, 0 },
	{ "server's NIC, 16 workers", "S/B a step, n > (C + 2 (S/B + L)) / (S/B) = 13",
	  "workers=16 " NIC, STEP_TIME, 1600, 8000, 1, false, false, verify_cases_saturated, 0 },
	{ "barrier of 16", "H_n a round, exponential times",
	  "algo=allreduce workers=16 delay=gamma:cv=1", STEP_TIME, 16, 16 * 2000, 16, true, false,
	  barrier_16, 0 },
	{ "barrier of 256", "H_n a round, exponential times",
	  "algo=allreduce workers=256 delay=exponential", STEP_TIME, 256, 256 * 200, 256, true,
	  false, barrier_256, 0 },
	{ "barrier of 16, uniform", "a + (b - a) n / (n + 1) a round, times in [a, b]",
	  "algo=allreduce workers=16 delay=uniform:spread=0.5", STEP_TIME, 16, 16 * 500, 16, true,
	  false, uniform_16, 0 },
	{ "8 fastest of 16", "H_n - H_(n-k) a round, k-sync, exponential times",
	  "algo=k-sync:k=8 workers=16 delay=gamma:cv=1", STEP_TIME, 8, 8 * 2000, 8, true, false,
	  eighth_of_16, 0 },
	{ "8 gradients by 16", "k / n a round, k-batch-sync, exponential times",
	  "algo=k-batch-sync:k=8 workers=16 delay=gamma:cv=1", STEP_TIME, 8, 8 * 2000, 8, true,
	  false, eight_by_16, 0 },
	{ "ring all-reduce, 1 MB", "C + 2 (n-1)/n S/B + 2 (n-1) L a round",
	  RING "net=quadratic:dim=250000", STEP_TIME, 16, 16 * 10, 16, false, false, ring_1mb, 0 },
	{ "ring all-reduce, 60 MB", "C + 2 (n-1)/n S/B + 2 (n-1) L a round",
	  RING "net=quadratic:dim=15000000", STEP_TIME, 16, 16 * 10, 16, false, false, ring_60mb,
	  0 },
	{ "ring with two slow links", "C + 2 (n-1) (L + S/(n B)) of the slowest, by messages",
	  ALLREDUCE "workers=12 link=nic:latency_s=1e-3,bandwidth_GBps=1.25,stepwise=pairs;"
	  "3,7:latency_s=2e-3,bandwidth_GBps=0.125", STEP_TIME, 12, 12 * 10, 12, false, false,
	  verify_cases_star, 0 },
	{ "ring over two nodes of 8", "C + 2 (n-1) (L + S/(n B)) between nodes, by messages",
	  ALLREDUCE "workers=16 link=fair:" NODES ",stepwise=pairs", STEP_TIME, 16, 16 * 10, 16,
	  false, false, verify_cases_nodes, 0 },
	{ "two levels, nodes of 8", "C + 2 (g-1) t'(S/g) + 2 (k-1) t(S/(g k)), two NICs",
	  ALLREDUCE "workers=16 link=nic:" NODES ",collective=two-level", STEP_TIME, 16, 16 * 10,
	  16, false, false, verify_cases_levels, 0 },
	{ "uplinks with other jobs", "C + 2 (n-1) (L + S/(n (U - r))), by messages",
	  ALLREDUCE "workers=16 link=fair:latency_s=1e-3,bandwidth_GBps=1.25,rack=4,"
	  "uplink_GBps=0.5,background_GBps=0.2,stepwise=pairs", STEP_TIME, 16, 16 * 10, 16, false,
	  false, verify_cases_uplinks, 0 },
	{ "double binary tree", "C + 2 ceil(log2 n) L + 2 S/B a round",
	  ALLREDUCE "workers=16 link=nic:latency_s=1e-3,bandwidth_GBps=1.25,collective=double-tree",
	  STEP_TIME, 16, 16 * 10, 16, false, false, verify_cases_trees, 0 },
	{ "slow from 100 s to 200 s", "seconds of 300 gradients, by hand",
	  "algo=allreduce workers=1 slow=0:10@100-200", STEP_TIME, 0, 300, 300, false, false,
	  verify_cases_window, 0 },
	{ "slow 10 s of every 100 s", "seconds of 91 gradients, by hand",
	  "algo=allreduce workers=1 delay=periodic:factor=10,period_s=100,slow_s=10", STEP_TIME, 0,
	  9100, 91, false, false, verify_cases_period, 0 },
	{ "slow at random times", "alternating renewal, seconds a gradient",
	  "algo=allreduce workers=1 delay=markov:factor=10,fast_s=50,slow_s=20", STEP_TIME, 200,
	  20000, 1, true, false, verify_cases_renewal, 0 },
	{ "slow phases, gamma times", "Markov-modulated worker, seconds a gradient",
	  "algo=allreduce workers=1 delay=gamma:cv=0.7*markov:factor=3,fast_s=50,slow_s=20",
	  STEP_TIME, 200, 20000, 1, true, false, verify_cases_modulated, 0 },
	{ "barrier of 8, slow phases", "chain of how many are slow, seconds a round",
	  "algo=allreduce workers=8 delay=markov:factor=3,fast_s=90,slow_s=10", STEP_TIME, 800,
	  8 * 10000, 8, true, false, verify_cases_slow_barrier, 0 },
	{ "log-normal slow phases", "cycle / gradients that begin in it, short gradients",
	  "algo=allreduce workers=1 delay=phases:fast_s=90,slow_s=30,slow_cv=1,depth=1", STEP_TIME,
	  200, 20000, 1, true, false, verify_cases_phases, 0 },
	{ "checkpoints, Young's t", "M e^(R/M) (e^((t+d)/M) - 1) / t, t = sqrt(2 d M)",
	  "algo=allreduce workers=8 faults=all:fail@mtbf_s=4000,detect_s=10,restart_s=20 "
	  "recovery=restart:interval_s=100,cost_s=10", STEP_TIME, 0, 8 * SEGMENTS * YOUNG, 8, true,
	  false, verify_cases_young, 0 },
	{ "checkpoints, Daly's Fig. 5", "M e^(R/M) (e^((t+d)/M) - 1) / t, M = 15 min",
	  "algo=allreduce workers=4 faults=all:fail@mtbf_s=3600,restart_s=600 "
	  "recovery=restart:interval_s=546,cost_s=300", STEP_TIME, 0, 4 * SEGMENTS * DALY, 4, true,
	  false, verify_cases_daly, 0 },
	{ "16 workers that fail", "M e^(R/M) (e^(C/M) - 1) / n a step, asgd",
	  "algo=asgd workers=16 faults=all:fail@mtbf_s=50,detect_s=2,restart_s=3", STEP_TIME, 1600,
	  160000, 1, true, false, verify_cases_failing, 0 },
	{ NULL, NULL, NULL, STEP_TIME, 0, 0, 0, false, false, NULL, 0 }
};
