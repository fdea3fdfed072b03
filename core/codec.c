/* Packs gradients with a codec and its error memory; checks whether a run can use one. */
#include "core/codec.h"

#include "core/base/error.h"
#include "core/engine/engine.h"
#include "core/math/vec.h"

#include <string.h>

size_t codec_layer_end(const struct codec_input *p, size_t k)
{
	return k + 1 < p->nlayers ? p->layers[k + 1].offset : p->n;
}

bool codec_acts(const struct run *run)
{
	return codec_packs(run) || (run->codec && run->codec->stage);
}

/* Checks a codec with stages, which are all-reduces of whole gradients. 0 or error(). */
static int codec_check_stages(const struct run *run)
{
	const char *codec = run->codec->plugin.name, *algo = run->algo->plugin.name;

	if (!run->codec->stage)
		return 0;
	if (run->algo->server)
		return error("codec %s needs all-reduces of gradients, and %s sends them to a "
			     "server in messages. Use an algorithm without one, such as allreduce.",
			     codec, algo);
	if (run->algo->allreduces_parts)
		return error("codec %s needs whole gradients, layer by layer, and %s adds "
			     "fragments of them. Use diloco, or another codec.", codec, algo);
	return 0;
}

int codec_check(const struct run *run)
{
	if (!codec_acts(run))
		return 0;
	if (!run->algo->sends_gradients)
		return error("codec %s packs gradients, and %s sends none%s",
			     run->codec->plugin.name, run->algo->plugin.name,
			     run->algo->shared ? ": its workers share one model" :
						 " that it could pack");
	if (run->optim->needs_norms && !run->codec->keeps_norms)
		return error("codec %s changes the norms of the layers' gradients, which optimiser "
			     "%s goes by", run->codec->plugin.name, run->optim->plugin.name);
	if (codec_check_stages(run) < 0)
		return -1;
	if (run->dim > UINT32_MAX)
		return error("codec %s: a model of %zu floats; it packs %lu at most",
			     run->codec->plugin.name, run->dim, (unsigned long)UINT32_MAX);
	return 0;
}

static struct codec_input input_of(const struct run *run, size_t n)
{
	const struct problem *p = run->pool ? run->pool->problem : NULL;
	const size_t nlayers = p ? p->nblobs : run->nlayers;

	if (n < run->dim)
		return (struct codec_input){ .n = n, .nlayers = 1, .seed = run->seed };
	return (struct codec_input){ .n = n, .nlayers = nlayers ? nlayers : 1,
				 .layers = p ? p->blobs : run->layers, .seed = run->seed };
}

size_t codec_part_bytes(const struct run *run, size_t n)
{
	if (!codec_packs(run))
		return n * sizeof(float);
	return sizeof(uint32_t) *
	       run->codec->words(run->codec_conf, n, input_of(run, n).nlayers);
}

size_t codec_bytes(const struct run *run)
{
	return codec_part_bytes(run, run->dim);
}

size_t codec_memory(const struct run *run)
{
	return codec_packs(run) && run->codec->feedback ? run->dim : 0;
}

struct codec_allreduce *codec_open(struct node *nd)
{
	const struct run *run = nd->run;
	const struct codec_input p = input_of(run, run->dim);
	struct codec_allreduce *s;

	if (!run->codec || !run->codec->stage)
		return NULL;
	s = nd->engine->alloc(nd, 1, sizeof(*s));
	s->members = run->workers;
	if (nd->x)
		s->memory = node_floats(nd, run->codec->stage_memory(run->codec_conf, &p));
	return s;
}

size_t codec_stage(struct node *nd)
{
	const struct run *run = nd->run;
	const struct codec_input p = input_of(run, run->dim);
	struct codec_allreduce *s = nd->allreduce;
	const size_t n = run->codec->stage(run->codec_conf, &p, s);

	s->stage++;
	if (n == 0) {
		s->stage = 0;
		s->count++;
	}
	return n;
}

/* r <- r + g; sends r; r then keeps what the codes leave out. */
static void pack_with_memory(const struct run *run, const struct codec_input *p, const float *g,
			     float *r, void *codes)
{
	vec_axpy(p->n, 1.0f, g, r);
	run->codec->encode(run->codec_conf, p, r, codes);
	run->codec->add(run->codec_conf, p, codes, -1.0f, r);
}

void codec_pack(struct node *nd, size_t n, const float *g, void *codes)
{
	const struct run *run = nd->run;
	const size_t from = n < run->dim ? nd->part : 0;
	struct codec_input p = input_of(run, n);

	p.rank = (uint32_t)nd->rank;
	p.count = nd->packed++;
	if (!g)
		return;
	if (nd->residual)
		pack_with_memory(run, &p, g, nd->residual + from, codes);
	else
		run->codec->encode(run->codec_conf, &p, g, codes);
}

void codec_add(const struct run *run, size_t n, const void *codes, float *v)
{
	const struct codec_input p = input_of(run, n);

	run->codec->add(run->codec_conf, &p, codes, 1.0f, v);
}

void codec_unpack(const struct run *run, size_t n, const void *codes, float *v)
{
	memset(v, 0, n * sizeof(*v));
	codec_add(run, n, codes, v);
}
