/* Lists a folder's photographs with their classes, by class folders or by a label file. */
#include "data/photo/list.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "data/photo/photo.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static void list_add(struct photo_list *l, const char *folder, const char *name, int32_t label)
{
	const size_t need = l->size + strlen(folder) + strlen(name) + 2;

	if (need > l->capacity) {
		l->capacity = 2 * need;
		l->names = xrealloc(l->names, l->capacity, 1);
	}
	if (l->n == l->slots) {
		l->slots = l->slots ? 2 * l->slots : 64;
		l->name = xrealloc(l->name, l->slots, sizeof *l->name);
		l->label = xrealloc(l->label, l->slots, sizeof *l->label);
	}
	l->name[l->n] = l->size;
	l->label[l->n++] = label;
	l->size += (size_t)sprintf(l->names + l->size, "%s%s%s", folder, *folder ? "/" : "",
				   name) + 1;
}

static bool is_photo(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && (strcasecmp(dot, ".jpeg") == 0 || strcasecmp(dot, ".jpg") == 0);
}

/* Files that are no photographs, passed over: the first, and how many. */
struct others {
	char *first;
	size_t n;
};

static void other_add(struct others *o, const char *path, const char *name)
{
	if (o->n++ == 0)
		o->first = xasprintf("%s/%s", path, name);
}

static void others_tell(struct others *o)
{
	if (o->n)
		warning("%s%s%zu %s passed over: not named .JPEG, .jpeg or .jpg", o->first,
			o->n > 1 ? " and others: " : ": ", o->n, o->n > 1 ? "files" : "file");
	free(o->first);
}

static int add_folder(struct photo_list *l, const char *folder, int32_t label,
		      struct others *others)
{
	char *path = xasprintf("%s/%s", l->root, folder);
	struct names found;
	int r = folder_read(path, &found);

	for (size_t i = 0; r == 0 && i < found.n; i++) {
		if (is_photo(found.v[i]))
			list_add(l, folder, found.v[i], label);
		else
			other_add(others, path, found.v[i]);
	}
	names_release(&found);
	free(path);
	return r;
}

static int unknown_class(const char *path, const char *name, const struct names *classes)
{
	const char *near = nearest_word(name, (const char *const *)classes->v);

	return error("%s: '%s' is none of the %zu classes%s%s%s", path, name, classes->n,
		     near ? "; the nearest is '" : "", near ? near : "", near ? "'" : "");
}

static int by_pointed(const void *key, const void *word)
{
	return strcmp(key, *(char *const *)word);
}

/* The class of that name, or -1. */
static int32_t find_class(const struct names *classes, const char *name)
{
	/* Usually sorted: then by halves. */
	char **at = bsearch(name, classes->v, classes->n, sizeof *classes->v, by_pointed);

	if (at)
		return (int32_t)(at - classes->v);
	for (size_t i = 0; i < classes->n; i++)
		if (strcmp(classes->v[i], name) == 0)
			return (int32_t)i;
	return -1;
}

static int read_class_folders(struct photo_list *l, const struct names *folders,
			      const struct names *classes)
{
	struct others others = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < folders->n; i++) {
		int32_t label = find_class(classes, folders->v[i]);

		if (label < 0)
			r = unknown_class(l->root, folders->v[i], classes);
		else
			r = add_folder(l, folders->v[i], label, &others);
	}
	others_tell(&others);
	return r;
}

/* A class by its number or its name; -1 for none. */
static int32_t parse_label(const char *text, const struct names *classes)
{
	char *end;
	long v = strtol(text, &end, 10);

	if (*text && *end == '\0')
		return v >= 0 && (size_t)v < classes->n ? (int32_t)v : -1;
	return find_class(classes, text);
}

/* "NAME CLASS" */
static int add_line(struct photo_list *l, const char *file, size_t number, char *line,
		    const struct names *classes)
{
	char *name = line + strspn(line, " \t"), *label = name + strcspn(name, " \t");
	int32_t class;

	if (*label)
		*label++ = '\0';
	label += strspn(label, " \t");
	label[strcspn(label, " \t\r")] = '\0';
	if (!*name || *name == '\r')
		return 0;
	class = parse_label(label, classes);
	if (class < 0)
		return error("%s:%zu: '%s' has the label '%s', expected 0 to %zu or a class's "
			     "name", file, number, name, label, classes->n - 1);
	if (strstr(name, "..") || *name == '/')
		return error("%s:%zu: '%s' leads out of the folder", file, number, name);
	list_add(l, "", name, class);
	return 0;
}

static int read_label_file(struct photo_list *l, const char *file, const struct names *classes)
{
	char *text = file_read(file, NULL), *line = text, *next;
	size_t number = 0;
	int r = text ? 0 : -1;

	for (; r == 0 && *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		r = add_line(l, file, ++number, line, classes);
	}
	free(text);
	return r;
}

/* val without folders: the labels are in a file. */
static int read_flat(struct photo_list *l, const char *root, const char *labels,
		     const struct names *classes)
{
	char *val_file = xasprintf("%s/val.txt", root);
	struct stat st;
	int r;

	if (!labels && stat(val_file, &st))
		r = error("%s: no folders of classes in it, and no %s; name the file of its "
			  "\"NAME CLASS\" lines: --data imagenet:labels=FILE", l->root, val_file);
	else
		r = read_label_file(l, labels ? labels : val_file, classes);
	free(val_file);
	return r;
}

int photo_list_read(struct photo_list *l, const char *root, enum split split,
		    const struct names *classes, const char *labels)
{
	struct names folders = { 0 };
	int r = 0;

	*l = (struct photo_list){
		.root = xasprintf("%s/%s", root, split == SPLIT_TRAIN ? "train" : "val"),
	};
	if (split == SPLIT_TEST && !dir_exists(l->root))
		return 0;
	r = folder_read(l->root, &folders);
	if (r == 0)
		folder_keep_folders(l->root, &folders);
	if (r == 0 && split == SPLIT_TEST && (labels || folders.n == 0))
		r = read_flat(l, root, labels, classes);
	else if (r == 0)
		r = read_class_folders(l, &folders, classes);
	names_release(&folders);
	if (r == 0 && l->n == 0)
		r = error("%s: no .JPEG files in it", l->root);
	return r;
}

void photo_list_release(struct photo_list *l)
{
	free(l->root);
	free(l->names);
	free(l->name);
	free(l->label);
	*l = (struct photo_list){ 0 };
}

char *photo_path(const struct photo_list *l, size_t i)
{
	return xasprintf("%s/%s", l->root, l->names + l->name[i]);
}

int photo_list_thin(struct photo_list *l, int64_t keep, const char *what)
{
	if (keep > (int64_t)l->n)
		return error("%s: %s=%" PRId64 " is more than the %zu photographs there are",
			     l->root, what, keep, l->n);
	for (size_t k = 0; k < (size_t)keep; k++) {
		size_t i = (size_t)photo_spread((int64_t)k, keep, (int64_t)l->n);

		l->name[k] = l->name[i];
		l->label[k] = l->label[i];
	}
	if (keep)
		l->n = (size_t)keep;
	return 0;
}
