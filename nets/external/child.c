/* child.c - a process that computes: its start, its requests and answers, and how it fails. */
#define _GNU_SOURCE             /* memfd_create(), F_ADD_SEALS */
#include "nets/external/child.h"

#include "core/base/clock.h"
#include "core/base/cores.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/file/paths.h"
#include "core/text/utf8.h"
#include "nets/external/problem_protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum {
	PAGE = 4096,
	HIGH = 16               /* descriptors from here on are not 0, 1, 2, which may be closed */
};

static const double tick_s = 0.2, grace_s = 5.0;

_Static_assert(sizeof(struct convoy_request) == 64 && sizeof(struct convoy_layout) == 64 &&
	       sizeof(struct convoy_answer) == 64 && sizeof(struct convoy_sizes) == 64 &&
	       sizeof(struct convoy_blob) == 128 && sizeof(struct convoy_metric) == 64,
	       "records have no padding");
_Static_assert((int)SPLIT_TRAIN == (int)CONVOY_TRAIN && (int)SPLIT_TEST == (int)CONVOY_TEST,
	       "splits have the numbers of the protocol");

struct child {
	char *net;
	struct process process;
	pid_t group;            /* that it leads */
	int status;             /* of a process that has ended */
	int socket, memory;     /* -1: none */
	pid_t owner;            /* process that started it */
	char *stranger;         /* what to check if it ends before its first answer; or NULL */
	uint64_t number;        /* of the last request */
	double asked;           /* when it was sent, on the clock of clock_s() ... */
	double stopped;         /* ... and when a signal of the user's was seen; 0: none */
	struct external_sizes sizes;
	struct convoy_layout layout;
	char *mapped;           /* [layout.size], or NULL */
	struct shared_memory shared;
	const char *remark;     /* after the versions in their text; or NULL */
	char *why, *details;    /* NULL: it has not failed */
};

static bool (*stop)(void);

void external_stop_when(bool (*when)(void))
{
	stop = when;
}

/* Seconds that an answer may take: CONVOY_FOREIGN_TIMEOUT, which commands check and set. */
static double answer_limit(void)
{
	const char *text = getenv("CONVOY_FOREIGN_TIMEOUT");

	return text ? strtod(text, NULL) : 600.0;
}

static const char *asked_for(enum convoy_kind kind)
{
	switch (kind) {
	case CONVOY_DESCRIBE:
		return "starting";
	case CONVOY_MAP:
		return "mapping the shared memory";
	case CONVOY_INIT:
		return "making the first model";
	case CONVOY_GRAD:
		return "computing a gradient";
	case CONVOY_STATS:
		return "computing batch-norm statistics";
	case CONVOY_SCORE:
		return "scoring samples";
	}
	return "working";
}

/* ---- failures ---- */

/* Keeps the first cause, which is taken over. Returns -1. */
static int child_fail(struct child *c, char *why)
{
	if (c->why)
		free(why);
	else
		c->why = why;
	return -1;
}

const char *child_why(const struct child *c)
{
	return c->why;
}

void child_show(const struct child *c)
{
	char *copy = xstrdup(c->details), *rest = NULL;

	for (char *line = copy ? strtok_r(copy, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest))
		note("%s", line);
	free(copy);
	error("%s: %s", c->net, c->why);
}

/* Waits for its end so long, and kills what is left of its group. */
static void child_kill(struct child *c, double wait_s)
{
	const double began = clock_s();

	while (c->process.pid && !process_ended(&c->process, &c->status) &&
	       clock_s() - began < wait_s)
		clock_sleep(0.001);
	if (c->group > 0) {
		kill(-c->group, SIGKILL);
		process_unguard(c->group);
	}
	if (c->process.pid)
		c->status = process_wait(&c->process);
	c->group = 0;
}

