/* Loads, decodes, crops and resizes one photograph, for all data sets of photographs. */
#include "data/photo/photo.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/paths.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the part of a photograph that a net is shown ---- */

enum { TRIES = 10 };            /* draws of a random part until one fits, as in fb.resnet.torch */

/* v pixels rounded, at least 1. */
static int round_side(double v)
{
	return v < 1.0 ? 1 : (int)floor(v + 0.5);
}

/* A source's side of `source` pixels resized to `side` outputs, of which the middle n are kept. */
static struct axis augment_middle(int source, int side, int n)
{
	return (struct axis){ .scale = (double)source / side, .first = (side - n) / 2, .n = n,
			      .hi = source };
}

/*
 * The square of resize x resize outputs before the crop: the whole photograph, squeezed (caffe); or
 * the middle of the photograph resized to have a shorter side of `resize` (the others).
 */
static struct frame augment_square(const struct augment *a, int height, int width)
{
	const int shorter = height < width ? height : width;
	int h = a->resize, w = a->resize;

	if (a->kind != AUGMENT_CAFFE) {
		h = round_side((double)height * a->resize / shorter);
		w = round_side((double)width * a->resize / shorter);
	}
	return (struct frame){ .y = augment_middle(height, h, a->resize),
			       .x = augment_middle(width, w, a->resize) };
}

/* Keeps `crop` outputs of an axis, at a random offset; r NULL: in the middle. */
static void augment_cut(struct axis *a, int crop, struct rng *r)
{
	const int spare = a->n - crop;

	a->first += r ? (int)rng_below(r, (uint64_t)spare + 1) : spare / 2;
	a->n = crop;
}

static struct frame cut_square(const struct augment *a, int height, int width, struct rng *r)
{
	struct frame f = augment_square(a, height, width);

	augment_cut(&f.y, a->crop, r);
	augment_cut(&f.x, a->crop, r);
	return f;
}

/* n outputs over `size` source pixels, at a random offset in a side of `side`. */
static struct axis random_axis(int side, int size, int n, struct rng *r)
{
	const int lo = (int)rng_below(r, (uint64_t)(side - size) + 1);

	return (struct axis){ .begin = lo, .scale = (double)size / n, .n = n, .lo = lo,
			      .hi = lo + size };
}

/*
 * crop x crop outputs over a random part of w x h pixels: w h is 8 to 100 % of the area, w / h or
 * h / w 3/4 to 4/3. If none of TRIES fits: the middle of the photograph, its shorter side as crop.
 */
static struct frame random_part(const struct augment *a, int height, int width, struct rng *r)
{
	for (int i = 0; i < TRIES; i++) {
		double area = (0.08 + 0.92 * rng_uniform(r)) * height * width;
		double aspect = 3.0 / 4.0 + (4.0 / 3.0 - 3.0 / 4.0) * rng_uniform(r);
		int w = round_side(sqrt(area * aspect)), h = round_side(sqrt(area / aspect));

		if (rng_u32(r) & 1) {
			int swap = w;
			w = h;
			h = swap;
		}
		if (h <= height && w <= width) {
			struct axis y = random_axis(height, h, a->crop, r);
			struct axis x = random_axis(width, w, a->crop, r);

			return (struct frame){ .y = y, .x = x };
		}
	}
	return cut_square(&(struct augment){ a->kind, a->crop, a->crop }, height, width, NULL);
}

struct frame augment_draw(const struct augment *a, int height, int width, struct rng *r)
{
	struct frame f;
	bool mirror;

	if (!r || a->kind == AUGMENT_NONE)
		return cut_square(a, height, width, NULL);
	mirror = rng_u32(r) & 1;
	f = a->kind == AUGMENT_RESNET ? random_part(a, height, width, r) :
					cut_square(a, height, width, r);
	f.mirror = mirror;
	return f;
}

int frame_shrink(const struct frame *f)
{
	const double scale = fmin(f->y.scale, f->x.scale);
	int shrink = 1;

	while (shrink < 8 && scale >= 2 * shrink)
		shrink *= 2;
	return shrink;
}

/* An axis over `side` source pixels, for the source shrunk to `now` pixels. */
static struct axis axis_over(struct axis a, int side, int now)
{
	const double ratio = (double)now / side;

