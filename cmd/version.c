/* `convoy version`: what this program was built of. */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "cmd/common.h"
#include "core/base/error.h"
#include "core/file/members.h"
#include "mpi/real.h"
#include "nets/backend.h"

#include <stdio.h>

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

static int version_print(const struct args *a)
{
	const struct json_conf *c = a->conf;
	const char *mpi = real_version();
	cJSON *backends = cJSON_CreateArray();

	for (const struct backend *const *b = backend_table; *b; b++)
		list_add(backends, cJSON_CreateString((*b)->name));
	if (c->json) {
		json_print_own(OBJECT(j_text("version", CONVOY_VERSION),
				      j_text("commit", CONVOY_COMMIT),
				      j_text("compiler", compiler), j_text("optimised", optimised),
				      j_json("backends", backends), j_if(mpi, j_text("mpi", mpi))));
		return EXIT_OK;
	}
	cJSON_Delete(backends);
	printf("convoy %s\n", CONVOY_VERSION);
	printf("commit    %s\n", CONVOY_COMMIT);
	printf("compiler  %s, optimised: %s\n", compiler, optimised);
	printf("backends ");
	for (const struct backend *const *b = backend_table; *b; b++)
		printf(" %s", (*b)->name);
	printf("\ncJSON     %s\n", cJSON_Version());
	printf("MPI       %s\n", mpi ? mpi : "none");
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
