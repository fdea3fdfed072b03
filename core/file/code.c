/* The digest of users' code, and whether it may run. */
#include "core/file/code.h"

#include "core/base/error.h"
#include "core/base/hash.h"
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

/* Adds a file, whose path is taken over, if it exists and the list does not have it. */
static void file_add(struct texts *files, char *file)
{
	if (files->n < CODE_FILES_MOST && file_is_regular(file) && !texts_have(files, file))
		texts_put(files, file);
	free(file);
}

/* Adds the files next to `path` that the text includes, unless they are in the list. */
static void includes_add(struct texts *files, const char *path, const char *text, size_t n)
{
	const int folder = (int)(path_base(path) - path);

	for (const char *line = text, *end; line < text + n; line = end + 1) {
		scoped char *name = NULL;

		end = memchr(line, '\n', (size_t)(text + n - line));
		end = end ? end : text + n;
		name = line_includes(line, (size_t)(end - line));
		if (name)
			file_add(files, xasprintf("%.*s%s", *name == '/' ? 0 : folder, path, name));
	}
}

/* error() about a file that is not there, or no file; with the one that ends in .c, if there is. */
static int no_code(const char *what, const char *path)
{
	scoped char *source = xasprintf("%s.c", path), *advice = path_cut_advice(path);
	const bool is_source = file_is_regular(source);

	if (is_source)
		error("%s: no such file; did you mean '%s'?", what, source);
	else if (access(path, F_OK) == 0)
		error("%s: no such file: a folder or a device has this name", what);
	else
		error("%s: no such file%s", what, *advice ? advice :
		      " (expected the path of a .c or .so file)");
	return -1;
}

/* ---- modules in Python that a file imports ---- */

enum { DOTTED_MOST = 512 };     /* chars of a dotted name */

struct python {                 /* a text that is read */
	const char *at, *end;
	const char *root;       /* folder of the program, "" or ending in '/' */
	const char *path;       /* of the file */
	struct texts *files;
};

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 128;
}

/* The folder of a module's name: of the program, or so many dots up from that of the file. */
static char *module_folder(const struct python *p, size_t dots)
{
	char *folder = dots ? xasprintf("%.*s", (int)(path_base(p->path) - p->path), p->path)
			    : xstrdup(p->root);

	while (dots-- > 1)
		xappend(&folder, "", "../");
	return folder;
}

/* Adds the files of "a.b": a/__init__.py, a/b.py, a/b/__init__.py, as far as they are there. */
static void module_add(struct python *p, const char *name)
{
	const size_t dots = strspn(name, ".");
	scoped char *path = module_folder(p, dots);

	for (name += dots; *name;) {
		const size_t n = strcspn(name, ".");

		xappendf(&path, "", "%.*s", (int)n, name);
		file_add(p->files, xasprintf("%s.py", path));
		xappend(&path, "", "/");
		file_add(p->files, xasprintf("%s__init__.py", path));
		name += n + (name[n] == '.');
	}
}

/* ---- import statements ---- */

/* Skips blanks, and line ends that a backslash or parentheses continue. */
static void blanks_skip(struct python *p, bool inside)
{
	while (p->at < p->end) {
		if (*p->at == '#' && inside)
			while (p->at < p->end && *p->at != '\n')
				p->at++;
		else if (isblank((unsigned char)*p->at) || *p->at == '\r' ||
			 (*p->at == '\n' && inside))
			p->at++;
		else if (*p->at == '\\' && p->at + 1 < p->end && p->at[1] == '\n')
			p->at += 2;
		else
			return;
	}
}

/* A dotted name, without blanks; "" if there is none, or it is too long. */
static void dotted_read(struct python *p, char name[DOTTED_MOST])
{
	size_t n = 0;

	while (p->at < p->end && (is_name(*p->at) || *p->at == '.') && n < DOTTED_MOST - 1)
		name[n++] = *p->at++;
	name[n] = '\0';
}

