/* Decodes a JPEG to RGB with libjpeg-turbo, and refuses damaged or hostile files. */
#include "data/photo/photo.h"

#include "core/base/mem.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jerror.h>
#include <jpeglib.h>

/*
 * ImageNet's largest photograph has 61 million pixels; a file with more scans than this is an
 * attack.
 */
enum { MOST_PIXELS = 1 << 26, MOST_SCANS = 64 };

/* Most pixels for each byte of a file: a block of 64 pixels takes at least a bit. */
enum { PIXELS_PER_BYTE = 8 * 64 };

struct jpeg {
	struct jpeg_decompress_struct c;
	struct jpeg_error_mgr err;
	struct jpeg_progress_mgr progress;
	jmp_buf jump;           /* target of libjpeg's errors */
	char *why;
};

static struct jpeg *jpeg_of(j_common_ptr c)
{
	return c->client_data;
}

static _Noreturn void jpeg_leave(j_common_ptr c)
{
	char text[JMSG_LENGTH_MAX];

	c->err->format_message(c, text);
	snprintf(jpeg_of(c)->why, JPEG_WHY, "%s", text);
	longjmp(jpeg_of(c)->jump, 1);
}

static bool is_harmless(int code)
{
	return code == JWRN_EXTRANEOUS_DATA || code == JWRN_JFIF_MAJOR ||
	       code == JWRN_ADOBE_XFORM || code == JWRN_TOO_MUCH_DATA ||
	       code == JWRN_NOT_SEQUENTIAL || code == JWRN_BOGUS_ICC;
}

/*
 * Treats libjpeg's warnings (level < 0) as errors: most mean damage, for which libjpeg invents
 * pixels.
 */
static void jpeg_receive(j_common_ptr c, int level)
{
	if (level < 0 && !is_harmless(c->err->msg_code))
		jpeg_leave(c);
}

static void say_nothing(j_common_ptr c)
{
	(void)c;
}

static void watch_scans(j_common_ptr c)
{
	struct jpeg *j = jpeg_of(c);

	if (j->c.input_scan_number <= MOST_SCANS)
		return;
	snprintf(j->why, JPEG_WHY, "more than %d scans", MOST_SCANS);
	longjmp(j->jump, 1);
}

static bool is_jpeg(const uint8_t *at, size_t n, char why[JPEG_WHY])
{
	static const struct {
		const char *magic, *name;
	} other[] = { { "\x89PNG", "a PNG" }, { "GIF8", "a GIF" }, { "RIFF", "a WebP" },
		      { "BM", "a BMP" } };

	if (n >= 2 && at[0] == 0xff && at[1] == 0xd8)
		return true;
	snprintf(why, JPEG_WHY, n ? "no JPEG" : "an empty file");
	for (size_t i = 0; i < sizeof other / sizeof *other; i++)
		if (n >= strlen(other[i].magic) &&
		    memcmp(at, other[i].magic, strlen(other[i].magic)) == 0)
			snprintf(why, JPEG_WHY, "%s, not a JPEG", other[i].name);
	return false;
}

static void set_up(struct jpeg *j, char *why)
{
	j->why = why;
	j->c.err = jpeg_std_error(&j->err);
	j->err.error_exit = jpeg_leave;
	j->err.emit_message = jpeg_receive;
	j->err.output_message = say_nothing;
	j->c.client_data = j;
	j->progress.progress_monitor = watch_scans;
}

static bool jpeg_read_head(struct jpeg *j, const uint8_t *at, size_t n)
{
	size_t pixels;

	if (setjmp(j->jump))
		return false;
	jpeg_create_decompress(&j->c);
	j->c.client_data = j;
	j->c.progress = &j->progress;
	jpeg_mem_src(&j->c, at, (unsigned long)n);
	jpeg_read_header(&j->c, TRUE);
	pixels = (size_t)j->c.image_width * j->c.image_height;
	if (pixels <= MOST_PIXELS && pixels / PIXELS_PER_BYTE <= n)
		return true;
	snprintf(j->why, JPEG_WHY, "says %u x %u pixels in %zu bytes", j->c.image_width,
		 j->c.image_height, n);
	return false;
}

struct jpeg *jpeg_open(const uint8_t *at, size_t n, int *height, int *width,
		       char why[JPEG_WHY])
{
	struct jpeg *j;

	if (!is_jpeg(at, n, why))
		return NULL;
	j = xcalloc(1, sizeof *j);
	set_up(j, why);
	if (!jpeg_read_head(j, at, n)) {
		jpeg_close(j);
		return NULL;
	}
	*height = (int)j->c.image_height;
	*width = (int)j->c.image_width;
	return j;
}

void jpeg_close(struct jpeg *j)
{
	if (!j)
		return;
	jpeg_destroy_decompress(&j->c);
	free(j);
}

static void picture_resize(struct picture *p, int height, int width)
{
	size_t need = (size_t)height * (size_t)width * 3;

	if (need > p->capacity) {
		free(p->rgb);
		p->rgb = xrealloc(NULL, need, 1);
		p->capacity = need;
	}
	p->height = height;
	p->width = width;
}

void picture_release(struct picture *p)
{
	free(p->rgb);
	*p = (struct picture){ 0 };
}

/* Converts inverted inks to light: each value is what the paper still reflects. */
static void mix_inks(int n, const uint8_t *cmyk, uint8_t *rgb)
{
	for (; n > 0; n--, cmyk += 4, rgb += 3)
		for (int k = 0; k < 3; k++)
			rgb[k] = (uint8_t)((cmyk[k] * cmyk[3] + 127) / 255);
}

/* Reads row by row; `ink` is a row of four bytes a pixel in libjpeg's own memory. */
static void read_rows(struct jpeg *j, struct picture *out)
{
	const size_t stride = (size_t)out->width * 3;
	JSAMPARRAY ink = NULL;

	if (j->c.output_components == 4)
		ink = j->c.mem->alloc_sarray((j_common_ptr)&j->c, JPOOL_IMAGE,
					     4 * j->c.output_width, 1);
	for (int y = 0; y < out->height; y++) {
		JSAMPROW row = out->rgb + (size_t)y * stride;

		jpeg_read_scanlines(&j->c, ink ? ink : &row, 1);
		if (ink)
			mix_inks(out->width, ink[0], row);
	}
}

int jpeg_read(struct jpeg *j, int shrink, struct picture *out, char why[JPEG_WHY])
{
	const J_COLOR_SPACE from = j->c.jpeg_color_space;

	j->why = why;
	if (setjmp(j->jump))
		return -1;
	j->c.out_color_space = from == JCS_CMYK || from == JCS_YCCK ? JCS_CMYK : JCS_RGB;
	j->c.scale_num = 1;
	j->c.scale_denom = (unsigned)shrink;
	jpeg_start_decompress(&j->c);
	picture_resize(out, (int)j->c.output_height, (int)j->c.output_width);
	read_rows(j, out);
	jpeg_abort_decompress(&j->c);
	return 0;
}
