/*
 * loops.h - struct wino_table's functions, for one type of storage.
 *
 * The includer defines: LANES (see vec.h); ELEM; LOAD(p, v) and STORE(p, v) of a vector; STEP
 * (elements that one multiply-add takes from either factor: 1, or 2 for bf16); ADD_PRODUCT(sum, p,
 * b): *sum += (the STEP elements at p) * *b, a vector of LANES STEP elements in STEP-tuples;
 * PAIR(p, v): a row of such tuples <- v[0 .. STEP - 1]; and square_turn(), of SQUARE rows.
 */

/*
 * Vectors that a product over channels, and one over tiles, sums at once in registers, of which
 * AVX-512 has 32, the others 16; outputs of a product at most.
 */
enum {
	SUMS = LANES == 16 ? 24 : 12, FOLDS = LANES == 16 ? 16 : 8, PANEL = LANES == 16 ? 64 : 16
};

#define HIDDEN static inline TARGET INLINE

/* ---- the transforms of one vector of channels ---- */

/* v <- B' d B, d and v [4][4] */
HIDDEN void tile_in(const vec *d, vec *v)
{
	vec t[WINO_AT];

	for (int i = 0; i < 4; i++) {
		t[i] = d[i] - d[8 + i];
		t[4 + i] = d[4 + i] + d[8 + i];
		t[8 + i] = d[8 + i] - d[4 + i];
		t[12 + i] = d[4 + i] - d[12 + i];
	}
	for (int i = 0; i < WINO_AT; i += 4) {
		v[i] = t[i] - t[i + 2];
		v[i + 1] = t[i + 1] + t[i + 2];
		v[i + 2] = t[i + 2] - t[i + 1];
		v[i + 3] = t[i + 1] - t[i + 3];
	}
}

/* y[2][2] <- A' m A */
HIDDEN void tile_out(const vec *m, vec *y)
{
	vec t[8];

	for (int i = 0; i < 4; i++) {
		t[i] = m[i] + m[4 + i] + m[8 + i];
		t[4 + i] = m[4 + i] - m[8 + i] - m[12 + i];
	}
	for (int i = 0; i < 2; i++) {
		y[2 * i] = t[4 * i] + t[4 * i + 1] + t[4 * i + 2];
		y[2 * i + 1] = t[4 * i + 1] - t[4 * i + 2] - t[4 * i + 3];
	}
}

/* v[4][4] <- A dy A' */
HIDDEN void tile_spread(const vec *dy, vec *v)
{
	vec t[8];

	for (int i = 0; i < 2; i++) {
		t[i] = dy[i];
		t[2 + i] = dy[i] + dy[2 + i];
		t[4 + i] = dy[i] - dy[2 + i];
		t[6 + i] = -dy[2 + i];
	}
	for (int i = 0; i < 4; i++) {
		v[4 * i] = t[2 * i];
		v[4 * i + 1] = t[2 * i] + t[2 * i + 1];
		v[4 * i + 2] = t[2 * i] - t[2 * i + 1];
		v[4 * i + 3] = -t[2 * i + 1];
	}
}

/* u[4][4] <- G g G', g[3][3] */
HIDDEN void tile_weights(const vec *g, vec *u)
{
	vec t[12];

	for (int i = 0; i < 3; i++) {
		t[i] = g[i];
		t[3 + i] = (g[i] + g[3 + i] + g[6 + i]) * 0.5f;
		t[6 + i] = (g[i] - g[3 + i] + g[6 + i]) * 0.5f;
		t[9 + i] = g[6 + i];
	}
	for (int i = 0; i < 4; i++) {
		u[4 * i] = t[3 * i];
		u[4 * i + 1] = (t[3 * i] + t[3 * i + 1] + t[3 * i + 2]) * 0.5f;
		u[4 * i + 2] = (t[3 * i] - t[3 * i + 1] + t[3 * i + 2]) * 0.5f;
		u[4 * i + 3] = t[3 * i + 2];
	}
}

