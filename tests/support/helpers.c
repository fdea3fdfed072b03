/* Starts and joins threads that help with a team's tasks. */
#include "tests/support/helpers.h"

#include "tests/support/check.h"

static void *help(void *arg)
{
	struct helpers *h = arg;

	pthread_mutex_lock(&h->crew.lock);
	while (!h->closing) {
		if (crew_help(&h->crew))
			continue;
		h->crew.idle++;
		pthread_cond_wait(&h->crew.wake, &h->crew.lock);
		h->crew.idle--;
	}
	pthread_mutex_unlock(&h->crew.lock);
	return NULL;
}

void helpers_start(struct helpers *h, int n)
{
	*h = (struct helpers){ .n = n };
	crew_init(&h->crew, n + 1);
	team_init(&h->team, &h->crew);
	for (int i = 0; i < n; i++)
		assert_int_equal(pthread_create(&h->id[i], NULL, help, h), 0);
}

void helpers_stop(struct helpers *h)
{
	pthread_mutex_lock(&h->crew.lock);
	h->closing = true;
	pthread_cond_broadcast(&h->crew.wake);
	pthread_mutex_unlock(&h->crew.lock);
	for (int i = 0; i < h->n; i++)
		pthread_join(h->id[i], NULL);
	team_release(&h->team);
	crew_release(&h->crew);
}
