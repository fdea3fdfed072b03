/* The words of a command line that is to be run. */
#ifndef RUNNER_LAUNCH_CMDLINE_H
#define RUNNER_LAUNCH_CMDLINE_H

#include <stddef.h>

/* Begins as { 0 }. v is NULL-ended once a word was added. */
struct cmdline {
	char **v;
	size_t n;
};

/* Adds a copy of the word. */
void cmdline_add(struct cmdline *w, const char *word);

/* Adds copies of both, as an option and its value. */
void cmdline_add_pair(struct cmdline *w, const char *key, const char *value);

/* Adds a word as printf() makes it. */
void cmdline_addf(struct cmdline *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Adds the words of a text, separated by spaces; there is no quoting. */
void cmdline_split(struct cmdline *w, const char *text);

/* All words, separated by spaces. The caller frees. */
char *cmdline_join(const struct cmdline *w);

void cmdline_release(struct cmdline *w);

#endif
