/* `convoy doctor`: what is installed, and what this machine can do. */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "cmd/common.h"
#include "core/base/cores.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "mpi/real.h"
#include "nets/backend.h"
#include "record/environ.h"
#include "runner/launch/launcher.h"
#include "runner/results/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif
#include <unistd.h>

static const char doctor_about[] =
	"Says what is installed (libraries and programs that convoy uses), how many ranks this\n"
	"machine or the batch system can run, which BLAS kernel and which instructions are\n"
	"used, and what would not work. Exits with 1 when something that a command needs is\n"
	"missing.";

/* Instructions that our code or the libraries' is made for, widest first. */
static cJSON *instructions_json(void)
{
	const struct {
		const char *name;
		bool there;
	} all[] = {
#if defined(__x86_64__)
		{ "avx512bf16", __builtin_cpu_supports("avx512bf16") },
		{ "avx512vnni", __builtin_cpu_supports("avx512vnni") },
		{ "avx512f", __builtin_cpu_supports("avx512f") },
		{ "fma", __builtin_cpu_supports("fma") },
		{ "avx2", __builtin_cpu_supports("avx2") },
		{ "sse4.2", __builtin_cpu_supports("sse4.2") },
#elif defined(__aarch64__)
		{ "sve", getauxval(AT_HWCAP) & HWCAP_SVE },
		{ "bf16", getauxval(AT_HWCAP2) & HWCAP2_BF16 },
		{ "asimd", getauxval(AT_HWCAP) & HWCAP_ASIMD },
#endif
		{ NULL, false }
	};
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; all[i].name; i++)
		if (all[i].there)
			list_add(list, cJSON_CreateString(all[i].name));
	return list;
}

/* The faults that follow from the facts. */
static cJSON *faults_json(const char *mpirun, const char *gnuplot, const char *data,
			  const char *out)
{
	const struct {
		bool absent;
		const char *text;
	} all[] = {
		{ !real_version(), "built without MPI: train, calibrate, predict do not run" },
		{ !mpirun, "no mpirun of the MPI library (Debian: openmpi-bin, mpich): train, "
			   "calibrate, predict cannot start" },
		{ !gnuplot, "no gnuplot: plots are written as scripts and data alone" },
		{ access(out, F_OK) == 0 && access(out, W_OK | X_OK) != 0,
		  "the folder of results cannot be written into" },
		{ *data && access(data, R_OK | X_OK) != 0,
		  "CONVOY_DATA names a folder that cannot be read" },
	};
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].absent)
			list_add(list, cJSON_CreateString(all[i].text));
	return list;
}

/* The facts of this machine; "" stands for what is not there. */
static cJSON *doctor_json(void)
{
	const struct launcher *lr = launcher_of_library();  /* that belongs to the MPI library */
	const char *why = backend_table[0]->no_bf16(), *data = getenv("CONVOY_DATA");
	const char *out = results_folder(NULL), *mpi = real_version();
	char *bf16 = why ? xasprintf("computed in f32: %s", why) : xstrdup("computed in bf16");
	char *mpirun = lr ? launcher_path(lr) : NULL, *srun = launcher_which("srun");
	char *gnuplot = launcher_which("gnuplot"), *jq = launcher_which("jq");
	cJSON *backends = cJSON_CreateArray(), *facts = environ_facts();
	const int ranks = launch_ranks();

	data = data ? data : "";
	for (const struct backend *const *b = backend_table; *b; b++)
		list_add(backends, cJSON_CreateString((*b)->name));
	ADD(facts, j_text("mpi", mpi ? mpi : ""), j_json("backends", backends),
	    j_json("instructions", instructions_json()), j_text("bf16", bf16),
	    j_number("slots", ranks > 0 ? ranks : 0), j_number("cpus_allowed", cores_allowed()),
	    j_text("mpirun", mpirun ? mpirun : ""), j_text("srun", srun ? srun : ""),
	    j_text("gnuplot", gnuplot ? gnuplot : ""), j_text("jq", jq ? jq : ""),
	    j_text("results_folder", out), j_text("data_folder", data),
	    j_json("faults", faults_json(mpirun, gnuplot, data, out)));
	free(bf16);
	free(mpirun);
	free(srun);
	free(gnuplot);
	free(jq);
	return facts;
}

static void doctor_print(const cJSON *facts)
{
	const cJSON *fact, *item;

	cJSON_ArrayForEach(fact, facts) {
		if (strcmp(fact->string, "faults") == 0)
			continue;
		printf("%-15s", fact->string);
		if (cJSON_IsNumber(fact)) {
			printf(" %d\n", fact->valueint);
		} else if (cJSON_IsArray(fact)) {
			cJSON_ArrayForEach(item, fact)
				printf(" %s", item->valuestring);
			printf("%s\n", fact->child ? "" : " none");
		} else {
			printf(" %s\n", *fact->valuestring ? fact->valuestring : "none");
		}
	}
	cJSON_ArrayForEach(item, json_get(facts, "faults"))
		printf("fault: %s\n", item->valuestring);
}

static int doctor(const struct args *a)
{
	const struct json_conf *c = a->conf;
	cJSON *facts = doctor_json();
	const bool faults = json_get(facts, "faults")->child;

	if (c->json)
		json_print(facts);
	else
		doctor_print(facts);
	cJSON_Delete(facts);
	return faults ? EXIT_BAD : EXIT_OK;
}

int cmd_doctor(int argc, char **argv)
{
	struct json_conf conf;
	struct args a = { .opts = json_opts, .conf = &conf, .about = doctor_about, .none = true,
			  .usage = "doctor [--json]" };

	return args_main(&a, argc, argv, doctor);
}
