/* A pool without threads: a job is computed when it is waited for. */
#ifndef WEB_ALONE_H
#define WEB_ALONE_H

#include "core/pool/pool.h"

/* Both are borrowed. The caller frees with pool_free(). */
struct pool *pool_alone(const struct problem *problem, const struct sampler *sampler);

#endif
