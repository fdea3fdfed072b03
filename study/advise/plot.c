/* Times per useful step with bands, the break-even with its interval, and P(second is faster). */
#include "study/advise/advise.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "report/plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct advise_picture {
	const struct advice *r;
	const struct advise *a;
	const char *name;
};

/* That of the algorithm, as in other plots. */
static struct look plot_look(const struct advise_picture *p, int which)
{
	struct series s[ADVISE_ALGOS] = { { 0 } };
	const struct figure f = { .n = ADVISE_ALGOS, .series = s };
	struct look look;

	for (int k = 0; k < ADVISE_ALGOS; k++) {
		const char *algo = advise_algo(p->a, k);

		s[k].algo = xasprintf("%.*s", (int)strcspn(algo, ":"), algo);
	}
	look = figure_look(&f, (size_t)which);
	for (int k = 0; k < ADVISE_ALGOS; k++)
		free(s[k].algo);
	return look;
}

static void plot_put_data(const void *ctx, FILE *out)
{
	const struct advise_picture *p = ctx;

	fprintf(out, "# columns: %s; %s: median, ends of 90 %% of the draws; %s: the same; "
		"P(second is faster)\n", p->a->vary.kind->axis, advise_algo(p->a, ADVISE_FIRST),
		advise_algo(p->a, ADVISE_SECOND));
	for (size_t i = 0; i < p->a->nx; i++) {
		const struct row *row = &p->r->row[i];

		fprintf(out, "%.9g", row->x);
		for (int k = 0; k < ADVISE_ALGOS; k++)
			fprintf(out, " %.9g %.9g %.9g", row->time[k].median, row->time[k].lo,
				row->time[k].hi);
		fprintf(out, " %.9g\n", row->p);
	}
}

static void plot_put_csv(const void *ctx, FILE *out)
{
	const struct advise_picture *p = ctx;

	advice_print_csv(p->r, p->a, out);
}

static void plot_put_json(const void *ctx, FILE *out)
{
	const struct advise_picture *p = ctx;
	cJSON *json = advice_json(p->r, p->a);
	char *text = json_format(json, true);

	fprintf(out, "%s\n", text);
	free(text);
	cJSON_Delete(json);
}

void advice_put_even(const struct advice *r, FILE *out)
{
	const double lo = fmax(r->even.lo, r->lo), hi = fmin(r->even.hi, r->hi);

	if (!r->inside)
		return;
	fprintf(out, "set object 1 rectangle from first %.9g, graph 0 to first %.9g, graph 1 "
		"behind fc rgb '#E0E0E0' fs solid noborder\n", lo, hi);
	if (isfinite(r->even.median))
		fprintf(out, "set arrow 1 from first %.9g, graph 0 to first %.9g, graph 1 nohead "
			"lc rgb '#606060' lw 1.5\n", r->even.median, r->even.median);
}

static bool is_wide(const struct advise_picture *p)
{
	double lo = HUGE_VAL, hi = 0;

	for (size_t i = 0; i < p->a->nx; i++)
		for (int k = 0; k < ADVISE_ALGOS; k++) {
			lo = fmin(lo, p->r->row[i].time[k].lo);
			hi = fmax(hi, p->r->row[i].time[k].hi);
		}
	return plot_is_wide(lo, hi);
}

void advice_put_log_axis(const struct advise *a, double lo, double hi, bool numbers, FILE *out)
{
	const double digits = PLOT_AREA / (0.6 * PLOT_FONT);

	if (strcmp(a->vary.kind->name, "workers") == 0 &&
	    plot_power_ticks(true, lo, hi, digits, numbers, out))
		fputs("set logscale x\n", out);
	else
		plot_log_axis('x', lo, hi, numbers, false, out);
}

/* Numbers stand below the lower panel. */
static void plot_put_x_axis(const struct advise_picture *p, bool numbers, FILE *out)
{
	const struct vary *v = &p->a->vary;

	if (v->log)
		advice_put_log_axis(p->a, v->lo, v->hi, numbers, out);
	else
		fprintf(out, "set format x '%s'\n", numbers ? "%g" : "");
}

/* Both panels have these. */
static void plot_put_axes(const struct advise_picture *p, FILE *out)
{
	const struct vary *v = &p->a->vary;

	fputs("set border 3 lc rgb '#404040'\nset tics nomirror\nset lmargin 11\nset rmargin 4\n"
	      "set grid x y lt 1 lc rgb '#DCDCDC' lw 0.8\n", out);
	fprintf(out, "set xrange [%.9g:%.9g]\n", v->lo, v->hi);
}

