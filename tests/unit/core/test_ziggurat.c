/* Normal and gamma deviates by the ziggurat: against closed forms, in the tails, one by one. */
#include "core/base/mem.h"
#include "core/math/median.h"
#include "core/math/ziggurat.h"
#include "delays/law.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>

enum { DRAWS = 1000000, KS_DRAWS = 50000, SEED = 7 };

/* Of Kolmogorov's distance times the root of the draws: once in 10,000 samples. */
static const double ks_most = 2.23;

static void move_rng(struct rng *r, int rank, int index)
{
	rng_at(r, SEED, RNG_DELAY, (uint32_t)rank, (uint64_t)index);
}

/* The regularised lower incomplete gamma function, by its series or its continued fraction. */
static double gamma_cdf(double a, double x)
{
	const double front = exp(a * log(x) - x - lgamma(a));
	double sum = 1.0 / a, term = sum, b = x + 1.0 - a, c = 1e300, d = 1.0 / b, h = d;

	if (x < a + 1.0) {
		for (double k = a + 1.0; term > 1e-16 * sum; k += 1.0)
			sum += term *= x / k;
		return front * sum;
	}
	for (int i = 1; i < 10000; i++) {
		const double an = -i * (i - a);

		b += 2.0;
		d = 1.0 / (an * d + b);
		c = b + an / c;
		h *= d * c;
		if (fabs(d * c - 1.0) < 1e-15)
			break;
	}
	return 1.0 - front * h;
}

/* Kolmogorov's distance of P(X < v[i]), each in order, from what n draws should have. */
static double ks_of(const double *p, int n)
{
	double most = 0.0;

	for (int i = 0; i < n; i++)
		most = fmax(most, fmax(p[i] - (double)i / n, (i + 1.0) / n - p[i]));
	return most * sqrt(n);
}

/* Of a whole shape: that a Poisson process has so many events by then. */
static double erlang_cdf(int shape, double x)
{
	double less = 0.0;

	for (int k = 0; k < shape; k++)
		less += exp(k * log(x) - x - lgamma(k + 1.0));
	return 1.0 - less;
}

static void the_closed_form_is_right(void **state)
{
	assert_near(gamma_cdf(1.0, 0.7), 1.0 - exp(-0.7), 1e-14);
	assert_near(gamma_cdf(1.0, 7.0), 1.0 - exp(-7.0), 1e-14);
	assert_near(gamma_cdf(0.5, 2.0), erf(sqrt(2.0)), 1e-14);
	assert_near(gamma_cdf(400.0, 390.0), erlang_cdf(400, 390.0), 1e-11);
	assert_near(gamma_cdf(400.0, 430.0), erlang_cdf(400, 430.0), 1e-11);
}

static void gammas_are_distributed_as_their_law(void **state)
{
	static const double cvs[] = { 0.05, 0.1, 0.3, 0.7, 1.0, 1.5, 3.0 };
	double *p = xcalloc(KS_DRAWS, sizeof(*p));

	for (size_t k = 0; k < sizeof(cvs) / sizeof(cvs[0]); k++) {
		const double cv = cvs[k], shape = 1.0 / (cv * cv);

		for (int i = 0; i < KS_DRAWS; i++) {
			struct rng r;

			move_rng(&r, (int)k, i);
			p[i] = gamma_cdf(shape, law_gamma(cv, &r) * shape);
		}
		sort_doubles(p, KS_DRAWS);
		assert_near(ks_of(p, KS_DRAWS), 0.0, ks_most);
	}
	free(p);
}

static void normals_are_distributed_as_their_law(void **state)
{
	double *p = xcalloc(DRAWS, sizeof(*p)), moment[5] = { 0 };

	for (int i = 0; i < DRAWS; i++) {
		struct rng r;
		double z;

		move_rng(&r, 0, i);
		z = ziggurat_normal(ziggurat(), &r);
		for (int k = 1; k < 5; k++)
			moment[k] += pow(z, k) / DRAWS;
		p[i] = law_normal_cdf(z);
	}
	/* Five times the standard errors: sqrt((E z^2k - (E z^k)^2) / DRAWS). */
	assert_near(moment[1], 0.0, 5 * sqrt(1.0 / DRAWS));
	assert_near(moment[2], 1.0, 5 * sqrt(2.0 / DRAWS));
	assert_near(moment[3], 0.0, 5 * sqrt(15.0 / DRAWS));
	assert_near(moment[4], 3.0, 5 * sqrt(96.0 / DRAWS));
	sort_doubles(p, DRAWS);
	assert_near(ks_of(p, DRAWS), 0.0, ks_most);
	free(p);
}

