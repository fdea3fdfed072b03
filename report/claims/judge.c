/* A paper's statements, judged by what was measured. */
#include "report/claims/claims.h"

#include "core/base/mem.h"
#include "core/file/fields.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "record/select.h"
#include "report/claims/contrast.h"
#include "report/claims/jq_run.h"
#include "report/claims/rule.h"
#include "report/filter/filter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct judge {
	const char *scale;
	struct fields in;       /* what claims are about */
	struct filter_input *input;
	struct filter_set *set; /* the filters of all claims */
	bool learnt;            /* some run computes gradients */
	bool real;              /* some run is of real ranks, whose times are measured */
	const cJSON *simulated; /* the input with settings and simulated times alone; NULL: times
				 * follow from training too */
	struct filter_input *simulated_input;
	char *smoke;            /* owned; why training results are no test of the paper; NULL */
};

/* ---- what the runs can decide ---- */

/* Whether the setting of some run is another than that value. */
static bool some_run_has_other(const struct results *runs, const char *setting, const char *value)
{
	for (size_t i = 0; i < runs->n; i++) {
		const char *text = result_setting(&runs->v[i], setting);

		if (*text && strcmp(text, value) != 0)
			return true;
	}
	return false;
}

static double best_accuracy(const struct results *runs)
{
	double best = (double)NAN;

	for (size_t i = 0; i < runs->n; i++)
		best = fmax(best, runs->v[i].number[MEASURE_TEST_ACCURACY]);
	return best;
}

char *claims_smoke(const cJSON *spec, double best)
{
	const double paper = json_number(json_get(spec, "paper_accuracy"), "value");

	if (isnan(paper) || isnan(best) || best < 0 || best >= 0.5 * paper)
		return NULL;
	return xasprintf("not evaluated at this scale: the best test accuracy, %.3f, is below half "
			 "of the paper's %.4g", best, paper);
}

/* ---- a claim as data ---- */

/* The runs of a side as jq has them, or a number, as a list. */
static jv rule_side(const struct judge *j, const cJSON *side)
{
	jv runs, list = jv_array();
	struct selection s;

	if (cJSON_IsNumber(side))
		return jv_array_append(list, jv_number(side->valuedouble));
	if (json_get(side, "published"))
		return jv_array_append(list, value_of_json(side));
	runs = filter_input_runs(j->input);
	s = select_where(j->in.runs, side);
	for (size_t i = 0; i < s.n; i++)
		list = jv_array_append(list, jv_array_get(jv_copy(runs),
							  (int)(s.run[i] - j->in.runs->v)));
	selection_release(&s);
	jv_free(runs);
	return list;
}

struct rule {                   /* of two sides, or of a list of them; borrowed */
	const char *measure, *target;
	double distance, margin;
	const cJSON *a, *b, *of;
};

static jv rule_of_two(const struct judge *j, const char *name, const struct rule *r, const cJSON *a,
		      const cJSON *b)
{
	scoped char *time_to = r->target ? xasprintf("time_to:%s", r->target) : NULL;
	jv arguments = JV_ARRAY(!strcmp(name, "no_later") ?
					(time_to ? jv_string(time_to) : jv_null()) :
					jv_string(r->measure),
				rule_side(j, a), rule_side(j, b));

	if (!strcmp(name, "within") || !strcmp(name, "no_worse"))
		arguments = jv_array_append(arguments, jv_number(*name == 'w' ? r->distance :
									       r->margin));
	return rule_answer(name, arguments);
}

