/* Fills answers from what was found about several algorithms, or about two; as CSV. */
#include "study/advise/answer.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/math/statistics.h"
#include "record/environ.h"
#include "report/text/escape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A question's settings, and what the machine assumes. */
static struct answer answer_new(const struct advise *a, enum answer_kind kind)
{
	struct answer answer = {
		.kind = kind, .command = environ_command(), .given = point_copy(&a->settings),
		.settings = point_copy(&a->every_setting), .assumed = point_copy(&a->assumed),
		.draws = a->ndraws, .seed = (double)a->centre.seed, .nvary = a->nvary,
	};

	for (size_t k = 0; k < a->nvary; k++)
		answer.vary[k] = xstrdup(a->vary[k].kind->name);
	return answer;
}

/* ---- several algorithms ---- */

static struct ranking ranking_of(const struct among *m, const struct among_point *p)
{
	struct ranking ranking;
	scoped size_t *order = among_order(m, p, &ranking.n);

	ranking.v = xcalloc(ranking.n + 1, sizeof(*ranking.v));
	for (size_t i = 0; i < ranking.n; i++) {
		const struct candidate *c = &m->c[order[i]];

		ranking.v[i] = (struct answer_ranked){ xstrdup(c->algo), p->of[order[i]] };
		ranking.v[i].at.progress.source =
			relative_progress_source(&p->of[order[i]].progress);
	}
	return ranking;
}

struct answer answer_of_among(const struct among *m)
{
	struct answer answer = answer_new(&m->a, ANSWER_AMONG);
	struct answer_among *a = &answer.among;

	a->epoch_samples = m->epoch_samples;
	a->sentence = among_sentence(m);
	a->doubt = among_doubt(m);
	a->ranking = ranking_of(m, &m->here);
	among_recommend(m, &a->options);
	for (size_t i = 0; i < m->gaps.n; i++)
		texts_put(&a->gaps, m->gaps.v[i]);
	a->left_out.v = xcalloc(m->n + 1, sizeof(*a->left_out.v));
	for (size_t c = 0; c < m->n; c++) {
		texts_put(&a->algos, m->c[c].algo);
		if (!m->here.of[c].known)
			a->left_out.v[a->left_out.n++] = (struct left_out){
				xstrdup(m->c[c].algo), ranked_why(&m->here.of[c]) };
	}
	a->points.v = xcalloc(m->npoints + 1, sizeof(*a->points.v));
	for (; a->points.n < m->npoints; a->points.n++) {
		const struct among_point *p = &m->point[a->points.n];

		a->points.v[a->points.n] = (struct answer_point){
			.x = { p->x[0], p->x[1] }, .ranking = ranking_of(m, p),
			.first = p->best == SIZE_MAX ? NULL : xstrdup(m->c[p->best].algo) };
	}
	a->changes.v = xcalloc(m->nchanges + 1, sizeof(*a->changes.v));
	for (; a->changes.n < m->nchanges; a->changes.n++) {
		const struct winner_change *w = &m->change[a->changes.n];

		a->changes.v[a->changes.n] = (struct answer_change){
			w->below, w->above, xstrdup(m->c[w->from].algo), xstrdup(m->c[w->to].algo),
			w->from_lost, w->to_new };
	}
	return answer;
}

char *answer_change_text(const struct answer *a, size_t i)
{
	const struct answer_change *c = &a->among.changes.v[i];
	const struct vary_kind *k = vary_kind_of(a->vary[0]), unknown = { .name = a->vary[0],
									  .unit = "" };
	char *at = vary_text(k ? k : &unknown, c->above, c->above);
	char *text = xasprintf("%s on: %s instead of %s", at, c->to, c->from), *open = NULL;

	if (c->to_new)
		xappendf(&open, "", "%s is not ranked below", c->to);
	if (c->from_lost)
		xappendf(&open, "; ", "%s is not ranked from there on", c->from);
	if (open)
		xappendf(&text, " ", "(%s)", open);
	free_all(open, at);
	return text;
}

const struct ranked *ranked_find(const struct ranking *ranking, const char *algo)
{
	for (size_t i = 0; i < ranking->n; i++)
		if (strcmp(ranking->v[i].algo, algo) == 0)
			return &ranking->v[i].at;
	return NULL;
}

/* The progress of an algorithm at a point; NULL: it is base there, or not ranked. */
static const struct relative_progress *point_progress(const struct answer *a, size_t point,
						      const char *algo)
{
	const struct ranked *r = ranked_find(&a->among.points.v[point].ranking, algo);

	return r && r->progress.kind != PROGRESS_BASE ? &r->progress : NULL;
}

/* Adds a line for each source that the first of its points in [0, n) has, but for `but`. */
static void sources_add(const struct answer *a, const char *algo, const char *but,
			struct texts *lines)
{
	const size_t n = a->among.points.n;
	const struct vary_kind *kind[ADVISE_VARY] = { NULL };
	struct vary_kind unknown[ADVISE_VARY];
	struct vary_span all = { .n = 0 };

