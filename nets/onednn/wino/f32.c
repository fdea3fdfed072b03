/* Winograd's convolution on f32 by AVX-512, and the sizes of all kinds of it. */
#define LANES 16
#include "nets/onednn/simd/vec.h"
#include "nets/onednn/wino/wino.h"

#if defined(__x86_64__)
#include "nets/onednn/simd/turn.h"

#define TARGET AVX512
#define ELEM float
#define STEP 1
#define LOAD LOAD_F32
#define STORE STORE_F32
#define PAIR STORE_F32
#define ADD_PRODUCT(sum, p, b) \
	(*(sum) = (vec)_mm512_fmadd_ps(_mm512_set1_ps(*(p)), (__m512)*(b), (__m512)*(sum)))
#include "nets/onednn/wino/loops.h"

const struct wino_table *wino_f32(void)
{
	static const struct wino_table table = { 32, weights, weights_back, convolve, gradient };

	return __builtin_cpu_supports("avx512f") ? &table : wino_avx2();
}
#else
const struct wino_table *wino_f32(void)
{
	return NULL;
}
#endif

size_t wino_group(const struct wino *z)
{
	return z->in < 64 ? 24 : 48;
}

/*
 * Tiles of a group: large compared with the sums, which are read and written for each group, but
 * small enough for the cache that cores share.
 */
size_t wino_gradient_group(const struct wino *z, size_t size)
{
	const size_t each = WINO_AT * (z->in + z->out) * size, least = 96;
	const size_t wanted = z->in * z->out <= 64 * 64 ? 192 : 768;
	const size_t most = ((size_t)8 << 20) / each / 2 * 2, tiles = (wino_tiles(z) + 1) / 2 * 2;
	size_t group = wanted < most ? wanted : most;

	group = group < least ? least : group;
	return group < tiles ? group : tiles;
}

size_t wino_work(const struct wino *z, size_t size)
{
	return WINO_AT * (wino_apart(wino_group(z), z->in) * size
			  + wino_apart(wino_group(z), 64) * sizeof(float));
}

size_t wino_gradient_work(const struct wino *z, size_t size)
{
	const size_t group = wino_gradient_group(z, size);

	return WINO_AT * (wino_apart(z->out, z->in) * sizeof(float)
			  + (wino_apart(group, z->out) + wino_apart(group, z->in)) * size);
}
