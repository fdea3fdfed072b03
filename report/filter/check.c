/* Whether filters compile, before there is anything to run them over. */
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

/* Programs that compile, as this process knows from a child. */
static struct {
	char **programs;
	size_t n;
} known;

static bool is_known(const char *program)
{
	for (size_t i = 0; i < known.n; i++)
		if (strcmp(known.programs[i], program) == 0)
			return true;
	return false;
}

bool filter_program_compiles(const char *program)
{
	char *why;

	if (is_known(program))
		return true;
	why = filter_check(program);
	if (why) {
		free(why);
		return false;
	}
	known.programs = xrealloc(known.programs, known.n + 1, sizeof(*known.programs));
	known.programs[known.n++] = xstrdup(program);
	return true;
}

bool filter_check_all(size_t n, const char *const *filters)
{
	char *program = n > 0 ? filter_program(n, filters) : NULL;
	const bool compiles = n == 0 || (program && filter_program_compiles(program));

	free(program);
	return compiles;
}
