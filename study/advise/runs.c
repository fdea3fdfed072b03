/*
 * runs.c - the runs that an answer is drawn from: timing-only ones, whose times per step count, and
 * training runs of a small net on the same machine, which measure progress per step.
 *
 * Staleness follows from the times of computing and of messages. So the small net gets the seconds
 * of the large one, and a network whose rates are lower in the ratio of their sizes: its messages
 * then take as long. Both algorithms train for equally many gradients. The progress of the second,
 * relative to the first, is the ratio of the gradients that they need to the loss that both reach.
 */
#include "study/advise/advise.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "core/math/median.h"
#include "core/node.h"
#include "core/text/units.h"
#include "plan/machine/machine.h"
#include "plan/settings/settings.h"
#include "runner/figures_run.h"
#include "runner/plan_run.h"
#include "runner/single_run/simrun.h"
#include "sim/faults/faults.h"
#include "study/finished_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	GRADIENTS = 400,        /* of each worker in a run whose length is not given ... */
	FEWEST = 64,            /* ... of many workers, so that all together compute no more than */
	MOST = 100000,          /* ... also where it takes more for enough that is rare */
	MOST_IN_ROUNDS = 10 * MOST,     /* ... and where it takes more for whole rounds */
	WARM_UP = 10,           /* one of so many is not measured */
	SCORED = 10,            /* rows of a training curve that a loss is the mean of */
	HEADER_BYTES = 24       /* of a message; all-reduces have none */
};

/* ---- timing-only runs ---- */

/* Gradients of a worker, at least so many if those of all together are not too many. */
static double gradients_each(double workers, double least)
{
	return fmax(FEWEST, fmin(ceil(fmax(GRADIENTS, least)), floor(MOST / workers)));
}

struct grid_point advise_settings(const struct advise *a, const struct draw *draw)
{
	struct grid_point settings = { 0 };
	const double *value = draw->value;

	for (size_t i = 0; i < a->settings.n; i++) {
		const char *key = a->settings.v[i].key, *text = a->settings.v[i].value.text;
		scoped_by(uncertain_release) struct uncertain_list own = { 0 };

		point_put_last(&settings, key, uncertain_fill(key, text, value));
		uncertain_find(&own, key, text);
		value += own.n;
	}
	point_put_number(&settings, "seed", (double)draw->seed);
	return settings;
}

/* The settings of a run without its algorithm and its length; the caller releases. */
static struct grid_point point_settings(const struct advise *a, double x, const struct draw *draw)
{
	scoped_by(point_release) struct grid_point settings = advise_settings(a, draw);

	return vary_apply(&a->vary[0], &settings, x);
}

/* Gradients of a worker, or a few more, so that they are whole rounds. */
static double whole_rounds(double each, double round)
{
	return ceil(each / round) * round;
}

/* Facts of a point's algorithm, without its text. */
static struct algo_text point_algo(const struct grid_point *point)
{
	struct algo_text algo = algo_text_read(point_text(point, "algo"),
					       (int)strtod(point_text(point, "workers"), NULL));

	free(algo.full);
	algo.full = NULL;
	return algo;
}

/* advise_first_steps() of this algorithm. */
static double first_steps(const struct grid_point *point, const struct algo_text *algo)
{
	const char *codec = point_text(point, "codec");

	return fmax(algo->first, codec ? codec_first_allreduces(codec) * algo->round : 0.0);
}

double advise_first_steps(const struct grid_point *point)
{
	const struct algo_text algo = point_algo(point);

	return first_steps(point, &algo);
}

void advise_length(const struct advise *a, struct grid_point *point, double least)
{
	const double workers = strtod(point_text(point, "workers"), NULL);
	const struct algo_text algo = point_algo(point);
	const double each = whole_rounds(gradients_each(workers, least), algo.round);
	/* a tenth more than what is measured, so that the start is left out */
	double warm = first_steps(point, &algo) + whole_rounds(ceil(each / WARM_UP), algo.round);

	if (algo.settles * workers <= MOST_IN_ROUNDS)
		warm = fmax(warm, whole_rounds(algo.settles, algo.round));
	if (a->has_length)
		return;
	point_put_number(point, "gradients", (each + warm) * workers);
	point_put_number(point, "time_from", warm * workers);
}

