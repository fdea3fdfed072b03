/*
 * correct_file.c - which test samples a model classifies correctly, in its run's result file.
 *
 * The group "test" has the column "correct" of 64-bit words, sample i in bit i % 64 of word i / 64,
 * and the attributes "split", "count" (samples) and "data" (digest of the data set).
 */
#include "record/recorder_file.h"
#include "record/result.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "record/h5.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int correct_put(const struct correct *c, hid_t file)
{
	char data[17];
	hid_t group;
	int rc;

	if (!c->n)
		return 0;
	snprintf(data, sizeof(data), "%016" PRIx64, c->data);
	group = h5_group(file, "test");
	rc = h5_put_text(group, "split", "test") | h5_put_whole(group, "count", c->n) |
	     h5_put_text(group, "data", data) |
	     h5_put_array(group, "correct", H5T_STD_I64LE, H5T_NATIVE_INT64, correct_words(c->n),
			  c->word, NULL);
	H5Gclose(group);
	return rc;
}

/* 0, or error() that says what is wrong. */
static int correct_read(struct correct *c, hid_t group, const char *path)
{
	char *data = h5_get_text(group, "data");
	int64_t n = 0;
	int rc = 0;

	if (!data || h5_get_whole(group, "count", &n) || n < 1 || n > CORRECT_MOST)
		rc = error("'%s' is damaged: /test does not say of how many test samples, and of "
			   "which data set, /test/correct is", path);
	if (!rc) {
		*c = correct_new(n, strtoull(data, NULL, 16));
		if (h5_get_words(group, "correct", correct_words(n), c->word))
			rc = error("'%s' is damaged: /test/correct must have %zu words of 64 bits, "
				   "a bit for each of %" PRId64 " test samples", path,
				   correct_words(n), n);
		else if (!correct_is_sound(c))
			rc = error("'%s' is damaged: /test/correct has bits beyond its %" PRId64
				   " test samples", path, n);
	}
	free(data);
	if (rc)
		correct_release(c);
	return rc;
}

int correct_get(struct correct *c, hid_t file, const char *path)
{
	hid_t group;
	int rc;

	*c = (struct correct){ 0 };
	if (H5Lexists(file, "test", H5P_DEFAULT) <= 0)
		return 0;
	group = H5Gopen2(file, "test", H5P_DEFAULT);
	rc = correct_read(c, group, path);
	H5Gclose(group);
	return rc;
}
