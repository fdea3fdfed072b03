/* Finds the arrays x_train, y_train, x_test and y_test in a user's .npz, and reads them. */
#include "data/npz/arrays.h"

#include "core/base/cores.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/text/utf8.h"
#include "data/archive_library.h"
#include "data/npz/npy.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	MOST_SIDE = 1 << 20,    /* numbers of a side */
	BLOCK = 4096,           /* elements read at once */
	BUFFER = 1 << 15        /* bytes of the file */
};

static const char *const names[2][2] = { { "x_train", "y_train" }, { "x_test", "y_test" } };
static const char *const target_names[2] = { "array 'y_train'", "array 'y_test'" };

/* The file, a ZIP archive. */
struct npz {
	const char *path;       /* for messages */
	int fd;
};

/* An array of the archive that is being read. */
struct array {
	char *where;            /* "FILE: array 'x_train'", owned */
	struct archive *in;     /* at its contents; owned */
	struct archive_entry *entry;    /* its member */
	struct npy npy;
};

static void array_close(struct array *a)
{
	if (a->in)
		archive_read_free(a->in);
	free(a->where);
}

/* Opens the archive before its first member. 0 or error(); the caller calls array_close(). */
static int archive_begin(struct array *a, const struct npz *z)
{
	if (a->in)
		archive_read_free(a->in);
	a->in = must_have(archive_read_new(), "an archive");
	archive_read_support_format_zip_seekable(a->in);
	if (lseek(z->fd, 0, SEEK_SET) == 0 && !archive_read_open_fd(a->in, z->fd, BUFFER))
		return 0;
	return error("%s: cannot be read: %s, as of a truncated file (expected an .npz file, a "
		     "ZIP archive of arrays). Write it again", z->path,
		     archive_error_string(a->in));
}

/* The name of the next member; NULL at the end, and after error(): *ret. */
static const char *archive_next(struct array *a, const struct npz *z, int *ret)
{
	const int r = archive_read_next_header(a->in, &a->entry);
	const char *name = r < ARCHIVE_WARN || r == ARCHIVE_EOF ? NULL
								: archive_entry_pathname(a->entry);

	*ret = r >= ARCHIVE_WARN ? 0 : error("%s is damaged: %s. Write it again", z->path,
					     archive_error_string(a->in));
	return *ret || r == ARCHIVE_EOF ? NULL : name ? name : "";
}

/* Adds a member's name to a list such as "x_train, y_train". */
static void names_add(char **list, const char *name)
{
	const size_t n = strlen(name);
	const bool npy = n > 4 && n < 68 && !strcmp(name + n - 4, ".npy");

	xappendf(list, ", ", "%.*s", (int)(npy ? n - 4 : n < 64 ? n : utf8_whole(name, 64)), name);
}

/* Goes to the only member of that name. 0 or error(); the caller calls array_close(). */
static int array_find(struct array *a, const struct npz *z, const char *name)
{
	enum { SHOWN = 12 };
	scoped char *file = xasprintf("%s.npy", name), *held = NULL;
	int ret = archive_begin(a, z), n = 0, found = 0;
	const char *member;

	while (!ret && (member = archive_next(a, z, &ret))) {
		found += strcmp(member, file) == 0;
		if (n++ < SHOWN)
			names_add(&held, member);
	}
	if (!ret && found > 1)
		ret = error("%s: has two arrays '%s' (expected one). Write it again", z->path,
			    name);
	else if (!ret && !found)
		ret = error("%s: has no array '%s' (it has %s). Save it as numpy.savez(FILE, "
			    "x_train=..., y_train=..., x_test=..., y_test=...)%s", z->path, name,
			    held ? held : "nothing", strstr(name, "test")
			    ? "; or use the end of the training samples: holdout=N" : "");
	if (!ret)
		ret = archive_begin(a, z);
	while (!ret && (member = archive_next(a, z, &ret)) && strcmp(member, file) != 0)
		;
	return ret;
}

