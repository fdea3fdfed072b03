/* The text of a table's cell: the measured number, and in brackets the published one. */
#include "report/table/table.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "record/measure.h"

#include <math.h>
#include <stdlib.h>

/* The number after which a cell's decimals are chosen, or NaN. */
static double model_number(const cJSON *published)
{
	struct bound bound;

	if (cJSON_IsNumber(published))
		return published->valuedouble;
	if (cJSON_IsString(published) && bound_parse(published->valuestring, &bound))
		return bound.limit;
	return (double)NAN;
}

static char *verdict_text(const cJSON *cell)
{
	const cJSON *holds = json_get(cell, "holds");
	double relative = table_number(cell, "relative_error");

	if (fabs(relative) < 0.0005)
		return xstrdup(", 0.0 %");
	if (isfinite(relative))
		return xasprintf(", %+.1f %%", 100 * relative);
	if (cJSON_IsBool(holds))
		return xstrdup(cJSON_IsTrue(holds) ? ", holds" : ", does not hold");
	return xstrdup("");
}

/* How many of the runs have a number, or met their target, where not all did. */
static char *missing_text(const cJSON *cell)
{
	int n = table_count(cell, "n"), runs = table_count(cell, "runs");
	int reached = table_count(cell, "reached"), diverged = table_count(cell, "diverged");

	if (runs > 1 && reached > 0 && reached < n)
		return xasprintf("%d of %d runs reached it", reached, runs);
	return n + diverged < runs && n ? xasprintf("%d of %d runs", n, runs) : xstrdup("");
}

static char *diverged_text(const cJSON *cell)
{
	const int runs = table_count(cell, "runs"), diverged = table_count(cell, "diverged");

	if (!diverged)
		return xstrdup("");
	return runs > 1 ? xasprintf("%d of %d diverged", diverged, runs) :
			  xstrdup("diverged");
}

char *lost_text(const cJSON *cell)
{
	char *missing = missing_text(cell), *diverged = diverged_text(cell);
	char *both = xasprintf("%s%s%s", missing, *missing && *diverged ? ", " : "", diverged);

	free(missing);
	free(diverged);
	return both;
}

static char *published_text(const cJSON *cell, const cJSON *published)
{
	char *lost = lost_text(cell), *value = value_text(published);
	char *verdict = verdict_text(cell), *text;

	if (value)
		text = xasprintf("(%s %s%s%s%s)", table_printed_as(cell), value, verdict,
				 *lost ? "; " : "", lost);
	else
		text = *lost ? xasprintf("(%s)", lost) : xstrdup("");
	free(lost);
	free(value);
	free(verdict);
	return text;
}

struct cell_text cell_text_of(const cJSON *cell)
{
	const cJSON *published = json_get(cell, "published");
	struct cell_text w = { .published = published_text(cell, published) };

	measured_text(table_number(cell, "measured"), table_number(cell, "deviation"),
		       model_number(published), &w);
	return w;
}

void cell_text_release(struct cell_text *w)
{
	free(w->published);
}
