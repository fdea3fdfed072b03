/* `convoy watch`: follows runs by their files, which it only reads. */
#include "cmd/watch/watch.h"

#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/finished.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "core/text/word.h"
#include "plan/tuning.h"
#include "runner/results/folder.h"
#include "runner/signals.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct conf {
	struct finished which;
	bool once;
	double every;
};

static const struct opt opts[] = {
	FINISHED_OPTS,
	OPT_FLAG(struct conf, once, "print the present state and exit"),
	OPT_NUMBER(struct conf, every, "1", "seconds between updates", "SECONDS", 0.1, 3600),
	{ 0 }
};

static const char about[] =
	"Follows runs while another process makes them. Each run is a line: state, progress,\n"
	"epoch, loss, accuracy, gradients a second and the time left; a single run also has a\n"
	"curve. Names an experiment (with the settings of its 'convoy run'), a folder of result\n"
	"files, or one file; by default the unfinished runs of the folder of results. A terminal\n"
	"is redrawn; elsewhere a line is printed when a run changes its state. A run whose\n"
	"process was killed on this machine is 'stopped'. It ends when no run is in progress, or\n"
	"by Ctrl-C. NO_COLOR, COLUMNS and LINES are respected.\n"
	"\n"
	"Examples:\n"
	"  convoy watch jin2016/nodes --scale smoke\n"
	"  convoy watch results/sim/0123456789abcdef.h5.part\n"
	"  convoy watch --once";

/* Whether files are named, and not an experiment. */
static bool is_path(const char *name, bool *folder)
{
	struct stat st;
	char *part = xasprintf("%s.part", name);
	const bool there = stat(name, &st) == 0 || stat(part, &st) == 0;

	free(part);
	*folder = there && S_ISDIR(st.st_mode);
	return there && !word_ends(name, ".json");
}

static int find_planned(struct watch *w, const struct finished *f, const char *name,
			const cJSON *set)
{
	struct plan_request request = { .experiment = name, .scale = f->scale, .set = set,
					.only = f->only, .out = results_folder(f->out) };
	struct plan plan;
	const int rc = plan_make(&plan, &request);

	if (rc == 0 && plan.tuning)
		watch_plan(w, &plan.tuning->plan);
	if (rc == 0)
		watch_plan(w, &plan);
	plan_release(&plan);
	return rc;
}

static int watch_find(struct watch *w, const struct args *a)
{
	const struct conf *c = a->conf;
	const char *name = a->nwords ? a->words[0] : results_folder(c->which.out);
	bool folder = true;

	if (a->nwords && !is_path(name, &folder))
		return find_planned(w, &c->which, name, a->set);
	if (folder)
		watch_folder(w, name);
	else if (access(name, F_OK) == 0 && !file_is_regular(name))
		return error("'%s' is not a regular file. Name a folder, a result or an "
			     "experiment.", name);
	else
		watch_file(w, name);
	if (!a->nwords)
		watch_drop_ended(w);
	return w->n ? 0 : error("%s: no run %s", name, a->nwords ? "in it"
								  : "is in progress in it");
}

/* Elsewhere than on a terminal: the runs whose state is not what it was. */
static void print_changes(const struct watch *w, enum watch_state *was)
{
	for (size_t i = 0; i < w->n; i++) {
		char *line;

		if (w->runs[i].state == was[i])
			continue;
		was[i] = w->runs[i].state;
		line = watch_line(&w->runs[i], 0);
		printf("%s\n", line);
		free(line);
	}
	fflush(stdout);
}

static bool watch_goes_on(const struct watch *w)
{
	return watch_count(w, WATCH_RUNNING) + watch_count(w, WATCH_WAITING) > 0;
}

static int watch_follow(struct watch *w, const struct conf *c)
{
	struct screen s = screen_of(stdout);
	enum watch_state *was = xcalloc(w->n, sizeof(*was));

	for (bool more = true; more && !signal_caught;
	     more = more && !c->once && watch_goes_on(w)) {
		watch_look(w);
		if (c->once || s.redraw)
			watch_draw(w, &s, stdout);
		else
			print_changes(w, was);
		if (!c->once && watch_goes_on(w))
			clock_sleep(c->every);
	}
	free(was);
	return signal_caught ? signals_exit_code() : EXIT_OK;
}

static int watch(const struct args *a)
{
	const struct conf *c = a->conf;
	struct watch w = { 0 };
	int code;

	if (a->nwords > 1)
		return args_usage(a, "one experiment, folder or file at a time");
	if (c->which.only && !args_are_settings(a, "--only", c->which.only))
		return EXIT_USAGE;
	code = watch_find(&w, a) < 0 ? EXIT_BAD : watch_follow(&w, c);
	watch_release(&w);
	return code;
}

int cmd_watch(int argc, char **argv)
{
	struct conf conf;
	struct args a = { .opts = opts, .conf = &conf, .settings = true, .about = about,
			  .usage = "watch [EXPERIMENT|FOLDER|FILE] [--once] [OPTIONS]" };

	return args_main(&a, argc, argv, watch);
}
