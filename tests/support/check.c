/* Runs the tests of a program under the names that its source gives them. */
#include "tests/support/check.h"

#include "core/base/mem.h"

#include <stdlib.h>
#include <string.h>

int check_run(CMFixtureFunction setup, CMFixtureFunction teardown, const char *names,
	      const CMUnitTestFunction *tests, size_t n)
{
	struct CMUnitTest *all = xcalloc(n, sizeof(*all));
	char *text = xstrdup(names), *rest;
	int failed;

	for (size_t i = 0; i < n; i++)
		all[i] = (struct CMUnitTest){ .name = strtok_r(i ? NULL : text, ", ", &rest),
					      .test_func = tests[i], .setup_func = setup,
					      .teardown_func = teardown };
	failed = _cmocka_run_group_tests("tests", all, n, NULL, NULL);
	free(text);
	free(all);
	return failed;
}
