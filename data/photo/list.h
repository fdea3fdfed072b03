/*
 * list.h - lists the photographs of a folder, with their classes.
 *
 * ImageNet's layout is ROOT/train/WNID/NAME.JPEG and ROOT/val/WNID/NAME.JPEG; or all of val is in
 * one folder, with a file of lines "NAME CLASS". Classes are numbered in the order of their WordNet
 * ids.
 */
#ifndef DATA_PHOTO_LIST_H
#define DATA_PHOTO_LIST_H

#include "core/base/mem.h"
#include "core/samples/dataset.h"

struct photo_list {
	char *root;             /* ROOT/train or ROOT/val; owned */
	size_t n;
	char *names;            /* paths below root, one after the other; owned */
	size_t *name;           /* [n] offset of each in names */
	int32_t *label;         /* [n] */
	size_t size, capacity, slots;   /* bytes of names used, allocated; elements of the arrays */
};

/*
 * Folder of the photographs: dir; or $CONVOY_DATA, or imagenet/ or ILSVRC/Data/CLS-LOC/ below it.
 * The caller frees; NULL when none of them has train/, after error() if `must` is set.
 */
char *photo_root(const char *dir, bool must);

/*
 * Class ids in the order of their numbers: the first words of the lines of `file` or, if that is
 * NULL, the sorted names of the folders in ROOT/train; after the last, a NULL. 0 or error().
 */
int photo_classes(const char *root, const char *file, struct texts *classes);

/*
 * Lists ROOT/train or ROOT/val, sorted by class folder and name. Files that are not .JPEG, .jpeg or
 * .jpg, or have no class, are ignored with a warning, hidden ones silently. A folder of train
 * without photographs is an error. If there is no val, the list is empty. labels: file of lines
 * "NAME CLASS" for a flat val, or NULL: ROOT/val.txt; each line must name a different, existing
 * photograph. 0 or error(); call photo_list_release() in either case.
 */
int photo_list_read(struct photo_list *l, const char *root, enum split split,
		    const struct texts *classes, const char *labels);
void photo_list_release(struct photo_list *l);

/* Path ROOT/train/NAME of the i-th photograph; the caller frees. */
char *photo_path(const struct photo_list *l, size_t i);

/* Keeps `keep` (0: all) evenly spaced photographs; error() when there are fewer. */
int photo_list_thin(struct photo_list *l, int64_t keep, const char *what);

#endif
