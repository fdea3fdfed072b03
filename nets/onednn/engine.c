/*
 * engine.c - the interface to oneDNN: one engine for the process, without threads of its own;
 * operations, and the rate of products. No other file depends on oneDNN's version.
 */
#include "nets/onednn/onednn.h"

#include <dlfcn.h>
#include <dnnl_debug.h>
#include <pthread.h>

static dnnl_engine_t engine;
static void (*set_threads)(int);
static int (*max_threads)(void);
static pthread_once_t once = PTHREAD_ONCE_INIT;

int onednn_try(dnnl_status_t s, const char *what)
{
	return s == dnnl_success ? 0 : error("oneDNN: %s: %s", what, dnnl_status2str(s));
}

/*
 * Starts the engine. A oneDNN built with OpenMP would start a team for each of our threads. The
 * OpenMP runtime is looked up, not linked, so that the one that oneDNN loaded is asked.
 */
static void engine_start(void)
{
	void *self = dlopen(NULL, RTLD_LAZY);

	if (onednn_try(dnnl_engine_create(&engine, dnnl_cpu, 0), "no engine") < 0)
		engine = NULL;          /* every operation refuses a NULL engine */
	if (!self)
		return;
	*(void **)&set_threads = dlsym(self, "omp_set_num_threads");
	*(void **)&max_threads = dlsym(self, "omp_get_max_threads");
	dlclose(self);
}

dnnl_engine_t onednn_engine(void)
{
	pthread_once(&once, engine_start);
	return engine;
}

static bool engine_has(dnnl_cpu_isa_t isa)
{
	return ((int)dnnl_get_effective_cpu_isa() & (int)isa) == (int)isa;
}

bool onednn_has_matrix_units(void)
{
	return engine_has(dnnl_cpu_isa_avx512_core_amx);
}

const char *onednn_no_bf16(enum bf16_wish wish)
{
	char vendor[13];
	const struct bf16_facts facts = {
		.vendor = vendor, .instructions = engine_has(dnnl_cpu_isa_avx512_core_bf16),
		.matrix_units = onednn_has_matrix_units(),
	};

	bf16_vendor(vendor);
	return bf16_refused(&facts, wish);
}

int onednn_threads(int n)
{
	int old;

	pthread_once(&once, engine_start);
	if (!set_threads || !max_threads)
		return n;
	old = max_threads();
	if (old != n)
		set_threads(n);
	return old;
}

struct tensor onednn_images(struct shape s, size_t n, dnnl_data_type_t type)
{
	const dnnl_dim_t pixels = (dnnl_dim_t)s.h * s.w;

	return (struct tensor){ .type = type, .ndims = 4,
				.dims = { (dnnl_dim_t)n, s.c, s.h, s.w },
				.strides = { pixels * s.c, 1, (dnnl_dim_t)s.w * s.c, s.c } };
}

struct tensor onednn_matrix(size_t rows, size_t cols, size_t row, size_t col,
			    dnnl_data_type_t type)
{
	return (struct tensor){ .type = type, .ndims = 2,
				.dims = { (dnnl_dim_t)rows, (dnnl_dim_t)cols },
				.strides = { (dnnl_dim_t)row, (dnnl_dim_t)col } };
}

struct window onednn_window(const struct layer *l)
{
	int h = (l->os.h - 1) * l->stride + l->kernel - l->is.h - l->pad;
	int w = (l->os.w - 1) * l->stride + l->kernel - l->is.w - l->pad;

	return (struct window){ .size = { l->kernel, l->kernel },
				.strides = { l->stride, l->stride },
				.left = { l->pad, l->pad },
				.right = { h > 0 ? h : 0, w > 0 ? w : 0 } };
}

/* ---- descriptions: a struct each in version 2, arguments of a function in version 3 ---- */

enum { SRC, WEIGHTS, BIAS, DST, TENSORS };

/* oneDNN's name of the implementation: brgconv, brg_conv_fwd, brgconv_strided ... */
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

/* oneDNN's description of a tensor; at: NULL if there is none. */
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
		dnnl_primitive_desc_next_impl(pd);      /* keeps pd if there is no other */
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

/* Makes the operation add its result to dst. */
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

/* Attributes that make scratch memory the caller's; NULL after error(). */
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

/* Implementation of a copy between layouts and types, as onednn_describe(). */
static dnnl_primitive_desc_t onednn_describe_reorder(const struct tensor *from,
						     const struct tensor *to)
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

/*
 * A handle for an operation's argument; `data` may be DNNL_MEMORY_ALLOCATE, or DNNL_MEMORY_NONE
 * until it is set. NULL after error(); the caller destroys it.
 */
