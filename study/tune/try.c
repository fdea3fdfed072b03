/* Makes the runs of one attempt of tune, reads their curves and scores them. */
#include "study/tune/tune.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/opt_text.h"
#include "runner/plan_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	ROWS = 100,             /* of a run's curve ... */
	SCORED = 10,            /* ... and how many of its last ones are its score */
	ROUNDS = 4, FEWEST = 8  /* updates of each group, and of all, in half a timing-only run */
};

/* ---- settings of a run ---- */

static char *momentum_text(const struct tune *t, double momentum)
{
	struct choice c = { 0 };
	char *whole = choice_format(&t->optim), *value = double_text(momentum), *text;
	const struct plugin *const only[] = { t->optim.plugin, NULL };

	if (choice_parse(&c, only, "optimiser", whole) < 0 ||
	    opt_set(c.plugin->opts, c.conf, "momentum", value, "tune") < 0)
		BUG("an optimiser does not take its own settings: %s", whole);
	text = choice_format(&c);
	choice_release(&c);
	free(whole);
	free(value);
	return text;
}

/* A group's workers share its batch, and the seconds that one would compute on it. */
static cJSON *tune_try_split(const struct tune *t, int64_t groups)
{
	const int64_t size = t->workers / groups, batch = t->batch / size;
	cJSON *point = cJSON_CreateObject();
	char *algo = xasprintf("groups:groups=%lld", (long long)groups);

	cJSON_AddStringToObject(point, "algo", algo);
	cJSON_AddNumberToObject(point, "batch", (double)batch);
	if (t->compute_s > 0)
		cJSON_AddNumberToObject(point, "compute_s", t->compute_s / (double)size);
	free(algo);
	return point;
}

static double update_s(const struct tune *t, int64_t groups)
{
	size_t i = 0;

	while (i + 1 < t->ngroups && t->groups[i] < groups)
		i++;
	return t->update_s[i];
}

/* How long it is excepted. */
static cJSON *tune_try_settings_of(const struct tune *t, const struct trial *trial)
{
	cJSON *point = tune_try_split(t, trial->groups);
	char *optim = momentum_text(t, trial->momentum);

	cJSON_AddNumberToObject(point, "lr", trial->lr);
	cJSON_AddStringToObject(point, "optim", optim);
	free(optim);
	return point;
}

cJSON *tune_point(const struct tune *t, const struct trial *trial, const struct request *r)
{
	const double updates = r->seconds / update_s(t, trial->groups);
	const double each = fmax(1.0, floor(updates / ROWS));
	cJSON *point = tune_try_settings_of(t, trial);

	cJSON_AddNumberToObject(point, "seconds", r->seconds);
	cJSON_AddNumberToObject(point, "train_every", each * (double)t->batch / t->samples);
	if (r->from)
		cJSON_AddStringToObject(point, "init", r->from);
	if (r->keep)
		cJSON_AddBoolToObject(point, "keep_model", true);
	return point;
}

cJSON *tune_point_alike(const struct tune *t, const struct trial *trial)
{
	const double one = update_s(t, trial->groups), seconds = t->share * t->budget;
	const double updates = one > 0 ? seconds / one : t->share * TUNE_UPDATES;
	const int64_t group = t->workers / trial->groups;
	cJSON *point = tune_try_settings_of(t, trial);

	if (one <= 0 && seconds > 0)
		cJSON_AddNumberToObject(point, "seconds", seconds);
	else
		cJSON_AddNumberToObject(point, "gradients",
					(double)group * fmax(1.0, floor(updates)));
	return point;
}

/* ---- runs ---- */

static cJSON *read_plan(const struct plan *p)
{
	cJSON *runs = cJSON_CreateArray();

	for (size_t i = 0; i < p->n; i++) {
		cJSON *run = result_read(p->runs[i].path);

		if (!run) {
			cJSON_Delete(runs);
			return NULL;
		}
		cJSON_AddItemToArray(runs, run);
	}
	return runs;
}

/* Runs of the plan that an earlier command has made: this one may make a run, and find it again. */
static size_t count_before(const struct tune *t, const struct plan *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		struct stat st;

		n += p->runs[i].state == RUN_FINISHED && p->runs[i].same_as == i &&
		     stat(p->runs[i].path, &st) == 0 && st.st_mtime < t->began;
	}
	return n;
}

/* Run objects of all points, or NULL and the exit code. */
static cJSON *tune_try_make(struct tune *t, const cJSON *points, bool quiet, int *code)
{
	struct pool_conf n = t->conf;
	cJSON *runs = NULL;
	struct plan p;

	n.quiet = n.quiet || quiet;
	*code = EXIT_BAD;
	if (plan_from_points(&p, t->base, points, t->out) == 0) {
		t->before += count_before(t, &p);
		*code = quiet && plan_count(&p, RUN_TODO) == 0 ? EXIT_OK : plan_run(&p, &n);
	}
	if (*code == EXIT_OK && plan_failed(&p) == 0)
		runs = read_plan(&p);
	if (*code == EXIT_OK && !runs)
		*code = EXIT_BAD;
	plan_release(&p);
	return runs;
}

static cJSON *make_one(struct tune *t, cJSON *point, int *code)
{
	cJSON *points = cJSON_CreateArray(), *runs, *run;

	cJSON_AddItemToArray(points, point);
	runs = tune_try_make(t, points, true, code);
	cJSON_Delete(points);
	run = runs ? cJSON_DetachItemFromArray(runs, 0) : NULL;
	cJSON_Delete(runs);
	return run;
}

static double tune_try_number(const cJSON *run, const char *key)
{
	return cJSON_GetNumberValue(json_get(run, key));
}

/* ---- seconds of an update ---- */

