/* Where a mean is infinite, or none as runs diverged: no point, but a sign at the upper edge. */
#include "report/plot/plot.h"

#include "record/measure.h"

#include <string.h>

#define TOP 0.97                /* of the plot's height: the first sign of a series ... */
#define BELOW 0.05              /* ... and how much lower each next one's is */
enum { ROWS = 8 };

double figure_shift(const struct figure *f, size_t i)
{
	double width = 0.8 / (double)f->n;

	return f->categories ? width * ((double)i - 0.5 * (double)(f->n - 1)) : 0;
}

/* Series before the i-th that have a sign. */
static size_t rows_before(const struct figure *f, size_t i)
{
	size_t rows = 0;

	for (size_t k = 0; k < i; k++)
		rows += f->series[k].nnever > 0;
	return rows;
}

double figure_never_height(const struct figure *f, size_t i)
{
	return TOP - BELOW * (double)(rows_before(f, i) % ROWS);
}

double figure_never_margin(const struct figure *f)
{
	const size_t rows = rows_before(f, f->n);

	return rows ? 1 - TOP + BELOW * (double)(rows < ROWS ? rows : ROWS) : 0;
}

/* "not reached", "infinite" of losses, or "diverged". */
static const char *never_words(const struct figure *f)
{
	struct target target;

	if (f->yname && target_parse(f->yname, &target))
		return "not reached";
	return f->yname && measure_learnt(f->yname) && !strstr(f->yname, "loss") ? "diverged" :
										    "infinite";
}

const char *figure_never_sign(const struct figure *f)
{
	return strcmp(never_words(f), "diverged") == 0 ? "×" : "∞";
}

void figure_never(const struct figure *f, FILE *out)
{
	for (size_t i = 0; i < f->n; i++)
		for (size_t k = 0; k < f->series[i].nnever; k++)
			fprintf(out, "set label '%s' at first %.10g, graph %.3g center "
				"tc ls %zu front\n", figure_never_sign(f),
				f->series[i].never[k] + figure_shift(f, i),
				figure_never_height(f, i), i + 1);
}

const char *figure_nevers(const struct figure *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->series[i].nnever)
			return never_words(f);
	return NULL;
}
