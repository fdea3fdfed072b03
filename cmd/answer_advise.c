/* Fills the pages of a ranking and of a break-even from the JSON of `convoy advise`. */
#include "cmd/answer_parts.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* True for points of so many parameters: objects that begin with their numbers. */
static bool points_are_good(const cJSON *points, int nvary)
{
	const cJSON *v;

	cJSON_ArrayForEach(v, points) {
		const cJSON *x = v->child;

		for (int k = 0; k < nvary; k++, x = x->next)
			if (!cJSON_IsNumber(x) || !x->string || !isfinite(x->valuedouble))
				return false;
	}
	return cJSON_GetArraySize(points) > 1;
}

/* ---- a ranking ---- */

static char *interval_text(double value, double lo, double hi)
{
	return hi > lo ? xasprintf("%.3g (%.3g to %.3g)", value, lo, hi)
		       : xasprintf("%.4g", value);
}

static void among_table(struct answer_page *p, const cJSON *ranking)
{
	static const char *const heads[] = { "algorithm", "to the same loss [s]", "ratio",
					     "P(first)", "step [s]", "epoch [s]",
					     "progress per step" };
	enum { COLUMNS = sizeof(heads) / sizeof(heads[0]) };
	const double best = number_or_nan(ranking->child, "same_loss_s");
	char *cell[COLUMNS];
	const cJSON *r;

	p->table_title = xstrdup("Ranking");
	p->table = grid_new();
	for (size_t i = 0; i < COLUMNS; i++)
		cell[i] = xstrdup(heads[i]);
	grid_add(p->table, cell, COLUMNS);
	cJSON_ArrayForEach(r, ranking) {
		const double epoch = number_or_nan(r, "epoch_s");
		char *progress;

		if (p->table->rows > ANSWER_ROWS)
			break;
		cell[0] = xstrdup(json_word(r, "algorithm"));
		progress = interval_text(number_or_nan(r, "progress"),
					 number_or_nan(r, "progress_low"),
					 number_or_nan(r, "progress_high"));
		cell[1] = interval_text(number_or_nan(r, "same_loss_s"),
					number_or_nan(r, "same_loss_s_low"),
					number_or_nan(r, "same_loss_s_high"));
		cell[2] = xasprintf("%.3g", number_or_nan(r, "same_loss_s") / best);
		cell[3] = xasprintf("%.2g", number_or_nan(r, "p_first"));
		cell[4] = xasprintf("%.4g", number_or_nan(r, "step_s"));
		cell[5] = isnan(epoch) ? xstrdup("-") : xasprintf("%.4g", epoch);
		cell[6] = xasprintf("%s, %s%s%s", progress, json_word(r, "progress_from"),
				    cJSON_IsTrue(json_get(r, "progress_capped")) ? " *" : "",
				    cJSON_IsTrue(json_get(r, "progress_far")) ? " !" : "");
		free(progress);
		grid_add(p->table, cell, COLUMNS);
	}
	texts_put(&p->table_notes,
		  "To the same loss: the time of a step, divided by the progress per step relative "
		  "to all-reduce. * A mean above 1 whose interval holds 1 counts as 1. ! "
		  "Extrapolated from rounds of another length.");
}

static const cJSON *ranked_find(const cJSON *ranking, const char *algo)
{
	const cJSON *r;

	cJSON_ArrayForEach(r, ranking)
		if (strcmp(json_word(r, "algorithm"), algo) == 0)
			return r;
	return NULL;
}

/* Series of all winners, then of the next in the ranking. */
static void among_series(struct chart *c, const cJSON *points, const cJSON *ranking, size_t n)
{
	const cJSON *v;

	cJSON_ArrayForEach(v, points)
		if (*json_word(v, "first"))
			series_add(c, json_word(v, "first"), n);
	cJSON_ArrayForEach(v, ranking)
		series_add(c, json_word(v, "algorithm"), n);
}

static void among_bars(struct answer_page *p, const cJSON *ranking)
{
	struct chart *c = page_add_chart(p, CHART_BARS,
					 xstrdup("Time to the progress of one step of "
						 "all-reduce, with 90 % intervals"));

	c->xlabel = xstrdup("seconds");
	among_series(c, NULL, ranking, 1);
	for (size_t i = 0; i < c->nseries; i++) {
		const cJSON *r = ranked_find(ranking, c->series[i].name);

		c->series[i].y[0] = number_or_nan(r, "same_loss_s");
		c->series[i].lo[0] = number_or_nan(r, "same_loss_s_low");
		c->series[i].hi[0] = number_or_nan(r, "same_loss_s_high");
	}
}

/* True when a logarithmic axis shows these ascending values better. */
static bool is_wide(const double *x, size_t n)
{
	return x[0] > 0.0 && x[n - 1] >= 4.0 * x[0];
}

