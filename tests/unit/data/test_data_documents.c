/* Documents: where they begin, how workers share them, and that no worker sees another's. */
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "data/data.h"
#include "data/text/windows.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"

#include <stdlib.h>
#include <string.h>

static void begins(enum unit unit, enum document how, const char *text, const char *want)
{
	struct vocabulary v;
	struct documents d;
	size_t n;
	int32_t *tokens = vocabulary_make(&v, unit, "text", text, strlen(text), &n);
	char *got = xstrdup("");

	assert_non_null(tokens);
	d = documents_find(&v, how, tokens, (int64_t)n);
	for (int64_t i = 0; i < d.n; i++) {
		char *more = xasprintf("%s%lld ", got, (long long)d.at[i]);

		free(got);
		got = more;
	}
	assert_string_equal(got, want);
	free(got);
	free(d.at);
	free(tokens);
	vocabulary_release(&v);
}

static void where_documents_begin(void **state)
{
	begins(UNIT_CHAR, DOCUMENT_BLANK, "ab\ncd\n\n\nef\n \ng\n\n", "0 8 13 ");
	begins(UNIT_BYTE, DOCUMENT_BLANK, "\n\nab", "0 ");
	begins(UNIT_WORD, DOCUMENT_BLANK, "a b\nc\n\nd e f\n\n\ng\n", "0 6 12 ");
	begins(UNIT_WORD, DOCUMENT_TITLE, " \n = A b = \n \n = = c = = \n d\n = E = \n f\n",
	       "0 15 ");
	begins(UNIT_CHAR, DOCUMENT_TITLE, " = A b = \nx = y\n = = c = = \n= D =\n=\n= = =\n",
	       "0 28 ");
}

static void parts_are_as_equal_as_documents_allow(void **state)
{
	const struct documents d = { (int64_t[]){ 0, 10, 45, 55, 90 }, 5 };
	int64_t from[6];

	assert_int_equal(documents_cut(&d, 100, 2, from), 0);
	assert_memory_equal(from, ((int64_t[]){ 0, 45, 100 }), sizeof(int64_t[3]));
	assert_int_equal(documents_cut(&d, 100, 4, from), 0);
	assert_memory_equal(from, ((int64_t[]){ 0, 10, 45, 90, 100 }), sizeof(int64_t[5]));
	assert_int_equal(documents_cut(&d, 100, 5, from), 0);
	assert_memory_equal(from, ((int64_t[]){ 0, 10, 45, 55, 90, 100 }), sizeof(from));
	assert_int_equal(documents_cut(&d, 100, 6, from), -1);
}

/* Documents of one letter each, of 100, 40 and 69 training tokens with their line ends. */
static struct dataset *open_letters(const char *options)
{
	char *text = xasprintf("text:file=%s/letters.txt,split=0.95,window=4,%s", folder, options);
	struct dataset *ds;
	char letters[220];

	memset(letters, 'a', sizeof(letters));
	memset(letters + 100, 'b', 40);
	memset(letters + 140, 'c', 80);
	memcpy(letters + 98, "\n\n", 2);
	memcpy(letters + 138, "\n\n", 2);
	folder_write(folder, "letters.txt", PACK_PLAIN, letters, sizeof(letters));
	ds = dataset_open_text(text);
	free(text);
	return ds;
}

/*
 * Files of one letter each, with 100, 40 and 80 letters and line ends, of which 95 of 100 are for
 * training: 95, 38 and 76 (95.0, 133.0 and 209.0 of the ends at 100, 140 and 220).
 */
static struct dataset *open_files(const char *options)
{
	static const int sizes[] = { 100, 40, 80 };
	char *text = xasprintf("text:file=%s/files,split=0.95,window=4,%s", folder, options);
	char *files = xasprintf("%s/files", folder);
	struct dataset *ds;

	assert_int_equal(dir_make(files), 0);
	for (int k = 0; k < 3; k++) {
		const char name[] = { (char)('x' + k), '.', 't', 'x', 't', '\0' };
		char letters[100];

		for (int i = 0; i < sizes[k]; i++)
			letters[i] = i % 10 == 9 ? '\n' : (char)('a' + k);
		folder_write(files, name, k == 1 ? PACK_GZ : PACK_PLAIN, letters,
			     (size_t)sizes[k]);
	}
	ds = dataset_open_text(text);
	free(text);
	free(files);
	return ds;
}

/*
 * Every window of three workers, over many epochs: each has its letters, and all of its windows.
 * Closes ds.
 */
