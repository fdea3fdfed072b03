/*
 * loops.h - the loops of simd.h, for one width of registers and one storage type.
 *
 * Included twice by the file of each width, hence no include guard. The includer defines LANES (see
 * vec.h), and before each: HALF (0: on f32; 1: on bf16), TARGET (a function attribute), ROOT(v, r):
 * *r <- sqrt(*v), and STORE_HALF(p, v): bf16 at p <- a vector *v. Up to BLOCK adjacent vectors are
 * processed together, so that whole cache lines are used at once, and some rows for all channels
 * before the next rows, so that memory is read about in its order.
 */

#if HALF
#define NAME(f) f##_bf16
#define ELEM uint16_t
#define GET bf16_get
#define PUT bf16_put
#define LOAD LOAD_BF16
#define STORE STORE_HALF
#else
#define NAME(f) f##_f32
#define ELEM float
#define GET(p) (*(p))
#define PUT(p, f) (*(p) = (f))
#define LOAD LOAD_F32
#define STORE STORE_F32
#endif

/* relu(v); NaN stays NaN. */
#define POSITIVE(v) ((vec)((ivec)(v) & ~((v) <= 0)))
#define HIDDEN static inline TARGET INLINE

/* How many of the rows left are processed for all c channels before the next ones. */
HIDDEN size_t NAME(group)(size_t left, size_t c)
{
	const size_t some = c < GROUP / 8 ? GROUP / c : 8;

	return left < some ? left : some;
}

HIDDEN void NAME(flush)(const vec *s, double *sum)
{
	for (int i = 0; i < LANES; i++)
		sum[i] += (double)(*s)[i];
}

/* measure() on w vectors of channels of at most ROWS rows. */
HIDDEN void NAME(measure_block)(int w, size_t rows, size_t c, const ELEM *x, const float *pivot,
				double *sum, double *square)
{
	vec s[BLOCK] = { { 0 } }, q[BLOCK] = { { 0 } }, p[BLOCK], u;

	for (int j = 0; j < w; j++)
		p[j] = *(const uvec *)(pivot + j * LANES);
	for (size_t i = 0; i < rows * c; i += c)
		for (int j = 0; j < w; j++) {
			LOAD(x + i + j * LANES, &u);
			u -= p[j];
			s[j] += u;
			q[j] += u * u;
		}
	for (int j = 0; j < w; j++) {
		NAME(flush)(&s[j], sum + j * LANES);
		NAME(flush)(&q[j], square + j * LANES);
	}
}

static TARGET void NAME(measure)(size_t rows, size_t c, const void *in, const float *pivot,
				 double *sum, double *square)
{
	const ELEM *x = in;
	const size_t whole = c - c % WIDEST;

	for (size_t i = 0; i < rows; i += ROWS) {
		const size_t n = rows - i < ROWS ? rows - i : ROWS;
		const ELEM *at = x + i * c;
		size_t k = 0;

		for (; k + 4 * LANES <= whole; k += 4 * LANES)
			NAME(measure_block)(4, n, c, at + k, pivot + k, sum + k, square + k);
		for (; k + 2 * LANES <= whole; k += 2 * LANES)
			NAME(measure_block)(2, n, c, at + k, pivot + k, sum + k, square + k);
		for (; k + LANES <= whole; k += LANES)
			NAME(measure_block)(1, n, c, at + k, pivot + k, sum + k, square + k);
	}
	for (size_t k = whole; k < c; k++)
		for (size_t i = k; i < rows * c; i += c) {
			double d = (double)(GET(x + i) - pivot[k]);

			sum[k] += d;
			square[k] += d * d;
		}
}

