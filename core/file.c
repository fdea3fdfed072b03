#include "core/paths.h"

#include "core/error.h"
#include "core/mem.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Files are read whole; what is larger than this is not a file that we read so. */
static const size_t LARGEST = (size_t)1 << 30;

/* Everything in f, with a NUL behind; NULL with errno set. */
static char *slurp(FILE *f, size_t *size)
{
	size_t room = 4096, n = 0;
	char *text = xcalloc(room, 1);

	while (n < LARGEST) {
		n += fread(text + n, 1, room - n - 1, f);
		if (n < room - 1)
			break;
		room *= 2;
		text = xrealloc(text, room, 1);
	}
	if (n >= LARGEST)
		errno = EFBIG;
	if (ferror(f) || n >= LARGEST) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	*size = n;
	return text;
}

char *file_read(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	size_t n = 0;

	if (f)
		text = slurp(f, &n);
	if (!text)
		error("cannot read '%s': %s", path, strerror(errno));
	else if (size)
		*size = n;
	if (f)
		fclose(f);
	return text;
}

bool dir_exists(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* One folder of the path; 0 when it is there in the end. */
static int make_one(const char *path)
{
	if (dir_exists(path) || !mkdir(path, 0777) || (errno == EEXIST && dir_exists(path)))
		return 0;
	return error("cannot make the folder '%s': %s", path,
		     errno == EEXIST ? "a file is in its place" : strerror(errno));
}

int dir_make(const char *path)
{
	char *part = xstrdup(path);
	int rc = 0;

	for (char *c = part; !rc && *c; c++) {
		if (*c != '/' || c == part)
			continue;
		*c = '\0';
		rc = make_one(part);
		*c = '/';
	}
	if (!rc)
		rc = make_one(part);
	free(part);
	return rc;
}
