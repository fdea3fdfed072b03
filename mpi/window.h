/* A model in memory that all processes share. */
#ifndef MPI_WINDOW_H
#define MPI_WINDOW_H

#include "mpi/state.h"

/* True when all processes are on one machine, and can. Collective. */
bool window_possible(void);

/* Where workers share their model: opens it, with x[dim] in it. Collective, as closing it. */
void window_open(struct real *r, const float *x);
void window_close(struct real *r);

/* [dim], owned by the window. */
float *window_model(const struct real *r);

/* A node whose model is shared: its step <- those that all workers have begun to write. */
void window_clock(const struct real *r, struct node *nd);

/* The node's step goes into the model: one more. */
void window_add(struct real *r, struct node *nd);

#endif
