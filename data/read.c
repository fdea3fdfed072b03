/* Finds a data file in its folders, reads it, and decompresses .gz and .xz. */
#include "data/read.h"

#include "core/base/context.h"
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "core/text/word.h"
#include "data/store.h"

#include <errno.h>
#include <inttypes.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* Path dir/sub/name with the first suffix that exists; NULL when none does. */
static char *find_packed(const char *dir, const char *sub, const char *name)
{
	static const char *const suffix[] = { "", ".gz", ".xz" };

	for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++) {
		char *path = xasprintf("%s/%s%s%s%s", dir, sub, *sub ? "/" : "", name, suffix[i]);
		struct stat st;

		if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
			return path;
		free(path);
	}
	return NULL;
}

static const char *given_folder(const char *dir)
{
	const char *folder = dir ? dir : getenv("CONVOY_DATA");

	return folder && *folder ? folder : NULL;
}

char *data_seek(const char *dir, const char *const *subdirs, const char *name)
{
	const char *folder = given_folder(dir);
	char *path = folder ? find_packed(folder, "", name) : NULL;

	for (size_t i = 0; folder && !path && subdirs[i]; i++)
		path = find_packed(folder, subdirs[i], name);
	/* Some archives unpack each file into a folder of its own. */
	return folder && !path ? find_packed(folder, name, name) : path;
}

char *data_find(const char *set, const char *dir, const char *const *subdirs, const char *name)
{
	const char *folder = given_folder(dir), *also = subdirs[0] ? subdirs[0] : "";
	char *path = data_seek(dir, subdirs, name), *own;

	if (path)
		return path;
	if (!folder) {
		error("data set %s: no folder given for %s; set --data %s:dir=PATH or CONVOY_DATA, "
		      "or fetch it: convoy data get %s -o DIR", set, name, set, set);
		return NULL;
	}
	own = xasprintf("%s/%s", folder, name);
	if (dir_exists(own))
		error("%s: is a directory, without a file '%s' in it (expected a file of that "
		      "name). Move the folder away, and put the file there", own, name);
	else
		error("%s: no such file, nor .gz or .xz%s%s%s; set --data %s:dir=PATH or "
		      "CONVOY_DATA to the folder that holds it, or fetch it: convoy data get %s "
		      "-o DIR", own, *also ? ", nor in " : "", also, *also ? "/" : "", set, set);
	free(own);
	return NULL;
}

static int too_large(const char *path, size_t most)
{
	return error("%s: more than %zu bytes, the most that convoy reads of such a file", path,
		     most);
}

int data_read(const char *path, size_t most, struct bytes *out)
{
	struct bytes raw = { 0 };
	FILE *f = file_open(path);
	size_t capacity = 0, got;
	struct stat st;
	int r;

	*out = raw;
	if (!f)
		return error("%s: cannot open: %s", path, file_why());
	if (fstat(fileno(f), &st) == 0 && st.st_size > (off_t)most) {
		fclose(f);
		return too_large(path, most);
	}
	do {
		if (raw.n == capacity) {
			capacity = capacity ? 2 * capacity : 1 << 16;
			raw.at = xrealloc(raw.at, capacity, 1);
		}
		got = fread(raw.at + raw.n, 1, capacity - raw.n, f);
		raw.n += got;
	} while (got && raw.n <= most);
	if (ferror(f))
		r = error("%s: cannot read: %s", path, strerror(errno));
	else
		r = data_unpack(path, raw.at, raw.n, most, out);
	fclose(f);
	free(raw.at);
	return r;
}

int data_size(const char *path, int64_t *size)
{
	struct stat st;

	if (word_ends(path, ".gz") || word_ends(path, ".xz"))
		return 1;
	if (stat(path, &st))
		return error("%s: cannot open: %s", path, strerror(errno));
	*size = (int64_t)st.st_size;
	return 0;
}

int data_peek(const char *path, uint8_t *at, size_t n)
{
	gzFile f;
	int got, fd;

	if (word_ends(path, ".xz"))
		return 1;
	fd = file_open_fd(path);
	if (fd < 0)
		return error("%s: cannot open: %s", path, file_why());
	f = must_have(gzdopen(fd, "rb"), "an open file");
	got = gzread(f, at, (unsigned)n);
	gzclose(f);
	return got == (int)n ? 0 : error("%s: truncated, or no file of this kind", path);
}

