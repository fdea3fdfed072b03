/*
 * recorder.c - the hook that turns a run's events into one HDF5 file: rows of curves, means and
 * maxima of windows and of the whole run, how gaps are spread, whose gradients were used.
 *
 * Rows gather in memory. From time to time, and at the end, the whole file is built again and
 * renamed over the last one, so that whatever kills the program leaves a file that opens. Where a
 * curve has too many rows each two become one: memory and file have a bound, however long the run
 * is.
 * docs/results.md describes the layout.
 */
#include "record/recorder.h"

#include "core/base/apart.h"
#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/learnt.h"
#include "core/math/vec.h"
#include "core/watch.h"
#include "record/environ.h"

#include <stdlib.h>
#include <unistd.h>

/* Tallied by tenths of a decade: 10^(k/10) and more. A gap of 0 is at 10^-400, which is 0. */
enum { PER_DECADE = 10, OF_NOTHING = -400 * PER_DECADE };

static void sum_add(struct sum *s, double x)
{
	const double high = s->high + x, rest = high - s->high;

	s->low += (s->high - (high - rest)) + (x - rest);
	s->high = high;
}

static void seen_add(struct seen *s, double x)
{
	if (!isfinite(x))
		return;
	s->max = s->n && s->max > x ? s->max : x;
	s->last = x;
	sum_add(&s->sum, x);
	s->n++;
}

static void see_all(struct recorder *r, enum seen_measure what, double x)
{
	seen_add(&r->at.window[what], x);
	seen_add(&r->at.whole[what], x);
}

static void record_gradient(struct recorder *r, const struct event *ev)
{
	double gap;

	/* Where there is a server, what went into its model counts, not a worker's own steps. */
	if (ev->staleness < 0 || (r->run->algo->server && ev->node->rank != SERVER))
		return;
	tally_add(&r->staleness, ev->staleness, 1);
	see_all(r, SEEN_STALENESS, (double)ev->staleness);
	/*
	 * Lian et al. 2018: the updates of any worker's model between a gradient's snapshot and its
	 * use. Of one model, or of models that step together, these are the steps of the model, as
	 * in put_totals().
	 */
	if (record_is_gossip(r->run))
		seen_add(&r->at.whole[SEEN_GLOBAL], (double)(r->at.steps - r->read[ev->peer]));
	r->at.steps++;
	if (ev->peer >= 0 && ev->peer < r->run->workers)
		r->updates[ev->peer]++;
	if (!ev->measured)
		return;
	gap = ev->measured->gap;
	see_all(r, SEEN_GAP, gap);
	if (isfinite(gap))
		tally_add(&r->gaps, gap > 0.0 ? (int64_t)floor(PER_DECADE * log10(gap)) :
						OF_NOTHING, 1);
}

static void record_step(struct recorder *r, const struct event *ev)
{
	const struct column *gradients = &r->train[TRAIN_GRADIENTS];
	const struct measured *m = ev->measured;
	struct column *lr = &r->train[TRAIN_LR];

	r->at.lr = ev->lr;
	/* The step of the gradient that ended the last row: the row has its learning rate. */
	if (lr->n > 0 && gradients->v.whole[gradients->n - 1] == ev->gradients)
		lr->v.real[lr->n - 1] = ev->lr;
	record_gradient(r, ev);
	if (!m)
		return;
	see_all(r, SEEN_NORM, m->norm);
	see_all(r, SEEN_MOMENTUM, m->momentum);
	seen_add(&r->at.whole[SEEN_PUBLISHED], m->published);
}

static double record_bytes(const struct event *ev)
{
	int64_t gradients = 0;
	__int128 bytes = 0;

	for (int i = 0; i < ev->nnodes; i++) {
		gradients += ev->nodes[i].ledger.gradients;
		bytes += ev->nodes[i].ledger.bytes_sent;
	}
	return gradients ? (double)bytes : (double)NAN;
}

/* Columns of a row that tell of the steps since the row before; max is 0 where there is none. */
static const struct {
	enum seen_measure what;
	int mean, max;
} seen_columns[] = {
	{ SEEN_STALENESS, TRAIN_STALENESS, TRAIN_STALENESS_MAX },
	{ SEEN_GAP, TRAIN_GAP, TRAIN_GAP_MAX },
	{ SEEN_NORM, TRAIN_NORM, TRAIN_NORM_MAX },
	{ SEEN_MOMENTUM, TRAIN_MOMENTUM, 0 },
};

