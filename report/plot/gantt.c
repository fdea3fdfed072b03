/*
 * gantt.c - the timeline as a Gantt chart: a row for each node, of bars whose colour says what the
 * node does, or that its work was lost; hatched while it is away.
 *
 * The colours are of Okabe and Ito's, told apart by the colour-blind, and by their
 * lightness in grey.
 */
#include "record/trace/trace.h"

#include "core/base/mem.h"
#include "core/file/paths.h"
#include "core/text/opt.h"
#include "core/text/word.h"
#include "report/plot/plot.h"
#include "report/report.h"
#include "report/text/width.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BAR_COMPUTING, BAR_AWAY = 3, BAR_LOST, BAR_KINDS };
enum {
	DENSE = 6000,           /* with more spans, rows are drawn in cells ... */
	CELLS = 1200,           /* ... this number to a row ... */
	COARSE = 500,           /* ... or this one, if rows are narrow */
	LABELS = 16,            /* most workers' names at the y axis */
	APART = 64,             /* with more workers, rows are narrow: no spaces between them */
	ROWS = 256,             /* most rows of workers: more workers share rows */
	TITLE = 56,             /* most letters in a line of the title */
	THIN = 4                /* lines: wider gradients end with a line, so that each is seen */
};
static const double line_pixels = 1.1;  /* whole ones are drawn, and the area may be smaller */
enum {                          /* pixels: a narrow row; above, below the rows */
	ROW = 2, TOP = 60, LEGEND = 70, BELOW = PLOT_HEIGHT + LEGEND - PLOT_AREA_HEIGHT - TOP
};

static const struct {
	const char *title, *color, *fill;
} bar_kind[BAR_KINDS] = {
	{ "computing", COLOR_COMPUTING, "solid" },
	{ "communicating", COLOR_COMMUNICATING, "solid" },
	{ "waiting", COLOR_WAITING, "solid" }, [BAR_AWAY] = { "away", COLOR_AWAY, "pattern 4" },
	[BAR_LOST] = { "lost work", COLOR_LOST, "solid" },
};

struct gantt {
	const struct trace *t;
	const struct span *s;           /* [n] */
	size_t n;
	bool has[BAR_KINDS];            /* bars of the kind */
	int each;                       /* workers that share a row */
};

/* True when rows are too narrow for spaces between them. */
static bool is_narrow(const struct gantt *g)
{
	return g->t->workers > APART;
}

static int rows_of_workers(const struct gantt *g)
{
	return (g->t->workers + g->each - 1) / g->each;
}

/* Row of a node; the server's is the last. */
static int row_of(const struct gantt *g, int node)
{
	return node < g->t->workers ? node / g->each : rows_of_workers(g) + node - g->t->workers;
}

static int rows_of(const struct gantt *g)
{
	return rows_of_workers(g) + g->t->nodes - g->t->workers;
}

/* Kind of bar for a span: handling counts as computing, as in a ledger. */
static int bar_kind_of(const struct span *s)
{
	static const int of[SPAN_STATES] = { [SPAN_COMPUTING] = 0, [SPAN_HANDLING] = 0,
					     [SPAN_COMMUNICATING] = 1, [SPAN_WAITING] = 2,
					     [SPAN_AWAY] = BAR_AWAY,
					     [SPAN_LOST] = BAR_LOST };

	return of[s->state];
}

/* Seconds at the right end of the chart: the end of the run, or of the last bar. */
static double chart_end(const struct gantt *g)
{
	double end = g->t->time;

	for (size_t i = 0; i < g->n; i++)
		end = fmax(end, g->s[i].to);
	return end > 0.0 ? end : 1.0;
}

/* Height of all rows, in pixels. */
static int rows_height(const struct gantt *g)
{
	const int rows = rows_of(g);

	return is_narrow(g) ? rows * (rows > ROWS / 2 ? ROW : 2 * ROW) : PLOT_AREA_HEIGHT;
}

static void put_bar(double from, double to, int row, FILE *out)
{
	fprintf(out, "%.9g %.9g %d\n", from, to, row);
}

/*
 * ---- more spans than can be seen: a row is cut into cells of equal time, and a cell is drawn as
 * the kind of bar that fills most of it ----
 *
 * More than APART workers have rows of whole pixels without spaces between them, because spaces of
 * less than a pixel would show as patterns.
 */

