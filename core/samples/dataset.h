/*
 * dataset.h - labelled images, vectors, or windows of text, whatever file they came from.
 *
 * A data format is one file in data/ that exports one struct dataset_type. An opened set is read by
 * many threads at once. Small sets return whole pictures from memory, which dataset_fetch() crops
 * and mirrors; a set of photographs of many sizes returns views that it has cut and resized itself.
 * A sample of a text is a window of `height` tokens (width and channels are 1), whose labels are
 * the token after each. A sample of a set of vectors is floats that the net receives unchanged.
 */
#ifndef CORE_SAMPLES_DATASET_H
#define CORE_SAMPLES_DATASET_H

#include "core/math/bits.h"
#include "core/samples/batch.h"
#include "core/text/opt.h"

#include <stdint.h>
#include <string.h>

enum split { SPLIT_TRAIN, SPLIT_TEST };

/* Losses of a net's outputs z for the targets t of a sample; means over samples and outputs. */
enum loss {
	LOSS_CROSS_ENTROPY,     /* -log softmax(z)[t], t a class */
	LOSS_MSE,               /* (z - t)^2 */
	LOSS_BCE                /* -t log s(z) - (1 - t) log(1 - s(z)), s the logistic function */
};

struct rng;

struct dataset_shape {
	int height, width, channels, classes;
	bool tokens;            /* windows of text */
};

/* Relation of a set's contents to a published set. */
enum standing {
	SET_OWN,                /* no such set was published */
	SET_PUBLISHED,          /* as published */
	SET_PART,               /* the first samples of a published set */
	SET_OTHER               /* not as published */
};

struct dataset {
	const struct dataset_type *type;
	int height, width, channels, classes;
	/*
	 * Loss, by the kind of targets. With another one than cross-entropy, `classes` is the
	 * number of outputs of a net, and a sample has as many targets, each the bits of a float.
	 */
	enum loss loss;
	bool tokens;            /* windows of text: `height` labels a sample, not one */
	int test_window;        /* text: tokens of a window in evaluation; 0: `height` */
	bool streams;           /* training windows are read as parallel streams (batch.h) */
	int64_t n[2];           /* samples of each split */
	double least;           /* lower bound of any model's mean loss per token; 0: unknown */
	int pad;                /* random crop: zeros added on each side; 0 = no crop */
	bool flip;              /* random horizontal flip */
	int ahead;              /* batches to read ahead per compute thread; 0: reading is fast */
	uint64_t digest;        /* of the contents, or of the recipe of a procedural set */
	enum standing standing;
	char *path;             /* folder or file it was read from, owned; NULL: nowhere */
	void *priv;
};

/* How the training samples of a text are divided among the workers. */
enum parts_by {
	PARTS_OF_SETTINGS,      /* as the set's settings say */
	PARTS_DOCUMENTS,        /* documents of its own for each worker */
	PARTS_FILES             /* a file of a folder for each */
};

