/*
 * plot_seeds.c - what a legend says of seeds: once for all, and beside the series that differ.
 */
#include "report/plot.h"

#include "core/mem.h"

#include <stdlib.h>

static bool is_common(const struct figure *f, const struct series *s)
{
	return s->fewest == f->seeds && s->most == f->seeds;
}

static char *count_text(const struct series *s)
{
	if (s->fewest < s->most)
		return xasprintf("%d to %d seeds", s->fewest, s->most);
	return xasprintf("%d seed%s", s->most, s->most > 1 ? "s" : "");
}

static char *title_of(const struct figure *f, const struct series *s)
{
	char *count, *title;

	if (is_common(f, s) || !s->n)
		return xstrdup(s->label);
	count = count_text(s);
	if (!*s->label)
		return count;
	title = xasprintf("%s (%s)", s->label, count);
	free(count);
	return title;
}

void figure_titles(struct figure *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->series[i].most > f->seeds)
			f->seeds = f->series[i].most;
	for (size_t i = 0; i < f->n; i++)
		f->series[i].title = title_of(f, &f->series[i]);
}

/* Where all series name their own counts there is none for all. */
void figure_seeds(const struct figure *f, FILE *out)
{
	for (size_t i = 0; i < f->n; i++)
		if (is_common(f, &f->series[i])) {
			fprintf(out, "mean of %d seeds, ± 1 s.d.", f->seeds);
			return;
		}
	fputs("mean of seeds, ± 1 s.d.", out);
}