enum { SEEN_COLUMNS = sizeof(seen_columns) / sizeof(seen_columns[0]) };

static void record_window(struct recorder *r)
{
	for (size_t i = 0; i < SEEN_COLUMNS; i++) {
		struct seen *s = &r->at.window[seen_columns[i].what];

		column_real(&r->train[seen_columns[i].mean], seen_mean(s));
		if (seen_columns[i].max)
			column_real(&r->train[seen_columns[i].max], seen_max(s));
		*s = (struct seen){ 0 };
	}
}

void record_gaps(const struct recorder *r, struct column *at_least, struct column *count)
{
	scoped_by(column_release) struct column bins = { .integer = true };

	tally_columns(&r->gaps, &bins, count);
	for (size_t i = 0; i < bins.n; i++)
		column_real(at_least, pow(10.0, (double)bins.v.whole[i] / PER_DECADE));
}

enum { ROWS_MOST = 1 << 17 };

/* The second of every two rows stays. */
static void column_halve(struct column *c)
{
	for (size_t i = 0; i < c->n / 2; i++)
		if (c->integer)
			c->v.whole[i] = c->v.whole[2 * i + 1];
		else
			c->v.real[i] = c->v.real[2 * i + 1];
	c->n /= 2;
}

/* The second of every two rows gets what both have together. */
static void column_merge(struct column *c, double (*of_both)(double, double))
{
	for (size_t i = 0; i + 1 < c->n; i += 2)
		c->v.real[i + 1] = of_both(c->v.real[i], c->v.real[i + 1]);
}

static double loss_of_both(double a, double b)
{
	return 0.5 * (a + b);
}

/* Rows without a step, or none that was measured, have NaN. */
static double mean_of_both(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : 0.5 * (a + b);
}

static void record_thin_train(struct recorder *r)
{
	if (r->train[TRAIN_EPOCH].n < ROWS_MOST)
		return;
	column_merge(&r->train[TRAIN_LOSS], loss_of_both);
	for (size_t i = 0; i < SEEN_COLUMNS; i++) {
		column_merge(&r->train[seen_columns[i].mean], mean_of_both);
		if (seen_columns[i].max)
			column_merge(&r->train[seen_columns[i].max], fmax);
	}
	for (int i = 0; i < TRAIN_COLUMNS; i++)
		column_halve(&r->train[i]);
	column_halve(&r->wall[WALL_TRAIN]);
	r->at.train_every *= 2;
	r->at.train_rows /= 2;
}

static bool record_is_passing(const struct recorder *r)
{
	return r->at.marks % r->at.marks_each != 0;
}

static void record_thin_eval(struct recorder *r)
{
	if (r->eval[EVAL_EPOCH].n < ROWS_MOST || record_is_passing(r))
		return;
	column_merge(&r->eval[EVAL_TRAIN_LOSS], loss_of_both);
	for (int i = 0; i < r->evals; i++)
		column_halve(&r->eval[i]);
	column_halve(&r->wall[WALL_EVAL]);
	r->at.marks_each *= 2;
}

enum {
	SAVE_SECONDS = 2,       /* at least so long between two saves ... */
	SAVE_SHARE = 20         /* ... and so many times what the last one took */
};

/* ---- means of losses ---- */

static void mean_add(struct mean *m, double x, double weight)
{
	sum_add(&m->sum, weight * x);
	sum_add(&m->weight, weight);
}

static double mean_value(const struct mean *m)
{
	const double weight = sum_value(&m->weight);

	return weight > 0.0 ? sum_value(&m->sum) / weight : (double)NAN;
}

static double mean_take(struct mean *m)
{
	const double mean = mean_value(m);

	*m = (struct mean){ 0 };
	return mean;
}

/* Saves when the last time is long enough ago. Never stops the run. */
static void save_sometimes(struct recorder *r)
{
	double now = clock_s(), cost;

	if (r->failed || now < r->next_save)
		return;
	r->failed = record_save(r, r->part, NULL, STATUS_RUNNING) < 0;
	cost = clock_s() - now;
	r->next_save = now + SAVE_SECONDS + SAVE_SHARE * cost;
}

/* ---- events ---- */

APART static void train_row(struct recorder *r, const struct event *ev)
{
	column_whole(&r->train[TRAIN_GRADIENTS], ev->gradients);
	column_real(&r->train[TRAIN_EPOCH], ev->epoch);
	column_real(&r->train[TRAIN_TIME], ev->time);
	column_real(&r->train[TRAIN_LOSS], mean_take(&r->at.train_loss));
	column_real(&r->train[TRAIN_LR], r->at.lr);
	column_real(&r->wall[WALL_TRAIN], clock_s() - r->began);
	record_window(r);
	save_sometimes(r);
}

