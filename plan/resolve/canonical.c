/* The canonical text of a run's settings, and the hash over it. */
#include "plan/resolve/setup.h"

#include "core/base/context.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/math/rng.h"
#include "core/math/vec.h"
#include "core/slow.h"
#include "core/text/units.h"
#include "plan/settings/faults.h"
#include "plan/settings/shares.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Part of every hash: a new layout or meaning of results makes all runs new. */
static const char format[] = "convoy-results=3\n";

/* The chosen plug-in of a setting, or NULL: a plain value. */
static const struct choice *choice_of(const struct setup *su, const struct opt *opt)
{
	const struct choice *c = setting_choice_in(su, opt);

	if (strcmp(opt->name, "net") == 0)
		c = su->model.sized.plugin ? &su->model.sized : &su->model.analytic;
	return c && c->plugin ? c : NULL;
}

static char *canonical_text(const struct setup *su, const struct opt *opt)
{
	const struct choice *c = choice_of(su, opt);
	const struct opt *number = opt_find(autos_opts, opt->name);

	if (strcmp(opt->name, "data") == 0 && !setup_needs_data(su))
		return xstrdup("none");
	if (su->in.engine == ENGINE_MPI && setting_facts(opt)->sim_only &&
	    default_rule_find(opt->name, FROM_ENGINE))
		return xstrdup("none");
	if (strcmp(opt->name, "cluster") == 0)
		return xstrdup(su->cluster);
	if (strcmp(opt->name, "delay") == 0)
		return delays_format(su->sim.pace.delays);
	if (strcmp(opt->name, "slow") == 0)
		return slow_format(su->slow, su->sim.pace.nslow);
	if (strcmp(opt->name, "shares") == 0)
		return shares_format(su->slice, (int)su->num.workers);
	if (strcmp(opt->name, "faults") == 0)
		return faults_format(su->fault, su->sim.nfaults);
	if (strcmp(opt->name, "recovery") == 0)
		return restart_format(&su->sim.restart);
	if (strcmp(opt->name, "link") == 0) {
		char *model = su->link_text ? xstrdup(su->link_text)
					    : choice_format(&su->sim.link);
		char *own = clauses_format(&su->sim.own);
		char *text = xasprintf("%s%s", model, own);

		free_all(model, own);
		return text;
	}
	if (strcmp(opt->name, "price") == 0) {
		struct price price;

		return price_parse(&price, su->in.price ? su->in.price : "none") < 0
			? xstrdup("none") : price_text(&price);
	}
	if (strcmp(opt->name, "compute_s") == 0 && su->times.n)
		return compute_times_format(&su->times);
	if (c)
		return choice_format(c);
	if (number)
		return opt_format(number, &su->num);
	if (strcmp(opt->name, "backend") == 0)
		return xstrdup(setup_needs_data(su) ? su->backend->name : "none");
	if (strcmp(opt->name, "graph") == 0)
		return xstrdup("none");
	/* Those of an external problem are known once it has run; its digest stands for them. */
	if (strcmp(opt->name, "samples") == 0 && !su->model.external)
		return xasprintf("%" PRId64, su->samples);
	return opt_format(opt, &su->in);
}

/* A plug-in's settings, without those that do not change a result, such as a folder. */
static uint64_t hash_choice(uint64_t h, const struct choice *c)
{
	scoped void *usual = xcalloc(c->plugin->conf_size, 1);

	h = fnv_text(h, c->plugin->code ? c->plugin->code : c->plugin->name);
	opt_init(c->plugin->opts, usual);
	for (const struct opt *o = c->plugin->opts; o && o->name; o++) {
		scoped char *text = NULL, *before = NULL;

		if (o->flags & OPT_NOHASH)
			continue;
		text = opt_format(o, c->conf);
		before = opt_format(o, usual);
		/* A default that stands for what was before there was the option is left out. */
		if (!(o->flags & OPT_ADDED) || strcmp(before, text) != 0)
			h = fnv_text(fnv_text(fnv_text(fnv_text(h, ","), o->name), "="), text);
	}
	opt_release(c->plugin->opts, usual);
	return h;
}

static uint64_t hash_delays(uint64_t h, const struct delays *d)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct delay_clause *c = &d->clause[i];

		if (i || c->who.n) {
			scoped char *who = delay_ranks(c);

			h = fnv_text(fnv_text(fnv_text(h, "; "), who), ": ");
		}
		for (size_t k = 0; k < c->nmodels; k++) {
			const struct choice *model = &c->model[k];
			const struct opt_doubles read = delay_read(model);

			h = hash_choice(k || c->onto ? fnv_text(h, " * ") : h, model);
			if (read.n)
				h = fnv(h, read.v, read.n * sizeof(*read.v));
		}
	}
	return h;
}

/* The file's contents; and the size, which the data set's shape decides as well. */
static uint64_t hash_net(uint64_t h, const struct model *m)
{
	char text[64];

	snprintf(text, sizeof(text), ":%016" PRIx64 ":%zu", m->digest, m->external ? 0 : m->dim);
	return fnv_text(fnv_text(h, m->name), text);
}

