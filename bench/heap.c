/*
 * heap.c - what an event list costs at least: `heap EVENTS...`, a line for each number of events.
 *
 * A bare 4-ary heap of times and numbers, in which the first is taken out and put back later by
 * 0.5 to 1.5, over and over.
 */
#include "core/base/mem.h"
#include "core/math/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ARITY = 4, STEPS = 1 << 12, TURNS = 4000000, TIMES = 3 };

struct item {
	double time;
	size_t who;
};

struct bench {
	struct item *v;         /* [n] */
	size_t n;
	double step[STEPS];
};

static void push(struct bench *b, struct item it)
{
	size_t i = b->n++;

	for (size_t up; i > 0 && it.time < b->v[up = (i - 1) / ARITY].time; i = up)
		b->v[i] = b->v[up];
	b->v[i] = it;
}

static struct item pop(struct bench *b)
{
	const struct item first = b->v[0], last = b->v[--b->n];
	size_t i = 0;

	for (;;) {
		const size_t lo = ARITY * i + 1, hi = lo + ARITY < b->n ? lo + ARITY : b->n;
		size_t best = lo;

		for (size_t c = lo + 1; c < hi; c++)
			if (b->v[c].time < b->v[best].time)
				best = c;
		if (lo >= b->n || b->v[best].time >= last.time)
			break;
		b->v[i] = b->v[best];
		i = best;
	}
	b->v[i] = last;
	return first;
}

/* Pairs of a push and a pop a second of CPU time. */
static double rate(struct bench *b)
{
	const clock_t began = clock();

	for (size_t k = 0; k < TURNS; k++) {
		struct item it = pop(b);

		it.time += b->step[k % STEPS];
		push(b, it);
	}
	return TURNS * (double)CLOCKS_PER_SEC / (double)(clock() - began);
}

static void measure(struct bench *b, size_t n)
{
	double best = 0.0;

	b->v = xcalloc(n, sizeof(*b->v));
	b->n = 0;
	for (size_t i = 0; i < n; i++)
		push(b, (struct item){ .time = b->step[i % STEPS], .who = i });
	for (int i = 0; i < TIMES; i++) {
		const double now = rate(b);

		best = now > best ? now : best;
	}
	printf("%zu %.0f\n", n, best);
	free(b->v);
}

int main(int argc, char **argv)
{
	static struct bench b;
	struct rng r;

	rng_at(&r, 1, RNG_DELAY, 0, 0);
	for (size_t i = 0; i < STEPS; i++)
		b.step[i] = 0.5 + rng_uniform(&r);
	for (int i = 1; i < argc; i++)
		measure(&b, strtoul(argv[i], NULL, 10));
	return 0;
}