/* Weight of the mean over a gradient's samples. */
static double weight_of(const struct recorder *r, const struct event *ev)
{
	return r->run->slice ? run_weight(r->run, ev->node->rank) : 1.0;
}

static void record_on_grad(struct recorder *r, const struct event *ev)
{
	if (r->run->pool && !isfinite(ev->loss))
		r->at.diverged = true;
	mean_add(&r->at.train_loss, ev->loss, weight_of(r, ev));
	mean_add(&r->at.eval_loss, ev->loss, weight_of(r, ev));
	record_asked(r, ev);
	if (ev->node)
		r->rounds[ev->node->rank].delivered++;
	if (!r->at.timed.begun && ev->gradients >= r->info.time_from)
		r->at.timed = (struct timed){ true, ev->time, ev->epoch };
	if (r->at.train_every <= 0 || ev->epoch < r->train_due)
		return;
	double windows = floor(ev->epoch / r->at.train_every * (1 + 1e-12));
	if (windows > (double)r->at.train_rows) {
		r->at.train_rows = (int64_t)fmin(windows, 9e18);
		train_row(r, ev);
		record_thin_train(r);
		r->train_due = ((double)r->at.train_rows + 1) * r->at.train_every * (1 - 1e-9);
	}
}

/* *correct <- which test samples are, to be released; none if that is not known. */
static struct evaluation record_score(struct recorder *r, const struct event *ev,
				      struct correct *correct)
{
	const struct pool *p = r->run->pool;
	const int batches = r->info.stat_batches > 0 ? r->info.stat_batches : 1;
	const double began = clock_s();
	struct evaluation e = { .loss = (double)NAN, .accuracy = (double)NAN };

	for (int i = 0; i < METRICS_MOST; i++)
		e.metric[i] = (double)NAN;
	*correct = (struct correct){ 0 };
	if (r->run->learnt) {
		e.loss = learnt_evaluated(r->run->learnt, LEARNT_TEST_LOSS);
		e.accuracy = learnt_evaluated(r->run->learnt, LEARNT_TEST_ACCURACY);
		if (learnt_all_evaluated(r->run->learnt))
			*correct = correct_copy(&r->run->learnt->correct);
	}
	if (p && ev->model && p->problem->n[SPLIT_TEST] > 0)
		e = evaluate(r->run->pool, ev->model, SPLIT_TEST, r->info.test_samples, batches,
			     correct);
	r->eval_s += clock_s() - began;
	return e;
}

static double record_spread(const struct event *ev)
{
	return ev->measured ? ev->measured->spread : (double)NAN;
}

static void drop_last_mark(struct recorder *r)
{
	for (int i = 0; i < r->evals; i++)
		r->eval[i].n--;
	r->wall[WALL_EVAL].n--;
}

/*
 * A mark with no gradient since the last one scores the model again: the row is replaced. So is a
 * row that stood only until this one came, and the loss goes on over both.
 */
APART static void on_mark(struct recorder *r, const struct event *ev)
{
	const bool passing = record_is_passing(r), again = ev->gradients == r->at.marked;
	struct evaluation e;
	double train;

	correct_release(&r->correct);
	e = record_score(r, ev, &r->correct);
	if (r->learnt)
		learnt_evaluation(r->learnt, (const double[LEARNT_MARKS]){
			e.loss, e.accuracy, record_spread(ev) });
	train = again ? column_final(&r->eval[EVAL_TRAIN_LOSS]) : 0.0;
	if (again || passing)
		drop_last_mark(r);
	r->at.marks += !again;
	if (!again)
		train = record_is_passing(r) ? mean_value(&r->at.eval_loss)
					     : mean_take(&r->at.eval_loss);
	r->at.marked = ev->gradients;
	column_real(&r->eval[EVAL_EPOCH], ev->epoch);
	column_real(&r->eval[EVAL_TIME], ev->time);
	column_whole(&r->eval[EVAL_GRADIENTS], ev->gradients);
	column_real(&r->eval[EVAL_TRAIN_LOSS], train);
	column_real(&r->eval[EVAL_TEST_LOSS], e.loss);
	column_real(&r->eval[EVAL_TEST_ACCURACY], e.accuracy);
	column_real(&r->eval[EVAL_SPREAD], record_spread(ev));
	column_real(&r->eval[EVAL_BYTES_SENT], record_bytes(ev));
	for (int i = EVAL_COLUMNS; i < r->evals; i++)
		column_real(&r->eval[i], e.metric[i - EVAL_COLUMNS]);
	column_real(&r->wall[WALL_EVAL], clock_s() - r->began);
	record_thin_eval(r);
	save_sometimes(r);
}

