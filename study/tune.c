/*
 * tune.c - the order in which Omnivore's optimiser looks: cold start, then steady state.
 *
 * Groups are tried from one upwards. With the highest momentum the learning rate is found first;
 * more groups bring momentum of their own (Mitliagkas et al. 2016), so that none needs a higher
 * learning rate than fewer groups did, nor at the same one a higher momentum. An update not a
 * tenth faster than with fewer groups means that the server is saturated: there the search ends.
 *
 * Paper: Hadjis, Zhang, Mitliagkas, Iter, Re 2016 (Omnivore), and its authors' code.
 */
#include "study/tune.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/math/median.h"
#include "core/text/opt_text.h"
#include "study/finished_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	ROWS = 100,             /* of a run's curve ... */
	SCORED = 10,            /* ... and how many of its last ones are its score */
	ROUNDS = 4, FEWEST = 8, /* updates of each group, and of all, in half a timing-only run */
	AROUND = 4              /* refined probes around the best momentum, at most */
};

static const double
	faster = 1.10,          /* of an update, that makes more groups worth it */
	near = 1.01,            /* of the least loss: the higher learning rate is preferred */
	steady_share = 0.02,    /* of the budget, that a probe of the steady state takes ... */
	steady_rounds = 20,     /* ... and at least so many updates of each group */
	again_from = 0.6;       /* the highest momentum, where groups are halved */

const char *const tune_phase_names[] = {
	[TUNE_COLD] = "cold", [TUNE_REFINED] = "refined", [TUNE_TUNED] = "tuned",
	[TUNE_UNTUNED] = "untuned", [TUNE_STEADY] = "steady", [TUNE_STEADY_RUN] = "steady-run",
	[TUNE_EXHAUSTIVE] = "exhaustive"
};

/* ---- the settings that are tuned for ---- */

static int read_rates(struct tune *t)
{
	const double most = opt_find(settings_opts, "lr")->max;
	double *rate = t->rates.v;
	const size_t n = t->rates.n;

	if (!n || !t->momenta.n)
		return error("--rates and --momenta: one number at least");
	sort_doubles(rate, n);
	sort_doubles(t->momenta.v, t->momenta.n);
	if (rate[0] <= 0)
		return error("--rates: a learning rate must be above 0");
	if (rate[n - 1] > most)
		return error("--rates: a learning rate must be at most %g", most);
	for (size_t i = 0; i < n / 2; i++) {
		const double low_rate = rate[i];

		rate[i] = rate[n - 1 - i];
		rate[n - 1 - i] = low_rate;
	}
	return 0;
}

/* The number that an option of a plug-in has. 0 or error(). */
static int plugin_number(const struct choice *c, const char *key, const char *kind, double *v)
{
	const struct opt *opt = c->plugin->opts ? opt_find(c->plugin->opts, key) : NULL;
	scoped char *text = NULL;

	if (!opt)
		return error("%s %s has no %s to tune", kind, c->plugin->name, key);
	text = opt_format(opt, c->conf);
	if (!text_double(text, v))
		BUG("%s is no number: %s", key, text);
	return 0;
}

static int read_setup(struct tune *t, struct setup *su)
{
	const struct opt *momentum;
	double groups;

	if (settings_apply_point(&su->in, &t->base, "command line") < 0)
		return -1;
	if (!point_text(&t->base, "algo") &&
	    settings_set(&su->in, "algo", "groups", "command line") < 0)
		return -1;
	su->in.timing = true;   /* samples are counted, and nothing is opened */
	if (setup_resolve(su) < 0)
		return -1;
	if (su->model.sized.plugin)
		return error("net %s: only the size of its layers is known, so it cannot be "
			     "trained, and tune compares training losses (expected a net that "
			     "'convoy list nets' does not call timing only)", su->model.name);
	if (strcmp(su->algo.plugin->name, "groups") != 0)
		return error("algo %s: compute groups are tuned; groups:groups=G says how many the "
			     "untuned run has", su->algo.plugin->name);
	if (plugin_number(&su->algo, "groups", "algo", &groups) < 0 ||
	    plugin_number(&su->optim, "momentum", "optim", &t->untuned.momentum) < 0)
		return -1;
	t->untuned.groups = (int64_t)groups;
	t->untuned.lr = su->in.lr;
	t->workers = su->num.workers;
	t->batch = su->in.batch;
	t->accumulate = su->in.accumulate;
	t->samples = (double)su->samples;
	t->compute_s = setup_is_auto(su->in.compute_s) || su->times.n ? 0.0 : su->num.compute_s;
	t->optim = su->optim;
	su->optim = (struct choice){ 0 };
	momentum = opt_find(t->optim.plugin->opts, "momentum");
	for (size_t i = 0; i < t->momenta.n; i++)
		if (t->momenta.v[i] < momentum->min || t->momenta.v[i] > momentum->max)
			return error("--momenta: %.15g is no momentum of %s (expected %g to %g)",
				     t->momenta.v[i], t->optim.plugin->name, momentum->min,
				     momentum->max);
	return 0;
}

