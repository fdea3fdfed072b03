/* The measurement of real ranks: which probes, how long, and their figures as a cluster file. */
#include "study/calibrate/calibrate.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/members.h"
#include "core/file/output.h"
#include "core/math/median.h"
#include "core/text/word.h"
#include "record/environ.h"
#include "runner/progress.h"
#include "runner/signals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	ENOUGH = 12,            /* gradients of a worker: for a mean, and for a pass of handlers */
	COLD = 3,               /* of them, while code is made and memory is touched first */
	FACTORS = 20            /* of the distribution in the file */
};

/* A step so small that the net stays where it is. */
static const double probe_lr = 1e-9;

/* ---- gradients ---- */

/*
 * All workers, for so many seconds, in which only how they get their batches is of interest: those
 * that later probes compute with begin with the same, so that their gradients are all of known
 * samples. On a busy machine these gradients may take longer than the time that is given: it is
 * doubled.
 */
static int measure_first(const struct probe *p, struct findings *f, double seconds)
{
	enum { TRIES = 8 };

	for (int k = 0; k < TRIES && f->seen < ENOUGH && !signal_caught; k++, seconds *= 2) {
		const struct computing c = { .active = f->workers, .seconds = seconds };
		struct times periods = { 0 }, steps = { 0 }, passes = { 0 };
		struct computed to = { &periods, &steps, &passes, &f->first, 0 };
		int ret;

		f->first.from = f->seen > COLD ? f->seen : COLD;
		f->first.end = f->epoch;
		ret = probe_compute(p, &c, &to);
		if (to.gradients > f->seen)
			f->seen = to.gradients;
		times_release(&periods);
		times_release(&steps);
		times_release(&passes);
		if (real_agree(ret < 0) != EXIT_OK)
			return -1;
		real_share(&f->seen, sizeof(f->seen));
	}
	if (f->seen >= ENOUGH || signal_caught)
		return 0;
	if (real_rank() == 0)
		error("a worker had only %d gradient%s in %g s. Give more --seconds.", (int)f->seen,
		      word_plural((double)f->seen), seconds / 2);
	return -1;
}

static int measure_level(const struct probe *p, struct findings *f, size_t i, int64_t gradients)
{
	const struct computing c = { .active = f->level[i],
				     .gradients = f->level[i] * gradients };
	struct computed to = { &f->periods[i], &f->steps, &f->passes, &f->known, 0 };

	f->known.from = COLD;
	f->known.end = INT64_MAX;
	return real_agree(probe_compute(p, &c, &to) < 0) == EXIT_OK ? 0 : -1;
}

/* All workers, with messages and without, by turns: their difference counts, and machines drift. */
static int measure_turns(const struct probe *p, struct findings *f)
{
	enum { TURNS = 3 };
	const size_t last = f->levels - 1;
	const int64_t gradients = f->seen / TURNS > ENOUGH ? f->seen / TURNS : ENOUGH;
	const struct computing c = { .active = f->workers, .gradients = f->workers * gradients };
	int bad = 0;

	f->known = (struct fetching){ 0 };
	f->steps.n = f->passes.n = 0;
	for (int turn = 0; turn < TURNS && !bad; turn++) {
		bad = measure_level(p, f, last, gradients) < 0;
		if (!bad && f->workers > 1)
			bad = probe_receiving(p, &c, &f->receiving) < 0;
	}
	if (!bad && real_rank() == 0 && !f->steps.n && !signal_caught)
		bad = error("the other ranks computed nearly all gradients, and rank 0 too few to "
			    "time its steps. Give more --seconds.");
	return real_agree(bad ? EXIT_BAD : EXIT_OK) == EXIT_OK ? 0 : -1;
}

/* ---- the whole ---- */

static int measure(const struct probe *p, struct findings *f, const struct calibrate_conf *c)
{
	const size_t dim = p->run.dim;
	struct times all;
	int rounds = 0;

	/* 1, 2, 4, .. and all workers */
	for (int k = 1; k < f->workers; k *= 2)
		f->level[f->levels++] = k;
	f->level[f->levels++] = f->workers;
	/* nothing, then every eightfold size up to the model's */
	if (f->ranks > 1) {
		f->floats[f->sizes++] = 0;
		for (size_t n = 256; n < dim && f->sizes < SIZES_MAX - 1; n *= 8)
			f->floats[f->sizes++] = n;
		f->floats[f->sizes++] = dim;
	}
	if (measure_first(p, f, c->seconds) < 0)
		return -1;
	for (size_t i = 0; i + 1 < f->levels; i++)
		if (measure_level(p, f, i, f->seen) < 0)
			return -1;
	if (measure_turns(p, f) < 0)
		return -1;
	if (f->sizes == 0 || signal_caught)
		return 0;
	/* as many as were asked for, but fewer where gradients take long: each has one before it */
	all = f->periods[f->levels - 1];
	if (real_rank() == 0)
		rounds = (int)(2.0 * c->seconds / (times_middle(&all) * (double)f->sizes));
	if (rounds > c->rounds)
		rounds = (int)c->rounds;
	if (rounds < 4)
		rounds = 4;
	real_share(&rounds, sizeof(rounds));
	if (probe_messages(p, f->floats, f->sizes, rounds, f->messages) < 0)
		return -1;
	return probe_allreduces(p, f->floats + 1, f->sizes - 1, rounds, f->allreduces + 1);
}

