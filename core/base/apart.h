/*
 * apart.h - functions that are not compiled into their callers, and functions that always are.
 *
 * A quick function that calls a slow one in some cases would, with that in line, save registers
 * in every case. A wrapper that is in line knows what it wraps.
 */
#ifndef CORE_BASE_APART_H
#define CORE_BASE_APART_H

#define APART __attribute__((noinline))
#define WITHIN inline __attribute__((always_inline))
#define RARE __attribute__((noinline, cold))    /* in most runs it is not called at all */

#endif
