/* oneDNN 2 describes an operation by a struct of its own, oneDNN 3 by a function's arguments. */
#include "nets/onednn/onednn.h"

enum { SRC, WEIGHTS, BIAS, DST, TENSORS };

/* By oneDNN's names: brgconv, brg_conv_fwd, brgconv_strided ... */
static const char *api_name_of(const_dnnl_primitive_desc_t pd)
{
	const char *name = "";

	dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name);
	return name;
}

static bool is_blocked(const_dnnl_primitive_desc_t pd)
{
	return !strncmp(api_name_of(pd), "brg", 3);
}

#if DNNL_VERSION_MAJOR == 2

/* The library's description of a tensor; at: NULL where there is none. */
struct md {
	dnnl_memory_desc_t own;
	const dnnl_memory_desc_t *at;
};

static void md_make(struct md *m, const struct tensor *t)
{
	const dnnl_status_t s =
		t->any ? dnnl_memory_desc_init_by_tag(&m->own, t->ndims, t->dims, t->type,
						      dnnl_format_tag_any)
		       : dnnl_memory_desc_init_by_strides(&m->own, t->ndims, t->dims, t->type,
							  t->strides);

	m->at = onednn_try(s, "no tensor") < 0 ? NULL : &m->own;
}

static void md_release(struct md *m)
{
	m->at = NULL;
}

/* The description of any operation. */
union desc {
	dnnl_convolution_desc_t conv;
	dnnl_pooling_desc_t pool;
	dnnl_matmul_desc_t product;
};

static dnnl_status_t conv_init(union desc *d, const struct operation *o, const struct md *m)
{
	const struct window *w = &o->window;

	if (o->prop == dnnl_backward_data)
		return dnnl_convolution_backward_data_desc_init(
			&d->conv, o->alg, m[SRC].at, m[WEIGHTS].at, m[DST].at, w->strides,
			w->left, w->right);
	if (o->prop == dnnl_backward_weights)
		return dnnl_convolution_backward_weights_desc_init(
			&d->conv, o->alg, m[SRC].at, m[WEIGHTS].at, m[BIAS].at, m[DST].at,
			w->strides, w->left, w->right);
	return dnnl_convolution_forward_desc_init(&d->conv, o->prop, o->alg, m[SRC].at,
		m[WEIGHTS].at, m[BIAS].at, m[DST].at, w->strides, w->left, w->right);
}

static dnnl_status_t desc_init(union desc *d, const struct operation *o, const struct md *m)
{
	const struct window *w = &o->window;

	if (o->kind == dnnl_matmul)
		return dnnl_matmul_desc_init(&d->product, m[SRC].at, m[WEIGHTS].at, m[BIAS].at,
					     m[DST].at);
	if (o->kind == dnnl_convolution)
		return conv_init(d, o, m);
	if (o->prop == dnnl_backward_data)
		return dnnl_pooling_backward_desc_init(&d->pool, o->alg, m[SRC].at, m[DST].at,
						       w->strides, w->size, w->left, w->right);
	return dnnl_pooling_forward_desc_init(&d->pool, o->prop, o->alg, m[SRC].at, m[DST].at,
					      w->strides, w->size, w->left, w->right);
}

static dnnl_primitive_desc_t api_find(const struct operation *o, const struct md *m,
				      const_dnnl_primitive_attr_t attr)
{
	dnnl_primitive_desc_iterator_t it;
	dnnl_primitive_desc_t pd;
	union desc d;

	if (desc_init(&d, o, m) != dnnl_success
	    || dnnl_primitive_desc_iterator_create(&it, &d, attr, onednn_engine(), o->hint)
		       != dnnl_success)
		return NULL;
	pd = dnnl_primitive_desc_iterator_fetch(it);
	if (o->unblocked && is_blocked(pd)
	    && dnnl_primitive_desc_iterator_next(it) == dnnl_success) {
		dnnl_primitive_desc_destroy(pd);
		pd = dnnl_primitive_desc_iterator_fetch(it);
	}
	dnnl_primitive_desc_iterator_destroy(it);
	return pd;
}

#else

struct md {
	dnnl_memory_desc_t own;
	const_dnnl_memory_desc_t at;
};

static void md_make(struct md *m, const struct tensor *t)
{
	const dnnl_status_t s =
		t->any ? dnnl_memory_desc_create_with_tag(&m->own, t->ndims, t->dims, t->type,
							  dnnl_format_tag_any)
		       : dnnl_memory_desc_create_with_strides(&m->own, t->ndims, t->dims, t->type,
							      t->strides);

	if (onednn_try(s, "no tensor") < 0)
		m->own = NULL;
	m->at = m->own;
}

static void md_release(struct md *m)
{
	if (m->own)
		dnnl_memory_desc_destroy(m->own);
}

static const dnnl_dims_t dense;         /* windows have no holes */

static dnnl_status_t conv_create(dnnl_primitive_desc_t *pd, const struct operation *o,
				 const struct md *m, const_dnnl_primitive_attr_t attr)
{
	const struct window *w = &o->window;

	if (o->prop == dnnl_backward_data)
		return dnnl_convolution_backward_data_primitive_desc_create(pd, onednn_engine(),
			o->alg, m[SRC].at, m[WEIGHTS].at, m[DST].at, w->strides, dense, w->left,
			w->right, o->hint, attr);
	if (o->prop == dnnl_backward_weights)
		return dnnl_convolution_backward_weights_primitive_desc_create(pd,
			onednn_engine(), o->alg, m[SRC].at, m[WEIGHTS].at, m[BIAS].at, m[DST].at,
			w->strides, dense, w->left, w->right, o->hint, attr);
	return dnnl_convolution_forward_primitive_desc_create(pd, onednn_engine(), o->prop, o->alg,
		m[SRC].at, m[WEIGHTS].at, m[BIAS].at, m[DST].at, w->strides, dense, w->left,
		w->right, attr);
}

