/*
 * process.h - child processes: starting, reading under limits, signalling, waiting.
 *
 * The only file that calls fork(), exec and waitpid() (tests/layers checks it). Nothing here
 * prints: callers know what the child was for.
 */
#ifndef CORE_BASE_PROCESS_H
#define CORE_BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct process {
	pid_t pid;              /* 0: none, or it has been waited for */
	int fd;                 /* this process's end of the pipe; -1: none */
	bool group;             /* the child leads a process group */
};

/* Target of a child's stream; a positive number is a file descriptor. */
enum { PROCESS_KEEP = 0, PROCESS_NULL = -1, PROCESS_PIPE = -2 };

/* Ways to start a child. Zero is the default of every field. */
struct process_way {
	/*
	 * Runs in the child before the program; if there is no program, its result is the exit
	 * code.
	 */
	int (*run)(void *arg, int fd);  /* fd: the child's end of the pipe, or -1 */
	void *arg;
	char *const *words;     /* [NULL-ended] program, looked up in PATH, and its arguments */
	const char *dir;        /* to work in; NULL: here */
	int in, out, err;       /* its streams; PROCESS_PIPE: into the pipe, out and err only */
	int pass[2];            /* descriptors that the program has as 3 and 4, and no further ones;
				 * both 0: it has those that are not closed on exec */
	int end_signal;         /* sent to it when the thread that started it ends; 0: none */
	bool group;             /* leads a process group: a terminal's Ctrl-C does not reach it */
	bool listens;           /* the child reads from the pipe, and this process writes */
	bool nonblock;          /* this process's end of the pipe never blocks */
};

/*
 * Starts a child; with a pipe, except for a program without PROCESS_PIPE. Returns 0, or -1 with
 * errno: ENOENT if there is no such program or folder, EMFILE if no descriptors are left for the
 * pipes or the child's streams.
 */
int process_start(struct process *p, const struct process_way *way);

/*
 * True when the child has ended; *status is then as of waitpid(), or -1 if the system does not
 * tell. Returns at once. The pipe stays open.
 */
bool process_ended(struct process *p, int *status);

/* Waits for the end, closes the pipe and returns the status: as of waitpid(), or -1. */
int process_wait(struct process *p);

/* Sends the child a signal, if it has not been waited for. */
void process_signal(const struct process *p, int sig);

/* True when the status means exit code 0. */
bool process_succeeded(int status);

/* The exit code of a child of this status; -1: it was killed. */
int process_exit_code(int status);

/* The signal that killed the child of this status; 0: none. */
int process_signal_of(int status);

/* "killed by signal 9 (Killed)" or "ended with exit code 3". */
void process_ending(int status, char text[96]);

struct process_limits {
	double seconds;                 /* 0: none */
	size_t bytes;                   /* most bytes that the child may write; 0: no limit */
	bool (*tick)(void *arg);        /* called every 0.2 s: true stops the child; or NULL */
	void *arg;
};

enum process_end {
	PROCESS_ENDED,                  /* by itself, whatever its status */
	PROCESS_LATE, PROCESS_LONG, PROCESS_STOPPED     /* killed: by seconds, bytes, tick() */
};

struct process_answer {
	enum process_end end;
	int status;                     /* as of waitpid(), or -1 */
	char *text;                     /* [n] what came through the pipe, and a 0; to be freed */
	size_t n;
};

/*
 * Reads all that the child writes into its pipe, and waits for its end. A child beyond a limit is
 * killed, and so is its process group where it leads one. The pipe is closed.
 */
struct process_answer process_collect(struct process *p, const struct process_limits *limits);

/*
 * process_guard(): kills a child's process group at the end of this process, however that ends,
 * unless process_unguard() was called before. A further process does so, if it is alive then.
 */
void process_guard(pid_t group);
void process_unguard(pid_t group);

/* Writes all n bytes, also where signals interrupt; 0, or -1 with errno. */
int process_write(int fd, const void *bytes, size_t n);

/* Closes all descriptors from this number on. */
void process_close_from(int first);

/* A pipe that programs started later do not inherit; 0, or -1 with errno. */
int process_pipe(int ends[2]);

/*
 * process_adopt_orphans(): orphaned descendants become children of this process.
 * process_reap_orphans(): waits for those that have ended; true while any child is left.
 */
void process_adopt_orphans(void);
bool process_reap_orphans(void);

/*
 * True when process `pid` of this program, on machine `host`, has ended. False for another machine,
 * whose processes cannot be seen from here.
 */
bool process_gone(const char *host, pid_t pid);

/* Path of this program's file; NULL: it is not known. The caller frees. */
char *process_program(void);

/* Starts this program again with argv and the present environment. Returns if that fails. */
void process_again(char **argv);

/* The start of a process, in ticks since the boot; 0: it has ended, or the system does not say. */
uint64_t process_start_ticks(pid_t pid);

#endif
