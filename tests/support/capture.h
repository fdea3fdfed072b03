/* Messages of convoy, kept for tests that expect an error. */
#ifndef TESTS_SUPPORT_CAPTURE_H
#define TESTS_SUPPORT_CAPTURE_H

/*
 * Keeps later messages instead of printing them; forgets earlier ones. die() and BUG() still exit.
 */
void capture_start(void);

/* The messages since then, one a line ("error: ..."); valid until the next capture_start(). */
const char *capture_text(void);

/* Fails the test unless the text is in a message. */
void assert_said(const char *text);

/* Prints later messages again. */
void capture_stop(void);

#endif
