/*
 * post.c - letters between processes.
 *
 * A letter is one MPI message: a header, then floats. What has arrived is taken in the
 * order of MPI_Improbe(), which serves all senders in turn, so nobody is starved; and
 * the letters of one sender are handed on in the order in which it sent them.
 */
#include "mpi/state.h"

#include "core/error.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { ROUND = 1024 };          /* letters taken in one round at most */

/* ---- letters ---- */

void letters_push(struct letters *q, struct letter *l)
{
	l->next = NULL;
	if (!q->tail)
		q->tail = &q->head;
	*q->tail = l;
	q->tail = &l->next;
}

struct letter *letters_pop(struct letters *q)
{
	struct letter *l = q->head;

	if (!l)
		return NULL;
	q->head = l->next;
	if (!q->head)
		q->tail = &q->head;
	return l;
}

void letters_move(struct letters *from, struct letters *to)
{
	struct letter *l;

	while ((l = letters_pop(from)))
		letters_push(to, l);
}

/* The first spare letter that is large enough, or any, or a new one. */
static struct letter *take_spare(struct real *r, size_t room)
{
	struct letter **at = &r->spare, *l;

	while (*at && (*at)->room < room && (*at)->next)
		at = &(*at)->next;
	l = *at;
	if (!l)
		return xcalloc(1, sizeof(*l));
	*at = l->next;
	return l;
}

struct letter *letter_new(struct real *r, size_t bytes)
{
	const size_t room = sizeof(struct header) + bytes;
	struct letter *l = take_spare(r, room);

	if (l->room < room) {
		free(l->at);
		l->at = (char *)vec_new((room + sizeof(float) - 1) / sizeof(float));
		l->room = room;
	}
	memset(l->at, 0, sizeof(struct header));
	l->request = MPI_REQUEST_NULL;
	l->done = false;
	return l;
}

void letter_put(struct real *r, struct letter *l)
{
	l->next = r->spare;
	r->spare = l;
}

/* ---- out ---- */

void post_send(struct real *r, struct letter *l, int process, size_t bytes)
{
	struct header *h = letter_header(l);

	h->count = r->known;
	h->time = real_now(r);
	r->sent++;
	l->peer = process;
	if (process == r->rank) {
		letters_push(&r->home, l);
		return;
	}
	if (bytes > INT_MAX - sizeof(*h))
		die("a message of %zu bytes: MPI takes %d at most", bytes, INT_MAX);
	MPI_Isend(l->at, (int)(sizeof(*h) + bytes), MPI_BYTE, process, 0, r->letters, &l->request);
	letters_push(&r->out, l);
}

void post_all(struct real *r, const struct header *h)
{
	for (int p = 0; p < r->size; p++) {
		struct letter *l = letter_new(r, 0);

		*letter_header(l) = *h;
		post_send(r, l, p, 0);
	}
}

bool post_reap(struct real *r)
{
	struct letters left = { 0 };
	struct letter *l;
	bool some = false;

	while ((l = letters_pop(&r->out))) {
		int done;

		MPI_Test(&l->request, &done, MPI_STATUS_IGNORE);
		if (done)
			letter_put(r, l);
		else
			letters_push(&left, l);
		some |= done;
	}
	letters_move(&left, &r->out);
	return some;
}

/* ---- in ---- */

/* Begins to receive what has arrived. */
static void begin(struct real *r)
{
	for (int k = 0; k < ROUND; k++) {
		MPI_Message message;
		MPI_Status status;
		struct letter *l;
		int there, bytes;

		MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, r->letters, &there, &message, &status);
		if (!there)
			return;
		MPI_Get_count(&status, MPI_BYTE, &bytes);
		l = letter_new(r, (size_t)bytes - sizeof(struct header));
		l->peer = status.MPI_SOURCE;
		MPI_Imrecv(l->at, bytes, MPI_BYTE, &message, &l->request);
		letters_push(&r->in, l);
	}
}

static bool is_among(const struct letters *q, int peer)
{
	for (const struct letter *l = q->head; l; l = l->next)
		if (l->peer == peer)
			return true;
	return false;
}

/* Hands on the whole ones, but none before an earlier one of its sender. */
static void finish(struct real *r, struct letters *arrived)
{
	struct letters left = { 0 };
	struct letter *l;

	while ((l = letters_pop(&r->in))) {
		int done = l->done;

		if (!done)
			MPI_Test(&l->request, &done, MPI_STATUS_IGNORE);
		l->done = done;
		letters_push(done && !is_among(&left, l->peer) ? arrived : &left, l);
	}
	letters_move(&left, &r->in);
}

void post_collect(struct real *r, struct letters *arrived)
{
	letters_move(&r->home, arrived);
	begin(r);
	finish(r, arrived);
}

static void free_all(struct letter *l)
{
	for (struct letter *next; l; l = next) {
		next = l->next;
		free(l->at);
		free(l);
	}
}

void post_close(struct real *r)
{
	free_all(r->spare);
	free_all(r->home.head);
}
