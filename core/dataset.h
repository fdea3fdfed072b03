/*
 * dataset.h - labelled images, whatever file they came from.
 *
 * A data format is one file in data/ that exports one struct dataset_type. An
 * opened set answers from memory and is read by many threads at once.
 */
#ifndef CORE_DATASET_H
#define CORE_DATASET_H

#include "core/batch.h"
#include "core/opt.h"

#include <stdint.h>

enum split { SPLIT_TRAIN, SPLIT_TEST };

struct dataset {
	const struct dataset_type *type;
	int height, width, channels, classes;
	int64_t n[2];           /* samples of each split */
	int pad;                /* random crop: zeros added on each side; 0 = no crop */
	bool flip;              /* random horizontal flip */
	uint64_t digest;        /* of the contents, or of the recipe of a procedural set */
	void *priv;
};

struct dataset_type {
	struct plugin plugin;
	/* What open() would give, without reading pixels: for help and timing-only runs. */
	int height, width, channels, classes;
	/* Opens; NULL after error() naming the file. The caller closes with dataset_close(). */
	struct dataset *(*open)(const void *conf);
	/* Pixels of one sample as height x width x channels bytes, and its label. */
	void (*sample)(const struct dataset *ds, enum split split, int64_t i, uint8_t *pixels,
		       int32_t *label);
	/* [channels] mean and deviation of the training pixels, of pixel / 255. */
	void (*moments)(const struct dataset *ds, float *mean, float *dev);
	void (*close)(struct dataset *ds);      /* frees priv, not ds */
};

/*
 * Fetches a batch as the nets take it: images[n][height][width][channels] of
 * (pixel / 255 - mean) / dev, labels[n]. With b->use, a training batch is
 * cropped and flipped, by draws at (b->seed, RNG_AUGMENT, 0, use). Thread safe.
 */
void dataset_fetch(const struct dataset *ds, enum split split, const struct batch *b,
		   float *images, int32_t *labels);

/* Closes and frees; NULL is fine. */
void dataset_close(struct dataset *ds);

#endif
