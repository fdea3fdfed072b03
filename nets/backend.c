/* The table of compute backends, and functions that backends share. */
#include "nets/backend.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/math/median.h"
#include "core/math/rng.h"
#include "core/math/wide.h"
#include "core/text/word.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct backend *const backend_table[] = {
#ifdef CONVOY_HAVE_ONEDNN
	&backend_onednn,
#endif
	&backend_openblas,
	NULL
};

enum { BACKENDS = sizeof(backend_table) / sizeof(backend_table[0]) };

const struct backend *backend_find(const char *name)
{
	const char *known[BACKENDS] = { NULL };

	for (size_t i = 0; backend_table[i]; i++) {
		if (!strcmp(backend_table[i]->name, name))
			return backend_table[i];
		known[i] = backend_table[i]->name;
	}
	word_unknown(NULL, "backend", name, known);
	return NULL;
}

/* ---- dropout masks, which are equal in all backends ---- */

void dropout_mask(size_t n, size_t count, double rate, uint64_t seed, int layer,
		  const uint64_t *use, float *mask)
{
	for (size_t i = 0; i < n; i++)
		dropout_units(0, count, rate, seed, (uint32_t)layer, use[i], mask + i * count);
}

enum { DRAWS = 256 };                   /* words that are drawn together */

WIDE static void dropout_choose(size_t n, const uint32_t *words, uint32_t threshold, float kept,
				float *mask)
{
	for (size_t k = 0; k < n; k++)
		mask[k] = words[k] < threshold ? 0.0f : kept;
}

void dropout_units(size_t first, size_t count, double rate, uint64_t seed, uint32_t address,
		   uint64_t use, float *mask)
{
	const float kept = (float)(1.0 / (1.0 - rate));
	const uint32_t threshold = (uint32_t)(rate * 0x1p32);
	uint32_t words[DRAWS];
	struct rng r;

	rng_at(&r, seed, RNG_DROPOUT, address, use);
	rng_skip(&r, first);
	for (size_t k = 0, n; k < count; k += n) {
		n = count - k < DRAWS ? count - k : DRAWS;
		rng_words(&r, n, words);
		dropout_choose(n, words, threshold, kept, mask + k);
	}
}

/* ---- the rate of a large product of matrices ---- */

enum { LEAST = 2, MOST = 4096 };        /* products measured, after one to warm up */
static const double limit = 1;          /* seconds */

double peak_measure(void (*multiply)(void *arg), void *arg)
{
	const double end = clock_s() + limit;
	double *seconds = xcalloc(MOST, sizeof(*seconds)), median;
	size_t n = 0;

	multiply(arg);
	while (n < MOST && (n < LEAST || clock_s() < end)) {
		double from = clock_s();

		multiply(arg);
		seconds[n++] = clock_s() - from;
	}
	median = median_of(seconds, n);
	free(seconds);
	return 2 * pow(PEAK_SIDE, 3) / median;
}

float *peak_matrix(size_t n)
{
	float *v = vec_new(n);

	for (size_t i = 0; i < n; i++)
		v[i] = (float)(i * 7919 % 1024) / 512 - 1;
	return v;
}

/* ---- whether bf16 is computed in bf16: by the processor, and CONVOY_BF16 ---- */

#if defined(__x86_64__)
#include <cpuid.h>
#endif

int bf16_wish(void)
{
	const char *text = getenv("CONVOY_BF16");

	if (!text || !*text)
		return BF16_AUTO;
	if (strcmp(text, "on") == 0)
		return BF16_ON;
	if (strcmp(text, "off") == 0)
		return BF16_OFF;
	return error("CONVOY_BF16: '%s' is not a choice (expected on or off). Unset it, and the "
		     "processor decides.", text);
}

const char *bf16_refused(const struct bf16_facts *f, enum bf16_wish wish)
{
	if (!f->instructions)
		return "this processor, or oneDNN, has no bf16 instructions";
	if (wish == BF16_OFF)
		return "CONVOY_BF16=off";
	if (wish == BF16_ON || f->matrix_units || strcmp(f->vendor, "AuthenticAMD") == 0)
		return NULL;
	return "this processor's bf16 instructions are slower than those of f32";
}

void bf16_vendor(char vendor[13])
{
	memset(vendor, 0, 13);
#if defined(__x86_64__)
	unsigned int a, b, c, d;

	if (!__get_cpuid(0, &a, &b, &c, &d))
		return;
	memcpy(vendor, &b, 4);
	memcpy(vendor + 4, &d, 4);
	memcpy(vendor + 8, &c, 4);
#endif
}
