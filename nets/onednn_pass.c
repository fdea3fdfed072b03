/* Primitives, and the handles by which each lane gives them their tensors. */
#include "nets/onednn.h"

#include <dnnl_debug.h>

/* The library's own memory for a primitive becomes the pass's last argument. */
static void add_scratch(struct onednn *c, struct pass *p, const_dnnl_primitive_desc_t pd)
{
	const dnnl_memory_desc_t *md =
		dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);
	size_t bytes = dnnl_memory_desc_get_size(md);

	p->arg[p->n] = DNNL_ARG_SCRATCHPAD;
	p->md[p->n++] = *md;
	c->scratch_bytes = bytes > c->scratch_bytes ? bytes : c->scratch_bytes;
}

int pass_open(struct onednn *c, struct pass *p, dnnl_primitive_desc_t pd, int n, const int *arg,
	      const dnnl_memory_desc_t *const *md)
{
	dnnl_status_t s = pd ? dnnl_primitive_create(&p->primitive, pd) : dnnl_unimplemented;

	if (s == dnnl_success) {
		for (p->n = 0; p->n < n; p->n++) {
			p->arg[p->n] = arg[p->n];
			p->md[p->n] = *md[p->n];
		}
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

int pass_open_reorder(struct onednn *c, struct pass *p, const dnnl_memory_desc_t *from,
		      const dnnl_memory_desc_t *to)
{
	static const int args[] = { DNNL_ARG_FROM, DNNL_ARG_TO };
	const dnnl_memory_desc_t *const mds[] = { from, to };
	dnnl_engine_t e = onednn_engine();
	dnnl_primitive_attr_t attr;
	dnnl_primitive_desc_t pd = NULL;

	onednn_must(dnnl_primitive_attr_create(&attr), "no attributes");
	onednn_must(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user),
		    "no attributes");
	if (dnnl_reorder_primitive_desc_create(&pd, from, e, to, e, attr) != dnnl_success)
		pd = NULL;
	dnnl_primitive_attr_destroy(attr);
	return pass_open(c, p, pd, 2, args, mds);
}

static dnnl_memory_t handle(const struct pass *p, int lane, int i)
{
	dnnl_memory_t *m = &p->handles[lane * PASS_ARGS + i];

	if (!*m)
		*m = onednn_memory_new(&p->md[i], DNNL_MEMORY_NONE);
	return *m;
}

void pass_run(struct pass *p, struct lane *w, const void *const *data)
{
	dnnl_exec_arg_t args[PASS_ARGS];

	for (int i = 0; i < p->n; i++) {
		const void *at = i + 1 < p->n ? data[i] : w->scratch;

		args[i] = (dnnl_exec_arg_t){ p->arg[i], handle(p, w->index, i) };
		onednn_must(dnnl_memory_set_data_handle(args[i].memory, (void *)(uintptr_t)at),
			    "no memory");
	}
	onednn_must(dnnl_primitive_execute(p->primitive, w->stream, p->n, args),
		    "a primitive failed");
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
