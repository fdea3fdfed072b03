/* Encodes flat and smooth pictures as JPEGs. */
#include "tests/support/photo.h"

#include "core/base/mem.h"
#include "tests/support/files.h"

#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

static const J_COLOR_SPACE spaces[] = { JCS_RGB, JCS_GRAYSCALE, JCS_CMYK, JCS_CMYK, JCS_RGB };
static const int components[] = { 3, 1, 4, 4, 3 };

uint8_t *photo_make(enum photo_kind kind, int height, int width, const uint8_t *pixels, size_t *n)
{
	struct jpeg_compress_struct c;
	struct jpeg_error_mgr err;
	unsigned char *at = NULL;
	unsigned long size = 0;

	c.err = jpeg_std_error(&err);
	jpeg_create_compress(&c);
	jpeg_mem_dest(&c, &at, &size);
	c.image_height = (JDIMENSION)height;
	c.image_width = (JDIMENSION)width;
	c.input_components = components[kind];
	c.in_color_space = spaces[kind];
	jpeg_set_defaults(&c);
	jpeg_set_quality(&c, 100, TRUE);
	if (kind == PHOTO_YCCK)
		jpeg_set_colorspace(&c, JCS_YCCK);
	if (kind == PHOTO_PROGRESSIVE)
		jpeg_simple_progression(&c);
	for (int k = 0; k < c.num_components; k++)
		c.comp_info[k].h_samp_factor = c.comp_info[k].v_samp_factor = 1;
	jpeg_start_compress(&c, TRUE);
	for (int y = 0; y < height; y++) {
		JSAMPROW row = (JSAMPROW)(uintptr_t)pixels +
			       (size_t)y * (size_t)width * (size_t)components[kind];
		jpeg_write_scanlines(&c, &row, 1);
	}
	jpeg_finish_compress(&c);
	jpeg_destroy_compress(&c);
	*n = size;
	return at;
}

uint8_t *photo_flat(enum photo_kind kind, int height, int width, const uint8_t *colour,
		    size_t *n)
{
	const size_t size = (size_t)components[kind], pixels = (size_t)height * (size_t)width;
	uint8_t *all = xcalloc(pixels, size), *at;

	for (size_t i = 0; i < pixels; i++)
		memcpy(all + i * size, colour, size);
	at = photo_make(kind, height, width, all, n);
	free(all);
	return at;
}

uint8_t *photo_smooth(int height, int width, int which, size_t *n)
{
	uint8_t *all = xcalloc((size_t)height * (size_t)width, 3), *p = all, *at;

	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			*p++ = (uint8_t)(20 + 200 * x / width);
			*p++ = (uint8_t)(20 + 200 * y / height);
			*p++ = (uint8_t)(which * 20);
		}
	at = photo_make(PHOTO_RGB, height, width, all, n);
	free(all);
	return at;
}

void folder_photo(const char *folder, const char *name, int height, int width, int which)
{
	size_t n;
	uint8_t *at = photo_smooth(height, width, which, &n);

	folder_write(folder, name, PACK_PLAIN, at, n);
	free(at);
}
