/* Accelerators by their peak, and published rates of transformers on them. */
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/text/word.h"
#include "plan/compute/times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Only figures that were read in their sources are here. */
static const char ml_engineering[] = "peak of bf16 without sparsity as in stas00/ml-engineering "
				  "(b9e2972, compute/accelerator/README.md, November 2026)";
const char device_tokens_source[] = "mosaicml/llm-foundry (061f2c7, scripts/train/benchmarking/"
				    "README.md, November 2026): MPT in bf16, samples of 2048 "
				    "tokens, communication of FSDP included";

/* Other tables agree, and a program that issues matrix products alone measured 165.5e12. */
static const char waredb[] = "peak of bf16 without sparsity, sums in f32, as in "
			     "waredb.com/processor/nvidia-geforce-rtx-4090 (November 2026); "
			     "NVIDIA's own document was not read";

static const struct token_rate a100_tokens[] = {
	{ 125311488, 8, 142830 }, { 355985408, 8, 58782 }, { 760470528, 8, 32434 },
	{ 1315950592, 8, 20513 }, { 2651837440, 8, 10811 }, { 6658859008, 8, 4641 },
	{ 12853954560, 8, 2262 }, { 29975214080, 8, 916 }, { 64862437376, 64, 410 }, { 0, 0, 0 }
};
static const struct token_rate h100_tokens[] = {
	{ 760470528, 8, 63147 }, { 1315950592, 8, 45455 }, { 2651837440, 16, 24142 },
	{ 6658859008, 8, 10643 }, { 12853954560, 8, 4792 }, { 29975214080, 8, 2002 },
	{ 64862437376, 64, 1039 }, { 0, 0, 0 }
};

/* Memory as in the same file's table; of two sizes or sources the larger one. */
const struct device_peak device_peak_a100 = { 312e12, a100_tokens, ml_engineering, 80e9 };
const struct device_peak device_peak_h100 = { 989e12, h100_tokens, ml_engineering, 80e9 };
const struct device_peak device_peak_h200 = { 989e12, NULL, ml_engineering, 141e9 };
const struct device_peak device_peak_b200 = { 2250e12, NULL, ml_engineering, 192e9 };
const struct device_peak device_peak_l40s = { 362e12, NULL, ml_engineering, 48e9 };
const struct device_peak device_peak_rtx4090 = { 165e12, NULL, waredb, 0 };
const struct device_peak device_peak_mi300x = { 1300e12, NULL, ml_engineering, 192e9 };

const struct compute_kind *device_find(const char *name, const char *where)
{
	const char *known[32] = { NULL };
	bool timed = false;     /* a device of which only times are known */
	char *peaks = NULL;
	size_t n = 0;

	for (const struct plugin *const *p = compute_table; *p; p++) {
		const struct compute_kind *kind = (const struct compute_kind *)*p;
		const bool same = strcmp(kind->plugin.name, name) == 0;

		if (kind->peak && same) {
			free(peaks);
			return kind;
		}
		timed |= same && kind->rate;
		if (kind->peak && n + 1 < sizeof(known) / sizeof(known[0])) {
			xappend(&peaks, ", ", kind->plugin.name);
			known[n++] = kind->plugin.name;
		}
	}
	if (timed)
		error("%s: the peak of %s is not known, only times of some nets: give --compute-s "
		      "%s. Those with a peak: %s", where, name, name, peaks);
	else
		word_unknown(where, "accelerator", name, known);
	free(peaks);
	return NULL;
}

const struct token_rate *device_token_rate(const struct compute_kind *device, double params)
{
	const struct token_rate *nearest = NULL;
	double least = log(2.0) * (1.0 + 1e-9);

	for (const struct token_rate *r = device->peak->tokens; r && r->params > 0.0; r++) {
		const double distance = fabs(log(params / r->params));

		if (distance <= least) {
			least = distance;
			nearest = r;
		}
	}
	return nearest;
}

double device_rate_mfu(const struct compute_kind *device, const struct token_rate *rate)
{
	return 6.0 * rate->params * rate->tokens_s / device->peak->flops;
}
