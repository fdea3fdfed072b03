/*
 * measured_shares.h - `shares = speed` on real ranks whose settings give all workers one speed.
 *
 * The speeds of the ranks are measured before such a run. The text of the shares that follow from
 * them becomes the setting: the run is the one that this text describes. OUT/train/LINEAGE.shares
 * keeps the text for `--resume`.
 */
#ifndef RUNNER_MEASURED_SHARES_H
#define RUNNER_MEASURED_SHARES_H

#include "plan/resolve/setup.h"

/* True of a resolved setup whose shares have to be measured. */
bool shares_unmeasured(const struct setup *su);

/* 0, or error() for one whose algorithm cannot have what may be measured. */
int shares_check_unmeasured(const struct setup *su);

/* An unmeasured setup gets the shares that were measured before, if any. 0 or error(). */
int shares_recall(struct setup *su, const char *dir);

struct shares_context {
	const char *dir;        /* of results */
	bool resume;            /* with the shares that were measured before, if any */
	int threads;            /* of a rank */
	bool quiet;
};

/*
 * An unmeasured setup gets its shares: on all ranks alike. Rank 0 prints what was measured. An exit
 * code, the same on all.
 */
int shares_settle(struct setup *su, const struct shares_context *c);

#endif
