/*
 * ranking.c - runs of all candidates at the settings as they are, and along one or two parameters;
 * who is the first to the same loss, with which probability, and where that changes.
 */
#include "study/advise/ranking.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/math/median.h"
#include "core/math/statistics.h"
#include "core/text/units.h"
#include "plan/machine/machine.h"
#include "record/record.h"
#include "runner/results/folder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 6, MOST_POINTS = 400 };

static const double close_enough = 0.02;        /* of a change of the winner, in x */
static const double tied = 1.0 + 1e-9;  /* ratio of two times that are equal up to rounding */
static const double as_good = 1.01;     /* of two times of which either may be chosen */

/* ---- runs ---- */

struct among_cell {             /* of the runs of several points */
	size_t point, candidate, draw;
	enum {
		CELL_RUN,
		CELL_IDEAL,     /* on an ideal network: for its exchanges alone */
		CELL_FIRST      /* the first steps, whose bytes do not count */
	} kind;
};

struct among_batch {
	struct among_cell *cell;        /* [n] */
	struct points points;           /* [n], taken over by the plan */
	size_t n;
};

/* Adds a run of a candidate, whose settings are taken over. */
static void batch_add_run(struct among_batch *b, const struct among *m, struct grid_point at,
			  double least, struct among_cell cell)
{
	point_put_text(&at, "algo", m->c[cell.candidate].algo);
	if (cell.kind == CELL_FIRST)
		point_put_number(&at, "gradients",
				 advise_first_steps(&at) *
					 strtod(point_text(&at, "workers"), NULL));
	else
		advise_length(&m->a, &at, least);
	points_add(&b->points, at);
	APPEND(b->cell, b->n) = cell;
}

/*
 * Fills what is known of candidates at a point before their runs, from their facts[n] there. The
 * progress of all that can run is from kept runs of one choice, unless it is given or the user's.
 */
static void ranked_begin(struct ranked *r, const struct among *m,
			 const struct candidate_facts *facts)
{
	struct relative_progress *kept = xcalloc(m->n + 1, sizeof(*kept));
	char **algo = xcalloc(m->n + 1, sizeof(*algo));
	bool *wanted = xcalloc(m->n + 1, sizeof(*wanted));
	size_t able = 0;

	while (able + 1 < m->n && facts[able].why)
		able++;
	for (size_t c = 0; c < m->n; c++) {
		algo[c] = m->c[c].algo;
		wanted[c] = !m->c[c].progress.source && !facts[c].why;
	}
	progress_kept(algo, wanted, m->n, &facts[able].kept, kept);
	for (size_t c = 0; c < m->n; c++) {
		const struct relative_progress *own = &m->c[c].progress;

		r[c] = (struct ranked){
			.why = facts[c].why ? xstrdup(facts[c].why) : NULL,
			.beyond = facts[c].beyond && !m->a.extrapolate ? xstrdup(facts[c].beyond)
								       : NULL,
			.one_server = facts[c].one_server,
			.progress = relative_progress_copy(own->source ? own : &kept[c]),
		};
		free(kept[c].source);
	}
	free_all(wanted, algo, kept);
}

/* Gradients of a worker that a candidate's runs leave out at the start; 0: none. */
static double candidate_first_steps(const struct among *m, const struct grid_point *base, size_t c)
{
	scoped_by(point_release) struct grid_point at = point_copy(base);

	point_put_text(&at, "algo", m->c[c].algo);
	return m->a.has_length ? 0.0 : advise_first_steps(&at);
}

/*
 * Adds the runs of a point at x; NULL: with the settings as they are. Candidates that cannot run
 * there have none.
 */
static void batch_add(struct among_batch *b, const struct among *m, const double *x,
		      struct among_point *p, size_t point)
{
	scoped struct candidate_facts *facts = xcalloc(m->n + 1, sizeof(*facts));
	scoped struct grid_point *base = xcalloc(m->n + 1, sizeof(*base));