/* True when so many groups are equal, and split a batch evenly. */
static bool groups_fit(const struct tune *t, int64_t groups)
{
	return t->workers % groups == 0 && t->batch % (t->workers / groups) == 0;
}

static int read_groups(struct tune *t, const char *text)
{
	long long from = 1, to = t->workers, fits;
	char rest;

	if (text && (sscanf(text, "%lld..%lld%c", &from, &to, &rest) != 2 || from < 1 || to < from))
		return error("--groups '%s': expected FROM..TO, such as 1..8", text);
	for (long long g = from; g <= to && g <= t->workers; g *= 2)
		if (groups_fit(t, g))
			APPEND(t->groups, t->ngroups) = g;
	fits = t->ngroups ? t->groups[0] : from;
	while (!groups_fit(t, fits))    /* groups of one worker do */
		fits = fits < t->workers ? fits + 1 : 1;
	if (!t->ngroups)
		return error("%lld workers and a batch of %lld: no number of groups from %lld to "
			     "%lld, by doubling, gives equal groups that split it evenly. %lld do: "
			     "--groups %lld..%lld", (long long)t->workers, (long long)t->batch,
			     from, to, fits, fits, (long long)t->workers);
	if (!groups_fit(t, t->untuned.groups))
		return error("%lld workers and a batch of %lld: the untuned run's number of "
			     "groups, %lld, gives no equal groups that split it evenly. %lld do: "
			     "--algo groups:groups=%lld", (long long)t->workers,
			     (long long)t->batch, (long long)t->untuned.groups, fits, fits);
	t->update_s = xcalloc(t->ngroups, sizeof(*t->update_s));
	return 0;
}

int tune_open(struct tune *t, const char *groups, const cJSON *set)
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
	static const char *const tuned[] = { "algo", "batch", "lr", "optim", "compute_s" };
	static const struct {
		const char *key, *value;
	} defaults[] = { { "eval_every", "0" }, { "eval_samples", "256" }, { "measures", "none" } };
	struct setup su;
	int ret;

	t->chosen = t->steady = SIZE_MAX;
	t->began = time(NULL);
	t->base = point_read(set);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (point_text(&t->base, own[i].key))
			return error("%s: not for tune: %s", own[i].key, own[i].why);
	setup_init(&su);
	ret = read_rates(t) == 0 && read_setup(t, &su) == 0 ? read_groups(t, groups) : -1;
	setup_release(&su);
	for (size_t i = 0; i < sizeof(tuned) / sizeof(tuned[0]); i++)
		point_drop(&t->base, tuned[i]);
	/* nothing is evaluated on the way */
	for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++)
		if (!point_text(&t->base, defaults[i].key))
			point_put_text(&t->base, defaults[i].key, defaults[i].value);
	return ret;
}

void tune_release(struct tune *t)
{
	for (size_t i = 0; i < t->n; i++)
		free_all(t->all[i].file, t->all[i].loss_at, t->all[i].time_at);
	free_all(t->all, t->groups, t->update_s);
	choice_release(&t->optim);
	point_release(&t->base);
}

/* ---- settings of a run ---- */

struct request {                /* of an attempt */
	enum tune_phase phase;
	double seconds;         /* simulated */
	const char *from;       /* the result file whose final model it begins at, or NULL */
	bool keep;              /* its final model is kept in its file */
};

