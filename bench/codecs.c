/* What packing costs: `codecs FLOATS LAYERS CODEC...`, a line for each codec. */
#include "algos/algos.h"
#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/math/rng.h"

#include <stdio.h>
#include <stdlib.h>

enum { TIMES = 7 };             /* of which the fastest counts */

struct bench {
	struct choice choice;
	const struct codec *codec;
	struct codec_input p;
	float *v, *sum;         /* [p.n] a gradient; what is added to */
	void *codes;
};

static void encode(struct bench *b)
{
	b->codec->encode(b->choice.conf, &b->p, b->v, b->codes);
	b->p.count++;
}

static void add(struct bench *b)
{
	b->codec->add(b->choice.conf, &b->p, b->codes, 1.0f, b->sum);
}

/* 1e9 bytes of floats a second. */
static double rate(struct bench *b, void (*work)(struct bench *))
{
	double best = 1e30;

	for (int i = 0; i < TIMES; i++) {
		const double began = clock_s();
		double took;

		work(b);
		took = clock_s() - began;
		best = took < best ? took : best;
	}
	return (double)b->p.n * sizeof(float) / best / 1e9;
}

static struct blob *even_layers(size_t n, size_t nlayers)
{
	struct blob *layers = xcalloc(nlayers, sizeof(*layers));

	for (size_t k = 0; k < nlayers; k++)
		layers[k].offset = n / nlayers * k;
	return layers;
}

static int measure(struct bench *b, const char *name)
{
	size_t words;
	double packing;

	if (choice_parse(&b->choice, codec_table, "codec", name) < 0)
		return -1;
	b->codec = (const struct codec *)b->choice.plugin;
	if (!b->codec->words)
		return 0;
	words = b->codec->words(b->choice.conf, b->p.n, b->p.nlayers);
	b->codes = xcalloc(words, sizeof(uint32_t));
	packing = rate(b, encode);
	printf("%-20s %10.3f %10.2f %10.2f\n", name, 32.0 * (double)words / (double)b->p.n,
	       packing, rate(b, add));
	free(b->codes);
	return 0;
}

int main(int argc, char **argv)
{
	const size_t n = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
	const size_t nlayers = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	struct blob *layers;
	struct bench b = { .p = { .n = n, .nlayers = nlayers } };
	struct rng r;

	if (nlayers < 1 || n < nlayers) {
		fprintf(stderr, "usage: codecs FLOATS LAYERS CODEC...\n");
		return 2;
	}
	b.p.layers = layers = even_layers(n, nlayers);
	b.v = vec_new(n);
	b.sum = vec_new(n);
	rng_at(&r, 1, RNG_DATA, 0, 0);
	for (size_t i = 0; i < n; i++)
		b.v[i] = (float)rng_normal(&r);
	printf("%-20s %10s %10s %10s\n", "codec", "bits/float", "pack GB/s", "add GB/s");
	for (int i = 3; i < argc; i++)
		if (measure(&b, argv[i]) < 0)
			return 1;
	choice_release(&b.choice);
	free(layers);
	free(b.v);
	free(b.sum);
	return 0;
}
