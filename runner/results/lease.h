/*
 * lease.h - locks that processes of several machines take on the files of a folder.
 *
 * A lock is a small text file that names its owner: host, process, start of the process. The owner
 * changes it from time to time (the heartbeat). Any process may take over the lock of an owner that
 * has ended: one of the same machine whose process is gone, or any whose lock file has not changed
 * for as long as it says. That time is measured on the observer's clock between its own looks, so
 * clocks of machines are never compared.
 *
 * The owner is the process whose file is at the lock's path. One that was suspended for too long
 * finds another file there: it must end without writing. lease_keep() sees to that.
 *
 * Only link(2), rename(2) and O_EXCL are used, which NFS does atomically: no flock, no fcntl locks.
 */
#ifndef RUNNER_RESULTS_LEASE_H
#define RUNNER_RESULTS_LEASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LEASE_TEXT = 2048 };     /* bytes of a lock file at most */

struct lease;                   /* a lock that this process holds */
struct lease_watch;             /* locks of others, as this process has seen them so far */

struct lease_owner {            /* content of a lock file */
	char text[LEASE_TEXT];  /* all but the heartbeat; it differs between any two locks */
	unsigned beat;          /* heartbeats so far */
	int64_t written;        /* time of the file's last change, in ns of the file system */
	double limit_s;         /* after so long without a heartbeat the owner counts as ended */
	char host[72];
	char machine[96];       /* boot and pid name space; "": unknown */
	int pid;
	uint64_t start;         /* of the process, in ticks since the boot */
	size_t about;           /* offset in `text` of the caller's lines */
};

enum lease_answer {
	LEASE_OURS,             /* taken */
	LEASE_THEIRS,           /* another process holds it */
	LEASE_NONE              /* no lock can be made there; errno says why */
};

/* "FOLDER/.NAME.lock" of "FOLDER/NAME"; the caller frees. */
char *lease_path(const char *file);

struct lease_watch *lease_watch_new(void);
void lease_watch_free(struct lease_watch *w);

/*
 * Takes the lock at `path`, without waiting; it is new, or taken over from an owner that has ended
 * as far as `w` has seen. Lines `about` are added to it ("": none). On LEASE_OURS the caller owns
 * *lease, until lease_release().
 */
enum lease_answer lease_take(struct lease **lease, const char *path, const char *about,
			     struct lease_watch *w);

/*
 * The lock is no more that of its file, but the one at `path`, unless there is one: its file gets
 * another name, which takes less than a new file. It is kept if it was. False: it is released and
 * freed.
 */
bool lease_move(struct lease *l, const char *path);

/* True when the lock was taken over from an owner that has ended. */
bool lease_was_taken_over(const struct lease *l);

/* A heartbeat, if one is due. False: another process has taken the lock. */
bool lease_beat(struct lease *l);

/*
 * From now on a thread gives the heartbeats, until lease_unkeep(). Where another process has taken
 * the lock, an error() with its path and the text `lost` is printed, unless that is NULL, and this
 * process ends at once with that exit code, at the latest before it renames a temporary file.
 */
void lease_keep(struct lease *l, int code, const char *lost);

/* Ends that thread; the lock stays. */
void lease_unkeep(struct lease *l);

/* A text `lost`: what has happened, and what to do. */
extern const char lease_lost[];

/* Ends this process as lease_keep() does, if another one has taken a lock that it keeps. */
void lease_check_kept(void);

/* Removes the lock, unless another process has taken it, and frees it. NULL: nothing. */
void lease_release(struct lease *l);

/* In a child process: a lock of the parent is not the child's. Frees, and leaves the file. */
void lease_forget(struct lease *l);

/*
 * Has this process end as lease_keep() does, where the lock that its parent holds in the file at
 * `path` is no more the one whose lease_key() is `key`.
 */
void lease_keep_parents(const char *path, const char *key, int code, const char *lost);

/* True when this process keeps the lock of the file at that path (lease_path()), or its parent. */
bool lease_held(const char *file);

/* Text that names this very lock to other processes, without spaces; borrowed. */
const char *lease_key(const struct lease *l);

/* Reads a lock file; false: there is none, with errno. One that is no lock has an empty text. */
bool lease_read(const char *path, struct lease_owner *owner);

/*
 * Looks at the lock and remembers it in `w`: true when its owner has ended. To be called again and
 * again while one waits. False where there is no lock.
 */
bool lease_has_ended(const char *path, struct lease_watch *w);

/* The same of a lock that lease_read() has just read. */
bool lease_owner_has_ended(const char *path, const struct lease_owner *o, struct lease_watch *w);

/* 0, or error(): $CONVOY_HEARTBEAT, the seconds of silence, is no number. */
int lease_check_settings(void);

/* True when both locks are of processes of one machine. */
bool lease_same_machine(const struct lease_owner *a, const struct lease_owner *b);

/* The owner that a new lock of this process would have; about is "". */
struct lease_owner lease_self(void);

#endif
