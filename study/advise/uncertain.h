/*
 * uncertain.h - numbers of a text that are known only roughly: V+-U, and what is drawn for them.
 *
 * Drawn values are log-normal with mean V and standard deviation U, so they are above 0. A value is
 * a function of its name and the seed.
 */
#ifndef STUDY_ADVISE_UNCERTAIN_H
#define STUDY_ADVISE_UNCERTAIN_H

#include <stddef.h>
#include <stdint.h>

struct uncertain {
	char *name;             /* "compute_s", "link.bandwidth_GBps"; owned */
	double mean, sd;
};

struct uncertain_list {
	struct uncertain *v;    /* [n], owned */
	size_t n;
};

/* Appends a number of that name; a name that is taken gets a number after it. */
void uncertain_add(struct uncertain_list *l, const char *name, double mean, double sd);

/*
 * Appends the numbers V+-U, V±U and V+-P% of a text, in their order. `name` is that of the text: a
 * number after "KEY=" is called NAME.KEY, and the second of a list NAME.KEY[2]. If that name is
 * taken, ranks and model of the number follow: "NAME of 0: static". 0, or error() for one that is
 * not above 0 or not larger than its uncertainty.
 */
int uncertain_find(struct uncertain_list *l, const char *name, const char *text);

/* The text with values[0], values[1], ... in the stead of these numbers. The caller frees. */
char *uncertain_fill(const char *text, const double *values);

/* The value at z standard deviations of its logarithm above the median. */
double uncertain_at(const struct uncertain *u, double z);

/* The z that is drawn for a seed. */
double uncertain_draw(const struct uncertain *u, uint64_t seed);

void uncertain_release(struct uncertain_list *l);

#endif
