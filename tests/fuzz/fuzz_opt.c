/* A plug-in's settings: whatever is accepted must read back from its own text. */
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/text/opt.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct conf {
	bool b;
	int64_t i;
	double d;
	char *s;
	int e;
	struct opt_doubles l;
};

static const char *const colours[] = { "red", "green", NULL };

static const struct opt opts[] = {
	{ .name = "bool", OPT_AT(BOOL, struct conf, b) },
	{ .name = "int", OPT_AT(INT, struct conf, i), .def = "5" },
	{ .name = "double", OPT_AT(DOUBLE, struct conf, d), .def = "0.1" },
	{ .name = "string", OPT_AT(STRING, struct conf, s) },
	{ .name = "enum", OPT_AT(ENUM, struct conf, e),
	  .choices = colours },
	{ .name = "list", OPT_AT(DOUBLES, struct conf, l) },
	{ 0 },
};

static const struct plugin thing = { .name = "thing", .opts = opts,
				     .conf_size = sizeof(struct conf) };
static const struct plugin *const table[] = { &thing, NULL };

static void check_round_trip(const struct choice *c)
{
	struct choice again = { 0 };
	char *text = choice_format(c), *twice;

	if (choice_parse(&again, table, "thing", text))
		BUG("not read back: %s", text);
	twice = choice_format(&again);
	if (strcmp(text, twice))
		BUG("%s became %s", text, twice);
	free(text);
	free(twice);
	choice_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct choice c = { 0 };
	char *text = xcalloc(size + 1, 1);

	if (size)
		memcpy(text, data, size);
	if (!choice_parse(&c, table, "thing", text))
		check_round_trip(&c);
	choice_release(&c);
	free(text);
	return 0;
}
