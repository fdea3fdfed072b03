/*
 * partition.c - divides the training samples among workers: iid by chance, documents and files of
 * texts as wholes, labels and shards by their classes.
 *
 * labels with unequal sizes: the samples of each class go to the workers in shares drawn from a
 * Dirichlet distribution (Yurochkin et al. 2019), drawn again until every worker has `least`; a
 * worker that has 1/n of all samples receives no more of later classes (Li et al. 2022). With equal
 * sizes: each worker draws shares of the classes from a Dirichlet distribution around those of the
 * whole set, then its samples by them while a class lasts (Hsu et al. 2019).
 *
 * shards: samples are sorted by class and cut into workers x classes stretches of equal length, of
 * which each worker receives `classes` by chance (McMahan et al. 2017).
 */
#include "core/samples/partition.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/math/gamma.h"

#include <stdlib.h>
#include <string.h>

/* Indices of the draws of a division. */
enum { DRAW_ORDER, DRAW_SHARES };

/* Attempts at shares that leave every worker enough samples. */
enum { ATTEMPTS = 10000 };

/* to[n] <- a draw from a Dirichlet distribution; alpha[n] in proportion to mean[n], NULL: equal. */
static void dirichlet(double alpha, const double *mean, int n, struct rng *r, double *to)
{
	double sum = 0.0;

	for (int i = 0; i < n; i++) {
		const double shape = alpha * (mean ? mean[i] : 1.0);
		const struct gamma g = gamma_of(shape);

		to[i] = shape > 0.0 ? gamma_unit(&g, r) : 0.0;
		sum += to[i];
	}
	/* Every variate of a tiny alpha may underflow: then one of them is all. */
	if (!(sum > 0.0)) {
		memset(to, 0, (size_t)n * sizeof(*to));
		to[rng_below(r, (uint64_t)n)] = sum = 1.0;
	}
	for (int i = 0; i < n; i++)
		to[i] /= sum;
}

/* The i-th sample in an order by chance. */
static int64_t by_chance(const struct division *d, int64_t i)
{
	return (int64_t)rng_permute(d->seed, RNG_PARTITION, DRAW_ORDER, (uint64_t)d->n,
				    (uint64_t)i);
}

/* Samples sorted by class, within a class by chance. */
struct classes {
	int64_t *sample;        /* [n] */
	int64_t *from;          /* [classes + 1] of each class in it */
};

static struct classes classes_sort(const struct division *d)
{
	struct classes c = { xcalloc((size_t)d->n, sizeof(*c.sample)),
			     xcalloc((size_t)d->classes + 1, sizeof(*c.from)) };
	scoped int64_t *at = xcalloc((size_t)d->classes, sizeof(*at));

	for (int64_t i = 0; i < d->n; i++)
		c.from[d->label[i] + 1]++;
	for (int k = 0; k < d->classes; k++) {
		c.from[k + 1] += c.from[k];
		at[k] = c.from[k];
	}
	for (int64_t i = 0; i < d->n; i++) {
		const int64_t sample = by_chance(d, i);

		c.sample[at[d->label[sample]]++] = sample;
	}
	return c;
}

static void classes_free(struct classes *c)
{
	free_all(c->sample, c->from);
}

/* ---- iid ---- */

struct iid_conf {
	double unequal;
};

/* Parts of sizes in proportion to share[workers], of samples by chance. False: one has none. */
static bool divide_by_size(const struct division *d, const double *share, int32_t *owner)
{
	double sum = 0.0;
	int64_t i = 0;

	for (int w = 0; w < d->workers; w++) {
		const int64_t from = i;

		sum += share[w];
		for (; i < d->n && (w + 1 == d->workers || (double)i < sum * (double)d->n - 0.5);
		     i++)
			owner[by_chance(d, i)] = w;
		if (i == from)
			return false;
	}
	return true;
}

static int iid_divide(const void *conf, const struct division *d, int32_t *owner)
{
	const struct iid_conf *c = conf;
	scoped double *share = NULL;
	bool done = false;
	struct rng r;

	if (d->workers > d->n)
		return error("partition iid: %d workers of %lld samples. Choose fewer workers.",
			     d->workers, (long long)d->n);
	share = xcalloc((size_t)d->workers, sizeof(*share));
	rng_at(&r, d->seed, RNG_PARTITION, 0, DRAW_SHARES);
	for (int k = 0; k < ATTEMPTS && !done; k++) {
		for (int w = 0; w < d->workers; w++)
			share[w] = 1.0 / d->workers;
		if (c->unequal > 0.0)
			dirichlet(c->unequal, NULL, d->workers, &r, share);
		done = divide_by_size(d, share, owner);
	}
	return done ? 0 : error("partition iid: unequal = %g leaves a worker without samples in "
				"%d draws. Choose a larger value.", c->unequal, ATTEMPTS);
}