	a.begin *= ratio;
	a.scale *= ratio;
	a.lo = (int)floor(a.lo * ratio);
	a.hi = (int)fmin(ceil(a.hi * ratio), now);
	return a;
}

struct frame frame_over(struct frame f, int height, int width, int now_height, int now_width)
{
	f.y = axis_over(f.y, height, now_height);
	f.x = axis_over(f.x, width, now_width);
	return f;
}

/* ---- resampling: taps of a triangle filter, applied to rows, then columns ---- */

struct tap {                    /* source pixels that one output is a mean of */
	int first, n;
	const float *weight;    /* [n], sum 1 */
};

struct taps {
	struct tap *at;         /* [axis.n] */
	float *weights;         /* of all taps */
	int lo, hi;             /* source pixels lo <= j < hi that any output uses */
};

static double resize_triangle(double distance, double width)
{
	return fmax(0.0, 1.0 - fabs(distance) / width);
}

/* The tap of output k. Writes its weights to *weight, and moves that past them. */
static struct tap make_tap(const struct axis *a, int k, float **weight)
{
	const double width = fmax(a->scale, 1.0);
	const double centre = a->begin + (a->first + k + 0.5) * a->scale;
	int first = (int)fmax(floor(centre - width), a->lo);
	int end = (int)fmin(ceil(centre + width), a->hi);
	struct tap t;
	double sum = 0.0;

	while (first + 1 < end && resize_triangle(first + 0.5 - centre, width) <= 0.0)
		first++;
	while (end - 1 > first && resize_triangle(end - 0.5 - centre, width) <= 0.0)
		end--;
	t = (struct tap){ first, end - first, *weight };
	for (int j = first; j < end; j++)
		sum += resize_triangle(j + 0.5 - centre, width);
	for (int j = first; j < end; j++)
		*(*weight)++ = (float)(resize_triangle(j + 0.5 - centre, width) / sum);
	return t;
}

static struct taps make_taps(const struct axis *a)
{
	const size_t most = (size_t)(2.0 * fmax(a->scale, 1.0)) + 3;    /* pixels of a tap */
	struct taps t = { .lo = a->hi, .hi = a->lo };
	float *weight;

	t.at = xcalloc((size_t)a->n, sizeof *t.at);
	t.weights = weight = vec_new((size_t)a->n * most);
	for (int k = 0; k < a->n; k++) {
		t.at[k] = make_tap(a, k, &weight);
		t.lo = t.at[k].first < t.lo ? t.at[k].first : t.lo;
		t.hi = t.at[k].first + t.at[k].n > t.hi ? t.at[k].first + t.at[k].n : t.hi;
	}
	return t;
}

/* mean[n] <- mean of the tap's rows, which are `stride` bytes apart and begin with `row`. */
static void mix_rows(size_t n, size_t stride, const struct tap *t, const uint8_t *row,
		     float *mean)
{
	memset(mean, 0, n * sizeof *mean);
	for (int k = 0; k < t->n; k++, row += stride) {
		const float w = t->weight[k];

		for (size_t i = 0; i < n; i++)
			mean[i] += w * (float)row[i];
	}
}

/* out[3] <- mean of the tap's pixels, which begin at `from`, three floats each; rounded. */
static void mix_pixels(const struct tap *t, const float *from, uint8_t *out)
{
	float r = 0.5f, g = 0.5f, b = 0.5f;

	for (int k = 0; k < t->n; k++, from += 3) {
		r += t->weight[k] * from[0];
		g += t->weight[k] * from[1];
		b += t->weight[k] * from[2];
	}
	out[0] = (uint8_t)r;
	out[1] = (uint8_t)g;
	out[2] = (uint8_t)b;
}

/* resize() at scale 1, where each output is a source pixel. */
static void copy_pixels(const struct picture *from, const struct frame *f, uint8_t *out)
{
	const size_t row = 3 * (size_t)f->x.n;

	for (int i = 0; i < f->y.n; i++, out += row) {
		const uint8_t *at = from->rgb + 3 * ((size_t)(f->y.first + i) *
						     (size_t)from->width + (size_t)f->x.first);

		if (!f->mirror)
			memcpy(out, at, row);
		for (int k = 0; f->mirror && k < f->x.n; k++)
			for (int c = 0; c < 3; c++)
				out[row - 3 - 3 * (size_t)k + (size_t)c] = at[3 * k + c];
	}
}

