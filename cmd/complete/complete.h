/*
 * complete.h - what the parts of `convoy complete` share: a line that is typed, and what its last
 * word may become.
 */
#ifndef CMD_COMPLETE_COMPLETE_H
#define CMD_COMPLETE_COMPLETE_H

#include "cmd/args.h"
#include "plan/settings/kinds.h"

/* What is typed: words after "convoy", of which the last is completed. */
struct line {
	char **words;           /* [n] */
	size_t n;
	const struct args *command;     /* its tables; NULL: it has none */
};

/* A word's beginning that stays, and its end that is completed. */
struct stem {
	const char *lead;
	int n;                  /* characters of lead */
	const char *text;
};

/*
 * Prints word and tail, after what stays, where the text is a beginning of the word; and after a
 * tab what it is about (NULL: nothing), cut to a line's length. '-' and '_' are the same.
 */
void offer(struct stem s, const char *word, const char *tail, const char *about);

/* --set, of commands with settings; ends with a NULL name. */
extern const struct opt set_opts[];

/* The flags of a table. */
void offer_flags(struct stem s, const struct opt *opts);

/* What stands after the last `mark` of the text is still to be completed. */
struct stem stem_after(struct stem s, const char *mark);

/* value.c: the values of an option; KEY=VALUE of a table; a kind's NAME:KEY=VALUE,... */
void offer_value(const struct line *l, struct stem s, const struct opt *o);
void offer_pair(const struct line *l, struct stem s, const struct opt *opts);
void offer_plugin(const struct line *l, struct stem s, const struct kind *kind, const char *def);
void offer_kind(struct stem s, const struct kind *kind);

/* spec.c: experiments by name, by the short one, and by path. */
void offer_experiments(struct stem s);

/* Scales, and KEY=VALUE of the grid, of the experiment on the line; without one, of all. */
void offer_scales(const struct line *l, struct stem s);
void offer_grid(const struct line *l, struct stem s);

/* path.c: files and folders; folders end with '/'. */
void offer_paths(struct stem s);

/* The option that a word of the line is, with its dashes; NULL: none. */
const struct opt *option_of(const struct args *a, const char *word);

#endif
