/* Whether filters compile, before there is anything to run them over. */
#include "report/filter/filter.h"

#include "core/base/mem.h"
#include "core/file/json.h"

#include <stdlib.h>
#include <string.h>

enum { SHORT = 80 };            /* characters of a filter that a message shows whole */

char *filter_check(const char *filter)
{
	cJSON *answer = filter_run(filter, NULL, FILTER_SHOW);
	const char *why = json_string(answer, "error");
	const bool shown = strlen(filter) <= SHORT && !strchr(filter, '\n');
	char *message = NULL;

	if (why)
		message = shown ? xasprintf("%s, in '%s'", why, filter) : xstrdup(why);
	cJSON_Delete(answer);
	return message;
}

/*
 * Whether a filter that compiles in brackets among others compiles alone: no bracket closes one
 * that is not its own. Brackets in a string are text, but those of \(...) in it are not. What
 * comments may hide differs between versions of jq, so a filter that has any says nothing.
 */
static bool is_closed(const char *filter)
{
	char *open = xcalloc(strlen(filter) + 1, 1);    /* the brackets, and quotes, to be closed */
	size_t n = 0;
	bool closed = true;

	for (; *filter && closed; filter++) {
		const bool quoted = n > 0 && open[n - 1] == '"';

		if (quoted && *filter == '\\' && filter[1]) {
			if (*++filter == '(')
				open[n++] = ')';
		} else if (quoted) {
			n -= *filter == '"';
		} else if (strchr("([{\"", *filter)) {
			open[n++] = (char)(*filter == '(' ? ')' : *filter == '[' ? ']' :
					   *filter == '{' ? '}' : '"');
		} else if (strchr(")]}", *filter)) {
			closed = n > 0 && open[--n] == *filter;
		} else {
			closed = *filter != '#';
		}
	}
	free(open);
	return closed && n == 0;
}

char *filter_program(size_t n, const char *const *filters)
{
	char *program = xstrdup("if false then .");

	for (size_t i = 0; i < n; i++) {
		if (!is_closed(filters[i])) {
			free(program);
			return NULL;
		}
		xappend_own(&program, " ",
			xasprintf("elif $_k == %zu then (%s\n)", i, filters[i]));
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
