/*
 * hold.c - memory of nodes at an address that is the same in every process and every run.
 *
 * What nodes keep may hold pointers to what they keep; so a checkpoint is a copy of the bytes,
 * and reading it back, at the same address, is all that it takes to go on.
 */
#define _GNU_SOURCE             /* MAP_FIXED_NOREPLACE */
#include "core/base/hold.h"

#include "core/base/mem.h"

#include <errno.h>
#include <stdbool.h>
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

/* NULL, or the bytes from `at` on, which nothing else has: n of them. */
static char *hold_map(char *at, size_t n, int protection)
{
	char *got = mmap(at, n, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
			 MAP_FIXED_NOREPLACE, -1, 0);

	if (got != MAP_FAILED && got != at) {   /* a kernel that does not know the flag */
		munmap(got, n);
		errno = EEXIST;
		return NULL;
	}
	return got == MAP_FAILED ? NULL : got;
}

void hold_open(struct hold *h)
{
	*h = (struct hold){ .at = place, .reserved = room };
	if (hold_map(place, room, PROT_NONE))
		return;
	if (errno != ENOMEM)
		out_of_memory("the addresses of a run's nodes are in use");
	h->reserved = 0;        /* a limit on the address space: bytes are taken as they are used */
}

void hold_close(struct hold *h)
{
	if (h->reserved || h->open)
		munmap(h->at, h->reserved ? h->reserved : h->open);
	*h = (struct hold){ 0 };
}

/* Makes the first n bytes usable; new ones are 0. */
static void hold_extend(struct hold *h, size_t n)
{
	const size_t open = round_up(n, STEP);
	const bool done = h->reserved ? !mprotect(h->at, open, PROT_READ | PROT_WRITE) :
					hold_map(h->at + h->open, open - h->open,
						 PROT_READ | PROT_WRITE) != NULL;

	if (n > room || !done)
		out_of_memory("a run's nodes");
	h->open = open;
}

void *hold_alloc(struct hold *h, size_t n, size_t size)
{
	const size_t from = h->used;

	if (size && n > (room - from) / size - LINE)
		out_of_memory("a run's nodes");
	h->used = from + round_up(n * size, LINE);
	if (h->used > h->open)
		hold_extend(h, h->used);
	return h->at + from;
}

void hold_grow(struct hold *h, size_t used)
{
	if (used > h->used)
		hold_alloc(h, used - h->used, 1);
}
