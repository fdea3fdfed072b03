/* What is refused of tuning runs, and warned of: names, seeds, measures, methods without a run. */
#include "plan/tuning.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"
#include "record/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

/* Whether the table or a plot of tuning runs may have that name: "tuning", "tuning-2". */
static bool tuning_has_name(const char *name)
{
	const size_t n = strlen(TUNING_NAME);

	if (strncmp(name, TUNING_NAME, n) != 0)
		return false;
	return !name[n] || (name[n] == '-' && !name[n + 1 + strspn(name + n + 1, "0123456789")]);
}

int tuning_check_names(const struct spec *s)
{
	static const char *const sections[] = { "tables", "plots" };
	const cJSON *entry;

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		cJSON_ArrayForEach(entry, json_get(s->json, sections[i]))
			if (tuning_has_name(json_word(entry, "name")))
				return error("%s: %s: the name '%s' is that of the tuning runs. "
					     "Choose another.",
					     s->path, sections[i], json_string(entry, "name"));
	return 0;
}

/* ---- runs ---- */

/* Points of a method must make runs of their own. */
static int tuning_check_distinct(const struct plan *p, const struct tuning_method *m)
{
	const struct planned *runs = p->tuning->plan.runs;

	for (size_t i = m->first; i < m->first + m->n; i++)
		if (runs[i].same_as != i && runs[i].same_as >= m->first)
			return error("%s: tune: '%s' and '%s' are the same run (each point needs "
				     "settings of its own). Take one out.", p->spec.path,
				     runs[runs[i].same_as].label, runs[i].label);
	return 0;
}

static int tuning_check_seeds(const struct plan *p)
{
	const cJSON *seeds = json_get(p->spec.tune, "seeds"), *seed;

	for (size_t i = 0; i < p->n - p->nbaselines; i++)
		cJSON_ArrayForEach(seed, seeds) {
			char *text = json_text(seed);
			const bool shared = strcmp(text, setup_text(&p->runs[i].su, "seed")) == 0;

			if (shared)
				error("%s: tune: seeds: %s is a seed of the runs too (tuning needs "
				      "seeds of its own). Choose another.", p->spec.path, text);
			free(text);
			if (shared)
				return -1;
		}
	return 0;
}

static int tuning_check_timing(const struct plan *p)
{
	const char *measure = json_string(p->spec.tune, "measure");
	const struct plan *t = &p->tuning->plan;

	for (size_t i = 0; i < t->n; i++)
		if (t->runs[i].su.in.timing && (measure_learnt(measure) || target_named(measure)))
			return error("%s: tune: timing-only runs have no measure '%s'. Take out "
				     "timing, or choose another measure.", p->spec.path, measure);
	return 0;
}

/* ---- the measure ---- */

/* True when what was learnt, or the measure of it, was too large for a number in the end. */
static bool check_overflowed(const cJSON *run, const char *measure)
{
	const char *const names[] = { "test_loss", measure };

	if (isnan(run_number(run, "train_loss")))       /* timing only */
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (cJSON_GetArraySize(key_find(json_get(run, "eval"), names[i])) > 0 &&
		    isnan(run_number(run, names[i])))
			return true;
	return run_diverged(run);
}

static struct tuning_method *check_method_of(struct tuning *t, size_t i)
{
	struct tuning_method *m = t->methods;

	while (i < m->first || i >= m->first + m->n)
		m++;
	return m;
}

int tuning_check_measure(struct plan *p, const struct planned *r)
{
	const char *measure = json_string(p->spec.tune, "measure");
	struct tuning *t = p->tuning;
	struct tuning_method *m = check_method_of(t, (size_t)(r - t->plan.runs));
	cJSON *run;

	if (m->measured)
		return 0;
	run = result_read(r->path);
	if (!run)
		return -1;
	m->measured = !isnan(run_number(run, measure));
	t->unmeasured = !m->measured && !check_overflowed(run, measure);
	cJSON_Delete(run);
	if (!t->unmeasured)
		return 0;
	return error("%s: tune: the tuning run '%s' has no measure '%s'. Choose another.",
		     p->spec.path, r->label, measure);
}

/* Of the tuning runs that are finished before. */
static int check_measures(struct plan *p)
{
	const struct plan *t = &p->tuning->plan;

	for (size_t i = 0; i < t->n; i++)
		if (t->runs[i].state == RUN_FINISHED && tuning_check_measure(p, &t->runs[i]) < 0)
			return -1;
	return 0;
}

int tuning_check_runs(struct plan *p)
{
	for (size_t i = 0; i < p->tuning->n; i++)
		if (tuning_check_distinct(p, &p->tuning->methods[i]) < 0)
			return -1;
	if (tuning_check_seeds(p) < 0 || tuning_check_timing(p) < 0)
		return -1;
	return check_measures(p);
}

/* ---- what is of no use ---- */

static bool check_has_method(const struct tuning *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->methods[i].name, name))
			return true;
	return false;
}

/* True when the command line changes what tells methods apart, and so may leave some out. */
static bool check_changes_methods(const struct plan *p)
{
	const cJSON *key;

	for (size_t i = 0; i < p->tuning->n; i++)
		cJSON_ArrayForEach(key, p->tuning->methods[i].per)
			if (changes_has(&p->changes, key->string))
				return true;
	return false;
}

static void check_warn_unused(const struct plan *p, const char *name)
{
	const struct tuning *t = p->tuning;
	const char **known = xcalloc(t->n + 1, sizeof(*known));
	char *advice;

	for (size_t i = 0; i < t->n; i++)
		known[i] = t->methods[i].name;
	advice = word_advice(name, known);
	warning("%s: tune: grids: no run is of the method '%s'%s", p->spec.path, name, advice);
	free(advice);
	free(known);
}

void tuning_warn(const struct plan *p)
{
	const struct tuning *t = p->tuning;
	const cJSON *grid;

	cJSON_ArrayForEach(grid, json_get(p->spec.tune, "grids"))
		if (!check_has_method(t, grid->string) && !check_changes_methods(p))
			check_warn_unused(p, grid->string);
	if (t->plan.n && plan_product_size(t->methods[0].grid) == 1)
		warning("%s: tune: the grid has one point: nothing is chosen", p->spec.path);
}
