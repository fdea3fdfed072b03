/*
 * settings.h - every setting of a run, in one typed table: settings.def.
 *
 * The table serves the flags of `convoy sim` and `convoy run`, the keys of
 * a spec's base and grid, the help, and what a result file records.
 */
#ifndef PLAN_SETTINGS_SETTINGS_H
#define PLAN_SETTINGS_SETTINGS_H

#include "core/text/opt.h"
#include "plan/point.h"

enum engine_kind { ENGINE_SIM, ENGINE_MPI };
enum server_rank { SERVER_OWN, SERVER_SHARED };

/* As a user writes them; "auto" is resolved by setup_resolve(). An ENUM is an int. */
struct settings {
#define SETTING(name, type, ...) OPT_FIELD_##type name;
#include "plan/settings/settings.def"
#undef SETTING
	uint64_t given;         /* bit i: settings_opts[i] was set, and not to "auto" */
};

enum { SETTINGS_MOST = 64 };    /* bits of `given` */

extern const struct opt settings_opts[];

/* Parts of `convoy help settings`, with their titles. */
enum settings_group {
	GROUP_TRAINED, GROUP_END, GROUP_LEARNING, GROUP_MACHINE, GROUP_FAULTS, GROUP_RANKS,
	GROUP_PRODUCTS, GROUP_RECORDED, GROUPS
};
extern const char *const settings_group_titles[GROUPS];

/* Why a run does not depend on a setting that is given (resolve/remarks.c). */
enum unused {
	UNUSED_NEVER, UNUSED_TIMED_PRODUCTS, UNUSED_TIMED_TRAINING, UNUSED_BACKEND, UNUSED_DATA,
	UNUSED_NO_SERVER, UNUSED_NO_BUCKETS, UNUSED_NO_REAL_BUCKETS, UNUSED_COMPUTE,
	UNUSED_LR_BATCH, UNUSED_WARMUP_FROM, UNUSED_SCHEDULE
};

/* Facts of a setting in its row of settings.def. */
struct setting_facts {
	int help;               /* GROUP(group, n): in the help's group, after those of smaller n */
	const char *sim_only;   /* only the simulator has it: real ranks leave out a spec's, and
				 * refuse a given one, having this instead; NULL: both have it */
	const char *real_too;   /* value that they accept, besides the default; NULL: none */
	bool baseline;          /* a spec's baseline has the default unless it says otherwise:
				 * what slows a run is no part of what it is measured by */
	bool not_alone;         /* one worker alone lacks it, or it only changes the model */
	bool same_set_up;       /* another value makes no other set-up than the spec's */
	bool times_only;        /* of a simulated run: it changes times, and by them the order of
				 * events, but nothing else that a training run computes */
	enum unused unused;
	const struct plugin *const *table;      /* plug-ins that it chooses from; NULL: none */
	size_t choice;          /* CHOICE(member): of struct setup, that is chosen; 0: none */
	const char *kind;       /* of the plug-ins, in messages; NULL: its text is read elsewhere */
	size_t sim;             /* SIM(member): of struct setup.sim, an int that is set to it */
};
extern const struct setting_facts settings_facts[];     /* by index of settings_opts */

static inline const struct setting_facts *setting_facts(const struct opt *o)
{
	return &settings_facts[o - settings_opts];
}

/* The setting of a group that the help has after `last`, or first; NULL: that was the last one. */
const struct opt *setting_of_group(enum settings_group group, const struct opt *last);

/* The word for a value of a setting that has choices. */
const char *settings_choice(const char *key, int value);

/* Numbers of the settings that a word, such as "auto", may stand for. */
struct autos {
	int64_t workers;
	double epochs, warmup_from, compute_s, host_copy_s, update_s;
	int64_t sim_bucket;
	bool overlap;
};
extern const struct opt autos_opts[];

/*
 * Number of a value with a unit, in the unit of the setting: "640ms" of compute_s is "0.64".
 * NULL for all other texts. The caller frees.
 */
char *settings_plain(const struct opt *o, const char *value);

/* unit_lend() of a setting; the caller frees. */
char *settings_lend(const struct opt *o, const char *number, const char *like);

/* The value as the setting writes it; NULL after error(). The caller frees. */
char *settings_canonical(const struct opt *o, const char *value, const char *where);

/* opt_set() of a setting, which is given from then on. */
int settings_set(struct settings *s, const char *key, const char *text, const char *where);

/*
 * Sets an object of settings ({"batch": 32, "algo": "asgd"}) in s; NULL is
 * empty, and a list of one value is that value. Returns 0, or error() that begins with `where`.
 */
int settings_apply(struct settings *s, const cJSON *object, const char *where);

/* Sets a point's settings. */
int settings_apply_point(struct settings *s, const struct grid_point *point, const char *where);

/* 0, or error() that names the nearest where there is no such setting. */
int settings_check_key(const char *key, const char *where);

/* 0 when every key of the object is a setting, and stands there once, else error(). */
int settings_check_keys(const cJSON *object, const char *where);

/* 0 when the setting takes the value, as far as that is known of it alone; else error(). */
int settings_check_value(const char *key, const char *text, const char *where);

/*
 * A setting's value for people: of a link model its main options, and what differs from defaults;
 * the caller frees.
 */
char *setting_brief(const char *key, const char *value);

/* ---- what `list` and `show` know: plug-ins by table, files by folder ---- */

struct kind {
	const char *one, *many; /* "algo", "algos" */
	const char *what;       /* "algorithm" */
	const struct plugin *const *table;      /* NULL: files alone */
	const char *folder;     /* "nets/zoo"; NULL: plug-ins alone */
};

/* True when there is a kind of that name, one or many. */
bool kind_known(const char *name);

/* The kind of that name, one or many; NULL after error() naming the nearest. */
const struct kind *kind_find(const char *name);

/* kind_find() whose error() names a further one, which is not of the table; or NULL. */
const struct kind *kind_find_or(const char *name, const char *other);

/* The i-th kind; NULL past the last. */
const struct kind *kind_at(size_t i);

#endif
