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

/* An option's value in the chosen link model; NULL: the model has none. */
void *link_option(const struct setup *su, const char *name);

/* Corrects workers' compute times for the samples that they have of a round, once it is cut. */
void machine_correct_compute(struct setup *su);

/* ---- runs outside what their link was measured for ---- */

/*
 * Names the run's messages or all-reduces that the link's tables lack, and what they hold.
 * NULL: all that is known is measured, or the link has no tables. The caller frees.
 */
char *measured_beyond(const struct setup *su);

/* Library that chooses how the run's all-reduces are made; NULL: none does. */
const char *allreduce_library(const struct setup *su);

/*
 * The largest all-reduce over all workers, without other traffic, in bytes as its codec sends them;
 * with ZeRO the largest reduce-scatter of a gradient's buckets; of codes that cannot be added, the
 * all-gather.
 */
struct allreduced {
	bool gathers;           /* it is one of the latter two */
	const char *kind;       /* as collective_names has it */
	double bytes, seconds;
	double latency_s;       /* of seconds */
	double parts;           /* buckets of this size that a gradient has */
	double whole_s;         /* seconds of the gradient in one bucket */
};

/* False: there are none, or it is not known. */
bool allreduce_of(const struct setup *su, struct allreduced *a);

/* Its kind, or NULL. */
const char *allreduce_kind(const struct setup *su);

/*
 * Notes what the run assumes of its link: what measured_beyond() returns, and the all-reduce that
 * NCCL chooses where the link leaves it open.
 */
void link_note(struct setup *su);

#endif
