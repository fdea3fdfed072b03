/* Answers as JSON, written and read by the same tables, and released by them. */
#include "study/advise/answer.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/fields.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "core/file/output.h"
#include "record/environ.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const answer_measures[ANSWER_MEASURES] = {
	"time_per_epoch_s", "speedup", "wait_share", "staleness_mean", "train_loss",
	"test_accuracy", "goodput", "mfu", "gpu_hours", "cost"
};

/* ---- a ranking ---- */

static const struct field ranked_fields[] = {
	FIELD(WORD, struct answer_ranked, algo, "algorithm"),
	FIELD(NUMBER, struct answer_ranked, at.step_s, "step_s"),
	FIELD(NUMBER, struct answer_ranked, at.epoch_s, "epoch_s"),
	FIELD(NUMBER, struct answer_ranked, at.bytes, "bytes"),
	FIELD(NUMBER, struct answer_ranked, at.progress.value, "progress"),
	FIELD(NUMBER, struct answer_ranked, at.progress.lo, "progress_low"),
	FIELD(NUMBER, struct answer_ranked, at.progress.hi, "progress_high"),
	FIELD_CHOICE_OF(struct answer_ranked, at.progress.kind, "progress_from",
			progress_kind_names),
	FIELD(WORD, struct answer_ranked, at.progress.source, "progress_source"),
	FIELD(BOOL, struct answer_ranked, at.progress.capped, "progress_capped"),
	FIELD(BOOL, struct answer_ranked, at.progress.far, "progress_far"),
	FIELD(NUMBER, struct answer_ranked, at.same.median, "same_loss_s"),
	FIELD(NUMBER, struct answer_ranked, at.same.lo, "same_loss_s_low"),
	FIELD(NUMBER, struct answer_ranked, at.same.hi, "same_loss_s_high"),
	FIELD(NUMBER, struct answer_ranked, at.p, "p_first"),
	FIELD(MAYBE, struct answer_ranked, at.epoch_cost, "epoch_cost"),
	FIELD(MAYBE, struct answer_ranked, at.same_cost, "same_loss_cost"), { 0 }
};

static const struct field left_out_fields[] = {
	FIELD(WORD, struct left_out, algo, "algorithm"), FIELD(WORD, struct left_out, why, "why"),
	{ 0 }
};

/* After the parameters, whose names are the question's. */
static const struct field point_fields[] = {
	FIELD(TEXT, struct answer_point, first, "first"),
	FIELD_LIST_OF(struct answer_point, ranking, "ranking", ranked_fields), { 0 }
};

static const struct field change_fields[] = {
	FIELD(NUMBER, struct answer_change, below, "below"),
	FIELD(NUMBER, struct answer_change, above, "above"),
	FIELD(WORD, struct answer_change, from, "from"),
	FIELD(WORD, struct answer_change, to, "to"),
	FIELD(BOOL, struct answer_change, from_lost, "from_is_unranked_above"),
	FIELD(BOOL, struct answer_change, to_new, "to_is_unranked_below"), { 0 }
};

static const struct field among_fields[] = {
	FIELD(TEXTS, struct answer, among.algos, "among"),
	FIELD(WORD, struct answer, among.sentence, "answer"),
	FIELD(WORD, struct answer, among.doubt, "doubt"),
	FIELD(MAYBE, struct answer, among.epoch_samples, "epoch_samples"),
	FIELD_LIST_OF(struct answer, among.ranking, "ranking", ranked_fields),
	FIELD_LIST_OF(struct answer, among.left_out, "left_out", left_out_fields),
	FIELD(TEXTS, struct answer, among.options, "options"),
	FIELD(TEXTS, struct answer, among.gaps, "gaps"),
	FIELD(COUNT, struct answer, draws, "draws"),
	{ 0 }
};

static const struct field changes_fields[] = {
	FIELD_LIST_OF(struct answer, among.changes, "changes", change_fields), { 0 }
};

static const struct field command_fields[] = {
	FIELD(TEXT, struct answer, command, "command"), { 0 }
};

/* The points of a question with parameters, and where the winner changes along one. */
static void points_add_json(cJSON *json, const struct answer *a)
{
	cJSON *points = cJSON_CreateArray();

	for (size_t i = 0; i < a->among.points.n; i++) {
		const struct answer_point *p = &a->among.points.v[i];
		cJSON *o = cJSON_CreateObject();

		for (size_t k = 0; k < a->nvary; k++)
			ADD(o, j_number(a->vary[k], p->x[k]));
		list_add(points, fields_add(o, point_fields, p));
	}
	ADD(json, j_json("points", points));
	if (a->nvary == 1)
		fields_add(json, changes_fields, a);
}

