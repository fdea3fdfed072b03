/* Makes a data set of a user's arrays: checks labels, counts classes, scales inputs. */
#include "data/samples.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "data/store.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAD = 4 };               /* zeros on each side of an image that is cropped */

const char *const samples_losses[] = { "auto", "cross-entropy", "mse", "bce", NULL };

struct samples {                /* priv of an opened set */
	float *numbers[2];
	uint8_t *pixels[2];
	int32_t *labels[2];     /* [n][dataset_labels()] */
	float *mean, *dev;      /* [channels] of pixel / 255 over the training samples */
};

static size_t raw_size(const struct samples_raw *raw)
{
	return (size_t)raw->height * (size_t)raw->width * (size_t)raw->channels;
}

void samples_release(struct samples_raw *raw)
{
	for (int k = 0; k < 2; k++) {
		free_all(raw->numbers[k], raw->pixels[k], raw->targets[k]);
		raw->numbers[k] = NULL;
		raw->pixels[k] = NULL;
		raw->targets[k] = NULL;
	}
}

uint64_t samples_digest(const struct samples_raw *raw)
{
	const size_t size = raw_size(raw);
	char *text = xasprintf("%d %d %d %d %d %d", raw->height, raw->width, raw->channels,
			       raw->pixels[0] != NULL, raw->outputs, raw->whole);
	uint64_t h = digest_bytes(0, (const uint8_t *)text, strlen(text));

	free(text);
	for (int k = 0; k < 2; k++) {
		const size_t n = (size_t)raw->n[k];

		if (raw->pixels[k])
			h = digest_bytes(h, raw->pixels[k], n * size);
		if (raw->numbers[k])
			h = digest_bytes(h, (const uint8_t *)raw->numbers[k],
					 n * size * sizeof(float));
		if (raw->targets[k])
			h = digest_bytes(h, (const uint8_t *)raw->targets[k],
					 n * (size_t)raw->outputs * sizeof(double));
	}
	return h;
}

void samples_note_own(char *text)
{
	static struct texts said;

	if (texts_have(&said, text)) {
		free(text);
		return;
	}
	texts_put(&said, text);
	note_own(text);
}

/* ---- splits ---- */

/* Makes the last N training samples the test samples: a copy of them. 0 or error(). */
static int split_hold_out(struct samples_raw *raw, int64_t n, const char *path)
{
	const size_t size = raw_size(raw), outputs = (size_t)raw->outputs;
	const int64_t rest = raw->n[SPLIT_TRAIN] - n;

	if (rest < 1)
		return error("%s: holdout=%" PRId64 " leaves none of the %" PRId64
			     " training samples. Choose a smaller one", path, n,
			     raw->n[SPLIT_TRAIN]);
	free_all(raw->numbers[SPLIT_TEST], raw->pixels[SPLIT_TEST], raw->targets[SPLIT_TEST]);
	if (raw->pixels[SPLIT_TRAIN]) {
		raw->pixels[SPLIT_TEST] = xcalloc((size_t)n, size);
		memcpy(raw->pixels[SPLIT_TEST], raw->pixels[SPLIT_TRAIN] + (size_t)rest * size,
		       (size_t)n * size);
	} else {
		raw->numbers[SPLIT_TEST] = vec_new((size_t)n * size);
		memcpy(raw->numbers[SPLIT_TEST], raw->numbers[SPLIT_TRAIN] + (size_t)rest * size,
		       (size_t)n * size * sizeof(float));
	}
	raw->targets[SPLIT_TEST] = xcalloc((size_t)n * outputs, sizeof(double));
	memcpy(raw->targets[SPLIT_TEST], raw->targets[SPLIT_TRAIN] + (size_t)rest * outputs,
	       (size_t)n * outputs * sizeof(double));
	raw->target_name[SPLIT_TEST] = raw->target_name[SPLIT_TRAIN];
	raw->n[SPLIT_TRAIN] = rest;
	raw->n[SPLIT_TEST] = n;
	return 0;
}

static int split_choose(struct samples_raw *raw, const struct samples_conf *conf, const char *path)
{
	const int64_t asked[2] = { conf->train, conf->test };
	static const char *const name[2] = { "train", "test" };

	if (conf->holdout && split_hold_out(raw, conf->holdout, path))
		return -1;
	for (int k = 0; k < 2; k++) {
		if (asked[k] > raw->n[k])
			return error("%s: %s=%" PRId64 ", but there are %" PRId64 " %s samples",
				     path, name[k], asked[k], raw->n[k], name[k]);
		if (asked[k])
			raw->n[k] = asked[k];
	}
	return 0;
}

/* ---- targets ---- */

