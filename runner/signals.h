/* Ctrl-C and the like: the first asks runs to finish their files, the second kills. */
#ifndef RUNNER_SIGNALS_H
#define RUNNER_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* The last of SIGINT, SIGTERM, SIGHUP and SIGUSR1 that was caught; 0: none. Runs poll it. */
extern volatile sig_atomic_t signal_caught;

bool signals_caught(void);

/* Signals caught so far. */
extern volatile sig_atomic_t signal_count;

/*
 * Catches SIGINT, SIGTERM, SIGUSR1 and, unless it is ignored (nohup), SIGHUP. The second one
 * kills the process. Ignores SIGXFSZ.
 */
void signals_catch(void);

/* Another signal counts as one of these. */
void signals_catch_too(int sig);

/* While nothing would be left half done: already the first signal kills the process. */
void signals_at_once(bool at_once);

/*
 * While it is on, the first signal writes at once that the run is being saved, and that the second
 * one kills it: a run that does not look at signal_caught would leave the user without an answer.
 */
void signals_announce(bool on);

/* The second signal kills no more: a parent first ends its children; children wait for it. */
void signals_endure(void);

/*
 * The process ends when its parent does: that counts as SIGTERM, and so many seconds later it is
 * killed. To be called before there are threads.
 */
void signals_end_with_parent(unsigned patience_s);
enum { SIGNALS_PATIENCE_S = 10 };       /* as a rule */

/* The exit code that a caught signal asks for. */
int signals_exit_code(void);

/* True for the exit codes of programs that a caught signal has ended. */
bool signals_ended(int code);

#endif
