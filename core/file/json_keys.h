/*
 * json_keys.h - tables of the keys that an object in a user's file may have. A table serves to
 * check the object, and to describe it in a JSON Schema.
 */
#ifndef CORE_FILE_JSON_KEYS_H
#define CORE_FILE_JSON_KEYS_H

#include <cjson/cJSON.h>
#include <stdbool.h>

enum json_kind {
	JSON_OWN,               /* any value: the reader checks it */
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
	const char *def;        /* definition among the schema's $defs; NULL: by kind */
};

/* Key "$schema", by which an editor finds the schema of a file. */
#define SCHEMA_KEY \
	{ "$schema", JSON_TEXT, false, "the JSON Schema that an editor checks this file by", NULL }

/*
 * 0 when the object has only keys of the table, all required ones, and values of their kinds; else
 * error("WHERE: ..."), with the nearest known key for an unknown one.
 */
int json_check_members(const cJSON *object, const struct json_key *keys, const char *where);

/* The names of a table as a NULL-ended list, which the caller frees. */
const char **json_key_names(const struct json_key *keys);

#endif