/* to[n] <- the next bytes of the array. 0 or error(). */
static int array_take(struct array *a, void *to, size_t n)
{
	const la_ssize_t got = archive_read_data(a->in, to, n);

	if (got >= 0 && (size_t)got == n)
		return 0;
	return error("%s is damaged: %s. Write the file again", a->where,
		     got < 0 ? archive_error_string(a->in) : "it ends too early: truncated");
}

/* After all bytes of the array: compares its checksum. 0 or error(). */
static int array_end(struct array *a)
{
	char more;
	const la_ssize_t got = archive_read_data(a->in, &more, 1);

	return !got ? 0 : error("%s is damaged: %s. Write the file again", a->where,
				got < 0 ? archive_error_string(a->in) : "it is too long");
}

/* Refuses an array that no file of that size can hold. 0 or error(). */
static int array_check_size(const struct array *a, const struct npz *z)
{
	/* Most bytes that a byte of deflated data can stand for, and a margin for short data. */
	enum { MOST_RATIO = 1032, MARGIN = 1 << 16 };
	const int64_t bytes = archive_entry_size(a->entry);
	struct stat st;

	if (fstat(z->fd, &st) == 0 && (bytes - MARGIN) / MOST_RATIO <= st.st_size)
		return 0;
	return error("%s is damaged: the file's %jd bytes cannot be unpacked to %" PRId64, a->where,
		     (intmax_t)st.st_size, bytes);
}

/* Opens an array and reads its header. 0 or error(); the caller calls array_close(). */
static int array_open(struct array *a, const struct npz *z, const char *name)
{
	uint8_t *header;
	size_t size, bytes;
	int ret;

	*a = (struct array){ .where = xasprintf("%s: array '%s'", z->path, name) };
	if (array_find(a, z, name) || array_check_size(a, z))
		return -1;
	bytes = (size_t)archive_entry_size(a->entry);
	header = xcalloc(NPY_MOST_HEADER + 12, 1);
	ret = array_take(a, header, 12);
	size = ret ? 0 : npy_header_size(header, a->where);
	if (size < 12 || array_take(a, header + 12, size - 12)) {
		if (size && size < 12)
			error("%s: its header is damaged", a->where);
		ret = -1;
	} else {
		const size_t from = header[6] == 1 ? 10 : 12;

		ret = npy_parse(&a->npy, (const char *)header + from, size - from, a->where);
	}
	free(header);
	if (!ret && a->npy.count * a->npy.width != bytes - size)
		ret = error("%s: %zu bytes of elements, and its header says %zu: damaged",
			    a->where, bytes - size, a->npy.count * a->npy.width);
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
	scoped uint8_t *raw = xcalloc(BLOCK, a->npy.width);
	scoped double *v = xcalloc(BLOCK, sizeof(*v));
	int ret = 0;

	for (size_t done = 0, n; done < a->npy.count && !ret; done += n) {
		n = a->npy.count - done < BLOCK ? a->npy.count - done : BLOCK;
		ret = array_take(a, raw, n * a->npy.width);
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
	return ret ? ret : array_end(a);
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

static int inputs_read(const struct npz *z, enum split split, enum npz_channels channels,
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

static int targets_read(const struct npz *z, enum split split, struct samples_raw *raw)
{
	struct elements to = { 0 };
	struct array a;
	int ret = array_open(&a, z, names[split][1]);
	const struct npy *y = &a.npy;

	if (!ret && (y->rank < 1 || y->dim[0] != (size_t)raw->n[split])) {
		scoped char *shape = npy_shape(y);

		ret = error("%s: is %s, and %s has %" PRId64 " samples (expected as many)", a.where,
			    shape, names[split][0], raw->n[split]);
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

int arrays_read(const char *path, int fd, bool test, enum npz_channels channels,
		struct samples_raw *raw)
{
	const struct npz z = { path, fd };
	int ret = 0;

	*raw = (struct samples_raw){ .target_name = { target_names[0], target_names[1] } };
	for (int k = 0; k < (test ? 2 : 1) && !ret; k++) {
		ret = inputs_read(&z, (enum split)k, channels, raw);
		if (!ret)
			ret = targets_read(&z, (enum split)k, raw);
	}
	return ret;
}
