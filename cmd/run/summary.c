/* Prints the table that `convoy run` ends with: a row of counts for each experiment. */
#include "cmd/run/parts.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/utf8.h"
#include "plan/tuning.h"
#include "report/claims/claims.h"
#include "runner/plan_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void run_row_count(struct run_row *row, const struct plan *p)
{
	const struct plan *t = p->tuning ? &p->tuning->plan : NULL;

	row->planned = true;
	row->done += plan_count(p, RUN_FINISHED);
	row->failed += plan_count(p, RUN_FAILED);
	row->left += plan_left(p);
	if (t)
		run_row_count(row, t);
}

void run_row_judge(struct run_row *row, const struct outcome *o)
{
	const struct claim_total t = claims_total(o->claims, NULL);

	row->judged = true;
	row->holds += (size_t)t.holds;
	row->fails += (size_t)t.fails;
	row->undecided += (size_t)t.undecided;
	row->open += (size_t)t.open;
}

/* A count, or "-" where it is not known. */
static void print_count(bool known, size_t n, int width)
{
	if (known)
		printf("  %*zu", width, n);
	else
		printf("  %*s", width, "-");
}

static void summary_print_row(const struct run_row *r, int width, int scale_width)
{
	char *name = xstrdup(r->experiment);

	utf8_make_printable(name);
	printf("%-*s  %-*s", width, name, scale_width, r->scale ? r->scale : "-");
	free(name);
	print_count(r->planned, r->done, 5);
	print_count(r->planned, r->failed, 6);
	print_count(r->planned, r->left, 5);
	print_count(r->judged, r->holds, 6);
	print_count(r->judged, r->fails, 6);
	print_count(r->judged, r->undecided, 9);
	print_count(r->judged, r->open, 13);
	printf("  %9.1f\n", r->seconds);
}

static void summary_add_row(struct run_row *sum, const struct run_row *r)
{
	sum->done += r->done;
	sum->failed += r->failed;
	sum->left += r->left;
	sum->holds += r->holds;
	sum->fails += r->fails;
	sum->undecided += r->undecided;
	sum->open += r->open;
	sum->seconds += r->seconds;
}

static int summary_wider(int width, const char *text)
{
	const int n = text ? (int)strlen(text) : 0;

	return n > width ? n : width;
}

void run_summary_print(const struct run_row *rows, size_t n)
{
	struct run_row sum = { .experiment = "together", .scale = "", .planned = true,
			       .judged = true };
	int width = (int)strlen("experiment"), scale_width = (int)strlen("scale");

	for (size_t i = 0; i < n; i++) {
		width = summary_wider(width, rows[i].experiment);
		scale_width = summary_wider(scale_width, rows[i].scale);
		summary_add_row(&sum, &rows[i]);
	}
	printf("\n%*s  %5s  %6s  %5s  %6s  %6s  %9s  %13s\n", width + scale_width + 2, "", "runs",
	       "runs", "runs", "claims", "claims", "claims", "claims");
	printf("%-*s  %-*s  %5s  %6s  %5s  %6s  %6s  %9s  %13s  %9s\n", width, "experiment",
	       scale_width, "scale", "done", "failed", "left", "hold", "fail",
	       "undecided", "not evaluated", "seconds");
	for (size_t i = 0; i < n; i++)
		summary_print_row(&rows[i], width, scale_width);
	summary_print_row(&sum, width, scale_width);
}

static void add_count(cJSON *object, const char *key, bool known, size_t n)
{
	cJSON_AddItemToObject(object, key,
			      known ? cJSON_CreateNumber((double)n) : cJSON_CreateNull());
}

static cJSON *row_json(const struct run_row *r)
{
	cJSON *json = cJSON_CreateObject(), *claims;

	cJSON_AddStringToObject(json, "experiment", r->experiment);
	json_add_text(json, "scale", r->scale);
	add_count(json, "done", r->planned, r->done);
	add_count(json, "failed", r->planned, r->failed);
	add_count(json, "left", r->planned, r->left);
	claims = cJSON_AddObjectToObject(json, "claims");
	add_count(claims, "hold", r->judged, r->holds);
	add_count(claims, "fail", r->judged, r->fails);
	add_count(claims, "undecided", r->judged, r->undecided);
	add_count(claims, "not_evaluated", r->judged, r->open);
	cJSON_AddNumberToObject(json, "seconds", r->seconds);
	return json;
}

void run_summary_json(const struct run_row *rows, size_t n)
{
	cJSON *json = cJSON_CreateObject();
	cJSON *list = cJSON_AddArrayToObject(json, "summary");

	for (size_t i = 0; i < n; i++)
		cJSON_AddItemToArray(list, row_json(&rows[i]));
	json_print(json);
	cJSON_Delete(json);
}
