/*
 * tree_save.c - writes the tree of a result file as HDF5, opens such a file, and changes one.
 *
 * HDF5's library takes milliseconds to make the 200 attributes and data sets of a result, more than
 * a short simulation takes. So it makes the first file of a shape, by which we mean all but the
 * values: names, types, lengths and their order. The bytes of that file are kept, and the values of
 * the next result of the same shape replace those in them.
 *
 * Of a data set that is long, as those of a million workers are, these bytes have none of the
 * values: they follow at the end, from where they are, and the data set's header gets their address
 * and number.
 */
#include "record/tree.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/file/output.h"
#include "record/h5.h"

#include <stdlib.h>
#include <string.h>

enum { LONG_SET = 1 << 15 };    /* bytes */

static bool set_is_long(const struct tree *t)
{
	return t->set && t->rank == 1 && t->type != TREE_TEXT && t->count * t->size >= LONG_SET;
}

/* ---- a file made by the library ---- */

static int attribute_write(hid_t object, const struct tree_attribute *a)
{
	double x;
	int64_t k;

	if (a->type == TREE_TEXT)
		return h5_put_text(object, a->name, a->value);
	if (a->type == TREE_REAL) {
		x = tree_real(a->value, a->size, 0);
		return h5_put_real(object, a->name, x);
	}
	k = tree_whole(a->value, a->size, 0);
	return a->size == sizeof(int) ? h5_put_int(object, a->name, (int)k)
				      : h5_put_whole(object, a->name, k);
}

static int text_write(hid_t parent, const struct tree *t, const void *values)
{
	scoped char *text = xcalloc((size_t)t->size + 1, 1);

	memcpy(text, values, (size_t)t->size);
	return h5_put_long_text(parent, t->name, text);
}

/* A long data set is written without its values. */
static int set_write(hid_t parent, const struct tree *root, const struct tree *t)
{
	const bool wide = t->size == sizeof(double), empty = set_is_long(t);
	const size_t n = empty ? 0 : (size_t)t->count;
	int shape[TREE_RANK] = { 0 }, rc = -1;
	scoped void *own = NULL;
	const void *v = empty ? NULL : tree_values(root, t, &own);

	for (int i = 0; i < t->rank; i++)
		shape[i] = empty ? 0 : (int)t->dim[i];
	if (t->type == TREE_TEXT)
		rc = v && t->rank == 0 ? text_write(parent, t, v) : -1;
	else if (t->type == TREE_REAL && !wide)
		rc = h5_put_floats(parent, t->name, t->rank, shape, n ? v : NULL);
	else if (t->type == TREE_REAL && t->rank == 1)
		rc = h5_put_array(parent, t->name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, n,
				  n ? v : NULL, NULL);
	else if (wide && t->rank == 1)
		rc = h5_put_array(parent, t->name, H5T_STD_I64LE, H5T_NATIVE_INT64, n,
				  n ? v : NULL, NULL);
	return rc;
}

static int group_write(hid_t group, const struct tree *root, const struct tree *t)
{
	int rc = 0;

	for (size_t i = 0; i < t->nattributes; i++)
		rc |= attribute_write(group, &t->attribute[i]);
	for (size_t i = 0; i < t->nmembers; i++) {
		const struct tree *member = t->member[i];
		hid_t below;

		if (member->set) {
			rc |= set_write(group, root, member);
			continue;
		}
		below = h5_group(group, member->name);
		rc |= below < 0 ? -1 : group_write(below, root, member);
		H5Gclose(below);
	}
	return rc;
}

/* The bytes of a file in which long data sets are empty; NULL: HDF5 failed. */
static unsigned char *library_image(const struct tree *root, size_t *n)
{
	hid_t file = h5_create(NULL);
	const bool ok = file >= 0 && group_write(file, root, root) == 0 &&
			H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
	const ssize_t size = ok ? H5Fget_file_image(file, NULL, 0) : -1;
	unsigned char *bytes = size > 0 ? xrealloc(NULL, (size_t)size, 1) : NULL;

	if (bytes && H5Fget_file_image(file, bytes, (size_t)size) != size) {
		free(bytes);
		bytes = NULL;
	}
	H5Fclose(file);
	*n = bytes ? (size_t)size : 0;
	return bytes;
}

/* ---- files of a shape that was written before ---- */

