/* Finds the folder of photographs, lists its class folders and reads class names. */
#include "data/photo/list.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "core/file/textfile.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CLASSES = 1 << 20, MOST_NAME = 1024 };

static bool has_folder(const char *root, const char *name)
{
	char *path = xasprintf("%s/%s", root, name);
	bool is = dir_exists(path);

	free(path);
	return is;
}

void names_release(struct names *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i]);
	free(w->v);
	*w = (struct names){ 0 };
}

static void names_add(struct names *w, const char *at, size_t len)
{
	if ((w->n & (w->n + 1)) == 0)           /* full: it holds 1, 3, 7, ... and a NULL */
		w->v = xrealloc(w->v, 2 * w->n + 2, sizeof *w->v);
	w->v[w->n] = xasprintf("%.*s", (int)len, at);
	w->v[++w->n] = NULL;
}

static int by_word(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void names_sort(struct names *w)
{
	if (w->n)
		qsort(w->v, w->n, sizeof *w->v, by_word);
}

/* ---- where ---- */

static char *root_below(const char *dir)
{
	static const char *const sub[] = { "", "/imagenet", "/ILSVRC/Data/CLS-LOC" };

	for (size_t i = 0; i < sizeof sub / sizeof *sub; i++) {
		char *root = xasprintf("%s%s", dir, sub[i]);

		if (has_folder(root, "train"))
			return root;
		free(root);
	}
	return NULL;
}

char *photo_root(const char *dir, bool must)
{
	const char *from = dir ? dir : getenv("CONVOY_DATA");
	char *root = from && *from ? root_below(from) : NULL;

	if (root || !must)
		return root;
	if (!from || !*from)
		error("data set imagenet: no folder given; set --data imagenet:dir=PATH or "
		      "CONVOY_DATA to the one that holds train/ and val/");
	else
		error("%s: no train/ in it, nor in imagenet/ or ILSVRC/Data/CLS-LOC/; set --data "
		      "imagenet:dir=PATH to the folder that holds train/WNID/*.JPEG", from);
	return NULL;
}

/* ---- folders ---- */

int folder_read(const char *path, struct names *names)
{
	DIR *d = opendir(path);
	struct dirent *e;

	*names = (struct names){ 0 };
	if (!d)
		return error("%s: cannot open: %s", path, strerror(errno));
	while ((e = readdir(d)))
		if (e->d_name[0] != '.')
			names_add(names, e->d_name, strlen(e->d_name));
	closedir(d);
	names_sort(names);
	return 0;
}

void folder_keep_folders(const char *path, struct names *names, struct names *files)
{
	size_t kept = 0;

	for (size_t i = 0; i < names->n; i++) {
		if (has_folder(path, names->v[i])) {
			names->v[kept++] = names->v[i];
			continue;
		}
		if (files)
			names_add(files, names->v[i], strlen(names->v[i]));
		free(names->v[i]);
	}
	names->n = kept;
	if (names->v)
		names->v[kept] = NULL;
}

static int read_folders(const char *root, const char *name, struct names *folders)
{
	char *path = xasprintf("%s/%s", root, name);
	int r = folder_read(path, folders);

	if (r == 0)
		folder_keep_folders(path, folders, NULL);
	free(path);
	return r;
}

/* ---- classes ---- */

static int check_twice(const char *file, const struct names *classes)
{
	struct names sorted = { xcalloc(classes->n + 1, sizeof *sorted.v), classes->n };
	int r = 0;

	memcpy(sorted.v, classes->v, classes->n * sizeof *sorted.v);
	names_sort(&sorted);
	for (size_t i = 1; i < sorted.n && r == 0; i++)
		if (strcmp(sorted.v[i - 1], sorted.v[i]) == 0)
			r = error("%s: '%s' stands in it twice", file, sorted.v[i]);
	free(sorted.v);
	return r;
}

static int read_synsets(const char *file, struct names *classes)
{
	char *text = textfile_read(file);
	int r;

	*classes = (struct names){ 0 };
	if (!text)
		return -1;
	for (char *line = text; *line && classes->n <= MOST_CLASSES;) {
		size_t word = strcspn(line, " \t\r\n");

		if (word)
			names_add(classes, line, word < MOST_NAME ? word : MOST_NAME);
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	free(text);
	if (classes->n == 0 || classes->n > MOST_CLASSES)
		r = error("%s: %s, expected a line for each class", file,
			  classes->n ? "too long" : "empty");
	else
		r = check_twice(file, classes);
	return r;
}

int photo_classes(const char *root, const char *file, struct names *classes)
{
	int r = file ? read_synsets(file, classes) : read_folders(root, "train", classes);

	if (r == 0 && classes->n == 0)
		r = error("%s/train: no folders of classes in it", root);
	if (r < 0)
		names_release(classes);
	return r;
}
