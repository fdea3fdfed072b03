/* crash.c - names the files of users whose code runs, when a signal such as SIGSEGV ends it. */
#define _XOPEN_SOURCE 700         /* sigaltstack() */
#include "algos/own/own.h"

#include "core/base/env.h"
#include "core/base/mem.h"
#include "core/text/utf8.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Not SIGBUS, which says that a disk or shared memory is full. */
static const int deadly[] = { SIGSEGV, SIGFPE, SIGILL };
enum { DEADLY = sizeof(deadly) / sizeof(deadly[0]) };

static char *files;                     /* "./a.c or ./b.c" */
static char *last_words[DEADLY];        /* written before there is a crash */
static struct sigaction before[DEADLY];
static char stack[1 << 16];             /* for a handler after a recursion without end */

static void crash_tell(int sig, siginfo_t *info, void *context)
{
	int i = 0;

	(void)context;
	while (deadly[i] != sig)
		i++;
	(void)!write(STDERR_FILENO, last_words[i], strlen(last_words[i]));
	sigaction(sig, &before[i], NULL);
	if (info->si_code <= 0)         /* another process sent it: returning does not repeat it */
		raise(sig);
}

static void crash_catch(void)
{
	struct sigaction tell = { .sa_sigaction = crash_tell, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	stack_t now;

	/* A sanitizer has a stack of its own. */
	if (sigaltstack(NULL, &now) == 0 && (now.ss_flags & SS_DISABLE))
		sigaltstack(&(stack_t){ .ss_sp = stack, .ss_size = sizeof(stack) }, NULL);
	sigemptyset(&tell.sa_mask);
	for (int i = 0; i < DEADLY; i++)
		sigaction(deadly[i], &tell, &before[i]);
}

void own_crash_expect(const char *path)
{
	const bool first = !files;

	if (first)
		files = xstrdup(path);
	else
		xappend(&files, " or ", path);
	utf8_make_printable(files);
	for (int i = 0; i < DEADLY; i++) {
		free(last_words[i]);
		last_words[i] = xasprintf("%sconvoy: error: killed by signal %d (%s). Likely a "
					  "defect in %s, whose code this process runs\n",
					  terminal_moves(stderr) ? "\r\033[K" : "", deadly[i],
					  strsignal(deadly[i]), files);
	}
	if (first)
		crash_catch();
}

const char *own_crash_suspects(void)
{
	return files;
}
