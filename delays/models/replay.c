/*
 * replay.c - the step times of a log, in their order.
 *
 * Worker r has the times of worker r in the log: that of its first step for the first gradient, and
 * so on, and from the first again after the last. A factor is a time divided by the mean of the
 * whole log, so slower workers stay slower. If a run has more workers than the log, W, then ranks
 * W, W + 1, ... have the times of workers 0, 1, ... again, and all ranks of such a repetition begin
 * at the same step, which is drawn: so workers that were slow at the same time still are.
 */
#include "core/base/error.h"
#include "delays/delay.h"
#include "delays/law.h"

extern const struct delay delay_replay;

struct replay_conf {
	char *file;
	int64_t worker;
	struct opt_doubles read;        /* workers, then the seconds of each one's steps */
	double mean;                    /* mean seconds of a step */
};

static size_t replay_workers(const struct replay_conf *c)
{
	return (size_t)c->read.v[0];
}

static size_t replay_steps(const struct replay_conf *c)
{
	return (c->read.n - 1) / replay_workers(c);
}

/* [steps] seconds of a worker of the log. */
static const double *replay_times(const struct replay_conf *c, size_t worker)
{
	return c->read.v + 1 + worker * replay_steps(c);
}

static size_t replay_worker(const struct replay_conf *c, int rank)
{
	return c->worker >= 0 ? (size_t)c->worker : (size_t)rank % replay_workers(c);
}

/* Step at which a repetition of the log begins. */
static size_t replay_begin(const struct replay_conf *c, const struct delay_at *at)
{
	const int repetition = c->worker >= 0 ? 0 : at->rank / (int)replay_workers(c);
	struct rng r;

	if (repetition == 0)
		return 0;
	delay_rng(&r, at, DELAY_RACK, repetition, 0);
	return (size_t)rng_below(&r, replay_steps(c));
}

static double replay_at(const void *conf, const struct delay_at *at)
{
	const struct replay_conf *c = conf;
	const size_t k = (replay_begin(c, at) + (size_t)at->index) % replay_steps(c);

	return replay_times(c, replay_worker(c, at->rank))[k] / c->mean;
}

/* A random step of the worker, or of a random worker. */
static double replay_draw(const void *conf, struct rng *r)
{
	const struct replay_conf *c = conf;

	if (c->worker >= 0)
		return replay_times(c, (size_t)c->worker)[rng_below(r, replay_steps(c))] / c->mean;
	return c->read.v[1 + rng_below(r, c->read.n - 1)] / c->mean;
}

static struct delay_moments replay_moments(const void *conf)
{
	const struct replay_conf *c = conf;
	struct delay_moments m = c->worker >= 0
		? law_list_moments(replay_times(c, (size_t)c->worker), replay_steps(c))
		: law_list_moments(c->read.v + 1, c->read.n - 1);

	return (struct delay_moments){ m.mean / c->mean, m.deviation / c->mean };
}

static double replay_mean(const void *conf, const struct delay_at *at)
{
	const struct replay_conf *c = conf;
	const double *times = replay_times(c, replay_worker(c, at->rank));

	return law_list_moments(times, replay_steps(c)).mean / c->mean;
}

static char *replay_alone(const void *conf, const struct delay_at *at, double *factor)
{
	struct replay_conf own = *(const struct replay_conf *)conf;

	own.worker = (int64_t)replay_worker(&own, at->rank);
	*factor = 1.0;
	return choice_format(&(struct choice){ &delay_replay.plugin, &own });
}

static int replay_open(void *conf, delay_reader *read, const char *where)
{
	struct replay_conf *c = conf;

	if (!c->file)
		return error("%s: no log is named. Give replay:file=PATH", where);
	if (read(c->file, DELAY_STEPS, &c->read) < 0)
		return -1;
	c->mean = law_list_moments(c->read.v + 1, c->read.n - 1).mean;
	if (c->worker >= (int64_t)replay_workers(c))
		return error("%s: file '%s' has no worker %lld (it has workers 0 to %zu)", where,
			     c->file, (long long)c->worker, replay_workers(c) - 1);
	return 0;
}

static const struct opt replay_opts[] = {
	{ "file", OPT_AT(STRING, struct replay_conf, file), NULL,
	  "log of step times: CSV with columns worker, step and seconds", "PATH", 0, 0, NULL,
	  OPT_NOHASH },
	OPT_NUMBER(struct replay_conf, worker, "-1",
		   "the worker of the log whose times are taken; -1: that of the worker's own rank",
		   "RANK", -1, 1 << 24),
	{ 0 }
};

const struct delay delay_replay = {
	.plugin = { .name = "replay", .brief = "the step times of a log, in their order",
		    .also = "*.csv=replay:file=*",
		    .opts = replay_opts, .conf_size = sizeof(struct replay_conf) },
	.draw = replay_draw,
	.at = replay_at,
	.moments = replay_moments,
	.mean = replay_mean,
	.alone = replay_alone,
	.open = replay_open,
	.read_at = offsetof(struct replay_conf, read),
};
