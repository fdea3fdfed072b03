/*
 * A problem of 20 floats that breaks the protocol: fault=KIND, on=KIND OF REQUEST (1 to 6), after=N
 * such requests; or one of other sizes: test=SAMPLES, stats=FLOATS.
 */
#include <convoy/problem_protocol.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DIM = 20 };

static char fault[32] = "none";
static unsigned on = CONVOY_GRAD, after;
static unsigned long long test = 8, stats;
static float *x, *g;

static int is(const char *name)
{
	return strcmp(fault, name) == 0;
}

static int slow;                        /* bytes leave one by one, 50 ms apart */

static void put(const void *from, size_t n)
{
	for (; slow && n > 1; n--, from = (const char *)from + 1) {
		if (send(CONVOY_SOCKET_FD, from, 1, MSG_NOSIGNAL) != 1)
			exit(0);
		usleep(50000);
	}
	if (send(CONVOY_SOCKET_FD, from, n, MSG_NOSIGNAL) != (ssize_t)n)
		exit(0);
}

static void get(void *to, size_t n)
{
	if (recv(CONVOY_SOCKET_FD, to, n, MSG_WAITALL) != (ssize_t)n)
		exit(0);
}

static void fail(struct convoy_answer *a, const char *text, size_t n)
{
	a->status = CONVOY_FAILED;
	a->text = n;
	put(a, sizeof(*a));
	put(text, n);
}

/* Does what is wrong; returns 1 when an answer was sent. */
static int misbehave(struct convoy_answer *a)
{
	static const char odd[] = "\033[31mred\r\t\001 \xff\xfe and more\nline 2\nline 3";
	static char much[CONVOY_TEXT_MOST];
	char bytes[256];

	memset(bytes, 'x', sizeof(bytes));
	memset(much, 'y', sizeof(much));
	if (is("exit"))
		_exit(9);
	if (is("exit0"))
		_exit(0);
	if (is("segv") || is("abort") || is("kill") || is("fpe"))
		raise(is("segv") ? SIGSEGV : is("abort") ? SIGABRT : is("kill") ? SIGKILL : SIGFPE);
	while (is("hang"))
		pause();
	if (is("stop"))
		raise(SIGSTOP);
	if (is("close") || is("shutdown")) {
		is("close") ? close(CONVOY_SOCKET_FD) : shutdown(CONVOY_SOCKET_FD, SHUT_RDWR);
		for (;;)
			pause();
	}
	if (is("garbage"))
		put(bytes, sizeof(bytes));
	if (is("short")) {
		put(a, 17);
		_exit(0);
	}
	if (is("kind"))
		a->kind = 77;
	if (is("number"))
		a->number += 1;
	if (is("status"))
		a->status = 2;
	if (is("text"))
		a->text = 1u << 30;
	if (is("long") || is("odd") || is("mute")) {
		fail(a, is("odd") ? odd : much, is("odd") ? sizeof(odd) - 1 : is("mute") ? 0
			: sizeof(much));
		return 1;
	}
	slow = is("trickle");
	if (is("open"))
		for (int i = CONVOY_MEMORY_FD + 1; i < 1024; i++)
			if (fcntl(i, F_GETFD) >= 0) {
				snprintf(bytes, sizeof(bytes), "descriptor %d is open", i);
				fail(a, bytes, strlen(bytes));
				return 1;
			}
	if (is("truncate") && ftruncate(CONVOY_MEMORY_FD, 0) < 0)
		fail(a, "cannot truncate", 15);
	if (is("nan") && g)
		a->loss = (double)(g[3] = 0.0f / (x[0] - x[0]));
	if (is("shout") && write(1, "SHOUTED\n", 8) < 0)
		_exit(1);
	if (is("orphan")) {
		if (fork() == 0)
			for (;;)
				pause();
		_exit(4);
	}
	return is("truncate");
}

