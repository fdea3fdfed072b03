/* Parses the setting `shares`, cuts it into slices and formats slices as its text. */
#include "plan/settings/shares.h"

#include "algos/algos.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/samples/slice.h"
#include "core/text/parse.h"
#include "core/text/ranks.h"
#include "core/text/word.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A part beyond these has no digits left for the others. */
#define PART_LEAST 1e-9
#define PART_MOST 1e9

/* Nor do speeds, which are products. */
#define SPEED_LEAST 1e-12
#define SPEED_MOST 1e12

struct clause {
	int first, last;
	double part;
};

/* ---- from the text to parts ---- */

/* part[workers] <- RANK[-RANK]:PART, joined by '+'; others have 1. 0 or error(). */
static int parse_parts(const char *text, int workers, double *part)
{
	static const char *const words[] = { "equal", "speed", NULL };
	const char *p = text, *near = nearest_word(text, words);

	do {
		struct clause c = { 0 };
		bool good = rank_take(&p, &c.first);

		c.last = c.first;
		good = good && (!parse_char(&p, '-') || rank_take(&p, &c.last));
		if (!good || !parse_char(&p, ':') || !parse_number(&p, &c.part))
			return error("shares '%s': expected equal, speed, or parts such as "
				     "0:2+3-5:0.5 (RANK:PART or FIRST-LAST:PART, joined by '+'; a "
				     "part is more than 0)%s%s%s", text,
				     near ? "; did you mean '" : "", near ? near : "",
				     near ? "'?" : "");
		if (c.last >= workers)
			return error("shares '%s': there is no rank %d among %d worker%s (ranks "
				     "are 0 to %d)", text, c.last, workers, word_plural(workers),
				     workers - 1);
		if (c.first > c.last)
			return error("shares '%s': ranks %d-%d: the lower one stands first", text,
				     c.first, c.last);
		if (c.part < PART_LEAST || c.part > PART_MOST)
			return error("shares '%s': a part must be between %g and %g", text,
				     PART_LEAST, PART_MOST);
		for (int w = c.first; w <= c.last; w++) {
			if (part[w] > 0.0)
				return error("shares '%s': rank %d has two parts", text, w);
			part[w] = c.part;
		}
	} while (parse_char(&p, '+'));
	if (*p)
		return error("shares '%s': '%s' is left over", text, p);
	for (int w = 0; w < workers; w++)
		if (!(part[w] > 0.0))
			part[w] = 1.0;
	return 0;
}

/* ---- from parts to slices ---- */

int shares_cut(const double *part, int workers, size_t batch, int64_t **slice)
{
	int none;

	*slice = xcalloc((size_t)workers + 1, sizeof(**slice));
	none = slices_cut(part, workers, batch, *slice);
	if (none < 0 && slices_most(*slice, workers, batch) != batch)
		return -1;
	free(*slice);
	*slice = NULL;
	return none;
}

int shares_parse(const char *text, const struct share_of *of, int64_t **slice)
{
	scoped double *part = NULL;
	int ret = 0, none = -1;

	*slice = NULL;
	if (!text || strcmp(text, "equal") == 0)
		return 0;
	part = xcalloc((size_t)of->workers, sizeof(*part));
	if (strcmp(text, "speed") != 0)
		ret = parse_parts(text, of->workers, part);
	for (int w = 0; w < of->workers && strcmp(text, "speed") == 0; w++)
		part[w] = fmin(fmax(1.0 / pace_mean(of->pace, of->seed, w), SPEED_LEAST),
			       SPEED_MOST);
	if (ret == 0)
		none = shares_cut(part, of->workers, of->batch, slice);
	if (none >= 0) {
		double sum = 0.0, own;

		for (int w = 0; w < of->workers; w++)
			sum += part[w];
		own = part[none] / sum * (double)of->workers;
		ret = error("shares '%s': worker %d has %.3g of the %lld samples of a round, which "
			    "is none: its part must be larger, or the batch at least %.0f", text,
			    none, own * (double)of->batch, (long long)of->batch * of->workers,
			    ceil(1.0 / own));
	}
	return ret;
}

int shares_check(const struct run *run)
{
	char *names = xstrdup("");

	if (slices_check(run) == 0) {
		free(names);
		return 0;
	}
	for (const struct plugin *const *p = algo_table; *p; p++)
		if (((const struct algo *)*p)->lockstep)
			xappend(&names, ", ", (*p)->name);
	note("algorithms for unequal shares: %s", names);
	free(names);
	return -1;
}

/* ---- and back ---- */

static void put_one(const void *clauses, size_t i, FILE *out)
{
	const struct clause *c = (const struct clause *)clauses + i;

	fprintf(out, "%d", c->first);
	if (c->last > c->first)
		fprintf(out, "-%d", c->last);
	putc(':', out);
	put_number(c->part, out);
}

char *shares_format(const int64_t *slice, int workers)
{
	scoped struct clause *c = NULL;
	size_t n = 0;

	if (!slice)
		return xstrdup("equal");
	c = xcalloc((size_t)workers, sizeof(*c));
	/* Neighbours that have as many samples are one clause. */
	for (int w = 0; w < workers; w++) {
		const size_t size = slice_size(slice, 0, w);

		if (w && slice_size(slice, 0, w - 1) == size)
			c[n - 1].last = w;
		else
			c[n++] = (struct clause){ w, w, (double)size };
	}
	return list_text(n, put_one, c);
}
