/* Drives the server of rounds of local steps with scalar updates. */
#include "tests/support/ahead.h"

#include "tests/support/check.h"
#include "tests/support/script.h"

#include <math.h>

/* Sends an update and returns the model in the answer. */
static float answer(struct script *s, int worker, float update)
{
	float x;

	script_msg(s, worker, 0, s->nd.step, update, 0.0f);
	x = s->asked[s->n - 1].vec[0];
	s->n = s->read = 0;
	return x;
}

double gain_of(const char *algo, int workers)
{
	struct script s;
	double gain;

	script_open(&s, algo, workers, SERVER, 1.0, 0.0f, 0.0f);
	for (int i = 0; i < 2000; i++)
		answer(&s, i % workers, i == 0 ? 1.0f : 0.0f);
	gain = -(double)s.nd.x[0];
	script_close(&s);
	return gain;
}

bool is_stable(const char *algo, int workers, double a)
{
	enum { WORKERS = 8, MOST = 1000000 };
	float x[WORKERS];
	double largest = 1.0;
	struct script s;

	assert_true(workers <= WORKERS);
	script_open(&s, algo, workers, SERVER, 1.0, 1.0f, 0.0f);
	for (int k = 0; k < workers; k++)
		x[k] = 1.0f;
	for (int i = 0; i < MOST && largest > 1e-4 && largest < 1e4; i += workers)
		for (int k = 0; k < workers; k++) {
			x[k] = answer(&s, k, (float)a * x[k]);
			largest = fmax(k ? largest : 0.0, fabs((double)x[k]));
		}
	script_close(&s);
	if (largest > 1e-4 && largest < 1e4)
		fail_msg("%s: %g after %d updates", algo, largest, MOST);
	return largest <= 1e-4;
}
