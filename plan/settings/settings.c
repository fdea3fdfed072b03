/* Sets, applies and checks settings by name; names the words of their enumerations. */
#include "plan/settings/settings.h"

#include "algos/algos.h"
#include "core/base/context.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/samples/partition.h"
#include "core/text/opt_text.h"
#include "core/text/units.h"
#include "core/text/word.h"
#include "data/data.h"
#include "delays/delay.h"
#include "nets/sizes/sizes.h"
#include "plan/resolve/setup.h"
#include "sim/link/link.h"
#include "sim/storage.h"

#include <stdlib.h>
#include <string.h>

#define BIG 1e15

/*
 * By enum engine_kind, server_rank, allreduce_kind, lr_scaling, watch_level, precision, lowering.
 */
static const char *const engines[] = { "sim", "mpi", NULL };
static const char *const server_ranks[] = { "own", "shared", NULL };
static const char *const allreduce_kinds[] = { "buckets", "whole", "ring", NULL };
static const char *const scalings[] = { "none", "linear", "sqrt", NULL };
static const char *const measures[] = { "none", "cheap", "all", NULL };
static const char *const precisions[] = { "f32", "bf16", NULL };
static const char *const lowerings[] = { "1", "2", "3", "auto", "caffe", NULL };

#define SETTING(name, type, def, arg, min, max, words, flags, help, ...)                           \
	{ #name, OPT_AT(type, struct settings, name), def, help, arg, min, max, words, flags },
const struct opt settings_opts[] = {
#include "plan/settings/settings.def"
	{ 0 }
};
#undef SETTING

_Static_assert(sizeof(settings_opts) / sizeof(settings_opts[0]) - 1 <= SETTINGS_MOST,
	       "a bit of `given` for each setting");

/* Facts that do not compile where the member is of another type. */
#define CHOICE(member)                                                                             \
	.choice = offsetof(struct setup, member) +                                                 \
		  0 * sizeof(_Generic(&((struct setup *)0)->member, struct choice *: 0))
#define SIM(member)                                                                                \
	.sim = offsetof(struct setup, sim.member) +                                                \
	       0 * sizeof(_Generic(&((struct setup *)0)->sim.member, int *: 0))
#define GROUP(group, position) .help = 100 * GROUP_##group + (position)
#define SETTING(name, type, def, arg, min, max, words, flags, help, ...) { __VA_ARGS__ },
const struct setting_facts settings_facts[] = {
#include "plan/settings/settings.def"
};
#undef SETTING

const char *const settings_group_titles[GROUPS] = {
	[GROUP_TRAINED] = "What is trained", [GROUP_END] = "When a run ends",
	[GROUP_LEARNING] = "Learning rate, optimiser, codec",
	[GROUP_MACHINE] = "The simulated machine", [GROUP_FAULTS] = "Delays and faults",
	[GROUP_RANKS] = "Real ranks", [GROUP_PRODUCTS] = "How nets are computed",
	[GROUP_RECORDED] = "What is recorded",
};

/* Whether the help has a before b: those of equal positions stand in the table's order. */
static bool stands_before(const struct opt *a, const struct opt *b)
{
	const int x = setting_facts(a)->help, y = setting_facts(b)->help;

	return x < y || (x == y && a < b);
}

const struct opt *setting_of_group(enum settings_group group, const struct opt *last)
{
	const struct opt *next = NULL;

	for (const struct opt *o = settings_opts; o->name; o++)
		if (setting_facts(o)->help / 100 == (int)group && (!last || stands_before(last, o))
		    && (!next || stands_before(o, next)))
			next = o;
	return next;
}

#define AUTO(type, field) OPT_AT(type, struct autos, field)

const struct opt autos_opts[] = {
	{ "workers", AUTO(INT, workers), "1", NULL, "N", 1, SIM_WORKERS_MOST, NULL, 0 },
	{ "epochs", AUTO(DOUBLE, epochs), "0", NULL, "EPOCHS", 0, BIG, NULL, 0 },
	{ "warmup_from", AUTO(DOUBLE, warmup_from), "0.1", NULL, "FACTOR", 0, BIG, NULL, 0 },
	{ "compute_s", AUTO(DOUBLE, compute_s), "0", NULL, "SECONDS", 0, BIG, NULL, 0 },
	{ "host_copy_s", AUTO(DOUBLE, host_copy_s), "0", NULL, "SECONDS", 0, BIG, NULL, 0 },
	{ "update_s", AUTO(DOUBLE, update_s), "0", NULL, "SECONDS", 0, BIG, NULL, 0 },
	{ "sim_bucket", AUTO(INT, sim_bucket), "0", NULL, "BYTES", 0, 1 << 30, NULL, 0 },
	{ "overlap", AUTO(BOOL, overlap), "true", NULL, NULL, 0, 0, NULL, 0 },
	{ 0 }
};

/* The option that reads a number of a setting, of one that may be auto, too. */
static const struct opt *number_opt(const struct opt *o)
{
	const struct opt *number = opt_find(autos_opts, o->name);

	return number ? number : o;
}

char *settings_plain(const struct opt *o, const char *value)
{
	double x;

	return text_double(value, &x) || !unit_opt(number_opt(o), value, &x) ? NULL
									     : double_text(x);
}

char *settings_lend(const struct opt *o, const char *number, const char *like)
{
	return unit_lend(quantity_of(number_opt(o)), number, like);
}

char *settings_canonical(const struct opt *o, const char *value, const char *where)
{
	struct settings in;
	char *text = NULL;

	opt_init(settings_opts, &in);
	if (opt_set(settings_opts, &in, o->name, value, where) == 0)
		text = opt_format(o, &in);
	opt_release(settings_opts, &in);
	return text;
}

int settings_set(struct settings *s, const char *key, const char *text, const char *where)
{
	const struct opt *o = opt_find(settings_opts, key);
	bool omitted;

	if (opt_set(settings_opts, s, key, text, where) < 0)
		return -1;
	omitted = o->def && strcmp(o->def, "auto") == 0 && (!*text || strcmp(text, "auto") == 0);
	s->given &= ~((uint64_t)1 << (o - settings_opts));
	s->given |= (uint64_t)!omitted << (o - settings_opts);
	return 0;
}

int settings_apply(struct settings *s, const cJSON *object, const char *where)
{
	const cJSON *value;

	cJSON_ArrayForEach(value, object) {
		const bool one = cJSON_IsArray(value) && value->child && !value->child->next;
		char *text = json_text(one ? value->child : value);
		int bad;

		if (!text)
			return error("%s: %s must be a text, a number or a bool", where,
				     value->string);
		bad = settings_set(s, value->string, text, where);
		free(text);
		if (bad)
			return -1;
	}
	return 0;
}

int settings_apply_point(struct settings *s, const struct grid_point *point, const char *where)
{
	for (size_t i = 0; i < point->n; i++)
		if (settings_set(s, point->v[i].key, point->v[i].value.text, where) < 0)
			return -1;
	return 0;
}

int settings_check_key(const char *key, const char *where)
{
	const char *known[sizeof(settings_opts) / sizeof(settings_opts[0])];
	size_t n = 0;

	if (opt_find(settings_opts, key))
		return 0;
	for (const struct opt *o = settings_opts; o->name; o++)
		known[n++] = o->name;
	known[n] = NULL;
	return word_unknown(where, "setting", key, known);
}

int settings_check_keys(const cJSON *object, const char *where)
{
	const char *seen[sizeof(settings_opts) / sizeof(settings_opts[0])] = { NULL };
	const cJSON *value;

	cJSON_ArrayForEach(value, object)
		if (settings_check_key(value->string, where) < 0)
			return -1;
	/* eval-every and eval_every are one setting. */
	cJSON_ArrayForEach(value, object) {
		const char **name = &seen[opt_find(settings_opts, value->string) - settings_opts];

		if (*name)
			return error("%s: %s and %s are the same setting", where, *name,
				     value->string);
		*name = value->string;
	}
	return 0;
}

int settings_check_value(const char *key, const char *text, const char *where)
{
	const struct opt *number = opt_find(autos_opts, key);
	/* Texts that are no number: "auto", 1 / workers, a table of compute times. */
	const bool word = !number || !*text || strcmp(text, "auto") == 0 ||
			  (strcmp(key, "warmup_from") == 0 && strcmp(text, "workers") == 0) ||
			  (strcmp(key, "compute_s") == 0 && compute_times_has_clauses(text));
	struct settings settings = { 0 };
	struct autos autos = { 0 };
	int ret = opt_set(settings_opts, &settings, key, text, where);

	if (ret == 0 && !word)
		ret = opt_set(autos_opts, &autos, key, text, where);
	opt_release(settings_opts, &settings);
	opt_release(autos_opts, &autos);
	return ret;
}

const char *settings_choice(const char *key, int value)
{
	return opt_find(settings_opts, key)->choices[value];
}

char *setting_brief(const char *key, const char *value)
{
	enum { ALWAYS = 2 };    /* latency and bandwidth */
	scoped_by(choice_release) struct choice link = { 0 };
	char *brief = NULL;

	context_mute();
	if (strcmp(key, "link") == 0 && choice_parse(&link, link_table, "link model", value) == 0)
		brief = choice_brief(&link, ALWAYS);
	context_unmute();
	return brief ? brief : xstrdup(value);
}

/* ---- what `list` and `show` know ---- */

static const struct kind kinds[] = {
	{ "experiment", "experiments", "experiment", NULL, "experiments" },
	{ "lesson", "lessons", "lesson of the tour, an experiment of seconds", NULL,
	  "experiments/tour" },
	{ "algo", "algos", "algorithm", algo_table, NULL },
	{ "graph", "graphs", "topology", graph_table, NULL },
	{ "net", "nets", "net or analytic problem", net_table, "nets/zoo" },
	{ "data", "data", "data set", dataset_table, NULL },
	{ "partition", "partitions", "division of the samples", partition_table, NULL },
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
	return kind_find_or(name, NULL);
}

const struct kind *kind_find_or(const char *name, const char *other)
{
	const struct kind *found = look_up(name);
	const char *known[KINDS + 2] = { NULL };

	if (found)
		return found;
	for (size_t i = 0; i < KINDS; i++)
		known[i] = kinds[i].many;
	known[KINDS] = other;
	word_unknown(NULL, "kind", name, known);
	return NULL;
}

const struct kind *kind_at(size_t i)
{
	return i < KINDS ? &kinds[i] : NULL;
}
