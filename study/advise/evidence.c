/*
 * evidence.c - progress per step in runs that we made and keep, evidence.def: which experiment
 * counts for the algorithms of a question, and how far its figures may be wrong there.
 */
#include "study/advise/ranking.h"

#include "core/base/mem.h"
#include "core/math/median.h"
#include "plan/settings/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct evidence {
	const char *experiment, *algo;
	int workers, batch;
	const char *net, *data;
	bool slow;              /* a worker was `kept_slowdown` times slower */
	int seeds;
	double value, lo, hi;
};

static const struct evidence evidences[] = {
#define EVIDENCE(experiment, algo, workers, batch, net, data, slow, seeds, value, lo, hi)          \
	{ experiment, algo, workers, batch, net, data, slow, seeds, value, lo, hi },
#include "study/advise/evidence.def"
#undef EVIDENCE
};

static const double kept_slowdown = 10.0;

enum { EVIDENCES = sizeof(evidences) / sizeof(evidences[0]) };

/*
 * How much kept figures differ, as half-widths of 95 % intervals of log(progress), found in
 * evidence.def. The same algorithm with as many workers in two experiments, each with its own net
 * and data: 1.96 root mean squares of the 12 logarithms are a factor of 2.1.
 */
static const double half_set_up = 0.747;
/*
 * From so many workers to twice as many, in jin2016/nodes: 19 of 20 changes are below a factor of
 * 2.5, and 15 of 16 of two doublings below its square. No change is above 2.5^3, over any ratio.
 */
static const double half_doubling = 0.916, most_doublings = 3.0;
/*
 * log(progress) falls by up to 0.72 for e times as long rounds, between two lengths of
 * douillard2023/diloco, and there is no reason to fall by less than 0. So an experiment with one
 * length leaves 0.36 +- 0.36; and the slope of another net may differ by as much again.
 */
static const double slope_unknown = 0.36, half_slope = 0.36;
/* A worker ten times slower, or another option: these count for the choice of rows alone. */
static const double half_slow = 0.3, half_option = 0.2;

/* Options in which both texts differ, but the length of rounds. */
static int options_differ(const struct algo_text *a, const struct algo_text *b)
{
	const char *p = strchr(a->full, ':'), *q = strchr(b->full, ':');
	int n = 0;

	while (p && q && *p && *q) {
		const size_t one = strcspn(++p, ","), two = strcspn(++q, ",");
		const bool same = one == two && strncmp(p, q, one) == 0;

		n += !same && !(a->option && strncmp(p, a->option, strlen(a->option)) == 0 &&
				p[strlen(a->option)] == '=');
		p += one;
		q += two;
	}
	return n;
}

struct kept_setting kept_setting_of(const struct setup *su)
{
	const int n = (int)su->num.workers;
	double *slow = xcalloc((size_t)n, sizeof(*slow)), factor;

	for (int w = 0; w < n; w++)
		slow[w] = pace_lasting(&su->sim.pace, (uint64_t)su->in.seed, w);
	/* kept runs have one worker that is slower than the others throughout */
	sort_doubles(slow, (size_t)n);
	factor = slow[n - 1] / slow[(n - 1) / 2];
	free(slow);
	return (struct kept_setting){ (double)n, fmin(log(factor) / log(kept_slowdown), 1.0) };
}

/* ---- an algorithm in one experiment ---- */

enum { LENGTHS = 8 };

struct series {                 /* rows that differ in the length of rounds alone */
	const struct evidence *row[LENGTHS];
	double round[LENGTHS];  /* ascending */
	double level[LENGTHS];  /* log(progress), never higher for longer rounds */
	size_t n;
	int options;            /* that are others than those asked for */
};

/* How little alike the runs of a row are to those asked for, their rounds and options aside. */
static double row_distance(const struct evidence *e, const struct kept_setting *s)
{
	return fabs(log2(s->workers / e->workers)) * half_doubling +
	       fabs((e->slow ? 1.0 : 0.0) - s->slow) * half_slow;
}

/* Adds a row by its length of rounds; of two with the same length the first one stays. */
static void series_put(struct series *s, const struct evidence *e, double round)
{
	size_t at = s->n;

	for (size_t k = 0; k < s->n; k++)
		if (fabs(s->round[k] - round) < 0.5)
			return;
	if (s->n == LENGTHS)
		return;
	for (; at > 0 && s->round[at - 1] > round; at--) {
		s->row[at] = s->row[at - 1];
		s->round[at] = s->round[at - 1];
	}
	s->row[at] = e;
	s->round[at] = round;
	s->n++;
}

/*
 * The rows of an algorithm in an experiment that are most like the runs asked for: first by workers
 * and slowdown, then by options. Empty: the experiment does not have the algorithm.
 */
