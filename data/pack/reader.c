/* Opens a packed set: parses its last page and checks every offset and length; reads its images. */
#include "data/pack/reader.h"

#include "core/base/context.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "data/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_CLASSES = 1 << 20, MOST_NAME = 4096, MOST_CHUNK = 1 << 30 };

static const char magic[] = "convoy-packed 1 ";
static const char *const split_name[] = { "train", "val" };

static uint64_t digest_words(uint64_t h, const uint64_t *v, uint64_t n)
{
	for (uint64_t i = 0; v && i < n; i++) {
		uint8_t bytes[8];

		for (int k = 0; k < 8; k++)
			bytes[k] = (uint8_t)(v[i] >> 8 * k);
		h = digest_bytes(h, bytes, sizeof bytes);
	}
	return h;
}

uint64_t packed_digest(uint64_t h, const struct packed_split *s)
{
	for (int64_t i = 0; i < s->n; i++)
		h = digest_words(h, &(uint64_t){ (uint64_t)s->label[i] }, 1);
	h = digest_words(h, s->sum, (uint64_t)s->n);
	h = digest_words(h, s->begin, (uint64_t)s->n + 1);
	return digest_words(h, s->at, s->chunks);
}

/* ---- the page ---- */

static int bad_page(const struct packed *p, const char *what)
{
	return error("%s: its last page says a wrong '%s': damaged", p->path, what);
}

/* *value <- a member that is a whole number in [least, most]. 0 or error(). */
static int page_get_number(const struct packed *p, const cJSON *o, const char *key, uint64_t least,
		    uint64_t most, uint64_t *v)
{
	const cJSON *item = json_get(o, key);

	if (!cJSON_IsNumber(item) || !(item->valuedouble >= (double)least) ||
	    !(item->valuedouble <= (double)most) || item->valuedouble != floor(item->valuedouble))
		return bad_page(p, key);
	*v = (uint64_t)item->valuedouble;
	return 0;
}

/*
 * *at <- offset of an array of n elements of `width` bytes; error() if it is not inside the file.
 */
static int get_offset(const struct packed *p, const cJSON *o, const char *key, uint64_t n,
		      uint64_t width, uint64_t *at)
{
	if (page_get_number(p, o, key, 0, p->bytes, at) < 0)
		return -1;
	if (width && n > (p->bytes - *at) / width)
		return bad_page(p, key);
	return 0;
}

/* Array of n integers of `width` bytes; the caller frees. NULL after error(). */
static uint64_t *get_words(const struct packed *p, const cJSON *o, const char *key, uint64_t n,
			   size_t width)
{
	uint64_t at = 0, *v = NULL;
	scoped uint8_t *raw = NULL;

	if (get_offset(p, o, key, n, width, &at) < 0)
		return NULL;
	raw = xcalloc((size_t)n, width);
	if (packed_read_at(p->fd, at, raw, (size_t)n * width)) {
		v = xcalloc((size_t)n, sizeof *v);
		for (uint64_t i = 0; i < n; i++)
			v[i] = little_endian(raw + i * width, width);
	} else {
		error("%s: cannot read its '%s': %s", p->path, key, strerror(errno));
	}
	return v;
}

static int get_labels(struct packed *p, const cJSON *o, enum split split)
{
	struct packed_split *s = &p->split[split];
	scoped uint64_t *v = get_words(p, o, "labels", (uint64_t)s->n, 4);
	int r = v ? 0 : -1;

	s->label = xcalloc((size_t)s->n, sizeof *s->label);
	for (int64_t i = 0; i < s->n && r == 0; i++) {
		if (v[i] < (uint64_t)p->classes)
			s->label[i] = (int32_t)v[i];
		else
			r = error("%s: %s image %" PRId64 " (from 0) has the label %" PRId32
				  ", expected 0 to %d", p->path, split_name[split], i,
				  (int32_t)v[i], p->classes - 1);
	}
	return r;
}

/* Checks that images are in order, without gaps, and fill the stream. */
static int check_begin(const struct packed *p, enum split split)
{
	const struct packed_split *s = &p->split[split];

	if (s->begin[0] != 0 || s->begin[s->n] != s->bytes)
		return bad_page(p, "begin");
	for (int64_t i = 0; i < s->n; i++)
		if (s->begin[i + 1] <= s->begin[i] || s->begin[i + 1] > s->bytes ||
		    s->begin[i + 1] - s->begin[i] > PACKED_MOST_RECORD)
			return error("%s: %s image %" PRId64 " (from 0) has a wrong size", p->path,
				     split_name[split], i);
	return 0;
}

