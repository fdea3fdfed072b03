/*
 * torch_log.c - traces of torch.profiler, one of each rank, as a log of step times: what each says
 * of steps, computing and communication, and the seconds that a worker computed in each step.
 */
#include "record/trace/torch_log.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/opt_text.h"
#include "core/text/word.h"
#include "record/trace/json_items.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct torch_event {
	double begin, end;      /* microseconds */
	int64_t id;             /* a step's number; what joins a launch and its kernel; -1 */
};

enum torch_kind {
	TORCH_STEP,             /* ProfilerStep#N */
	TORCH_LAUNCH,           /* by the host, of a kernel */
	TORCH_KERNEL,           /* of the device, but no collective */
	TORCH_NCCL,             /* a collective of the device */
	TORCH_OPERATOR,         /* aten::..., on the host */
	TORCH_HOST_COLLECTIVE,  /* of gloo, MPI or UCC */
	TORCH_KINDS
};

struct torch_events {
	struct torch_event *v;  /* [n], owned */
	size_t n;
};

struct torch_trace {
	const char *path;
	int64_t rank;           /* -1: the file does not say */
	struct torch_events of[TORCH_KINDS];    /* in the order of the file */
};

/* Latest time in a trace, in microseconds since 1970: the year 2096. */
static const double LATEST_US = 4e15;

/* Largest number of a step or correlation: exact in a double. */
static const double MOST_ID = 9e15;

static void torch_events_add(struct torch_events *to, struct torch_event e)
{
	to->v = xgrown(to->v, to->n, sizeof(*to->v));
	to->v[to->n++] = e;
}

/* The number after "ProfilerStep#", or -1. */
static int64_t torch_step_number(const char *name)
{
	static const char word[] = "ProfilerStep#";
	int64_t number;

	if (!word_starts(name, word) || !text_int(name + sizeof(word) - 1, &number) || number < 0)
		return -1;
	return number;
}

/* TORCH_KINDS for an event that does not matter. Builds without Kineto write no category. */
static enum torch_kind torch_kind_of(const char *name, const char *category)
{
	static const char *const libraries[] = { "gloo:", "mpi:", "ucc:" };

	if (strcmp(category, "kernel") == 0)
		return word_starts(name, "nccl") ? TORCH_NCCL : TORCH_KERNEL;
	if (word_ends(category, "_runtime") || word_ends(category, "_driver"))
		return TORCH_LAUNCH;
	if (word_starts(category, "gpu_"))
		return TORCH_KINDS;
	if (torch_step_number(name) >= 0)
		return TORCH_STEP;
	if (word_starts(name, "aten::"))
		return TORCH_OPERATOR;
	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		if (word_starts(name, libraries[i]))
			return TORCH_HOST_COLLECTIVE;
	return TORCH_KINDS;
}

/* The number of a member, or NaN. */
static double torch_number(const cJSON *object, const char *key)
{
	const cJSON *number = json_get(object, key);

	return cJSON_IsNumber(number) ? number->valuedouble : nan("");
}

static int torch_add(struct torch_trace *t, const struct json_item *item, const cJSON *event)
{
	const char *name = json_word(event, "name");
	const enum torch_kind kind = torch_kind_of(name, json_word(event, "cat"));
	const double begin = torch_number(event, "ts"), lasts = torch_number(event, "dur");
	const double id = torch_number(json_get(event, "args"), "correlation");

	if (kind == TORCH_KINDS)
		return 0;
	if (!(fabs(begin) <= LATEST_US && lasts >= 0.0 && lasts <= LATEST_US))
		return error("%s: %s[%zu]: '%.60s' has no usable time: ts %g, dur %g "
			     "(microseconds, dur at least 0)", t->path, item->key, item->number,
			     name, begin, lasts);
	torch_events_add(&t->of[kind], (struct torch_event){
		begin, begin + lasts,
		kind == TORCH_STEP ? torch_step_number(name) :
		id >= 0.0 && id <= MOST_ID ? (int64_t)id : -1 });
	return 0;
}

static int torch_take_rank(struct torch_trace *t, const struct json_item *item)
{
	cJSON *info = json_item_parse(item);
	const double rank = torch_number(info, "rank");
	int ret = 0;

	if (!info)
		return -1;
	if (!isnan(rank)) {
		t->rank = rank >= 0.0 && rank <= MOST_ID ? (int64_t)rank : -1;
		if (t->rank < 0)
			ret = error("%s: distributedInfo: %g is no rank (0 or more)", t->path,
				    rank);
	}
	cJSON_Delete(info);
	return ret;
}

/* Of the events, only complete ones ("ph": "X") have a duration. */
static int torch_take(void *ctx, const struct json_item *item)
{
	struct torch_trace *t = ctx;
	scoped_json cJSON *event = NULL;

	if (!item->element)
		return strcmp(item->key, "distributedInfo") == 0 ? torch_take_rank(t, item) : 0;
	if (!strstr(item->text, "\"X\""))
		return 0;
	event = json_item_parse(item);
	return event ? torch_add(t, item, event) : -1;
}

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