/* The model that the file keeps; a file that cannot be read ends the run when it begins. */
static uint64_t hash_init(uint64_t h, const struct setup *su, const char *init)
{
	scoped float *x = NULL;

	if (strcmp(init, "seed") != 0) {
		context_mute();
		x = setup_start(su);
		context_unmute();
	}
	h = x ? fnv_step(h, vec_digest(su->model.dim, x)) : fnv_text(h, init);
	return h;
}

/* True of a setting at a default that stands for what was before there was the setting. */
static bool is_silent(const struct opt *o, const char *text)
{
	const struct opt *number = opt_find(autos_opts, o->name);

	return o->flags & OPT_ADDED && strcmp(text, number ? number->def : o->def) == 0;
}

/* Digest of the data set's files, where its settings do not tell them; 0: they do. */
static uint64_t data_contents(const struct setup *su)
{
	return setup_needs_data(su)
		? dataset_contents((const struct dataset_type *)su->data.plugin, su->data.conf)
		: 0;
}

static uint64_t hash_setting(uint64_t h, const struct setup *su, const struct opt *o,
			     const struct setting *s)
{
	const struct choice *c = choice_of(su, o);
	uint64_t contents = 0;
	char text[32], *own;

	/* A setting that was renamed is hashed as before: finished runs are still found. */
	h = fnv_text(fnv_text(h, strcmp(s->key, "host_copy_s") == 0 ? "handoff_s" : s->key), "=");
	if (c && c == &su->model.sized)
		h = hash_net(hash_choice(h, c), &su->model);
	else if (c && strcmp(s->value, "none") != 0)
		h = hash_choice(h, c);
	else if (strcmp(s->key, "net") == 0)
		h = hash_net(h, &su->model);
	else if (strcmp(s->key, "delay") == 0)
		h = hash_delays(h, su->sim.pace.delays);
	else if (strcmp(s->key, "init") == 0)
		h = hash_init(h, su, s->value);
	else
		h = fnv_text(h, s->value);
	if (c == &su->sim.link && strcmp(s->value, "none") != 0) {      /* of single nodes */
		own = clauses_format(&su->sim.own);
		h = fnv_text(h, own);
		free(own);
	}
	if (c == &su->data)
		contents = data_contents(su);
	snprintf(text, sizeof(text), ":%016" PRIx64, contents);
	if (contents)
		h = fnv_text(h, text);
	if (strcmp(s->key, "compute_s") == 0)
		h = compute_times_hash(h, &su->times);
	if (c == &su->graph) {  /* what a file says, and what a seed draws */
		snprintf(text, sizeof(text), ":%016" PRIx64, su->topology.digest);
		h = fnv_text(h, text);
	}
	return fnv_text(h, "\n");
}

/* ---- runs whose results have another meaning than they once had ---- */

static bool follows_schedule(const struct setup *su)
{
	return strcmp(su->schedule.plugin->name, "constant") != 0 || su->in.warmup > 0.0;
}

/* Samples whose number no one can tell yet may be few. */
static bool shuffles_few(const struct setup *su)
{
	const struct dataset_type *type = (const struct dataset_type *)su->data.plugin;
	const struct plugin *analytic = su->model.analytic.plugin;
	int64_t n[2] = { 0, 0 };
	int unknown;

	if (analytic && !su->in.timing)
		return strcmp(analytic->name, "logistic") == 0 && su->samples <= RNG_EXACT;
	if (su->in.timing || !setup_needs_data(su))
		return false;
	context_mute();
	unknown = dataset_count(type, su->data.conf, n);
	context_unmute();
	return unknown > 0 || (type->apart && type->apart(su->data.conf)) ||
	       (!unknown && n[SPLIT_TRAIN] <= RNG_EXACT);
}

static bool pairs_few(const struct setup *su)
{
	return strcmp(su->algo.plugin->name, "noloco") == 0 && su->num.workers > 2 &&
	       su->num.workers <= RNG_EXACT;
}

static bool exempts_from_decay(const struct setup *su)
{
	const struct optim *optim = (const struct optim *)su->optim.plugin;
	const bool obeyed = strcmp(optim->plugin.name, "lars") == 0 ||
			    strcmp(optim->plugin.name, "lamb") == 0;

	if (obeyed || (optim->decay && optim->decay(su->optim.conf).rate == 0.0))
		return false;
	for (size_t i = 0; su->model.layers && i < su->model.nlayers; i++)
		if (!su->model.layers[i].decay)
			return true;
	return false;
}

double setup_link_number(const struct setup *su, const char *key)
{
	const struct opt *o = opt_find(su->sim.link.plugin->opts, key);

	return o && o->type == OPT_DOUBLE
		? *(const double *)((const char *)su->sim.link.conf + o->offset) : 0.0;
}

