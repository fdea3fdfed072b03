/* `convoy tune`: compute groups, momentum and learning rate, found as Omnivore finds them. */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "cmd/opts.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/members.h"
#include "core/text/word.h"
#include "data/data.h"
#include "report/text/say.h"
#include "runner/results/folder.h"
#include "runner/results/outcome.h"
#include "runner/single_run/single.h"
#include "study/tune.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct conf {
	char *out, *groups;
	double budget, probe;
	struct opt_doubles rates, momenta;
	int64_t rounds, jobs, threads;
	bool refine, exhaustive, retrain, dry_run, json, quiet;
};

static const struct opt opts[] = {
	OPT_TEXT(struct conf, groups, "numbers of compute groups to try, doubling; else 1..WORKERS",
		 "FROM..TO"),
	OPT_NUMBER(struct conf, budget, "0", "virtual seconds of a run; 0: those of 1000 updates",
		   "SECONDS", 0, 1e15),
	OPT_NUMBER(struct conf, probe, "0.2", "length of a probe, as a share of the budget",
		   "SHARE", 1e-6, 1),
	{ "rates", OPT_AT(DOUBLES, struct conf, rates), "0.1/0.01/0.001/0.0001",
	  "learning rates to try first", "LR/LR...", 0, 0, NULL, 0 },
	{ "momenta", OPT_AT(DOUBLES, struct conf, momenta), "0/0.3/0.6/0.9",
	  "momenta to try; the first probes use the highest", "MU/MU...", 0, 0, NULL, 0 },
	OPT_FLAG(struct conf, refine, "more probes around the best momentum, 0.1 apart"),
	OPT_NUMBER(struct conf, rounds, "1", "rounds of probes and a run from the last model", "N",
		   0, 1000),
	OPT_FLAG(struct conf, exhaustive, "run all combinations too, each for the whole budget"),
	OUT_OPT(struct conf),
	OPT_NUMBER(struct conf, jobs, "1", "runs of --exhaustive at once", "N", 1, 4096),
	ALL_THREADS_OPT(struct conf),
	RETRAIN_OPT(struct conf),
	OPT_FLAG(struct conf, dry_run, "print what would be tried, run and write nothing"),
	OPT_FLAG(struct conf, json, "one JSON object on stdout"),
	QUIET_OPT(struct conf),
	{ 0 }
};

static const char about[] =
	"Finds the number of compute groups (convoy show algo groups), momentum and learning rate\n"
	"by Omnivore's method (Hadjis et al. 2016), in virtual time. --batch and --compute-s are\n"
	"of a whole update; the workers of a group divide both.\n"
	"\n"
	"First, timing-only runs measure the seconds of an update for each number of groups. Then\n"
	"short probes choose the learning rate and momentum with the least training loss, for one\n"
	"group and for more, until an update is less than a tenth faster than with fewer groups.\n"
	"Last come a run with the best settings and one with those of the command line (--algo\n"
	"groups:groups=G, --lr, --optim). docs/tune.md explains each step. Every run is a result\n"
	"file like those of 'convoy sim', so the same command finds it again.\n"
	"\n"
	"Examples:\n"
	"  convoy tune --net logistic --workers 16 --batch 64 --compute-s 1\n"
	"  convoy tune --net logistic --workers 16 --batch 64 --compute-s 1 --dry-run\n"
	"  convoy tune --net mlp --data mnist --workers 16 --batch 64 --compute-s 1.1 \\\n"
	"              --link nic:bandwidth_GBps=0.0139 --algo groups:groups=16 --lr 0.01\n"
	"  convoy tune --net lenet --data mnist --workers 8 --batch 64 --groups 1..4 \\\n"
	"              --budget 600 --exhaustive --json";

/* ---- the search as text ---- */

static void print_lists(const struct tune *t)
{
	const double budget = t->budget > 0 ? t->budget : TUNE_UPDATES;

	say("%lld worker%s, updates of %lld samples; runs of %.9g and probes of %.6g %s\n",
	    (long long)t->workers, word_plural((double)t->workers),
	    (long long)t->batch * t->accumulate, budget, t->share * budget,
	    t->budget > 0 ? "simulated seconds" : "updates of the fewest groups");
	for (size_t i = 0; i < t->rates.n; i++)
		say("%s %g", i ? "" : "learning rates", t->rates.v[i]);
	for (size_t i = 0; i < t->momenta.n; i++)
		say("%s %g", i ? "" : "; momenta", t->momenta.v[i]);
	say("\n\n");
}

