/*
 * Runs one fuzz target without a fuzzing engine: over its seeds and over
 * mutations of them, the same at every run.
 *
 *     fuzz_NAME [-n MUTATIONS] [FILE or FOLDER ...]
 *
 * An input that fails is left as crash.bin in the working folder.
 */
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/paths.h"

#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_SEEDS = 256, MAX_BYTES = 1 << 16, STALL_S = 10 };

struct input {
	uint8_t *v;
	size_t n;
};

static struct input seed[MAX_SEEDS];
static int seeds;
static struct input now;                /* what the target is working on */

static void quiet(enum severity sev, const char *fmt, va_list ap)
{
	if (sev < SEV_DIE)
		return;
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	abort();
}

static void keep_crash(int sig)
{
	FILE *f = fopen("crash.bin", "wb");

	if (f) {
		fwrite(now.v, 1, now.n, f);
		fclose(f);
		fprintf(stderr, "signal %d: the input is in crash.bin\n", sig);
	}
	signal(sig, SIG_DFL);
	raise(sig);
}

static void add_seed(const uint8_t *v, size_t n)
{
	if (seeds == MAX_SEEDS)
		return;
	n = n < MAX_BYTES ? n : MAX_BYTES;
	seed[seeds] = (struct input){ xcalloc(n, 1), n };
	memcpy(seed[seeds++].v, v, n);
}

static void add_file(const char *path)
{
	size_t n;
	char *text = file_read(path, &n);

	if (!text)
		exit(2);
	add_seed((uint8_t *)text, n);
	free(text);
}

static int visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* A folder that is not there holds no seeds. */
static void add_path(const char *path)
{
	struct dirent **list;
	struct stat st;
	int n;

	if (stat(path, &st))
		return;
	if (!S_ISDIR(st.st_mode)) {
		add_file(path);
		return;
	}
	n = scandir(path, &list, visible, alphasort);
	for (int i = 0; i < n; i++) {
		char *file = xasprintf("%s/%s", path, list[i]->d_name);

		add_file(file);
		free(file);
		free(list[i]);
	}
	free(list);
}

/* Small, fast, the same everywhere: xorshift64. */
static uint32_t draw(uint32_t below)
{
	static uint64_t s = 88172645463325252u;

	s ^= s << 13;
	s ^= s >> 7;
	s ^= s << 17;
	return (uint32_t)((s >> 32) % below);
}

/* Moves a piece of the input elsewhere, over what is there. */
static void mutate_copy(struct input *in)
{
	size_t from = draw((uint32_t)in->n), to = draw((uint32_t)in->n);
	size_t n = draw((uint32_t)in->n) + 1u;

	n = n < in->n - from ? n : in->n - from;
	n = n < in->n - to ? n : in->n - to;
	memmove(in->v + to, in->v + from, n);
}

static void mutate_delete(struct input *in)
{
	size_t at = draw((uint32_t)in->n), n = 1 + draw(8);

	n = n < in->n - at ? n : in->n - at;
	memmove(in->v + at, in->v + at + n, in->n - at - n);
	in->n -= n;
}

static void mutate_insert(struct input *in)
{
	static const char *const token[] = {
		"\"", "{", "}", "[", "]", ",", ":", "=", "/", "\\", "-", "\n", "e999",
		"99999999999999999999", "-1", "0", "null", "nan", "\xff\xff\xff\xff", "%s%n",
	};
	const char *t = token[draw(sizeof token / sizeof *token)];
	size_t at = draw((uint32_t)in->n + 1), n = strlen(t);

	if (in->n + n > MAX_BYTES)
		return;
	memmove(in->v + at + n, in->v + at, in->n - at);
	memcpy(in->v + at, t, n);
	in->n += n;
}

static void mutate_once(struct input *in)
{
	if (!in->n || draw(4) == 0)
		mutate_insert(in);
	else if (draw(4) == 0)
		in->v[draw((uint32_t)in->n)] ^= (uint8_t)(1u << draw(8));
	else if (draw(3) == 0)
		in->v[draw((uint32_t)in->n)] = (uint8_t)draw(256);
	else if (draw(3) == 0)
		mutate_delete(in);
	else if (draw(3) == 0)
		in->n = draw((uint32_t)in->n + 1);
	else
		mutate_copy(in);
}

/* The target gets a copy of exactly n bytes, so that a sanitizer sees it read over the end. */
static void run(const struct input *in)
{
	now = (struct input){ xcalloc(in->n, 1), in->n };
	memcpy(now.v, in->v, in->n);
	alarm(STALL_S);
	LLVMFuzzerTestOneInput(now.v, now.n);
	alarm(0);
	free(now.v);
}

static void run_mutations(long n)
{
	struct input in = { xcalloc(MAX_BYTES, 1), 0 };

	for (long i = 0; i < n; i++) {
		const struct input *from = &seed[draw((uint32_t)seeds)];

		memcpy(in.v, from->v, from->n);
		in.n = from->n;
		for (uint32_t k = draw(6) + 1; k; k--)
			mutate_once(&in);
		run(&in);
	}
	free(in.v);
}

int main(int argc, char **argv)
{
	long mutations = 1000;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-n") && i + 1 < argc)
			mutations = atol(argv[++i]);
		else
			add_path(argv[i]);
	}
	add_seed((const uint8_t *)"", 0);
	error_set_routine(quiet);
	signal(SIGALRM, keep_crash);
	signal(SIGABRT, keep_crash);
	for (int i = 0; i < seeds; i++)
		run(&seed[i]);
	run_mutations(mutations);
	printf("%d seeds, %ld mutations\n", seeds, mutations);
	for (int i = 0; i < seeds; i++)
		free(seed[i].v);
	return 0;
}
