/* Puts pieces that are needed at different times at the same address. */
#include "nets/onednn/onednn.h"

/* The largest first, which leaves the fewest gaps. */
static int onednn_arena_compare(const void *a, const void *b)
{
	const struct piece *x = *(struct piece *const *)a, *y = *(struct piece *const *)b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return (x > y) - (x < y);
}

static bool onednn_arena_meet(const struct piece *a, const struct piece *b)
{
	return a->from <= b->to && b->from <= a->to;
}

/* The lowest gap among the n pieces `by_offset` that is wide enough. */
static size_t find_gap(struct piece *const *by_offset, int n, const struct piece *p)
{
	size_t at = 0;

	for (int i = 0; i < n; i++) {
		const struct piece *q = by_offset[i];

		if (!onednn_arena_meet(p, q))
			continue;
		if (q->at >= at + p->bytes)
			break;
		if (q->at + q->bytes > at)
			at = q->at + q->bytes;
	}
	return at;
}

/* Into its position among the n that are sorted by theirs. */
static void onednn_arena_insert(struct piece **by_offset, int n, struct piece *p)
{
	int i = n;

	for (; i > 0 && by_offset[i - 1]->at > p->at; i--)
		by_offset[i] = by_offset[i - 1];
	by_offset[i] = p;
}

size_t onednn_arrange(struct piece *pieces, int n)
{
	struct piece **by_size = xcalloc((size_t)n + 1, sizeof(*by_size));
	struct piece **by_offset = xcalloc((size_t)n + 1, sizeof(*by_offset));
	size_t end = 0;

	for (int i = 0; i < n; i++)
		by_size[i] = &pieces[i];
	qsort(by_size, (size_t)n, sizeof(*by_size), onednn_arena_compare);
	for (int i = 0; i < n; i++) {
		struct piece *p = by_size[i];

		p->at = find_gap(by_offset, i, p);
		onednn_arena_insert(by_offset, i, p);
		end = p->at + p->bytes > end ? p->at + p->bytes : end;
	}
	free(by_size);
	free(by_offset);
	return end;
}