static dnnl_status_t api_create(dnnl_primitive_desc_t *pd, const struct operation *o,
				const struct md *m, const_dnnl_primitive_attr_t attr)
{
	const struct window *w = &o->window;

	if (o->kind == dnnl_matmul)
		return dnnl_matmul_primitive_desc_create(pd, onednn_engine(), m[SRC].at,
			m[WEIGHTS].at, m[BIAS].at, m[DST].at, attr);
	if (o->kind == dnnl_convolution)
		return conv_create(pd, o, m, attr);
	if (o->prop == dnnl_backward_data)
		return dnnl_pooling_backward_primitive_desc_create(pd, onednn_engine(), o->alg,
			m[SRC].at, m[DST].at, w->strides, w->size, dense, w->left, w->right,
			o->hint, attr);
	return dnnl_pooling_forward_primitive_desc_create(pd, onednn_engine(), o->prop, o->alg,
		m[SRC].at, m[DST].at, w->strides, w->size, dense, w->left, w->right, attr);
}

static dnnl_primitive_desc_t api_find(const struct operation *o, const struct md *m,
				      const_dnnl_primitive_attr_t attr)
{
	dnnl_primitive_desc_t pd;

	if (api_create(&pd, o, m, attr) != dnnl_success)
		return NULL;
	if (o->unblocked && is_blocked(pd))
		dnnl_primitive_desc_next_impl(pd);      /* keeps pd when it is the last */
	return pd;
}

#endif

static void md_init(struct md *m, const struct tensor *t)
{
	*m = (struct md){ .at = NULL };
	if (t->of)
		m->at = dnnl_primitive_desc_query_md(t->of, dnnl_query_exec_arg_md, t->arg);
	else if (t->ndims)
		md_make(m, t);
}

/* The result is added to what is there. */
static dnnl_status_t api_add(dnnl_primitive_attr_t attr)
{
	dnnl_post_ops_t ops;
	dnnl_status_t s = dnnl_post_ops_create(&ops);

	if (s != dnnl_success)
		return s;
#if DNNL_VERSION_MAJOR == 2
	s = dnnl_post_ops_append_sum(ops, 1.0f);
#else
	s = dnnl_post_ops_append_sum(ops, 1.0f, 0, dnnl_data_type_undef);
#endif
	if (s == dnnl_success)
		s = dnnl_primitive_attr_set_post_ops(attr, ops);
	dnnl_post_ops_destroy(ops);
	return s;
}

/* That scratch memory is ours; NULL after error(). */
static dnnl_primitive_attr_t api_attributes(bool adds)
{
	dnnl_primitive_attr_t attr;

	if (onednn_try(dnnl_primitive_attr_create(&attr), "no attributes") < 0)
		return NULL;
	if (onednn_try(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user),
		       "no attributes") == 0 &&
	    (!adds || onednn_try(api_add(attr), "no attributes") == 0))
		return attr;
	dnnl_primitive_attr_destroy(attr);
	return NULL;
}

dnnl_primitive_desc_t onednn_describe(const struct operation *o)
{
	dnnl_primitive_attr_t attr = api_attributes(o->adds);
	dnnl_primitive_desc_t pd;
	struct md m[TENSORS];

	md_init(&m[SRC], &o->src);
	md_init(&m[WEIGHTS], &o->weights);
	md_init(&m[BIAS], &o->bias);
	md_init(&m[DST], &o->dst);
	pd = attr ? api_find(o, m, attr) : NULL;
	dnnl_primitive_attr_destroy(attr);
	for (int i = 0; i < TENSORS; i++)
		md_release(&m[i]);
	return pd;
}

dnnl_primitive_desc_t onednn_describe_reorder(const struct tensor *from, const struct tensor *to)
{
	const dnnl_engine_t e = onednn_engine();
	dnnl_primitive_attr_t attr = api_attributes(false);
	dnnl_primitive_desc_t pd;
	struct md a, b;

	md_init(&a, from);
	md_init(&b, to);
	if (!attr ||
	    dnnl_reorder_primitive_desc_create(&pd, a.at, e, b.at, e, attr) != dnnl_success)
		pd = NULL;
	dnnl_primitive_attr_destroy(attr);
	md_release(&a);
	md_release(&b);
	return pd;
}

bool onednn_is_alike(const_dnnl_primitive_desc_t a, const_dnnl_primitive_desc_t b)
{
	return !strcmp(api_name_of(a), api_name_of(b));
}

size_t onednn_bytes(const_dnnl_primitive_desc_t pd, int arg)
{
	return dnnl_memory_desc_get_size(
		dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg));
}

dnnl_memory_t onednn_memory_new(const_dnnl_primitive_desc_t pd, int arg, void *data)
{
	dnnl_memory_t m;
	const dnnl_status_t s = dnnl_memory_create(
		&m, dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg),
		onednn_engine(), data);

	return onednn_try(s, "no memory") < 0 ? NULL : m;
}
