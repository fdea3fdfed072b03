/* The orthonormal DCT-II of a square of floats, by its matrix B:  B a B^T. */
#ifndef ALGOS_COMMON_DCT_H
#define ALGOS_COMMON_DCT_H

#include <stddef.h>

/* Floats of a basis for squares of side x side. */
size_t dct_floats(size_t side);

/* basis[dct_floats] <- B and its transpose. */
void dct_basis(size_t side, float *basis);

/* a[side side] <- B a B^T, and back: B^T a B. half[side side] is scratch. */
void dct_forward(size_t side, const float *basis, float *a, float *half);
void dct_back(size_t side, const float *basis, float *a, float *half);

#endif