char *advise_overlong(const struct advise *a, const struct setup *su)
{
	char *text = choice_format(&su->algo), *reason = NULL;
	const double workers = (double)su->num.workers;
	struct algo_text algo = algo_text_read(text, (int)su->num.workers);
	const double all = (algo.first + 2.0 * algo.round) * workers;

	if (!a->has_length && all > MOST_IN_ROUNDS)
		reason = xasprintf("a round and what comes before it are %.3g gradients, and a "
				   "run has %.3g at most. Give --gradients", all,
				   (double)MOST_IN_ROUNDS);
	free_all(algo.full, text);
	return reason;
}

struct grid_point advise_point(const struct advise *a, double x, const struct draw *draw,
			       int which)
{
	struct grid_point point = point_settings(a, x, draw);
	double least = 0.0;
	size_t i = 0;

	point_put_text(&point, "algo", a->algo[which]);
	/* as many as at the points next to it */
	while (i + 1 < a->nx && a->x[i] < x)
		i++;
	if (a->each)
		least = i && a->x[i] > x ? fmax(a->each[i - 1], a->each[i]) : a->each[i];
	advise_length(a, &point, least);
	return point;
}

const char *const rare_names[RARES] = { "slow periods", "failures", "checkpoints" };

double advise_rounded_up(double x)
{
	const double digit = pow(10.0, floor(log10(x)) - 1.0);

	return ceil(1.05 * x / digit) * digit;
}

void advise_rare(const struct setup *su, double rare[RARES])
{
	const struct delays *delays = su->sim.pace.delays;
	const struct restart *restart = &su->sim.restart;

	rare[RARE_SLOW_PERIODS] = delays ? delays_slow_periods(delays) : 0.0;
	rare[RARE_FAILURES] = failing_rate(&su->sim, (int)su->num.workers);
	rare[RARE_CHECKPOINTS] = restart->cost_s > 0.0 ? 1.0 / restart->interval_s : 0.0;
}

double advise_least(const struct setup *su)
{
	double rare[RARES], least_s = 0.0;

	advise_rare(su, rare);
	for (int k = 0; k < RARES; k++)
		if (rare[k] > 0.0)
			least_s = fmax(least_s, ADVISE_RARE / rare[k]);
	return gradients_each((double)su->num.workers, least_s / su->num.compute_s);
}

struct delay_span advise_timed(const struct setup *su)
{
	const struct delay_span none = { HUGE_VAL, -HUGE_VAL };
	struct delay_span all = su->sim.pace.delays ? delays_span(su->sim.pace.delays) : none;

	for (size_t i = 0; i < su->sim.pace.nslow; i++) {
		const struct slow *s = &su->slow[i];

		if (s->to > 0.0) {
			all.from = fmin(all.from, s->from);
			all.until = fmax(all.until, s->to);
		}
	}
	for (size_t i = 0; i < su->sim.nfaults; i++) {
		const struct fault *f = &su->sim.fault[i];

		/* one that begins for good may do so before what is measured */
		if (f->kind != FAULT_FAIL && isfinite(f->to))
			all.from = fmin(all.from, f->from);
		if (f->kind != FAULT_FAIL)
			all.until = fmax(all.until, isfinite(f->to) ? f->to : f->from);
	}
	return all;
}

void advise_narrow(const struct advise *a, const struct planned *r, const struct record_figures *f,
		   struct delay_span *all)
{
	const double share = 1.0 - (double)r->su.in.time_from / f->gradients;
	const double measured_s = f->time_per_epoch_s * f->epochs * share;

	all->from = fmax(all->from, a->has_length ? 0.0 : f->time_s - measured_s);
	all->until = fmin(all->until, f->time_s);
}