static void among_lines(struct answer_page *p, const cJSON *answer, const cJSON *points,
			const cJSON *ranking)
{
	const size_t n = (size_t)cJSON_GetArraySize(points);
	const char *key = points->child->child->string;
	struct chart *c = page_add_chart(p, CHART_LINES,
					 xasprintf("Time to the same loss along %s; dashed: "
						   "another algorithm becomes the first", key));
	const cJSON *v;
	size_t i = 0;
	double lo = HUGE_VAL, hi = 0.0;

	c->xlabel = xstrdup(key);
	c->ylabel = xstrdup("seconds to the progress of one step of all-reduce");
	c->x = xcalloc(n, sizeof(*c->x));
	c->n = n;
	among_series(c, points, ranking, n);
	cJSON_ArrayForEach(v, points) {
		c->x[i] = number_or_nan(v, key);
		for (size_t k = 0; k < c->nseries; k++) {
			const cJSON *r = ranked_find(json_get(v, "ranking"), c->series[k].name);

			c->series[k].y[i] = number_or_nan(r, "same_loss_s");
			lo = fmin(lo, c->series[k].y[i]);
			hi = fmax(hi, c->series[k].y[i]);
		}
		i++;
	}
	c->logx = is_wide(c->x, n);
	c->logy = lo > 0.0 && hi > 6.0 * lo;
	cJSON_ArrayForEach(v, json_get(answer, "changes")) {
		c->mark = xrealloc(c->mark, c->nmarks + 1, sizeof(*c->mark));
		c->mark[c->nmarks++] = number_or_nan(v, "above");
	}
}

static void among_map(struct answer_page *p, const cJSON *points)
{
	const size_t n = (size_t)cJSON_GetArraySize(points);
	const char *across = points->child->child->string;
	const char *up = points->child->child->next->string;
	struct chart *c = page_add_chart(p, CHART_MAP, xasprintf("First to the same loss, by %s "
								 "and %s", across, up));
	const double first = number_or_nan(points->child, across);
	const cJSON *v;
	size_t i = 0;

	c->xlabel = xstrdup(across);
	c->ylabel = xstrdup(up);
	c->x = xcalloc(n, sizeof(*c->x));
	c->up = xcalloc(n, sizeof(*c->up));
	c->winner = xcalloc(n, sizeof(*c->winner));
	among_series(c, points, NULL, 1);
	cJSON_ArrayForEach(v, points) {
		const double x = number_or_nan(v, across);

		if (!(x > first))
			c->up[c->nup++] = number_or_nan(v, up);
		if (c->nup == 1)
			c->x[c->n++] = x;
		c->winner[i] = CHART_SERIES;
		for (size_t k = 0; k < c->nseries; k++)
			if (strcmp(c->series[k].name, json_word(v, "first")) == 0)
				c->winner[i] = k;
		i++;
	}
	if (c->n * c->nup != n || c->n < 2 || c->nup < 2) {
		chart_release(c);
		p->ncharts--;
		return;
	}
	c->logx = is_wide(c->x, c->n);
	c->logy = is_wide(c->up, c->nup);
}

static void among_next(struct answer_page *p, const cJSON *answer, const cJSON *ranking)
{
	const cJSON *first = ranking->child, *second = first->next, *v;
	char *text;

	if (strcmp(json_word(first, "progress_from"), "base") != 0 ||
	    (second && strcmp(json_word(second, "progress_from"), "given") != 0)) {
		const bool base = strcmp(json_word(first, "progress_from"), "base") == 0;

		text = xasprintf("The progress per step of %s: train it and allreduce on a small "
				 "model of yours with several seeds (convoy sim --out DIR), then "
				 "ask with --progress-from DIR.",
				 json_word(base && second ? second : first, "algorithm"));
		texts_put(&p->next, text);
		free(text);
	}
	texts_put(&p->next, "Seconds of a minibatch on your machine, before communication, and the "
			    "bandwidth that an all-reduce reaches (convoy calibrate).");
	cJSON_ArrayForEach(v, json_get(answer, "gaps"))
		texts_put(&p->next, element_text(v));
}