/* The process has closed the socket, by its end as a rule. */
static int fail_ended(struct child *c, enum convoy_kind kind)
{
	bool killed;
	char how[96];

	child_kill(c, 1.0);
	killed = process_signal_of(c->status) == SIGKILL;
	process_ending(c->status, how);
	return child_fail(c, xasprintf("its process %s%s while %s%s",
				       process_signal_of(c->status) ? "was " : "", how,
				       asked_for(kind),
				       killed ? "; perhaps memory ran out"
				       : kind == CONVOY_DESCRIBE && c->stranger ? c->stranger
										: ""));
}

/* ---- bytes ---- */

static int send_all(struct child *c, enum convoy_kind kind, const void *bytes, size_t n)
{
	const char *p = bytes;

	while (n) {
		const ssize_t put = send(c->socket, p, n, MSG_NOSIGNAL);

		if (put < 0 && errno != EINTR && errno != EAGAIN)
			return fail_ended(c, kind);
		p += put > 0 ? put : 0;
		n -= put > 0 ? (size_t)put : 0;
	}
	return 0;
}

/*
 * 0 if the program may take longer; -1 with child_why() after the time limit of the whole answer, a
 * signal of the user's, or the end of a process whose children hold the socket open.
 */
static int answer_may_take_longer(struct child *c, enum convoy_kind kind)
{
	const double now = clock_s();

	if (stop && stop() && !(c->stopped > 0.0))
		c->stopped = now;
	if (c->stopped > 0.0 && now - c->stopped > grace_s) {
		child_kill(c, 0.0);
		return child_fail(c, xasprintf("stopped while %s", asked_for(kind)));
	}
	if (now - c->asked <= answer_limit())
		return 0;
	child_kill(c, 0.0);
	return child_fail(c, xasprintf("no answer in %g s while %s; it was killed. If it needs "
				       "longer, raise --foreign-timeout", answer_limit(),
				       asked_for(kind)));
}

/* Reads n bytes. The socket returns every tick_s, and with every few bytes that arrive. */
static int receive_all(struct child *c, enum convoy_kind kind, void *bytes, size_t n)
{
	char *p = bytes;

	while (n) {
		const ssize_t got = recv(c->socket, p, n, 0);

		if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
			return fail_ended(c, kind);
		p += got > 0 ? got : 0;
		n -= got > 0 ? (size_t)got : 0;
		if (n && answer_may_take_longer(c, kind) < 0)
			return -1;
		if (got < 0 && (!c->process.pid || process_ended(&c->process, &c->status)))
			return fail_ended(c, kind);
	}
	return 0;
}

/* ---- requests ---- */

/* Reads a text: its first line is the cause of a failure, the others its details. */
static int receive_failure(struct child *c, enum convoy_kind kind, size_t n)
{
	char *text = xcalloc(n + 1, 1), *rest;

	if (receive_all(c, kind, text, n) < 0) {
		free(text);
		return -1;
	}
	utf8_make_printable(text);
	rest = strchr(text, '\n');
	if (rest) {
		*rest++ = '\0';
		if (*rest && !c->details)
			c->details = xstrdup(rest);
	}
	for (char *p = text; *p; p++)
		if ((unsigned char)*p < ' ')
			*p = ' ';
	child_fail(c, *text ? xstrdup(text) : xasprintf("failed without a reason while %s",
							asked_for(kind)));
	free(text);
	return -1;
}

/* Sends a request, and `more` after it; receives the answer. */
static int child_exchange(struct child *c, struct convoy_request *q, const void *more, size_t n,
			  struct convoy_answer *a)
{
	const enum convoy_kind kind = (enum convoy_kind)q->kind;
	char bytes[sizeof(*q) + sizeof(struct convoy_layout)];