/* True if two or more objects begin with finite numbers of n parameters; sets their names. */
static bool points_name_parameters(struct answer *a, const cJSON *points, size_t n)
{
	const cJSON *v = points ? points->child : NULL, *x = v && v->next ? v->child : NULL;
	bool good;

	for (; x && x->string && a->nvary < n; x = x->next)
		a->vary[a->nvary++] = xstrdup(x->string);
	good = a->nvary == n;
	for (; v; v = v->next)
		for (size_t k = 0; k < a->nvary; k++)
			good &= isfinite(json_number(v, a->vary[k])) != 0;
	while (!good && a->nvary)
		free(a->vary[--a->nvary]);
	return good;
}

static void points_read(struct answer *a, const cJSON *json)
{
	const cJSON *points = json_get(json, "points"), *v;
	struct answer_among *m = &a->among;

	if (!points_name_parameters(a, points, json_get(json, "changes") ? 1 : 2))
		return;
	m->points.v = xcalloc((size_t)cJSON_GetArraySize(points), sizeof(*m->points.v));
	for (v = points->child; v; v = v->next) {
		struct answer_point *p = &m->points.v[m->points.n++];

		for (size_t k = 0; k < a->nvary; k++)
			p->x[k] = json_number(v, a->vary[k]);
		fields_read(v, point_fields, p);
	}
	if (a->nvary == 1)
		fields_read(json, changes_fields, a);
}

/* ---- a break-even ---- */

static const struct field band_fields[] = {
	FIELD(EDGE, struct band, median, "median"), FIELD(EDGE, struct band, lo, "low"),
	FIELD(EDGE, struct band, hi, "high"), { 0 }
};

static const struct field row_fields[] = {
	FIELD(NUMBER, struct answer_row, at.x, "x"),
	FIELD_STRUCT_OF(struct answer_row, at.time[ADVISE_FIRST], "first_s", band_fields),
	FIELD_STRUCT_OF(struct answer_row, at.time[ADVISE_SECOND], "second_s", band_fields),
	FIELD(EDGE, struct answer_row, at.p, "p_second_faster"),
	FIELD(EDGE, struct answer_row, at.rare[RARE_SLOW_PERIODS], "slow_periods"),
	FIELD(EDGE, struct answer_row, at.rare[RARE_FAILURES], "failures"),
	FIELD(EDGE, struct answer_row, at.rare[RARE_CHECKPOINTS], "checkpoints"),
	FIELD(NOTE, struct answer_row, no_data, "no_data"), { 0 }
};

static const struct field progress_fields[] = {
	FIELD(NUMBER, struct answer_progress, x, "x"),
	FIELD(NUMBER, struct answer_progress, progress, "progress"), { 0 }
};

static const struct field measured_fields[] = {
	FIELD(TEXT, struct answer_measured, net, "net"),
	FIELD(COUNT, struct answer_measured, runs, "runs"),
	FIELD(NUMBER, struct answer_measured, error, "error"),
	FIELD_LIST_OF(struct answer_measured, points, "points", progress_fields), { 0 }
};

static const struct field switch_fields[] = {
	FIELD(WORD, struct answer_switch, algo, "algorithm"),
	FIELD(WORD, struct answer_switch, library, "library"),
	FIELD(WORD, struct answer_switch, from, "from"),
	FIELD(WORD, struct answer_switch, to, "to"),
	FIELD(NUMBER, struct answer_switch, below, "below"),
	FIELD(NUMBER, struct answer_switch, above, "above"),
	FIELD(NUMBER, struct answer_switch, below_s, "step_s_below"),
	FIELD(NUMBER, struct answer_switch, above_s, "step_s_above"),
	FIELD(BOOL, struct answer_switch, at_even, "at_break_even"), { 0 }
};

static const struct field effect_fields[] = {
	FIELD(WORD, struct answer_effect, value, "value"),
	FIELD(NUMBER, struct answer_effect, low, "low"),
	FIELD(NUMBER, struct answer_effect, high, "high"),
	FIELD(EDGE, struct answer_effect, even_low, "break_even_at_low"),
	FIELD(EDGE, struct answer_effect, even_high, "break_even_at_high"),
	FIELD(NUMBER, struct answer_effect, share, "share"), { 0 }
};