int page_of_among(struct answer_page *p, const cJSON *answer, const char *path)
{
	const cJSON *ranking = json_get(answer, "ranking"), *points = json_get(answer, "points");
	const cJSON *changes, *v;
	struct grid_point settings;
	bool along;
	char *given;

	if (!cJSON_IsArray(ranking) || !ranking->child)
		return error("%s: the answer has no ranking", path);
	along = json_get(answer, "changes") && points_are_good(points, 1);
	changes = along ? json_get(answer, "changes") : NULL;
	given = given_text(answer);
	settings = answer_settings(answer);
	p->title = xstrdup("Which algorithm is the first to the same loss?");
	p->question = xasprintf("%d algorithms, with %s.",
				cJSON_GetArraySize(json_get(answer, "among")), given);
	p->answer = xstrdup(json_word(answer, "answer"));
	p->doubt = xstrdup(json_word(answer, "doubt"));
	among_table(p, ranking);
	cJSON_ArrayForEach(v, json_get(answer, "options")) {
		char *line = xasprintf("Best options here, %s.", element_text(v));

		texts_put(&p->table_notes, line);
		free(line);
	}
	cJSON_ArrayForEach(v, json_get(answer, "left_out")) {
		char *line = xasprintf("Left out, %s: %s", json_word(v, "algorithm"),
				       json_word(v, "why"));

		texts_put(&p->table_notes, line);
		free(line);
	}
	cJSON_ArrayForEach(v, changes) {
		char *line = xasprintf("From %s %.4g on: %s instead of %s.",
				       points->child->child->string, number_or_nan(v, "above"),
				       json_word(v, "to"), json_word(v, "from"));

		texts_put(&p->table_notes, line);
		free(line);
	}
	if (along)
		among_lines(p, answer, points, ranking);
	else if (points_are_good(points, 2))
		among_map(p, points);
	else
		among_bars(p, ranking);
	page_add_gantt(p, &settings, json_word(ranking->child, "algorithm"), path);
	page_add_gantt(p, &settings, json_word(ranking->child->next, "algorithm"), path);
	cJSON_ArrayForEach(v, ranking)
		if (strcmp(json_word(v, "progress_from"), "base") != 0) {
			char *line = xasprintf("progress of %s: %s", json_word(v, "algorithm"),
					       json_word(v, "progress_source"));

			texts_put(&p->sources, line);
			free(line);
		}
	among_next(p, answer, ranking);
	point_release(&settings);
	free(given);
	return 0;
}

/* ---- a break-even ---- */

/* "11.6", "below the range": a member of a band. */
static char *edge_of(const cJSON *band, const char *key)
{
	const cJSON *v = json_get(band, key);

	return cJSON_IsNumber(v) ? xasprintf("%.4g", v->valuedouble)
				 : xasprintf("%s the range", json_word(band, key));
}

static void between_answer(struct answer_page *p, const cJSON *answer, const char *one,
			   const char *two)
{
	const cJSON *even = json_get(answer, "break_even"), *last = NULL, *v;
	const char *vary = json_word(answer, "vary"), *unit = json_word(answer, "unit");
	char *at = edge_of(even, "median"), *lo = edge_of(even, "low"), *hi = edge_of(even, "high");

	cJSON_ArrayForEach(v, json_get(answer, "points"))
		last = v;
	if (even && cJSON_IsObject(even)) {
		p->answer = xasprintf("%s is faster than %s %s %s %s%s%s.", two, one,
				      json_word(answer, "second_faster"), vary, at,
				      *unit ? " " : "", unit);
		char *draws = number_or_nan(answer, "draws") > 1.0
				      ? xasprintf("90 %% of %g draws",
						  number_or_nan(answer, "draws"))
				      : xstrdup("only the length of runs is uncertain");

		p->doubt = xasprintf("The break-even is between %s and %s (%s)%s", lo, hi, draws,
				     cJSON_IsNull(json_get(answer, "model_error"))
					     ? "; no error of the simulator is in it." : ".");
		free(draws);
	} else {
		p->answer = xasprintf("There is no break-even in the range: %s is faster.",
				      number_or_nan(last, "p_second_faster") > 0.5 ? two : one);
	}
	cJSON_ArrayForEach(v, json_get(answer, "switches"))
		xappend_own(&p->doubt, " ", xasprintf(
			"%s's all-reduce changes from %s to %s at %s %.4g, where a step of %s "
			"jumps from %.4g s to %.4g s.", json_word(v, "library"),
			json_word(v, "from"), json_word(v, "to"), vary, number_or_nan(v, "above"),
			json_word(v, "algorithm"), number_or_nan(v, "step_s_below"),
			number_or_nan(v, "step_s_above")));
	free(at);
	free(lo);
	free(hi);
}

/* The next of two ascending lists, which moves on; NULL: both are at their ends. */
static const cJSON *next_point(const cJSON **one, const cJSON **two)
{
	const cJSON **at = !*one || (*two && number_or_nan(*two, "x") < number_or_nan(*one, "x"))
				   ? two : one;
	const cJSON *v = *at;

	*at = v ? v->next : NULL;
	return v;
}

