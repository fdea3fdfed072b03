/* What a parameter server, played by hand, sends. */
#ifndef TESTS_SUPPORT_SERVED_H
#define TESTS_SUPPORT_SERVED_H

#include "tests/support/script.h"

/* The next thing that it asks for is that its model (v0, v1) with this clock goes to a worker. */
void served_model(struct script *s, int to, int64_t stamp, float v0, float v1);

/* ... an empty message: the worker goes on with the model that it has. */
void served_again(struct script *s, int to);

/* It asks for no more. */
void served_nothing(struct script *s);

/*
 * The asks of one that computes: it begins a gradient at (v0, v1); it sends one, computed at the
 * model of that clock, with first component g0.
 */
void works_at(struct script *s, float v0, float v1);
void works_sends(struct script *s, int64_t stamp, float g0);

/* run_check() of an algorithm with so many workers fails, with exactly this message. */
void refuses(const char *algo, int workers, const char *message);

#endif
