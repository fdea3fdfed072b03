/* `convoy doctor`: what is installed, and what this machine can do. */
#include "cmd/cmd.h"

#include "algos/own/own.h"
#include "cmd/args.h"
#include "cmd/common.h"
#include "core/base/cores.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/file/members.h"
#include "mpi/real.h"
#include "nets/backend.h"
#include "nets/external/external.h"
#include "plan/machine/batch_system.h"
#include "record/environ.h"
#include "report/text/say.h"
#include "runner/launch/launcher.h"
#include "runner/results/folder.h"

#include <signal.h>
#include <stdint.h>
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

/* Adds the text to the NULL-ended list where the condition holds. */
static void texts_add(const char **list, bool condition, const char *text)
{
	while (*list)
		list++;
	*list = condition ? text : NULL;
}

/* Instructions that our code or the libraries' is made for, widest first. */
static void instructions_list(const char **list)
{
#if defined(__x86_64__)
	texts_add(list, __builtin_cpu_supports("avx512bf16"), "avx512bf16");
	texts_add(list, __builtin_cpu_supports("avx512vnni"), "avx512vnni");
	texts_add(list, __builtin_cpu_supports("avx512f"), "avx512f");
	texts_add(list, __builtin_cpu_supports("fma"), "fma");
	texts_add(list, __builtin_cpu_supports("avx2"), "avx2");
	texts_add(list, __builtin_cpu_supports("sse4.2"), "sse4.2");
#elif defined(__aarch64__)
	texts_add(list, getauxval(AT_HWCAP) & HWCAP_SVE, "sve");
	texts_add(list, getauxval(AT_HWCAP2) & HWCAP2_BF16, "bf16");
	texts_add(list, getauxval(AT_HWCAP) & HWCAP_ASIMD, "asimd");
#endif
}

/* The first line that a program prints, or `none` where it fails or cannot start; owned. */
static char *program_says(const struct texts *words, const char *none)
{
	const struct process_limits limits = { .seconds = 5.0, .bytes = 1 << 16 };
	const struct process_way way = { .words = words->v, .in = PROCESS_NULL, .out = PROCESS_PIPE,
					 .err = PROCESS_NULL, .group = true,
					 .end_signal = SIGKILL };
	struct process_answer a = { .status = -1 };
	struct process child;
	char *line;

	if (process_start(&child, &way) == 0)
		a = process_collect(&child, &limits);
	line = process_succeeded(a.status) && a.n
	     ? xasprintf("%.*s", (int)strcspn(a.text, "\n"), a.text)
	     : xasprintf("%s: %s cannot be used", none, words->v[0]);
	free(a.text);
	return line;
}

/* The interpreter for nets in Python, and the packages that they need, which are not imported. */
static char *python_says(void)
{
	static const char script[] =
		"import importlib.util, sys\n"
		"def package(name, without):\n"
		"    try:\n"
		"        from importlib.metadata import version\n"
		"        return f'{name} {version(name)}'\n"
		"    except Exception:\n"
		"        there = importlib.util.find_spec(name)\n"
		"        return name if there else f'no {name} (without it {without})'\n"
		"print(f'{sys.executable} {sys.version.split()[0]}',\n"
		"      package('numpy', 'no --net python:FILE.py'),\n"
		"      package('torch', 'no convoy.torch_problem()'), sep=', ')\n";
	scoped_by(texts_release) struct texts words = { 0 };

	texts_put(&words, external_interpreter());
	texts_put(&words, "-c");
	texts_put(&words, script);
	return program_says(&words, "none (without it no --net python:FILE.py)");
}

/* The compiler for algorithms in C. */
static char *compiler_says(void)
{
	scoped_by(texts_release) struct texts words = { 0 };

	own_compiler(&words);
	texts_put(&words, "--version");
	return program_says(&words, "none (without it no --algo ./FILE.c)");
}