/* A group's workers share its batch, and the seconds that one would compute on it. */
static struct grid_point groups_point(const struct tune *t, int64_t groups)
{
	const int64_t size = t->workers / groups, batch = t->batch / size;
	struct grid_point point = { 0 };

	point_put_last(&point, "algo", xasprintf("groups:groups=%lld", (long long)groups));
	point_put_number(&point, "batch", (double)batch);
	if (t->compute_s > 0)
		point_put_number(&point, "compute_s", t->compute_s / (double)size);
	return point;
}

/* Without its length. */
static struct grid_point trial_point(const struct tune *t, const struct trial *trial)
{
	const struct plugin *const only[] = { t->optim.plugin, NULL };
	scoped char *whole = choice_format(&t->optim), *momentum = double_text(trial->momentum);
	struct grid_point point = groups_point(t, trial->groups);
	scoped_by(choice_release) struct choice optim = { 0 };

	if (choice_parse(&optim, only, "optimiser", whole) < 0 ||
	    opt_set(optim.plugin->opts, optim.conf, "momentum", momentum, "tune") < 0)
		BUG("an optimiser does not take its own settings: %s", whole);
	point_put_number(&point, "lr", trial->lr);
	point_put_last(&point, "optim", choice_format(&optim));
	return point;
}

/* Seconds of an update; 0: not known yet. */
static double trial_update_s(const struct tune *t, const struct trial *trial)
{
	size_t i = 0;

	while (i + 1 < t->ngroups && t->groups[i] < trial->groups)
		i++;
	return t->update_s[i];
}

static struct grid_point request_point(const struct tune *t, const struct trial *trial,
				       const struct request *r)
{
	const double each = fmax(1.0, floor(r->seconds / trial_update_s(t, trial) / ROWS));
	struct grid_point point = trial_point(t, trial);

	point_put_number(&point, "seconds", r->seconds);
	point_put_number(&point, "train_every",
			 each * (double)(t->batch * t->accumulate) / t->samples);
	if (r->from)
		point_put_text(&point, "init", r->from);
	if (r->keep)
		point_put(&point, "keep_model", (struct value){ "true", VALUE_BOOL });
	return point;
}

/* A timing-only run of so many updates of all groups together. */
static struct grid_point timing_point(const struct tune *t, int64_t groups, int64_t updates)
{
	struct grid_point point = groups_point(t, groups);
	const int64_t size = t->workers / groups;

	point_put(&point, "timing", (struct value){ "true", VALUE_BOOL });
	point_put_number(&point, "gradients", (double)(updates * size));
	return point;
}

/* ---- runs ---- */

/* Makes the runs at the points, which are taken over. An exit code; plan_release() either way. */
static int tune_make(struct tune *t, struct plan *p, struct points *points, bool quiet)
{
	struct pool_conf n = t->conf;
	int code;

	n.quiet = n.quiet || quiet;
	if (plan_from_points(p, &t->base, points, t->out) < 0)
		return EXIT_BAD;
	/* runs that an earlier command has made: this one may make a run, and find it again */
	for (size_t i = 0; i < p->n; i++) {
		struct stat st;

		t->before += p->runs[i].state == RUN_FINISHED && p->runs[i].same_as == i &&
			     stat(p->runs[i].path, &st) == 0 && st.st_mtime < t->began;
	}
	code = quiet && plan_count(p, RUN_TODO) == 0 ? EXIT_OK : plan_run(p, &n);
	return code == EXIT_OK && plan_failed(p) > 0 ? EXIT_BAD : code;
}

/* Simulated seconds of a timing-only run. */
static double timing_make(struct tune *t, int64_t groups, int64_t updates, bool counted, int *code)
{
	struct finished_run run = { 0 };
	struct points points = { 0 };
	scoped_by(plan_release) struct plan p;
	double time_s;

	points_add(&points, timing_point(t, groups, updates));
	*code = tune_make(t, &p, &points, true);
	if (*code == EXIT_OK && finished_run_read(&run, p.runs[0].path) < 0)
		*code = EXIT_BAD;
	time_s = run.time_s;
	if (*code == EXIT_OK && counted) {
		t->timing_s += time_s;
		t->timing_gradients += run.gradients;
		t->timing_runs++;
	}
	finished_run_release(&run);
	return time_s;
}

