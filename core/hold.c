/*
 * hold.c - memory of nodes at an address that is the same in every process and every run.
 *
 * What nodes keep may hold pointers to what they keep; so a checkpoint is a copy of the bytes,
 * and reading it back, at the same address, is all that it takes to go on.
 */
#define _GNU_SOURCE             /* MAP_FIXED_NOREPLACE */
#include "core/hold.h"

#include "core/error.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* Far from where programs, heaps and sanitizers put things. */
static char *const place = (char *)(uintptr_t)0x200000000000u;
static const size_t room = (size_t)1 << 40;
enum { STEP = 1 << 21, LINE = 64 };

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

void hold_open(struct hold *h)
{
	*h = (struct hold){ .at = mmap(place, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS |
				       MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) };
	if (h->at == MAP_FAILED || h->at != place)
		die("cannot have the memory at %p: %s", (void *)place, strerror(errno));
}

void hold_close(struct hold *h)
{
	munmap(h->at, room);
	*h = (struct hold){ 0 };
}

/* Makes the first n bytes usable; new ones are 0. */
static void extend(struct hold *h, size_t n)
{
	const size_t open = round_up(n, STEP);

	if (n > room || mprotect(h->at, open, PROT_READ | PROT_WRITE))
		die("out of memory: %zu bytes for a run's nodes", n);
	h->open = open;
}

void *hold_alloc(struct hold *h, size_t n, size_t size)
{
	const size_t from = h->used;

	if (size && n > (room - from) / size - LINE)
		die("out of memory: %zu times %zu bytes", n, size);
	h->used = from + round_up(n * size, LINE);
	if (h->used > h->open)
		extend(h, h->used);
	return h->at + from;
}

void hold_grow(struct hold *h, size_t used)
{
	if (used > h->used)
		hold_alloc(h, used - h->used, 1);
}
