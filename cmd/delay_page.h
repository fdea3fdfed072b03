/* The fit of a log of step times as a page of HTML. */
#ifndef CMD_DELAY_PAGE_H
#define CMD_DELAY_PAGE_H

#include "study/fit/fit.h"

/* Inputs of the page besides the fit; borrowed. */
struct delay_page {
	const char *path;       /* of the page */
	const char *command;    /* the one that asked */
	const char *net, *cluster;      /* of the next command; NULL: not given */
	int64_t batch;
};

/* Writes the page. 0 or error(). */
int delay_page_write(const struct fit *f, const struct delay_page *to);

#endif
