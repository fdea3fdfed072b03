/*
 * loops.h - the functions of table.h, for one width of registers.
 *
 * The file of each width includes it, and defines before it LANES (see lanes.h) and TARGET (a
 * function attribute: the instructions).
 */
#include "core/base/error.h"
#include "core/base/mem.h"
#include "nets/openblas/lanes/lanes.h"
#include "nets/openblas/lanes/table.h"
#include "nets/openblas/openblas.h"

#include <math.h>
#include <string.h>

/* TARGET with fused multiply-adds, which no attribute of clang's allows. */
#if defined(__x86_64__) && !defined(__clang__)
#define FUSED TARGET __attribute__((optimize("fp-contract=fast")))
#else
#define FUSED TARGET
#endif

/*
 * A vector of a row from key k on, whose query has n keys. v <- its scores, and -1e30 after the n
 * keys; `inside`: there is none.
 */
LANES_INLINE void tile_load(bool inside, size_t n, size_t keys, size_t k, const float *p, lanes *v)
{
	const lanes none = (lanes){ 0 } - 1e30f;
	lanes_bits after;

	if (inside) {
		*v = *(const lanes_at *)(p + k);
		return;
	}
	after = ~LANES_BELOW((int32_t)n - (int32_t)k);
	lanes_load(lanes_left(keys, k), p + k, -1e30f, v);
	lanes_choose(&after, &none, v);
}

/* v <- exp(v), and 0 after the n keys, stored in the row. */
LANES_INLINE void tile_exp(bool inside, size_t n, size_t keys, size_t k, float *p, lanes *v)
{
	lanes_exp(v);
	if (inside) {
		*(lanes_at *)(p + k) = *v;
		return;
	}
	*v = (lanes)((lanes_bits)*v & LANES_BELOW((int32_t)n - (int32_t)k));
	lanes_store(lanes_left(keys, k), v, p + k);
}

/* Rows of a tile of which the first has n keys; their sums are computed at once. */
struct tile_rows {
	size_t rows, keys, n;
	float scale;
	float *p;
};

enum { TOGETHER = 4 };          /* rows at once: the sums of one alone take longer than its exps */

LANES_INLINE void tile_most(bool inside, const struct tile_rows *t, size_t k, lanes *most)
{
	lanes v;

	for (size_t r = 0; r < t->rows; r++) {
		tile_load(inside, t->n + r, t->keys, k, t->p + r * t->keys, &v);
		lanes_larger(&v, &most[r]);
	}
}

LANES_INLINE void tile_add_exp(bool inside, const struct tile_rows *t, size_t k, const lanes *most,
			       lanes *sum)
{
	lanes v;

	for (size_t r = 0; r < t->rows; r++) {
		tile_load(inside, t->n + r, t->keys, k, t->p + r * t->keys, &v);
		v = t->scale * (v - most[r]);
		tile_exp(inside, t->n + r, t->keys, k, t->p + r * t->keys, &v);
		sum[r] += v;
	}
}

/* p[to] *= share; 0 after that. */
LANES_INLINE void tile_share(size_t to, size_t keys, float share, float *p)
{
	lanes v;

	for (size_t k = 0; k < to; k += LANES) {
		lanes_load(lanes_left(keys, k), p + k, 0.0f, &v);
		v *= share;
		lanes_store(lanes_left(keys, k), &v, p + k);
	}
	for (size_t k = to; k < keys; k++)
		p[k] = 0.0f;
}

/* Also sets each row's largest score and its sum of exp(scale (score - largest)). */
LANES_INLINE void tile_softmax_rows(struct tile_rows t, float *largest, float *sum)
{
	const size_t inside = t.n / LANES * LANES;
	const size_t end = (t.n + t.rows - 1 + LANES - 1) / LANES * LANES;
	lanes most[TOGETHER], s[TOGETHER];

	for (size_t r = 0; r < t.rows; r++) {
		most[r] = (lanes){ 0 } + t.p[r * t.keys];
		s[r] = (lanes){ 0 };
	}
	for (size_t k = 0; k < inside; k += LANES)
		tile_most(true, &t, k, most);
	for (size_t k = inside; k < end; k += LANES)
		tile_most(false, &t, k, most);
	for (size_t r = 0; r < t.rows; r++)
		lanes_spread_most(&most[r]);
	for (size_t k = 0; k < inside; k += LANES)
		tile_add_exp(true, &t, k, most, s);
	for (size_t k = inside; k < end; k += LANES)
		tile_add_exp(false, &t, k, most, s);
	for (size_t r = 0; r < t.rows; r++) {
		largest[r] = most[r][0];
		sum[r] = lanes_sum(&s[r]);
		tile_share(end, t.keys, 1.0f / sum[r], t.p + r * t.keys);
	}
}

