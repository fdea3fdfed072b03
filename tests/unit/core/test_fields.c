/* A struct written, read and freed by a table of its members. */
#include "core/base/mem.h"
#include "core/file/fields.h"
#include "core/file/json.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

struct leg {
	char *to;
	double km;
};

struct journey {
	char *name, *why, *note;
	double cost, edge;
	size_t days;
	bool done;
	int by;
	struct texts stops;
	struct leg home;
	struct {
		struct leg *v;
		size_t n;
	} legs;
	struct leg *more;
	size_t nmore;
};

static const char *const ways[] = { "train", "bus", "foot", NULL };

static const struct field leg_fields[] = {
	FIELD(WORD, struct leg, to, "to"), FIELD(NUMBER, struct leg, km, "km"), { 0 }
};

static const struct field fields[] = {
	FIELD(WORD, struct journey, name, "name"),
	FIELD(TEXT, struct journey, why, "why"),
	FIELD(NOTE, struct journey, note, "note"),
	FIELD(NUMBER, struct journey, cost, "cost"),
	FIELD(EDGE, struct journey, edge, "edge"),
	FIELD(COUNT, struct journey, days, "days"),
	FIELD(BOOL, struct journey, done, "done"),
	FIELD_CHOICE_OF(struct journey, by, "by", ways),
	FIELD(TEXTS, struct journey, stops, "stops"),
	FIELD_STRUCT_OF(struct journey, home, "home", leg_fields),
	FIELD_LIST_OF(struct journey, legs, "legs", leg_fields),
	FIELD_ARRAY(SOME, struct journey, more, nmore, "more", leg_fields),
	{ 0 }
};

/* The JSON of a text that was read into the struct. */
static void check_again(const char *text, const char *expected)
{
	cJSON *json = json_parse(text, "f"), *again;
	struct journey t;
	char *out;

	fields_read(json, fields, &t);
	again = fields_add(cJSON_CreateObject(), fields, &t);
	out = json_format(again, false);
	assert_string_equal(out, expected);
	free(out);
	cJSON_Delete(json);
	cJSON_Delete(again);
	fields_release(fields, &t);
}

static void test_what_is_read_is_written(void **state)
{
	static const char whole[] =
		"{\"name\":\"a\",\"why\":null,\"note\":\"n\",\"cost\":1.5,\"edge\":\"above\","
		"\"days\":3,\"done\":true,\"by\":\"bus\",\"stops\":[\"p\",\"q\"],"
		"\"home\":{\"to\":\"h\",\"km\":2},\"legs\":[{\"to\":\"x\",\"km\":1}],"
		"\"more\":[{\"to\":\"y\",\"km\":null}]}";

	(void)state;
	check_again(whole, whole);
}

static void test_what_is_missing_or_wrong_is_empty(void **state)
{
	static const char none[] =
		"{\"name\":\"\",\"why\":null,\"cost\":null,\"edge\":null,\"days\":0,"
		"\"done\":false,\"by\":\"foot\",\"stops\":[],\"home\":{\"to\":\"\",\"km\":null},"
		"\"legs\":[]}";

	(void)state;
	check_again("{}", none);
	check_again("[1]", none);
	check_again("{\"name\":1,\"why\":[],\"note\":{},\"cost\":\"1\",\"edge\":\"near\","
		    "\"days\":-2,\"done\":1,\"by\":\"ship\",\"stops\":{\"a\":\"b\"},\"home\":[],"
		    "\"legs\":\"x\",\"more\":{\"a\":{}}}", none);
}

static void test_the_edges_of_a_range_are_words(void **state)
{
	struct journey t = { .name = NULL, .edge = -HUGE_VAL };
	cJSON *json = fields_add(cJSON_CreateObject(), fields, &t);

	(void)state;
	assert_string_equal(json_word(json, "edge"), "below");
	fields_read(json, fields, &t);
	assert_true(isinf(t.edge) && t.edge < 0);
	fields_release(fields, &t);
	cJSON_Delete(json);
}

struct settings {
	const char *name, *unit;
	double amount, rate;
	int count, turns;
	const cJSON *rest;
};

static void test_what_is_borrowed_stays_without_a_value(void **state)
{
	static const struct field own[] = {
		FIELD(LENT, struct settings, name, "name"),
		FIELD(LENT, struct settings, unit, "unit"),
		FIELD(AMOUNT, struct settings, amount, "amount"),
		FIELD(AMOUNT, struct settings, rate, "rate"),
		FIELD(INT, struct settings, count, "count"),
		FIELD(INT, struct settings, turns, "turns"),
		FIELD(TREE, struct settings, rest, "rest"), { 0 }
	};
	static const char text[] = "{\"name\":\"n\",\"amount\":2.5,\"count\":3,\"turns\":-1,"
				   "\"rest\":[7],\"unit\":1}";
	cJSON *json = json_parse(text, "f"), *again;
	struct settings s = { .unit = "u", .rate = 4.0, .count = 9, .turns = 9 };
	char *out;

	(void)state;
	fields_read(json, own, &s);
	again = fields_add(cJSON_CreateObject(), own, &s);
	out = json_format(again, false);
	assert_string_equal(out, "{\"name\":\"n\",\"unit\":\"u\",\"amount\":2.5,\"rate\":4,"
				 "\"count\":3,\"turns\":0,\"rest\":[7]}");
	assert_ptr_equal(s.rest, json_get(json, "rest"));
	free(out);
	fields_release(own, &s);
	cJSON_Delete(again);
	cJSON_Delete(json);
}

RUN_ALL(test_what_is_read_is_written, test_what_is_missing_or_wrong_is_empty,
	test_the_edges_of_a_range_are_words, test_what_is_borrowed_stays_without_a_value)
