/*
 * Who writes which gradient: the first one to do so in backward sets it, the others add.
 *
 * What an addition or a ReLU hands on is its output's gradient as it stands: then both lie
 * at one address, where no thread may change one while the other is still to be read.
 */
#include "nets/onednn/onednn.h"

bool onednn_writes(const struct onednn *c, const struct step *s, int j)
{
	int in = s->op->in[j];

	if (in < 0 || !c->values[in].wanted)
		return false;
	if (!op_is_norm(s->op))
		return true;
	return s->run == unit_spread ? j == 0 : j == 1;
}

/* The level in which op writes the gradient of its input j. */
static int write_level(const struct onednn *c, const struct op *op, int j)
{
	return op_is_norm(op) && j == 0 ? c->values[op->in[0]].level : op->level;
}

/* A gradient is written by one input of one operator only. */
static bool one_write(const struct onednn *c, int v)
{
	const struct value *val = &c->values[v];

	return val->nreaders == 1
	       && !(val->readers[0]->in[0] == v && val->readers[0]->in[1] == v);
}

/* Its maker may change the gradient in place, or hand on its memory. */
static bool is_masked(const struct onednn *c, int v)
{
	const struct op *maker = c->values[v].maker;

	return maker->type == &op_unit || maker->relu;
}

/*
 * No operator changes v's gradient in that level or one before it in backward, once op has
 * written it through input j: no other reader adds to it, nor does its maker mask it.
 */
static bool onednn_share_stays(const struct onednn *c, const struct op *op, int j, int level)
{
	const int v = op->in[j];
	const struct value *val = &c->values[v];

	if (val->level >= level && is_masked(c, v))
		return false;
	for (int i = 0; i < val->nreaders; i++)
		for (int k = 0; k < 2; k++) {
			const struct op *o = val->readers[i];

			if (o->in[k] == v && !(o == op && k == j)
			    && write_level(c, o, k) >= level)
				return false;
		}
	return true;
}

/*
 * op, a unit, writes input j's gradient first. After a normalisation out's gradient is
 * read once more, in the level of in[0]. Else this was its end: one input may have it,
 * and the other one too, if it is a product's result, which is but read, and the first
 * one stays until then.
 */
static bool can_share(const struct onednn *c, const struct op *op, int j)
{
	const int v = op->in[j];

	if (op->type != &op_unit || c->values[v].maker == NULL)
		return false;
	if (op->layer)
		return j == 1 && c->values[v].level < c->values[op->in[0]].level &&
		       onednn_share_stays(c, op, 1, c->values[op->in[0]].level);
	if (j == 0 || !op->shares[0])
		return true;
	for (int k = 0; k < 2; k++) {
		const int y = op->in[k];

		if (one_write(c, y) && !is_masked(c, y) &&
		    onednn_share_stays(c, op, !k, c->values[y].level))
			return true;
	}
	return false;
}

/* What has been seen of a gradient's writes. */
struct writes {
	int n;
	const struct step *last;
	int which;                      /* the input of last's operator */
};

static void note_write(struct onednn *c, struct writes *w, const struct step *s, int j)
{
	struct op *op = s->op;
	const int v = op->in[j];

	op->add[j] = w[v].n > 0;
	w[v] = (struct writes){ w[v].n + 1, s, j };
	if (!op->add[j] && can_share(c, op, j)) {
		op->shares[j] = true;
		c->values[v].sharer = op->out;
	}
}

/*
 * A convolution cannot add to what is there. If it is the last to write, and the maker
 * masks the gradient anyhow, its share waits in memory of its own, and the maker adds.
 */
static void set_apart(struct onednn *c, int v, const struct writes *w)
{
	struct op *op = w->n > 1 ? w->last->op : NULL;

	if (!op || op->type != &op_conv || !op->add[w->which] || !is_masked(c, v)
	    || op->level != c->values[v].level)
		return;
	op->apart = c->values[v].more = true;
}

void onednn_share(struct onednn *c)
{
	struct writes *w = xcalloc((size_t)c->graph->n, sizeof(*w));

	for (int v = 0; v < c->graph->n; v++)
		c->values[v].sharer = -1;
	w[c->result].n = 1;             /* the loss */
	for (int i = 0; i < c->backward.nsteps; i++)
		for (int j = 0; j < 2; j++)
			if (onednn_writes(c, &c->backward.steps[i], j))
				note_write(c, w, &c->backward.steps[i], j);
	for (int v = 1; v < c->graph->n; v++)
		set_apart(c, v, &w[v]);
	free(w);
}
