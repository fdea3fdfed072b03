/* Who waits for what, when nothing is left to happen. */
#include "sim/world.h"

#include "core/engine/stall.h"

#include <stdio.h>
#include <stdlib.h>

enum end_reason stall_why(const struct sim *s)
{
	bool there = false;

	for (int i = 0; i < s->run->workers; i++) {
		if (sim_is_away(&s->priv[i]))
			continue;
		there = true;
		if (!s->priv[i].stopped)
			return END_STALLED;
	}
	return there ? END_STOPPED : END_STALLED;
}

/* text[size] <- who is away, or was. */
static void name_absent(const struct sim *s, char *text, size_t size)
{
	size_t n = 0;

	for (int i = 0; i < s->run->workers && n < size; i++) {
		const struct fault *f = s->priv[i].absence;

		if (!f)
			continue;
		n += (size_t)snprintf(text + n, size - n, "%sworker %d ", n ? ", " : "", i);
		if (n >= size)
			return;
		if (sim_is_away(&s->priv[i]))
			n += (size_t)snprintf(text + n, size - n, "left at %g s", f->from);
		else
			n += (size_t)snprintf(text + n, size - n, "was away from %g to %g s",
					      f->from, f->to);
	}
}

void stall_name(const struct sim *s, struct run_result *result)
{
	enum waits *what;

	if (s->fault[0]) {
		snprintf(result->fault, sizeof(result->fault), "%s", s->fault);
		return;
	}
	name_absent(s, result->fault, sizeof(result->fault));
	what = xcalloc((size_t)s->nnodes, sizeof(*what));
	for (int i = 0; i < s->nnodes; i++)
		what[i] = sim_is_away(&s->priv[i]) ? WAITS_AWAY
			: stall_waits(&s->nodes[i], s->priv[i].allreducing, s->priv[i].stopped);
	stall_text(what, s->nnodes, s->run->workers, result->waits, sizeof(result->waits));
	free(what);
}
