/* `convoy check net` finds a gradient that is wrong, and passes one that is right. */
#include "study/check/check.h"

#include "core/base/mem.h"
#include "tests/support/check.h"
#include "tests/support/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char net[] =
	"{\"input\": [8, 8, 3], \"classes\": 5, \"layers\": ["
	"{\"layer\": \"conv\", \"out\": 6, \"kernel\": 3, \"pad\": 1}, \"bn\", \"relu\","
	"{\"layer\": \"maxpool\", \"kernel\": 2}, {\"layer\": \"dense\", \"out\": \"$classes\"}]}";

static void open_check_of(struct check *c, const char *text)
{
	char *folder = folder_new(), *path = xasprintf("%s/net.json", folder);

	folder_write(folder, "net.json", PACK_PLAIN, text, strlen(text));
	*c = (struct check){ .seed = 1, .threads = 2 };
	progress_start(&c->progress, 1, true);
	assert_int_equal(check_open(c, path, 0, 4), 0);
	free(path);
	folder_remove(folder);
}

static void open_check(struct check *c)
{
	open_check_of(c, net);
}

static struct blob *blob_named(struct check *c, const char *name)
{
	for (size_t b = 0; b < c->graph->nblobs; b++)
		if (!strcmp(c->graph->blobs[b].name, name))
			return &c->graph->blobs[b];
	fail_msg("no blob %s", name);
	return NULL;
}

/* Of the only column that does not hold, the errors of one blob and of the last. */
static void only_fails(const struct check *c, const struct comparison *k, size_t blob)
{
	assert_false(comparison_holds(k, c->graph->nblobs));
	assert_false(check_holds(c));
	for (size_t b = 0; b < c->graph->nblobs; b++)
		if (b == blob)
			assert_true(k->blobs[b] > k->tolerance_grad);
		else
			assert_true(k->blobs[b] <= k->tolerance_grad);
}

static void right_holds(void **state)
{
	struct check c;

	open_check(&c);
	check_reference(&c);
	check_differences(&c);
	assert_int_equal(check_backends(&c), 0);
	assert_true(c.ncomparisons >= 2);
	assert_true(check_holds(&c));
	for (size_t b = 0; b < c.graph->nblobs; b++)
		assert_true(c.comparisons[0].blobs[b] < 1e-5);
	check_close(&c);
}

/* One number of one blob off by a tenth of the blob's norm. */
static void differences_find(void **state)
{
	struct check c;
	struct blob *blob;
	double sum = 0;

	open_check(&c);
	check_reference(&c);
	blob = blob_named(&c, "conv1.weight");
	for (size_t k = 0; k < blob->count; k++)
		sum += pow(c.grad[blob->offset + k], 2);
	c.grad[blob->offset + 7] += 0.1 * sqrt(sum);
	check_differences(&c);
	only_fails(&c, &c.comparisons[0], (size_t)(blob - c.graph->blobs));
	check_close(&c);
}

/* Of an embedding in clusters, whose tables and projections are one layer's, all are right. */
static void differences_of_clusters(void **state)
{
	static const char clusters[] =
		"{\"input\": [16, 1, 1], \"classes\": 14, \"layers\": ["
		"{\"layer\": \"embed\", \"name\": \"e\", \"out\": 8, \"div\": 2, \"cutoff1\": 3,"
		"\"cutoff2\": 6}, \"layernorm\","
		"{\"layer\": \"linear\", \"name\": \"x\", \"out\": 8},"
		"{\"layer\": \"adaptive\", \"in\": [\"x\", \"e\"], \"div\": 2, \"cutoff1\": 3,"
		"\"cutoff2\": 6}]}";
	struct check c;

	open_check_of(&c, clusters);
	check_reference(&c);
	check_differences(&c);
	assert_true(comparison_holds(&c.comparisons[0], c.graph->nblobs));
	check_close(&c);
}

