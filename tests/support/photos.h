/* A folder of photographs in ImageNet's layout, and data sets that read it. */
#ifndef TESTS_SUPPORT_PHOTOS_H
#define TESTS_SUPPORT_PHOTOS_H

#include "core/samples/dataset.h"

/* Number of classes, of photographs in each class; names of the classes, sorted. */
enum { PHOTOS_CLASSES = 3, PHOTOS_TRAIN = 5, PHOTOS_VAL = 2 };
extern const char *const photos_wnid[PHOTOS_CLASSES];

/* A new folder with train/WNID/k.JPEG and val/WNID/k.JPEG, of many sizes; see folder_remove(). */
char *photos_new(void);

/* A data set by its text ("imagenet:dir=..."); NULL when it is refused. */
struct dataset *photos_open(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* photos_open(), but fails the test when the set is refused. Messages are in capture_text(). */
struct dataset *photos_must(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Fails the test unless the two give the same bytes and labels, augmented and not. */
void photos_assert_same(const struct dataset *a, const struct dataset *b);

#endif