static const struct field uncertain_fields[] = {
	FIELD(WORD, struct uncertain, name, "value"), FIELD(NUMBER, struct uncertain, mean, "mean"),
	FIELD(NUMBER, struct uncertain, sd, "deviation"), { 0 }
};

static const struct field axis_fields[] = {
	FIELD(WORD, struct answer, vary[0], "vary"),
	FIELD(WORD, struct answer, between.unit, "unit"),
	{ 0 }
};

static const struct field draws_fields[] = {
	FIELD(COUNT, struct answer, draws, "draws"),
	FIELD(COUNT, struct answer, between.inside, "draws_with_break_even"), { 0 }
};

static const struct field even_fields[] = {
	FIELD_STRUCT_OF(struct answer, between.even, "break_even", band_fields), { 0 }
};

static const struct field measured_progress_fields[] = {
	FIELD_STRUCT_OF(struct answer, between.measured, "measured_progress", measured_fields),
	{ 0 }
};

static const struct field between_fields[] = {
	FIELD_SOME_OF(struct answer, between.switches, "switches", switch_fields),
	FIELD_SOME_OF(struct answer, between.finer, "finer", row_fields),
	FIELD_LIST_OF(struct answer, between.rows, "points", row_fields),
	FIELD_LIST_OF(struct answer, between.effects, "sensitivity", effect_fields),
	FIELD(NUMBER, struct answer, between.rest, "rest"), { 0 }
};

static const struct field gap_fields[] = {
	FIELD(TEXTS, struct answer, between.gaps, "gaps"), { 0 }
};

static const struct field uncertainty_fields[] = {
	FIELD_LIST_OF(struct answer, between.uncertain, "uncertain", uncertain_fields),
	FIELD(NUMBER, struct answer, between.model_error, "model_error"), { 0 }
};

static const char *const sides[] = { "below", "neither", "above", NULL };

static void between_read(struct answer *a, const cJSON *json)
{
	struct answer_between *b = &a->between;
	const char *side = json_word(json, "second_faster");
	const cJSON *algo = json_get(json, "between"), *progress = json_get(json, "progress");

	for (int k = 0; k < ADVISE_ALGOS; k++) {
		const cJSON *name = cJSON_GetArrayItem(algo, k);
		const cJSON *p = cJSON_GetArrayItem(progress, k);

		b->algo[k] = xstrdup(cJSON_IsString(name) ? name->valuestring : "");
		b->progress[k] = cJSON_IsNumber(p) ? p->valuedouble : (double)NAN;
	}
	fields_read(json, axis_fields, a);
	a->nvary = 1;
	b->crosses = cJSON_IsObject(json_get(json, "break_even"));
	b->direction = !strcmp(side, sides[2]) - !strcmp(side, sides[0]);
	fields_read(json, draws_fields, a);
	fields_read(json, even_fields, a);
	fields_read(json, measured_progress_fields, a);
	fields_read(json, between_fields, a);
	fields_read(json, gap_fields, a);
	fields_read(json, uncertainty_fields, a);
}

static bool between_is_complete(const struct answer_between *b)
{
	bool good = *b->algo[ADVISE_FIRST] && *b->algo[ADVISE_SECOND] && b->rows.n > 1;

	for (size_t i = 0; i < b->rows.n; i++)
		good &= isfinite(b->rows.v[i].at.x) != 0;
	return good;
}

/* ---- all answers ---- */

/* Adds the basis of the answer. */
static void basis_add_json(cJSON *json, const struct answer *a, bool given_first)
{
	if (given_first)
		ADD(json, j_json("given", point_json(&a->given)));
	ADD(json, j_text("version", environ_version), j_text("commit", environ_commit));
	if (!given_first)
		ADD(json, j_json("given", point_json(&a->given)));
	ADD(json, j_json("settings", point_json(&a->settings)),
	    j_json("assumed", point_json(&a->assumed)), j_number("seed", a->seed));
}