	for (size_t k = 0; k < a->nvary; k++) {
		unknown[k] = (struct vary_kind){ .name = a->vary[k], .unit = "" };
		kind[k] = vary_kind_of(a->vary[k]);
		kind[k] = kind[k] ? kind[k] : &unknown[k];
	}
	for (size_t i = 0; i < n; i++)
		vary_span_add(&all, a->among.points.v[i].x);
	for (size_t i = 0; i < n; i++) {
		const struct relative_progress *p = point_progress(a, i, algo);
		struct vary_span at = { .n = 0 };
		bool before = !p || (but && strcmp(p->source, but) == 0);
		scoped char *where = NULL;

		for (size_t k = 0; k < n && !before; k++) {
			const struct relative_progress *other = point_progress(a, k, algo);

			if (!other || strcmp(other->source, p->source) != 0)
				continue;
			before = k < i;
			vary_span_add(&at, a->among.points.v[k].x);
		}
		if (before)
			continue;
		where = vary_span_text(&at, &all, kind, a->nvary);
		texts_putf(lines, "%s %s: %s", algo, where, p->source);
	}
}

void answer_sources(const struct answer *a, struct texts *lines)
{
	for (size_t i = 0; i < a->among.algos.n; i++) {
		const char *algo = a->among.algos.v[i];
		const struct ranked *r = ranked_find(&a->among.ranking, algo);

		if (r && r->progress.kind != PROGRESS_BASE)
			texts_putf(lines, "%s: %s", algo, r->progress.source);
		sources_add(a, algo, r ? r->progress.source : NULL, lines);
	}
}

/* ---- two algorithms ---- */

/* no_data: [n]; NULL: there are data everywhere. */
static struct answer_rows rows_of(const struct row *row, char *const *no_data, size_t n)
{
	struct answer_rows rows = { xcalloc(n + 1, sizeof(*rows.v)), n };

	for (size_t i = 0; i < n; i++)
		rows.v[i] = (struct answer_row){
			row[i], no_data && no_data[i] ? xstrdup(no_data[i]) : NULL };
	return rows;
}

static struct answer_measured measured_of(const struct advise *a)
{
	const struct measured *m = &a->measured;
	struct answer_measured measured = { .net = m->net ? xstrdup(m->net) : NULL,
					    .runs = m->runs, .error = m->error };

	measured.points.v = xcalloc(MEASURED_POINTS, sizeof(*measured.points.v));
	for (int i = 0; i < MEASURED_POINTS && m->net; i++)
		measured.points.v[measured.points.n++] = (struct answer_progress){
			vary_x(&a->vary[0], m->u[i]), exp(m->log_progress[i]) };
	return measured;
}

static bool between_is_unmoved(const struct answer_rows *rows)
{
	const struct answer_row *first = rows->v, *last = rows->v + rows->n - 1;
	bool same = !first->no_data && !last->no_data;

	for (int k = 0; k < ADVISE_ALGOS && same; k++)
		same = is_equal_rounded(first->at.time[k].median, last->at.time[k].median);
	return same;
}

static bool among_is_unmoved(const struct answer_among *m)
{
	const struct ranking *first = &m->points.v[0].ranking;
	const struct ranking *last = &m->points.v[m->points.n - 1].ranking;
	size_t same = 0;

	for (size_t i = 0; i < first->n; i++)
		for (size_t k = 0; k < last->n; k++)
			same += !strcmp(first->v[i].algo, last->v[k].algo) &&
				is_equal_rounded(first->v[i].at.step_s, last->v[k].at.step_s);
	return same > 0 && same == first->n && same == last->n;
}

void answer_warn_unmoved(const struct answer *a)
{
	const bool unmoved = a->nvary != 1 ? false :
			     a->kind == ANSWER_BETWEEN ?
			     a->between.rows.n > 1 && between_is_unmoved(&a->between.rows) :
			     a->among.points.n > 1 && among_is_unmoved(&a->among);

	if (unmoved)
		warning("%s has no effect here: each time is the same at both ends of its range. "
			"Something else gives it, such as a clause, rates or a table of the link, "
			"or no message uses it", a->vary[0]);
}

struct answer answer_of_between(const struct break_even *r, const struct advise *a)
{
	struct answer answer = answer_new(a, ANSWER_BETWEEN);
	struct answer_between *b = &answer.between;

