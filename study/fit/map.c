/* map.c - a log as a map of ranks and steps: how far each step is from the log's median. */
#include "study/fit/fit.h"

#include "core/base/mem.h"
#include "core/math/median.h"
#include "report/plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fields that a picture has at most. */
enum { MOST_RANKS = 64, MOST_COLUMNS = 200, MOST_FIELDS = 6400 };

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

struct fit_map fit_map(const struct steplog *l)
{
	const size_t n = l->workers * l->steps, ranks = least(l->workers, MOST_RANKS);
	struct fit_map m = { .ranks = ranks, .workers = l->workers, .steps = l->steps };
	double *sorted = xcalloc(n, sizeof(*sorted));

	m.columns = least(l->steps, least(MOST_COLUMNS, MOST_FIELDS / ranks));
	m.v = xcalloc(m.ranks * m.columns, sizeof(*m.v));
	memcpy(sorted, l->seconds, n * sizeof(*sorted));
	m.median = median_of(sorted, n);
	free(sorted);
	for (size_t r = 0; r < m.ranks; r++)
		for (size_t c = 0; c < m.columns; c++) {
			const size_t w1 = (r + 1) * l->workers / m.ranks;
			const size_t k0 = c * l->steps / m.columns;
			const size_t k1 = (c + 1) * l->steps / m.columns;
			double *v = &m.v[r * m.columns + c];

			/* of several ranks the slowest: a mean would hide it */
			for (size_t w = r * l->workers / m.ranks; w < w1; w++)
				*v = fmax(*v, fit_mean(l->seconds + w * l->steps + k0, k1 - k0) /
						      m.median);
		}
	return m;
}

void fit_map_release(struct fit_map *m)
{
	free(m->v);
	*m = (struct fit_map){ 0 };
}

/* ---- as a picture ---- */

/* A line for each field, an empty line after each rank. */
static void map_put_data(const void *ctx, FILE *out)
{
	const struct fit_map *m = ctx;

	fprintf(out, "# step rank times-the-median; the median is %.6g s\n", m->median);
	for (size_t r = 0; r < m->ranks; r++, fputs("\n", out))
		for (size_t c = 0; c < m->columns; c++)
			fprintf(out, "%.6g %.6g %.4g\n",
				((double)c + 0.5) * (double)m->steps / (double)m->columns - 0.5,
				((double)r + 0.5) * (double)m->workers / (double)m->ranks - 0.5,
				m->v[r * m->columns + c]);
}

static void map_put_script(const void *ctx, const char *name, FILE *out)
{
	const struct fit_map *m = ctx;
	double low = 1.0, high = 1.2;

	for (size_t i = 0; i < m->ranks * m->columns; i++) {
		low = fmin(low, m->v[i]);
		high = fmax(high, m->v[i]);
	}
	/* as far below the median as above: noise is pale next to a slow rank */
	low = fmin(low, fmax(0.5, 2.0 - high));
	fputs("set xlabel 'step'\nset ylabel 'rank'\nunset key\n"
	      "set border 3 lc rgb '#404040'\nset tics nomirror out\n"
	      "set cblabel 'times the median step'\n", out);
	fprintf(out, "set xrange [-0.5:%g]\nset yrange [%g:-0.5]\nset cbrange [%.4g:%.4g]\n",
		(double)m->steps - 0.5, (double)m->workers - 0.5, low, high);
	/* white is the median, whatever the range */
	fprintf(out, "set palette defined (%.4g '#2166ac', 1 '#f7f7f7', %.4g '#f4a582', "
		     "%.4g '#b2182b')\n", low, 1.0 + 0.35 * (high - 1.0), high);
	if (m->workers <= 24)
		fputs("set ytics 1\n", out);
	fputs("plot ", out);
	gnuplot_path(name, ".dat", out);
	fputs(" using 1:2:3 with image pixels\n", out);
}

int fit_plot_map(const struct fit *f, const char *dir, const char *name, const char *format,
		 struct texts *paths)
{
	scoped char *own = xasprintf("%s-map", name);
	scoped_by(fit_map_release) struct fit_map map = fit_map(&f->log);
	const struct plot_parts parts = { .name = own, .ctx = &map, .script = map_put_script,
					  .data = map_put_data };

	return plot_write(&parts, dir, format, paths);
}
