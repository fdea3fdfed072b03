/* `convoy tune`: compute groups, momentum and learning rate, found as Omnivore finds them. */
#include "study/tune/tune.h"

#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/opts.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/math/median.h"
#include "core/text/opt_text.h"
#include "data/data.h"
#include "runner/launch/world.h"
#include "runner/results/folder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct conf {
	char *out, *groups;
	double budget, probe;
	struct opt_doubles rates, momenta;
	int64_t rounds, jobs, threads;
	bool refine, exhaustive, dry_run, json, quiet;
};

static const struct opt opts[] = {
	OPT_TEXT(struct conf, groups, "numbers of groups to try, doubling; else 1..WORKERS",
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
	OPT_NUMBER(struct conf, jobs, "0", "runs of --exhaustive at once; 0: 1", "N", 0, 4096),
	ALL_THREADS_OPT(struct conf),
	OPT_FLAG(struct conf, dry_run, "print what would be tried, run and write nothing"),
	OPT_FLAG(struct conf, json, "one JSON object on stdout"),
	QUIET_OPT(struct conf),
	{ 0 }
};

static const char about[] =
	"Finds the number of compute groups (convoy show algo groups), momentum and learning rate\n"
	"by Omnivore's method (Hadjis et al. 2016), in virtual time. --batch is the batch of an\n"
	"update: the workers of a group split it, and also a given --compute-s.\n"
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

/* ---- what is tuned ---- */

static int tune_check_settings(const cJSON *set)
{
	static const struct {
		const char *key, *why;
	} own[] = {
		{ "epochs", "--budget says how long runs are" },
		{ "seconds", "--budget says how long runs are" },
		{ "gradients", "--budget says how long runs are" },
		{ "timing", "tune compares training losses" },
		{ "samples", "tune compares training losses" },
		{ "train_every", "curves have a hundred rows" },
		{ "engine", "runs are simulated" },
		{ "init", "runs begin at the seed's model" },
		{ "keep_model", "tune keeps the models that it needs" },
	};

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (json_get(set, own[i].key))
			return error("%s: not for tune: %s", own[i].key, own[i].why);
	return 0;
}

static void add_default(cJSON *base, const char *key, const char *value)
{
	if (!json_get(base, key))
		cJSON_AddStringToObject(base, key, value);
}

/* The settings of every run: those given, but what is tuned; nothing is evaluated on the way. */
static cJSON *base_of(const cJSON *set)
{
	static const char *const tuned[] = { "algo", "batch", "lr", "optim", "compute_s" };
	cJSON *base = cJSON_Duplicate(set, true);

	for (size_t i = 0; i < sizeof(tuned) / sizeof(tuned[0]); i++)
		cJSON_DeleteItemFromObjectCaseSensitive(base, tuned[i]);
	add_default(base, "eval_every", "0");
	add_default(base, "eval_samples", "256");
	add_default(base, "measures", "none");
	return base;
}

/* The number that an option of a plug-in has; `missing` where it has none. 0 or error(). */
static int option_number(const struct choice *c, const char *key, const char *what, double *v)
{
	const struct opt *opt = c->plugin->opts ? opt_find(c->plugin->opts, key) : NULL;
	char *text;

	if (!opt)
		return error("%s %s has no %s to tune", what, c->plugin->name, key);
	text = opt_format(opt, c->conf);
	if (!text_double(text, v))
		BUG("%s is no number: %s", key, text);
	free(text);
	return 0;
}

static int read_untuned(struct tune *t, const struct setup *su)
{
	double groups;

	if (strcmp(su->algo.plugin->name, "groups") != 0)
		return error("algo %s: compute groups are tuned; groups:groups=G says how many the "
			     "untuned run has", su->algo.plugin->name);
	if (option_number(&su->algo, "groups", "algo", &groups) < 0 ||
	    option_number(&su->optim, "momentum", "optim", &t->untuned.momentum) < 0)
		return -1;
	t->untuned.groups = (int64_t)groups;
	t->untuned.lr = su->in.lr;
	return 0;
}

/* True when so many groups are equal, and split a batch evenly. */
static bool tune_fits(const struct tune *t, int64_t groups)
{
	return t->workers % groups == 0 && t->batch % (t->workers / groups) == 0;
}

static int read_groups(struct tune *t, const char *text)
{
	long long from = 1, to = t->workers;
	char rest;

	if (text && (sscanf(text, "%lld..%lld%c", &from, &to, &rest) != 2 || from < 1 || to < from))
		return error("--groups '%s': expected FROM..TO, such as 1..8", text);
	for (long long g = from; g <= to && g <= t->workers; g *= 2)
		if (tune_fits(t, g)) {
			t->groups = xrealloc(t->groups, t->ngroups + 1, sizeof(*t->groups));
			t->groups[t->ngroups++] = g;
		}
	if (!t->ngroups || !tune_fits(t, t->untuned.groups))
		return error("%lld workers and a batch of %lld: no equal groups that split it "
			     "evenly",
			     (long long)t->workers, (long long)t->batch);
	t->update_s = xcalloc(t->ngroups, sizeof(*t->update_s));
	return 0;
}

static int read_setup(struct tune *t, struct setup *su, const cJSON *set)
{
	if (settings_apply(&su->in, set, "command line") < 0)
		return -1;
	if (!json_get(set, "algo") && settings_set(&su->in, "algo", "groups", "command line") < 0)
		return -1;
	su->in.timing = true;   /* samples are counted, and nothing is opened */
	if (setup_resolve(su) < 0 || read_untuned(t, su) < 0)
		return -1;
	t->workers = su->num.workers;
	t->batch = su->in.batch;
	t->samples = (double)su->samples;
	t->compute_s = setup_is_auto(su->in.compute_s) || su->times.n ? 0.0 : su->num.compute_s;
	t->optim = su->optim;
	su->optim = (struct choice){ 0 };
	return 0;
}

static int read_lists(struct tune *t, struct conf *c)
{
	const double most = opt_find(settings_opts, "lr")->max;

	if (!c->rates.n || !c->momenta.n)
		return error("--rates and --momenta: one number at least");
	sort_doubles(c->rates.v, c->rates.n);
	sort_doubles(c->momenta.v, c->momenta.n);
	if (c->rates.v[0] <= 0)
		return error("--rates: a learning rate must be above 0");
	if (c->rates.v[c->rates.n - 1] > most)
		return error("--rates: a learning rate must be at most %g", most);
	for (size_t i = 0; i < c->rates.n / 2; i++) {
		const double low = c->rates.v[i];

		c->rates.v[i] = c->rates.v[c->rates.n - 1 - i];
		c->rates.v[c->rates.n - 1 - i] = low;
	}
	t->rates = c->rates;
	t->momenta = c->momenta;
	return 0;
}

/* 0, or error() if a momentum is not one of the optimiser's. */
static int check_momenta(const struct tune *t)
{
	const struct opt *opt = opt_find(t->optim.plugin->opts, "momentum");

	for (size_t i = 0; i < t->momenta.n; i++)
		if (t->momenta.v[i] < opt->min || t->momenta.v[i] > opt->max)
			return error("--momenta: %.15g is no momentum of %s (expected %g to %g)",
				     t->momenta.v[i], t->optim.plugin->name, opt->min, opt->max);
	return 0;
}

static int tune_open(struct tune *t, struct conf *c, const cJSON *set)
{
	struct setup su;
	int ret = -1;

	setup_init(&su);
	if (tune_check_settings(set) == 0 && read_lists(t, c) == 0 &&
	    read_setup(t, &su, set) == 0 && check_momenta(t) == 0)
		ret = read_groups(t, c->groups);
	setup_release(&su);
	t->base = base_of(set);
	return ret;
}

static void tune_release(struct tune *t)
{
	for (size_t i = 0; i < t->n; i++)
		cJSON_Delete(t->all[i].run);
	free(t->all);
	free(t->groups);
	free(t->update_s);
	choice_release(&t->optim);
	cJSON_Delete(t->base);
}

/* ---- the whole ---- */

/* The runs that the search is for, with what it chose and with what was given. */
static int tune_race(struct tune *t, struct search *s, bool keep)
{
	const struct trial chosen = t->all[s->chosen].trial;
	const struct request tuned = { .phase = "tuned", .seconds = t->budget, .keep = keep };
	const struct request untuned = { .phase = "untuned", .seconds = t->budget };
	int code = tune_try(t, &chosen, &tuned);

	s->tuned = t->n - 1;
	if (code == EXIT_OK)
		code = tune_try(t, &t->untuned, &untuned);
	s->untuned = t->n - 1;
	return code;
}

/* False where the last run diverged: there is no model to go on from. */
static bool goes_on(const struct tune *t, const struct search *s)
{
	return isfinite(t->all[s->steady == SIZE_MAX ? s->tuned : s->steady].loss);
}

static int tune_search(struct tune *t, struct search *s)
{
	int code = tune_hardware(t);

	if (code != EXIT_OK)
		return code;
	if (t->text)
		tune_print_plan(t);
	code = tune_cold(t, s);
	if (code == EXIT_OK)
		code = tune_race(t, s, t->rounds > 0);
	for (int64_t i = 0; i < t->rounds && code == EXIT_OK && goes_on(t, s); i++)
		code = tune_steady(t, s);
	if (code == EXIT_OK && t->exhaustive)
		code = tune_grid(t);
	return code;
}

static int tune(const struct args *a)
{
	struct conf *c = a->conf;
	struct tune t = {
		.out = results_folder(c->out), .budget = c->budget, .share = c->probe,
		.refine = c->refine, .exhaustive = c->exhaustive, .rounds = c->rounds,
		.text = !c->json, .began = time(NULL),
		.conf = { .jobs = c->jobs ? (int)c->jobs : 1, .threads = (int)c->threads,
			     .quiet = c->quiet },
	};
	struct search s = { .chosen = SIZE_MAX, .steady = SIZE_MAX };
	const double began = clock_s();
	int code = EXIT_BAD;

	if (c->dry_run)
		dataset_plan_only();
	if (tune_open(&t, c, a->set) == 0)
		code = c->dry_run ? tune_dry_run(&t) : tune_search(&t, &s);
	if (code == EXIT_OK && !c->dry_run && c->json)
		tune_print_json(&t, &s, clock_s() - began);
	else if (code == EXIT_OK && !c->dry_run)
		tune_print(&t, &s, clock_s() - began);
	if (code == EXIT_OK && !c->dry_run && !isfinite(t.all[s.tuned].loss)) {
		error("the run with the chosen settings diverged, as no probe of them did. Lower "
		      "--rates, or make probes longer with --probe");
		code = EXIT_BAD;
	}
	tune_release(&t);
	return code;
}

int cmd_tune(int argc, char **argv)
{
	struct conf conf;
	struct args a = { .opts = opts, .conf = &conf, .settings = true, .about = about,
			  .none = true,
			  .common = "workers net data batch cluster compute_s link seed",
			  .usage = "tune [--SETTING VALUE]... [--groups FROM..TO] [OPTIONS]" };

	if (world_check_alone("tune") < 0)
		return EXIT_BAD;
	return args_main(&a, argc, argv, tune);
}