HIDDEN void NAME(normalise_block)(int w, size_t rows, size_t c, const ELEM *x, const float *coef,
				  const ELEM *r, bool residual, bool relu, ELEM *y)
{
	vec mean[BLOCK], mul[BLOCK], add[BLOCK], v, u;

	for (int j = 0; j < w; j++) {
		mean[j] = *(const uvec *)(coef + j * LANES);
		mul[j] = *(const uvec *)(coef + c + j * LANES);
		add[j] = *(const uvec *)(coef + 2 * c + j * LANES);
	}
	for (size_t i = 0; i < rows * c; i += c)
		for (int j = 0; j < w; j++) {
			LOAD(x + i + j * LANES, &v);
			v = (v - mean[j]) * mul[j] + add[j];
			if (residual) {
				LOAD(r + i + j * LANES, &u);
				v += u;
			}
			v = relu ? POSITIVE(v) : v;
			STORE(y + i + j * LANES, &v);
		}
}

HIDDEN void NAME(normalise_as)(size_t rows, size_t c, const ELEM *x, const float *coef,
			       const ELEM *r, bool residual, bool relu, ELEM *y)
{
	const ELEM *from = residual ? r : x;

	for (size_t n, k; rows; rows -= n, x += n * c, from += n * c, y += n * c) {
		n = NAME(group)(rows, c);
		for (k = 0; k + 4 * LANES <= c; k += 4 * LANES)
			NAME(normalise_block)(4, n, c, x + k, coef + k, from + k, residual, relu,
					      y + k);
		for (; k + 2 * LANES <= c; k += 2 * LANES)
			NAME(normalise_block)(2, n, c, x + k, coef + k, from + k, residual, relu,
					      y + k);
		for (; k + LANES <= c; k += LANES)
			NAME(normalise_block)(1, n, c, x + k, coef + k, from + k, residual, relu,
					      y + k);
	}
}

static TARGET void NAME(normalise)(size_t rows, size_t c, const void *in, const float *coef,
				   const void *residual, bool relu, void *out)
{
	const ELEM *x = in, *r = residual;
	ELEM *y = out;

	if (r && relu)
		NAME(normalise_as)(rows, c, x, coef, r, true, true, y);
	else if (r)
		NAME(normalise_as)(rows, c, x, coef, r, true, false, y);
	else if (relu)
		NAME(normalise_as)(rows, c, x, coef, r, false, true, y);
	else
		NAME(normalise_as)(rows, c, x, coef, r, false, false, y);
	for (size_t k = c - c % LANES; k < c; k++)
		for (size_t i = k; i < rows * c; i += c) {
			float v = (GET(x + i) - coef[k]) * coef[c + k] + coef[2 * c + k];

			v += r ? GET(r + i) : 0;
			PUT(y + i, relu && v <= 0 ? 0 : v);
		}
}

/* Processes one vector of gather() and mask(). */
HIDDEN void NAME(pass_back)(const ELEM *y, const ELEM *extra, bool relu, bool more, float scale,
			    ELEM *dy, vec *d)
{
	vec u;

	LOAD(dy, d);
	if (more) {
		LOAD(extra, &u);
		*d += u;
	}
	if (relu) {
		LOAD(y, &u);
		*d = (vec)((ivec)(*d * scale) & ~(u <= 0));
	}
	if (relu || more)
		STORE(dy, d);
}

/* gather() on w vectors of channels of at most ROWS rows. */
HIDDEN void NAME(gather_block)(int w, size_t rows, size_t c, const ELEM *x, const float *mean,
			       const ELEM *y, const ELEM *extra, bool relu, bool more,
			       float scale, ELEM *dy, double *sum, double *dot)
{
	vec s[BLOCK] = { { 0 } }, q[BLOCK] = { { 0 } }, m[BLOCK], d, u;

	for (int j = 0; j < w; j++)
		m[j] = *(const uvec *)(mean + j * LANES);
	for (size_t i = 0; i < rows * c; i += c)
		for (int j = 0; j < w; j++) {
			const size_t at = i + (size_t)j * LANES;

			NAME(pass_back)(y + at, extra + at, relu, more, scale, dy + at, &d);
			LOAD(x + at, &u);
			s[j] += d;
			q[j] += d * (u - m[j]);
		}
	for (int j = 0; j < w; j++) {
		NAME(flush)(&s[j], sum + j * LANES);
		NAME(flush)(&q[j], dot + j * LANES);
	}
}

