/* `convoy advise --among`: prints the ranking of several algorithms. */
#include "cmd/advise.h"

#include "cmd/answer_page.h"
#include "cmd/answer_parts.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/members.h"
#include "report/text/grid.h"
#include "report/text/say.h"
#include "runner/results/outcome.h"

#include <math.h>
#include <stdlib.h>

/* "0.655 (0.604 to 0.71)", "1": the progress, and how it is known. */
static char *progress_text(const struct relative_progress *p)
{
	static const char *const words[] = { "", " given", " own runs", " kept", " assumed" };
	char *text = p->hi > p->lo ? xasprintf("%.3g (%.3g to %.3g)%s", p->value, p->lo, p->hi,
					       words[p->kind])
				   : xasprintf("%.3g%s", p->value, words[p->kind]);

	if (p->capped)
		xappend(&text, "", "*");
	if (p->far)
		xappend(&text, "", "!");
	return text;
}

/* True where what costs is known. */
static bool has_price(const struct among *m)
{
	for (size_t c = 0; c < m->n; c++)
		if (m->here.of[c].known && !isnan(m->here.of[c].epoch_cost))
			return true;
	return false;
}

static void print_ranking(const struct among *m)
{
	const bool priced = has_price(m);
	struct text_grid *rows = grid_new();
	const struct among_point *p = &m->here;
	size_t n, *order = among_order(m, p, &n);

	grid_row(rows, "algorithm", "step [s]", "epoch [s]", "progress per step",
		 "to the same loss [s]", "ratio", "P(first)", priced ? "epoch costs" : NULL,
		 "same loss costs", NULL);
	for (size_t i = 0; i < n; i++) {
		const struct ranked *r = &p->of[order[i]];
		char *step = xasprintf("%.4g", r->step_s);
		char *epoch = isnan(r->epoch_s) ? xstrdup("-") : xasprintf("%.4g", r->epoch_s);
		char *progress = progress_text(&r->progress);
		char *same = r->same.hi > r->same.lo
				     ? xasprintf("%.4g (%.4g to %.4g)", r->same.median, r->same.lo,
						 r->same.hi)
				     : xasprintf("%.4g", r->same.median);
		char *ratio = among_ratio_text(r->same.median / p->of[order[0]].same.median);
		char *first = among_p_text(r->p);

		char *cost = cost_text(&m->a.settings, r->epoch_cost);
		char *same_cost = cost_text(&m->a.settings, r->same_cost);

		grid_row(rows, m->c[order[i]].algo, step, epoch, progress, same, ratio, first,
			 priced ? cost : NULL, same_cost, NULL);
		free_all(cost, same_cost, step, epoch, progress, same, ratio, first);
	}
	grid_print(rows, TABLE_TEXT, stdout);
	grid_free(rows);
	free(order);
}

/* Says what the columns are, and the levels of intervals if there are some. */
static void print_head(const struct among *m)
{
	char *epoch = epoch_samples_text(&m->a.assumed, m->epoch_samples);
	bool intervals = false, kept = false;
	size_t ranked = 0;

	for (size_t c = 0; c < m->n; c++) {
		const struct ranked *r = &m->here.of[c];

		if (!r->known)
			continue;
		ranked++;
		intervals |= r->same.hi > r->same.lo || r->progress.hi > r->progress.lo;
		kept |= r->progress.kind == PROGRESS_KEPT && r->progress.lo <= 1.0 &&
			r->progress.hi > 1.0;
	}
	say("time to the same loss: of a step, divided by progress per step; a step is as many "
	    "gradients as there are workers\n");
	if (epoch)
		say("%s\n", epoch);
	free(epoch);
	if (intervals)
		say("in parentheses: 95 %% intervals of progress per step, 90 %% of the time to "
		    "the same loss\n");
	if (ranked > 1)
		say("P(first): that it is the first, or within 1 %% of the first%s\n",
		    kept ? "; a kept progress above 1 counts as 1" : "");
}

/* True when every candidate that can run is ranked at every point. */
static bool all_ranked(const struct among *m)
{
	for (size_t i = 0; i < m->npoints; i++)
		for (size_t c = 0; c < m->n; c++)
			if (!m->point[i].of[c].known && !m->here.of[c].why)
				return false;
	return true;
}

