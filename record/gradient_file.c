/* A gradient and all that it was made from, as HDF5. */
#include "record/gradient_file.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "record/h5.h"

#include <stdlib.h>

static int put_about(hid_t file, const struct export *e)
{
	static const char layouts[] =
		"conv: weight [out][kernel][kernel][in / groups], bias [out]; "
		"dense: weight [out][in], where in counts height, width, channels, bias [out]; "
		"bn: gamma [channels], beta [channels], mean and biased variance of the batch; "
		"embed: tokens [classes][out], positions [positions][out]; linear: weight "
		"[out][in], bias [out]; attention reads queries, keys, values [3][heads][size]; "
		"layernorm: gamma [channels], beta [channels]; relative: weight [out][channels "
		"of a row], bias [u, w][out]; "
		"images [sample][channel][row][column]";

	static const char *const losses[] = {
		[LOSS_CROSS_ENTROPY] = "mean softmax cross-entropy over the batch",
		[LOSS_MSE] = "mean squared error over the batch and the outputs",
		[LOSS_BCE] = "mean binary cross-entropy over the batch and the outputs (logits)",
	};

	return h5_put_text(file, "net", e->net) | h5_put_text(file, "backend", e->backend) |
	       h5_put_text(file, "precision", e->precision) |
	       h5_put_text(file, "layouts", layouts) |
	       h5_put_text(file, "dropout", "none: every unit is kept, and none is scaled") |
	       h5_put_text(file, "loss_is", losses[e->loss_is]) |
	       h5_put_whole(file, "seed", (int64_t)e->seed) | h5_put_real(file, "lr", e->lr);
}

/* A group with a dataset per blob. */
static int put_blobs(hid_t file, const char *name, const struct export *e, const float *v)
{
	hid_t group = h5_group(file, name);
	int rc = 0;

	if (group < 0)
		return -1;
	for (size_t b = 0; b < e->nblobs && !rc; b++) {
		const struct blob *blob = &e->blobs[b];

		rc = h5_put_floats(group, blob->name, blob->rank, blob->shape, v + blob->offset);
	}
	H5Gclose(group);
	return rc;
}

/* The images with each channel's pixels together; the caller frees. */
static float *by_channel(const struct export *e)
{
	const size_t pixels = (size_t)e->height * (size_t)e->width, c = (size_t)e->channels;
	float *v = vec_new(e->n * pixels * c);

	for (size_t i = 0; i < e->n; i++)
		for (size_t p = 0; p < pixels; p++)
			for (size_t k = 0; k < c; k++)
				v[(i * c + k) * pixels + p] = e->images[(i * pixels + p) * c + k];
	return v;
}

static int put_labels(hid_t group, const struct export *e)
{
	const size_t n = e->n * (size_t)e->targets;
	struct column column = { .name = "labels", .integer = true, .n = n };
	int rc;

	if (e->loss_is != LOSS_CROSS_ENTROPY) {
		const int shape[] = { (int)e->n, e->classes };
		float *targets = vec_new(e->n * (size_t)e->classes);

		for (size_t i = 0; i < e->n * (size_t)e->classes; i++)
			targets[i] = target_value(e->labels[i]);
		rc = h5_put_floats(group, "targets", 2, shape, targets);
		free(targets);
		return rc;
	}
	column.v.whole = xcalloc(n, sizeof(*column.v.whole));
	for (size_t i = 0; i < n; i++)
		column.v.whole[i] = e->labels[i];
	rc = h5_put_column(group, &column);
	free(column.v.whole);
	return rc;
}

static int put_batch(hid_t file, const struct export *e)
{
	const int shape[] = { (int)e->n, e->channels, e->height, e->width };
	const int window[] = { (int)e->n, e->height };
	const int memory[] = { (int)e->n, (int)e->memory_floats };
	hid_t group = h5_group(file, "batch");
	float *images = by_channel(e);
	int rc = group < 0 || (e->tokens ? h5_put_floats(group, "tokens", 2, window, images)
				     : h5_put_floats(group, "images", 4, shape, images)) < 0 ||
				 put_labels(group, e) < 0 ?
			 -1 :
			 0;

	if (!rc && e->memory_floats)
		rc = h5_put_floats(group, "memory", 2, memory, e->memory);
	free(images);
	if (group >= 0)
		H5Gclose(group);
	return rc;
}

static int put_reals(hid_t file, const char *name, const double *v, size_t n)
{
	const struct column column = { .name = name, .n = n,
				       .v = { .real = (double *)(uintptr_t)v } };

	return h5_put_column(file, &column);
}

static int put_results(hid_t file, const struct export *e)
{
	const int shape[] = { (int)e->n * e->targets, e->classes };

	if (h5_put_floats(file, "logits", 2, shape, e->logits) < 0 ||
	    put_reals(file, "loss", &e->loss, 1) < 0)
		return -1;
	return e->losses ? put_reals(file, "losses", e->losses, e->steps) : 0;
}

int export_write(const struct export *e, const char *path)
{
	hid_t file = h5_create(NULL);

	if (file < 0)
		return error("cannot write '%s': HDF5 failed", path);
	if (put_about(file, e) || put_blobs(file, "params", e, e->params) ||
	    put_blobs(file, "grads", e, e->grads) || put_batch(file, e) || put_results(file, e)) {
		H5Fclose(file);
		return error("cannot write '%s': HDF5 failed", path);
	}
	return h5_save(file, path, false);
}