/* A fact: "" stands for what is not there. */
static void fact_print(const struct member *m)
{
	const char *const *texts = m->v.texts;

	printf("%-15s", m->key);
	if (m->kind == MEMBER_NUMBER)
		printf(" %d\n", (int)m->v.number);
	else if (m->kind == MEMBER_TEXT)
		printf(" %s\n", *m->v.text ? m->v.text : "none");
	if (m->kind != MEMBER_TEXTS)
		return;
	for (size_t i = 0; texts[i]; i++)
		printf(" %s", texts[i]);
	printf("%s\n", *texts ? "" : " none");
}

/* True when files can be written into the folder, or into the nearest one above that is there. */
static bool folder_can_be_written(const char *path)
{
	char *up = xstrdup(path), *slash = up;
	bool can;

	while (access(up, F_OK) != 0 && (slash = strrchr(up, '/')) && slash > up)
		*slash = '\0';
	can = access(access(up, F_OK) == 0 ? up : slash ? "/" : ".", W_OK | X_OK) == 0;
	free(up);
	return can;
}

static int doctor(const struct args *a)
{
	const struct json_conf *c = a->conf;
	const struct launcher *lr = launcher_of_library();  /* that belongs to the MPI library */
	const char *why = backend_table[0]->no_bf16(), *data = getenv("CONVOY_DATA");
	const char *out = results_folder(NULL), *mpi = real_version();
	scoped char *bf16 =
		why ? xasprintf("computed in f32: %s", why) : xstrdup("computed in bf16");
	scoped char *mpirun = lr ? launcher_path(lr) : NULL, *srun = launcher_which("srun");
	scoped char *gnuplot = launcher_which("gnuplot"), *jq = launcher_which("jq");
	scoped char *python = python_says(), *compiler = compiler_says();
	const char *instructions[8] = { NULL }, *faults[8] = { NULL }, *backends[8] = { NULL };
	const int ranks = batch_ranks();
	size_t n;
	const struct member *facts = environ_facts(&n);

	data = data ? data : "";
	for (size_t i = 0; backend_table[i]; i++)
		backends[i] = backend_table[i]->name;
	instructions_list(instructions);
	texts_add(faults, !mpi, real_missing());
	texts_add(faults, !mpirun, "no mpirun of the MPI library (Debian: openmpi-bin, mpich): "
				   "train, calibrate, predict cannot start");
	texts_add(faults, !gnuplot, "no gnuplot: plots are written as scripts and data alone");
	texts_add(faults, !folder_can_be_written(out),
		  "the folder of results cannot be written into, or made");
	texts_add(faults, *data && access(data, R_OK | X_OK) != 0,
		  "CONVOY_DATA names a folder that cannot be read");
	const struct member own[] = {
		j_text("mpi", mpi ? mpi : ""),
		j_texts("backends", (char *const *)backends, SIZE_MAX),
		j_texts("instructions", (char *const *)instructions, SIZE_MAX),
		j_text("bf16", bf16), j_number("slots", ranks > 0 ? ranks : 0),
		j_number("cpus_allowed", cores_allowed()), j_text("mpirun", mpirun ? mpirun : ""),
		j_text("srun", srun ? srun : ""), j_text("gnuplot", gnuplot ? gnuplot : ""),
		j_text("jq", jq ? jq : ""), j_text("python", python), j_text("cc", compiler),
		j_text("results_folder", out), j_text("data_folder", data),
	};
	const size_t nown = sizeof(own) / sizeof(own[0]);

	if (c->json) {
		cJSON *json = members_add(cJSON_CreateObject(), n, facts);

		json_print_own(ADD(members_add(json, nown, own),
				   j_texts("faults", (char *const *)faults, SIZE_MAX)));
	}
	for (size_t i = 0; i < n + nown && !c->json; i++)
		fact_print(i < n ? &facts[i] : &own[i - n]);
	for (size_t i = 0; faults[i] && !c->json; i++)
		say("fault: %s\n", faults[i]);
	return *faults ? EXIT_BAD : EXIT_OK;
}

const struct syntax cmd_doctor = {
	.opts = json_opts, .conf_size = sizeof(struct json_conf), .none = true,
	.usage = "doctor [--json]",
	.about = doctor_about, .run = doctor,
};
