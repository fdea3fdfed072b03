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

/* At least that many bytes of c->scratch. */
static void need_scratch(struct onednn *c, size_t bytes)
{
	if (bytes <= c->nscratch)
		return;
	free(c->scratch);
	c->scratch = vec_new((bytes + sizeof(float) - 1) / sizeof(float));
	c->nscratch = bytes;
}

dnnl_memory_t onednn_memory_new(const dnnl_memory_desc_t *md, void *data)
{
	dnnl_memory_t m;

	onednn_must(dnnl_memory_create(&m, md, onednn_engine(), data), "no memory");
	return m;
}

dnnl_memory_t onednn_point(dnnl_memory_t m, const void *data)
{
	onednn_must(dnnl_memory_set_data_handle(m, (void *)(uintptr_t)data), "no memory");
	return m;
}

dnnl_memory_desc_t onednn_images(struct shape s, size_t n)
{
	dnnl_dims_t dims = { (dnnl_dim_t)n, s.c, s.h, s.w };
	dnnl_memory_desc_t md;

	onednn_must(dnnl_memory_desc_init_by_tag(&md, 4, dims, dnnl_f32, dnnl_nhwc), "no images");
	return md;
}

dnnl_primitive_desc_t onednn_describe(const_dnnl_op_desc_t d, const_dnnl_primitive_desc_t hint)
{
	dnnl_primitive_desc_t pd;
	dnnl_primitive_attr_t attr;

	onednn_must(dnnl_primitive_attr_create(&attr), "no attributes");
	onednn_must(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user),
		    "no attributes");
	onednn_must(dnnl_primitive_desc_create(&pd, d, attr, onednn_engine(), hint),
		    "no implementation");
	dnnl_primitive_attr_destroy(attr);
	return pd;
}

void onednn_pass_new(struct onednn *c, struct onednn_pass *p, const_dnnl_primitive_desc_t pd)
{
	const dnnl_memory_desc_t *md =
		dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);

	need_scratch(c, dnnl_memory_desc_get_size(md));
	p->scratch = onednn_memory_new(md, DNNL_MEMORY_NONE);
	onednn_must(dnnl_primitive_create(&p->primitive, pd), "no primitive");
}

void onednn_pass_release(struct onednn_pass *p)
{
	if (p->primitive)
		dnnl_primitive_destroy(p->primitive);
	if (p->scratch)
		dnnl_memory_destroy(p->scratch);
}

void onednn_run(struct onednn *c, const_dnnl_primitive_t p, int n, const dnnl_exec_arg_t *args)
{
	onednn_must(dnnl_primitive_execute(p, c->stream, n, args), "a primitive failed");
}
