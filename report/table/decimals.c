/* How many decimals a number and its deviation have in tables. */
#include "report/table/table.h"

#include <math.h>
#include <stdio.h>
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

/* Decimals with which a number stands next to `like`, or alone. */
static int decimals_like(double x, double like)
{
	const int least = decimals_for(x, isfinite(like) ? 3 : 4);

	return isfinite(like) && decimals_of(like) > least ? decimals_of(like) : least;
}

void number_format(double x, double like, char out[64])
{
	if (fabs(x) >= 1e7 || (fabs(x) < 1e-4 && fabs(x) > 0))
		snprintf(out, 64, "%.3e", x);
	else if (fabs(x - rint(x)) <= 0 && !isfinite(like))
		snprintf(out, 64, "%.0f", x);
	else
		snprintf(out, 64, "%.*f", decimals_like(x, like), x);
}

/* Both have the decimals of the deviation, but no fewer than a published number. */
static void spread_text(double x, double dev, double like, struct cell_text *w)
{
	int decimals = decimals_for(dev, 2);

	if (decimals > 12 || fabs(x) >= 1e7) {
		number_format(x, like, w->number);
		snprintf(w->spread, sizeof(w->spread), "± %.2g", dev);
		return;
	}
	if (isfinite(like) && decimals_like(x, like) > decimals)
		decimals = decimals_like(x, like);
	snprintf(w->number, sizeof(w->number), "%.*f", decimals, x);
	snprintf(w->spread, sizeof(w->spread), "± %.*f", decimals, dev);
}

void measured_text(double x, double dev, double like, struct cell_text *w)
{
	w->spread[0] = '\0';
	if (!isfinite(x)) {
		strcpy(w->number, isnan(x) ? "-" : "∞");
	} else if (isfinite(dev) && dev > 0) {
		spread_text(x, dev, like, w);
	} else {
		number_format(x, like, w->number);
		if (isfinite(dev))
			strcpy(w->spread, "± 0");
	}
}
