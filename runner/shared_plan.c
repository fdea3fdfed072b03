/* Processes that share a plan: joined and left, and a look at what the others do. */
#define _GNU_SOURCE             /* realpath() */
#include "runner/shared_plan.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "core/file/temporary.h"
#include "core/text/word.h"
#include "record/environ.h"
#include "runner/signals.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MEMBER "sweep."          /* name of a process's lock, before its host and number */

/* A look takes at most about this share of the time; and seconds between two looks, at least. */
static const double look_share = 0.02, look_s = 1.0;
static const double wait_s = 0.5;       /* before it tries again to join */

struct shared_run {             /* a run to do, by its hash */
	const char *hash;       /* borrowed from the plan */
	size_t run;
};

/* A process, as its lock describes it. */
struct member_lines {
	char version[200], spec[600];
	uint64_t plan;          /* a hash: of the spec and its settings, or of the runs */
	int alone, real;
};

struct shared_plan {
	const struct plan *plan;
	struct lease *member;   /* NULL: none could be made */
	char *member_path, *about;      /* owned; the lock of this process, and its lines there */
	struct member_lines own;        /* the same, read */
	bool waited;
	struct lease_watch *watch;
	struct shared_run *sorted;      /* [nsorted] */
	size_t nsorted;
	enum shared_state *state;  /* [plan->n] */
	size_t processes, others;       /* of this plan; of any other one, in this folder */
	double next_look;
};

/* ---- the lines of a lock ---- */

#define LINES "version %s %s\nplan %016" PRIx64 "\nalone %d\nreal %d\nspec %s\n"
#define LINES_READ "version %199[^\n]\nplan %16" SCNx64 "\nalone %d\nreal %d\nspec %599[^\n]"

/* Digest of an experiment: its file, scale and settings; of a sweep of 'convoy sim': its runs. */
static uint64_t plan_hash(const struct plan *p)
{
	scoped char *file = *p->spec.name ? file_read(p->spec.path, NULL) : NULL;
	scoped char *set = point_words(&p->set);
	uint64_t h = fnv_text(FNV_START, p->spec.scale);

	if (file)
		h = fnv_text(fnv_text(h, file), set);
	for (size_t i = 0; i < p->n && !file; i++)
		h = fnv_text(h, p->runs[i].su.hash);
	return h;
}

static char *about_text(const struct plan *p, bool alone)
{
	char *spec = realpath(p->spec.path, NULL), *text;

	for (char *at = spec; at && *at; at++)
		if (*at == '\n')
			*at = ' ';
	text = xasprintf(LINES, environ_version, environ_commit, plan_hash(p), alone,
			 plan_is_real(p), spec ? spec : p->spec.path);
	free(spec);
	return text;
}

static struct member_lines lines_read(const char *about)
{
	struct member_lines l = { 0 };

	if (sscanf(about, LINES_READ, l.version, &l.plan, &l.alone, &l.real, l.spec) < 4)
		return (struct member_lines){ 0 };
	return l;
}

/* ---- a look at the folder ---- */

static bool is_member(const char *name)
{
	return strncmp(name, "." MEMBER, strlen("." MEMBER)) == 0;
}

static int by_hash(const void *a, const void *b)
{
	return strcmp(((const struct shared_run *)a)->hash, ((const struct shared_run *)b)->hash);
}

static void runs_sort(struct shared_plan *s)
{
	const struct plan *p = s->plan;

	s->sorted = xcalloc(p->n + 1, sizeof(*s->sorted));
	s->state = xcalloc(p->n + 1, sizeof(*s->state));
	for (size_t i = 0; i < p->n; i++)
		if (p->runs[i].state == RUN_TODO && p->runs[i].same_as == i)
			s->sorted[s->nsorted++] = (struct shared_run){ p->runs[i].su.hash, i };
	if (s->nsorted)
		qsort(s->sorted, s->nsorted, sizeof(*s->sorted), by_hash);
}

/* The run that "HASH.h5", or ".HASH.h5.lock", is of; PLAN_NONE: none that is to do. */
static size_t run_of_file(const struct shared_plan *s, const char *name, const char *end)
{
	char hash[64];
	const struct shared_run key = { .hash = hash }, *found;
	const size_t n = strlen(name), skip = *name == '.', tail = strlen(end);

	if (n <= skip + tail || n - skip - tail >= sizeof(hash) || !word_ends(name, end))
		return PLAN_NONE;
	snprintf(hash, sizeof(hash), "%.*s", (int)(n - skip - tail), name + skip);
	found = bsearch(&key, s->sorted, s->nsorted, sizeof(key), by_hash);
	return found ? found->run : PLAN_NONE;
}

