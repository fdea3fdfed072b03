/* Fuzzes the reader of packed data sets, page and images. */
#include "core/base/error.h"
#include "core/base/mem.h"
#include "data/pack/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_BYTES = 1 << 20 };          /* that are read of one input's images */

static const char magic[] = "convoy-packed 1 ";

/* Where the last page of the input begins; n when there is none. */
static size_t find_page(const uint8_t *data, size_t n)
{
	for (size_t at = n; at-- > 0;)
		if (n - at >= strlen(magic) && memcmp(data + at, magic, strlen(magic)) == 0)
			return at;
	return n;
}

/* page[PACKED_PAGE] <- its text, with the right size of the file: "file":N */
static void fill_page(const uint8_t *text, size_t n, size_t body, char page[PACKED_PAGE])
{
	char *own = xcalloc(n + 1, 1), *key;

	memcpy(own, text, n);
	key = strstr(own, "\"file\":");
	memset(page, 0, PACKED_PAGE);
	if (key)
		snprintf(page, PACKED_PAGE, "%.*s\"file\":%zu%s", (int)(key - own), own,
			 body + PACKED_PAGE, key + 7 + strspn(key + 7, "0123456789"));
	else
		snprintf(page, PACKED_PAGE, "%s", own);
	free(own);
}

/* A file of the input, its page as long as it should be. */
static int make_file(const uint8_t *data, size_t size)
{
	const size_t body = find_page(data, size);
	const char *tmp = getenv("TMPDIR");
	char *path = xasprintf("%s/convoy-fuzz-XXXXXX", tmp ? tmp : "/tmp");
	char page[PACKED_PAGE];
	int fd = mkstemp(path);

	fill_page(data + body, size - body, body, page);
	if (fd < 0 || write(fd, data, body) != (ssize_t)body ||
	    (body < size && write(fd, page, PACKED_PAGE) != PACKED_PAGE))
		die("%s: cannot write", path);
	unlink(path);
	free(path);
	return fd;
}

static void read_split(const struct packed *p, enum split split)
{
	size_t all = 0;

	for (int64_t i = 0; i < p->split[split].n && all < MOST_BYTES; i++) {
		const size_t n = packed_size(p, split, i);
		uint8_t *at = xcalloc(n, 1);
		char *name = packed_name(p, split, i);

		if (p->split[split].label[i] < 0 || p->split[split].label[i] >= p->classes)
			abort();
		packed_read(p, split, i, at);
		all += n;
		free(name);
		free(at);
	}
}

/* Checksums are passed over, or hardly an input would get by them. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct packed *p = packed_parse(make_file(data, size), "input");

	if (!p)
		return 0;
	read_split(p, SPLIT_TRAIN);
	read_split(p, SPLIT_TEST);
	packed_close(p);
	return 0;
}
