/* Where the value of a setting comes from, and the rules for those that are omitted. */
#ifndef PLAN_RESOLVE_SETTING_SOURCE_H
#define PLAN_RESOLVE_SETTING_SOURCE_H

#include "plan/settings/settings.h"

#include <cjson/cJSON.h>

enum from {
	FROM_DEFAULT,           /* what settings_opts says */
	FROM_GIVEN, FROM_ALGORITHM, FROM_NET, FROM_DATA, FROM_BUILD, FROM_BOUNDS, FROM_WORKERS,
	FROM_RANKS, FROM_ENGINE, FROM_MACHINE, FROM_CLUSTER,
	FROM_NEUTRAL            /* as FROM_CLUSTER, but no cluster says it */
};

/* Where the value of an omitted setting comes from when it is not its plain default. */
struct default_rule {
	const char *key;        /* a setting may have several rules; NULL ends the table */
	enum from from;
	const char *by;         /* the settings that decide, separated by spaces */
	const char *rule;
};

extern const struct default_rule default_rules[];

/* The rule by which a setting's value is from there; NULL: there is none. */
const struct default_rule *default_rule_find(const char *key, enum from from);

struct setting_source {
	enum from from;
	char *source;           /* "cluster power8-edr", owned; NULL: from says it all */
	char *beyond;           /* from what the value is extrapolated, owned; NULL: it is not */
	char *name;             /* both in words, owned; NULL: neither */
	char *value;            /* as the source has it, owned; NULL: the canonical text */
	bool named;             /* from the cluster that the settings name */
	bool used;              /* the run's times depend on it */
	const char *unused;     /* why the run does not depend on what is given; NULL: it does */
};

/* Marks what is given as such. `all` is [SETTINGS_MOST], by index of settings_opts. */
void setting_sources_begin(struct setting_source *all, const struct settings *in);
void setting_sources_release(struct setting_source *all);

/* That of a setting. */
struct setting_source *setting_source_at(struct setting_source *all, const char *key);

/* The value of that omitted setting is by a rule of the table. */
void setting_source_set(struct setting_source *all, const char *key, enum from from);

/* Sets the source, which is taken over. */
void setting_source_is(struct setting_source *src, char *source);

/*
 * The value is extrapolated, and the run depends on it. Takes over from what, and the value as a
 * line names it; NULL: the canonical text.
 */
void setting_source_extrapolated(struct setting_source *src, char *beyond, char *value);

/*
 * "given", "default", "from algorithm", "from cluster power8-edr", without what a comma in the
 * source adds. The caller frees.
 */
char *setting_source_text(const struct setting_source *src);

/* "from cluster", of a rule. The caller frees. */
char *from_text(enum from from);

/* {setting: text} of all settings. The caller frees. */
cJSON *setting_sources_json(const struct setting_source *all);

#endif
