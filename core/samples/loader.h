/*
 * loader.h - threads that read batches ahead of those who compute with them.
 *
 * A batch is a function of what it is asked by, so any reader gives the
 * same bytes. A thread that finds its batch half read helps to finish it, and one
 * that finds it not begun reads it alone: no thread waits for want of a helper.
 */
#ifndef CORE_SAMPLES_LOADER_H
#define CORE_SAMPLES_LOADER_H

#include "core/samples/dataset.h"

struct loader;

/*
 * Reads from ds (borrowed; it has view()) by up to `threads` threads of its own.
 * loader_free() ends them; NULL is fine.
 */
struct loader *loader_new(const struct dataset *ds, int threads);
void loader_free(struct loader *l);

/* One more thread computes: it may hold ds->ahead + 1 batches more. */
void loader_add_reader(struct loader *l);

/*
 * Says that this batch will be asked for: sure, or likely. A sure one takes the
 * slot of the likely one that was announced last. What was read, but is announced
 * no more, loses its slot in time. True when it is, or was, taken
 * note of; false when all slots are taken. Copies b.
 */
bool loader_expect(struct loader *l, enum split split, const struct batch *b, bool sure);

/* dataset_fetch(), the sooner for what was read ahead; -1 too once loader_failed(). */
int loader_fetch(struct loader *l, enum split split, const struct batch *b, float *images,
		 int32_t *labels);

/* Whether a sample could not be read, after its error(): then nothing more is. NULL: false. */
bool loader_failed(const struct loader *l);

#endif
