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

static const void *codec_conf_of(const struct run *run)
{
	return run->algo && run->algo->codec ? run->algo_conf : run->codec_conf;
}

static bool codec_does(const struct codec *codec)
{
	return codec && (codec->words || codec->stage);
}

bool codec_acts(const struct run *run)
{
	return codec_does(codec_of(run));
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
	if (!codec_does(run->codec))
		return 0;
	if (run->algo->codec)
		return error("codec %s: %s packs what it sends itself, by its own options. Leave "
			     "codec out", run->codec->plugin.name, run->algo->plugin.name);
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
	if (run->pool && run->dim > UINT32_MAX)
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
	       codec_of(run)->words(codec_conf_of(run), n, input_of(run, n).nlayers);
}

size_t codec_bytes(const struct run *run)
{
	return codec_part_bytes(run, run->dim);
}

size_t codec_memory(const struct run *run)
{
	return codec_packs(run) && codec_of(run)->feedback ? run->dim : 0;
}

struct codec_allreduce *codec_open(struct node *nd)
{
	const struct run *run = nd->run;
	const struct codec_input p = input_of(run, run->dim);
	const struct codec *codec = codec_of(run);
	struct codec_allreduce *s;

	if (!codec || !codec->stage)
		return NULL;
	s = nd->engine->alloc(nd, 1, sizeof(*s));
	s->members = run->workers;
	s->memory = node_floats(nd, codec->stage_memory(codec_conf_of(run), &p));
	return s;
}

size_t codec_stage(struct node *nd)
{
	const struct run *run = nd->run;
	const struct codec_input p = input_of(run, run->dim);
	struct codec_allreduce *s = nd->allreduce;
	const size_t n = codec_of(run)->stage(codec_conf_of(run), &p, s);

	s->stage++;
	if (n == 0) {
		s->stage = 0;
		s->count++;
	}
	return n;
}

/* r <- decay r + g; sends r; r then keeps what the codes leave out. */
static void pack_with_memory(const struct run *run, const struct codec_input *p, const float *g,
			     float *r, void *codes)
{
	const struct codec *codec = codec_of(run);
	const void *conf = codec_conf_of(run);

	if (codec->decay)
		vec_scale(p->n, (float)codec->decay(conf), r);
	vec_axpy(p->n, 1.0f, g, r);
	codec->encode(conf, p, r, codes);
	codec->add(conf, p, codes, -1.0f, r);
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
		codec_of(run)->encode(codec_conf_of(run), &p, g, codes);
}

void codec_add(const struct run *run, size_t n, const void *codes, float *v)
{
	const struct codec_input p = input_of(run, n);

	codec_of(run)->add(codec_conf_of(run), &p, codes, 1.0f, v);
}

void codec_pack_sum(const struct run *run, size_t n, const float *v, void *codes)
{
	const struct codec_input p = input_of(run, n);

	codec_of(run)->encode(codec_conf_of(run), &p, v, codes);
}

void codec_round_sum(const struct run *run, size_t n, void *codes, float *v)
{
	if (!codec_adds(run))
		return;
	codec_pack_sum(run, n, v, codes);
	codec_unpack(run, n, codes, v);
}

void codec_unpack(const struct run *run, size_t n, const void *codes, float *v)
{
	memset(v, 0, n * sizeof(*v));
	codec_add(run, n, codes, v);
}
