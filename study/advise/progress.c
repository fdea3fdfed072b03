/* Progress per step, relative to all-reduce: given, or in training runs of the user. */
#include "study/advise/ranking.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "core/math/statistics.h"
#include "core/node.h"
#include "core/text/opt_text.h"
#include "core/text/units.h"
#include "core/text/word.h"
#include "record/result.h"
#include "study/finished_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double given_least = 1e-3, given_most = 1e3;       /* progress per step */

const char *const progress_kind_names[] = { "base", "given", "own", "kept", "assumed", NULL };

bool progress_is_base(const char *algo)
{
	return choice_same_name(algo, "allreduce");
}

struct relative_progress relative_progress_copy(const struct relative_progress *p)
{
	struct relative_progress copy = *p;

	copy.source = p->source ? xstrdup(p->source) : NULL;
	return copy;
}

/* ---- given ---- */

/* Index of the algorithm that a text begins with, followed by '='; n: none. *after <- the value. */
static size_t given_find(const char *text, char *const *algo, size_t n, const char **after)
{
	size_t best = n, length = 0;

	for (size_t i = 0; i < n; i++) {
		const size_t full = strlen(algo[i]), bare = strcspn(algo[i], ":");
		const size_t of = strncmp(text, algo[i], full) == 0 && text[full] == '=' ? full
				  : strncmp(text, algo[i], bare) == 0 && text[bare] == '=' ? bare
											   : 0;

		if (of > length) {
			length = of;
			best = i;
		}
	}
	*after = best < n ? text + length + 1 : NULL;
	return best;
}

int progress_read(struct uncertain_list *l, const char *name, const char *what, const char *text,
		  double *value)
{
	const size_t before = l->n;
	char *number, *advice;

	*value = (double)NAN;
	if (uncertain_find(l, name, text) < 0)
		return -1;
	/* nothing but that number */
	number = l->n > before ? uncertain_fill(name, text, &l->v[before].mean) : xstrdup(text);
	if (l->n > before + 1 || !text_double(number, value))
		*value = (double)NAN;
	else if (l->n > before)
		*value = l->v[before].mean;
	free(number);
	if (*value >= given_least && *value <= given_most)
		return 0;
	advice = unit_advice(QUANTITY_NONE, text);
	error("%s: expected a number from %g to %g, or V+-U%s", what, given_least, given_most,
	      advice);
	free(advice);
	return -1;
}

/* Reads the n bytes of a text, the value that is given for a name. 0 or error(). */
static int given_value(const char *name, const char *text, size_t n, struct relative_progress *p)
{
	scoped char *own = xasprintf("%.*s", (int)n, text), *key = xasprintf("--progress %s", name);
	scoped char *what = xasprintf("%s=%s", key, own);
	scoped_by(uncertain_release) struct uncertain_list list = { 0 };
	double value;
	int ret = progress_read(&list, key, what, own, &value);
	const double sd = list.n ? list.v[0].sd / list.v[0].mean : 0.0;

	*p = (struct relative_progress){ .kind = PROGRESS_GIVEN, .value = value,
					 .lo = value * exp(-NORMAL_HALF_95 * sd),
					 .hi = value * exp(NORMAL_HALF_95 * sd) };
	if (ret == 0 && strcmp(name, "allreduce") == 0 && (list.n || value < 1 || value > 1))
		ret = error("%s: progress is relative to allreduce, whose own is 1. Leave it "
			    "out, or divide the others by it", what);
	p->source = xasprintf("given: %s", own);
	return ret;
}

