/*
 * writer.c - the HDF5 side of packing.
 *
 *	/                attributes format version as fit side
 *	/wnids           text [classes]
 *	/train, /val     images  uint8 [n][side][side][3], a chunk each; or
 *	                 jpeg    uint8 [bytes], in chunks, with begin uint64 [n + 1]
 *	                 labels int32 [n], names text [n], sums uint64 [n], chunks uint64 []
 */
#include "data/pack/writer.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/h5.h"
#include "core/file/json.h"
#include "core/file/temporary.h"
#include "data/pack/reader.h"
#include "data/store.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GROW = 1024 };           /* images by which an extent grows */
enum { FEW = 1000, SMALL_CHUNK = 1 << 12, CHUNK = 1 << 18 };    /* bytes, of JPEGs */

struct pack_file {
	char *path, *part;
	FILE *out;                      /* the part, which is ours as long as it is open */
	int side;
	bool squeezed;
	hid_t file, group, images;      /* of the split under way; -1: none */
	enum split split;
	struct packed_split s[2];       /* what the reader will have */
	struct names names;             /* of the split under way */
	size_t capacity;                /* of s's arrays */
	uint8_t *chunk;                 /* [s[split].chunk], JPEGs: the one that is being filled */
	cJSON *page;
};

static int pack_writer_broken(const struct pack_file *f)
{
	return temporary_failed(f->part, errno);
}

/* ---- images ---- */

static size_t image_bytes(const struct pack_file *f)
{
	return (size_t)f->side * (size_t)f->side * 3;
}

static int open_images(struct pack_file *f)
{
	const hsize_t side = (hsize_t)f->side, shape[4] = { 0, side, side, 3 };
	const hsize_t chunk[4] = { side ? 1 : f->s[f->split].chunk, side, side, 3 };

	f->images = h5_put_chunked(f->group, side ? "images" : "jpeg", H5T_STD_U8LE, side ? 4 : 1,
				   shape, chunk);
	return f->images < 0 ? -1 : 0;
}

static int set_extent(struct pack_file *f, uint64_t n)
{
	const hsize_t side = (hsize_t)f->side, now[4] = { n, side, side, 3 };

	return H5Dset_extent(f->images, now) < 0 ? -1 : 0;
}

/* The next chunk, in full; first: where it begins along the first dimension. */
static int put_chunk(struct pack_file *f, uint64_t first, const uint8_t *at, size_t n)
{
	const hsize_t offset[4] = { first, 0, 0, 0 };
	struct packed_split *s = &f->s[f->split];
	unsigned filters;
	haddr_t address = HADDR_UNDEF;
	hsize_t size = 0;

	if (H5Dwrite_chunk(f->images, H5P_DEFAULT, 0, offset, n, at) < 0 ||
	    H5Dget_chunk_info_by_coord(f->images, offset, &filters, &address, &size) < 0 ||
	    address == HADDR_UNDEF || size != n)
		return -1;
	if ((s->chunks & (s->chunks - 1)) == 0)         /* full: it holds 1, 2, 4, ... */
		s->at = xrealloc(s->at, s->chunks ? 2 * (size_t)s->chunks : 1, sizeof *s->at);
	s->at[s->chunks++] = address;
	return 0;
}

static int put_pixels(struct pack_file *f, const uint8_t *at, size_t n)
{
	const uint64_t i = (uint64_t)f->s[f->split].n;

	if (n != image_bytes(f))
		BUG("an image of %zu bytes, not of %zu", n, image_bytes(f));
	if (i % GROW == 0 && set_extent(f, i + GROW) < 0)
		return -1;
	return put_chunk(f, i, at, n);
}

/* The chunk that is not full yet is written when it is, or at the end. */
static int pack_writer_flush(struct pack_file *f, uint64_t bytes)
{
	const uint64_t size = f->s[f->split].chunk, first = (bytes - 1) / size * size;
	int rc = set_extent(f, bytes) < 0 || put_chunk(f, first, f->chunk, size) < 0;

	memset(f->chunk, 0, size);
	return rc ? -1 : 0;
}

static int put_stream(struct pack_file *f, const uint8_t *at, size_t n)
{
	const size_t size = f->s[f->split].chunk;
	uint64_t bytes = f->s[f->split].bytes;

	while (n) {
		size_t filled = (size_t)(bytes % size);
		size_t piece = n < size - filled ? n : size - filled;

		memcpy(f->chunk + filled, at, piece);
		bytes += piece;
		at += piece;
		n -= piece;
		if (bytes % size == 0 && pack_writer_flush(f, bytes) < 0)
			return -1;
	}
	return 0;
}

