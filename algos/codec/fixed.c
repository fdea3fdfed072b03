/* Encodes vectors block by block with a few bits for each float, and adds decoded codes. */
#include "algos/codec/fixed.h"

#include "core/math/rng.h"
#include "core/math/wide.h"

#include <string.h>

enum { WORDS = 128, FIXED_MOST = 32 * WORDS, FIXED_LANES = 8 }; /* words of a block, codes in it */

/* Number of floats whose random numbers are drawn at one address. */
static size_t fixed_block(struct fixed_form form)
{
	return (size_t)(32 / form.width) * WORDS;
}

static size_t count_stretches(struct fixed_form form, size_t n, size_t nlayers)
{
	return form.stretch ? (n + form.stretch - 1) / form.stretch : nlayers;
}

size_t fixed_words(const struct fixed *f, struct fixed_form form, size_t n, size_t nlayers)
{
	const size_t per = (size_t)(32 / form.width);

	return (size_t)f->numbers * count_stretches(form, n, nlayers) + (n + per - 1) / per;
}

static size_t end_of(struct fixed_form form, const struct codec_input *p, size_t k)
{
	if (!form.stretch)
		return codec_layer_end(p, k);
	return (k + 1) * form.stretch < p->n ? (k + 1) * form.stretch : p->n;
}

WIDE double fixed_squares(size_t n, const float *v)
{
	double lane[FIXED_LANES] = { 0.0 }, sum = 0.0;
	size_t i = 0;

	for (; i + FIXED_LANES <= n; i += FIXED_LANES)
		for (int j = 0; j < FIXED_LANES; j++)
			lane[j] += (double)v[i + (size_t)j] * (double)v[i + (size_t)j];
	for (int j = 0; j < FIXED_LANES; j++)
		sum += lane[j];
	for (; i < n; i++)
		sum += (double)v[i] * (double)v[i];
	return sum;
}

/* ---- codes in words ---- */

static inline void fixed_put(int width, size_t words, const uint8_t *code, uint32_t *word)
{
	const size_t per = (size_t)(32 / width);

	for (size_t w = 0; w < words; w++) {
		uint32_t bits = 0;

		for (size_t j = 0; j < per; j++)
			bits |= (uint32_t)code[w * per + j] << (j * (size_t)width);
		word[w] = bits;
	}
}

static inline void fixed_get(int width, size_t words, const uint32_t *word, uint8_t *code)
{
	const size_t per = (size_t)(32 / width);
	const uint32_t mask = (1u << width) - 1;

	for (size_t w = 0; w < words; w++)
		for (size_t j = 0; j < per; j++)
			code[w * per + j] = (uint8_t)(word[w] >> (j * (size_t)width) & mask);
}

/* Instances for widths that divide 32 have the width as a constant. */
WIDE static void put_codes(int width, size_t words, const uint8_t *code, uint32_t *word)
{
	switch (width) {
	case 1:
		fixed_put(1, words, code, word);
		break;
	case 2:
		fixed_put(2, words, code, word);
		break;
	case 4:
		fixed_put(4, words, code, word);
		break;
	case 8:
		fixed_put(8, words, code, word);
		break;
	default:
		fixed_put(width, words, code, word);
	}
}

WIDE static void get_codes(int width, size_t words, const uint32_t *word, uint8_t *code)
{
	switch (width) {
	case 1:
		fixed_get(1, words, word, code);
		break;
	case 2:
		fixed_get(2, words, word, code);
		break;
	case 4:
		fixed_get(4, words, word, code);
		break;
	case 8:
		fixed_get(8, words, word, code);
		break;
	default:
		fixed_get(width, words, word, code);
	}
}

/* ---- stretches within blocks ---- */

struct walk {                   /* an iteration over the floats, by blocks and stretches */
	struct fixed_form form;
	const struct codec_input *p;
	size_t at;              /* the block's first float */
	size_t k;               /* index of the stretch of the next piece */
};

/* Length of the piece of one stretch that begins at `from` and ends within the block. */
static size_t next_piece(struct walk *w, size_t from, size_t block_end)
{
	size_t end = end_of(w->form, w->p, w->k);

	while (end <= from && end < w->p->n)
		end = end_of(w->form, w->p, ++w->k);
	return (end < block_end ? end : block_end) - from;
}