	for (int k = 0; k < ADVISE_ALGOS; k++) {
		b->algo[k] = xstrdup(a->algo[k]);
		b->progress[k] = a->progress[k].value;
	}
	b->unit = xstrdup(a->vary[0].kind->unit);
	b->inside = r->inside;
	b->crosses = r->inside > 0;
	b->even = r->even;
	b->direction = r->direction;
	b->measured = measured_of(a);
	b->rows = rows_of(r->row, a->no_data, a->nx);
	b->finer = rows_of(r->finer, NULL, r->nfiner);
	b->rest = r->rest;
	for (size_t i = 0; i < r->gaps.n; i++)
		texts_put(&b->gaps, r->gaps.v[i]);
	b->switches.v = xcalloc(r->nchanges + 1, sizeof(*b->switches.v));
	for (; b->switches.n < r->nchanges; b->switches.n++) {
		const struct kind_switch *s = &r->change[b->switches.n];

		b->switches.v[b->switches.n] = (struct answer_switch){
			xstrdup(a->algo[s->which]), xstrdup(s->library), xstrdup(s->from),
			xstrdup(s->to), s->below, s->above, s->step_below_s,
			s->step_above_s, s->at_even
		};
	}
	b->effects.v = xcalloc(r->neffects + 1, sizeof(*b->effects.v));
	for (; b->effects.n < r->neffects; b->effects.n++) {
		const struct effect *e = &r->effect[b->effects.n];
		const struct uncertain *u = &a->uncertain.v[e->uncertain];

		b->effects.v[b->effects.n] = (struct answer_effect){
			xstrdup(u->name), uncertain_at(u, -1.0), uncertain_at(u, 1.0), e->lo, e->hi,
			e->share
		};
	}
	b->uncertain.v = xcalloc(a->uncertain.n + 1, sizeof(*b->uncertain.v));
	for (; b->uncertain.n < a->uncertain.n; b->uncertain.n++) {
		const struct uncertain *u = &a->uncertain.v[b->uncertain.n];

		b->uncertain.v[b->uncertain.n] = (struct uncertain){ xstrdup(u->name), u->mean,
								     u->sd };
	}
	b->model_error = a->model_error != SIZE_MAX ? a->uncertain.v[a->model_error].sd
						    : (double)NAN;
	return answer;
}

/* ---- CSV ---- */

static void csv_ranking(const struct answer *a, const struct ranking *ranking, const double *x,
			bool priced, FILE *out)
{
	for (size_t i = 0; i < ranking->n; i++) {
		const struct ranked *r = &ranking->v[i].at;
		const struct relative_progress *own = &r->progress;

		for (size_t k = 0; k < a->nvary && x; k++)
			fprintf(out, "%.9g,", x[k]);
		escape_csv(ranking->v[i].algo, out);
		fprintf(out, ",%zu,%.9g,%.9g,%.9g,%.9g,%s,%.9g,%.9g,%.9g,%.4g", i + 1,
			r->step_s, own->value, own->lo, own->hi, progress_kind_names[own->kind],
			r->same.median, r->same.lo, r->same.hi, r->p);
		if (priced)
			fprintf(out, ",%.9g,%.9g", r->epoch_cost, r->same_cost);
		fputc('\n', out);
	}
}

static void csv_among(const struct answer *a, FILE *out)
{
	const char *price = point_text(&a->given, "price");
	const bool priced = price && strcmp(price, "none") != 0;

	for (size_t k = 0; k < a->nvary; k++)
		fprintf(out, "%s,", a->vary[k]);
	fputs("algorithm,rank,step_s,progress,progress_low,progress_high,progress_from,same_loss_s,"
	      "same_loss_s_low,same_loss_s_high,p_first", out);
	fputs(priced ? ",epoch_cost,same_loss_cost\n" : "\n", out);
	if (!a->nvary)
		csv_ranking(a, &a->among.ranking, NULL, priced, out);
	for (size_t i = 0; i < a->among.points.n; i++)
		csv_ranking(a, &a->among.points.v[i].ranking, a->among.points.v[i].x, priced, out);
}

static void csv_digits(double x, FILE *out)
{
	putc(',', out);
	if (!isnan(x))
		fprintf(out, "%.9g", x);
}

static void csv_between(const struct answer *a, FILE *out)
{
	fprintf(out, "%s", a->vary[0]);
	for (int k = 1; k <= ADVISE_ALGOS; k++)
		fprintf(out, ",step_s_%d,step_s_%d_low,step_s_%d_high", k, k, k);
	fputs(",p_second_faster\n", out);
	for (size_t i = 0; i < a->between.rows.n; i++) {
		const struct row *row = &a->between.rows.v[i].at;

		fprintf(out, "%.9g", row->x);
		for (int k = 0; k < ADVISE_ALGOS; k++) {
			csv_digits(row->time[k].median, out);
			csv_digits(row->time[k].lo, out);
			csv_digits(row->time[k].hi, out);
		}
		csv_digits(row->p, out);
		putc('\n', out);
	}
}

void answer_print_csv(const struct answer *a, FILE *out)
{
	(a->kind == ANSWER_BETWEEN ? csv_between : csv_among)(a, out);
}
