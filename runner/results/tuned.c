/* What tuning chose, in run objects and tables. */
#include "runner/results/outcome.h"

#include "plan/tuning.h"

#include <stdlib.h>

void tuned_add(cJSON *run, const struct plan *p, const struct planned *r)
{
	char *text = tuning_text_of(p, r);

	if (text) {
		cJSON_AddItemToObject(run, "tuned", cJSON_Duplicate(r->extra, true));
		cJSON_AddStringToObject(run, "tuned_by", text);
	}
	free(text);
}

void tuned_add_table(struct outcome *o, const struct plan *p)
{
	const struct tuning *t = p->tuning;
	cJSON *tables;

	if (!t || !t->results->child)
		return;
	tables = tables_build(t->plan.spec.json, t->results);
	cJSON_AddItemToArray(o->tables, cJSON_DetachItemFromArray(tables, 0));
	cJSON_Delete(tables);
}
