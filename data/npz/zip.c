/* Reads members of a ZIP archive. Format: PKWARE's APPNOTE.TXT, sections 4.3 to 4.5. */
#include "data/npz/zip.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "data/store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the records without their names and comments; members; a name. */
enum {
	END = 22, END64 = 56, LOCATOR64 = 20, ENTRY = 46, LOCAL = 30, MOST_COMMENT = 65535,
	MOST_MEMBERS = 65536, MOST_DIRECTORY = 1 << 24
};
enum { STORED = 0, DEFLATED = 8, ENCRYPTED = 1 };
enum { EXTRA64 = 1 };           /* id of the extra field with sizes of 64 bits */

/* Most bytes that a byte of deflated data can stand for, and a margin for short data. */
enum { MOST_RATIO = 1032, MARGIN = 1 << 16 };

static int zip_damaged(const struct zip *z, const char *what)
{
	return error("%s: %s (expected an .npz file, a ZIP archive of arrays). Write it again",
		     z->path, what);
}

static int zip_bytes(const struct zip *z, uint64_t at, void *to, size_t n)
{
	if (at > z->bytes || n > z->bytes - at)
		return zip_damaged(z, "a record lies beyond the end of the file");
	if (fseeko(z->file, (off_t)at, SEEK_SET) || fread(to, 1, n, z->file) != n)
		return error("%s: cannot read: %s", z->path,
			     ferror(z->file) ? strerror(errno) : "the file became shorter");
	return 0;
}

/* ---- the directory ---- */

struct directory {
	uint64_t members, bytes, at;
};

/* The end record with ZIP64's sizes, if a locator lies before the record at `end`. 0 or error(). */
static int directory_64(const struct zip *z, uint64_t end, struct directory *d)
{
	uint8_t r[END64];

	if (end < LOCATOR64)
		return 0;
	if (zip_bytes(z, end - LOCATOR64, r, LOCATOR64))
		return -1;
	if (memcmp(r, "PK\6\7", 4) != 0)
		return 0;
	if (zip_bytes(z, little_endian(r + 8, 8), r, END64))
		return -1;
	if (memcmp(r, "PK\6\6", 4) != 0)
		return zip_damaged(z, "its ZIP64 record is missing");
	*d = (struct directory){ little_endian(r + 32, 8), little_endian(r + 40, 8),
				 little_endian(r + 48, 8) };
	return 0;
}

/* Finds the end record, which comes last but for a comment. 0 or error(). */
static int directory_find(const struct zip *z, struct directory *d)
{
	const size_t most = z->bytes < END + MOST_COMMENT ? (size_t)z->bytes : END + MOST_COMMENT;
	const uint64_t from = z->bytes - most;
	uint8_t *tail = xcalloc(most + 1, 1);
	int ret = zip_bytes(z, from, tail, most);
	size_t at;

	for (at = most; !ret && at-- > 0;)
		if (at + END <= most && memcmp(tail + at, "PK\5\6", 4) == 0
		    && at + END + little_endian(tail + at + 20, 2) == most)
			break;
	if (!ret && at < most) {
		*d = (struct directory){ little_endian(tail + at + 10, 2),
					 little_endian(tail + at + 12, 4),
					 little_endian(tail + at + 16, 4) };
		ret = directory_64(z, from + at, d);
	} else if (!ret) {
		ret = zip_damaged(z, "its directory, at the end, is missing, as in a truncated "
				     "file");
	}
	free(tail);
	return ret;
}

/* Replaces sizes that are 2^32 - 1 by those of the extra field, in their order. */
static int entry_extra(const struct zip *z, struct zip_member *m, const uint8_t *extra, size_t n)
{
	uint64_t *const value[] = { &m->size, &m->packed, &m->at };

	while (n >= 4) {
		const size_t id = (size_t)little_endian(extra, 2);
		size_t size = (size_t)little_endian(extra + 2, 2);

		if (size > n - 4)
			break;
		extra += 4;
		n -= 4;
		for (size_t k = 0; id == EXTRA64 && k < 3; k++) {
			if (*value[k] != UINT32_MAX)
				continue;
			if (size < 8)
				return zip_damaged(z, "a size of 64 bits is missing");
			*value[k] = little_endian(extra, 8);
			extra += 8;
			n -= 8;
			size -= 8;
		}
		extra += size;
		n -= size;
	}
	return 0;
}