/* g[3][3] <- G' u G */
HIDDEN void tile_fold(const vec *u, vec *g)
{
	vec t[12];

	for (int i = 0; i < 4; i++) {
		vec sum = (u[4 + i] + u[8 + i]) * 0.5f, off = (u[4 + i] - u[8 + i]) * 0.5f;

		t[i] = u[i] + sum;
		t[4 + i] = off;
		t[8 + i] = sum + u[12 + i];
	}
	for (int i = 0; i < 3; i++) {
		vec sum = (t[4 * i + 1] + t[4 * i + 2]) * 0.5f;

		g[3 * i] = t[4 * i] + sum;
		g[3 * i + 1] = (t[4 * i + 1] - t[4 * i + 2]) * 0.5f;
		g[3 * i + 2] = sum + t[4 * i + 3];
	}
}

/* ---- positions of tiles ---- */

/* Position of tile number t: its image, and the line and column of its first output. */
struct spot {
	size_t image, y, x;
};

HIDDEN struct spot spot_of(const struct wino *z, size_t t)
{
	const size_t across = (z->w + 1) / 2, down = (z->h + 1) / 2;

	return (struct spot){ t / (across * down), t / across % down * 2, t % across * 2 };
}

/* px[side][side] <- pointers to the pixels from line y, column x on; NULL outside the image. */
HIDDEN void pixels_at(const struct wino *z, const ELEM *x, size_t apart, const struct spot *s,
		      size_t before, int side, const ELEM **px)
{
	for (int i = 0; i < side; i++)
		for (int j = 0; j < side; j++) {
			/* Left of and above 0, the subtraction wraps round to large numbers. */
			const size_t line = s->y + (size_t)i - before;
			const size_t col = s->x + (size_t)j - before;

			px[side * i + j] = line < z->h && col < z->w
				? x + ((s->image * z->h + line) * z->w + col) * apart : NULL;
		}
}

HIDDEN void load_pixels(const ELEM *const *px, int n, size_t c, vec *d)
{
	for (int i = 0; i < n; i++)
		if (px[i])
			LOAD(px[i] + c, &d[i]);
		else
			d[i] = (vec){ 0 };
}

/* v[16][tiles][in] <- transformed inputs of a group of tiles, in rows of `in` elements. */
static TARGET void inputs(const struct wino *z, const ELEM *x, size_t first, size_t tiles,
			  size_t apart, ELEM *v)
{
	for (size_t t = 0; t < tiles; t++) {
		const struct spot s = spot_of(z, first + t);
		const ELEM *px[WINO_AT];
		vec d[WINO_AT], o[WINO_AT];

		pixels_at(z, x, z->in_apart, &s, 1, 4, px);
		for (size_t c = 0; c < z->in; c += LANES) {
			load_pixels(px, WINO_AT, c, d);
			tile_in(d, o);
			for (size_t p = 0; p < WINO_AT; p++)
				STORE(v + p * apart + t * z->in + c, &o[p]);
		}
	}
}

/* ---- products ---- */

/* c[r][LANES w] = a[r][depth] b[depth][LANES w], b in STEP-tuples of rows */
HIDDEN void product(int r, int w, size_t depth, const ELEM *a, size_t a_apart, const ELEM *b,
		    float *c)
{
	vec sum[SUMS], row[4];

	for (int i = 0; i < r * w; i++)
		sum[i] = (vec){ 0 };
	for (size_t k = 0; k < depth; k += STEP, b += w * LANES * STEP) {
		for (int j = 0; j < w; j++)
			row[j] = *(const uvec *)(b + j * LANES * STEP);
		for (int i = 0; i < r; i++)
			for (int j = 0; j < w; j++)
				ADD_PRODUCT(&sum[i * w + j], a + (size_t)i * a_apart + k, &row[j]);
	}
	for (int i = 0; i < r; i++)
		for (int j = 0; j < w; j++)
			*(uvec *)(c + (i * w + j) * LANES) = sum[i * w + j];
}

