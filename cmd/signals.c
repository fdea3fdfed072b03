#include "cmd/signals.h"

#include "core/error.h"

#include <stddef.h>

volatile sig_atomic_t signal_caught;
volatile sig_atomic_t signal_count;
static volatile sig_atomic_t endures, deadly = 2;       /* so many signals kill */

static void handle(int sig)
{
	signal_caught = sig;
	signal_count++;
	if (signal_count >= deadly && !endures) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
}

void signals_catch_too(int sig)
{
	struct sigaction sa = { .sa_handler = handle };

	sigemptyset(&sa.sa_mask);
	sigaction(sig, &sa, NULL);
}

void signals_catch(void)
{
	signals_catch_too(SIGINT);
	signals_catch_too(SIGTERM);
	signals_catch_too(SIGUSR1);
}

void signals_at_once(bool at_once)
{
	deadly = at_once ? 1 : 2;
}

void signals_endure(void)
{
	endures = 1;
}

int signals_exit_code(void)
{
	if (signal_caught == SIGTERM)
		return EXIT_SIGTERM;
	return signal_caught == SIGUSR1 ? EXIT_SIGUSR1 : EXIT_SIGINT;
}
