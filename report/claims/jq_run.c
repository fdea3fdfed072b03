/* Runs as jq's values: their members, settings, measures and targets. */
#include "report/claims/jq_run.h"

#include "core/base/mem.h"
#include "record/measure.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- jq's values ---- */

jv rule_error(const char *format, const char *a, const char *b)
{
	return jv_invalid_with_msg(jv_string_fmt(format, a, b));
}

jv value_of_json(const cJSON *json)
{
	jv value = cJSON_IsArray(json) ? jv_array() : jv_object();
	const cJSON *item;

	if (cJSON_IsArray(json) || cJSON_IsObject(json)) {
		cJSON_ArrayForEach(item, json)
			value = item->string ? jv_object_set(value, jv_string(item->string),
							     value_of_json(item)) :
					       jv_array_append(value, value_of_json(item));
		return value;
	}
	jv_free(value);
	if (cJSON_IsNumber(json) && fabs(json->valuedouble) >= DBL_MAX)
		return jv_number(json->valuedouble > 0 ? HUGE_VAL : -HUGE_VAL);
	return cJSON_IsNumber(json) ? jv_number(json->valuedouble) :
	       cJSON_IsString(json) ? jv_string(json->valuestring) :
	       cJSON_IsBool(json)   ? jv_bool(cJSON_IsTrue(json)) : jv_null();
}

jv run_member(jv object, const char *key)
{
	jv value;

	if (jv_get_kind(object) != JV_KIND_OBJECT)
		return jv_null();
	value = jv_object_get(jv_copy(object), jv_string(key));
	if (jv_is_valid(value))
		return value;
	jv_free(value);
	return jv_null();
}

double number_taken(jv value)
{
	double x = (double)NAN;

	if (jv_get_kind(value) == JV_KIND_NUMBER)
		x = jv_number_value(value);
	jv_free(value);
	return x;
}

char *text_taken(jv value, const char *other)
{
	char *text = xstrdup(jv_get_kind(value) == JV_KIND_STRING ? jv_string_value(value) : other);

	jv_free(value);
	return text;
}

char *value_word(jv value)
{
	return text_taken(jv_get_kind(value) == JV_KIND_STRING ? jv_copy(value) :
								  jv_dump_string(jv_copy(value), 0),
			  "");
}

char *run_setting(jv run, const char *key, const char *other)
{
	jv settings = run_member(run, "settings");
	char *text = text_taken(run_member(settings, key), other);

	jv_free(settings);
	return text;
}

bool run_has_diverged(jv run)
{
	scoped char *status = text_taken(run_member(run, "status"), "");

	return !strcmp(status, "diverged");
}

/* ---- a measure of a run ---- */

double *column_taken(jv column, int *n)
{
	double *x;

	*n = jv_get_kind(column) == JV_KIND_ARRAY ? jv_array_length(jv_copy(column)) : 0;
	x = xcalloc((size_t)*n + 1, sizeof(*x));
	for (int i = 0; i < *n; i++)
		x[i] = number_taken(jv_array_get(jv_copy(column), i));
	jv_free(column);
	return x;
}

jv run_target(jv run, const char *measure, double *step)
{
	const char *target = strchr(measure, ':') + 1;
	const char *axis = !strncmp(measure, "time", 4) ? "time_s" :
			   !strncmp(measure, "epochs", 6) ? "epoch" : "gradients";
	const size_t end = strcspn(target, "<>");
	char *name = xasprintf("%.*s", (int)end, target);
	jv rows = run_member(run, "eval"), column = run_member(rows, name), answer;
	bool any = run_has_diverged(run);
	double met = (double)NAN, before = 0, *x, *at;
	struct bound bound;
	int n, nat;

	if (jv_get_kind(column) != JV_KIND_ARRAY) {
		jv_free(rows);
		jv_free(column);
		rows = run_member(run, "train");
		column = run_member(rows, name);
	}
	answer = !bound_parse(target + end, &bound) ?
			 rule_error("'%s' is no target%s", target, "") :
		 jv_get_kind(column) != JV_KIND_ARRAY ?
			 rule_error("no column '%s'%s", name, "") : jv_null();
	x = column_taken(column, &n);
	at = column_taken(run_member(rows, axis), &nat);
	for (int i = 0; jv_is_valid(answer) && i < n && i < nat && isnan(met); i++) {
		if (isnan(x[i]) || isnan(at[i]))
			continue;
		any = true;
		if (bound_holds(&bound, x[i]))
			met = at[i];
	}
	if (isnan(met) && any)
		met = HUGE_VAL;
	for (int i = 0; i < nat; i++)
		before = at[i] < met && at[i] > before ? at[i] : before;
	*step = met - before;
	jv_free(rows);
	free_all(name, x, at);
	return jv_is_valid(answer) && !isnan(met) ? jv_number(met) : answer;
}

bool measure_tells_divergence(const char *measure)
{
	return target_named(measure) || measure_lost(measure) > 0 ||
	       (measure_learnt(measure) && measure_range(measure) == RANGE_SHARE);
}

jv run_value(jv run, const char *measure, double *step)
{
	*step = 0;
	if (target_named(measure))
		return run_target(run, measure, step);
	if (run_has_diverged(run) && measure_tells_divergence(measure))
		return jv_number(measure_lost(measure));
	return run_member(run, measure);
}

char *run_point_text(jv run)
{
	jv point = run_member(run, "point");
	char *label = NULL;

	if (jv_get_kind(point) == JV_KIND_OBJECT) {
		jv_object_foreach(point, key, value)
		{
			if (strcmp(jv_string_value(key), "seed") != 0) {
				scoped char *text = value_word(value);

				xappendf(&label, " ", "%s=%s", jv_string_value(key), text);
			}
			jv_free(key);
			jv_free(value);
		}
	}
	jv_free(point);
	return label ? label : xstrdup("");
}

/* Number of test samples of a result that does not have it, by the data set; NaN: not known. */
static double data_test_samples(jv run)
{
	static const struct {
		const char *data;
		double n;
	} sets[] = { { "cifar10", 10000 }, { "cifar100", 10000 }, { "mnist", 10000 } };
	scoped char *most = run_setting(run, "eval_samples", "0"),
		    *data = run_setting(run, "data", "");
	const double limit = atof(most);
	double n = (double)NAN;

	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		if (strlen(sets[i].data) == strcspn(data, ":") &&
		    !strncmp(data, sets[i].data, strlen(sets[i].data)))
			n = sets[i].n;
	for (const char *s = data; (s = strstr(s, "test=")); s++)
		if (s > data && strchr(":,", s[-1]) && s[5] >= '1' && s[5] <= '9') {
			n = (double)strtoul(s + 5, NULL, 10);
			break;
		}
	return limit > 0 && !(n < limit) ? limit : n;
}

double run_test_samples(jv run)
{
	const double recorded = number_taken(run_member(run, "test_samples"));
	scoped char *correct = text_taken(run_member(run, "test_correct"), "");
	const double marked = atof(correct);    /* the text begins with the number of samples */

	return recorded > 0 ? recorded : marked > 0 ? marked : data_test_samples(run);
}

jv run_seed(jv run)
{
	jv seed = run_member(run, "seed"), point;

	if (jv_get_kind(seed) == JV_KIND_NULL || jv_get_kind(seed) == JV_KIND_FALSE) {
		point = run_member(run, "point");
		seed = run_member(point, "seed");
		jv_free(point);
	}
	return seed;
}
