/* remark.c - what a machine's settings do otherwise than they seem to, in a sentence each. */
#include "plan/machine/machine.h"

#include "core/base/mem.h"
#include "core/node.h"
#include "sim/link/network.h"

#include <stdlib.h>
#include <string.h>

static bool remark_is_given(const struct setup *su, const char *key)
{
	const size_t i = (size_t)(opt_find(settings_opts, key) - settings_opts);

	return su->sources[i].from == FROM_GIVEN;
}

/* The setting of the link's model, as text. NULL: it has none. The caller frees. */
static char *remark_link_value(const struct setup *su, const char *key)
{
	const struct choice *link = &su->sim.link;
	const struct opt *o = opt_find(link->plugin->opts, key);

	return o ? opt_format(o, link->conf) : NULL;
}

/* Whether the text of the link gives that setting of its model. */
static bool remark_link_gives(const struct setup *su, const char *key)
{
	char *model = xasprintf("%.*s", (int)clauses_model(su->in.link), su->in.link);
	const char *given = strchr(model, ':');
	const bool gives = given && opt_gives(su->sim.link.plugin->opts, given + 1, key);

	free(model);
	return gives;
}

static struct fabric remark_fabric(const struct setup *su)
{
	const struct link *model = (const struct link *)su->sim.link.plugin;

	return model->fabric ? model->fabric(su->sim.link.conf) : (struct fabric){ 0 };
}

/* ---- racks ---- */

static char *remark_one_rack(const struct setup *su)
{
	const long long rack = remark_fabric(su).rack, workers = su->num.workers;
	const long long locations = workers + (setup_algo(su)->server ? su->in.shards : 0);

	if (locations > rack || !remark_is_given(su, "link"))
		return NULL;
	return xasprintf("link: rack=%lld: one rack holds all %lld workers, so uplinks and core "
			 "carry nothing", rack, workers);
}

/* Real racks may be partly filled, so that this is no error. */
static char *remark_last_rack(const struct setup *su)
{
	const long long rack = remark_fabric(su).rack, workers = su->num.workers;

	if (rack == 0 || workers <= rack || workers % rack == 0 || !remark_is_given(su, "link"))
		return NULL;
	return xasprintf("link: rack=%lld does not divide %lld workers: the last rack has %lld",
			 rack, workers, workers % rack);
}

/* ---- parts of a link without effect ---- */

/* Settings that count only where another one has this value, or another than this. */
static const struct {
	const char *key, *other, *value;
	bool is;
} needs[] = {
	{ "group", "collective", "hierarchical", true },
	{ "allreduce_ranks", "collective", "measured", true },
	{ "timeout_s", "loss", "0", false },
};

static char *remark_needs(const struct setup *su)
{
	char *all = NULL;

	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		char *value = remark_link_value(su, needs[i].other);

		if (value && (strcmp(value, needs[i].value) == 0) != needs[i].is &&
		    remark_link_gives(su, needs[i].key))
			xappend_own(&all, ", ", xasprintf("%s (%s=%s)", needs[i].key,
							  needs[i].other, value));
		free(value);
	}
	return all;
}

static bool remark_names_server(const struct link_clauses *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (ranks_has(&c->clause[i].from, SERVER) || ranks_has(&c->clause[i].to, SERVER))
			return true;
	return false;
}

static char *remark_link_unused(const struct setup *su)
{
	char *all, *text;

	if (!remark_is_given(su, "link"))
		return NULL;
	all = remark_needs(su);
	if (!setup_algo(su)->server && remark_names_server(&su->sim.own))
		xappend(&all, ", ", "the server's clause (the algorithm has no server)");
	text = all ? xasprintf("no effect: of link: %s", all) : NULL;
	free(all);
	return text;
}

/* ---- values that are possible, but seldom meant ---- */

/* A list of the link's model; an empty one where it has none of that name. */
static struct opt_doubles remark_list(const struct setup *su, const char *key)
{
	const struct choice *link = &su->sim.link;
	const struct opt *o = opt_find(link->plugin->opts, key);

	return o && o->type == OPT_DOUBLES
		? *(const struct opt_doubles *)((const char *)link->conf + o->offset)
		: (struct opt_doubles){ 0 };
}

static char *remark_falls(const struct setup *su, const char *sizes, const char *times)
{
	const struct opt_doubles b = remark_list(su, sizes), s = remark_list(su, times);

	size_t i = 1;

	while (i < s.n && s.v[i] >= s.v[i - 1])
		i++;
	if (i >= s.n || i >= b.n)
		return NULL;
	return xasprintf("link: %s falls from %g s at %g bytes to %g s at %g bytes (expected times "
			 "that rise)", times, s.v[i - 1], b.v[i - 1], s.v[i], b.v[i]);
}

static char *remark_table(const struct setup *su)
{
	char *text;

	if (!remark_is_given(su, "link"))
		return NULL;
	text = remark_falls(su, "allreduce_bytes", "allreduce_s");
	return text ? text : remark_falls(su, "message_bytes", "message_s");
}

static char *remark_checkpoints(const struct setup *su)
{
	if (!(su->sim.restart.interval_s > 0.0) || su->sim.restart.cost_s > 0.0 ||
	    !su->in.recovery || strstr(su->in.recovery, "cost_s"))
		return NULL;
	return xstrdup("recovery: checkpoints take no time (cost_s is 0 unless given)");
}

char *machine_remark(const struct setup *su, size_t i)
{
	static char *(*const of[MACHINE_REMARKS])(const struct setup *su) = {
		remark_one_rack, remark_last_rack, remark_link_unused, remark_table,
		remark_checkpoints,
	};

	return su->in.engine == ENGINE_SIM ? of[i](su) : NULL;
}
