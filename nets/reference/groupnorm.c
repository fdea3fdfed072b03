/* groupnorm.c - group normalisation in double: y = (x - mean) / sqrt(var + eps) gamma + beta. */
#include "nets/reference/layers.h"

#include <math.h>

/* A group of channels of one sample. */
struct group {
	struct view v;
	size_t first, pixels;           /* the sample's first pixel in the batch; their number */
	int from, end;                  /* channels */
	double mean, dev;
};

/* Mean over the group of a(pixel, channel), or of its product with the normalised x. */
static double group_mean(const struct group *g, const struct tensor *a, const double *gamma,
			 bool times_x)
{
	double sum = 0;

	for (size_t p = g->first; p < g->first + g->pixels; p++)
		for (int c = g->from; c < g->end; c++)
			sum += pixel(a, p)[c] * (gamma ? gamma[c] : 1)
				* (times_x ? (pixel(g->v.x, p)[c] - g->mean) / g->dev : 1);
	return sum / (double)g->pixels / (g->end - g->from);
}

static void group_moments(struct group *g)
{
	double square = 0;

	g->mean = group_mean(g, g->v.x, NULL, false);
	for (size_t p = g->first; p < g->first + g->pixels; p++)
		for (int c = g->from; c < g->end; c++)
			square += pow(pixel(g->v.x, p)[c] - g->mean, 2);
	g->dev = sqrt(square / (double)g->pixels / (g->end - g->from) + g->v.l->eps);
}

static void group_back(struct state *s, const struct group *g)
{
	const struct layer *l = g->v.l;
	const double *gamma = s->x + l->weight;
	const double all = group_mean(g, g->v.dy, gamma, false);
	const double dot = group_mean(g, g->v.dy, gamma, true);

	for (size_t p = g->first; p < g->first + g->pixels; p++)
		for (int c = g->from; c < g->end; c++) {
			const double u = (pixel(g->v.x, p)[c] - g->mean) / g->dev;
			const double dy = pixel(g->v.dy, p)[c];

			s->grad[l->weight + (size_t)c] += dy * u;
			if (l->bias)
				s->grad[l->beta + (size_t)c] += dy;
			pixel(g->v.dx, p)[c] += (dy * gamma[c] - all - u * dot) / g->dev;
		}
}

void reference_groupnorm(struct state *s, int i, bool back)
{
	const struct view v = view_of(s, i);
	const struct layer *l = v.l;
	const int width = l->os.c / l->groups;
	struct group g = { .v = v, .pixels = (size_t)l->os.h * (size_t)l->os.w };

	for (int k = 0; k < v.x->n * l->groups; k++) {
		g.first = (size_t)(k / l->groups) * g.pixels;
		g.from = k % l->groups * width;
		g.end = g.from + width;
		group_moments(&g);
		if (back)
			group_back(s, &g);
		for (size_t p = g.first; !back && p < g.first + g.pixels; p++)
			for (int c = g.from; c < g.end; c++)
				pixel(v.y, p)[c] = (pixel(v.x, p)[c] - g.mean) / g.dev
					* s->x[l->weight + (size_t)c]
					+ (l->bias ? s->x[l->beta + (size_t)c] : 0);
	}
}