static void print_along(const struct among *m, const struct answer *a)
{
	const struct vary_kind *k = m->a.vary[0].kind;
	struct text_grid *rows = grid_new();
	char *head = vary_head(k);
	const struct among_point *from = NULL, *to = NULL;      /* first and last with a winner */
	bool is_tied = false;

	grid_row(rows, head, "first to the same loss", "seconds", "P(first)", "the next", "ratio",
		 NULL);
	for (size_t i = 0; i < m->npoints; i++) {
		const struct among_point *p = &m->point[i];
		size_t n, *order = among_order(m, p, &n), next = 1;
		char *x = xasprintf("%.*g", vary_digits(p->x[0]), p->x[0]);
		char *equals = among_equals(m, p);
		char *same = n ? xasprintf("%.4g", p->of[order[0]].same.median) : xstrdup("-");
		char *likely = n ? among_p_text(p->of[order[0]].p) : xstrdup("-"), *ratio;

		while (next < n && ranked_is_first(p, order[next]))
			next++;
		ratio = next < n ? among_ratio_text(p->of[order[next]].same.median /
						    p->of[order[0]].same.median)
				 : xstrdup("-");
		grid_row(rows, x, equals ? equals : n ? m->c[order[0]].algo : "none can run", same,
			 likely, next < n ? m->c[order[next]].algo : "-", ratio, NULL);
		is_tied |= equals != NULL;
		from = !from && n ? p : from;
		to = n ? p : to;
		free_all(x, equals, same, likely, ratio, order);
	}
	putchar('\n');
	grid_print(rows, TABLE_TEXT, stdout);
	grid_free(rows);
	free(head);
	for (size_t i = 0; i < a->among.changes.n; i++) {
		scoped char *change = answer_change_text(a, i);

		say("from %s\n", change);
	}
	if (!m->nchanges && from) {
		scoped char *values = vary_text(k, from->x[0], to->x[0]);

		say("%s is the first%s%s from %s\n", m->c[from->best].algo,
		    all_ranked(m) ? "" : " of those that are ranked",
		    is_tied ? ", or as fast as the first," : "", values);
	}
}

/* A letter for each winner, the second parameter upwards. */
static void print_map(const struct among *m)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char *across = vary_head(m->a.vary[0].kind), *up = vary_head(m->a.vary[1].kind);
	size_t *winner = xcalloc(m->npoints, sizeof(*winner)), n = 0;
	struct texts partial = { 0 };
	bool is_tied = false;

	printf("\nfirst to the same loss: %s to the right, %s upwards\n", across, up);
	for (size_t y = m->ny; y-- > 0;) {
		printf("%10.4g ", m->point[y * m->nx].x[1]);
		for (size_t x = 0; x < m->nx; x++) {
			const struct among_point *p = &m->point[y * m->nx + x];
			const size_t best = p->best;
			size_t k = 0;

			while (k < n && winner[k] != best)
				k++;
			if (k == n && best != SIZE_MAX)
				winner[n++] = best;
			is_tied |= among_mark(m, p) == '=';
			printf("%8c%c", best == SIZE_MAX ? '-' : letters[k % (sizeof(letters) - 1)],
			       among_mark(m, p));
		}
		putchar('\n');
	}
	printf("%10s ", "");
	for (size_t x = 0; x < m->nx; x++)
		printf("%8.4g ", m->point[x].x[0]);
	putchar('\n');
	for (size_t k = 0; k < n; k++)
		printf("%c  %s\n", letters[k % (sizeof(letters) - 1)], m->c[winner[k]].algo);
	if (is_tied)
		puts("=  another one is as fast there, see above");
	among_list_partial(m, &partial);
	for (size_t k = 0; k < partial.n; k++)
		say("*  not ranked there, or in a part of these fields, %s\n", partial.v[k]);
	texts_release(&partial);
	free_all(winner, across, up);
}

