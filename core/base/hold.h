/* Memory that lives as long as a run, and can be saved and restored. */
#ifndef CORE_BASE_HOLD_H
#define CORE_BASE_HOLD_H

#include <stddef.h>
#include <stdint.h>

struct hold {
	char *at;               /* fixed address, so that a checkpoint's pointers hold */
	size_t used, open;      /* bytes handed out, and usable */
	size_t reserved;        /* bytes of address space from `at` on; 0: none reserved */
};

/*
 * Opens the only hold of the process: at `first` if this is a hold's address and free, else at
 * another. Dies when all addresses are in use. If a limit on address space forbids to reserve it,
 * reserved is 0.
 */
void hold_open(struct hold *h, uint64_t first);
void hold_close(struct hold *h);

/* n * size zeroed bytes, aligned to 64, owned by the hold. */
void *hold_alloc(struct hold *h, size_t n, size_t size);

/* Raises the bytes handed out to `used`, as they were in the process that wrote a checkpoint. */
void hold_grow(struct hold *h, size_t used);

#endif
