/*
 * external.c - a problem that other processes compute.
 *
 * The first process is started by external_open(), for the first model and for checks. The first
 * thread that computes uses it too; each other thread starts a process of its own.
 */
#include "nets/external/child.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/math/bits.h"
#include "core/math/vec.h"
#include "core/math/wide.h"
#include "nets/external/problem_protocol.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct external {
	char *net;
	struct external_name name;
	struct child *first;
	pthread_mutex_t lock;           /* of first: requests of init() and a thread take turns */
	bool taken;                     /* a thread uses first */
	struct external_sizes sizes;
	atomic_bool failed;
	atomic_bool told;               /* that a gradient was not finite ... */
	atomic_bool told_score;         /* ... that a score was not a number */
	uint64_t probe, probe_scored;   /* digests of what each process repeats: gradient, score */
};

struct scratch {
	struct child *child;
	bool first;                     /* borrowed, under the lock */
};

static char versions[256];
static atomic_bool code_failed;

bool external_code_failed(void)
{
	return atomic_load(&code_failed);
}

const char *external_versions(void)
{
	return versions;
}

/* child_show(), once for all threads of a problem. */
static void external_failed(struct external *e, const struct child *c)
{
	atomic_store(&code_failed, true);
	if (!atomic_exchange(&e->failed, true))
		child_show(c);
}

static void external_fail(struct external *e, const char *why)
{
	atomic_store(&code_failed, true);
	if (!atomic_exchange(&e->failed, true))
		error("%s: %s", e->net, why);
}

/* ---- the gradient that tells whether all processes compute the same function ---- */

enum { PROBE = 8 };             /* samples */

/* Writes the first training samples to the memory, and returns how many. */
static int64_t probe_samples(const struct external *e, const struct child *c)
{
	const int64_t n = e->sizes.n[SPLIT_TRAIN] < PROBE ? e->sizes.n[SPLIT_TRAIN] : PROBE;

	for (int64_t i = 0; i < n; i++)
		child_memory(c)->sample[i] = i;
	return n;
}

/* Digest of loss and gradient of the first samples at the first model. 0 or -1. */
static int probe_gradient(struct external *e, struct child *c, uint64_t *digest)
{
	struct ask init = { .kind = CONVOY_INIT, .seed = 1 };
	struct ask grad = { .kind = CONVOY_GRAD, .seed = 1 };
	const struct shared_memory *m;

	if (child_map(c) < 0 || child_ask(c, &init) < 0) {
		external_failed(e, c);
		return -1;
	}
	m = child_memory(c);
	grad.n = probe_samples(e, c);
	for (size_t i = 0; i < e->sizes.dim; i++)
		if (!isfinite(m->x[i])) {
			external_fail(e, "the first model has a number that is not finite");
			return -1;
		}
	if (child_ask(c, &grad) < 0) {
		external_failed(e, c);
		return -1;
	}
	for (size_t b = 0; b < e->sizes.nblobs; b++) {
		const struct blob *blob = &e->sizes.blobs[b];

		for (size_t i = blob->offset; i < blob->offset + blob->count; i++)
			if (!isfinite(m->g[i]) || !isfinite(grad.loss)) {
				char *why = isfinite(grad.loss)
					? xasprintf("the gradient of %s is not finite at the first "
						    "model", blob->name)
					: xasprintf("the loss of the first model is %g", grad.loss);

				external_fail(e, why);
				free(why);
				return -1;
			}
	}
	*digest = fnv(vec_digest(e->sizes.dim, m->g), &grad.loss, sizeof(grad.loss));
	return 0;
}

/*
 * Refuses a score of n samples whose counts cannot be right, or one of a first model that is not
 * finite. 0, or -1 after external_fail().
 */
