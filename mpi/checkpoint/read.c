/* Resumes a run from its checkpoint. */
#include "mpi/checkpoint/checkpoint.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/codec.h"
#include "core/file/checked.h"
#include "core/file/paths.h"
#include "mpi/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_version(const struct real *r, const struct title *t, const char *path)
{
	const struct title want = checkpoint_title(r, 0, -1);

	if (memcmp(t->magic, want.magic, sizeof(want.magic)))
		return error("'%s' is no checkpoint of this version. Start without "
			     "--resume", path);
	return 0;
}

static int real_check_title(const struct real *r, const struct title *t, const char *path, int rank)
{
	const struct title want = checkpoint_title(r, t->generation, rank);

	if (check_version(r, t, path) < 0)
		return -1;
	if (memcmp(t->id, want.id, sizeof(want.id)))
		return error("'%s' is of another run. Start without --resume", path);
	if (rank >= 0 && t->writer != want.writer)
		return error("'%s' is of another run of these settings than '%s': they do not go "
			     "together. Start without --resume", path, r->conf->checkpoint.from);
	if (t->rank != want.rank || t->size != want.size)
		return error("'%s' is of rank %d of %d, not of %d of %d", path, (int)t->rank,
			     (int)t->size, rank, r->size);
	return 0;
}

/* Reads a title and n more bytes, without any check. False if the file is shorter. */
static bool read_start(const char *path, struct title *title, void *more, size_t n)
{
	FILE *file = file_open(path);
	const bool whole = file && fread(title, sizeof(*title), 1, file) == 1 &&
			   fread(more, 1, n, file) == n;

	if (file)
		fclose(file);
	return whole;
}

/*
 * Opens a file that this account has written, after its title. A file of another version has
 * another checksum, so its version is checked first.
 */
static int open_titled(const struct real *r, struct checked *s, const char *path,
		       struct title *title)
{
	if (read_start(path, title, NULL, 0) && check_version(r, title, path) < 0)
		return -1;
	if (checked_open(s, path, r->conf->checkpoint.key) < 0)
		return -1;
	checked_get(s, title, sizeof(*title));
	return 0;
}

static int read_index(struct real *r, int64_t *generation)
{
	struct title title;
	struct checked s;

	if (open_titled(r, &s, r->conf->checkpoint.from, &title) < 0)
		return -1;
	if (checked_close(&s, r->conf->checkpoint.from) < 0 ||
	    real_check_title(r, &title, r->conf->checkpoint.from, -1) < 0)
		return -1;
	*generation = title.generation;
	r->saved_by = title.writer;
	return 0;
}

/* True for a valid count or clock: at least 0, and far from overflow if multiplied by a batch. */
static bool is_count(int64_t n)
{
	return n >= 0 && n < (int64_t)1 << 42;
}

/* The same for one that may be unknown, -1. */
static bool is_known(int64_t n)
{
	return n == -1 || is_count(n);
}

/* True for seconds of a run: a clock of more could not tell parts of one. */
static bool is_seconds(double s)
{
	return fabs(s) < 1e9;
}

static bool is_truth(int32_t n)
{
	return n == 0 || n == 1;
}

static bool ledger_is_sound(const struct ledger *l)
{
	const __int128 most = (__int128)1 << 100;

	return is_count(l->gradients) && is_count(l->steps) && is_count(l->messages) &&
	       is_count(l->dropped) && is_count(l->late) && l->bytes_sent >= 0 &&
	       l->bytes_sent < most && l->bytes_received >= 0 && l->bytes_received < most;
}

/* True of a possible state: the server has a gradient only of stages, and no all-reduce. */
static bool node_is_sound(const struct real *r, const struct node *nd, const struct saved *n)
{
	const bool worker = nd->rank != SERVER;

	return ledger_is_sound(&n->ledger) && is_count(n->step) && is_count(n->index) &&
	       is_known(n->before) && is_known(n->gathered) && is_known(n->unsent) &&
	       is_known(n->stamp_of_snapshot) &&
	       is_truth(n->computing) && is_truth(n->adds) && is_truth(n->stopped) &&
	       is_truth(n->allreducing) && is_truth(n->coded) && !isnan(n->idle) &&
	       (!n->computing || nd->stages || (worker && n->index)) &&
	       (!n->allreducing || (worker && n->n && n->v % sizeof(float) == 0)) &&
	       (!n->coded || (codec_packs(&r->run) && n->n <= nd->dim)) &&
	       n->into % sizeof(float) == 0;
}

