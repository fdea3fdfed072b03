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

static inline void check_is_within(const char *what, long long value, long long lowest,
				   long long highest, const char *file, int line)
{
	if (value >= lowest && value <= highest)
		return;
	print_error("%s is %lld, not within %lld to %lld\n", what, value, lowest, highest);
	_fail(file, line);
}

/* Integers; cmocka 2 deprecates assert_in_range, and cmocka 1 does not have what replaces it. */
#define assert_within(value, lowest, highest) \
	check_is_within(#value, value, lowest, highest, __FILE__, __LINE__)

#endif