static int get_stream(struct packed *p, const cJSON *o, enum split split)
{
	struct packed_split *s = &p->split[split];
	const uint64_t n = (uint64_t)s->n, size = (uint64_t)p->side * (uint64_t)p->side * 3;
	uint64_t whole;

	if (page_get_number(p, o, "bytes", n, p->bytes, &s->bytes) < 0 ||
	    page_get_number(p, o, "chunk", 1, MOST_CHUNK, &s->chunk) < 0)
		return -1;
	if (!p->jpeg && (__builtin_mul_overflow(n, size, &whole) || s->bytes != whole))
		return error("%s: %" PRIu64 " bytes of %s images, expected %" PRIu64 " of %d x %d "
			     "pixels each", p->path, s->bytes, split_name[split], n, p->side,
			     p->side);
	s->chunks = (s->bytes + s->chunk - 1) / s->chunk;
	s->at = get_words(p, o, "chunks", s->chunks, 8);
	s->sum = s->at ? get_words(p, o, "sums", n, 8) : NULL;
	if (!s->sum)
		return -1;
	for (uint64_t k = 0; k < s->chunks; k++)
		if (s->at[k] > p->bytes || s->chunk > p->bytes - s->at[k])
			return error("%s: %s chunk %" PRIu64 " lies outside of the file", p->path,
				     split_name[split], k);
	if (!p->jpeg)
		return 0;
	s->begin = get_words(p, o, "begin", n + 1, 8);
	return s->begin ? check_begin(p, split) : -1;
}

static int get_split(struct packed *p, const cJSON *page, enum split split)
{
	const cJSON *o = json_get(page, split_name[split]);
	struct packed_split *s = &p->split[split];
	uint64_t n = 0;

	if (page_get_number(p, o, "n", 0, p->bytes / 4, &n) < 0)
		return -1;
	s->n = (int64_t)n;
	if (n == 0)
		return split == SPLIT_TEST ? 0 : bad_page(p, "n");
	if (page_get_number(p, o, "name_width", 1, MOST_NAME, &s->name_width) < 0 ||
	    get_offset(p, o, "names", n, s->name_width, &s->names) < 0 ||
	    get_labels(p, o, split) < 0)
		return -1;
	return get_stream(p, o, split);
}

static int get_kind(struct packed *p, const cJSON *page)
{
	const cJSON *as = json_get(page, "as");
	uint64_t side = 0, classes = 0;

	if (!cJSON_IsString(as) ||
	    (strcmp(as->valuestring, "jpeg") && strcmp(as->valuestring, "pixels")))
		return bad_page(p, "as");
	p->jpeg = strcmp(as->valuestring, "jpeg") == 0;
	p->squeezed = json_is_true(page, "squeezed");
	if ((!p->jpeg && page_get_number(p, page, "side", 1, PACKED_MOST_SIDE, &side) < 0) ||
	    page_get_number(p, page, "classes", 1, MOST_CLASSES, &classes) < 0 ||
	    page_get_number(p, page, "wnid_width", 1, MOST_NAME, &p->wnid_width) < 0 ||
	    get_offset(p, page, "wnids", classes, p->wnid_width, &p->wnids) < 0)
		return -1;
	p->side = (int)side;
	p->classes = (int)classes;
	return 0;
}

static uint64_t page_get_digest(const cJSON *page)
{
	const cJSON *digest = json_get(page, "digest");

	return cJSON_IsString(digest) ? strtoull(digest->valuestring, NULL, 16) : 0;
}

static int page_get_all(struct packed *p, const char *text)
{
	scoped_json cJSON *page = json_parse(text, p->path);
	uint64_t bytes = 0;
	int r = page ? 0 : -1;

	if (r == 0)
		r = page_get_number(p, page, "file", 0, 1ull << 53, &bytes);
	if (r == 0 && bytes != p->bytes)
		r = error("%s: %" PRIu64 " bytes, its last page says %" PRIu64, p->path, p->bytes,
			  bytes);
	if (r == 0 && (get_kind(p, page) < 0 || get_split(p, page, SPLIT_TRAIN) < 0 ||
		       get_split(p, page, SPLIT_TEST) < 0))
		r = -1;
	if (r == 0)
		p->digest = page_get_digest(page);
	return r;
}

/* ---- opening ---- */

/* page[PACKED_PAGE + 1] <- the last page; its text begins after the first line. 0 or error(). */
static int read_page(struct packed *p, char *page, char **text)
{
	struct stat st;

	if (fstat(p->fd, &st) < 0 || !S_ISREG(st.st_mode))
		return error("%s: no file that could be read", p->path);
	p->bytes = (uint64_t)st.st_size;
	memset(page, 0, PACKED_PAGE + 1);
	if (p->bytes < PACKED_PAGE ||
	    pread(p->fd, page, PACKED_PAGE, (off_t)(p->bytes - PACKED_PAGE)) != PACKED_PAGE ||
	    strncmp(page, magic, strlen(magic)) != 0)
		return error("%s: %" PRIu64 " bytes without the page at the end that "
			     "'convoy data pack' writes: cut short, or not made by it", p->path,
			     p->bytes);
	*text = strchr(page, '\n');
	if (!*text)
		return bad_page(p, "first line");
	*(*text)++ = '\0';
	return 0;
}

