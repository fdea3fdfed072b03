/*
 * loader.h - threads that read batches before compute threads ask for them.
 *
 * The bytes of a batch do not depend on the thread that reads it. A compute thread that finds its
 * batch half read helps to finish it, and one that finds it not begun reads it alone, without
 * waiting.
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

/* Call for each compute thread: allows ds->ahead + 1 more batches to be held. */
void loader_add_reader(struct loader *l);

/*
 * Announces a batch that will surely, or likely, be asked for. A sure one replaces the likely one
 * that was announced last. A batch that has been read, but is no longer announced, loses its slot
 * after a while. True when the batch has a slot or had one; false when all slots are taken. Copies
 * b.
 */
bool loader_expect(struct loader *l, enum split split, const struct batch *b, bool sure);

/* dataset_fetch(), but faster if the batch was read ahead; -1 also once loader_failed(). */
int loader_fetch(struct loader *l, enum split split, const struct batch *b, float *images,
		 int32_t *labels);

/* True when a sample could not be read, after its error(); then no more are read. l NULL: false. */
bool loader_failed(const struct loader *l);

#endif