HIDDEN void NAME(gather_as)(size_t rows, size_t c, const ELEM *x, const float *mean,
			    const ELEM *y, const ELEM *extra, bool relu, bool more, float scale,
			    ELEM *dy, double *sum, double *dot)
{
	const size_t whole = c - c % WIDEST;
	const ELEM *ys = relu ? y : x, *es = more ? extra : x;

	for (size_t n, k; rows; rows -= n, x += n * c, ys += n * c, es += n * c, dy += n * c) {
		n = rows < ROWS ? rows : ROWS;
		for (k = 0; k + 4 * LANES <= whole; k += 4 * LANES)
			NAME(gather_block)(4, n, c, x + k, mean + k, ys + k, es + k, relu, more,
					   scale, dy + k, sum + k, dot + k);
		for (; k + 2 * LANES <= whole; k += 2 * LANES)
			NAME(gather_block)(2, n, c, x + k, mean + k, ys + k, es + k, relu, more,
					   scale, dy + k, sum + k, dot + k);
		for (; k + LANES <= whole; k += LANES)
			NAME(gather_block)(1, n, c, x + k, mean + k, ys + k, es + k, relu, more,
					   scale, dy + k, sum + k, dot + k);
	}
}

/* Processes one element of gather() and mask(); returns the new dy. */
HIDDEN float NAME(pass_back1)(const ELEM *y, const ELEM *extra, float scale, ELEM *dy)
{
	float d = GET(dy) + (extra ? GET(extra) : 0);

	if (y)
		d = GET(y) <= 0 ? 0 : d * scale;
	PUT(dy, d);
	return d;
}

static TARGET void NAME(gather)(size_t rows, size_t c, const void *in, const float *mean,
				const void *out, const void *more, float scale, void *grad,
				double *sum, double *dot)
{
	const ELEM *x = in, *y = out, *extra = more;
	ELEM *dy = grad;

	if (y && extra)
		NAME(gather_as)(rows, c, x, mean, y, extra, true, true, scale, dy, sum, dot);
	else if (y)
		NAME(gather_as)(rows, c, x, mean, y, extra, true, false, scale, dy, sum, dot);
	else if (extra)
		NAME(gather_as)(rows, c, x, mean, y, extra, false, true, scale, dy, sum, dot);
	else
		NAME(gather_as)(rows, c, x, mean, y, extra, false, false, scale, dy, sum, dot);
	for (size_t k = c - c % WIDEST; k < c; k++)
		for (size_t i = k; i < rows * c; i += c) {
			float d = NAME(pass_back1)(y ? y + i : NULL, extra ? extra + i : NULL,
						   scale, dy + i);

			sum[k] += (double)d;
			dot[k] += (double)(d * (GET(x + i) - mean[k]));
		}
}

HIDDEN void NAME(spread_block)(int w, size_t rows, size_t c, const ELEM *x, const float *coef,
			       const ELEM *dy, bool add, ELEM *dx)
{
	vec mean[BLOCK], a[BLOCK], b[BLOCK], o[BLOCK], u, v;

	for (int j = 0; j < w; j++) {
		mean[j] = *(const uvec *)(coef + j * LANES);
		a[j] = *(const uvec *)(coef + c + j * LANES);
		b[j] = *(const uvec *)(coef + 2 * c + j * LANES);
		o[j] = *(const uvec *)(coef + 3 * c + j * LANES);
	}
	for (size_t i = 0; i < rows * c; i += c)
		for (int j = 0; j < w; j++) {
			LOAD(dy + i + j * LANES, &v);
			LOAD(x + i + j * LANES, &u);
			v = v * a[j] + ((u - mean[j]) * b[j] + o[j]);
			if (add) {
				LOAD(dx + i + j * LANES, &u);
				v += u;
			}
			STORE(dx + i + j * LANES, &v);
		}
}

