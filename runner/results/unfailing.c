/* unfailing.c - whether a goodput of 1 says anything: that it is of runs without a failure. */
#include "runner/results/unfailing.h"

#include "core/base/mem.h"
#include "core/file/json.h"

#include <stdlib.h>

/* Adds "no WHAT in this run" if there are runs with that measure, and it is 0 in all of them. */
static void unfailing_add(const cJSON *runs, const char *key, const char *needs, const char *what,
			  char **text)
{
	size_t n = 0;
	const cJSON *run;

	cJSON_ArrayForEach(run, runs) {
		const cJSON *count = json_get(run, key);

		if (!cJSON_IsNumber(count) || !cJSON_IsNumber(json_get(run, needs)))
			continue;
		if (count->valuedouble > 0.0)
			return;
		n++;
	}
	if (n == 1)
		xappend_own(text, "; ", xasprintf("%s in this run", what));
	else if (n > 1)
		xappend_own(text, "; ", xasprintf("%s in these %zu runs", what, n));
}

char *unfailing_text(const cJSON *runs)
{
	char *text = NULL;

	unfailing_add(runs, "failures", "goodput", "no failure happened", &text);
	/* only jobs that go back to checkpoints have the time of these */
	unfailing_add(runs, "checkpoints", "checkpoint_s", "no checkpoint was saved", &text);
	return text;
}
