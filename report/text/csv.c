/* Writes JSON members as CSV fields with all digits of numbers. */
#include "report/text/csv.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "record/measure.h"
#include "report/text/escape.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static const char joint[] = ", ";

void csv_value(const cJSON *value, FILE *out)
{
	const bool infinite = cJSON_IsNumber(value) && value->valuedouble >= DBL_MAX;
	char *text = cJSON_IsNumber(value) ? cJSON_PrintUnformatted(value) : value_text(value);

	escape_csv(infinite ? "inf" : text ? text : "", out);
	free(text);
}

void csv_member(const cJSON *object, const char *key, FILE *out)
{
	putc(',', out);
	csv_value(json_get(object, key), out);
}

void csv_text(const char *text, FILE *out)
{
	putc(',', out);
	escape_csv(text ? text : "", out);
}

void csv_number(double x, FILE *out)
{
	cJSON *number = json_of_number(x);

	putc(',', out);
	csv_value(number, out);
	cJSON_Delete(number);
}

void csv_joined(const char *text, int n, FILE *out)
{
	for (; n > 1; n--) {
		const char *end = strstr(text, joint);
		char *own = end ? xasprintf("%.*s", (int)(end - text), text) : xstrdup(text);

		escape_csv(own, out);
		putc(',', out);
		text = end ? end + strlen(joint) : "";
		free(own);
	}
	escape_csv(text, out);
}

int csv_count(const char *text)
{
	int n = 1;

	while ((text = strstr(text, joint))) {
		text += strlen(joint);
		n++;
	}
	return n;
}
