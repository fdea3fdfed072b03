/* Packed files that are cut short or damaged are refused, and say where. */
#include "core/base/mem.h"
#include "core/file/json.h"
#include "data/pack/reader.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/files.h"
#include "tests/support/packs.h"
#include "tests/support/photos.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cut anywhere, it is refused. */
static void cut_short(void **state)
{
	struct pack_result r;

	r = must_pack(AS_SQUEEZED);
	for (uint64_t n = r.bytes - 1; n > 0; n = n > 4000 ? n - 1777 : n / 2) {
		folder_truncate(folder, "packed.h5", (size_t)n);
		assert_refused("cut short, or not made by it");
	}
	folder_truncate(folder, "packed.h5", 0);
	assert_refused("/packed.h5: 0 bytes without the page at the end");
	folder_unlink(folder, "packed.h5");
	assert_refused("/packed.h5: cannot open: No such file or directory");
	pack_file[strlen(pack_file) - strlen("packed.h5") - 1] = '\0';
	assert_refused(": cannot open: Is a directory");
}

/* Bytes too many in the middle move everything after them. */
static void a_piece_left_out(void **state)
{
	size_t n;
	char *at;

	must_pack(AS_JPEG);
	at = slurp(pack_file, &n);
	memmove(at + 3000, at + 3100, n - 3100);
	folder_write(folder, "packed.h5", PACK_PLAIN, at, n - 100);
	assert_refused(" bytes, its last page says ");
	free(at);
}

static void flip(uint64_t at)
{
	FILE *f = fopen(pack_file, "r+b");
	int c;

	assert_non_null(f);
	fseek(f, (long)at, SEEK_SET);
	c = fgetc(f);
	fseek(f, (long)at, SEEK_SET);
	fputc(c ^ 0x10, f);
	fclose(f);
}

/* An image whose bytes changed is named when it is read; labels, offsets and the page at once. */
static void damaged(void **state)
{
	struct packed *p;
	struct packed_split s;
	uint8_t *pixels = xcalloc(SIDE * SIDE, 3);
	uint64_t bytes = must_pack(AS_SQUEEZED).bytes, at;

	p = packed_open(pack_file);
	at = p->split[SPLIT_TRAIN].at[7];
	packed_close(p);
	flip(at + 100);
	capture_start();
	p = packed_open(pack_file);
	assert_int_equal(packed_read(p, SPLIT_TRAIN, 6, pixels), 0);
	assert_int_equal(packed_read(p, SPLIT_TRAIN, 7, pixels), -1);
	capture_stop();
	assert_said("packed.h5: train image 7 (from 0; n02102040/2.JPEG) is damaged: its checksum");
	s = p->split[SPLIT_TRAIN];
	at = s.names - 8 * s.chunks - 4;        /* in the sums or the offsets before the names */
	packed_close(p);
	flip(at);
	assert_refused("damaged: their checksum is wrong");
	flip(at);
	flip(bytes - PACKED_PAGE + 33);         /* the first character of the JSON */
	assert_refused("packed.h5: its last page is damaged: its checksum is wrong");
	free(pixels);
}

/* Writes another page after the file: `edit` changes what it says, sums are made right. */
static void write_page(void (*edit)(cJSON *page))
{
	char page[PACKED_PAGE] = "", *text;
	size_t n;
	char *at = slurp(pack_file, &n);
	cJSON *json = cJSON_Parse(strchr(at + n - PACKED_PAGE, '\n') + 1);

	assert_non_null(json);
	edit(json);
	text = cJSON_PrintUnformatted(json);
	snprintf(page, sizeof page, "convoy-packed 1 %016llx\n%s",
		 (unsigned long long)packed_checksum(text), text);
	memcpy(at + n - PACKED_PAGE, page, PACKED_PAGE);
	folder_write(folder, "packed.h5", PACK_PLAIN, at, n);
	cJSON_free(text);
	cJSON_Delete(json);
	free(at);
}

static void set(cJSON *o, const char *key, double v)
{
	cJSON_ReplaceItemInObjectCaseSensitive(o, key, cJSON_CreateNumber(v));
}

static cJSON *train_of(cJSON *page)
{
	return json_get(page, "train");
}

static void fewer_classes(cJSON *page)
{
	set(page, "classes", 2);
}

static void larger_side(cJSON *page)
{
	set(page, "side", SIDE + 1);
}

static void chunks_beyond(cJSON *page)
{
	set(train_of(page), "chunks", 1e9);
}

static void chunks_elsewhere(cJSON *page)
{
	const cJSON *sums = json_get(train_of(page), "sums");

	set(train_of(page), "chunks", sums->valuedouble);
}

static void negative(cJSON *page)
{
	set(train_of(page), "n", -1);
}

static void too_many(cJSON *page)
{
	set(train_of(page), "n", 1e15);
}

static void no_train(cJSON *page)
{
	cJSON_DeleteItemFromObjectCaseSensitive(page, "train");
}

static void refused_page(enum form form, void (*edit)(cJSON *page), const char *message)
{
	must_pack(form);
	write_page(edit);
	assert_refused(message);
}

static void wrong_pages(void **state)
{
	refused_page(AS_SQUEEZED, fewer_classes,
		     "train image 10 (from 0) has the label 2, expected 0 to 1");
	refused_page(AS_SQUEEZED, larger_side, "46080 bytes of train images, expected 15 of "
					       "33 x 33 pixels each");
	refused_page(AS_JPEG, chunks_beyond, "its last page says a wrong 'chunks': damaged");
	refused_page(AS_SQUEEZED, chunks_elsewhere, "lies outside of the file");
	refused_page(AS_JPEG, negative, "its last page says a wrong 'n': damaged");
	refused_page(AS_JPEG, too_many, "its last page says a wrong 'n': damaged");
	refused_page(AS_JPEG, no_train, "its last page says a wrong 'n': damaged");
}

RUN_WITH(packs_open, packs_close, cut_short, a_piece_left_out, damaged, wrong_pages)
