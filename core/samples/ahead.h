/*
 * ahead.h - predicts which batches a pool's jobs will ask for next.
 *
 * Sure batches are those of the jobs in the queue, in its order. Likely batches are, for each
 * worker whose gradient was begun, its next minibatch: the worker that began first will probably
 * also finish first.
 */
#ifndef CORE_SAMPLES_AHEAD_H
#define CORE_SAMPLES_AHEAD_H

#include "core/pool/pool.h"

enum { AHEAD_MOST = 64 };       /* jobs that are looked at */

struct ahead {
	struct job later[AHEAD_MOST];   /* likely ones, in order */
	size_t n;
};

/* Call when a job is about to run: notes the batch that its worker will probably ask for next. */
void ahead_note(struct ahead *a, const struct job *begun);

/*
 * list[most] <- copies of the next jobs: those of the queue (linked through next), then likely
 * ones. Returns their number; *sure <- how many are of the queue.
 */
size_t ahead_list(const struct ahead *a, const struct job *queue, struct job *list, size_t most,
		  size_t *sure);

/* Announces the batches of list[n], of which `sure` are sure, until the problem accepts no more. */
void ahead_announce(const struct problem *problem, const struct sampler *sampler,
		    const struct job *list, size_t n, size_t sure);

/* The batch of a job; its arrays are freed by job_batch_release(). */
struct batch job_batch(const struct sampler *sampler, const struct job *j);
void job_batch_release(struct batch *b);

#endif