int progress_given(const char *text, char *const *algo, size_t n, struct relative_progress *p)
{
	scoped_by(texts_release) struct texts names = { 0 };
	int ret = 0;

	while (*text && ret == 0) {
		const char *value;
		const size_t i = given_find(text, algo, n, &value);
		const size_t length = value ? strcspn(value, ",") : 0;
		struct relative_progress own;
		size_t bare;
		char *name;

		if (i == n) {
			char *word = xasprintf("%.*s", (int)strcspn(text, "=,"), text);
			const char **known = xcalloc(n + 1, sizeof(*known));
			bool bare_name = false;

			memcpy(known, algo, n * sizeof(*known));
			for (size_t k = 0; k < n; k++)
				bare_name |= strcmp(word, algo[k]) == 0;
			if (bare_name)
				error("--progress %s: the value is missing (expected %s=0.9, for "
				      "example)", text, word);
			else
				word_unknown("--progress", "algorithm", word, known);
			free_all(known, word);
			ret = -1;
			break;
		}
		bare = (size_t)(value - text) - 1;
		name = xasprintf("%.*s", (int)bare, text);
		ret = given_value(name, value, length, &own);
		if (ret == 0 && texts_have(&names, name))
			ret = error("--progress: %s is given twice. Leave one out", name);
		texts_put_own(&names, name);
		/* a bare name is of all its candidates */
		for (size_t k = 0; k < n && ret == 0; k++) {
			if (strncmp(algo[k], text, bare) != 0 ||
			    (algo[k][bare] && !(algo[k][bare] == ':' && !memchr(text, ':', bare))))
				continue;
			free(p[k].source);
			p[k] = own;
			p[k].source = xasprintf("%s for %.*s", own.source, (int)bare, text);
		}
		free(own.source);
		text = value + length + (value[length] == ',');
	}
	return ret;
}

/* ---- training runs of the user ---- */

/* Settings in which two runs must agree to be compared; the seed is one of them. */
static const char *const equal_keys[] = { "seed", "net", "data", "batch", "workers", "accumulate",
					  "partition", "shares", "samples", "init" };

/* Those in which they had better agree, but the rate; where not, the source says so. */
static const char *const named_keys[] = { "lr", "lr_batch", "lr_scaling", "optim", "schedule",
					  "warmup", "warmup_from", "precision", "codec", "epochs",
					  "slow", "delay", "faults" };

enum { OWN_SEED, OWN_NET, OWN_DATA, OWN_BATCH, OWN_WORKERS };   /* indices of the first ones */
enum { NAMED_LR };
enum { EQUAL_KEYS = sizeof(equal_keys) / sizeof(equal_keys[0]) };
enum { NAMED_KEYS = sizeof(named_keys) / sizeof(named_keys[0]) };

struct own_run {
	char *algo;                     /* with all options; owned */
	char *equal[EQUAL_KEYS], *named[NAMED_KEYS];    /* owned; "": it has no such setting */
	struct finished_run curve;
	double loss;                    /* final, mean over the seeds; infinite: one rose */
};

static void own_release(struct own_run *r)
{
	for (size_t k = 0; k < EQUAL_KEYS; k++)
		free(r->equal[k]);
	for (size_t k = 0; k < NAMED_KEYS; k++)
		free(r->named[k]);
	free(r->algo);
	finished_run_release(&r->curve);
}

enum { SMOOTH = 5 };            /* rows of a training curve whose mean is a loss */

/* Adds the finished training runs of a folder. */
static void own_read(struct own_run **list, size_t *n, const char *folder)
{
	scoped_paths char **files = dir_list(folder, ".h5");

	for (size_t i = 0; files && files[i]; i++) {
		struct result r;
		struct own_run run;

		if (result_load(&r, files[i], RESULT_WHOLE) < 0)
			continue;
		run.curve = finished_run_of(&r);
		run.algo = xstrdup(result_setting(&r, "algo"));
		for (size_t k = 0; k < EQUAL_KEYS; k++)
			run.equal[k] = xstrdup(result_setting(&r, equal_keys[k]));
		for (size_t k = 0; k < NAMED_KEYS; k++)
			run.named[k] = xstrdup(result_setting(&r, named_keys[k]));
		if (run.curve.done && run.curve.rows >= SMOOTH && *run.algo) {
			APPEND(*list, *n) = run;
		} else {
			own_release(&run);
		}
		result_release(&r);
	}
}

