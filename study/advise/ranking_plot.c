/*
 * ranking_plot.c - pictures of a ranking: bars at the point, lines along a parameter with the
 * values at which the winner changes, or a map of two parameters.
 */
#include "study/advise/answer.h"

#include "core/base/mem.h"
#include "report/plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 7 };             /* algorithms of a picture at most */

struct among_picture {
	const struct among *m;
	const char *name;
	/* candidates: all-reduce, which the times refer to, all winners, then by rank */
	size_t shown[LINES], n;
};

static bool shown_has(const struct among_picture *p, size_t c)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->shown[i] == c)
			return true;
	return false;
}

static void shown_add(struct among_picture *p, size_t c)
{
	if (p->n < LINES && !shown_has(p, c))
		p->shown[p->n++] = c;
}

/* True of a candidate that is ranked where the picture shows something. */
static bool candidate_is_drawable(const struct among *m, size_t c)
{
	bool known = !m->npoints && m->here.of[c].known;

	for (size_t i = 0; i < m->npoints; i++)
		known |= m->point[i].of[c].known;
	return known;
}

static void shown_choose(struct among_picture *p)
{
	const struct among *m = p->m;
	size_t n, *order = among_order(m, &m->here, &n), ranked[LINES] = { 0 }, k = 0;

	/* a map has winners alone */
	for (size_t c = 0; c < m->n && m->a.nvary < 2; c++)
		if (progress_is_base(m->c[c].algo) && candidate_is_drawable(m, c))
			shown_add(p, c);
	for (size_t i = 0; i < m->npoints; i++)
		if (m->point[i].best != SIZE_MAX)
			shown_add(p, m->point[i].best);
	for (size_t i = 0; i < n; i++)
		shown_add(p, order[i]);
	for (size_t c = 0; c < m->n; c++)
		if (candidate_is_drawable(m, c))
			shown_add(p, c);
	/* bars stand by rank */
	for (size_t i = 0; i < n && !m->npoints; i++)
		if (shown_has(p, order[i]))
			ranked[k++] = order[i];
	if (!m->npoints)
		memcpy(p->shown, ranked, sizeof(ranked));
	free(order);
}

/* "the picture has 7 of 12 algorithms, without ...", or NULL: it has all. The caller frees. */
static char *shown_note(const struct among_picture *p)
{
	char *others = NULL, *text = NULL;
	size_t n = 0;

	for (size_t c = 0; c < p->m->n; c++) {
		if (!candidate_is_drawable(p->m, c))
			continue;
		n++;
		if (!shown_has(p, c))
			xappend(&others, ", ", p->m->c[c].algo);
	}
	if (others)
		text = xasprintf("The picture has %zu of %zu algorithms, without %s", p->n, n,
				 others);
	free(others);
	return text;
}

static bool times_coincide(double one, double two)
{
	static const double close = 0.015;

	return fabs(log(one / two)) < close;
}

bool lines_coincide(size_t n, const double *u, const double *one, const double *two)
{
	static const double part = 0.1;
	double length = 0.0;

	for (size_t i = 0; i + 1 < n; i++)
		if (times_coincide(one[i], two[i]) && times_coincide(one[i + 1], two[i + 1]))
			length += u[i + 1] - u[i];
	return length > part * (u[n - 1] - u[0]);
}

/* Fills a candidate's times at the points; NaN where it is not ranked. */
static void line_times(const struct among *m, size_t c, double *times)
{
	for (size_t i = 0; i < m->npoints; i++)
		times[i] = m->point[i].of[c].known ? m->point[i].of[c].same.median : (double)NAN;
}

/* The earlier line that the k-th lies on in a part of the picture; or k. */
static size_t line_below(const struct among_picture *p, size_t k)
{
	const struct among *m = p->m;
	const size_t n = m->npoints;
	double *u = xcalloc(3 * n, sizeof(*u)), *one = u + n, *two = one + n;
	size_t below = 0;

	for (size_t i = 0; i < n; i++)
		u[i] = vary_u(&m->a.vary[0], m->point[i].x[0]);
	line_times(m, p->shown[k], two);
	for (; below < k; below++) {
		line_times(m, p->shown[below], one);
		if (lines_coincide(n, u, one, two))
			break;
	}
	free(u);
	return below;
}

