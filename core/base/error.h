/*
 * error.h - how convoy fails.
 *
 * Three functions, as in git: error() for bad input and failed system calls, die() when memory is
 * exhausted, BUG() for a mistake in convoy itself. Library code calls error() and returns its -1
 * (or NULL); only cmd/ decides to exit. A job that fails on a compute thread marks its problem
 * (pool_failed()), and a rank for which others wait leaves them (real_leave()): then the engine
 * returns -1, and the program ends with EXIT_DIE, on all ranks. BUG() may be called anywhere, as no
 * caller could handle an impossible state. All three go through one replaceable routine, so that
 * tests can capture messages and mpi/ can abort every rank.
 */
#ifndef CORE_BASE_ERROR_H
#define CORE_BASE_ERROR_H

#include <stdarg.h>

/* Exit codes of the program. */
enum {
	EXIT_OK = 0,
	EXIT_BAD = 1,           /* a run failed, or an input is wrong */
	EXIT_DIE = 128,         /* the machine failed: memory, disk */
	EXIT_USAGE = 129,       /* the command line is wrong */
	EXIT_SIGINT = 130,      /* Ctrl-C; whole files were left */
	EXIT_SIGUSR1 = 138,     /* SIGUSR1, as batch systems warn of a time limit; the same */
	EXIT_SIGTERM = 143      /* SIGTERM; the same */
};

/* Most bytes of a message that are shown, and of its line. */
enum { ERROR_TEXT = 4096, ERROR_LINE = ERROR_TEXT + 64 };

enum severity { SEV_NOTE, SEV_WARNING, SEV_ERROR, SEV_DIE, SEV_BUG };

/* A routine that shows one message. Must not return from SEV_DIE or SEV_BUG. */
typedef void (*error_routine)(enum severity sev, const char *fmt, va_list ap);

/* Replaces the routine (NULL: the default, one line on stderr); returns the old one. */
error_routine error_set_routine(error_routine routine);

/* Replaces it for the messages of this thread alone; NULL: the process's again. */
void error_set_thread_routine(error_routine routine);

/* Shows a message by the process's routine: for those that a thread's own one does not take. */
void error_pass_on(enum severity sev, const char *fmt, va_list ap);

/*
 * The line that shows a message: "convoy: error: ", `where` ("rank 1: ", or ""), and the text,
 * without line breaks and characters that control a terminal.
 */
void error_line(char line[ERROR_LINE], enum severity sev, const char *where, const char *fmt,
		va_list ap);

/*
 * Prints "convoy: error: ..." and returns -1, so that `return error(...)` is the idiom. The linker
 * knows it by another name, because glibc's error() is another function, which libraries call.
 */
int error(const char *fmt, ...) __asm__("convoy_error") __attribute__((format(printf, 1, 2)));

/* Prints "convoy: warning: ..."; the run goes on. */
void warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints "convoy: ..." on stderr: something worth knowing. */
void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* note(text), then free(text); nothing if it is NULL. */
void note_own(char *text);

/* note() and free() for each text of a NULL-ended list. */
void notes_own(char **texts);

/* Prints the message and exits with EXIT_DIE: the process cannot continue (see above). */
_Noreturn void die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints the message and aborts: a mistake in convoy. */
_Noreturn void bug(const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
#define BUG(...) bug(__FILE__, __LINE__, __VA_ARGS__)

#endif
