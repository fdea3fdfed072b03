/* Options, messages and files that `convoy run --decide` and `convoy decide` share. */
#ifndef CMD_DECIDE_OPTS_H
#define CMD_DECIDE_OPTS_H

#include "cmd/args.h"
#include "core/text/opt.h"
#include "study/decide.h"

/* int64_t max_seeds; char *budget */
#define DECIDE_OPTS(CONF) \
	OPT_NUMBER(CONF, max_seeds, "0", "seeds of a group at its last look: 3, 4, 6, 8, 12, 16, " \
		   "24, 32, 48 or 64; 0: as planned, first 12", "N", 0, 1 << 20), \
	OPT_TEXT(CONF, budget, "time after which no look begins: 90s, 20min, 2h", "TIME")

/* Fills `most` and `budget_s`. 0 or error(). */
int decide_options(struct decide_conf *c, int64_t max_seeds, const char *budget);

/* Prints how many more runs a plan's claims may take; on stderr where stdout has JSON. */
int decide_print_plan(struct plan *p, const struct decide_conf *c, bool json);

/* Says what came of the looks, and which claims are still undecided. */
void decide_say(const struct deciding *d);

#endif