static int check_page(const struct packed *p, const char *page, const char *text)
{
	if (strtoull(page + strlen(magic), NULL, 16) != packed_checksum(text))
		return error("%s: its last page is damaged: its checksum is wrong", p->path);
	return 0;
}

uint64_t packed_page_digest(const char *path)
{
	struct packed p = { .fd = file_open_fd(path), .path = (char *)(uintptr_t)path };
	char page[PACKED_PAGE + 1], *text;
	cJSON *json = NULL;
	uint64_t digest;

	context_mute();
	if (p.fd >= 0 && read_page(&p, page, &text) == 0 && check_page(&p, page, text) == 0)
		json = json_parse(text, path);
	context_unmute();
	digest = page_get_digest(json);
	cJSON_Delete(json);
	if (p.fd >= 0)
		close(p.fd);
	return digest;
}

static struct packed *page_parse(int fd, const char *path, bool checked)
{
	struct packed *p = xcalloc(1, sizeof *p);
	char page[PACKED_PAGE + 1], *text;

	p->fd = fd;
	p->path = xstrdup(path);
	if (read_page(p, page, &text) == 0 && (!checked || check_page(p, page, text) == 0) &&
	    page_get_all(p, text) == 0)
		return p;
	packed_close(p);
	return NULL;
}

struct packed *packed_parse(int fd, const char *path)
{
	return page_parse(fd, path, false);
}

static int check_sums(const struct packed *p)
{
	const uint64_t h = packed_digest(packed_digest(0, &p->split[SPLIT_TRAIN]),
					 &p->split[SPLIT_TEST]);

	if (h != p->digest)
		return error("%s: its labels or offsets are damaged: their checksum is wrong",
			     p->path);
	return 0;
}

struct packed *packed_open(const char *path)
{
	const int fd = file_open_fd(path);
	struct packed *p;

	if (fd < 0) {
		error("%s: cannot open: %s%s", path, file_why(), errno != ENOENT ? "" :
		      "; 'convoy data pack' makes such a file of a folder");
		return NULL;
	}
	p = page_parse(fd, path, true);
	if (p && check_sums(p) == 0)
		return p;
	packed_close(p);
	return NULL;
}

void packed_close(struct packed *p)
{
	if (!p)
		return;
	close(p->fd);
	for (int k = 0; k < 2; k++)
		free_all(p->split[k].label, p->split[k].begin, p->split[k].sum, p->split[k].at);
	free_all(p->path, p);
}

/* ---- reading images ---- */

bool packed_read_at(int fd, uint64_t at, uint8_t *out, size_t n)
{
	while (n) {
		ssize_t got = pread(fd, out, n, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		out += got;
		at += (uint64_t)got;
		n -= (size_t)got;
	}
	return true;
}

size_t packed_size(const struct packed *p, enum split split, int64_t i)
{
	const struct packed_split *s = &p->split[split];

	if (!p->jpeg)
		return (size_t)p->side * (size_t)p->side * 3;
	return (size_t)(s->begin[i + 1] - s->begin[i]);
}

/* Reads bytes of the stream, which may be in several chunks. */
static bool read_stream(int fd, const struct packed_split *s, uint64_t from, uint8_t *out, size_t n)
{
	while (n) {
		uint64_t skip = from % s->chunk;
		size_t piece = n < s->chunk - skip ? n : (size_t)(s->chunk - skip);

		if (!packed_read_at(fd, s->at[from / s->chunk] + skip, out, piece))
			return false;
		from += piece;
		out += piece;
		n -= piece;
	}
	return true;
}

int packed_read(const struct packed *p, enum split split, int64_t i, uint8_t *out)
{
	const struct packed_split *s = &p->split[split];
	const size_t n = packed_size(p, split, i);
	const char *fault = NULL;
	scoped char *name = NULL;

	if (!read_stream(p->fd, s, p->jpeg ? s->begin[i] : (uint64_t)i * n, out, n))
		fault = "cannot be read";
	else if (digest_bytes(0, out, n) != s->sum[i])
		fault = "is damaged: its checksum is wrong";
	if (!fault)
		return 0;
	name = packed_name(p, split, i);
	error("%s: %s image %" PRId64 " (from 0; %s) %s", p->path, split_name[split], i, name,
	      fault);
	return -1;
}

char *packed_name(const struct packed *p, enum split split, int64_t i)
{
	const struct packed_split *s = &p->split[split];
	const size_t width = (size_t)s->name_width;
	char *text = xcalloc(width + 1, 1);

	if (!packed_read_at(p->fd, s->names + (uint64_t)i * width, (uint8_t *)text, width))
		*text = '\0';
	return text;
}

uint64_t packed_checksum(const char *text)
{
	return digest_bytes(0, (const uint8_t *)text, strlen(text));
}