static int score_check(struct external *e, const struct ask *ask, int64_t n, bool first_model)
{
	const char *who = e->name.python ? "score()" : "SCORE";
	const int64_t labels = e->sizes.labels, count = n * labels;
	char *why = NULL;

	if (labels && ask->count != count)
		why = xasprintf("%s of %lld samples returned the count %lld (expected %lld)%s",
				who, (long long)n, (long long)ask->count, (long long)count,
				labels > 1 || !e->name.python ? "" :
				"; a sample with several labels has them in labels_per_sample");
	else if (ask->count < 0)
		why = xasprintf("%s returned the count %lld (expected at least 0)", who,
				(long long)ask->count);
	else if (ask->correct < -1 || ask->correct > ask->count)
		why = xasprintf("%s returned the number right %lld (expected 0 to %lld, or -1)",
				who, (long long)ask->correct, (long long)ask->count);
	else if (first_model && !isfinite(ask->loss))
		why = xasprintf("%s returned the loss %g of the first model", who, ask->loss);
	for (int i = 0; first_model && !why && i < e->sizes.metrics; i++)
		if (!isfinite(ask->metric[i]))
			why = xasprintf("%s returned %s = %g of the first model", who,
					metric_name(e->sizes.metric[i]), ask->metric[i]);
	if (!why)
		return 0;
	external_fail(e, why);
	free(why);
	return -1;
}

/*
 * Asks a process for the score of the first test samples, with statistics of the probe's batch.
 * 0 or -1.
 */
static int probe_score(struct external *e, struct child *c, struct ask *score)
{
	struct ask stats = { .kind = CONVOY_STATS, .seed = 1, .n = probe_samples(e, c) };
	const int64_t n = e->sizes.n[SPLIT_TEST];

	*score = (struct ask){ .kind = CONVOY_SCORE, .split = SPLIT_TEST,
			       .n = n < PROBE ? n : PROBE };
	if (score->n == 0)
		return 0;
	if ((e->sizes.stats_dim && child_ask(c, &stats) < 0) || child_ask(c, score) < 0) {
		external_failed(e, c);
		return -1;
	}
	return 0;
}

/* The loss of a score, or after it the metric i - 1. */
static double score_value(const struct ask *score, int i)
{
	return i ? score->metric[i - 1] : score->loss;
}

/*
 * What is wrong with value i of a score, by those of its halves, however the loss of training
 * differs from that of evaluation; the caller frees. NULL: nothing. A mean where a sum is expected
 * is the mean of its halves; a sum times the count, as of a loss with reduction="sum", is twice
 * the sum of equal halves.
 */
static char *halves_wrong(const struct external *e, const struct ask *whole,
			  const struct ask half[2], int i)
{
	static const double near = 1e-3;        /* a mean of halves differs by a half */
	static const double some = 0.02;        /* of a loss that draws random numbers */
	const char *name = i ? metric_name(e->sizes.metric[i - 1]) : "the loss";
	const double x = score_value(whole, i), n = (double)whole->count;
	const double a = score_value(&half[0], i), na = (double)half[0].count;
	const double b = score_value(&half[1], i), nb = (double)half[1].count;
	const double sum = a / na + b / nb;

	if (fabs(x * n - (a * na + b * nb)) <= near * fabs(x * n) &&
	    fabs(x - (a + b)) > near * fabs(x))
		return xasprintf("%s of %lld samples returned %s %.4g, the mean of the %.4g and "
				 "%.4g of its halves (expected their sum: convoy divides by the "
				 "count). Return the sum over the samples",
				 e->name.python ? "score()" : "SCORE", (long long)whole->n, name, x,
				 a, b);
	if (fabs(a) > 0.0 && fabs(b) > 0.0 && fabs(x / n - sum) <= some * fabs(sum) &&
	    fabs(x - (a + b)) > 0.25 * fabs(x))
		return xasprintf("%s of %lld samples is %.4g a sample, the sum of the %.4g and "
				 "%.4g of its halves (expected their mean). %s", name,
				 (long long)whole->n, x / n, a / na, b / nb, e->name.python
				 ? "Give torch_problem() the mean over the batch, as "
				   "reduction=\"mean\" does; a score() adds its samples once"
				 : "SCORE adds its samples once");
	return NULL;
}