/* All-reduces find connections and token buckets as those before have left them. */
static bool carries_credit(const struct setup *su)
{
	return setup_algo(su)->worker->allreduce && su->in.engine == ENGINE_SIM &&
	       (setup_link_number(su, "burst_bytes") > 0.0 ||
		(setup_link_number(su, "slow_start_bytes") > 0.0 && su->sim.bucket > 0));
}

/* Runs of which one holds have a line more in their hash; all others are found as before. */
static const struct {
	bool (*holds)(const struct setup *su);
	const char *line, *former;
	bool times;             /* changes no training */
} changes[] = {
	{ follows_schedule, "rate=before\n", "learning rates that were a step ahead of their "
	  "schedule", false },
	{ shuffles_few, "shuffle=exact\n", "samples in an order that was not quite random",
	  false },
	{ pairs_few, "pairs=exact\n", "pairs of workers that were not quite random", false },
	{ exempts_from_decay, "decay=exempts\n", "weight decay of tensors that the net exempts",
	  false },
	{ carries_credit, "credit=carried\n", "token buckets or connections that were new in "
	  "each all-reduce", true }
};

enum { CHANGES = sizeof(changes) / sizeof(changes[0]) };

static uint64_t hash_changes(uint64_t h, const struct setup *su, bool times)
{
	for (size_t i = 0; i < CHANGES; i++)
		if (su->changes & 1u << i && (times || !changes[i].times))
			h = fnv_text(h, changes[i].line);
	return h;
}

const char *setup_former(const struct setup *su)
{
	for (size_t i = 0; i < CHANGES; i++)
		if (su->changes & 1u << i)
			return changes[i].former;
	return NULL;
}

/*
 * True of a setting that says no more than how long the run is. A schedule may go by the length,
 * and faults after the last second are none.
 */
static bool is_length(const struct setup *su, const char *key)
{
	if (((const struct schedule *)su->schedule.plugin)->to_the_end)
		return false;
	if (strcmp(key, "seconds") == 0)
		return su->sim.nfaults == 0 && !(su->sim.restart.interval_s > 0.0);
	return strcmp(key, "epochs") == 0 || strcmp(key, "gradients") == 0;
}

void setup_lineage(const struct setup *su, bool former, char lineage[17])
{
	uint64_t h = fnv_text(FNV_START, format);
	size_t i = 0;

	for (const struct opt *o = settings_opts; o->name; o++, i++) {
		const struct setting *s = &su->canonical[i];

		if (!is_silent(o, s->value) && !is_length(su, o->name))
			h = hash_setting(h, su, o, s);
	}
	if (!former)
		h = hash_changes(h, su, true);
	snprintf(lineage, 17, "%016" PRIx64, h);
}

uint64_t setup_training(const struct setup *su)
{
	uint64_t h = fnv_text(FNV_START, format);
	size_t i = 0;

	if (su->in.engine != ENGINE_SIM || su->in.timing || su->in.keep_model ||
	    su->in.seconds > 0.0 || su->sim.nfaults > 0 || su->sim.restart.interval_s > 0.0 ||
	    setup_algo(su)->reads_clock)
		return 0;
	for (const struct opt *o = settings_opts; o->name; o++, i++) {
		const struct setting *s = &su->canonical[i];

		if (!setting_facts(o)->times_only && !is_silent(o, s->value))
			h = hash_setting(h, su, o, s);
	}
	return hash_changes(h, su, false);
}

char *setup_identity(const struct setup *su)
{
	const uint64_t contents = data_contents(su);
	char *lines = xstrdup("");
	size_t i = 0;

	for (const struct opt *o = settings_opts; o->name; o++, i++) {
		const struct setting *s = &su->canonical[i];

		xappendf(&lines, "", "%016" PRIx64 "\t%s = %s", hash_setting(FNV_START, su, o, s),
			 s->key, s->value);
		/* of files whose digest is not one of the settings */
		if (contents && strcmp(s->key, "data") == 0 && !strstr(s->value, "contents="))
			xappendf(&lines, "", ", of files with digest %016" PRIx64, contents);
		xappend(&lines, "", "\n");
	}
	xappendf(&lines, "", "%s\thash = %s\n", su->hash, su->hash);
	return lines;
}

int setup_canonical(struct setup *su)
{
	uint64_t h = fnv_text(FNV_START, format);

	for (const struct opt *o = settings_opts; o->name; o++) {
		struct setting *s;

		su->canonical = xgrown(su->canonical, su->ncanonical, sizeof(*su->canonical));
		s = &su->canonical[su->ncanonical++];
		*s = (struct setting){ o->name, canonical_text(su, o) };
		if (!is_silent(o, s->value))
			h = hash_setting(h, su, o, s);
	}
	/* Asked once, because to count samples may take reading a file. */
	su->changes = 0;
	for (size_t i = 0; i < CHANGES; i++)
		su->changes |= changes[i].holds(su) ? 1u << i : 0;
	snprintf(su->former, sizeof(su->former), "%016" PRIx64, h);
	snprintf(su->hash, sizeof(su->hash), "%016" PRIx64, hash_changes(h, su, true));
	return 0;
}
