/* Where and with what a run was made, in its result file. */
#ifndef RECORD_ENVIRON_FILE_H
#define RECORD_ENVIRON_FILE_H

#include <hdf5.h>
#include <stdint.h>

/* environ_facts() as attributes of a group. 0 or -1. */
int environ_write(hid_t group);

/*
 * The host and the process that make the run of an open file. The caller frees; NULL where the run
 * is over, or the file does not say.
 */
char *environ_host(hid_t file, int64_t *pid);

#endif
