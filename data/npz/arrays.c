/* Finds the arrays x_train, y_train, x_test and y_test in a user's .npz, and reads them. */
#include "data/npz/arrays.h"

#include "core/base/cores.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/text/utf8.h"
#include "data/npz/npy.h"
#include "data/npz/zip.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SIDE = 1 << 20, BLOCK = 4096 };     /* numbers of a side; elements read at once */

static const char *const names[2][2] = { { "x_train", "y_train" }, { "x_test", "y_test" } };
static const char *const target_names[2] = { "array 'y_train'", "array 'y_test'" };

/* An array of the archive that is being read. */
struct array {
	char *where;            /* "FILE: array 'x_train'", owned */
	struct zip_stream *stream;      /* owned */
	bool begun;
	struct npy npy;
};

static void array_close(struct array *a)
{
	if (a->begun)
		zip_end(a->stream);
	free_all(a->stream, a->where);
}

/* The archive's arrays, as "x_train, y_train"; the caller frees. */
static char *archive_names(const struct zip *z)
{
	enum { SHOWN = 12 };
	char *text = NULL;

	for (size_t i = 0; i < z->n && i < SHOWN; i++) {
		const char *name = z->member[i].name;
		const size_t n = strlen(name);
		const bool npy = n > 4 && n < 68 && !strcmp(name + n - 4, ".npy");
		const size_t shown = npy ? n - 4 : n < 64 ? n : utf8_whole(name, 64);

		xappendf(&text, ", ", "%.*s", (int)shown, name);
	}
	return text ? text : xstrdup("nothing");
}

/* The member of an array. NULL after error(): there is none, or more than one. */
static const struct zip_member *array_find(const struct zip *z, const char *name)
{
	char *file = xasprintf("%s.npy", name), *held;
	const struct zip_member *m = zip_find(z, file);

	for (size_t i = 0; m && i < z->n; i++)
		if (&z->member[i] != m && strcmp(z->member[i].name, file) == 0) {
			error("%s: has two arrays '%s' (expected one). Write it again", z->path,
			      name);
			free(file);
			return NULL;
		}
	if (!m) {
		held = archive_names(z);
		error("%s: has no array '%s' (it has %s). Save it as numpy.savez(FILE, "
		      "x_train=..., y_train=..., x_test=..., y_test=...)%s", z->path, name, held,
		      strstr(name, "test") ? "; or use the end of the training samples: holdout=N"
					   : "");
		free(held);
	}
	free(file);
	return m;
}

/* Opens an array and reads its header. 0 or error(); the caller calls array_close(). */
static int array_open(struct array *a, const struct zip *z, const char *name)
{
	const struct zip_member *m = array_find(z, name);
	uint8_t *header;
	size_t size;
	int ret;

	*a = (struct array){ 0 };
	if (!m)
		return -1;
	a->where = xasprintf("%s: array '%s'", z->path, name);
	a->stream = xcalloc(1, sizeof(*a->stream));
	a->begun = zip_begin(a->stream, z, m) == 0;
	if (!a->begun)
		return -1;
	header = xcalloc(NPY_MOST_HEADER + 12, 1);
	ret = zip_read(a->stream, header, 12);
	size = ret ? 0 : npy_header_size(header, a->where);
	if (size < 12 || zip_read(a->stream, header + 12, size - 12)) {
		if (size && size < 12)
			error("%s: its header is damaged", a->where);
		ret = -1;
	} else {
		const size_t from = header[6] == 1 ? 10 : 12;

		ret = npy_parse(&a->npy, (const char *)header + from, size - from, a->where);
	}
	free(header);
	if (!ret && a->npy.count * a->npy.width != m->size - size)
		ret = error("%s: %" PRIu64 " bytes of elements, and its header says %zu: damaged",
			    a->where, m->size - size, a->npy.count * a->npy.width);
	return ret;
}

/* ---- order of the elements ---- */

/* Copies elements in the file's order to row-major order, with channels last. */
struct order {
	int rank;
	size_t dim[NPY_MOST_RANK], step[NPY_MOST_RANK]; /* from the fastest index in the file on */
	size_t at[NPY_MOST_RANK];
	size_t offset;          /* of the next element in the result */
	bool straight;          /* both orders are equal */
};

static struct order order_new(const struct npy *a, bool channels_first)
{
	struct order o = { .rank = a->rank };
	size_t step[NPY_MOST_RANK] = { 0 }, size = 1;

