/*
 * assumed.h - what a run's machine has that its settings leave open, and where it is from.
 */
#ifndef PLAN_RESOLVE_ASSUMED_H
#define PLAN_RESOLVE_ASSUMED_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

struct assumption {
	const char *key;        /* the setting */
	char *value, *source;   /* owned */
	bool named;             /* from the cluster that the settings name */
};

struct assumed {
	struct assumption *v;   /* [n], owned */
	size_t n;
};

/* Adds one; takes value and source over. */
void assumed_add(struct assumed *all, const char *key, char *value, char *source, bool named);
void assumed_release(struct assumed *all);

/* {setting: source}. The caller frees. */
cJSON *assumed_json(const struct assumed *all);

/*
 * "assumed: compute 0.01155 s, handoff 0 s (source); workers 16 (source)": in one line what all of
 * n runs assume, each value once. NULL: nothing. The caller frees.
 */
char *assumed_text(const struct assumed *const *runs, size_t n);

#endif