static void pack_grow(struct pack_file *f)
{
	struct packed_split *s = &f->s[f->split];

	if ((size_t)s->n + 2 <= f->capacity)
		return;
	f->capacity = f->capacity ? 2 * f->capacity : 1024;
	s->label = xrealloc(s->label, f->capacity, sizeof *s->label);
	s->sum = xrealloc(s->sum, f->capacity, sizeof *s->sum);
	s->begin = xrealloc(s->begin, f->capacity, sizeof *s->begin);
	f->names.v = xrealloc(f->names.v, f->capacity, sizeof *f->names.v);
}

int pack_file_add(struct pack_file *f, const uint8_t *at, size_t n, int32_t label,
		  const char *name)
{
	struct packed_split *s = &f->s[f->split];
	int rc;

	errno = 0;
	pack_grow(f);
	rc = f->side ? put_pixels(f, at, n) : put_stream(f, at, n);
	if (rc < 0)
		return pack_writer_broken(f);
	s->label[s->n] = label;
	s->sum[s->n] = digest_bytes(0, at, n);
	s->begin[s->n++] = s->bytes;
	s->bytes += n;
	s->begin[s->n] = s->bytes;
	f->names.v[f->names.n++] = xstrdup(name);
	return 0;
}

/* ---- splits ---- */

static const char *const split_name[] = { "train", "val" };

static void pack_writer_say(cJSON *o, const char *key, uint64_t v)
{
	cJSON_AddNumberToObject(o, key, (double)v);
}

/* 64-bit words; where they lie -> the page's `name`. */
static int put_words(struct pack_file *f, cJSON *o, const char *name, size_t n, const uint64_t *v)
{
	uint64_t at = 0;
	int rc = h5_put_array(f->group, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, n, v, &at);

	pack_writer_say(o, name, at);
	return rc;
}

/* The arrays of a split, and what the page says of it. */
static int put_index(struct pack_file *f, cJSON *o)
{
	struct packed_split *s = &f->s[f->split];
	const size_t n = (size_t)s->n;
	uint64_t labels;

	if (h5_put_array(f->group, "labels", H5T_STD_I32LE, H5T_NATIVE_INT32, n, s->label,
			   &labels) < 0 ||
	    put_words(f, o, "sums", n, s->sum) < 0 ||
	    put_words(f, o, "chunks", (size_t)s->chunks, s->at) < 0 ||
	    (!f->side && put_words(f, o, "begin", n + 1, s->begin) < 0) ||
	    h5_put_texts(f->group, "names", f->names.n, f->names.v, &s->name_width, &s->names) < 0)
		return -1;
	pack_writer_say(o, "labels", labels);
	pack_writer_say(o, "bytes", s->bytes);
	pack_writer_say(o, "chunk", s->chunk);
	pack_writer_say(o, "names", s->names);
	pack_writer_say(o, "name_width", s->name_width);
	return 0;
}

static int end_split(struct pack_file *f)
{
	struct packed_split *s = &f->s[f->split];
	cJSON *o = cJSON_AddObjectToObject(f->page, split_name[f->split]);
	int rc = 0;

	pack_writer_say(o, "n", (uint64_t)s->n);
	if (s->n && !f->side && s->bytes % s->chunk)
		rc = pack_writer_flush(f, s->bytes);
	if (s->n && f->side)
		rc = set_extent(f, (uint64_t)s->n);
	if (s->n && rc == 0)
		rc = put_index(f, o);
	if (f->side) {          /* each image begins where the one before ends */
		free(s->begin);
		s->begin = NULL;
	}
	names_release(&f->names);
	f->capacity = 0;
	H5Dclose(f->images);
	H5Gclose(f->group);
	f->images = f->group = -1;
	return rc;
}

int pack_file_split(struct pack_file *f, enum split split, size_t images)
{
	errno = 0;
	if (f->group >= 0 && end_split(f) < 0)
		return pack_writer_broken(f);
	f->split = split;
	f->s[split].chunk = f->side ? image_bytes(f) : images < FEW ? SMALL_CHUNK : CHUNK;
	free(f->chunk);
	f->chunk = f->side ? NULL : xcalloc(f->s[split].chunk, 1);
	f->group = h5_group(f->file, split_name[split]);
	return f->group < 0 || open_images(f) < 0 ? pack_writer_broken(f) : 0;
}