void advise_find_untimely(const struct delay_span *timed, const struct delay_span *measured,
			  struct texts *lines)
{
	static const char *const what = "faults, slow periods or delays at given times change";

	if (timed->until > measured->until)
		texts_putf(lines, "%s until %.4g s, but some runs end at %.4g s: their times are "
			   "of a part of these. Give --seconds %.6g or more", what, timed->until,
			   measured->until, advise_rounded_up(timed->until));
	if (timed->from < measured->from)
		texts_putf(lines, "%s from %.4g s on, but some runs are measured from %.4g s on: "
			   "their times are of a part of these, or of none. Give --seconds: then "
			   "they are measured from 0 s on", what, timed->from, measured->from);
}

char *advise_beyond(const struct setup *su)
{
	char *text = measured_beyond(su);
	scoped char *compute = compute_times_beyond(&su->times, (int)su->num.workers, su->slice);

	if (compute)
		xappendf(&text, "; ", "compute_s: %s", compute);
	return text;
}

/* Fills what is known of the i-th point before its runs are made. */
static void point_look(struct advise *a, size_t i, const struct setup *su)
{
	advise_rare(su, a->rare[i]);
	a->each[i] = advise_least(su);
	a->timed = advise_timed(su);
	if (!a->extrapolate && !a->no_data[i])
		a->no_data[i] = advise_beyond(su);
	if (!a->no_data[i])
		a->no_data[i] = advise_overlong(a, su);
}

/* The points a->x, before their runs, as a plan; what is known of each. 0 or error(). */
static int points_look(struct advise *a, struct plan *p)
{
	struct points points = { 0 };
	int ret;

	for (size_t i = 0; i < a->nx; i++)
		for (int k = 0; k < ADVISE_ALGOS; k++)
			points_add(&points, advise_point(a, a->x[i], &a->centre, k));
	ret = plan_from_points(p, NULL, &points, a->out);
	a->no_data = xcalloc(a->nx, sizeof(*a->no_data));
	a->rare = xcalloc(a->nx, sizeof(*a->rare));
	a->each = xcalloc(a->nx, sizeof(*a->each));
	a->sum = xcalloc(a->nx * ADVISE_ALGOS, sizeof(*a->sum));
	for (size_t i = 0; i < p->n && ret == 0; i++) {
		const struct setup *su = &p->runs[i].su;
		const char *kind = allreduce_library(su) ? allreduce_kind(su) : NULL;

		point_look(a, i / ADVISE_ALGOS, su);
		if (kind)
			a->sum[i] = (struct points_sum){ allreduce_library(su), kind };
	}
	return ret;
}

/* Adds both sides of each switch to the points, which are looked at again if there are more. */
static int points_add_switches(struct advise *a, struct plan *p)
{
	const size_t most = a->nx * (1 + 2 * ADVISE_ALGOS);
	double *x = xcalloc(most, sizeof(*x));
	size_t n = switches_narrowed(a, x), kept = 0;

	memcpy(x + n, a->x, a->nx * sizeof(*x));
	n += a->nx;
	sort_doubles(x, n);
	for (size_t i = 0; i < n; i++)
		if (!kept || x[i] > x[kept - 1])
			x[kept++] = x[i];
	if (kept == a->nx) {
		free(x);
		return 0;
	}
	plan_release(p);
	advise_forget_points(a);
	a->x = x;
	a->nx = kept;
	return points_look(a, p);
}

void advise_note_machine(struct advise *a, const struct plan *p)
{
	const char *delay = advise_share_delay(a);
	size_t machine;
	scoped_paths char **texts = plan_remarks(p, &machine);

	a->assumed_line = plan_assumed(p);
	if (delay)
		xappendf(&a->assumed_line, "; ", "%sdelay %s", a->assumed_line ? "" : "assumed: ",
			 delay);
	if (!a->conf.quiet)
		note_own(units_understood());
	for (size_t i = 0; texts[i]; i++) {
		if (i >= machine)
			texts_put(&a->limits, texts[i]);
		else if (!a->conf.quiet)
			note("%s", texts[i]);
	}
}

