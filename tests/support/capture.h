/* What convoy said, for tests that expect an error. */
#ifndef TESTS_SUPPORT_CAPTURE_H
#define TESTS_SUPPORT_CAPTURE_H

/* From now on messages are kept, not printed; forgets earlier ones. die() and BUG() still end. */
void capture_start(void);

/* Everything said since, a line a message ("error: ..."); valid until the next capture_start(). */
const char *capture_text(void);

/* Fails the test unless the text is in what was said. */
void assert_said(const char *text);

/* Messages are printed again. */
void capture_stop(void);

#endif