HIDDEN void NAME(spread_as)(size_t rows, size_t c, const ELEM *x, const float *coef,
			    const ELEM *dy, bool add, ELEM *dx)
{
	for (size_t n, k; rows; rows -= n, x += n * c, dy += n * c, dx += n * c) {
		n = NAME(group)(rows, c);
		for (k = 0; k + 4 * LANES <= c; k += 4 * LANES)
			NAME(spread_block)(4, n, c, x + k, coef + k, dy + k, add, dx + k);
		for (; k + 2 * LANES <= c; k += 2 * LANES)
			NAME(spread_block)(2, n, c, x + k, coef + k, dy + k, add, dx + k);
		for (; k + LANES <= c; k += LANES)
			NAME(spread_block)(1, n, c, x + k, coef + k, dy + k, add, dx + k);
	}
}

static TARGET void NAME(spread)(size_t rows, size_t c, const void *in, const float *coef,
				const void *grad, bool add, void *out)
{
	const ELEM *x = in, *dy = grad;
	ELEM *dx = out;

	if (add)
		NAME(spread_as)(rows, c, x, coef, dy, true, dx);
	else
		NAME(spread_as)(rows, c, x, coef, dy, false, dx);
	for (size_t k = c - c % LANES; k < c; k++)
		for (size_t i = k; i < rows * c; i += c) {
			float v = (GET(x + i) - coef[k]) * coef[2 * c + k];

			v = GET(dy + i) * coef[c + k] + (v + coef[3 * c + k]);
			PUT(dx + i, add ? GET(dx + i) + v : v);
		}
}

/* ---- loops without batch normalisation ---- */

static TARGET void NAME(join)(size_t n, const void *in, const void *other, bool relu, void *out)
{
	const ELEM *x = in, *r = other;
	ELEM *y = out;
	size_t i = 0;
	vec v, u;

	for (; i + LANES <= n; i += LANES) {
		LOAD(x + i, &v);
		if (r) {
			LOAD(r + i, &u);
			v += u;
		}
		v = relu ? POSITIVE(v) : v;
		STORE(y + i, &v);
	}
	for (; i < n; i++) {
		float s = GET(x + i) + (r ? GET(r + i) : 0);

		PUT(y + i, relu && s <= 0 ? 0 : s);
	}
}

HIDDEN void NAME(mask_as)(size_t n, const ELEM *y, const ELEM *extra, bool relu, bool more,
			  float scale, ELEM *dy)
{
	vec d;

	for (size_t i = 0; i + LANES <= n; i += LANES)
		NAME(pass_back)(relu ? y + i : dy, more ? extra + i : dy, relu, more, scale,
				dy + i, &d);
}

static TARGET void NAME(mask)(size_t n, const void *out, const void *more, float scale,
			      void *grad)
{
	const ELEM *y = out, *extra = more;
	ELEM *dy = grad;

	if (y && extra)
		NAME(mask_as)(n, y, extra, true, true, scale, dy);
	else if (y)
		NAME(mask_as)(n, y, extra, true, false, scale, dy);
	else if (extra)
		NAME(mask_as)(n, y, extra, false, true, scale, dy);
	for (size_t i = n - n % LANES; i < n; i++)
		NAME(pass_back1)(y ? y + i : NULL, extra ? extra + i : NULL, scale, dy + i);
}

static TARGET void NAME(times)(size_t n, const void *in, const float *m, bool add, void *out)
{
	const ELEM *x = in;
	ELEM *y = out;
	size_t i = 0;
	vec v, u;

	for (; i + LANES <= n; i += LANES) {
		LOAD(x + i, &v);
		v *= *(const uvec *)(m + i);
		if (add) {
			LOAD(y + i, &u);
			v += u;
		}
		STORE(y + i, &v);
	}
	for (; i < n; i++) {
		float s = GET(x + i) * m[i];

		PUT(y + i, add ? GET(y + i) + s : s);
	}
}

HIDDEN void NAME(add)(size_t n, const ELEM *x, ELEM *y)
{
	size_t i = 0;
	vec v, u;

	for (; i + LANES <= n; i += LANES) {
		LOAD(x + i, &v);
		LOAD(y + i, &u);
		v += u;
		STORE(y + i, &v);
	}
	for (; i < n; i++)
		PUT(y + i, GET(x + i) + GET(y + i));
}

