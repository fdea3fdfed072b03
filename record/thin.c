/* Curves of a bounded number of rows. */
#include "record/recorder.h"

enum { ROWS_MOST = 1 << 17 };

/* The second of every two rows stays. */
static void record_thin_halve(struct column *c)
{
	for (size_t i = 0; i < c->n / 2; i++)
		if (c->integer)
			c->v.whole[i] = c->v.whole[2 * i + 1];
		else
			c->v.real[i] = c->v.real[2 * i + 1];
	c->n /= 2;
}

/* It gets the mean of both: a loss is that of a window. */
static void record_thin_merge(struct column *loss)
{
	for (size_t i = 0; i + 1 < loss->n; i += 2)
		loss->v.real[i + 1] = 0.5 * (loss->v.real[i] + loss->v.real[i + 1]);
}

void record_thin_train(struct recorder *r)
{
	if (r->train[TRAIN_EPOCH].n < ROWS_MOST)
		return;
	record_thin_merge(&r->train[TRAIN_LOSS]);
	for (int i = 0; i < TRAIN_COLUMNS; i++)
		record_thin_halve(&r->train[i]);
	record_thin_halve(&r->wall[WALL_TRAIN]);
	r->train_every *= 2;
	r->train_rows /= 2;
}

bool record_is_passing(const struct recorder *r)
{
	return r->marks % r->marks_each != 0;
}

void record_thin_eval(struct recorder *r)
{
	if (r->eval[EVAL_EPOCH].n < ROWS_MOST || record_is_passing(r))
		return;
	record_thin_merge(&r->eval[EVAL_TRAIN_LOSS]);
	for (int i = 0; i < EVAL_COLUMNS; i++)
		record_thin_halve(&r->eval[i]);
	record_thin_halve(&r->wall[WALL_EVAL]);
	r->marks_each *= 2;
}
