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

static bool has_criteria(const cJSON *claims)
{
	const cJSON *claim;

	cJSON_ArrayForEach(claim, claims)
		if (json_get(claim, "criterion"))
			return true;
	return false;
}

void outcome_check_dates(struct outcome *o, const struct plan *p)
{
	char *began = has_criteria(o->claims) ? first_began(o->runs) : NULL;

	if (began)
		claims_check_dates(o->claims, began, p->spec.path);
	free(began);
}
