/* A plug-in's settings: whatever is accepted must read back from its own text. */
#include "core/error.h"
#include "core/mem.h"
#include "core/opt.h"

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
	{ .name = "bool", .type = OPT_BOOL, .offset = offsetof(struct conf, b) },
	{ .name = "int", .type = OPT_INT, .offset = offsetof(struct conf, i), .def = "5" },
	{ .name = "double", .type = OPT_DOUBLE, .offset = offsetof(struct conf, d), .def = "0.1" },
	{ .name = "string", .type = OPT_STRING, .offset = offsetof(struct conf, s) },
	{ .name = "enum", .type = OPT_ENUM, .offset = offsetof(struct conf, e),
	  .choices = colours },
	{ .name = "list", .type = OPT_DOUBLES, .offset = offsetof(struct conf, l) },
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
