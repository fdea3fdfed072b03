/* A thread that ends a run after a signal if a handler of a user's algorithm does not return. */
#include "runner/single_run/handler_watch.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/thread.h"
#include "core/engine/engine.h"
#include "runner/launch/launcher.h"
#include "runner/results/folder.h"
#include "runner/signals.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LOOK_MS = 200 };
static const double patience_s = 5.0;

struct handler_watch {
	const struct run *run;
	const struct run_context *context;
	struct recorder *recorder;      /* NULL: of another rank */
	pthread_t thread;
	int ends[2];            /* of a pipe: the thread ends when it can read a byte */
};

/* The event loop waits for the handler, so nothing else changes the recorder. */
static void run_abandon(const struct handler_watch *w)
{
	error("algorithm '%s': a handler has not returned for %g s since the signal. The run "
	      "ends without a checkpoint", w->run->algo->plugin.name, patience_s);
	if (w->recorder && recorder_cut(w->recorder) == 0)
		note(KEPT_TEXT " %s.part", w->context->path);
	if (w->context->lock)
		result_unlock(w->context->lock);
	fflush(NULL);
	_exit(signals_exit_code());
}

static void *handler_watch_main(void *arg)
{
	struct handler_watch *w = arg;
	struct pollfd end = { .fd = w->ends[0], .events = POLLIN };
	unsigned long before = 0;
	double since = 0;

	while (poll(&end, 1, LOOK_MS) == 0) {
		const unsigned long now = atomic_load(&node_handlers);

		if (!signals_caught() || now % 2 == 0 || now != before)
			since = clock_s();
		else if (clock_s() - since >= patience_s)
			run_abandon(w);
		before = now;
	}
	return NULL;
}

struct handler_watch *handler_watch_begin(const struct run *run, const struct run_context *t,
					  struct recorder *r)
{
	struct handler_watch *w;

	if (!run->algo->plugin.code)
		return NULL;
	w = xcalloc(1, sizeof(*w));
	*w = (struct handler_watch){ .run = run, .context = t, .recorder = r };
	if (process_pipe(w->ends) < 0) {
		free(w);
		return NULL;
	}
	if (thread_start(&w->thread, handler_watch_main, w) == 0)
		return w;
	close(w->ends[0]);
	close(w->ends[1]);
	free(w);
	return NULL;
}

void handler_watch_end(struct handler_watch *w)
{
	if (!w)
		return;
	(void)!write(w->ends[1], "", 1);
	pthread_join(w->thread, NULL);
	close(w->ends[0]);
	close(w->ends[1]);
	free(w);
}
