/* Text is measured, padded and cut by columns, not bytes. */
#include "report/text/width.h"
#include "tests/support/check.h"

#include <string.h>

static void is_cut(const char *text, int width, const char *want)
{
	char own[64];

	strcpy(own, text);
	text_cut(own, width);
	assert_string_equal(own, want);
}

/* Two bytes, three and four are a column each; no character is split. */
static void texts_are_cut_by_columns(void **state)
{
	is_cut("worker", 4, "work");
	is_cut("worker", 6, "worker");
	is_cut("worker", 40, "worker");
	is_cut("worker", 0, "");
	is_cut("r\xC3\xA9seau", 2, "r\xC3\xA9");
	is_cut("r\xC3\xA9seau", 1, "r");
	is_cut("\xE2\x88\x9E\xE2\x88\x9E", 1, "\xE2\x88\x9E");
	is_cut("\xF0\x9F\x9A\xA2 ship", 2, "\xF0\x9F\x9A\xA2 ");
	is_cut("\xFF\xFE", 1, "\xFF"); /* bytes that are not UTF-8 */
}

RUN_ALL(texts_are_cut_by_columns)