/* The model of a row that was made without one. */
RARE static void on_score(struct recorder *r, const struct event *ev)
{
	struct column *c = r->eval;
	struct correct correct;
	struct evaluation e;
	size_t i = c[EVAL_GRADIENTS].n;

	while (i > 0 && c[EVAL_GRADIENTS].v.whole[i - 1] != ev->gradients)
		i--;
	if (i == 0)
		return;
	e = record_score(r, ev, &correct);
	c[EVAL_TEST_LOSS].v.real[i - 1] = e.loss;
	c[EVAL_TEST_ACCURACY].v.real[i - 1] = e.accuracy;
	for (int k = EVAL_COLUMNS; k < r->evals; k++)
		c[k].v.real[i - 1] = e.metric[k - EVAL_COLUMNS];
	if (i == c[EVAL_GRADIENTS].n) {
		correct_release(&r->correct);
		r->correct = correct;
	} else {
		correct_release(&correct);
	}
	c[EVAL_SPREAD].v.real[i - 1] = record_spread(ev);
	save_sometimes(r);
}

/* Appends a value to a column that was reserved: memory of zeros is left alone. */
static void put_whole(struct column *c, int64_t x)
{
	if (x)
		c->v.whole[c->n] = x;
	c->n++;
}

static void put_real(struct column *c, double x)
{
	if (x < 0.0 || x > 0.0 || signbit(x) || isnan(x))
		c->v.real[c->n] = x;
	c->n++;
}

/* Bytes: the column is of doubles where an int64_t is too short for some node's. */
static void put_bytes(struct column *c, __int128 x)
{
	if (c->integer)
		put_whole(c, (int64_t)x);
	else
		put_real(c, (double)x);
}

static void node_row(struct recorder *r, const struct node *nd)
{
	const struct ledger *l = &nd->ledger;

	put_whole(&r->nodes[NODE_RANK], nd->rank);
	put_real(&r->nodes[NODE_COMPUTE], l->compute);
	put_real(&r->nodes[NODE_COMMUNICATE], l->comm);
	put_real(&r->nodes[NODE_WAIT], l->wait);
	put_whole(&r->nodes[NODE_GRADIENTS], l->gradients);
	put_whole(&r->nodes[NODE_DROPPED], l->dropped);
	put_whole(&r->nodes[NODE_STEPS], l->steps);
	put_whole(&r->nodes[NODE_MESSAGES], l->messages);
	put_bytes(&r->nodes[NODE_BYTES_SENT], l->bytes_sent);
	put_bytes(&r->nodes[NODE_BYTES_RECEIVED], l->bytes_received);
	put_whole(&r->nodes[NODE_UPDATES], nd->rank == SERVER ? 0 : r->updates[nd->rank]);
}

RARE static void on_end(struct recorder *r, const struct event *ev)
{
	if (r->info.keep_model && ev->model) {
		r->model = vec_new(r->run->dim);
		vec_copy(r->run->dim, ev->model, r->model);
	}
	/* Shorter than one window. */
	if (!r->train[TRAIN_EPOCH].n && r->at.train_loss.weight.high > 0.0)
		train_row(r, ev);
	for (int i = 0; i < ev->nnodes; i++) {
		const struct ledger *l = &ev->nodes[i].ledger;

		r->nodes[NODE_BYTES_SENT].integer &= l->bytes_sent <= INT64_MAX;
		r->nodes[NODE_BYTES_RECEIVED].integer &= l->bytes_received <= INT64_MAX;
	}
	for (int i = 0; i < NODE_COLUMNS; i++)
		column_reserve(&r->nodes[i], (size_t)ev->nnodes);
	for (int i = 0; i < ev->nnodes; i++) {
		const struct ledger *l = &ev->nodes[i].ledger;

		node_row(r, &ev->nodes[i]);
		r->total.bytes_sent += l->bytes_sent;
		r->total.dropped += l->dropped;
		r->total.late += l->late;
		if (ev->nodes[i].rank == SERVER)
			continue;
		r->total.compute += l->compute;
		r->total.comm += l->comm;
		r->total.wait += l->wait;
	}
}

