/*
 * torch_seconds.c - how long a worker computed in each step of a trace.
 *
 * A step's duration, less the time in which a collective ran and the worker computed nothing: only
 * then did it wait for others or for the network. On a host, a step is its ProfilerStep. A device
 * executes kernels later than its host launches them: there, a step ends with the last kernel that
 * its ProfilerStep launched, and begins where the step before it ended. So the first has no
 * beginning.
 */
#include "record/trace/torch_events.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "record/trace/steplog.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* ---- sets of times ---- */

static int torch_by_begin(const void *a, const void *b)
{
	const struct torch_event *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

static int torch_by_id(const void *a, const void *b)
{
	const struct torch_event *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static void torch_sort(struct torch_events *e, int (*order)(const void *, const void *))
{
	if (e->n)
		qsort(e->v, e->n, sizeof(*e->v), order);
}

/* Sorts events, and makes one of those that overlap. */
static void torch_join(struct torch_events *e)
{
	size_t n = 0;

	torch_sort(e, torch_by_begin);
	for (size_t i = 0; i < e->n; i++) {
		if (n && e->v[i].begin <= e->v[n - 1].end)
			e->v[n - 1].end = fmax(e->v[n - 1].end, e->v[i].end);
		else
			e->v[n++] = e->v[i];
	}
	e->n = n;
}

/* The times of `all` that are not in `but`, both joined. */
static struct torch_events torch_without(const struct torch_events *all,
					 const struct torch_events *but)
{
	struct torch_events left = { 0 };
	size_t first = 0;

	for (size_t i = 0; i < all->n; i++) {
		struct torch_event rest = all->v[i];

		while (first < but->n && but->v[first].end <= rest.begin)
			first++;
		for (size_t k = first; k < but->n && but->v[k].begin < rest.end; k++) {
			const struct torch_event part = { rest.begin, but->v[k].begin, -1 };

			if (part.begin < part.end)
				torch_events_add(&left, part);
			rest.begin = but->v[k].end;
		}
		if (rest.begin < rest.end)
			torch_events_add(&left, rest);
	}
	return left;
}

/* The first that ends after `time`, of events one after the other; e->n where none does. */
static size_t torch_first_after(const struct torch_events *e, double time)
{
	size_t low = 0, high = e->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (e->v[middle].end <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* How much of the joined times is within the span. */
static double torch_within(const struct torch_events *e, const struct torch_event *span)
{
	double sum = 0.0;
	size_t i = torch_first_after(e, span->begin);

	for (; i < e->n && e->v[i].begin < span->end; i++)
		sum += fmin(e->v[i].end, span->end) - fmax(e->v[i].begin, span->begin);
	return sum;
}

/* ---- steps ---- */

static int torch_check_steps(struct torch_trace *t)
{
	struct torch_events *steps = &t->of[TORCH_STEP];
	const struct torch_event *v;

	torch_sort(steps, torch_by_id);
	v = steps->v;
	if (steps->n == 0)
		return error("%s: the trace has no step 'ProfilerStep#N'. Call step() of "
			     "torch.profiler.profile() after each training step", t->path);
	for (size_t i = 1; i < steps->n; i++) {
		if (v[i].id == v[i - 1].id)
			return error("%s: ProfilerStep#%" PRId64 " is there twice", t->path,
				     v[i].id);
		if (v[i].id != v[i - 1].id + 1)
			return error("%s: ProfilerStep#%" PRId64 " is missing (steps follow one "
				     "another). Profile them in one go: repeat=1 in the schedule",
				     t->path, v[i - 1].id + 1);
		if (v[i].begin < v[i - 1].end)
			return error("%s: ProfilerStep#%" PRId64 " begins before ProfilerStep#%"
				     PRId64 " ends", t->path, v[i].id, v[i - 1].id);
	}
	return 0;
}

/* The step in which the host launched the kernel, or as many as there are where it did in none. */
static size_t torch_step_of(const struct torch_trace *t, const struct torch_event *kernel)
{
	const struct torch_events *steps = &t->of[TORCH_STEP], *launches = &t->of[TORCH_LAUNCH];
	const struct torch_event *launch = launches->n == 0 ? NULL
		: bsearch(kernel, launches->v, launches->n, sizeof(*launches->v), torch_by_id);
	size_t step;

	if (!launch || kernel->id < 0)
		return steps->n;
	step = torch_first_after(steps, launch->begin);
	return step < steps->n && steps->v[step].begin <= launch->begin ? step : steps->n;
}

/* end[step] <- that of the last kernel that it launched; -infinity where it launched none. */
static void torch_find_ends(const struct torch_trace *t, enum torch_kind kind, double *end)
{
	const struct torch_events *kernels = &t->of[kind];

	for (size_t i = 0; i < kernels->n; i++) {
		const size_t step = torch_step_of(t, &kernels->v[i]);

		if (step < t->of[TORCH_STEP].n)
			end[step] = fmax(end[step], kernels->v[i].end);
	}
}

/* The steps' spans become those of the device, without the first, whose beginning is not known. */
static int torch_device_steps(struct torch_trace *t)
{
	struct torch_events *steps = &t->of[TORCH_STEP];
	double *end = xcalloc(steps->n, sizeof(*end));
	int ret = 0;

	for (size_t i = 0; i < steps->n; i++)
		end[i] = -HUGE_VAL;
	torch_sort(&t->of[TORCH_LAUNCH], torch_by_id);
	torch_find_ends(t, TORCH_KERNEL, end);
	torch_find_ends(t, TORCH_NCCL, end);
	for (size_t i = 0; i < steps->n && ret == 0; i++)
		if (!isfinite(end[i]) || (i > 0 && end[i] <= end[i - 1]))
			ret = error("%s: ProfilerStep#%" PRId64 " launches no kernel that ends "
				    "after those of the step before", t->path, steps->v[i].id);
	for (size_t i = 1; i < steps->n; i++)
		steps->v[i - 1] = (struct torch_event){ end[i - 1], end[i], steps->v[i].id };
	steps->n--;
	free(end);
	return ret;
}

/* ---- seconds ---- */

/* seconds[step], from times in which the worker waited; error() where they leave nothing. */
static int torch_set_seconds(const struct torch_trace *t, const struct torch_events *waits,
			     double *seconds)
{
	const struct torch_events *steps = &t->of[TORCH_STEP];

	for (size_t i = 0; i < steps->n; i++) {
		const struct torch_event *s = &steps->v[i];

		seconds[i] = 1e-6 * (s->end - s->begin - torch_within(waits, s));
		if (!(seconds[i] >= STEPLOG_LEAST && seconds[i] <= STEPLOG_MOST))
			return error("%s: ProfilerStep#%" PRId64 " computes for %g s (from %g to "
				     "%g)", t->path, s->id, seconds[i], STEPLOG_LEAST,
				     STEPLOG_MOST);
	}
	return 0;
}

static int torch_measure(struct torch_trace *t, enum torch_kind collective,
			 enum torch_kind computing, double *seconds)
{
	struct torch_events waits;
	int ret;

	torch_join(&t->of[collective]);
	torch_join(&t->of[computing]);
	waits = torch_without(&t->of[collective], &t->of[computing]);
	ret = torch_set_seconds(t, &waits, seconds);
	free(waits.v);
	return ret;
}

/* 0, or error() for a trace without communication: its ranks need not have run together. */
static int torch_check_collectives(const struct torch_trace *t, bool on_device)
{
	if (on_device && t->of[TORCH_NCCL].n == 0)
		return error("%s: the trace has kernels, but no all-reduce or other collective of "
			     "NCCL among them (nccl...). Profile a distributed run", t->path);
	if (on_device && t->of[TORCH_STEP].n < 2)
		return error("%s: one step is too few, for that of a device begins where the one "
			     "before ends. Profile more", t->path);
	if (!on_device && t->of[TORCH_HOST_COLLECTIVE].n == 0)
		return error("%s: the trace has no all-reduce or other collective (gloo:, mpi: or "
			     "ucc:). Profile a distributed run, with ProfilerActivity.CUDA if it "
			     "uses GPUs", t->path);
	return 0;
}

double *torch_trace_seconds(struct torch_trace *t)
{
	const bool on_device = t->of[TORCH_KERNEL].n + t->of[TORCH_NCCL].n > 0;
	double *seconds;
	int ret;

	if (torch_check_steps(t) < 0 || torch_check_collectives(t, on_device) < 0)
		return NULL;
	seconds = xcalloc(t->of[TORCH_STEP].n, sizeof(*seconds));
	if (on_device)
		ret = torch_device_steps(t) < 0 ||
		      torch_measure(t, TORCH_NCCL, TORCH_KERNEL, seconds) < 0;
	else
		ret = torch_measure(t, TORCH_HOST_COLLECTIVE, TORCH_OPERATOR, seconds);
	if (ret) {
		free(seconds);
		return NULL;
	}
	return seconds;
}
