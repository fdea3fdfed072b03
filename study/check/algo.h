/* Checks an algorithm by runs of this program: simulated, on real ranks, replayed, resumed. */
#ifndef STUDY_CHECK_ALGO_H
#define STUDY_CHECK_ALGO_H

#include <stdbool.h>
#include <stdint.h>

enum algo_verdict { ALGO_HOLDS, ALGO_FAILS, ALGO_SKIPPED };

struct algo_row {
	const char *name;       /* "replay", borrowed */
	enum algo_verdict verdict;
	char *why;              /* what was found, owned */
};

enum { ALGO_WORKERS = 4, ALGO_GRADIENTS = 200, ALGO_ROWS = 9 };

struct algo_check {
	const char *algo;       /* as after --algo; borrowed */
	const char *optim;      /* borrowed; NULL: the default */
	double lr;
	bool shared;            /* workers share one model: no trace can say in which order */
	uint64_t seed;
	/* Results; algo_check_release() frees them. */
	struct algo_row rows[ALGO_ROWS];
	int n;
	bool holds;             /* no row fails */
};

/*
 * Trains the built-in quadratic in a folder that is removed at the end. 0; -1 after error() when
 * the runs cannot be made, or a signal of the user's came. Release in either case.
 */
int algo_check(struct algo_check *c);
void algo_check_release(struct algo_check *c);

#endif
