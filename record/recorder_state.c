/* A recorder's memory as bytes, for a run that is saved and resumed. */
#include "record/recorder.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/learnt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATE_VERSION = 11 };

/* Bound of all counts: a sum over all workers of a larger number would overflow. */
static const int64_t MOST = (int64_t)1 << 42;

struct bytes {
	char *at;
	size_t n, left;         /* left: to be read */
	bool reads, failed;
};

/* Writes n bytes, or reads them: zeros where there are fewer. */
static void carry(struct bytes *b, void *v, size_t n)
{
	if (!n)
		return;
	if (!b->reads) {
		b->at = xrealloc(b->at, b->n + n, 1);
		memcpy(b->at + b->n, v, n);
		b->n += n;
	} else if (b->failed || n > b->left) {
		memset(v, 0, n);
		b->failed = true;
	} else {
		memcpy(v, b->at, n);
		b->at += n;
		b->left -= n;
	}
}

/* How many numbers of eight bytes follow. */
static size_t carry_count(struct bytes *b, size_t count)
{
	int64_t n = (int64_t)count;

	carry(b, &n, sizeof(n));
	b->failed |= b->reads && (n < 0 || (size_t)n > b->left / 8);
	return b->failed ? 0 : (size_t)n;
}

static void carry_column(struct bytes *b, struct column *c)
{
	const size_t n = carry_count(b, c->n);

	if (!b->reads) {
		carry(b, c->integer ? (void *)c->v.whole : (void *)c->v.real, n * 8);
		return;
	}
	*c = (struct column){ .name = c->name, .integer = c->integer };
	for (size_t i = 0; i < n; i++) {
		int64_t whole = 0;
		double real;

		carry(b, &whole, sizeof(whole));
		memcpy(&real, &whole, sizeof(real));
		if (c->integer)
			column_whole(c, whole);
		else
			column_real(c, real);
	}
}

/* Columns of as many rows. */
static void carry_columns(struct bytes *b, struct column *c, int n)
{
	for (int i = 0; i < n; i++) {
		carry_column(b, &c[i]);
		b->failed |= c[i].n != c[0].n;
	}
}

static void carry_tally(struct bytes *b, struct tally *t)
{
	struct column value = { .integer = true }, count = { .integer = true };

	if (!b->reads)
		tally_columns(t, &value, &count);
	carry_column(b, &value);
	carry_column(b, &count);
	b->failed |= value.n != count.n;
	for (size_t i = 0; b->reads && i < value.n && !b->failed; i++)
		if (count.v.whole[i] > 0 && count.v.whole[i] <= MOST - t->total)
			tally_add(t, value.v.whole[i], count.v.whole[i]);
		else
			b->failed = true;
	column_release(&value);
	column_release(&count);
}

static void carry_numbers(struct bytes *b, struct learnt *l, struct numbers_learnt *x)
{
	const size_t n = carry_count(b, x->n);

	if (!b->reads)
		carry(b, x->v, n * sizeof(*x->v));
	for (size_t i = 0; b->reads && i < n; i++) {
		double number = 0.0;

		carry(b, &number, sizeof(number));
		learnt_add(l, x, number);
	}
}

static void carry_learnt(struct bytes *b, struct learnt *l)
{
	for (int i = 0; i < l->nodes; i++)
		for (int k = 0; k < LEARNT_KINDS; k++)
			carry_numbers(b, l, &l->node[i][k]);
	for (int k = 0; k < LEARNT_MARKS; k++)
		carry_numbers(b, l, &l->mark[k]);
}

static void carry_correct(struct bytes *b, struct correct *c)
{
	int64_t n = c->n;
	uint64_t data = c->data;

	carry(b, &n, sizeof(n));
	carry(b, &data, sizeof(data));
	if (b->reads) {
		b->failed |= n < 0 || n > CORRECT_MOST ||
			     correct_words(n) > b->left / sizeof(uint64_t);
		*c = correct_new(b->failed ? 0 : n, data);
	}
	carry(b, c->word, correct_words(c->n) * sizeof(uint64_t));
	b->failed |= b->reads && !correct_is_sound(c);
}

/* All but r->at and what was learnt. */
static void carry_rest(struct bytes *b, struct recorder *r)
{
	const size_t workers = (size_t)r->run->workers;

	carry_columns(b, r->train, TRAIN_COLUMNS);
	carry_columns(b, r->eval, r->evals);
	carry_columns(b, r->faults, FAULT_COLUMNS);
	carry_tally(b, &r->staleness);
	carry_tally(b, &r->gaps);
	carry(b, r->updates, workers * sizeof(*r->updates));
	carry(b, r->read, workers * sizeof(*r->read));
	carry(b, r->rounds, workers * sizeof(*r->rounds));
	carry(b, r->at.ends.ahead, (size_t)r->at.ends.nahead * sizeof(*r->at.ends.ahead));
	for (int i = 0; i < WALL_COLUMNS; i++)
		carry_column(b, &r->wall[i]);
	carry_correct(b, &r->correct);
}

