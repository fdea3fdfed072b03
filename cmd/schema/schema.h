/* JSON Schemas (draft 2020-12), made of the tables that the readers check by. */
#ifndef CMD_SCHEMA_SCHEMA_H
#define CMD_SCHEMA_SCHEMA_H

#include "core/file/json_keys.h"
#include "core/text/opt.h"

#include <cjson/cJSON.h>

/* The schemas; the caller frees. */
cJSON *schema_spec(void);
cJSON *schema_net(void);
cJSON *schema_cluster(void);

/* ---- parts.c: all give the caller a new object; a cJSON * they get is taken over ---- */

/* Of JSON text, which is right. */
cJSON *schema_text(const char *json);
cJSON *schema_ref(const char *def);
/* A list of at least so many items of that kind. */
cJSON *schema_list(cJSON *items, int least);
/* One or the other. */
cJSON *schema_either(cJSON *a, cJSON *b);
/* {"enum": [...]} of a NULL-ended list. */
cJSON *schema_words(const char *const *words);
/* {"pattern": "^(a|b)TAIL"} */
cJSON *schema_begins(const char *const *words, const char *tail);

/* The value of an option in a file: a number, bool or word, or the same as text. */
cJSON *schema_opt(const struct opt *o);

/* An object of these keys; adds nothing to $defs, which its references name. */
cJSON *schema_object(const struct json_key *keys);

/* The top of a schema: $schema, title, then the object's members and $defs. */
cJSON *schema_root(const char *title, cJSON *object, cJSON *defs);

#endif
