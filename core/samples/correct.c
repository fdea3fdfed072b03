/* Which samples a model classifies correctly: bits, and their text. */
#include "core/samples/correct.h"

#include "core/base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 64 };

size_t correct_words(int64_t n)
{
	return (size_t)((n + WORD - 1) / WORD);
}

struct correct correct_new(int64_t n, uint64_t data)
{
	return (struct correct){ n, data, xcalloc(correct_words(n) + 1, sizeof(uint64_t)) };
}

struct correct correct_copy(const struct correct *from)
{
	struct correct c = correct_new(from->n, from->data);

	if (from->n)
		memcpy(c.word, from->word, correct_words(from->n) * sizeof(*c.word));
	return c;
}

void correct_release(struct correct *c)
{
	free(c->word);
	*c = (struct correct){ 0 };
}

bool correct_at(const struct correct *c, int64_t i)
{
	return c->word[i / WORD] >> (i % WORD) & 1;
}

int64_t correct_count(const struct correct *c)
{
	int64_t count = 0;

	for (size_t k = 0; k < correct_words(c->n); k++)
		count += __builtin_popcountll(c->word[k]);
	return count;
}

bool correct_is_sound(const struct correct *c)
{
	return c->n % WORD == 0 || c->word[c->n / WORD] >> (c->n % WORD) == 0;
}

bool correct_same_samples(const struct correct *a, const struct correct *b)
{
	return a->n == b->n && a->data == b->data;
}

char *correct_text(const struct correct *c)
{
	const size_t bytes = (size_t)((c->n + 7) / 8);
	char *bits, *text;

	if (!c->n)
		return NULL;
	bits = xcalloc(2 * bytes + 1, 1);
	for (size_t i = 0; i < bytes; i++)
		snprintf(bits + 2 * i, 3, "%02x",
			 (unsigned)(c->word[i / 8] >> (8 * (i % 8)) & 0xff));
	text = xasprintf("%" PRId64 " %016" PRIx64 " %s", c->n, c->data, bits);
	free(bits);
	return text;
}

/* The value of a hexadecimal digit in lower case; -1: it is none. */
static int digit_value(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int correct_of_text(struct correct *c, const char *text)
{
	int64_t n = 0;
	uint64_t data = 0;
	int head = 0;
	bool sound = true;

	*c = (struct correct){ 0 };
	if (sscanf(text, "%9" SCNd64 " %16" SCNx64 " %n", &n, &data, &head) != 2 || !head ||
	    n < 1 || n > CORRECT_MOST || strlen(text + head) != (size_t)((n + 7) / 8) * 2)
		return -1;
	*c = correct_new(n, data);
	text += head;
	for (size_t i = 0; text[i] && sound; i++) {
		const int value = digit_value(text[i]);

		sound = value >= 0;
		/* the first digit of a byte is its upper half */
		c->word[i / 16] |= (uint64_t)(value & 0xf) << (4 * (i % 16 ^ 1));
	}
	if (sound && correct_is_sound(c))
		return 0;
	correct_release(c);
	return -1;
}