struct probe_meter {
	struct progress progress;
	double all;             /* seconds that it will take, about */
};

static void meter_tick(void *ctx)
{
	struct probe_meter *m = ctx;
	const double gone = progress_elapsed(&m->progress);

	progress_show(&m->progress, 0, fmin(gone / m->all, 0.99), gone);
}

int calibrate_measure(struct findings *f, const struct setup *su, const struct calibrate_conf *c,
		      const struct problem *problem)
{
	const struct sampler sampler = { .seed = (uint64_t)su->in.seed, .workers = real_size(),
					 .size = (size_t)su->in.batch,
					 .samples = problem->n[SPLIT_TRAIN],
					 .streams = problem->streams };
	const int workers = c->workers ? c->workers : real_size();
	struct probe_meter meter = { .all = 1.0 + c->seconds * (7.0 + log2(real_size())) };
	struct probe p = {
		.conf = &su->real, .measures = (enum watch_level)su->in.measures,
		.tick = meter_tick, .ctx = &meter,
		.run = { .workers = real_size(), .seed = (uint64_t)su->in.seed,
			 .dim = problem->dim, .batch = (size_t)su->in.batch,
			 .samples = problem->n[SPLIT_TRAIN],
			 .optim = (const struct optim *)su->optim.plugin,
			 .optim_conf = su->optim.conf, .carry = problem->carry,
			 .lr = { .base = probe_lr }, .interrupted = &signal_caught },
	};
	int code, ret;

	*f = (struct findings){ .ranks = real_size(), .threads = c->threads, .workers = workers,
				.hosts = real_hosts(),
				.epoch = problem->n[SPLIT_TRAIN] / (su->in.batch * workers) };
	p.run.pool = pool_threads(problem, &sampler, c->threads);
	code = real_agree(p.run.pool ? EXIT_OK : EXIT_BAD);
	if (code == EXIT_OK) {
		progress_start(&meter.progress, 1, c->quiet || real_rank() > 0);
		meter.progress.unit = "seconds";
		ret = measure(&p, f, c);
		progress_end(&meter.progress);
		code = real_agree(ret < 0 ? EXIT_BAD : EXIT_OK) != EXIT_OK ? EXIT_BAD
		       : signal_caught ? signals_exit_code() : EXIT_OK;
	}
	pool_free(p.run.pool);
	return code;
}

void findings_release(struct findings *f)
{
	for (size_t i = 0; i < f->levels; i++)
		times_release(&f->periods[i]);
	for (size_t i = 0; i < f->sizes; i++) {
		times_release(&f->messages[i]);
		times_release(&f->allreduces[i]);
	}
	times_release(&f->steps);
	times_release(&f->passes);
	times_release(&f->receiving);
	free(f->hosts);
}

/* ---- figures ---- */

double times_mean(const struct times *t)
{
	double sum = 0.0;

	for (size_t i = 0; i < t->n; i++)
		sum += t->v[i];
	return sum / (double)t->n;
}

double times_cv(const struct times *t)
{
	const double mean = times_mean(t);
	double sum = 0.0;

	for (size_t i = 0; i < t->n; i++)
		sum += (t->v[i] - mean) * (t->v[i] - mean);
	return t->n > 1 ? sqrt(sum / (double)(t->n - 1)) / mean : 0.0;
}

static double fetching_each(const struct fetching *f)
{
	return f->n ? f->seconds / (double)f->n : 0.0;
}

double findings_first_use(const struct findings *f)
{
	const double resolved = 0.005;  /* of a gradient */
	const double extra = fetching_each(&f->first) - fetching_each(&f->known);

	return f->first.n && f->known.n &&
			       extra / times_mean(&f->periods[f->levels - 1]) > resolved
		       ? extra : 0.0;
}

double findings_handler_rate(struct findings *f)
{
	return f->passes.n ? sizeof(float) / times_middle(&f->passes) / 1e9 : 0.0;
}

double findings_receive_rate(struct findings *f)
{
	const double delay = times_middle(&f->receiving) - times_middle(&f->periods[f->levels - 1]);

	return f->receiving.n && delay > 0.0
		       ? (double)f->floats[f->sizes - 1] * sizeof(float) / delay / 1e9 : 0.0;
}

/* ---- the cluster file ---- */

