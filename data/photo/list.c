/* Finds the folder of photographs, its classes, and its photographs with their classes. */
#include "data/photo/list.h"

#include "core/base/error.h"
#include "core/file/paths.h"
#include "core/file/textfile.h"
#include "data/photo/photo.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_CLASSES = 1 << 20, MOST_NAME = 1024 };

static bool has_folder(const char *root, const char *name)
{
	scoped char *path = xasprintf("%s/%s", root, name);

	return dir_exists(path);
}

/* ---- the folder ---- */

char *photo_root(const char *dir, bool must)
{
	static const char *const sub[] = { "", "/imagenet", "/ILSVRC/Data/CLS-LOC" };
	const char *from = dir ? dir : getenv("CONVOY_DATA");

	for (size_t i = 0; from && *from && i < sizeof sub / sizeof *sub; i++) {
		char *root = xasprintf("%s%s", from, sub[i]);

		if (has_folder(root, "train"))
			return root;
		free(root);
	}
	if (must && (!from || !*from))
		error("data set imagenet: no folder given; set --data imagenet:dir=PATH or "
		      "CONVOY_DATA to the one that holds train/ and val/");
	else if (must)
		error("%s: no train/ in it, nor in imagenet/ or ILSVRC/Data/CLS-LOC/; set --data "
		      "imagenet:dir=PATH to the folder that holds train/WNID/*.JPEG", from);
	return NULL;
}

/* ---- folders ---- */

/* The names in a folder, sorted, without hidden ones. 0 or error(); release in either case. */
static int folder_read(const char *path, struct texts *names)
{
	char **paths = dir_list(path, "");

	*names = (struct texts){ 0 };
	if (!paths)
		return error("%s: cannot open: %s", path, strerror(errno));
	for (char **p = paths; *p; p++)
		texts_put(names, strrchr(*p, '/') + 1);
	path_list_free(paths);
	return 0;
}

/* Keeps the names of folders; moves the others to *files, or frees them if that is NULL. */
static void folder_keep_folders(const char *path, struct texts *names, struct texts *files)
{
	size_t kept = 0;

	for (size_t i = 0; i < names->n; i++) {
		if (has_folder(path, names->v[i])) {
			names->v[kept++] = names->v[i];
			continue;
		}
		if (files)
			texts_put_own(files, names->v[i]);
		else
			free(names->v[i]);
	}
	names->n = kept;
}

/* ---- classes ---- */

