/* One JPEG in memory: its colours, its size when shrunk, and what is none. */
#include "core/base/mem.h"
#include "data/photo/photo.h"
#include "tests/support/check.h"
#include "tests/support/photo.h"

#include <stdlib.h>
#include <string.h>

/* Decodes; fails the test when it cannot. */
static struct picture decode(const uint8_t *at, size_t n, int shrink)
{
	struct picture p = { 0 };
	char why[JPEG_WHY] = "";
	int height, width;
	struct jpeg *j = jpeg_open(at, n, &height, &width, why);

	if (!j || jpeg_read(j, shrink, &p, why) < 0)
		fail_msg("%s", why);
	jpeg_close(j);
	return p;
}

/* 0, or -1 with the reason. */
static int try(const uint8_t *at, size_t n, char why[JPEG_WHY])
{
	struct picture p = { 0 };
	int height, width, r = -1;
	struct jpeg *j;

	*why = '\0';
	j = jpeg_open(at, n, &height, &width, why);
	if (j)
		r = jpeg_read(j, 1, &p, why);
	jpeg_close(j);
	picture_release(&p);
	return r;
}

static void assert_flat(const struct picture *p, int r, int g, int b)
{
	for (size_t i = 0; i < (size_t)p->height * (size_t)p->width; i++) {
		assert_near(p->rgb[3 * i], r, 2);
		assert_near(p->rgb[3 * i + 1], g, 2);
		assert_near(p->rgb[3 * i + 2], b, 2);
	}
}

static void flat(enum photo_kind kind, const uint8_t *colour, int r, int g, int b)
{
	size_t n;
	uint8_t *at = photo_flat(kind, 13, 21, colour, &n);
	struct picture p = decode(at, n, 1);

	assert_int_equal(p.height, 13);
	assert_int_equal(p.width, 21);
	assert_flat(&p, r, g, b);
	picture_release(&p);
	free(at);
}

/* Inverted inks: 255 is none, so R = C K / 255: 200 * 128 / 255 = 100, 100 * 128 / 255 = 50. */
static void colours(void **state)
{
	const uint8_t rgb[] = { 200, 100, 30 }, grey[] = { 90 }, ink[] = { 200, 100, 255, 128 };

	flat(PHOTO_RGB, rgb, 200, 100, 30);
	flat(PHOTO_PROGRESSIVE, rgb, 200, 100, 30);
	flat(PHOTO_GREY, grey, 90, 90, 90);
	flat(PHOTO_CMYK, ink, 100, 50, 128);
	flat(PHOTO_YCCK, ink, 100, 50, 128);
}

/* Sides become ceil(side / shrink), and colours stay where they were. */
static void shrinking(void **state)
{
	static const int shrinks[] = { 1, 2, 4, 8 };
	size_t n;
	uint8_t *at = photo_smooth(90, 65, 3, &n);

	for (size_t k = 0; k < 4; k++) {
		struct picture p = decode(at, n, shrinks[k]);

		assert_int_equal(p.height, (90 + shrinks[k] - 1) / shrinks[k]);
		assert_int_equal(p.width, (65 + shrinks[k] - 1) / shrinks[k]);
		for (int y = 0; y + 1 < p.height; y++)
			for (int x = 0; x + 1 < p.width; x++) {
				const uint8_t *v = p.rgb + 3 * (y * p.width + x);

				assert_near(v[0], 20 + 200 * (x + 0.5) * shrinks[k] / 65, 8);
				assert_near(v[1], 20 + 200 * (y + 0.5) * shrinks[k] / 90, 8);
				assert_near(v[2], 60, 4);
			}
		picture_release(&p);
	}
	free(at);
}

/* Cut anywhere, a file is refused with a reason, and nothing is read past its end. */
static void cut_short(enum photo_kind kind)
{
	const uint8_t colour[] = { 10, 200, 90 };
	char why[JPEG_WHY];
	size_t n;
	uint8_t *at = photo_flat(kind, 40, 40, colour, &n);

	assert_int_equal(try(at, n, why), 0);
	for (size_t k = 0; k + 3 < n; k++) {
		uint8_t *own = xcalloc(k, 1);

		memcpy(own, at, k);
		if (try(own, k, why) == 0)
			fail_msg("taken with %zu bytes of %zu", k, n);
		assert_true(*why);
		free(own);
	}
	free(at);
}

static void truncated(void **state)
{
	cut_short(PHOTO_RGB);
	cut_short(PHOTO_PROGRESSIVE);
}

static void assert_none(const char *bytes, size_t n, const char *reason)
{
	char why[JPEG_WHY];

	assert_int_equal(try((const uint8_t *)bytes, n, why), -1);
	if (!strstr(why, reason))
		fail_msg("'%s' is not '%s'", why, reason);
}

static void other_files(void **state)
{
	assert_none("\x89PNG\r\n\x1a\n and more", 20, "a PNG, not a JPEG");
	assert_none("GIF89a", 6, "a GIF, not a JPEG");
	assert_none("BM____", 6, "a BMP, not a JPEG");
	assert_none("some text", 9, "no JPEG");
	assert_none("", 0, "an empty file");
	assert_none("\xff\xd8", 2, "");
}

/* Of a file of 700 bytes that says 60000 x 60000 pixels nothing is allocated. */
static void absurd_size(void **state)
{
	const uint8_t colour[] = { 1, 2, 3 };
	size_t n, sof = 0;
	uint8_t *at = photo_flat(PHOTO_RGB, 8, 8, colour, &n);
	char why[JPEG_WHY];

	for (size_t i = 0; i + 9 < n && !sof; i++)
		if (at[i] == 0xff && at[i + 1] == 0xc0)
			sof = i;
	assert_true(sof);
	memset(at + sof + 5, 0xea, 4);
	assert_int_equal(try(at, n, why), -1);
	assert_non_null(strstr(why, "says 60138 x 60138 pixels"));
	free(at);
}

/* Damage in the middle of the data: libjpeg would make pixels up. */
static void damaged(void **state)
{
	size_t n;
	uint8_t *at = photo_smooth(200, 200, 1, &n);
	char why[JPEG_WHY];

	at[n / 2] = 0xff;               /* a marker where none belongs */
	at[n / 2 + 1] = 0xd9;
	assert_int_equal(try(at, n, why), -1);
	assert_true(*why);
	free(at);
}

RUN_ALL(colours, shrinking, truncated, other_files, absurd_size, damaged)
