/* Follows a run's training loss: whether it diverges, the usual cause of that, and what to try. */
#include "runner/single_run/simrun.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/math/median.h"
#include "core/text/word.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* ---- causes ---- */

/* From the most particular to what always is one. */
enum cause { LATE_MOMENTUM, LATE_GRADIENTS, NO_WARM_UP, RATE, CAUSES };

/* A smaller step helps where the workers' asynchrony does not explain it. */
static const double smaller = 0.1;

/* Learning rate above which no share is worth a try; a tenth of it is the default. */
static const double largest = 1;

/* With the run's settings. */
static enum lateness lateness_of(const struct setup *su)
{
	const struct algo *algo = setup_algo(su);
	const int workers = (int)su->num.workers;
	const bool fresh = workers == 1 ||
			   (algo->synchronous && algo->synchronous(su->algo.conf, workers));

	return fresh ? FRESH : algo->facts.late;
}

static double momentum_of(const struct setup *su)
{
	const struct optim *o = (const struct optim *)su->optim.plugin;

	return o->momentum ? o->momentum(su->optim.conf, (int)su->num.workers).mu : 0;
}

/* The learning rate after the warm-up. */
static double rate_of(const struct setup *su)
{
	const double batch = (double)setup_batch(su) * (double)su->num.workers;

	return su->in.lr * lr_factor((enum lr_scaling)su->in.lr_scaling, batch,
				     (double)su->in.lr_batch);
}

static enum cause cause_of(const struct setup *su)
{
	const enum lateness late = lateness_of(su);

	if (late != FRESH)
		return momentum_of(su) > 0 && late != LATE_APART ? LATE_MOMENTUM : LATE_GRADIENTS;
	return rate_of(su) > su->in.lr && su->in.warmup <= 0 ? NO_WARM_UP : RATE;
}

/* The learning rate to try: at most a tenth, and less where gradients are as late as n - 1. */
static double lower_rate(const struct setup *su)
{
	const enum lateness late = lateness_of(su);
	const double share = late == LATE_BY_WORKERS || late == LATE_APART
				     ? 1.0 / (double)su->num.workers : 1;

	return fmin(su->in.lr, largest) * fmin(share, smaller);
}

static char *late_momentum_advice(const struct setup *su)
{
	const struct plugin *p = su->optim.plugin;
	const int workers = (int)su->num.workers;
	const bool adds = lateness_of(su) == LATE_BY_WORKERS;
	/* The sum of explicit and implicit momentum stays where it is: (1 - mu) n = 1 - mu'. */
	const double own = 1 - (double)su->num.workers * (1 - momentum_of(su));
	const double mu = adds && own > 0 ? own : 0;
	/* In words where the optimiser has another name for it. */
	scoped char *momentum = p->opts && opt_find(p->opts, "momentum")
				? xasprintf("--optim %s:momentum=%.2g", p->name, mu)
				: xasprintf("a momentum of %.2g", mu);
	scoped char *more = adds
				    ? xasprintf(", whose asynchrony adds a momentum of about %.2g",
						1 - 1.0 / workers)
				    : xstrdup("");

	return xasprintf("momentum %g with %d asynchronous workers%s; try %s, and if that "
				 "diverges --lr %.3g or less too", momentum_of(su), workers, more,
				 momentum, lower_rate(su));
}

static char *cause_advice(const struct setup *su, enum cause cause)
{
	switch (cause) {
	case LATE_MOMENTUM:
		return late_momentum_advice(su);
	case LATE_GRADIENTS:
		/* With each worker's own momentum, gap-aware allows no larger rate. */
		return xasprintf("a learning rate of %g with stale gradients of %d workers; try "
				 "--lr %.3g or less%s", rate_of(su), (int)su->num.workers,
				 lower_rate(su), momentum_of(su) > 0 ? "" :
				 ", or an algorithm that corrects them: --algo gap-aware");
	case NO_WARM_UP:
		return xasprintf("a learning rate of %g for a batch of %lld in all, without "
				 "warm-up; try --warmup 5, or --lr %.3g or less", rate_of(su),
				 (long long)setup_batch(su) * su->num.workers, lower_rate(su));
	default:
		break;
	}
	return momentum_of(su) > 0
		       ? xasprintf("a learning rate of %g with momentum %g; try --lr %.3g or less, "
				   "or %s", rate_of(su), momentum_of(su), lower_rate(su),
				   su->in.warmup > 0 ? "a lower momentum" : "--warmup 1")
		       : xasprintf("a learning rate of %g; try --lr %.3g or less", rate_of(su),
				   lower_rate(su));
}

char *divergence_advice(const struct setup *su)
{
	char *advice = xstrdup("usual cause here: ");

	xappend_own(&advice, "", cause_advice(su, cause_of(su)));
	return advice;
}

char **divergence_notes(const struct plan *p, const struct results *runs)
{
	bool seen[CAUSES] = { false };
	char **notes = xcalloc(CAUSES + 1, sizeof(*notes));
	size_t k = 0, n = 0;

	for (size_t i = 0; i < p->n - p->nbaselines && k < runs->n; i++) {
		const struct planned *r = &p->runs[i];
		char *advice;

		if (r->state != RUN_FINISHED)
			continue;
		if (result_diverged(&runs->v[k++]) && !seen[cause_of(&r->su)]) {
			seen[cause_of(&r->su)] = true;
			advice = divergence_advice(&r->su);
			notes[n++] = xasprintf("%s%sdiverged; %s", r->label, *r->label ? " " : "",
					       advice);
			free(advice);
		}
	}
	return notes;
}

/* ---- the loss of a run ---- */

enum { LAST = 16 };

/* Multiple of the first loss above which a run has diverged. */
static const double exploded = 10;

struct divergence_check {
	struct hook hook;       /* first: the engine hands us its address */
	double first;           /* loss of the first gradient */
	double last[LAST];      /* losses of the last ones, in turn: at n % LAST */
	int64_t n;              /* gradients that were seen */
};

static void divergence_check_on_grad(struct hook *h, const struct event *ev)
{
	struct divergence_check *c = (struct divergence_check *)h;

	if (c->n == 0)
		c->first = ev->loss;
	c->last[c->n++ % LAST] = ev->loss;
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
	const size_t n = c->n < LAST ? (size_t)c->n : LAST;
	bool diverged = result->end == END_DIVERGED;
	double last[LAST], middle;
	scoped char *advice = NULL;

	for (size_t i = 0; i < n; i++) {
		diverged = diverged || !isfinite(c->last[i]);
		last[i] = c->last[i];
	}
	middle = median_of(last, n);    /* a mean would keep a single batch's peak */
	if (!diverged && !(c->first > 0 && middle > exploded * c->first))
		return;
	advice = divergence_advice(su);
	if (diverged)
		warning("diverged after %g epoch%s: a loss was not finite; %s", result->epochs,
			word_plural(result->epochs), advice);
	else
		warning("the loss ends %.3g times above where it began; %s", middle / c->first,
			advice);
}
