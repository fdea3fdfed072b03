/* Lock files with an owner and a heartbeat: taken, kept, taken over, released. */
#define _GNU_SOURCE             /* pthread_condattr_setclock() */
#include "runner/results/lease.h"

#include "core/base/clock.h"
#include "core/base/env.h"
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/thread.h"
#include "core/file/paths.h"
#include "core/file/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum {
	LIMIT_S = 90,           /* silence of an owner that counts as ended */
	LIMIT_MOST_S = 3600,
	BEATS = 6,              /* in that time */
	LOOKS = 5               /* needed at least, before a silent owner counts as ended */
};

/* A file begins with this line, and so many digits that each heartbeat writes again. */
#define FIRST_LINE "convoy lock 1\n"
#define BEAT_FORMAT "beat %010u\n"
enum { BEAT_AT = sizeof(FIRST_LINE) - 1, TEXT_AT = BEAT_AT + sizeof("beat 0123456789\n") - 1 };

struct lease {
	char *path;             /* owned */
	struct lease_owner owner;
	char key[20];
	int fd;                 /* the file, wherever it is now */
	bool taken_over;
	double beaten;          /* when the last heartbeat was, by clock_s() */
	/* ---- of lease_keep() ---- */
	bool kept;              /* is among all_kept */
	bool beats, ending;     /* the thread runs; it is to end */
	int code;
	const char *lost;
	pthread_t thread;
	struct lease *next;     /* of those that are kept */
};

/* Leases that are kept, their paths, and the ends of their threads, change under this mutex. */
static pthread_mutex_t keeping = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wakes;
static pthread_once_t wakes_once = PTHREAD_ONCE_INIT;
static struct lease *all_kept;

char *lease_path(const char *file)
{
	const char *name = path_base(file);

	return xasprintf("%.*s.%s.lock", (int)(name - file), file, name);
}

/* ---- who this process is ---- */

static char this_machine[96];

/* Which system has given this process its number: its boot, and the name space of its numbers. */
static void machine_find(void)
{
	char boot[48] = "", space[40] = "";
	FILE *in = fopen("/proc/sys/kernel/random/boot_id", "re");
	ssize_t n = readlink("/proc/self/ns/pid", space, sizeof(space) - 1);

	if (in && !fgets(boot, sizeof(boot), in))
		boot[0] = '\0';
	if (in)
		fclose(in);
	boot[strcspn(boot, " \n")] = '\0';
	if (*boot && n > 0)
		snprintf(this_machine, sizeof(this_machine), "%s/%s", boot, space);
}

static void machine_read(char machine[96])
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, machine_find);
	memcpy(machine, this_machine, sizeof(this_machine));
}

/* One word that a line can hold. */
static void word_tidy(char *word)
{
	for (; *word; word++)
		if ((unsigned char)*word <= ' ' || *word == 0x7f)
			*word = '_';
}

#define LIMIT_VARIABLE "CONVOY_HEARTBEAT"

int lease_check_settings(void)
{
	if (env_count(LIMIT_VARIABLE, LIMIT_MOST_S) >= 0)
		return 0;
	return error(LIMIT_VARIABLE "=%s: expected whole seconds from 1 to %d, after which a "
		     "silent process counts as ended", getenv(LIMIT_VARIABLE), LIMIT_MOST_S);
}

struct lease_owner lease_self(void)
{
	const int limit = env_count(LIMIT_VARIABLE, LIMIT_MOST_S);
	struct lease_owner self = { .limit_s = limit > 0 ? limit : LIMIT_S, .pid = (int)getpid() };
	struct utsname here;

	snprintf(self.host, sizeof(self.host), "%s", uname(&here) < 0 ? "?" : here.nodename);
	word_tidy(self.host);
	machine_read(self.machine);
	self.start = process_start_ticks(self.pid);
	return self;
}

bool lease_same_machine(const struct lease_owner *a, const struct lease_owner *b)
{
	return *a->machine && strcmp(a->machine, b->machine) == 0;
}

/* True when the owner is a process of this machine that has ended. */
static bool owner_is_gone(const struct lease_owner *o)
{
	char machine[96];
	uint64_t start;

	machine_read(machine);
	if (!*machine || strcmp(machine, o->machine) != 0 || o->pid <= 0)
		return false;
	if (kill(o->pid, 0) < 0 && errno == ESRCH)
		return true;
	start = process_start_ticks(o->pid);
	/* A process of another user may be hidden: then only its number is known. */
	if (start)
		return o->start && start != o->start;
	return process_start_ticks(getpid()) && access("/proc/1/stat", R_OK) == 0;
}

/* ---- the file ---- */

