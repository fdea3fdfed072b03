/* loops_flat.h - the rest of loops.h: what knows no batch normalisation. */

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

/* Up to a vector of channels, zeros after them. */
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

/* Sum of the 2 half + 1 neighbours, the first at w. */
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

static const struct simd NAME(table) = {
	sizeof(ELEM), NAME(measure), NAME(normalise), NAME(gather), NAME(spread), NAME(join),
	NAME(mask), NAME(times), NAME(copy), NAME(mean), NAME(unmean), NAME(sums), NAME(lrn),
	NAME(lrn_back), NAME(narrow), NAME(widen),
};

#undef POSITIVE
#undef HIDDEN
#undef TARGET
#undef NAME
#undef ROOT