static bool own_matches(const struct own_run *a, const struct own_run *b, bool but_seed)
{
	for (size_t k = but_seed ? OWN_SEED + 1 : 0; k < EQUAL_KEYS; k++)
		if (strcmp(a->equal[k], b->equal[k]) != 0)
			return false;
	return true;
}

/* Named settings in which both differ, but the learning rate. */
static int own_differences(const struct own_run *a, const struct own_run *b)
{
	int n = 0;

	for (size_t k = NAMED_LR + 1; k < NAMED_KEYS; k++)
		n += strcmp(a->named[k], b->named[k]) != 0;
	return n;
}

/* True when two runs are one set-up: they differ in their seeds at most. */
static bool own_agrees(const struct own_run *a, const struct own_run *b)
{
	return own_matches(a, b, true) && own_differences(a, b) == 0 &&
	       strcmp(a->algo, b->algo) == 0 && strcmp(a->named[NAMED_LR], b->named[NAMED_LR]) == 0;
}

static void own_fill_losses(struct own_run *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double sum = 0.0, seeds = 0.0;

		for (size_t k = 0; k < n; k++)
			if (own_agrees(&list[i], &list[k])) {
				sum += finished_run_end(&list[k].curve, SMOOTH);
				seeds++;
			}
		list[i].loss = sum / seeds;
	}
}

struct own_best {               /* of an algorithm, and of all-reduce, the run that counts ... */
	const struct own_run *of, *base;
	size_t of_setups, base_setups;  /* ... with the lowest loss of so many set-ups */
	int differences;        /* of both */
};

/* Counts the set-up of a run if it is new, and takes the run if its loss is lower. */
static void own_take(const struct own_run **seen, size_t *n, const struct own_run *r,
		     const struct own_run **best)
{
	for (size_t k = 0; k < *n; k++)
		if (own_agrees(seen[k], r))
			return;
	seen[(*n)++] = r;
	if (!*best || r->loss < (*best)->loss)
		*best = r;
}

/*
 * Of the pairs with the fewest differences, the set-up of the algorithm with the lowest loss, and
 * then that of all-reduce: each has its own learning rate. False: there is no pair.
 */
static bool own_find(const struct own_run *list, size_t n, const char *algo, struct own_best *best)
{
	scoped const struct own_run **seen = xcalloc(n + 1, sizeof(const struct own_run *));

	*best = (struct own_best){ .differences = NAMED_KEYS };
	/* the fewest differences, the algorithm's set-up, that of all-reduce */
	for (int pass = 0; pass < 2 || (pass == 2 && best->of); pass++)
		for (size_t i = 0; i < n; i++) {
			const struct own_run *of = &list[i];

			if (strcmp(of->algo, algo) != 0 || (pass == 2 && !own_agrees(of, best->of)))
				continue;
			for (size_t k = 0; k < n; k++) {
				const int differences = own_differences(of, &list[k]);

				if (!progress_is_base(list[k].algo) ||
				    !own_matches(of, &list[k], false))
					continue;
				if (pass == 0 && differences < best->differences)
					best->differences = differences;
				if (differences > best->differences)
					continue;
				if (pass == 1)
					own_take(seen, &best->of_setups, of, &best->of);
				else if (pass == 2)
					own_take(seen, &best->base_setups, &list[k], &best->base);
			}
		}
	return best->of;
}

/* Mean and interval of log progress over the seeds. */
static size_t own_mean(const struct own_run *list, size_t n, const struct own_best *best,
		       struct relative_progress *p)
{
	double *logs = xcalloc(n, sizeof(*logs)), half = 0.0;
	struct spread s;
	size_t m = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++) {
			const struct finished_run *of = &list[i].curve, *base = &list[k].curve;
			double loss, epochs;

			if (!own_agrees(&list[i], best->of) || !own_agrees(&list[k], best->base) ||
			    !own_matches(&list[i], &list[k], false))
				continue;
			loss = fmax(finished_run_end(of, SMOOTH), finished_run_end(base, SMOOTH));
			epochs = base->train.epoch[finished_run_lasting(base, loss, SMOOTH)];
			logs[m++] = log(epochs / of->train.epoch[finished_run_lasting(
							 of, loss, SMOOTH)]);
		}
	s = spread_of(logs, m);
	if (m > 1)
		half = student_975((double)(m - 1)) * s.dev / sqrt((double)m);
	*p = (struct relative_progress){ .value = exp(s.mean), .lo = exp(s.mean - half),
					 .hi = exp(s.mean + half), .kind = PROGRESS_OWN };
	free(logs);
	return m;
}