static void workers_keep_to_their_own(struct dataset *ds, enum parts_by by)
{
	struct sample_part part[3];
	const struct sampler s = { .seed = 5, .samples = ds->n[SPLIT_TRAIN], .workers = 3,
				   .size = 2, .part = part };
	int64_t seen[3][64] = { { 0 } };

	assert_int_equal(dataset_parts(ds, 3, by, part), 0);
	for (int rank = 0; rank < 3; rank++) {
		for (int64_t k = 0; k < 10 * part[rank].n; k++) {
			int64_t sample[2];
			uint64_t use[2];
			float tokens[8];
			int32_t next[8];

			sampler_batch(&s, rank, k, sample, use);
			assert_int_equal(dataset_fetch(ds, SPLIT_TRAIN,
						       &(struct batch){ 2, sample, use, 5 },
						       tokens, next), 0);
			for (int i = 0; i < 8; i++)
				/* 0: the end of a line */
				assert_true((next[i] == 0 || next[i] == rank + 1) &&
					    ((int)tokens[i] == 0 || (int)tokens[i] == rank + 1));
			seen[rank][sample[0] - part[rank].first]++;
			seen[rank][sample[1] - part[rank].first]++;
		}
		/* 20 n draws are 20 epochs of n windows. */
		for (int64_t i = 0; i < part[rank].n; i++)
			assert_int_equal(seen[rank][i], 20);
	}
	assert_true(part[0].n > part[2].n && part[2].n > part[1].n && part[1].n >= 6);
	assert_true(part[0].first + part[0].n <= part[1].first);
	assert_true(part[1].first + part[1].n <= part[2].first);
	dataset_close(ds);
}

static void no_worker_sees_another_document(void **state)
{
	workers_keep_to_their_own(open_letters("shares=document"), PARTS_OF_SETTINGS);
	workers_keep_to_their_own(open_letters("shares=document,random=false,unit=byte"),
				  PARTS_OF_SETTINGS);
	workers_keep_to_their_own(open_letters("shares=equal"), PARTS_DOCUMENTS);
}

static void no_worker_sees_another_file(void **state)
{
	workers_keep_to_their_own(open_files("random=true"), PARTS_FILES);
	workers_keep_to_their_own(open_files("random=false,unit=byte"), PARTS_FILES);
}

static void refused_of_files(const struct dataset *ds, int workers, const char *why)
{
	struct sample_part part[64];

	capture_start();
	assert_int_equal(dataset_parts(ds, workers, PARTS_FILES, part), -1);
	capture_stop();
	assert_said(why);
}

/* Six workers halve the files: of 95, 38 and 76 tokens; validation has 5, 2 and 4 of them. */
static void workers_share_files(void **state)
{
	struct dataset *ds = open_files("random=false"), *one;
	struct sample_part part[6];
	float tokens[4];
	int32_t next[4];

	assert_int_equal(ds->classes, 4);
	assert_int_equal(ds->n[SPLIT_TRAIN], (95 + 38 + 76 - 1) / 4);
	assert_int_equal(ds->n[SPLIT_TEST], (5 + 2 + 4 - 2 + 4) / 4);
	assert_int_equal(dataset_parts(ds, 6, PARTS_FILES, part), 0);
	/* windows of 4 tokens and the next one within [0, 47) and [47, 95): 0-10 and 12-22 */
	assert_int_equal(part[0].first, 0);
	assert_int_equal(part[0].n, 11);
	assert_int_equal(part[3].first, 12);
	assert_int_equal(part[3].n, 11);
	/* the validation texts: a a a a \n, b \n, c c c \n */
	dataset_fetch(ds, SPLIT_TEST, &(struct batch){ 1, (int64_t[]){ 1 }, NULL, 0 }, tokens,
		      next);
	assert_int_equal((int)tokens[0], 0);
	assert_int_equal((int)tokens[1], 2);
	assert_int_equal((int)tokens[3], 3);
	refused_of_files(ds, 4, "3 files and 4 workers (expected as many files as workers, or a "
				"divisor of their number)");
	refused_of_files(ds, 24, "y.txt.gz: 38 tokens for training among 8 workers are less than a "
				 "window of 4 tokens each");
	dataset_close(ds);
	one = open_letters("shares=equal");
	refused_of_files(one, 3, "partition files needs a folder with a text for each worker");
	dataset_close(one);
}

static void shared_or_too_few(void **state)
{
	struct dataset *ds = open_letters("shares=equal");
	struct sample_part part[4];

	assert_int_equal(dataset_parts(ds, 3, PARTS_OF_SETTINGS, part), 1);
	dataset_close(ds);
	ds = open_letters("shares=document");
	capture_start();
	assert_int_equal(dataset_parts(ds, 4, PARTS_OF_SETTINGS, part), -1);
	capture_stop();
	assert_said("3 documents cannot be cut into 4 parts");
	dataset_close(ds);
}

RUN_WITH(folder_open, folder_close, where_documents_begin, parts_are_as_equal_as_documents_allow,
	no_worker_sees_another_document, no_worker_sees_another_file, workers_share_files,
	shared_or_too_few)
