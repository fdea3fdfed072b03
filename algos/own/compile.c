/* Compiles an algorithm in a file in C by the user's compiler, and keeps the library in a cache. */
#include "algos/own/own.h"

#include "algos/convoy.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/file/paths.h"
#include "core/file/temporary.h"

#include <errno.h>
#include <sha2.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef CONVOY_COMMIT
#define CONVOY_COMMIT "unknown"
#endif

/* Most seconds that a compiler may take, and most bytes of what it says of itself. */
static const double limit_s = 300.0;
enum { SAYS_MOST = 1 << 16 };

/* How built-in algorithms are compiled, as far as results depend on it (cmake/flags.cmake). */
static const char *const flags[] = {
	"-std=c11", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fPIC", "-shared", "-Wall",
	"-Wextra", "-Werror=implicit-function-declaration", "-D_POSIX_C_SOURCE=200809L", NULL
};

/* ---- where the cache and the headers are ---- */

char *own_cache(const char *name)
{
	char *file = xasprintf("code/%s", name), *path = path_cached(file);

	free(file);
	return path;
}

/* FOLDER/BELOW if it has convoy's headers, else NULL. The caller frees. */
static char *headers_in(const char *folder, const char *below)
{
	char *dir = xasprintf("%s%s", folder, below);
	scoped char *node = xasprintf("%s/core/node.h", dir);

	if (!file_is_regular(node)) {
		free(dir);
		dir = NULL;
	}
	return dir;
}

char *own_headers(void)
{
	static const char *const below[] = { "/convoy-share", "/include/convoy" };
	const char *home = getenv("CONVOY_HOME");
	char *exe = process_program(), *slash;
	char *found = home && *home ? headers_in(home, "") : NULL;

	for (int up = 0; up < 2 && !found && exe && (slash = strrchr(exe, '/')); up++) {
		*slash = '\0';
		for (int i = 0; i < 2 && !found; i++)
			found = headers_in(exe, below[i]);
	}
	free(exe);
	return found ? found : headers_in(CONVOY_PREFIX_INCLUDE, "/convoy");
}

char *own_headers_flags(const char *headers)
{
	return xasprintf("-I'%s' -I'%s/algos' -ffp-contract=off -fno-math-errno "
			 "-D_POSIX_C_SOURCE=200809L", headers, headers);
}

/* ---- the compiler ---- */

void own_compiler(struct texts *words)
{
	const char *cc = getenv("CC");
	char *copy = xstrdup(cc && cc[strspn(cc, " ")] ? cc : "cc"), *rest;

	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		texts_put(words, word);
	free(copy);
}

static bool (*stop)(void);

void own_stop_when(bool (*when)(void))
{
	stop = when;
}

static bool is_stopped(void *arg)
{
	(void)arg;
	return stop && stop();
}

/* A process group of its own, because a compiler starts others; all end with this process. */
static int compiler_start(struct process *child, char **argv, bool version)
{
	const struct process_way way = { .words = argv, .in = PROCESS_NULL,
					 .out = version ? PROCESS_PIPE : PROCESS_NULL,
					 .err = version ? PROCESS_NULL : PROCESS_PIPE,
					 .group = true, .end_signal = SIGKILL };

	return process_start(child, &way);
}

/* Collects the text under the limits, in which the group ends; a.text is to be freed. */
static struct process_answer compiler_collect(struct process *child, size_t most)
{
	const struct process_limits limits = { .seconds = limit_s, .bytes = most,
					       .tick = is_stopped };
	const pid_t group = child->pid;
	struct process_answer a;

	process_guard(group);
	a = process_collect(child, &limits);
	process_unguard(group);
	return a;
}

/* The compiler's own words on its version; the caller frees. NULL after error(). */
static char *compiler_version(const char *what, const struct texts *compiler)
{
	scoped_by(texts_release) struct texts words = { 0 };
	struct process child;
	char *text = NULL;

	for (size_t i = 0; i < compiler->n; i++)
		texts_put(&words, compiler->v[i]);
	texts_put(&words, "--version");
	if (compiler_start(&child, words.v, true) < 0)
		error("%s: the C compiler '%s' cannot be started: %s. Install one, or set CC",
		      what, compiler->v[0], strerror(errno));
	else
		text = compiler_collect(&child, SAYS_MOST).text;
	return text;
}

