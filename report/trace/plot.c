/*
 * plot.c - the timeline as a Gantt chart: a bar a node, dark while it computes, hatched
 * while it is away.
 *
 * The colours are of Okabe and Ito's, told apart by the colour-blind, and by their
 * lightness in grey.
 */
#include "report/trace/trace.h"

#include "core/base/mem.h"
#include "core/text/word.h"
#include "report/plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BARS = 4, AWAY = 3, DENSE = 6000, CELLS = 1200, LABELS = 16, LEGEND = 70 };

static const struct {
	const char *title, *color, *fill;
} bar[BARS] = {
	{ "computing", "#0072B2", "solid" }, { "communicating", "#E69F00", "solid" },
	{ "waiting", "#E8E8E8", "solid" }, [AWAY] = { "away", "#808080", "pattern 4" },
};

struct gantt {
	const struct trace *t;
	const char *name;
	const struct span *s;           /* [n] */
	size_t n;
	int bars;                       /* without the last, where no worker is away */
};

/* Handling is computing, as in a ledger. */
static int bar_of(const struct span *s)
{
	static const int of[SPAN_STATES] = { 0, 0, 1, 2, AWAY };

	return of[s->state];
}

static int bars_of(const struct gantt *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->s[i].state == SPAN_AWAY)
			return BARS;
	return AWAY;
}

/* The end of the last bar. */
static double trace_plot_end_of(const struct gantt *g)
{
	double end = g->t->time;

	for (size_t i = 0; i < g->n; i++)
		end = fmax(end, g->s[i].to);
	return end > 0.0 ? end : 1.0;
}

static void put_bar(double from, double to, int node, FILE *out)
{
	fprintf(out, "%.9g %.9g %d\n", from, to, node);
}

/* ---- more spans than can be seen: a node's time in cells, each for what filled it most ---- */

static void fill_cells(const struct gantt *g, int node, double width, double cells[][BARS])
{
	memset(cells, 0, sizeof(double) * CELLS * BARS);
	for (size_t i = 0; i < g->n; i++) {
		const struct span *s = &g->s[i];

		if (s->node != node || s->during_grad)
			continue;
		for (int k = (int)(s->from / width); k < CELLS && k * width < s->to; k++)
			cells[k][bar_of(s)] += fmin(s->to, (k + 1) * width) -
					       fmax(s->from, k * width);
	}
}

/* The bar of a cell; -1: nothing. */
static int trace_plot_fullest(const double cell[BARS])
{
	int most = -1;

	for (int b = 0; b < BARS; b++)
		if (cell[b] > 0.0 && (most < 0 || cell[b] > cell[most]))
			most = b;
	return most;
}

static void put_cells(const struct gantt *g, int which, FILE *out)
{
	double (*cells)[BARS] = xcalloc(CELLS, sizeof(*cells));
	const double width = trace_plot_end_of(g) / CELLS;

	for (int node = 0; node < g->t->nodes; node++) {
		fill_cells(g, node, width, cells);
		for (int k = 0, first; k < CELLS; k++) {
			if (trace_plot_fullest(cells[k]) != which)
				continue;
			for (first = k; k + 1 < CELLS && trace_plot_fullest(cells[k + 1]) == which;
			     k++)
				;
			put_bar(first * width, (k + 1) * width, node, out);
		}
	}
	free(cells);
}

static void put_spans(const struct gantt *g, int which, FILE *out)
{
	for (size_t i = 0; i < g->n; i++)
		if (bar_of(&g->s[i]) == which && !g->s[i].during_grad && g->s[i].to > g->s[i].from)
			put_bar(g->s[i].from, g->s[i].to, g->s[i].node, out);
}

static void trace_plot_put_data(const void *ctx, FILE *out)
{
	const struct gantt *g = ctx;

	fputs("# columns: from, to (seconds), node\n", out);
	for (int b = 0; b < g->bars; b++) {
		fprintf(out, "%s# %s\nNaN NaN NaN\n", b ? "\n\n" : "", bar[b].title);
		if (g->n > DENSE)
			put_cells(g, b, out);
		else
			put_spans(g, b, out);
	}
}

/* ---- the script ---- */

static void put_labels(const struct trace *t, FILE *out)
{
	const int step = (t->workers + LABELS - 1) / LABELS;
	const char *comma = "";
	char name[32];

	fputs("set ytics scale 0 (", out);
	for (int node = 0; node < t->nodes; node++) {
		if (node < t->workers && node % step)
			continue;
		trace_node_name(node == t->workers ? SERVER : node, name);
		fprintf(out, "%s'%s' %d", comma, name, node);
		comma = ", ";
	}
	fputs(")\n", out);
}

static void trace_plot_put_title(const struct trace *t, FILE *out)
{
	char *title = xasprintf("%s, %d worker%s", t->algo, t->workers, word_plural(t->workers));

	fputs("set title ", out);
	gnuplot_string(title, out);
	fputs(" noenhanced\n", out);
	free(title);
}

static void put_bars(const struct gantt *g, FILE *out)
{
	for (int b = 0; b < BARS && b < g->bars; b++) {
		fputs(b ? ", \\\n\t" : "plot ", out);
		gnuplot_path(g->name, ".dat", out);
		fprintf(out, " index %d using 1:3:1:2:($3-0.38):($3+0.38) "
			"with boxxyerror lc rgb '%s' fs %s noborder title '%s'", b, bar[b].color,
			bar[b].fill, bar[b].title);
	}
	fputs("\n", out);
}

static void trace_plot_put_script(const void *ctx, bool pdf, FILE *out)
{
	const struct gantt *g = ctx;
	const char *engine = trace_setting(g->t, "engine");
	const struct plot_file file = { g->name, PLOT_HEIGHT + LEGEND, pdf };

	gnuplot_head(g->name, out);
	trace_plot_put_title(g->t, out);
	fprintf(out, "set xlabel '%stime [s]'\n",
		engine && !strcmp(engine, "sim") ? "virtual " : "");
	fputs("set border 3 lc rgb '#404040'\nset tics nomirror\nset format x '%g'\n"
	      "set key below horizontal center Left reverse samplen 2 height 0.7\n", out);
	if (plot_step(0, trace_plot_end_of(g)) > 0)
		fprintf(out, "set xtics %g\n", plot_step(0, trace_plot_end_of(g)));
	fprintf(out, "set xrange [0:%.9g]\nset yrange [%.1f:-0.5]\n", trace_plot_end_of(g),
		g->t->nodes - 0.5);
	put_labels(g->t, out);
	plot_terminals_begin(&file, out);
	put_bars(g, out);
	plot_terminals_end(&file, "\treplot\n", out);
}

cJSON *trace_plot(const struct trace *t, const char *dir, const char *name, const char *format)
{
	struct gantt g = { .t = t, .name = name };
	struct span *s = trace_spans(t, &g.n);
	cJSON *paths;

	g.s = s;
	g.bars = bars_of(&g);
	paths = plot_write(&(struct plot_parts){ .name = name,
						 .ctx = &g,
						 .script = trace_plot_put_script,
						 .data = trace_plot_put_data },
			   dir, format);
	free(s);
	return paths;
}