char *data_stamp(const char *path)
{
	struct stat st;

	if (stat(path, &st)) {
		error("%s: cannot open: %s", path, strerror(errno));
		return NULL;
	}
	return xasprintf("%s %ju %ju %jd %jd.%09ld", path, (uintmax_t)st.st_dev,
			 (uintmax_t)st.st_ino, (intmax_t)st.st_size,
			 (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

/* ---- digests of contents, for a run's hash ---- */

enum { DIGEST_MOST = 1 << 30 };         /* bytes of a file, unpacked */

struct kept {
	char *key;
	uint64_t digest;
	struct kept *next;
};

static struct kept *digests_kept;

void digest_keep(const char *key, uint64_t digest)
{
	struct kept *k = xcalloc(1, sizeof(*k));

	*k = (struct kept){ xstrdup(key), digest, digests_kept };
	digests_kept = k;
}

bool digest_kept(const char *key, uint64_t *digest)
{
	const struct kept *k = digests_kept;

	while (k && strcmp(k->key, key) != 0)
		k = k->next;
	if (k)
		*digest = k->digest;
	return k;
}

static uint64_t digest_made(uint64_t crc, int64_t n)
{
	return crc << 32 | (uint64_t)n % (UINT64_C(1) << 32);
}

/* True when the end of a gzip file says that its contents are those published. */
static bool file_ends_as(int fd, uint64_t published)
{
	uint8_t at[8];
	struct stat st;

	return fstat(fd, &st) == 0 && pread(fd, at, 2, 0) == 2 && at[0] == 0x1f &&
	       at[1] == 0x8b && pread(fd, at, sizeof(at), st.st_size - 8) == sizeof(at) &&
	       digest_made(little_endian(at, 4), (int64_t)little_endian(at + 4, 4)) == published;
}

/* *digest <- of a plain or gzip file's contents; false if it cannot be read. */
static bool file_digest(int fd, uint64_t *digest)
{
	enum { PIECE = 1 << 18 };
	uint8_t *piece = xrealloc(NULL, PIECE, 1);
	gzFile f = must_have(gzdopen(fd, "rb"), "an open file");
	unsigned long crc = crc32(0, NULL, 0);
	int64_t n = 0;
	int got;

	gzbuffer(f, PIECE);
	while ((got = gzread(f, piece, PIECE)) > 0 && n <= DIGEST_MOST) {
		crc = crc32(crc, piece, (unsigned)got);
		n += got;
	}
	gzclose(f);
	free(piece);
	*digest = digest_made(crc, n);
	return got == 0;
}

static bool file_digest_xz(const char *path, uint64_t *digest)
{
	struct bytes all;
	const bool read = data_read(path, DIGEST_MOST, &all) == 0;

	if (read)
		*digest = digest_made(crc32_z(0, all.at, all.n), (int64_t)all.n);
	free(all.at);
	return read;
}

static bool path_digest(const char *path, uint64_t published, uint64_t *digest)
{
	int fd;

	if (word_ends(path, ".xz"))
		return file_digest_xz(path, digest);
	fd = file_open_fd(path);
	if (fd < 0)
		return false;
	if (!file_ends_as(fd, published))
		return file_digest(fd, digest);
	close(fd);
	*digest = published;
	return true;
}

/* path_digest(), once for each file. */
static bool path_digest_known(const char *path, uint64_t published, uint64_t *digest)
{
	scoped char *stamp = data_stamp(path);
	bool known = stamp && digest_kept(stamp, digest);

	if (stamp && !known && path_digest(path, published, digest)) {
		digest_keep(stamp, *digest);
		known = true;
	}
	return known;
}

bool contents_add(struct contents *c, const char *dir, const char *const *subdirs,
		  const char *name, uint64_t published, int64_t *bytes)
{
	char *path = data_seek(dir, subdirs, name);
	uint64_t digest = 0;
	char text[17];
	bool known;

	context_mute();
	known = path && path_digest_known(path, published, &digest);
	context_unmute();
	free(path);
	if (bytes)
		*bytes = (int64_t)(digest % (UINT64_C(1) << 32));
	snprintf(text, sizeof(text), "%016" PRIx64, digest);
	c->digest = fnv_text(c->digest, text);
	c->own |= digest != published;
	return known;
}

uint64_t contents_digest(const struct contents *c)
{
	return c->own ? c->digest : 0;
}

/* ---- gzip and xz, recognised by the first bytes, not by the name ---- */

enum { CHUNK = 1 << 20, XZ_MEMORY = 1 << 30 };

/* Makes *capacity larger than out->n; false when the limit has been exceeded. */
static bool unpack_grow(struct bytes *out, size_t *capacity, size_t most)
{
	if (out->n < *capacity)
		return true;
	if (out->n > most)
		return false;
	size_t want = *capacity ? 2 * *capacity : CHUNK;
	*capacity = want > most ? most + 1 : want;
	out->at = xrealloc(out->at, *capacity, 1);
	return true;
}

/* Unpacks one member of a gzip file; *in and *n advance past it. */
static int inflate_member(z_stream *z, const char *path, const uint8_t **in, size_t *n,
			  size_t most, struct bytes *out, size_t *capacity)
{
	int r = Z_OK;

	while (r != Z_STREAM_END) {
		if (!unpack_grow(out, capacity, most))
			return too_large(path, most);
		const size_t left = *capacity - out->n;
		uInt give = *n < CHUNK ? (uInt)*n : CHUNK, take = left < CHUNK ? (uInt)left : CHUNK;
		z->next_in = (Bytef *)(uintptr_t)*in;
		z->avail_in = give;
		z->next_out = out->at + out->n;
		z->avail_out = take;
		r = inflate(z, Z_NO_FLUSH);
		*in += give - z->avail_in;
		*n -= give - z->avail_in;
		out->n += take - z->avail_out;
		if (r == Z_BUF_ERROR && *n == 0)
			return error("%s: truncated gzip file", path);
		if (r != Z_OK && r != Z_STREAM_END)
			return error("%s: corrupt gzip file: %s", path,
				     z->msg ? z->msg : "bad data");
	}
	return 0;
}

static int unpack_gz(const char *path, const uint8_t *in, size_t n, size_t most,
		     struct bytes *out)
{
	z_stream z = { 0 };
	size_t capacity = 0;
	bool padding;
	int r;

	if (inflateInit2(&z, 15 + 16) != Z_OK)
		return error("%s: zlib cannot start: too little memory", path);
	do {
		r = inflate_member(&z, path, &in, &n, most, out, &capacity);
		/* Zero bytes after the last member are padding of the last block of a device. */
		padding = n > 0 && in[0] == 0 && memcmp(in, in + 1, n - 1) == 0;
	} while (r == 0 && n > 0 && !padding && inflateReset(&z) == Z_OK);
	inflateEnd(&z);
	return r;
}

static int unpack_xz(const char *path, const uint8_t *in, size_t n, size_t most,
		     struct bytes *out)
{
	lzma_stream z = LZMA_STREAM_INIT;
	lzma_ret r = lzma_stream_decoder(&z, XZ_MEMORY, LZMA_CONCATENATED);
	size_t capacity = 0;

	z.next_in = in;
	z.avail_in = n;
	while (r == LZMA_OK && unpack_grow(out, &capacity, most)) {
		z.next_out = out->at + out->n;
		z.avail_out = capacity - out->n;
		r = lzma_code(&z, LZMA_FINISH);
		out->n = capacity - z.avail_out;
	}
	lzma_end(&z);
	if (r == LZMA_OK)
		return too_large(path, most);
	if (r == LZMA_STREAM_END)
		return 0;
	return error("%s: %s", path, r == LZMA_BUF_ERROR ? "truncated xz file" :
		     r == LZMA_MEM_ERROR ? "too little memory to unpack it" : "corrupt xz file");
}

int data_unpack(const char *path, const uint8_t *in, size_t n, size_t most, struct bytes *out)
{
	int r = 0;

	*out = (struct bytes){ 0 };
	if (n >= 2 && memcmp(in, "\x1f\x8b", 2) == 0) {
		r = unpack_gz(path, in, n, most, out);
	} else if (n >= 6 && memcmp(in, "\xfd" "7zXZ", 6) == 0) {
		r = unpack_xz(path, in, n, most, out);
	} else if (n > most) {
		return too_large(path, most);
	} else {
		out->at = xrealloc(NULL, n + 1, 1);
		memcpy(out->at, in, n);
		out->n = n;
	}
	if (r < 0 || out->n > most) {
		if (r == 0)
			r = too_large(path, most);
		free(out->at);
		*out = (struct bytes){ 0 };
	}
	return r;
}

/* ---- the IDX format of MNIST ---- */

int idx_header(const char *path, const uint8_t *at, size_t n, int rank, struct idx *out)
{
	const uint64_t magic = 0x800u + (uint64_t)rank;         /* 8: unsigned bytes */
	const size_t header = 4 + 4 * (size_t)rank;

	out->at = NULL;
	if (n < header)
		return error("%s: %zu bytes, expected a header of %zu: truncated, or not IDX", path,
			     n, header);
	if (big_endian(at, 4) != magic)
		return error("%s: begins with %08" PRIx64 ", expected %08" PRIx64 ": not IDX with "
			     "bytes in %d dimension%s", path, big_endian(at, 4), magic, rank,
			     rank > 1 ? "s" : "");
	for (int i = 0; i < rank; i++)
		out->dim[i] = (size_t)big_endian(at + 4 + 4 * i, 4);
	return 0;
}

int idx_parse(const char *path, const uint8_t *at, size_t n, int rank, struct idx *out)
{
	const size_t header = 4 + 4 * (size_t)rank;
	size_t size = 1;

	if (idx_header(path, at, n, rank, out) < 0)
		return -1;
	for (int i = 0; i < rank; i++)
		if (__builtin_mul_overflow(size, out->dim[i], &size))
			return error("%s: impossible sizes in the header", path);
	if (n - header != size)
		return error("%s: %zu bytes after the header, which says %zu%s", path, n - header,
			     size, n - header < size ? ": truncated" : "");
	out->at = at + header;
	return 0;
}