static TARGET void rows_by_4(size_t rows, size_t depth, const ELEM *a, const ELEM *b, float *c)
{
	for (size_t i = 0; i < rows; i += SUMS / 4)
		product(SUMS / 4, 4, depth, a + i * depth, depth, b, c + i * 4 * LANES);
}

static TARGET void rows_by_2(size_t rows, size_t depth, const ELEM *a, const ELEM *b, float *c)
{
	for (size_t i = 0; i < rows; i += SUMS / 2)
		product(SUMS / 2, 2, depth, a + i * depth, depth, b, c + i * 2 * LANES);
}

static TARGET void rows_by_1(size_t rows, size_t depth, const ELEM *a, const ELEM *b, float *c)
{
	for (size_t i = 0; i < rows; i += SUMS)
		product(SUMS, 1, depth, a + i * depth, depth, b, c + i * LANES);
}

/* Vectors in the panel of outputs that begins at k, of n outputs in all. */
HIDDEN size_t panel(size_t n, size_t k)
{
	const size_t left = (n - k < PANEL ? n - k : PANEL) / LANES;

	return left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

struct finish {
	const float *bias;
	bool add, relu;
};

/* y <- the outputs [k, k + LANES w) of the group's tiles, m[16][tiles][LANES w] */
static TARGET void outputs(const struct wino *z, const float *m, size_t first, size_t tiles,
			   size_t apart, size_t k, size_t w, struct finish f, ELEM *y)
{
	for (size_t t = 0; t < tiles; t++) {
		const struct spot s = spot_of(z, first + t);
		const ELEM *px[4];
		vec d[WINO_AT], o[4], u;

		pixels_at(z, y, z->out_apart, &s, 0, 2, px);
		for (size_t j = 0; j < w; j++) {
			for (size_t p = 0; p < WINO_AT; p++)
				d[p] = *(const uvec *)(m + p * apart + (t * w + j) * LANES);
			tile_out(d, o);
			for (int i = 0; i < 4; i++) {
				ELEM *to = px[i] ? y + (px[i] - y) + k + j * LANES : NULL;

				if (!to)
					continue;
				if (f.bias)
					o[i] += *(const uvec *)(f.bias + k + j * LANES);
				if (f.add) {
					LOAD(to, &u);
					o[i] += u;
				}
				if (f.relu)
					o[i] = (vec)((ivec)o[i] & ~(o[i] <= 0));
				STORE(to, &o[i]);
			}
		}
	}
}

static TARGET void convolve(const struct wino *z, const void *x, const void *u, const float *bias,
			    bool add, bool relu, void *work, void *y)
{
	const size_t group = wino_group(z), all = wino_tiles(z);
	const size_t v_apart = wino_apart(group, z->in), m_apart = wino_apart(group, 64);
	ELEM *v = work;
	float *m = (float *)(void *)(v + WINO_AT * v_apart);

	for (size_t first = 0; first < all; first += group) {
		const size_t tiles = all - first < group ? all - first : group;

		inputs(z, x, first, tiles, v_apart, v);
		for (size_t k = 0, w; k < z->out; k += w * LANES) {
			w = panel(z->out, k);
			for (size_t p = 0; p < WINO_AT; p++) {
				const ELEM *b = (const ELEM *)u + (p * z->out + k) * z->in;

				(w == 4 ? rows_by_4 : w == 2 ? rows_by_2 : rows_by_1)
					(tiles, z->in, v + p * v_apart, b, m + p * m_apart);
			}
			outputs(z, m, first, tiles, m_apart, k, w,
				(struct finish){ bias, add, relu }, y);
		}
	}
}

/* ---- weights ---- */

/* g[9] <- a vector of input channels, for all taps of w[3][3][in] */
HIDDEN void load_taps(const float *w, size_t in, vec *g)
{
	for (size_t i = 0; i < 9; i++)
		g[i] = *(const uvec *)(w + i * in);
}

/*
 * A square of outputs and input channels at a time: at each position it is transposed, so that all
 * writes are of whole cache lines. A float, or a tuple of bf16, is 4 bytes.
 */
static TARGET void weights(size_t in, size_t out, const float *w, void *to)
{
	_Alignas(64) ELEM rows[WINO_AT][SQUARE][LANES];         /* [position][output][channel] */
	ELEM *u = to;

	for (size_t k = 0, wide; k < out; k += wide * LANES) {
		wide = panel(out, k);
		for (size_t o = k; o < k + wide * LANES; o += SQUARE)
			for (size_t c = 0; c < in; c += LANES) {
				for (size_t i = 0; i < SQUARE; i++) {
					vec g[9], v[WINO_AT];

					load_taps(w + (o + i) * 9 * in + c, in, g);
					tile_weights(g, v);
					for (size_t p = 0; p < WINO_AT; p++)
						STORE(rows[p][i], &v[p]);
				}
				for (size_t p = 0; p < WINO_AT; p++)
					square_turn(LANES / STEP, (const void *)rows[p],
						    LANES / STEP,
						    (void *)(u + (p * out + k) * in
							     + c * wide * LANES + (o - k) * STEP),
						    wide * LANES);
			}
	}
}

static TARGET void weights_back(size_t in, size_t out, const float *w, void *to)
{
	static const size_t turned[] = { 3, 1, 2, 0 };
	ELEM *u = to;

	for (size_t k = 0, wide; k < in; k += wide * LANES) {
		wide = panel(in, k);
		for (size_t o = 0; o < out; o += STEP)
			for (size_t c = 0; c < wide * LANES; c += LANES) {
				vec g[9], v[STEP][WINO_AT], pair[STEP];

				for (size_t i = 0; i < STEP; i++) {
					load_taps(w + (o + i) * 9 * in + k + c, in, g);
					tile_weights(g, v[i]);
				}
				for (size_t p = 0; p < WINO_AT; p++) {
					const size_t q = 4 * turned[p / 4] + turned[p % 4];

					for (size_t i = 0; i < STEP; i++)
						pair[i] = v[i][q];
					PAIR(u + (p * in + k) * out + o * wide * LANES + c * STEP,
					     pair);
				}
			}
	}
}

/* ---- the gradient of the weights: products over tiles ---- */

/* to[16][tiles][c], in STEP-tuples of tiles <- x in tiles of side 4, or dy in ones of 2 */
HIDDEN void tuples(const struct wino *z, const ELEM *x, size_t c_apart, size_t n, bool grad,
		   size_t first, size_t tiles, size_t apart, ELEM *to)
{
	for (size_t t = 0; t < tiles; t += STEP) {
		const ELEM *px[STEP][WINO_AT] = { { NULL } };

		for (size_t i = 0; i < STEP && t + i < tiles; i++) {
			const struct spot s = spot_of(z, first + t + i);

			pixels_at(z, x, c_apart, &s, grad ? 0 : 1, grad ? 2 : 4, px[i]);
		}
		for (size_t c = 0; c < n; c += LANES) {
			vec d[WINO_AT], v[STEP][WINO_AT], pair[STEP];

			for (size_t i = 0; i < STEP; i++) {
				load_pixels(px[i], grad ? 4 : WINO_AT, c, d);
				if (grad)
					tile_spread(d, v[i]);
				else
					tile_in(d, v[i]);
			}
			for (size_t p = 0; p < WINO_AT; p++) {
				for (size_t i = 0; i < STEP; i++)
					pair[i] = v[i][p];
				PAIR(to + p * apart + t * n + c * STEP, pair);
			}
		}
	}
}

static TARGET void tuples_in(const struct wino *z, const ELEM *x, size_t first, size_t tiles,
			     size_t apart, ELEM *to)
{
	tuples(z, x, z->in_apart, z->in, false, first, tiles, apart, to);
}

static TARGET void tuples_grad(const struct wino *z, const ELEM *dy, size_t first, size_t tiles,
			       size_t apart, ELEM *to)
{
	tuples(z, dy, z->out_apart, z->out, true, first, tiles, apart, to);
}

/* sum[r][in] <- (or +=) a' b over tiles, LANES w columns of it; a[tiles][out], b[tiles][in] */
HIDDEN void outer(int r, int w, size_t tiles, const ELEM *a, size_t out, const ELEM *b, size_t in,
		  bool begun, float *to)
{
	vec sum[FOLDS] = { { 0 } }, row[4];

	for (int i = 0; begun && i < r; i++)
		for (int j = 0; j < w; j++)
			sum[i * w + j] = *(const uvec *)(to + (size_t)i * in + j * LANES);
	for (size_t t = 0; t < tiles; t += STEP, a += out * STEP, b += in * STEP) {
		for (int j = 0; j < w; j++)
			row[j] = *(const uvec *)(b + j * LANES * STEP);
		for (int i = 0; i < r; i++)
			for (int j = 0; j < w; j++)
				ADD_PRODUCT(&sum[i * w + j], a + i * STEP, &row[j]);
	}
	for (int i = 0; i < r; i++)
		for (int j = 0; j < w; j++)
			*(uvec *)(to + (size_t)i * in + j * LANES) = sum[i * w + j];
}

static TARGET void outers(const struct wino *z, size_t tiles, const ELEM *a, const ELEM *b,
			  bool begun, float *to)
{
	for (size_t k = 0, w; k < z->in; k += w * LANES) {
		const ELEM *from = b + k * STEP;

		w = panel(z->in, k);
		for (size_t o = 0; o < z->out; o += FOLDS / w) {
			const ELEM *at = a + o * STEP;
			float *sum = to + o * z->in + k;

			if (w == 4)
				outer(FOLDS / 4, 4, tiles, at, z->out, from, z->in, begun, sum);
			else if (w == 2)
				outer(FOLDS / 2, 2, tiles, at, z->out, from, z->in, begun, sum);
			else
				outer(FOLDS, 1, tiles, at, z->out, from, z->in, begun, sum);
		}
	}
}

/* dw <- G' du G, du[16][out][in] */
static TARGET void fold(const struct wino *z, const float *du, size_t apart, float *dw)
{
	for (size_t o = 0; o < z->out; o++)
		for (size_t c = 0; c < z->in; c += LANES) {
			vec u[WINO_AT], g[9];

			for (size_t p = 0; p < WINO_AT; p++)
				u[p] = *(const uvec *)(du + p * apart + o * z->in + c);
			tile_fold(u, g);
			for (size_t i = 0; i < 9; i++)
				*(uvec *)(dw + (o * 9 + i) * z->in + c) = g[i];
		}
}

static TARGET void gradient(const struct wino *z, const void *x, const void *dy, void *work,
			    float *dw)
{
	const size_t group = wino_gradient_group(z, sizeof(ELEM)), all = wino_tiles(z);
	const size_t a_apart = wino_apart(group, z->out), b_apart = wino_apart(group, z->in);
	const size_t apart = wino_apart(z->out, z->in);
	float *du = work;
	ELEM *a = (ELEM *)(void *)(du + WINO_AT * apart), *b = a + WINO_AT * a_apart;

	for (size_t first = 0; first < all; first += group) {
		const size_t tiles = all - first < group ? all - first : group;

		tuples_grad(z, dy, first, tiles, a_apart, a);
		tuples_in(z, x, first, tiles, b_apart, b);
		for (size_t p = 0; p < WINO_AT; p++)
			outers(z, tiles, a + p * a_apart, b + p * b_apart, first > 0,
			       du + p * apart);
	}
	fold(z, du, apart, dw);
}
