/* Criteria of claims that are newer than the runs. */
#include "runner/results/outcome.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "report/claims/rules.h"
#include "report/record/environ.h"

#include <stdlib.h>
#include <string.h>

/* When the first of the runs began, as environ_clock() writes it; NULL: unknown. Owned. */
static char *first_began(const cJSON *runs)
{
	char *first = NULL;
	const cJSON *run;

	cJSON_ArrayForEach(run, runs) {
		const char *file = json_string(run, "file");
		cJSON *facts = environ_read(file);
		const char *began = json_string(facts, "started");

		if (began && (!first || strcmp(began, first) < 0)) {
			free(first);
			first = xstrdup(began);
		}
		cJSON_Delete(facts);
	}
	return first;
}

void outcome_check_dates(struct outcome *o, const struct plan *p)
{
	char *began = outcome_claims_have(o, "criterion") ? first_began(o->runs) : NULL;

	if (began)
		claims_check_dates(o->claims, began, p->spec.path);
	free(began);
}