static FUSED void tile_softmax(size_t rows, size_t keys, size_t first, float scale, float *p,
			     float *lse)
{
	struct tile_rows t = { TOGETHER, keys, 0, scale, p };
	float most[TILE], sum[TILE];
	lanes u, v;
	size_t r = 0;

	for (; r + TOGETHER <= rows; r += TOGETHER, t.p += TOGETHER * keys) {
		t.n = first + r + 1;
		tile_softmax_rows(t, most + r, sum + r);
	}
	for (; r < rows; r++, t.p += keys)
		tile_softmax_rows((struct tile_rows){ 1, keys, first + r + 1, scale, t.p },
				  most + r, sum + r);
	for (r = 0; r < rows; r += LANES) {
		lanes_load(lanes_left(rows, r), most + r, 0.0f, &u);
		lanes_load(lanes_left(rows, r), sum + r, 1.0f, &v);
		lanes_log(&v);
		v += scale * u;
		lanes_store(lanes_left(rows, r), &v, lse + r);
	}
}

static FUSED void tile_again(size_t rows, size_t keys, size_t first, float scale,
			     const float *lse, float *p)
{
	lanes v;

	for (size_t r = 0; r < rows; r++, p += keys) {
		const size_t n = first + r + 1;
		size_t k = 0;

		for (; k + LANES <= n; k += LANES) {
			tile_load(true, n, keys, k, p, &v);
			v = scale * v - lse[r];
			tile_exp(true, n, keys, k, p, &v);
		}
		for (; k < n; k += LANES) {
			tile_load(false, n, keys, k, p, &v);
			v = scale * v - lse[r];
			tile_exp(false, n, keys, k, p, &v);
		}
		for (; k < keys; k++)
			p[k] = 0.0f;
	}
}

LANES_INLINE float tile_dot(size_t n, const float *a, const float *b)
{
	lanes s = { 0 }, u, v;

	for (size_t k = 0; k < n; k += LANES) {
		lanes_load(lanes_left(n, k), a + k, 0.0f, &u);
		lanes_load(lanes_left(n, k), b + k, 0.0f, &v);
		s += u * v;
	}
	return lanes_sum(&s);
}

static FUSED void tile_dots(size_t rows, size_t size, const float *dout, size_t ldd,
			    const float *out, size_t ldo, float *d)
{
	for (size_t r = 0; r < rows; r++)
		d[r] = tile_dot(size, dout + r * ldd, out + r * ldo);
}

static FUSED void tile_products(size_t rows, size_t keys, size_t size, const float *x, size_t ldx,
				const float *yt, size_t ldy, float *c)
{
	small_product(rows, keys, size, x, ldx, 1, yt, ldy, 0, c, keys);
}

/* Rows are taken SMALL_ROWS at a time: few keys after a row's own, where p is 0, are read. */
static FUSED void tile_mix(size_t rows, size_t keys, size_t first, size_t size, const float *p,
			   const float *y, size_t ldy, bool add, float *c, size_t ldc)
{
	for (size_t r = 0; r < rows; r += SMALL_ROWS) {
		const size_t n = size_least(SMALL_ROWS, rows - r);

		small_product(n, size, size_least(keys, first + r + n), p + r * keys, keys, 1, y,
			      ldy, add, c + r * ldc, ldc);
	}
}

static FUSED void tile_spread(size_t rows, size_t keys, size_t first, size_t size, const float *p,
			      const float *x, size_t ldx, bool add, float *c, size_t ldc)
{
	for (size_t k = 0; k < keys; k += SMALL_ROWS) {
		const size_t n = size_least(SMALL_ROWS, keys - k), r = k > first ? k - first : 0;

		small_product(n, size, rows - r, p + r * keys + k, 1, keys, x + r * ldx, ldx, add,
			      c + k * ldc, ldc);
	}
}

/* ---- smooth functions of one value ---- */

enum { AHEAD = 512 };           /* floats: lines this far ahead are fetched, to be written */

/* ---- gelu: x Phi(x), and the form with tanh: x sigmoid(2 c (x + 0.044715 x^3)) ---- */

LANES_INLINE void gelu_erf(const lanes *x, lanes *y, lanes *slope)
{
	lanes share, density;

	lanes_normal(x, &share, &density);
	*slope = share + *x * density;
	*y = *x * share;
}

/* With s = sigmoid(2 u): y = x s, dy/dx = s + x s (1 - s) 2 u'. */
LANES_INLINE void gelu_tanh(const lanes *x, lanes *y, lanes *slope)
{
	const float c = 1.5957691216f;          /* 2 sqrt(2 / pi) */
	const lanes square = 0.044715f * *x * *x;
	lanes share = -c * (*x + *x * square);

	lanes_exp(&share);
	share = 1.0f / (1.0f + share);
	*slope = share + *x * share * (1.0f - share) * c * (1.0f + 3.0f * square);
	*y = *x * share;
}