static void look_at_file(struct shared_plan *s, const char *name)
{
	const bool hidden = *name == '.';
	const size_t run = run_of_file(s, name, hidden ? ".h5.lock" : ".h5");
	struct lease_owner owner;
	scoped char *path = NULL;

	if (run == PLAN_NONE)
		return;
	if (!hidden) {
		s->state[run] = SHARED_HAS_FILE;
		return;
	}
	path = xasprintf("%s/%s", s->plan->folder, name);
	if (lease_read(path, &owner) && !lease_owner_has_ended(path, &owner, s->watch) &&
	    s->state[run] != SHARED_HAS_FILE)
		s->state[run] = SHARED_ELSEWHERE;
}

/* Another process of the folder: it counts where it has the same plan, and goes if it has ended. */
static void look_at_member(struct shared_plan *s, const char *name)
{
	scoped char *path = xasprintf("%s/%s", s->plan->folder, name);
	struct lease_owner owner;

	if (strcmp(path, s->member_path) == 0 || !lease_read(path, &owner))
		;
	else if (lease_owner_has_ended(path, &owner, s->watch))
		unlink(path);
	else if (lines_read(owner.text + owner.about).plan == s->own.plan)
		s->processes++;
	else
		s->others++;
}

static void folder_look(struct shared_plan *s)
{
	DIR *dir = opendir(s->plan->folder);
	const struct dirent *entry;

	s->processes = 1;
	s->others = 0;
	memset(s->state, 0, s->plan->n * sizeof(*s->state));
	while (dir && (entry = readdir(dir))) {
		if (!is_member(entry->d_name))
			look_at_file(s, entry->d_name);
		else if (word_ends(entry->d_name, ".lock"))
			look_at_member(s, entry->d_name);
	}
	if (dir)
		closedir(dir);
}

/* The lock of this process; one that was suspended for long may have lost it, and takes another. */
static enum lease_answer member_take(struct shared_plan *s)
{
	const struct lease_owner self = lease_self();
	enum lease_answer answer = LEASE_THEIRS;

	/* A container may have processes of the same host name and number. */
	for (int k = 0; k < 16 && answer == LEASE_THEIRS; k++) {
		char *file = xasprintf("%s/" MEMBER "%s.%d", s->plan->folder, self.host, self.pid);

		if (k)
			xappendf(&file, ".", "%d", k);
		free(s->member_path);
		s->member_path = lease_path(file);
		free(file);
		answer = lease_take(&s->member, s->member_path, s->about, s->watch);
	}
	return answer;
}

bool shared_plan_look(struct shared_plan *s)
{
	const double began = clock_s();
	double took;

	if (s->member && !lease_beat(s->member)) {
		lease_forget(s->member);
		s->member = NULL;
		member_take(s);
	}
	if (began < s->next_look)
		return false;
	folder_look(s);
	took = clock_s() - began;
	s->next_look = began + took + (took / look_share > look_s ? took / look_share : look_s);
	return true;
}

void shared_plan_rest(struct shared_plan *s)
{
	if (s->member)
		lease_keep(s->member, EXIT_DIE, lease_lost);
}

void shared_plan_wake(struct shared_plan *s)
{
	if (s->member)
		lease_unkeep(s->member);
}

enum shared_state shared_plan_state_of(const struct shared_plan *s, size_t run)
{
	return s->state[run];
}

size_t shared_plan_processes(const struct shared_plan *s)
{
	return s->processes;
}

bool shared_plan_is_alone(const struct shared_plan *s)
{
	return s->processes == 1 && s->others == 0;
}

void shared_plan_set_elsewhere(struct shared_plan *s, size_t run)
{
	s->state[run] = SHARED_ELSEWHERE;
}

bool shared_plan_waited(const struct shared_plan *s)
{
	return s->waited;
}

/* ---- joined ---- */

enum meeting {                  /* of the other processes in the folder */
	MEET_NONE, MEET_FRIEND, MEET_BUSY, MEET_STRANGER
};

/* error(): what the other process is, and what to do. */
static void stranger_error(const struct shared_plan *s, const struct lease_owner *other)
{
	const struct member_lines *own = &s->own;
	const struct member_lines its = lines_read(other->text + other->about);

	if (strcmp(own->version, its.version) != 0)
		error("%s: another version of convoy is at work there, %s (host %s, process %d); "
		      "this one is %s. Use the same version, wait for its end, or choose another "
		      "folder with --out", s->plan->folder, *its.version ? its.version : "unknown",
		      other->host, other->pid, own->version);
	else
		error("%s: another process (host %s, process %d) is at work there, with other "
		      "settings or another text of the spec: %s (this one: %s). Wait for its end, "
		      "or choose another folder with --out", s->plan->folder, other->host,
		      other->pid, its.spec, own->spec);
}

static enum meeting member_meet(const struct shared_plan *s, const struct lease_owner *other)
{
	const struct lease_owner self = lease_self();
	const struct member_lines *own = &s->own;
	const struct member_lines its = lines_read(other->text + other->about);