/* A blob that is all 0 moves too; one whose gradient is all 0 holds. */
static void zeros_are_looked_at(void **state)
{
	struct check c;
	struct blob *blob;

	open_check_of(&c, "{\"input\": [4, 4, 2], \"classes\": 3, \"layers\": ["
		      "{\"layer\": \"conv\", \"out\": 3, \"kernel\": 3}, \"relu\","
		      "{\"layer\": \"dense\", \"out\": \"$classes\", \"init\": \"zero\"}]}");
	check_reference(&c);
	check_differences(&c);
	for (size_t b = 0; b < c.graph->nblobs; b++)
		assert_true(c.comparisons[0].blobs[b] < 1e-5);
	blob = blob_named(&c, "conv1.weight");
	assert_true(c.grad[blob->offset] == 0);         /* after weights of 0 */
	blob = blob_named(&c, "dense1.weight");
	for (size_t k = 0; k < blob->count; k++)
		c.grad[blob->offset + k] *= 1.1;
	check_differences(&c);
	assert_true(comparison_holds(&c.comparisons[0], c.graph->nblobs));
	only_fails(&c, &c.comparisons[1], (size_t)(blob - c.graph->blobs));
	check_close(&c);
}

/*
 * Sums of 1e-12 whose bias moves by more with every step: all ReLUs would change sides, and of each
 * window another value would be the largest.
 */
static void sides_stay(void **state)
{
	struct check c;
	struct blob *blob;

	open_check_of(&c, "{\"input\": [8, 8, 3], \"classes\": 5, \"layers\": ["
		      "{\"layer\": \"conv\", \"out\": 6, \"kernel\": 3}, \"relu\","
		      "{\"layer\": \"maxpool\", \"kernel\": 2},"
		      "{\"layer\": \"dense\", \"out\": \"$classes\"}]}");
	blob = blob_named(&c, "conv1.weight");
	for (size_t k = 0; k < blob->count; k++)
		c.xd[blob->offset + k] *= 1e-12;
	blob = blob_named(&c, "conv1.bias");
	memset(c.xd + blob->offset, 0, blob->count * sizeof(*c.xd));
	check_reference(&c);
	check_differences(&c);
	assert_true(comparison_holds(&c.comparisons[0], c.graph->nblobs));
	for (size_t k = 0; k < blob->count; k++)
		c.grad[blob->offset + k] *= 1.01;
	check_differences(&c);
	only_fails(&c, &c.comparisons[1], (size_t)(blob - c.graph->blobs));
	check_close(&c);
}

/* A window of tokens is halved as an image is, and a memory keeps no more rows than it. */
static void windows_shrink(void **state)
{
	static const struct {
		const char *net;
		size_t n;
		bool exported;
		int window;
		size_t rows;
	} cases[] = { { "gpt-shakespeare", 2, false, 64, 0 },
		      { "transformer-xl-small", 2, false, 64, 64 },
		      { "transformer-xl-small", 64, false, 16, 16 },
		      { "transformer-xl-small", 64, true, 16, 64 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct check c = { .seed = 1, .threads = 1, .exported = cases[i].exported };

		assert_int_equal(check_open(&c, cases[i].net, 0, cases[i].n), 0);
		assert_int_equal(c.graph->input.h, cases[i].window);
		assert_int_equal(c.carried.rows, cases[i].rows);
		check_close(&c);
	}
}

static void backends_find(void **state)
{
	struct check c;
	struct blob *blob;

	open_check(&c);
	check_reference(&c);
	blob = blob_named(&c, "bn1.gamma");
	for (size_t k = 0; k < blob->count; k++)
		c.reference.grad[blob->offset + k] *= 1.02F;
	assert_int_equal(check_backends(&c), 0);
	only_fails(&c, &c.comparisons[0], (size_t)(blob - c.graph->blobs));
	check_close(&c);
}

static void statistics_and_logits_count(void **state)
{
	struct check c;

	open_check(&c);
	check_reference(&c);
	c.reference.logits[3] += 0.1F;
	assert_int_equal(check_backends(&c), 0);
	assert_true(c.comparisons[0].logits > c.comparisons[0].tolerance);
	assert_true(c.comparisons[0].stats <= c.comparisons[0].tolerance);
	assert_false(check_holds(&c));
	check_close(&c);
}

static void no_number_fails(void **state)
{
	struct check c;

	open_check(&c);
	check_reference(&c);
	c.reference.grad[0] = NAN;
	assert_int_equal(check_backends(&c), 0);
	assert_true(isinf(c.comparisons[0].blobs[0]));
	assert_false(check_holds(&c));
	check_close(&c);
}

RUN_ALL(right_holds, differences_find, differences_of_clusters, zeros_are_looked_at, sides_stay,
	windows_shrink, backends_find, statistics_and_logits_count, no_number_fails)
