/* Signal handlers: the first signal asks runs to save, the second ends the process. */
#define _XOPEN_SOURCE 700       /* sigaltstack() */
#include "runner/signals.h"

#include "core/base/env.h"
#include "core/base/error.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

volatile sig_atomic_t signal_caught;
volatile sig_atomic_t signal_count;
static pid_t parent;
static volatile sig_atomic_t patience;  /* seconds for an orderly end without it */
static volatile sig_atomic_t endures, deadly = 2;       /* so many signals kill */

/* After what clears a progress line, where there may be one. */
#define STOPPING "convoy: stopping: saving the run; press Ctrl-C again to kill it\n"
static const char stopping[] = STOPPING, stopping_on_terminal[] = "\r\033[K" STOPPING;
static const char *volatile announced;  /* at the first signal; NULL: nothing is */

static void signals_handle(int sig)
{
	const char *text = announced;
	const int before = errno;

	signal_caught = sig;
	signal_count++;
	if (signal_count == 1 && text)
		(void)!write(STDERR_FILENO, text, strlen(text));
	errno = before;
	if (signal_count >= deadly && !endures) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
}

bool signals_caught(void)
{
	return signal_caught != 0;
}

void signals_catch_too(int sig)
{
	struct sigaction sa = { .sa_handler = signals_handle, .sa_flags = SA_ONSTACK };

	sigemptyset(&sa.sa_mask);
	sigaction(sig, &sa, NULL);
}

static bool hangup_ignored;             /* when the program was started, as by nohup */

static void look_at_hangup(void)
{
	struct sigaction now;

	hangup_ignored = sigaction(SIGHUP, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

/* Before libraries begin: one that MPICH loads sets a handler of its own. */
__attribute__((section(".preinit_array"), used)) static void (*const look_first)(void) =
	look_at_hangup;

/* Handlers get a stack of their own: see thread_start() for what they would do to that of a net. */
static void handlers_move(void)
{
	static char memory[64 * 1024];
	const stack_t own = { .ss_sp = memory, .ss_size = sizeof(memory) };
	stack_t now;

	if (sigaltstack(NULL, &now) == 0 && now.ss_flags == SS_DISABLE)
		sigaltstack(&own, NULL);
}

void signals_catch(void)
{
	handlers_move();
	signals_catch_too(SIGINT);
	signals_catch_too(SIGTERM);
	if (hangup_ignored)
		signal(SIGHUP, SIG_IGN);
	else
		signals_catch_too(SIGHUP);
	signals_catch_too(SIGUSR1);
	signal(SIGXFSZ, SIG_IGN);       /* a write beyond 'ulimit -f' fails with an error */
}

void signals_at_once(bool at_once)
{
	deadly = at_once ? 1 : 2;
}

void signals_announce(bool on)
{
	announced = !on ? NULL : terminal_moves(stderr) ? stopping_on_terminal : stopping;
}

void signals_endure(void)
{
	endures = 1;
}

/* The kernel reports the end of the thread that started us, too: the parent may be alive. */
static void handle_parent(int sig)
{
	(void)sig;
	if (getppid() == parent)
		return;
	alarm((unsigned)patience);
	signal_caught = SIGTERM;
	signal_count++;
}

void signals_end_with_parent(unsigned patience_s)
{
	struct sigaction sa = { .sa_handler = handle_parent, .sa_flags = SA_ONSTACK };

	patience = (sig_atomic_t)patience_s;
	parent = getppid();
	sigemptyset(&sa.sa_mask);
	sigaction(SIGUSR2, &sa, NULL);
	prctl(PR_SET_PDEATHSIG, SIGUSR2);
}

int signals_exit_code(void)
{
	if (signal_caught == SIGTERM || signal_caught == SIGHUP)
		return EXIT_SIGTERM;
	return signal_caught == SIGUSR1 ? EXIT_SIGUSR1 : EXIT_SIGINT;
}

bool signals_ended(int code)
{
	return code == EXIT_SIGINT || code == EXIT_SIGUSR1 || code == EXIT_SIGTERM;
}
