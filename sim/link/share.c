/* Computes max-min fair rates: the most contended line fixes its flows first. */
#include "sim/link/share.h"

#include <math.h>

/* Counts each line's flows; rates below 0 are of those that are not settled. */
static void link_share_begin(struct line *lines, struct share *const *share, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (int k = 0; k < share[i]->nlines; k++) {
			struct line *l = &lines[share[i]->line[k]];

			l->left = l->capacity;
			l->flows = 0;
		}
	for (size_t i = 0; i < n; i++) {
		share[i]->rate = share[i]->nlines || share[i]->cap > 0.0 ? -1.0 : HUGE_VAL;
		for (int k = 0; k < share[i]->nlines; k++)
			lines[share[i]->line[k]].flows++;
	}
}

/* What the tightest line of a flow would give it, at most its cap. */
static double link_share_offer(const struct line *lines, const struct share *s)
{
	double least = s->cap > 0.0 ? s->cap : HUGE_VAL;

	for (int k = 0; k < s->nlines; k++) {
		const struct line *l = &lines[s->line[k]];

		least = fmin(least, fmax(l->left, 0.0) / l->flows);
	}
	return least;
}

static void link_share_settle(struct line *lines, struct share *s, double rate)
{
	s->rate = rate;
	for (int k = 0; k < s->nlines; k++) {
		lines[s->line[k]].left -= rate;
		lines[s->line[k]].flows--;
	}
}

/* The least that any flow is offered; HUGE_VAL: all are settled. */
static double link_share_tightest(const struct line *lines, struct share *const *share, size_t n)
{
	double least = HUGE_VAL;

	for (size_t i = 0; i < n; i++)
		if (share[i]->rate < 0.0)
			least = fmin(least, link_share_offer(lines, share[i]));
	return least;
}

/*
 * Rounding lets a line offer a little more or less as its flows are settled: within a part in
 * 10^12 it is the same offer.
 */
void share_fairly(struct line *lines, struct share *const *share, size_t n)
{
	double rate;

	link_share_begin(lines, share, n);
	while ((rate = link_share_tightest(lines, share, n)) < HUGE_VAL)
		for (size_t i = 0; i < n; i++)
			if (share[i]->rate < 0.0 &&
			    link_share_offer(lines, share[i]) <= rate * (1.0 + 1e-12))
				link_share_settle(lines, share[i], rate);
}
