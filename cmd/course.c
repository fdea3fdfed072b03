#include "cmd/course.h"

#include "core/error.h"
#include "core/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LAST = 16 };

/* Of the first loss: above it, a run has learnt the wrong way. */
static const double exploded = 10;

struct course {
	struct hook hook;       /* first: the engine hands us its address */
	double first, last;     /* loss of the first gradient; mean of about the last sixteen */
	int64_t n;              /* gradients that were seen */
};

static void on_grad(struct hook *h, const struct event *ev)
{
	struct course *c = (struct course *)h;

	if (c->n++ == 0)
		c->first = c->last = ev->loss;
	else
		c->last += (ev->loss - c->last) / (double)(c->n < LAST ? c->n : LAST);
}

struct course *course_new(void)
{
	struct course *c = xcalloc(1, sizeof(*c));

	c->hook = (struct hook){ .mask = 1u << EV_GRAD, .event = on_grad };
	return c;
}

struct hook *course_hook(struct course *c)
{
	return &c->hook;
}

/* False of algorithms whose gradients are always of the latest model: "0", or "0; ..." */
static bool is_asynchronous(const struct algo *a)
{
	return strcspn(a->facts.staleness, ";") != 1 || a->facts.staleness[0] != '0';
}

/* "lower --lr (0.1) or the momentum (0.9); 8 asynchronous workers bear less"; the caller frees. */
static char *advice_for(const struct setup *su)
{
	const struct optim *o = (const struct optim *)su->optim.plugin;
	const int workers = (int)su->num.workers;
	const double mu = o->momentum ? o->momentum(su->optim.conf, workers).mu : 0;
	const bool many = workers > 1 && is_asynchronous((const struct algo *)su->algo.plugin);
	char *momentum = mu > 0 ? xasprintf(" or the momentum (%g)", mu) : xstrdup("");
	char *stale = many ? xasprintf("; %d asynchronous workers bear less than one", workers)
			   : xstrdup("");
	char *advice = xasprintf("lower --lr (%g)%s%s", su->in.lr, momentum, stale);

	free(momentum);
	free(stale);
	return advice;
}

void course_judge(const struct course *c, const struct setup *su, const struct run_result *result)
{
	const bool diverged = result->end == END_DIVERGED || !isfinite(c->last);
	char *advice;

	if (!diverged && !(c->first > 0 && c->last > exploded * c->first))
		return;
	advice = advice_for(su);
	if (diverged)
		warning("diverged after %g epochs: a loss was not finite; %s", result->epochs,
			advice);
	else
		warning("the loss ends %.3g times above where it began; %s", c->last / c->first,
			advice);
	free(advice);
}
