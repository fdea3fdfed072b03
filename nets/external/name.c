/* Names of external problems, their digests, and whether their code may be started. */
#include "nets/external/external.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/file/code.h"
#include "core/file/paths.h"
#include "core/text/opt.h"
#include "core/text/word.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct plugin external_python = {
	.name = "python", .brief = "a model in Python: python:FILE[:FUNCTION][,KEY=VALUE]...",
};

const struct plugin external_exec = {
	.name = "exec", .brief = "a model in another program: exec:PROGRAM[,KEY=VALUE]...",
};

bool external_chosen(const char *net)
{
	return word_starts(net, "python:") || word_starts(net, "exec:") ||
	       strcmp(net, "python") == 0 || strcmp(net, "exec") == 0;
}

/* ---- the parts of a name ---- */

/* Takes "pure=BOOL" for itself and adds any other argument. 0 or error(). */
static int take_argument(struct external_name *name, const char *net, const char *arg)
{
	const size_t key = strcspn(arg, "=");

	if (key == 0 || arg[key] != '=')
		return error("net %s: '%s' is no argument (expected KEY=VALUE)", net, arg);
	if (strcmp(arg, "pure=false") == 0)
		name->pure = false;
	else if (word_starts(arg, "pure=") && strcmp(arg, "pure=true") != 0)
		return error("net %s: %s (expected true or false)", net, arg);
	else if (!word_starts(arg, "pure="))
		xappend(&name->args, ",", arg);
	return 0;
}

int external_parse(struct external_name *name, const char *net)
{
	const bool is_python = word_starts(net, "python");
	const char *colon = strchr(net, ':'), *at = colon ? colon + 1 : "";
	size_t n = item_length(at, is_python ? ":," : ",");
	int ret = 0;

	*name = (struct external_name){ .python = is_python, .pure = true,
					.args = xstrdup(""),
					.file = item_plain(at, n) };
	at += n;
	if (*at == ':') {
		n = strcspn(++at, ",");
		name->function = xasprintf("%.*s", (int)n, at);
		at += n;
	} else {
		name->function = xstrdup("make_problem");
	}
	if (!*name->file)
		return error("net '%s': a file is missing (expected %s)", net,
			     is_python ? "python:FILE.py[:FUNCTION][,KEY=VALUE]..."
				       : "exec:PROGRAM[,KEY=VALUE]...");
	if (!*name->function || strchr(name->function, '='))
		return error("net '%s': '%s' is no function (expected python:%s:FUNCTION; without "
			     "a function, arguments follow a comma: python:%s,%s%s)", net,
			     name->function, name->file, name->file,
			     *name->function ? name->function : *at ? at + 1 : "KEY=VALUE",
			     *name->function ? at : "");
	while (*at && ret == 0) {
		char *arg;

		n = strcspn(++at, ",");
		arg = xasprintf("%.*s", (int)n, at);
		ret = take_argument(name, net, arg);
		free(arg);
		at += n;
	}
	return ret;
}

void external_name_release(struct external_name *name)
{
	free_all(name->file, name->function, name->args);
	*name = (struct external_name){ 0 };
}

int external_digest(const struct external_name *name, uint64_t *digest)
{
	size_t size;
	char *text;

	if (!file_is_regular(name->file)) {
		const int why = access(name->file, F_OK) < 0 ? errno : EISDIR;
		char *advice = path_cut_advice(name->file);

		error("net %s: cannot read '%s': %s%s%s", name->python ? "python" : "exec",
		      name->file, strerror(why), advice,
		      *advice ? ", or write '\\,' and '\\:' in its name" : "");
		free(advice);
		return -1;
	}
	text = file_read(name->file, &size);
	if (!text)
		return -1;
	*digest = fnv(FNV_START, text, size);
	free(text);
	if (code_digest_others(name->file, digest) < 0)
		return -1;
	*digest = fnv_text(fnv_text(*digest, ":"), name->python ? name->function : "");
	*digest = fnv_text(fnv_text(*digest, ","), name->args);
	return 0;
}

/* ---- permission ---- */

int external_check_allowed(const char *net)
{
	struct external_name name;
	uint64_t digest = 0;

	if (code_is_allowed(net))
		return 0;
	if (external_parse(&name, net) == 0 && external_digest(&name, &digest) == 0) {
		char *what = xasprintf("net %s", net), text[17];

		snprintf(text, sizeof(text), "%016" PRIx64, digest);
		code_refuse(what, text);
		free(what);
	}
	external_name_release(&name);
	return -1;
}