static TARGET void NAME(copy)(size_t rows, size_t n, const void *in, size_t x_apart, bool add,
			      void *out, size_t y_apart)
{
	const ELEM *x = in;
	ELEM *y = out;

	for (; rows; rows--, x += x_apart, y += y_apart)
		if (add)
			NAME(add)(n, x, y);
		else
			memcpy(y, x, n * sizeof(*y));
}

static TARGET void NAME(mean)(size_t rows, size_t c, const void *in, void *out)
{
	const ELEM *x = in;
	ELEM *y = out;
	size_t k = 0;

	for (; k + LANES <= c; k += LANES) {
		vec s = { 0 }, v;

		for (size_t i = k; i < rows * c; i += c) {
			LOAD(x + i, &v);
			s += v;
		}
		s /= (float)rows;
		STORE(y + k, &s);
	}
	for (; k < c; k++) {
		float s = 0;

		for (size_t i = k; i < rows * c; i += c)
			s += GET(x + i);
		PUT(y + k, s / (float)rows);
	}
}

static TARGET void NAME(unmean)(size_t rows, size_t c, const void *in, bool add, void *out)
{
	const ELEM *dy = in;
	ELEM *dx = out;
	size_t k = 0;

	for (; k + LANES <= c; k += LANES) {
		vec d, v, u;

		LOAD(dy + k, &d);
		d /= (float)rows;
		for (size_t i = k; i < rows * c; i += c) {
			v = d;
			if (add) {
				LOAD(dx + i, &u);
				v += u;
			}
			STORE(dx + i, &v);
		}
	}
	for (; k < c; k++)
		for (size_t i = k; i < rows * c; i += c)
			PUT(dx + i, GET(dy + k) / (float)rows
					  + (add ? GET(dx + i) : 0));
}

static TARGET void NAME(sums)(size_t rows, size_t n, const void *in, size_t apart, float *sum)
{
	const ELEM *x = in;
	size_t k = 0;

	for (; k + LANES <= n; k += LANES) {
		vec s = { 0 }, v;

		for (size_t r = 0; r < rows; r++) {
			LOAD(x + r * apart + k, &v);
			s += v;
		}
		*(uvec *)(sum + k) = s;
	}
	for (; k < n; k++) {
		sum[k] = 0;
		for (size_t r = 0; r < rows; r++)
			sum[k] += GET(x + r * apart + k);
	}
}

static TARGET void NAME(narrow)(size_t n, const float *x, void *out)
{
	ELEM *y = out;
	size_t i = 0;

	for (; i + LANES <= n; i += LANES) {
		vec v = *(const uvec *)(x + i);

		STORE(y + i, &v);
	}
	for (; i < n; i++)
		PUT(y + i, x[i]);
}

static TARGET void NAME(widen)(size_t n, const void *in, float *y)
{
	const ELEM *x = in;
	size_t i = 0;
	vec v;

	for (; i + LANES <= n; i += LANES) {
		LOAD(x + i, &v);
		*(uvec *)(y + i) = v;
	}
	for (; i < n; i++)
		y[i] = GET(x + i);
}

/* ---- local response normalisation, a row at a time ---- */

/* s^-power */
HIDDEN void NAME(power)(const struct lrn *l, const vec *s, vec *p)
{
	const vec one = (vec){ 0 } + 1;

	if (l->power == 0.75f) {
		vec r;

		ROOT(s, &r);
		r = one / r;
		ROOT(&r, p);
		*p *= r;
	} else
		for (int i = 0; i < LANES; i++)
			(*p)[i] = powf((*s)[i], -l->power);
}

/* Loads up to a vector of channels, with zeros after them. */
HIDDEN void NAME(load_some)(const ELEM *x, size_t n, vec *v)
{
	if (n >= LANES) {
		LOAD(x, v);
		return;
	}
	*v = (vec){ 0 };
	for (size_t i = 0; i < n; i++)
		(*v)[i] = GET(x + i);
}

