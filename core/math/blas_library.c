/* Loads OpenBLAS. */
#define BLAS_UNCHANGED
#include "core/math/blas_library.h"

#ifdef CONVOY_LOADS_OPENBLAS

#include "core/base/library.h"

LIBRARY(blas, "OpenBLAS", CONVOY_LOADS_OPENBLAS, BLAS_FUNCTIONS)

#endif