/* Whole rounds of all groups, which may all come at once. */
static int64_t half_of(int64_t groups)
{
	const int64_t rounds = (FEWEST + groups - 1) / groups;

	return groups * (rounds > ROUNDS ? rounds : ROUNDS);
}

/*
 * Fills t->update_s and, where it is 0, t->budget, from timing-only runs. The second half of a run
 * tells; the first one is a run that begins alike.
 */
static int tune_hardware(struct tune *t)
{
	int code = EXIT_OK;

	for (size_t i = 0; i < t->ngroups && code == EXIT_OK; i++) {
		const int64_t half = half_of(t->groups[i]);
		const double first = timing_make(t, t->groups[i], half, false, &code);

		if (code == EXIT_OK)
			t->update_s[i] = (timing_make(t, t->groups[i], 2 * half, true, &code) -
					  first) / (double)half;
	}
	if (t->budget <= 0 && code == EXIT_OK)
		t->budget = TUNE_UPDATES * t->update_s[0];
	return code;
}

/* Adds the attempt that a finished run is. 0 or error(). */
static int attempt_add(struct tune *t, const struct trial *trial, enum tune_phase phase,
		       const char *path)
{
	scoped_by(finished_run_release) struct finished_run run;
	struct attempt *a;
	int ret = finished_run_read(&run, path);

	if (ret == 0) {
		a = &APPEND(t->all, t->n);
		*a = (struct attempt){
			.trial = *trial, .phase = phase, .loss = HUGE_VAL, .time_s = run.time_s,
			.gradients = run.gradients, .samples = run.epochs * t->samples,
			.file = xstrdup(path), .rows = run.rows,
			.loss_at = xcalloc(run.rows + 1, sizeof(*a->loss_at)),
			.time_at = xcalloc(run.rows + 1, sizeof(*a->time_at)),
		};
		for (size_t i = 0; i < run.rows; i++) {
			a->loss_at[i] = finished_run_loss(&run, i, SCORED);
			a->time_at[i] = run.train.time_s[i];
		}
		if (run.done && run.rows)
			a->loss = a->loss_at[run.rows - 1];
		if (t->made)
			t->made(a);
	}
	return ret;
}

/* Makes an attempt. An exit code. */
static int tune_try(struct tune *t, const struct trial *trial, const struct request *r)
{
	struct points points = { 0 };
	scoped_by(plan_release) struct plan p;
	int code;

	points_add(&points, request_point(t, trial, r));
	code = tune_make(t, &p, &points, true);
	if (code == EXIT_OK && attempt_add(t, trial, r->phase, p.runs[0].path) < 0)
		code = EXIT_BAD;
	return code;
}

/* Adds an attempt for every combination of groups, momenta and rates, as long as the budget. */
static int tune_grid(struct tune *t)
{
	const size_t n = t->ngroups * t->momenta.n * t->rates.n;
	const struct request r = { .phase = TUNE_EXHAUSTIVE, .seconds = t->budget };
	scoped struct trial *trial = xcalloc(n, sizeof(*trial));
	struct points points = { 0 };
	scoped_by(plan_release) struct plan p;
	int code;

	for (size_t i = 0; i < n; i++) {
		trial[i] = (struct trial){
			.groups = t->groups[i / t->rates.n / t->momenta.n],
			.momentum = t->momenta.v[i / t->rates.n % t->momenta.n],
			.lr = t->rates.v[i % t->rates.n],
		};
		points_add(&points, request_point(t, &trial[i], &r));
	}
	code = tune_make(t, &p, &points, false);
	for (size_t i = 0; i < n && code == EXIT_OK; i++)
		if (attempt_add(t, &trial[i], r.phase, p.runs[i].path) < 0)
			code = EXIT_BAD;
	return code;
}

/* ---- the search ---- */

/* The attempt of the least loss in [from, to) with that phase; SIZE_MAX: all diverged. */
static size_t attempt_best(const struct tune *t, enum tune_phase phase, size_t from, size_t to)
{
	size_t best = SIZE_MAX;

	for (size_t i = from; i < to; i++)
		if (t->all[i].phase == phase && isfinite(t->all[i].loss) &&
		    (best == SIZE_MAX || t->all[i].loss < t->all[best].loss))
			best = i;
	return best;
}