	p->of = xcalloc(m->n, sizeof(*p->of));
	for (size_t c = 0; c < m->n; c++) {
		base[c] = among_settings(m, c, x, 0);
		facts[c] = candidate_facts(&m->a, &base[c], m->c[c].algo);
		if (!facts[c].why && isnan(m->c[c].progress.value))
			facts[c].why = xstrdup(m->c[c].progress.source);
	}
	ranked_begin(p->of, m, facts);
	for (size_t c = 0; c < m->n; c++) {
		const struct ranked *r = &p->of[c];
		struct grid_point ideal;

		/* of a candidate that does not wait for the network */
		if (!r->why && !r->beyond && exchange_settings(&base[c], m->c[c].algo, &ideal))
			batch_add_run(b, m, ideal, facts[c].least,
				      (struct among_cell){ point, c, 0, CELL_IDEAL });
		if (!r->why && !r->beyond && candidate_first_steps(m, &base[c], c) > 0.0)
			batch_add_run(b, m, point_copy(&base[c]), facts[c].least,
				      (struct among_cell){ point, c, 0, CELL_FIRST });
		for (size_t d = 0; d < m->a.ndraws && !r->why && !r->beyond; d++)
			batch_add_run(b, m, among_settings(m, c, x, d), facts[c].least,
				      (struct among_cell){ point, c, d, CELL_RUN });
		candidate_facts_release(&facts[c]);
		point_release(&base[c]);
	}
}

struct among_times {            /* of a candidate at a point, over the draws */
	double *step_s, *epoch_s, *bytes, *exchanges;   /* [ndraws], NaN: it has none */
};

static double draws_median(const double *x, size_t n)
{
	double *own = xcalloc(n + 1, sizeof(*own)), median;
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(x[i]))
			own[k++] = x[i];
	sort_doubles(own, k);
	median = k ? 0.5 * (own[(k - 1) / 2] + own[k / 2]) : (double)NAN;
	free(own);
	return median;
}

/* A draw that is the same for all errors of that name. */
static double error_z(const char *name, size_t s)
{
	const struct uncertain source = { (char *)name, 1.0, 1.0 };

	return uncertain_draw(&source, s + 1);
}

/*
 * The deviation of a progress from its value in one of AMONG_DRAWS, in standard deviations. What is
 * from one source errs together, and so do kept runs in what they share.
 */
static double progress_z(const struct candidate *c, const struct relative_progress *p, size_t s)
{
	double sum = 0.0, squares = 0.0;

	if (p->kind != PROGRESS_KEPT)
		return error_z(p->source, s);
	for (int k = 0; k < PROGRESS_ERRORS; k++) {
		const int family = (int)strcspn(c->algo, ":");
		const char *of = p->experiment;
		scoped char *name = k == PROGRESS_SEEDS     ? xstrdup(p->source)
			     : k == PROGRESS_SET_UP  ? xasprintf("set-up of %s", of)
			     : k == PROGRESS_WORKERS ? xasprintf("%.*s of %s", family, c->algo, of)
						     : xasprintf("rounds of %s", of);

		sum += p->half[k] * error_z(name, s);
		squares += p->half[k] * p->half[k];
	}
	return sum / sqrt(squares);
}

/* Progress in one of AMONG_DRAWS: kept runs are credited above 1 as their mean is. */
static double progress_drawn(const struct candidate *c, const struct relative_progress *p,
			     size_t s)
{
	const double z = progress_z(c, p, s);
	const double drawn = p->value * (z < 0.0 ? pow(p->lo / p->value, -z / NORMAL_HALF_95)
						 : pow(p->hi / p->value, z / NORMAL_HALF_95));

	return p->kind == PROGRESS_KEPT && p->lo <= 1.0 ? fmin(drawn, 1.0) : drawn;
}

/* Factor of a candidate's simulated times in one of AMONG_DRAWS, by the error of the model. */
static double error_drawn(const struct among *m, size_t c, size_t s)
{
	/* the ratio of two has the deviation that is given */
	const struct uncertain error = { m->c[c].error_name, 1.0, m->model_error / sqrt(2.0) };

	return m->model_error > 0.0 ? uncertain_at(&error, uncertain_draw(&error, s + 1)) : 1.0;
}

/* Price of a second of all workers; NaN: none is given. */
static double second_cost(const struct setup *su)
{
	const double devices = fmax((double)su->in.gpus_per_worker, 1.0);
	struct price price;

	if (!su->in.price || price_parse(&price, su->in.price) < 0 ||
	    !(price.per_hour > 0.0))
		return (double)NAN;
	return (double)su->num.workers * price.per_hour * (price.of_worker ? 1.0 : devices) /
	       3600.0;
}

char *cost_text(const struct grid_point *settings, double amount)
{
	const char *text = point_text(settings, "price");
	struct price price;

	if (isnan(amount) || !text || price_parse(&price, text) < 0)
		return xstrdup("-");
	return price_amount(&price, amount);
}

