/* The digest of users' code, and whether it may run. */
#include "core/file/code.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "core/text/word.h"

#include <ctype.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- whether it may run ---- */

static int words;
static char *const *word;
static bool permitted;

void code_permit(int argc, char *const *argv)
{
	words = argc;
	word = argv;
	permitted = true;
}

bool code_permitted(void)
{
	return permitted;
}

void code_allow_all(bool allow)
{
	setenv("CONVOY_ALLOW_CODE", allow ? "1" : "0", 1);
}

/* True when the word has the path as a whole part. */
static bool word_names(const char *text, const char *path)
{
	const size_t n = strlen(path);

	for (const char *at = strstr(text, path); at; at = strstr(at + 1, path))
		if ((at == text || strchr("=:,", at[-1])) && strchr(":,@", at[n]))
			return true;
	return false;
}

bool code_is_allowed(const char *name)
{
	const char *environment = getenv("CONVOY_ALLOW_CODE");
	bool named = environment && strcmp(environment, "1") == 0;

	for (int i = 1; i < words && !named; i++)
		named = word_names(word[i], name);
	return named;
}

int code_refuse(const char *what, const char *digest)
{
	return error("%s (digest %s) is code that a file names, not the command line. Read it, "
		     "then add --allow-code to run it", what, digest);
}

int code_check(const char *what, const char *path, const char *digest)
{
	if (!permitted)
		return error("%s is code (digest %s), and this command runs none", what, digest);
	return code_is_allowed(path) ? 0 : code_refuse(what, digest);
}

/* ---- its digest ---- */

/* Bytes of a file, at most: code is small. */
static const size_t most_bytes = (size_t)1 << 30;

/* The name in quotes of a line `#include "NAME"`; the caller frees. NULL: another line. */
static char *line_includes(const char *line, size_t n)
{
	static const char include[] = "include";
	const char *end = line + n, *close;

	while (line < end && isblank((unsigned char)*line))
		line++;
	if (line == end || *line++ != '#')
		return NULL;
	while (line < end && isblank((unsigned char)*line))
		line++;
	if ((size_t)(end - line) < sizeof(include) || strncmp(line, include, strlen(include)) != 0)
		return NULL;
	line += strlen(include);
	while (line < end && isblank((unsigned char)*line))
		line++;
	if (line == end || *line++ != '"')
		return NULL;
	close = memchr(line, '"', (size_t)(end - line));
	return close && close > line ? xasprintf("%.*s", (int)(close - line), line) : NULL;
}

/* Adds the files next to `path` that the text includes, unless they are in the list. */
static void includes_add(struct texts *files, const char *path, const char *text, size_t n)
{
	const int folder = (int)(path_base(path) - path);

	for (const char *line = text, *end; line < text + n; line = end + 1) {
		char *name, *file;
		bool known = false;

		end = memchr(line, '\n', (size_t)(text + n - line));
		end = end ? end : text + n;
		name = line_includes(line, (size_t)(end - line));
		file = name ? xasprintf("%.*s%s", *name == '/' ? 0 : folder, path, name) : NULL;
		for (size_t i = 0; file && i < files->n && !known; i++)
			known = strcmp(files->v[i], file) == 0;
		if (file && !known && files->n < CODE_FILES_MOST && file_is_regular(file))
			texts_put(files, file);
		free_all(name, file);
	}
}

/* error() about a file that is not there, or no file; with the one that ends in .c, if there is. */
static int no_code(const char *what, const char *path)
{
	char *source = xasprintf("%s.c", path), *advice = path_cut_advice(path);
	const bool is_source = file_is_regular(source);

	if (is_source)
		error("%s: no such file; did you mean '%s'?", what, source);
	else if (access(path, F_OK) == 0)
		error("%s: no such file: a folder or a device has this name", what);
	else
		error("%s: no such file%s", what, *advice ? advice :
		      " (expected the path of a .c or .so file)");
	free_all(advice, source);
	return -1;
}

int code_digest(const char *what, const char *path, char digest[CODE_DIGEST])
{
	struct texts files = { 0 };
	SHA2_CTX sum;
	char text[SHA256_DIGEST_STRING_LENGTH];
	int ret = file_is_regular(path) ? 0 : no_code(what, path);

	SHA256Init(&sum);
	texts_put(&files, path);
	for (size_t i = 0; i < files.n && ret == 0; i++) {
		size_t n;
		char *bytes = file_read_most(files.v[i], most_bytes, &n);

		ret = bytes ? 0 : -1;
		if (bytes) {
			SHA256Update(&sum, (const uint8_t *)bytes, n);
			if (word_ends(path, ".c"))
				includes_add(&files, files.v[i], bytes, n);
		}
		free(bytes);
	}
	texts_release(&files);
	SHA256End(&sum, text);
	memcpy(digest, text, CODE_DIGEST - 1);
	digest[CODE_DIGEST - 1] = '\0';
	return ret;
}

int code_digest_others(const char *path, uint64_t *digest)
{
	struct texts files = { 0 };
	const size_t folder = (size_t)(path_base(path) - path);
	int ret = 0;

	texts_put(&files, path);
	for (size_t i = 0; i < files.n && ret == 0; i++) {
		size_t n;
		char *bytes = file_read_most(files.v[i], most_bytes, &n);

		ret = bytes ? 0 : -1;
		if (bytes && i > 0)
			*digest = fnv(fnv_text(fnv_text(*digest, "\n"), files.v[i] + folder), bytes,
				      n);
		if (bytes && word_ends(files.v[i], ".py"))
			code_imports(&files, files.v[i], bytes, n);
		free(bytes);
	}
	texts_release(&files);
	return ret;
}
