#include "core/run.h"

const char *const end_reason_name[] = {
	[END_EPOCHS] = "epochs",     [END_SECONDS] = "seconds", [END_GRADIENTS] = "gradients",
	[END_STOPPED] = "stopped",   [END_DIVERGED] = "diverged", [END_STALLED] = "stalled",
	[END_INTERRUPTED] = "interrupted",
};

void run_emit(const struct run *run, const struct event *ev)
{
	for (struct hook *h = run->hooks; h; h = h->next)
		if (h->mask & 1u << ev->kind)
			h->event(h, ev);
}

bool run_wants(const struct run *run, enum event_kind kind)
{
	for (const struct hook *h = run->hooks; h; h = h->next)
		if (h->mask & 1u << kind)
			return true;
	return false;
}