static double highest_momentum(const struct tune *t)
{
	return t->momenta.v[t->momenta.n - 1];
}

/* True when one of no more groups, learning rate and momentum has diverged. */
static bool trial_is_hopeless(const struct tune *t, const struct trial *trial)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct trial *a = &t->all[i].trial;

		if (!isfinite(t->all[i].loss) && trial->groups >= a->groups &&
		    trial->lr >= a->lr && trial->momentum >= a->momentum)
			return true;
	}
	return false;
}

/* Momenta and the last learning rate, or a tenth of it; but what is above or below the last one. */
static int try_around(struct tune *t, int64_t groups, struct trial last, const struct request *r)
{
	int code = EXIT_OK;

	for (int tenth = 0; tenth < 2; tenth++)
		for (size_t i = 0; i < t->momenta.n && code == EXIT_OK; i++) {
			const struct trial trial = { groups, t->momenta.v[i],
						     tenth ? last.lr / 10.0 : last.lr };

			if (tenth ? trial.momentum < last.momentum
				  : trial.momentum > last.momentum)
				continue;
			if (!trial_is_hopeless(t, &trial))
				code = tune_try(t, &trial, r);
		}
	return code;
}

/* Tenths around the best momentum, up to two away, none above the highest. */
static int tune_refine(struct tune *t)
{
	const struct request r = { .phase = TUNE_REFINED, .seconds = t->share * t->budget };
	const struct trial best = t->all[t->chosen].trial;
	const size_t first = t->n;
	size_t found;
	int code = EXIT_OK;

	for (int i = -2; i <= 2 && code == EXIT_OK; i++) {
		struct trial trial = best;

		trial.momentum = round(10.0 * best.momentum + i) / 10.0;
		if (i && trial.momentum >= 0.0 && trial.momentum <= highest_momentum(t) &&
		    !trial_is_hopeless(t, &trial))
			code = tune_try(t, &trial, &r);
	}
	found = attempt_best(t, TUNE_REFINED, first, t->n);
	if (found != SIZE_MAX && t->all[found].loss < t->all[t->chosen].loss)
		t->chosen = found;
	return code;
}

/* From one group upwards: learning rate, then momentum and learning rate for more groups. */
static int tune_cold(struct tune *t)
{
	const struct request r = { .phase = TUNE_COLD, .seconds = t->share * t->budget };
	size_t last = SIZE_MAX;
	int code = EXIT_OK;

	/* the first number of groups whose updates are not enough faster */
	t->saturated = 1;
	while (t->saturated < t->ngroups &&
	       !(t->update_s[t->saturated] > t->update_s[t->saturated - 1] / faster))
		t->saturated++;
	for (size_t i = 0; i < t->saturated && code == EXIT_OK; i++) {
		const size_t first = t->n;
		size_t best;

		for (size_t k = 0; k < t->rates.n && last == SIZE_MAX && code == EXIT_OK; k++)
			code = tune_try(t, &(struct trial){ t->groups[i], highest_momentum(t),
							    t->rates.v[k] }, &r);
		if (last != SIZE_MAX)
			code = try_around(t, t->groups[i], t->all[last].trial, &r);
		best = attempt_best(t, TUNE_COLD, first, t->n);
		last = best != SIZE_MAX ? best : last;
	}
	t->chosen = attempt_best(t, TUNE_COLD, 0, t->n);
	if (code == EXIT_OK && t->chosen == SIZE_MAX)
		return error("every probe diverged: lower --rates"), EXIT_BAD;
	return code == EXIT_OK && t->refine ? tune_refine(t) : code;
}

