/*
 * The operator of those convolutions that wino.h computes, and of the ReLU after
 * them. Weights are transformed once a level. Chunks' weight gradients are added in their
 * order, straight into g.
 */
#include "nets/onednn/onednn.h"
#include "nets/onednn/wino/wino.h"

enum { LEAST = 32 };            /* channels of a group; the transforms outweigh fewer */

struct winograd {
	const struct wino_table *table;
	size_t groups, in, out;         /* of one group */
	size_t weights;                 /* floats of one group's */
	int forward, back;              /* spaces */
};

/* Matrix units are faster on the plain sum than anything on vectors. */
static const struct wino_table *table_of(const struct onednn *c)
{
	if (c->precision == PRECISION_F32)
		return wino_f32();
	return onednn_has_matrix_units() ? NULL : wino_bf16();
}

bool onednn_is_winograd(const struct onednn *c, const struct layer *l)
{
	int in, out;

	if (l->kind != LAYER_CONV || l->kernel != 3 || l->stride != 1 || l->pad != 1)
		return false;
	in = l->is.c / l->groups;
	out = l->os.c / l->groups;
	return in >= LEAST && out >= LEAST && in % WINO_AT == 0 && out % WINO_AT == 0
	       && table_of(c);
}

/* Of n samples, forward or from out to in. */
static struct wino shape_of(const struct op *op, size_t n, bool back)
{
	const struct winograd *k = op->priv;
	const struct layer *l = op->layer;
	const struct wino z = { n, (size_t)l->is.h, (size_t)l->is.w, k->in, k->out,
				(size_t)l->is.c, (size_t)l->os.c };

	return back ? (struct wino){ n, z.h, z.w, z.out, z.in, z.out_apart, z.in_apart } : z;
}

/* Bytes of a lane's temp for a chunk's weight gradient; the working memory is after it. */
static size_t part_of(const struct winograd *k)
{
	return (k->groups * k->weights * sizeof(float) + 63) / 64 * 64;
}

static int winograd_open(struct onednn *c, struct op *op)
{
	struct winograd *k = op->priv = xcalloc(1, sizeof(*k));
	const struct layer *l = op->layer;
	struct wino z, back;
	size_t bytes;

	k->table = table_of(c);
	k->groups = (size_t)l->groups;
	k->in = (size_t)l->is.c / k->groups;
	k->out = (size_t)l->os.c / k->groups;
	k->weights = 9 * k->in * k->out;
	bytes = WINO_AT * k->groups * k->in * k->out * c->size;
	k->forward = onednn_space(op, SPACE_FORWARD, 0, bytes);
	k->back = c->values[op->in[0]].wanted ? onednn_space(op, SPACE_BACKWARD, 0, bytes) : -1;
	z = shape_of(op, c->chunk[op->level], false);
	back = shape_of(op, c->chunk[op->level], true);
	onednn_temp(c, wino_work(&z, c->size));
	onednn_temp(c, wino_work(&back, c->size));
	onednn_temp(c, part_of(k) + wino_gradient_work(&z, c->size)
		    + k->groups * k->out * sizeof(float));
	return 0;
}

static void winograd_close(struct op *op)
{
	free(op->priv);
}

static void winograd_load(struct onednn *c, struct op *op, bool back, struct lane *w)
{
	const struct winograd *k = op->priv;
	const int space = back ? k->back : k->forward;

	(void)w;
	for (size_t g = 0; space >= 0 && g < k->groups; g++)
		(back ? k->table->weights_back : k->table->weights)
			(k->in, k->out, c->x + op->layer->weight + g * k->weights,
			 op->spaces[space].at + g * WINO_AT * k->in * k->out * c->size);
}

static void winograd_forward(struct onednn *c, struct op *op, struct span s)
{
	const struct winograd *k = op->priv;
	const struct wino z = shape_of(op, s.n, false);
	const char *x = value_act(c, op->in[0], s);
	char *y = value_act(c, op->out, s);

	for (size_t g = 0; g < k->groups; g++)
		k->table->convolve(&z, x + g * k->in * c->size,
				   op->spaces[k->forward].at
				   + g * WINO_AT * k->in * k->out * c->size,
				   op->layer->bias ? c->x + op->layer->beta + g * k->out : NULL,
				   false, op->relu, s.lane->temp, y + g * k->out * c->size);
}

/* The first chunk's gradient begins the sum, the others are added to it. */
static void wino_op_backward_weights(struct onednn *c, struct op *op, struct span s)
{
	const struct winograd *k = op->priv;
	const struct layer *l = op->layer;
	const struct wino z = shape_of(op, s.n, false);
	const char *x = value_act(c, op->in[0], s), *dy = value_grad(c, op->out, s);
	float *sum = c->g + l->weight, *part = (float *)(void *)s.lane->temp;
	char *work = s.lane->temp + part_of(k);
	const size_t channels = k->groups * k->out, rows = s.n * z.h * z.w;
	float *bias = (float *)(void *)work;

	for (size_t g = 0; g < k->groups; g++)
		k->table->gradient(&z, x + g * k->in * c->size, dy + g * k->out * c->size, work,
				   (s.k ? part : sum) + g * k->weights);
	if (l->bias)
		c->simd->sums(rows, channels, dy, channels, bias);
	turn_wait(&op->turn[1], s.k);
	if (s.k)
		c->simd32->copy(1, k->groups * k->weights, part, 0, true, sum, 0);
	if (l->bias)
		c->simd32->copy(1, channels, bias, 0, s.k > 0, c->g + l->beta, 0);
	turn_pass(&op->turn[1]);
}

static void wino_op_backward_data(struct onednn *c, struct op *op, struct span s)
{
	const struct winograd *k = op->priv;
	const struct wino z = shape_of(op, s.n, true);
	const char *dy = value_grad(c, op->out, s);
	char *dx = value_grad(c, op->in[0], s);

	for (size_t g = 0; g < k->groups; g++)
		k->table->convolve(&z, dy + g * k->out * c->size,
				   op->spaces[k->back].at
				   + g * WINO_AT * k->in * k->out * c->size, NULL, op->add[0],
				   false, s.lane->temp, dx + g * k->in * c->size);
}

static void winograd_backward(struct onednn *c, struct op *op, struct span s)
{
	if (op->relu)
		c->simd->mask(s.n * c->values[op->out].count, value_act(c, op->out, s),
			      value_extra(c, op->out, s), 1, value_grad(c, op->out, s));
	wino_op_backward_weights(c, op, s);
	if (c->values[op->in[0]].wanted)
		wino_op_backward_data(c, op, s);
}

const struct op_type op_winograd = {
	.reads_in = true,
	.open = winograd_open,
	.load = winograd_load,
	.forward = winograd_forward,
	.backward = winograd_backward,
	.close = winograd_close,
};
