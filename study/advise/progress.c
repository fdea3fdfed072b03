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
#include "record/layout.h"
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
	number = l->n > before ? uncertain_fill(text, &l->v[before].mean) : xstrdup(text);
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
	char *own = xasprintf("%.*s", (int)n, text), *key = xasprintf("--progress %s", name);
	char *what = xasprintf("%s=%s", key, own);
	struct uncertain_list list = { 0 };
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
	uncertain_release(&list);
	free(what);
	free(key);
	free(own);
	return ret;
}

int progress_given(const char *text, char *const *algo, size_t n, struct relative_progress *p)
{
	struct texts names = { 0 };
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
			free(known);
			free(word);
			ret = -1;
			break;
		}
		bare = (size_t)(value - text) - 1;
		name = xasprintf("%.*s", (int)bare, text);
		ret = given_value(name, value, length, &own);
		for (size_t k = 0; k < names.n && ret == 0; k++)
			if (strcmp(names.v[k], name) == 0)
				ret = error("--progress: %s is given twice. Leave one out", name);
		texts_put(&names, name);
		free(name);
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
	texts_release(&names);
	return ret;
}

/* ---- training runs of the user ---- */

/* Settings in which two runs must agree to be compared; the seed is one of them. */
static const char *const equal_keys[] = { "seed", "net", "data", "batch", "workers", "accumulate",
					  "partition", "shares", "samples", "init" };

/* Those in which they had better agree; where not, the source says so. */
static const char *const named_keys[] = { "lr", "lr_batch", "lr_scaling", "optim", "schedule",
					  "warmup", "warmup_from", "precision", "codec", "epochs",
					  "slow", "delay", "faults" };

enum { OWN_SEED, OWN_NET, OWN_DATA, OWN_BATCH, OWN_WORKERS };   /* indices of the first ones */
enum { EQUAL_KEYS = sizeof(equal_keys) / sizeof(equal_keys[0]) };
enum { NAMED_KEYS = sizeof(named_keys) / sizeof(named_keys[0]) };

struct own_run {
	char *algo;                     /* with all options; owned */
	char *equal[EQUAL_KEYS], *named[NAMED_KEYS];    /* owned; "": it has no such setting */
	struct finished_run curve;
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

/* Adds the finished training runs of a folder. */
static void own_read(struct own_run **list, size_t *n, const char *folder)
{
	char **files = dir_list(folder, ".h5");

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
		if (run.curve.done && run.curve.rows > 1 && *run.algo) {
			*list = xrealloc(*list, *n + 1, sizeof(**list));
			(*list)[(*n)++] = run;
		} else {
			own_release(&run);
		}
		result_release(&r);
	}
	path_list_free(files);
}

enum { SMOOTH = 5 };            /* rows of a training curve whose mean is a loss */

/* The mean of rows before `end`; NaN: fewer, or one is none. */
static double own_loss(const struct own_run *r, size_t end)
{
	double sum = 0.0;

	if (end < SMOOTH)
		return (double)NAN;
	for (size_t i = end - SMOOTH; i < end; i++)
		sum += r->curve.train.loss[i];
	return sum / SMOOTH;
}

static double own_epochs(const struct own_run *r, double loss)
{
	size_t i = SMOOTH;

	while (i < r->curve.rows && !(own_loss(r, i) <= loss))
		i++;
	return r->curve.train.epoch[i - 1];
}

static bool own_matches(const struct own_run *a, const struct own_run *b, bool but_seed)
{
	for (size_t k = but_seed ? OWN_SEED + 1 : 0; k < EQUAL_KEYS; k++)
		if (strcmp(a->equal[k], b->equal[k]) != 0)
			return false;
	return true;
}

/* Named settings in which both differ. */
static int own_differences(const struct own_run *a, const struct own_run *b)
{
	int n = 0;

	for (size_t k = 0; k < NAMED_KEYS; k++)
		n += strcmp(a->named[k], b->named[k]) != 0;
	return n;
}

struct own_pair {               /* a run of an algorithm, and that of all-reduce most like it */
	const struct own_run *of, *base;
	int differences;
	double loss;            /* the lower of both final ones */
	double log_progress;
};

/* The pair of a run; false: there is none. */
static bool own_pair_find(const struct own_run *list, size_t n, const struct own_run *of,
			  struct own_pair *pair)
{
	double a, b, loss;

	*pair = (struct own_pair){ .of = of };
	for (size_t k = 0; k < n; k++) {
		const int differences = own_differences(of, &list[k]);

		if (!progress_is_base(list[k].algo) ||
		    !own_matches(of, &list[k], false) ||
		    (pair->base && differences >= pair->differences))
			continue;
		pair->base = &list[k];
		pair->differences = differences;
	}
	if (!pair->base)
		return false;
	a = own_loss(of, of->curve.rows);
	b = own_loss(pair->base, pair->base->curve.rows);
	loss = fmax(a, b);
	pair->loss = fmin(a, b);
	pair->log_progress = log(own_epochs(pair->base, loss) / own_epochs(of, loss));
	return isfinite(a) && isfinite(b) && isfinite(pair->log_progress);
}