	for (int k = a->rank; k-- > 0;) {
		/* n c h w of the file is n h w c of the result */
		const int from = channels_first ? (k == 0 ? 0 : k == a->rank - 1 ? 1 : k + 1) : k;

		step[from] = size;
		size *= a->dim[from];
	}
	for (int k = 0; k < a->rank; k++) {
		const int from = a->fortran ? k : a->rank - 1 - k;

		o.dim[k] = a->dim[from];
		o.step[k] = step[from];
	}
	o.straight = a->rank < 2 || (!a->fortran && !channels_first);
	return o;
}

/* Offset of the next element; advances. */
static inline size_t order_next(struct order *o)
{
	const size_t offset = o->offset;

	if (o->straight) {
		o->offset++;
		return offset;
	}
	for (int k = 0; k < o->rank; k++) {
		o->offset += o->step[k];
		if (++o->at[k] < o->dim[k])
			break;
		o->offset -= o->step[k] * o->dim[k];
		o->at[k] = 0;
	}
	return offset;
}

/* ---- elements ---- */

/* Result of array_elements(): one of the three, [count]. */
struct elements {
	float *numbers;
	uint8_t *pixels;
	double *wide;
};

static int element_bad(const struct array *a, size_t k, double v)
{
	return error("%s: element %zu in the file's order is %g (expected a finite number%s). "
		     "Replace it, or leave its sample out", a->where, k, v,
		     isfinite(v) ? " that float32 can hold" : "");
}

/* Reads all elements; bytes go to pixels, if that is not NULL. 0 or error(). */
static int array_elements(struct array *a, bool channels_first, const struct elements *to)
{
	struct order o = order_new(&a->npy, channels_first);
	uint8_t *raw = xcalloc(BLOCK, a->npy.width);
	double *v = xcalloc(BLOCK, sizeof(*v));
	int ret = 0;

	for (size_t done = 0, n; done < a->npy.count && !ret; done += n) {
		n = a->npy.count - done < BLOCK ? a->npy.count - done : BLOCK;
		ret = zip_read(a->stream, raw, n * a->npy.width);
		if (!ret && !to->pixels)
			npy_convert(&a->npy, n, raw, v);
		for (size_t i = 0; i < n && !ret; i++) {
			const size_t at = order_next(&o);

			if (to->pixels)
				to->pixels[at] = raw[i];
			else if (!(fabs(v[i]) <= (double)3.4e38F))
				ret = element_bad(a, done + i, v[i]);
			else if (to->numbers)
				to->numbers[at] = (float)v[i];
			else
				to->wide[at] = v[i];
		}
	}
	free_all(raw, v);
	return ret ? ret : zip_check(a->stream);
}

/* Refuses an array that is larger than the memory of a process. */
static int array_fits(const struct array *a, size_t width)
{
	const double want = (double)a->npy.count * (double)width, there = memory_there_is();

	return want <= there ? 0 :
	       error("%s: takes %.3g GB of memory, and a process has at most %.3g GB here. Use "
		     "fewer samples", a->where, 1e-9 * want, 1e-9 * there);
}

/* ---- samples ---- */

/* raw's size of a sample from the dimensions of x: n, n x c, n x h x w or n x h x w x c. */
static int inputs_shape(const struct array *a, enum npz_channels channels, struct samples_raw *raw)
{
	const struct npy *x = &a->npy;
	const bool first = channels == NPZ_CHANNELS_FIRST && x->rank == 4;
	char *shape;
	int ret = 0;

	for (int k = 0; k < x->rank; k++)
		if (x->rank > 4 || x->dim[k] < 1 || (k && x->dim[k] > MOST_SIDE))
			ret = -1;
	if (ret || x->rank < 1) {
		shape = npy_shape(x);
		error("%s: is %s (expected n, n x features, n x height x width or n x height x "
		      "width x channels, none of them 0 and at most %d a side). Reshape it",
		      a->where, shape, MOST_SIDE);
		free(shape);
		return -1;
	}
	raw->height = x->rank > 2 ? (int)x->dim[first ? 2 : 1] : 1;
	raw->width = x->rank > 2 ? (int)x->dim[first ? 3 : 2] : 1;
	raw->channels = x->rank == 4 ? (int)x->dim[first ? 1 : 3] : 1;
	if (x->rank == 2 && x->kind == 'u' && x->width == 1)
		raw->width = (int)x->dim[1];    /* flat images, whose bytes have one mean */
	else if (x->rank == 2)
		raw->channels = (int)x->dim[1];
	if (x->rank == 4 && !first && x->dim[1] <= 4 && x->dim[3] > 4)
		samples_note_own(xasprintf("%s: read as images of %zu x %zu with %zu channels; if "
					   "the channels come first, say channels=first", a->where,
					   x->dim[1], x->dim[2], x->dim[3]));
	return 0;
}

