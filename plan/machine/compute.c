/* Resolves compute_s as a table or by device into seconds and factors of workers. */
#include "plan/machine/machine.h"

#include "core/base/mem.h"
#include "core/samples/slice.h"
#include "core/text/opt_text.h"

#include <stdlib.h>
#include <string.h>

/* Each worker's seconds over those of compute_s for as many samples. */
static void compute_fill(struct setup *su)
{
	const struct compute_times *t = &su->times;
	const size_t batch = (size_t)su->in.batch;

	for (int w = 0; w < su->num.workers; w++) {
		const double samples = (double)slice_size(su->slice, batch, w);

		su->own[w] = compute_times_seconds(t, w, samples) /
			     (su->num.compute_s * samples / (double)batch);
	}
}

/* Once the round is cut, what is extrapolated is said instead of what was said of equal slices. */
static void compute_note(struct setup *su)
{
	char *beyond = compute_times_beyond(&su->times, (int)su->num.workers, su->slice);

	if (beyond)
		setting_source_extrapolated(setting_source_at(su->sources, "compute_s"), beyond,
					    su->times.n == 1 ? double_text(su->num.compute_s)
							     : NULL);
	free(beyond);
}

int compute_read(struct setup *su, const char *text)
{
	const char *net = su->model.known ? su->model.name : NULL;
	const int workers = (int)su->num.workers;

	if (!compute_times_has_clauses(text))
		return setup_auto(su, "compute_s", text);
	if (compute_times_parse(&su->times, text, workers, su->in.batch, net) < 0)
		return -1;
	su->num.compute_s = compute_times_seconds(&su->times, 0, (double)su->in.batch);
	su->own = xcalloc((size_t)workers, sizeof(*su->own));
	su->sim.pace.own = su->own;
	compute_fill(su);
	compute_note(su);
	return 0;
}

void compute_share(struct setup *su)
{
	if (!su->own || !su->slice)
		return;
	compute_fill(su);
	compute_note(su);
}
