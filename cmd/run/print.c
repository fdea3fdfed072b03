/* What came of an experiment, on stdout: JSON, or tables, claims and plots. */
#include "cmd/run/parts.h"

#include "cmd/common.h"
#include "core/file/json.h"
#include "core/text/utf8.h"
#include "core/text/word.h"
#include "plan/tuning.h"

#include <stdio.h>

void run_print_json(const struct plan *p, const struct outcome *o, const cJSON *plots)
{
	cJSON *json = cJSON_CreateObject();

	cJSON_AddStringToObject(json, "experiment", p->spec.name);
	cJSON_AddStringToObject(json, "scale", p->spec.scale);
	cJSON_AddItemToObject(json, "runs", outcome_runs(o, p));
	cJSON_AddItemToObject(json, "baseline",
			      o->baselines->child ? run_brief(o->baselines->child)
						  : cJSON_CreateNull());
	if (p->tuning)
		cJSON_AddItemToObject(json, "tuning", cJSON_Duplicate(p->tuning->chosen, true));
	cJSON_AddItemToObject(json, "tables", cJSON_Duplicate(o->tables, true));
	cJSON_AddItemToObject(json, "claims", cJSON_Duplicate(o->claims, true));
	cJSON_AddItemToObject(json, "plots", cJSON_Duplicate(plots, true));
	json_print(json);
	cJSON_Delete(json);
}

/* Without gnuplot's script and the data. */
static bool is_picture(const char *path)
{
	return word_ends(path, ".svg") || word_ends(path, ".png");
}

void run_print_text(const struct plan *p, const struct outcome *o, const cJSON *plots)
{
	const cJSON *path;

	if (!json_get(p->spec.json, "tables"))
		runs_print(o->runs);
	if (!json_get(p->spec.json, "tables") && o->gap)
		puts(o->gap);
	if (!json_get(p->spec.json, "tables") && o->tables->child)
		putchar('\n');
	outcome_print_tables(o->tables, TABLE_TEXT);
	if (cJSON_GetArraySize(o->claims) > 0)
		putchar('\n');
	claims_print_all(o->claims, stdout);
	if (cJSON_GetArraySize(plots) > 0)
		printf("\nPlots, each with its script and data:\n");
	cJSON_ArrayForEach(path, plots)
		if (is_picture(path->valuestring))
			printf("  "), utf8_puts(path->valuestring);
}