/* ---- the file ---- */

static void file_free(struct pack_file *f)
{
	for (int k = 0; k < 2; k++) {
		free(f->s[k].label);
		free(f->s[k].begin);
		free(f->s[k].sum);
		free(f->s[k].at);
	}
	names_release(&f->names);
	cJSON_Delete(f->page);
	if (f->out)
		fclose(f->out);
	free(f->chunk);
	free(f->path);
	free(f->part);
	free(f);
}

void pack_file_drop(struct pack_file *f)
{
	H5Dclose(f->images);
	H5Gclose(f->group);
	H5Fclose(f->file);
	unlink(f->part);
	file_free(f);
}

struct pack_file *pack_file_new(const char *path, int side, bool squeezed)
{
	struct pack_file *f = xcalloc(1, sizeof *f);
	int rc = 0;

	*f = (struct pack_file){ .path = xstrdup(path), .part = xasprintf("%s.part", path),
				 .side = side, .squeezed = squeezed, .group = -1, .images = -1 };
	f->out = temporary_open(f->part);
	if (!f->out) {
		file_free(f);
		return NULL;
	}
	errno = 0;
	f->page = cJSON_CreateObject();
	f->file = h5_create(f->part);
	if (f->file >= 0)
		rc = h5_put_text(f->file, "format", "convoy-packed") |
		     h5_put_int(f->file, "version", 1) |
		     h5_put_text(f->file, "as", side ? "pixels" : "jpeg") |
		     h5_put_text(f->file, "fit", side ? squeezed ? "squeeze" : "short" : "none") |
		     h5_put_int(f->file, "side", side);
	if (f->file >= 0 && rc == 0)
		return f;
	pack_writer_broken(f);
	pack_file_drop(f);
	return NULL;
}

static int pack_writer_describe(struct pack_file *f, const struct names *wnids)
{
	uint64_t at, width;

	if (h5_put_texts(f->file, "wnids", wnids->n, wnids->v, &width, &at) < 0)
		return -1;
	cJSON_AddStringToObject(f->page, "as", f->side ? "pixels" : "jpeg");
	cJSON_AddBoolToObject(f->page, "squeezed", f->squeezed);
	pack_writer_say(f->page, "side", (uint64_t)f->side);
	pack_writer_say(f->page, "classes", wnids->n);
	pack_writer_say(f->page, "wnids", at);
	pack_writer_say(f->page, "wnid_width", width);
	return 0;
}

/* The page as reader.h says. */
static void fill_page(struct pack_file *f, uint64_t bytes, char page[PACKED_PAGE])
{
	char digest[17], *text;

	snprintf(digest, sizeof digest, "%016" PRIx64,
		 packed_digest(packed_digest(0, &f->s[SPLIT_TRAIN]), &f->s[SPLIT_TEST]));
	cJSON_AddStringToObject(f->page, "digest", digest);
	pack_writer_say(f->page, "file", bytes);
	text = json_format(f->page, false);
	memset(page, 0, PACKED_PAGE);
	if (snprintf(page, PACKED_PAGE, "convoy-packed 1 %016" PRIx64 "\n%s",
		     packed_checksum(text), text) >= PACKED_PAGE)
		BUG("%s: the last page is too small", f->path);
	free(text);
}

/* After HDF5's own end, which it passes over. */
static int append_page(struct pack_file *f, uint64_t *bytes)
{
	off_t end = fseeko(f->out, 0, SEEK_END) ? -1 : ftello(f->out);
	char page[PACKED_PAGE];

	if (end <= 0)
		return -1;
	*bytes = (uint64_t)end + PACKED_PAGE;
	fill_page(f, *bytes, page);
	return fwrite(page, 1, PACKED_PAGE, f->out) == PACKED_PAGE ? 0 : -1;
}

int pack_file_finish(struct pack_file *f, const struct names *wnids, uint64_t *bytes)
{
	int rc;

	errno = 0;
	rc = end_split(f) < 0 || pack_writer_describe(f, wnids) < 0 ? -1 : 0;
	if (H5Fclose(f->file) < 0)
		rc = -1;
	f->file = -1;
	if (rc == 0)
		rc = append_page(f, bytes);
	if (rc == 0)
		rc = temporary_finish(f->out, f->part, f->path);
	if (rc < 0) {
		pack_writer_broken(f);
		pack_file_drop(f);
		return -1;
	}
	file_free(f);
	return 0;
}
