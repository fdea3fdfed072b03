/* A recorder's memory as bytes, for a run that is saved and resumed. */
#include "record/recorder.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/learnt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATE_VERSION = 10 };

/* Of all that is counted: a larger number is none of ours, and would overflow later. */
static const int64_t MOST = (int64_t)1 << 53;

struct plain {                  /* what has a fixed size */
	int64_t version;
	double lr;
	struct mean train_loss, eval_loss;
	struct timed timed;
	double train_every;
	int64_t train_rows, marked, marks, marks_each, diverged, steps;
	double elapsed;
	struct seen window[SEEN_MEASURES], whole[SEEN_MEASURES];
	struct ends ends;       /* without its list */
	int64_t workers;
};

struct bytes {
	char *at;
	size_t n, left;         /* left: to be read */
	bool failed;
};

/* ---- writing ---- */

static void record_state_put(struct bytes *b, const void *from, size_t n)
{
	b->at = xrealloc(b->at, b->n + n, 1);
	if (n)
		memcpy(b->at + b->n, from, n);
	b->n += n;
}

static void put_column(struct bytes *b, const struct column *c)
{
	const int64_t n = (int64_t)c->n;

	record_state_put(b, &n, sizeof(n));
	record_state_put(b, c->integer ? (const void *)c->v.whole : (const void *)c->v.real,
			 c->n * 8);
}

static void put_tally(struct bytes *b, const struct tally *t)
{
	struct column value = { .integer = true }, count = { .integer = true };

	tally_columns(t, &value, &count);
	put_column(b, &value);
	put_column(b, &count);
	column_release(&value);
	column_release(&count);
}

static void put_numbers(struct bytes *b, const struct numbers_learnt *from)
{
	const int64_t n = (int64_t)from->n;

	record_state_put(b, &n, sizeof(n));
	record_state_put(b, from->v, from->n * sizeof(*from->v));
}

static void put_learnt(struct bytes *b, const struct learnt *l)
{
	for (int i = 0; i < l->nodes; i++)
		for (int k = 0; k < LEARNT_KINDS; k++)
			put_numbers(b, &l->node[i][k]);
	for (int k = 0; k < LEARNT_MARKS; k++)
		put_numbers(b, &l->mark[k]);
}

void *recorder_state(const struct recorder *r, size_t *n)
{
	struct plain plain = {
		.version = STATE_VERSION, .lr = r->lr, .train_loss = r->train_loss,
		.eval_loss = r->eval_loss, .timed = r->timed, .train_rows = r->train_rows,
		.train_every = r->train_every, .marks = r->marks, .marks_each = r->marks_each,
		.marked = r->marked, .diverged = r->diverged, .steps = r->steps,
		.elapsed = clock_s() - r->began,
		.ends = r->ends,
		.workers = r->run->workers,
	};
	struct bytes b = { 0 };

	memcpy(plain.window, r->window, sizeof(r->window));
	memcpy(plain.whole, r->whole, sizeof(r->whole));
	plain.ends.ahead = NULL;
	record_state_put(&b, &plain, sizeof(plain));
	for (int i = 0; i < TRAIN_COLUMNS; i++)
		put_column(&b, &r->train[i]);
	for (int i = 0; i < r->evals; i++)
		put_column(&b, &r->eval[i]);
	for (int i = 0; i < FAULT_COLUMNS; i++)
		put_column(&b, &r->faults[i]);
	put_tally(&b, &r->staleness);
	put_tally(&b, &r->gaps);
	record_state_put(&b, r->updates, (size_t)r->run->workers * sizeof(*r->updates));
	record_state_put(&b, r->read, (size_t)r->run->workers * sizeof(*r->read));
	record_state_put(&b, r->rounds, (size_t)r->run->workers * sizeof(*r->rounds));
	record_state_put(&b, r->ends.ahead,
			 (size_t)r->ends.nahead * sizeof(*r->ends.ahead));
	for (int i = 0; i < WALL_COLUMNS; i++)
		put_column(&b, &r->wall[i]);
	record_state_put(&b, &r->correct.n, sizeof(r->correct.n));
	record_state_put(&b, &r->correct.data, sizeof(r->correct.data));
	record_state_put(&b, r->correct.word, correct_words(r->correct.n) * sizeof(uint64_t));
	if (r->learnt && !r->learnt->full)
		put_learnt(&b, r->learnt);
	*n = b.n;
	return b.at;
}

/* ---- reading ---- */

static void record_state_get(struct bytes *b, void *to, size_t n)
{
	if (b->failed || n > b->left) {
		memset(to, 0, n);
		b->failed = true;
		return;
	}
	memcpy(to, b->at, n);
	b->at += n;
	b->left -= n;
}

