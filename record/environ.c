/* Where and with what a run was made. */
#include "record/environ.h"

#include "core/base/cores.h"
#include "core/base/mem.h"
#include "record/h5.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#ifdef CONVOY_HAVE_ONEDNN
#include <oneapi/dnnl/dnnl.h>
#include <oneapi/dnnl/dnnl_debug.h>
#pragma weak dnnl_version
#pragma weak dnnl_get_effective_cpu_isa
#pragma weak dnnl_cpu_isa2str
#endif

#ifndef CONVOY_VERSION
#define CONVOY_VERSION "unknown"
#endif
#ifndef CONVOY_COMMIT
#define CONVOY_COMMIT "unknown"
#endif

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* OpenBLAS's own, where the BLAS that was linked is OpenBLAS. */
char *openblas_get_config(void) __attribute__((weak));
char *openblas_get_corename(void) __attribute__((weak));

static const char *quote_free(const char *s)
{
	for (const char *p = s; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("-_./:,=+@%", *p))
			return NULL;
	return *s ? s : NULL;
}

/* Writes one word of a command line, quoted where a shell needs it. */
static void put_word(FILE *out, const char *s)
{
	if (quote_free(s)) {
		fputs(s, out);
		return;
	}
	putc('\'', out);
	for (; *s; s++)
		if (*s == '\'')
			fputs("'\\''", out);
		else
			putc(*s, out);
	putc('\'', out);
}

char *environ_quote(int argc, char **argv)
{
	char *text;
	size_t n;
	FILE *out = xmemstream(&text, &n);

	for (int i = 0; i < argc; i++) {
		if (i)
			putc(' ', out);
		put_word(out, argv[i]);
	}
	xmemclose(out);
	return text;
}

static int nwords;
static char **words;

void environ_set_command(int argc, char **argv)
{
	nwords = argc;
	words = argv;
}

char *environ_command(void)
{
	return environ_quote(nwords, words);
}

void environ_clock(char out[32])
{
	time_t now = time(NULL);
	struct tm tm;

	if (!gmtime_r(&now, &tm) || !strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &tm))
		out[0] = 0;
}

/* "model name : ..." of the first processor, or the machine's name for one. */
static void cpu_model(const char *machine, char out[256])
{
	FILE *in = fopen("/proc/cpuinfo", "r");
	char line[256];

	snprintf(out, 256, "%s", machine);
	while (in && fgets(line, sizeof(line), in)) {
		char *colon = strchr(line, ':');

		if (!colon || strncmp(line, "model name", 10) != 0)
			continue;
		colon[strcspn(colon, "\n")] = 0;
		snprintf(out, 256, "%s", colon + 1 + strspn(colon + 1, " "));
		break;
	}
	if (in)
		fclose(in);
}

static void add_machine(cJSON *facts)
{
	struct utsname u;
	char system[256], cpu[256];

	if (uname(&u) < 0)
		memset(&u, 0, sizeof(u));
	snprintf(system, sizeof(system), "%.60s %.60s %.60s", u.sysname, u.release, u.machine);
	cpu_model(u.machine, cpu);
	cJSON_AddStringToObject(facts, "host", u.nodename);
	cJSON_AddStringToObject(facts, "system", system);
	cJSON_AddStringToObject(facts, "cpu", cpu);
	cJSON_AddNumberToObject(facts, "cpus", cores_online());
}

static void add_hdf5(cJSON *facts)
{
	unsigned major = 0, minor = 0, patch = 0;
	char text[64];

	H5get_libversion(&major, &minor, &patch);
	snprintf(text, sizeof(text), "%u.%u.%u", major, minor, patch);
	cJSON_AddStringToObject(facts, "hdf5", text);
}

static void add_blas(cJSON *facts)
{
	cJSON_AddStringToObject(facts, "openblas",
				openblas_get_config ? openblas_get_config() : "");
	cJSON_AddStringToObject(facts, "openblas_kernel",
				openblas_get_corename ? openblas_get_corename() : "");
}

static void add_onednn(cJSON *facts)
{
	char text[64] = "";
	const char *isa = "";

#ifdef CONVOY_HAVE_ONEDNN
	const dnnl_version_t *v = dnnl_version ? dnnl_version() : NULL;

	if (v)
		snprintf(text, sizeof(text), "%d.%d.%d", v->major, v->minor, v->patch);
	if (dnnl_get_effective_cpu_isa && dnnl_cpu_isa2str)
		isa = dnnl_cpu_isa2str(dnnl_get_effective_cpu_isa());
#endif
	cJSON_AddStringToObject(facts, "onednn", text);
	cJSON_AddStringToObject(facts, "onednn_isa", isa);
}

cJSON *environ_facts(void)
{
	cJSON *facts = cJSON_CreateObject();

	cJSON_AddStringToObject(facts, "version", CONVOY_VERSION);
	cJSON_AddStringToObject(facts, "commit", CONVOY_COMMIT);
	cJSON_AddStringToObject(facts, "compiler", COMPILER);
	add_machine(facts);
	add_hdf5(facts);
	add_blas(facts);
	add_onednn(facts);
	return facts;
}

int environ_write(hid_t group)
{
	cJSON *facts = environ_facts();
	const cJSON *fact;
	int bad = 0;

	cJSON_ArrayForEach(fact, facts)
		bad |= cJSON_IsString(fact)
			       ? h5_put_text(group, fact->string, fact->valuestring)
			       : h5_put_whole(group, fact->string, (int64_t)fact->valuedouble);
	cJSON_Delete(facts);
	return bad;
}

static void read_facts(cJSON *facts, hid_t group)
{
	static const char *const texts[] = { "version", "commit", "compiler", "hdf5", "openblas",
					     "onednn", "system", "cpu", "started", "ended", NULL };
	int64_t cpus;
	double wall;

	for (const char *const *name = texts; *name; name++) {
		char *text = h5_get_text(group, *name);

		if (text)
			cJSON_AddStringToObject(facts, *name, text);
		free(text);
	}
	if (h5_get_whole(group, "cpus", &cpus) == 0)
		cJSON_AddNumberToObject(facts, "cpus", (double)cpus);
	if (h5_get_real(group, "wall_s", &wall) == 0)
		cJSON_AddNumberToObject(facts, "wall_s", wall);
}

cJSON *environ_read(const char *path)
{
	cJSON *facts = cJSON_CreateObject();
	hid_t file = h5_open(path), group;

	if (file < 0)
		return facts;
	group = H5Gopen2(file, "environment", H5P_DEFAULT);
	if (group >= 0) {
		read_facts(facts, group);
		H5Gclose(group);
	}
	H5Fclose(file);
	return facts;
}

char *environ_host(hid_t file, int64_t *pid)
{
	hid_t group = H5Gopen2(file, "environment", H5P_DEFAULT);
	char *host = h5_get_text(group, "host");

	if (h5_get_whole(group, "pid", pid) < 0) {
		free(host);
		host = NULL;
	}
	if (group >= 0)
		H5Gclose(group);
	return host;
}
