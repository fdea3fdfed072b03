/* Cuts a round's samples into whole slices in proportion to the workers' shares. */
#include "core/samples/slice.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/run.h"

#include <math.h>
#include <stdlib.h>

struct rest {
	double rest;            /* fraction of a sample */
	int rank;
};

static int by_rest(const void *a, const void *b)
{
	const struct rest *x = a, *y = b;

	if (x->rest < y->rest || x->rest > y->rest)
		return x->rest < y->rest ? 1 : -1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* size[workers] <- whole samples of each worker; returns how many samples of the round are left. */
static int64_t cut_whole(const double *part, int workers, size_t batch, int64_t *size,
			 struct rest *rest)
{
	const double round = (double)batch * (double)workers;
	int64_t left = (int64_t)batch * workers;
	double sum = 0.0;

	for (int w = 0; w < workers; w++)
		sum += part[w];
	for (int w = 0; w < workers; w++) {
		const double own = round * part[w] / sum;

		size[w] = (int64_t)floor(own);
		rest[w] = (struct rest){ own - floor(own), w };
		left -= size[w];
	}
	return left;
}

int slices_cut(const double *part, int workers, size_t batch, int64_t *slice)
{
	struct rest *rest = xcalloc((size_t)workers, sizeof(*rest));
	int64_t left = cut_whole(part, workers, batch, slice + 1, rest);
	int none = -1;

	qsort(rest, (size_t)workers, sizeof(*rest), by_rest);
	for (int i = 0; i < workers && left > 0; i++, left--)
		slice[1 + rest[i].rank]++;
	free(rest);
	slice[0] = 0;
	for (int w = 0; w < workers; w++) {
		if (slice[w + 1] < 1 && none < 0)
			none = w;
		slice[w + 1] += slice[w];
	}
	return none;
}

int slices_check(const struct run *run)
{
	if (!run->slice || run->algo->lockstep)
		return 0;
	return error("shares: %s lets fast workers deliver more gradients, so unequal shares would "
		     "miscount epochs. Give --shares equal, or another algorithm",
		     run->algo->plugin.name);
}

size_t slices_most(const int64_t *slice, int workers, size_t batch)
{
	size_t most = 0;

	for (int w = 0; w < workers; w++)
		if (slice_size(slice, batch, w) > most)
			most = slice_size(slice, batch, w);
	return most;
}
