/*
 * onednn_loops.h - the loops of onednn_simd.h, for one width of registers.
 *
 * Included once per width by onednn_simd.c with TARGET (a function attribute) and
 * NAME(f) (f's name at that width) defined; hence no include guard. A vector is
 * 16 floats at every width: the compiler cuts it to the registers there are.
 */

/* relu(v), where NaN stays NaN */
#define POSITIVE(v) ((vec)((ivec)(v) & ~((v) <= 0)))

static TARGET void NAME(flush)(const vec *s, double *sum)
{
	for (int i = 0; i < LANES; i++)
		sum[i] += (double)(*s)[i];
}

/* measure() on LANES channels; rows are `c` floats apart. */
static TARGET void NAME(measure_lanes)(size_t rows, size_t c, const float *x, const float *pivot,
				       double *sum, double *square)
{
	const vec p = *(const uvec *)pivot;

	while (rows) {
		size_t left = rows < ROWS ? rows : ROWS;
		vec s[2] = { { 0 } }, q[2] = { { 0 } };

		rows -= left;
		for (; left >= 2; left -= 2, x += 2 * c) {
			vec u = *(const uvec *)x - p, v = *(const uvec *)(x + c) - p;

			s[0] += u;
			s[1] += v;
			q[0] += u * u;
			q[1] += v * v;
		}
		if (left) {
			vec u = *(const uvec *)x - p;

			s[0] += u;
			q[0] += u * u;
			x += c;
		}
		s[0] += s[1];
		q[0] += q[1];
		NAME(flush)(&s[0], sum);
		NAME(flush)(&q[0], square);
	}
}

static TARGET void NAME(measure)(size_t rows, size_t c, const float *x, const float *pivot,
				 double *sum, double *square)
{
	size_t k = 0;

	for (; k + LANES <= c; k += LANES)
		NAME(measure_lanes)(rows, c, x + k, pivot + k, sum + k, square + k);
	for (; k < c; k++)
		for (size_t r = 0; r < rows; r++) {
			double d = (double)(x[r * c + k] - pivot[k]);

			sum[k] += d;
			square[k] += d * d;
		}
}

static inline TARGET INLINE void NAME(normalise_as)(size_t rows, size_t c, const float *x,
						    const float *coef, const float *r,
						    bool residual, bool relu, float *y)
{
	for (size_t k = 0; k + LANES <= c; k += LANES) {
		const vec mean = *(const uvec *)(coef + k);
		const vec mul = *(const uvec *)(coef + c + k);
		const vec add = *(const uvec *)(coef + 2 * c + k);

		for (size_t i = k; i < rows * c; i += c) {
			vec v = (*(const uvec *)(x + i) - mean) * mul + add;

			if (residual)
				v += *(const uvec *)(r + i);
			*(uvec *)(y + i) = relu ? POSITIVE(v) : v;
		}
	}
}

static TARGET void NAME(normalise)(size_t rows, size_t c, const float *x, const float *coef,
				   const float *r, bool relu, float *y)
{
	if (r && relu)
		NAME(normalise_as)(rows, c, x, coef, r, true, true, y);
	else if (r)
		NAME(normalise_as)(rows, c, x, coef, r, true, false, y);
	else
		NAME(normalise_as)(rows, c, x, coef, NULL, false, relu, y);
	for (size_t k = c - c % LANES; k < c; k++)
		for (size_t i = k; i < rows * c; i += c) {
			float v = (x[i] - coef[k]) * coef[c + k] + coef[2 * c + k];

			v += r ? r[i] : 0;
			y[i] = relu && v <= 0 ? 0 : v;
		}
}

static inline TARGET INLINE void NAME(gather_lanes)(size_t rows, size_t c, const float *x,
						    const float *mean, const float *y,
						    const float *extra, bool relu, bool more,
						    float *dy, double *sum, double *dot)
{
	const vec m = *(const uvec *)mean;
	size_t i = 0;

	while (rows) {
		size_t left = rows < ROWS ? rows : ROWS;
		vec s = { 0 }, q = { 0 };

		rows -= left;
		for (; left; left--, i += c) {
			vec d = *(const uvec *)(dy + i);

			if (more)
				d += *(const uvec *)(extra + i);
			if (relu)
				d = (vec)((ivec)d & ~(*(const uvec *)(y + i) <= 0));
			s += d;
			q += d * (*(const uvec *)(x + i) - m);
			*(uvec *)(dy + i) = d;
		}
		NAME(flush)(&s, sum);
		NAME(flush)(&q, dot);
	}
}

