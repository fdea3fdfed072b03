/* An answer as lines of CSV and as JSON. */
#include "study/advise/advise.h"

#include <math.h>
#include <stdio.h>

/* ---- CSV ---- */

static void csv_number(double x, FILE *out)
{
	putc(',', out);
	if (!isnan(x))
		fprintf(out, "%.9g", x);
}

void advice_print_csv(const struct advice *r, const struct advise *a, FILE *out)
{
	fprintf(out, "%s", a->vary.kind->name);
	for (int k = 0; k < ADVISE_ALGOS; k++)
		fprintf(out, ",step_s_%d,step_s_%d_low,step_s_%d_high", k + 1, k + 1, k + 1);
	fprintf(out, ",p_second_faster\n");
	for (size_t i = 0; i < a->nx; i++) {
		fprintf(out, "%.9g", r->row[i].x);
		for (int k = 0; k < ADVISE_ALGOS; k++) {
			csv_number(r->row[i].time[k].median, out);
			csv_number(r->row[i].time[k].lo, out);
			csv_number(r->row[i].time[k].hi, out);
		}
		csv_number(r->row[i].p, out);
		putc('\n', out);
	}
}

/* ---- JSON ---- */

/* Infinite: outside the range. */
static void json_number(cJSON *object, const char *key, double x)
{
	if (isfinite(x))
		cJSON_AddNumberToObject(object, key, x);
	else if (isnan(x))
		cJSON_AddNullToObject(object, key);
	else
		cJSON_AddStringToObject(object, key, x < 0.0 ? "below" : "above");
}

static cJSON *json_band(struct band b)
{
	cJSON *object = cJSON_CreateObject();

	json_number(object, "median", b.median);
	json_number(object, "low", b.lo);
	json_number(object, "high", b.hi);
	return object;
}

static void json_rows(cJSON *json, const struct advice *r, const struct advise *a)
{
	static const char *const rare[RARES] = { "slow_periods", "failures", "checkpoints" };
	cJSON *rows = cJSON_AddArrayToObject(json, "points");

	for (size_t i = 0; i < a->nx; i++) {
		cJSON *row = cJSON_CreateObject();

		cJSON_AddNumberToObject(row, "x", r->row[i].x);
		cJSON_AddItemToObject(row, "first_s", json_band(r->row[i].time[ADVISE_FIRST]));
		cJSON_AddItemToObject(row, "second_s", json_band(r->row[i].time[ADVISE_SECOND]));
		json_number(row, "p_second_faster", r->row[i].p);
		for (int k = 0; k < RARES; k++)
			json_number(row, rare[k], r->row[i].rare[k]);
		if (a->no_data[i])
			cJSON_AddStringToObject(row, "no_data", a->no_data[i]);
		cJSON_AddItemToArray(rows, row);
	}
}

static void json_effects(cJSON *json, const struct advice *r, const struct advise *a)
{
	cJSON *list = cJSON_AddArrayToObject(json, "sensitivity");

	for (size_t i = 0; i < r->neffects; i++) {
		const struct uncertain *u = &a->uncertain.v[r->effect[i].uncertain];
		cJSON *effect = cJSON_CreateObject();

		cJSON_AddStringToObject(effect, "value", u->name);
		cJSON_AddNumberToObject(effect, "low", uncertain_at(u, -1.0));
		cJSON_AddNumberToObject(effect, "high", uncertain_at(u, 1.0));
		json_number(effect, "break_even_at_low", r->effect[i].lo);
		json_number(effect, "break_even_at_high", r->effect[i].hi);
		cJSON_AddNumberToObject(effect, "share", r->effect[i].share);
		cJSON_AddItemToArray(list, effect);
	}
}

/* Progress of the second, relative to the first; nothing where it was not measured. */
static void json_measured(cJSON *json, const struct advise *a)
{
	const struct measured *m = &a->measured;
	cJSON *measured, *points;

	if (!m->net)
		return;
	measured = cJSON_AddObjectToObject(json, "measured_progress");
	cJSON_AddStringToObject(measured, "net", m->net);
	cJSON_AddNumberToObject(measured, "runs", (double)m->runs);
	cJSON_AddNumberToObject(measured, "error", m->error);
	points = cJSON_AddArrayToObject(measured, "points");
	for (int i = 0; i < MEASURED_POINTS; i++) {
		cJSON *point = cJSON_CreateObject();

		cJSON_AddNumberToObject(point, "x", vary_x(&a->vary, m->u[i]));
		cJSON_AddNumberToObject(point, "progress", exp(m->log_progress[i]));
		cJSON_AddItemToArray(points, point);
	}
}

cJSON *advice_json(const struct advice *r, const struct advise *a)
{
	cJSON *json = cJSON_CreateObject(), *progress;

	cJSON_AddStringToObject(json, "vary", a->vary.kind->name);
	cJSON_AddStringToObject(json, "unit", a->vary.kind->unit);
	cJSON_AddItemToObject(json, "between", cJSON_Duplicate(a->algos, true));
	cJSON_AddNumberToObject(json, "draws", (double)a->ndraws);
	cJSON_AddNumberToObject(json, "draws_with_break_even", (double)r->inside);
	if (r->inside)
		cJSON_AddItemToObject(json, "break_even", json_band(r->even));
	else
		cJSON_AddNullToObject(json, "break_even");
	cJSON_AddStringToObject(json, "second_faster", !r->direction   ? "neither"
						       : r->direction > 0 ? "above" : "below");
	progress = cJSON_AddArrayToObject(json, "progress");
	for (int k = 0; k < ADVISE_ALGOS; k++)
		cJSON_AddItemToArray(progress, cJSON_CreateNumber(a->progress[k].value));
	json_measured(json, a);
	json_rows(json, r, a);
	json_effects(json, r, a);
	cJSON_AddNumberToObject(json, "rest", r->rest);
	provenance_add(a, json);
	return json;
}
