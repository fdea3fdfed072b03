/* The library itself: one engine for the process, no threads of its own. */
#include "nets/onednn.h"

#include <dlfcn.h>
#include <dnnl_debug.h>
#include <pthread.h>

static dnnl_engine_t engine;
static void (*set_threads)(int);
static int (*max_threads)(void);
static pthread_once_t once = PTHREAD_ONCE_INIT;

void onednn_must(dnnl_status_t s, const char *what)
{
	if (s != dnnl_success)
		die("oneDNN: %s: %s", what, dnnl_status2str(s));
}

/*
 * A oneDNN built on OpenMP would start a team per thread of ours. The runtime is
 * looked up rather than linked, so that whichever one oneDNN brought is asked.
 */
static void start(void)
{
	void *self = dlopen(NULL, RTLD_LAZY);

	onednn_must(dnnl_engine_create(&engine, dnnl_cpu, 0), "no engine");
	if (!self)
		return;
	*(void **)&set_threads = dlsym(self, "omp_set_num_threads");
	*(void **)&max_threads = dlsym(self, "omp_get_max_threads");
	dlclose(self);
}

dnnl_engine_t onednn_engine(void)
{
	pthread_once(&once, start);
	return engine;
}

static bool has(dnnl_cpu_isa_t isa)
{
	return ((int)dnnl_get_effective_cpu_isa() & (int)isa) == (int)isa;
}

bool onednn_has_bf16(void)
{
	return has(dnnl_cpu_isa_avx512_core_bf16);
}

bool onednn_has_matrix_units(void)
{
	return has(dnnl_cpu_isa_avx512_core_amx);
}

int onednn_threads(int n)
{
	int old;

	pthread_once(&once, start);
	if (!set_threads || !max_threads)
		return n;
	old = max_threads();
	if (old != n)
		set_threads(n);
	return old;
}

dnnl_memory_t onednn_memory_new(const dnnl_memory_desc_t *md, void *data)
{
	dnnl_memory_t m;

	onednn_must(dnnl_memory_create(&m, md, onednn_engine(), data), "no memory");
	return m;
}

dnnl_memory_desc_t onednn_images(struct shape s, size_t n, dnnl_data_type_t type)
{
	dnnl_dims_t dims = { (dnnl_dim_t)n, s.c, s.h, s.w };
	dnnl_memory_desc_t md;

	onednn_must(dnnl_memory_desc_init_by_tag(&md, 4, dims, type, dnnl_nhwc), "no images");
	return md;
}

dnnl_memory_desc_t onednn_matrix(size_t rows, size_t cols, size_t row, size_t col,
				 dnnl_data_type_t type)
{
	dnnl_dims_t dims = { (dnnl_dim_t)rows, (dnnl_dim_t)cols };
	dnnl_dims_t strides = { (dnnl_dim_t)row, (dnnl_dim_t)col };
	dnnl_memory_desc_t md;

	onednn_must(dnnl_memory_desc_init_by_strides(&md, 2, dims, type, strides), "no matrix");
	return md;
}

static dnnl_primitive_attr_t attributes(void)
{
	dnnl_primitive_attr_t attr;

	onednn_must(dnnl_primitive_attr_create(&attr), "no attributes");
	onednn_must(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user),
		    "no attributes");
	return attr;
}

static bool is_named(const_dnnl_primitive_desc_t pd, const char *name)
{
	const char *is = "";

	dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &is);
	return name && !strncmp(is, name, strlen(name));
}

dnnl_primitive_desc_t onednn_describe(const_dnnl_op_desc_t d, const_dnnl_primitive_desc_t hint,
				      const char *skip)
{
	dnnl_primitive_attr_t attr = attributes();
	dnnl_primitive_desc_iterator_t it;
	dnnl_primitive_desc_t pd = NULL, other;

	if (dnnl_primitive_desc_iterator_create(&it, d, attr, onednn_engine(), hint)
	    == dnnl_success) {
		pd = dnnl_primitive_desc_iterator_fetch(it);
		if (is_named(pd, skip) && dnnl_primitive_desc_iterator_next(it) == dnnl_success) {
			other = dnnl_primitive_desc_iterator_fetch(it);
			dnnl_primitive_desc_destroy(pd);
			pd = other;
		}
		dnnl_primitive_desc_iterator_destroy(it);
	}
	dnnl_primitive_attr_destroy(attr);
	return pd;
}
