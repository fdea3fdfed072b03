/* Fits a run's total momentum: sums over its steps, and two-stage least squares from them. */
#include "core/math/momentum_fit.h"

#include "core/math/statistics.h"
#include "core/math/vec.h"

#include <math.h>
#include <string.h>

enum {
	MOVES = MOMENTUM_FIT_MOVES,
	SUMS = MOMENTUM_FIT_SUMS,
	COORDS = MOMENTUM_FIT_COORDS
};
enum { FEWEST = 200 };          /* gradients needed for an estimate */

/* Largest share of gradients too old to use: above it, the others are a biased selection. */
static const double too_many_old = 0.01;

/*
 * Steps, back from the model before the gradient's, at which the earlier moves begin and end: move
 * j is from age[j + 1] to age[j].
 */
static const int64_t age[MOVES + 1] = { 0, 1, 2, 4, 8, 16, 32, MOMENTUM_FIT_BACK };

/* Coordinates used of a vector of n. */
static size_t momentum_fit_coords(size_t n)
{
	return n < COORDS ? n : COORDS;
}

/* Index of the i-th sampled coordinate in a vector of n. */
static size_t momentum_fit_index(size_t n, size_t i)
{
	return i * n / momentum_fit_coords(n);
}

bool momentum_fit_is_sound(const struct momentum_fit *f)
{
	return f->have >= 0 && f->have <= MOMENTUM_FIT_MODELS && f->next >= 0 &&
	       f->next < MOMENTUM_FIT_MODELS && f->gradients >= 0 && f->gradients < INT32_MAX &&
	       f->old >= 0 && f->old < INT32_MAX;
}

/* The model `ago` steps ago; 0: the latest. */
static const float *momentum_fit_model(const struct momentum_fit *f, int64_t ago)
{
	return f->x[(f->next - 1 - ago + MOMENTUM_FIT_MODELS) % MOMENTUM_FIT_MODELS];
}

static void momentum_fit_remember(struct momentum_fit *f, size_t n, const float *x)
{
	for (size_t i = 0; i < momentum_fit_coords(n); i++)
		f->x[f->next][i] = x[momentum_fit_index(n, i)];
	f->next = (f->next + 1) % MOMENTUM_FIT_MODELS;
	f->have += f->have < MOMENTUM_FIT_MODELS;
}

void momentum_fit_begin(struct momentum_fit *f, size_t n, const float *x)
{
	if (f->have == 0)
		momentum_fit_remember(f, n, x);
}

static void momentum_fit_difference(const float *a, const float *b, float *out)
{
	for (size_t i = 0; i < COORDS; i++)
		out[i] = a[i] - b[i];
}

struct rows {                   /* y, r, z of one gradient, as in momentum_fit.h */
	float y[COORDS], r[2][COORDS], z[MOVES][COORDS];
};

/* Fills the rows of the gradient w g[n] + decay x, computed at the model `at` steps ago. */
static void fill_rows(const struct momentum_fit *f, size_t n, const float *g, float w, float decay,
		      double lr, int64_t at, struct rows *s)
{
	memset(s, 0, sizeof(*s));
	momentum_fit_difference(momentum_fit_model(f, at - 1), momentum_fit_model(f, at), s->y);
	momentum_fit_difference(momentum_fit_model(f, at), momentum_fit_model(f, at + 1), s->r[0]);
	for (size_t i = 0; i < momentum_fit_coords(n); i++)
		s->r[1][i] = (float)-(lr * (double)(w * g[momentum_fit_index(n, i)] +
						    decay * momentum_fit_model(f, at)[i]));
	for (size_t j = 0; j < MOVES; j++)
		momentum_fit_difference(momentum_fit_model(f, at + 1 + age[j]),
					momentum_fit_model(f, at + 1 + age[j + 1]), s->z[j]);
}

static double momentum_fit_dot(const float *a, const float *b)
{
	return vec_dot(COORDS, a, b);
}

static void add_rows(struct momentum_fit *f, const struct rows *s)
{
	double w[SUMS];

	for (size_t j = 0; j < MOVES; j++) {
		for (size_t k = 0; k <= j; k++)
			f->zz[j][k] += momentum_fit_dot(s->z[j], s->z[k]);
		w[j] = momentum_fit_dot(s->z[j], s->y);
		w[MOVES + j] = momentum_fit_dot(s->z[j], s->r[0]);
		w[2 * MOVES + j] = momentum_fit_dot(s->z[j], s->r[1]);
	}
	for (size_t i = 0; i < SUMS; i++) {
		f->w[i] += w[i];
		for (size_t k = 0; k <= i; k++)
			f->ww[i][k] += w[i] * w[k];
	}
}

