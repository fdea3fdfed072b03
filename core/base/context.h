/* Messages that name the run which they are about. */
#ifndef CORE_BASE_CONTEXT_H
#define CORE_BASE_CONTEXT_H

/*
 * From now on every message begins with `where` ("slow-worker: algo=asgd"), and
 * first wipes a progress line off the terminal. "" or NULL: plain messages.
 * The text is borrowed until the next call.
 */
void context_set(const char *where);

/*
 * From now on no message is shown, until context_unmute(), or the next context_set(). Calls may be
 * nested.
 */
void context_mute(void);
void context_unmute(void);

/*
 * From now on messages begin with `what` ("cluster mine.json: link"), after the run's name; NULL
 * ends it. Calls are not nested. The text is borrowed.
 */
void context_about(const char *what);

#endif
