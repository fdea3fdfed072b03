/* Includes cmocka, and the headers that it needs first. */
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

/*
 * Defines main() of a test program; each of the functions is a test with its name. RUN_WITH() calls
 * setup() before each and teardown() after it; either may be NULL. If several programs are linked
 * as one, tests/CMakeLists.txt renames main().
 */
#define RUN_ALL(...) RUN_WITH(NULL, NULL, __VA_ARGS__)
#define RUN_WITH(setup, teardown, ...)                                                             \
	int main(void);                                                                            \
	int main(void)                                                                             \
	{                                                                                          \
		static const CMUnitTestFunction check_tests[] = { __VA_ARGS__ };                   \
		return check_run(setup, teardown, #__VA_ARGS__, check_tests,                       \
				 sizeof(check_tests) / sizeof(check_tests[0]));                    \
	}

/* Runs n tests, whose names are separated by commas. Returns the program's exit code. */
int check_run(CMFixtureFunction setup, CMFixtureFunction teardown, const char *names,
	      const CMUnitTestFunction *tests, size_t n);

/*
 * |a - b| <= tolerance, in double; each argument is evaluated once. False for NaN.
 */
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
