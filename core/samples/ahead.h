/*
 * ahead.h - which batches a pool's jobs will ask for next.
 *
 * Sure are those of the jobs that wait in the queue, in its order. Likely is, for
 * each worker whose gradient was begun, the minibatch after it: the worker that
 * began first will probably be the first to come back.
 */
#ifndef CORE_SAMPLES_AHEAD_H
#define CORE_SAMPLES_AHEAD_H

#include "core/pool/pool.h"

enum { AHEAD_MOST = 64 };       /* jobs that are looked at */

struct ahead {
	struct job later[AHEAD_MOST];   /* likely ones, in order */
	size_t n;
};

/* A job that is about to run: notes what its worker will probably ask for next. */
void ahead_note(struct ahead *a, const struct job *begun);

/*
 * Copies the first `most` jobs to come, those of the queue (linked through next)
 * before the likely ones: list[most]. Gives their number; *sure are the queue's.
 */
size_t ahead_list(const struct ahead *a, const struct job *queue, struct job *list, size_t most,
		  size_t *sure);

/* Announces the batches of such a list to the problem, until it accepts no more. */
void ahead_announce(const struct problem *problem, const struct sampler *sampler,
		    const struct job *list, size_t n, size_t sure);

/* The batch of a job; its arrays are freed by job_batch_release(). */
struct batch job_batch(const struct sampler *sampler, const struct job *j);
void job_batch_release(struct batch *b);

#endif
