/*
 * openblas_dense.c - y[n][out] = x[n][in] weight[out][in]^T + bias
 */
#include "nets/openblas.h"
#include "nets/layers.h"

#include <cblas.h>
#include <string.h>

static void dense_forward(struct ob *c, int i)
{
	const struct layer *l = &c->g->layers[i];
	int n = (int)c->n, in = (int)layer_fan_in(l), out = l->os.c;

	for (int r = 0; l->bias && r < n; r++)
		memcpy(c->y[i] + (size_t)r * (size_t)out, c->x + l->beta,
		       (size_t)out * sizeof(float));
	cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, out, in, 1.0f, c->y[l->in[0]], in,
		    c->x + l->weight, in, l->bias ? 1.0f : 0.0f, c->y[i], out);
}

static void dense_backward(struct ob *c, int i)
{
	const struct layer *l = &c->g->layers[i];
	int n = (int)c->n, in = (int)layer_fan_in(l), out = l->os.c;
	bool add;
	float *dx = ob_dx(c, i, 0, &add);

	cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, out, in, n, 1.0f, c->dy[i], out,
		    c->y[l->in[0]], in, 0.0f, c->grad + l->weight, in);
	if (dx)
		cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, in, out, 1.0f, c->dy[i],
			    out, c->x + l->weight, in, add ? 1.0f : 0.0f, dx, in);
	if (!l->bias)
		return;
	ob_sum(c->n, (size_t)out, c->dy[i], c->sums);
	for (int k = 0; k < out; k++)
		c->grad[l->beta + (size_t)k] = (float)c->sums[k];
}

const struct ob_op ob_dense = { .forward = dense_forward, .backward = dense_backward };
