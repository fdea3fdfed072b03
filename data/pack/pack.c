/*
 * pack.c - packs photographs from a folder into one HDF5 file, which reader.h reads.
 *
 * /                attributes format version as fit side
 * /wnids           text [classes]
 * /train, /val     images  uint8 [n][side][side][3], a chunk each; or
 *                  jpeg    uint8 [bytes], in chunks, with begin uint64 [n + 1]
 *                  labels int32 [n], names text [n], sums uint64 [n], chunks uint64 []
 *
 *	worker:  takes the next number i, waits for its slot i % WINDOW, decodes
 *	writer:  takes the slots in order, so the file has the order of the list
 */
#include "data/pack/pack.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/base/thread.h"
#include "core/file/h5.h"
#include "core/file/json.h"
#include "core/file/temporary.h"
#include "data/pack/reader.h"
#include "data/photo/list.h"
#include "data/store.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GROW = 1024 };           /* images by which an extent grows */
enum { FEW = 1000, SMALL_CHUNK = 1 << 12, CHUNK = 1 << 18 };    /* bytes, of JPEGs */

struct pack_file {
	char *path, *part;
	FILE *out;                      /* OUT.part, locked while it is open */
	int side;
	bool squeezed;
	hid_t file, group, images;      /* of the split being written; -1: none */
	enum split split;
	struct packed_split s[2];       /* index that the reader will have */
	struct texts names;             /* of the split being written */
	size_t capacity;                /* of s's arrays */
	uint8_t *chunk;                 /* [s[split].chunk] for JPEGs: the chunk being filled */
	cJSON *page;
};

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

/* Writes the next chunk; first: its offset along the first dimension. */
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
	s->at = xgrown(s->at, (size_t)s->chunks, sizeof *s->at);
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

/* Flushes the stream. A chunk that is not full is written later: when it is full, or at the end. */
static int flush(struct pack_file *f, uint64_t bytes)
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
		if (bytes % size == 0 && flush(f, bytes) < 0)
			return -1;
	}
	return 0;
}

/* Appends an image to the split. 0 or error(). */
static int file_add(struct pack_file *f, const uint8_t *at, size_t n, int32_t label,
		    const char *name)
{
	struct packed_split *s = &f->s[f->split];

	if ((size_t)s->n + 2 > f->capacity) {
		f->capacity = f->capacity ? 2 * f->capacity : 1024;
		s->label = xrealloc(s->label, f->capacity, sizeof *s->label);
		s->sum = xrealloc(s->sum, f->capacity, sizeof *s->sum);
		s->begin = xrealloc(s->begin, f->capacity, sizeof *s->begin);
		f->names.v = xrealloc(f->names.v, f->capacity, sizeof *f->names.v);
	}
	errno = 0;
	if ((f->side ? put_pixels(f, at, n) : put_stream(f, at, n)) < 0)
		return temporary_failed(f->part, errno);
	s->label[s->n] = label;
	s->sum[s->n] = digest_bytes(0, at, n);
	s->begin[s->n++] = s->bytes;
	s->bytes += n;
	s->begin[s->n] = s->bytes;
	f->names.v[f->names.n++] = xstrdup(name);
	return 0;
}

/* ---- splits ---- */

static const char *const split_group[] = { "train", "val" };

static void say(cJSON *o, const char *key, uint64_t v)
{
	cJSON_AddNumberToObject(o, key, (double)v);
}

/* Writes n 64-bit words; their offset in the file becomes the page's `name`. */
static int pack_put_words(struct pack_file *f, cJSON *o, const char *name, size_t n,
			  const uint64_t *v)
{
	uint64_t at = 0;
	int rc = h5_put_array(f->group, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, n, v, &at);

	say(o, name, at);
	return rc;
}

