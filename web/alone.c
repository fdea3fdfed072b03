/* A pool without threads, and what the simulator asks of a machine that a page does not have. */
#include "web/alone.h"

#include "core/base/error.h"
#include "core/base/hold.h"
#include "core/base/mem.h"
#include "core/file/temporary.h"
#include "core/math/matrix.h"
#include "record/environ.h"
#include "record/recorder.h"

#include <errno.h>
#include <stdlib.h>

struct alone {
	struct pool pool;
	void *scratch;
};

static void alone_submit(struct pool *p, struct job *j)
{
	(void)p;
	j->state = 1;
}

static void alone_wait(struct pool *p, struct job *j)
{
	job_run(p->problem, &p->sampler, ((struct alone *)p)->scratch, j);
	j->state = 0;
}

static bool alone_wait_for(struct pool *p, struct job *j, double seconds)
{
	(void)seconds;
	alone_wait(p, j);
	return true;
}

static bool alone_withdraw(struct pool *p, struct job *j)
{
	(void)p;
	j->state = 0;
	return true;
}

static void alone_free(struct pool *p)
{
	struct alone *a = (struct alone *)p;

	p->problem->ops->scratch_free(p->problem, a->scratch);
	shuffles_free(p->sampler.shuffles);
	free(a);
}

static const struct pool_ops alone_ops = {
	.submit = alone_submit, .wait = alone_wait, .wait_for = alone_wait_for,
	.withdraw = alone_withdraw, .free = alone_free,
};

struct pool *pool_alone(const struct problem *problem, const struct sampler *sampler)
{
	struct alone *a = xcalloc(1, sizeof(*a));
	const size_t most = sampler->size > EVAL_BATCH ? sampler->size : EVAL_BATCH;

	a->pool = (struct pool){ .ops = &alone_ops, .problem = problem, .sampler = *sampler,
				 .width = 1 };
	a->pool.sampler.shuffles = shuffles_open(sampler);
	a->scratch = problem->ops->scratch_new(problem, most, NULL);
	return &a->pool;
}

/* ---- memory of a run, which is saved nowhere, and products of small matrices ---- */

void hold_open(struct hold *h, uint64_t first)
{
	(void)first;
	*h = (struct hold){ 0 };
}

/* Memory goes when the instance does. */
void hold_close(struct hold *h)
{
	*h = (struct hold){ 0 };
}

void *hold_alloc(struct hold *h, size_t n, size_t size)
{
	h->used += n * size;
	return xlines(n, size);
}

void hold_grow(struct hold *h, size_t used)
{
	h->used = used;
}

void matrix_product(bool ta, bool tb, size_t m, size_t n, size_t k, float alpha, const float *a,
		    size_t lda, const float *b, size_t ldb, float beta, float *c, size_t ldc)
{
	for (size_t i = 0; i < m; i++)
		for (size_t j = 0; j < n; j++) {
			float sum = 0.0f;

			for (size_t l = 0; l < k; l++)
				sum += (ta ? a[l * lda + i] : a[i * lda + l]) *
				       (tb ? b[j * ldb + l] : b[l * ldb + j]);
			c[i * ldc + j] = alpha * sum + (beta < 0.0f || beta > 0.0f ?
							beta * c[i * ldc + j] : 0.0f);
		}
}

void matrix_transpose(size_t rows, size_t columns, const float *restrict from,
		      float *restrict to)
{
	for (size_t i = 0; i < rows; i++)
		for (size_t j = 0; j < columns; j++)
			to[j * rows + i] = from[i * columns + j];
}

/* ---- files, which a page does not write: results and checkpoints ---- */

int temporary_create(const char *path, const char *ending, char **name)
{
	(void)path, (void)ending;
	*name = NULL;
	errno = EROFS;
	return -1;
}

int temporary_finish(FILE *f, const char *part, const char *path)
{
	(void)f, (void)part, (void)path;
	errno = EROFS;
	return -1;
}

int temporary_failed(const char *path, int why)
{
	(void)why;
	return error("cannot write '%s': a page writes no files", path);
}

int record_save(const struct recorder *r, const char *path, const struct run_result *result,
		const char *status)
{
	(void)r, (void)path, (void)result, (void)status;
	return 0;
}

int result_interrupt(const char *path)
{
	(void)path;
	return 0;
}

char *environ_command(void)
{
	return xstrdup("");
}

void environ_clock(char out[32])
{
	out[0] = '\0';
}
