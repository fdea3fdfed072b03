/* Reads images, names and labels of an opened packed set, and checks its checksum. */
#include "data/pack/reader.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "data/store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const split_name[] = { "train", "val" };

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

/* A piece of the stream, which may lie in several chunks. */
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
	char *name;

	if (!read_stream(p->fd, s, p->jpeg ? s->begin[i] : (uint64_t)i * n, out, n))
		fault = "cannot be read";
	else if (digest_bytes(0, out, n) != s->sum[i])
		fault = "is damaged: its checksum is wrong";
	if (!fault)
		return 0;
	name = packed_name(p, split, i);
	error("%s: %s image %" PRId64 " (from 0; %s) %s", p->path, split_name[split], i, name,
	      fault);
	free(name);
	return -1;
}

static char *pack_reader_read_text(int fd, uint64_t at, uint64_t width)
{
	char *text = xcalloc((size_t)width + 1, 1);

	if (!packed_read_at(fd, at, (uint8_t *)text, (size_t)width))
		*text = '\0';
	return text;
}

char *packed_name(const struct packed *p, enum split split, int64_t i)
{
	const struct packed_split *s = &p->split[split];

	return pack_reader_read_text(p->fd, s->names + (uint64_t)i * s->name_width, s->name_width);
}

char *packed_wnid(const struct packed *p, int label)
{
	return pack_reader_read_text(p->fd, p->wnids + (uint64_t)label * p->wnid_width,
				     p->wnid_width);
}

uint64_t packed_checksum(const char *text)
{
	return digest_bytes(0, (const uint8_t *)text, strlen(text));
}