/* Writes the arrays of a split, and its entry in the page. */
static int put_index(struct pack_file *f, cJSON *o)
{
	struct packed_split *s = &f->s[f->split];
	const size_t n = (size_t)s->n;
	uint64_t labels;

	if (h5_put_array(f->group, "labels", H5T_STD_I32LE, H5T_NATIVE_INT32, n, s->label,
			   &labels) < 0 ||
	    pack_put_words(f, o, "sums", n, s->sum) < 0 ||
	    pack_put_words(f, o, "chunks", (size_t)s->chunks, s->at) < 0 ||
	    (!f->side && pack_put_words(f, o, "begin", n + 1, s->begin) < 0) ||
	    h5_put_texts(f->group, "names", f->names.n, f->names.v, &s->name_width, &s->names) < 0)
		return -1;
	say(o, "labels", labels);
	say(o, "bytes", s->bytes);
	say(o, "chunk", s->chunk);
	say(o, "names", s->names);
	say(o, "name_width", s->name_width);
	return 0;
}

static int end_split(struct pack_file *f)
{
	struct packed_split *s = &f->s[f->split];
	cJSON *o = cJSON_AddObjectToObject(f->page, split_group[f->split]);
	int rc = 0;

	say(o, "n", (uint64_t)s->n);
	if (s->n && !f->side && s->bytes % s->chunk)
		rc = flush(f, s->bytes);
	if (s->n && f->side)
		rc = set_extent(f, (uint64_t)s->n);
	if (s->n && rc == 0)
		rc = put_index(f, o);
	if (f->side) {          /* images lie one after the other */
		free(s->begin);
		s->begin = NULL;
	}
	texts_release(&f->names);
	f->capacity = 0;
	H5Dclose(f->images);
	H5Gclose(f->group);
	f->images = f->group = -1;
	return rc;
}

/* Begins a split of `images` at most; the ones before are complete. 0 or error(). */
static int file_split(struct pack_file *f, enum split split, size_t images)
{
	errno = 0;
	if (f->group >= 0 && end_split(f) < 0)
		return temporary_failed(f->part, errno);
	f->split = split;
	f->s[split].chunk = f->side ? image_bytes(f) : images < FEW ? SMALL_CHUNK : CHUNK;
	free(f->chunk);
	f->chunk = f->side ? NULL : xcalloc(f->s[split].chunk, 1);
	f->group = h5_group(f->file, split_group[split]);
	return f->group < 0 || open_images(f) < 0 ? temporary_failed(f->part, errno) : 0;
}

/* ---- the file ---- */

static void file_free(struct pack_file *f)
{
	for (int k = 0; k < 2; k++)
		free_all(f->s[k].label, f->s[k].begin, f->s[k].sum, f->s[k].at);
	texts_release(&f->names);
	cJSON_Delete(f->page);
	if (f->out)
		fclose(f->out);
	free_all(f->chunk, f->path, f->part, f);
}

/* Removes what was written, and frees f. */
static void file_drop(struct pack_file *f)
{
	H5Dclose(f->images);
	H5Gclose(f->group);
	H5Fclose(f->file);
	unlink(f->part);
	file_free(f);
}

/*
 * A new file of images: side x side pixels or, if side is 0, JPEGs. There is nothing at `path`
 * before file_finish(); another process cannot write the file meanwhile. NULL after error().
 */
static struct pack_file *file_new(const char *path, int side, bool squeezed)
{
	struct pack_file *f = xcalloc(1, sizeof *f);
	int rc = 0;