static void describe(struct convoy_answer *a, int wrong)
{
	struct convoy_sizes s = { .version = 1, .dim = DIM, .n_train = 64,
				  .n_test = (int64_t)test, .stats_dim = stats, .blobs = 2 };
	struct convoy_blob b[2] = { { .name = "a", .count = 12, .shape = { 3, 4 }, .rank = 2 },
				    { .name = "b", .count = 8, .shape = { 8 }, .rank = 1 } };

	if (is("labels"))
		s.labels = 1;
	if (wrong && is("labels-1"))
		s.labels = UINT64_MAX;
	if (wrong && is("version"))
		s.version = 9;
	if (wrong && is("dim0"))
		s.dim = 0;
	if (wrong && is("dimmost"))
		s.dim = UINT64_MAX;
	if (wrong && is("train0"))
		s.n_train = 0;
	if (wrong && is("test-1"))
		s.n_test = -1;
	if (wrong && is("blobs"))
		s.blobs = 1u << 31;
	if (wrong && is("shape"))
		b[0].shape[0] = 5;
	if (wrong && is("rank"))
		b[0].rank = 9;
	if (wrong && is("sum"))
		b[1] = (struct convoy_blob){ .name = "b", .count = 9, .shape = { 9 }, .rank = 1 };
	if (wrong && is("less"))
		s.blobs = 1;
	if (wrong && is("name"))
		memset(b[1].name, '\n', sizeof(b[1].name));
	if (wrong && is("nameless"))
		b[1].name[0] = 0;
	if (wrong && (is("giant") || is("giants"))) {
		s.dim = 3000000000u;
		s.blobs = is("giants");
		b[0] = (struct convoy_blob){ .name = "a", .count = s.dim, .shape = { s.dim },
					     .rank = 1 };
	}
	/* not as in another process */
	if (is("other-size"))
		s.n_test += getpid();
	if (is("other-part"))
		snprintf(b[1].name, sizeof(b[1].name), "b%d", (int)getpid());
	put(a, sizeof(*a));
	put(&s, sizeof(s));
	put(b, s.blobs > 2 ? sizeof(b) : s.blobs * sizeof(*b));
}

int main(int argc, char **argv)
{
	struct convoy_request q;
	unsigned seen = 0;

	for (int i = 1; i < argc; i++)
		if (sscanf(argv[i], "fault=%31s", fault) != 1 &&
		    sscanf(argv[i], "on=%u", &on) != 1 &&
		    sscanf(argv[i], "test=%llu", &test) != 1 &&
		    sscanf(argv[i], "stats=%llu", &stats) != 1)
			sscanf(argv[i], "after=%u", &after);
	for (;;) {
		struct convoy_answer a = { 0 };
		struct convoy_layout l;

		get(&q, sizeof(q));
		a.kind = q.kind;
		a.number = q.number;
		if (q.kind == CONVOY_MAP) {
			char *memory;

			get(&l, sizeof(l));
			memory = mmap(NULL, l.size, PROT_READ | PROT_WRITE, MAP_SHARED,
				      CONVOY_MEMORY_FD, 0);
			x = (float *)(memory + l.x);
			g = (float *)(memory + l.g);
		}
		if (q.kind == CONVOY_INIT)
			for (int i = 0; i < DIM; i++)
				x[i] = is("other-model") ? (float)getpid() : 1.0f;
		if (q.kind == CONVOY_GRAD)
			memcpy(g, x, DIM * sizeof(*g));
		if (q.kind == CONVOY_GRAD)
			a.loss = x[0] * x[0] * DIM / 2 + (is("other-data") ? getpid() : 0);
		if (q.kind == CONVOY_SCORE) {
			a.loss = (double)q.n * (1 + (is("other-test") ? getpid() : 0));
			a.correct = -1;
			a.n = q.n;
			if (is("count"))
				a.correct = 1000;
			if (is("labels"))
				a.n++;
		}
		if (q.kind == on && seen++ >= after && misbehave(&a))
			continue;
		if (q.kind == CONVOY_DESCRIBE)
			describe(&a, on == CONVOY_DESCRIBE);
		else
			put(&a, sizeof(a));
	}
}
