/* Reads steps, kernels, operators and collectives from a trace of torch.profiler. */
#include "record/trace/torch_events.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/opt_text.h"
#include "core/text/word.h"
#include "record/trace/json_items.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Microseconds: 126 years, more than since 1970. */
static const double LATEST_US = 4e15;

static const double MOST_ID = 9e15;

void torch_events_add(struct torch_events *to, struct torch_event e)
{
	if ((to->n & (to->n - 1)) == 0)
		to->v = xrealloc(to->v, to->n ? 2 * to->n : 1, sizeof(*to->v));
	to->v[to->n++] = e;
}

static bool torch_begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* The number after "ProfilerStep#", or -1. */
static int64_t torch_step_number(const char *name)
{
	static const char word[] = "ProfilerStep#";
	int64_t number;

	if (!torch_begins(name, word) || !text_int(name + sizeof(word) - 1, &number) || number < 0)
		return -1;
	return number;
}

/* TORCH_KINDS for an event that does not matter. Builds without Kineto write no category. */
static enum torch_kind torch_kind_of(const char *name, const char *category)
{
	static const char *const libraries[] = { "gloo:", "mpi:", "ucc:" };

	if (strcmp(category, "kernel") == 0)
		return torch_begins(name, "nccl") ? TORCH_NCCL : TORCH_KERNEL;
	if (word_ends(category, "_runtime") || word_ends(category, "_driver"))
		return TORCH_LAUNCH;
	if (torch_begins(category, "gpu_"))
		return TORCH_KINDS;
	if (torch_step_number(name) >= 0)
		return TORCH_STEP;
	if (torch_begins(name, "aten::"))
		return TORCH_OPERATOR;
	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		if (torch_begins(name, libraries[i]))
			return TORCH_HOST_COLLECTIVE;
	return TORCH_KINDS;
}

/* The number of a member, or NaN. */
static double torch_number(const cJSON *object, const char *key)
{
	const cJSON *number = json_get(object, key);

	return cJSON_IsNumber(number) ? number->valuedouble : nan("");
}

static int64_t torch_id(const cJSON *event, enum torch_kind kind, const char *name)
{
	const double id = torch_number(json_get(event, "args"), "correlation");

	if (kind == TORCH_STEP)
		return torch_step_number(name);
	return id >= 0.0 && id <= MOST_ID ? (int64_t)id : -1;
}

static int torch_add(struct torch_trace *t, const struct json_item *item, const cJSON *event)
{
	const char *name = json_word(event, "name");
	const enum torch_kind kind = torch_kind_of(name, json_word(event, "cat"));
	const double begin = torch_number(event, "ts"), lasts = torch_number(event, "dur");

	if (kind == TORCH_KINDS)
		return 0;
	if (!(fabs(begin) <= LATEST_US && lasts >= 0.0 && lasts <= LATEST_US))
		return error("%s: %s[%zu]: '%.60s' has no usable time: ts %g, dur %g "
			     "(microseconds, dur at least 0)", t->path, item->key, item->number,
			     name, begin, lasts);
	torch_events_add(&t->of[kind], (struct torch_event){ begin, begin + lasts,
							     torch_id(event, kind, name) });
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
	cJSON *event;
	int ret;

	if (!item->element)
		return strcmp(item->key, "distributedInfo") == 0 ? torch_take_rank(t, item) : 0;
	if (!strstr(item->text, "\"X\""))
		return 0;
	event = json_item_parse(item);
	ret = event ? torch_add(t, item, event) : -1;
	cJSON_Delete(event);
	return ret;
}

int torch_trace_read(struct torch_trace *t, const char *path)
{
	*t = (struct torch_trace){ .path = path, .rank = -1 };
	return json_items_read(path, "traceEvents", torch_take, t);
}

void torch_trace_release(struct torch_trace *t)
{
	for (size_t i = 0; i < TORCH_KINDS; i++)
		free(t->of[i].v);
	*t = (struct torch_trace){ 0 };
}
