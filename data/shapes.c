/*
 * shapes: pictures of ten figures, drawn by the program, so that every machine has images to train
 * on. Sample i of a split is a function of (seed, split, i) alone. Ten consecutive samples have one
 * of each class, in an order drawn at (seed, RNG_DATA, ORDER + split, i / 10); the picture is drawn
 * at (seed, RNG_DATA, PICTURE + split, i).
 *
 * A picture is painted when it is first asked for, and cached. If several threads ask for it at the
 * same time, all paint it; the first one to finish stores it.
 */
#include "data/shapes.h"

#include "core/base/mem.h"
#include "data/store.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER = 0, PICTURE = 2 };        /* ranks of the two addresses */
enum { EMPTY, CLAIMED, KEPT };          /* states of a slot */
enum { RECIPE = 1 };                    /* changes when any picture changes */

struct conf {
	int64_t train, test, seed;
	bool crop, flip;
};

struct album {
	uint64_t seed;
	atomic_uchar *state[2];         /* [n] */
	uint8_t *pixels[2];             /* [n][SHAPES_BYTES]; pages not written take no memory */
};

extern const struct dataset_type dataset_shapes;

/* Class of sample i: ten consecutive samples have the classes in an order of their own. */
static enum shape_class shape_of(uint64_t seed, enum split split, int64_t i)
{
	const uint64_t tens = (uint64_t)i / SHAPES_CLASSES;
	const int position = (int)(i % SHAPES_CLASSES);
	int order[SHAPES_CLASSES] = { 0 };
	struct rng r;

	rng_at(&r, seed, RNG_DATA, ORDER + (uint32_t)split, tens);
	for (int k = 0; k < SHAPES_CLASSES; k++) {
		int j = (int)(rng_u32(&r) % (uint32_t)(k + 1));
		order[k] = order[j];
		order[j] = k;
	}
	return (enum shape_class)order[position];
}

static void shapes_sample(const struct dataset *ds, enum split split, int64_t i, uint8_t *pixels,
			  int32_t *label)
{
	const struct album *a = ds->priv;
	atomic_uchar *state = &a->state[split][i];
	uint8_t *slot = a->pixels[split] + (size_t)i * SHAPES_BYTES;
	enum shape_class shape = shape_of(a->seed, split, i);
	unsigned char empty = EMPTY;
	struct rng r;

	*label = (int32_t)shape;
	if (atomic_load_explicit(state, memory_order_acquire) == KEPT) {
		memcpy(pixels, slot, SHAPES_BYTES);
		return;
	}
	rng_at(&r, a->seed, RNG_DATA, PICTURE + (uint32_t)split, (uint64_t)i);
	shape_paint(shape, &r, pixels);
	if (atomic_compare_exchange_strong(state, &empty, CLAIMED)) {
		memcpy(slot, pixels, SHAPES_BYTES);
		atomic_store_explicit(state, KEPT, memory_order_release);
	}
}

static int shapes_count(const void *p, int64_t n[2])
{
	const struct conf *conf = p;

	n[SPLIT_TRAIN] = conf->train;
	n[SPLIT_TEST] = conf->test;
	return 0;
}

static int32_t shapes_label(const struct dataset *ds, enum split split, int64_t i)
{
	return (int32_t)shape_of(((const struct album *)ds->priv)->seed, split, i);
}

/* Measured over the 50,000 training pictures of seed 0. */
static void shapes_moments(const struct dataset *ds, float *mean, float *dev)
{
	(void)ds;
	memcpy(mean, (const float[]){ 0.3622f, 0.3620f, 0.3621f }, 3 * sizeof *mean);
	memcpy(dev, (const float[]){ 0.1690f, 0.1693f, 0.1691f }, 3 * sizeof *dev);
}

static struct dataset *shapes_open(const void *p)
{
	const struct conf *conf = p;
	struct dataset *ds = xcalloc(1, sizeof *ds);
	struct album *a = xcalloc(1, sizeof *a);
	uint8_t recipe[9] = { RECIPE };

	*ds = (struct dataset){
		.type = &dataset_shapes, .height = SHAPES_SIDE, .width = SHAPES_SIDE,
		.channels = 3, .classes = SHAPES_CLASSES, .n = { conf->train, conf->test },
		.pad = conf->crop ? 4 : 0, .flip = conf->flip, .priv = a,
	};
	a->seed = (uint64_t)conf->seed;
	/*
	 * Digest of all settings that determine the pictures; sizes of the splits change none of
	 * them.
	 */
	for (int i = 0; i < 8; i++)
		recipe[1 + i] = (uint8_t)(a->seed >> 8 * i);
	ds->digest = digest_bytes(0, recipe, sizeof recipe);
	for (int k = 0; k < 2; k++) {
		a->state[k] = xcalloc((size_t)ds->n[k], sizeof *a->state[k]);
		a->pixels[k] = xcalloc((size_t)ds->n[k], SHAPES_BYTES);
	}
	return ds;
}

static void album_free(struct dataset *ds)
{
	struct album *a = ds->priv;

	for (int k = 0; k < 2; k++)
		free_all(a->state[k], a->pixels[k]);
	free(a);
}

static const struct opt opts[] = {
	OPT_NUMBER(struct conf, train, "50000", "training images", "N", 1, 1e7),
	OPT_NUMBER(struct conf, test, "10000", "test images", "N", 1, 1e7),
	OPT_NUMBER(struct conf, seed, "0", "another seed is another set", "N", 0,
		   9007199254740992.0),
	STORE_AUGMENT_OPTS(struct conf),
	{ 0 }
};

const struct dataset_type dataset_shapes = {
	.plugin = {
		.name = "shapes",
		.brief = "built in: ten coloured figures on textured ground, 32 x 32",
		.also = "synthetic, fake, dummy",
		.opts = opts,
		.conf_size = sizeof(struct conf),
	},
	.height = SHAPES_SIDE, .width = SHAPES_SIDE, .channels = 3, .classes = SHAPES_CLASSES,
	.count = shapes_count,
	.open = shapes_open,
	.sample = shapes_sample,
	.label = shapes_label,
	.moments = shapes_moments,
	.close = album_free,
};
