/* Workers with known accelerators: their compute time by a share of the peak, and their NICs. */
#ifndef PLAN_MACHINE_ACCELERATOR_H
#define PLAN_MACHINE_ACCELERATOR_H

#include "plan/resolve/setup.h"

/* True when the settings name an accelerator. */
bool accelerator_given(const struct settings *in);

/*
 * Sets su->peak by the setting device, else by the accelerator of the cluster (NULL: it names
 * none), which is also the setting if there is mfu. 0 or error().
 */
int accelerator_read(struct setup *su, const char *of_cluster);

/*
 * That the model, its gradients and the optimiser's state do not fit into the devices' memory, or
 * take much of it, without activations and an algorithm's own vectors; NULL: they take little, or
 * it is not known. Owned.
 */
char *accelerator_full(const struct setup *su);

/*
 * Sets the compute time of a minibatch by 6 operations for each parameter and token, over mfu x
 * peak; notes formula and figures as the source of compute_s. 0 or error().
 */
int accelerator_compute(struct setup *su);

/*
 * Gives each worker the NICs of its accelerators, once the link is read: the link counts workers
 * of a node by accelerator. Keeps the link's text as given. 0 or error().
 */
int accelerator_widen(struct setup *su);

#endif