/* Fills *r from step_s[ndraws], and same[AMONG_DRAWS] <- its times to the same loss. */
static void ranked_fill(const struct among *m, size_t c, const struct among_times *t,
			struct ranked *r, double *same)
{
	scoped double *sorted = xcalloc(AMONG_DRAWS, sizeof(*sorted));

	r->step_s = draws_median(t->step_s, m->a.ndraws);
	r->epoch_s = draws_median(t->epoch_s, m->a.ndraws);
	r->bytes = draws_median(t->bytes, m->a.ndraws);
	r->epoch_cost = r->epoch_s * r->second_cost;
	r->same_cost = r->epoch_cost / r->progress.value;
	r->exchanges = (double)NAN;
	for (size_t d = 0; d < m->a.ndraws; d++)
		r->exchanges = fmin(r->exchanges, t->exchanges[d]);
	r->starved = exchanges_are_rare(r->exchanges, r->ideal);
	/* who gives a figure knows for which exchanges it is */
	r->known = !isnan(r->step_s) && !(r->starved && r->progress.kind != PROGRESS_GIVEN);
	for (size_t s = 0; s < AMONG_DRAWS; s++) {
		const double step_s = t->step_s[s % m->a.ndraws];

		/* without a step there is no progress either */
		same[s] = step_s;
		if (!isnan(step_s))
			same[s] *= error_drawn(m, c, s) /
				   progress_drawn(&m->c[c], &r->progress, s);
		if (isnan(same[s]))
			r->known = false;
		sorted[s] = same[s];
	}
	if (r->known) {
		sort_doubles(sorted, AMONG_DRAWS);
		r->same = (struct band){ r->step_s / r->progress.value,
					 sorted[AMONG_DRAWS / 20],
					 sorted[AMONG_DRAWS - 1 - AMONG_DRAWS / 20] };
	}
}

/* Ranks the candidates at a point by their times t[n]. */
static void point_rank(const struct among *m, struct among_point *p, const struct among_times *t)
{
	double *same = xcalloc(m->n * AMONG_DRAWS, sizeof(*same)), regret[AMONG_DRAWS];
	size_t known = 0;

	p->best = p->quickest = SIZE_MAX;
	for (size_t c = 0; c < m->n; c++) {
		ranked_fill(m, c, &t[c], &p->of[c], same + c * AMONG_DRAWS);
		if (!p->of[c].known)
			continue;
		known++;
		if (p->best == SIZE_MAX || p->of[c].same.median < p->of[p->best].same.median)
			p->best = c;
		if (p->quickest == SIZE_MAX || p->of[c].step_s < p->of[p->quickest].step_s)
			p->quickest = c;
	}
	for (size_t s = 0; s < AMONG_DRAWS && p->best != SIZE_MAX; s++) {
		double least = HUGE_VAL;

		for (size_t c = 0; c < m->n; c++)
			least = p->of[c].known ? fmin(least, same[c * AMONG_DRAWS + s]) : least;
		for (size_t c = 0; c < m->n; c++)
			p->of[c].p += p->of[c].known &&
				      same[c * AMONG_DRAWS + s] <= as_good * least;
		regret[s] = same[p->best * AMONG_DRAWS + s] / least;
	}
	if (p->best != SIZE_MAX) {
		sort_doubles(regret, AMONG_DRAWS);
		p->regret = regret[AMONG_DRAWS - 1 - AMONG_DRAWS / 20];
	}
	for (size_t c = 0; c < m->n; c++)
		p->of[c].p = known > 1 ? p->of[c].p / AMONG_DRAWS : (double)NAN;
	free(same);
}

/* Says of which rare events a run has too few, and which length would do. */
static void among_find_gaps(struct among *m, const struct setup *su, double seconds)
{
	double rate[RARES];

	advise_rare(su, rate);
	for (int k = 0; k < RARES; k++) {
		if (!(rate[k] > 0.0) || rate[k] * seconds >= ADVISE_RARE)
			continue;
		texts_putf(&m->gaps, "runs have fewer than %d %s (%.2g in %.3g s): times may be "
			   "biased. Give --seconds %.6g or more", ADVISE_RARE, rare_names[k],
			   rate[k] * seconds, seconds, advise_rounded_up(ADVISE_RARE / rate[k]));
	}
}

