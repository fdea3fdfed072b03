/*
 * correct.h - which samples a model classifies correctly, one bit each.
 *
 * Bit i % 64 of word[i / 64] is set if the model gives sample i its label. Bits from n on are 0.
 */
#ifndef CORE_SAMPLES_CORRECT_H
#define CORE_SAMPLES_CORRECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CORRECT_MOST = 1 << 28 };        /* samples that a text or a file may have */

struct correct {                /* n 0: nothing is known */
	int64_t n;              /* samples: the first ones of the test set */
	uint64_t data;          /* digest of the data set */
	uint64_t *word;         /* [correct_words(n)] owned */
};

/* Words of n samples. */
size_t correct_words(int64_t n);

/* n samples, none of them correct; release with correct_release(). */
struct correct correct_new(int64_t n, uint64_t data);
struct correct correct_copy(const struct correct *from);
void correct_release(struct correct *c);

bool correct_at(const struct correct *c, int64_t i);

/* How many samples are correct. */
int64_t correct_count(const struct correct *c);

/* False if a bit from n on is set. */
bool correct_is_sound(const struct correct *c);

/* Whether both are about the same samples. */
bool correct_same_samples(const struct correct *a, const struct correct *b);

/*
 * "N DIGEST BITS": the digest in 16 hexadecimal digits; the bits in two for each byte, the first
 * sample in the lowest bit. The caller frees. NULL if n is 0.
 */
char *correct_text(const struct correct *c);

/* Reads such a text. 0; -1, without a message and with n 0, if it is none. */
int correct_of_text(struct correct *c, const char *text);

#endif
