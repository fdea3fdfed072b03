/* The JSON parser: good text, positions of errors, duplicate keys, depth, unknown keys. */
#include "core/base/mem.h"
#include "core/file/json.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *refusal(const char *text)
{
	capture_start();
	assert_null(json_parse(text, "f.json"));
	capture_stop();
	return capture_text();
}

static void test_good_text(void **state)
{
	cJSON *tree = json_parse("{ \"a\": [1, {\"a\": 2}, {\"a\": 3}],\n"
				 "  \"b\": \"x\\\"y:\" }\n", "f");

	assert_non_null(tree);
	assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(tree, "a")), 3);
	cJSON_Delete(tree);
}

/* What cJSON makes of the largest number and of the least rounds to infinity, and is read back. */
static void test_largest_number_is_read_back(void **state)
{
	cJSON *list = cJSON_CreateDoubleArray((const double[]){ DBL_MAX, -DBL_MAX }, 2), *tree;
	char *text = cJSON_PrintUnformatted(list);

	tree = json_parse(text, "f");
	assert_non_null(tree);
	assert_true(tree->child->valuedouble == DBL_MAX);
	assert_true(tree->child->next->valuedouble == -DBL_MAX);
	cJSON_Delete(tree);
	cJSON_Delete(list);
	free(text);
}

static void test_numbers_are_printed_exactly(void **state)
{
	cJSON *list = cJSON_CreateDoubleArray((const double[]){ 0.1 + 0.2, 1.0 / 3, 0.1, -1e-7, 5e9,
								5e-324, DBL_MAX, HUGE_VAL, 7 }, 9);
	char *text;

	json_print_exactly(list);
	text = json_format(list, false);
	assert_string_equal(text, "[0.30000000000000004,0.3333333333333333,0.1,-1e-07,5000000000,"
				  "4.94065645841247e-324,1.7976931348623157e+308,null,7]");
	cJSON_Delete(list);
	free(text);
}

/* Frees the item. */
static bool json_number_is(cJSON *item, double x)
{
	const bool is = item->valuedouble >= x && item->valuedouble <= x;

	cJSON_Delete(item);
	return is;
}

/* What JSON does not have is null; json_of_number() has a number for infinity. */
static void test_numbers_and_texts_that_json_does_not_have(void **state)
{
	cJSON *object = cJSON_CreateObject();
	char *text;

	cJSON_AddNumberToObject(object, "nan", (double)NAN);
	cJSON_AddNumberToObject(object, "endless", HUGE_VAL);
	cJSON_AddItemToObject(object, "unknown", json_of_number((double)NAN));
	cJSON_AddItemToObject(object, "two", json_of_number(2));
	assert_true(json_number_is(json_of_number(HUGE_VAL), DBL_MAX));
	text = json_format(object, false);
	assert_string_equal(text, "{\"nan\":null,\"endless\":null,\"unknown\":null,\"two\":2}");
	free(text);
	cJSON_Delete(object);
}

static void test_errors_have_line_and_column(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{ "{\n  \"a\": 1,\n  \"b\" 2\n}", "3:7: expected ':' after the key" },
		{ "{\"a\": [1, 2}", "1:12: expected ',' or ']'" },
		{ "{\"a\": 1", "1:8: expected ',' or '}'" },
		{ "{\"a\": 1 \"b\": 2}", "1:9: expected ',' or '}'" },
		{ "", "1:1: the text ends too early" },
		{ "{} x", "1:4: the JSON value ends before this" },
		{ "{\"\xc3\xa9\": ?}", "1:7: expected a value" },
		{ "{\"a\": 1,}", "1:9: expected a key in double quotes" },
		{ "{a: 1}", "1:2: expected a key in double quotes" },
		{ "[1,\n]", "2:1: expected a value" },
		{ "[truer]", "1:2: expected a value" },
		{ "{\n\"a\": \"x\n\"}", "2:6: this string has no end on its line" },
		{ "[\"\\x\"]", "1:3: no such escape in a string" },
		{ "[\"\\u12g4\"]", "1:3: \\u needs four hexadecimal digits" },
		{ "[\"a\\u0000\"]", "1:4: \\u0000 cannot stand in a text" },
		{ "[1,\n\"\\ud83d\"]", "2:2: half of a \\u pair, which is no character" },
		{ "[\"\\ud83d\\n\"]", "1:3: half of a \\u pair" },
		{ "[\"\\ud83d\\u0041\"]", "1:3: half of a \\u pair" },
		{ "[\"\\ud83d\\u00\"]", "1:9: \\u needs four hexadecimal digits" },
		{ "[\"\\ude00\"]", "1:3: half of a \\u pair" },
		{ "[\"\t\"]", "1:3: a control character in a string" },
		{ "[01]", "1:2: not a number as JSON writes it" },
		{ "[1.]", "1:2: not a number as JSON writes it" },
		{ "[-]", "1:2: not a number as JSON writes it" },
		{ "[1e+]", "1:2: not a number as JSON writes it" },
		{ "[1, -1e999]", "1:5: the number is too large" },
		{ "[1.79769313486232e+3081]", "1:2: the number is too large" },
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char *expected = xasprintf("error: f.json:%s", bad[i].message);
		const char *said = refusal(bad[i].text);

		assert_ptr_equal(strstr(said, expected), said);
		free(expected);
	}
}