/* A timing-only run of so many updates of all groups together. */
static cJSON *timing_of(const struct tune *t, int64_t groups, int64_t updates)
{
	const int64_t gradients = updates * (t->workers / groups);
	cJSON *point = tune_try_split(t, groups);

	cJSON_AddBoolToObject(point, "timing", true);
	cJSON_AddNumberToObject(point, "gradients", (double)gradients);
	return point;
}

static double time_of(struct tune *t, int64_t groups, int64_t updates, bool counted, int *code)
{
	cJSON *run = make_one(t, timing_of(t, groups, updates), code);
	double time;

	if (!run)
		return (double)NAN;
	time = tune_try_number(run, "time_s");
	if (counted) {
		t->timing_s += time;
		t->timing_gradients += tune_try_number(run, "gradients");
	}
	cJSON_Delete(run);
	return time;
}

/* Whole rounds of all groups, which may all come at once. */
static int64_t half_of(int64_t groups)
{
	const int64_t rounds = (FEWEST + groups - 1) / groups;

	return groups * (rounds > ROUNDS ? rounds : ROUNDS);
}

int tune_timed(struct tune *t)
{
	cJSON *points = cJSON_CreateArray();
	struct plan p;
	int ret;

	for (size_t i = 0; i < t->ngroups; i++)
		for (int halves = 1; halves <= 2; halves++)
			cJSON_AddItemToArray(points, timing_of(t, t->groups[i],
							       halves * half_of(t->groups[i])));
	ret = plan_from_points(&p, t->base, points, t->out);
	t->timed = plan_count(&p, RUN_FINISHED);
	plan_release(&p);
	cJSON_Delete(points);
	return ret;
}

/* The second half of a run tells; the first one is a run that begins alike. */
int tune_hardware(struct tune *t)
{
	int code = EXIT_OK;

	for (size_t i = 0; i < t->ngroups && code == EXIT_OK; i++) {
		const int64_t half = half_of(t->groups[i]);
		const double first = time_of(t, t->groups[i], half, false, &code);

		if (code == EXIT_OK)
			t->update_s[i] = (time_of(t, t->groups[i], 2 * half, true, &code) -
					  first) / (double)half;
	}
	if (t->budget <= 0 && code == EXIT_OK)
		t->budget = TUNE_UPDATES * t->update_s[0];
	return code;
}

/* ---- attempts ---- */

/* Mean of at most SCORED numbers of a curve that end with item `last`. */
static double mean_until(const cJSON *last)
{
	const cJSON *item = last;
	double sum = 0.0;
	int n = 0;

	for (; n < SCORED && cJSON_IsNumber(item); n++) {
		sum += item->valuedouble;
		if (!item->prev->next)          /* the first one's is the last */
			return sum / (n + 1);
		item = item->prev;
	}
	return n ? sum / n : HUGE_VAL;
}

static const cJSON *tune_try_curve(const cJSON *run, const char *column)
{
	return json_get(json_get(run, "train"),
						column);
}

static double tune_try_score(const cJSON *run)
{
	const cJSON *loss = tune_try_curve(run, "loss");
	const char *status = json_string(run, "status");

	if (strcmp(status, "done") != 0 || !loss->child)
		return HUGE_VAL;
	return mean_until(loss->child->prev);
}

double attempt_time_to(const struct attempt *a, double loss)
{
	const cJSON *time = tune_try_curve(a->run, "time_s")->child, *item;

	cJSON_ArrayForEach(item, tune_try_curve(a->run, "loss")) {
		if (mean_until(item) <= loss)
			return time->valuedouble;
		time = time->next;
	}
	return HUGE_VAL;
}

/* Takes the run over. */
static void tune_try_add(struct tune *t, const struct trial *trial, const struct request *r,
			 cJSON *run)
{
	struct attempt *a;

	t->all = xrealloc(t->all, t->n + 1, sizeof(*t->all));
	a = &t->all[t->n++];
	*a = (struct attempt){
		.trial = *trial,
		.phase = r->phase,
		.seconds = r->seconds,
		.loss = tune_try_score(run),
		.time_s = tune_try_number(run, "time_s"),
		.gradients = tune_try_number(run, "gradients"),
		.samples = tune_try_number(run, "epochs") * t->samples,
		.run = run,
	};
	if (t->text)
		tune_print_attempt(a);
}

int tune_try(struct tune *t, const struct trial *trial, const struct request *r)
{
	int code;
	cJSON *run = make_one(t, tune_point(t, trial, r), &code);

	if (run)
		tune_try_add(t, trial, r, run);
	return code;
}

static struct trial tune_try_combination(const struct tune *t, size_t i)
{
	const size_t rate = i % t->rates.n, momentum = i / t->rates.n % t->momenta.n;

	return (struct trial){ .groups = t->groups[i / t->rates.n / t->momenta.n],
			       .momentum = t->momenta.v[momentum], .lr = t->rates.v[rate] };
}

int tune_grid(struct tune *t)
{
	const size_t n = t->ngroups * t->momenta.n * t->rates.n;
	const struct request r = { .phase = "exhaustive", .seconds = t->budget };
	cJSON *points = cJSON_CreateArray(), *runs;
	int code;

	for (size_t i = 0; i < n; i++) {
		const struct trial trial = tune_try_combination(t, i);

		cJSON_AddItemToArray(points, tune_point(t, &trial, &r));
	}
	runs = tune_try_make(t, points, false, &code);
	for (size_t i = 0; i < n && runs; i++) {
		const struct trial trial = tune_try_combination(t, i);

		tune_try_add(t, &trial, &r, cJSON_DetachItemFromArray(runs, 0));
	}
	cJSON_Delete(runs);
	cJSON_Delete(points);
	return code;
}