static const struct opt iid_opts[] = {
	OPT_NUMBER(struct iid_conf, unequal, "0",
		   "sizes by a Dirichlet distribution of this alpha; 0: equal", "ALPHA", 0, 1e6),
	{ 0 }
};

static const struct partition_type partition_iid = {
	.plugin = { .name = "iid", .brief = "by chance: parts of equal or unequal sizes",
		    .also = "uniform, random", .opts = iid_opts,
		    .conf_size = sizeof(struct iid_conf) },
	.divide = iid_divide,
};

/* ---- labels ---- */

enum { SIZES_UNEQUAL, SIZES_EQUAL };

struct labels_conf {
	double alpha;
	int sizes;
	int64_t least;
};

/* share[workers] <- all of a class for one worker by chance, of those not full if any is not. */
static void labels_one(const struct division *d, const int64_t *has, struct rng *r, double *share)
{
	int open = 0, pick;

	for (int w = 0; w < d->workers; w++)
		open += has[w] < d->n / d->workers;
	pick = (int)rng_below(r, (uint64_t)(open ? open : d->workers));
	for (int w = 0; w < d->workers; w++)
		if (!open || has[w] < d->n / d->workers)
			share[w] = pick-- == 0 ? 1.0 : 0.0;
}

/* Shares each class among the workers. False: one of them has fewer than `least`. */
static bool labels_share(const struct labels_conf *c, const struct division *d,
			 const struct classes *by, struct rng *r, double *share, int32_t *owner)
{
	scoped int64_t *has = xcalloc((size_t)d->workers, sizeof(*has));
	bool enough = true;

	for (int k = 0; k < d->classes; k++) {
		const int64_t n = by->from[k + 1] - by->from[k];
		double sum = 0.0, of = 0.0;
		int64_t i = 0;

		dirichlet(c->alpha, NULL, d->workers, r, share);
		for (int w = 0; w < d->workers; w++) {
			if (has[w] >= d->n / d->workers)
				share[w] = 0.0;
			of += share[w];
		}
		/* The limit for a small alpha: shares of workers that are not full underflow. */
		if (!(of > 0.0)) {
			labels_one(d, has, r, share);
			of = 1.0;
		}
		for (int w = 0; w < d->workers; w++) {
			const int64_t first = i;

			sum += share[w];
			for (; i < n && (w + 1 == d->workers ||
					 (double)i < sum / of * (double)n - 0.5); i++)
				owner[by->sample[by->from[k] + i]] = w;
			has[w] += i - first;
		}
	}
	for (int w = 0; w < d->workers; w++)
		enough = enough && has[w] >= c->least;
	return enough;
}

/* Draws each worker's samples by its own shares of the classes. */
static void labels_draw(const struct labels_conf *c, const struct division *d,
			const struct classes *by, struct rng *r, double *share, int32_t *owner)
{
	scoped double *mean = xcalloc((size_t)d->classes, sizeof(*mean));
	scoped int64_t *at = xcalloc((size_t)d->classes, sizeof(*at));

	for (int k = 0; k < d->classes; k++) {
		mean[k] = (double)(by->from[k + 1] - by->from[k]) / (double)d->n;
		at[k] = by->from[k];
	}
	for (int w = 0; w < d->workers; w++) {
		const int64_t end = (w + 1) * d->n / d->workers;

		dirichlet(c->alpha, mean, d->classes, r, share);
		for (int64_t i = w * d->n / d->workers; i < end; i++) {
			double sum = 0.0, u;
			int k = -1, last = 0;

			/* Of the classes that are not used up; all of those may have share 0. */
			for (int l = 0; l < d->classes; l++)
				sum += at[l] < by->from[l + 1] ? share[l] : 0.0;
			u = rng_uniform(r) * sum;
			for (int l = 0; l < d->classes && k < 0; l++) {
				if (at[l] == by->from[l + 1])
					continue;
				last = l;
				u -= share[l];
				if (u < 0.0)
					k = l;
			}
			k = k < 0 ? last : k;
			owner[by->sample[at[k]++]] = w;
		}
	}
}

