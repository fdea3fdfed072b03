/*
 * correct_file.c - which test samples a model classifies correctly, in its run's result file.
 *
 * The group "test" has the column "correct" of 64-bit words, sample i in bit i % 64 of word i / 64,
 * and the attributes "split", "count" (samples) and "data" (digest of the data set).
 */
#include "record/recorder_file.h"

#include "core/base/error.h"
#include "record/tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void correct_put(const struct correct *c, struct tree *file)
{
	char data[17];
	struct tree *group;

	if (!c->n)
		return;
	snprintf(data, sizeof(data), "%016" PRIx64, c->data);
	group = tree_add(file, "test");
	tree_put_text(group, "split", "test");
	tree_put_whole(group, "count", c->n);
	tree_put_text(group, "data", data);
	tree_put_words(group, "correct", correct_words(c->n), c->word);
}

/* 0, or error() that says what is wrong. */
static int correct_read(struct correct *c, const struct tree *file, const struct tree *group,
			const char *path)
{
	char *data = tree_get_text(group, "data");
	int64_t n = 0;
	int rc = 0;

	if (!data || tree_get_whole(group, "count", &n) || n < 1 || n > CORRECT_MOST)
		rc = error("'%s' is damaged: /test does not say of how many test samples, and of "
			   "which data set, /test/correct is", path);
	if (!rc) {
		*c = correct_new(n, strtoull(data, NULL, 16));
		if (tree_get_words(file, group, "correct", correct_words(n), c->word))
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

int correct_get(struct correct *c, const struct tree *file, const char *path)
{
	const struct tree *group = tree_find(file, "test");

	*c = (struct correct){ 0 };
	return group ? correct_read(c, file, group, path) : 0;
}
