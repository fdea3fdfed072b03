/*
 * mixture.c - built-in vectors: a mixture of Gaussians, with several clusters for each class.
 *
 *     x = c_k + noise z,   z standard normal,   k = i mod (classes clusters)
 *
 * The class of sample i is i mod classes. So `classes * clusters` consecutive samples have one of
 * every cluster. A centre c_k is a direction: standard normal coordinates, drawn at (seed,
 * RNG_DATA, CENTRE, k), divided by their norm. z is drawn at (seed, RNG_DATA, SAMPLE + split, i),
 * again at every use.
 *
 * Paper: Liu et al. 2024, the toy problem in the authors' notebook, where the loss is measured on
 * samples of the training set (seen=true).
 */
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/math/rng.h"
#include "data/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CENTRE, SAMPLE };        /* ranks of the addresses; SAMPLE + 1: of the test split */
enum { RECIPE = 1 };            /* changes when any sample changes */
enum { MOST_FLOATS = 1 << 24 }; /* of all centres */

struct conf {
	int64_t train, test, seed, dims, classes, clusters;
	double noise;
	bool seen;
};

struct mixture {
	uint64_t seed;
	int64_t centres;
	double noise;
	bool seen;
	float *centre;          /* [centres][dims], owned */
};

extern const struct dataset_type dataset_mixture;

static void mixture_centre(uint64_t seed, int64_t k, size_t dims, float *c)
{
	double squares = 0;
	struct rng r;

	rng_at(&r, seed, RNG_DATA, CENTRE, (uint64_t)k);
	for (size_t d = 0; d < dims; d++) {
		c[d] = (float)rng_normal(&r);
		squares += (double)c[d] * (double)c[d];
	}
	for (size_t d = 0; d < dims; d++)
		c[d] = (float)((double)c[d] / sqrt(squares));
}

static int32_t mixture_label(const struct dataset *ds, enum split split, int64_t i)
{
	(void)split;
	return (int32_t)(i % ds->classes);
}

static void mixture_vector(const struct dataset *ds, enum split split, int64_t i, float *x,
			   int32_t *label)
{
	const struct mixture *m = ds->priv;
	const size_t dims = (size_t)ds->channels;
	const float *c = m->centre + (size_t)(i % m->centres) * dims;
	struct rng r;

	rng_at(&r, m->seed, RNG_DATA, SAMPLE + (m->seen ? 0 : (uint32_t)split), (uint64_t)i);
	for (size_t d = 0; d < dims; d++)
		x[d] = c[d] + (float)(m->noise * rng_normal(&r));
	*label = mixture_label(ds, split, i);
}

static int mixture_check(const struct conf *c)
{
	const double floats = (double)c->dims * (double)c->classes * (double)c->clusters;

	if (floats > MOST_FLOATS)
		return error("data set mixture: centres of %lld clusters of each of %lld classes "
			     "in %lld dimensions are %.0f numbers (expected at most %d). Choose "
			     "fewer clusters, classes or dims.", (long long)c->clusters,
			     (long long)c->classes, (long long)c->dims, floats, MOST_FLOATS);
	if (c->seen && c->test > c->train)
		return error("data set mixture: seen=true, but test=%lld is more than the %lld "
			     "training samples. Choose a smaller test, or seen=false.",
			     (long long)c->test, (long long)c->train);
	return 0;
}

static int mixture_shape(const void *p, struct dataset_shape *shape)
{
	const struct conf *c = p;

	*shape = (struct dataset_shape){ 1, 1, (int)c->dims, (int)c->classes, false };
	return mixture_check(c);
}

static int mixture_count(const void *p, int64_t n[2])
{
	const struct conf *c = p;

	n[SPLIT_TRAIN] = c->train;
	n[SPLIT_TEST] = c->test;
	return mixture_check(c);
}

/* Digest of all settings that determine the samples; sizes of the splits change none of them. */
static uint64_t mixture_digest(const struct conf *c)
{
	scoped char *text = xasprintf("%d %lld %lld %lld %lld %.17g %d", RECIPE, (long long)c->seed,
			       (long long)c->dims, (long long)c->classes, (long long)c->clusters,
			       c->noise, c->seen);

	return digest_bytes(0, (const uint8_t *)text, strlen(text));
}

static struct mixture *mixture_new(const struct conf *c)
{
	const size_t dims = (size_t)c->dims;
	struct mixture *m = xcalloc(1, sizeof(*m));

	*m = (struct mixture){ .seed = (uint64_t)c->seed, .centres = c->classes * c->clusters,
			       .noise = c->noise, .seen = c->seen };
	m->centre = vec_new((size_t)m->centres * dims);
	for (int64_t k = 0; k < m->centres; k++)
		mixture_centre(m->seed, k, dims, m->centre + (size_t)k * dims);
	return m;
}

static struct dataset *mixture_open(const void *p)
{
	const struct conf *c = p;
	struct dataset *ds;

	if (mixture_check(c))
		return NULL;
	ds = xcalloc(1, sizeof(*ds));
	*ds = (struct dataset){
		.type = &dataset_mixture, .height = 1, .width = 1, .channels = (int)c->dims,
		.classes = (int)c->classes, .n = { c->train, c->test },
		.digest = mixture_digest(c), .priv = mixture_new(c),
	};
	return ds;
}

static void mixture_close(struct dataset *ds)
{
	free(((struct mixture *)ds->priv)->centre);
	free(ds->priv);
}

static const struct opt opts[] = {
	OPT_NUMBER(struct conf, train, "128000", "training samples", "N", 1, 1e9),
	OPT_NUMBER(struct conf, test, "10000", "test samples", "N", 1, 1e9),
	OPT_NUMBER(struct conf, seed, "0", "another seed is another mixture", "N", 0,
		   9007199254740992.0),
	OPT_NUMBER(struct conf, dims, "512", "numbers of a sample", "N", 1, 65536),
	OPT_NUMBER(struct conf, classes, "4", "classes", "N", 2, 65536),
	OPT_NUMBER(struct conf, clusters, "8", "Gaussians of a class", "N", 1, 65536),
	OPT_NUMBER(struct conf, noise, "0.5",
		   "deviation of each number from its centre's; centres have norm 1", "X", 0, 1e6),
	OPT_FLAG(struct conf, seen, "the test samples are the first training samples"),
	{ 0 }
};

const struct dataset_type dataset_mixture = {
	.plugin = {
		.name = "mixture",
		.brief = "built in: vectors of a mixture of Gaussians, several to a class",
		.cite = "Liu et al. 2024, arXiv 2401.09135",
		.opts = opts,
		.conf_size = sizeof(struct conf),
	},
	.shape = mixture_shape,
	.count = mixture_count,
	.open = mixture_open,
	.vector = mixture_vector,
	.label = mixture_label,
	.close = mixture_close,
};
