/*
 * evaluation.c - sends models to process 0 for evaluation; training does not wait for it.
 *
 * The process that delivers the last gradient before a mark tells the others. The server, or if
 * there is none every worker, sends its model at that moment to process 0, which stores the means
 * in a file without a name. They are evaluated after the run, by all processes (remote.h).
 *
 * Workers in lockstep need not be told: after its own part of the gradients before the mark, each
 * sends the model at which it computes the next one. So the mean does not depend on who is faster.
 */
#include "mpi/state.h"

#include "core/base/error.h"
#include "core/file/checked.h"
#include "core/math/vec.h"
#include "core/watch.h"
#include "mpi/remote/remote.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool real_ends_span(const struct run *run, int64_t gradients, double every)
{
	return every > 0.0 && floor(run_epochs(run, gradients) / every) >
			      floor(run_epochs(run, gradients - 1) / every);
}

struct mark {
	struct mark *next;
	int64_t gradients;
	int arrived;
	float **x;              /* [senders] owned, until all have arrived */
	off_t at;               /* then: offset of the mean in the file; -1 before */
	double spread;          /* of the senders' models */
	bool noted;             /* read from a checkpoint of a run that went past it */
};

struct marks {
	int senders;            /* of models: server, workers, or one if the model is shared */
	struct mark *head, **tail;      /* by the number of gradients */
	FILE *file;
};

void marks_open(struct real *r)
{
	struct marks *m = xcalloc(1, sizeof(*m));

	m->senders = r->run.algo->server || r->run.algo->shared ? 1 : r->run.workers;
	m->tail = &m->head;
	r->marks = m;
}

static void mark_forget(struct real *r, struct mark *k)
{
	for (int i = 0; k->x && i < r->marks->senders; i++)
		free(k->x[i]);
	free(k->x);
	k->x = NULL;
}

void marks_close(struct real *r)
{
	scoped struct marks *m = r->marks;

	for (struct mark *k = m->head, *next; k; k = next) {
		next = k->next;
		mark_forget(r, k);
		free(k);
	}
	if (m->file)
		fclose(m->file);
}

/* ---- on every process ---- */

static bool is_due(const struct real *r, int64_t gradients)
{
	return (!r->budget || gradients < r->budget) &&
	       real_ends_span(&r->run, gradients, r->run.mark_every);
}

void mark_note(struct real *r, int64_t gradients, double time)
{
	if (is_due(r, gradients))
		run_emit(&r->run, &(struct event){ .kind = EV_MARK, .time = time,
						   .epoch = run_epochs(&r->run, gradients),
						   .gradients = gradients });
}

/* Each worker knows by its own gradients when to send its model. */
static bool by_own_part(const struct real *r)
{
	return r->run.algo->lockstep && !r->run.algo->server && !r->run.algo->shared;
}

void mark_if_due(struct real *r, int64_t gradients)
{
	if (!by_own_part(r) && is_due(r, gradients))
		post_all(r, &(struct header){ .kind = MESSAGE_MARK, .stamp = gradients });
}

void marks_go_on(struct real *r, int64_t gradients)
{
	const struct mark *k = r->marks->head;

	while (k && k->gradients != gradients)
		k = k->next;
	if (r->rank || (k && k->noted))
		return;
	mark_note(r, gradients, real_now(r));
	mark_if_due(r, gradients);
}

static bool sends_models(const struct real *r, const struct node *nd)
{
	if (r->run.algo->shared)
		return nd->rank == 0;
	return nd->rank == SERVER || !r->run.algo->server;
}

static void model_send(struct real *r, const struct node *nd, const float *x, int64_t gradients)
{
	const size_t bytes = r->run.dim * sizeof(float);
	struct message *l = message_new(r, bytes);

	*message_header(l) = (struct header){ .kind = MESSAGE_MODEL, .from = nd->rank,
					     .stamp = gradients, .n = nd->dim };
	shared_read(nd->dim, x, message_vec(l));
	post_send(r, l, 0, bytes);
}

void mark_send(struct real *r, const struct message *mark)
{
	for (const struct node *nd = r->nodes; nd < r->nodes + r->n; nd++)
		if (sends_models(r, nd))
			model_send(r, nd, nd->x, message_header(mark)->stamp);
}

void marks_pass(struct real *r, const struct node *nd, const float *x)
{
	struct real_node *sn = real_node(nd);
	const int64_t n = r->run.workers, own = nd->ledger.gradients, last = own * n + nd->rank;

	if (!by_own_part(r) || sn->passed == own)
		return;
	sn->passed = own;
	/* Of so many, `own` are this worker's. A longer run needs those past the budget, too. */
	for (int64_t g = own ? last - n + 1 : 1; g <= last; g++)
		if (is_due(r, g) || (r->conf->checkpoint.path &&
				     real_ends_span(&r->run, g, r->run.mark_every)))
			model_send(r, nd, x, g);
}

/* ---- on process 0 ---- */