/* Reads "a.b as c, d" or "(a, b)", after "import"; from: the module before it, or "". */
static void names_read(struct python *p, const char *from)
{
	bool inside = false, more = true;

	blanks_skip(p, false);
	if (p->at < p->end && *p->at == '(') {
		inside = true;
		p->at++;
	}
	while (more) {
		char name[DOTTED_MOST], other[DOTTED_MOST];
		const size_t n = strlen(from);
		char *module;

		blanks_skip(p, inside);
		dotted_read(p, name);
		if (!*name)
			return;
		module = xasprintf("%s%s%s", from, n && from[n - 1] != '.' ? "." : "", name);
		module_add(p, module);
		free(module);
		blanks_skip(p, inside);
		if (p->end - p->at > 2 && strncmp(p->at, "as", 2) == 0 && !is_name(p->at[2])) {
			p->at += 2;
			blanks_skip(p, inside);
			dotted_read(p, other);
			blanks_skip(p, inside);
		}
		more = p->at < p->end && *p->at == ',';
		p->at += more;
	}
}

/*
 * Adds the module or the file of a text in quotes, such as importlib.import_module("a.b") or
 * runpy.run_path("a/b.py"), if it is there. Other texts in quotes name none.
 */
static void text_read(struct python *p)
{
	const char quote = *p->at++, *began = p->at;
	size_t n;
	char *text;

	while (p->at < p->end && *p->at != quote && *p->at != '\n' && *p->at != '\\')
		p->at++;
	n = (size_t)(p->at - began);
	if (n == 0 || n >= DOTTED_MOST || p->at == p->end || *p->at != quote) {
		p->at = began;
		return;
	}
	text = xasprintf("%.*s", (int)n, began);
	if (word_ends(text, ".py"))
		file_add(p->files, xasprintf("%s%s", *text == '/' ? "" : p->root, text));
	for (n = 0; is_name(text[n]) || text[n] == '.'; n++)
		;
	if (!text[n])
		module_add(p, text);
	free(text);
	p->at++;
}

/* The word at the position, if one begins there. */
static bool word_is(const struct python *p, const char *text, const char *keyword)
{
	const size_t n = strlen(keyword);

	return (size_t)(p->end - p->at) > n && strncmp(p->at, keyword, n) == 0 &&
	       !is_name(p->at[n]) && (p->at == text || (!is_name(p->at[-1]) && p->at[-1] != '.'));
}

/*
 * Adds to the files the modules that this text in Python imports, by any statement with the word
 * import or by a text in quotes, and that are found in the folder of files[0] or, by leading dots,
 * of `path`.
 */
static void code_imports(struct texts *files, const char *path, const char *text, size_t n)
{
	scoped char *root =
		xasprintf("%.*s", (int)(path_base(files->v[0]) - files->v[0]), files->v[0]);
	struct python p = { .at = text, .end = text + n, .root = root, .path = path,
			    .files = files };

	while (p.at < p.end) {
		char from[DOTTED_MOST] = "";
		const char *began = p.at;

		if (word_is(&p, text, "from")) {
			p.at += strlen("from");
			blanks_skip(&p, false);
			dotted_read(&p, from);
			blanks_skip(&p, false);
			if (*from && word_is(&p, text, "import"))
				module_add(&p, from);
			else
				p.at = began + 1;
		}
		if (word_is(&p, text, "import")) {
			p.at += strlen("import");
			names_read(&p, from);
		}
		if (p.at < p.end && (*p.at == '"' || *p.at == '\''))
			text_read(&p);
		p.at += p.at == began;
	}
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
		scoped char *bytes = file_read_most(files.v[i], most_bytes, &n);

		ret = bytes ? 0 : -1;
		if (bytes) {
			SHA256Update(&sum, (const uint8_t *)bytes, n);
			if (word_ends(path, ".c"))
				includes_add(&files, files.v[i], bytes, n);
		}
	}
	texts_release(&files);
	SHA256End(&sum, text);
	memcpy(digest, text, CODE_DIGEST - 1);
	digest[CODE_DIGEST - 1] = '\0';
	return ret;
}

int code_digest_others(const char *path, uint64_t *digest)
{
	scoped_by(texts_release) struct texts files = { 0 };
	const size_t folder = (size_t)(path_base(path) - path);
	int ret = 0;

	texts_put(&files, path);
	for (size_t i = 0; i < files.n && ret == 0; i++) {
		size_t n;
		scoped char *bytes = file_read_most(files.v[i], most_bytes, &n);

		ret = bytes ? 0 : -1;
		if (bytes && i > 0)
			*digest = fnv(fnv_text(fnv_text(*digest, "\n"), files.v[i] + folder), bytes,
				      n);
		if (bytes && word_ends(files.v[i], ".py"))
			code_imports(&files, files.v[i], bytes, n);
	}
	return ret;
}