/* Fewer groups as long as no momentum of their own is left to them. SIZE_MAX: all diverged. */
static int steady_probes(struct tune *t, const char *from, struct trial last, size_t *found)
{
	int code;

	for (size_t groups = t->saturated - 1;; groups--) {
		const size_t first = t->n;
		size_t least;
		const double round = (double)t->groups[groups] * t->update_s[groups];
		const struct request r = {
			.phase = TUNE_STEADY, .from = from,
			.seconds = fmax(steady_share * t->budget, steady_rounds * round),
		};

		code = try_around(t, t->groups[groups], last, &r);
		/* near the least loss, the highest learning rate, then the highest momentum */
		*found = least = attempt_best(t, TUNE_STEADY, first, t->n);
		for (size_t i = first; i < t->n && least != SIZE_MAX; i++) {
			const struct trial *a = &t->all[i].trial, *b = &t->all[*found].trial;

			if (t->all[i].loss <= near * t->all[least].loss &&
			    (a->lr > b->lr || (a->lr >= b->lr && a->momentum > b->momentum)))
				*found = i;
		}
		if (code != EXIT_OK || groups == 0 ||
		    (*found != SIZE_MAX && t->all[*found].trial.momentum > 0.0))
			return code;
		last.momentum = again_from;
	}
}

/* From the last run's model on: probes, and one more run. */
static int tune_steady(struct tune *t)
{
	const size_t before = t->steady == SIZE_MAX ? t->tuned : t->steady;
	char *from = xstrdup(t->all[before].file);      /* t->all moves */
	const struct trial last = { .momentum = highest_momentum(t),
				    .lr = t->all[before].trial.lr };
	const struct request r = { .phase = TUNE_STEADY_RUN, .seconds = t->budget, .from = from,
				   .keep = true };
	size_t found;
	int code = steady_probes(t, from, last, &found);

	if (code == EXIT_OK && found == SIZE_MAX) {
		error("every probe of the steady state diverged");
		code = EXIT_BAD;
	} else if (code == EXIT_OK) {
		const struct trial chosen = t->all[found].trial;

		code = tune_try(t, &chosen, &r);
		t->steady = t->n - 1;
	}
	free(from);
	return code;
}

int tune_search(struct tune *t)
{
	struct request r = { .phase = TUNE_TUNED, .keep = t->rounds > 0 };
	struct trial chosen;
	int code = tune_hardware(t);

	if (code != EXIT_OK)
		return code;
	if (t->ready)
		t->ready(t);
	code = tune_cold(t);
	if (code != EXIT_OK)
		return code;
	/* the runs that the search is for: with what it chose, and with what was given */
	r.seconds = t->budget;
	chosen = t->all[t->chosen].trial;
	code = tune_try(t, &chosen, &r);
	t->tuned = t->n - 1;
	r = (struct request){ .phase = TUNE_UNTUNED, .seconds = t->budget };
	if (code == EXIT_OK)
		code = tune_try(t, &t->untuned, &r);
	t->untuned_run = t->n - 1;
	/* where the last run diverged there is no model to go on from */
	for (int64_t i = 0; i < t->rounds && code == EXIT_OK &&
	     isfinite(t->all[t->steady == SIZE_MAX ? t->tuned : t->steady].loss); i++)
		code = tune_steady(t);
	return code == EXIT_OK && t->exhaustive ? tune_grid(t) : code;
}

/* ---- sums of what was found ---- */

struct cost tune_cost(const struct tune *t, bool exhaustive)
{
	struct cost c = { 0 };

	if (!exhaustive)
		c = (struct cost){ .seconds = t->timing_s, .gradients = t->timing_gradients,
				   .timing = t->timing_runs };
	for (const struct attempt *a = t->all; a < t->all + t->n; a++) {
		if (exhaustive ? a->phase != TUNE_EXHAUSTIVE
			       : a->phase != TUNE_COLD && a->phase != TUNE_REFINED)
			continue;
		c.seconds += a->time_s;
		c.gradients += a->gradients;
		c.samples += a->samples;
		c.runs++;
	}
	return c;
}

const struct attempt *tune_exhaustive_best(const struct tune *t)
{
	const size_t best = attempt_best(t, TUNE_EXHAUSTIVE, 0, t->n);

	return best == SIZE_MAX ? NULL : &t->all[best];
}

static double attempt_time_to(const struct attempt *a, double loss)
{
	for (size_t i = 0; i < a->rows; i++)
		if (a->loss_at[i] <= loss)
			return a->time_at[i];
	return HUGE_VAL;
}

