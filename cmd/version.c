/* `convoy version`: what this program was built of. */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "core/base/error.h"
#include "mpi/real.h"
#include "nets/backend.h"
#include "runner/results/outcome.h"

#ifndef CONVOY_VERSION
#define CONVOY_VERSION "unknown"
#endif
#ifndef CONVOY_COMMIT
#define CONVOY_COMMIT "unknown"
#endif

#ifdef __OPTIMIZE__
static const char optimised[] = "yes";
#else
static const char optimised[] = "no";
#endif

#if defined(__clang__)
static const char compiler[] = __VERSION__;
#elif defined(__GNUC__)
static const char compiler[] = "GCC " __VERSION__;
#else
static const char compiler[] = "unknown";
#endif

static void version_print_json(void)
{
	cJSON *json = cJSON_CreateObject();
	cJSON *backends;

	cJSON_AddStringToObject(json, "version", CONVOY_VERSION);
	cJSON_AddStringToObject(json, "commit", CONVOY_COMMIT);
	cJSON_AddStringToObject(json, "compiler", compiler);
	cJSON_AddStringToObject(json, "optimised", optimised);
	backends = cJSON_AddArrayToObject(json, "backends");
	for (const struct backend *const *b = backend_table; *b; b++)
		cJSON_AddItemToArray(backends, cJSON_CreateString((*b)->name));
	if (real_version())
		cJSON_AddStringToObject(json, "mpi", real_version());
	json_print(json);
	cJSON_Delete(json);
}

static void version_print_text(void)
{
	printf("convoy %s\n", CONVOY_VERSION);
	printf("commit    %s\n", CONVOY_COMMIT);
	printf("compiler  %s, optimised: %s\n", compiler, optimised);
	printf("backends ");
	for (const struct backend *const *b = backend_table; *b; b++)
		printf(" %s", (*b)->name);
	printf("\ncJSON     %s\n", cJSON_Version());
	printf("MPI       %s\n", real_version() ? real_version() : "none");
}

static int version_print(const struct args *a)
{
	const struct json_conf *c = a->conf;

	(c->json ? version_print_json : version_print_text)();
	return EXIT_OK;
}

int cmd_version(int argc, char **argv)
{
	struct json_conf conf;
	struct args a = { .opts = json_opts, .conf = &conf, .none = true,
			  .usage = "version [--json]",
			  .about = "Prints the version and what the program was built of." };

	return args_main(&a, argc, argv, version_print);
}
