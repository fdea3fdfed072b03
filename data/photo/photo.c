/* Loads, decodes, crops and resizes one photograph for the formats that hold photographs. */
#include "data/photo/photo.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_BYTES = 1 << 26 };  /* of a photograph */

const char *const photo_augments[] = { "none", "caffe", "alexnet", "resnet", NULL };
const char *const photo_inputs[] = { "auto", "torch", "caffe", NULL };

/* Before batch normalisation, pixels were fed as they are. */
static bool is_old(const struct photo_conf *conf)
{
	return conf->augment == AUGMENT_CAFFE || conf->augment == AUGMENT_ALEXNET;
}

int photo_augment(const struct photo_conf *conf, const char *set, struct augment *a)
{
	*a = (struct augment){ .kind = (enum augment_kind)conf->augment,
			       .crop = (int)conf->crop, .resize = (int)conf->resize };
	if (a->crop == 0)
		a->crop = is_old(conf) ? 227 : 224;
	if (a->resize == 0)
		a->resize = 256;
	if (a->crop > a->resize)
		return error("data set %s: crop=%d is more than resize=%d", set, a->crop,
			     a->resize);
	return 0;
}

/*
 * torch: of ImageNet's training pixels, as in fb.resnet.torch and torchvision.
 * caffe: pixels 0 to 255 less 123, 117, 104, as its models' mean_value says.
 */
void photo_moments(const struct photo_conf *conf, float *mean, float *dev)
{
	const bool caffe = conf->input == PHOTO_CAFFE ||
			   (conf->input == PHOTO_AUTO && is_old(conf));
	static const float means[2][3] = { { 0.485f, 0.456f, 0.406f },
					   { 123.0f / 255, 117.0f / 255, 104.0f / 255 } };
	static const float devs[2][3] = { { 0.229f, 0.224f, 0.225f },
					  { 1.0f / 255, 1.0f / 255, 1.0f / 255 } };

	memcpy(mean, means[caffe], sizeof means[0]);
	memcpy(dev, devs[caffe], sizeof devs[0]);
}

/* Decodes no larger than the frame needs, and resamples. */
static int photo_show(struct jpeg *j, struct frame f, int height, int width, uint8_t *pixels,
		      char why[JPEG_WHY])
{
	struct picture p = { 0 };
	int r = jpeg_read(j, frame_shrink(&f), &p, why);

	if (r == 0) {
		f = frame_over(f, height, width, p.height, p.width);
		resize(&p, &f, pixels);
	}
	picture_release(&p);
	return r;
}

int photo_view(const struct augment *a, const uint8_t *at, size_t n, struct rng *r,
	       uint8_t *pixels, char why[JPEG_WHY])
{
	int height, width, ret = -1;
	struct jpeg *j = jpeg_open(at, n, &height, &width, why);

	if (j)
		ret = photo_show(j, augment_draw(a, height, width, r), height, width, pixels, why);
	jpeg_close(j);
	return ret;
}

int photo_square(const struct augment *a, const uint8_t *at, size_t n, uint8_t *pixels,
		 char why[JPEG_WHY])
{
	int height, width, ret = -1;
	struct jpeg *j = jpeg_open(at, n, &height, &width, why);

	if (j)
		ret = photo_show(j, augment_square(a, height, width), height, width, pixels, why);
	jpeg_close(j);
	return ret;
}

int64_t photo_spread(int64_t k, int64_t keep, int64_t n)
{
	return (int64_t)((double)k * (double)n / (double)keep);
}

/* The n bytes of a file; fewer are as unwelcome as none. */
static int photo_read_all(FILE *f, uint8_t *at, size_t n, char why[JPEG_WHY])
{
	const size_t got = fread(at, 1, n, f);

	if (got == n)
		return 0;
	if (ferror(f))
		snprintf(why, JPEG_WHY, "cannot read: %s", strerror(errno));
	else
		snprintf(why, JPEG_WHY, "cannot read: %zu of %zu bytes came", got, n);
	return -1;
}

int photo_load(const char *path, uint8_t **at, size_t *n, char why[JPEG_WHY])
{
	FILE *f = file_open(path);
	struct stat st;
	int ret = -1;

	*at = NULL;
	if (!f || fstat(fileno(f), &st)) {
		snprintf(why, JPEG_WHY, "cannot read: %s", file_why());
	} else if (st.st_size > MOST_BYTES) {
		snprintf(why, JPEG_WHY, "%lld bytes", (long long)st.st_size);
		ret = 1;
	} else {
		*n = (size_t)st.st_size;
		*at = xrealloc(NULL, *n + 1, 1);
		ret = photo_read_all(f, *at, *n, why);
	}
	if (f)
		fclose(f);
	return ret;
}