/* Beyond the edge of the lowest layer: how often, on both sides alike, and how far. */
static void tails_are_distributed_as_their_law(void **state)
{
	enum { MANY = 4 * DRAWS };
	const double share = law_normal_cdf(-ziggurat_edge);
	double *p = xcalloc(KS_DRAWS, sizeof(*p));
	int n = 0, positive = 0;
	struct rng r;

	for (int i = 0; i < MANY; i++) {
		double z;

		if (i % DRAWS == 0)
			move_rng(&r, 1, i);
		z = ziggurat_normal(ziggurat(), &r);
		n += fabs(z) > ziggurat_edge;
		positive += z > ziggurat_edge;
	}
	assert_near(n, 2 * share * MANY, 5 * sqrt(2 * share * MANY));
	assert_near(positive, 0.5 * n, 2.5 * sqrt(n));
	for (int i = 0; i < KS_DRAWS; i++) {
		const double z = ziggurat_rest(ziggurat(), &r, 0, i % 2 ? 1.0 : -1.0);

		assert_true(i % 2 ? z > ziggurat_edge : z < -ziggurat_edge);
		p[i] = 1.0 - law_normal_cdf(-fabs(z)) / share;
	}
	sort_doubles(p, KS_DRAWS);
	assert_near(ks_of(p, KS_DRAWS), 0.0, ks_most);
	free(p);
}

/* Layers and their edges: as many draws in each cell of a fine grid as there should be. */
static void no_edge_of_a_layer_shows(void **state)
{
	enum { CELLS = 800 };
	static int count[CELLS];
	double chi = 0.0;
	struct rng r;

	for (int i = 0; i < 4 * DRAWS; i++) {
		double z;

		if (i % DRAWS == 0)
			move_rng(&r, 2, i);
		z = ziggurat_normal(ziggurat(), &r);
		if (fabs(z) < 4.0)
			count[(int)floor((z + 4.0) * CELLS / 8.0)]++;
	}
	for (int i = 0; i < CELLS; i++) {
		const double from = 8.0 * i / CELLS - 4.0, to = from + 8.0 / CELLS;
		const double due = (law_normal_cdf(to) - law_normal_cdf(from)) * 4 * DRAWS;

		chi += (count[i] - due) * (count[i] - due) / due;
	}
	assert_near(chi, CELLS, 5 * sqrt(2.0 * CELLS));
}

/* The correlation of f of one draw with f of the next: at one address, index and rank apart. */
static void adjacent_draws_are_independent(void **state)
{
	struct rng r, next, other;
	double same[2] = { 0 }, index[2] = { 0 }, rank[2] = { 0 };
	const double most = 5 / sqrt(DRAWS);

	for (int i = 0; i < DRAWS; i++) {
		double z[4];

		move_rng(&r, 3, i);
		move_rng(&next, 3, i + 1);
		move_rng(&other, 4, i);
		z[0] = ziggurat_normal(ziggurat(), &r);
		z[1] = ziggurat_normal(ziggurat(), &r);
		z[2] = ziggurat_normal(ziggurat(), &next);
		z[3] = ziggurat_normal(ziggurat(), &other);
		same[0] += z[0] * z[1] / DRAWS;
		index[0] += z[0] * z[2] / DRAWS;
		rank[0] += z[0] * z[3] / DRAWS;
		for (int k = 0; k < 4; k++)
			z[k] = (z[k] * z[k] - 1.0) / sqrt(2.0);
		same[1] += z[0] * z[1] / DRAWS;
		index[1] += z[0] * z[2] / DRAWS;
		rank[1] += z[0] * z[3] / DRAWS;
	}
	for (int k = 0; k < 2; k++) {
		assert_near(same[k], 0.0, most);
		assert_near(index[k], 0.0, most);
		assert_near(rank[k], 0.0, most);
	}
}

RUN_ALL(the_closed_form_is_right, gammas_are_distributed_as_their_law,
	normals_are_distributed_as_their_law, tails_are_distributed_as_their_law,
	no_edge_of_a_layer_shows, adjacent_draws_are_independent)
