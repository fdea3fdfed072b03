/* Packs gradients with a codec and its error memory; checks whether a run can use one. */
#include "core/codec.h"

#include "core/base/error.h"
#include "core/math/vec.h"

#include <string.h>

size_t codec_layer_end(const struct codec_input *p, size_t k)
{
	return k + 1 < p->nlayers ? p->layers[k + 1].offset : p->n;
}

bool codec_packs(const struct run *run)
{
	return run->codec && run->codec->words;
}

int codec_check(const struct run *run)
{
	if (!codec_packs(run))
		return 0;
	if (!run->algo->sends_gradients)
		return error("codec %s packs gradients, and %s sends none: its workers %s",
			     run->codec->plugin.name, run->algo->plugin.name,
			     run->algo->shared ? "share one model" : "exchange models");
	if (run->optim->needs_norms && !run->codec->keeps_norms)
		return error("codec %s changes the norms of the layers' gradients, which optimiser "
			     "%s goes by", run->codec->plugin.name, run->optim->plugin.name);
	if (run->dim > UINT32_MAX)
		return error("codec %s: a model of %zu floats; it packs %lu at most",
			     run->codec->plugin.name, run->dim, (unsigned long)UINT32_MAX);
	return 0;
}

static struct codec_input input_of(const struct run *run)
{
	const struct problem *p = run->pool ? run->pool->problem : NULL;
	const size_t nlayers = p ? p->nblobs : run->nlayers;

	return (struct codec_input){ .n = run->dim, .nlayers = nlayers ? nlayers : 1,
				 .layers = p ? p->blobs : NULL, .seed = run->seed };
}

size_t codec_bytes(const struct run *run)
{
	if (!codec_packs(run))
		return run->dim * sizeof(float);
	return sizeof(uint32_t) *
	       run->codec->words(run->codec_conf, run->dim, input_of(run).nlayers);
}

size_t codec_memory(const struct run *run)
{
	return codec_packs(run) && run->codec->remembers ? run->dim : 0;
}

/* r <- r + g; what goes is r, and what is left stays there. */
static void pack_with_memory(const struct run *run, const struct codec_input *p, const float *g,
			     float *r, void *codes)
{
	vec_axpy(p->n, 1.0f, g, r);
	run->codec->encode(run->codec_conf, p, r, codes);
	run->codec->add(run->codec_conf, p, codes, -1.0f, r);
}

void codec_pack(struct node *nd, const float *g, void *codes)
{
	const struct run *run = nd->run;
	struct codec_input p = input_of(run);

	p.rank = (uint32_t)nd->rank;
	p.count = nd->packed++;
	if (!g)
		return;
	if (nd->residual)
		pack_with_memory(run, &p, g, nd->residual, codes);
	else
		run->codec->encode(run->codec_conf, &p, g, codes);
}

void codec_add(const struct run *run, const void *codes, float *v)
{
	const struct codec_input p = input_of(run);

	run->codec->add(run->codec_conf, &p, codes, 1.0f, v);
}

void codec_unpack(const struct run *run, const void *codes, float *v)
{
	memset(v, 0, run->dim * sizeof(*v));
	codec_add(run, codes, v);
}
