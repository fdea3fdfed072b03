/* cmocka with what it wants included first. */
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
 * The main() of a test program: each of the functions is a test of its name. RUN_WITH() calls
 * setup() before each and teardown() after it; either may be NULL. tests/CMakeLists.txt gives
 * main() another name where several programs are linked as one.
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

/* names: of the n tests, separated by commas. The program's exit code. */
int check_run(CMFixtureFunction setup, CMFixtureFunction teardown, const char *names,
	      const CMUnitTestFunction *tests, size_t n);

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
