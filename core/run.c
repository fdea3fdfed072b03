/* Checks a run's settings, counts its budget of gradients, and hands events to its hooks. */
#include "core/run.h"

#include "core/base/error.h"
#include "core/codec.h"
#include "core/learnt.h"
#include "core/math/vec.h"
#include "core/text/word.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

const char *const end_reason_name[] = {
	[END_EPOCHS] = "epochs",     [END_SECONDS] = "seconds", [END_GRADIENTS] = "gradients",
	[END_STOPPED] = "stopped",   [END_DIVERGED] = "diverged", [END_STALLED] = "stalled",
	[END_INTERRUPTED] = "interrupted",
};

void algo_mistake(const struct run *run, const char *fmt, ...)
{
	const struct plugin *algo = &run->algo->plugin;
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!algo->code)
		BUG("%s: %s", algo->name, text);
	die("algorithm '%s': %s (the rules are those of core/node.h)", algo->name, text);
}

/* Checks that a stream of the text is longer than the net's memory. 0 or error(). */
static int run_check_memory(const struct run *run)
{
	const int64_t streams = (int64_t)run->batch * run->workers;
	const int64_t stream = run->samples / streams * (int64_t)run->carry.step;

	if (!run->pool || !run->carry.floats || (int64_t)run->carry.rows < stream)
		return 0;
	return error("the net has a memory of %zu tokens, and the training text %lld stream%s of "
		     "%lld tokens (expected longer streams). Choose a shorter memory, "
		     "fewer workers, a smaller batch or a longer text.", run->carry.rows,
		     (long long)streams, word_plural((double)streams), (long long)stream);
}

int run_check(const struct run *run)
{
	if (run->epochs <= 0.0 && run->seconds <= 0.0 && run->gradients <= 0)
		return error("a run needs an end: epochs, seconds or gradients");
	if (run->pool && run->samples < (int64_t)run->batch * run->workers)
		return error("%d worker%s with batches of %zu need%s %lld samples in an epoch, "
			     "there are %lld", run->workers, word_plural(run->workers), run->batch,
			     run->workers == 1 ? "s" : "", (long long)run->batch * run->workers,
			     (long long)run->samples);
	if (run_check_memory(run) < 0)
		return -1;
	if (run->epochs * (double)run->samples / (double)run->batch > 0x1p53)
		return error("epochs = %g: too many gradients to count", run->epochs);
	if (stepsize_check(&run->lr) < 0 || codec_check(run) < 0 || slices_check(run) < 0)
		return -1;
	if (run->optim && run->optim->check &&
	    run->optim->check(run->optim_conf, run) < 0)
		return -1;
	return run->algo->check ? run->algo->check(run) : 0;
}

int64_t run_budget(const struct run *run, enum end_reason *end)
{
	double epochs = ceil(run->epochs * (double)run->samples / (double)run->batch - 1e-9);

	epochs = fmin(fmax(epochs, 1.0), 0x1p62);       /* 0 would mean that there is no bound */
	*end = END_GRADIENTS;
	if (run->epochs <= 0.0 || (run->gradients > 0 && epochs >= (double)run->gradients))
		return run->gradients;
	*end = END_EPOCHS;
	return (int64_t)epochs;
}

bool run_is_long(const struct run *run)
{
	enum end_reason end;
	const int64_t budget = run_budget(run, &end);

	return run->pool || budget == 0 || budget / run->workers >= 4;
}

void run_start(const struct run *run, float *x)
{
	if (run->start)
		vec_copy(run->dim, run->start, x);
	else
		run->pool->problem->ops->init(run->pool->problem, run->seed, x);
}

void run_emit(const struct run *run, const struct event *ev)
{
	struct event shown;

	if (run->learnt) {
		shown = *ev;
		learnt_show(run->learnt, &shown);
		ev = &shown;
	}
	for (struct hook *h = run->hooks; h; h = h->next)
		if (h->mask & 1u << ev->kind)
			h->event(h, ev);
}

void run_handled(const struct run *run, const struct handled *what, const struct node *nd,
		 double time, double seconds, int64_t gradients)
{
	if (!run_wants(run, EV_HANDLED))
		return;
	run_emit(run, &(struct event){ .kind = EV_HANDLED, .time = time,
				       .epoch = run_epochs(run, gradients),
				       .gradients = gradients, .node = nd, .seconds = seconds,
				       .handler = what->handler, .peer = what->peer,
				       .token = what->token, .tag = what->tag,
				       .begun = what->begun, .bytes = what->bytes });
}
