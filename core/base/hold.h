/* Memory that lives as long as a run, and can be saved and restored. */
#ifndef CORE_BASE_HOLD_H
#define CORE_BASE_HOLD_H

#include <stddef.h>
#include <stdint.h>

struct hold {
	char *at;               /* the same address wherever it is free */
	size_t used, open;      /* bytes handed out, and usable */
	size_t reserved;        /* bytes from `at` on; 0: no more than the usable ones */
};

/*
 * There is one of them in a process at a time: at the address `first`, if it is one of a hold's and
 * is free, or at another. Dies when all are taken. Where the process may not have as much address
 * space, none is reserved.
 */
void hold_open(struct hold *h, uint64_t first);
void hold_close(struct hold *h);

/* n * size zeroed bytes, aligned to 64, owned by the hold. */
void *hold_alloc(struct hold *h, size_t n, size_t size);

/* As many bytes handed out as there were in another process, at least. */
void hold_grow(struct hold *h, size_t used);

#endif