struct image {                  /* of the last file of its shape */
	struct shape {
		char *v;        /* [n] */
		size_t n, capacity;
	} shape;
	unsigned char *bytes;   /* [n] */
	size_t n;
	size_t *slot;           /* [nslots] where values are, in the order of the tree */
	size_t nslots;
	uint64_t used;
};

enum { IMAGES = 16, IMAGE_MOST = 1 << 20 };     /* that are kept; bytes of one */

static struct image images[IMAGES];

static void shape_add(struct shape *s, const void *v, size_t n)
{
	if (s->n + n > s->capacity) {
		s->capacity = 2 * (s->n + n) + 8192;
		s->v = xrealloc(s->v, s->capacity, 1);
	}
	memcpy(s->v + s->n, v, n);
	s->n += n;
}

static void shape_put(struct shape *s, const struct tree *t)
{
	const uint64_t head[] = { t->nattributes, t->nmembers, t->set, t->type, t->size,
				  set_is_long(t) ? UINT64_MAX : t->count, (uint64_t)t->rank };

	shape_add(s, head, sizeof(head));
	if (t->name)
		shape_add(s, t->name, strlen(t->name) + 1);
	if (t->rank > 1)
		shape_add(s, t->dim, (size_t)t->rank * sizeof(*t->dim));
	for (size_t i = 0; i < t->nattributes; i++) {
		const struct tree_attribute *a = &t->attribute[i];
		const uint32_t kind[] = { a->type, (uint32_t)a->size };

		shape_add(s, kind, sizeof(kind));
		shape_add(s, a->name, strlen(a->name) + 1);
	}
	for (size_t i = 0; i < t->nmembers; i++)
		shape_put(s, t->member[i]);
}

static void slot_add(struct image *im, uint64_t at)
{
	if (im->nslots % 64 == 0)
		im->slot = xrealloc(im->slot, im->nslots + 64, sizeof(*im->slot));
	im->slot[im->nslots++] = (size_t)at;
}

/* Finds the values of the tree in the file. False: something is not as it was put. */
static bool slots_find(struct image *im, const struct tree *t, const struct tree *in)
{
	bool found = in && t->set == in->set && t->nattributes == in->nattributes &&
		     t->nmembers == in->nmembers;

	for (size_t i = 0; found && i < t->nattributes; i++) {
		const struct tree_attribute *a = tree_attribute(in, t->attribute[i].name);

		found = a && a->type == t->attribute[i].type && a->size == t->attribute[i].size;
		if (found)
			slot_add(im, a->at);
	}
	if (found && t->set) {
		found = t->type == in->type && t->size == in->size && t->rank == in->rank &&
			in->count == (set_is_long(t) ? 0 : t->count);
		slot_add(im, in->at);
		slot_add(im, in->space_at);
		slot_add(im, in->layout_at);
	}
	for (size_t i = 0; found && i < t->nmembers; i++)
		found = slots_find(im, t->member[i], tree_find(in, t->member[i]->name));
	return found;
}

struct pieces {                 /* of a file: the image, long data sets, and the seal */
	struct output_piece *v; /* [n] */
	void **own;             /* [n] memory of theirs, or NULL */
	size_t n;
	uint64_t end;           /* offset of the next one */
};

static void piece_add(struct pieces *f, const void *bytes, size_t n, void *own)
{
	f->v = xrealloc(f->v, f->n + 1, sizeof(*f->v));
	f->own = xrealloc(f->own, f->n + 1, sizeof(*f->own));
	f->v[f->n] = (struct output_piece){ bytes, n };
	f->own[f->n++] = own;
	f->end += n;
}

static void pieces_release(struct pieces *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->own[i]);
	free_all(f->v, f->own);
}

static void image_number(struct image *im, size_t at, uint64_t x)
{
	for (int i = 0; i < 8; i++, x >>= 8)
		im->bytes[at + (size_t)i] = (unsigned char)x;
}

/* The header of a long data set gets its length and where its values are: at the end of f. */
static void long_set_put(struct image *im, size_t space, size_t layout, const struct tree *t,
			 uint64_t at)
{
	enum { FLAGS = 2, DIM = 8, MOST = 16, ADDRESS = 2, BYTES = 10 };

	image_number(im, space + DIM, t->count);
	if (im->bytes[space + FLAGS] & 1)
		image_number(im, space + MOST, t->count);
	image_number(im, layout + ADDRESS, at);
	image_number(im, layout + BYTES, t->count * t->size);
}

