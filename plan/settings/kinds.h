/* What `list` and `show` know: plug-ins by table, files by folder. */
#ifndef PLAN_SETTINGS_KINDS_H
#define PLAN_SETTINGS_KINDS_H

#include "core/text/opt.h"

#include <stdbool.h>

struct kind {
	const char *one, *many; /* "algo", "algos" */
	const char *what;       /* "algorithm" */
	const struct plugin *const *table;      /* NULL: files alone */
	const char *folder;     /* "nets/zoo"; NULL: plug-ins alone */
};

/* Whether there is a kind of that name, one or many. */
bool kind_known(const char *name);

/* The kind of that name, one or many; NULL after error() naming the nearest. */
const struct kind *kind_find(const char *name);

/* The i-th kind; NULL past the last. */
const struct kind *kind_at(size_t i);

#endif
