/* A result file that is there already, changed. */
#ifndef REPORT_RECORD_CHANGE_H
#define REPORT_RECORD_CHANGE_H

#include <hdf5.h>

/*
 * Has `change` look at the file, in memory; where it says 1, the file is replaced by what it made
 * of it, sealed again (final: after that has reached the disk); at 0 nothing is written, and -1 is
 * a file that is none of ours. As `change` says, or error().
 */
int result_change(const char *path, bool final, int (*change)(hid_t file, const void *ctx),
		  const void *ctx);

#endif
