/* The facts of an algorithm, fact by fact: for show, list and docs/algorithms.md. */
#ifndef CMD_SHOW_FACTS_H
#define CMD_SHOW_FACTS_H

#include "core/node.h"

#include <cjson/cJSON.h>

/* The facts as lines, and as members of an object. */
void facts_print(const struct algo *algo);
void facts_add(cJSON *object, const struct algo *algo);

/* All algorithms in Markdown: a table, then the rule of each. */
void facts_table(void);

#endif
