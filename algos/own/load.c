/* Loads an algorithm from a shared library, and checks that it can be one of this convoy's. */
#include "algos/own/own.h"

#include "algos/algos.h"
#include "algos/convoy.h"
#include "core/base/mem.h"
#include "core/file/paths.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

/* ---- the file ---- */

/*
 * 0, or error() unless the file is a whole shared library for this processor: what the dynamic
 * linker maps beyond the end of a file would end this process.
 */
static int library_check(const char *what, const char *path)
{
	size_t n;
	char *bytes = file_read(path, &n);
	FILE *self = file_open("/proc/self/exe");
	ElfW(Ehdr) own = { 0 }, head = { 0 };
	int ret = 0;

	if (self) {
		if (fread(&own, sizeof(own), 1, self) != 1)
			ret = error("%s: this program's own file cannot be read", what);
		fclose(self);
	}
	if (!bytes || !self || ret < 0) {
		free(bytes);
		return -1;
	}
	memcpy(&head, bytes, n < sizeof(head) ? n : sizeof(head));
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
		ret = error("%s: not a shared library (expected an ELF file, as 'cc -shared -fPIC' "
			    "makes)", what);
	else if (head.e_ident[EI_CLASS] != own.e_ident[EI_CLASS] ||
		 head.e_ident[EI_DATA] != own.e_ident[EI_DATA] || head.e_machine != own.e_machine)
		ret = error("%s: made for another processor (ELF machine %d; this convoy: %d). "
			    "Compile it here", what, head.e_machine, own.e_machine);
	else if (head.e_type != ET_DYN)
		ret = error("%s: not a shared library but another kind of ELF file. Compile with "
			    "-shared -fPIC", what);
	else if (head.e_phentsize != sizeof(ElfW(Phdr)) || head.e_phoff > n ||
		 head.e_phnum > (n - head.e_phoff) / sizeof(ElfW(Phdr)))
		ret = error("%s: the file is damaged. Compile it again", what);
	for (size_t i = 0; ret == 0 && i < head.e_phnum; i++) {
		ElfW(Phdr) part;

		memcpy(&part, bytes + head.e_phoff + i * sizeof(part), sizeof(part));
		if (part.p_type == PT_LOAD && (part.p_offset > n ||
					       part.p_filesz > n - part.p_offset))
			ret = error("%s: the file is cut short. Compile it again", what);
	}
	free(bytes);
	return ret;
}

/* ---- its table ---- */

/* 0, or error() if its headers are not those of this convoy. */
static int abi_check(const char *what, const struct own_algorithm *own)
{
	static const uint32_t sizes[] = CONVOY_SIZES;

	if (own->abi < CONVOY_ABI)
		return error("%s: compiled with the headers of an older convoy (interface %u; this "
			     "convoy: %d). Compile it again", what, (unsigned)own->abi, CONVOY_ABI);
	if (own->abi > CONVOY_ABI)
		return error("%s: compiled with the headers of a newer convoy (interface %u; this "
			     "convoy: %d). Compile it with this one's headers, or use the newer "
			     "convoy", what, (unsigned)own->abi, CONVOY_ABI);
	if (memcmp(own->sizes, sizes, sizeof(sizes)) != 0)
		return error("%s: compiled with other headers than this convoy's, although both "
			     "have interface %d. Compile it again", what, CONVOY_ABI);
	return own->algo ? 0 : error("%s: its table has no algorithm", what);
}

static size_t field_size(const struct opt *o)
{
	static const size_t sizes[] = {
		[OPT_BOOL] = sizeof(bool), [OPT_INT] = sizeof(int64_t), [OPT_INT32] = sizeof(int),
		[OPT_DOUBLE] = sizeof(double), [OPT_STRING] = sizeof(char *),
		[OPT_ENUM] = sizeof(int), [OPT_DOUBLES] = sizeof(struct opt_doubles)
	};

	return sizes[o->type];
}

static size_t field_alignment(const struct opt *o)
{
	static const size_t alignments[] = {
		[OPT_BOOL] = _Alignof(bool), [OPT_INT] = _Alignof(int64_t),
		[OPT_INT32] = _Alignof(int), [OPT_DOUBLE] = _Alignof(double),
		[OPT_STRING] = _Alignof(char *), [OPT_ENUM] = _Alignof(int),
		[OPT_DOUBLES] = _Alignof(struct opt_doubles)
	};

	return alignments[o->type];
}

