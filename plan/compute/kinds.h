/* Where compute times are from: a table of the user's, or published ones of a device. */
#ifndef PLAN_COMPUTE_KINDS_H
#define PLAN_COMPUTE_KINDS_H

#include "plan/compute/timetable.h"

/* A published training rate of a net on a device. */
struct device_rate {
	const char *net;        /* NULL ends the list */
	double batch;           /* samples of a minibatch; 0: not published */
	double samples_s;       /* of one device */
	const char *source;
};

struct compute_kind {
	struct plugin plugin;   /* its cite names the source of all rates */
	const struct device_rate *rate; /* NULL: a table, whose settings have the points */
};

extern const struct plugin *const compute_table[];      /* NULL-ended */

/*
 * Fills the points of a net (NULL: one that is not built in) from a chosen kind and its settings.
 * 0, or error() that begins with `where`; release the points in either case.
 */
int compute_points(const struct compute_kind *kind, const void *conf, const char *net,
		   struct timetable *to, const char *where);

#endif
