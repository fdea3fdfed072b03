/* Machine, libraries and command of a run, in its result file. */
#ifndef RECORD_ENVIRON_FILE_H
#define RECORD_ENVIRON_FILE_H

#include <stdint.h>

struct tree;

/* environ_facts() as attributes of a group. */
void environ_write(struct tree *group);

/*
 * The host and the process that make the run of an open file. The caller frees; NULL where the run
 * is over, or the file does not say.
 */
char *environ_host(const struct tree *file, int64_t *pid);

#endif