/* The largest target of the training samples, if all are whole and none is negative; else NaN. */
static double targets_whole(const struct samples_raw *raw)
{
	const size_t n = (size_t)raw->n[SPLIT_TRAIN] * (size_t)raw->outputs;
	double most = 0.0;

	for (size_t i = 0; i < n; i++) {
		const double y = raw->targets[SPLIT_TRAIN][i];

		if (!(y >= 0.0 && floor(y) >= y))
			return (double)NAN;
		most = fmax(most, y);
	}
	return most;
}

static int targets_loss(const struct samples_raw *raw, const struct samples_conf *conf,
			const char *path, enum loss *loss)
{
	static const enum loss chosen[] = { [SAMPLES_CROSS_ENTROPY] = LOSS_CROSS_ENTROPY,
					    [SAMPLES_MSE] = LOSS_MSE, [SAMPLES_BCE] = LOSS_BCE };
	const bool automatic = conf->loss == SAMPLES_AUTO;

	*loss = automatic ? raw->whole ? LOSS_CROSS_ENTROPY : LOSS_MSE : chosen[conf->loss];
	if (*loss != LOSS_CROSS_ENTROPY && conf->classes)
		return error("%s: classes=%" PRId64 " is for loss=cross-entropy, and the loss is "
			     "%s%s. Leave it out", path, conf->classes,
			     *loss == LOSS_MSE ? "mse" : "bce",
			     automatic ? ", as targets are floats" : "");
	if (*loss == LOSS_CROSS_ENTROPY && !raw->whole && isnan(targets_whole(raw)))
		return error("%s: %s has floats, and loss=cross-entropy needs classes (expected "
			     "integers from 0). Convert it: .astype('int64'); or choose loss=mse "
			     "or bce", path, raw->target_name[0]);
	if (*loss == LOSS_CROSS_ENTROPY && raw->outputs != 1)
		return error("%s: %s has %d integers for each sample (expected one, the class). "
			     "Choose loss=bce for several labels that are 0 or 1, loss=mse for "
			     "numbers, or convert one-hot rows: .argmax(axis=1)", path,
			     raw->target_name[0], raw->outputs);
	return 0;
}

/* Checks the targets of a split; *most <- the largest. 0 or error(). */
static int targets_check(const struct samples_raw *raw, enum split split, enum loss loss,
			 const struct samples_conf *conf, const char *path, double *most)
{
	const size_t n = (size_t)raw->n[split] * (size_t)raw->outputs;
	const double *y = raw->targets[split], limit = conf->classes ? (double)conf->classes - 1
								     : SAMPLES_MOST_CLASSES - 1;

	for (size_t i = 0; i < n; i++) {
		const size_t sample = i / (size_t)raw->outputs;
		const char *name = raw->target_name[split];

		if (!isfinite(y[i]) || fabs(y[i]) > (double)3e38F)
			return error("%s: %s: the target of sample %zu (from 0) is %g (expected a "
				     "finite number)", path, name, sample, y[i]);
		if (loss == LOSS_CROSS_ENTROPY && floor(y[i]) < y[i])
			return error("%s: %s: the label of sample %zu (from 0) is %g (expected an "
				     "integer, the class)", path, name, sample, y[i]);
		if (loss == LOSS_CROSS_ENTROPY && !(y[i] >= 0 && y[i] <= limit))
			return error("%s: %s: the label of sample %zu (from 0) is %.0f (expected 0 "
				     "to %.0f). Number the classes from 0, or choose loss=mse for "
				     "numbers", path, name, sample, y[i], limit);
		if (loss == LOSS_BCE && !(y[i] >= 0 && y[i] <= 1))
			return error("%s: %s: a target of sample %zu (from 0) is %g (expected 0 to "
				     "1 for loss=bce)", path, name, sample, y[i]);
		*most = fmax(*most, y[i]);
	}
	return 0;
}

/* Says which classes no training sample has: a gap may be a mistake in numbering. */
static void targets_note_gaps(const struct samples_raw *raw, int classes, const char *path)
{
	scoped bool *seen = xcalloc((size_t)classes, sizeof(*seen));
	int missing = 0, first = 0;

	for (int64_t i = 0; i < raw->n[SPLIT_TRAIN]; i++)
		seen[(int)raw->targets[SPLIT_TRAIN][i]] = true;
	for (int c = classes; c-- > 0;)
		if (!seen[c]) {
			missing++;
			first = c;
		}
	if (missing)
		samples_note_own(xasprintf("%s: %d of the %d classes have no training sample, the "
					   "first of them is %d", path, missing, classes, first));
}

