/* `convoy sample`: text from a kept model. */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/math/rng.h"
#include "core/text/utf8.h"
#include "data/data.h"
#include "nets/nets.h"
#include "record/record.h"
#include "record/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sample_conf {
	int64_t tokens, seed;
	double temperature;
	char *prompt;
};

static const struct opt sample_opts[] = {
	OPT_NUMBER(struct sample_conf, tokens, "500", "tokens to draw", "N", 1, 1e7),
	OPT_NUMBER(struct sample_conf, temperature, "1",
		   "divides the logits: below 1 bolder, 0: always the most probable token", "T", 0,
		   1000),
	OPT_NUMBER(struct sample_conf, seed, "1", "of the draws", "N", 0, 1e15),
	OPT_TEXT(struct sample_conf, prompt,
	  "text to continue; else the first token of the vocabulary, not printed", "TEXT"),
	{ 0 }
};

static const char sample_about[] =
	"Prints text that the model of a result file predicts, a token at a time. The run must\n"
	"have kept its model (--keep-model), of a net of tokens. The data set must be there, for\n"
	"its vocabulary.\n"
	"\n"
	"Examples:\n"
	"  convoy sim --net gpt-tiny --data chain --workers 1 --batch 16 \\\n"
	"             --gradients 500 --optim adam --lr 0.003 --keep-model --out runs\n"
	"  convoy sample runs/sim/*.h5 --tokens 80\n"
	"  convoy sample shakespeare.h5 --temperature 0.8 --seed 3 --prompt 'ROMEO:'";

/* A model, the text it learnt from, and the tokens so far. */
struct sampler_state {
	struct dataset *ds;             /* owned, as is all below */
	struct graph *g;
	float *x;                       /* [dim] */
	void *ctx;                      /* of the backend */
	float *window, *logits;         /* [window], [window][classes] */
	int32_t *tokens;                /* [n] the prompt and what was drawn */
	size_t n, prompt;
};

/* Opens the kept model of a result, and its data set, which has the vocabulary. 0 or error(). */
static int sample_open(struct sampler_state *s, const char *path)
{
	struct result r;
	const char *data;
	bool has_data;

	if (result_load(&r, path, RESULT_WHOLE) < 0)
		return -1;
	data = result_setting(&r, "data");
	has_data = strcmp(data, "none") != 0;
	s->ds = has_data ? dataset_open_text(data) : NULL;
	if (!has_data || (s->ds && !s->ds->tokens)) {
		error("'%s' is of no net of tokens (expected a run of one, such as "
		      "gpt-shakespeare-cpu)", path);
	} else if (s->ds) {
		s->g = graph_load(result_setting(&r, "net"), (struct shape){ s->ds->height, 1, 1 },
				  s->ds->classes);
		s->x = s->g ? result_model(path, s->g->dim) : NULL;
	}
	result_release(&r);
	if (!s->x)
		return -1;
	s->ctx = backend_table[0]->open(s->g, NULL, 1, NULL);
	s->window = vec_new((size_t)s->ds->height);
	s->logits = vec_new((size_t)s->ds->height * (size_t)s->ds->classes);
	return s->ctx ? 0 : -1;
}

/* The logits of the next token, by the last window; a short text leaves its rest unused. */
static const float *sample_predict(struct sampler_state *s)
{
	const size_t size = (size_t)s->ds->height, first = s->n > size ? s->n - size : 0;

	memset(s->window, 0, size * sizeof(*s->window));
	for (size_t k = first; k < s->n; k++)
		s->window[k - first] = (float)s->tokens[k];
	backend_table[0]->logits(s->ctx, s->x, NULL, 1, s->window, s->logits);
	return s->logits + (s->n - first - 1) * (size_t)s->ds->classes;
}

/* Drawn by exp(z / temperature). */
static int32_t sample_draw(const float *z, int classes, double temperature, double u)
{
	double sum = 0, part = 0;
	int best = 0;

	for (int k = 1; k < classes; k++)
		best = z[k] > z[best] ? k : best;
	if (temperature <= 0)
		return best;
	for (int k = 0; k < classes; k++)
		sum += exp(((double)z[k] - (double)z[best]) / temperature);
	for (int k = 0; k < classes; k++) {
		part += exp(((double)z[k] - (double)z[best]) / temperature);
		if (u * sum < part)
			return k;
	}
	return best;
}

/* Prints the tokens; on a terminal, nothing that could drive it. */
static int sample_print(const struct sampler_state *s, bool prompt)
{
	scoped char *text = NULL;
	size_t size;
	FILE *f = xmemstream(&text, &size);

	for (size_t k = prompt ? 0 : s->prompt; k < s->n; k++) {
		bool spaced;
		size_t n;
		const char *at = s->ds->type->spell(s->ds, s->tokens[k], &n, &spaced);

		fwrite(at, 1, n, f);
		if (spaced)
			fputc(' ', f);
	}
	fputc('\n', f);
	xmemclose(f);
	if (isatty(STDOUT_FILENO)) {
		/* Text may hold NULs, at which utf8_make_printable() ends. */
		for (size_t i = 0; i < size; i++)
			text[i] = text[i] ? text[i] : ' ';
		utf8_make_printable(text);
	}
	fwrite(text, 1, size, stdout);
	return ferror(stdout) ? error("cannot write to stdout") : 0;
}

static int sample_run(const struct args *a)
{
	const struct sample_conf *conf = a->conf;
	struct sampler_state s = { 0 };
	int32_t *prompt = NULL;         /* tokens that the text begins with */
	size_t n = 0;
	int ret = sample_open(&s, a->words[0]);

	if (!ret && conf->prompt) {
		prompt = s.ds->type->encode(s.ds, conf->prompt, &n);
		ret = prompt ? 0 : -1;
	}
	if (!ret) {
		/* with memory for those to be drawn; without a prompt the first token */
		s.tokens = xcalloc(n + 1 + (size_t)conf->tokens, sizeof(*s.tokens));
		memcpy(s.tokens, prompt ? prompt : s.tokens, n * sizeof(*s.tokens));
		s.prompt = s.n = n ? n : 1;
	}
	free(prompt);
	for (int64_t k = 0; !ret && k < conf->tokens; k++) {
		const float *z = sample_predict(&s);
		struct rng r;

		rng_at(&r, (uint64_t)conf->seed, RNG_NOISE, 0, (uint64_t)k);
		s.tokens[s.n++] = sample_draw(z, s.ds->classes, conf->temperature,
					      rng_uniform(&r));
	}
	if (!ret)
		ret = sample_print(&s, conf->prompt);
	if (s.ctx)
		backend_table[0]->close(s.ctx);
	dataset_close(s.ds);
	graph_free(s.g);
	free_all(s.x, s.window, s.logits, s.tokens);
	return ret ? EXIT_BAD : EXIT_OK;
}

const struct syntax cmd_sample = {
	.opts = sample_opts, .conf_size = sizeof(struct sample_conf), .one = "result",
	.usage = "sample FILE [--tokens N] [--temperature T] [--seed N] [--prompt TEXT]",
	.about = sample_about, .run = sample_run,
};