/* Makes the runs of points p[n]; x NULL: of one, with the settings as they are. An exit code. */
static int among_run(struct among *m, struct among_point *p, size_t n, bool here)
{
	struct among_batch b = { 0 };
	const size_t draws = m->a.ndraws, values = n * m->n * draws;
	double *numbers = xcalloc(4 * values + 1, sizeof(*numbers));
	struct among_times *times = xcalloc(n * m->n + 1, sizeof(*times));
	struct record_figures *figure, first = { 0 };    /* first: of the candidate in turn */
	struct plan plan;
	char **why;
	size_t gaps = 0;
	int code = EXIT_BAD;

	for (size_t i = 0; i < 4 * values; i++)
		numbers[i] = (double)NAN;
	for (size_t i = 0; i < n * m->n; i++) {
		double *at = numbers + i * draws;

		times[i] = (struct among_times){ at, at + values, at + 2 * values,
						 at + 3 * values };
	}
	for (size_t i = 0; i < n; i++)
		batch_add(&b, m, here ? NULL : p[i].x, &p[i], i);
	figure = xcalloc(b.n + 1, sizeof(*figure));
	why = xcalloc(b.n + 1, sizeof(*why));
	if (plan_from_points(&plan, NULL, &b.points, m->a.out) == 0)
		code = advise_figures(&m->a, &plan, figure, why);
	for (size_t i = 0; i < b.n && code == EXIT_OK; i++) {
		const struct among_cell *cell = &b.cell[i];
		const struct among_times *t = &times[cell->point * m->n + cell->candidate];
		const struct record_figures *f = &figure[i];
		struct ranked *r = &p[cell->point].of[cell->candidate];
		const double workers = (double)plan.runs[i].su.num.workers;
		const double step_s = f->time_per_epoch_s * f->epochs / f->gradients * workers;

		if (cell->kind == CELL_FIRST)
			first = *f;
		else if (cell->kind == CELL_IDEAL && plan.runs[i].state == RUN_FINISHED)
			r->ideal = exchanges_of(f);
		if (cell->kind != CELL_RUN)
			continue;
		if (cell->draw == 0 && (i == 0 || b.cell[i - 1].kind != CELL_FIRST))
			first = (struct record_figures){ 0 };
		if (plan.runs[i].state != RUN_FINISHED || !(step_s > 0.0) || isinf(step_s)) {
			if (!r->why)
				r->why = xstrdup(why[i] ? why[i]
							: "the run has no whole round: make it "
							  "longer with --gradients");
			continue;
		}
		if (here && !gaps) {
			m->timed = advise_timed(&plan.runs[i].su);
			m->epoch_samples = round(f->gradients / f->epochs *
						 (double)setup_batch(&plan.runs[i].su));
		}
		advise_narrow(&m->a, &plan.runs[i], f, &m->measured);
		if (here && !gaps++)
			among_find_gaps(m, &plan.runs[i].su, step_s *
					(f->gradients - (double)plan.runs[i].su.in.time_from) /
					workers);
		r->second_cost = second_cost(&plan.runs[i].su);
		r->leads |= f->lead > 0.0;
		t->step_s[cell->draw] = step_s;
		t->epoch_s[cell->draw] = f->time_per_epoch_s;
		t->exchanges[cell->draw] = exchanges_of(f);
		t->bytes[cell->draw] = (f->bytes_sent - first.bytes_sent) /
				       (f->gradients - first.gradients) * workers;
	}
	if (code == EXIT_OK && here && plan.n) {
		if (!m->a.every_setting.n)
			advise_note_settings(&m->a, &plan.runs[0].su);
		advise_note_machine(&m->a, &plan);
		for (size_t i = 0; i < m->a.limits.n; i++)
			texts_put(&m->gaps, m->a.limits.v[i]);
	}
	for (size_t i = 0; i < n && code == EXIT_OK; i++)
		point_rank(m, &p[i], &times[i * m->n]);
	for (size_t i = 0; i < b.n; i++)
		free(why[i]);
	plan_release(&plan);
	free_all(why, figure, b.cell, times, numbers);
	return code;
}

/* ---- along a parameter ---- */

static int by_x(const void *a, const void *b)
{
	const struct among_point *x = a, *y = b;

	return (x->x[0] > y->x[0]) - (x->x[0] < y->x[0]);
}

bool ranked_is_first(const struct among_point *p, size_t c)
{
	const struct ranked *r = &p->of[c], *best = &p->of[p->best];

	return r == best || (r->known && r->same.median <= tied * best->same.median &&
			     fabs(r->p - best->p) < 1e-9);
}

/*
 * Gives points in a row one winner, as long as one candidate is among the first at all of them: the
 * first does not change where others are merely as fast.
 */