static void print_updates(const struct tune *t)
{
	printf("groups  seconds of an update\n");
	for (size_t i = 0; i < t->ngroups; i++)
		printf("%6lld  %.6g\n", (long long)t->groups[i], t->update_s[i]);
}

static void print_ready(const struct tune *t)
{
	print_lists(t);
	print_updates(t);
	printf("\n%-10s %6s %8s %13s %10s %10s\n", "phase", "groups", "momentum", "learning rate",
	       "loss", "seconds");
	fflush(stdout);
}

static void print_attempt(const struct attempt *a)
{
	if (a->phase == TUNE_EXHAUSTIVE)
		return;
	printf("%-10s %6lld %8g %13g ", tune_phase_names[a->phase], (long long)a->trial.groups,
	       a->trial.momentum, a->trial.lr);
	if (isfinite(a->loss))
		printf("%10.4g", a->loss);
	else
		printf("%10s", "diverged");
	printf(" %10.6g\n", a->time_s);
	fflush(stdout);
}

static void print_trial(const struct trial *a)
{
	say("%lld group%s, momentum %g, learning rate %g", (long long)a->groups,
	    word_plural((double)a->groups), a->momentum, a->lr);
}

static void print_cost(const char *title, const struct cost *c)
{
	say("%s: %zu run%s, ", title, c->runs, word_plural((double)c->runs));
	if (c->timing)
		say("and %zu timing-only, ", c->timing);
	say("%.6g simulated seconds, %.0f gradients, %.0f samples", c->seconds, c->gradients,
	    c->samples);
}

static void print_loss(const char *title, double loss)
{
	if (isfinite(loss))
		say("%s %.4g", title, loss);
	else
		say("%s diverged", title);
}

static void print_time(double time)
{
	if (isfinite(time))
		say("after %.6g s", time);
	else
		say("never");
}

static void print_race(const struct tune *t)
{
	const struct race r = tune_race(t);

	print_loss("\nin the end: tuned", t->all[t->tuned].loss);
	print_loss(", untuned", t->all[t->untuned_run].loss);
	say("\n");
	if (!isfinite(r.loss))
		return;
	say("a loss of %.4g: tuned ", r.loss);
	print_time(r.tuned_s);
	say(", untuned (");
	print_trial(&t->untuned);
	say(") ");
	print_time(r.untuned_s);
	if (isfinite(r.untuned_s) && isfinite(r.tuned_s))
		say(": a factor of %.3g\n", r.untuned_s / r.tuned_s);
	else
		say(isfinite(r.tuned_s) ? ": an infinite factor\n" : "\n");
}

static void print_exhaustive(const struct tune *t, const struct cost *search)
{
	const struct cost all = tune_cost(t, true);
	const struct attempt *best = tune_exhaustive_best(t);

	print_cost("exhaustive search", &all);
	say("\n");
	if (!best) {
		say("all of it diverged\n");
		return;
	}
	say("its best: ");
	print_trial(&best->trial);
	say(": a loss of %.4g; ", best->loss);
	print_loss("the run with what was chosen:", t->all[t->tuned].loss);
	say("\nthe search took %.3g %% of its simulated seconds, %.3g %% of its samples\n",
	    100.0 * search->seconds / all.seconds, 100.0 * search->samples / all.samples);
}

/* Simulated seconds of the runs that end the rounds, each of which begins where the last ended. */
static double steady_s(const struct tune *t)
{
	double sum = 0;

	for (size_t i = 0; i < t->n; i++)
		sum += t->all[i].phase == TUNE_STEADY_RUN ? t->all[i].time_s : 0;
	return sum;
}

