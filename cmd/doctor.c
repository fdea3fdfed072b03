/* `convoy doctor`: what is installed, and what this machine can do. */

#include "cmd/cmd.h"

#include "cmd/args.h"
#include "core/base/cores.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "mpi/real.h"
#include "nets/backend.h"
#include "record/environ.h"
#include "runner/launch/launcher.h"
#include "runner/results/folder.h"
#include "runner/results/outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif
#include <unistd.h>

static const char about[] =
	"Says what is installed (libraries and programs that convoy uses), how many ranks this\n"
	"machine or the batch system can run, which BLAS kernel and which instructions are\n"
	"used, and what would not work. Exits with 1 when something that a command needs is\n"
	"missing.";

/* ---- what there is ---- */

static void add_program(cJSON *facts, const char *name, char *path)
{
	cJSON_AddStringToObject(facts, name, path ? path : "");
	free(path);
}

/* Of the launchers, the one that belongs to the MPI library. */
static void add_programs(cJSON *facts)
{
	static const char *const names[] = { "srun", "gnuplot", "jq" };
	const struct launcher *lr = launcher_of_library();

	add_program(facts, "mpirun", lr ? launcher_path(lr) : NULL);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		add_program(facts, names[i], launcher_which(names[i]));
}

/* Those that code of ours or of the libraries is made for, widest first. */
static void add_instructions(cJSON *facts)
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
	cJSON *list = cJSON_AddArrayToObject(facts, "instructions");

	for (size_t i = 0; all[i].name; i++)
		if (all[i].there)
			cJSON_AddItemToArray(list, cJSON_CreateString(all[i].name));
}

static void add_slots(cJSON *facts)
{
	const int ranks = launch_ranks();

	cJSON_AddNumberToObject(facts, "slots", ranks > 0 ? ranks : 0);
	cJSON_AddNumberToObject(facts, "cpus_allowed", cores_allowed());
}

static void add_backends(cJSON *facts)
{
	cJSON *list = cJSON_AddArrayToObject(facts, "backends");

	for (const struct backend *const *b = backend_table; *b; b++)
		cJSON_AddItemToArray(list, cJSON_CreateString((*b)->name));
}

/* What precision=bf16 computes in here. */
static void add_bf16(cJSON *facts)
{
	const char *why = backend_table[0]->no_bf16();
	char *text = why ? xasprintf("computed in f32: %s", why) : xstrdup("computed in bf16");

	cJSON_AddStringToObject(facts, "bf16", text);
	free(text);
}

static void add_folders(cJSON *facts)
{
	const char *data = getenv("CONVOY_DATA");

	cJSON_AddStringToObject(facts, "results_folder", results_folder(NULL));
	cJSON_AddStringToObject(facts, "data_folder", data ? data : "");
}

/* ---- what is missing ---- */

static void add_fault(cJSON *faults, bool there, const char *text)
{
	if (!there)
		cJSON_AddItemToArray(faults, cJSON_CreateString(text));
}

static void add_faults(cJSON *facts)
{
	cJSON *faults = cJSON_AddArrayToObject(facts, "faults");
	const char *data = json_string(facts, "data_folder"),
		   *out = json_string(facts, "results_folder");

	add_fault(faults, real_version(),
		  "built without MPI: train, calibrate, predict do not run");
	add_fault(faults, *json_string(facts, "mpirun"),
		  "no mpirun of the MPI library (Debian: openmpi-bin, mpich): train, calibrate, "
		  "predict cannot start");
	add_fault(faults, *json_string(facts, "gnuplot"),
		  "no gnuplot: plots are written as scripts and data alone");
	add_fault(faults, access(out, F_OK) != 0 || access(out, W_OK | X_OK) == 0,
		  "the folder of results cannot be written into");
	add_fault(faults, !*data || access(data, R_OK | X_OK) == 0,
		  "CONVOY_DATA names a folder that cannot be read");
}

static cJSON *doctor_examine(void)
{
	cJSON *facts = environ_facts();

	cJSON_AddStringToObject(facts, "mpi", real_version() ? real_version() : "");
	add_backends(facts);
	add_instructions(facts);
	add_bf16(facts);
	add_slots(facts);
	add_programs(facts);
	add_folders(facts);
	add_faults(facts);
	return facts;
}

/* ---- in words ---- */

static void doctor_print_list(const cJSON *fact)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, fact)
		printf(" %s", item->valuestring);
	printf("%s\n", fact->child ? "" : " none");
}

static void print_fact(const cJSON *fact)
{
	printf("%-15s", fact->string);
	if (cJSON_IsArray(fact))
		doctor_print_list(fact);
	else if (cJSON_IsNumber(fact))
		printf(" %d\n", fact->valueint);
	else
		printf(" %s\n", *fact->valuestring ? fact->valuestring : "none");
}

static void doctor_print_text(const cJSON *facts)
{
	const cJSON *fact, *fault;

	cJSON_ArrayForEach(fact, facts) {
		if (strcmp(fact->string, "faults") != 0)
			print_fact(fact);
	}
	cJSON_ArrayForEach(fault, json_get(facts, "faults"))
		printf("fault: %s\n", fault->valuestring);
}

static int doctor_diagnose(const struct args *a)
{
	const struct json_conf *c = a->conf;
	cJSON *facts = doctor_examine();
	const int faults = cJSON_GetArraySize(json_get(facts, "faults"));

	if (c->json)
		json_print(facts);
	else
		doctor_print_text(facts);
	cJSON_Delete(facts);
	return faults ? EXIT_BAD : EXIT_OK;
}

int cmd_doctor(int argc, char **argv)
{
	struct json_conf conf;
	struct args a = { .opts = json_opts, .conf = &conf, .about = about, .none = true,
			  .usage = "doctor [--json]" };

	return args_main(&a, argc, argv, doctor_diagnose);
}
