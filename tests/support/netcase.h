/* Small nets, with data, which together use every kind of layer. */
#ifndef TESTS_SUPPORT_NETCASE_H
#define TESTS_SUPPORT_NETCASE_H

#include "nets/nets.h"

struct netcase {
	const char *name;
	struct shape input;
	int classes;
	size_t n;               /* samples of a batch */
	const char *json;       /* the net, with ' for "; NULL: the zoo's of that name, small */
};
extern const struct netcase netcases[];         /* ended by a NULL name */

/* The graph of a case; asserts that it loads. */
struct graph *netcase_load(const struct netcase *c);

/* Asserts that a net, with ' for ", is refused with that message. */
void netcase_refuses(const char *json, struct shape input, int classes, const char *why);

/* A batch and parameters, in float and as the same values in double. */
struct trial {
	struct graph *g;
	size_t n;
	float *x, *images;
	double *xd, *imagesd;
	int32_t *labels;
	uint64_t *use;
};

/* Draws images, labels and parameters at random (no gamma is exactly 1, no bias exactly 0). */
void trial_open(struct trial *t, const struct netcase *c);
void trial_close(struct trial *t);

/* Makes a step of plain SGD on both copies, each with its own gradient: x -= lr g. */
void trial_step(struct trial *t, double lr, const float *g, const double *gd);

#endif