/* Result of the rule: a verdict, or an invalid value with a message. */
static jv rule_judged(const struct judge *j, const cJSON *rule)
{
	static const struct field fields[] = {
		FIELD(LENT, struct rule, measure, "measure"),
		FIELD(LENT, struct rule, target, "target"),
		FIELD(AMOUNT, struct rule, distance, "distance"),
		FIELD(AMOUNT, struct rule, margin, "margin"),
		FIELD(TREE, struct rule, a, "a"),
		FIELD(TREE, struct rule, b, "b"),
		FIELD(TREE, struct rule, of, "of"), { 0 }
	};
	struct rule r = { .measure = measure_table[MEASURE_TEST_ACCURACY].name };
	const cJSON *item;
	jv all = jv_array();

	fields_read(rule, fields, &r);
	if (!strcmp(rule->string, "order")) {
		for (item = r.of->child; item->next; item = item->next)
			all = jv_array_append(all, rule_of_two(j, "beats", &r, item, item->next));
	} else if (cJSON_IsArray(rule)) {
		cJSON_ArrayForEach(item, rule)
			all = jv_array_append(all, rule_judged(j, item->child));
	} else {
		jv_free(all);
		return rule_of_two(j, rule->string, &r, r.a, r.b);
	}
	for (int i = 0; i < jv_array_length(jv_copy(all)); i++) {
		jv one = jv_array_get(jv_copy(all), i);

		if (!jv_is_valid(one)) {
			jv_free(all);
			return one;
		}
		jv_free(one);
	}
	return rule_answer(!strcmp(rule->string, "any_of") ? "any_of" : "all_of", all);
}

/* ---- a verdict ---- */

/* The word of a verdict, which outlives the answer that it is from; NULL: it is no such word. */
static const char *word_kept(const char *text)
{
	static const char *const words[] = { "holds", "fails", "undecided", "not evaluated" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(text, words[i]))
			return words[i];
	return NULL;
}

static void set_undecided(struct verdict *v, char *reason)
{
	v->word = "undecided";
	free(v->reason);
	v->reason = reason;
}

static char *first_missing_file(const cJSON *spec)
{
	const cJSON *file;

	json_each(file, spec, "files")
		if (cJSON_IsNull(file))
			return xasprintf("there is no %s next to the results", file->string);
	return NULL;
}

/*
 * Whether a true or false of filter k is known to be about settings and simulated times alone: it
 * names nothing else, and answers the same where there is nothing else.
 */
static bool is_simulated(const struct claim *c, const cJSON *only, const struct judge *j, size_t k)
{
	struct filter_answer answer;
	bool same;

	if (!cJSON_IsBool(only) || !c->jq || !j->simulated ||
	    !fields_all_in(j->simulated, c->jq))
		return false;
	answer = filter_set_run(j->set, k, j->simulated_input, FILTER_JUDGE);
	same = answer.outputs && cJSON_Compare(answer.outputs->child, only, true);
	filter_answer_release(&answer);
	return same;
}

/* Why a true or false does not decide it; the caller frees. */
static char *why_no_interval(const struct claim *c, bool timed)
{
	return xasprintf("its filter gives no interval: use beats, within, no_worse or no_later%s",
			 timed || c->learnt ? "" :
				", or say \"learnt\": false, if it is about simulated times alone");
}

/* The verdict by the one output of filter k or the rule. */
static void verdict_take(struct verdict *v, const cJSON *only, const struct judge *j, size_t k)
{
	const bool learnt = j->learnt && claim_is_learnt(&v->of) &&
			    (v->of.learnt || !is_simulated(&v->of, only, j, k));
	const bool timed = claim_is_timed(&v->of, j->real);
	const char *word = cJSON_IsBool(only) ? (cJSON_IsTrue(only) ? "holds" : "fails") :
						json_word(only, "verdict");

	v->word = cJSON_IsNull(only) ? "not evaluated" : word_kept(word);
	if (cJSON_IsNull(only)) {
		v->reason = claim_reads(&v->of, "files") ? first_missing_file(j->in.spec) : NULL;
		v->reason = v->reason ? v->reason : xstrdup(verdict_not_here);
	} else if (learnt && j->smoke && strcmp(v->word, "not evaluated") != 0) {
		v->word = "not evaluated";
		v->reason = xstrdup(j->smoke);
	} else if (!strcmp(v->word, "not evaluated") ||
		   (cJSON_IsObject(only) && !json_get(only, "rule"))) {
		v->reason = xstrdup(json_word(only, "why"));
	} else if (cJSON_IsObject(only)) {
		v->contrast = contrast_read(only);
	} else if (learnt || timed) {
		v->by_means = v->word;
		set_undecided(v, why_no_interval(&v->of, timed));
	}
}