	if (c->why)
		return -1;
	q->number = ++c->number;
	c->asked = clock_s();
	memcpy(bytes, q, sizeof(*q));
	if (n)
		memcpy(bytes + sizeof(*q), more, n);
	if (send_all(c, kind, bytes, sizeof(*q) + n) < 0 ||
	    receive_all(c, kind, a, sizeof(*a)) < 0)
		return -1;
	if (a->kind != q->kind || a->number != q->number || a->status > CONVOY_FAILED ||
	    a->text > CONVOY_TEXT_MOST) {
		child_kill(c, 0.0);
		return child_fail(c, xasprintf("what it sends is no answer of the protocol, "
					       "version %d, while %s", CONVOY_PROTOCOL_VERSION,
					       asked_for(kind)));
	}
	return a->status == CONVOY_FAILED ? receive_failure(c, kind, a->text) : 0;
}

int child_ask(struct child *c, struct ask *ask)
{
	struct convoy_request q = { .kind = (uint32_t)ask->kind, .seed = ask->seed, .n = ask->n,
				    .first = ask->first,
				    .split = (uint32_t)ask->split };
	struct convoy_answer a;

	if (child_exchange(c, &q, NULL, 0, &a) < 0)
		return -1;
	ask->loss = a.loss;
	ask->correct = a.correct;
	ask->count = a.n;
	if (a.text)
		return receive_failure(c, (enum convoy_kind)ask->kind, a.text);
	return ask->kind == CONVOY_SCORE && c->sizes.metrics
		? receive_all(c, CONVOY_SCORE, ask->metric,
			      (size_t)c->sizes.metrics * sizeof(*ask->metric)) : 0;
}

/* ---- sizes ---- */

static const double most_floats = 1e12, most_samples = 1e15;
enum { BLOBS_MOST = 1 << 20 };

static int sizes_wrong(struct child *c, const char *what, double value, const char *expected)
{
	return child_fail(c, xasprintf("%s is %.17g (expected %s)", what, value, expected));
}

static int check_sizes(struct child *c, const struct convoy_sizes *s)
{
	if (s->version != CONVOY_PROTOCOL_VERSION)
		return sizes_wrong(c, "its version of the protocol", s->version, "1");
	if (s->dim < 1 || (double)s->dim > most_floats)
		return sizes_wrong(c, "dim", (double)s->dim, "1 to 1e12");
	if ((double)s->stats_dim > most_floats)
		return sizes_wrong(c, "stats_dim", (double)s->stats_dim, "0 to 1e12");
	if (s->n_train < 1 || (double)s->n_train > most_samples)
		return sizes_wrong(c, "n_train", (double)s->n_train, "1 to 1e15");
	if (s->n_test < 0 || (double)s->n_test > most_samples)
		return sizes_wrong(c, "n_test", (double)s->n_test, "0 to 1e15");
	if (s->blobs > BLOBS_MOST)
		return sizes_wrong(c, "its number of blobs", (double)s->blobs, "at most 2^20");
	if (s->metrics > METRICS_MOST)
		return sizes_wrong(c, "its number of metrics", (double)s->metrics, "at most 16");
	if (s->labels > INT32_MAX)
		return sizes_wrong(c, "labels", (double)s->labels, "1 to 2^31 - 1, or 0");
	return 0;
}

/* Adds a blob after those before it. */
static int take_blob(struct child *c, const struct convoy_blob *from, size_t *at)
{
	struct blob *b = &c->sizes.blobs[c->sizes.nblobs];
	double product = 1.0;
	bool large = false;     /* a side does not fit into struct blob: no shape is known */

	*b = (struct blob){ .offset = *at, .count = from->count, .rank = (int)from->rank,
			    .decay = !(from->flags & CONVOY_NO_DECAY) };
	memcpy(b->name, from->name, sizeof(b->name) - 1);
	utf8_make_valid(b->name);
	for (char *p = b->name; *p; p++)
		if ((unsigned char)*p < ' ')
			return child_fail(c, xasprintf("the name of blob %zu has a control "
						       "character", c->sizes.nblobs));
	if (!*b->name)
		return child_fail(c, xasprintf("blob %zu has no name", c->sizes.nblobs));
	for (uint32_t i = 0; i < from->rank && i < 4; i++) {
		product *= (double)from->shape[i];
		if (from->shape[i] < 1)
			product = (double)NAN;
		large |= from->shape[i] > INT32_MAX;
		b->shape[i] = large ? 0 : (int)from->shape[i];
	}
	if (from->rank > 4 || !(product >= 1.0) || product > (double)from->count ||
	    product < (double)from->count)
		return child_fail(c, xasprintf("blob %s has %llu floats and another shape",
					       b->name, (unsigned long long)from->count));
	if (from->count > c->sizes.dim - *at)
		return child_fail(c, xasprintf("blob %s ends after the %zu floats of x", b->name,
					       c->sizes.dim));
	if (large) {
		b->rank = 0;
		memset(b->shape, 0, sizeof(b->shape));
	}
	*at += from->count;
	c->sizes.nblobs++;
	return 0;
}

