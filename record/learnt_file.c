/*
 * learnt_file.c - what a run has learnt, in its result file, for runs in the same order.
 *
 * The group "learnt" has a column of each kind of numbers, node after node, and a column of how
 * many are of each node; a kind that a node has nothing of has none.
 */
#include "record/recorder_file.h"

#include "core/base/mem.h"
#include "core/learnt.h"
#include "record/tree.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *values, *counts;
} learnt_names[LEARNT_KINDS] = {
	[LEARNT_LOSS] = { "loss", "losses" },
	[LEARNT_NORM] = { "norm", "norms" },
	[LEARNT_GAP] = { "gap", "gaps" },
	[LEARNT_MOMENTUM] = { "momentum", "momenta" },
	[LEARNT_PUBLISHED] = { "momentum_published", "momenta_published" },
};

static const char *const mark_names[LEARNT_MARKS] = {
	[LEARNT_TEST_LOSS] = "test_loss",
	[LEARNT_TEST_ACCURACY] = "test_accuracy",
	[LEARNT_SPREAD] = "spread",
};

/* ---- written ---- */

static bool is_nothing(const struct numbers_learnt *of)
{
	for (size_t i = 0; i < of->n; i++)
		if (!isnan(of->v[i]))
			return false;
	return true;
}

static void put_kind(const struct learnt *l, struct tree *group, int kind)
{
	struct column values = { .name = learnt_names[kind].values },
		      counts = { .name = learnt_names[kind].counts, .integer = true };

	for (int i = 0; i < l->nodes; i++) {
		const struct numbers_learnt *of = &l->node[i][kind];
		const size_t n = is_nothing(of) ? 0 : of->n;

		column_whole(&counts, (int64_t)n);
		for (size_t k = 0; k < n; k++)
			column_real(&values, of->v[k]);
	}
	tree_take_column(group, &values);
	tree_take_column(group, &counts);
}

static void put_mark(const struct learnt *l, struct tree *group, int mark)
{
	struct column values = { .name = mark_names[mark] };

	for (size_t k = 0; k < l->mark[mark].n; k++)
		column_real(&values, l->mark[mark].v[k]);
	tree_take_column(group, &values);
}

void learnt_put(const struct recorder *r, struct tree *file, const struct run_result *result)
{
	const struct learnt *l = r->learnt;
	char order[17];
	struct tree *group;

	if (!l || l->full || !result || !result->order || r->at.diverged)
		return;
	snprintf(order, sizeof(order), "%016" PRIx64, result->order);
	group = tree_add(file, "learnt");
	tree_put_text(group, "training", r->info.training);
	tree_put_text(group, "order", order);
	for (int k = 0; k < LEARNT_KINDS; k++)
		put_kind(l, group, k);
	for (int k = 0; k < LEARNT_MARKS; k++)
		put_mark(l, group, k);
}

/* ---- read ---- */

static int get_kind(struct learnt *l, const struct tree *file, const struct tree *group, int kind)
{
	struct column values = { .name = learnt_names[kind].values },
		      counts = { .name = learnt_names[kind].counts };
	int rc = tree_get_column(file, group, &values) | tree_get_column(file, group, &counts);
	size_t at = 0;

	if (counts.n != (size_t)l->nodes)
		rc = -1;
	for (int i = 0; i < l->nodes && rc == 0; i++) {
		const double n = counts.v.real[i];

		if (!(n >= 0.0 && n <= (double)(values.n - at))) {
			rc = -1;
			break;
		}
		for (size_t k = 0; k < (size_t)n; k++)
			learnt_add(l, &l->node[i][kind], values.v.real[at++]);
	}
	column_release(&values);
	column_release(&counts);
	return rc;
}

static int get_mark(struct learnt *l, const struct tree *file, const struct tree *group, int mark)
{
	scoped_by(column_release) struct column values = { .name = mark_names[mark] };
	const int rc = tree_get_column(file, group, &values);

	for (size_t k = 0; k < values.n; k++)
		learnt_add(l, &l->mark[mark], values.v.real[k]);
	return rc;
}

/* NULL: it is not whole. */
static struct learnt *learnt_get(const struct tree *file, const struct tree *group, int nodes,
				 const char *path)
{
	const struct tree *summary = tree_find(file, "summary");
	char *model = tree_get_text(summary, "model");
	struct learnt *l = learnt_new(nodes);
	int64_t dim = 0;
	int rc;

	l->by = tree_get_text(file, "hash");
	l->model = model ? strtoull(model, NULL, 16) : 0;
	l->tokens = tree_has(summary, "tokens");
	rc = tree_get_whole(summary, "dim", &dim) | tree_get_whole(summary, "samples", &l->samples);
	l->dim = (size_t)dim;
	for (int k = 0; k < LEARNT_KINDS && rc == 0; k++)
		rc = get_kind(l, file, group, k);
	for (int k = 0; k < LEARNT_MARKS && rc == 0; k++)
		rc = get_mark(l, file, group, k);
	if (rc == 0)
		rc = correct_get(&l->correct, file, path);
	l->tested = l->correct.n;
	if (tree_has(summary, "test_samples"))
		rc |= tree_get_whole(summary, "test_samples", &l->tested);
	free(model);
	if (rc == 0 && l->by && l->samples > 0 && dim > 0 && !l->full)
		return l;
	learnt_free(l);
	return NULL;
}

struct learnt *learnt_read(const char *path, const char *training, uint64_t order, int nodes)
{
	const char *fault;
	struct tree *file = tree_open(path, &fault), *group = tree_find(file, "learnt");
	struct learnt *l = NULL;
	char text[17];

	snprintf(text, sizeof(text), "%016" PRIx64, order);
	if (group && tree_text_is(group, "training", training) &&
	    tree_text_is(group, "order", text))
		l = learnt_get(file, group, nodes, path);
	tree_free(file);
	return l;
}