/* Refuses a score that is not the sum over its samples. 0, or -1 after external_fail(). */
static int probe_halves(struct external *e)
{
	const enum split split = e->sizes.n[SPLIT_TEST] > 1 ? SPLIT_TEST : SPLIT_TRAIN;
	const int64_t most = e->sizes.n[split], n = most < PROBE ? most : PROBE;
	const struct ask score = { .kind = CONVOY_SCORE, .split = split, .n = n };
	struct ask whole = score, half[2] = { score, score };

	if (n < 2 || (e->sizes.stats_dim && split == SPLIT_TRAIN))
		return 0;
	half[0].n = half[1].first = n / 2;
	half[1].n = n - n / 2;
	if (child_ask(e->first, &whole) < 0 || child_ask(e->first, &half[0]) < 0 ||
	    child_ask(e->first, &half[1]) < 0) {
		external_failed(e, e->first);
		return -1;
	}
	for (int i = 0; i <= e->sizes.metrics; i++) {
		char *why = halves_wrong(e, &whole, half, i);

		if (!why)
			continue;
		external_fail(e, why);
		free(why);
		return -1;
	}
	return 0;
}

static uint64_t score_digest(const struct external *e, const struct ask *score)
{
	uint64_t digest = fnv(FNV_START, &score->loss, sizeof(score->loss));

	digest = fnv_step(digest, (uint64_t)score->correct);
	digest = fnv_step(digest, (uint64_t)score->count);
	return fnv(digest, score->metric, (size_t)e->sizes.metrics * sizeof(*score->metric));
}

/* The score of the first model, before any gradient. 0 or -1. */
static int probe_first_score(struct external *e, struct ask *score)
{
	struct ask init = { .kind = CONVOY_INIT, .seed = 1 };

	if (child_map(e->first) == 0 && child_ask(e->first, &init) == 0)
		return probe_score(e, e->first, score);
	external_failed(e, e->first);
	return -1;
}

static int external_probe(struct external *e)
{
	struct ask before = { 0 }, score;
	uint64_t again;

	if ((e->name.pure && probe_first_score(e, &before) < 0) ||
	    probe_gradient(e, e->first, &e->probe) < 0 || probe_score(e, e->first, &score) < 0 ||
	    (score.n && score_check(e, &score, score.n, true) < 0) || probe_halves(e) < 0)
		return -1;
	e->probe_scored = score_digest(e, &score);
	if (!e->name.pure)
		return 0;
	if (probe_gradient(e, e->first, &again) < 0)
		return -1;
	if (again != e->probe)
		external_fail(e, "it computes two gradients of one model and one batch that "
				 "differ. Draw random numbers from the batch's seed, or add "
				 "pure=false to the net");
	else if (score_digest(e, &before) != e->probe_scored)
		external_fail(e, "its score of one model and the same samples is another one "
				 "after a gradient. Compute it from the model and the samples "
				 "alone, or add pure=false to the net");
	return atomic_load(&e->failed) ? -1 : 0;
}

/* A further process must compute what the first one does. */
static int external_compare(struct external *e, struct child *c)
{
	struct ask score;
	uint64_t digest;

	if (!e->name.pure)
		return 0;
	if (probe_gradient(e, c, &digest) < 0 || probe_score(e, c, &score) < 0)
		return -1;
	if (digest != e->probe)
		external_fail(e, "two of its processes compute gradients that differ for one model "
				 "and one batch. Seed what draws its data, or add pure=false to "
				 "the net");
	else if (score_digest(e, &score) != e->probe_scored)
		external_fail(e, "two of its processes compute scores that differ for one model "
				 "and the same test samples. Seed what draws its data, or add "
				 "pure=false to the net");
	return atomic_load(&e->failed) ? -1 : 0;
}

/* ---- what all ranks must have in common ---- */

static uint64_t sizes_digest(const struct external *e)
{
	uint64_t digest = fnv(FNV_START, e->sizes.n, sizeof(e->sizes.n));

	digest = fnv_step(digest, e->sizes.dim);
	return fnv_step(digest, e->sizes.stats_dim);
}

