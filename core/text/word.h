/* What to say of a word that is not known, and how one ends. */
#ifndef CORE_TEXT_WORD_H
#define CORE_TEXT_WORD_H

#include <stdbool.h>

/*
 * The end of a message: "; did you mean 'b'? Known: a, b, c", each half only
 * where it helps. What other programs call it ("learning_rate") is known: foreign_option().
 * `words` is NULL-ended; the caller frees.
 */
char *word_advice(const char *word, const char *const *words);

/* The same of options as they are typed: "--eval-every" for "eval_every", "-n" for "n". */
char *word_option_advice(const char *word, const char *const *words);

/* error("WHERE: unknown NOUN 'WORD'...") with the first of these; where NULL: without it. -1. */
int word_unknown(const char *where, const char *noun, const char *word, const char *const *words);

/* The same where `own` stands for the word; NULL: nothing does. */
int word_unknown_but(const char *where, const char *noun, const char *word,
		     const char *const *words, const char *own);

/* The same word with '-' for '_', up to a '='; the caller frees. */
char *word_dashed(const char *word);

/* A setting as an option: "--eval-every" for "eval_every", "-n" for "n"; the caller frees. */
char *word_option(const char *name);

/* "" for 1, else "s": "%d worker%s". */
const char *word_plural(double n);

/* True when both are the same word: case does not count, and '_' is '-'. */
bool word_same(const char *a, const char *b);

/* The text without spaces at either end, in the same memory. */
char *word_trim(char *text);

/* True when the text ends so, and is not that alone. */
bool word_ends(const char *text, const char *end);

/* True of letters, digits, '-', '_' and '.', the first a letter or a digit: it may name a file. */
bool word_is_name(const char *name);

/* 0, or error("WHERE: ...") unless word_is_name() of 1 to 100 characters. */
int word_check_name(const char *name, const char *where);

/* ---- words of other programs; case does not count, and '_' is '-' ---- */

/* An option or setting of another program: mpirun, SLURM, PyTorch, Horovod, Ray. */
struct foreign {
	const char *word;       /* theirs, with '-' between its parts */
	const char *known;      /* ours, as lists of names have it */
	const char *text;       /* how ours is written where the name is not all; else NULL */
};

extern const struct foreign foreign_options[];  /* ends with a NULL word */

/* The option that stands for the word among the NULL-ended names, as it is written, or NULL. */
const char *foreign_option(const char *word, const char *const *names);

/*
 * The text that stands for the word of another program, where `also` has it: words separated by
 * commas, each alone for `name`, or with its own text ("sgdm, nag=sgd:nesterov=true"). NULL: it
 * has not. The caller frees.
 */
char *foreign_name(const char *also, const char *name, const char *word);

#endif
