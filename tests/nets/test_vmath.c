/* exp and the normal distribution in float, as the loops of nets of tokens have them. */
#include "nets/openblas/vmath.h"
#include "tests/support/check.h"

#include <math.h>

/* Over all exponents: a relative error of 2e-7 at most. */
static void exponential(void **state)
{
	for (double x = -86.9; x < 88; x += 0.00137) {
		const double want = exp((double)(float)x);

		assert_near((double)vexp((float)x) / want, 1, 2e-7);
	}
	assert_true(vexp(0) == 1);
	assert_near((double)vexp(-1000), exp(-87), 1e-45);
	assert_near((double)vexp(-INFINITY), 0, 1e-37);
	assert_true(isfinite(vexp(1000)) && vexp(1000) > 1e38f);
	assert_true(isnan(vexp(NAN)));
}

static void normal(void **state)
{
	for (double x = -9; x < 9; x += 0.00011) {
		const double z = (double)(float)x;
		float density;
		const float share = vnormal((float)x, &density);

		assert_near((double)share, 0.5 * erfc(-z / sqrt(2)), 3e-7);
		assert_near((double)density, exp(-z * z / 2) / sqrt(2 * acos(-1)), 3e-7);
	}
}

RUN_ALL(exponential, normal)
