/* Which runs are outside what their machine was measured for. */
#include "cmd/advise/advise.h"

#include "core/base/mem.h"
#include "core/node.h"
#include "sim/link/collective.h"

#include <string.h>

/* An option's value in the chosen link model; NULL: the model has none. */
static const void *link_option(const struct setup *su, const char *name)
{
	const struct opt *o = opt_find(su->sim.link.plugin->opts, name);

	return o ? (const char *)su->sim.link.conf + o->offset : NULL;
}

static const struct opt_doubles *link_sizes(const struct setup *su, const char *name)
{
	return link_option(su, name);
}

static bool is_link(const struct setup *su, const char *name)
{
	return strcmp(su->sim.link.plugin->name, name) == 0;
}

/* The all-reduces are of a measured table. */
static bool has_table(const struct setup *su)
{
	const int *kind = link_option(su, "collective");

	return is_link(su, "measured") || (kind && *kind == COLLECTIVE_MEASURED);
}

/* Bytes of the largest vector that is all-reduced at once; 0: of a part that is not known here. */
static double largest_allreduce(const struct setup *su)
{
	const size_t dim = su->model.dim, bucket = su->sim.bucket;

	if (setup_algo(su)->allreduces_parts)
		return 0.0;
	return (double)(setup_algo(su)->allreduces_gradients && bucket && bucket < dim ? bucket
											: dim) *
	       (double)sizeof(float);
}

static char *no_data_allreduce(const struct setup *su)
{
	const struct opt_doubles *sizes = link_sizes(su, "allreduce_bytes");
	const int64_t *ranks = link_option(su, is_link(su, "measured") ? "ranks"
								       : "allreduce_ranks");
	const double bytes = largest_allreduce(su);

	if (su->num.workers != *ranks)
		return xasprintf("all-reduces of %lld workers were not measured, only those of "
				 "%lld", (long long)su->num.workers, (long long)*ranks);
	if (bytes > sizes->v[sizes->n - 1])
		return xasprintf("all-reduces of %.4g bytes were not measured, only those of up "
				 "to %.4g", bytes, sizes->v[sizes->n - 1]);
	return NULL;
}

static char *no_data_messages(const struct setup *su)
{
	const struct opt_doubles *sizes = link_sizes(su, "message_bytes");
	const double bytes = (double)su->model.dim * (double)sizeof(float);

	if (!is_link(su, "measured") || bytes <= sizes->v[sizes->n - 1])
		return NULL;
	return xasprintf("messages of %.4g bytes were not measured, only those of up to %.4g",
			 bytes, sizes->v[sizes->n - 1]);
}

char *advise_no_data(const struct setup *su)
{
	if (su->num.workers < 2)
		return NULL;
	if (setup_algo(su)->worker->allreduce)
		return has_table(su) ? no_data_allreduce(su) : NULL;
	return no_data_messages(su);
}
