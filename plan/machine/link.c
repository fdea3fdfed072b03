/* Resolves the setting link: the model, what clauses say after it, and what it leaves open. */
#include "plan/machine/machine.h"

#include "core/base/mem.h"
#include "sim/link/network.h"

#include <stdlib.h>
#include <string.h>

/* "latency_s=1e-05,bandwidth_GBps=1": what a model's text leaves to its defaults. NULL: nothing. */
static char *link_defaults(const struct choice *link, const char *text)
{
	static const char *const keys[] = { "latency_s", "bandwidth_GBps" };
	const char *given = strchr(text, ':');
	char *all = NULL;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct opt *o = opt_find(link->plugin->opts, keys[i]);

		if (o && !(given && opt_gives(link->plugin->opts, given + 1, keys[i])))
			xappend_own(&all, ",", xasprintf("%s=%s", keys[i], o->def));
	}
	return all;
}

static void link_assume(struct setup *su, const char *text)
{
	struct setting_source *src = setting_source_at(su->sources, "link");

	if (src->from != FROM_GIVEN)
		return;
	src->value = link_defaults(&su->sim.link, text);
	if (!src->value)
		return;
	src->name = xasprintf("defaults of link %s", su->sim.link.plugin->name);
	src->used = su->num.workers > 1;
}

int link_read(struct setup *su, const char *text)
{
	const struct link *model;
	char *name = xasprintf("%.*s", (int)clauses_model(text), text);
	int ret = choice_parse(&su->sim.link, link_table, "link model", name);

	if (ret == 0)
		link_assume(su, name);
	free(name);
	if (ret < 0 || clauses_parse(&su->sim.own, text, (int)su->num.workers) < 0)
		return -1;
	model = (const struct link *)su->sim.link.plugin;
	if (model->check && model->check(su->sim.link.conf) < 0)
		return -1;
	return network_check(model, su->sim.link.conf, &su->sim.own, (int)su->num.workers);
}