static dnnl_memory_t onednn_memory_new(const_dnnl_primitive_desc_t pd, int arg, void *data)
{
	dnnl_memory_t m;
	const dnnl_status_t s = dnnl_memory_create(
		&m, dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg),
		onednn_engine(), data);

	return onednn_try(s, "no memory") < 0 ? NULL : m;
}

/* ---- primitives, and the handles by which each lane gives them their tensors ---- */

int pass_open(struct onednn *c, struct pass *p, dnnl_primitive_desc_t pd, int n, const int *arg)
{
	dnnl_status_t s = pd ? dnnl_primitive_create(&p->primitive, pd) : dnnl_unimplemented;

	if (s == dnnl_success) {
		for (p->n = 0; p->n < n; p->n++)
			p->arg[p->n] = arg[p->n];
		p->arg[p->n++] = DNNL_ARG_SCRATCHPAD;
		c->scratch_bytes = size_most(onednn_bytes(pd, DNNL_ARG_SCRATCHPAD),
					     c->scratch_bytes);
		p->lanes = team_lanes(c->team);
		p->handles = xcalloc((size_t)p->lanes * PASS_ARGS, sizeof(dnnl_memory_t));
	} else {
		p->primitive = NULL;
		error("net %s: oneDNN refuses an operation: %s", c->graph->name,
		      dnnl_status2str(s));
	}
	if (pd)
		dnnl_primitive_desc_destroy(pd);
	return s == dnnl_success ? 0 : -1;
}

int pass_open_reorder(struct onednn *c, struct pass *p, const struct tensor *from,
		      const struct tensor *to)
{
	static const int args[] = { DNNL_ARG_FROM, DNNL_ARG_TO };

	return pass_open(c, p, onednn_describe_reorder(from, to), 2, args);
}

const_dnnl_primitive_desc_t pass_desc(const struct pass *p)
{
	const_dnnl_primitive_desc_t pd;
	const dnnl_status_t s = dnnl_primitive_get_primitive_desc(p->primitive, &pd);

	return onednn_try(s, "no description") < 0 ? NULL : pd;
}

void pass_run(struct pass *p, struct lane *w, const void *const *data)
{
	dnnl_exec_arg_t args[PASS_ARGS];

	for (int i = 0; i < p->n && !w->failed; i++) {
		void *at = i + 1 < p->n ? (void *)(uintptr_t)data[i] : w->scratch;
		dnnl_memory_t *m = &p->handles[w->index * PASS_ARGS + i];

		if (!*m)
			*m = onednn_memory_new(pass_desc(p), p->arg[i], DNNL_MEMORY_NONE);
		args[i] = (dnnl_exec_arg_t){ p->arg[i], *m };
		w->failed = !*m ||
			    onednn_try(dnnl_memory_set_data_handle(*m, at), "no memory") < 0;
	}
	if (!w->failed)
		w->failed = onednn_try(dnnl_primitive_execute(p->primitive, w->stream, p->n, args),
				       "a primitive failed") < 0;
}

void pass_close(struct pass *p)
{
	if (!p->primitive)
		return;
	dnnl_primitive_destroy(p->primitive);
	for (int i = 0; i < p->lanes * PASS_ARGS; i++)
		if (p->handles[i])
			dnnl_memory_destroy(p->handles[i]);
	free(p->handles);
	p->primitive = NULL;
}

/* ---- rate of a large product: the better of matmul with weights in its layout, and sgemm ---- */

enum { A, B, C, MATRICES, SCRATCH = MATRICES, ARGS };

static const int arguments[ARGS] = { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST,
				     DNNL_ARG_SCRATCHPAD };

struct peak_product {
	dnnl_stream_t stream;
	dnnl_primitive_t primitive;
	dnnl_memory_t memory[ARGS];
	float *values[MATRICES];        /* in f32, plain */
	bool failed;                    /* an operation failed, after error(): there is no rate */
};

static struct tensor peak_plain(dnnl_data_type_t type)
{
	return onednn_matrix(PEAK_SIDE, PEAK_SIDE, PEAK_SIDE, 1, type);
}

static void peak_try(struct peak_product *p, dnnl_status_t s, const char *what)
{
	p->failed |= onednn_try(s, what) < 0;
}

