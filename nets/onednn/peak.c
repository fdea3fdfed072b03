/*
 * peak.c - the rate of a large product of matrices through oneDNN: the
 * better of its matmul, on weights in the layout that it likes best, and its sgemm.
 */
#include "nets/onednn/onednn.h"
#include "nets/peak.h"

enum { A, B, C, MATRICES, SCRATCH = MATRICES, ARGS };

static const int arguments[ARGS] = { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST,
				     DNNL_ARG_SCRATCHPAD };

struct product {
	dnnl_stream_t stream;
	dnnl_primitive_t primitive;
	dnnl_memory_t memory[ARGS];
	float *values[MATRICES];        /* in f32, plain */
	bool failed;                    /* an operation, after error(): there is no rate */
};

static struct tensor onednn_peak_plain(dnnl_data_type_t type)
{
	return onednn_matrix(PEAK_SIDE, PEAK_SIDE, PEAK_SIDE, 1, type);
}

static void peak_try(struct product *p, dnnl_status_t s, const char *what)
{
	p->failed |= onednn_try(s, what) < 0;
}

/* The operation's argument, in its layout, with the values of v. */
static dnnl_memory_t onednn_peak_load(struct product *p, const_dnnl_primitive_desc_t product,
				      int arg, float *v)
{
	const struct tensor given = onednn_peak_plain(dnnl_f32),
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

/* The library's matmul, or NULL where it has none that is made for this processor. */
static dnnl_primitive_desc_t onednn_peak_find(dnnl_data_type_t type)
{
	struct operation o = { .kind = dnnl_matmul,
			       .src = onednn_peak_plain(type),
			       .weights = onednn_peak_plain(type),
			       .dst = onednn_peak_plain(type) };
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

static void onednn_peak_matmul(void *arg)
{
	struct product *p = arg;
	dnnl_exec_arg_t args[ARGS];

	for (int i = 0; i < ARGS; i++)
		args[i] = (dnnl_exec_arg_t){ arguments[i], p->memory[i] };
	if (p->failed)
		return;
	peak_try(p, dnnl_primitive_execute(p->primitive, p->stream, ARGS, args),
		 "a product failed");
	peak_try(p, dnnl_stream_wait(p->stream), "a product failed");
}

static void onednn_peak_sgemm(void *arg)
{
	struct product *p = arg;

	if (!p->failed)
		peak_try(p, dnnl_sgemm('N', 'N', PEAK_SIDE, PEAK_SIDE, PEAK_SIDE, 1, p->values[A],
				       PEAK_SIDE, p->values[B], PEAK_SIDE, 0, p->values[C],
				       PEAK_SIDE), "a product failed");
}

static double measure_matmul(struct product *p, dnnl_data_type_t type)
{
	dnnl_primitive_desc_t pd = onednn_peak_find(type);
	double rate;

	if (!pd)
		return 0;
	for (int i = 0; i < MATRICES; i++)
		p->memory[i] = onednn_peak_load(p, pd, arguments[i], p->values[i]);
	p->memory[SCRATCH] = onednn_memory_new(pd, DNNL_ARG_SCRATCHPAD, DNNL_MEMORY_ALLOCATE);
	if (!p->failed)
		peak_try(p, dnnl_primitive_create(&p->primitive, pd), "no product");
	rate = peak_measure(onednn_peak_matmul, p);
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
	struct product p = { .values = { peak_matrix(n), peak_matrix(n), vec_new(n) } };
	double rate, other = 0;

	peak_try(&p, dnnl_stream_create(&p.stream, onednn_engine(), dnnl_stream_default_flags),
		 "no stream");
	rate = measure_matmul(&p, precision == PRECISION_BF16 ? dnnl_bf16 : dnnl_f32);
	if (precision == PRECISION_F32)
		other = peak_measure(onednn_peak_sgemm, &p);
	dnnl_stream_destroy(p.stream);
	for (int i = 0; i < MATRICES; i++)
		free(p.values[i]);
	onednn_threads(threads);
	if (p.failed)
		return 0;
	return rate > other ? rate : other;
}
