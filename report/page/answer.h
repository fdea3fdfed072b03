/* An answer as one page: question, sentence, ranking, pictures drawn here, what it rests on. */
#ifndef REPORT_PAGE_ANSWER_H
#define REPORT_PAGE_ANSWER_H

#include "core/base/mem.h"
#include "report/plot/plot.h"
#include "report/text/grid.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ---- chart.c: pictures as SVG elements, in colours of the page's style ---- */

enum { CHART_SERIES = 7 };      /* at most, of different colours */

enum chart_kind { CHART_BARS, CHART_LINES, CHART_MAP, CHART_HEAT };

struct chart_series {
	char *name;             /* owned */
	double *y, *lo, *hi;    /* [n] owned; NaN: none; lo and hi may be NULL */
	bool dashed;            /* a line that would hide another one */
};

struct chart {
	enum chart_kind kind;
	char *title, *xlabel, *ylabel;  /* owned; CHART_BARS has no ylabel */
	bool logx, logy;
	double *x;              /* [n] owned; CHART_BARS: one */
	size_t n;
	struct chart_series series[CHART_SERIES];
	size_t nseries;
	double *mark;           /* [nmarks] lines at these x; owned */
	size_t nmarks;
	double strip_lo, strip_hi;      /* an interval of x; NaN: none */
	bool workers;           /* x counts workers */
	char *lower_title;      /* of probabilities in a panel of their own, in files alone */
	double *lower;          /* [n] of CHART_LINES; NULL: none; both owned */
	char *without;          /* "7 of 9 algorithms, without ..."; NULL: it has all; owned */
	double *up;             /* CHART_MAP: [nup] values of y; owned */
	size_t nup;
	char *marked;           /* [nup][n] signs of fields; '\0', NULL: none; owned */
	size_t *winner;         /* [nup][n] index of the series; CHART_SERIES: another; owned */
	double *heat;           /* CHART_HEAT: [nup][n] ratios to a usual value, 1; owned */
};

void chart_put(const struct chart *c, FILE *out);

/* Looks of the series, whose names begin with algorithms: as plots of these have them. */
void chart_looks(const struct chart *c, struct look look[CHART_SERIES]);

/* The lowest and the highest value of CHART_LINES, with the series' intervals. */
void chart_y_range(const struct chart *c, double *lo, double *hi);
void chart_release(struct chart *c);

struct gantt_span {
	size_t lane;
	int state;              /* enum span_state */
	double from, to;
};

struct gantt {                  /* what some workers do in the first seconds */
	char *title;            /* owned */
	char **lane;            /* [nlanes] owned: "worker 3" */
	size_t nlanes;
	struct gantt_span *span;        /* [n], owned */
	size_t n;
	double seconds;
};

void gantt_put(const struct gantt *g, FILE *out);
void gantt_release(struct gantt *g);

/* ---- chart_plot.c: the same pictures as files, by gnuplot ---- */

/* plot_write() of a chart; `numbers` has its name, its numbers as CSV and JSON, and their ctx. */
int chart_write(const struct chart *c, const struct plot_parts *numbers, const char *dir,
		const char *format, struct texts *paths);

/* ---- answer.c: the page ---- */

struct answer_fact {
	char *name, *value, *source;    /* owned; source NULL: given */
};

struct answer_page {            /* all owned; answer_page_release() */
	char *title, *question, *answer, *doubt, *command, *made;
	char *table_title;
	char *facts_title;      /* NULL: "What this rests on" */
	char *command_title;    /* NULL: "Ask again" */
	struct text_grid *table;        /* NULL: none */
	struct texts table_notes;
	struct chart *chart;    /* [ncharts] */
	size_t ncharts;
	struct gantt *gantt;    /* [ngantts] */
	size_t ngantts;
	struct answer_fact *fact;       /* [nfacts]: assumptions */
	size_t nfacts;
	struct texts sources, limits, next;
};

void answer_fact_add(struct answer_page *p, const char *name, const char *value,
		     const char *source);

/* Writes the page and renames it. 0 or error(). */
int answer_page_write(const struct answer_page *p, const char *path);
void answer_page_release(struct answer_page *p);

#endif