/* Refuses a member that no archive of that size can hold. */
static int entry_check(const struct zip *z, const struct zip_member *m)
{
	if (m->packed > z->bytes || m->at > z->bytes)
		return error("%s: '%s' lies beyond the end of the file: truncated", z->path,
			     m->name);
	if ((m->method == STORED && m->size != m->packed)
	    || (m->method == DEFLATED && m->size > MARGIN
		&& (m->size - MARGIN) / MOST_RATIO > m->packed))
		return error("%s: '%s' has %" PRIu64 " bytes, which cannot be unpacked to %" PRIu64
			     ": damaged", z->path, m->name, m->packed, m->size);
	return 0;
}

/* Parses one entry of the directory, and advances *at past it. 0 or error(). */
static int entry_parse(struct zip *z, const uint8_t **at, size_t *left)
{
	const uint8_t *e = *at;
	struct zip_member m;
	size_t name, extra, all;

	if (*left < ENTRY || memcmp(e, "PK\1\2", 4) != 0)
		return zip_damaged(z, "its directory is incomplete");
	name = (size_t)little_endian(e + 28, 2);
	extra = (size_t)little_endian(e + 30, 2);
	all = ENTRY + name + extra + (size_t)little_endian(e + 32, 2);
	if (*left < all || memchr(e + ENTRY, 0, name))
		return zip_damaged(z, "its directory is incomplete");
	m = (struct zip_member){
		.flags = (unsigned)little_endian(e + 8, 2),
		.method = (unsigned)little_endian(e + 10, 2),
		.crc = (uint32_t)little_endian(e + 16, 4), .packed = little_endian(e + 20, 4),
		.size = little_endian(e + 24, 4), .at = little_endian(e + 42, 4),
		.name = xasprintf("%.*s", (int)name, (const char *)e + ENTRY),
	};
	z->member = xrealloc(z->member, z->n + 1, sizeof(*z->member));
	z->member[z->n++] = m;
	*at += all;
	*left -= all;
	return entry_extra(z, &z->member[z->n - 1], e + ENTRY + name, extra)
		|| entry_check(z, &z->member[z->n - 1]) ? -1 : 0;
}

int zip_open(struct zip *z, const char *path, FILE *file)
{
	struct directory d = { 0 };
	uint8_t *all;
	off_t bytes;
	int ret = 0;

	*z = (struct zip){ .path = path, .file = file };
	if (fseeko(file, 0, SEEK_END) || (bytes = ftello(file)) < 0)
		return error("%s: cannot read: %s", path, strerror(errno));
	z->bytes = (uint64_t)bytes;
	if (directory_find(z, &d))
		return -1;
	if (d.members > MOST_MEMBERS || d.bytes > MOST_DIRECTORY)
		return error("%s: has %" PRIu64 " members (expected at most %d): damaged, or not "
			     "an .npz file", path, d.members, MOST_MEMBERS);
	all = xcalloc((size_t)d.bytes + 1, 1);
	ret = zip_bytes(z, d.at, all, (size_t)d.bytes);
	if (!ret) {
		const uint8_t *at = all;
		size_t left = (size_t)d.bytes;

		for (uint64_t i = 0; i < d.members && !ret; i++)
			ret = entry_parse(z, &at, &left);
	}
	free(all);
	return ret;
}

void zip_close(struct zip *z)
{
	for (size_t i = 0; i < z->n; i++)
		free(z->member[i].name);
	free(z->member);
	z->member = NULL;
	z->n = 0;
}

const struct zip_member *zip_find(const struct zip *z, const char *name)
{
	for (size_t i = 0; i < z->n; i++)
		if (strcmp(z->member[i].name, name) == 0)
			return &z->member[i];
	return NULL;
}