/* True when one of the first n looks has that colour. */
static struct look candidate_look(const struct among_picture *p, size_t i)
{
	char *algo[LINES];
	struct look look[LINES];

	for (size_t k = 0; k < p->n; k++)
		algo[k] = p->m->c[p->shown[k]].algo;
	algo_looks(algo, p->n, look);
	return look[i];
}

/* ---- data ---- */

static void picture_put_data(const void *ctx, FILE *out)
{
	const struct among_picture *p = ctx;
	const struct among *m = p->m;

	if (!m->npoints) {
		fputs("# columns: row from below; seconds to the same loss: median, ends of 90 %\n",
		      out);
		for (size_t i = 0; i < p->n; i++) {
			const struct ranked *r = &m->here.of[p->shown[i]];

			fprintf(out, "%zu %.9g %.9g %.9g\n", p->n - i, r->same.median, r->same.lo,
				r->same.hi);
		}
		return;
	}
	fputs("# columns: the parameters; seconds to the same loss of each algorithm; index of the "
	      "first\n", out);
	for (size_t i = 0; i < m->npoints; i++) {
		size_t winner = p->n;

		fprintf(out, "%.9g %.9g", m->point[i].x[0], m->point[i].x[1]);
		for (size_t k = 0; k < p->n; k++) {
			const struct ranked *r = &m->point[i].of[p->shown[k]];

			fprintf(out, " %.9g", r->known ? r->same.median : (double)NAN);
			winner = p->shown[k] == m->point[i].best ? k : winner;
		}
		fprintf(out, " %zu\n", winner);
	}
}

static void picture_put_csv(const void *ctx, FILE *out)
{
	const struct among_picture *p = ctx;

	among_print_csv(p->m, out);
}

static void picture_put_json(const void *ctx, FILE *out)
{
	const struct among_picture *p = ctx;
	struct answer answer = answer_of_among(p->m);

	answer_print_json(&answer, out);
	answer_release(&answer);
}

/* ---- scripts ---- */

/* Adds lines of a text, which is taken over, broken at spaces. */
static void note_wrap(struct texts *lines, char *text)
{
	enum { WIDE = 60 };             /* letters over a picture */
	char *from = text;

	while (strlen(from) > WIDE) {
		char *space = from + WIDE, *end;

		while (space > from && *space != ' ')
			space--;
		end = space > from ? space : strchr(from, ' ');
		if (!end)
			break;
		*end = '\0';
		texts_put(lines, from);
		from = end + 1;
	}
	texts_put(lines, from);
	free(text);
}

/* What the picture does not show, in lines for its title. */
static struct texts picture_notes(const struct among_picture *p)
{
	const bool map = p->m->npoints && p->m->a.nvary == 2;
	struct texts partial = { 0 }, lines = { 0 };
	char *shown = map ? NULL : shown_note(p);

	if (shown)
		note_wrap(&lines, shown);
	if (map)
		among_list_partial(p->m, &partial);
	for (size_t i = 0; i < partial.n; i++)
		note_wrap(&lines, xasprintf("* not ranked, %s", partial.v[i]));
	for (size_t i = 0; i < p->m->npoints && map; i++)
		if (among_mark(p->m, &p->m->point[i]) == '=') {
			texts_put(&lines, "= another one is as fast there");
			break;
		}
	texts_release(&partial);
	return lines;
}

static void put_title(const struct texts *lines, FILE *out)
{
	fputs("set title ", out);
	for (size_t i = 0; i < lines->n; i++) {
		fputs(i ? ".\"\\n\"." : "", out);
		gnuplot_string(lines->v[i], out);
	}
	fputs(" noenhanced\n", out);
}

static void put_axis(const struct vary *v, char axis, FILE *out)
{
	fprintf(out, "set %clabel ", axis);
	gnuplot_string(v->kind->axis, out);
	fputs(" noenhanced\n", out);
	if (v->log)
		plot_log_axis(axis, v->lo, v->hi, true, false, out);
	fprintf(out, "set %crange [%.9g:%.9g]\n", axis, v->lo, v->hi);
}