static int cells_of(const struct gantt *g)
{
	return is_narrow(g) ? COARSE : CELLS;
}

/* cells[k][kind] <- seconds of each kind in the k-th cell, which is `width` seconds long. */
static void fill_cells(const struct gantt *g, int row, double width, double cells[][BAR_KINDS])
{
	memset(cells, 0, sizeof(double) * CELLS * BAR_KINDS);
	for (size_t i = 0; i < g->n; i++) {
		const struct span *s = &g->s[i];

		if (row_of(g, s->node) != row || s->during_grad)
			continue;
		for (int k = (int)(s->from / width); k < cells_of(g) && k * width < s->to; k++)
			cells[k][bar_kind_of(s)] += fmin(s->to, (k + 1) * width) -
					       fmax(s->from, k * width);
	}
}

/* The kind that fills most of a cell; -1: it is empty. */
static int cell_fullest(const double cell[BAR_KINDS])
{
	int most = -1;

	for (int b = 0; b < BAR_KINDS; b++)
		if (cell[b] > 0.0 && (most < 0 || cell[b] > cell[most]))
			most = b;
	return most;
}

/* Writes the bars of one kind: cells side by side become one bar. */
static void put_cells(const struct gantt *g, int which, FILE *out)
{
	double (*cells)[BAR_KINDS] = xcalloc(CELLS, sizeof(*cells));
	const int n = cells_of(g);
	const double width = chart_end(g) / n;

	for (int row = 0; row < rows_of(g); row++) {
		fill_cells(g, row, width, cells);
		for (int k = 0, first; k < n; k++) {
			if (cell_fullest(cells[k]) != which)
				continue;
			for (first = k; k + 1 < n && cell_fullest(cells[k + 1]) == which;
			     k++)
				;
			put_bar(first * width, (k + 1) * width, row, out);
		}
	}
	free(cells);
}

/* True when the cells are drawn. */
static bool is_dense(const struct gantt *g)
{
	return g->n > DENSE || g->each > 1;
}

/* True of a span that is drawn as a bar of its own. */
static bool is_bar(const struct span *s)
{
	return !s->during_grad && s->to > s->from;
}

/* Finds the kinds of which there are bars. */
static void find_kinds(struct gantt *g)
{
	double (*cells)[BAR_KINDS] = xcalloc(CELLS, sizeof(*cells));

	for (size_t i = 0; i < g->n && !is_dense(g); i++)
		g->has[bar_kind_of(&g->s[i])] |= is_bar(&g->s[i]);
	for (int row = 0; row < rows_of(g) && is_dense(g); row++) {
		fill_cells(g, row, chart_end(g) / cells_of(g), cells);
		for (int k = 0; k < cells_of(g); k++)
			if (cell_fullest(cells[k]) >= 0)
				g->has[cell_fullest(cells[k])] = true;
	}
	free(cells);
}

/* Writes the bars of one kind; each node has a row of its own, of its number. */
static void put_spans(const struct gantt *g, int which, FILE *out)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct span *s = &g->s[i];

		if (bar_kind_of(s) == which && is_bar(s))
			put_bar(s->from, s->to, s->node, out);
	}
}

/*
 * Writes a block for each kind of bar, which the script selects by `index`. A line of NaN keeps a
 * block from being empty.
 */
static void gantt_put_data(const void *ctx, FILE *out)
{
	const struct gantt *g = ctx;

	fputs("# columns: from, to (seconds), row\n", out);
	for (int b = 0; b < BAR_KINDS; b++) {
		fprintf(out, "%s# %s\nNaN NaN NaN\n", b ? "\n\n" : "", bar_kind[b].title);
		if (is_dense(g))
			put_cells(g, b, out);
		else
			put_spans(g, b, out);
	}
}

/* ---- the script ---- */

/* The names of some nodes at the y axis; the server's is always there, with space above it. */
static void put_labels(const struct gantt *g, FILE *out)
{
	const struct trace *t = g->t;
	const int step = (t->workers + LABELS - 1) / LABELS;
	const char *comma = "";
	char name[32];

	fputs("set ytics scale 0 (", out);
	for (int node = 0; node < t->nodes; node++) {
		const int left = t->workers - node;     /* before the server's row, if any */

		if (left > 0 && (node % step || (t->nodes > t->workers && left < step)))
			continue;
		trace_node_name(node == t->workers ? SERVER : node, name);
		fprintf(out, "%s'%s' %d", comma, name, row_of(g, node));
		comma = ", ";
	}
	fputs(")\n", out);
}

