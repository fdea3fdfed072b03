#include "cmd/signals.h"

#include "core/error.h"

#include <stddef.h>

volatile sig_atomic_t signal_caught;
volatile sig_atomic_t signal_count;
static volatile sig_atomic_t endures;

static void handle(int sig)
{
	signal_caught = sig;
	signal_count++;
	if (signal_count >= 2 && !endures) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
}

void signals_catch(void)
{
	struct sigaction sa = { .sa_handler = handle };

	sigemptyset(&sa.sa_mask);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
}

void signals_endure(void)
{
	endures = 1;
}

int signals_exit_code(void)
{
	return signal_caught == SIGTERM ? EXIT_SIGTERM : EXIT_SIGINT;
}
