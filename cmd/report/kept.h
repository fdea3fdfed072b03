/*
 * kept.h - results that are kept in a folder: FOLDER/PAPER/NAME or FOLDER/PAPER/NAME-VARIANT.
 */
#ifndef CMD_REPORT_KEPT_H
#define CMD_REPORT_KEPT_H

#include <cjson/cJSON.h>

/* A parsed FOLDER/NAME/FILE; NULL where there is none, or after error(), when *ret is -1. */
cJSON *kept_file(const char *folder, const char *name, const char *file, int *ret);

/*
 * ["PAPER/NAME", ...], sorted: the results of an experiment, of which names has all, NULL-ended.
 * The caller frees.
 */
cJSON *kept_results(const char *folder, char *const *names, const char *experiment);

#endif