/* True when two pairs differ in their seeds alone. */
static bool own_pairs_agree(const struct own_pair *a, const struct own_pair *b)
{
	return own_matches(a->of, b->of, true) && own_differences(a->of, b->of) == 0 &&
	       own_differences(a->base, b->base) == 0;
}

/*
 * The set-up that counts, of pair[n]: the fewest differences; of these the one with the lowest
 * loss, which is the best learning rate.
 */
static const struct own_pair *own_best(const struct own_pair *pair, size_t n)
{
	const struct own_pair *best = &pair[0];

	for (size_t i = 1; i < n; i++)
		if (pair[i].differences < best->differences ||
		    (pair[i].differences == best->differences && pair[i].loss < best->loss))
			best = &pair[i];
	return best;
}

/* "; lr 0.1, of allreduce 0.05; the best of 3 set-ups there", or "". The caller frees. */
static char *own_remark(const struct own_pair *best, size_t setups)
{
	char *text = xstrdup("");

	for (size_t k = 0; k < NAMED_KEYS; k++)
		if (strcmp(best->of->named[k], best->base->named[k]) != 0)
			xappend_own(&text, "", xasprintf("; %s %s, of allreduce %s", named_keys[k],
							 best->of->named[k],
							 best->base->named[k]));
	if (setups > 1)
		xappend_own(&text, "", xasprintf("; the lowest loss of %zu set-ups there, with lr "
						 "%s", setups, best->of->named[0]));
	return text;
}

/* Mean and interval of log progress of the pairs that agree with the best one. */
static void own_mean(const struct own_pair *pair, size_t n, const struct own_pair *best,
		     struct relative_progress *p, size_t *seeds)
{
	double *logs = xcalloc(n, sizeof(*logs)), half = 0.0;
	struct spread s;
	size_t m = 0;

	for (size_t i = 0; i < n; i++)
		if (own_pairs_agree(&pair[i], best))
			logs[m++] = pair[i].log_progress;
	s = spread_of(logs, m);
	if (m > 1)
		half = student_975((double)(m - 1)) * s.dev / sqrt((double)m);
	*p = (struct relative_progress){ .value = exp(s.mean), .lo = exp(s.mean - half),
					 .hi = exp(s.mean + half), .kind = PROGRESS_OWN };
	*seeds = m;
	free(logs);
}

/* Fills *p from the runs of one algorithm; false: there are none to compare. */
static bool own_score(const struct own_run *list, size_t n, const char *algo, const char *folder,
		      struct relative_progress *p)
{
	struct algo_text wanted = algo_text_read(algo);
	struct own_pair *pair = xcalloc(n + 1, sizeof(*pair));
	const struct own_pair *best = NULL;
	size_t pairs = 0, seeds = 0, setups = 0;

	for (size_t i = 0; i < n && wanted.full; i++)
		pairs += strcmp(list[i].algo, wanted.full) == 0 &&
			 own_pair_find(list, n, &list[i], &pair[pairs]);
	for (size_t i = 0; i < pairs; i++) {
		size_t k = 0;

		while (k < i && !own_pairs_agree(&pair[k], &pair[i]))
			k++;
		setups += k == i;
	}
	if (pairs) {
		char *remark;

		best = own_best(pair, pairs);
		free(p->source);
		own_mean(pair, pairs, best, p, &seeds);
		remark = own_remark(best, setups);
		p->source = xasprintf("%s: %s, %s workers, %s, %zu seed%s: %.3g (%.3g to %.3g)%s",
				      folder, algo, best->of->equal[OWN_WORKERS],
				      best->of->equal[OWN_NET], seeds, word_plural((double)seeds),
				      p->value, p->lo, p->hi, remark);
		free(remark);
	}
	free(wanted.full);
	free(pair);
	return pairs > 0;
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
	for (size_t i = 0; i < n; i++)
		if (p[i].kind != PROGRESS_BASE && p[i].kind != PROGRESS_GIVEN)
			found += own_score(list, runs, algo[i], folder, &p[i]);
	for (size_t i = 0; i < runs; i++)
		own_release(&list[i]);
	free(list);
	free(sim);
	if (!found)
		return error("--progress-from '%s': %zu finished training run%s, none of these "
			     "algorithms and of allreduce with the same net, data, batch, "
			     "workers, accumulate, partition and seed. Train both with `convoy "
			     "sim --out %s`", folder, runs, word_plural((double)runs), folder);
	return 0;
}