int advise_look(struct advise *a)
{
	scoped_by(plan_release) struct plan p;
	int ret = points_look(a, &p);

	if (ret == 0)
		ret = points_add_switches(a, &p);
	if (ret == 0) {
		advise_note_settings(a, &p.runs[0].su);
		advise_note_machine(a, &p);
	}
	return ret;
}

/* Figures of a run that `convoy sim` has made; 0 or error(). */
static int figures_read(struct record_figures *f, const char *path)
{
	scoped_by(finished_run_release) struct finished_run run;
	const int ret = finished_run_read(&run, path);

	if (ret == 0)
		*f = (struct record_figures){
			.time_s = run.time_s, .time_per_epoch_s = run.time_per_epoch_s,
			.epochs = run.epochs, .gradients = run.gradients,
			.wait_share = (double)NAN, .bytes_sent = (double)NAN,
			.staleness = (double)NAN, .exchanges = (double)NAN,
			.lead = run.leads ? 1.0 : 0.0,  /* its growth is not in the file */
		};
	return ret;
}

int advise_figures(const struct advise *a, struct plan *p, struct record_figures *figure,
		   char **why)
{
	struct pool_conf conf = a->conf;
	int code = EXIT_OK;

	for (size_t i = 0; i < p->n; i++) {
		struct planned *r = &p->runs[i];
		const struct record_figures *known = known_find(a->known, r->su.hash);

		if (known)
			figure[i] = *known;
		else if (r->state == RUN_FINISHED && figures_read(&figure[i], r->path) < 0)
			return EXIT_BAD;
		r->state = known ? RUN_FINISHED : r->state;
	}
	if (plan_count(p, RUN_TODO)) {
		scoped bool *todo = xcalloc(p->n, sizeof(*todo));

		for (size_t i = 0; i < p->n; i++)
			todo[i] = p->runs[i].state == RUN_TODO && p->runs[i].same_as == i;
		code = figures_run(p, &conf, figure, why);
		for (size_t i = 0; i < p->n; i++)
			if (todo[i] && p->runs[i].state == RUN_FINISHED)
				known_add(a->known, p->runs[i].su.hash, &figure[i]);
	}
	if (known_save(a->known, code == EXIT_OK) < 0)
		return EXIT_BAD;
	if (code == EXIT_OK && !why && plan_failed(p) > 0)
		code = EXIT_BAD;
	return code;
}

int advise_run(const struct advise *a, struct cell *cell, size_t n)
{
	struct points points = { 0 };
	struct record_figures *figure = NULL;
	scoped_by(plan_release) struct plan p;
	int code = EXIT_BAD;

	for (size_t i = 0; i < n; i++)
		for (int k = 0; k < ADVISE_ALGOS; k++)
			points_add(&points, advise_point(a, cell[i].x, &a->draw[cell[i].draw], k));
	if (plan_from_points(&p, NULL, &points, a->out) == 0) {
		figure = xcalloc(p.n, sizeof(*figure));
		code = advise_figures(a, &p, figure, NULL);
	}
	for (size_t i = 0; i < p.n && code == EXIT_OK; i++) {
		struct cell *c = &cell[i / ADVISE_ALGOS];
		const struct planned *r = &p.runs[i];
		const struct record_figures *f = &figure[i];
		double *step_s = &c->times.step_s[i % ADVISE_ALGOS];
		const double workers = (double)r->su.num.workers;

		c->times.x = c->x;
		/* in which the workers compute as many gradients as there are workers */
		*step_s = f->time_per_epoch_s * f->epochs / f->gradients * workers;
		c->times.exchanges[i % ADVISE_ALGOS] = exchanges_of(f);
		c->times.lead[i % ADVISE_ALGOS] = f->lead;
		if (i % ADVISE_ALGOS == 0)
			c->times.measured = (struct delay_span){ 0.0, HUGE_VAL };
		advise_narrow(a, r, f, &c->times.measured);
		c->times.gradients = (f->gradients - (double)r->su.in.time_from) / workers;
		if (!isfinite(*step_s) || *step_s <= 0.0) {
			error("%s: the run has no time per epoch. Make it longer with "
			      "--gradients", r->label);
			code = EXIT_BAD;
		}
	}
	free(figure);
	return code;
}

