/* `convoy play`: where the page with the simulator is. */
#define _XOPEN_SOURCE 700         /* realpath() */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "core/base/error.h"
#include "core/base/process.h"
#include "core/file/paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct play_conf {
	bool open;
};

static const struct opt play_opts[] = {
	OPT_FLAG(struct play_conf, open, "open the page in a browser, by xdg-open"),
	{ 0 }
};

static const char play_about[] =
	"Prints the path of the page with the simulator: what a slow worker costs, with sliders,\n"
	"for up to three algorithms, and five lessons. It is one file, which any browser opens\n"
	"without a network and without convoy. --open opens it.\n"
	"\n"
	"'./dev web', in a clone of convoy's sources on Debian or Ubuntu, builds the page;\n"
	"'cmake --install' then installs it, too.\n"
	"\n"
	"Examples:\n"
	"  convoy play\n"
	"  convoy play --open";

/* 0 or error(). */
static int page_open(char *path)
{
	char program[] = "xdg-open", *const words[] = { program, path, NULL };
	const struct process_way way = { .words = words, .in = PROCESS_NULL, .out = PROCESS_NULL,
					 .err = PROCESS_NULL };
	struct process p;

	if (process_start(&p, &way) < 0)
		return error("cannot start xdg-open (Debian: xdg-utils): %s. Open the page in a "
			     "browser yourself: %s", strerror(errno), path);
	if (!process_succeeded(process_wait(&p)))
		return error("xdg-open found no browser. Open the page in one yourself: %s", path);
	return 0;
}

static int play(const struct args *a)
{
	const struct play_conf *c = a->conf;
	/* installed; or built from the sources to which the program belongs */
	char *found = path_shipped("web/convoy.html"), *path;
	int ret = 0;

	if (!found)
		found = path_shipped("build/web/convoy.html");
	path = found ? realpath(found, NULL) : NULL;
	free(found);
	if (!path) {
		error("the page is not built: './dev web' in convoy's sources builds "
		      "build/web/convoy.html");
		return EXIT_BAD;
	}
	printf("%s\n", path);
	fflush(stdout);
	if (c->open)
		ret = page_open(path);
	else
		note("open it in a browser, or use --open");
	free(path);
	return ret < 0 ? EXIT_BAD : EXIT_OK;
}

const struct syntax cmd_play = {
	.opts = play_opts, .conf_size = sizeof(struct play_conf), .none = true,
	.usage = "play [--open]",
	.about = play_about, .run = play,
};
