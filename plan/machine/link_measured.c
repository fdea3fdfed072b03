/* Which runs are outside what their link was measured for. */
#include "plan/machine/machine.h"

#include "core/base/mem.h"
#include "sim/allreduce/collective.h"

#include <stdlib.h>
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

/* 0 bytes: not known. */
static char *beyond_sizes(const char *what, double bytes, const struct opt_doubles *sizes)
{
	const double first = sizes->v[0], last = sizes->v[sizes->n - 1];

	if (bytes <= 0.0 || (bytes >= first && bytes <= last))
		return NULL;
	return xasprintf("%s of %.4g bytes were not measured, only those of %.4g to %.4g", what,
			 bytes, first, last);
}

static char *beyond_allreduces(const struct setup *su)
{
	const int64_t *ranks = link_option(su, is_link(su, "measured") ? "ranks"
								       : "allreduce_ranks");
	char *sizes = beyond_sizes("all-reduces", largest_allreduce(su),
				   link_sizes(su, "allreduce_bytes"));
	char *text = NULL;

	if (su->num.workers != *ranks)
		text = xasprintf("all-reduces of %lld workers were not measured, only those of "
				 "%lld", (long long)su->num.workers, (long long)*ranks);
	if (sizes)
		xappend_own(&text, ", and ", sizes);
	return text;
}

static char *beyond_messages(const struct setup *su)
{
	const double bytes = (double)su->model.dim * (double)sizeof(float);

	return is_link(su, "measured")
		       ? beyond_sizes("messages", bytes, link_sizes(su, "message_bytes"))
		       : NULL;
}

char *measured_beyond(const struct setup *su)
{
	if (su->num.workers < 2 || !su->sim.link.plugin)
		return NULL;
	if (setup_algo(su)->worker->allreduce)
		return has_table(su) ? beyond_allreduces(su) : NULL;
	return beyond_messages(su);
}

void measured_note(struct setup *su)
{
	char *beyond = measured_beyond(su);

	if (beyond)
		setting_source_extrapolated(setting_source_at(su->sources, "link"), beyond,
					    xstrdup(su->sim.link.plugin->name));
	free(beyond);
}
