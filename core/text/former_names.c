/* The table of former names. */
#include "core/text/former_names.h"

#include "core/text/opt.h"

#include <stddef.h>

static const struct {
	const char *former, *present;
} former_names[] = {
	{ "handoff_s", "host_copy_s" },
	{ "handoff_GBps", "host_copy_GBps" },
	{ "handoff_latency_s", "host_copy_latency_s" },
	{ "beside_GBps", "receive_GBps" },
};

const char *former_name(const char *name)
{
	for (size_t i = 0; i < sizeof(former_names) / sizeof(former_names[0]); i++)
		if (opt_same_key(former_names[i].former, name))
			return former_names[i].present;
	return NULL;
}
