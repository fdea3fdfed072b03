/*
 * list.h - which photographs a folder holds, and of which class each is.
 *
 * ImageNet's own layout: ROOT/train/WNID/NAME.JPEG, ROOT/val/WNID/NAME.JPEG; or
 * all of val in one folder, with a file of "NAME CLASS" lines. The WordNet ids,
 * sorted, give the numbers of the classes.
 */
#ifndef DATA_PHOTO_LIST_H
#define DATA_PHOTO_LIST_H

#include "core/samples/dataset.h"

struct names {
	char **v;               /* [n], owned, NULL-ended */
	size_t n;
};

void names_release(struct names *w);

struct photo_list {
	char *root;             /* ROOT/train or ROOT/val; owned */
	size_t n;
	char *names;            /* paths below root, one after the other; owned */
	size_t *name;           /* [n] where each begins */
	int32_t *label;         /* [n] */
	size_t size, capacity, slots;   /* bytes of names used and had; of the arrays */
};

/*
 * Where the photographs lie: dir; else in $CONVOY_DATA, itself or below it as
 * imagenet/ or ILSVRC/Data/CLS-LOC/. The caller frees; NULL when there is no
 * train/ in any, after error() where `must` is set.
 */
char *photo_root(const char *dir, bool must);

/*
 * The classes in the order of their numbers: the first words of the lines of a
 * file, or, file NULL, the sorted names of the folders in ROOT/train. 0 or error().
 */
int photo_classes(const char *root, const char *file, struct names *classes);

/*
 * Lists ROOT/train or ROOT/val, in the order of class folders and names. What is no .JPEG, .jpeg or
 * .jpg, or has no class, is passed over, with a warning unless it is hidden. Folders of train
 * without photographs are an error. A val that is not there gives an empty list. labels: file of
 * "NAME CLASS" lines for a flat val, or NULL: ROOT/val.txt; each line must name another photograph
 * that is there. 0 or error(); release in either case.
 */
int photo_list_read(struct photo_list *l, const char *root, enum split split,
		    const struct names *classes, const char *labels);
void photo_list_release(struct photo_list *l);

/* ROOT/train/NAME of the i-th; the caller frees. */
char *photo_path(const struct photo_list *l, size_t i);

/* Leaves `keep` (0: all) of them, spread evenly; error() when there are fewer. */
int photo_list_thin(struct photo_list *l, int64_t keep, const char *what);

#endif
