/*
 * net_layout.c - where the boxes of a net's diagram stand.
 *
 * A box's rank is the longest way to it from the input. Boxes of a rank stand
 * side by side in lanes; a connection over several ranks takes the first lane
 * that is free in all of them. Ranks go down, and go on in a further column
 * where all connections that would be cut come from one box.
 */
#include "cmd/show/net.h"

#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Boxes of a block that is marked as one. Ranks of a column squared, by all ranks. */
enum { GROUP_MOST = 8 };
static const double aspect = 5.0;

static bool joins(enum layer_kind kind)
{
	return kind == LAYER_BN || kind == LAYER_RELU || kind == LAYER_DROPOUT;
}

static int *count_readers(const struct graph *g)
{
	int *readers = xcalloc((size_t)g->n, sizeof(*readers));

	for (int i = 1; i < g->n; i++)
		for (int k = 0; k < 2; k++)
			if (g->layers[i].in[k] >= 0)
				readers[g->layers[i].in[k]]++;
	return readers;
}

/* box_of[layer], by the layers' order, so that boxes come before their readers. */
static void make_boxes(struct diagram *d, int *box_of)
{
	int *readers = count_readers(d->g);

	for (int i = 0; i < d->g->n; i++) {
		const struct layer *l = &d->g->layers[i];
		int in = l->in[0];

		if (in > 0 && in == i - 1 && joins(l->kind) && readers[in] == 1) {
			box_of[i] = box_of[in];
			d->boxes[box_of[i]].last = i;
			continue;
		}
		box_of[i] = d->nboxes;
		d->boxes[d->nboxes++] = (struct box){ .first = i, .last = i };
	}
	free(readers);
}

static void make_wires(struct diagram *d, const int *box_of)
{
	for (int i = 0; i < d->nboxes; i++) {
		const struct layer *l = &d->g->layers[d->boxes[i].first];

		for (int k = 0; k < 2; k++) {
			int from = l->in[k] < 0 ? -1 : box_of[l->in[k]];

			if (from < 0 || (k && from == box_of[l->in[0]]))
				continue;
			d->wires[d->nwires++] = (struct wire){ from, i, -1 };
			if (d->boxes[i].rank <= d->boxes[from].rank)
				d->boxes[i].rank = d->boxes[from].rank + 1;
		}
		if (d->boxes[i].rank >= d->ranks)
			d->ranks = d->boxes[i].rank + 1;
	}
}

/* ---- lanes ---- */

static bool lane_free(const bool *taken, int from, int to, int lane)
{
	for (int r = from; r <= to; r++)
		if (taken[r * DIAGRAM_LANES + lane])
			return false;
	return true;
}

static int take_lane(bool *taken, int from, int to, int wish)
{
	int lane = 0;

	if (wish < DIAGRAM_LANES && lane_free(taken, from, to, wish))
		lane = wish;
	else
		while (lane < DIAGRAM_LANES - 1 && !lane_free(taken, from, to, lane))
			lane++;
	for (int r = from; r <= to; r++)
		taken[r * DIAGRAM_LANES + lane] = true;
	return lane;
}

static void place_lanes(struct diagram *d)
{
	bool *taken = xcalloc((size_t)d->ranks * DIAGRAM_LANES, sizeof(*taken));

	for (int i = 0; i < d->nboxes; i++) {
		struct box *b = &d->boxes[i];

		b->lane = take_lane(taken, b->rank, b->rank, 0);
	}
	for (int i = 0; i < d->nwires; i++) {
		struct wire *w = &d->wires[i];
		int from = d->boxes[w->from].rank + 1, to = d->boxes[w->to].rank - 1;

		if (from <= to)
			w->lane = take_lane(taken, from, to, d->boxes[w->from].lane);
	}
	free(taken);
}

/* ---- columns ---- */

