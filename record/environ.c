/* Machine, libraries and command of a run. */
#include "record/environ.h"
#include "record/environ_file.h"

#include "core/base/cores.h"
#include "core/base/mem.h"
#include "core/file/h5.h"
#include "core/math/blas_library.h"
#include "record/tree.h"

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

const char environ_version[] = CONVOY_VERSION, environ_commit[] = CONVOY_COMMIT;

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* OpenBLAS's own, where the BLAS that was linked is OpenBLAS. */
#ifndef CONVOY_LOADS_OPENBLAS
#pragma weak openblas_get_config
#pragma weak openblas_get_corename
#endif

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

static char external[256];      /* "": this program computes them */

void environ_set_external(const char *versions)
{
	snprintf(external, sizeof(external), "%s", versions);
}

void environ_clock(char out[32])
{
	time_t now = time(NULL);
	struct tm tm;

	if (!gmtime_r(&now, &tm) || !strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &tm))
		out[0] = 0;
}

const struct member *environ_facts(size_t *n)
{
	static struct utsname u;
	static char system[256], cpu[256], hdf5[64], onednn[64];
	static struct member facts[ENVIRON_FACTS];
	static bool known;
	const char *isa = "";
	unsigned major = 0, minor = 0, patch = 0;

	*n = ENVIRON_FACTS;
	if (known)
		return facts;
	known = true;
	if (uname(&u) < 0)
		memset(&u, 0, sizeof(u));
	snprintf(system, sizeof(system), "%.60s %.60s %.60s", u.sysname, u.release, u.machine);
	processor_name(cpu, sizeof(cpu));
	H5get_libversion(&major, &minor, &patch);
	snprintf(hdf5, sizeof(hdf5), "%u.%u.%u", major, minor, patch);
#ifdef CONVOY_HAVE_ONEDNN
	const dnnl_version_t *v = dnnl_version ? dnnl_version() : NULL;

	if (v)
		snprintf(onednn, sizeof(onednn), "%d.%d.%d", v->major, v->minor, v->patch);
	if (dnnl_get_effective_cpu_isa && dnnl_cpu_isa2str)
		isa = dnnl_cpu_isa2str(dnnl_get_effective_cpu_isa());
#endif
	const struct member all[ENVIRON_FACTS] = {
		j_text("version", environ_version), j_text("commit", environ_commit),
		j_text("compiler", COMPILER), j_text("host", u.nodename), j_text("system", system),
		j_text("cpu", cpu), j_number("cpus", cores_online()), j_text("hdf5", hdf5),
		j_text("openblas", openblas_get_config ? openblas_get_config() : ""),
		j_text("openblas_kernel", openblas_get_corename ? openblas_get_corename() : ""),
		j_text("onednn", onednn), j_text("onednn_isa", isa),
	};

	memcpy(facts, all, sizeof(facts));
	return facts;
}

void environ_prepare(void)
{
	size_t n;

	environ_facts(&n);
	h5_hush();
}

void environ_write(struct tree *group)
{
	size_t n;
	const struct member *fact = environ_facts(&n);

	for (const struct member *end = fact + n; fact < end; fact++)
		if (fact->kind == MEMBER_TEXT)
			tree_put_text(group, fact->key, fact->v.text);
		else
			tree_put_whole(group, fact->key, (int64_t)fact->v.number);
	if (*external)
		tree_put_text(group, "external", external);
}

cJSON *environ_read(const char *path)
{
	static const char *const texts[] = { "version", "commit", "compiler", "hdf5", "openblas",
					     "onednn", "external", "system", "cpu", "started",
					     "ended", NULL };
	const char *fault;
	cJSON *facts = cJSON_CreateObject();
	struct tree *file = tree_open(path, &fault), *group = tree_find(file, "environment");
	int64_t cpus;
	double wall;

	for (const char *const *name = texts; *name; name++) {
		scoped char *text = tree_get_text(group, *name);

		ADD(facts, j_if(text, j_text(*name, text)));
	}
	if (tree_get_whole(group, "cpus", &cpus) == 0)
		ADD(facts, j_number("cpus", (double)cpus));
	if (tree_get_real(group, "wall_s", &wall) == 0)
		ADD(facts, j_number("wall_s", wall));
	tree_free(file);
	return facts;
}

char *environ_host(const struct tree *file, int64_t *pid)
{
	const struct tree *group = tree_find(file, "environment");
	char *host = tree_get_text(group, "host");

	if (tree_get_whole(group, "pid", pid) < 0) {
		free(host);
		host = NULL;
	}
	return host;
}