/* A new lock file's text, with a key that no other has. */
static void owner_write(struct lease_owner *o, const char *about, char key[20])
{
	static unsigned made;
	struct timespec now;
	uint64_t h = fnv_text(fnv_text(FNV_START, o->host), o->machine);
	int n;

	clock_gettime(CLOCK_REALTIME, &now);
	made++;
	h = fnv(h, &now, sizeof(now));
	h = fnv(h, &o->pid, sizeof(o->pid));
	h = fnv(h, &made, sizeof(made));
	snprintf(key, 20, "%016" PRIx64, h);
	n = snprintf(o->text, sizeof(o->text),
		     "key %s\nlimit %g\nhost %s\nmachine %s\npid %d\nstart %" PRIu64 "\n", key,
		     o->limit_s, o->host, *o->machine ? o->machine : "?", o->pid, o->start);
	o->about = (size_t)n;
	snprintf(o->text + n, sizeof(o->text) - (size_t)n, "%s", about);
}

/* Fills the owner from the text of a file. False: it is none, or not whole yet. */
static bool owner_parse(struct lease_owner *o, const char *text)
{
	char key[20];
	int n = 0;

	if (strncmp(text, FIRST_LINE, BEAT_AT) != 0 ||
	    sscanf(text + BEAT_AT, "beat %10u", &o->beat) != 1 || strlen(text) < TEXT_AT)
		return false;
	snprintf(o->text, sizeof(o->text), "%s", text + TEXT_AT);
	if (sscanf(o->text, "key %19s limit %lf host %71s machine %95s pid %d start %" SCNu64 "%n",
		   key, &o->limit_s, o->host, o->machine, &o->pid, &o->start, &n) != 6 || !n)
		return false;
	if (!(o->limit_s > 0) || o->limit_s > LIMIT_MOST_S)
		o->limit_s = LIMIT_S;
	if (strcmp(o->machine, "?") == 0)
		o->machine[0] = '\0';
	o->about = (size_t)n + (o->text[n] == '\n');
	return true;
}

bool lease_read(const char *path, struct lease_owner *owner)
{
	char text[LEASE_TEXT + TEXT_AT];
	struct stat st;
	/* NFS asks its server when a file is opened, and only then for sure. */
	const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t n;
	int why;

	*owner = (struct lease_owner){ .limit_s = LIMIT_S };
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	why = n < 0 ? errno : 0;
	if (fd >= 0)
		close(fd);
	if (lstat(path, &st) < 0)
		return false;
	errno = why;
	text[n < 0 ? 0 : n] = '\0';
	owner->written = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	/* Without a whole text it is being written, was left so by a crash, or cannot be read. */
	if (!owner_parse(owner, text))
		*owner = (struct lease_owner){ .limit_s = LIMIT_S, .beat = owner->beat,
					       .written = owner->written };
	return true;
}

static int file_write(int fd, const struct lease_owner *o)
{
	char text[LEASE_TEXT + TEXT_AT];
	const int n = snprintf(text, sizeof(text), FIRST_LINE BEAT_FORMAT "%s", o->beat, o->text);
	const ssize_t put = pwrite(fd, text, (size_t)n, 0);

	if (put >= 0 && put < n)
		errno = ENOSPC;
	return put == n ? 0 : -1;
}

/* ---- what this process has seen of others ---- */

struct seen_lock {
	char *path;             /* owned */
	uint64_t text;          /* hash of the owner's text */
	unsigned beat;
	int64_t written;
	double looked, silent_s;        /* the last look; how long nothing has changed */
};

struct lease_watch {
	struct seen_lock *v;    /* [n] */
	size_t n;
};

struct lease_watch *lease_watch_new(void)
{
	return xcalloc(1, sizeof(struct lease_watch));
}

void lease_watch_free(struct lease_watch *w)
{
	for (size_t i = 0; w && i < w->n; i++)
		free(w->v[i].path);
	if (w)
		free(w->v);
	free(w);
}

static struct seen_lock *watch_find(struct lease_watch *w, const char *path)
{
	for (size_t i = 0; i < w->n; i++)
		if (strcmp(w->v[i].path, path) == 0)
			return &w->v[i];
	w->v = xrealloc(w->v, w->n + 1, sizeof(*w->v));
	w->v[w->n] = (struct seen_lock){ .path = xstrdup(path), .looked = clock_s() };
	return &w->v[w->n++];
}

/*
 * True when this owner's lock has not changed for its limit. Between two looks at most a part of
 * the limit counts: this process may have been suspended together with the owner.
 */
static bool watch_is_silent(struct lease_watch *w, const char *path, const struct lease_owner *o)
{
	struct seen_lock *s = watch_find(w, path);
	const uint64_t text = fnv_text(FNV_START, o->text);
	const double now = clock_s(), most = o->limit_s / LOOKS, since = now - s->looked;

	if (s->text != text || s->beat != o->beat || s->written != o->written)
		s->silent_s = 0;
	else
		s->silent_s += since < most ? since : most;
	s->text = text;
	s->beat = o->beat;
	s->written = o->written;
	s->looked = now;
	return s->silent_s >= o->limit_s;
}