/* may[r]: one box alone feeds everything behind rank r from before. */
static bool *find_cuts(const struct diagram *d)
{
	bool *may = xcalloc((size_t)d->ranks, sizeof(*may));
	int *source = xcalloc((size_t)d->ranks, sizeof(*source));

	memset(may, true, (size_t)d->ranks * sizeof(*may));
	for (int r = 0; r < d->ranks; r++)
		source[r] = -1;
	for (int i = 0; i < d->nwires; i++) {
		const struct wire *w = &d->wires[i];

		for (int r = d->boxes[w->from].rank; r < d->boxes[w->to].rank; r++) {
			if (r > d->boxes[w->from].rank || (source[r] >= 0 && source[r] != w->from))
				may[r] = false;
			source[r] = w->from;
		}
	}
	free(source);
	return may;
}

static void place_columns(struct diagram *d)
{
	int rows = (int)ceil(sqrt(d->ranks * aspect)), start = 0, column = 0;
	bool *may = find_cuts(d);

	d->column = xcalloc((size_t)d->ranks, sizeof(*d->column));
	for (int r = 0; r < d->ranks; r++) {
		int next = r + 1;               /* where the next column could begin */

		d->column[r] = column;
		if (r - start + 1 < 2 * rows / 3 || !may[r])
			continue;
		while (next < d->ranks - 1 && !may[next])
			next++;
		if (next - start + 1 > rows && d->ranks - r > 3) {
			column++;
			start = r + 1;
		}
	}
	free(may);
}

/* ---- blocks ---- */

static const char *name_of(const struct diagram *d, int box)
{
	return d->g->layers[d->boxes[box].first].name;
}

/* Boxes of the block whose name is the n first characters of box i's; they are neighbours. */
static int count_block(const struct diagram *d, int i, size_t n)
{
	const char *name = name_of(d, i);
	int from = i, to = i;

	while (from > 0 && to - from < GROUP_MOST && !strncmp(name_of(d, from - 1), name, n))
		from--;
	while (to < d->nboxes - 1 && to - from < GROUP_MOST
	       && !strncmp(name_of(d, to + 1), name, n))
		to++;
	return to - from + 1;
}

/* Characters of the outermost block around a box that is small, or 0. */
static size_t block_of(const struct diagram *d, int i)
{
	const char *name = name_of(d, i);

	for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
		size_t n = (size_t)(dot - name);
		int boxes = count_block(d, i, n + 1);

		if (boxes > 1 && boxes <= GROUP_MOST)
			return n;
	}
	return 0;
}

/* The group of that block, whose boxes are neighbours. */
static int find_group(struct diagram *d, const char *name, size_t n)
{
	const char *last = d->ngroups ? d->groups[d->ngroups - 1] : "";

	if (strlen(last) == n && !strncmp(last, name, n))
		return d->ngroups - 1;
	snprintf(d->groups[d->ngroups], sizeof(*d->groups), "%.*s", (int)n, name);
	return d->ngroups++;
}

static void find_groups(struct diagram *d)
{
	d->groups = xcalloc((size_t)d->nboxes, sizeof(*d->groups));
	d->group = xcalloc((size_t)d->ranks, sizeof(*d->group));
	for (int i = 0; i < d->nboxes; i++) {
		size_t n = block_of(d, i);
		int group = n ? find_group(d, name_of(d, i), n) : -1;

		if (d->boxes[i].lane == 0)
			d->group[d->boxes[i].rank] = group;
	}
}

void diagram_build(struct diagram *d, const struct graph *g)
{
	int *box_of = xcalloc((size_t)g->n, sizeof(*box_of));

	*d = (struct diagram){ .g = g };
	d->boxes = xcalloc((size_t)g->n, sizeof(*d->boxes));
	d->wires = xcalloc(2 * (size_t)g->n, sizeof(*d->wires));
	make_boxes(d, box_of);
	make_wires(d, box_of);
	place_lanes(d);
	place_columns(d);
	find_groups(d);
	free(box_of);
}

void diagram_release(struct diagram *d)
{
	free(d->boxes);
	free(d->wires);
	free(d->column);
	free(d->groups);
	free(d->group);
}