/* Compiles path to the file `to`. 0 or error(). */
static int compiler_run(const char *what, const struct texts *compiler, const char *headers,
			const char *path, const char *to)
{
	char *own = xasprintf("%s/algos", headers);
	const char *const more[] = { "-isystem", headers, "-isystem", own, "-o", to, path, "-lm" };
	struct process_answer a;
	struct process child;
	scoped_by(texts_release) struct texts words = { 0 };
	int ret = -1;

	for (size_t i = 0; i < compiler->n; i++)
		texts_put(&words, compiler->v[i]);
	for (int i = 0; flags[i]; i++)
		texts_put(&words, flags[i]);
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		texts_put(&words, more[i]);
	if (compiler_start(&child, words.v, false) < 0) {
		error("%s: the C compiler '%s' cannot be started: %s", what, compiler->v[0],
		      strerror(errno));
	} else {
		a = compiler_collect(&child, 0);
		fputs(a.text ? a.text : "", stderr);
		if (a.end == PROCESS_STOPPED)
			error("%s: interrupted while it was compiled", what);
		else if (a.end == PROCESS_LATE)
			error("%s: the compiler %s took longer than %g s", what, compiler->v[0],
			      limit_s);
		else if (!process_succeeded(a.status))
			error("%s: it does not compile (messages of %s above)", what,
			      compiler->v[0]);
		else
			ret = 0;
		free(a.text);
	}
	free(own);
	return ret;
}

/* ---- the cache ---- */

static void sum_text(SHA2_CTX *sum, const char *text)
{
	SHA256Update(sum, (const uint8_t *)text, strlen(text) + 1);
}

/*
 * Name in the cache: of the code, this convoy, the headers' folder, the compiler and the flags.
 * NULL after error().
 */
static char *library_name(const char *what, const char *digest, const char *headers,
			  const struct texts *compiler)
{
	char *version = compiler_version(what, compiler), text[SHA256_DIGEST_STRING_LENGTH];
	char *convoy = xasprintf("%d %s %s", CONVOY_ABI, CONVOY_VERSION, CONVOY_COMMIT);
	SHA2_CTX sum;

	if (!version) {
		free(convoy);
		return NULL;
	}
	SHA256Init(&sum);
	sum_text(&sum, digest);
	sum_text(&sum, convoy);
	sum_text(&sum, headers);
	sum_text(&sum, version);
	for (size_t i = 0; i < compiler->n; i++)
		sum_text(&sum, compiler->v[i]);
	for (int i = 0; flags[i]; i++)
		sum_text(&sum, flags[i]);
	SHA256End(&sum, text);
	free(version);
	free(convoy);
	return xasprintf("%.32s.so", text);
}

/* Compiles to `library`, by a temporary file. 0 or error(). */
static int library_make(const char *what, const struct texts *compiler, const char *headers,
			const char *path, const char *library)
{
	scoped char *dir = path_folder(library);
	scoped char *temporary = NULL;
	int fd = -1, ret = dir_make_or(dir, ". It is for compiled algorithms: XDG_CACHE_HOME names "
				       "another folder");

	if (ret == 0) {
		fd = temporary_create(library, ".new", &temporary);
		if (fd < 0)
			ret = temporary_failed(library, errno);
	}
	if (ret == 0)
		ret = compiler_run(what, compiler, headers, path, temporary);
	if (ret == 0 && temporary_rename(temporary, library) < 0)
		ret = temporary_failed(library, errno);
	if (ret < 0 && temporary)
		unlink(temporary);
	if (fd >= 0)
		close(fd);
	return ret;
}

char *own_compile(const char *what, const char *path, const char *digest)
{
	struct texts compiler = { 0 };
	char *headers = own_headers(), *name = NULL, *library = NULL;

	own_compiler(&compiler);
	if (!headers)
		error("%s: convoy's headers are not installed (PREFIX/include/convoy), or set "
		      "CONVOY_HOME to its sources", what);
	else
		name = library_name(what, digest, headers, &compiler);
	if (name) {
		library = own_cache(name);
		if (!library)
			error("%s: there is no folder for what is compiled. Set HOME or "
			      "XDG_CACHE_HOME", what);
	}
	if (library && !file_is_regular(library) &&
	    library_make(what, &compiler, headers, path, library) < 0) {
		free(library);
		library = NULL;
	}
	texts_release(&compiler);
	free(headers);
	free(name);
	return library;
}
