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

static inline int check_is_near(double a, double b, double tolerance)
{
	return a - b <= tolerance && b - a <= tolerance;
}

/* |a - b| <= tolerance, doubles; each is evaluated once. NaN is near nothing. */
#define assert_near(a, b, tolerance) assert_true(check_is_near(a, b, tolerance))

#endif
