/* `convoy decide`: seeds for the undecided claims of experiments, under one budget. */
#include "cmd/decide_opts.h"

#include "cmd/cmd.h"
#include "cmd/common.h"
#include "cmd/opts.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "data/data.h"
#include "runner/results/folder.h"

#include <stdio.h>
#include <stdlib.h>

struct conf {
	char *scale, *out, *budget;
	int64_t max_seeds, jobs, threads;
	double checkpoint_every;
	bool dry_run, json, quiet, v;
};

static const struct opt opts[] = {
	OPT_TEXT(struct conf, scale, "which of the experiment's scales", "SCALE"),
	OUT_OPT(struct conf),
	DECIDE_OPTS(struct conf),
	OPT_NUMBER(struct conf, jobs, "0", "runs at once; 0: all cores if timing-only, else 1", "N",
		   0, 4096),
	OPT_NUMBER(struct conf, threads, "0",
		   "compute threads of a run; 0: the cores left by jobs", "N", 0, 4096),
	CHECKPOINT_OPT(struct conf, "300"),
	OPT_FLAG(struct conf, dry_run, "print what it may take; run and write nothing"),
	OPT_FLAG(struct conf, json, "claims as JSON on stdout, a list an experiment"),
	QUIET_OPT(struct conf),
	OPT_FLAG(struct conf, v, "claims with their groups, seeds, looks and criteria"),
	{ 0 }
};

static const char about[] =
	"Adds seeds to finished experiments until their claims are decided: each claim holds,\n"
	"fails, or has used its seeds. The claim that is most likely to be decided for its time\n"
	"comes first, of all experiments named. Looks at the intervals are planned, at 3, 4, 6, 8\n"
	"and 12 seeds, with levels that keep the error of all of them together at most 5 %: see\n"
	"docs/deciding.md. A claim that the largest number of seeds is not expected to decide is\n"
	"closed, and costs nothing more. The same command resumes what was interrupted.\n"
	"\n"
	"Exit codes: as those of 'convoy run'.\n"
	"\n"
	"Examples:\n"
	"  convoy decide slow-worker\n"
	"  convoy decide convergence nodes --budget 2h\n"
	"  convoy decide convergence --max-seeds 24 --dry-run";

struct experiment {
	struct plan plan;
	struct plan_request request;
	struct last last;       /* that the request borrows from */
};

/* Reads an experiment whose own runs are finished. 0 or error(). */
static int experiment_read(struct experiment *e, const struct args *a, const char *name,
			   const struct decide_conf *dc)
{
	const struct conf *c = a->conf;
	size_t missing;

	e->request = (struct plan_request){ .experiment = name, .scale = c->scale, .set = a->set,
					    .out = results_folder(c->out) };
	if (!a->set->child && latest_find(&e->last, &e->request, true) < 0)
		return -1;
	if (e->last.set && json_get(e->last.set, "seed"))
		return error("%s: its last results have the seeds of a command line, %s, but looks "
			     "choose theirs; 'convoy run %s --decide' takes those of the spec",
			     name, json_word(e->last.set, "seed"), name);
	if (plan_make(&e->plan, &e->request) < 0 || decide_check(&e->plan, dc) < 0)
		return -1;
	missing = plan_lacks_own(&e->plan);
	if (plan_count(&e->plan, RUN_FINISHED) == 0)
		return latest_error(&e->plan, e->request.out), -1;
	if (missing)
		return error("%s: %zu of its own runs %s missing; 'convoy run %s' makes them",
			     e->plan.spec.name, missing, missing == 1 ? "is" : "are", name);
	if (!json_get(e->plan.spec.json, "claims"))
		return error("%s has no claims: there is nothing to decide", e->plan.spec.name);
	return 0;
}

/* Seeds of a look that was interrupted. An exit code as plan_run(). */
static int experiment_resume(struct experiment *e, const struct decide_conf *c)
{
	struct pool_conf pool = c->pool;

	return plan_count(&e->plan, RUN_TODO) ? plan_run(&e->plan, &pool) : EXIT_OK;
}

