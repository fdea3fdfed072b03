/* In what the settings of a command line differ from an experiment's own. */
#ifndef PLAN_SPEC_USER_CHANGES_H
#define PLAN_SPEC_USER_CHANGES_H

#include "plan/spec/spec.h"

#include <stdint.h>

struct changes {                /* owned; NULL: none */
	char *settings;         /* "workers=4 lr=0.05": another set-up than the spec's */
	uint64_t keys;          /* these settings, a bit each, by index of settings_opts */
	char *data;             /* another data set, without the folder of its files */
};

/*
 * Compares {setting: text} with what the spec, its scale and the defaults say;
 * a list of the grid that is cut to one value is a change too, and so are several values
 * (values.h) that are not the grid's. The seed and what multiplies (backend, lowering,
 * partitions, fusion) make no other set-up, where they have one value. 0 or error(); release in
 * either case.
 */
int changes_find(struct changes *c, const struct spec *s, const cJSON *set);

/* Whether a setting is among them. */
bool changes_has(const struct changes *c, const char *setting);

void changes_release(struct changes *c);

/* "workers=4 data=cifar10": the settings and the data set; NULL: none. The caller frees. */
char *changes_text(const struct changes *c);

/* The part of a folder's name that stands for changed settings: "+0123abcd". The caller frees. */
char *changes_suffix(const struct changes *c);

#endif