static TARGET void NAME(gather_tail)(size_t rows, size_t c, const float *x, float mean,
				     const float *y, const float *extra, float *dy, double *sum,
				     double *dot)
{
	for (size_t i = 0; i < rows * c; i += c) {
		float d = dy[i] + (extra ? extra[i] : 0);

		dy[i] = y && y[i] <= 0 ? 0 : d;
		*sum += (double)dy[i];
		*dot += (double)(dy[i] * (x[i] - mean));
	}
}

static TARGET void NAME(gather)(size_t rows, size_t c, const float *x, const float *mean,
				const float *y, const float *extra, float *dy, double *sum,
				double *dot)
{
	size_t k = 0;

	for (; k + LANES <= c; k += LANES) {
		const float *ym = y ? y + k : NULL, *em = extra ? extra + k : NULL;

		if (y && extra)
			NAME(gather_lanes)(rows, c, x + k, mean + k, ym, em, true, true, dy + k,
					   sum + k, dot + k);
		else if (y)
			NAME(gather_lanes)(rows, c, x + k, mean + k, ym, em, true, false, dy + k,
					   sum + k, dot + k);
		else
			NAME(gather_lanes)(rows, c, x + k, mean + k, ym, em, false, extra, dy + k,
					   sum + k, dot + k);
	}
	for (; k < c; k++)
		NAME(gather_tail)(rows, c, x + k, mean[k], y ? y + k : NULL,
				  extra ? extra + k : NULL, dy + k, sum + k, dot + k);
}

static inline TARGET INLINE void NAME(spread_as)(size_t rows, size_t c, const float *x,
						 const float *coef, const float *dy, bool add,
						 float *dx)
{
	for (size_t k = 0; k + LANES <= c; k += LANES) {
		const vec mean = *(const uvec *)(coef + k);
		const vec a = *(const uvec *)(coef + c + k);
		const vec b = *(const uvec *)(coef + 2 * c + k);
		const vec o = *(const uvec *)(coef + 3 * c + k);

		for (size_t i = k; i < rows * c; i += c) {
			vec v = *(const uvec *)(dy + i) * a
				+ ((*(const uvec *)(x + i) - mean) * b + o);

			if (add)
				v += *(const uvec *)(dx + i);
			*(uvec *)(dx + i) = v;
		}
	}
}

static TARGET void NAME(spread)(size_t rows, size_t c, const float *x, const float *coef,
				const float *dy, bool add, float *dx)
{
	if (add)
		NAME(spread_as)(rows, c, x, coef, dy, true, dx);
	else
		NAME(spread_as)(rows, c, x, coef, dy, false, dx);
	for (size_t k = c - c % LANES; k < c; k++)
		for (size_t i = k; i < rows * c; i += c) {
			float v = dy[i] * coef[c + k]
				  + ((x[i] - coef[k]) * coef[2 * c + k] + coef[3 * c + k]);

			dx[i] = add ? dx[i] + v : v;
		}
}

static TARGET void NAME(join)(size_t n, const float *x, const float *r, bool relu, float *y)
{
	size_t i = 0;

	for (; i + LANES <= n; i += LANES) {
		vec v = *(const uvec *)(x + i);

		if (r)
			v += *(const uvec *)(r + i);
		*(uvec *)(y + i) = relu ? POSITIVE(v) : v;
	}
	for (; i < n; i++) {
		float v = x[i] + (r ? r[i] : 0);

		y[i] = relu && v <= 0 ? 0 : v;
	}
}

static TARGET void NAME(mask)(size_t n, const float *y, const float *extra, float *dy)
{
	size_t i = 0;

	for (; i + LANES <= n; i += LANES) {
		vec d = *(const uvec *)(dy + i);

		if (extra)
			d += *(const uvec *)(extra + i);
		if (y)
			d = (vec)((ivec)d & ~(*(const uvec *)(y + i) <= 0));
		*(uvec *)(dy + i) = d;
	}
	for (; i < n; i++) {
		float d = dy[i] + (extra ? extra[i] : 0);

		dy[i] = y && y[i] <= 0 ? 0 : d;
	}
}

static TARGET void NAME(add)(size_t n, const float *x, float *y)
{
	size_t i = 0;

	for (; i + LANES <= n; i += LANES)
		*(uvec *)(y + i) += *(const uvec *)(x + i);
	for (; i < n; i++)
		y[i] += x[i];
}

static TARGET void NAME(times)(size_t n, const float *x, const float *m, float *y)
{
	size_t i = 0;

	for (; i + LANES <= n; i += LANES)
		*(uvec *)(y + i) = *(const uvec *)(x + i) * *(const uvec *)(m + i);
	for (; i < n; i++)
		y[i] = x[i] * m[i];
}

static const struct simd NAME(table) = {
	NAME(measure), NAME(normalise), NAME(gather), NAME(spread),
	NAME(join), NAME(mask), NAME(add), NAME(times),
};

#undef POSITIVE
#undef TARGET
#undef NAME