/* ---- sigmoid, silu, tanh ---- */

LANES_INLINE void sigmoid_lanes(const lanes *x, lanes *y)
{
	lanes e = -*x;

	lanes_exp(&e);
	*y = 1.0f / (1.0f + e);
}

/*
 * 1 - 2 / (1 + exp(2 x)); for |x| < 1/4, where that cancels, x times a series in x^2, whose next
 * term is below 1e-8.
 */
LANES_INLINE void tanh_lanes(const lanes *x, lanes *y)
{
	const lanes v = *x, q = v * v, size = (lanes)((lanes_bits)v & 0x7fffffff);
	const lanes_bits small = size < 0.25f;
	lanes e = 2.0f * v, series = (lanes){ 0 } + 62.0f / 2835.0f;

	lanes_exp(&e);
	*y = 1.0f - 2.0f / (1.0f + e);
	series = series * q - 17.0f / 315.0f;
	series = series * q + 2.0f / 15.0f;
	series = series * q - 1.0f / 3.0f;
	series = v + v * q * series;
	lanes_choose(&small, &series, y);
}

/* *y, *slope <- the function of a kind of layer. */
LANES_INLINE void curve_lanes(enum layer_kind kind, int form, const lanes *x, lanes *y,
			      lanes *slope)
{
	lanes s;

	switch (kind) {
	case LAYER_TANH:
		tanh_lanes(x, y);
		*slope = 1.0f - *y * *y;
		break;
	case LAYER_SIGMOID:
		sigmoid_lanes(x, y);
		*slope = *y * (1.0f - *y);
		break;
	case LAYER_SILU:
		sigmoid_lanes(x, &s);
		*slope = s + *x * s * (1.0f - s);
		*y = *x * s;
		break;
	case LAYER_GELU:
		if (form == GELU_TANH)
			gelu_tanh(x, y, slope);
		else
			gelu_erf(x, y, slope);
		break;
	default:
		BUG("layers of kind %d are no functions of one value", (int)kind);
	}
}

static FUSED void curve_all(enum layer_kind kind, int form, size_t n, const float *x, float *y,
			    float *slope)
{
	lanes v, to, s;

	for (size_t k = 0; k < n; k += LANES, x += LANES, y += LANES, slope += LANES) {
		const size_t left = lanes_left(n, k);

		__builtin_prefetch(y + AHEAD, 1);
		__builtin_prefetch(slope + AHEAD, 1);
		lanes_load(left, x, 0.0f, &v);
		curve_lanes(kind, form, &v, &to, &s);
		lanes_store(left, &to, y);
		lanes_store(left, &s, slope);
	}
}

LANES_INLINE void curve_map(void (*curve)(const lanes *, lanes *), size_t n, const float *x,
			    float *y)
{
	lanes v, to;

	for (size_t k = 0; k < n; k += LANES) {
		const size_t left = lanes_left(n, k);

		lanes_load(left, x + k, 0.0f, &v);
		curve(&v, &to);
		lanes_store(left, &to, y + k);
	}
}

static FUSED void curve_sigmoid(size_t n, float *x)
{
	curve_map(sigmoid_lanes, n, x, x);
}

static FUSED void curve_tanh(size_t n, const float *x, float *y)
{
	curve_map(tanh_lanes, n, x, y);
}

/* ---- layer normalisation ---- */

LANES_INLINE float layernorm_sum(size_t n, const float *x)
{
	lanes s = { 0 }, v;

	for (size_t k = 0; k < n; k += LANES) {
		lanes_load(lanes_left(n, k), x + k, 0.0f, &v);
		s += v;
	}
	return lanes_sum(&s);
}

LANES_INLINE float layernorm_square(size_t n, const float *x, float mean)
{
	lanes s = { 0 }, v;

	for (size_t k = 0; k < n; k += LANES) {
		lanes_load(lanes_left(n, k), x + k, mean, &v);
		v -= mean;
		s += v * v;
	}
	return lanes_sum(&s);
}

/* beta NULL: none. */
LANES_INLINE void layernorm_row(size_t n, float mean, float r, const float *x, const float *gamma,
				const float *beta, float *y)
{
	lanes v, by, more;

	for (size_t k = 0; k < n; k += LANES) {
		const size_t left = lanes_left(n, k);

		lanes_load(left, x + k, 0.0f, &v);
		lanes_load(left, gamma + k, 0.0f, &by);
		v = (v - mean) * r * by;
		if (beta) {
			lanes_load(left, beta + k, 0.0f, &more);
			v += more;
		}
		lanes_store(left, &v, y + k);
	}
}