/* 0, or error() for a name that cannot be written on a command line, or is another option's. */
static int option_check_name(const char *what, const struct opt *opts, const struct opt *o)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_";

	if (!*o->name || strspn(o->name, letters) != strlen(o->name))
		return error("%s: '%s' is no name for an option (expected letters, digits and "
			     "'_')", what, o->name);
	return opt_find(opts, o->name) == o ? 0 : error("%s: it has two options %s", what, o->name);
}

/* 0, or error() for defaults that the options themselves refuse. */
static int options_check_defaults(const char *what, const struct plugin *p)
{
	scoped char *where = xasprintf("%s: a default of its table of options", what);
	scoped void *conf = xcalloc(p->conf_size + 1, 1);
	int ret = 0;

	for (const struct opt *o = p->opts; o && o->name && ret == 0; o++)
		if (o->def)
			ret = opt_set(p->opts, conf, o->name, o->def, where);
	opt_release(p->opts, conf);
	return ret;
}

/* 0, or error() where an option before this one fills some of its bytes. */
static int option_check_apart(const char *what, const struct opt *opts, const struct opt *o)
{
	for (const struct opt *a = opts; a < o; a++)
		if (a->offset < o->offset + field_size(o) && o->offset < a->offset + field_size(a))
			return error("%s: options %s and %s fill the same bytes (expected the "
				     "offset of each in the struct)", what, a->name, o->name);
	return 0;
}

int own_check_options(const char *what, const struct plugin *p)
{
	for (const struct opt *o = p->opts; o && o->name; o++) {
		if (option_check_name(what, p->opts, o) < 0)
			return -1;
		if ((unsigned)o->type > OPT_DOUBLES)
			return error("%s: option %s has an unknown type", what, o->name);
		if (o->offset > p->conf_size || field_size(o) > p->conf_size - o->offset)
			return error("%s: option %s lies beyond the %zu bytes of .conf_size "
				     "(expected sizeof of the struct that the options fill)", what,
				     o->name, p->conf_size);
		if (o->type == OPT_ENUM && (!o->choices || !o->choices[0]))
			return error("%s: option %s has no choices", what, o->name);
		if (o->offset % field_alignment(o))
			return error("%s: option %s lies at byte %zu, where no value of its type "
				     "can be (expected its offset in the struct)", what, o->name,
				     o->offset);
		if (option_check_apart(what, p->opts, o) < 0)
			return -1;
	}
	return options_check_defaults(what, p);
}

/* 0, or error() for a table without a member that every run needs. */
static int algo_check(const char *what, const struct algo *algo)
{
	const struct role *w = algo->worker, *s = algo->server;

	if (!w)
		return error("%s: .worker is NULL (expected a struct role)", what);
	if (!w->start)
		return error("%s: the worker has no .start, so no gradient would ever be asked "
			     "for", what);
	if (!w->grad && !w->allreduce && !w->stage)
		return error("%s: the worker has neither .grad nor .allreduce, so it could not "
			     "receive a gradient", what);
	if (s && !s->msg)
		return error("%s: the server has no .msg, so it could not receive a message", what);
	if (algo->round && !opt_find(algo->plugin.opts, algo->round))
		return error("%s: .round = \"%s\" is none of its options", what, algo->round);
	if (algo->gain || algo->gain_limit || algo->outer || algo->codec || algo->first ||
	    algo->settles || algo->synchronous)
		return error("%s: .gain, .gain_limit, .outer, .codec, .first, .settles and "
			     ".synchronous are for convoy's own algorithms, as a plan that loads "
			     "no code needs them. Leave them out", what);
	if (own_check_options(what, &algo->plugin) < 0)
		return -1;
	return !algo->graph || plugin_find(graph_table, "graph", algo->graph) ? 0
		: error("%s: .graph = \"%s\" is no topology", what, algo->graph);
}

const struct algo *own_load(const char *what, const char *path)
{
	const struct own_algorithm *own;
	void *library;

	if (library_check(what, path) < 0)
		return NULL;
	dlerror();
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		const char *why = dlerror();
		const char *undefined = why ? strstr(why, "undefined symbol: ") : NULL;

		error(undefined ? "%s: %s: neither the file nor convoy has it. Link what defines it"
				: "%s: cannot be loaded: %s", what, undefined ? undefined : why);
		return NULL;
	}
	own = dlsym(library, "convoy_algorithm");
	if (!own) {
		error("%s: exports no algorithm. Add CONVOY_ALGORITHM(NAME) at the end of the file "
		      "(convoy.h)", what);
		return NULL;
	}
	return abi_check(what, own) < 0 || algo_check(what, own->algo) < 0 ? NULL : own->algo;
}