static void print_found(const struct tune *t, double wall_s)
{
	const struct cost search = tune_cost(t, false);
	const struct attempt *a = &t->all[t->chosen];

	say("\nchosen: ");
	print_trial(&a->trial);
	say(": the least loss of all probes, %.4g\n", a->loss);
	if (t->saturated < t->ngroups)
		say("%lld groups and more were not tried: an update is not a tenth faster than "
		    "with %lld\n", (long long)t->groups[t->saturated],
		    (long long)t->groups[t->saturated - 1]);
	print_race(t);
	if (t->steady != SIZE_MAX) {
		a = &t->all[t->steady];
		say("steady state: ");
		print_trial(&a->trial);
		if (isfinite(a->loss))
			say(": a loss of %.4g after another %.6g s\n", a->loss, steady_s(t));
		else
			say(": diverged after another %.6g s\n", steady_s(t));
	}
	say("\n");
	print_cost("search", &search);
	if (t->before)
		say("; %zu result%s of earlier commands used, the rest took %.3g s here\n",
		    t->before, word_plural((double)t->before), wall_s);
	else
		say("; all took %.3g s here\n", wall_s);
	if (tune_cost(t, true).runs)
		print_exhaustive(t, &search);
}

/* ---- as JSON ---- */

static cJSON *trial_json(const struct trial *a)
{
	return OBJECT(j_number("groups", (double)a->groups), j_number("momentum", a->momentum),
		      j_number("lr", a->lr));
}

static cJSON *attempt_json(const struct attempt *a)
{
	return !a ? NULL
		  : ADD(trial_json(&a->trial), j_text("phase", tune_phase_names[a->phase]),
			j_number("loss", a->loss), j_number("time_s", a->time_s),
			j_number("gradients", a->gradients), j_number("samples", a->samples),
			j_text("file", a->file));
}

static cJSON *cost_json(const struct cost *c)
{
	return OBJECT(j_number("runs", (double)c->runs),
		      j_number("timing_runs", (double)c->timing), j_number("seconds", c->seconds),
		      j_number("gradients", c->gradients), j_number("samples", c->samples));
}

static cJSON *tune_json(const struct tune *t, double wall_s)
{
	const struct cost search = tune_cost(t, false), all = tune_cost(t, true);
	const struct race r = tune_race(t);
	cJSON *hardware = cJSON_CreateArray(), *runs = cJSON_CreateArray(), *json;

	for (size_t i = 0; i < t->ngroups; i++)
		list_add(hardware, OBJECT(j_number("groups", (double)t->groups[i]),
					  j_number("update_s", t->update_s[i]),
					  j_bool("tried", i < t->saturated)));
	for (size_t i = 0; i < t->n; i++)
		list_add(runs, attempt_json(&t->all[i]));
	json = OBJECT(
		j_json("hardware", hardware), j_number("budget_s", t->budget), j_json("runs", runs),
		j_json("chosen", attempt_json(&t->all[t->chosen])),
		j_json("untuned", trial_json(&t->untuned)), j_number("to_loss", r.loss),
		j_number("tuned_s", r.tuned_s), j_number("untuned_s", r.untuned_s),
		j_number("factor", r.untuned_s / r.tuned_s),
		j_json("steady", attempt_json(t->steady == SIZE_MAX ? NULL : &t->all[t->steady])),
		j_json("cost", cost_json(&search)), j_number("finished_before", (double)t->before),
		j_number("wall_s", wall_s));
	if (all.runs)
		ADD(json, j_json("exhaustive", OBJECT(
			j_json("cost", cost_json(&all)),
			j_number("search_share_of_seconds", search.seconds / all.seconds),
			j_number("search_share_of_samples", search.samples / all.samples),
			j_json("best", attempt_json(tune_exhaustive_best(t))))));
	return json;
}

/* ---- before the search ---- */