cJSON *answer_json(const struct answer *a)
{
	const struct answer_between *b = &a->between;
	cJSON *json = cJSON_CreateObject();

	if (a->kind == ANSWER_AMONG) {
		fields_add(json, among_fields, a);
		ADD(json, j_number("progress_level", 0.95), j_number("same_loss_level", 0.9));
		if (a->nvary)
			points_add_json(json, a);
		fields_add(json, command_fields, a);
		basis_add_json(json, a, true);
		return json;
	}
	fields_add(json, axis_fields, a);
	ADD(json, j_texts("between", b->algo, ADVISE_ALGOS));
	fields_add(json, draws_fields, a);
	ADD(json, j_number("level", 0.9));
	if (b->crosses)
		fields_add(json, even_fields, a);
	else
		ADD(json, j_null("break_even"));
	ADD(json, j_text("second_faster", sides[1 + b->direction]),
	    j_numbers("progress", b->progress, ADVISE_ALGOS));
	if (b->measured.net)
		fields_add(json, measured_progress_fields, a);
	fields_add(json, between_fields, a);
	if (b->gaps.n)
		fields_add(json, gap_fields, a);
	basis_add_json(json, a, false);
	return fields_add(json, uncertainty_fields, a);
}

void answer_print_json(const struct answer *a, FILE *out)
{
	scoped_json cJSON *json = answer_json(a);

	output_json(json, out);
}

static void run_read(struct answer *a, const cJSON *run)
{
	struct answer_run *r = &a->runs.v[a->runs.n++];

	r->point = point_read_known(run, "point");
	r->settings = point_read_known(run, "settings");
	r->assumed = point_read_known(run, "assumed");
	r->remark = xstrdup(json_string(run, "remark"));
	for (size_t i = 0; i < ANSWER_MEASURES; i++)
		r->measure[i] = json_number(run, answer_measures[i]);
}

/* True of what `convoy sim --json` prints of a single run. */
static bool json_is_run(const cJSON *json)
{
	return json_get(json, "hash") && json_get(json, "settings") && json_get(json, "eval");
}

static void runs_read(struct answer *a, const cJSON *json)
{
	const cJSON *runs = json_get(json, "runs"), *run;

	a->runs.v = xcalloc((size_t)cJSON_GetArraySize(runs) + 1, sizeof(*a->runs.v));
	if (json_is_run(json))
		run_read(a, json);
	cJSON_ArrayForEach(run, runs)
		run_read(a, run);
}

bool answer_is(const cJSON *json)
{
	return json_get(json, "among") || json_get(json, "between") || json_is_run(json) ||
	       (json_get(json, "runs") && json_get(json, "baselines"));
}

int answer_read(struct answer *a, const cJSON *json, const char *name)
{
	const cJSON *all = json_is_run(json) ? NULL : json;     /* what several runs share */

	*a = (struct answer){
		.given = point_read_known(all, "given"),
		.settings = point_read_known(all, "settings"),
		.assumed = point_read_known(all, "assumed"),
		.seed = json_number(json, "seed"),
	};
	fields_read(json, command_fields, a);
	if (json_get(json, "among")) {
		a->kind = ANSWER_AMONG;
		fields_read(json, among_fields, a);
		points_read(a, json);
		return a->among.ranking.n ? 0 : error("%s: the answer has no ranking", name);
	}
	if (json_get(json, "between")) {
		a->kind = ANSWER_BETWEEN;
		between_read(a, json);
		return between_is_complete(&a->between)
			       ? 0 : error("%s: the answer lacks its two algorithms or its points",
					   name);
	}
	a->kind = ANSWER_RUNS;
	runs_read(a, json);
	if (json_get(json, "runs") || json_is_run(json))
		return 0;
	return error("%s: no answer of `convoy advise` or `convoy sim` (expected the JSON of "
		     "--json, or the .json of --plot)", name);
}

void answer_release(struct answer *a)
{
	static const struct field *const tables[] = {
		command_fields, among_fields, changes_fields, draws_fields, even_fields,
		measured_progress_fields, between_fields, gap_fields, uncertainty_fields,
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		fields_release(tables[i], a);
	for (size_t i = 0; i < a->among.points.n; i++)
		fields_release(point_fields, &a->among.points.v[i]);
	for (size_t i = 0; i < a->runs.n; i++) {
		point_release(&a->runs.v[i].point);
		point_release(&a->runs.v[i].settings);
		point_release(&a->runs.v[i].assumed);
		free(a->runs.v[i].remark);
	}
	for (size_t k = 0; k < a->nvary; k++)
		free(a->vary[k]);
	for (size_t k = 0; k < ADVISE_ALGOS; k++)
		free(a->between.algo[k]);
	free_all(a->between.unit, a->among.points.v, a->runs.v);
	point_release(&a->given);
	point_release(&a->settings);
	point_release(&a->assumed);
}