static struct series series_find(const char *experiment, const struct algo_text *wanted,
				 const struct kept_setting *setting)
{
	struct series s = { .options = 0 };
	double least = HUGE_VAL, fewest = HUGE_VAL;

	/* of these the nearest, of the nearest those with the fewest other options */
	for (int pass = 0; pass < 3; pass++)
		for (size_t i = 0; i < EVIDENCES; i++) {
			const struct evidence *e = &evidences[i];
			struct algo_text own;
			double d;

			if (strcmp(e->experiment, experiment) != 0 ||
			    !choice_same_name(e->algo, wanted->full))
				continue;
			d = row_distance(e, setting);
			if (pass == 0)
				least = fmin(least, d);
			if (pass == 0 || d > least)
				continue;
			own = algo_text_read(e->algo, 1);
			if (own.full && pass == 1)
				fewest = fmin(fewest, options_differ(&own, wanted));
			else if (own.full && options_differ(&own, wanted) <= fewest)
				series_put(&s, e, own.round);
			free(own.full);
		}
	s.options = s.n ? (int)fewest : 0;
	for (size_t k = 0; k < s.n; k++)
		s.level[k] = k ? fmin(log(s.row[k]->value), s.level[k - 1])
			       : log(s.row[k]->value);
	return s;
}

struct reading {                /* what a series says of a length of rounds */
	const struct evidence *row;     /* the nearest in length */
	double own_round;       /* its length */
	double level;           /* log(progress) */
	double half[PROGRESS_ERRORS];   /* half-widths of 95 % intervals of it */
	bool beyond;            /* no two lengths of the series enclose it */
};

/* Half the interval of a row by its seeds. */
static double row_half(const struct evidence *e)
{
	return 0.5 * log(e->hi / e->lo);
}

/* A series with rows, at a length of rounds. */
static struct reading series_read(const struct series *s, double round,
				  const struct kept_setting *setting)
{
	const double u = log(round);
	const size_t last = s->n - 1;
	struct reading r;
	size_t near = 0, at = 0;
	double slope = slope_unknown, middle = 0.0;

	for (size_t k = 0; k < s->n; k++) {
		middle += log(s->round[k]) / (double)s->n;
		if (fabs(log(s->round[k]) - u) < fabs(log(s->round[near]) - u))
			near = k;
	}
	r = (struct reading){ .row = s->row[near], .own_round = s->round[near] };
	while (at + 2 < s->n && round > s->round[at + 1])
		at++;
	if (last > 0)
		slope = (s->level[at] - s->level[at + 1]) / log(s->round[at + 1] / s->round[at]);
	r.level = s->level[near] - slope * (u - log(s->round[near]));
	r.half[PROGRESS_SEEDS] = row_half(r.row);
	r.half[PROGRESS_SET_UP] = half_set_up;
	r.half[PROGRESS_WORKERS] =
		half_doubling *
		fmin(fabs(log2(setting->workers / r.row->workers)), most_doublings);
	r.beyond = round > s->round[last] || round < s->round[0];
	/* signed: a lower slope is more progress of longer rounds, and less of shorter ones */
	r.half[PROGRESS_ROUNDS] = (last > 0 ? half_slope : sqrt(2.0) * half_slope) * (u - middle);
	return r;
}

/* The squared half-widths of all errors, with those that count for the choice alone. */
static double series_cost(const struct series *s, const struct reading *r,
			  const struct kept_setting *setting)
{
	const double slow = half_slow * ((r->row->slow ? 1.0 : 0.0) - setting->slow);
	const double options = half_option * s->options;
	double sum = slow * slow + options * options;

	for (int k = 0; k < PROGRESS_ERRORS; k++)
		sum += r->half[k] * r->half[k];
	return sum;
}

/* ---- which experiment ---- */

struct asked {                  /* an algorithm of the question */
	struct algo_text text;
	bool counts;            /* its progress is from kept runs */
	const char *experiment; /* chosen; NULL: none has it */
};

/* The experiments, each once, in the order of the file; their number. */
static size_t experiments_list(const char **list)
{
	size_t n = 0;

	for (size_t i = 0; i < EVIDENCES; i++)
		if (i == 0 || strcmp(evidences[i].experiment, evidences[i - 1].experiment) != 0)
			list[n++] = evidences[i].experiment;
	return n;
}

static double asked_cost(const struct asked *a, const char *experiment,
			 const struct kept_setting *setting)
{
	const struct series s = series_find(experiment, &a->text, setting);
	struct reading r;

	if (!s.n)
		return HUGE_VAL;
	r = series_read(&s, a->text.round, setting);
	return series_cost(&s, &r, setting);
}

/*
 * The experiment with the least uncertainty of those a[n] that `of` marks; NULL: none has all of
 * them.
 */