/* An argument of the operation, in its layout, with the values of v. */
static dnnl_memory_t peak_load(struct peak_product *p, const_dnnl_primitive_desc_t product,
				      int arg, float *v)
{
	const struct tensor given = peak_plain(dnnl_f32),
			    wanted = { .of = product, .arg = arg };
	dnnl_primitive_desc_t pd = onednn_describe_reorder(&given, &wanted);
	dnnl_memory_t to = onednn_memory_new(product, arg, DNNL_MEMORY_ALLOCATE);
	dnnl_primitive_t reorder = NULL;
	dnnl_exec_arg_t args[] = { { DNNL_ARG_FROM, NULL }, { DNNL_ARG_TO, to },
				   { DNNL_ARG_SCRATCHPAD, NULL } };

	peak_try(p, pd ? dnnl_primitive_create(&reorder, pd) : dnnl_unimplemented, "no reorder");
	if (p->failed)
		return to;
	args[0].memory = onednn_memory_new(pd, DNNL_ARG_FROM, v);
	args[2].memory = onednn_memory_new(pd, DNNL_ARG_SCRATCHPAD, DNNL_MEMORY_ALLOCATE);
	peak_try(p, dnnl_primitive_execute(reorder, p->stream, 3, args), "a reorder failed");
	peak_try(p, dnnl_stream_wait(p->stream), "a reorder failed");
	dnnl_primitive_destroy(reorder);
	dnnl_primitive_desc_destroy(pd);
	dnnl_memory_destroy(args[0].memory);
	dnnl_memory_destroy(args[2].memory);
	return to;
}

/* oneDNN's matmul, or NULL if it has none for this processor. */
static dnnl_primitive_desc_t peak_find(dnnl_data_type_t type)
{
	struct operation o = { .kind = dnnl_matmul,
			       .src = peak_plain(type),
			       .weights = peak_plain(type),
			       .dst = peak_plain(type) };
	dnnl_primitive_desc_t pd;
	const char *name = "";

	o.weights.any = true;
	pd = onednn_describe(&o);
	if (!pd)
		return NULL;
	dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name);
	if (strncmp(name, "ref", 3))
		return pd;
	dnnl_primitive_desc_destroy(pd);
	return NULL;
}

static void peak_matmul(void *arg)
{
	struct peak_product *p = arg;
	dnnl_exec_arg_t args[ARGS];

	for (int i = 0; i < ARGS; i++)
		args[i] = (dnnl_exec_arg_t){ arguments[i], p->memory[i] };
	if (p->failed)
		return;
	peak_try(p, dnnl_primitive_execute(p->primitive, p->stream, ARGS, args),
		 "a product failed");
	peak_try(p, dnnl_stream_wait(p->stream), "a product failed");
}

static void peak_sgemm(void *arg)
{
	struct peak_product *p = arg;

	if (!p->failed)
		peak_try(p, dnnl_sgemm('N', 'N', PEAK_SIDE, PEAK_SIDE, PEAK_SIDE, 1, p->values[A],
				       PEAK_SIDE, p->values[B], PEAK_SIDE, 0, p->values[C],
				       PEAK_SIDE), "a product failed");
}

static double measure_matmul(struct peak_product *p, dnnl_data_type_t type)
{
	dnnl_primitive_desc_t pd = peak_find(type);
	double rate;

	if (!pd)
		return 0;
	for (int i = 0; i < MATRICES; i++)
		p->memory[i] = peak_load(p, pd, arguments[i], p->values[i]);
	p->memory[SCRATCH] = onednn_memory_new(pd, DNNL_ARG_SCRATCHPAD, DNNL_MEMORY_ALLOCATE);
	if (!p->failed)
		peak_try(p, dnnl_primitive_create(&p->primitive, pd), "no product");
	rate = peak_measure(peak_matmul, p);
	dnnl_primitive_destroy(p->primitive);
	dnnl_primitive_desc_destroy(pd);
	for (int i = 0; i < ARGS; i++)
		dnnl_memory_destroy(p->memory[i]);
	return rate;
}

double onednn_peak(enum precision precision)
{
	const size_t n = (size_t)PEAK_SIDE * PEAK_SIDE;
	const int threads = onednn_threads(1);
	struct peak_product p = { .values = { peak_matrix(n), peak_matrix(n), vec_new(n) } };
	double rate, other = 0;

	peak_try(&p, dnnl_stream_create(&p.stream, onednn_engine(), dnnl_stream_default_flags),
		 "no stream");
	rate = measure_matmul(&p, precision == PRECISION_BF16 ? dnnl_bf16 : dnnl_f32);
	if (precision == PRECISION_F32)
		other = peak_measure(peak_sgemm, &p);
	dnnl_stream_destroy(p.stream);
	for (int i = 0; i < MATRICES; i++)
		free(p.values[i]);
	onednn_threads(threads);
	if (p.failed)
		return 0;
	return rate > other ? rate : other;
}