	*f = (struct pack_file){ .path = xstrdup(path), .part = temporary_name(path, ".part"),
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
	temporary_failed(f->part, errno);
	file_drop(f);
	return NULL;
}

/* Appends the page (see reader.h) after the end of the HDF5 data, where HDF5 ignores it. */
static int append_page(struct pack_file *f, const struct texts *wnids, uint64_t wnids_at,
		       uint64_t wnid_width, uint64_t *bytes)
{
	off_t end = fseeko(f->out, 0, SEEK_END) ? -1 : ftello(f->out);
	char page[PACKED_PAGE] = { 0 }, digest[17], *text;

	if (end <= 0)
		return -1;
	*bytes = (uint64_t)end + PACKED_PAGE;
	cJSON_AddStringToObject(f->page, "as", f->side ? "pixels" : "jpeg");
	cJSON_AddBoolToObject(f->page, "squeezed", f->squeezed);
	say(f->page, "side", (uint64_t)f->side);
	say(f->page, "classes", wnids->n);
	say(f->page, "wnids", wnids_at);
	say(f->page, "wnid_width", wnid_width);
	snprintf(digest, sizeof digest, "%016" PRIx64,
		 packed_digest(packed_digest(0, &f->s[SPLIT_TRAIN]), &f->s[SPLIT_TEST]));
	cJSON_AddStringToObject(f->page, "digest", digest);
	say(f->page, "file", *bytes);
	text = json_format(f->page, false);
	if (snprintf(page, PACKED_PAGE, "convoy-packed 1 %016" PRIx64 "\n%s",
		     packed_checksum(text), text) >= PACKED_PAGE)
		BUG("%s: the last page is too small", f->path);
	free(text);
	return fwrite(page, 1, PACKED_PAGE, f->out) == PACKED_PAGE ? 0 : -1;
}

/* Completes and renames the file, and frees f; *bytes <- its size. 0 or error(). */
static int file_finish(struct pack_file *f, const struct texts *wnids, uint64_t *bytes)
{
	uint64_t at, width;
	int rc;

	errno = 0;
	rc = end_split(f) < 0 ||
	     h5_put_texts(f->file, "wnids", wnids->n, wnids->v, &width, &at) < 0 ? -1 : 0;
	if (H5Fclose(f->file) < 0)
		rc = -1;
	f->file = -1;
	if (rc == 0)
		rc = append_page(f, wnids, at, width, bytes);
	if (rc == 0)
		rc = temporary_finish(f->out, f->part, f->path);
	if (rc < 0) {
		temporary_failed(f->part, errno);
		file_drop(f);
		return -1;
	}
	file_free(f);
	return 0;
}

/* ---- packing a folder: some threads decode, one writes ---- */

enum { WINDOW = 64 };           /* images in work at most */

struct item {
	bool ready;
	bool lost;              /* the photograph cannot be read */
	uint8_t *at;            /* bytes to write; NULL: lost, or not decodable */
	size_t n;
	char why[JPEG_WHY];
};

struct packer {
	const struct pack_conf *conf;
	struct augment square;
	const struct photo_list *list;
	pthread_mutex_t lock;           /* guards all below */
	pthread_cond_t changed;
	size_t taken, written;          /* images */
	bool closing;
	struct item item[WINDOW];
};

/* ---- workers ---- */

/*
 * Prepares photograph i: its JPEG, if that can be decoded (shrunk, only to check it), or its
 * square.
 */
static void prepare(const struct packer *p, size_t i, struct item *it)
{
	const size_t n = (size_t)p->square.resize * (size_t)p->square.resize * 3;
	char *path = photo_path(p->list, i);
	uint8_t *pixels = NULL;
	const int r = photo_load(path, &it->at, &it->n, it->why);

	free(path);
	it->lost = r < 0;
	if (r == 0 && p->conf->jpeg) {
		struct picture small = { 0 };
		int height, width;
		struct jpeg *j = jpeg_open(it->at, it->n, &height, &width, it->why);
		bool ok = j && jpeg_read(j, 8, &small, it->why) == 0;

		jpeg_close(j);
		picture_release(&small);
		if (ok)
			return;
	} else if (r == 0) {
		pixels = xcalloc(n, 1);
		if (photo_square(&p->square, it->at, it->n, pixels, it->why) < 0) {
			free(pixels);
			pixels = NULL;
		}
	}
	free(it->at);
	it->at = pixels;
	it->n = n;
}

static void *worker_main(void *arg)
{
	struct packer *p = arg;

	pthread_mutex_lock(&p->lock);
	while (p->taken < p->list->n && !p->closing) {
		const size_t i = p->taken++;
		struct item it = { 0 };

		while (i >= p->written + WINDOW && !p->closing)
			pthread_cond_wait(&p->changed, &p->lock);
		if (p->closing)
			break;
		pthread_mutex_unlock(&p->lock);
		prepare(p, i, &it);
		it.ready = true;
		pthread_mutex_lock(&p->lock);
		p->item[i % WINDOW] = it;
		pthread_cond_broadcast(&p->changed);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* ---- the writer ---- */

static struct item take(struct packer *p, size_t i)
{
	struct item *slot = &p->item[i % WINDOW], it;

	pthread_mutex_lock(&p->lock);
	while (!slot->ready)
		pthread_cond_wait(&p->changed, &p->lock);
	it = *slot;
	slot->ready = false;
	p->written++;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	return it;
}

static int write_items(struct packer *p, struct pack_file *f, enum split split, int64_t before,
		       int64_t all, struct pack_result *result)
{
	const struct pack_conf *conf = p->conf;
	const struct photo_list *l = p->list;
	int r = 0;

	for (size_t i = 0; i < l->n && r == 0; i++) {
		struct item it = take(p, i);
		char *path = photo_path(l, i);

		if (it.at) {
			result->n[split]++;
			r = file_add(f, it.at, it.n, l->label[i], l->names + l->name[i]);
		} else if (it.lost) {
			r = error("%s: %s", path, it.why);
		} else {
			warning("%s: %s; skipped", path, it.why);
			result->skipped++;
		}
		free_all(path, it.at);
		if (r == 0 && conf->go_on &&
		    !conf->go_on(conf->ctx, before + (int64_t)i + 1, all)) {
			result->given_up = true;
			r = -1;
		}
	}
	return r;
}

static void close_workers(struct packer *p, pthread_t *thread, int n)
{
	pthread_mutex_lock(&p->lock);
	p->closing = true;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < WINDOW; i++)
		if (p->item[i].ready)
			free(p->item[i].at);
}

static int pack_split(const struct pack_conf *conf, const struct photo_list lists[2],
		      enum split split, struct pack_file *f, struct pack_result *result)
{
	struct packer p = { .conf = conf, .list = &lists[split],
			    .square = { conf->squeeze ? AUGMENT_CAFFE : AUGMENT_NONE,
					conf->resize, conf->resize } };
	scoped pthread_t *thread = xcalloc((size_t)conf->threads, sizeof *thread);
	int64_t before = split == SPLIT_TEST ? (int64_t)lists[SPLIT_TRAIN].n : 0;
	int r, started = 0;

	pthread_mutex_init(&p.lock, NULL);
	pthread_cond_init(&p.changed, NULL);
	while (started < conf->threads && thread_start(&thread[started], worker_main, &p) == 0)
		started++;
	r = started < conf->threads
		    ? error("cannot start thread %d of %d", started + 1, conf->threads)
		    : file_split(f, split, p.list->n);
	if (r == 0)
		r = write_items(&p, f, split, before, (int64_t)(lists[0].n + lists[1].n), result);
	close_workers(&p, thread, started);
	pthread_cond_destroy(&p.changed);
	pthread_mutex_destroy(&p.lock);
	return r;
}

/* ---- the whole operation ---- */

static int pack_write_all(const struct pack_conf *conf, const struct photo_list lists[2],
			  const struct texts *wnids, struct pack_result *result)
{
	struct pack_file *f = file_new(conf->out, conf->jpeg ? 0 : conf->resize, conf->squeeze);

	if (!f)
		return -1;
	if (pack_split(conf, lists, SPLIT_TRAIN, f, result) == 0 &&
	    pack_split(conf, lists, SPLIT_TEST, f, result) == 0) {
		if (result->n[SPLIT_TRAIN] > 0)
			return file_finish(f, wnids, &result->bytes);
		error("%s: not one training image can be decoded", lists[SPLIT_TRAIN].root);
	}
	file_drop(f);
	return -1;
}

int pack(const struct pack_conf *conf, struct pack_result *result)
{
	scoped char *root = photo_root(conf->dir, true);
	struct photo_list lists[2] = { { 0 }, { 0 } };
	scoped_by(texts_release) struct texts wnids = { 0 };
	int r = -1;

	*result = (struct pack_result){ 0 };
	if (root && photo_classes(root, conf->synsets, &wnids) == 0 &&
	    photo_list_read(&lists[0], root, SPLIT_TRAIN, &wnids, NULL) == 0 &&
	    photo_list_thin(&lists[0], conf->train, "train") == 0 &&
	    photo_list_read(&lists[1], root, SPLIT_TEST, &wnids, conf->labels) == 0 &&
	    photo_list_thin(&lists[1], conf->test, "test") == 0)
		r = pack_write_all(conf, lists, &wnids, result);
	photo_list_release(&lists[0]);
	photo_list_release(&lists[1]);
	return r;
}