/* ---- training runs: settings ---- */

/* Adds "KEY=VALUE KEY=VALUE ..." to the settings, instead of what they have. 0 or error(). */
static int training_overlay(struct grid_point *point, const char *text, int which)
{
	char *copy = xstrdup(text), *rest;
	int ret = 0;

	for (char *word = strtok_r(copy, " ", &rest); word && ret == 0;
	     word = strtok_r(NULL, " ", &rest)) {
		char *value = strchr(word, '='), *comma;
		const struct opt *o;

		if (value)
			*value++ = '\0';
		o = value ? opt_find(settings_opts, word) : NULL;
		if (!o) {
			ret = error("--progress-by: '%s': expected settings of a training run, "
				    "such as 'net=lenet lr=0.01 epochs=2'", word);
			continue;
		}
		/* of "FIRST,SECOND", such as two learning rates, the algorithm's own */
		comma = o->type == OPT_STRING ? NULL : strchr(value, ',');
		if (comma)
			*comma = '\0';
		point_put_last(point, o->name,
			       xstrdup(comma && which == ADVISE_SECOND ? comma + 1 : value));
	}
	free(copy);
	return ret;
}

/* The machine of a timing-only run, without settings that a small net's training run lacks. */
static void training_machine(struct grid_point *point, const struct setup *su, const char *link,
			     double sim_bucket)
{
	static const char *const keys[] = { "timing", "net", "data", "batch", "samples", "epochs",
					    "seconds", "gradients", "time_from", "cluster" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		point_drop(point, keys[i]);
	point_put_last(point, "compute_s", xasprintf("%.9g", su->num.compute_s));
	point_put_last(point, "host_copy_s", xasprintf("%.9g", su->num.host_copy_s));
	point_put_last(point, "update_s", xasprintf("%.9g", su->num.update_s));
	point_put_last(point, "overlap", xstrdup(su->num.overlap ? "true" : "false"));
	point_put_last(point, "train_every", xstrdup("0.01"));
	point_put_last(point, "eval_every", xstrdup("0"));
	point_put_last(point, "link", xstrdup(link));
	if (su->num.sim_bucket > 0)
		point_put_last(point, "sim_bucket", xasprintf("%.0f", fmax(4.0, sim_bucket)));
}

/* The link's text for a net that is smaller by `ratio`; the setup's own is changed. Owned. */
static char *training_link(struct setup *su, double ratio)
{
	const struct link *link = (const struct link *)su->sim.link.plugin;
	char *model, *own, *text;

	/* as given: the run of the small net has workers of several devices, too */
	if (su->link_text)
		choice_parse(&su->sim.link, link_table, "link model", su->link_text);
	if (link->scale)
		link->scale(su->sim.link.conf, ratio);
	clauses_scale(&su->sim.own, ratio);
	model = choice_format(&su->sim.link);
	own = clauses_format(&su->sim.own);
	text = xasprintf("%s%s", model, own);
	free_all(model, own);
	return text;
}

/* Bytes of the model in a message, or in an all-reduce. */
static double training_bytes(const struct setup *su)
{
	return (double)(su->model.dim * sizeof(float)) +
	       (setup_algo(su)->worker->allreduce ? 0.0 : HEADER_BYTES);
}

static int training_resolve(struct setup *su, const struct grid_point *point, const char *algo)
{
	setup_init(su);
	if (settings_apply_point(&su->in, point, "command line") < 0 ||
	    settings_set(&su->in, "algo", algo, "command line") < 0)
		return -1;
	return setup_resolve(su);
}

/* Turns the settings of a timing-only run into those of a training run. 0 or error(). */
static int training_turn(struct grid_point *point, const char *algo, int which, const char *text)
{
	struct setup large, small = { 0 };
	int ret = training_resolve(&large, point, algo);

	/* nothing that the run of a small net would not have */
	if (ret == 0 && strcmp(setup_text(&large, "storage"), "none") != 0)
		ret = error("--progress-by cannot scale storage to the samples of a small net. "
			    "Give --progress instead.");
	for (int w = 0; ret == 0 && large.own && w < large.num.workers; w++)
		if (fabs(large.own[w] - 1.0) > 1e-9)
			ret = error("--progress-by cannot take compute_s that differs between "
				    "workers. Give --progress instead.");
	if (ret == 0) {
		training_machine(point, &large, setup_text(&large, "link"),
				 (double)large.num.sim_bucket);
		ret = training_overlay(point, text, which);
	}
	if (ret == 0) {
		ret = training_resolve(&small, point, algo);
		if (ret == 0) {
			const double ratio = training_bytes(&small) / training_bytes(&large);
			char *link = training_link(&large, ratio);

			training_machine(point, &large, link,
					 ratio * (double)large.num.sim_bucket);
			free(link);
			ret = training_overlay(point, text, which);
		}
		setup_release(&small);
	}
	setup_release(&large);
	return ret;
}

/* ---- training runs: curves ---- */

/* log(progress of the second / of the first), of a seed; NaN after error(). */
static double curves_log_progress(const struct planned *r, const struct finished_run *first,
				  const struct finished_run *second)
{
	const struct finished_run *curve[ADVISE_ALGOS] = { first, second };
	double wanted = -HUGE_VAL, gradients[ADVISE_ALGOS];

	for (int k = 0; k < ADVISE_ALGOS; k++) {
		const struct planned *p = &r[k * MEASURED_SEEDS];
		const bool brief = curve[k]->done && curve[k]->rows < SCORED;
		const double end = curve[k]->done && !brief ? finished_run_end(curve[k], SCORED)
							    : HUGE_VAL;
		char *advice;

		wanted = fmax(wanted, end);
		if (isfinite(end))
			continue;
		advice = brief ? xasprintf("it is shorter than %d rows. Give more epochs", SCORED)
			       : divergence_advice(&p->su);
		error("--progress-by: %s %s: %s", p->su.in.algo,
		      brief ? "has no loss at the end of its run"
			    : "diverged, or its loss ends above where it began", advice);
		free(advice);
		return (double)NAN;
	}
	for (int k = 0; k < ADVISE_ALGOS; k++)
		gradients[k] = curve[k]->train.gradients[finished_run_lasting(curve[k], wanted,
									      SCORED)];
	return log(gradients[ADVISE_FIRST] / gradients[ADVISE_SECOND]);
}

/* Means at the points and the error of all, from seeds within algorithms within points. */
static int curves_score(struct measured *m, const struct plan *p,
			const struct finished_run *curve)
{
	double variance = 0.0;

	for (int point = 0; point < MEASURED_POINTS; point++) {
		const int first = point * ADVISE_ALGOS * MEASURED_SEEDS;
		double sum = 0.0, squares = 0.0;

		for (int s = first; s < first + MEASURED_SEEDS; s++) {
			const double x = curves_log_progress(&p->runs[s], &curve[s],
							     &curve[s + MEASURED_SEEDS]);

			if (isnan(x))
				return -1;
			sum += x;
			squares += x * x;
		}
		m->log_progress[point] = sum / MEASURED_SEEDS;
		variance += fmax(0.0, squares - sum * sum / MEASURED_SEEDS) /
			    (MEASURED_SEEDS - 1) / MEASURED_SEEDS;
	}
	m->error = sqrt(variance / MEASURED_POINTS);
	return 0;
}

/* Makes the runs at the points, which are taken over, and scores them. An exit code. */
static int training_run(struct advise *a, struct points *points)
{
	struct pool_conf conf = a->conf;
	struct finished_run *curve;
	scoped_by(plan_release) struct plan p;
	size_t n = 0;
	int code = EXIT_BAD;

	conf.threads = 0;
	conf.unjudged = true;
	if (plan_from_points(&p, NULL, points, a->out) == 0) {
		a->measured.net = xstrdup(setup_text(&p.runs[0].su, "net"));
		a->measured.runs = p.n;
		code = plan_run(&p, &conf);
	}
	if (code == EXIT_OK && plan_failed(&p) > 0)
		code = EXIT_BAD;
	curve = xcalloc(p.n + 1, sizeof(*curve));
	for (; n < p.n && code == EXIT_OK; n++)
		if (finished_run_read(&curve[n], p.runs[n].path) < 0)
			code = EXIT_BAD;
	if (code == EXIT_OK && curves_score(&a->measured, &p, curve) < 0)
		code = EXIT_BAD;
	while (n-- > 0)
		finished_run_release(&curve[n]);
	free(curve);
	return code;
}

int advise_measure(struct advise *a, const char *text)
{
	const double began = clock_s();
	const struct vary *v = a->vary;
	const double from = vary_u(v, v->lo), to = vary_u(v, v->hi);
	struct measured *m = &a->measured;
	struct points points = { 0 };
	int code = EXIT_OK;

	for (int i = 0; i < MEASURED_POINTS; i++)
		m->u[i] = from + (to - from) * i / (MEASURED_POINTS - 1);
	for (int i = 0; i < MEASURED_POINTS * ADVISE_ALGOS * MEASURED_SEEDS && code == EXIT_OK;
	     i++) {
		const int which = i / MEASURED_SEEDS % ADVISE_ALGOS;
		const double u = m->u[i / MEASURED_SEEDS / ADVISE_ALGOS];
		struct grid_point point = point_settings(a, vary_x(&a->vary[0], u), &a->centre);

		if (training_turn(&point, a->algo[which], which, text) < 0)
			code = EXIT_BAD;
		point_drop(&point, "seed");
		point_put_number(&point, "seed", (double)a->centre.seed + i % MEASURED_SEEDS);
		point_put_text(&point, "algo", a->algo[which]);
		points_add(&points, point);
	}
	if (code == EXIT_OK)
		code = training_run(a, &points);
	points_release(&points);
	m->wall_s = clock_s() - began;
	m->uncertain = SIZE_MAX;
	if (code == EXIT_OK && m->error > 0.0) {
		m->uncertain = a->uncertain.n;
		uncertain_add(&a->uncertain, "measured progress", 1.0, m->error);
	}
	return code;
}

/* ---- useful time ---- */

/* The value of a factor that may be uncertain. */
static double drawn_value(const struct advise *a, size_t draw, size_t uncertain, double otherwise)
{
	return uncertain == SIZE_MAX ? otherwise : a->draw[draw].value[uncertain];
}

double advise_useful_s(const struct advise *a, size_t draw, const struct step_times *t, int which)
{
	const struct progress *p = &a->progress[which];
	const struct measured *m = &a->measured;
	double progress = drawn_value(a, draw, p->uncertain, p->value);

	/* that of the second, relative to the first, is linear between where it was measured */
	if (which == ADVISE_SECOND && m->net) {
		const double u = vary_u(&a->vary[0], t->x), *at = m->log_progress;
		double share;
		int i = 0;

		while (i + 2 < MEASURED_POINTS && u > m->u[i + 1])
			i++;
		share = (u - m->u[i]) / (m->u[i + 1] - m->u[i]);
		progress *= exp(at[i] + share * (at[i + 1] - at[i])) *
			    drawn_value(a, draw, m->uncertain, 1.0);
	}
	return t->step_s[which] / progress;
}

double advise_log_ratio(const struct advise *a, size_t draw, const struct step_times *t)
{
	const double ratio = advise_useful_s(a, draw, t, ADVISE_SECOND) /
			     advise_useful_s(a, draw, t, ADVISE_FIRST);

	return log(ratio * drawn_value(a, draw, a->model_error, 1.0));
}