/*
 * Puts the tree's values into the image, and those of long data sets after it. The next slot; NULL:
 * a value cannot be read.
 */
static const size_t *values_put(struct image *im, struct pieces *f, const size_t *slot,
				const struct tree *root, const struct tree *t)
{
	for (size_t i = 0; i < t->nattributes; i++)
		memcpy(im->bytes + *slot++, t->attribute[i].value, t->attribute[i].size);
	if (t->set) {
		const size_t n = (size_t)t->count * t->size;
		void *own;
		const void *v = tree_values(root, t, &own);

		if (!v)
			return NULL;
		if (set_is_long(t)) {
			long_set_put(im, slot[1], slot[2], t, f->end);
			piece_add(f, v, n, own);
		} else {
			if (n)
				memcpy(im->bytes + slot[0], v, n);
			free(own);
		}
		slot += 3;
	}
	for (size_t i = 0; i < t->nmembers && slot; i++)
		slot = values_put(im, f, slot, root, t->member[i]);
	return slot;
}

static void image_release(struct image *im)
{
	free_all(im->shape.v, im->bytes, im->slot);
	*im = (struct image){ 0 };
}

/* The image of that shape, or the one that was not used for longest. */
static struct image *image_find(const struct shape *s, bool *found)
{
	static uint64_t uses;
	struct image *oldest = images;

	*found = true;
	for (struct image *im = images; im < images + IMAGES; im++) {
		if (im->shape.n == s->n && memcmp(im->shape.v, s->v, s->n) == 0) {
			im->used = ++uses;
			return im;
		}
		if (im->used < oldest->used)
			oldest = im;
	}
	*found = false;
	image_release(oldest);
	oldest->used = ++uses;
	return oldest;
}

/* Has the library make the image of a shape, which is taken over. False: HDF5 failed. */
static bool image_make(struct image *im, struct shape *s, const struct tree *root)
{
	struct tree *in = tree_new();
	bool made;

	im->bytes = library_image(root, &im->n);
	made = im->bytes && structure_of_image(in, im->bytes, im->n) && slots_find(im, root, in);
	tree_free(in);
	im->shape = *s;
	*s = (struct shape){ 0 };
	return made;
}

/* Writes the pieces with their seal. */
static int pieces_save(struct image *im, struct pieces *f, const char *path, bool final)
{
	enum { END = 40 };      /* of the file, in the superblock */
	uint64_t hash = FNV_START;
	char seal[SEAL_BYTES];

	image_number(im, END, f->end);
	for (size_t i = 0; i < f->n; i++)
		hash = fnv(hash, f->v[i].bytes, f->v[i].n);
	seal_put(hash, seal);
	piece_add(f, seal, SEAL_BYTES, NULL);
	return output_pieces(path, f->v, f->n, final);
}

int tree_save(const struct tree *root, const char *path, bool final)
{
	struct pieces f = { 0 };
	struct shape s = { 0 };
	struct image *im;
	bool found;
	int rc;

	shape_put(&s, root);
	im = image_find(&s, &found);
	found = found || image_make(im, &s, root);
	if (found) {
		piece_add(&f, im->bytes, im->n, NULL);
		found = values_put(im, &f, im->slot, root, root) != NULL;
	}
	rc = found ? pieces_save(im, &f, path, final)
		   : error("cannot write '%s': HDF5 failed", path);
	if (!found || im->n > IMAGE_MOST)
		image_release(im);
	pieces_release(&f);
	free(s.v);
	return rc;
}

/* ---- files that are there ---- */

struct tree *tree_open(const char *path, const char **fault)
{
	struct tree *t = tree_new();

	*fault = seal_read(path, &t->source);
	if (!*fault && !structure_read(t))
		*fault = "is damaged: its parts are not those of a result";
	if (!*fault)
		return t;
	tree_free(t);
	return NULL;
}

int result_change(const char *path, bool final, int (*change)(struct tree *file, const void *ctx),
		  const void *ctx)
{
	const char *fault;
	struct tree *t = tree_open(path, &fault);
	int changed;

	if (!t)
		return error("'%s' %s", path, fault);
	changed = change(t, ctx);
	if (changed < 0)
		changed = error("'%s' is not a result of convoy", path);
	else if (changed > 0 && tree_save(t, path, final) < 0)
		changed = -1;
	tree_free(t);
	return changed;
}
