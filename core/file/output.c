/* Files that are complete or do not exist. */
#include "core/file/output.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes all n bytes. 0, or errno. */
static int write_all(int fd, const char *bytes, size_t n)
{
	while (n) {
		ssize_t k = write(fd, bytes, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return k ? errno : EIO;
		bytes += k;
		n -= (size_t)k;
	}
	return 0;
}

/* Renames and closes; the lock is held until then. 0, or errno. */
static int close_and_rename(int fd, const char *temporary, const char *path)
{
	const int held = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	int why = close(fd) || temporary_rename(temporary, path) ? errno : 0;

	if (held >= 0)
		close(held);
	return why;
}

static int write_file(int fd, const char *temporary, const char *path,
		      const struct output_piece *pieces, size_t n, bool final)
{
	int why = 0;

	for (size_t i = 0; i < n && !why; i++)
		why = write_all(fd, pieces[i].bytes, pieces[i].n);
	if (!why && final)
		why = temporary_sync(fd);
	if (!why)
		return close_and_rename(fd, temporary, path);
	close(fd);
	return why;
}

bool output_full(void)
{
	return temporary_was_full();
}

int output_code(int code)
{
	return code == EXIT_BAD && output_full() ? EXIT_DIE : code;
}

int output_pieces(const char *path, const struct output_piece *pieces, size_t n, bool final)
{
	scoped char *temporary = NULL;
	const int fd = temporary_create(path, ".new", &temporary);
	const int why = fd < 0 ? errno : write_file(fd, temporary, path, pieces, n, final);

	if (why && temporary)
		unlink(temporary);
	return why ? temporary_failed(path, why) : 0;
}

int output_write(const char *path, const void *bytes, size_t n)
{
	return output_pieces(path, &(struct output_piece){ bytes, n }, 1, false);
}

int output_final(const char *path, const void *bytes, size_t n)
{
	return output_pieces(path, &(struct output_piece){ bytes, n }, 1, true);
}

int output_text(const char *path, const char *text)
{
	return output_write(path, text, strlen(text));
}

int output_json_file(const char *path, const cJSON *json, const char *end)
{
	scoped char *text = json_format(json, true), *whole = xasprintf("%s%s", text, end);

	return output_text(path, whole);
}

void output_json(const cJSON *json, FILE *out)
{
	scoped_json cJSON *exact = must_have(cJSON_Duplicate(json, true), "JSON");
	char *text;

	json_print_exactly(exact);
	text = json_format(exact, true);
	fprintf(out, "%s\n", text);
	free(text);
}

void output_quoted(const char *text, FILE *out)
{
	scoped_json cJSON *json = must_have(cJSON_CreateString(text), "JSON");
	char *quoted = json_format(json, false);

	fputs(quoted, out);
	free(quoted);
}
