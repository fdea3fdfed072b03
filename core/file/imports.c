/* Modules in Python that a file imports and that lie in the folder of the program. */
#include "core/file/code.h"

#include "core/base/mem.h"
#include "core/file/paths.h"
#include "core/text/word.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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

static void file_add(struct python *p, char *file)
{
	bool known = !file_is_regular(file);

	for (size_t i = 0; i < p->files->n && !known; i++)
		known = strcmp(p->files->v[i], file) == 0;
	if (!known && p->files->n < CODE_FILES_MOST)
		texts_put(p->files, file);
	free(file);
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
	char *path = module_folder(p, dots);

	for (name += dots; *name;) {
		const size_t n = strcspn(name, ".");

		xappendf(&path, "", "%.*s", (int)n, name);
		file_add(p, xasprintf("%s.py", path));
		xappend(&path, "", "/");
		file_add(p, xasprintf("%s__init__.py", path));
		name += n + (name[n] == '.');
	}
	free(path);
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
		file_add(p, xasprintf("%s%s", *text == '/' ? "" : p->root, text));
	for (n = 0; is_name(text[n]) || text[n] == '.'; n++)
		;
	if (!text[n])
		module_add(p, text);
	free(text);
	p->at++;
}

/* The word at the position, if one begins there. */
static bool word_is(const struct python *p, const char *text, const char *word)
{
	const size_t n = strlen(word);

	return (size_t)(p->end - p->at) > n && strncmp(p->at, word, n) == 0 &&
	       !is_name(p->at[n]) && (p->at == text || (!is_name(p->at[-1]) && p->at[-1] != '.'));
}

void code_imports(struct texts *files, const char *path, const char *text, size_t n)
{
	char *root = xasprintf("%.*s", (int)(path_base(files->v[0]) - files->v[0]), files->v[0]);
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
	free(root);
}
