/* The outer step: with a momentum that is a sum, a mean, or delayed. */
#include "algos/common/outer.h"

#include "core/math/vec.h"

double outer_gain(const struct outer_conf *c)
{
	return 1.0 / (1.0 - c->momentum);
}

double outer_gain_of_mean(const void *conf, int workers)
{
	return outer_gain(conf) / (double)workers;
}

void outer_start(struct node *nd, struct outer *o)
{
	o->x = node_vec(nd);
	o->m = node_vec(nd);
	vec_copy(nd->dim, nd->x, o->x);
}

void outer_step(const struct outer_conf *c, size_t n, const float *d, float *m, float *x)
{
	const float eta = (float)c->lr, mu = (float)c->momentum;

	vec_axpby(n, 1.0f, d, mu, m);
	if (c->nesterov)
		vec_axpy(n, -eta, d, x);
	vec_axpy(n, c->nesterov ? -eta * mu : -eta, m, x);
}

void outer_step_mean(const struct outer_conf *c, size_t n, const float *d, float *m, float *x)
{
	const float eta = (float)c->lr, mu = (float)c->momentum;

	vec_axpby(n, 1.0f - mu, d, mu, m);
	vec_axpy(n, -eta, d, x);
	vec_axpy(n, -eta * mu, m, x);
}

void delayed_start(struct node *nd, struct delayed *o)
{
	*o = (struct delayed){ .buffer = node_vec(nd), .m = node_vec(nd) };
}

void delayed_step(const struct outer_conf *c, int64_t n, double share, size_t dim, const float *d,
		  struct delayed *o, float *x)
{
	const double eta = c->lr, mu = c->momentum, count = (double)n;
	double along = share;   /* how many times mu m is applied */

	vec_axpy(dim, 1.0f, d, o->buffer);
	if (++o->buffered == n) {
		vec_axpby(dim, (float)(1.0 / count), o->buffer, (float)mu, o->m);
		vec_scale(dim, 0.0f, o->buffer);
		o->buffered = 0;
		along = 1.0 - share * count + share;
	}
	if (along != 0.0)
		vec_axpy(dim, (float)(-eta * along * mu), o->m, x);
	vec_axpy(dim, (float)(-eta / count), d, x);
}