static void print_sources(const struct among *m, const struct answer *a)
{
	bool capped = false, far = false, kept = false, assumed = false;
	struct texts lines = { 0 };

	answer_sources(a, &lines);
	say(lines.n ? "\nprogress per step, relative to all-reduce:\n" : "\n");
	for (size_t i = 0; i < lines.n; i++)
		say("  %s\n", lines.v[i]);
	texts_release(&lines);
	for (size_t c = 0; c < m->n; c++) {
		const struct ranked *r = &m->here.of[c];

		capped |= r->known && r->progress.capped;
		far |= r->known && r->progress.far;
		kept |= r->known && r->progress.kind == PROGRESS_KEPT;
		assumed |= r->known && r->progress.kind == PROGRESS_ASSUMED;
	}
	if (capped)
		say("* The mean is above 1, but its interval holds 1: it counts as 1.\n");
	if (far)
		say("! These runs had rounds more than 1.5 times longer or shorter: progress is "
		    "extrapolated, its interval wider.\n");
	if (m->model_error > 0.0)
		say("model error: %.3g of the ratio of two simulated times, given\n",
		    m->model_error);
	else
		say("%s\n", MODEL_ERROR_NONE);
	if (kept || assumed)
		say("%sGive your own figures with --progress, or your training runs with "
		    "--progress-from.\n", kept ? "Kept runs are of small nets. " : "");
}

static void print_among(const struct among *m, const struct answer *a)
{
	char *simulated = advise_provenance(&m->a), *sentence = among_sentence(m);
	char *doubt = among_doubt(m);
	scoped_by(texts_release) struct texts options = { 0 };

	say("%s\n", simulated);
	if (m->a.assumed_line)
		say("%s\n", m->a.assumed_line);
	print_head(m);
	print_ranking(m);
	if (has_price(m))
		say("\nsame loss costs: until the loss that all-reduce has after an epoch\n");
	say("\n%s\n%s\n", sentence, doubt);
	among_recommend(m, &options);
	for (size_t i = 0; i < options.n; i++)
		say("best options here, %s\n", options.v[i]);
	for (size_t c = 0; c < m->n; c++)
		if (m->here.of[c].why)
			say("left out, %s: %s\n", m->c[c].algo, m->here.of[c].why);
	for (size_t i = 0; i < m->gaps.n; i++)
		say("%s\n", m->gaps.v[i]);
	if (m->a.nvary == 1)
		print_along(m, a);
	else if (m->a.nvary == 2)
		print_map(m);
	print_sources(m, a);
	free_all(simulated, sentence, doubt);
}

/* Signs of fields, and lines that explain them in the title. */
static void chart_explain(struct chart *c, const struct among *m)
{
	scoped_by(texts_release) struct texts partial = { 0 };
	bool is_tied = false;

	for (size_t i = 0; i < m->npoints; i++) {
		const char mark = among_mark(m, &m->point[i]);

		c->marked[i] = mark == ' ' ? '\0' : mark;
		is_tied |= mark == '=';
	}
	among_list_partial(m, &partial);
	for (size_t i = 0; i < partial.n; i++)
		xappendf(&c->title, "; ", "*: not ranked, %s", partial.v[i]);
	if (is_tied)
		xappend(&c->title, "; ", "=: another one is as fast there");
}

int advise_among(struct among *m, const struct among_question *q, const struct advise_output *o)
{
	scoped_by(texts_release) struct texts paths = { 0 };
	struct chart chart;
	struct answer answer;
	bool drawn = true;
	int ret = 0, code = among_find(m, q);

	if (code != EXIT_OK)
		return code;
	answer = answer_of_among(m);
	chart = chart_of_among(&answer);
	if (chart.marked)
		chart_explain(&chart, m);
	if (o->plot)
		drawn = chart_draw(&chart, &answer, o->plot, &paths) == 0;
	answer_warn_unmoved(&answer);
	if (o->json) {
		json_print_own(ADD(answer_json(&answer), j_texts("plots", paths.v, paths.n)));
	} else if (o->csv) {
		answer_print_csv(&answer, stdout);
	} else {
		print_among(m, &answer);
		if (o->plot && chart.without)
			say("\nThe picture has %s\n", chart.without);
		paths_print(&paths, "\n");
	}
	if (o->report)
		ret = answer_report(&answer, o->report, o->json || o->csv);
	chart_release(&chart);
	answer_release(&answer);
	return ret < 0 || !drawn ? EXIT_BAD : EXIT_OK;
}
