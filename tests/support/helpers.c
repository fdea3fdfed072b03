/* Starts and joins threads that help with a team's tasks. */
#include "tests/support/helpers.h"

#include "tests/support/check.h"

static void *help(void *arg)
{
	struct helpers *h = arg;

	pthread_mutex_lock(&h->group.lock);
	while (!h->closing) {
		if (thread_group_help(&h->group))
			continue;
		h->group.idle++;
		pthread_cond_wait(&h->group.wake, &h->group.lock);
		h->group.idle--;
	}
	pthread_mutex_unlock(&h->group.lock);
	return NULL;
}

void helpers_start(struct helpers *h, int n)
{
	*h = (struct helpers){ .n = n };
	thread_group_init(&h->group, n + 1);
	team_init(&h->team, &h->group);
	for (int i = 0; i < n; i++)
		assert_int_equal(pthread_create(&h->id[i], NULL, help, h), 0);
}

void helpers_stop(struct helpers *h)
{
	pthread_mutex_lock(&h->group.lock);
	h->closing = true;
	pthread_cond_broadcast(&h->group.wake);
	pthread_mutex_unlock(&h->group.lock);
	for (int i = 0; i < h->n; i++)
		pthread_join(h->id[i], NULL);
	team_release(&h->team);
	thread_group_release(&h->group);
}