struct dataset_type {
	struct plugin plugin;
	bool tokens;
	/* Sizes of the set that open() would return, without reading files; see dataset_shape(). */
	int height, width, channels, classes;
	/* Sizes, if they depend on the settings, else NULL. 0 or error(). */
	int (*shape)(const void *conf, struct dataset_shape *shape);
	/*
	 * n[] <- samples of each split that open() would return, without reading pixels, or files
	 * if the number is known. 0; -1 after error(); 1 when only open() can tell, as when this is
	 * NULL.
	 */
	int (*count)(const void *conf, int64_t n[2]);
	/*
	 * 0 if the files that open() would read exist, else error() naming the first that is
	 * missing, and how to get it; NULL: there are none, or shape() has read them.
	 */
	int (*look)(const void *conf);
	/*
	 * Fills in the settings that only the files can tell, such as a digest of their contents;
	 * fails if the user gave another value. NULL: there are none. 0 or error().
	 */
	int (*complete)(void *conf);
	/*
	 * After complete(): a digest of the contents, for a run's hash; 0 if the other settings
	 * determine them, or if they are as published; NULL: the settings always do. Without
	 * error(): 0 too if the files cannot be read, which ends a run when it opens them.
	 */
	uint64_t (*contents)(const void *conf);
	/* Opens; NULL after error() naming the file. The caller closes with dataset_close(). */
	struct dataset *(*open)(const void *conf);
	/* Pixels of one sample as height x width x channels bytes, and its label. */
	void (*sample)(const struct dataset *ds, enum split split, int64_t i, uint8_t *pixels,
		       int32_t *label);
	/*
	 * Instead of sample(), else NULL: pixels as the net is to see them, augmented by draws from
	 * r; r NULL: as in evaluation. A function of (i, r) alone. 0, or error() if i cannot be
	 * read.
	 */
	int (*view)(const struct dataset *ds, enum split split, int64_t i, struct rng *r,
		     uint8_t *pixels, int32_t *label);
	/*
	 * For a set of vectors, instead of sample(), else NULL: numbers[height x width x channels]
	 * as the net is to see them. A function of i alone.
	 */
	void (*vector)(const struct dataset *ds, enum split split, int64_t i, float *numbers,
		       int32_t *label);
	/*
	 * For a text, instead of sample(), else NULL: tokens[height] of window i, and the token
	 * after each, or -1 if it is a label in another window. A training window begins at a
	 * position drawn from r; r NULL: at a fixed one.
	 */
	void (*window)(const struct dataset *ds, enum split split, int64_t i, struct rng *r,
		       float *tokens, int32_t *next);
	/*
	 * part[workers] <- each worker's own training samples. 0; 1: all workers share all samples,
	 * as neither the set's settings nor `by` ask for parts; -1 after error(). NULL: they always
	 * share.
	 */
	int (*parts)(const struct dataset *ds, int workers, enum parts_by by,
		     struct sample_part *part);
	/* True if these settings ask for parts; NULL: never. */
	bool (*apart)(const void *conf);
	/* Text: tokens[*n] of a string, owned by the caller; NULL after error(). */
	int32_t *(*encode)(const struct dataset *ds, const char *text, size_t *n);
	/* Text: bytes [*n] of a token, borrowed; *spaced: a space follows. */
	const char *(*spell)(const struct dataset *ds, int32_t token, size_t *n, bool *spaced);
	/* The label alone, if that is fast, else NULL. */
	int32_t (*label)(const struct dataset *ds, enum split split, int64_t i);
	/* [channels] mean and deviation of training pixels / 255; NULL: there are no pixels. */
	void (*moments)(const struct dataset *ds, float *mean, float *dev);
	void (*close)(struct dataset *ds);      /* frees priv, not ds */
};

/*
 * Fetches a batch in the form that nets take: images[n][height][width][channels], which are (pixel
 * / 255 - mean) / dev or a vector's numbers, and labels[n][dataset_labels()]; or tokens[n][height]
 * and labels[n][height]. With b->use, a training batch is cropped and flipped, or its windows begin
 * at random positions, by draws at (b->seed, RNG_AUGMENT, 0, use). Thread safe. 0 or error().
 */
int dataset_fetch(const struct dataset *ds, enum split split, const struct batch *b,
		  float *images, int32_t *labels);

/*
 * Two halves of dataset_fetch() for a set with view(): dataset_view() reads the bytes of the
 * batch's i-th sample, 0 or error(); dataset_normalise() converts n samples' bytes to the form that
 * nets take.
 */
int dataset_view(const struct dataset *ds, enum split split, const struct batch *b, size_t i,
		 uint8_t *pixels, int32_t *label);
void dataset_normalise(const struct dataset *ds, size_t n, const uint8_t *pixels, float *images);

/* Bytes of one sample: height x width x channels. */
size_t dataset_sample_bytes(const struct dataset *ds);

/* Labels of one sample: a class, or a target for each output; of a text, one for each token. */
static inline size_t dataset_labels(const struct dataset *ds)
{
	return ds->tokens ? (size_t)ds->height : ds->loss ? (size_t)ds->classes : 1;
}

/* A target as a label, and back: the bits of a float. */
static inline int32_t target_bits(float target)
{
	return (int32_t)float_bits(target);
}

static inline float target_value(int32_t bits)
{
	return float_of_bits((uint32_t)bits);
}

/* Sizes of a set with these settings, without opening it. 0 or error(). */
int dataset_shape(const struct dataset_type *type, const void *conf,
		  struct dataset_shape *shape);

/* Calls type->count(); 1 if that is NULL. */
int dataset_count(const struct dataset_type *type, const void *conf, int64_t n[2]);

/* Calls type->look(); 0 if that is NULL. */
int dataset_look(const struct dataset_type *type, const void *conf);

/* Call type->complete() and type->contents(); 0 if these are NULL. */
int dataset_complete(const struct dataset_type *type, void *conf);
uint64_t dataset_contents(const struct dataset_type *type, const void *conf);

/* Calls parts(); 1 if that, or ds, is NULL. */
int dataset_parts(const struct dataset *ds, int workers, enum parts_by by,
		  struct sample_part *part);

/* Closes and frees; NULL is fine. */
void dataset_close(struct dataset *ds);

#endif