static TARGET void layernorm_rows(size_t rows, size_t n, float eps, const float *x,
				  const float *gamma, const float *beta, float *y, float *kept)
{
	for (size_t i = 0; i < rows; i++, x += n, y += n, kept += LAYERNORM_KEPT) {
		const float mean = layernorm_sum(n, x) / (float)n;
		const float r = 1.0f / sqrtf(layernorm_square(n, x, mean) / (float)n + eps);

		kept[0] = mean;
		kept[1] = r;
		layernorm_row(n, mean, r, x, gamma, beta, y);
	}
}

/*
 * With u = (x - mean) r and g = dy gamma: dx = r (g - mean of g - u mean of g u). dgamma += dy u,
 * dbeta += dy. dx NULL: none.
 */
LANES_INLINE void layernorm_row_back(size_t n, const float *x, const float *kept,
				       const float *gamma, const float *dy, bool add, float *dx)
{
	const float mean = kept[0], r = kept[1];
	lanes s = { 0 }, d = { 0 }, u, g, by;
	float sum, dot;

	for (size_t k = 0; k < n; k += LANES) {
		const size_t left = lanes_left(n, k);

		lanes_load(left, dy + k, 0.0f, &g);
		lanes_load(left, gamma + k, 0.0f, &by);
		lanes_load(left, x + k, mean, &u);
		g *= by;
		s += g;
		d += g * ((u - mean) * r);
	}
	sum = lanes_sum(&s) / (float)n;
	dot = lanes_sum(&d) / (float)n;
	for (size_t k = 0; k < n; k += LANES) {
		const size_t left = lanes_left(n, k);

		lanes_load(left, dy + k, 0.0f, &g);
		lanes_load(left, gamma + k, 0.0f, &by);
		lanes_load(left, x + k, mean, &u);
		g = r * (g * by - sum - (u - mean) * r * dot);
		if (add) {
			lanes_load(left, dx + k, 0.0f, &u);
			g = u + g;
		}
		lanes_store(left, &g, dx + k);
	}
}

static TARGET void layernorm_rows_back(size_t rows, size_t n, const float *x, const float *kept,
				       const float *gamma, const float *dy, bool add, float *dx)
{
	for (size_t i = 0; i < rows; i++)
		layernorm_row_back(n, x + i * n, kept + i * LAYERNORM_KEPT, gamma, dy + i * n, add,
				   dx + i * n);
}

enum { SCALES = 2 };            /* vectors of channels whose sums stay in registers */

static TARGET void layernorm_scales(size_t rows, size_t n, const float *x, const float *kept,
				    const float *dy, float *dgamma)
{
	size_t k = 0;

	for (; k + SCALES * LANES <= n; k += SCALES * LANES) {
		lanes s[SCALES];

		memcpy(s, dgamma + k, sizeof(s));
		for (size_t i = 0; i < rows; i++)
			for (size_t j = 0; j < SCALES; j++) {
				const size_t at = i * n + k + j * LANES;
				const float *row = kept + i * LAYERNORM_KEPT;
				const lanes u = *(const lanes_at *)(x + at) - row[0];

				s[j] += *(const lanes_at *)(dy + at) * (u * row[1]);
			}
		memcpy(dgamma + k, s, sizeof(s));
	}
	for (; k < n; k++)
		for (size_t i = 0; i < rows; i++)
			dgamma[k] += dy[i * n + k] * ((x[i * n + k] - kept[i * LAYERNORM_KEPT])
						      * kept[i * LAYERNORM_KEPT + 1]);
}

/* ---- softmax over many classes ---- */

enum { BLOCK = 1024 };                  /* floats that are added in float */

/* z[n] <- exp(z - most); returns their sum. */
static TARGET double softmax_exp(size_t n, float most, float *z)
{
	double sum = 0.0;

	for (size_t at = 0; at < n; at += BLOCK) {
		const size_t end = n - at < BLOCK ? n : at + BLOCK;
		lanes s = { 0 }, v;

		for (size_t k = at; k < end; k += LANES) {
			const size_t left = lanes_left(end, k);

			lanes_load(left, z + k, -1e30f, &v);
			v -= most;
			lanes_exp(&v);
			s += v;
			lanes_store(left, &v, z + k);
		}
		for (size_t j = 0; j < LANES; j++)
			sum += (double)s[j];
	}
	return sum;
}

static TARGET float softmax_most(size_t n, const float *z)
{
	return lanes_most(n, z);
}

#define TABLE { tile_softmax, tile_again, tile_dots, tile_products, tile_mix, tile_spread, \
		curve_all, curve_sigmoid, curve_tanh, layernorm_rows, layernorm_rows_back, \
		layernorm_scales, softmax_exp, softmax_most }
