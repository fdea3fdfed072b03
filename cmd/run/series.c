/* Carrying out the plans of a series: tuning runs, then those that have their choice. */
#include "cmd/run/series.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "plan/tuning.h"
#include "runner/plan_run.h"
#include "runner/signals.h"

#include <stdlib.h>

bool series_again(const struct run_conf *c)
{
	return c->again || !c->resume;
}

struct pool_conf series_conf(const struct series *b)
{
	const struct run_conf *c = b->conf;

	return (struct pool_conf){ .jobs = (int)c->jobs, .threads = (int)c->threads,
				 .fail_fast = c->fail_fast, .quiet = c->quiet,
				 .checkpoint_every = c->checkpoint_every,
				 .resume = c->checkpoint_every > 0 && !series_again(c),
				 .again = series_again(c),
				 .sim = { .ranks = (int)c->ranks, .hostfile = c->hostfile,
					  .hosts = c->hosts, .options = c->mpirun } };
}

/* Says where in the series an experiment stands, and what is still after it. */
static char *series_position(const struct series *b, const struct entry *e, double *after_s)
{
	*after_s = 0;
	for (const struct entry *later = e + 1; later < b->entries + b->n; later++)
		*after_s += later->estimate.seconds + later->tuning.seconds;
	return b->n > 1 ? xasprintf("experiment %zu of %zu, ", (size_t)(e - b->entries) + 1, b->n)
			: NULL;
}

/* The runs that choose settings, before those that have them. */
static int series_run_tuning(const struct series *b, struct entry *e)
{
	struct plan *t = &e->plan.tuning->plan;
	struct pool_conf n = series_conf(b);
	char *where = series_position(b, e, &n.after_s);
	char *position = xasprintf("%s%s, ", where ? where : "", t->stage);
	int code = EXIT_OK;

	n.position = position;
	n.after_s += e->estimate.seconds;
	n.estimate = b->conf->quiet ? NULL : &e->tuning;
	n.check = tuning_check_measure;
	n.check_of = &e->plan;
	if (plan_count(t, RUN_TODO))
		code = plan_run(t, &n);
	free(where);
	free(position);
	if (signal_caught || code == EXIT_DIE)
		return code;
	if (e->plan.tuning->unmeasured)
		return EXIT_BAD;
	if (plan_failed(t) && b->conf->fail_fast)
		return EXIT_BAD;
	return tuning_end(&e->plan, series_again(b->conf)) < 0 ? EXIT_BAD : EXIT_OK;
}

static void series_announce_tuning(const struct series *b, const struct plan *p)
{
	if (!b->conf->quiet)
		note_own(tuning_text(p));
}

int series_run(const struct series *b, struct entry *e)
{
	struct pool_conf n = series_conf(b);
	char *where;
	int code = e->plan.tuning ? series_run_tuning(b, e) : EXIT_OK;

	if (code != EXIT_OK)
		return code;
	series_announce_tuning(b, &e->plan);
	where = series_position(b, e, &n.after_s);
	n.position = where;
	n.estimate = b->conf->quiet ? NULL : &e->estimate;
	code = plan_run(&e->plan, &n);
	free(where);
	return code;
}