static const char *experiment_for(const struct asked *a, size_t n, const bool *of,
				  const struct kept_setting *setting)
{
	const char *list[EVIDENCES], *best = NULL;
	const size_t m = experiments_list(list);
	double least = HUGE_VAL;

	for (size_t k = 0; k < m; k++) {
		double sum = 0.0;

		for (size_t i = 0; i < n; i++)
			if (of[i])
				sum += asked_cost(&a[i], list[k], setting);
		if (sum < least) {
			least = sum;
			best = list[k];
		}
	}
	return best;
}

/*
 * Chooses one experiment for all algorithms with rounds, and one for all others; where none has
 * them all, one for each algorithm, whatever its options.
 */
static void asked_choose(struct asked *a, size_t n, const struct kept_setting *setting)
{
	scoped bool *of = xcalloc(n + 1, sizeof(*of));

	for (size_t i = 0; i < n; i++) {
		if (!a[i].counts)
			continue;
		for (size_t k = 0; k < n; k++)
			of[k] = k == i;
		a[i].counts = experiment_for(a, n, of, setting) != NULL;
	}
	for (int rounds = 0; rounds < 2; rounds++) {
		const char *one;

		for (size_t k = 0; k < n; k++)
			of[k] = a[k].counts && (a[k].text.option != NULL) == rounds;
		one = experiment_for(a, n, of, setting);
		for (size_t i = 0; i < n; i++) {
			if (!a[i].counts || (a[i].text.option != NULL) != rounds)
				continue;
			for (size_t k = 0; k < n; k++)
				of[k] = a[k].counts && choice_same_name(a[k].text.full,
									a[i].text.full);
			a[i].experiment = one ? one : experiment_for(a, n, of, setting);
		}
	}
}

/* ---- progress ---- */

char *relative_progress_source(const struct relative_progress *p)
{
	char *text = xstrdup(p->source);

	if (p->kind != PROGRESS_KEPT)
		return text;
	if (fabs(p->round - p->own_round) > 0.0)
		xappendf(&text, "; ", "for rounds of %g instead of %g gradients", p->round,
			 p->own_round);
	if (fabs(p->half[PROGRESS_WORKERS]) > 0.0)
		xappendf(&text, "; ", "for %g workers", p->workers);
	xappendf(&text, "; ", "for another net: %.3g (%.3g to %.3g)%s", p->value, p->lo, p->hi,
		 p->capped ? "*" : "");
	return text;
}

static struct relative_progress progress_of(const struct asked *a,
					    const struct kept_setting *setting)
{
	const struct series s = series_find(a->experiment, &a->text, setting);
	const struct reading r = series_read(&s, a->text.round, setting);
	const struct evidence *e = r.row;
	struct relative_progress p = {
		.value = exp(r.level), .kind = PROGRESS_KEPT, .experiment = a->experiment,
		.round = a->text.round, .own_round = r.own_round, .workers = setting->workers,
		.source = xasprintf("%s: %s, %d workers, batch %d, %s on %s%s, %d seeds: %.3g "
				    "(%.3g to %.3g)", e->experiment, e->algo, e->workers, e->batch,
				    e->net, e->data, e->slow ? ", a slow worker" : "", e->seeds,
				    e->value, e->lo, e->hi),
	};
	static const double far = 1.5;
	double sum = 0.0;

	for (int k = 0; k < PROGRESS_ERRORS; k++) {
		p.half[k] = r.half[k];
		sum += r.half[k] * r.half[k];
	}
	p.lo = p.value * exp(-sqrt(sum));
	p.hi = p.value * exp(sqrt(sum));
	p.far = r.beyond && fabs(log(p.round / p.own_round)) > log(far);
	if (p.value > 1.0 && p.lo <= 1.0) {
		p.value = 1.0;
		p.capped = true;
	}
	return p;
}

void progress_kept(char *const *algo, const bool *wanted, size_t n,
		   const struct kept_setting *setting, struct relative_progress *p)
{
	struct asked *a = xcalloc(n + 1, sizeof(*a));

	for (size_t i = 0; i < n; i++) {
		a[i].text = algo_text_read(algo[i], 1);
		a[i].counts = wanted[i] && a[i].text.full && !progress_is_base(algo[i]);
	}
	asked_choose(a, n, setting);
	for (size_t i = 0; i < n; i++) {
		if (progress_is_base(algo[i]))
			p[i] = (struct relative_progress){
				1.0, 1.0, 1.0, PROGRESS_BASE,
				.source = xstrdup("what all others are relative to") };
		else if (a[i].experiment)
			p[i] = progress_of(&a[i], setting);
		else
			p[i] = (struct relative_progress){
				1.0, 1.0, 1.0, PROGRESS_ASSUMED,
				.source = xstrdup("no run of ours: 1 is assumed") };
		free(a[i].text.full);
	}
	free(a);
}
