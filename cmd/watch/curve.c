/* A curve in characters: bars of eighths of a line. */
#include "cmd/watch/watch.h"

#include "core/base/mem.h"
#include "core/file/json.h"

#include <math.h>
#include <stdlib.h>

enum { LINES = 6, MARGIN = 10, COLUMNS_MOST = 72 };

struct points {
	double *x, *y; /* [n], owned */
	size_t n;
	const char *what;
};

static const cJSON *curve_column(const cJSON *run, const char *curve, const char *name)
{
	const cJSON *c = json_get(run, curve);

	return json_get(c, name);
}

static struct points points_of(const cJSON *run, const char *curve, const char *name,
			       const char *what)
{
	const cJSON *x = curve_column(run, curve, "epoch"), *y = curve_column(run, curve, name);
	const size_t most = (size_t)cJSON_GetArraySize(y);
	struct points p = { xcalloc(most, sizeof(double)), xcalloc(most, sizeof(double)), 0, what };

	x = x ? x->child : NULL;
	y = y ? y->child : NULL;
	for (; x && y; x = x->next, y = y->next) {
		if (!cJSON_IsNumber(x) || !cJSON_IsNumber(y))
			continue;
		p.x[p.n] = x->valuedouble;
		p.y[p.n++] = y->valuedouble;
	}
	return p;
}

static void points_release(struct points *p)
{
	free(p->x);
	free(p->y);
}

/* The height of each column: the last point that falls into it, or what was there before. */
static void curve_sample(const struct points *p, double *height, int columns)
{
	const double from = p->x[0], span = p->x[p->n - 1] - from;
	size_t k = 0;

	for (int i = 0; i < columns; i++) {
		const double end = from + span * (i + 1) / columns;

		while (k + 1 < p->n && p->x[k + 1] <= end)
			k++;
		height[i] = p->y[k];
	}
}

/* The cell of a bar that reaches `eighths` into it. */
static const char *curve_cell(int eighths, bool blocks)
{
	static const char *const block[] = { " ", "▁", "▂", "▃", "▄",
					     "▅", "▆", "▇", "█" };
	static const char *const plain[] = { " ", ".", ".", ".", ":", ":", "|", "|", "|" };
	const int i = eighths < 0 ? 0 : eighths > 8 ? 8 : eighths;

	return blocks ? block[i] : plain[i];
}

static void draw_line(const double *height, int columns, int line, double low, double high,
		      const struct screen *s, FILE *out)
{
	const double step = (high - low) / LINES;

	if (line == LINES - 1 || line == 0)
		fprintf(out, "%*.4g ", MARGIN - 1, line ? high : low);
	else
		fprintf(out, "%*s", MARGIN, "");
	for (int i = 0; i < columns; i++) {
		const double above = (height[i] - low) / step - line;

		fputs(curve_cell((int)fmin(8, fmax(line == 0, round(8 * above))), s->blocks), out);
	}
	fputc('\n', out);
}

static int curve_draw(const struct points *p, const struct screen *s, FILE *out)
{
	const int width = s->width - MARGIN - 1;
	const int columns = width < 8 ? 8 : width > COLUMNS_MOST ? COLUMNS_MOST : width;
	double height[COLUMNS_MOST], low = p->y[0], high = p->y[0];
	char *about;

	for (size_t i = 0; i < p->n; i++) {
		low = fmin(low, p->y[i]);
		high = fmax(high, p->y[i]);
	}
	if (high <= low)
		high = low + fmax(fabs(low), 1e-9);
	curve_sample(p, height, columns);
	for (int line = LINES - 1; line >= 0; line--)
		draw_line(height, columns, line, low, high, s, out);
	about = xasprintf("%s, epoch %.4g to %.4g", p->what, p->x[0], p->x[p->n - 1]);
	fprintf(out, "%*s%.*s\n", MARGIN, "", columns, about);
	free(about);
	return LINES + 1;
}

int watch_curve(const cJSON *run, const struct screen *s, FILE *out)
{
	struct points p = points_of(run, "eval", "test_accuracy", "test accuracy");
	int lines;

	if (p.n < 2) {
		points_release(&p);
		p = points_of(run, "train", "loss", "training loss");
	}
	lines = p.n < 2 ? 0 : curve_draw(&p, s, out);
	points_release(&p);
	return lines;
}