void momentum_fit_add(struct momentum_fit *f, size_t n, const float *g, float w, float decay,
		      double lr, int64_t staleness, const float *x)
{
	struct rows s;

	momentum_fit_remember(f, n, x);
	if (staleness < 0)
		return;
	if (staleness > MOMENTUM_FIT_OLDEST) {
		f->old++;
		return;
	}
	if (staleness + 2 + MOMENTUM_FIT_BACK >= f->have)
		return;
	/* x is the latest model now, so the one before the step is 1 step ago */
	fill_rows(f, n, g, w, decay, lr, staleness + 1, &s);
	add_rows(f, &s);
	f->gradients++;
}

/*
 * ---- two-stage least squares ----
 *
 * First stage: the coefficients p = zz^-1 z' r of each regressor on the earlier moves.
 */

/* v <- zz^-1 v by a Cholesky factorisation; false when the moves are linearly dependent. */
static bool momentum_fit_solve(const struct momentum_fit *f, double v[MOVES])
{
	double l[MOVES][MOVES];

	for (size_t i = 0; i < MOVES; i++)
		for (size_t j = 0; j <= i; j++) {
			double sum = f->zz[i][j];

			for (size_t k = 0; k < j; k++)
				sum -= l[i][k] * l[j][k];
			if (i == j && !(sum > 1e-9 * f->zz[i][i]))
				return false;
			l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
		}
	for (size_t i = 0; i < MOVES; i++) {
		for (size_t k = 0; k < i; k++)
			v[i] -= l[i][k] * v[k];
		v[i] /= l[i][i];
	}
	for (size_t i = MOVES; i-- > 0;) {
		for (size_t k = i + 1; k < MOVES; k++)
			v[i] -= l[k][i] * v[k];
		v[i] /= l[i][i];
	}
	return true;
}

/*
 * Second stage: solves m b = y, with m[q][i] = p_q' (z' r_i) and y[q] = p_q' (z' y), for b =
 * (mu, a / lr).
 */
struct fit_stage {
	double p[2][MOVES], m[2][2], y[2], b[2], det;   /* det of m */
};

/* Both stages. False when the steps so far do not determine b. */
static bool solve_stages(const struct momentum_fit *f, struct fit_stage *s)
{
	for (size_t q = 0; q < 2; q++) {
		memcpy(s->p[q], f->w + (q + 1) * MOVES, sizeof(s->p[q]));
		if (!momentum_fit_solve(f, s->p[q]))
			return false;
		s->y[q] = s->m[q][0] = s->m[q][1] = 0;
		for (size_t j = 0; j < MOVES; j++) {
			s->y[q] += s->p[q][j] * f->w[j];
			s->m[q][0] += s->p[q][j] * f->w[MOVES + j];
			s->m[q][1] += s->p[q][j] * f->w[2 * MOVES + j];
		}
	}
	s->det = s->m[0][0] * s->m[1][1] - s->m[0][1] * s->m[1][0];
	s->b[0] = (s->y[0] * s->m[1][1] - s->y[1] * s->m[0][1]) / s->det;
	s->b[1] = (s->y[1] * s->m[0][0] - s->y[0] * s->m[1][0]) / s->det;
	return s->det > 0;
}

/*
 * Variance of b[0]: v' ww v, the sum over steps of (v' w)^2. A step's w has 3 MOVES sums, and v' w
 * is what its residual y - b[0] r_1 - b[1] r_2 adds to b[0]: one term for all its coordinates,
 * which may be correlated.
 */
static double momentum_fit_variance(const struct momentum_fit *f, const struct fit_stage *s)
{
	double v[SUMS], sum = 0;

	for (size_t j = 0; j < MOVES; j++) {
		v[j] = (s->m[1][1] * s->p[0][j] - s->m[0][1] * s->p[1][j]) / s->det;
		v[MOVES + j] = -s->b[0] * v[j];
		v[2 * MOVES + j] = -s->b[1] * v[j];
	}
	for (size_t i = 0; i < SUMS; i++)
		for (size_t k = 0; k < SUMS; k++)
			sum += v[i] * v[k] * (k <= i ? f->ww[i][k] : f->ww[k][i]);
	return fmax(sum, 0);
}

struct momentum_fitted {                /* NaN: too few gradients, or too many too old ones */
	double mu;
	double half;                    /* half of mu's 95 % interval; steps may differ in noise */
	double step;                    /* a over the learning rate */
};

static struct momentum_fitted momentum_fit_of(const struct momentum_fit *f)
{
	struct momentum_fitted fitted = { (double)NAN, (double)NAN, (double)NAN };
	struct fit_stage s;

	if (f->gradients < FEWEST || (double)f->old > too_many_old * (double)f->gradients ||
	    !solve_stages(f, &s))
		return fitted;
	fitted.mu = s.b[0];
	fitted.step = s.b[1];
	fitted.half = NORMAL_HALF_95 * sqrt(momentum_fit_variance(f, &s));
	return fitted;
}

double momentum_fit_sure(const struct momentum_fit *f)
{
	const struct momentum_fitted fitted = momentum_fit_of(f);

	return fitted.half <= MOMENTUM_FIT_SURE ? fitted.mu : (double)NAN;
}