struct race tune_race(const struct tune *t)
{
	const struct attempt *tuned = &t->all[t->tuned], *untuned = &t->all[t->untuned_run];
	const double loss = isfinite(untuned->loss) && isfinite(tuned->loss)
				    ? fmax(tuned->loss, untuned->loss)
				    : fmin(tuned->loss, untuned->loss);

	if (!isfinite(loss))
		return (struct race){ HUGE_VAL, HUGE_VAL, HUGE_VAL };
	return (struct race){ loss, attempt_time_to(tuned, loss), attempt_time_to(untuned, loss) };
}

/* ---- before any run is made ---- */

static void foresee_most(const struct tune *t, struct foresight *f)
{
	size_t probes = 0, more;

	/* momenta that are not above one of the list, with those that are not below it */
	for (size_t i = 0; i < t->momenta.n; i++) {
		const double momentum = t->momenta.v[i];
		size_t n = 0;

		for (size_t k = 0; k < t->momenta.n; k++)
			n += (size_t)(t->momenta.v[k] <= momentum) +
			     (size_t)(t->momenta.v[k] >= momentum);
		probes = n > probes ? n : probes;
	}
	/* as long as all probes have diverged, more groups are tried like the fewest */
	more = probes > t->rates.n ? probes : t->rates.n;
	f->cold = t->rates.n + (t->ngroups - 1) * more;
	f->refined = t->refine ? AROUND : 0;
	f->tuned = 2;
	f->steady = (size_t)t->rounds * (t->ngroups * probes + 1);
	f->exhaustive = t->exhaustive ? t->ngroups * t->momenta.n * t->rates.n : 0;
	f->all = f->cold + f->refined + f->tuned + f->steady + f->exhaustive;
}

int tune_foresee(struct tune *t, struct foresight *f)
{
	struct pool_conf n = t->conf;
	struct points points = { 0 };
	struct plan p;
	int ret;

	*f = (struct foresight){ 0 };
	for (size_t i = 0; i < t->ngroups; i++)
		for (int halves = 1; halves <= 2; halves++)
			points_add(&points, timing_point(t, t->groups[i],
							 halves * half_of(t->groups[i])));
	ret = plan_from_points(&p, &t->base, &points, t->out);
	f->timing_runs = 2 * t->ngroups;
	f->timing_finished = plan_count(&p, RUN_FINISHED);
	f->timed = f->timing_finished == f->timing_runs;
	plan_release(&p);
	if (ret < 0 || (f->timed && tune_hardware(t) != EXIT_OK))
		return -1;
	f->first = xcalloc(t->rates.n, sizeof(*f->first));
	for (size_t i = 0; i < t->rates.n; i++) {
		struct trial *trial = &f->first[i];
		const struct request r = { .phase = TUNE_COLD, .seconds = t->share * t->budget };
		struct grid_point point;
		const int64_t size = t->workers / t->groups[0];
		bool made = false;
		double one, updates;

		*trial = (struct trial){ t->groups[0], highest_momentum(t), t->rates.v[i] };
		/* only where seconds of an update are known can a probe be named */
		if (f->timed) {
			struct points probe = { 0 };

			points_add(&probe, request_point(t, trial, &r));
			made = plan_from_points(&p, &t->base, &probe, t->out) == 0 &&
			       plan_count(&p, RUN_FINISHED);
			plan_release(&p);
		}
		if (made)
			continue;
		/* else a run that costs as much: as many updates, or its seconds */
		one = trial_update_s(t, trial);
		updates = one > 0 ? r.seconds / one : t->share * TUNE_UPDATES;
		point = trial_point(t, trial);
		if (one <= 0 && r.seconds > 0)
			point_put_number(&point, "seconds", r.seconds);
		else
			point_put_number(&point, "gradients",
					 (double)size * fmax(1.0, floor(updates)));
		points_add(&points, point);
	}
	if (plan_from_points(&f->plan, &t->base, &points, t->out) < 0)
		return -1;
	if (jobs_choose(&f->plan, &n) == 0)
		f->estimate = plan_estimate(&f->plan, n.jobs, n.threads, n.retrain);
	foresee_most(t, f);
	return 0;
}

void foresight_release(struct foresight *f)
{
	plan_release(&f->plan);
	free(f->first);
}