static void plot_put_curve(const struct advise_picture *p, int which, FILE *out)
{
	const struct look look = plot_look(p, which);
	const int column = 2 + 3 * which;

	if (p->a->random) {
		gnuplot_path(p->name, ".dat", out);
		fprintf(out, " using 1:%d:%d with filledcurves fc rgb '%s' fs transparent solid "
			"0.18 noborder notitle, \\\n\t", column + 1, column + 2, look.color);
	}
	gnuplot_path(p->name, ".dat", out);
	fprintf(out, " using 1:%d with linespoints lc rgb '%s' lw 2 pt %d ps 0.7 title ", column,
		look.color, look.full);
	gnuplot_string(advise_algo(p->a, which), out);
	fputs(", \\\n\t", out);
}

static void plot_put_times(const struct advise_picture *p, FILE *out)
{
	fputs("set tmargin at screen 0.84\nset bmargin at screen 0.41\nunset title\n"
	      "unset xlabel\nset ytics autofreq\n"
	      "set ylabel 'time per useful step [s]'\n"
	      "set key above left Left reverse samplen 2 maxrows 6 noenhanced\n", out);
	plot_put_x_axis(p, false, out);
	fputs(is_wide(p) ? "set logscale y\nset yrange [*:*]\n" : "set yrange [0:*]\n", out);
	fputs("plot ", out);
	for (int k = 0; k < ADVISE_ALGOS; k++)
		plot_put_curve(p, k, out);
	fputs(p->r->inside ? "NaN with lines lc rgb '#606060' lw 1.5 title 'break-even and its "
			     "interval'\n" : "NaN notitle\n", out);
}

static void plot_put_chance(const struct advise_picture *p, FILE *out)
{
	char *title = xasprintf("P(%s is faster)", advise_algo(p->a, ADVISE_SECOND));

	fputs("set tmargin at screen 0.32\nset bmargin at screen 0.14\nset title ", out);
	gnuplot_string(title, out);
	fputs(" offset 0, -0.4 noenhanced\nset xlabel ", out);
	gnuplot_string(p->a->vary.kind->axis, out);
	fputs("\n", out);
	plot_put_x_axis(p, true, out);
	fputs("set ylabel 'probability'\nunset logscale y\n"
	      "set yrange [0:1]\nset ytics 0, 0.5, 1\nunset key\nplot ", out);
	gnuplot_path(p->name, ".dat", out);
	fputs(" using 1:8 with lines lc rgb '#000000' lw 2 notitle\n", out);
	free(title);
}

/* Times and the probability, which are two quantities, in two panels. The caller frees. */
static char *plot_panels(const struct advise_picture *p)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = xmemstream(&text, &n);

	fputs("set multiplot\n", out);
	plot_put_times(p, out);
	plot_put_chance(p, out);
	fputs("unset multiplot\n", out);
	fclose(out);
	return text;
}

static void plot_put_script(const void *ctx, bool pdf, FILE *out)
{
	enum { LOWER = 160 };           /* pixels that the second panel takes more */
	const struct advise_picture *p = ctx;
	const struct plot_file file = { p->name, PLOT_HEIGHT + LOWER, pdf };
	char *panels = plot_panels(p);

	gnuplot_head(p->name, out);
	plot_put_axes(p, out);
	advice_put_even(p->r, out);
	plot_terminals_begin(&file, out);
	fputs(panels, out);
	plot_terminals_end(&file, panels, out);
	free(panels);
}

static cJSON *plot_times(const struct advice *r, const struct advise *a, const char *dir,
			 const char *name, const char *format)
{
	const struct advise_picture picture = { r, a, name };

	return plot_write(&(struct plot_parts){ .name = name, .ctx = &picture,
						.script = plot_put_script, .data = plot_put_data,
						.csv = plot_put_csv, .json = plot_put_json }, dir,
			  format);
}

/* Moves the paths of `more`, which it frees, to the end of *paths; NULL: both fail. */
static void plot_add_paths(cJSON **paths, cJSON *more)
{
	while (more && cJSON_GetArraySize(more))
		cJSON_AddItemToArray(*paths, cJSON_DetachItemFromArray(more, 0));
	if (!more) {
		cJSON_Delete(*paths);
		*paths = NULL;
	}
	cJSON_Delete(more);
}

cJSON *advice_plot(const struct advice *r, const struct advise *a, const char *dir,
		   const char *name, const char *format)
{
	cJSON *paths = plot_times(r, a, dir, name, format);
	char *own = xasprintf("%s-sensitivity", name);

	if (!r->neffects)
		plot_discard(dir, own, format);
	free(own);
	if (paths && r->neffects)
		plot_add_paths(&paths, advice_plot_sensitivity(r, a, dir, name, format));
	return paths;
}