/* Writes tables, claims and plots, and prints claims. 0 or error(), also where a filter fails. */
static int experiment_write(struct deciding *d, const struct conf *c)
{
	struct outcome *o = &d->outcome;
	scoped_by(texts_release) struct texts plots = { 0 };
	int ret = -1;

	if (outcome_write(o, d->plan) == 0 &&
	    draw_plots(d->plan, o, NULL, "svg", NULL, &plots) == 0)
		ret = 0;
	if (ret == 0 && c->json) {
		json_print_own(verdicts_json(o->claims));
	} else if (ret == 0) {
		o->claims->brief = !c->v;
		printf("%s, scale %s\n", d->plan->spec.name, d->plan->spec.scale);
		verdicts_print(o->claims, stdout);
	}
	return ret < 0 ? -1 : verdicts_check(o->claims, d->plan->spec.name);
}

static int decide_all(struct experiment *e, size_t n, const struct conf *c,
		      const struct decide_conf *dc)
{
	scoped struct deciding *d = xcalloc(n, sizeof(*d));
	int code = EXIT_OK;
	bool bad = false;

	/* One that cannot be decided does not keep the others from it. */
	for (size_t i = 0; i < n && (code == EXIT_OK || code == EXIT_BAD); i++) {
		code = experiment_resume(&e[i], dc);
		if ((code == EXIT_OK || code == EXIT_BAD) &&
		    decide_begin(&d[i], &e[i].plan, dc, false) < 0)
			d[i].ended = bad = true;
	}
	if (code == EXIT_OK || code == EXIT_BAD)
		code = decide_run(d, n, dc);
	if (code == EXIT_OK && bad)
		code = EXIT_BAD;
	for (size_t i = 0; i < n; i++) {
		if (d[i].read && !c->quiet)
			decide_say(&d[i]);
		if (d[i].read && experiment_write(&d[i], c) < 0)
			code = code == EXIT_OK ? EXIT_BAD : code;
		decide_end(&d[i]);
	}
	return code;
}

static int decide(const struct args *a)
{
	const struct conf *c = a->conf;
	struct decide_conf dc = { .pool = { .jobs = (int)c->jobs, .threads = (int)c->threads,
					    .quiet = c->quiet, .unannounced = true,
					    .checkpoint_every = c->checkpoint_every,
					    .resume = c->checkpoint_every > 0 } };
	scoped struct experiment *e = NULL;
	int code = EXIT_OK;

	if (!a->nwords)
		return args_usage(a, "no experiment is named. 'convoy list experiments' names "
				     "them");
	if (decide_options(&dc, c->max_seeds, c->budget) < 0)
		return EXIT_USAGE;
	if (c->dry_run)
		dataset_plan_only();
	e = xcalloc(a->nwords, sizeof(*e));
	for (size_t i = 0; i < a->nwords; i++)
		if (experiment_read(&e[i], a, a->words[i], &dc) < 0)
			code = EXIT_BAD;
	for (size_t i = 0; i < a->nwords && c->dry_run && code == EXIT_OK; i++) {
		printf("%s, scale %s\n", e[i].plan.spec.name, e[i].plan.spec.scale);
		code = decide_print_plan(&e[i].plan, &dc, false) < 0 ? EXIT_BAD : code;
	}
	if (code == EXIT_OK && !c->dry_run)
		code = decide_all(e, a->nwords, c, &dc);
	for (size_t i = 0; i < a->nwords; i++) {
		plan_release(&e[i].plan);
		latest_release(&e[i].last);
	}
	return code;
}

const struct syntax cmd_decide = {
	.opts = opts, .conf_size = sizeof(struct conf), .settings = true, .code = true,
	.ranks = RANKS_REFUSED,
	.usage = "decide EXPERIMENT... [--max-seeds N] [--budget TIME] [--scale SCALE] [OPTIONS]",
	.about = about, .run = decide,
};
