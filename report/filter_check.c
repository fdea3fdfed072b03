/*
 * filter_check.c - whether filters compile, before there is anything to run them over.
 */
#include "report/filter.h"

#include "core/mem.h"

#include <stdlib.h>
#include <string.h>

enum { SHORT = 80 };            /* characters of a filter that a message shows whole */

char *filter_check(const char *filter)
{
	cJSON *answer = filter_run(filter, NULL);
	const char *why = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(answer, "error"));
	const bool shown = strlen(filter) <= SHORT && !strchr(filter, '\n');
	char *message = NULL;

	if (why)
		message = shown ? xasprintf("%s, in '%s'", why, filter) : xstrdup(why);
	cJSON_Delete(answer);
	return message;
}

/* Whether each bracket closes one before it, and each quote: such a filter, if it compiles among
 * others, compiles alone. */
static bool is_balanced(const char *filter)
{
	bool quoted = false;
	int depth = 0;

	for (; *filter && depth >= 0; filter++) {
		quoted ^= *filter == '"';
		depth += strchr("([{", *filter) ? 1 : strchr(")]}", *filter) ? -1 : 0;
	}
	return depth == 0 && !quoted;
}

bool filter_check_all(size_t n, const char *const *filters)
{
	char *all = xstrdup("."), *longer, *why = NULL;
	bool balanced = true;

	for (size_t i = 0; i < n && balanced; i++) {
		balanced = is_balanced(filters[i]);
		longer = xasprintf("%s, (%s\n)", all, filters[i]);
		free(all);
		all = longer;
	}
	if (balanced)
		why = filter_check(all);
	free(all);
	free(why);
	return balanced && !why;
}
