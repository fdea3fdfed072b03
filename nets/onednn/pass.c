/* Primitives, and the handles by which each lane gives them their tensors. */
#include "nets/onednn/onednn.h"

#include <dnnl_debug.h>

/* The library's own memory for a primitive becomes the pass's last argument. */
static void add_scratch(struct onednn *c, struct pass *p, const_dnnl_primitive_desc_t pd)
{
	size_t bytes = onednn_bytes(pd, DNNL_ARG_SCRATCHPAD);

	p->arg[p->n++] = DNNL_ARG_SCRATCHPAD;
	c->scratch_bytes = bytes > c->scratch_bytes ? bytes : c->scratch_bytes;
}

int pass_open(struct onednn *c, struct pass *p, dnnl_primitive_desc_t pd, int n, const int *arg)
{
	dnnl_status_t s = pd ? dnnl_primitive_create(&p->primitive, pd) : dnnl_unimplemented;

	if (s == dnnl_success) {
		for (p->n = 0; p->n < n; p->n++)
			p->arg[p->n] = arg[p->n];
		add_scratch(c, p, pd);
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

static dnnl_memory_t onednn_pass_handle(const struct pass *p, int lane, int i)
{
	dnnl_memory_t *m = &p->handles[lane * PASS_ARGS + i];

	if (!*m)
		*m = onednn_memory_new(pass_desc(p), p->arg[i], DNNL_MEMORY_NONE);
	return *m;
}

void pass_run(struct pass *p, struct lane *w, const void *const *data)
{
	dnnl_exec_arg_t args[PASS_ARGS];

	for (int i = 0; i < p->n && !w->failed; i++) {
		void *at = i + 1 < p->n ? (void *)(uintptr_t)data[i] : w->scratch;

		args[i] = (dnnl_exec_arg_t){ p->arg[i], onednn_pass_handle(p, w->index, i) };
		w->failed = !args[i].memory ||
			    onednn_try(dnnl_memory_set_data_handle(args[i].memory, at),
				       "no memory") < 0;
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
