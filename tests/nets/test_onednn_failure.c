/* A oneDNN operation that fails within a job: its error, and no process ends. */
/* A program of its own: all that is linked with it computes by its dnnl_primitive_execute(). */
#include "core/base/mem.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/netcase.h"

#include <dlfcn.h>
#include <dnnl.h>
#include <stdlib.h>
#include <string.h>

static bool refuse;

/* Instead of the library's own, which it calls. */
dnnl_status_t dnnl_primitive_execute(const_dnnl_primitive_t p, dnnl_stream_t stream, int n,
				     const dnnl_exec_arg_t *args)
{
	static dnnl_status_t (*own)(const_dnnl_primitive_t, dnnl_stream_t, int,
				    const dnnl_exec_arg_t *);

	if (!own)
		*(void **)&own = dlsym(RTLD_NEXT, "dnnl_primitive_execute");
	return refuse ? dnnl_runtime_error : own(p, stream, n, args);
}

static void check_failure(const struct netcase *c)
{
	struct trial t;
	float *g, *logits;
	void *ctx;

	trial_open(&t, c);
	g = vec_new(t.g->dim);
	logits = vec_new(t.n * (size_t)t.g->targets * (size_t)t.g->classes);
	ctx = backend_onednn.open(t.g, NULL, t.n, NULL);
	assert_non_null(ctx);
	backend_onednn.grad(ctx, t.x, t.n, t.images, t.labels, 1, t.use, g, NULL);
	assert_false(backend_failed(&backend_onednn, ctx));
	capture_start();
	refuse = true;
	backend_onednn.grad(ctx, t.x, t.n, t.images, t.labels, 1, t.use, g, NULL);
	refuse = false;
	assert_true(backend_failed(&backend_onednn, ctx));
	backend_onednn.logits(ctx, t.x, NULL, t.n, t.images, logits);
	capture_stop();
	assert_string_equal(capture_text(), "error: oneDNN: a primitive failed: runtime_error\n");
	assert_true(backend_failed(&backend_onednn, ctx));
	backend_onednn.close(ctx);
	free(g);
	free(logits);
	trial_close(&t);
}

static void a_failed_operation_fails_its_context(void **state)
{
	const struct netcase *c = netcases;
	const struct netcase tokens = {
		"tokens", { 4, 1, 1 }, 5, 2,
		"{'layers': [{'layer': 'embed', 'out': 4}, {'layer': 'linear', 'out': '$classes'}]}"
	};

	while (strcmp(c->name, "lenet") != 0)
		c++;
	check_failure(c);
	check_failure(&tokens);
}

RUN_ALL(a_failed_operation_fails_its_context)