void *recorder_state(const struct recorder *r, size_t *n)
{
	struct recorder from = *r;
	struct bytes b = { 0 };

	from.at.version = STATE_VERSION;
	from.at.elapsed = clock_s() - r->began;
	from.at.workers = r->run->workers;
	from.at.ends.ahead = NULL;
	carry(&b, &from.at, sizeof(from.at));
	from.at.ends.ahead = r->at.ends.ahead;
	carry_rest(&b, &from);
	if (r->learnt && !r->learnt->full)
		carry_learnt(&b, r->learnt);
	*n = b.n;
	return b.at;
}

/* ---- what was read ---- */

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

/* The rounds of workers that have ended some which others have not: their list is still empty. */
static struct ends ends_of(struct bytes *b, struct ends e)
{
	b->failed |= !is_count(e.n) || !is_count(e.timed) || !is_count(e.gradients) ||
		     e.nahead < 0 || (size_t)e.nahead > b->left / sizeof(*e.ahead);
	e.nahead = b->failed ? 0 : e.nahead;
	e.ahead = xcalloc((size_t)e.nahead + 1, sizeof(*e.ahead));
	return e;
}

/* Each round that is ahead has been ended by as many workers as are that far, and not by all. */
static bool ends_are_sound(const struct ends *e, const struct rounds *rounds, int workers)
{
	int64_t *at = xcalloc((size_t)e->nahead + 1, sizeof(*at)), ended = 0;
	bool sound = true;

	for (int i = 0; i < workers && sound; i++) {
		const int64_t ahead = rounds[i].n - e->n;

		sound = ahead >= 0 && ahead <= e->nahead;
		if (sound)
			at[ahead]++;
	}
	for (int64_t k = e->nahead; k-- > 0 && sound;) {
		ended += at[k + 1];
		sound = ended > 0 && ended < workers && e->ahead[k].workers == ended &&
			is_count(e->ahead[k].gradients);
	}
	free(at);
	return sound;
}

/* Counts are counts, a bool is one, and rows that are to be replaced are there. */
static bool is_sound(const struct recorder *to, int workers)
{
	const struct reached *p = &to->at;
	unsigned char begun;
	bool sound = to->wall[WALL_TRAIN].n == to->train[TRAIN_EPOCH].n &&
		     to->wall[WALL_EVAL].n == to->eval[EVAL_EPOCH].n &&
		     is_count(p->train_rows) && is_count(p->marks) && p->marks_each > 0 &&
		     p->marks_each <= MOST && is_count(p->steps) && p->marked >= -1;

	memcpy(&begun, &p->timed.begun, sizeof(begun));
	for (int i = 0; i < SEEN_MEASURES; i++)
		sound = sound && is_count(p->window[i].n) && is_count(p->whole[i].n);
	for (int i = 0; i < workers; i++)
		sound = sound && is_count(to->updates[i]) && is_count(to->read[i]) &&
			rounds_are_sound(&to->rounds[i]);
	if (rounds_are_common(to))
		sound = sound && ends_are_sound(&p->ends, to->rounds, workers);
	if (p->marked >= 0 || p->marks % p->marks_each)
		sound = sound && to->eval[EVAL_EPOCH].n > 0;
	return sound && begun <= 1 && isfinite(p->elapsed) &&
	       (p->train_every > 0.0) == (to->info.train_every > 0.0);
}

/* The recorder is left as it is unless all that is there can be. */
int recorder_restore(struct recorder *r, const void *state, size_t n)
{
	const int workers = r->run->workers;
	struct bytes b = { .at = (char *)(uintptr_t)state, .left = n, .reads = true };
	struct recorder to = *r, old = *r;

	carry(&b, &to.at, sizeof(to.at));
	if (b.failed || to.at.version != STATE_VERSION || to.at.workers != workers)
		return error("what a checkpoint says of the results is of another version");
	to.began -= to.at.elapsed;
	to.staleness = to.gaps = (struct tally){ 0 };
	to.updates = xcalloc((size_t)workers, sizeof(*to.updates));
	to.read = xcalloc((size_t)workers, sizeof(*to.read));
	to.rounds = xcalloc((size_t)workers, sizeof(*to.rounds));
	to.hook.each = to.rounds;
	to.at.ends = ends_of(&b, to.at.ends);
	carry_rest(&b, &to);
	to.learnt = r->learnt && b.left > 0 ? learnt_new(r->learnt->nodes) : NULL;
	if (to.learnt)
		carry_learnt(&b, to.learnt);
	if (b.failed || !is_sound(&to, workers)) {
		record_release(&to);
		return error("what a checkpoint says of the results is damaged");
	}
	*r = to;
	record_release(&old);
	return 0;
}
