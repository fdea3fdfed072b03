/*
 * word.h - what to say of a word that is not known, and how one ends.
 */
#ifndef CORE_WORD_H
#define CORE_WORD_H

#include <stdbool.h>

/*
 * The end of a message: "; did you mean 'b'? Known: a, b, c", each half only
 * where it helps. What others call a setting ("learning_rate") is known to be it.
 * `words` is NULL-ended; the caller frees.
 */
char *word_advice(const char *word, const char *const *words);

/* True when the text ends so, and is not that alone. */
bool word_ends(const char *text, const char *end);

#endif