static void test_keys_that_stand_twice(void **state)
{
	assert_string_equal(refusal("{\"a\": {\"b\": \"b:\"},\n"
				    " \"c\": [\"a\", {\"b\": 1, \"b\": 2}]}"),
			    "error: f.json:2:22: the key \"b\" stands here twice\n");
	assert_string_equal(refusal("{\"a\": 1, \"\\u0061\" : 2}"),
			    "error: f.json:1:10: the key \"a\" stands here twice\n");
}

static void accept(const char *text)
{
	cJSON *tree = json_parse(text, "f.json");

	assert_non_null(tree);
	cJSON_Delete(tree);
}

static void test_depth_is_limited(void **state)
{
	enum { DEEP = 100000 };
	char *text = xcalloc(DEEP + 1, 1);

	memset(text, '[', DEEP);
	assert_string_equal(refusal(text), "error: f.json:1:65: nested too deeply\n");
	memset(text, 0, DEEP);
	memset(text, '[', 64);
	memset(text + 64, ']', 64);
	accept(text);
	free(text);
	accept("[\"\\ud83d\\ude00 \\u00e9 \\uffff\"]");
}

static void test_breadth_is_not_depth(void **state)
{
	char text[302] = "";

	for (int i = 0; i < 100; i++)
		memcpy(text + 3 * i, i ? ",[]" : "[[]", 3);
	text[300] = ']';
	accept(text);
}

static void test_many_keys_are_quick(void **state)
{
	enum { KEYS = 20000 };
	size_t size;
	char *text;
	FILE *f = open_memstream(&text, &size);

	fputc('{', f);
	for (int i = 0; i < KEYS; i++)
		fprintf(f, "\"k%d\": %d,", i, i);
	fputs("\"k77\": 0}", f);
	fclose(f);
	assert_non_null(strstr(refusal(text), "\"k77\" stands here twice"));
	free(text);
}

static void test_files(void **state)
{
	char path[] = "/tmp/convoy-json-XXXXXX";
	int fd = mkstemp(path);

	assert_int_equal(write(fd, "{}\n\0 ", 5), 5);
	close(fd);
	capture_start();
	assert_null(json_load(path));
	assert_said(":2: a zero byte at offset 3 (");
	unlink(path);
	capture_start();
	assert_null(json_load(path));
	assert_said(path);
	assert_said("No such file");
	capture_start();
	assert_null(json_load("/tmp"));
	assert_said("Is a directory");
	capture_stop();
}

static void test_check_keys(void **state)
{
	static const char *const known[] = { "title", "base", NULL };
	cJSON *good = json_parse("{\"title\": 1}", "f"), *bad = json_parse("{\"Titel\": 1}", "f");

	assert_int_equal(json_check_keys(good, known, "f"), 0);
	capture_start();
	assert_int_equal(json_check_keys(bad, known, "f"), -1);
	assert_string_equal(capture_text(), "error: f: unknown key 'Titel'; did you mean 'title'? "
					    "Known: title, base\n");
	assert_int_equal(json_check_keys(good->child, known, "f"), -1);
	assert_int_equal(json_check_keys(NULL, known, "f"), -1);
	capture_stop();
	cJSON_Delete(good);
	cJSON_Delete(bad);
}

RUN_ALL(test_good_text, test_largest_number_is_read_back, test_numbers_are_printed_exactly,
	test_numbers_and_texts_that_json_does_not_have, test_errors_have_line_and_column,
	test_keys_that_stand_twice, test_depth_is_limited, test_breadth_is_not_depth,
	test_many_keys_are_quick, test_files, test_check_keys)