RARE static void on_fault(struct recorder *r, const struct event *ev)
{
	const struct fault *f = ev->fault;

	column_real(&r->faults[FAULT_TIME], ev->time);
	column_whole(&r->faults[FAULT_KIND], f->kind);
	column_whole(&r->faults[FAULT_OVER], ev->over);
	column_whole(&r->faults[FAULT_RANK], f->rank);
	column_whole(&r->faults[FAULT_PEER], f->kind == FAULT_DROP ? f->peer : f->rank);
}

static void on_event(struct hook *h, const struct event *ev)
{
	struct recorder *r = (struct recorder *)h;

	if (r->learnt)
		learnt_event(r->learnt, ev);
	switch (ev->kind) {
	case EV_GRAD:
		record_on_grad(r, ev);
		break;
	case EV_STOP:
		r->stopped = true;
		break;
	case EV_DROP:
	case EV_REFUSE:
		record_asked(r, ev);
		break;
	case EV_READ:
		r->read[ev->peer] = r->at.steps;   /* the snapshot for a gradient */
		break;
	case EV_GATHER:
		record_gradient(r, ev);
		break;
	case EV_STEP:
		record_step(r, ev);
		break;
	case EV_HEAD:
		seen_add(&r->at.whole[SEEN_HEAD], (double)ev->staleness);
		break;
	case EV_MARK:
		on_mark(r, ev);
		break;
	case EV_SCORE:
		on_score(r, ev);
		break;
	case EV_END:
		on_end(r, ev);
		break;
	case EV_FAULT:
		on_fault(r, ev);
		break;
	default:
		break;
	}
}

/* ---- life ---- */

static void name_columns(struct column *c, const struct layout_column *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		c[i] = (struct column){ .name = names[i].name, .integer = names[i].integer };
}

struct setting *settings_copy(const struct setting *from, size_t n)
{
	struct setting *to = xcalloc(n + 1, sizeof(*to));

	for (size_t i = 0; i < n; i++)
		to[i] = (struct setting){ xstrdup(from[i].key),
					  xstrdup(from[i].value ? from[i].value : "") };
	return to;
}

void settings_free(struct setting *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free_all((char *)s[i].key, (char *)s[i].value);
	free(s);
}

static void copy_info(struct recorder *r, const struct record_info *info)
{
	r->info = *info;
	r->info.experiment = xstrdup(info->experiment ? info->experiment : "");
	r->info.scale = xstrdup(info->scale ? info->scale : "");
	r->info.hash = xstrdup(info->hash ? info->hash : "");
	r->info.spec = xstrdup(info->spec ? info->spec : "{}");
	r->info.computed_in = xstrdup(info->computed_in ? info->computed_in : "");
	r->settings = settings_copy(info->settings, info->nsettings);
	r->assumed = settings_copy(info->assumed, info->nassumed);
	r->info.training = xstrdup(info->training);
	r->command = environ_command();
}

static void columns_free(struct column *c, int n)
{
	for (int i = 0; i < n; i++)
		column_release(&c[i]);
}

void record_release(struct recorder *r)
{
	columns_free(r->train, TRAIN_COLUMNS);
	columns_free(r->eval, r->evals);
	columns_free(r->faults, FAULT_COLUMNS);
	columns_free(r->wall, WALL_COLUMNS);
	tally_release(&r->staleness);
	tally_release(&r->gaps);
	free_all(r->updates, r->read, r->rounds, r->at.ends.ahead);
	learnt_free(r->learnt);
	correct_release(&r->correct);
}

static void recorder_free(struct recorder *r)
{
	record_release(r);
	columns_free(r->nodes, NODE_COLUMNS);
	settings_free(r->settings, r->info.nsettings);
	settings_free(r->assumed, r->info.nassumed);
	free_all((char *)r->info.experiment, (char *)r->info.scale, (char *)r->info.hash,
		 (char *)r->info.spec, (char *)r->info.computed_in);
	free_all(r->model, (char *)r->info.training, r->command, r->path, r->part, r);
}

