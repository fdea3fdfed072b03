/* A launcher of MPI as a child: what it says, and how it ends. */
#ifndef RUNNER_LAUNCH_WATCH_H
#define RUNNER_LAUNCH_WATCH_H

#include "runner/launch/announcements.h"

/*
 * Runs the command (NULL-ended words) to its end. Signals that come are handed on: the
 * first as the signal `request`, the second as SIGTERM. What it says becomes ours, but for
 * its announcements of a death by the rules, which become the ending. It ends with this
 * process, also when that is killed.
 */
struct ending launch_watch(char **words, const struct output_rules *rules, int request);

#endif