/* "; final loss 0.3 at lr 0.1, of allreduce 0.4 at lr 0.2; ...": the caller frees. */
static char *own_remark(const struct own_best *best)
{
	const struct own_run *of = best->of, *base = best->base;
	char *text = xasprintf("; final loss %.4g at lr %s, of allreduce %.4g at lr %s", of->loss,
			       of->named[NAMED_LR], base->loss, base->named[NAMED_LR]);

	if (best->of_setups > 1 || best->base_setups > 1)
		xappendf(&text, "", ", the lowest of %zu and of %zu set-ups", best->of_setups,
			 best->base_setups);
	for (size_t k = NAMED_LR + 1; k < NAMED_KEYS; k++)
		if (strcmp(of->named[k], base->named[k]) != 0)
			xappendf(&text, "", "; %s %s, of allreduce %s", named_keys[k], of->named[k],
				 base->named[k]);
	return text;
}

/*
 * Fills *p from the runs of one algorithm; false: there are none to compare. Its value is NaN, and
 * its source says why, if one of both never ends with a lower loss than it began with.
 */
static bool own_score(const struct own_run *list, size_t n, const char *algo, const char *folder,
		      struct relative_progress *p)
{
	struct algo_text wanted = algo_text_read(algo, 1);
	struct own_best best;
	const bool found = wanted.full && own_find(list, n, wanted.full, &best);

	if (found) {
		free(p->source);
		if (isfinite(best.of->loss) && isfinite(best.base->loss)) {
			const size_t seeds = own_mean(list, n, &best, p);
			scoped char *remark = own_remark(&best);
			scoped char *interval = seeds > 1 ?
							xasprintf("(%.3g to %.3g)", p->lo, p->hi) :
							xstrdup("without an interval");

			p->source = xasprintf("%s: %s, %s workers, %s, %zu seed%s: %.3g %s%s",
					      folder, algo, best.of->equal[OWN_WORKERS],
					      best.of->equal[OWN_NET], seeds,
					      word_plural((double)seeds), p->value, interval,
					      remark);
		} else {
			*p = (struct relative_progress){ .value = (double)NAN,
							 .kind = PROGRESS_OWN };
			p->source = xasprintf("in %s, runs of %s end with a higher loss than they "
					      "began with at every learning rate, so they make no "
					      "progress", folder,
					      isfinite(best.of->loss) ? "allreduce" : algo);
		}
	}
	free(wanted.full);
	return found;
}

int progress_own(const char *folder, char *const *algo, size_t n, struct relative_progress *p)
{
	char *sim = xasprintf("%s/sim", folder);
	struct own_run *list = NULL;
	size_t runs = 0, found = 0;

	if (!dir_exists(folder)) {
		free(sim);
		return error("--progress-from '%s': no such folder (expected a folder of results)",
			     folder);
	}
	own_read(&list, &runs, folder);
	own_read(&list, &runs, sim);
	own_fill_losses(list, runs);
	for (size_t i = 0; i < n; i++)
		if (p[i].kind != PROGRESS_BASE && p[i].kind != PROGRESS_GIVEN)
			found += own_score(list, runs, algo[i], folder, &p[i]);
	for (size_t i = 0; i < runs; i++)
		own_release(&list[i]);
	free_all(list, sim);
	if (!found)
		return error("--progress-from '%s': %zu finished training run%s, none of these "
			     "algorithms and of allreduce with the same net, data, batch, "
			     "workers, accumulate, partition and seed. Train both with `convoy "
			     "sim --out %s`", folder, runs, word_plural((double)runs), folder);
	return 0;
}