static void print_foresight(const struct tune *t, const struct foresight *f)
{
	const struct {
		const char *name;
		size_t runs;
	} phases[] = {
		{ "refined", f->refined }, { "tuned and untuned", f->tuned },
		{ "steady state", f->steady }, { "exhaustive", f->exhaustive },
	};
	char *takes = estimate_text(&f->estimate);

	print_lists(t);
	if (f->timed) {
		print_updates(t);
	} else {
		printf("numbers of groups:");
		for (size_t i = 0; i < t->ngroups; i++)
			printf(" %lld", (long long)t->groups[i]);
		printf("\n");
	}
	say("\nat first: %zu timing-only runs, %zu of them finished; then the probes\n",
	    f->timing_runs, f->timing_finished);
	printf("groups  momentum  learning rate\n");
	for (size_t i = 0; i < t->rates.n; i++)
		printf("%6lld  %8g  %9g\n", (long long)f->first[i].groups, f->first[i].momentum,
		       f->first[i].lr);
	printf("these probes: %s\n\n", takes ? takes : "finished");
	free(takes);
	printf("at most %zu training runs: cold start %zu", f->all, f->cold);
	for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++)
		if (phases[i].runs)
			printf(", %s %zu", phases[i].name, phases[i].runs);
	printf("\ninto %s/sim\n", t->out);
	if (f->plan.n) {
		printf("\nsettings of the probes\n");
		settings_table_of_plan(&f->plan);
	}
}

static cJSON *foresight_json(const struct tune *t, const struct foresight *f)
{
	scoped double *groups = xcalloc(t->ngroups, sizeof(*groups));
	cJSON *first = cJSON_CreateArray();

	for (size_t i = 0; i < t->ngroups; i++)
		groups[i] = (double)t->groups[i];
	for (size_t i = 0; i < t->rates.n; i++)
		list_add(first, trial_json(&f->first[i]));
	return OBJECT(
		j_numbers("groups", groups, t->ngroups), j_numbers("rates", t->rates.v, t->rates.n),
		j_numbers("momenta", t->momenta.v, t->momenta.n),
		t->budget > 0 ? j_number("budget_s", t->budget) : j_null("budget_s"),
		j_number("timing_runs", (double)f->timing_runs),
		j_number("timing_finished", (double)f->timing_finished), j_json("first", first),
		j_json("estimate", estimate_json(&f->estimate)),
		j_json("at_most", OBJECT(j_number("cold", (double)f->cold),
					 j_number("refined", (double)f->refined),
					 j_number("tuned", (double)f->tuned),
					 j_number("steady", (double)f->steady),
					 j_number("exhaustive", (double)f->exhaustive),
					 j_number("all", (double)f->all))));
}

/* ---- the command ---- */

static int tune_dry_run(struct tune *t, bool as_json)
{
	scoped_by(foresight_release) struct foresight f;
	int ret = tune_foresee(t, &f);

	if (ret == 0 && as_json)
		json_print_own(foresight_json(t, &f));
	else if (ret == 0)
		print_foresight(t, &f);
	if (ret == 0)
		ret = plan_look_data(&f.plan);
	return ret < 0 ? EXIT_BAD : EXIT_OK;
}

static int tune(const struct args *a)
{
	const struct conf *c = a->conf;
	scoped_by(tune_release) struct tune t = {
		.out = results_folder(c->out), .budget = c->budget, .share = c->probe,
		.rates = c->rates, .momenta = c->momenta, .refine = c->refine,
		.exhaustive = c->exhaustive, .rounds = c->rounds,
		.ready = c->json ? NULL : print_ready, .made = c->json ? NULL : print_attempt,
		.conf = { .jobs = (int)c->jobs, .threads = (int)c->threads,
			  .quiet = c->quiet, .retrain = c->retrain },
	};
	const double began = clock_s();
	int code = EXIT_BAD;

	if (c->dry_run)
		dataset_plan_only();
	if (tune_open(&t, c->groups, a->set) == 0)
		code = c->dry_run ? tune_dry_run(&t, c->json) : tune_search(&t);
	if (code == EXIT_OK && !c->dry_run) {
		if (c->json)
			json_print_own(tune_json(&t, clock_s() - began));
		else
			print_found(&t, clock_s() - began);
		if (!isfinite(t.all[t.tuned].loss)) {
			error("the run with the chosen settings diverged, as no probe of them did. "
			      "Lower --rates, or make probes longer with --probe");
			code = EXIT_BAD;
		}
	}
	return code;
}

const struct syntax cmd_tune = {
	.opts = opts, .conf_size = sizeof(struct conf), .none = true, .settings = true,
	.code = true, .ranks = RANKS_REFUSED,
	.common = "workers net data batch cluster compute_s link seed",
	.usage = "tune [--SETTING VALUE]... [--groups FROM..TO] [OPTIONS]",
	.about = about, .run = tune,
};