static void ties_settle(const struct among *m, struct among_point *p, size_t n)
{
	scoped bool *first = xcalloc(m->n, sizeof(*first));

	for (size_t i = 0, end; i < n; i = end) {
		size_t winner = p[i].best;

		for (size_t c = 0; c < m->n; c++)
			first[c] = winner != SIZE_MAX && ranked_is_first(&p[i], c);
		for (end = i + 1; winner != SIZE_MAX && end < n && p[end].best != SIZE_MAX; end++) {
			size_t left = SIZE_MAX;

			for (size_t c = m->n; c-- > 0;)
				left = first[c] && ranked_is_first(&p[end], c) ? c : left;
			if (left == SIZE_MAX)
				break;
			for (size_t c = 0; c < m->n; c++)
				first[c] &= ranked_is_first(&p[end], c);
			winner = left;
		}
		for (size_t k = i; k < end; k++)
			p[k].best = winner;
	}
}

bool among_winners_differ(const struct among_point *p, const struct among_point *q)
{
	return p->best != q->best && p->best != SIZE_MAX && q->best != SIZE_MAX;
}

/* The value between two neighbours whose winners differ; NaN: they are close enough. */
static double between_winners(const struct among *m, size_t i)
{
	const struct vary *v = &m->a.vary[0];
	const struct among_point *p = &m->point[i], *q = p + 1;
	const double x = vary_x(v, 0.5 * (vary_u(v, p->x[0]) + vary_u(v, q->x[0])));
	const double width = v->log ? log(q->x[0] / p->x[0])
				    : (q->x[0] - p->x[0]) / (v->hi - v->lo);

	return among_winners_differ(p, q) && width > close_enough && x > p->x[0] && x < q->x[0]
		       ? x : (double)NAN;
}

/* Adds points in the middle, as long as neighbours with different winners are not close. */
static int among_narrow(struct among *m)
{
	int code = EXIT_OK;

	for (int round = 0; round < ROUNDS && code == EXIT_OK; round++) {
		const size_t before = m->npoints;
		size_t n = 0;

		m->point = xrealloc(m->point, 2 * before, sizeof(*m->point));
		for (size_t i = 0; i + 1 < before && before + n < MOST_POINTS; i++) {
			const double x = between_winners(m, i);

			if (!isnan(x))
				m->point[before + n++] = (struct among_point){ .x = { x } };
		}
		if (!n)
			break;
		code = among_run(m, m->point + before, n, false);
		m->npoints += n;
		qsort(m->point, m->npoints, sizeof(*m->point), by_x);
		ties_settle(m, m->point, m->npoints);
	}
	for (size_t i = 0, last = 0; i < m->npoints && code == EXIT_OK; i++) {
		const struct among_point *p = &m->point[last], *q = &m->point[i];

		last = q->best == SIZE_MAX ? last : i;
		if (!among_winners_differ(p, q))
			continue;
		APPEND(m->change, m->nchanges) = (struct winner_change){
			p->x[0], q->x[0], p->best, q->best, !q->of[p->best].known,
			!p->of[q->best].known };
	}
	return code;
}

static int among_along(struct among *m, size_t points)
{
	const bool map = m->a.nvary == 2;
	double *x, *y = NULL;
	int code;

	if (!m->a.nvary)
		return EXIT_OK;
	x = vary_values(&m->a.vary[0], points, &m->nx);
	m->ny = 1;
	if (map)
		y = vary_values(&m->a.vary[1], points, &m->ny);
	m->npoints = m->nx * m->ny;
	m->point = xcalloc(m->npoints, sizeof(*m->point));
	for (size_t i = 0; i < m->npoints; i++) {
		m->point[i].x[0] = x[i % m->nx];
		m->point[i].x[1] = map ? y[i / m->nx] : 0.0;
	}
	free_all(x, y);
	code = among_run(m, m->point, m->npoints, false);
	for (size_t row = 0; row < m->ny && code == EXIT_OK; row++)
		ties_settle(m, m->point + row * m->nx, m->nx);
	return code == EXIT_OK && !map ? among_narrow(m) : code;
}

/* ---- the question ---- */

/*
 * Progress of the candidates that is the same at all points: as given, else in the user's runs. It
 * has no source where that of kept runs counts, which depends on the settings.
 */