static void get_timers(struct real *r, struct checked *s, struct real_node *sn, int n)
{
	struct timer **at = &sn->timers;

	s->failed |= n < 0;
	for (int i = 0; i < n && !s->failed; i++) {
		struct saved_timer t;

		checked_get(s, &t, sizeof(t));
		s->failed |= !is_seconds(t.left) || t.token < INT32_MIN || t.token > INT32_MAX;
		if (s->failed)
			return;
		*at = xcalloc(1, sizeof(**at));
		(*at)->time = real_now(r) + t.left;
		(*at)->token = (int)t.token;
		at = &(*at)->next;
	}
}

/* True for a message from a node to this one, with the length that its header states. */
static bool is_sound(const struct real *r, const struct node *nd, const struct header *h)
{
	const bool server = h->from == SERVER && r->run.algo->server;
	const uint64_t floats = h->n <= SIZE_MAX / sizeof(float) ? h->n * sizeof(float) : SIZE_MAX;

	return h->kind == MESSAGE_MSG && h->to == nd->rank &&
	       (server || (h->from >= 0 && h->from < r->run.workers)) && is_count(h->stamp) &&
	       is_count(h->count) && is_truth(h->codes) && isfinite(h->time) &&
	       h->bytes == (h->codes ? codec_bytes(&r->run) : floats) &&
	       (!h->codes || h->n == nd->dim);
}

static void get_inbox(struct real *r, struct checked *s, struct node *nd, int n)
{
	struct real_node *sn = real_node(nd);

	s->failed |= n < 0;
	for (int i = 0; i < n && !s->failed; i++) {
		struct header h;
		struct message *l;

		checked_get(s, &h, sizeof(h));
		if (s->failed || !is_sound(r, nd, &h) || h.bytes > checked_left(s)) {
			s->failed = true;
			return;
		}
		l = message_new(r, h.bytes);
		*message_header(l) = h;
		checked_get(s, message_vec(l), h.bytes);
		messages_push(&sn->inbox, l);
	}
}

/* The vector [n] at that offset in the hold; NULL when there is none. */
static float *vector_at(const struct real *r, struct checked *s, uint64_t at, uint64_t n)
{
	if (at <= r->hold.used && n <= (r->hold.used - at) / sizeof(float))
		return (float *)(void *)(r->hold.at + at);
	s->failed = true;
	return NULL;
}

static void get_allreduce(struct real *r, struct checked *s, struct node *nd,
			  const struct saved *saved)
{
	float *v = vector_at(r, s, saved->v, saved->n);

	if (v)
		real_allreduce_read(r, s, nd, v, saved->n, saved->coded);
}

static void real_get_node(struct real *r, struct checked *s, struct node *nd)
{
	struct real_node *sn = real_node(nd);
	struct saved saved = { 0 };

	checked_get(s, &saved, sizeof(saved));
	s->failed |= !node_is_sound(r, nd, &saved);
	if (s->failed)
		return;
	nd->step = saved.step;
	nd->draws = saved.draws;
	nd->packed = saved.packed;
	nd->before = saved.before;
	nd->gathered = saved.gathered;
	nd->unsent = saved.unsent;
	sn->stopped = saved.stopped;
	sn->index = saved.index;
	sn->idle_from = isfinite(saved.idle) ? real_now(r) - saved.idle : HUGE_VAL;
	if (saved.computing && !s->failed) {
		nd->adds = saved.adds;
		nd->into = saved.adds ? vector_at(r, s, saved.into, nd->dim) : NULL;
		if (!s->failed)
			real_compute_read(r, nd, saved.index - 1, s);
	}
	sn->stamp = saved.stamp_of_snapshot;
	if (saved.allreducing && !s->failed)
		get_allreduce(r, s, nd, &saved);
	get_timers(r, s, sn, saved.timers);
	get_inbox(r, s, nd, saved.messages);
	nd->ledger = saved.ledger;
	sn->passed = saved.computing ? nd->ledger.gradients : -1;
}

