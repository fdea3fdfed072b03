/* Data sets that users choose by name. */
#ifndef DATA_DATA_H
#define DATA_DATA_H

#include "core/samples/dataset.h"

extern const struct plugin *const dataset_table[];      /* NULL-ended, of struct dataset_type */

/*
 * Opens a chosen data set. NULL after error(), which names the file and what to
 * do about it. The caller closes with dataset_close().
 */
struct dataset *dataset_open(const struct choice *c);

/* dataset_open() for a text such as "mnist:train=1000". */
struct dataset *dataset_open_text(const char *text);

/*
 * Call when only a plan is made, as for a dry run. From then on, a text whose file is missing is
 * assumed, with a note(), to have the size and vocabulary of a known text. Opening it still fails.
 */
void dataset_plan_only(void);

/* True when a text was assumed after dataset_plan_only(). */
bool dataset_plan_assumed(void);

#endif