static int labels_divide(const void *conf, const struct division *d, int32_t *owner)
{
	const struct labels_conf *c = conf;
	const int most = d->workers > d->classes ? d->workers : d->classes;
	const int64_t least = c->sizes == SIZES_EQUAL ? 1 : c->least;
	bool done = c->sizes == SIZES_EQUAL;
	struct classes by;
	scoped double *share = NULL;

	if (least > d->n / d->workers)
		return error("partition labels: %d workers of %lld samples cannot have %lld each. "
			     "Choose fewer workers, or least.", d->workers, (long long)d->n,
			     (long long)least);
	by = classes_sort(d);
	share = xcalloc((size_t)most, sizeof(*share));
	for (int k = 0; k < ATTEMPTS && !done; k++) {
		struct rng r;

		rng_at(&r, d->seed, RNG_PARTITION, (uint32_t)k, DRAW_SHARES);
		done = labels_share(c, d, &by, &r, share, owner);
	}
	if (c->sizes == SIZES_EQUAL) {
		struct rng r;

		rng_at(&r, d->seed, RNG_PARTITION, 0, DRAW_SHARES);
		labels_draw(c, d, &by, &r, share, owner);
	}
	classes_free(&by);
	return done ? 0 : error("partition labels: alpha = %g leaves a worker with fewer than "
				"%lld samples in %d draws. Choose a larger alpha, fewer workers, "
				"least, or sizes=equal.", c->alpha, (long long)c->least, ATTEMPTS);
}

static const char *const sizes[] = { "unequal", "equal", NULL };

static const struct opt labels_opts[] = {
	OPT_NUMBER(struct labels_conf, alpha, "0.5",
		   "of the Dirichlet distribution: the smaller, the fewer classes a worker has",
		   "ALPHA", 1e-6, 1e9),
	OPT_CHOICE(struct labels_conf, sizes, "unequal",
		   "unequal: each class is shared among the workers; equal: each worker draws "
		   "shares of the classes", "HOW", sizes),
	OPT_NUMBER(struct labels_conf, least, "10", "fewest samples of a worker, sizes unequal",
		   "N", 1, 1e9),
	{ 0 }
};

static const struct partition_type partition_labels = {
	.plugin = { .name = "labels", .brief = "by class, in shares of a Dirichlet distribution",
		    .also = "dirichlet, noniid, non-iid",
		    .cite = "Hsu, Qi, Brown 2019; Yurochkin et al. 2019; Li et al. 2022",
		    .opts = labels_opts, .conf_size = sizeof(struct labels_conf) },
	.labels = true, .divide = labels_divide,
};

/* ---- shards ---- */

struct shards_conf {
	int64_t classes;
};

static int shards_divide(const void *conf, const struct division *d, int32_t *owner)
{
	const struct shards_conf *c = conf;
	const int64_t shards = c->classes * d->workers;
	struct classes by;

	if (shards > d->n)
		return error("partition shards: %lld shards of %lld samples. Choose fewer workers "
			     "or classes.", (long long)shards, (long long)d->n);
	by = classes_sort(d);
	for (int64_t k = 0; k < shards; k++) {
		const int64_t at = (int64_t)rng_permute(d->seed, RNG_PARTITION, DRAW_SHARES,
							(uint64_t)shards, (uint64_t)k);

		for (int64_t i = at * d->n / shards; i < (at + 1) * d->n / shards; i++)
			owner[by.sample[i]] = (int32_t)(k / c->classes);
	}
	classes_free(&by);
	return 0;
}

static const struct opt shards_opts[] = {
	OPT_NUMBER(struct shards_conf, classes, "2",
		   "shards of a worker, of one class each but where classes meet", "N", 1, 1e6),
	{ 0 }
};

static const struct partition_type partition_shards = {
	.plugin = { .name = "shards", .brief = "sorted by class, cut, and dealt out",
		    .cite = "McMahan et al. 2017, arXiv 1602.05629", .opts = shards_opts,
		    .conf_size = sizeof(struct shards_conf) },
	.labels = true, .divide = shards_divide,
};

/* ---- all ---- */

static const struct partition_type partition_shared = {
	.plugin = { .name = "shared", .brief = "all workers draw from all samples",
		    .also = "none, all" },
};

static const struct partition_type partition_documents = {
	.plugin = { .name = "documents", .brief = "of a text: a part of its documents each" },
	.by = PARTS_DOCUMENTS,
};

static const struct partition_type partition_files = {
	.plugin = { .name = "files",
		    .brief = "of a folder of texts, such as one a language: a file each",
		    .also = "languages" },
	.by = PARTS_FILES,
};

const struct plugin *const partition_table[] = {
	&partition_shared.plugin, &partition_iid.plugin, &partition_labels.plugin,
	&partition_shards.plugin, &partition_documents.plugin,
	&partition_files.plugin, NULL
};

