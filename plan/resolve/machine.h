/*
 * machine.h - the machine that a run simulates: a cluster, the settings' own, or parts of both.
 */
#ifndef PLAN_RESOLVE_MACHINE_H
#define PLAN_RESOLVE_MACHINE_H

#include "plan/resolve/setup.h"

/*
 * Fills su->num, su->sim's delays and link, su->cluster and su->assumed. What the settings leave
 * open is the cluster's that they name. Where they name none, but give a link or a compute time,
 * the machine is their own: it has nothing of a cluster, and needs a compute time. Without any of
 * the three it is the default cluster. 0 or error().
 */
int machine_read(struct setup *su);

#endif
