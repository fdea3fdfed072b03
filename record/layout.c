/* Names in a result file, growing columns of numbers, and tallies of whole ones. */
#include "record/layout.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "record/layout.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct layout_column layout_train[TRAIN_COLUMNS + 1] = {
	[TRAIN_GRADIENTS] = { "gradients", true },
	[TRAIN_EPOCH] = { "epoch", false },
	[TRAIN_TIME] = { "time_s", false },
	[TRAIN_LOSS] = { "loss", false },
	[TRAIN_LR] = { "lr", false },
	[TRAIN_STALENESS] = { "staleness", false },
	[TRAIN_STALENESS_MAX] = { "staleness_max", false },
	[TRAIN_GAP] = { "gap", false },
	[TRAIN_GAP_MAX] = { "gap_max", false },
	[TRAIN_NORM] = { "norm", false },
	[TRAIN_NORM_MAX] = { "norm_max", false },
	[TRAIN_MOMENTUM] = { "momentum", false },
};

const struct layout_column layout_eval[EVAL_COLUMNS + 1] = {
	[EVAL_EPOCH] = { "epoch", false },
	[EVAL_TIME] = { "time_s", false },
	[EVAL_GRADIENTS] = { "gradients", true },
	[EVAL_TRAIN_LOSS] = { "train_loss", false },
	[EVAL_TEST_LOSS] = { "test_loss", false },
	[EVAL_TEST_ACCURACY] = { "test_accuracy", false },
	[EVAL_SPREAD] = { "spread", false },
	[EVAL_BYTES_SENT] = { "bytes_sent", false },
};

const struct layout_column layout_wall[WALL_COLUMNS + 1] = {
	[WALL_TRAIN] = { "train_wall_s", false },
	[WALL_EVAL] = { "eval_wall_s", false },
};

const struct layout_column layout_nodes[NODE_COLUMNS + 1] = {
	[NODE_RANK] = { "rank", true },
	[NODE_COMPUTE] = { "compute_s", false },
	[NODE_COMMUNICATE] = { "communicate_s", false },
	[NODE_WAIT] = { "wait_s", false },
	[NODE_GRADIENTS] = { "gradients", true },
	[NODE_DROPPED] = { "dropped", true },
	[NODE_STEPS] = { "steps", true },
	[NODE_MESSAGES] = { "messages", true },
	[NODE_BYTES_SENT] = { "bytes_sent", true },
	[NODE_BYTES_RECEIVED] = { "bytes_received", true },
	[NODE_UPDATES] = { "updates", true },
};

const struct layout_column layout_staleness[STALENESS_COLUMNS + 1] = {
	[STALENESS_VALUE] = { "value", true },
	[STALENESS_COUNT] = { "count", true },
};

const struct layout_column layout_gap[GAP_COLUMNS + 1] = {
	[GAP_AT_LEAST] = { "at_least", false },
	[GAP_COUNT] = { "count", true },
};

const struct layout_column layout_faults[FAULT_COLUMNS + 1] = {
	[FAULT_TIME] = { "time_s", false },
	[FAULT_KIND] = { "kind", true },
	[FAULT_OVER] = { "over", true },
	[FAULT_RANK] = { "rank", true },
	[FAULT_PEER] = { "peer", true },
};

int layout_check(const char *path, int64_t version, int oldest, int newest)
{
	if (version > newest)
		return error("'%s' was written by a newer convoy: its layout version is %" PRId64
			     ", and this one reads up to %d", path, version, newest);
	if (version < oldest)
		return error("'%s' was written by an older convoy: its layout version is %" PRId64
			     ", and this one reads from %d", path, version, oldest);
	return 0;
}

enum { FEW = 1 << 22 };         /* values of at least 0 that are counted side by side */

static void column_make_next(struct column *c)
{
	if (c->n < c->capacity)
		return;
	c->capacity = c->capacity ? 2 * c->capacity : 64;
	if (c->integer)
		c->v.whole = xrealloc(c->v.whole, c->capacity, sizeof(*c->v.whole));
	else
		c->v.real = xrealloc(c->v.real, c->capacity, sizeof(*c->v.real));
}

