/* tokens.c - the reference's layers that look at one token at a time. */
#include "nets/layers/adaptive.h"
#include "nets/reference/layers.h"

#include <math.h>

static size_t tokens_rows(const struct tensor *t)
{
	return (size_t)t->n * (size_t)t->h * (size_t)t->w;
}

/* Where the table of positions has the row of token r of the batch. */
static size_t embed_position(const struct view *v, size_t r)
{
	return v->l->beta + r % (size_t)v->y->h * (size_t)v->y->c;
}

/* Where in x the row of a token of cluster k begins. */
static size_t embed_row(const struct layer *l, int k, size_t token)
{
	return embed_table(l, k) + (token - adaptive_first(l, k)) * adaptive_width(l, k);
}

/* y <- scale row */
static void embed_token(struct state *s, const struct view *v, size_t r, bool back)
{
	const size_t row = embed_row(v->l, 0, (size_t)v->x->v[r]);
	const double scale = v->l->scaled ? sqrt(v->l->os.c) : 1;

	for (size_t c = 0; c < (size_t)v->y->c; c++)
		if (back)
			s->grad[row + c] += scale * pixel(v->dy, r)[c];
		else
			pixel(v->y, r)[c] += scale * s->x[row + c];
}

/* y <- scale P row, with the row and the projection of the token's cluster */
static void embed_clustered(struct state *s, const struct view *v, size_t r, bool back)
{
	const int k = adaptive_cluster(v->l, (int32_t)v->x->v[r]);
	const size_t row = embed_row(v->l, k, (size_t)v->x->v[r]);
	const size_t width = adaptive_width(v->l, k);
	const double scale = v->l->scaled ? sqrt(v->l->os.c) : 1;

	for (size_t c = 0; c < (size_t)v->y->c; c++)
		for (size_t w = 0; w < width; w++) {
			const size_t cell = embed_projection(v->l, k) + c * width + w;

			if (!back) {
				pixel(v->y, r)[c] += scale * s->x[cell] * s->x[row + w];
				continue;
			}
			s->grad[row + w] += scale * s->x[cell] * pixel(v->dy, r)[c];
			s->grad[cell] += scale * s->x[row + w] * pixel(v->dy, r)[c];
		}
}

void reference_embed(struct state *s, int i, bool back)
{
	struct view v = view_of(s, i);

	for (size_t r = 0; r < tokens_rows(v.y); r++) {
		if (v.l->div > 1)
			embed_clustered(s, &v, r, back);
		else
			embed_token(s, &v, r, back);
		for (size_t c = 0; v.l->positions && c < (size_t)v.y->c; c++) {
			const size_t position = embed_position(&v, r) + c;

			if (back)
				s->grad[position] += pixel(v.dy, r)[c];
			else
				pixel(v.y, r)[c] += s->x[position];
		}
	}
}

/* ---- layer norm: y = (x - mean) / dev gamma + beta ---- */

static void layernorm_moments(const struct view *v, const double *x, double *mean, double *dev)
{
	double var = 0;

	*mean = 0;
	for (int c = 0; c < v->x->c; c++)
		*mean += x[c] / v->x->c;
	for (int c = 0; c < v->x->c; c++)
		var += pow(x[c] - *mean, 2) / v->x->c;
	*dev = sqrt(var + v->l->eps);
}

/* With u = (x - mean) / dev and d = dy gamma: dx = (d - mean of d - u mean of d u) / dev. */
static void layernorm_back(struct state *s, const struct view *v, size_t r)
{
	const double *x = pixel(v->x, r), *dy = pixel(v->dy, r), *gamma = s->x + v->l->weight;
	double mean, dev, d = 0, du = 0;

	layernorm_moments(v, x, &mean, &dev);
	for (int c = 0; c < v->x->c; c++) {
		s->grad[v->l->weight + (size_t)c] += dy[c] * (x[c] - mean) / dev;
		if (v->l->bias)
			s->grad[v->l->beta + (size_t)c] += dy[c];
		d += dy[c] * gamma[c] / v->x->c;
		du += dy[c] * gamma[c] * (x[c] - mean) / dev / v->x->c;
	}
	for (int c = 0; c < v->x->c; c++)
		pixel(v->dx, r)[c] +=
			(dy[c] * gamma[c] - d - (x[c] - mean) / dev * du) / dev;
}

void reference_layernorm(struct state *s, int i, bool back)
{
	struct view v = view_of(s, i);

	for (size_t r = 0; r < tokens_rows(v.y); r++) {
		const double *x = pixel(v.x, r);
		double mean, dev;

		if (back) {
			layernorm_back(s, &v, r);
			continue;
		}
		layernorm_moments(&v, x, &mean, &dev);
		for (size_t c = 0; c < (size_t)v.x->c; c++)
			pixel(v.y, r)[c] = (x[c] - mean) / dev * s->x[v.l->weight + c] +
					   (v.l->bias ? s->x[v.l->beta + c] : 0);
	}
}

/* ---- gelu ---- */

/* The share of x that passes, and its slope times x: y = x share, dy/dx = share + x share'. */
static double gelu_share(bool tanh_form, double x, double *slope)
{
	const double pi = acos(-1), c = sqrt(2 / pi);
	double t;

	if (!tanh_form) {
		*slope = x * exp(-x * x / 2) / sqrt(2 * pi);
		return 0.5 * (1 + erf(x / sqrt(2)));
	}
	t = tanh(c * (x + 0.044715 * x * x * x));
	*slope = 0.5 * x * (1 - t * t) * c * (1 + 3 * 0.044715 * x * x);
	return 0.5 * (1 + t);
}

void reference_gelu(struct state *s, int i, bool back)
{
	struct view v = view_of(s, i);

	for (size_t e = 0; e < tensor_count(v.x); e++) {
		double x = v.x->v[e], slope, share = gelu_share(v.l->form == GELU_TANH, x, &slope);

		if (back)
			v.dx->v[e] += v.dy->v[e] * (share + slope);
		else
			v.y->v[e] = x * share;
	}
}