/* The mark after `gradients` gradients, made if needed; marks may be received out of order. */
static struct mark *mark_at(struct marks *m, int64_t gradients)
{
	struct mark **at = &m->head, *k;

	while (*at && (*at)->gradients < gradients)
		at = &(*at)->next;
	if (*at && (*at)->gradients == gradients)
		return *at;
	k = xcalloc(1, sizeof(*k));
	*k = (struct mark){ .next = *at, .gradients = gradients, .at = -1 };
	k->x = xcalloc((size_t)m->senders, sizeof(*k->x));
	*at = k;
	return k;
}

static void mark_write(struct real *r, struct mark *k, const float *x)
{
	struct marks *m = r->marks;

	if (!m->file)
		m->file = tmpfile();
	if (m->file && fseeko(m->file, 0, SEEK_END) == 0)
		k->at = ftello(m->file);
	if (k->at < 0 || fwrite(x, sizeof(*x), r->run.dim, m->file) != r->run.dim ||
	    fflush(m->file)) {
		error("cannot store a model for its evaluation: %s", strerror(errno));
		real_fail(r);
	}
	mark_forget(r, k);
}

/* Spread of the workers' models; NaN if they are not sent, or it is not asked for. */
static double spread_of(const struct real *r, const struct mark *k)
{
	if (!r->run.watch || r->run.algo->server)
		return (double)NAN;
	return models_spread(r->run.dim, r->marks->senders, (const float *const *)k->x);
}

void mark_receive(struct real *r, const struct message *l)
{
	const struct header *h = message_header(l);
	struct mark *k = mark_at(r->marks, h->stamp);
	const int from = h->from == SERVER ? 0 : h->from;
	float *x;

	if (!k->x || k->x[from])        /* a checkpoint said that it had this model */
		return;
	k->x[from] = x = vec_new(r->run.dim);
	vec_copy(r->run.dim, message_vec(l), x);
	if (++k->arrived == r->marks->senders) {
		scoped float *mean = vec_new(r->run.dim);

		vec_mean(r->run.dim, r->marks->senders, (const float *const *)k->x, mean);
		k->spread = spread_of(r, k);
		mark_write(r, k, mean);
	}
}

static int mark_read(const struct real *r, const struct mark *k, float *x)
{
	if (fseeko(r->marks->file, k->at, SEEK_SET) ||
	    fread(x, sizeof(*x), r->run.dim, r->marks->file) != r->run.dim)
		return error("cannot read back a stored model: %s", strerror(errno));
	return 0;
}

void marks_put(const struct real *r, struct checked *s)
{
	scoped float *x = vec_new(r->run.dim);
	int64_t n = 0;

	for (const struct mark *k = r->marks->head; k; k = k->next)
		n++;
	checked_put(s, &n, sizeof(n));
	for (const struct mark *k = r->marks->head; k; k = k->next) {
		const unsigned char whole = k->at >= 0, noted = is_due(r, k->gradients);

		checked_put(s, &noted, sizeof(noted));
		checked_put(s, &k->gradients, sizeof(k->gradients));
		checked_put(s, &k->spread, sizeof(k->spread));
		checked_put(s, &whole, sizeof(whole));
		if (whole) {
			s->failed |= mark_read(r, k, x) < 0;
			checked_put(s, x, r->run.dim * sizeof(*x));
			continue;
		}
		for (int i = 0; i < r->marks->senders; i++) {
			const unsigned char here = k->x[i] != NULL;

			checked_put(s, &here, sizeof(here));
			if (here)
				checked_put(s, k->x[i], r->run.dim * sizeof(*x));
		}
	}
}

/* Models of a mark that only some workers had passed. */
static void mark_get_part(struct real *r, struct checked *s, struct mark *k)
{
	for (int i = 0; i < r->marks->senders && !s->failed; i++) {
		unsigned char here = 0;

		checked_get(s, &here, sizeof(here));
		if (!here)
			continue;
		k->x[i] = vec_new(r->run.dim);
		k->arrived++;
		checked_get(s, k->x[i], r->run.dim * sizeof(*k->x[i]));
	}
}

void marks_get(struct real *r, struct checked *s)
{
	scoped float *x = vec_new(r->run.dim);
	int64_t n = 0, gradients = 0, before = -1;
	struct mark *k;
	double spread = 0.0;
	unsigned char whole = 0, noted = 0;

	checked_get(s, &n, sizeof(n));
	while (n-- > 0 && !s->failed && !r->failed) {
		checked_get(s, &noted, sizeof(noted));
		checked_get(s, &gradients, sizeof(gradients));
		checked_get(s, &spread, sizeof(spread));
		checked_get(s, &whole, sizeof(whole));
		s->failed |= gradients <= before;
		if (s->failed)
			break;
		before = gradients;
		k = mark_at(r->marks, gradients);
		k->spread = spread;
		k->noted = noted;
		if (whole) {
			checked_get(s, x, r->run.dim * sizeof(*x));
			mark_write(r, k, x);
		} else {
			mark_get_part(r, s, k);
		}
	}
}