	if (strcmp(own->version, its.version) != 0 ||
	    (*s->plan->spec.name && own->plan != its.plan))
		return MEET_STRANGER;
	if (own->plan != its.plan)
		return MEET_NONE;
	if (own->alone || its.alone ||
	    (own->real && its.real && lease_same_machine(&self, other)))
		return MEET_BUSY;
	return MEET_FRIEND;
}

/* The worst of the meetings with all processes that are at work in the folder, and with whom. */
static enum meeting members_meet(struct shared_plan *s, struct lease_owner *worst_of)
{
	DIR *dir = opendir(s->plan->folder);
	const struct dirent *entry;
	enum meeting worst = MEET_NONE;

	while (dir && (entry = readdir(dir))) {
		scoped char *path = xasprintf("%s/%s", s->plan->folder, entry->d_name);
		struct lease_owner other;

		if (is_member(entry->d_name) && word_ends(entry->d_name, ".lock") &&
		    strcmp(path, s->member_path) != 0 && lease_read(path, &other) &&
		    *other.text && !lease_owner_has_ended(path, &other, s->watch)) {
			const enum meeting m = member_meet(s, &other);

			if (m > worst) {
				worst = m;
				*worst_of = other;
			}
		}
	}
	if (dir)
		closedir(dir);
	return worst;
}

static void member_leave(struct shared_plan *s)
{
	lease_release(s->member);
	s->member = NULL;
}

/*
 * Joins, or leaves again and waits, for as long as some other process must be alone. 0; -1 after
 * error(), or after a signal.
 */
static int member_join(struct shared_plan *s)
{
	struct lease_owner other;

	for (int strangers = 0;;) {
		const enum lease_answer answer = member_take(s);
		enum meeting meeting;

		if (answer == LEASE_NONE)
			return temporary_failed(s->member_path, errno);
		meeting = answer == LEASE_OURS ? members_meet(s, &other) : MEET_NONE;
		if (meeting < MEET_BUSY)
			return 0;
		member_leave(s);
		/* Of two that begin at the same moment, both may leave: the other one is gone. */
		if (meeting == MEET_STRANGER && strangers++) {
			stranger_error(s, &other);
			return -1;
		}
		if (meeting == MEET_BUSY && !s->waited) {
			s->waited = true;
			note("another convoy (host %s, process %d) is at work in %s; waiting for "
			     "its end", other.host, other.pid, s->plan->folder);
		}
		/* By its number, a process waits a little longer than others. */
		clock_sleep(wait_s * (1 + (double)(getpid() % 16) / 16));
		if (signal_caught)
			return -1;
	}
}

struct shared_plan *shared_plan_join(const struct plan *p, bool alone)
{
	struct shared_plan *s = xcalloc(1, sizeof(*s));

	*s = (struct shared_plan){ .plan = p, .watch = lease_watch_new(),
				   .about = about_text(p, alone), .processes = 1 };
	s->own = lines_read(s->about);
	runs_sort(s);
	if (lease_check_settings() == 0 && member_join(s) == 0)
		return s;
	shared_plan_leave(s);
	return NULL;
}

/* ---- a run's lock ---- */

enum lease_answer shared_plan_take(struct shared_plan *s, size_t run, struct lease **lease)
{
	scoped char *path = lease_path(s->plan->runs[run].path);
	const bool moved = *lease && lease_move(*lease, path);
	const enum lease_answer answer = moved ? LEASE_OURS :
		lease_take(lease, path, "", s->watch);

	if (answer == LEASE_OURS && lease_was_taken_over(*lease))
		temporary_remove(s->plan->runs[run].path);
	return answer;
}

void shared_plan_clear_dead(struct shared_plan *s, size_t run)
{
	struct lease *lease = NULL;
	scoped char *path = lease_path(s->plan->runs[run].path);

	if (lease_has_ended(path, s->watch) && shared_plan_take(s, run, &lease) == LEASE_OURS)
		lease_release(lease);
}

/* ---- left ---- */

/* Locks, and drafts of locks, of processes that have ended. */
static void locks_clean(struct shared_plan *s)
{
	DIR *dir = opendir(s->plan->folder);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		scoped char *path = xasprintf("%s/%s", s->plan->folder, entry->d_name);
		struct lease_owner owner;

		if (*entry->d_name == '.' &&
		    (word_ends(entry->d_name, ".lock") || strstr(entry->d_name, ".lock.")) &&
		    lease_read(path, &owner) && *owner.text &&
		    lease_owner_has_ended(path, &owner, s->watch))
			unlink(path);
	}
	if (dir)
		closedir(dir);
}

void shared_plan_leave(struct shared_plan *s)
{
	if (!s)
		return;
	if (s->member) {
		member_leave(s);
		folder_look(s);
		if (shared_plan_is_alone(s))  /* the last one puts the folder in order */
			temporary_clean(s->plan->folder);
		locks_clean(s);
	}
	lease_watch_free(s->watch);
	free_all(s->member_path, s->about, s->sorted, s->state, s);
}