static int among_progress(struct among *m, const struct among_question *q)
{
	scoped struct relative_progress *p = xcalloc(m->n, sizeof(*p));
	scoped char **algo = xcalloc(m->n + 1, sizeof(*algo));
	int ret = 0;

	for (size_t c = 0; c < m->n; c++) {
		algo[c] = m->c[c].algo;
		p[c].kind = progress_is_base(algo[c]) ? PROGRESS_BASE : PROGRESS_KEPT;
	}
	if (q->progress)
		ret = progress_given(q->progress, algo, m->n, p);
	if (ret == 0 && q->progress_from)
		ret = progress_own(q->progress_from, algo, m->n, p);
	for (size_t c = 0; c < m->n; c++)
		m->c[c].progress = p[c];
	return ret;
}

/* True when times may differ from draw to draw by more than the choice of peers. */
static bool among_is_random(const struct among *m)
{
	const char *delay = point_text(&m->a.settings, "delay");
	const char *faults = point_text(&m->a.settings, "faults");

	return m->a.uncertain.n || (delay && strcmp(delay, "constant") != 0) ||
	       (faults && strcmp(faults, "none") != 0);
}

static int among_open(struct among *m, const struct among_question *q)
{
	/* One that the settings go with, by which they are read. */
	const char *like = json_get(q->q.set, "shards") ? "asgd" :
			   json_get(q->q.set, "graph")	? "d-psgd" : "allreduce";
	int ret = among_read_candidates(m, q->among);

	m->model_error = q->q.model_error;
	m->measured = (struct delay_span){ 0.0, HUGE_VAL };
	m->epoch_samples = (double)NAN;
	if (ret == 0)
		ret = advise_open_among(&m->a, &q->q, like);
	if (ret < 0)
		return ret;
	advise_draw_all(&m->a, among_is_random(m) ? q->draws : 1);
	among_find_without(m);
	return among_progress(m, q);
}

int among_find(struct among *m, const struct among_question *q)
{
	size_t able = 0;
	int code;

	if (among_open(m, q) < 0 || folder_make(m->a.out) < 0)
		return EXIT_BAD;
	code = among_run(m, &m->here, 1, true);
	for (size_t c = 0; c < m->n; c++)
		able += m->here.of && m->here.of[c].known;
	if (code == EXIT_OK && !able) {
		const struct candidate *one = &m->c[0];
		const struct ranked *r = &m->here.of[0];
		char *counts = xasprintf("%.2g messages arrive for each gradient", r->exchanges);
		char *starved = r->starved ? exchange_text(one->algo, counts, r->ideal, "here",
							   false) : NULL;

		if (starved)
			error("none of the algorithms can be ranked: %s", starved);
		else
			error("none of the algorithms can run with these settings: %s: %s%s",
			      one->algo,
			      r->why ? r->why : r->beyond ? r->beyond : "no time was measured",
			      !r->why && r->beyond ? ". Give --extrapolate" : "");
		free_all(counts, starved);
		return EXIT_BAD;
	}
	if (code == EXIT_OK)
		code = among_along(m, q->q.points);
	if (code == EXIT_OK) {
		among_find_ties(m);
		among_find_codec(m);
		among_find_graph(m);
		among_find_unranked(m);
		advise_find_untimely(&m->timed, &m->measured, &m->gaps);
		among_find_switches(m);
		among_find_servers(m);
	}
	if (known_save(m->a.known, false) < 0 && code == EXIT_OK)
		code = EXIT_BAD;
	return code;
}

size_t *among_order(const struct among *m, const struct among_point *p, size_t *n)
{
	size_t *order = xcalloc(m->n + 1, sizeof(*order));

	*n = 0;
	for (size_t c = 0; c < m->n; c++) {
		size_t k = *n;

		if (!p->of || !p->of[c].known)
			continue;
		for (; k > 0 && p->of[c].same.median < p->of[order[k - 1]].same.median; k--)
			order[k] = order[k - 1];
		order[k] = c;
		++*n;
	}
	return order;
}

static void among_point_release(struct among_point *p, size_t n)
{
	for (size_t c = 0; c < n && p->of; c++)
		free_all(p->of[c].why, p->of[c].beyond, p->of[c].progress.source);
	free(p->of);
}

void among_release(struct among *m)
{
	for (size_t i = 0; i < m->npoints; i++)
		among_point_release(&m->point[i], m->n);
	among_point_release(&m->here, m->n);
	for (size_t c = 0; c < m->n; c++)
		free_all(m->c[c].algo, m->c[c].error_name, m->c[c].progress.source);
	texts_release(&m->gaps);
	free_all(m->point, m->change, m->c);
	advise_release(&m->a);
	*m = (struct among){ 0 };
}
