/* Documents: where they begin, how workers share them, and that no worker sees another's. */
#include "core/base/mem.h"
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

/* Every window of three workers, over many epochs: each has its letters, and all of its windows. */
static void workers_keep_to_their_documents(const char *options)
{
	struct dataset *ds = open_letters(options);
	struct sample_part part[3];
	const struct sampler s = { .seed = 5, .samples = ds->n[SPLIT_TRAIN], .workers = 3,
				   .size = 2, .part = part };
	int64_t seen[3][64] = { { 0 } };

	assert_int_equal(dataset_parts(ds, 3, false, part), 0);
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
	workers_keep_to_their_documents("shares=document");
	workers_keep_to_their_documents("shares=document,random=false,unit=byte");
}

static void shared_or_too_few(void **state)
{
	struct dataset *ds = open_letters("shares=equal");
	struct sample_part part[4];

	assert_int_equal(dataset_parts(ds, 3, false, part), 1);
	dataset_close(ds);
	ds = open_letters("shares=document");
	capture_start();
	assert_int_equal(dataset_parts(ds, 4, false, part), -1);
	capture_stop();
	assert_said("3 documents cannot be cut into 4 parts");
	dataset_close(ds);
}

RUN_WITH(folder_open, folder_close, where_documents_begin, parts_are_as_equal_as_documents_allow,
	no_worker_sees_another_document, shared_or_too_few)