/* A name in the claim that no run has; NULL: all are there. The caller frees. */
static char *claim_misses(const struct claim *c, const struct judge *j)
{
	return c->rule ? fields_missing_of_rule(&j->in, c->rule) :
			 fields_missing(&j->in, c->jq ? c->jq : "");
}

/* Why the answer is no verdict; NULL: it is one. The caller frees. */
static char *why_no_verdict(const struct claim *c, const struct filter_answer *answer,
			    const struct judge *j)
{
	const cJSON *only = answer->outputs ? answer->outputs->child : NULL;
	const char *why = answer->error;
	char *name = claim_misses(c, j);

	if (name)
		return name;
	if (why && (strstr(why, "a value is null") || strstr(why, "has no speedup")) &&
	    claim_reads(c, "speedup") && !spec_has_baseline(j->in.spec))
		why = "no run has a speedup, because the spec has no baseline";
	if (!why && (!only || only->next))
		why = only ? "the filter yields more than one value" : "the filter yields nothing";
	if (!why && !cJSON_IsBool(only) && !cJSON_IsNull(only) &&
	    !word_kept(json_word(only, "verdict")))
		why = "the filter yields neither true, false, null nor a verdict of beats, within, "
		      "no_worse or no_later";
	if (!why && cJSON_IsNull(only) && c->jq && !filter_names(c->jq, "null"))
		why = "the filter yields null, but does not say null: it reads a name that no run "
		      "has, or a group has no runs";
	return xstrdup(why);
}

/* By the answer of filter k or the rule, which it releases. */
static void verdict_judge(struct verdict *v, struct filter_answer answer, const struct judge *j,
			  size_t k)
{
	v->judged = true;
	v->error = why_no_verdict(&v->of, &answer, j);
	if (!v->error)
		verdict_take(v, answer.outputs->child, j, k);
	filter_answer_release(&answer);
}

/* Where another of equal values gives another verdict, the tie has decided it, and nothing has. */
static void verdict_turn(struct verdict *v, const struct judge *j, size_t k)
{
	static const char *const words[] = { "min_by", "max_by", "sort_by", "unique_by" };
	struct verdict turned = { .of = v->of };
	bool picks = false;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		picks = picks || filter_names(v->of.jq ? v->of.jq : "", words[i]);
	if (!picks || !v->word || (strcmp(v->word, "holds") != 0 && strcmp(v->word, "fails") != 0))
		return;
	verdict_judge(&turned, filter_set_run(j->set, k, j->input, FILTER_TURN), j, k);
	v->tied = !turned.word || strcmp(turned.word, v->word) != 0;
	if (v->tied)
		set_undecided(v, xstrdup("its filter takes one of several values that are equal or "
					 "infinite, and another of them gives another verdict"));
	free_all(turned.reason, turned.error);
	contrast_free(turned.contrast);
}

/* The value of the filter, a list of them when there are several. */
static void verdict_show(struct verdict *v, struct filter_answer answer, const struct judge *j)
{
	char *name = fields_missing(&j->in, v->of.shows);
	const char *why = answer.error ? answer.error : name;

	if (answer.outputs && answer.outputs->child && !answer.outputs->child->next) {
		v->shows = cJSON_DetachItemFromArray(answer.outputs, 0);
	} else {
		v->shows = answer.outputs;
		answer.outputs = NULL;
	}
	if (why && !v->error)
		v->error = xasprintf("shows: %s", why);
	free(name);
	filter_answer_release(&answer);
}

/* The JSON that filters see; the caller frees. */
static cJSON *input_json(const cJSON *spec, const struct results *runs, const struct tables *tables,
			 const char *scale)
{
	static const char *const of_spec[] = { "published", "tuning", "files" };
	cJSON *input = OBJECT(j_text("scale", scale),
			      j_json("runs", results_json(runs, RESULT_ALL)),
			      j_json("tables", tables_json(tables ? tables :
								   &(struct tables){ 0 })));

	for (size_t i = 0; i < sizeof(of_spec) / sizeof(of_spec[0]); i++)
		ADD(input, j_json(of_spec[i], cJSON_Duplicate(json_get(spec, of_spec[i]), true)));
	return input;
}

