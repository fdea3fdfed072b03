/* What a step of Muon costs: `muon ROWSxCOLUMNS...`, a line for each matrix. */
#include "algos/algos.h"
#include "core/base/mem.h"
#include "core/math/matrix.h"
#include "core/math/rng.h"
#include "core/math/vec.h"
#include "core/optim.h"
#include "core/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TIMES = 7, REPEATS = 5 };        /* means of REPEATS, of which the fastest counts */
enum { STEPS = 5 };             /* Newton-Schulz steps of a step of Muon */

struct bench {
	struct choice choice;
	struct blob matrix;
	size_t few, many;
	float *g, *x, *state;   /* [few * many], and the optimiser's state */
	float *square, *to;     /* [few][few], [few][many] */
};

static void step(struct bench *b)
{
	const struct optim *muon = (const struct optim *)b->choice.plugin;
	const struct stepping s = { .lr = 0.02f, .w = 1.0f, .nblobs = 1, .blobs = &b->matrix };

	muon->step(b->choice.conf, &s, b->matrix.count, b->g, b->x, b->state);
}

static void multiply(struct bench *b)
{
	matrix_product(false, false, b->few, b->many, b->few, 1.0f, b->square, b->few, b->g,
		       b->many, 0.0f, b->to, b->many);
}

/* 1e9 operations a second of processor time, of `operations` of them. */
static double rate(struct bench *b, void (*work)(struct bench *), double operations)
{
	double best = 1e30;

	for (int i = 0; i < TIMES; i++) {
		const clock_t began = clock();
		double took;

		for (int k = 0; k < REPEATS; k++)
			work(b);
		took = (double)(clock() - began) / CLOCKS_PER_SEC / REPEATS;
		best = took < best ? took : best;
	}
	return operations / best / 1e9;
}

static void measure(struct bench *b, size_t rows, size_t columns)
{
	const size_t n = rows * columns, few = rows < columns ? rows : columns;
	const double small = 2.0 * (double)few * (double)few, product = small * (double)(n / few);
	double muon, plain;
	struct rng r;

	b->matrix = (struct blob){ .count = n, .shape = { (int)rows, (int)columns }, .rank = 2,
				   .hidden = true };
	b->few = few;
	b->many = n / few;
	b->g = vec_new(n);
	b->x = vec_new(n);
	b->to = vec_new(n);
	b->state = vec_new(2 * n + 1);
	b->square = vec_new(few * few);
	rng_at(&r, 1, RNG_DATA, 0, 0);
	for (size_t i = 0; i < n; i++)
		b->g[i] = (float)rng_normal(&r);
	for (size_t i = 0; i < few * few; i++)
		b->square[i] = (float)rng_normal(&r);
	muon = rate(b, step, STEPS * (2.0 * product + small * (double)few));
	plain = rate(b, multiply, product);
	printf("%6zu x %-6zu %10.1f %10.1f %8.0f %%\n", rows, columns, muon, plain,
	       100.0 * muon / plain);
	free(b->g);
	free(b->x);
	free(b->to);
	free(b->state);
	free(b->square);
}

int main(int argc, char **argv)
{
	struct bench b = { 0 };

	matrix_kernels(argv);
	matrix_one_thread();
	if (choice_parse(&b.choice, optim_table, "optimiser", "muon") < 0)
		return 1;
	printf("%15s %10s %10s %10s\n", "matrix", "muon", "product", "share");
	printf("%15s %10s %10s\n", "", "GFLOP/s", "GFLOP/s");
	for (int i = 1; i < argc; i++) {
		char *end;
		const size_t rows = strtoul(argv[i], &end, 10);
		const size_t columns = *end == 'x' ? strtoul(end + 1, &end, 10) : 0;

		if (rows < 1 || columns < 1 || rows > 1 << 15 || columns > 1 << 15 || *end) {
			fprintf(stderr, "usage: muon ROWSxCOLUMNS...\n");
			return 2;
		}
		measure(&b, rows, columns);
	}
	choice_release(&b.choice);
	return 0;
}
