/* torch_log.h - traces of torch.profiler, one of each rank, as a log of step times. */
#ifndef RECORD_TRACE_TORCH_LOG_H
#define RECORD_TRACE_TORCH_LOG_H

#include "record/trace/steplog.h"

/*
 * Reads n files, plain or gzip. Workers are in the order of the ranks that the files state, or of
 * the files where none does. 0, or error() that names the file: an event or a step that cannot be,
 * no collective, a rank that is there twice, other steps than another rank's.
 */
int torch_log_read(struct steplog *l, const char *const *paths, size_t n);

#endif