static uint64_t blobs_digest(const struct external *e)
{
	uint64_t digest = FNV_START;

	for (size_t i = 0; i < e->sizes.nblobs; i++) {
		const struct blob *b = &e->sizes.blobs[i];

		digest = fnv_text(digest, b->name);
		digest = fnv(digest, b->shape, (size_t)b->rank * sizeof(*b->shape));
		digest = fnv_step(fnv_step(digest, b->count), b->decay);
	}
	for (int i = 0; i < e->sizes.metrics; i++)
		digest = fnv_text(digest, e->sizes.metric[i]);
	return digest;
}

int external_identity(const struct problem *p, uint64_t seed, uint64_t part[EXTERNAL_PARTS])
{
	struct external *e = p->priv;
	struct ask init = { .kind = CONVOY_INIT, .seed = seed }, score;
	int ret = -1;

	part[EXTERNAL_SIZES] = sizes_digest(e);
	part[EXTERNAL_BLOBS] = blobs_digest(e);
	part[EXTERNAL_GRADIENT] = e->name.pure ? e->probe : 0;
	pthread_mutex_lock(&e->lock);
	if (child_ask(e->first, &init) < 0)
		external_failed(e, e->first);
	else
		ret = 0;
	part[EXTERNAL_MODEL] = ret == 0 ? vec_digest(p->dim, child_memory(e->first)->x) : 0;
	part[EXTERNAL_SCORE] = 0;
	if (ret == 0 && e->name.pure)
		ret = probe_score(e, e->first, &score);
	if (ret == 0 && e->name.pure && score.n) {
		ret = score_check(e, &score, score.n, true);
		part[EXTERNAL_SCORE] = score_digest(e, &score);
	}
	pthread_mutex_unlock(&e->lock);
	return ret;
}

const char *external_part_text(enum external_part part)
{
	switch (part) {
	case EXTERNAL_SIZES:
		return "the numbers of floats or samples. Let the arguments alone decide them";
	case EXTERNAL_BLOBS:
		return "the names or shapes of the model's parts, or the metrics. Let the "
		       "arguments alone decide them";
	case EXTERNAL_MODEL:
		return "the first model. Draw it from the seed that init() is given";
	case EXTERNAL_GRADIENT:
		return "the gradient of the first training samples. Seed what draws the data, or "
		       "read them from one file";
	case EXTERNAL_SCORE:
		return "the score of the first test samples. Seed what draws the data, or read "
		       "them from one file";
	case EXTERNAL_PARTS:
		break;
	}
	return "nothing";
}

/* ---- operations ---- */

static void external_init(const struct problem *p, uint64_t seed, float *x)
{
	struct external *e = p->priv;
	struct ask ask = { .kind = CONVOY_INIT, .seed = seed };

	memset(x, 0, p->dim * sizeof(*x));
	if (atomic_load(&e->failed))
		return;
	pthread_mutex_lock(&e->lock);
	if (child_map(e->first) < 0 || child_ask(e->first, &ask) < 0)
		external_failed(e, e->first);
	else
		memcpy(x, child_memory(e->first)->x, p->dim * sizeof(*x));
	pthread_mutex_unlock(&e->lock);
}

static void *external_scratch_new(const struct problem *p, size_t max_batch, struct team *team)
{
	struct external *e = p->priv;
	struct scratch *s = xcalloc(1, sizeof(*s));

	(void)team;
	if (max_batch > EXTERNAL_BATCH_MOST)
		external_fail(e, "a batch has more than 2^24 samples");
	pthread_mutex_lock(&e->lock);
	s->first = !e->taken;
	e->taken = true;
	pthread_mutex_unlock(&e->lock);
	if (s->first) {
		s->child = e->first;
	} else {
		s->child = child_start(e->net, &e->name);
		if (child_why(s->child))
			external_failed(e, s->child);
		else if (child_sizes(s->child)->dim != p->dim ||
			 child_sizes(s->child)->stats_dim != p->stats_dim)
			external_fail(e, "two of its processes have models of different sizes");
		else
			external_compare(e, s->child);
	}
	return s;
}

