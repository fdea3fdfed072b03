/* Requests expected of a parameter server in script.h. */
#ifndef TESTS_SUPPORT_SERVED_H
#define TESTS_SUPPORT_SERVED_H

#include "tests/support/script.h"

/* Asserts that the next request sends the model (v0, v1) with this clock to a worker. */
void served_model(struct script *s, int to, int64_t stamp, float v0, float v1);

/* Asserts that it sends an empty message: the worker continues with the model that it has. */
void served_again(struct script *s, int to);

/* Asserts that there is no other request. */
void served_nothing(struct script *s);

/*
 * Requests of a worker that computes: works_at() asserts that it begins a gradient at (v0, v1);
 * works_sends() that it sends a gradient with first component g0, computed at the model with that
 * clock.
 */
void works_at(struct script *s, float v0, float v1);
void works_sends(struct script *s, int64_t stamp, float g0);

/* Asserts that run_check() of that algorithm and number of workers fails with exactly `message`. */
void refuses(const char *algo, int workers, const char *message);

#endif