/* True if each training sample has one target that is 1, and others that are 0. */
static bool targets_one_hot(const struct samples_raw *raw)
{
	const size_t outputs = (size_t)raw->outputs, n = (size_t)raw->n[SPLIT_TRAIN] * outputs;

	for (size_t i = 0, ones = 0; i < n; i++) {
		ones = i % outputs ? ones : 0;
		ones += raw->targets[SPLIT_TRAIN][i] > 0.5;
		if (i % outputs == outputs - 1 && ones != 1)
			return false;
	}
	return true;
}

/*
 * Tells of numbers that may as well be classes, as programs write them after a missing value, or
 * as a column for each class.
 */
static void targets_note_classes(const struct samples_raw *raw, const struct samples_conf *conf,
				 const char *path)
{
	static const double most_classes = 100;
	const double most = targets_whole(raw);
	const char *name = raw->target_name[0];

	if (conf->loss != SAMPLES_AUTO || !(most >= 1))
		return;
	if (raw->outputs == 1 && most < most_classes)
		samples_note_own(xasprintf(
			"%s: %s has floats, so a net learns them as numbers (loss=mse), without an "
			"accuracy. All are whole, from 0 to %.0f: for classes give "
			"loss=cross-entropy", path, name, most));
	else if (raw->outputs > 1 && most < 2 && targets_one_hot(raw))
		samples_note_own(xasprintf(
			"%s: %s has floats, so a net learns them as numbers (loss=mse), without an "
			"accuracy. Each row has a single 1: for classes save .argmax(axis=1)",
			path, name));
}

/* Targets in the form that nets take: classes, or the bits of floats. */
static int32_t *targets_store(const double *y, size_t n, enum loss loss)
{
	int32_t *labels = xcalloc(n, sizeof(*labels));

	for (size_t i = 0; i < n; i++)
		labels[i] = loss == LOSS_CROSS_ENTROPY ? (int32_t)y[i] : target_bits((float)y[i]);
	return labels;
}

/* ---- inputs ---- */

/* Shifts and scales each of `size` numbers by its mean and deviation over the training samples. */
static void inputs_standardise(struct samples_raw *raw)
{
	const size_t size = raw_size(raw);
	double *mean = xcalloc(2 * size, sizeof(*mean)), *dev = mean + size;
	const double n = (double)raw->n[SPLIT_TRAIN];

	for (int64_t i = 0; i < raw->n[SPLIT_TRAIN]; i++)
		for (size_t k = 0; k < size; k++)
			mean[k] += (double)raw->numbers[SPLIT_TRAIN][(size_t)i * size + k];
	for (size_t k = 0; k < size; k++)
		mean[k] /= n;           /* of equal numbers exactly that number */
	for (int64_t i = 0; i < raw->n[SPLIT_TRAIN]; i++)
		for (size_t k = 0; k < size; k++) {
			const double d = (double)raw->numbers[SPLIT_TRAIN][(size_t)i * size + k]
				- mean[k];

			dev[k] += d * d / n;
		}
	for (size_t k = 0; k < size; k++)
		dev[k] = dev[k] > 0 ? sqrt(dev[k]) : 1;         /* a constant becomes 0 */
	for (int s = 0; s < 2; s++)
		for (int64_t i = 0; i < raw->n[s]; i++)
			for (size_t k = 0; k < size; k++) {
				float *x = &raw->numbers[s][(size_t)i * size + k];

				*x = (float)(((double)*x - mean[k]) / dev[k]);
			}
	free(mean);
}

/* Says that inputs are large, with which most learning rates diverge. */
static void inputs_note_large(const struct samples_raw *raw, const char *path)
{
	static const float large = 100.0F;
	const size_t n = (size_t)raw->n[SPLIT_TRAIN] * raw_size(raw);
	float most = 0.0F;

	for (size_t i = 0; i < n; i++)
		most = fmaxf(most, fabsf(raw->numbers[SPLIT_TRAIN][i]));
	if (most > large)
		samples_note_own(xasprintf("%s: inputs are as large as %.3g, with which training "
					   "may diverge; standardise=true gives each mean 0 and "
					   "deviation 1", path, (double)most));
}

/* s->mean, s->dev <- of each channel's training pixels / 255; a constant channel's is 1. */
static void inputs_measure(struct samples *s, const struct samples_raw *raw)
{
	const size_t c = (size_t)raw->channels, n = (size_t)raw->n[SPLIT_TRAIN] * raw_size(raw);
	const size_t pixels = n / c;
	const uint8_t *at = raw->pixels[SPLIT_TRAIN];

	s->mean = vec_new(2 * c);
	s->dev = s->mean + c;
	for (size_t k = 0; k < c; k++) {
		uint64_t sum = 0, squares = 0;
		double mean, variance;

		for (size_t i = k; i < n; i += c) {
			sum += at[i];
			squares += (uint64_t)at[i] * at[i];
		}
		mean = (double)sum / (double)pixels;
		variance = (double)squares / (double)pixels - mean * mean;
		s->mean[k] = (float)(mean / 255);
		s->dev[k] = variance > 1e-9 ? (float)(sqrt(variance) / 255) : 1.0F;
	}
}

