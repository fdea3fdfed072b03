/* jq programs from filters, and what jq says of those that are none. */
#include "report/filter/compile.h"

#include "core/base/mem.h"
#include "record/measure.h"
#include "report/claims/functions.h"

#include <jv.h>
#include <stdlib.h>
#include <string.h>

/* Keeps the first message, on one line. */
static void keep_message(void *data, jv message)
{
	char **kept = data;

	if (!*kept) {
		jv text = jv_get_kind(message) == JV_KIND_STRING ?
				  jv_copy(message) :
				  jv_dump_string(jv_copy(message), 0);

		*kept = xstrdup(jv_string_value(text));
		(*kept)[strcspn(*kept, "\n")] = 0;
		jv_free(text);
	}
	jv_free(message);
}

/* The message from after a text on, where it has that. */
static void cut_before(char *message, const char *text)
{
	const size_t n = strlen(text);

	if (strncmp(message, text, n) == 0)
		memmove(message, message + n, strlen(message + n) + 1);
}

/* Without what is of jq's command line; the line only where there are several. The caller frees. */
static char *filter_compile_tidied(char *message, const char *filter)
{
	char *at = strstr(message, " at <top-level>"), *line, *hint, *tidy;

	line = at ? strstr(at, "line ") : NULL;
	tidy = xasprintf("%.*s%s%.*s", at ? (int)(at - message) : (int)strlen(message),
			 message, line && strchr(filter, '\n') ? ", " : "",
			 line && strchr(filter, '\n') ? (int)strcspn(line, ",:") : 0,
			 line ? line : "");
	cut_before(tidy, "jq: error: ");
	hint = strstr(tidy, " (Unix shell quoting issues?)");
	if (hint)
		cut_before(hint, " (Unix shell quoting issues?)");
	free(message);
	return tidy;
}

jq_state *filter_compile(const char *filter, char **message)
{
	jq_state *jq = must_have(jq_init(), "jq");
	char *whole = xasprintf("%s%s%s%s%s.k as $_k | .judging as $_judging | .turn as $_turn | "
				".v | %s%s%s", target_filters, means_filters,
				decide_student_filters, decide_sample_filters, decide_rule_filters,
				tuned_filters, strict_filters, filter);
	int compiled;

	*message = NULL;
	jq_set_error_cb(jq, keep_message, message);
	compiled = jq_compile(jq, whole);
	free(whole);
	if (compiled) {
		jq_set_error_cb(jq, NULL, NULL);
		return jq;
	}
	jq_teardown(&jq);
	*message = *message ? filter_compile_tidied(*message, filter) :
			      xstrdup("jq cannot compile it");
	return NULL;
}