static void between_chart(struct answer_page *p, const cJSON *answer, const char *one,
			  const char *two)
{
	const cJSON *points = json_get(answer, "points"), *finer = json_get(answer, "finer"), *v;
	const cJSON *even = json_get(answer, "break_even");
	const size_t n = (size_t)(cJSON_GetArraySize(points) + cJSON_GetArraySize(finer));
	const char *vary = json_word(answer, "vary"), *unit = json_word(answer, "unit");
	struct chart *c = page_add_chart(p, CHART_LINES,
					 xasprintf("Time per useful step along %s; dashed: the "
						   "break-even, grey: its interval", vary));
	double lo = HUGE_VAL, hi = 0.0;
	size_t i = 0;

	c->xlabel = *unit ? xasprintf("%s [%s]", vary, unit) : xstrdup(vary);
	c->ylabel = xstrdup("seconds per useful step");
	c->x = xcalloc(n + 1, sizeof(*c->x));
	c->n = n;
	series_add(c, one, n);
	series_add(c, two, n);
	points = points->child;
	finer = finer ? finer->child : NULL;
	while ((v = next_point(&points, &finer))) {
		c->x[i] = number_or_nan(v, "x");
		for (size_t k = 0; k < c->nseries; k++) {
			c->series[k].y[i] = number_or_nan(json_get(v, k ? "second_s" : "first_s"),
							  "median");
			lo = fmin(lo, c->series[k].y[i]);
			hi = fmax(hi, c->series[k].y[i]);
		}
		i++;
	}
	c->logx = is_wide(c->x, n);
	c->logy = lo > 0.0 && hi > 6.0 * lo;
	if (!isnan(number_or_nan(even, "median"))) {
		c->mark = xcalloc(1, sizeof(*c->mark));
		c->mark[c->nmarks++] = number_or_nan(even, "median");
		c->strip_lo = fmax(number_or_nan(even, "low"), c->x[0]);
		c->strip_hi = fmin(number_or_nan(even, "high"), c->x[n - 1]);
	}
}

static char *band_of_json(const cJSON *band)
{
	const double median = number_or_nan(band, "median");

	return isnan(median) ? xstrdup("no data")
			     : interval_text(median, number_or_nan(band, "low"),
					     number_or_nan(band, "high"));
}

int page_of_between(struct answer_page *p, const cJSON *answer, const char *path)
{
	const cJSON *between = json_get(answer, "between"), *v;
	const cJSON *points = json_get(answer, "points");
	const char *one, *two, *vary = json_word(answer, "vary");
	const cJSON *given_progress;
	struct grid_point settings;
	char *cell[4], *given;

	if (!points_are_good(points, 1) || cJSON_GetArraySize(between) != 2 ||
	    !cJSON_IsString(between->child) ||
	    !cJSON_IsString(between->child->next))
		return error("%s: the answer lacks its two algorithms or its points", path);
	one = between->child->valuestring;
	two = between->child->next->valuestring;
	given = given_text(answer);
	settings = answer_settings(answer);
	p->title = xasprintf("When is %s faster than %s?", two, one);
	p->question = xasprintf("Along %s, with %s.", vary, given);
	between_answer(p, answer, one, two);
	between_chart(p, answer, one, two);
	p->table_title = xstrdup("Time per useful step");
	p->table = grid_new();
	cell[0] = xstrdup(vary);
	cell[1] = xasprintf("%s [s]", one);
	cell[2] = xasprintf("%s [s]", two);
	cell[3] = xasprintf("P(%s is faster)", two);
	grid_add(p->table, cell, 4);
	cJSON_ArrayForEach(v, points) {
		const double p2 = number_or_nan(v, "p_second_faster");

		if (p->table->rows > ANSWER_ROWS)
			break;
		cell[0] = xasprintf("%.4g", number_or_nan(v, "x"));
		cell[1] = band_of_json(json_get(v, "first_s"));
		cell[2] = band_of_json(json_get(v, "second_s"));
		cell[3] = isnan(p2) ? xstrdup("no data") : xasprintf("%.3g", p2);
		grid_add(p->table, cell, 4);
	}
	texts_put(&p->table_notes, "Seconds of a step, divided by the progress per step.");
	given_progress = json_get(answer, "progress");
	if (cJSON_GetArraySize(given_progress) == 2) {
		char *value = xasprintf("%s %.4g, %s %.4g", one,
					given_progress->child->valuedouble, two,
					given_progress->child->next->valuedouble);

		answer_fact_add(p, "progress per step", value,
				json_get(answer, "measured_progress")
					? "and that of training runs of a small net" : NULL);
		free(value);
	}
	page_add_gantt(p, &settings, one, path);
	page_add_gantt(p, &settings, two, path);
	cJSON_ArrayForEach(v, json_get(answer, "sensitivity")) {
		char *line = xasprintf("%s: %.0f %% of the variance of the answer",
				       json_word(v, "value"), 100.0 * number_or_nan(v, "share"));

		texts_put(&p->next, line);
		free(line);
	}
	if (!p->next.n)
		texts_put(&p->next, "Give what is uncertain as VALUE+-DEVIATION: then the answer "
				    "names what to measure next.");
	point_release(&settings);
	free(given);
	return 0;
}
