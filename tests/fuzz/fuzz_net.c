/* Loads any text as a net; one that loads and is small also runs. */
#include "core/error.h"
#include "core/mem.h"
#include "nets/nets.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { N = 2, SMALL = 1 << 16 };

static size_t activations(const struct graph *g)
{
	size_t n = 0;

	for (int i = 0; i < g->n; i++)
		n += (size_t)g->layers[i].os.h * (size_t)g->layers[i].os.w
		     * (size_t)g->layers[i].os.c;
	return n;
}

static void check_blobs(const struct graph *g)
{
	size_t at = 0;

	for (size_t b = 0; b < g->nblobs; b++) {
		if (g->blobs[b].offset != at)
			BUG("blob %s is out of place", g->blobs[b].name);
		at += g->blobs[b].count;
	}
	if (at != g->dim)
		BUG("blobs do not cover x");
}

static void run(const struct graph *g)
{
	const struct backend *b = &backend_openblas;
	size_t pixels = N * (size_t)g->input.h * (size_t)g->input.w * (size_t)g->input.c;
	float *x = vec_new(g->dim), *grad = vec_new(g->dim), *images = vec_new(pixels);
	const int32_t labels[N] = { 0, g->classes - 1 };
	const uint64_t use[N] = { 1, 2 };
	void *ctx = b->open(g, N);

	graph_init(g, 1, x);
	b->grad(ctx, x, N, images, labels, 1, use, grad);
	b->close(ctx);
	free(x);
	free(grad);
	free(images);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xcalloc(size + 1, 1);
	struct graph *g;

	if (size)
		memcpy(text, data, size);
	g = graph_parse(text, "input", (struct shape){ 0, 0, 0 }, 0);
	if (g)
		check_blobs(g);
	if (g && g->dim < SMALL && activations(g) < SMALL && graph_macs(g) < SMALL)
		run(g);
	graph_free(g);
	free(text);
	return 0;
}
