/* The table of kinds for `list` and `show`, each with its plug-ins or its folder. */
#include "plan/settings/kinds.h"

#include "algos/algos.h"
#include "core/text/word.h"
#include "data/data.h"
#include "delays/delay.h"
#include "nets/sizes/sizes.h"
#include "plan/compute/kinds.h"
#include "sim/link/link.h"

#include <string.h>

static const struct kind kinds[] = {
	{ "experiment", "experiments", "experiment", NULL, "experiments" },
	{ "lesson", "lessons", "lesson of the tour, an experiment of seconds", NULL,
	  "experiments/tour" },
	{ "algo", "algos", "algorithm", algo_table, NULL },
	{ "graph", "graphs", "topology", graph_table, NULL },
	{ "net", "nets", "net or analytic problem", net_table, "nets/zoo" },
	{ "data", "data", "data set", dataset_table, NULL },
	{ "delay", "delays", "delay model", delay_table, NULL },
	{ "link", "links", "link model", link_table, NULL },
	{ "cluster", "clusters", "simulated machine", NULL, "sim/clusters" },
	{ "schedule", "schedules", "learning rate over time", schedule_table, NULL },
	{ "optim", "optims", "optimiser", optim_table, NULL },
	{ "codec", "codecs", "codec of gradients", codec_table, NULL },
	{ "device", "devices", "compute time", compute_table, NULL }
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static const struct kind *look_up(const char *name)
{
	for (size_t i = 0; i < KINDS; i++)
		if (strcmp(name, kinds[i].one) == 0 || strcmp(name, kinds[i].many) == 0)
			return &kinds[i];
	return NULL;
}

bool kind_known(const char *name)
{
	return look_up(name);
}

const struct kind *kind_find(const char *name)
{
	const struct kind *found = look_up(name);
	const char *known[KINDS + 1];

	if (found)
		return found;
	for (size_t i = 0; i < KINDS; i++)
		known[i] = kinds[i].many;
	known[KINDS] = NULL;
	word_unknown(NULL, "kind", name, known);
	return NULL;
}

const struct kind *kind_at(size_t i)
{
	return i < KINDS ? &kinds[i] : NULL;
}