static size_t end_of_block(const struct walk *w)
{
	const size_t end = w->at + fixed_block(w->form);

	return end < w->p->n ? end : w->p->n;
}

static void fixed_draw(const struct codec_input *p, size_t block, size_t n, float *u)
{
	uint32_t word[FIXED_MOST];

	rng_fill(p->seed, RNG_CODEC, p->rank, p->count << 24 | block, n, word);
	for (size_t i = 0; i < n; i++)
		u[i] = (float)(word[i] >> 8) * 0x1p-24f;
}

static void measure_all(const struct fixed *f, struct fixed_form form, const void *conf,
			const struct codec_input *p, const float *v, float *numbers)
{
	const size_t stretches = count_stretches(form, p->n, p->nlayers);
	size_t first = 0;

	for (size_t k = 0; k < stretches; k++) {
		const size_t end = end_of(form, p, k);

		f->measure(conf, end - first, v + first, numbers + k * (size_t)f->numbers);
		first = end;
	}
}

static void quantise_block(const struct fixed *f, const void *conf, struct walk *w,
			   const float *numbers, const float *v, uint8_t *code)
{
	const size_t end = end_of_block(w);
	float u[FIXED_MOST];

	if (f->draws)
		fixed_draw(w->p, w->at / fixed_block(w->form), end - w->at, u);
	for (size_t i = w->at, n; i < end; i += n) {
		n = next_piece(w, i, end);
		f->quantise(conf, numbers + w->k * (size_t)f->numbers, n, v + i, u + (i - w->at),
			    code + (i - w->at));
	}
}

void fixed_encode(const struct fixed *f, struct fixed_form form, const void *conf,
		  const struct codec_input *p, const float *v, void *codes)
{
	const size_t per = (size_t)(32 / form.width);
	float *numbers = codes;
	uint32_t *word = (uint32_t *)codes +
			 (size_t)f->numbers * count_stretches(form, p->n, p->nlayers);
	struct walk w = { .form = form, .p = p };

	measure_all(f, form, conf, p, v, numbers);
	for (; w.at < p->n; w.at += fixed_block(form)) {
		const size_t n = end_of_block(&w) - w.at;
		uint8_t code[FIXED_MOST];

		quantise_block(f, conf, &w, numbers, v, code);
		memset(code + n, 0, (per - n % per) % per);
		put_codes(form.width, (n + per - 1) / per, code, word + w.at / per);
	}
}

/* ---- decoding ---- */

WIDE static void look_up(size_t n, const uint8_t *code, const float *value, float *v)
{
	for (size_t i = 0; i < n; i++)
		/* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.ArraySubscript): n are set */
		v[i] += value[code[i]];
}

/* v[n] += value[code]: with two values, selecting is faster than a table look-up. */
WIDE static void choose(size_t n, const uint8_t *code, const float *value, float *v)
{
	const float zero = value[0], one = value[1];

	for (size_t i = 0; i < n; i++)
		v[i] += code[i] ? one : zero;
}

static void fixed_add_block(const struct fixed *f, const void *conf, struct walk *w,
			    const float *numbers, const uint8_t *code, float a, float *v)
{
	const size_t end = end_of_block(w);
	float value[1 << FIXED_WIDTH];

	for (size_t i = w->at, n; i < end; i += n) {
		n = next_piece(w, i, end);
		f->values(conf, numbers + w->k * (size_t)f->numbers, value);
		for (int c = 0; c < 1 << w->form.width; c++)
			value[c] *= a;
		if (w->form.width == 1)
			choose(n, code + (i - w->at), value, v + i);
		else
			look_up(n, code + (i - w->at), value, v + i);
	}
}

void fixed_add(const struct fixed *f, struct fixed_form form, const void *conf,
	       const struct codec_input *p, const void *codes, float a, float *v)
{
	const size_t per = (size_t)(32 / form.width);
	const float *numbers = codes;
	const uint32_t *word = (const uint32_t *)codes +
			       (size_t)f->numbers * count_stretches(form, p->n, p->nlayers);
	struct walk w = { .form = form, .p = p };

	for (; w.at < p->n; w.at += fixed_block(form)) {
		const size_t n = end_of_block(&w) - w.at;
		uint8_t code[FIXED_MOST];

		get_codes(form.width, (n + per - 1) / per, word + w.at / per, code);
		fixed_add_block(f, conf, &w, numbers, code, a, v);
	}
}