/* ---- contents of a member ---- */

static int stream_damaged(const struct zip_stream *s, const char *why)
{
	return error("%s: '%s' is damaged: %s. Write the file again", s->zip->path,
		     s->member->name, why);
}

int zip_begin(struct zip_stream *s, const struct zip *z, const struct zip_member *m)
{
	uint8_t local[LOCAL];
	uint64_t at;

	s->zip = z;
	s->member = m;
	s->packed_left = m->packed;
	s->left = m->size;
	s->crc = (uint32_t)crc32(0, NULL, 0);
	s->z = (z_stream){ 0 };
	if (m->flags & ENCRYPTED)
		return error("%s: '%s' is encrypted (expected an .npz file as numpy.savez() "
			     "writes it)", z->path, m->name);
	if (m->method != STORED && m->method != DEFLATED)
		return error("%s: '%s' is packed by method %u (expected 0, stored, or 8, deflate, "
			     "as numpy.savez() and savez_compressed() write them)", z->path,
			     m->name, m->method);
	if (zip_bytes(z, m->at, local, LOCAL))
		return -1;
	if (memcmp(local, "PK\3\4", 4) != 0)
		return stream_damaged(s, "its header is missing");
	at = m->at + LOCAL + little_endian(local + 26, 2) + little_endian(local + 28, 2);
	if (at > z->bytes || m->packed > z->bytes - at)
		return stream_damaged(s, "it ends beyond the file: truncated");
	if (fseeko(z->file, (off_t)at, SEEK_SET))
		return error("%s: cannot read: %s", z->path, strerror(errno));
	if (m->method == DEFLATED && inflateInit2(&s->z, -15) != Z_OK)
		return error("%s: zlib cannot start: too little memory", z->path);
	return 0;
}

/* at[n] <- bytes of the file. 0 or error(). */
static int stream_take(struct zip_stream *s, void *at, size_t n)
{
	if (n > s->packed_left || fread(at, 1, n, s->zip->file) != n)
		return stream_damaged(s, "it ends too early: truncated");
	s->packed_left -= n;
	return 0;
}

static int stream_inflate(struct zip_stream *s, uint8_t *at, size_t n)
{
	int r = Z_OK;

	s->z.next_out = at;
	while (n > 0) {
		const uInt give = n < ZIP_BUFFER ? (uInt)n : ZIP_BUFFER;

		if (!s->z.avail_in && s->packed_left) {
			const size_t some = s->packed_left < ZIP_BUFFER ? (size_t)s->packed_left
									: ZIP_BUFFER;

			if (stream_take(s, s->buffer, some))
				return -1;
			s->z.next_in = s->buffer;
			s->z.avail_in = (uInt)some;
		}
		s->z.avail_out = give;
		r = inflate(&s->z, Z_NO_FLUSH);
		n -= give - s->z.avail_out;
		if (r != Z_OK && !(r == Z_STREAM_END && !n))
			return stream_damaged(s, r == Z_STREAM_END || r == Z_BUF_ERROR
						 ? "it ends too early: truncated"
						 : s->z.msg ? s->z.msg : "bad data");
	}
	return 0;
}

int zip_read(struct zip_stream *s, void *at, size_t n)
{
	if (n > s->left)
		return stream_damaged(s, "it ends too early: truncated");
	if (s->member->method == STORED ? stream_take(s, at, n) : stream_inflate(s, at, n))
		return -1;
	s->left -= n;
	s->crc = (uint32_t)crc32_z(s->crc, at, n);
	return 0;
}

int zip_check(struct zip_stream *s)
{
	if (s->left)
		return stream_damaged(s, "it has more bytes than its header says");
	if (s->crc != s->member->crc)
		return stream_damaged(s, "its checksum (CRC-32) is wrong");
	return 0;
}

void zip_end(struct zip_stream *s)
{
	if (s->member->method == DEFLATED)
		inflateEnd(&s->z);
}