void column_reserve(struct column *c, size_t n)
{
	column_release(c);
	c->capacity = n;
	if (c->integer)
		c->v.whole = xcalloc_whole(n, sizeof(*c->v.whole));
	else
		c->v.real = xcalloc_whole(n, sizeof(*c->v.real));
}

void column_real(struct column *c, double x)
{
	column_make_next(c);
	c->v.real[c->n++] = x;
}

void column_whole(struct column *c, int64_t x)
{
	column_make_next(c);
	c->v.whole[c->n++] = x;
}

double column_final(const struct column *c)
{
	return c->n ? c->v.real[c->n - 1] : (double)NAN;
}

void column_release(struct column *c)
{
	if (c->integer)
		free(c->v.whole);
	else
		free(c->v.real);
	c->v.real = NULL;
	c->n = c->capacity = 0;
}

/* The slot of a value: its own, or the free one where it belongs. */
static size_t slot_of(const struct tally *t, int64_t value)
{
	uint64_t h = (uint64_t)value * UINT64_C(0x9E3779B97F4A7C15);
	size_t i = (size_t)(h >> 32) & (t->capacity - 1);

	while (t->count[i] && t->value[i] != value)
		i = (i + 1) & (t->capacity - 1);
	return i;
}

static void column_grow(struct tally *t)
{
	struct tally old = *t;

	t->capacity = old.capacity ? 2 * old.capacity : 64;
	t->value = xcalloc(t->capacity, sizeof(*t->value));
	t->count = xcalloc(t->capacity, sizeof(*t->count));
	for (size_t i = 0; i < old.capacity; i++) {
		if (!old.count[i])
			continue;
		size_t j = slot_of(t, old.value[i]);
		t->value[j] = old.value[i];
		t->count[j] = old.count[i];
	}
	free_all(old.value, old.count);
}

static bool is_few(int64_t value)
{
	return value >= 0 && value < FEW;
}

static void add_few(struct tally *t, size_t value, int64_t times)
{
	size_t capacity = t->few_capacity ? t->few_capacity : 64;

	while (capacity <= value)
		capacity *= 2;
	if (capacity > t->few_capacity) {
		int64_t *few = xlines(capacity, sizeof(*few));

		if (t->few)
			memcpy(few, t->few, t->few_capacity * sizeof(*few));
		free(t->few);
		t->few = few;
		t->few_capacity = capacity;
	}
	t->few[value] += times;
}

static void add_other(struct tally *t, int64_t value, int64_t times)
{
	if (2 * t->n >= t->capacity)
		column_grow(t);
	size_t i = slot_of(t, value);
	t->value[i] = value;
	t->n += t->count[i] == 0;
	t->count[i] += times;
}

void tally_add(struct tally *t, int64_t value, int64_t times)
{
	if ((uint64_t)value < t->few_capacity)
		t->few[value] += times;
	else if (is_few(value))
		add_few(t, (size_t)value, times);
	else
		add_other(t, value, times);
	t->total += times;
	t->sum += (double)value * (double)times;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t count_of(const struct tally *t, int64_t value)
{
	return is_few(value) ? t->few[value] : t->count[slot_of(t, value)];
}

void tally_columns(const struct tally *t, struct column *value, struct column *count)
{
	size_t first = value->n;

	for (size_t i = 0; i < t->few_capacity; i++)
		if (t->few[i])
			column_whole(value, (int64_t)i);
	for (size_t i = 0; i < t->capacity; i++)
		if (t->count[i])
			column_whole(value, t->value[i]);
	if (t->n)
		qsort(value->v.whole + first, value->n - first, sizeof(int64_t), by_value);
	for (size_t i = first; i < value->n; i++)
		column_whole(count, count_of(t, value->v.whole[i]));
}

void tally_release(struct tally *t)
{
	free_all(t->few, t->value, t->count);
	*t = (struct tally){ 0 };
}