bool lease_owner_has_ended(const char *path, const struct lease_owner *o, struct lease_watch *w)
{
	return watch_is_silent(w, path, o) || owner_is_gone(o);
}

bool lease_has_ended(const char *path, struct lease_watch *w)
{
	struct lease_owner o;

	return lease_read(path, &o) && lease_owner_has_ended(path, &o, w);
}

/* ---- taken ---- */

static bool owner_is_same(const struct lease_owner *a, const struct lease_owner *b)
{
	return strcmp(a->text, b->text) == 0;
}

/* A file of its own with the lock's text, and its name; -1 with errno. */
static int draft_write(struct lease *l, char **name)
{
	static unsigned drafts;
	int fd = -1;

	for (int k = 0; k < 8 && fd < 0; k++) {
		free(*name);
		*name = xasprintf("%s.%s-%d-%u", l->path, l->owner.host, l->owner.pid, ++drafts);
		fd = open(*name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd >= 0 && file_write(fd, &l->owner) < 0) {
		const int why = errno;

		close(fd);
		unlink(*name);
		errno = why;
		fd = -1;
	}
	return fd;
}

/* The draft becomes the lock, unless there is one. 1; 0: there is one; -1 with errno. */
static int draft_link(struct lease *l, const char *name)
{
	struct stat st;
	int fd;

	/* NFS may have done it although the answer was lost. */
	if (link(name, l->path) == 0 || (fstat(l->fd, &st) == 0 && st.st_nlink == 2))
		return 1;
	if (errno == EEXIST)
		return 0;
	if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS && errno != EMLINK)
		return -1;
	/* A file system without hard links. */
	fd = open(l->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return errno == EEXIST ? 0 : -1;
	if (file_write(fd, &l->owner) < 0) {
		const int why = errno;

		close(fd);
		unlink(l->path);
		errno = why;
		return -1;
	}
	close(l->fd);
	l->fd = fd;
	return 1;
}

/* After this time, another process that has read the ended owner's lock has renamed its file. */
static const double settle_s = 0.02;

/*
 * The draft replaces the lock of an owner that has ended. Of several processes that do so, the last
 * one's file stays, and the others find it there.
 */
static int draft_replace(struct lease *l, const char *name, const struct lease_owner *ended)
{
	struct lease_owner now;

	if (!lease_read(l->path, &now))
		return errno == ENOENT ? draft_link(l, name) : -1;
	if (!owner_is_same(&now, ended) || now.beat != ended->beat)
		return 0;
	if (rename(name, l->path) < 0)
		return -1;
	l->taken_over = true;
	clock_sleep(settle_s);
	if (!lease_read(l->path, &now))
		return -1;
	return owner_is_same(&now, &l->owner);
}

static void lease_free(struct lease *l)
{
	if (l->fd >= 0)
		close(l->fd);
	free_all(l->path, l);
}

enum lease_answer lease_take(struct lease **lease, const char *path, const char *about,
			     struct lease_watch *w)
{
	struct lease_owner other;
	const bool there = lease_read(path, &other);
	char *name = NULL;
	struct lease *l;
	int taken, why;

	*lease = NULL;
	if (there && !lease_owner_has_ended(path, &other, w))
		return LEASE_THEIRS;
	l = xcalloc(1, sizeof(*l));
	*l = (struct lease){ .path = xstrdup(path), .owner = lease_self(), .beaten = clock_s() };
	owner_write(&l->owner, about, l->key);
	l->fd = draft_write(l, &name);
	taken = l->fd < 0 ? -1 : there ? draft_replace(l, name, &other) : draft_link(l, name);
	why = errno;
	if (l->fd >= 0)
		unlink(name);
	free(name);
	if (taken > 0) {
		*lease = l;
		return LEASE_OURS;
	}
	lease_free(l);
	errno = why;
	return taken ? LEASE_NONE : LEASE_THEIRS;
}

bool lease_was_taken_over(const struct lease *l)
{
	return l->taken_over;
}

const char *lease_key(const struct lease *l)
{
	return l->key;
}

/* ---- kept ---- */

const char lease_lost[] = "another convoy has taken this lock over, since this process was "
			  "suspended for too long. Start the command again";

/* True when another process has the lock, or none has; false while it is ours, or not known. */
static bool lease_is_lost(const struct lease *l)
{
	struct lease_owner now;

	if (!lease_read(l->path, &now))
		return errno == ENOENT || errno == ENOTDIR;
	if (!*now.text)
		return false;
	/* The last bytes of a parent's lock are not known here: its key is all that counts. */
	return l->fd < 0 ? strncmp(now.text, l->owner.text, strlen(l->owner.text)) != 0
			 : !owner_is_same(&now, &l->owner);
}

bool lease_beat(struct lease *l)
{
	const double now = clock_s();

	if (now - l->beaten < l->owner.limit_s / BEATS)
		return true;
	if (lease_is_lost(l))
		return false;
	l->beaten = now;
	l->owner.beat++;
	/* Where the disk is full, the file's time alone may still be changed. */
	if (l->fd >= 0 && (file_write(l->fd, &l->owner) < 0 || fdatasync(l->fd) < 0))
		futimens(l->fd, NULL);
	return true;
}

/* Ends this process: nothing may be written any more, not even what exit() would write. */
static _Noreturn void lease_end_process(const struct lease *l)
{
	if (l->lost)
		error("%s: %s", l->path, l->lost);
	_exit(l->code);
}

void lease_check_kept(void)
{
	pthread_mutex_lock(&keeping);
	for (const struct lease *l = all_kept; l; l = l->next)
		if (lease_is_lost(l))
			lease_end_process(l);
	pthread_mutex_unlock(&keeping);
}

bool lease_held(const char *file)
{
	scoped char *path = lease_path(file);
	bool held = false;

	pthread_mutex_lock(&keeping);
	for (const struct lease *l = all_kept; l; l = l->next)
		held |= strcmp(l->path, path) == 0;
	pthread_mutex_unlock(&keeping);
	return held;
}

static void *beat_main(void *arg)
{
	struct lease *l = arg;
	struct timespec until;

	pthread_mutex_lock(&keeping);
	while (!l->ending) {
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += (long)(l->owner.limit_s / BEATS * 1e9) % 1000000000L;
		until.tv_sec += (time_t)(l->owner.limit_s / BEATS) + until.tv_nsec / 1000000000L;
		until.tv_nsec %= 1000000000L;
		pthread_cond_timedwait(&wakes, &keeping, &until);
		if (!l->ending && !lease_beat(l))
			lease_end_process(l);
	}
	pthread_mutex_unlock(&keeping);
	return NULL;
}

static void wakes_make(void)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&wakes, &attr);
	pthread_condattr_destroy(&attr);
}

