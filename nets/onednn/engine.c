/* The library itself: one engine for the process, no threads of its own. */
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
 * A oneDNN built on OpenMP would start a team per thread of ours. The runtime is
 * looked up rather than linked, so that whichever one oneDNN brought is asked.
 */
static void engine_start(void)
{
	void *self = dlopen(NULL, RTLD_LAZY);

	if (onednn_try(dnnl_engine_create(&engine, dnnl_cpu, 0), "no engine") < 0)
		engine = NULL;          /* which every operation refuses */
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