/* label[n] <- classes of the training samples. */
static void read_labels(const struct dataset *ds, int32_t *label)
{
	const size_t pixels = dataset_sample_bytes(ds);
	scoped void *values = xcalloc(pixels, sizeof(float));

	for (int64_t i = 0; i < ds->n[SPLIT_TRAIN]; i++) {
		if (ds->type->label)
			label[i] = ds->type->label(ds, SPLIT_TRAIN, i);
		else if (ds->type->vector)
			ds->type->vector(ds, SPLIT_TRAIN, i, values, &label[i]);
		else
			ds->type->sample(ds, SPLIT_TRAIN, i, values, &label[i]);
	}
}

int partition_check(const struct choice *choice, const struct dataset_type *type)
{
	const struct partition_type *t = (const struct partition_type *)choice->plugin;
	const char *name = t->plugin.name;

	if (!t->divide && !t->by)
		return 0;
	if (!type)
		return error("partition %s: the net has no data set to divide. Leave partition "
			     "out.", name);
	if (t->by && !type->parts)
		return error("partition %s: %s is no text of %s. Choose --data text:file=%s, or "
			     "partition iid, labels or shards.", name, type->plugin.name, name,
			     t->by == PARTS_FILES ? "FOLDER" : "FILE");
	if (t->labels && (type->tokens || (!type->label && !type->vector && !type->sample)))
		return error("partition %s: the samples of %s have no class. Choose partition "
			     "iid%s.", name, type->plugin.name,
			     type->parts ? ", documents or files" : "");
	return 0;
}

/* Checks what only the opened set tells. 0, or error(). */
static int check_set(const struct partition_type *t, const struct dataset *ds)
{
	if (ds->streams)
		return error("partition %s: with streams=true all workers read one text in order. "
			     "Leave one of the two out.", t->plugin.name);
	if (t->labels && ds->loss != LOSS_CROSS_ENTROPY)
		return error("partition %s: the samples of %s have targets, not classes. Choose "
			     "partition iid.", t->plugin.name, ds->type->plugin.name);
	return 0;
}

/* Parts and order <- the samples of each worker, in order. 0, or error(): one has none. */
static int collect(struct partition *p, int64_t n, int workers, const int32_t *owner,
		   const char *name)
{
	scoped int64_t *at = NULL;

	for (int64_t i = 0; i < n; i++)
		p->part[owner[i]].n++;
	for (int w = 0; w < workers; w++) {
		p->part[w].first = w ? p->part[w - 1].first + p->part[w - 1].n : 0;
		if (!p->part[w].n)
			return error("partition %s: worker %d of %d has no sample. Choose fewer "
				     "workers.", name, w, workers);
	}
	p->order = xcalloc((size_t)n, sizeof(*p->order));
	at = xcalloc((size_t)workers, sizeof(*at));
	for (int64_t i = 0; i < n; i++)
		p->order[p->part[owner[i]].first + at[owner[i]]++] = i;
	return 0;
}

int partition_open(struct partition *p, const struct choice *choice, const struct dataset *ds,
		   int workers, uint64_t seed)
{
	const struct partition_type *t = (const struct partition_type *)choice->plugin;
	struct division d = { .workers = workers, .seed = seed };
	int32_t *label = NULL, *owner;
	int ret;

	*p = (struct partition){ xcalloc((size_t)workers, sizeof(*p->part)), NULL };
	if (partition_check(choice, ds ? ds->type : NULL) < 0 ||
	    ((t->divide || t->by) && check_set(t, ds) < 0))
		return -1;
	if (!t->divide) {
		ret = dataset_parts(ds, workers, t->by, p->part);
		if (ret > 0) {
			free(p->part);
			p->part = NULL;
		}
		return ret < 0 ? -1 : 0;
	}
	d.n = ds->n[SPLIT_TRAIN];
	d.classes = ds->classes;
	if (t->labels) {
		label = xcalloc((size_t)d.n, sizeof(*label));
		read_labels(ds, label);
		d.label = label;
	}
	owner = xcalloc((size_t)d.n, sizeof(*owner));
	ret = t->divide(choice->conf, &d, owner);
	if (ret == 0)
		ret = collect(p, d.n, workers, owner, t->plugin.name);
	free_all(owner, label);
	return ret;
}

void partition_release(struct partition *p)
{
	free_all(p->part, p->order);
	*p = (struct partition){ NULL, NULL };
}

void partition_count(const struct partition *p, const struct dataset *ds, int workers,
		     int64_t *counts)
{
	scoped int32_t *label = xcalloc((size_t)ds->n[SPLIT_TRAIN], sizeof(*label));

	read_labels(ds, label);
	for (int w = 0; w < workers; w++)
		for (int64_t i = 0; i < p->part[w].n; i++) {
			const int64_t at = p->part[w].first + i;

			counts[(int64_t)w * ds->classes + label[p->order ? p->order[at] : at]]++;
		}
}
