/* Reads texts of users: refuses other encodings than UTF-8, drops a byte order mark, ends lines. */
#include "core/file/textfile.h"

#include "core/base/error.h"
#include "core/file/paths.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Largest text that is read into memory. */
static const size_t LARGEST = (size_t)1 << 30;

static bool begins_with(const char *text, size_t n, const char *mark, size_t length)
{
	return n >= length && memcmp(text, mark, length) == 0;
}

int textfile_clean(const char *path, char *text, size_t n)
{
	const char *zero = memchr(text, '\0', n), *encoding = NULL;
	static const struct {
		const char *mark, *kind;
	} others[] = { { "\211HDF\r\n\032\n", "HDF5" }, { "\x1f\x8b", "gzip" },
		       { "PK\3\4", "zip" } };
	const char *from = text + (begins_with(text, n, "\xef\xbb\xbf", 3) ? 3 : 0);
	char *to = text;
	size_t line = 1;

	if (begins_with(text, n, "\0\0\xfe\xff", 4) || begins_with(text, n, "\xff\xfe\0\0", 4))
		encoding = "UTF-32";
	else if (begins_with(text, n, "\xfe\xff", 2) || begins_with(text, n, "\xff\xfe", 2))
		encoding = "UTF-16";
	if (encoding)
		return error("%s:1: a text in %s (expected UTF-8). Save it as UTF-8", path,
			     encoding);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (begins_with(text, n, others[i].mark, strlen(others[i].mark)))
			return error("%s: the file is in the format of %s (expected text in UTF-8)",
				     path, others[i].kind);
	for (const char *c = text; zero && c < zero; c++)
		line += *c == '\n' || (*c == '\r' && c[1] != '\n');
	if (zero)
		return error("%s:%zu: a zero byte at offset %zu (expected text in UTF-8). The "
			     "file is damaged, or in another encoding: copy it again, or save it "
			     "as UTF-8", path, line, (size_t)(zero - text));
	for (; *from; from++) {
		if (*from == '\r' && from[1] == '\n')
			continue;
		*to++ = *from == '\r' ? '\n' : *from;
	}
	*to = '\0';
	return 0;
}

char *textfile_read_most(const char *path, size_t most)
{
	size_t n;
	char *text = file_read_most(path, most, &n);

	if (!text || textfile_clean(path, text, n) == 0)
		return text;
	free(text);
	return NULL;
}

char *textfile_read(const char *path)
{
	return textfile_read_most(path, LARGEST);
}

char *textfile_line(char **text)
{
	char *line = *text, *end = line ? strchr(line, '\n') : NULL;

	*text = end ? end + 1 : NULL;
	if (end)
		*end = '\0';
	return line;
}