HIDDEN void NAME(store_some)(ELEM *y, size_t n, const vec *v)
{
	if (n >= LANES)
		STORE(y, v);
	else
		for (size_t i = 0; i < n; i++)
			PUT(y + i, (*v)[i]);
}

/* Sum of 2 half + 1 neighbours, the first one at w. */
HIDDEN void NAME(window)(const float *w, size_t half, vec *sum)
{
	*sum = *(const uvec *)w;
	for (size_t i = 1; i <= 2 * half; i++)
		*sum += *(const uvec *)(w + i);
}

/* squares[half + k] <- x^2 */
HIDDEN void NAME(square)(size_t c, size_t half, const ELEM *x, float *squares)
{
	vec v;

	for (size_t k = 0; k < c; k += LANES) {
		NAME(load_some)(x + k, c - k, &v);
		*(uvec *)(squares + half + k) = v * v;
	}
}

/* s = k + scale * sum of squares around channel i */
HIDDEN void NAME(lrn_scale)(const struct lrn *l, const float *squares, size_t i, vec *s)
{
	NAME(window)(squares + i, l->half, s);
	*s = *s * l->scale + l->k;
}

static TARGET void NAME(lrn)(size_t rows, size_t c, const struct lrn *l, const void *in,
			     float *work, void *out)
{
	const ELEM *x = in;
	ELEM *y = out;
	vec s, p = { 0 }, v;

	memset(work, 0, LRN_WORK(c, l->half) * sizeof(*work));
	for (; rows; rows--, x += c, y += c) {
		NAME(square)(c, l->half, x, work);
		for (size_t k = 0; k < c; k += LANES) {
			NAME(lrn_scale)(l, work, k, &s);
			NAME(power)(l, &s, &p);
			NAME(load_some)(x + k, c - k, &v);
			v *= p;
			NAME(store_some)(y + k, c - k, &v);
		}
	}
}

/* direct[k] <- dy s^-power; crossed[half + k] <- dy x s^(-power - 1) */
HIDDEN void NAME(lrn_terms)(size_t c, const struct lrn *l, const ELEM *x, const ELEM *dy,
			    const float *squares, float *direct, float *crossed)
{
	vec s, p = { 0 }, v, d;

	for (size_t k = 0; k < c; k += LANES) {
		NAME(lrn_scale)(l, squares, k, &s);
		NAME(power)(l, &s, &p);
		NAME(load_some)(x + k, c - k, &v);
		NAME(load_some)(dy + k, c - k, &d);
		d *= p;
		*(uvec *)(direct + k) = d;
		*(uvec *)(crossed + l->half + k) = d * v / s;
	}
}

static TARGET void NAME(lrn_back)(size_t rows, size_t c, const struct lrn *l, const void *in,
				  const void *grad, float *work, bool add, void *out)
{
	const size_t length = LRN_WORK(c, l->half);
	float *crossed = work + length, *direct = crossed + length;
	const ELEM *x = in, *dy = grad;
	ELEM *dx = out;
	vec t, v, u;

	memset(work, 0, 3 * length * sizeof(*work));
	for (; rows; rows--, x += c, dy += c, dx += c) {
		NAME(square)(c, l->half, x, work);
		NAME(lrn_terms)(c, l, x, dy, work, direct, crossed);
		for (size_t k = 0; k < c; k += LANES) {
			NAME(window)(crossed + k, l->half, &t);
			NAME(load_some)(x + k, c - k, &v);
			v = *(const uvec *)(direct + k) - v * t * (2 * l->power * l->scale);
			if (add) {
				NAME(load_some)(dx + k, c - k, &u);
				v += u;
			}
			NAME(store_some)(dx + k, c - k, &v);
		}
	}
}

#undef POSITIVE
#undef HIDDEN
#undef NAME
#undef ELEM
#undef GET
#undef PUT
#undef LOAD
#undef STORE
#undef HALF
