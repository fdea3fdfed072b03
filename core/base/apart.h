/*
 * apart.h - functions that are not compiled into their callers.
 *
 * A quick function that calls a slow one in some cases would, with that in line, save registers
 * in every case.
 */
#ifndef CORE_BASE_APART_H
#define CORE_BASE_APART_H

#define APART __attribute__((noinline))
#define RARE __attribute__((noinline, cold))    /* in most runs it is not called at all */

#endif
