/* Rates over the first number that varies, else over the nets. */
#include "cmd/bench/bench.h"

#include "cmd/plot_path.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "report/plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What tells cases apart. The first NUMBERS of them can be an axis. */
enum {
	PARTITIONS, BATCH, THREADS, TEAM, NUMBERS,
	NET = NUMBERS, BACKEND, PRECISION, LOWERING, TRAITS
};

static const char *const names[NUMBERS] = {
	"parts of a batch", "samples of a batch", "gradients at once", "threads of a gradient"
};

static double bench_plot_number(const struct rate_case *c, int trait)
{
	const double values[NUMBERS] = {
		c->conf.partitions, (double)c->batch, c->threads, c->team
	};

	return values[trait];
}

/* The trait in words; the caller frees. */
static char *bench_plot_word(const struct rate_case *c, int trait)
{
	const char *texts[] = { c->net, c->backend->name, bench_precision(c), bench_lowering(c) };

	return trait < NUMBERS	 ? xasprintf("%g %s", bench_plot_number(c, trait), names[trait]) :
	       trait == LOWERING ? xasprintf("lowering %s", texts[trait - NUMBERS]) :
				   xstrdup(texts[trait - NUMBERS]);
}

static bool bench_plot_same(const struct rate_case *a, const struct rate_case *b, int trait)
{
	char *x = bench_plot_word(a, trait), *y = bench_plot_word(b, trait);
	bool equal = !strcmp(x, y);

	free(x);
	free(y);
	return equal;
}

struct plotter {
	struct rate_case **cases;       /* [n] the finished ones */
	struct rate_case **first;       /* [f.n] the first one of each series */
	size_t n;
	bool varies[TRAITS];
	int x;                          /* trait on the x axis: a number, or NET */
	struct figure f;
};

static void find_traits(struct plotter *p)
{
	for (int t = 0; t < TRAITS; t++)
		for (size_t i = 1; i < p->n; i++)
			p->varies[t] |= !bench_plot_same(p->cases[0], p->cases[i], t);
	/* Every net has its own batch where none was chosen: that is no axis. */
	p->x = NET;
	for (int t = NUMBERS - 1; t >= 0; t--)
		if (p->varies[t] && !(t == BATCH && p->varies[NET]))
			p->x = t;
}

/* True when two cases belong to one series. */
static bool bench_plot_together(const struct plotter *p, const struct rate_case *a,
				const struct rate_case *b)
{
	for (int t = 0; t < TRAITS; t++)
		if (t != p->x && !(t == BATCH && p->x == NET) && !bench_plot_same(a, b, t))
			return false;
	return true;
}

/* What tells this series from the others; the caller frees. */
static char *bench_plot_label(const struct plotter *p, const struct rate_case *c)
{
	char *text = xstrdup("");

	for (int t = 0; t < TRAITS; t++)
		if (p->varies[t] && t != p->x && !(t == BATCH && p->varies[NET]) &&
		    !(t == LOWERING && c->backend != &backend_openblas))
			xappend_own(&text, ", ", bench_plot_word(c, t));
	return text;
}

/* The position of the case's net among the words under the axis, which it may extend. */
static double bench_plot_category(struct plotter *p, const struct rate_case *c)
{
	const cJSON *item;
	int i = 0;

	cJSON_ArrayForEach(item, p->f.categories) {
		if (!strcmp(item->valuestring, c->net))
			return i;
		i++;
	}
	cJSON_AddItemToArray(p->f.categories, cJSON_CreateString(c->net));
	return i;
}

static void add_point(struct plotter *p, struct series *s, const struct rate_case *c)
{
	double x = p->x == NET ? bench_plot_category(p, c) : bench_plot_number(c, p->x);

	s->p = xrealloc(s->p, s->n + 1, sizeof(*s->p));
	s->p[s->n++] = (struct point){ x, c->rate, c->rate, c->rate };
}

/* The series that the case belongs to, a new one where it is the first. */
static struct series *series_of(struct plotter *p, struct rate_case *c)
{
	struct figure *f = &p->f;

	for (size_t i = 0; i < f->n; i++)
		if (bench_plot_together(p, p->first[i], c))
			return &f->series[i];
	f->series = xrealloc(f->series, f->n + 1, sizeof(*f->series));
	p->first[f->n] = c;
	f->series[f->n] = (struct series){ .label = bench_plot_label(p, c),
					   .title = bench_plot_label(p, c),
					   .fewest = 1,
					   .most = 1 };
	return &f->series[f->n++];
}

static bool is_wide(const struct plotter *p)
{
	double low = (double)INFINITY, high = 0;

	for (size_t i = 0; i < p->n; i++) {
		low = fmin(low, p->cases[i]->rate);
		high = fmax(high, p->cases[i]->rate);
	}
	return plot_is_wide(low, high);
}

static void bench_plot_build(struct plotter *p, const char *name)
{
	find_traits(p);
	p->f = (struct figure){
		.name = name, .title = p->varies[NET] ? NULL : p->cases[0]->net, .seeds = 1,
		.xlabel = xstrdup(p->x == NET ? "" : names[p->x]),
		.ylabel = xstrdup("rate [samples/s]"), .logy = is_wide(p),
		.categories = p->x == NET ? cJSON_CreateArray() : NULL,
	};
	for (size_t i = 0; i < p->n; i++)
		add_point(p, series_of(p, p->cases[i]), p->cases[i]);
}

static int bench_plot_draw(struct plotter *p, const char *path)
{
	struct plot_path at;
	cJSON *paths;

	if (plot_path_split(path, PLOT_PATH_FIGURE, &at))
		return -1;
	bench_plot_build(p, at.name);
	paths = figure_write(&p->f, at.dir, at.format);
	figure_release(&p->f);
	cJSON_Delete(paths);
	return paths ? 0 : -1;
}

int bench_plot(const struct bench *b, const char *path)
{
	struct plotter p = { .cases = xcalloc(b->n, sizeof(*p.cases)),
			     .first = xcalloc(b->n, sizeof(*p.first)) };
	int ret;

	for (size_t i = 0; i < b->n; i++)
		if (b->cases[i].done)
			p.cases[p.n++] = &b->cases[i];
	ret = p.n ? bench_plot_draw(&p, path) : error("nothing was measured: there is no plot");
	free(p.cases);
	free(p.first);
	return ret;
}
