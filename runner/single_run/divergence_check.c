/* Follows a run's training loss, and warns when it ends far above its start. */
#include "runner/single_run/simrun.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/text/word.h"
#include "runner/single_run/divergence_cause.h"

#include <math.h>
#include <stdlib.h>

enum { LAST = 16 };

/* Of the first loss: above it, a run has diverged. */
static const double exploded = 10;

struct divergence_check {
	struct hook hook;       /* first: the engine hands us its address */
	double first, last;     /* loss of the first gradient; mean of about the last sixteen */
	int64_t n;              /* gradients that were seen */
};

static void divergence_check_on_grad(struct hook *h, const struct event *ev)
{
	struct divergence_check *c = (struct divergence_check *)h;

	if (c->n++ == 0)
		c->first = c->last = ev->loss;
	else
		c->last += (ev->loss - c->last) / (double)(c->n < LAST ? c->n : LAST);
}

struct divergence_check *divergence_check_new(void)
{
	struct divergence_check *c = xcalloc(1, sizeof(*c));

	c->hook = (struct hook){ .mask = 1u << EV_GRAD, .event = divergence_check_on_grad };
	return c;
}

struct hook *divergence_check_hook(struct divergence_check *c)
{
	return &c->hook;
}

void divergence_check_judge(const struct divergence_check *c, const struct setup *su,
			    const struct run_result *result)
{
	const bool diverged = result->end == END_DIVERGED || !isfinite(c->last);
	char *advice;

	if (!diverged && !(c->first > 0 && c->last > exploded * c->first))
		return;
	advice = divergence_advice(su);
	if (diverged)
		warning("diverged after %g epoch%s: a loss was not finite; %s", result->epochs,
			word_plural(result->epochs), advice);
	else
		warning("the loss ends %.3g times above where it began; %s", c->last / c->first,
			advice);
	free(advice);
}
