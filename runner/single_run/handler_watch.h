/* A run of a user's algorithm ends after a signal, even if one of its handlers never returns. */
#ifndef RUNNER_SINGLE_RUN_HANDLER_WATCH_H
#define RUNNER_SINGLE_RUN_HANDLER_WATCH_H

#include "record/recorder.h"
#include "runner/single_run/simrun.h"

/*
 * Until handler_watch_end(): if a signal was caught and the same handler still runs seconds later,
 * saves what recorder r (NULL: none in this process) holds, names the algorithm, and ends the
 * process with the signal's exit code. NULL for built-in algorithms, whose handlers return.
 */
struct handler_watch *handler_watch_begin(const struct run *run, const struct run_context *t,
					  struct recorder *r);
void handler_watch_end(struct handler_watch *w);

#endif
