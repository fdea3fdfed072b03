/* samples.h - data sets of the user's own numbers or pixels, with classes or numbers as targets. */
#ifndef DATA_SAMPLES_H
#define DATA_SAMPLES_H

#include "core/samples/dataset.h"

/* The two splits as a file has them. */
struct samples_raw {
	int height, width, channels;
	int64_t n[2];           /* n[SPLIT_TEST] is 0 if the file has no test samples */
	float *numbers[2];      /* [n][height][width][channels], owned; NULL: there are pixels */
	uint8_t *pixels[2];     /* [n][height][width][channels], owned; NULL: there are numbers */
	double *targets[2];     /* [n][outputs], owned */
	int outputs;
	bool whole;             /* targets are integers */
	const char *target_name[2];     /* for messages, as "array 'y_train'"; borrowed */
};

/* Settings that the formats have in common. */
struct samples_conf {
	int loss;               /* enum samples_loss */
	int64_t classes;        /* 0: the largest label + 1 */
	int64_t train, test, holdout;
	bool standardise, crop, flip;
};

enum samples_loss { SAMPLES_AUTO, SAMPLES_CROSS_ENTROPY, SAMPLES_MSE, SAMPLES_BCE };
extern const char *const samples_losses[];      /* their names, NULL-ended */

#define SAMPLES_OPTS(conf)                                                                         \
	{ "loss", OPT_AT(ENUM, conf, of.samples.loss), "auto",                                     \
	  "cross-entropy: softmax over classes; mse: mean squared error of numbers; bce: "         \
	  "binary cross-entropy of targets from 0 to 1; auto: cross-entropy of integers, mse of "  \
	  "floats", "LOSS", 0, 0, samples_losses, 0 },                                             \
	{ "classes", OPT_AT(INT, conf, of.samples.classes), "0",                                   \
	  "classes of cross-entropy; 0: the largest label plus 1", "N", 0, SAMPLES_MOST_CLASSES,   \
	  NULL, 0 },                                                                               \
	{ "standardise", OPT_AT(BOOL, conf, of.samples.standardise), "false",                      \
	  "shift and scale each number of a sample to mean 0 and deviation 1 over the training "   \
	  "samples", NULL, 0, 0, NULL, 0 },                                                        \
	{ "train", OPT_AT(INT, conf, of.samples.train), "0",                                       \
	  "use the first N training samples; 0: all", "N", 0, 1e9, NULL, 0 },                      \
	{ "test", OPT_AT(INT, conf, of.samples.test), "0",                                         \
	  "use the first N test samples; 0: all", "N", 0, 1e9, NULL, 0 }

enum { SAMPLES_MOST_CLASSES = 1 << 16 };

/* A digest of everything in the file's arrays. */
uint64_t samples_digest(const struct samples_raw *raw);

/*
 * A data set of these arrays, of which it takes what it uses, so that *raw may be released in any
 * case. NULL after error(): targets do not fit the loss, or there are too few samples. `path` is
 * copied.
 */
struct dataset *samples_open(const struct dataset_type *type, struct samples_raw *raw,
			     const struct samples_conf *conf, const char *path);
void samples_release(struct samples_raw *raw);

/* note(text), then free(text); but not the same note again, when a set is opened again. */
void samples_note_own(char *text);

/* Members of a struct dataset_type: sample() and moments() for pixels, vector() for numbers. */
void samples_sample(const struct dataset *ds, enum split split, int64_t i, uint8_t *pixels,
		    int32_t *label);
void samples_moments(const struct dataset *ds, float *mean, float *dev);
void samples_vector(const struct dataset *ds, enum split split, int64_t i, float *numbers,
		    int32_t *label);
int32_t samples_label(const struct dataset *ds, enum split split, int64_t i);
void samples_close(struct dataset *ds);

#endif
