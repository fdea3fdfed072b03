/*
 * check.c - whether filters compile, before there is anything to run them over.
 */
#include "report/filter/filter.h"

#include "core/base/mem.h"
#include "core/file/json.h"

#include <stdlib.h>
#include <string.h>

enum { SHORT = 80 };            /* characters of a filter that a message shows whole */

char *filter_check(const char *filter)
{
	cJSON *answer = filter_run(filter, NULL);
	const char *why = json_string(answer, "error");
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

char *filter_program(size_t n, const char *const *filters)
{
	char *program = xstrdup("if false then .");

	for (size_t i = 0; i < n; i++) {
		if (!is_balanced(filters[i])) {
			free(program);
			return NULL;
		}
		xappend_own(&program, " ",
			xasprintf("elif .k == %zu then .v | (%s\n)", i, filters[i]));
	}
	xappend(&program, " ", "else empty end");
	return program;
}

bool filter_check_all(size_t n, const char *const *filters)
{
	char *program = filter_program(n, filters);
	char *why = program ? filter_check(program) : NULL;
	const bool compiles = program && !why;

	free(program);
	free(why);
	return compiles;
}