static void get_column(struct bytes *b, struct column *c)
{
	int64_t n = 0;

	record_state_get(b, &n, sizeof(n));
	c->n = 0;
	if (n < 0 || (size_t)n > b->left / 8)
		b->failed = true;
	for (int64_t i = 0; i < n && !b->failed; i++) {
		int64_t whole;
		double real;

		record_state_get(b, &whole, sizeof(whole));
		memcpy(&real, &whole, sizeof(real));
		if (c->integer)
			column_whole(c, whole);
		else
			column_real(c, real);
	}
}

static void get_columns(struct bytes *b, struct column *to, const struct column *like, int n)
{
	for (int i = 0; i < n; i++) {
		to[i] = (struct column){ .name = like[i].name, .integer = like[i].integer };
		get_column(b, &to[i]);
		b->failed |= to[i].n != to[0].n;
	}
}

static void get_tally(struct bytes *b, struct tally *t)
{
	struct column value = { .integer = true }, count = { .integer = true };

	get_column(b, &value);
	get_column(b, &count);
	b->failed |= value.n != count.n;
	for (size_t i = 0; i < value.n && !b->failed; i++)
		if (count.v.whole[i] > 0 && count.v.whole[i] <= MOST - t->total)
			tally_add(t, value.v.whole[i], count.v.whole[i]);
		else
			b->failed = true;
	column_release(&value);
	column_release(&count);
}

/* A state of before there were such columns has NaN for them. */
static void get_wall(struct recorder *to, struct bytes *b)
{
	const size_t rows[] = { to->train[TRAIN_EPOCH].n, to->eval[EVAL_EPOCH].n };
	const bool there = b->left > 0;

	for (int i = 0; i < WALL_COLUMNS; i++) {
		to->wall[i] = (struct column){ .name = layout_wall[i].name };
		if (there)
			get_column(b, &to->wall[i]);
		while (!there && to->wall[i].n < rows[i])
			column_real(&to->wall[i], (double)NAN);
		b->failed |= to->wall[i].n != rows[i];
	}
}

static void get_numbers(struct bytes *b, struct learnt *l, struct numbers_learnt *to)
{
	int64_t n = 0;

	record_state_get(b, &n, sizeof(n));
	if (n < 0 || (size_t)n > b->left / sizeof(double))
		b->failed = true;
	for (int64_t i = 0; i < n && !b->failed; i++) {
		double x;

		record_state_get(b, &x, sizeof(x));
		learnt_add(l, to, x);
	}
}

/* What was learnt so far; NULL: it is not kept, or not known. */
static struct learnt *get_learnt(struct bytes *b, const struct learnt *like)
{
	struct learnt *l = like && b->left > 0 ? learnt_new(like->nodes) : NULL;

	for (int i = 0; l && i < l->nodes; i++)
		for (int k = 0; k < LEARNT_KINDS; k++)
			get_numbers(b, l, &l->node[i][k]);
	for (int k = 0; l && k < LEARNT_MARKS; k++)
		get_numbers(b, l, &l->mark[k]);
	return l;
}

static void get_correct(struct bytes *b, struct correct *to)
{
	int64_t n = 0;
	uint64_t data = 0;

	record_state_get(b, &n, sizeof(n));
	record_state_get(b, &data, sizeof(data));
	if (n < 0 || n > CORRECT_MOST || correct_words(n) > b->left / sizeof(uint64_t)) {
		b->failed = true;
		n = 0;
	}
	*to = correct_new(n, data);
	record_state_get(b, to->word, correct_words(n) * sizeof(uint64_t));
	b->failed |= !correct_is_sound(to);
}

static bool is_count(int64_t n)
{
	return n >= 0 && n <= MOST;
}

static bool rounds_are_sound(const struct rounds *r)
{
	return is_count(r->delivered) && is_count(r->n) && is_count(r->counted) &&
	       (r->timed == 0 || r->timed == 1) && is_count(r->from_n) &&
	       is_count(r->from_delivered) && is_count(r->to_delivered);
}

/* The rounds of workers that have ended some which others have not. */
static struct ends get_ends(struct bytes *b, const struct plain *p)
{
	struct ends e = p->ends;

	b->failed |= !is_count(e.n) || !is_count(e.timed) || !is_count(e.gradients) ||
		     e.nahead < 0 || (size_t)e.nahead > b->left / sizeof(*e.ahead);
	e.nahead = b->failed ? 0 : e.nahead;
	e.ahead = xcalloc((size_t)e.nahead + 1, sizeof(*e.ahead));
	record_state_get(b, e.ahead, (size_t)e.nahead * sizeof(*e.ahead));
	for (int64_t i = 0; i < e.nahead; i++)
		b->failed |= e.ahead[i].workers < 1 || e.ahead[i].workers >= p->workers ||
			     !is_count(e.ahead[i].gradients);
	return e;
}

