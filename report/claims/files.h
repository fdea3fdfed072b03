/* JSON files next to an experiment's results that filters of its claims read. */
#ifndef REPORT_CLAIMS_FILES_H
#define REPORT_CLAIMS_FILES_H

#include <cjson/cJSON.h>

/* 0, or error("WHERE: ...") unless a spec's "reads" is a list of names that files may have. */
int claims_check_names(const cJSON *reads, const char *where);

/*
 * spec["files"] <- {name: its contents} for the names of spec["reads"], null where the folder has
 * no such file. 0, or error() where a file is not JSON.
 */
int claims_read_files(cJSON *spec, const char *folder);

/* The first name that has no file, NULL when all are there; the text is the spec's. */
const char *claims_missing_file(const cJSON *spec);

#endif
