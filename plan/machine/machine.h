/* The machine of a run: real ranks, a cluster, the settings' own, or parts of both. */
#ifndef PLAN_MACHINE_MACHINE_H
#define PLAN_MACHINE_MACHINE_H

#include "plan/resolve/setup.h"

/*
 * Fills what of su->num, su->sim, su->real and su->cluster is the machine's. Of a simulated one,
 * what the settings leave open is the cluster's that they name. Where they name none, but give a
 * link or a compute time, the machine is their own: it has nothing of a cluster, and needs a
 * compute time. Without any of the three it is the default cluster. 0 or error().
 */
int machine_read(struct setup *su);

/* True of a simulated gradient that is all-reduced in buckets, before it is complete. */
bool machine_has_buckets(const struct setup *su);

#endif
