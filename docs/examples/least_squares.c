/*
 * least_squares.c - a problem for convoy in C: the least squares of DIM unknowns.
 *
 *     cc -O2 -o least_squares least_squares.c
 *     convoy sim --net exec:./least_squares,dim=20 --algo asgd --workers 4 --compute-s 0.1
 *
 * Sample i has numbers a_1 ... a_dim, and a target that is their product with a known x. The loss
 * is half the squared error.
 */
#include <convoy/problem_protocol.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

enum { TRAIN = 512, TEST = 64 };

static size_t dim = 20;
static float *x, *g;            /* [dim], in the shared memory, as is sample */
static int64_t *sample;

/* Reads n bytes, or ends the program: convoy has closed the socket. */
static void receive(void *to, size_t n)
{
	if (recv(CONVOY_SOCKET_FD, to, n, MSG_WAITALL) != (ssize_t)n)
		exit(0);
}

static void reply(const void *from, size_t n)
{
	if (send(CONVOY_SOCKET_FD, from, n, MSG_NOSIGNAL) != (ssize_t)n)
		exit(1);
}

/* The k-th number of a sample, between -1 and 1: always the same. */
static float number(int64_t i, size_t k)
{
	uint64_t h = ((uint64_t)i * 1000003 + k + 1) * 0x9e3779b97f4a7c15ULL;

	h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9ULL;
	return (float)(h >> 40) / (float)(1 << 23) - 1.0f;
}

/* Half the squared error of a sample; adds `scale` times its gradient to g, unless scale is 0. */
static double loss(int64_t i, float scale)
{
	float error = 0.0f;

	for (size_t k = 0; k < dim; k++)
		error += number(i, k) * (x[k] - (float)k / (float)dim);
	for (size_t k = 0; scale > 0.0f && k < dim; k++)
		g[k] += scale * error * number(i, k);
	return 0.5 * error * error;
}

static void describe(struct convoy_answer *a)
{
	static const char versions[] = "least_squares 1";
	struct convoy_sizes s = { .version = CONVOY_PROTOCOL_VERSION, .dim = dim, .n_train = TRAIN,
				  .n_test = TEST, .labels = 1 };

	a->text = strlen(versions);
	reply(a, sizeof(*a));
	reply(&s, sizeof(s));           /* no blobs: all of x is one */
	reply(versions, strlen(versions));
}

static void map(void)
{
	struct convoy_layout l;
	char *memory;

	receive(&l, sizeof(l));
	memory = mmap(NULL, l.size, PROT_READ | PROT_WRITE, MAP_SHARED, CONVOY_MEMORY_FD, 0);
	if (memory == MAP_FAILED)
		exit(1);
	x = (float *)(memory + l.x);
	g = (float *)(memory + l.g);
	sample = (int64_t *)(memory + l.sample);
}

int main(int argc, char **argv)
{
	struct convoy_request q;
	char rest;

	if (argc > 1 && sscanf(argv[1], "dim=%zu%c", &dim, &rest) != 1)
		return fprintf(stderr, "expected dim=N\n"), 1;
	for (;;) {
		struct convoy_answer a = { 0 };

		receive(&q, sizeof(q));
		a.kind = q.kind;
		a.number = q.number;
		if (q.kind == CONVOY_DESCRIBE) {
			describe(&a);
			continue;
		}
		if (q.kind == CONVOY_MAP)
			map();
		if (q.kind == CONVOY_INIT)
			memset(x, 0, dim * sizeof(*x));
		if (q.kind == CONVOY_GRAD) {
			memset(g, 0, dim * sizeof(*g));
			for (int64_t i = 0; i < q.n; i++)
				a.loss += loss(sample[i], 1.0f / (float)q.n) / (double)q.n;
		}
		if (q.kind == CONVOY_SCORE) {
			for (int64_t i = q.first; i < q.first + q.n; i++)
				a.loss += loss(q.split == CONVOY_TEST ? TRAIN + i : i, 0.0f);
			a.correct = -1;
			a.n = q.n;
		}
		reply(&a, sizeof(a));
	}
}
