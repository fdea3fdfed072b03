/* The words of a cell: what was measured, and in brackets the published number. */
#include "report/table/table.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "report/measure/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Decimals with which the shortest notation of x is printed: 11.51 -> 2. */
static int decimals_of(double x)
{
	char text[64];
	const char *dot;

	snprintf(text, sizeof(text), "%.15g", x);
	dot = strchr(text, '.');
	return dot && !strchr(text, 'e') ? (int)strlen(dot + 1) : 0;
}

/* Decimals that show `digits` significant ones. */
static int decimals_for(double x, int digits)
{
	int magnitude = isfinite(x) && fabs(x) > 0 ? (int)floor(log10(fabs(x))) : 0;
	int decimals = digits - 1 - magnitude;

	return decimals > 0 ? decimals : 0;
}

void number_format(double x, double like, char out[64])
{
	int decimals = decimals_for(x, isfinite(like) ? 3 : 4);

	if (isfinite(like) && decimals_of(like) > decimals)
		decimals = decimals_of(like);
	if (fabs(x) >= 1e7 || (fabs(x) < 1e-4 && fabs(x) > 0))
		snprintf(out, 64, "%.3e", x);
	else if (fabs(x - rint(x)) <= 0 && !isfinite(like))
		snprintf(out, 64, "%.0f", x);
	else
		snprintf(out, 64, "%.*f", decimals, x);
}

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

/* A deviation decides the decimals of both, unless there is a published number. */
static void spread_words(double x, double dev, double like, struct words *w)
{
	int decimals = decimals_for(dev, 2);

	if (isfinite(like) || decimals > 12 || fabs(x) >= 1e7) {
		number_format(x, like, w->number);
		snprintf(w->spread, sizeof(w->spread), "± %.2g", dev);
	} else {
		snprintf(w->number, sizeof(w->number), "%.*f", decimals, x);
		snprintf(w->spread, sizeof(w->spread), "± %.*f", decimals, dev);
	}
}

void measured_words(double x, double dev, double like, struct words *w)
{
	w->spread[0] = '\0';
	if (!isfinite(x)) {
		strcpy(w->number, isnan(x) ? "-" : "∞");
	} else if (isfinite(dev) && dev > 0) {
		spread_words(x, dev, like, w);
	} else {
		number_format(x, like, w->number);
		if (isfinite(dev))
			strcpy(w->spread, "± 0");
	}
}

static char *verdict_words(const cJSON *cell)
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
static char *missing_words(const cJSON *cell)
{
	int n = table_count(cell, "n"), runs = table_count(cell, "runs");
	int reached = table_count(cell, "reached");

	if (runs > 1 && reached > 0 && reached < n)
		return xasprintf("%d of %d runs reached it", reached, runs);
	return n < runs && n ? xasprintf("%d of %d runs", n, runs) : xstrdup("");
}

static char *diverged_words(const cJSON *cell)
{
	const int runs = table_count(cell, "runs"), diverged = table_count(cell, "diverged");

	if (!diverged)
		return xstrdup("");
	return runs > 1 ? xasprintf("%d of %d diverged", diverged, runs) :
			  xstrdup("diverged");
}

char *lost_words(const cJSON *cell)
{
	char *missing = missing_words(cell), *diverged = diverged_words(cell);
	char *both = xasprintf("%s%s%s", missing, *missing && *diverged ? ", " : "", diverged);

	free(missing);
	free(diverged);
	return both;
}

static char *published_words(const cJSON *cell, const cJSON *published)
{
	char *lost = lost_words(cell), *value = value_text(published);
	char *verdict = verdict_words(cell), *text;

	if (value)
		text = xasprintf("(paper %s%s%s%s)", value, verdict, *lost ? "; " : "", lost);
	else
		text = *lost ? xasprintf("(%s)", lost) : xstrdup("");
	free(lost);
	free(value);
	free(verdict);
	return text;
}

struct words words_of(const cJSON *cell)
{
	const cJSON *published = json_get(cell, "published");
	struct words w = { .published = published_words(cell, published) };

	measured_words(table_number(cell, "measured"), table_number(cell, "deviation"),
		       model_number(published), &w);
	return w;
}

void words_release(struct words *w)
{
	free(w->published);
}
