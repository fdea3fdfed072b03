/*
 * word.h - what to say of a word that is not known.
 */
#ifndef CORE_WORD_H
#define CORE_WORD_H

/*
 * The end of a message: "; did you mean 'b'? Known: a, b, c", each half only
 * where it helps. `words` is NULL-ended; the caller frees.
 */
char *word_advice(const char *word, const char *const *words);

#endif