struct recorder *recorder_open(const char *path, const struct record_info *info,
			       const struct run *run)
{
	struct recorder *r = xcalloc(1, sizeof(*r));

	r->hook.mask = 1u << EV_GRAD | 1u << EV_DROP | 1u << EV_REFUSE | 1u << EV_STEP |
		       1u << EV_GATHER | 1u << EV_HEAD | 1u << EV_MARK | 1u << EV_SCORE |
		       1u << EV_END | 1u << EV_FAULT | 1u << EV_STOP |
		       (record_is_gossip(run) ? 1u << EV_READ : 0);
	r->hook.event = on_event;
	r->run = run;
	r->path = xstrdup(path);
	r->part = xasprintf("%s.part", path);
	r->at.lr = stepsize_at(&run->lr, 0);
	r->at.marked = -1;
	r->at.timed.begun = info->time_from == 0;
	r->began = clock_s();
	r->next_save = r->began + SAVE_SECONDS;
	environ_clock(r->started);
	r->rounds = xcalloc_whole((size_t)run->workers, sizeof(*r->rounds));
	r->hook.each = r->rounds;
	r->hook.each_bytes = sizeof(*r->rounds);
	r->updates = xcalloc_whole((size_t)run->workers, sizeof(*r->updates));
	r->read = xcalloc((size_t)run->workers, sizeof(*r->read));
	r->at.marks_each = 1;
	copy_info(r, info);
	r->evals = EVAL_COLUMNS + (run->pool ? run->pool->problem->metrics : 0);
	/* A run with metrics is not taken for others, as what is learnt has no columns for them. */
	if (info->training && run->pool && r->evals == EVAL_COLUMNS)
		r->learnt = learnt_new(run->workers + (run->algo->server != NULL));
	r->at.train_every = r->info.train_every;
	r->train_due = r->at.train_every * (1 - 1e-9);
	name_columns(r->train, layout_train, TRAIN_COLUMNS);
	name_columns(r->eval, layout_eval, EVAL_COLUMNS);
	for (int i = EVAL_COLUMNS; i < r->evals; i++)
		r->eval[i].name = run->pool->problem->metric[i - EVAL_COLUMNS];
	name_columns(r->wall, layout_wall, WALL_COLUMNS);
	name_columns(r->nodes, layout_nodes, NODE_COLUMNS);
	name_columns(r->faults, layout_faults, FAULT_COLUMNS);
	/* Most timing-only runs are over before a file of them is missed. */
	if (info->figures)
		r->next_save = HUGE_VAL;
	if (info->saved_late || info->figures || !record_save(r, r->part, NULL, STATUS_RUNNING))
		return r;
	recorder_free(r);
	return NULL;
}

struct hook *recorder_hook(struct recorder *r)
{
	return &r->hook;
}

int recorder_cut(struct recorder *r)
{
	r->next_save = HUGE_VAL;
	r->cut = true;
	if (record_save(r, r->part, NULL, STATUS_RUNNING) < 0)
		return -1;
	return result_interrupt(r->part) < 0 ? -1 : 0;
}

struct record_figures record_figures(const struct recorder *r, const struct run_result *result)
{
	const struct ledger *t = &r->total;

	return (struct record_figures){
		.time_s = result->time, .epochs = result->epochs,
		.time_per_epoch_s = record_time_per_epoch(r, result),
		.gradients = (double)result->gradients,
		.wait_share = record_wait_share(r, result),
		.bytes_sent = (double)t->bytes_sent,
		.exchanges = result->asked ? (double)(result->asked - result->under_way) *
						     (1.0 - record_late(r)) : (double)NAN,
		.staleness = record_ratio(r->staleness.sum, (double)r->staleness.total),
		.lead = r->run->algo->lockstep ? 0.0 : record_lead_growth(r),
		.train_loss = column_final(&r->eval[EVAL_TRAIN_LOSS]),
		.test_loss = column_final(&r->eval[EVAL_TEST_LOSS]),
	};
}

int recorder_close(struct recorder *r, const struct run_result *result)
{
	bool whole = result && result->end != END_INTERRUPTED && result->end != END_STALLED;
	int rc = 0;

	if (r->info.figures && whole)
		*r->info.figures = record_figures(r, result);
	else if (result && !r->info.figures)
		rc = record_save(r, whole ? r->path : r->part, result,
				 result->end == END_INTERRUPTED ? STATUS_INTERRUPTED :
				 result->end == END_STALLED	? STATUS_STALLED :
				 result->end == END_DIVERGED || r->at.diverged ? STATUS_DIVERGED :
									      STATUS_DONE);
	if (!r->info.figures && ((!result && !r->cut) || (whole && !rc)))
		unlink(r->part);
	recorder_free(r);
	return rc;
}
