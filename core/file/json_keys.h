/*
 * json_keys.h - the keys of an object in a user's file: one table checks them, and says them
 * in a JSON Schema.
 */
#ifndef CORE_FILE_JSON_KEYS_H
#define CORE_FILE_JSON_KEYS_H

#include <cjson/cJSON.h>
#include <stdbool.h>

enum json_kind {
	JSON_OWN,               /* its reader checks the value */
	JSON_TEXT,
	JSON_LINES,             /* a list of texts */
	JSON_TEXTS,             /* a text or a list of texts */
	JSON_BOOL,
	JSON_AMOUNT             /* a number that is not negative */
};

struct json_key {
	const char *name;       /* NULL ends a table */
	enum json_kind kind;
	bool required;
	const char *help;       /* one sentence */
	const char *def;        /* of its value, among the schema's $defs; NULL: as the kind */
};

/* What an editor wants in a file: the schema that it is checked by. */
#define SCHEMA_KEY \
	{ "$schema", JSON_TEXT, false, "the JSON Schema that an editor checks this file by", NULL }

/*
 * 0 when the object has no other keys, all that are required, and texts, bools and amounts are
 * such; else error("WHERE: ..."), with the nearest of an unknown key.
 */
int json_check_members(const cJSON *object, const struct json_key *keys, const char *where);

/* The names of a table as a NULL-ended list, which the caller frees. */
const char **json_key_names(const struct json_key *keys);

#endif