static void get_all(struct real *r, struct checked *s, const struct common *common)
{
	s->failed |= !is_seconds(common->elapsed) || common->elapsed < 0.0 ||
		     !is_count(common->known) || !is_count(common->counter) ||
		     common->stopped_workers < 0 || common->stopped_workers > r->run.workers ||
		     common->used < r->hold.used || common->used > checked_left(s);
	if (s->failed)
		return;
	r->began = clock_s() - common->elapsed;
	r->known = common->known;
	r->stopped_workers = common->stopped_workers;
	if (!r->rank) {
		counter_set(r, common->counter);
		event_log_resume(r, common->counter);
	}
	hold_grow(&r->hold, common->used);
	checked_get(s, r->hold.at, common->used);
	for (int i = 0; i < r->n && !s->failed; i++)
		real_get_node(r, s, &r->nodes[i]);
	if (!r->rank && !s->failed)
		marks_get(r, s);
	if (!r->rank && !s->failed && r->conf->checkpoint.load)
		r->conf->checkpoint.load(r->conf->checkpoint.ctx, s);
}

/* Nodes' memory has pointers into itself, so it can be read back only at the same address. */
static int check_address(const struct real *r, const struct common *common, const char *path)
{
	if (common->at == (uintptr_t)r->hold.at)
		return 0;
	return error("'%s': the addresses of its nodes are in use here. Start again; if that does "
		     "not help, start without --resume.", path);
}

/* Opens this process's file of a generation, after its title and its common part. */
static int open_own(struct real *r, struct checked *s, const char *path, struct common *common)
{
	struct title title;

	if (open_titled(r, s, path, &title) < 0)
		return -1;
	checked_get(s, common, sizeof(*common));
	if (!s->failed && real_check_title(r, &title, path, r->rank) == 0 &&
	    check_address(r, common, path) == 0)
		return 0;
	checked_close(s, path);
	return -1;
}

int64_t real_saved(const char *path, const struct real_conf *conf, const struct run *run)
{
	enum end_reason end;
	const int64_t budget = run_budget(run, &end);
	const struct real like = { .conf = conf, .size = real_size() };
	const struct title want = checkpoint_title(&like, 0, -1);
	struct title title;
	double elapsed;

	if (!read_start(path, &title, &elapsed, sizeof(elapsed)) ||
	    memcmp(title.magic, want.magic, sizeof(want.magic)) ||
	    memcmp(title.id, want.id, sizeof(want.id)) || title.size != want.size ||
	    title.rank != want.rank || (budget && title.generation >= budget) ||
	    (run->seconds > 0.0 && elapsed >= run->seconds))
		return -1;
	return title.generation;
}

bool real_saved_by(const char *path, const char *id)
{
	const struct real_conf conf = { .checkpoint.id = id };
	const struct real like = { .conf = &conf };
	const struct title want = checkpoint_title(&like, 0, -1);
	struct title title;

	return read_start(path, &title, NULL, 0) &&
	       !memcmp(title.magic, want.magic, sizeof(want.magic)) &&
	       !memcmp(title.id, want.id, sizeof(want.id));
}

uint64_t checkpoint_address(const struct real *r)
{
	struct title title;
	struct common common;
	scoped char *path = NULL;
	bool whole;

	if (!r->conf->checkpoint.from || !read_start(r->conf->checkpoint.from, &title, NULL, 0))
		return 0;
	path = checkpoint_file(r, r->conf->checkpoint.from, title.generation);
	whole = read_start(path, &title, &common, sizeof(common));
	return whole ? common.at : 0;
}

/* Computes the gradient that was in flight again, and repeats the request for an all-reduce. */
static void node_go_on(struct real *r, struct node *nd)
{
	const struct real_node *sn = real_node(nd);

	if (sn->task)
		pool_submit(r->run.pool, &sn->task->job);
	if (sn->allreducing)
		real_allreduce_again(r, nd);
}

int checkpoint_read(struct real *r)
{
	int ret = r->rank ? 0 : read_index(r, &r->generation);
	struct common common;
	struct checked s;
	char *path;

	if (real_agree(ret < 0))
		return -1;
	real_share(&r->generation, sizeof(r->generation));
	real_share(&r->saved_by, sizeof(r->saved_by));
	path = checkpoint_file(r, r->conf->checkpoint.from, r->generation);
	ret = open_own(r, &s, path, &common);
	if (!real_agree(ret < 0)) {
		get_all(r, &s, &common);
		ret = checked_close(&s, path);
	}
	free(path);
	if (real_agree(ret < 0))
		return -1;
	for (int i = 0; i < r->n; i++)
		node_go_on(r, &r->nodes[i]);
	return 0;
}