/* Counts are counts, a bool is one, and rows that are to be replaced are there. */
static bool is_sound(const struct plain *p, const struct recorder *to, int workers)
{
	unsigned char begun;
	bool sound = is_count(p->train_rows) && is_count(p->marks) && p->marks_each > 0 &&
		     p->marks_each <= MOST && is_count(p->steps) && p->marked >= -1;

	memcpy(&begun, &p->timed.begun, sizeof(begun));
	for (int i = 0; i < SEEN_MEASURES; i++)
		sound = sound && is_count(p->window[i].n) && is_count(p->whole[i].n);
	for (int i = 0; i < workers; i++)
		sound = sound && is_count(to->updates[i]) && is_count(to->read[i]) &&
			rounds_are_sound(&to->rounds[i]) &&
			(!rounds_are_common(to) ||
			 (to->rounds[i].n >= to->ends.n &&
			  to->rounds[i].n - to->ends.n <= to->ends.nahead));
	if (p->marked >= 0 || p->marks % p->marks_each)
		sound = sound && to->eval[EVAL_EPOCH].n > 0;
	return sound && begun <= 1 && isfinite(p->elapsed) &&
	       (p->train_every > 0.0) == (to->info.train_every > 0.0);
}

static void columns_free(struct column *c, int n)
{
	for (int i = 0; i < n; i++)
		column_release(&c[i]);
}

/* All but what is in its plain part. */
static void record_state_free(struct recorder *r)
{
	columns_free(r->train, TRAIN_COLUMNS);
	columns_free(r->eval, r->evals);
	columns_free(r->faults, FAULT_COLUMNS);
	columns_free(r->wall, WALL_COLUMNS);
	tally_release(&r->staleness);
	tally_release(&r->gaps);
	free_all(r->updates, r->read, r->rounds, r->ends.ahead);
	learnt_free(r->learnt);
	correct_release(&r->correct);
}

static void record_state_set(struct recorder *r, const struct plain *plain)
{
	r->lr = plain->lr;
	r->train_loss = plain->train_loss;
	r->eval_loss = plain->eval_loss;
	r->timed = plain->timed;
	r->train_rows = plain->train_rows;
	r->train_every = plain->train_every;
	r->marked = plain->marked;
	r->marks = plain->marks;
	r->marks_each = plain->marks_each;
	r->diverged = plain->diverged;
	r->steps = plain->steps;
	r->began -= plain->elapsed;
	memcpy(r->window, plain->window, sizeof(r->window));
	memcpy(r->whole, plain->whole, sizeof(r->whole));
}

/* The recorder is left as it is unless all that is there can be. */
int recorder_restore(struct recorder *r, const void *state, size_t n)
{
	const int workers = r->run->workers;
	struct bytes b = { .at = (char *)(uintptr_t)state, .left = n };
	struct recorder to = *r, old = *r;
	struct plain plain;

	record_state_get(&b, &plain, sizeof(plain));
	if (b.failed || plain.version != STATE_VERSION || plain.workers != workers)
		return error("what a checkpoint says of the results is of another version");
	to.staleness = to.gaps = (struct tally){ 0 };
	to.updates = xcalloc((size_t)workers, sizeof(*to.updates));
	to.read = xcalloc((size_t)workers, sizeof(*to.read));
	to.rounds = xcalloc((size_t)workers, sizeof(*to.rounds));
	to.hook.each = to.rounds;
	get_columns(&b, to.train, r->train, TRAIN_COLUMNS);
	get_columns(&b, to.eval, r->eval, r->evals);
	get_columns(&b, to.faults, r->faults, FAULT_COLUMNS);
	get_tally(&b, &to.staleness);
	get_tally(&b, &to.gaps);
	record_state_get(&b, to.updates, (size_t)workers * sizeof(*to.updates));
	record_state_get(&b, to.read, (size_t)workers * sizeof(*to.read));
	record_state_get(&b, to.rounds, (size_t)workers * sizeof(*to.rounds));
	to.ends = get_ends(&b, &plain);
	get_wall(&to, &b);
	to.correct = (struct correct){ 0 };
	get_correct(&b, &to.correct);
	to.learnt = get_learnt(&b, r->learnt);
	if (b.failed || !is_sound(&plain, &to, workers)) {
		record_state_free(&to);
		return error("what a checkpoint says of the results is damaged");
	}
	*r = to;
	record_state_set(r, &plain);
	record_state_free(&old);
	return 0;
}
