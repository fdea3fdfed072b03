/*
 * apart.h - functions that are not compiled into their callers, and functions that always are.
 *
 * A fast function that calls a slow one in rare cases would, if the slow one were inlined, save
 * registers in every case. A wrapper that is always inlined lets the compiler use constant
 * arguments.
 */
#ifndef CORE_BASE_APART_H
#define CORE_BASE_APART_H

#define APART __attribute__((noinline))
#define WITHIN inline __attribute__((always_inline))
#define RARE __attribute__((noinline, cold))    /* in most runs it is not called at all */

#endif
