/*
 * hold.c - memory of nodes at an address that is the same in nearly every process and run.
 *
 * State of nodes may hold pointers to other state of nodes. As all of it lies in this memory, a
 * checkpoint is a copy of the bytes, which can be used when it is read back at the same address. A
 * checkpoint made at another address is not read.
 */
#define _GNU_SOURCE             /* MAP_FIXED_NOREPLACE */
#include "core/base/hold.h"

#include "core/base/mem.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>

/*
 * The addresses are far from where programs, heaps and sanitizers usually map memory. PMIx, which
 * Open MPI uses, puts each of two or three segments somewhere in the lower half of the largest gap
 * below the program, so below 0x470000000000; the usual address is above that. If it is in use all
 * the same, another one of the list is taken.
 */
static const uintptr_t lowest_address = 0x200000000000u;
static const size_t reserve = (size_t)1 << 40;
enum { USUAL = 22, ADDRESSES = 24, STEP = 1 << 21, HOLD_LINE = 64 };

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

/* Maps n bytes at `at` if that range is free; else returns NULL, with errno set. */
static char *hold_map(char *at, size_t n, int protection)
{
	char *got = mmap(at, n, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
			 MAP_FIXED_NOREPLACE, -1, 0);

	if (got != MAP_FAILED && got != at) {   /* an old kernel, without the flag */
		munmap(got, n);
		errno = EEXIST;
		return NULL;
	}
	return got == MAP_FAILED ? NULL : got;
}

static uintptr_t hold_address(size_t k)
{
	return lowest_address + 2 * k * reserve;
}

/* Index of one of the hold's addresses; USUAL for any other address. */
static size_t hold_index(uint64_t address)
{
	for (size_t k = 0; k < ADDRESSES; k++)
		if (hold_address(k) == address)
			return k;
	return USUAL;
}

void hold_open(struct hold *h, uint64_t first)
{
	const size_t from = hold_index(first);

	*h = (struct hold){ .reserved = reserve };
	for (size_t k = 0; k < ADDRESSES; k++) {
		h->at = (char *)hold_address((from + k) % ADDRESSES);
		if (hold_map(h->at, reserve, PROT_NONE))
			return;
		if (errno == ENOMEM) {  /* a limit: bytes are mapped as they are used */
			h->reserved = 0;
			return;
		}
	}
	out_of_memory("the addresses of a run's nodes are in use");
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

	if (n > reserve || !done)
		out_of_memory("a run's nodes");
	h->open = open;
}

void *hold_alloc(struct hold *h, size_t n, size_t size)
{
	const size_t from = h->used;

	if (size && n > (reserve - from) / size - HOLD_LINE)
		out_of_memory("a run's nodes");
	h->used = from + round_up(n * size, HOLD_LINE);
	if (h->used > h->open)
		hold_extend(h, h->used);
	return h->at + from;
}

void hold_grow(struct hold *h, size_t used)
{
	if (used > h->used)
		hold_alloc(h, used - h->used, 1);
}
