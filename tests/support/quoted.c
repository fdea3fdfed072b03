/* Parses JSON whose quotes are written as apostrophes. */
#include "tests/support/quoted.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "tests/support/check.h"

#include <stdlib.h>

cJSON *quoted_json(const char *quoted)
{
	char *copy = xstrdup(quoted);
	cJSON *tree;

	for (char *p = copy; *p; p++)
		if (*p == '\'')
			*p = '"';
	tree = json_parse(copy, "text");
	assert_non_null(tree);
	free(copy);
	return tree;
}