static void show_marks(struct real *r)
{
	scoped float *x = vec_new(r->run.dim);
	struct measured measured = { 0 };

	for (const struct mark *k = r->marks->head; k && !r->failed; k = k->next) {
		if (k->at < 0 || !is_due(r, k->gradients))
			continue;
		measured.spread = k->spread;
		if (mark_read(r, k, x) < 0) {
			real_fail(r);
			break;
		}
		event_log_show(r, (struct event){ .kind = EV_SCORE, .gradients = k->gradients,
					     .epoch = run_epochs(&r->run, k->gradients),
					     .model = x, .measured = &measured });
	}
}

/* True if process 0 shows models to a hook, and the other processes can help to score them. */
static bool score_together(struct real *r)
{
	bool together = r->size > 1 && r->end != END_INTERRUPTED && remote_possible() &&
			run_wants(r->user, EV_MARK);

	real_share(&together, sizeof(together));
	return together;
}

/*
 * Shows the stored models, and the last one, to the hooks of process 0; the other processes help.
 */
static void show_models(struct real *r, struct event *last)
{
	const bool together = score_together(r);
	struct remote *others;

	if (r->rank) {
		if (together && remote_serve(r->run.pool) < 0)
			real_fail(r);
		return;
	}
	others = together ? remote_open(r->run.pool) : NULL;
	if (together && !others) {
		real_fail(r);
		return;
	}
	/* An interrupted run may be killed soon: its result file is written first. */
	if (r->end == END_INTERRUPTED)
		last->model = NULL;
	else
		show_marks(r);
	last->kind = EV_MARK;
	event_log_show(r, *last);
	if (others)
		remote_close(others);
}

/* ---- the end ---- */

static void gather_ledgers(struct real *r, struct ledger *all)
{
	const int bytes = sizeof(*all);

	for (int i = 0; i < r->n; i++)
		if (r->rank)
			MPI_Send(&r->nodes[i].ledger, bytes, MPI_BYTE, 0, r->nodes[i].rank + 1,
				 r->waves);
	for (int i = 0; i < r->nnodes && !r->rank; i++) {
		const int rank = i < r->run.workers ? i : SERVER, process = real_index(r, rank);

		if (process)
			MPI_Recv(&all[i], bytes, MPI_BYTE, process, rank + 1, r->waves,
				 MPI_STATUS_IGNORE);
		else
			all[i] = real_find(r, rank)->ledger;
	}
}

/* x[dim] on process 0 <- the node's model, which the process of the node sends. */
static void fetch_model(struct real *r, int rank, float *x)
{
	const int process = real_index(r, rank);

	if (process == r->rank && r->rank)
		MPI_Send(real_find(r, rank)->x, (int)r->run.dim, MPI_FLOAT, 0, 0, r->waves);
	if (r->rank)
		return;
	if (process)
		MPI_Recv(x, (int)r->run.dim, MPI_FLOAT, process, 0, r->waves, MPI_STATUS_IGNORE);
	else
		vec_copy(r->run.dim, real_find(r, rank)->x, x);
}

/* On process 0, the server's model or the workers' mean, with the spread; NULL on others. */
static float *gather_model(struct real *r, double *spread)
{
	const int n = r->marks->senders;
	struct mark last = { .x = xcalloc((size_t)n, sizeof(*last.x)) };
	float *model = NULL;

	for (int i = 0; i < n; i++) {
		if (!r->rank)
			last.x[i] = vec_new(r->run.dim);
		fetch_model(r, r->run.algo->server ? SERVER : i, last.x[i]);
	}
	if (!r->rank) {
		model = vec_new(r->run.dim);
		vec_mean(r->run.dim, n, (const float *const *)last.x, model);
		*spread = spread_of(r, &last);
	}
	mark_forget(r, &last);
	return model;
}

void marks_end(struct real *r, struct run_result *result)
{
	scoped struct ledger *ledgers = xcalloc((size_t)r->nnodes, sizeof(*ledgers));
	struct measured measured = { .spread = (double)NAN };
	scoped float *model = gather_model(r, &measured.spread);
	struct event ev = { .time = r->stop_time, .model = model, .measured = &measured };

	gather_ledgers(r, ledgers);
	for (int i = 0; i < r->run.workers; i++)
		result->gradients += ledgers[i].gradients;
	result->model = model ? vec_digest(r->run.dim, model) : 0;
	real_share(&result->gradients, sizeof(result->gradients));
	real_share(&result->model, sizeof(result->model));
	event_log_end(r, ledgers);
	ev.gradients = result->gradients;
	ev.epoch = run_epochs(&r->run, ev.gradients);
	event_log_show(r, (ev.kind = EV_STOP, ev));
	show_models(r, &ev);
	event_log_show(r, (ev.kind = EV_END, ev));
}
