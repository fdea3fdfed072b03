/* The MPI library's header. */
#ifndef MPI_LIBRARY_H
#define MPI_LIBRARY_H

#include <mpi.h>

/*
 * MPICH and Intel MPI declare statuses as arrays, and MPI_STATUSES_IGNORE as the address 1: gcc
 * warns of every call with it as a write past an array's end.
 */
#if defined(MPICH_VERSION) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

#endif
