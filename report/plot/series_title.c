/*
 * series_title.c - the legend's words of a series: its name, its seeds where others have more, how
 * far it rises where it leaves the plot, and how many of its runs diverged.
 */
#include "report/plot/plot.h"

#include "core/base/mem.h"
#include "core/text/word.h"
#include "report/text/width.h"

#include <math.h>
#include <stdlib.h>

enum { LEGEND = 40 };           /* letters in a line */

static bool is_common(const struct figure *f, const struct series *s)
{
	return s->fewest == f->seeds && s->most == f->seeds;
}

static char *count_text(const struct series *s)
{
	if (s->fewest < s->most)
		return xasprintf("%d to %d seeds", s->fewest, s->most);
	return xasprintf("%d seed%s", s->most, word_plural(s->most));
}

/* "A (1 seed, rises to 3e+15, 1 of 2 diverged)". The caller frees. */
static char *plot_seeds_title_of(const struct figure *f, const struct series *s)
{
	const bool counted = !is_common(f, s) && s->n;
	const double rise = figure_rise(f, s);
	char *count = counted ? count_text(s) : xstrdup("");
	char *rises = isnan(rise) ? xstrdup("") : xasprintf("rises to %.1g", rise);
	char *more = xasprintf("%s%s%s", count, *count && *rises ? ", " : "", rises), *title;

	if (s->diverged)
		xappend_own(&more, ", ", s->runs > 1 ? xasprintf("%d of %d diverged", s->diverged,
								 s->runs) :
						       xstrdup("diverged"));
	if (!*more)
		title = xstrdup(s->label);
	else if (!*s->label)
		title = xstrdup(more);
	else
		title = xasprintf("%s (%s)", s->label, more);
	free(count);
	free(rises);
	free(more);
	return title;
}

void figure_titles(struct figure *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->series[i].most > f->seeds)
			f->seeds = f->series[i].most;
	for (size_t i = 0; i < f->n; i++) {
		char *title = plot_seeds_title_of(f, &f->series[i]);

		f->series[i].title = text_wrap(title, LEGEND);
		free(title);
	}
}

/* Where all series name their own counts there is none for all. */
void figure_seeds(const struct figure *f, bool deviation, FILE *out)
{
	const char *more = deviation ? ", ± 1 s.d." : "";

	for (size_t i = 0; i < f->n; i++)
		if (is_common(f, &f->series[i])) {
			fprintf(out, "mean of %d seeds%s", f->seeds, more);
			return;
		}
	fprintf(out, "mean of seeds%s", more);
}