/* Adds a metric after those before it. */
static int take_metric(struct child *c, const struct convoy_metric *from)
{
	struct external_sizes *s = &c->sizes;
	char name[sizeof(from->name)];

	memcpy(name, from->name, sizeof(name));
	name[sizeof(name) - 1] = '\0';
	if (!metric_is_name(name)) {
		utf8_make_printable(name);
		return child_fail(c, xasprintf("metric '%s' is no name (expected at most 24 "
					       "letters, digits and '_')", name));
	}
	metric_key(s->metric[s->metrics], name);
	for (int i = 0; i < s->metrics; i++)
		if (strcmp(s->metric[i], s->metric[s->metrics]) == 0)
			return child_fail(c, xasprintf("two metrics are named '%s'", name));
	s->metrics++;
	return 0;
}

/* Marks the matrices but the first and the last one, which read the input and give the output. */
static void mark_hidden(struct external_sizes *s)
{
	size_t matrices = 0, seen = 0;

	for (size_t i = 0; i < s->nblobs; i++)
		matrices += s->blobs[i].rank >= 2;
	for (size_t i = 0; i < s->nblobs; i++)
		if (s->blobs[i].rank >= 2) {
			seen++;
			s->blobs[i].hidden = seen > 1 && seen < matrices;
		}
}

static int receive_sizes(struct child *c)
{
	struct convoy_request q = { .kind = CONVOY_DESCRIBE, .version = CONVOY_PROTOCOL_VERSION };
	struct convoy_answer a;
	struct convoy_sizes s;
	size_t at = 0;

	if (child_exchange(c, &q, NULL, 0, &a) < 0 ||
	    receive_all(c, CONVOY_DESCRIBE, &s, sizeof(s)) < 0 || check_sizes(c, &s) < 0)
		return -1;
	c->sizes = (struct external_sizes){ .dim = (size_t)s.dim, .stats_dim = (size_t)s.stats_dim,
					     .n = { s.n_train, s.n_test },
					     .labels = (int64_t)s.labels };
	c->sizes.blobs = xcalloc((size_t)s.blobs + 1, sizeof(*c->sizes.blobs));
	for (uint64_t i = 0; i < s.blobs; i++) {
		struct convoy_blob b;

		if (receive_all(c, CONVOY_DESCRIBE, &b, sizeof(b)) < 0 || take_blob(c, &b, &at) < 0)
			return -1;
	}
	if (s.blobs == 0) {
		const struct convoy_blob all = { .name = "x", .count = s.dim, .rank = 1,
						 .shape = { (int64_t)s.dim } };

		take_blob(c, &all, &at);
	} else if (at != c->sizes.dim) {
		return child_fail(c, xasprintf("its blobs have %zu floats, and x has %zu", at,
					       c->sizes.dim));
	}
	mark_hidden(&c->sizes);
	for (uint64_t i = 0; i < s.metrics; i++) {
		struct convoy_metric m;

		if (receive_all(c, CONVOY_DESCRIBE, &m, sizeof(m)) < 0 || take_metric(c, &m) < 0)
			return -1;
	}
	c->sizes.versions = xcalloc((size_t)a.text + 1, 1);
	if (receive_all(c, CONVOY_DESCRIBE, c->sizes.versions, (size_t)a.text) < 0)
		return -1;
	for (char *p = c->sizes.versions; p < c->sizes.versions + a.text; p++)
		if (*p == '\n' && !c->remark) {
			*p = '\0';
			c->remark = p + 1;
		} else if ((unsigned char)*p < ' ' || (unsigned char)*p > '~') {
			*p = '?';
		}
	return 0;
}