static void put_bars(const struct among_picture *p, FILE *out)
{
	fputs("set xlabel 'time to the same loss [s per step of all-reduce]'\n"
	      "set border 1 lc rgb '#404040'\nset xtics nomirror\nunset ytics\nunset key\n"
	      "set grid x lt 1 lc rgb '#DCDCDC' lw 0.8\nset xrange [0:*]\n", out);
	fprintf(out, "set yrange [0.3:%zu.8]\n", p->n);
	for (size_t i = 0; i < p->n; i++) {
		const struct ranked *r = &p->m->here.of[p->shown[i]];
		char *text = xasprintf("%s: %.4g s", p->m->c[p->shown[i]].algo, r->same.median);

		fputs("set label ", out);
		gnuplot_string(text, out);
		fprintf(out, " at graph 0.01, first %zu.42 left front noenhanced\n", p->n - i);
		free(text);
	}
}

static void plot_bars(const struct among_picture *p, FILE *out)
{
	fputs("plot ", out);
	for (size_t i = 0; i < p->n; i++) {
		gnuplot_path(p->name, ".dat", out);
		fprintf(out, " every ::%zu::%zu using (0):1:(0):2:($1-0.22):($1+0.22) with "
			"boxxyerror fc rgb '%s' fs solid noborder, \\\n\t", i, i,
			candidate_look(p, i).color);
	}
	gnuplot_path(p->name, ".dat", out);
	fputs(" using 2:1:3:4 with xerrorbars lc rgb '#404040' lw 1.5 pt 0\n", out);
}

static void put_lines(const struct among_picture *p, FILE *out)
{
	const struct among *m = p->m;
	double lo = HUGE_VAL, hi = 0.0;

	for (size_t i = 0; i < m->npoints; i++)
		for (size_t k = 0; k < p->n; k++) {
			const struct ranked *r = &m->point[i].of[p->shown[k]];

			if (r->known) {
				lo = fmin(lo, r->same.median);
				hi = fmax(hi, r->same.median);
			}
		}
	fputs("set border 3 lc rgb '#404040'\nset tics nomirror\n"
	      "set grid x y lt 1 lc rgb '#DCDCDC' lw 0.8\n"
	      "set ylabel 'time to the same loss [s per step of all-reduce]'\n"
	      "set key above left Left reverse samplen 2 maxrows 8 noenhanced\n", out);
	put_axis(&m->a.vary[0], 'x', out);
	if (hi > 6.0 * lo && lo > 0.0) {
		plot_log_axis('y', lo, hi, true, false, out);
		fprintf(out, "set yrange [%.9g:%.9g]\n", lo / 1.1, hi * 1.1);
	} else {
		fputs("set yrange [0:*]\n", out);
	}
	for (size_t i = 0; i < m->nchanges; i++) {
		const struct winner_change *w = &m->change[i];
		const double x = 0.5 * (w->below + w->above);

		fprintf(out, "set arrow from first %.9g, graph 0 to first %.9g, graph 1 nohead lc "
			"rgb '#606060' lw 1.2 dt 2\n", x, x);
	}
}

static void plot_lines(const struct among_picture *p, FILE *out)
{
	fputs("plot ", out);
	for (size_t k = 0; k < p->n; k++) {
		const struct look look = candidate_look(p, k);
		const char *algo = p->m->c[p->shown[k]].algo;
		const size_t below = line_below(p, k);
		char *title = below < k ? xasprintf("%s (dashed: on that of %s)", algo,
						    p->m->c[p->shown[below]].algo)
					: xstrdup(algo);

		gnuplot_path(p->name, ".dat", out);
		fprintf(out, " using 1:%zu with linespoints lc rgb '%s' lw 2%s pt %d ps 0.7 title ",
			3 + k, look.color, below < k ? " dt 2" : "", look.full);
		gnuplot_string(title, out);
		fputs(k + 1 < p->n ? ", \\\n\t" : "\n", out);
		free(title);
	}
}

