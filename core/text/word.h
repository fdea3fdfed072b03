/* Messages about unknown words, and small functions on words. */
#ifndef CORE_TEXT_WORD_H
#define CORE_TEXT_WORD_H

#include <stdbool.h>
#include <stddef.h>

/* A list that grows; begins as { 0 }. free(v) ends it. */
struct words {
	const char **v;         /* [n + 1] borrowed, NULL-ended; NULL: nothing was added */
	size_t n;
};

void words_add(struct words *w, const char *word);

/* words_add() of a word that the list does not have. */
void words_add_new(struct words *w, const char *word);

/*
 * Advice at the end of a message: "; did you mean 'b'? Known: a, b, c", each half only if it helps.
 * Words of other programs ("learning_rate") are translated by foreign_option(). `words` is
 * NULL-ended, or NULL; the caller frees.
 */
char *word_advice(const char *word, const char *const *words);

/* word_advice(), or where that is empty which `convoy list` has all of the noun; caller frees. */
char *word_advice_on(const char *noun, const char *word, const char *const *words);

/* word_advice() with options as they are typed: "--eval-every" for "eval_every", "-n" for "n". */
char *word_option_advice(const char *word, const char *const *words);

/* error("WHERE: unknown NOUN 'WORD'...") with word_advice(); where NULL: without it. Returns -1. */
int word_unknown(const char *where, const char *noun, const char *word, const char *const *words);

/* word_unknown(), where `own` is the word to suggest first; NULL: none. */
int word_unknown_but(const char *where, const char *noun, const char *word,
		     const char *const *words, const char *own);

/* Copy of a word, '-' for '_' up to a '='; the caller frees. */
char *word_dashed(const char *word);

/* A setting as an option: "--eval-every" for "eval_every", "-n" for "n"; the caller frees. */
char *word_option(const char *name);

/* "3.2 s", "12 min" or "2.5 h"; the caller frees. */
char *word_duration(double seconds);

/* "" for 1, else "s": "%d worker%s". */
const char *word_plural(double n);

/* True when the list, which is NULL-ended, has the text. NULL: an empty list. */
bool word_is_among(const char *word, const char *const *words);

/* True when the list, which is NULL-ended, has the n characters at `word`; case is ignored. */
bool word_part_is_among(const char *word, size_t n, const char *const *words);

/* True when both are the same word; case is ignored, and '_' equals '-'. */
bool word_same(const char *a, const char *b);

/* The text without leading and trailing spaces, in the same memory. */
char *word_trim(char *text);

/* True when the text starts with `start`. */
bool word_starts(const char *text, const char *start);

/* True when the text ends with `end`, and is longer. */
bool word_ends(const char *text, const char *end);

/*
 * True for letters, digits, '-', '_' and '.', beginning with a letter or a digit: a valid file
 * name.
 */
bool word_is_name(const char *name);

/* 0, or error("WHERE: ...") unless word_is_name() of 1 to 100 characters. */
int word_check_name(const char *name, const char *where);

/* ---- words of other programs; case is ignored, and '_' equals '-' ---- */

/* An option or setting of another program: mpirun, SLURM, PyTorch, Horovod, Ray. */
struct foreign {
	const char *word;       /* theirs, with '-' between its parts */
	const char *known;      /* convoy's name */
	const char *text;       /* how it is written here, if not by the name alone; else NULL */
};

extern const struct foreign foreign_options[];  /* ends with a NULL word */

/*
 * The option, as it is written here, for another program's word, among the NULL-ended names; or
 * NULL.
 */
const char *foreign_option(const char *word, const char *const *names);

/*
 * Text of a plug-in for another program's word. `also` is a list separated by commas; an entry is
 * a word, which means `name`, or a word with its own text ("sgdm, nag=sgd:nesterov=true"). The word
 * may be a form, of an ending or of a number, and its text end with the word that was given
 * ("*.csv=csv:file=*, #=nic:bandwidth_GBps=*"). NULL: `also` does not have the word. The caller
 * frees.
 */
char *foreign_name(const char *also, const char *name, const char *word);

#endif
