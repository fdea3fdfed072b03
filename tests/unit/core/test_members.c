/* JSON objects from typed values, and typed values from JSON objects. */
#include "core/file/json.h"
#include "core/file/members.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static void test_every_kind_is_written(void **state)
{
	char *const texts[] = { "p", "q", NULL };
	const double numbers[] = { 1.5, -2.0 };
	cJSON *json = OBJECT(j_number("x", 0.25), j_number("none", (double)NAN),
			     j_text("s", "a\"b"), j_text("no", NULL), j_bool("is", true),
			     j_null("nothing"), j_numbers("list", numbers, 2),
			     j_texts("all", texts, SIZE_MAX),
			     j_texts("one", texts, 1), j_json("in", OBJECT(j_bool("b", false))),
			     j_if(false, j_text("left out", "x")), j_if(true, j_text("in", "x")));
	char *text;

	ADD(json, j_number("last", 3.0));
	text = json_format(json, false);
	assert_string_equal(text, "{\"x\":0.25,\"none\":null,\"s\":\"a\\\"b\",\"no\":null,"
				  "\"is\":true,\"nothing\":null,\"list\":[1.5,-2],"
				  "\"all\":[\"p\",\"q\"],\"one\":[\"p\"],\"in\":{\"b\":false},"
				  "\"in\":\"x\",\"last\":3}");
	free(text);
	cJSON_Delete(json);
}

RUN_ALL(test_every_kind_is_written)
