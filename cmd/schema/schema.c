/* `convoy schema spec|net|cluster`. */
#include "cmd/schema/schema.h"

#include "cmd/args.h"
#include "cmd/cmd.h"
#include "core/base/error.h"
#include "core/text/word.h"
#include "runner/results/outcome.h"

#include <string.h>

static const struct {
	const char *name;
	cJSON *(*make)(void);
} schemas[] = { { "spec", schema_spec }, { "net", schema_net }, { "cluster", schema_cluster } };

enum { SCHEMAS = sizeof(schemas) / sizeof(schemas[0]) };

static const char about[] =
	"Prints the JSON Schema (draft 2020-12) of an experiment's spec, a net or a cluster:\n"
	"keys, types, bounds, defaults and what each means. Editors complete and check files by\n"
	"it; the key \"$schema\" of a file names it.\n"
	"\n"
	"Examples:\n"
	"  convoy schema spec > spec.schema.json\n"
	"  convoy schema net | jq '.\"$defs\".conv'";

static int print_schema(const struct args *a)
{
	const char *name = a->words[0], *known[SCHEMAS + 1] = { NULL };

	if (a->nwords != 1)
		return args_usage(a, "no schema is named (spec, net, cluster)");
	for (size_t i = 0; i < SCHEMAS; i++) {
		known[i] = schemas[i].name;
		if (strcmp(name, schemas[i].name) == 0) {
			cJSON *schema = schemas[i].make();

			json_print(schema);
			cJSON_Delete(schema);
			return EXIT_OK;
		}
	}
	word_unknown(NULL, "schema", name, known);
	return EXIT_USAGE;
}

int cmd_schema(int argc, char **argv)
{
	struct args a = { .about = about, .usage = "schema spec|net|cluster" };

	return args_main(&a, argc, argv, print_schema);
}