/* resize() at any scale: rows are mixed first, then the pixels of the resulting row. */
static void mix_picture(const struct picture *from, const struct frame *f, uint8_t *out)
{
	struct taps y = make_taps(&f->y), x = make_taps(&f->x);
	const size_t stride = (size_t)from->width * 3, n = (size_t)(x.hi - x.lo) * 3;
	float *mean = vec_new(n);

	for (int i = 0; i < f->y.n; i++, out += 3 * f->x.n) {
		mix_rows(n, stride, &y.at[i],
			 from->rgb + (size_t)y.at[i].first * stride + 3 * (size_t)x.lo, mean);
		for (int k = 0; k < f->x.n; k++)
			mix_pixels(&x.at[k], mean + 3 * (x.at[k].first - x.lo),
				   out + 3 * (f->mirror ? f->x.n - 1 - k : k));
	}
	free_all(mean, x.at, x.weights, y.at, y.weights);
}

void resize(const struct picture *from, const struct frame *f, uint8_t *out)
{
	if (f->y.scale == 1.0 && f->y.begin == 0.0 && f->x.scale == 1.0 && f->x.begin == 0.0)
		copy_pixels(from, f, out);
	else
		mix_picture(from, f, out);
}

/* ---- settings, and a photograph as a net sees it ---- */

enum { MOST_BYTES = 1 << 26 };  /* of a photograph */

const char *const photo_augments[] = { "none", "caffe", "alexnet", "resnet", NULL };
const char *const photo_inputs[] = { "auto", "torch", "caffe", NULL };

/* The augmentations of nets before batch normalisation: 227 pixels a side, values not scaled. */
static bool is_before_batchnorm(const struct photo_conf *conf)
{
	return conf->augment == AUGMENT_CAFFE || conf->augment == AUGMENT_ALEXNET;
}

int photo_augment(const struct photo_conf *conf, const char *set, struct augment *a)
{
	*a = (struct augment){ .kind = (enum augment_kind)conf->augment,
			       .crop = (int)conf->crop, .resize = (int)conf->resize };
	if (a->crop == 0)
		a->crop = is_before_batchnorm(conf) ? 227 : 224;
	if (a->resize == 0)
		a->resize = 256;
	if (a->crop > a->resize)
		return error("data set %s: crop=%d is more than resize=%d", set, a->crop,
			     a->resize);
	return 0;
}

/*
 * torch: mean and deviation of ImageNet's training pixels, as in fb.resnet.torch and torchvision.
 * caffe: pixels from 0 to 255 minus 123, 117, 104 (R, G, B), the mean_value of Caffe's models.
 */
void photo_moments(const struct photo_conf *conf, float *mean, float *dev)
{
	const bool caffe = conf->input == PHOTO_CAFFE ||
			   (conf->input == PHOTO_AUTO && is_before_batchnorm(conf));
	static const float means[2][3] = { { 0.485f, 0.456f, 0.406f },
					   { 123.0f / 255, 117.0f / 255, 104.0f / 255 } };
	static const float devs[2][3] = { { 0.229f, 0.224f, 0.225f },
					  { 1.0f / 255, 1.0f / 255, 1.0f / 255 } };

	memcpy(mean, means[caffe], sizeof means[0]);
	memcpy(dev, devs[caffe], sizeof devs[0]);
}

/* pixels <- frame f of a height x width JPEG, decoded no larger than the frame needs. */
static int photo_show(struct jpeg *j, struct frame f, int height, int width, uint8_t *pixels,
		      char why[JPEG_WHY])
{
	scoped_by(picture_release) struct picture p = { 0 };
	int r = jpeg_read(j, frame_shrink(&f), &p, why);

	if (r == 0) {
		f = frame_over(f, height, width, p.height, p.width);
		resize(&p, &f, pixels);
	}
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

int photo_load(const char *path, uint8_t **at, size_t *n, char why[JPEG_WHY])
{
	FILE *f = file_open(path);
	struct stat st;
	size_t got;
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
		got = fread(*at, 1, *n, f);
		ret = got == *n ? 0 : -1;
		if (ret && ferror(f))
			snprintf(why, JPEG_WHY, "cannot read: %s", strerror(errno));
		else if (ret)
			snprintf(why, JPEG_WHY, "cannot read: %zu of %zu bytes came", got, *n);
	}
	if (f)
		fclose(f);
	return ret;
}