/* "quadratic" of "quadratic:dim=10", "model.py" of "python:a/model.py:make_it,width=8"; owned. */
static char *net_brief(const char *net)
{
	const char *colon = strchr(net, ':');
	char *name, *brief;

	if (colon && (word_starts(net, "python:") || word_starts(net, "exec:")))
		net = colon + 1;
	name = item_plain(net, item_length(net, ":,"));
	brief = xstrdup(path_base(name));
	free(name);
	return brief;
}

static void gantt_put_title(const struct gantt *g, FILE *out)
{
	const struct trace *t = g->t;
	const char *slow = trace_setting(t, "slow"), *net = trace_setting(t, "net");
	const char *seed = trace_setting(t, "seed");
	scoped char *wrapped, *title = xasprintf("%s, %d worker%s", t->algo, t->workers,
						 word_plural(t->workers));

	if (slow && strcmp(slow, "none") != 0)
		xappend(&title, ", slow ", slow);
	if (net)
		xappend_own(&title, ", ", net_brief(net));
	if (seed)
		xappend(&title, ", seed ", seed);
	if (g->each > 1)
		xappendf(&title, ", a row for ", "%d", g->each);
	wrapped = text_wrap(title, TITLE);
	fputs("set title ", out);
	gnuplot_string(wrapped, out);
	fputs(" noenhanced\n", out);
}

static void put_bars(const struct gantt *g, const char *name, FILE *out)
{
	const double half = is_narrow(g) ? 0.5 : 0.38;
	const double line = chart_end(g) * line_pixels / PLOT_AREA;
	const char *between = "plot ";

	for (int b = 0; b < BAR_KINDS; b++) {
		scoped char *to = b == BAR_COMPUTING && !is_dense(g)
			? xasprintf("($2-$1>%.6g?$2-%.6g:$2)", THIN * line, line)
			: xstrdup("2");

		if (g->has[b]) {
			fputs(between, out);
			gnuplot_path(name, ".dat", out);
			fprintf(out, " index %d using 1:3:1:%s:($3-%.2g):($3+%.2g) "
				"with boxxyerror lc rgb '%s' fs %s noborder title '%s'", b, to,
				half, half, bar_kind[b].color, bar_kind[b].fill,
				bar_kind[b].title);
			between = ", \\\n\t";
		}
	}
	if (*between == 'p')
		fputs("plot NaN notitle", out);
	fputs("\n", out);
}

static int gantt_height(const struct gantt *g)
{
	return TOP + rows_height(g) + BELOW;
}

static void gantt_put_script(const void *ctx, const char *name, FILE *out)
{
	const struct gantt *g = ctx;
	const char *engine = trace_setting(g->t, "engine");
	const int height = gantt_height(g);

	gantt_put_title(g, out);
	fprintf(out, "set xlabel '%stime [s]'\n",
		engine && !strcmp(engine, "sim") ? "virtual " : "");
	fputs("set border 3 lc rgb '#404040'\nset tics nomirror\nset format x '%g'\n"
	      "set key below horizontal center Left reverse samplen 2 height 0.7\n", out);
	if (plot_step(0, chart_end(g), PLOT_AREA) > 0)
		fprintf(out, "set xtics %g\n", plot_step(0, chart_end(g), PLOT_AREA));
	fprintf(out, "set xrange [0:%.9g]\nset yrange [%.1f:-0.5]\n", chart_end(g),
		rows_of(g) - 0.5);
	if (is_narrow(g))
		fprintf(out, "set tmargin at screen %.6f\nset bmargin at screen %.6f\n",
			1 - (double)TOP / height, (double)BELOW / height);
	put_labels(g, out);
	put_bars(g, name, out);
}

int trace_plot(const struct trace *t, const char *dir, const char *name, const char *format,
	       struct texts *paths)
{
	struct gantt g = { .t = t };
	scoped struct span *s = trace_spans(t, &g.n);

	g.s = s;
	g.each = (t->workers + ROWS - 1) / ROWS;
	find_kinds(&g);
	return plot_write(&(struct plot_parts){ .name = name,
					       .height = gantt_height(&g), .ctx = &g,
					       .script = gantt_put_script,
					       .data = gantt_put_data },
			 dir, format, paths);
}
