/* A product of matrices for tests of kernels. */
#include "tests/support/rig.h"

#include "core/base/mem.h"
#include "tests/support/check.h"

#include <stdlib.h>

static float *numbers(size_t n, bool fine, uint64_t seed)
{
	float *v = vec_new(n);

	for (size_t i = 0; i < n; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		v[i] = fine ? (float)(seed >> 40) / 8388608.0f - 1.0f
			    : (float)(seed >> 60) - 8.0f;
	}
	return v;
}

void rig_open(struct rig *r, struct rig_shape s, bool fine, size_t work)
{
	const size_t lda = (s.ta ? s.m : s.k) + 3, ldb = (s.tb ? s.k : s.n) + 5, ldc = s.n + 7;

	*r = (struct rig){ .a = numbers((s.ta ? s.k : s.m) * lda, fine, 1),
			   .b = numbers((s.tb ? s.n : s.k) * ldb, fine, 2),
			   .c = numbers(s.m * ldc, fine, 3),
			   .before = numbers(s.m * ldc, fine, 3), .work = xlines(work, 1) };
	r->p = (struct ob_product){ .ta = s.ta, .tb = s.tb, .m = s.m, .n = s.n, .k = s.k,
				    .a = r->a, .lda = lda, .b = r->b, .ldb = ldb,
				    .beta = s.beta, .c = r->c, .ldc = ldc };
}

void rig_close(struct rig *r)
{
	free(r->a);
	free(r->b);
	free(r->c);
	free(r->before);
	free(r->work);
}

void rig_divide(struct rig *r, void (*compute)(const struct ob_product *p, float *work))
{
	for (size_t i = 0; i < r->p.m; i += 13)
		for (size_t j = 0; j < r->p.n; j += 29)
			for (size_t k = 0; k < r->p.k; k += 170) {
				struct ob_product p = r->p;

				p.m = i + 13 < p.m ? 13 : p.m - i;
				p.n = j + 29 < p.n ? 29 : p.n - j;
				p.k = k + 170 < p.k ? 170 : p.k - k;
				p.a += k * p.lda + i;
				p.b += k * p.ldb + j;
				p.c += i * p.ldc + j;
				p.beta = k ? 1.0f : 0.0f;
				compute(&p, r->work);
			}
}
