/* Encodes and decodes one vector with a codec and given layers. */
#include "tests/support/coded.h"

#include "algos/algos.h"
#include "core/base/mem.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

void coded_layers(struct coded *k, const char *codec, size_t n, size_t nlayers,
		   const struct blob *layers)
{
	*k = (struct coded){ .p = { .n = n, .nlayers = nlayers, .layers = layers, .seed = 9,
				     .rank = 1 } };
	assert_int_equal(choice_parse(&k->choice, codec_table, "codec", codec), 0);
	k->codec = (const struct codec *)k->choice.plugin;
	k->words = k->codec->words(k->choice.conf, n, nlayers);
	k->codes = xcalloc(k->words, sizeof(*k->codes));
}

void coded_open(struct coded *k, const char *codec, size_t n)
{
	coded_layers(k, codec, n, 1, NULL);
}

void coded_close(struct coded *k)
{
	choice_release(&k->choice);
	free(k->codes);
}

/* Overwrites old codes, which must not be read. */
void coded_encode(struct coded *k, const float *v)
{
	memset(k->codes, 0xa5, k->words * sizeof(*k->codes));
	k->codec->encode(k->choice.conf, &k->p, v, k->codes);
	k->p.count++;
}

void coded_decode(const struct coded *k, float *out)
{
	memset(out, 0, k->p.n * sizeof(*out));
	k->codec->add(k->choice.conf, &k->p, k->codes, 1.0f, out);
}
