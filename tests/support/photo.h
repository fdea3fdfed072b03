/* JPEGs made in a test. */
#ifndef TESTS_SUPPORT_PHOTO_H
#define TESTS_SUPPORT_PHOTO_H

#include <stddef.h>
#include <stdint.h>

enum photo_kind { PHOTO_RGB, PHOTO_GREY, PHOTO_CMYK, PHOTO_YCCK, PHOTO_PROGRESSIVE };

/*
 * A JPEG of the highest quality of pixels[height][width][c]: c = 3, 1 for grey, 4 for
 * CMYK and YCCK, which are stored as given. Its size -> *n; the caller frees.
 */
uint8_t *photo_make(enum photo_kind kind, int height, int width, const uint8_t *pixels, size_t *n);

/* photo_make() of a picture with one colour[c] everywhere. */
uint8_t *photo_flat(enum photo_kind kind, int height, int width, const uint8_t *colour,
		    size_t *n);

/*
 * A smooth picture that depends on `which`: red grows to the right, green downwards, blue is which
 * * 20.
 */
uint8_t *photo_smooth(int height, int width, int which, size_t *n);

/* Writes FOLDER/NAME, a smooth picture. */
void folder_photo(const char *folder, const char *name, int height, int width, int which);

#endif