static int inputs_read(const struct zip *z, enum split split, enum npz_channels channels,
		       struct samples_raw *raw)
{
	struct samples_raw own = { 0 };
	struct elements to = { 0 };
	struct array a;
	bool bytes;
	int ret = array_open(&a, z, names[split][0]);

	if (!ret)
		ret = inputs_shape(&a, channels, &own);
	bytes = a.npy.kind == 'u' && a.npy.width == 1;
	if (!ret && split == SPLIT_TEST
	    && (own.height != raw->height || own.width != raw->width
		|| own.channels != raw->channels || bytes != (raw->pixels[0] != NULL)))
		ret = error("%s: samples of %d x %d x %d %s, and those of x_train are %d x %d x "
			    "%d %s (expected the same)", a.where, own.height, own.width,
			    own.channels, bytes ? "bytes" : "numbers", raw->height, raw->width,
			    raw->channels, raw->pixels[0] ? "bytes" : "numbers");
	if (!ret)
		ret = array_fits(&a, bytes ? 1 : sizeof(float));
	if (!ret) {
		raw->height = own.height;
		raw->width = own.width;
		raw->channels = own.channels;
		raw->n[split] = (int64_t)a.npy.dim[0];
		if (bytes)
			to.pixels = raw->pixels[split] = xcalloc(a.npy.count, 1);
		else
			to.numbers = raw->numbers[split] = vec_new(a.npy.count);
		ret = array_elements(&a, channels == NPZ_CHANNELS_FIRST && a.npy.rank == 4, &to);
	}
	array_close(&a);
	return ret;
}

static int targets_read(const struct zip *z, enum split split, struct samples_raw *raw)
{
	struct elements to = { 0 };
	struct array a;
	int ret = array_open(&a, z, names[split][1]);
	const struct npy *y = &a.npy;

	if (!ret && (y->rank < 1 || y->dim[0] != (size_t)raw->n[split])) {
		char *shape = npy_shape(y);

		ret = error("%s: is %s, and %s has %" PRId64 " samples (expected as many)", a.where,
			    shape, names[split][0], raw->n[split]);
		free(shape);
	}
	if (!ret && (y->count < 1 || y->count / y->dim[0] > SAMPLES_MOST_CLASSES))
		ret = error("%s: has %zu numbers for each sample (expected 1 to %d)", a.where,
			    y->count / y->dim[0], SAMPLES_MOST_CLASSES);
	if (!ret && split == SPLIT_TEST
	    && ((int)(y->count / y->dim[0]) != raw->outputs || npy_is_whole(y) != raw->whole))
		ret = error("%s: has %zu %s for each sample, and y_train has %d %s (expected the "
			    "same)", a.where, y->count / y->dim[0],
			    npy_is_whole(y) ? "integers" : "floats", raw->outputs,
			    raw->whole ? "integers" : "floats");
	if (!ret)
		ret = array_fits(&a, sizeof(double));
	if (!ret) {
		raw->outputs = (int)(y->count / y->dim[0]);
		raw->whole = npy_is_whole(y);
		to.wide = raw->targets[split] = xcalloc(y->count, sizeof(double));
		ret = array_elements(&a, false, &to);
	}
	array_close(&a);
	return ret;
}

int arrays_read(const char *path, FILE *file, bool test, enum npz_channels channels,
		struct samples_raw *raw)
{
	struct zip z;
	int ret;

	*raw = (struct samples_raw){ .target_name = { target_names[0], target_names[1] } };
	ret = zip_open(&z, path, file);
	for (int k = 0; k < (test ? 2 : 1) && !ret; k++) {
		ret = inputs_read(&z, (enum split)k, channels, raw);
		if (!ret)
			ret = targets_read(&z, (enum split)k, raw);
	}
	zip_close(&z);
	return ret;
}
