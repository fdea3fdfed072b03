/* How fast a graph mixes: the eigenvalues of its matrix, by LAPACK. */
#include "core/graph.h"

#include "core/base/error.h"
#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>

/* LAPACK's, which OpenBLAS brings along: Fortran, so everything by reference, columns first. */
void dsyev_(const char *job, const char *uplo, const int *n, double *a, const int *lda,
	    double *w, double *work, const int *lwork, int *info);
void dgeev_(const char *left, const char *right, const int *n, double *a, const int *lda,
	    double *re, double *im, double *vl, const int *ldvl, double *vr, const int *ldvr,
	    double *work, const int *lwork, int *info);

/* W, by columns. The caller frees. */
static double *graph_spectrum_matrix(const struct topology *t)
{
	const size_t n = (size_t)t->n;
	double *a = xcalloc(n * n, sizeof(*a));

	for (size_t i = 0; i < n; i++) {
		const struct ranks in = topology_in(t, (int)i);

		a[i * n + i] = topology_weight(t, (int)i, (int)i);
		for (int k = 0; k < in.n; k++)
			a[(size_t)in.rank[k] * n + i] = topology_weight(t, (int)i, in.rank[k]);
	}
	return a;
}

static int graph_spectrum_eigenvalues(const struct topology *t, double *a, double *re, double *im)
{
	const int n = t->n, one = 1, lwork = 8 * n;
	double *work = xcalloc((size_t)lwork, sizeof(*work));
	int info;

	if (t->directed)
		dgeev_("N", "N", &n, a, &n, re, im, NULL, &one, NULL, &one, work, &lwork, &info);
	else
		dsyev_("N", "U", &n, a, &n, re, work, &lwork, &info);
	free(work);
	return info;
}

/* The second largest of n >= 2 moduli. */
static double graph_spectrum_second(int n, const double *re, const double *im)
{
	double first = 0.0, next = 0.0;

	for (int i = 0; i < n; i++) {
		const double modulus = hypot(re[i], im[i]);

		next = fmax(next, fmin(first, modulus));
		first = fmax(first, modulus);
	}
	return next;
}

double topology_second(const struct topology *t)
{
	double *a, *re, *im, found;

	if (t->n > SPECTRUM_MAX)
		return (double)NAN;
	if (t->n == 1)
		return 0.0;
	a = graph_spectrum_matrix(t);
	re = xcalloc((size_t)t->n, sizeof(*re));
	im = xcalloc((size_t)t->n, sizeof(*im));
	if (graph_spectrum_eigenvalues(t, a, re, im)) {
		warning("LAPACK finds no eigenvalues of graph %s of %d workers", t->name, t->n);
		found = (double)NAN;
	} else {
		found = graph_spectrum_second(t->n, re, im);
	}
	free(a);
	free(re);
	free(im);
	return found;
}
