/*
 * onednn_peak.c - the rate of a large product of matrices through oneDNN: the
 * better of its matmul, on weights in the layout that it likes best, and its sgemm.
 */
#include "nets/onednn.h"
#include "nets/peak.h"

enum { A, B, C, MATRICES };

struct product {
	dnnl_stream_t stream;
	dnnl_primitive_t primitive;
	dnnl_memory_t matrix[MATRICES];
	float *values[MATRICES];        /* in f32, plain */
};

static dnnl_memory_desc_t describe(dnnl_data_type_t type, dnnl_format_tag_t tag)
{
	const dnnl_dims_t dims = { PEAK_SIDE, PEAK_SIDE };
	dnnl_memory_desc_t md;

	onednn_must(dnnl_memory_desc_init_by_tag(&md, 2, dims, type, tag), "no matrix");
	return md;
}

/* A matrix of that layout with the values of v. */
static dnnl_memory_t load(struct product *p, const dnnl_memory_desc_t *md, float *v)
{
	const dnnl_memory_desc_t plain = describe(dnnl_f32, dnnl_ab);
	dnnl_memory_t from = onednn_memory_new(&plain, v);
	dnnl_memory_t to = onednn_memory_new(md, DNNL_MEMORY_ALLOCATE);
	const dnnl_exec_arg_t args[] = { { DNNL_ARG_FROM, from }, { DNNL_ARG_TO, to } };
	dnnl_primitive_desc_t pd;
	dnnl_primitive_t reorder;

	onednn_must(dnnl_reorder_primitive_desc_create(&pd, &plain, onednn_engine(), md,
						       onednn_engine(), NULL), "no reorder");
	onednn_must(dnnl_primitive_create(&reorder, pd), "no reorder");
	onednn_must(dnnl_primitive_execute(reorder, p->stream, 2, args), "a reorder failed");
	onednn_must(dnnl_stream_wait(p->stream), "a reorder failed");
	dnnl_primitive_destroy(reorder);
	dnnl_primitive_desc_destroy(pd);
	dnnl_memory_destroy(from);
	return to;
}

/* The library's matmul, or NULL where it has none that is made for this processor. */
static dnnl_primitive_desc_t find(dnnl_data_type_t type)
{
	const dnnl_memory_desc_t plain = describe(type, dnnl_ab);
	const dnnl_memory_desc_t any = describe(type, dnnl_format_tag_any);
	dnnl_primitive_desc_t pd = NULL;
	dnnl_matmul_desc_t d;
	const char *name = "";

	onednn_must(dnnl_matmul_desc_init(&d, &plain, &any, NULL, &plain), "no product");
	if (dnnl_primitive_desc_create(&pd, &d, NULL, onednn_engine(), NULL) != dnnl_success)
		return NULL;
	dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name);
	if (strncmp(name, "ref", 3))
		return pd;
	dnnl_primitive_desc_destroy(pd);
	return NULL;
}

static void matmul(void *arg)
{
	const struct product *p = arg;
	const dnnl_exec_arg_t args[] = {
		{ DNNL_ARG_SRC, p->matrix[A] }, { DNNL_ARG_WEIGHTS, p->matrix[B] },
		{ DNNL_ARG_DST, p->matrix[C] },
	};

	onednn_must(dnnl_primitive_execute(p->primitive, p->stream, MATRICES, args),
		    "a product failed");
	onednn_must(dnnl_stream_wait(p->stream), "a product failed");
}

static void sgemm(void *arg)
{
	const struct product *p = arg;

	onednn_must(dnnl_sgemm('N', 'N', PEAK_SIDE, PEAK_SIDE, PEAK_SIDE, 1, p->values[A],
			       PEAK_SIDE, p->values[B], PEAK_SIDE, 0, p->values[C], PEAK_SIDE),
		    "a product failed");
}

static double measure_matmul(struct product *p, dnnl_data_type_t type)
{
	static const dnnl_query_t whats[] = {
		dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_dst_md
	};
	dnnl_primitive_desc_t pd = find(type);
	double rate;

	if (!pd)
		return 0;
	for (int i = 0; i < MATRICES; i++)
		p->matrix[i] = load(p, dnnl_primitive_desc_query_md(pd, whats[i], 0),
				    p->values[i]);
	onednn_must(dnnl_primitive_create(&p->primitive, pd), "no product");
	rate = peak_measure(matmul, p);
	dnnl_primitive_destroy(p->primitive);
	dnnl_primitive_desc_destroy(pd);
	for (int i = 0; i < MATRICES; i++)
		dnnl_memory_destroy(p->matrix[i]);
	return rate;
}

double onednn_peak(enum precision precision)
{
	const size_t n = (size_t)PEAK_SIDE * PEAK_SIDE;
	const int threads = onednn_threads(1);
	struct product p = { .values = { peak_matrix(n), peak_matrix(n), vec_new(n) } };
	double rate, other = 0;

	onednn_must(dnnl_stream_create(&p.stream, onednn_engine(), dnnl_stream_default_flags),
		    "no stream");
	rate = measure_matmul(&p, precision == PRECISION_BF16 ? dnnl_bf16 : dnnl_f32);
	if (precision == PRECISION_F32)
		other = peak_measure(sgemm, &p);
	dnnl_stream_destroy(p.stream);
	for (int i = 0; i < MATRICES; i++)
		free(p.values[i]);
	onednn_threads(threads);
	return rate > other ? rate : other;
}
