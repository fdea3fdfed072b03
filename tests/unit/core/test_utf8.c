/* Text that is safe to print: what could drive a terminal is gone, all else is as it was. */
#include "core/text/utf8.h"
#include "tests/support/check.h"

#include <string.h>

static void becomes(const char *from, const char *to)
{
	char text[64];

	strcpy(text, from);
	utf8_make_printable(text);
	assert_string_equal(text, to);
}

static void control_characters_become_spaces(void **state)
{
	becomes("plain, \t\n text", "plain, \t\n text");
	becomes("a\033[31mb\007\177", "a [31mb  ");
	becomes("\302\233" "1m", "  1m");               /* U+009B, a one-character ESC [ */
	becomes("\302\237|\302\240", "  |\302\240");    /* U+009F; U+00A0 is a space that stays */
}

static void hidden_characters_become_spaces(void **state)
{
	becomes("a\u202etxt.exe", "a   txt.exe");       /* shows as aexe.txt */
	becomes("\u202a\u202d|\u2066\u2069|\u200e\u200f", "      |      |      ");
	becomes("\u061c|\u2028|\ufeff|\U000e0041", "  |   |   |    ");
	becomes("\u200b|\u200c\u200d|\u2010|\u2070", "   |\u200c\u200d|\u2010|\u2070");
}

static void only_bytes_that_are_no_characters_are_replaced(void **state)
{
	char text[] = "a\033\u202e\xff";

	utf8_make_valid(text);
	assert_string_equal(text, "a\033\u202e?");
}

static void other_characters_stay(void **state)
{
	becomes("∞ ± é 日 😀", "∞ ± é 日 😀");
}

static void what_is_not_utf8_becomes_question_marks(void **state)
{
	becomes("\233" "1m", "?1m");
	becomes("\xc3", "?");
	becomes("\xe2\x88", "??");
	becomes("a\xff\xc0\xafz", "a???z");
	becomes("\xe0\x82\x9b" "1m", "???1m");         /* U+009B in three bytes */
	becomes("\xf0\x80\x80\x9b", "????");          /* ESC in four */
	becomes("\xed\xa0\x80|\xed\x9f\xbf", "???|\xed\x9f\xbf");
	becomes("\xf4\x90\x80\x80|\xf4\x8f\xbf\xbf", "????|\xf4\x8f\xbf\xbf");
}

static void a_cut_never_ends_inside_a_character(void **state)
{
	assert_int_equal(utf8_whole("aé", 2), 1);
	assert_int_equal(utf8_whole("aé", 3), 3);
	assert_int_equal(utf8_whole("日", 2), 0);
}

RUN_ALL(control_characters_become_spaces, hidden_characters_become_spaces,
	only_bytes_that_are_no_characters_are_replaced, other_characters_stay,
	what_is_not_utf8_becomes_question_marks, a_cut_never_ends_inside_a_character)