static void external_scratch_free(const struct problem *p, void *scratch)
{
	struct external *e = p->priv;
	struct scratch *s = scratch;

	if (!s)
		return;
	if (!s->first)
		child_end(s->child);
	pthread_mutex_lock(&e->lock);
	e->taken &= !s->first;
	pthread_mutex_unlock(&e->lock);
	free(s);
}

/* Asks at x, with a batch's samples if there is one. 0; -1 once anything has failed. */
static int external_ask(const struct problem *p, const struct scratch *s, const float *x,
			const struct batch *b, struct ask *ask)
{
	struct external *e = p->priv;
	const struct shared_memory *m = child_memory(s->child);

	if (atomic_load(&e->failed) || child_map(s->child) < 0)
		goto failed;
	memcpy(m->x, x, p->dim * sizeof(*x));
	if (b) {
		memcpy(m->sample, b->sample, b->n * sizeof(*b->sample));
		ask->n = (int64_t)b->n;
		/* All uses of a batch have numbers of their own; the first one stands for them. */
		ask->seed = b->use ? fnv_step(fnv_step(FNV_START, b->seed), b->use[0]) : b->seed;
	}
	if (child_ask(s->child, ask) == 0)
		return 0;
failed:
	if (child_why(s->child))
		external_failed(e, s->child);
	return -1;
}

static void scratch_lock(const struct problem *p, const struct scratch *s, bool lock)
{
	struct external *e = p->priv;

	if (!s->first)
		return;
	if (lock)
		pthread_mutex_lock(&e->lock);
	else
		pthread_mutex_unlock(&e->lock);
}

enum {
	WHOLE = 1 << 16,        /* floats that are looked at in every gradient ... */
	WINDOWS = 16            /* ... or one of so many parts of more, as reading all takes long */
};

/* True if an exponent of g[n] is that of infinity and NaN. */
WIDE static bool is_infinite(size_t n, const float *g)
{
	uint32_t most = 0;

	for (size_t i = 0; i < n; i++) {
		const uint32_t bits = float_bits(g[i]) & UINT32_C(0x7f800000);

		most = bits > most ? bits : most;
	}
	return most == UINT32_C(0x7f800000);
}

/*
 * g <- the gradient. Returns the loss, or NaN, by which a run diverges, if the gradient is not
 * finite: the first time this is told. Of a long one, the batch's seed chooses the part that is
 * looked at, so that a run is the same for any number of threads.
 */
static double gradient_take(struct external *e, const float *from, float *g, const struct ask *ask)
{
	const size_t dim = e->sizes.dim;
	const size_t part = dim > WHOLE ? (dim + WINDOWS - 1) / WINDOWS : dim;
	const size_t at = dim > WHOLE ? ask->seed % WINDOWS * part : 0;

	memcpy(g, from, dim * sizeof(*g));
	if (!isfinite(ask->loss) || at >= dim ||
	    !is_infinite(dim - at < part ? dim - at : part, g + at))
		return ask->loss;
	if (!atomic_exchange(&e->told, true))
		note("%s: its gradient is not finite, and its loss is %g", e->net, ask->loss);
	return (double)NAN;
}

static double external_grad(const struct problem *p, void *scratch, const float *x,
			    const struct batch *b, float *g, struct grad_hook *hook)
{
	const struct scratch *s = scratch;
	struct ask ask = { .kind = CONVOY_GRAD, .loss = (double)NAN };

	scratch_lock(p, s, true);
	if (external_ask(p, s, x, b, &ask) == 0)
		ask.loss = gradient_take(p->priv, child_memory(s->child)->g, g, &ask);
	scratch_lock(p, s, false);
	grad_done(hook, 0, p->dim);
	return ask.loss;
}

static void external_stats(const struct problem *p, void *scratch, const float *x,
			   const struct batch *b, float *stats)
{
	const struct scratch *s = scratch;
	struct ask ask = { .kind = CONVOY_STATS };

	scratch_lock(p, s, true);
	if (external_ask(p, s, x, b, &ask) == 0)
		memcpy(stats, child_memory(s->child)->stats, p->stats_dim * sizeof(*stats));
	scratch_lock(p, s, false);
}

