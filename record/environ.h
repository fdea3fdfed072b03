/* Machine, libraries and command of a run. */
#ifndef RECORD_ENVIRON_H
#define RECORD_ENVIRON_H

#include "core/file/members.h"

#include <cjson/cJSON.h>
#include <stdint.h>

/* Version of the program, and the commit that it was built of; "unknown". */
extern const char environ_version[], environ_commit[];

/* A command line as a shell would take it; the caller frees. */
char *environ_quote(int argc, char **argv);

/* From now on environ_command() is of this command line; borrowed. */
void environ_set_command(int argc, char **argv);

/* The command line of this process, as a shell would take it; the caller frees. */
char *environ_command(void);

/* Loads the libraries of which results name versions, before processes that write some begin. */
void environ_prepare(void);

/* From now on results name these versions of what computes the gradients; copied. */
void environ_set_external(const char *versions);

/* [*n] program, libraries and machine, as texts and numbers; borrowed. */
enum { ENVIRON_FACTS = 12 };
const struct member *environ_facts(size_t *n);

/*
 * What /environment of a result file says: {"version", "commit", "compiler", "hdf5", "openblas",
 * "onednn", "external", "system", "cpu", "started", "ended": texts, "cpus", "wall_s": numbers}, as
 * far as it is there. The caller frees; empty when the file cannot be read.
 */
cJSON *environ_read(const char *path);

/* The wall clock as 2024-01-31T12:00:00Z. */
void environ_clock(char out[32]);

#endif
