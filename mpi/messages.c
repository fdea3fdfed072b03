/*
 * messages.c - messages between processes.
 *
 * A message is a header, then floats. It is sent as one MPI message or, if it is long, as several
 * of EAGER bytes, of which the first has as its tag how many follow; so both directions of a
 * connection are busy at once (allreduce.h). Arrived messages are taken in the order of
 * MPI_Improbe(), which serves all senders in turn, so that no sender starves. The messages of one
 * sender are delivered in the order in which it sent them.
 */
#include "mpi/state.h"

#include "core/base/error.h"

#include <stdlib.h>
#include <string.h>

enum {
	ROUND = 1024,     /* messages taken in one round, at most */
	REAL_MOST = 32767 /* MPI messages of a message: the largest tag that every MPI allows */
};

/* ---- messages ---- */

void messages_push(struct messages *q, struct message *l)
{
	l->next = NULL;
	if (!q->tail)
		q->tail = &q->head;
	*q->tail = l;
	q->tail = &l->next;
}

struct message *messages_pop(struct messages *q)
{
	struct message *l = q->head;

	if (!l)
		return NULL;
	q->head = l->next;
	if (!q->head)
		q->tail = &q->head;
	return l;
}

void messages_move(struct messages *from, struct messages *to)
{
	struct message *l;

	while ((l = messages_pop(from)))
		messages_push(to, l);
}

/* A spare message that is large enough, or any spare one, or a new one. */
static struct message *take_spare(struct real *r, size_t capacity)
{
	struct message **at = &r->spare, *l;

	while (*at && (*at)->capacity < capacity && (*at)->next)
		at = &(*at)->next;
	l = *at;
	if (!l)
		return xcalloc(1, sizeof(*l));
	*at = l->next;
	return l;
}

struct message *message_new(struct real *r, size_t bytes)
{
	const size_t capacity = sizeof(struct header) + bytes;
	struct message *l = take_spare(r, capacity);

	if (l->capacity < capacity) {
		free(l->at);
		l->at = (char *)vec_new((capacity + sizeof(float) - 1) / sizeof(float));
		l->capacity = capacity;
	}
	memset(l->at, 0, sizeof(struct header));
	l->done = false;
	return l;
}

/* Allocates memory for the requests of as many MPI messages as the message is split into. */
static void message_split(struct message *l, int messages)
{
	l->requests = messages;
	if (messages <= l->request_capacity)
		return;
	free(l->request);
	l->request = xcalloc((size_t)messages, sizeof(MPI_Request));
	l->request_capacity = messages;
}

static bool message_done(struct message *l)
{
	int done;

	MPI_Testall(l->requests, l->request, &done, MPI_STATUSES_IGNORE);
	return done;
}

void message_put(struct real *r, struct message *l)
{
	l->next = r->spare;
	r->spare = l;
}

/* ---- sending ---- */

static void mpi_post_send(struct real *r, struct message *l, size_t bytes)
{
	message_split(l, (int)((bytes + EAGER - 1) / EAGER));
	for (int k = 0; k < l->requests; k++) {
		const size_t from = (size_t)k * EAGER, left = bytes - from;

		MPI_Isend(l->at + from, left < EAGER ? (int)left : EAGER, MPI_BYTE, l->peer,
			  l->requests - 1 - k, r->messages, &l->request[k]);
	}
	messages_push(&r->out, l);
}

void post_send(struct real *r, struct message *l, int process, size_t bytes)
{
	const size_t most = (size_t)REAL_MOST * EAGER - sizeof(struct header);
	struct header *h = message_header(l);

	if (process != r->rank && bytes > most) {
		error("a message of %zu bytes: real ranks send %zu at most", bytes, most);
		message_put(r, l);
		real_fail(r);
		return;
	}
	h->count = r->known;
	h->time = real_now(r);
	r->sent++;
	l->peer = process;
	if (process == r->rank) {
		messages_push(&r->home, l);
		return;
	}
	mpi_post_send(r, l, sizeof(*h) + bytes);
}

void post_all(struct real *r, const struct header *h)
{
	for (int p = 0; p < r->size; p++) {
		struct message *l = message_new(r, 0);

		*message_header(l) = *h;
		post_send(r, l, p, 0);
	}
}

bool post_reap(struct real *r)
{
	struct messages left = { 0 };
	struct message *l;
	bool some = false;

	while ((l = messages_pop(&r->out))) {
		const bool done = message_done(l);

		if (done)
			message_put(r, l);
		else
			messages_push(&left, l);
		some |= done;
	}
	messages_move(&left, &r->out);
	return some;
}

/* ---- receiving ---- */

/* Begins to receive the rest of a message, of which this is the first MPI message. */
static void mpi_post_receive(struct real *r, MPI_Message *message, const MPI_Status *status)
{
	const int more = status->MPI_TAG;
	struct message *l;
	int bytes;

	MPI_Get_count(status, MPI_BYTE, &bytes);
	l = message_new(r, (size_t)bytes + (size_t)more * EAGER - sizeof(struct header));
	l->peer = status->MPI_SOURCE;
	message_split(l, more + 1);
	MPI_Imrecv(l->at, bytes, MPI_BYTE, message, &l->request[0]);
	for (int k = 1; k <= more; k++)
		MPI_Irecv(l->at + (size_t)k * EAGER, EAGER, MPI_BYTE, l->peer, more - k,
			  r->messages, &l->request[k]);
	messages_push(&r->in, l);
}

/* Begins to receive messages that have arrived. */
static void mpi_post_begin(struct real *r)
{
	for (int k = 0; k < ROUND; k++) {
		MPI_Message message;
		MPI_Status status;
		int there;

		MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, r->messages, &there, &message, &status);
		if (!there)
			return;
		mpi_post_receive(r, &message, &status);
	}
}

static bool mpi_post_is_among(const struct messages *q, int peer)
{
	for (const struct message *l = q->head; l; l = l->next)
		if (l->peer == peer)
			return true;
	return false;
}

void post_collect(struct real *r, struct messages *arrived)
{
	struct messages left = { 0 };
	struct message *l;

	messages_move(&r->home, arrived);
	mpi_post_begin(r);
	/* Delivers complete messages, but none before an earlier one of the same sender. */
	while ((l = messages_pop(&r->in))) {
		l->done = l->done || message_done(l);
		messages_push(l->done && !mpi_post_is_among(&left, l->peer) ? arrived : &left, l);
	}
	messages_move(&left, &r->in);
}

static void messages_free(struct message *l)
{
	for (struct message *next; l; l = next) {
		next = l->next;
		free(l->request);
		free(l->at);
		free(l);
	}
}

void post_close(struct real *r)
{
	messages_free(r->spare);
	messages_free(r->home.head);
}
