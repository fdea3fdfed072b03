/* sizes.c - sizes of an external problem: asked of its program, or as it last answered. */
#include "nets/external/child.h"

#include "core/base/context.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/code.h"
#include "core/file/output.h"
#include "core/file/paths.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void external_sizes_copy(struct external_sizes *to, const struct external_sizes *from)
{
	*to = *from;
	to->blobs = xcalloc(from->nblobs + 1, sizeof(*to->blobs));
	for (size_t i = 0; i < from->nblobs; i++)
		to->blobs[i] = from->blobs[i];
	to->versions = xstrdup(from->versions);
}

void external_sizes_release(struct external_sizes *sizes)
{
	free_all(sizes->blobs, sizes->versions);
	*sizes = (struct external_sizes){ 0 };
}

/* ---- sizes of earlier runs, for commands that start no code ---- */

/* The file of a net's sizes; NULL: there is no folder for it. The caller frees. */
static char *sizes_path(uint64_t digest)
{
	char *file = xasprintf("problems/%016" PRIx64, digest), *path = path_cached(file);

	free(file);
	return path;
}

/* Reads "DIM N_TRAIN N_TEST"; leaves the sizes as they are where there are none. */
static void sizes_recall(struct external_sizes *sizes, uint64_t digest)
{
	scoped char *path = sizes_path(digest);
	FILE *f = path ? file_open(path) : NULL;
	struct external_sizes s = { 0 };

	if (f && fscanf(f, "%zu %" SCNd64 " %" SCNd64, &s.dim, &s.n[0], &s.n[1]) == 3 &&
	    s.dim > 0 && s.n[0] > 0 && s.n[1] >= 0)
		*sizes = s;
	if (f)
		fclose(f);
}

/* Keeps the sizes, unless they are there. What cannot be written is asked for again. */
static void sizes_keep(const struct external_sizes *sizes, uint64_t digest)
{
	char *path = sizes_path(digest), *text, *folder;
	struct external_sizes had = { 0 };

	sizes_recall(&had, digest);
	if (!path || (had.dim == sizes->dim && had.n[0] == sizes->n[0] &&
		      had.n[1] == sizes->n[1])) {
		free(path);
		return;
	}
	folder = path_folder(path);
	text = xasprintf("%zu %" PRId64 " %" PRId64 "\n", sizes->dim, sizes->n[0], sizes->n[1]);
	context_mute();
	if (dir_make(folder) == 0)
		output_text(path, text);
	context_unmute();
	free_all(folder, text, path);
}

/* ---- files that a program read ---- */

/* " NAME DIGEST NAME DIGEST ...", the end of versions; "": no file is named. */
static const char *files_of(const char *versions)
{
	const char *at = strstr(versions, ", read ");

	return at ? at + strlen(", read") : "";
}

char *external_file_changed(const char *was, const char *is)
{
	enum { DIGITS = 12 };
	const char *at = files_of(was);
	char name[256], digest[DIGITS + 1], *changed = NULL;
	int n = 0;

	while (!changed && sscanf(at, " %255s %12[0-9a-f]%n", name, digest, &n) == 2 &&
	       strlen(digest) == DIGITS) {
		char *row = xasprintf(" %s ", name);
		const char *now = strstr(files_of(is), row);

		if (now && strncmp(now + strlen(row), digest, DIGITS) != 0)
			changed = xstrdup(name);
		free(row);
		at += n;
	}
	return changed;
}

/* ---- sizes that a program tells ---- */

/* The child that was last asked for its sizes, for the run that comes next. */
static struct {
	char *net;
	struct child *child;    /* NULL: it is in use, or of the process that this one is from */
	pid_t owner;
	uint64_t digest;
	struct external_sizes sizes;
} last;

static void last_forget(void)
{
	if (last.child && last.owner == getpid())
		child_end(last.child);
	else if (last.child)
		child_forget(last.child);
	last.child = NULL;
}

void external_end(void)
{
	last_forget();
}

/* Starts a child unless the last one is of this net and file. 0 or error(). */
static int last_ask(const char *net, const struct external_name *name, uint64_t digest)
{
	struct child *c;

	if (last.child && last.owner != getpid())
		last_forget();
	if (last.net && strcmp(last.net, net) == 0 && last.digest == digest)
		return 0;
	last_forget();
	c = child_start(net, name);
	if (child_why(c)) {
		child_show(c);
		child_end(c);
		return -1;
	}
	if (child_remark(c))
		note("%s: %s", net, child_remark(c));
	free(last.net);
	external_sizes_release(&last.sizes);
	last.net = xstrdup(net);
	last.digest = digest;
	last.owner = getpid();
	last.child = c;
	external_sizes_copy(&last.sizes, child_sizes(c));
	sizes_keep(&last.sizes, digest);
	return 0;
}

int external_sizes_of(struct external_sizes *sizes, const char *net)
{
	scoped_by(external_name_release) struct external_name name;
	uint64_t digest = 0;
	int ret;

	*sizes = (struct external_sizes){ 0 };
	ret = external_parse(&name, net);
	if (ret == 0)
		ret = external_digest(&name, &digest);
	if (ret == 0 && !code_permitted()) {
		sizes_recall(sizes, digest);
	} else if (ret == 0) {
		ret = external_check_allowed(net);
		if (ret == 0)
			ret = last_ask(net, &name, digest);
		if (ret == 0)
			external_sizes_copy(sizes, &last.sizes);
	}
	return ret;
}

struct child *sizes_first_child(const char *net, const struct external_name *name, uint64_t digest)
{
	struct child *c;

	if (last.child && last.owner == getpid() && strcmp(last.net, net) == 0 &&
	    last.digest == digest) {
		c = last.child;
		last.child = NULL;
		return c;
	}
	last_forget();
	return child_start(net, name);
}
