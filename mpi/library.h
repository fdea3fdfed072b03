/* The MPI library's header. */
#ifndef MPI_LIBRARY_H
#define MPI_LIBRARY_H

#include <mpi.h>

/*
 * MPICH and Intel MPI declare statuses as arrays, and MPI_STATUSES_IGNORE as the address 1:
 * gcc takes every call with it for one that writes past an array.
 */
#if defined(MPICH_VERSION) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

#endif