/* Sorts events by their beginnings, and merges those that overlap. */
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

/*
 * end[step] <- that of the last kernel that the host launched in it; -infinity where it launched
 * none.
 */
static void torch_find_ends(const struct torch_trace *t, enum torch_kind kind, double *end)
{
	const struct torch_events *steps = &t->of[TORCH_STEP], *launches = &t->of[TORCH_LAUNCH];

	for (size_t i = 0; i < t->of[kind].n; i++) {
		const struct torch_event *kernel = &t->of[kind].v[i];
		const struct torch_event *launch = launches->n == 0 || kernel->id < 0 ? NULL :
			bsearch(kernel, launches->v, launches->n, sizeof(*launches->v),
				torch_by_id);
		const size_t step = launch ? torch_first_after(steps, launch->begin) : steps->n;

		if (step < steps->n && steps->v[step].begin <= launch->begin)
			end[step] = fmax(end[step], kernel->end);
	}
}

/* The steps' spans become those of the device, without the first, whose beginning is not known. */
static int torch_device_steps(struct torch_trace *t)
{
	struct torch_events *steps = &t->of[TORCH_STEP];
	scoped double *end = xcalloc(steps->n, sizeof(*end));
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
	return ret;
}

/* ---- seconds ---- */

/*
 * seconds[step] without the collective's times that no computing fills;
 * error() where nothing is left.
 */
static int torch_measure(struct torch_trace *t, enum torch_kind collective,
			 enum torch_kind computing, double *seconds)
{
	const struct torch_events *steps = &t->of[TORCH_STEP];
	struct torch_events waits;
	int ret = 0;

	torch_join(&t->of[collective]);
	torch_join(&t->of[computing]);
	waits = torch_without(&t->of[collective], &t->of[computing]);
	for (size_t i = 0; i < steps->n && ret == 0; i++) {
		const struct torch_event *s = &steps->v[i];
		double waited = 0.0;

		for (size_t k = torch_first_after(&waits, s->begin);
		     k < waits.n && waits.v[k].begin < s->end; k++)
			waited += fmin(waits.v[k].end, s->end) - fmax(waits.v[k].begin, s->begin);
		seconds[i] = 1e-6 * (s->end - s->begin - waited);
		if (!(seconds[i] >= STEPLOG_LEAST && seconds[i] <= STEPLOG_MOST))
			ret = error("%s: ProfilerStep#%" PRId64 " computes for %g s (from %g to "
				    "%g)", t->path, s->id, seconds[i], STEPLOG_LEAST,
				    STEPLOG_MOST);
	}
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

/*
 * Seconds that the worker computed in each step, in their order, which the caller frees;
 * NULL after error(). Sorts the trace's events and joins those of a kind that overlap. Its steps
 * then are those with a time: on a device, not the first.
 */
static double *torch_trace_seconds(struct torch_trace *t)
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

/* ---- the traces of all ranks ---- */

struct torch_rank {
	const char *path;
	int64_t rank, first;    /* the number of its first step */
	size_t steps;
	double *seconds;        /* [steps], owned */
};

static int torch_rank_read(struct torch_rank *r, const char *path)
{
	struct torch_trace t = { .path = path, .rank = -1 };

	*r = (struct torch_rank){ .path = path };
	if (json_items_read(path, "traceEvents", torch_take, &t) == 0)
		r->seconds = torch_trace_seconds(&t);
	if (r->seconds) {
		r->rank = t.rank;
		r->first = t.of[TORCH_STEP].v[0].id;
		r->steps = t.of[TORCH_STEP].n;
	}
	for (size_t i = 0; i < TORCH_KINDS; i++)
		free(t.of[i].v);
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

int torch_log_read(struct steplog *l, const char *const *paths, size_t n)
{
	struct torch_rank *r = xcalloc(n, sizeof(*r));
	int ret = 0;

	*l = (struct steplog){ 0 };
	for (size_t i = 0; i < n && ret == 0; i++)
		ret = torch_rank_read(&r[i], paths[i]);
	if (ret == 0 && torch_number_ranks(r, n) == 0 && torch_check_ranks(r, n) == 0) {
		size_t i = 0;

		while (i < n && r[i].rank == (int64_t)i)
			i++;
		if (i < n)
			note("%s: worker %zu of the log is rank %" PRId64 ": no trace is of rank "
			     "%zu", r[i].path, i, r[i].rank, i);
		*l = (struct steplog){ n, r[0].steps, xcalloc(n * r[0].steps, sizeof(double)),
				       NULL };
		for (i = 0; i < n; i++)
			memcpy(l->seconds + i * l->steps, r[i].seconds, l->steps * sizeof(double));
	}
	for (size_t i = 0; i < n; i++)
		free(r[i].seconds);
	free(r);
	return l->seconds ? 0 : -1;
}
