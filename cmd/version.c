/* `convoy version`: what this program was built of. */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "cmd/common.h"
#include "core/base/error.h"
#include "core/file/members.h"
#include "mpi/real.h"
#include "nets/backend.h"
#include "record/environ.h"

#include <stdint.h>
#include <stdio.h>

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
	const char *mpi = real_version(), *backends[8] = { NULL };

	for (size_t i = 0; backend_table[i]; i++)
		backends[i] = backend_table[i]->name;
	if (c->json) {
		json_print_own(OBJECT(
			j_text("version", environ_version), j_text("commit", environ_commit),
			j_text("compiler", compiler), j_text("optimised", optimised),
			j_texts("backends", (char *const *)backends, SIZE_MAX),
			j_text("cJSON", cJSON_Version()), j_text("mpi", mpi)));
		return EXIT_OK;
	}
	printf("convoy %s\n", environ_version);
	printf("commit    %s\n", environ_commit);
	printf("compiler  %s, optimised: %s\n", compiler, optimised);
	printf("backends ");
	for (size_t i = 0; backends[i]; i++)
		printf(" %s", backends[i]);
	printf("\ncJSON     %s\n", cJSON_Version());
	printf("MPI       %s\n", mpi ? mpi : "none");
	return EXIT_OK;
}

const struct syntax cmd_version = {
	.opts = json_opts, .conf_size = sizeof(struct json_conf), .none = true,
	.usage = "version [--json]",
	.about = "Prints the version and what the program was built of.", .run = version_print,
};
