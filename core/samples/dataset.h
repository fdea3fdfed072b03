/*
 * dataset.h - labelled images, or windows of text, whatever file they came from.
 *
 * A data format is one file in data/ that exports one struct dataset_type. An
 * opened set is read by many threads at once. Small sets answer from memory
 * with whole pictures, which dataset_fetch() crops and mirrors; a set of
 * photographs of many sizes gives views that it cut and resized itself. A sample of a set of
 * text is a window of `height` tokens (width and channels 1); each has the token that follows
 * it as its label. A sample of a set of vectors is numbers that the net sees as they are.
 */
#ifndef CORE_SAMPLES_DATASET_H
#define CORE_SAMPLES_DATASET_H

#include "core/samples/batch.h"
#include "core/text/opt.h"

#include <stdint.h>

enum split { SPLIT_TRAIN, SPLIT_TEST };

struct rng;

struct dataset_shape {
	int height, width, channels, classes;
	bool tokens;            /* windows of text */
};

/* What is known of the contents of a set. */
enum standing {
	SET_OWN,                /* none was published */
	SET_PUBLISHED,          /* as published */
	SET_PART,               /* the first samples of a published set */
	SET_OTHER               /* not as published */
};

struct dataset {
	const struct dataset_type *type;
	int height, width, channels, classes;
	bool tokens;            /* windows of text: `height` labels a sample, not one */
	int test_window;        /* of text: what `height` is in evaluation; 0: the same */
	bool streams;           /* training windows are to be read in parallel streams (batch.h) */
	int64_t n[2];           /* samples of each split */
	double least;           /* mean loss per token that no model can go below; 0: not known */
	int pad;                /* random crop: zeros added on each side; 0 = no crop */
	bool flip;              /* random horizontal flip */
	int ahead;              /* batches worth reading ahead per compute thread; 0: it is quick */
	uint64_t digest;        /* of the contents, or of the recipe of a procedural set */
	enum standing standing;
	char *path;             /* folder or file it was read from, owned; NULL: nowhere */
	void *priv;
};

struct dataset_type {
	struct plugin plugin;
	bool tokens;
	/* What open() would give, without reading pixels; see dataset_shape(). */
	int height, width, channels, classes;
	/* The same where it depends on the settings, else NULL. 0 or error(). */
	int (*shape)(const void *conf, struct dataset_shape *shape);
	/*
	 * n[] <- the samples of each split that open() would give, without reading pixels,
	 * or at all where they are known. 0; -1 after error(); 1 when only open() can
	 * tell, as when this is NULL.
	 */
	int (*count)(const void *conf, int64_t n[2]);
	/*
	 * 0 when the files that open() would read are there, else error() naming the first that
	 * is not, and how to get it; NULL: there are none, or shape() has read them.
	 */
	int (*look)(const void *conf);
	/*
	 * Fills in the settings that only the files can tell, a digest of their contents, and
	 * fails where another was given; NULL: there are none. 0 or error().
	 */
	int (*complete)(void *conf);
	/*
	 * After complete(): a number of the contents, 0 where the other settings tell them;
	 * NULL: they always do.
	 */
	uint64_t (*contents)(const void *conf);
	/* Opens; NULL after error() naming the file. The caller closes with dataset_close(). */
	struct dataset *(*open)(const void *conf);
	/* Pixels of one sample as height x width x channels bytes, and its label. */
	void (*sample)(const struct dataset *ds, enum split split, int64_t i, uint8_t *pixels,
		       int32_t *label);
	/*
	 * Instead of sample(), else NULL: the same bytes as the net is to see them,
	 * augmented by draws from r; r NULL: as in evaluation. A function of (i, r) alone.
	 * 0 or error(): it cannot be read.
	 */
	int (*view)(const struct dataset *ds, enum split split, int64_t i, struct rng *r,
		     uint8_t *pixels, int32_t *label);
	/*
	 * Of a set of vectors, instead of sample(), else NULL: numbers[height x width x channels]
	 * as the net is to see them. A function of i alone.
	 */
	void (*vector)(const struct dataset *ds, enum split split, int64_t i, float *numbers,
		       int32_t *label);
	/*
	 * Of a set of text, instead of sample(), else NULL: tokens[height] of window i and the
	 * token that follows each, -1 where another window has that one as its label. A training
	 * window begins at a position drawn from r; r NULL: at a fixed one.
	 */
	void (*window)(const struct dataset *ds, enum split split, int64_t i, struct rng *r,
		       float *tokens, int32_t *next);
	/*
	 * part[workers] <- the training samples that each worker has for itself. 0; 1: all share
	 * all; -1 after error(). NULL: they always do.
	 */
	int (*parts)(const struct dataset *ds, int workers, struct sample_part *part);
	/* True where parts() gives them, which the settings tell; NULL: never. */
	bool (*apart)(const void *conf);
	/* Of a set of text: the tokens[*n] of a text, owned by the caller; NULL after error(). */
	int32_t *(*encode)(const struct dataset *ds, const char *text, size_t *n);
	/* Of a set of text: the bytes [*n] of a token, borrowed; *spaced: a space follows. */
	const char *(*spell)(const struct dataset *ds, int32_t token, size_t *n, bool *spaced);
	/* The label alone, where that is quick, else NULL. */
	int32_t (*label)(const struct dataset *ds, enum split split, int64_t i);
	/* [channels] mean and deviation of training pixels / 255; NULL: there are no pixels. */
	void (*moments)(const struct dataset *ds, float *mean, float *dev);
	void (*close)(struct dataset *ds);      /* frees priv, not ds */
};

/*
 * Fetches a batch as the nets take it: images[n][height][width][channels] of
 * (pixel / 255 - mean) / dev, or of vectors' numbers, labels[n]; or tokens[n][height] and
 * labels[n][height]. With b->use, a training batch is cropped and flipped, or its windows begin
 * at random positions, by draws at (b->seed, RNG_AUGMENT, 0, use). Thread safe. 0 or error().
 */
int dataset_fetch(const struct dataset *ds, enum split split, const struct batch *b,
		  float *images, int32_t *labels);

/*
 * The two halves of dataset_fetch() for a set with view(): the bytes of the
 * batch's i-th sample, 0 or error(); and n samples' bytes as the nets take them.
 */
int dataset_view(const struct dataset *ds, enum split split, const struct batch *b, size_t i,
		 uint8_t *pixels, int32_t *label);
void dataset_normalise(const struct dataset *ds, size_t n, const uint8_t *pixels, float *images);

/* Bytes of one sample: height x width x channels. */
size_t dataset_sample_bytes(const struct dataset *ds);

/* The sizes that a set with these settings has, without opening it. 0 or error(). */
int dataset_shape(const struct dataset_type *type, const void *conf,
		  struct dataset_shape *shape);

/* As the member count, which may be NULL. */
int dataset_count(const struct dataset_type *type, const void *conf, int64_t n[2]);

/* As the member look, which may be NULL. */
int dataset_look(const struct dataset_type *type, const void *conf);

/* As the members complete and contents, which may be NULL. */
int dataset_complete(const struct dataset_type *type, void *conf);
uint64_t dataset_contents(const struct dataset_type *type, const void *conf);

/* As the member parts, which may be NULL, as may ds. */
int dataset_parts(const struct dataset *ds, int workers, struct sample_part *part);

/* Closes and frees; NULL is fine. */
void dataset_close(struct dataset *ds);

#endif
