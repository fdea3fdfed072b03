/* The histogram of a delay's draws, through gnuplot. */
#include "cmd/show/show.h"

#include "core/base/mem.h"
#include "core/text/utf8.h"
#include "report/plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Draws beyond a quantile are not drawn: a tail would squeeze the rest. */
enum { BINS = 120, SHOWN_PER_MILLE = 995, LEGEND = 48 };

struct histogram {
	const struct delay_summary *s;  /* [n] */
	size_t n;
	const char *name;
	double width;           /* of a bin; the first begins at 0 */
};

static double bin_width(const struct delay_summary *s, size_t n)
{
	double end = 0.0;

	for (size_t i = 0; i < n; i++)
		end = fmax(end, s[i].draw[s[i].ndraws * SHOWN_PER_MILLE / 1000]);
	return 1.05 * end / BINS;
}

static void put_bins(const struct histogram *h, const struct delay_summary *s, FILE *out)
{
	size_t from = 0;

	for (int bin = 0; bin < BINS; bin++) {
		size_t to = from;

		while (to < s->ndraws && s->draw[to] < (bin + 1) * h->width)
			to++;
		fprintf(out, "%.6g %.6g\n", (bin + 0.5) * h->width,
			100.0 * (double)(to - from) / (double)s->ndraws);
		from = to;
	}
}

static void delay_plot_put_data(const void *ctx, FILE *out)
{
	const struct histogram *h = ctx;

	fputs("# columns: factor (middle of a bin), share of the draws (percent)\n", out);
	for (size_t i = 0; i < h->n; i++) {
		fprintf(out, "%s# %s: %s\n", i ? "\n\n" : "", h->s[i].ranks, h->s[i].text);
		put_bins(h, &h->s[i], out);
	}
}

/* A long text is cut. */
static void delay_plot_put_title(const struct delay_summary *s, FILE *out)
{
	const size_t n = strlen(s->text);
	const int shown = (int)(n > LEGEND ? utf8_whole(s->text, LEGEND) : n);
	char *title = xasprintf("%s: %.*s%s", s->ranks, shown, s->text, n > LEGEND ? "..." : "");

	gnuplot_string(title, out);
	free(title);
}

static void delay_plot_put_script(const void *ctx, bool pdf, FILE *out)
{
	static const char *const color[] = { "#0072B2", "#D55E00", "#009E73", "#CC79A7",
					     "#E69F00", "#56B4E9" };
	const struct histogram *h = ctx;
	const struct plot_file file = { h->name, PLOT_HEIGHT, pdf };

	gnuplot_head(h->name, out);
	fputs("set xlabel 'factor on the time of a gradient'\n"
	      "set ylabel 'share of draws [%]'\n"
	      "set border 3 lc rgb '#404040'\nset tics nomirror\n"
	      "set grid lt 1 lc rgb '#DCDCDC' lw 0.8\n"
	      "set key above left Left reverse samplen 2 maxrows 6 noenhanced\n", out);
	fprintf(out, "set xrange [0:%.6g]\nset yrange [0:*]\n", h->width * BINS);
	plot_terminals_begin(&file, out);
	for (size_t i = 0; i < h->n; i++) {
		fputs(i ? ", \\\n\t" : "plot ", out);
		gnuplot_path(h->name, ".dat", out);
		fprintf(out, " index %zu using 1:2 with histeps lw 2 lc rgb '%s' title ", i,
			color[i % (sizeof(color) / sizeof(color[0]))]);
		delay_plot_put_title(&h->s[i], out);
	}
	fputs("\n", out);
	plot_terminals_end(&file, "\treplot\n", out);
}

cJSON *show_delay_plot(const struct delay_summary *s, size_t n, const char *dir, const char *name,
		       const char *format)
{
	const struct histogram h = { s, n, name, bin_width(s, n) };
	const struct plot_parts parts = { .name = name, .ctx = &h, .script = delay_plot_put_script,
					  .data = delay_plot_put_data };

	return plot_write(&parts, dir, format);
}