void lease_keep(struct lease *l, int code, const char *lost)
{
	pthread_once(&wakes_once, wakes_make);
	pthread_mutex_lock(&keeping);
	l->code = code;
	l->lost = lost;
	if (!l->kept) {
		l->next = all_kept;
		all_kept = l;
		l->kept = true;
	}
	pthread_mutex_unlock(&keeping);
	if (l->beats)
		return;
	temporary_before_rename(lease_check_kept);
	l->beats = thread_start(&l->thread, beat_main, l) == 0;
}

void lease_keep_parents(const char *path, const char *key, int code, const char *lost)
{
	struct lease *l = xcalloc(1, sizeof(*l));

	*l = (struct lease){ .path = xstrdup(path), .owner = lease_self(), .fd = -1,
			     .beaten = clock_s() };
	snprintf(l->owner.text, sizeof(l->owner.text), "key %s\n", key);
	lease_keep(l, code, lost);
}

void lease_unkeep(struct lease *l)
{
	struct lease **at = &all_kept;

	pthread_mutex_lock(&keeping);
	while (*at && *at != l)
		at = &(*at)->next;
	if (*at)
		*at = l->next;
	l->kept = false;
	l->ending = true;
	if (l->beats)
		pthread_cond_broadcast(&wakes);
	pthread_mutex_unlock(&keeping);
	if (l->beats)
		pthread_join(l->thread, NULL);
	l->beats = l->ending = false;
}

void lease_release(struct lease *l)
{
	struct lease_owner now;

	if (!l)
		return;
	lease_unkeep(l);
	if (lease_read(l->path, &now) && owner_is_same(&now, &l->owner))
		unlink(l->path);
	lease_free(l);
}

bool lease_move(struct lease *l, const char *path)
{
	struct lease_owner now;
	struct stat st;
	bool linked, moved;

	pthread_mutex_lock(&keeping);
	linked = link(l->path, path) == 0 || (fstat(l->fd, &st) == 0 && st.st_nlink == 2);
	moved = linked && lease_read(path, &now) && owner_is_same(&now, &l->owner);
	if (moved) {
		unlink(l->path);
		free(l->path);
		l->path = xstrdup(path);
		l->taken_over = false;
	}
	pthread_mutex_unlock(&keeping);
	if (moved)
		return true;
	/* Where another process has taken the lock, this is a name of that process's file. */
	if (linked)
		unlink(path);
	lease_release(l);
	return false;
}

void lease_forget(struct lease *l)
{
	if (l)
		lease_free(l);
}
