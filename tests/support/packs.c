/* Photographs packed for tests of what packing and reading a pack do. */
#include "tests/support/packs.h"

#include "core/base/mem.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/photos.h"

#include <stdio.h>
#include <stdlib.h>

char *pack_file;

int packs_open(void **state)
{
	folder = photos_new();
	pack_file = xasprintf("%s/packed.h5", folder);
	return 0;
}

int packs_close(void **state)
{
	folder_remove(folder);
	free(pack_file);
	return 0;
}

struct pack_conf conf_of(enum form form)
{
	return (struct pack_conf){ .dir = folder, .out = pack_file, .jpeg = form == AS_JPEG,
				   .squeeze = form == AS_SQUEEZED, .resize = SIDE, .threads = 2 };
}

int try_pack(const struct pack_conf *conf, struct pack_result *result)
{
	int r;

	capture_start();
	r = pack(conf, result);
	capture_stop();
	return r;
}

struct pack_result must_pack(enum form form)
{
	struct pack_conf conf = conf_of(form);
	struct pack_result result;

	if (try_pack(&conf, &result) < 0)
		fail_msg("%s", capture_text());
	return result;
}

void assert_refused(const char *message)
{
	assert_null(photos_open("packed:file=%s,crop=24", pack_file));
	assert_said(message);
}

char *slurp(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	char *at;

	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	*n = (size_t)ftell(f);
	rewind(f);
	at = xcalloc(*n, 1);
	assert_int_equal(fread(at, 1, *n, f), *n);
	fclose(f);
	return at;
}
