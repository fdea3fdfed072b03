/*
 * share.h - rates of flows that share lines fairly.
 *
 * Max-min fairness (Bertsekas, Gallager 1992, section 6.5.2): no flow can have more without
 * taking from one that has no more than it. By progressive filling: of all lines, the one that
 * can give least to each of its flows gives that; those flows are settled, what they take of
 * other lines is gone; and so on.
 */
#ifndef SIM_LINK_SHARE_H
#define SIM_LINK_SHARE_H

#include <stddef.h>

enum { SHARE_LINES = 5 };       /* that one flow takes at most */

struct line {
	double capacity;        /* > 0 */
	double left;            /* scratch */
	int flows;              /* scratch: not settled */
};

struct share {
	int line[SHARE_LINES], nlines;  /* indices, each once */
	double cap;             /* its rate at most; 0: none */
	double rate;            /* found */
};

/*
 * share[n]->rate <- max-min fair rates over lines[]; HUGE_VAL of a flow without lines and cap. The
 * order of flows does not matter.
 */
void share_fairly(struct line *lines, struct share *const *share, size_t n);

#endif