static int inputs_check(const struct samples_raw *raw, const struct samples_conf *conf,
			const char *path)
{
	if (raw->pixels[0] && conf->standardise)
		return error("%s: standardise is for floats, and these are bytes, whose channels "
			     "get mean 0 and deviation 1 without it. Leave it out", path);
	if (raw->numbers[0] && (conf->crop || conf->flip))
		return error("%s: crop and flip are for images of bytes (uint8), and these are "
			     "numbers. Leave them out", path);
	return 0;
}

/* ---- the data set ---- */

struct dataset *samples_open(const struct dataset_type *type, struct samples_raw *raw,
			     const struct samples_conf *conf, const char *path)
{
	enum loss loss = LOSS_CROSS_ENTROPY;
	struct samples *s;
	struct dataset *ds;
	double most = 0;

	if (inputs_check(raw, conf, path) || split_choose(raw, conf, path)
	    || targets_loss(raw, conf, path, &loss)
	    || targets_check(raw, SPLIT_TRAIN, loss, conf, path, &most)
	    || targets_check(raw, SPLIT_TEST, loss, conf, path, &most))
		return NULL;
	s = xcalloc(1, sizeof(*s));
	ds = xcalloc(1, sizeof(*ds));
	*ds = (struct dataset){
		.type = type, .height = raw->height, .width = raw->width,
		.channels = raw->channels, .loss = loss, .classes = raw->outputs,
		.n = { raw->n[SPLIT_TRAIN], raw->n[SPLIT_TEST] },
		.pad = conf->crop ? PAD : 0, .flip = conf->flip,
		.path = xstrdup(path), .priv = s,
	};
	if (loss == LOSS_CROSS_ENTROPY) {
		ds->classes = conf->classes ? (int)conf->classes : (int)most + 1;
		targets_note_gaps(raw, ds->classes, path);
	} else if (loss == LOSS_MSE) {
		targets_note_classes(raw, conf, path);
	}
	if (conf->standardise)
		inputs_standardise(raw);
	else if (raw->numbers[SPLIT_TRAIN])
		inputs_note_large(raw, path);
	if (raw->pixels[0])
		inputs_measure(s, raw);
	for (int k = 0; k < 2; k++) {
		s->labels[k] = targets_store(raw->targets[k], (size_t)raw->n[k]
					     * (size_t)raw->outputs, loss);
		s->numbers[k] = raw->numbers[k];
		s->pixels[k] = raw->pixels[k];
		raw->numbers[k] = NULL;
		raw->pixels[k] = NULL;
	}
	return ds;
}

static void samples_labels(const struct dataset *ds, enum split split, int64_t i, int32_t *label)
{
	const struct samples *s = ds->priv;
	const size_t n = dataset_labels(ds);

	memcpy(label, s->labels[split] + (size_t)i * n, n * sizeof(*label));
}

void samples_sample(const struct dataset *ds, enum split split, int64_t i, uint8_t *pixels,
		    int32_t *label)
{
	const struct samples *s = ds->priv;
	const size_t size = dataset_sample_bytes(ds);

	memcpy(pixels, s->pixels[split] + (size_t)i * size, size);
	samples_labels(ds, split, i, label);
}

void samples_moments(const struct dataset *ds, float *mean, float *dev)
{
	const struct samples *s = ds->priv;

	memcpy(mean, s->mean, (size_t)ds->channels * sizeof(*mean));
	memcpy(dev, s->dev, (size_t)ds->channels * sizeof(*dev));
}

void samples_vector(const struct dataset *ds, enum split split, int64_t i, float *numbers,
		    int32_t *label)
{
	const struct samples *s = ds->priv;
	const size_t size = dataset_sample_bytes(ds);

	memcpy(numbers, s->numbers[split] + (size_t)i * size, size * sizeof(*numbers));
	samples_labels(ds, split, i, label);
}

int32_t samples_label(const struct dataset *ds, enum split split, int64_t i)
{
	return ((const struct samples *)ds->priv)->labels[split][i];
}

void samples_close(struct dataset *ds)
{
	struct samples *s = ds->priv;

	for (int k = 0; k < 2; k++)
		free_all(s->numbers[k], s->pixels[k], s->labels[k]);
	free_all(s->mean, s);
}
