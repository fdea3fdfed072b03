/* Puts the step times of the ranks' traces together. */
#include "record/trace/torch_log.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "record/trace/torch_events.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct torch_rank {
	const char *path;
	int64_t rank, first;    /* the number of its first step */
	size_t steps;
	double *seconds;        /* [steps], owned */
};

static int torch_rank_read(struct torch_rank *r, const char *path)
{
	struct torch_trace t;

	*r = (struct torch_rank){ .path = path };
	if (torch_trace_read(&t, path) == 0)
		r->seconds = torch_trace_seconds(&t);
	if (r->seconds) {
		r->rank = t.rank;
		r->first = t.of[TORCH_STEP].v[0].id;
		r->steps = t.of[TORCH_STEP].n;
	}
	torch_trace_release(&t);
	return r->seconds ? 0 : -1;
}

static int torch_by_rank(const void *a, const void *b)
{
	const struct torch_rank *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Numbers ranks by the order of the files where no file states its own. */
static int torch_number_ranks(struct torch_rank *r, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if ((r[i].rank < 0) != (r[0].rank < 0))
			return error("%s has no rank, but %s has (distributedInfo.rank). Give "
				     "traces of one run", r[r[0].rank < 0 ? 0 : i].path,
				     r[r[0].rank < 0 ? i : 0].path);
	for (size_t i = 0; i < n && r[i].rank < 0; i++)
		r[i].rank = (int64_t)i;
	qsort(r, n, sizeof(*r), torch_by_rank);
	return 0;
}

/* Says so where workers are not numbered as ranks are. */
static void torch_note_ranks(const struct torch_rank *r, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (r[i].rank != (int64_t)i) {
			note("%s: worker %zu of the log is rank %" PRId64 ": no trace is of rank "
			     "%zu", r[i].path, i, r[i].rank, i);
			return;
		}
}

/* In the order of the ranks. */
static int torch_check_ranks(const struct torch_rank *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && r[i].rank == r[i - 1].rank)
			return error("%s and %s are both of rank %" PRId64 ". Give one trace of "
				     "each rank", r[i - 1].path, r[i].path, r[i].rank);
		if (r[i].first != r[0].first || r[i].steps != r[0].steps)
			return error("%s has the steps %" PRId64 " to %" PRId64 ", but %s has %"
				     PRId64 " to %" PRId64 ". Profile the same steps on each rank",
				     r[i].path, r[i].first,
				     r[i].first + (int64_t)r[i].steps - 1, r[0].path, r[0].first,
				     r[0].first + (int64_t)r[0].steps - 1);
	}
	return 0;
}

static struct steplog torch_log_of(const struct torch_rank *r, size_t n)
{
	const size_t steps = r[0].steps;
	struct steplog l = { n, steps, xcalloc(n * steps, sizeof(double)) };

	for (size_t i = 0; i < n; i++)
		memcpy(l.seconds + i * steps, r[i].seconds, steps * sizeof(double));
	return l;
}

int torch_log_read(struct steplog *l, const char *const *paths, size_t n)
{
	struct torch_rank *r = xcalloc(n, sizeof(*r));
	int ret = 0;

	*l = (struct steplog){ 0 };
	for (size_t i = 0; i < n && ret == 0; i++)
		ret = torch_rank_read(&r[i], paths[i]);
	if (ret == 0 && torch_number_ranks(r, n) == 0 && torch_check_ranks(r, n) == 0) {
		torch_note_ranks(r, n);
		*l = torch_log_of(r, n);
	}
	for (size_t i = 0; i < n; i++)
		free(r[i].seconds);
	free(r);
	return l->seconds ? 0 : -1;
}