const struct external_sizes *child_sizes(const struct child *c)
{
	return &c->sizes;
}

const char *child_remark(const struct child *c)
{
	return c->remark;
}

/* ---- memory ---- */

/* The next free bytes for n elements, from a new page on. */
static uint64_t layout_add(struct convoy_layout *l, uint64_t n, uint64_t size)
{
	const uint64_t at = l->size;

	l->size = (at + n * size + PAGE - 1) / PAGE * PAGE;
	return at;
}

int child_map(struct child *c)
{
	struct convoy_request q = { .kind = CONVOY_MAP };
	struct convoy_answer a;

	if (c->mapped || c->why)
		return c->why ? -1 : 0;
	c->layout.x = layout_add(&c->layout, c->sizes.dim, sizeof(float));
	c->layout.g = layout_add(&c->layout, c->sizes.dim, sizeof(float));
	c->layout.stats = layout_add(&c->layout, c->sizes.stats_dim, sizeof(float));
	c->layout.sample = layout_add(&c->layout, EXTERNAL_BATCH_MOST, sizeof(int64_t));
	if ((double)c->layout.size > memory_there_is())
		return child_fail(c, xasprintf("its %zu floats of x, as many of a gradient and %zu "
					       "of stats need %.3g GB of memory, and a process has "
					       "at most %.3g GB here", c->sizes.dim,
					       c->sizes.stats_dim, 1e-9 * (double)c->layout.size,
					       1e-9 * memory_there_is()));
	/* Pages that are not written take no memory. A sealed file cannot be made shorter. */
	if (ftruncate(c->memory, (off_t)c->layout.size) < 0 ||
	    fcntl(c->memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		return child_fail(c, xasprintf("cannot share %.3g GB of memory with it: %s",
					       1e-9 * (double)c->layout.size, strerror(errno)));
	c->mapped = mmap(NULL, c->layout.size, PROT_READ | PROT_WRITE, MAP_SHARED, c->memory, 0);
	if (c->mapped == MAP_FAILED) {
		c->mapped = NULL;
		return child_fail(c, xasprintf("cannot map %.3g GB of memory: %s",
					       1e-9 * (double)c->layout.size, strerror(errno)));
	}
	c->shared = (struct shared_memory){
		.x = (float *)(void *)(c->mapped + c->layout.x),
		.g = (float *)(void *)(c->mapped + c->layout.g),
		.stats = (float *)(void *)(c->mapped + c->layout.stats),
		.sample = (int64_t *)(void *)(c->mapped + c->layout.sample),
	};
	return child_exchange(c, &q, &c->layout, sizeof(c->layout), &a);
}

const struct shared_memory *child_memory(const struct child *c)
{
	return &c->shared;
}

/* ---- start and end ---- */

const char *external_interpreter(void)
{
	const char *chosen = getenv("CONVOY_PYTHON");

	return chosen && *chosen ? chosen : "python3";
}

/* Words of the command line: [NULL-ended], each to be freed, as is the list. NULL: no serve.py. */
static char **command_words(const struct external_name *name)
{
	size_t n = 2;
	char **words, *server = name->python ? path_shipped("python/convoy/serve.py") : NULL;
	const char *at = name->args;

	if (name->python && !server)
		return NULL;
	for (const char *p = at; *p; p++)
		n += *p == ',';
	words = xcalloc(n + 6, sizeof(*words));
	n = 0;
	if (name->python) {
		words[n++] = xstrdup(external_interpreter());
		words[n++] = server;
		words[n++] = xstrdup(name->file);
		words[n++] = xstrdup(name->function);
		if (!name->pure)
			words[n++] = xstrdup("pure=false");
	} else {
		words[n++] = strchr(name->file, '/') ? xstrdup(name->file)
						     : xasprintf("./%s", name->file);
	}
	while (*at) {
		const size_t length = strcspn(at, ",");

		words[n++] = xasprintf("%.*s", (int)length, at);
		at += length + (at[length] == ',');
	}
	return words;
}

/* The same descriptor at a number from HIGH on; -1 with errno. */
static int raise_fd(int fd)
{
	const int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, HIGH);

	if (fd >= 0)
		close(fd);
	return high;
}

static int start_program(struct child *c, const struct external_name *name, int theirs)
{
	char **words = command_words(name);
	const struct process_way way = { .words = words, .in = PROCESS_NULL, .out = STDERR_FILENO,
					 .pass = { theirs, c->memory }, .end_signal = SIGKILL,
					 .group = true };
	int ret = 0;

	if (!words)
		return child_fail(c, xstrdup("convoy's own file python/convoy/serve.py is missing: "
					     "set CONVOY_HOME to convoy's share folder"));
	if (process_start(&c->process, &way) < 0)
		ret = child_fail(c, name->python && errno == ENOENT
			? xasprintf("there is no program '%s' (expected an interpreter of Python "
				    "3). Name one with --python or CONVOY_PYTHON", words[0])
			: xasprintf("cannot start '%s': %s", words[0], strerror(errno)));
	c->stranger = name->python
		? xasprintf(". Is '%s' an interpreter of Python 3?", words[0])
		: xasprintf(". Does '%s' speak convoy's protocol (docs/problem-protocol.md)?",
			    words[0]);
	path_list_free(words);
	c->group = c->process.pid;
	if (c->group > 0)
		process_guard(c->group);
	return ret;
}

struct child *child_start(const char *net, const struct external_name *name)
{
	const struct timeval tick = { .tv_usec = (suseconds_t)(1e6 * tick_s) };
	struct child *c = xcalloc(1, sizeof(*c));
	int ends[2] = { -1, -1 };

	*c = (struct child){ .net = xstrdup(net), .owner = getpid(), .process = { .fd = -1 },
			     .socket = -1, .memory = -1 };
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0) {
		ends[0] = raise_fd(ends[0]);
		ends[1] = raise_fd(ends[1]);
		c->memory = raise_fd(memfd_create("convoy-problem",
						  MFD_CLOEXEC | MFD_ALLOW_SEALING));
	}
	c->socket = ends[0];
	if (ends[0] < 0 || ends[1] < 0 || c->memory < 0)
		child_fail(c, xasprintf("cannot open its socket and memory: %s", strerror(errno)));
	else if (setsockopt(c->socket, SOL_SOCKET, SO_RCVTIMEO, &tick, sizeof(tick)) == 0)
		start_program(c, name, ends[1]);
	if (ends[1] >= 0)
		close(ends[1]);
	if (!c->why)
		receive_sizes(c);
	return c;
}

void child_forget(struct child *c)
{
	if (c->mapped)
		munmap(c->mapped, c->layout.size);
	if (c->socket >= 0)
		close(c->socket);
	if (c->memory >= 0)
		close(c->memory);
	external_sizes_release(&c->sizes);
	free_all(c->net, c->stranger, c->why, c->details, c);
}

void child_end(struct child *c)
{
	if (!c)
		return;
	if (c->owner == getpid()) {
		if (c->socket >= 0)
			shutdown(c->socket, SHUT_WR);
		child_kill(c, c->why ? 0.0 : 2.0);
	}
	child_forget(c);
}
