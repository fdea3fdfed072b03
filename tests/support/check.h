/*
 * check.h - cmocka with what it wants included first.
 */
#ifndef TESTS_SUPPORT_CHECK_H
#define TESTS_SUPPORT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* |a - b| <= tolerance, both doubles. */
#define assert_near(a, b, tolerance) \
	assert_true(((a) - (b)) <= (tolerance) && ((b) - (a)) <= (tolerance))

#endif