static void put_map(const struct among_picture *p, FILE *out)
{
	const struct among *m = p->m;
	const struct vary *v = m->a.vary;

	fputs("set border 3 lc rgb '#404040'\nset tics nomirror out\n"
	      "set key above left Left reverse samplen 2 maxrows 8 noenhanced\n", out);
	put_axis(&v[0], 'x', out);
	put_axis(&v[1], 'y', out);
	for (size_t i = 0; i < m->npoints; i++) {
		const size_t at[2] = { i % m->nx, i / m->nx }, most[2] = { m->nx, m->ny };
		double edge[2][2], middle[2];
		size_t winner = p->n;
		char mark;

		for (size_t k = 0; k < 2; k++) {
			const size_t step = k ? m->nx : 1;
			const double u = vary_u(&v[k], m->point[i].x[k]);
			const double before = at[k] ? vary_u(&v[k], m->point[i - step].x[k]) : u;
			const double after = at[k] + 1 < most[k]
						     ? vary_u(&v[k], m->point[i + step].x[k]) : u;

			/* half the distance to the next value */
			edge[k][0] = 0.5 * (u + before);
			edge[k][1] = 0.5 * (u + after);
			middle[k] = 0.5 * (edge[k][0] + edge[k][1]);
			middle[k] = v[k].log ? exp(middle[k]) : middle[k];
			for (int e = 0; e < 2; e++)
				edge[k][e] = v[k].log ? exp(edge[k][e]) : edge[k][e];
		}
		for (size_t k = 0; k < p->n; k++)
			winner = p->shown[k] == m->point[i].best ? k : winner;
		fprintf(out, "set object %zu rectangle from first %.9g, first %.9g to first %.9g, "
			"first %.9g fc rgb '%s' fs solid 0.85 border lc rgb '#FFFFFF'\n", i + 1,
			edge[0][0], edge[1][0], edge[0][1], edge[1][1],
			winner < p->n ? candidate_look(p, winner).color : "#E0E0E0");
		mark = among_mark(m, &m->point[i]);
		if (mark != ' ')
			fprintf(out, "set label %zu '%c' at first %.9g, first %.9g center front\n",
				i + 1, mark, middle[0], middle[1]);
	}
}

static void plot_map(const struct among_picture *p, FILE *out)
{
	fputs("plot ", out);
	for (size_t k = 0; k < p->n; k++) {
		bool wins = false;

		for (size_t i = 0; i < p->m->npoints; i++)
			wins |= p->m->point[i].best == p->shown[k];
		if (!wins)
			continue;
		fprintf(out, "NaN with boxes fc rgb '%s' fs solid 0.85 noborder title ",
			candidate_look(p, k).color);
		gnuplot_string(p->m->c[p->shown[k]].algo, out);
		fputs(", \\\n\t", out);
	}
	fputs("NaN notitle\n", out);
}

static void picture_put_script(const void *ctx, bool pdf, FILE *out)
{
	enum { ABOVE = 110, ROW = 56, LEGEND = 26 };    /* pixels */
	const struct among_picture *p = ctx;
	const size_t vary = p->m->npoints ? p->m->a.nvary : 0;
	struct texts notes = picture_notes(p);
	const struct plot_file file = {
		.name = p->name, .medium = pdf ? PLOT_PDF : PLOT_PICTURES,
		.height = (vary ? PLOT_HEIGHT + LEGEND * (int)p->n : ABOVE + ROW * (int)p->n) +
			  LEGEND * (int)notes.n,
	};

	gnuplot_head(p->name, out);
	if (notes.n)
		put_title(&notes, out);
	if (vary == 2)
		put_map(p, out);
	else if (vary)
		put_lines(p, out);
	else
		put_bars(p, out);
	plot_terminals_begin(&file, out);
	if (vary == 2)
		plot_map(p, out);
	else if (vary)
		plot_lines(p, out);
	else
		plot_bars(p, out);
	plot_terminals_end(&file, "\treplot\n", out);
	texts_release(&notes);
}

char *among_plot_note(const struct among *m)
{
	struct among_picture p = { .m = m };

	if (m->npoints && m->a.nvary == 2)
		return NULL;
	shown_choose(&p);
	return shown_note(&p);
}

int among_plot(const struct among *m, const char *dir, const char *name, const char *format,
	       struct texts *paths)
{
	struct among_picture p = { .m = m, .name = name };

	shown_choose(&p);
	return plot_write(&(struct plot_parts){ .name = name, .ctx = &p,
						.script = picture_put_script,
						.data = picture_put_data, .csv = picture_put_csv,
						.json = picture_put_json }, dir, format, paths);
}