/* Means of equally many neighbours of the sorted times, relative to the mean of all. Owned. */
static char *findings_delay(struct findings *f)
{
	struct times *t = &f->periods[f->levels - 1];
	const size_t n = t->n < FACTORS ? t->n : FACTORS;
	const double mean = times_mean(t);
	double extra;
	char *text;
	size_t size;
	FILE *out = xmemstream(&text, &size);

	sort_doubles(t->v, t->n);
	extra = findings_first_use(f);
	fputs("measured:factors=", out);
	for (size_t i = 0; i < n; i++) {
		const size_t first = i * t->n / n, end = (i + 1) * t->n / n;
		const struct times part = { .v = t->v + first, .n = end - first };

		fprintf(out, "%s%.5g", i ? "/" : "", times_mean(&part) / mean);
	}
	if (extra > 0.0)
		fprintf(out, "*first-use:extra=%.4g,gradients=%lld,workers=%d",
			extra / times_mean(t), (long long)(f->epoch > 0 ? f->epoch : 1),
			f->workers);
	xmemclose(out);
	return text;
}

/*
 * "NAME_bytes=A/B,NAME_s=C/D" from the first size on. Means: a thread that waits for a core now and
 * then is part of what a run meets, and is missing from a middle.
 */
static void put_times(FILE *out, const char *name, const struct findings *f, const struct times *t,
		      size_t first)
{
	fprintf(out, "%s_bytes=", name);
	for (size_t i = first; i < f->sizes; i++)
		fprintf(out, "%s%zu", i > first ? "/" : "", f->floats[i] * sizeof(float));
	fprintf(out, ",%s_s=", name);
	for (size_t i = first; i < f->sizes; i++)
		fprintf(out, "%s%.4g", i > first ? "/" : "", times_mean(&t[i]));
}

/* Owned. */
static char *findings_link(struct findings *f)
{
	char *text;
	size_t size;
	FILE *out = xmemstream(&text, &size);

	if (f->sizes == 0) {
		fputs("ideal", out);
	} else {
		fputs("measured:", out);
		put_times(out, "message", f, f->messages, 0);
		putc(',', out);
		put_times(out, "allreduce", f, f->allreduces, 1);
		fprintf(out, ",ranks=%d,handler_GBps=%.4g,receive_GBps=%.4g", f->ranks,
			findings_handler_rate(f), findings_receive_rate(f));
	}
	xmemclose(out);
	return text;
}

/* Seconds of a gradient by how many compute at once, times a share. */
static cJSON *levels_json(const struct findings *f, double share)
{
	cJSON *json = cJSON_CreateObject();

	for (size_t i = 0; i < f->levels; i++) {
		char key[16];

		snprintf(key, sizeof(key), "%d", f->level[i]);
		ADD(json, j_measured(key, share * times_mean(&f->periods[i])));
	}
	return json;
}

/* Facts of the measurement itself. */
static cJSON *facts_json(const struct findings *f, const struct setup *su)
{
	static const char *const keys[] = { "net", "data", "backend", "precision", "optim",
					    "allreduce" };
	const struct times *all = &f->periods[f->levels - 1];
	char *hosts = xstrdup(f->hosts ? f->hosts : ""), *rest = NULL;
	cJSON *list = cJSON_CreateArray(), *json;
	char *command = environ_command(), date[32];

	environ_clock(date);
	for (char *host = strtok_r(hosts, "\n", &rest); host; host = strtok_r(NULL, "\n", &rest))
		list_add(list, cJSON_CreateString(host));
	json = OBJECT(j_text("date", date), j_json("hosts", list), j_number("ranks", f->ranks),
		      j_number("threads", f->threads));
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		ADD(json, j_text(keys[i], setup_text(su, keys[i])));
	ADD(json, j_number("batch", (double)su->in.batch), j_number("dim", (double)su->model.dim),
	    j_number("macs", (double)su->model.macs), j_json("batch_s", levels_json(f, 1.0)),
	    j_measured("batch_cv", times_cv(all)),
	    j_number("gradients", (double)all->n), j_text("command", command));
	free_all(command, hosts);
	return json;
}

int calibrate_write(struct findings *f, const struct setup *su, const char *path)
{
	const double batch = (double)su->in.batch, mean = times_mean(&f->periods[f->levels - 1]);
	char *net = model_time_key(&su->model), *delay, *link;
	cJSON *json = OBJECT(
		j_text("about", "As 'convoy calibrate' measured real ranks."),
		j_number("workers", f->workers),
		j_json("compute", OBJECT(
			j_json("seconds_per_sample", OBJECT(
				j_json(net, levels_json(f, 1.0 / batch)))),
			j_measured("flops", 6.0 * (double)su->model.macs * batch / mean))),
		j_measured("update_s", times_middle(&f->steps)), j_bool("overlap", true));
	int ret;

	/* these sort the times */
	delay = findings_delay(f);
	link = findings_link(f);
	ADD(json, j_text("delay", delay), j_text("link", link),
	    j_json("measured", facts_json(f, su)));
	if (f->sizes == 0)
		ADD(json, j_json("sources", OBJECT(
			j_text("link", "assumed, not measured: one rank sends no message, and no "
				       "time stands for the unknown one"))));
	ret = output_json_file(path, json, "\n");
	cJSON_Delete(json);
	free_all(net, delay, link);
	if (ret == 0)
		note("wrote %s", path);
	return ret;
}
