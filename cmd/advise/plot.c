/* Times per useful step with bands, the break-even with its interval, and P(second is faster). */
#include "cmd/advise/advise.h"

#include "cmd/plot_path.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "report/plot/plot.h"

#include <math.h>
#include <stdlib.h>

struct advise_picture {
	const struct advice *r;
	const struct advise *a;
	const char *name;
};

static const char *const colors[ADVISE_ALGOS] = { "#0072B2", "#D55E00" };

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

static void plot_put_axes(const struct advise_picture *p, FILE *out)
{
	const struct vary *v = &p->a->vary;

	fputs("set xlabel ", out);
	gnuplot_string(v->kind->axis, out);
	fputs("\nset ylabel 'time per useful step [s]'\nset y2label ", out);
	fputs("'P(second is faster)'\n"
	      "set border 11 lc rgb '#404040'\nset tics nomirror\nset y2tics 0, 0.25, 1\n"
	      "set yrange [0:*]\nset y2range [0:1]\n"
	      "set grid x y lt 1 lc rgb '#DCDCDC' lw 0.8\n"
	      "set key above left Left reverse samplen 2 maxrows 6 noenhanced\n", out);
	fprintf(out, "%sset xrange [%.9g:%.9g]\n", v->log ? "set logscale x\n" : "", v->lo, v->hi);
}

static void plot_put_curve(const struct advise_picture *p, int which, FILE *out)
{
	const int column = 2 + 3 * which;

	if (p->a->random) {
		gnuplot_path(p->name, ".dat", out);
		fprintf(out, " using 1:%d:%d with filledcurves fc rgb '%s' fs transparent solid "
			"0.18 noborder notitle, \\\n\t", column + 1, column + 2, colors[which]);
	}
	gnuplot_path(p->name, ".dat", out);
	fprintf(out, " using 1:%d with linespoints lc rgb '%s' lw 2 pt %d ps 0.7 title ", column,
		colors[which], which ? 5 : 7);
	gnuplot_string(advise_algo(p->a, which), out);
	fputs(", \\\n\t", out);
}

static void plot_put_script(const void *ctx, FILE *out)
{
	const struct advise_picture *p = ctx;
	const struct plot_file file = { p->name, PLOT_HEIGHT };
	char *faster = xasprintf("P(%s is faster), right axis", advise_algo(p->a, ADVISE_SECOND));

	gnuplot_head(p->name, out);
	plot_put_axes(p, out);
	advice_put_even(p->r, out);
	plot_terminals_begin(&file, out);
	fputs("plot ", out);
	for (int k = 0; k < ADVISE_ALGOS; k++)
		plot_put_curve(p, k, out);
	gnuplot_path(p->name, ".dat", out);
	fputs(" using 1:8 axes x1y2 with lines lc rgb '#000000' lw 1.5 dt '-' title ", out);
	gnuplot_string(faster, out);
	if (p->r->inside)
		fputs(", \\\n\tNaN with lines lc rgb '#606060' lw 1.5 title 'break-even and its "
		      "interval'", out);
	fputs("\n", out);
	plot_terminals_end(&file, out);
	free(faster);
}

static cJSON *plot_times(const struct advice *r, const struct advise *a, const char *dir,
			 const char *name)
{
	const struct advise_picture picture = { r, a, name };

	return plot_write(&(struct plot_parts){ .name = name, .ctx = &picture,
						.script = plot_put_script, .data = plot_put_data,
						.csv = plot_put_csv, .json = plot_put_json }, dir);
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

cJSON *advice_plot(const struct advice *r, const struct advise *a, const char *path)
{
	struct plot_path at;
	cJSON *paths;

	if (plot_path_split(path, PLOT_PATH_PICTURE, &at) < 0)
		return NULL;
	paths = plot_times(r, a, at.dir, at.name);
	if (paths && r->neffects)
		plot_add_paths(&paths, advice_plot_sensitivity(r, a, at.dir, at.name));
	return paths;
}
