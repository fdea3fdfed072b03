/* The data sets that can be chosen by name. */
#ifndef DATA_DATA_H
#define DATA_DATA_H

#include "core/samples/dataset.h"

extern const struct plugin *const dataset_table[];      /* NULL-ended, of struct dataset_type */

/*
 * Opens a chosen data set. NULL after error(), which names the file and what to
 * do about it. The caller closes with dataset_close().
 */
struct dataset *dataset_open(const struct choice *c);

/* The same of a text such as "mnist:train=1000". */
struct dataset *dataset_open_text(const char *text);

/*
 * From here on only plans are made: a text that is missing is assumed, with a note(), to have the
 * size and the symbols of a known one. Opening it fails as before.
 */
void dataset_plan_only(void);

/* True when that was so of a text. */
bool dataset_plan_assumed(void);

#endif