/* Means over the batches, as PyTorch's batch norms with momentum=None keep them. */
static void external_merge(const struct problem *p, int n, const float *const *each, float *stats)
{
	for (size_t k = 0; k < p->stats_dim; k++) {
		double sum = 0.0;

		for (int i = 0; i < n; i++)
			sum += (double)each[i][k];
		stats[k] = (float)(sum / n);
	}
}

/* Tells the first time that a score has no value: a table shows '-' there. */
static void score_tell(struct external *e, const struct ask *ask)
{
	const char *name = isnan(ask->loss) ? "loss" : NULL;

	for (int i = 0; !name && i < e->sizes.metrics; i++)
		if (isnan(ask->metric[i]))
			name = metric_name(e->sizes.metric[i]);
	if (name && !atomic_exchange(&e->told_score, true))
		note("%s: its score of %lld samples from %lld on has the %s nan, so there is no "
		     "mean", e->net, (long long)ask->n, (long long)ask->first, name);
}

static struct score external_score(const struct problem *p, void *scratch, const float *x,
				   const float *stats, enum split split, int64_t first, size_t n)
{
	const struct scratch *s = scratch;
	struct ask ask = { .kind = CONVOY_SCORE, .split = split, .first = first,
			   .n = (int64_t)n };
	struct score score = { 0 };

	scratch_lock(p, s, true);
	if (p->stats_dim && child_map(s->child) == 0)
		memcpy(child_memory(s->child)->stats, stats, p->stats_dim * sizeof(*stats));
	if (external_ask(p, s, x, NULL, &ask) == 0) {
		score = (struct score){ .loss = ask.loss, .correct = ask.correct,
					.n = ask.count };
		memcpy(score.metric, ask.metric, sizeof(score.metric));
		score_check(p->priv, &ask, ask.n, false);
		score_tell(p->priv, &ask);
	}
	scratch_lock(p, s, false);
	return score;
}

static bool external_has_failed(const struct problem *p)
{
	return atomic_load(&((struct external *)p->priv)->failed);
}

static void external_close(struct problem *p)
{
	struct external *e = p->priv;

	child_end(e->first);
	external_name_release(&e->name);
	external_sizes_release(&e->sizes);
	pthread_mutex_destroy(&e->lock);
	free_all(e->net, e, p);
}

static const struct problem_ops external_ops = {
	.init = external_init, .scratch_new = external_scratch_new,
	.scratch_free = external_scratch_free, .grad = external_grad, .stats = external_stats,
	.merge = external_merge, .score = external_score, .failed = external_has_failed,
	.close = external_close,
};

/* ---- open ---- */

struct problem *external_open(const char *net)
{
	struct external *e = xcalloc(1, sizeof(*e));
	struct problem *p = xcalloc(1, sizeof(*p));
	uint64_t digest = 0;

	e->net = xstrdup(net);
	pthread_mutex_init(&e->lock, NULL);
	*p = (struct problem){ .ops = &external_ops, .priv = e };
	if (external_parse(&e->name, net) < 0 || external_digest(&e->name, &digest) < 0 ||
	    external_check_allowed(net) < 0) {
		external_close(p);
		return NULL;
	}
	e->first = sizes_first_child(net, &e->name, digest);
	if (child_why(e->first)) {
		external_failed(e, e->first);
		external_close(p);
		return NULL;
	}
	external_sizes_copy(&e->sizes, child_sizes(e->first));
	snprintf(versions, sizeof(versions), "%s", e->sizes.versions);
	snprintf(p->name, sizeof(p->name), "%s", e->name.file);
	p->dim = e->sizes.dim;
	p->stats_dim = e->sizes.stats_dim;
	p->n[SPLIT_TRAIN] = e->sizes.n[SPLIT_TRAIN];
	p->n[SPLIT_TEST] = e->sizes.n[SPLIT_TEST];
	p->nblobs = e->sizes.nblobs;
	p->blobs = e->sizes.blobs;
	p->metrics = e->sizes.metrics;
	memcpy(p->metric, e->sizes.metric, sizeof(p->metric));
	if (external_probe(e) < 0) {
		external_close(p);
		return NULL;
	}
	return p;
}