/*
 * The input with no more of its runs than settings and what the simulated clock gives; NULL where
 * settings are tuned or runs diverged, for then these follow from training. The caller frees.
 */
static cJSON *simulated_json(const cJSON *spec, const struct results *runs, const char *scale)
{
	bool trained = !runs->n || json_get(spec, "tune");

	for (size_t i = 0; i < runs->n; i++)
		trained = trained || result_diverged(&runs->v[i]);
	return trained ? NULL :
	       OBJECT(j_text("scale", scale), j_json("runs", results_json(runs, RESULT_SIMULATED)));
}

/* Whether a claim that is judged has a filter: jq takes long to start. */
static bool any_filter(const struct verdicts *all, const struct claim_way *way)
{
	bool any = false;

	for (size_t i = 0; i < all->n; i++)
		any = any || (!(way && way[i].skip) && (!all->v[i].of.rule || all->v[i].of.shows));
	return any;
}

struct verdicts *claims_judge(const cJSON *spec, const struct results *runs,
			      const struct tables *tables, const char *scale)
{
	return claims_judge_so(spec, runs, tables, scale, NULL);
}

struct verdicts *claims_judge_so(const cJSON *spec, const struct results *runs,
				 const struct tables *tables, const char *scale,
				 const struct claim_way *way)
{
	struct verdicts *all = verdicts_new(json_get(spec, "claims"));
	/* without claims, the JSON of all runs, which may be thousands, is not needed */
	cJSON *input = all->n ? input_json(spec, runs, tables, scale ? scale : "") : NULL;
	struct judge j = {
		.scale = scale ? scale : "", .in = { spec, runs, json_get(input, "tables") },
		.learnt = some_run_has_other(runs, "timing", "true"),
		.real = some_run_has_other(runs, "engine", "sim"),
		.smoke = claims_smoke(spec, best_accuracy(runs))
	};
	cJSON *simulated;
	char *text;
	size_t n, k = 0;
	const char **filters = claims_filters(json_get(spec, "claims"), &n);

	if (!all->n) {
		free_all(filters, j.smoke);
		return all;
	}
	text = json_format(input, false);
	j.input = filter_input_new(text);
	free(text);
	j.set = any_filter(all, way) ? filter_set_new(n, filters) : NULL;
	j.simulated = simulated = j.set && j.learnt ? simulated_json(spec, runs, j.scale) : NULL;
	if (simulated) {
		text = json_format(simulated, false);
		j.simulated_input = filter_input_new(text);
		free(text);
	}
	for (size_t i = 0; i < all->n; i++) {
		struct verdict *v = &all->v[i];

		if (way && way[i].skip) {
			k += !v->of.rule + (v->of.shows != NULL);
			continue;
		}
		rule_set_way(way ? way[i].level : rule_levels, cJSON_IsTrue(v->of.paired));
		if (!claim_is_at(&v->of, scale)) {
			v->judged = true;
			v->error = claim_misses(&v->of, &j);
			v->word = v->error ? NULL : "not evaluated";
			v->reason = v->error ? NULL : xstrdup(verdict_not_here);
		} else if (v->of.rule) {
			verdict_judge(v, filter_answer_of(rule_judged(&j, v->of.rule)), &j, k);
		} else {
			verdict_judge(v, filter_set_run(j.set, k, j.input, FILTER_JUDGE), &j, k);
			verdict_turn(v, &j, k);
		}
		k += !v->of.rule;
		if (v->of.shows)
			verdict_show(v, filter_set_run(j.set, k++, j.input, FILTER_SHOW), &j);
		v->shows = v->shows ? v->shows : cJSON_CreateNull();
	}
	rule_set_way(rule_levels, false);
	if (j.set)
		filter_set_free(j.set);
	free(filters);
	filter_input_free(j.input);
	if (simulated)
		filter_input_free(j.simulated_input);
	cJSON_Delete(simulated);
	cJSON_Delete(input);
	free(j.smoke);
	return all;
}