static int read_synsets(const char *file, struct texts *classes)
{
	char *text = textfile_read(file);
	scoped char **sorted = NULL;
	int r = 0;

	*classes = (struct texts){ 0 };
	if (!text)
		return -1;
	for (char *line = text; *line && classes->n <= MOST_CLASSES;) {
		const size_t all = strcspn(line, " \t\r\n");
		const size_t word = all < MOST_NAME ? all : MOST_NAME;

		if (word)
			texts_putf(classes, "%.*s", (int)word, line);
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	free(text);
	if (classes->n == 0 || classes->n > MOST_CLASSES)
		return error("%s: %s, expected a line for each class", file,
			     classes->n ? "too long" : "empty");
	sorted = xcalloc(classes->n, sizeof *sorted);
	memcpy(sorted, classes->v, classes->n * sizeof *sorted);
	qsort(sorted, classes->n, sizeof *sorted, texts_order);
	for (size_t i = 1; i < classes->n && r == 0; i++)
		if (strcmp(sorted[i - 1], sorted[i]) == 0)
			r = error("%s: '%s' stands in it twice", file, sorted[i]);
	return r;
}

int photo_classes(const char *root, const char *file, struct texts *classes)
{
	scoped char *train = xasprintf("%s/train", root);
	int r = file ? read_synsets(file, classes) : folder_read(train, classes);

	if (!file && r == 0)
		folder_keep_folders(train, classes, NULL);
	if (r == 0 && classes->n == 0)
		r = error("%s: no folders of classes in it", train);
	if (r < 0) {
		texts_release(classes);
	} else {
		classes->v = xrealloc(classes->v, classes->n + 1, sizeof *classes->v);
		classes->v[classes->n] = NULL;
	}
	return r;
}

/* ---- photographs, by class folders or by a label file ---- */

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

/* Files ignored for one reason: the path of the first, and their number. */
struct passed_over {
	char *first;
	size_t n;
};

static void passed_over_add(struct passed_over *p, const char *path, const char *name)
{
	if (p->n++ == 0)
		p->first = xasprintf("%s/%s", path, name);
}

/* what: "file" or the like; of: the subject of the reason, or "". */
static void passed_over_tell(struct passed_over *p, const char *what, const char *why,
			     const char *of)
{
	if (p->n)
		warning("%s%s%zu %s%s passed over: %s%s", p->first,
			p->n > 1 ? " and others: " : ": ", p->n, what, p->n > 1 ? "s" : "", why,
			of);
	free(p->first);
}

static int list_add_folder(struct photo_list *l, const char *folder, int32_t label,
			   struct passed_over *others)
{
	scoped char *path = xasprintf("%s/%s", l->root, folder);
	scoped_by(texts_release) struct texts found;
	int r = folder_read(path, &found);

	for (size_t i = 0; r == 0 && i < found.n; i++) {
		if (is_photo(found.v[i]))
			list_add(l, folder, found.v[i], label);
		else
			passed_over_add(others, path, found.v[i]);
	}
	return r;
}

/* Number of the class of that name, or -1. */
static int32_t find_class(const struct texts *classes, const char *name)
{
	/* Usually sorted: then a binary search finds it. */
	char **at = bsearch(&name, classes->v, classes->n, sizeof *classes->v, texts_order);

	if (at)
		return (int32_t)(at - classes->v);
	for (size_t i = 0; i < classes->n; i++)
		if (strcmp(classes->v[i], name) == 0)
			return (int32_t)i;
	return -1;
}

/*
 * Lists the photographs in class folders. A folder of train without any is an error: its class
 * would count in every mean over classes.
 */
static int read_class_folders(struct photo_list *l, const struct texts *folders,
			      const struct texts *files, const struct texts *classes,
			      enum split split)
{
	struct passed_over others = { 0 }, classless = { 0 }, empty = { 0 };
	int r = 0;

	for (size_t i = 0; i < files->n; i++)
		if (is_photo(files->v[i]))
			passed_over_add(&classless, l->root, files->v[i]);
	for (size_t i = 0; r == 0 && i < folders->n; i++) {
		const int32_t label = find_class(classes, folders->v[i]);
		const size_t before = l->n;
		const char *near = label < 0 ? nearest_word(folders->v[i],
							    (const char *const *)classes->v)
					     : NULL;

		if (label < 0)
			r = error("%s: '%s' is none of the %zu classes%s%s%s", l->root,
				  folders->v[i], classes->n, near ? "; the nearest is '" : "",
				  near ? near : "", near ? "'" : "");
		else
			r = list_add_folder(l, folders->v[i], label, &others);
		if (r == 0 && l->n == before)
			passed_over_add(&empty, l->root, folders->v[i]);
	}
	if (r == 0 && split == SPLIT_TRAIN && empty.n && l->n)
		r = error("%s%s%zu %s no .JPEG file in it (expected photographs of a class in each "
			  "folder). Remove such folders, or fill them", empty.first,
			  empty.n > 1 ? " and others: " : ": ", empty.n,
			  empty.n > 1 ? "folders have" : "folder has");
	if (split == SPLIT_TRAIN || l->n == 0)
		empty.n = 0;
	passed_over_tell(&others, "file", "not named .JPEG, .jpeg or .jpg", "");
	passed_over_tell(&classless, "photograph", "not in the folder of a class", "");
	passed_over_tell(&empty, "class folder", "no .JPEG file in it", "");
	return r;
}

/* A label file, and the line that each photograph of the list is from. */
struct label_file {
	const char *path;
	size_t lines, *line;    /* [n] of the list, owned */
};

/* False: a path has "..", or begins at the root. */
static bool stays_inside(const char *path)
{
	if (*path == '/')
		return false;
	for (size_t n; *path; path += n + (path[n] == '/')) {
		n = strcspn(path, "/");
		if (n == 2 && strncmp(path, "..", n) == 0)
			return false;
	}
	return true;
}

/* Adds the photograph of a line "NAME CLASS"; CLASS is a number or a name. */
static int list_add_line(struct photo_list *l, struct label_file *f, char *line,
			 const struct texts *classes)
{
	char *name = line + strspn(line, " \t"), *label = name + strcspn(name, " \t"), *end;
	int32_t class, named;
	long number;

	f->lines++;
	if (*label)
		*label++ = '\0';
	label += strspn(label, " \t");
	label[strcspn(label, " \t\r")] = '\0';
	while (strncmp(name, "./", 2) == 0)
		name += 2;
	if (!*name || *name == '\r')
		return 0;
	number = strtol(label, &end, 10);
	class = named = find_class(classes, label);
	if (*label && !*end)
		class = number >= 0 && (size_t)number < classes->n ? (int32_t)number : -1;
	if (named >= 0 && named != class)
		return error("%s:%zu: '%s' has the label '%s', the name of class %d, but as a "
			     "number that of %s%s%s (expected one meaning). Give the names in the "
			     "order of their numbers by synsets=FILE, or rename the folders",
			     f->path, f->lines, name, label, named, class < 0 ? "no" : "'",
			     class < 0 ? " class" : classes->v[class], class < 0 ? "" : "'");
	if (class < 0)
		return error("%s:%zu: '%s' has the label '%s', expected 0 to %zu or a class's "
			     "name", f->path, f->lines, name, label, classes->n - 1);
	if (!stays_inside(name))
		return error("%s:%zu: '%s' leads out of the folder", f->path, f->lines, name);
	list_add(l, "", name, class);
	f->line = xrealloc(f->line, l->slots, sizeof(*f->line));
	f->line[l->n - 1] = f->lines;
	return 0;
}

/* A photograph's name, and its index in a list. */
struct listed {
	const char *name;
	size_t i;
};

static int by_listed_name(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;
	const int r = strcmp(x->name, y->name);

	return r ? r : (x->i > y->i) - (x->i < y->i);
}

static int by_listed(const void *key, const void *listed)
{
	return strcmp(key, ((const struct listed *)listed)->name);
}

/* Sorted by name; equal names keep their order. The caller frees. */
static struct listed *list_sort(const struct photo_list *l)
{
	struct listed *sorted = xcalloc(l->n, sizeof(*sorted));

	for (size_t i = 0; i < l->n; i++)
		sorted[i] = (struct listed){ l->names + l->name[i], i };
	if (l->n)
		qsort(sorted, l->n, sizeof(*sorted), by_listed_name);
	return sorted;
}

static const struct listed *list_find(const struct listed *sorted, size_t n, const char *name)
{
	return n ? bsearch(name, sorted, n, sizeof(*sorted), by_listed) : NULL;
}

/*
 * Checks that each photograph is listed once, and exists. Existing ones that are not listed are
 * ignored.
 */
static int check_listed(const struct photo_list *l, const struct label_file *f,
			const struct photo_list *there)
{
	scoped struct listed *listed = list_sort(l), *found = list_sort(there);
	struct passed_over unlisted = { 0 };
	int r = 0;

	for (size_t i = 1; i < l->n && r == 0; i++)
		if (strcmp(listed[i - 1].name, listed[i].name) == 0)
			r = error("%s:%zu: '%s' is listed twice, first in line %zu. Remove one of "
				  "the lines", f->path, f->line[listed[i].i], listed[i].name,
				  f->line[listed[i - 1].i]);
	for (size_t i = 0; i < l->n && r == 0; i++) {
		const char *name = l->names + l->name[i];
		scoped char *path = photo_path(l, i);

		if (!list_find(found, there->n, name) && access(path, F_OK) < 0)
			r = error("%s:%zu: '%s': no such photograph in %s. Remove the line, or put "
				  "the photograph there", f->path, f->line[i], name, l->root);
	}
	for (size_t i = 0; i < there->n && r == 0; i++)
		if (!list_find(listed, l->n, found[i].name))
			passed_over_add(&unlisted, l->root, found[i].name);
	passed_over_tell(&unlisted, "photograph", "no label in ", f->path);
	return r;
}

/* Lists val by a label file: its photographs are in no folder, or have names like FOLDER/NAME. */
static int read_flat(struct photo_list *l, const char *root, const char *labels,
		     const struct texts *folders, const struct texts *files,
		     const struct texts *classes)
{
	char *val_file = xasprintf("%s/val.txt", root), *text = NULL;
	struct photo_list there = { .root = l->root };
	struct label_file f = { .path = labels ? labels : val_file };
	struct passed_over others = { 0 };
	struct stat st;
	int r;

	if (!labels && stat(val_file, &st))
		r = error("%s: no folders of classes in it, and no %s; name the file of its "
			  "\"NAME CLASS\" lines: --data imagenet:labels=FILE", l->root, val_file);
	else
		r = (text = textfile_read(f.path)) ? 0 : -1;
	for (char *line = text, *next; r == 0 && text && *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		r = list_add_line(l, &f, line, classes);
	}
	free(text);
	for (size_t i = 0; r == 0 && i < files->n; i++)
		if (is_photo(files->v[i]))
			list_add(&there, "", files->v[i], 0);
	for (size_t i = 0; r == 0 && i < folders->n; i++)
		r = list_add_folder(&there, folders->v[i], 0, &others);
	if (r == 0)
		r = check_listed(l, &f, &there);
	free(others.first);
	there.root = NULL;
	photo_list_release(&there);
	free_all(f.line, val_file);
	return r;
}

int photo_list_read(struct photo_list *l, const char *root, enum split split,
		    const struct texts *classes, const char *labels)
{
	struct texts folders = { 0 }, files = { 0 };
	int r = 0;

	*l = (struct photo_list){
		.root = xasprintf("%s/%s", root, split == SPLIT_TRAIN ? "train" : "val"),
	};
	if (split == SPLIT_TEST && !dir_exists(l->root))
		return 0;
	r = folder_read(l->root, &folders);
	if (r == 0)
		folder_keep_folders(l->root, &folders, &files);
	if (r == 0 && split == SPLIT_TEST && (labels || folders.n == 0))
		r = read_flat(l, root, labels, &folders, &files, classes);
	else if (r == 0)
		r = read_class_folders(l, &folders, &files, classes, split);
	texts_release(&folders);
	texts_release(&files);
	if (r == 0 && l->n == 0)
		r = error("%s: no .JPEG files in it", l->root);
	return r;
}

void photo_list_release(struct photo_list *l)
{
	free_all(l->root, l->names, l->name, l->label);
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
