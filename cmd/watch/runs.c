/* Which runs there are, and how far each is. */
#include "cmd/watch/watch.h"

#include "core/base/context.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "core/text/opt_text.h"
#include "core/text/word.h"
#include "record/layout.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static const char ending[] = ".h5", part[] = ".part";
enum { DEEPEST = 6 };

/* Takes path and label over; a run that is there already stays one. */
static void watch_runs_add(struct watch *w, char *path, char *label)
{
	for (size_t i = 0; i < w->n; i++) {
		if (strcmp(w->runs[i].path, path) == 0) {
			free(path);
			free(label);
			return;
		}
	}
	w->runs = xrealloc(w->runs, w->n + 1, sizeof(*w->runs));
	w->runs[w->n++] = (struct watched){ .path = path, .label = label };
}

void watch_plan(struct watch *w, const struct plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->runs[i].same_as == i)
			watch_runs_add(w, xstrdup(p->runs[i].path),
				       xstrdup(*p->runs[i].label ? p->runs[i].label : "baseline"));
}

void watch_file(struct watch *w, const char *path)
{
	const size_t n = strlen(path);

	watch_runs_add(w,
		       xasprintf("%.*s", (int)(word_ends(path, part) ? n - strlen(part) : n), path),
		       NULL);
}

static void add_below(struct watch *w, const char *folder, int depth)
{
	char **paths = depth < DEEPEST ? dir_list(folder, "") : NULL;

	for (char **path = paths; path && *path; path++)
		if (dir_exists(*path))
			add_below(w, *path, depth + 1);
		else if (file_is_regular(*path) &&
			 (word_ends(*path, ".h5.part") || word_ends(*path, ending)))
			watch_file(w, *path);
	path_list_free(paths);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct watched *)a)->path, ((const struct watched *)b)->path);
}

void watch_folder(struct watch *w, const char *folder)
{
	add_below(w, folder, 0);
	if (w->n)
		qsort(w->runs, w->n, sizeof(*w->runs), by_path);
}

double watch_last(const cJSON *run, const char *curve, const char *column)
{
	const cJSON *list = json_get(json_get(run, curve), column);
	const cJSON *last = cJSON_GetArrayItem(list, cJSON_GetArraySize(list) - 1);

	return cJSON_IsNumber(last) ? last->valuedouble : (double)NAN;
}

/* How far the run is on the way to one of its bounds. */
static double watch_runs_toward(const cJSON *run, const char *setting, const char *column)
{
	const char *text = json_string(json_get(run, "settings"), setting);
	const double at = fmax(watch_last(run, "train", column), watch_last(run, "eval", column));
	double bound;

	return text && text_double(text, &bound) && bound > 0 && at > 0 ? at / bound : 0;
}

static double fraction_of(const cJSON *run)
{
	return fmin(1, fmax(watch_runs_toward(run, "epochs", "epoch"),
			    fmax(watch_runs_toward(run, "seconds", "time_s"),
				 watch_runs_toward(run, "gradients", "gradients"))));
}

static enum watch_state state_of(const char *status)
{
	if (strcmp(status, STATUS_RUNNING) == 0)
		return WATCH_RUNNING;
	if (strcmp(status, STATUS_DONE) == 0 || strcmp(status, STATUS_DIVERGED) == 0)
		return WATCH_ENDED;
	return WATCH_BROKEN;
}

static void watch_runs_forget(struct watched *r)
{
	cJSON_Delete(r->run);
	r->run = NULL;
	r->state = WATCH_WAITING;
	r->status = "waiting";
	r->fraction = 0;
}

/* A file that cannot be read is one that is being replaced: it is read at the next look. */
static void read_file(struct watched *r, const char *path)
{
	cJSON *run;

	context_mute();
	run = result_glance(path);
	context_unmute();
	if (!run) {
		r->stamp = 0;
		return;
	}
	watch_runs_forget(r);
	r->run = run;
	r->status = json_string(run, "status");
	r->state = state_of(r->status);
	r->fraction = r->state == WATCH_ENDED ? 1 : fraction_of(run);
}

/* True when the process that makes the run was one of this machine, and is there no more. */
static bool is_gone(const cJSON *process)
{
	const cJSON *pid = json_get(process, "pid");

	return pid && process_gone(json_string(process, "host"), (pid_t)pid->valuedouble);
}

/* A run whose file says that it goes on, and whose process is no more. */
static bool is_cut(const struct watched *r)
{
	return r->state == WATCH_RUNNING && is_gone(json_get(r->run, "process"));
}

/* True when the file is there: it is read if it is not the one that was. */
static bool look_at(struct watched *r, const char *path)
{
	struct stat st;
	int64_t stamp;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	stamp = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	r->age_s = difftime(time(NULL), st.st_mtim.tv_sec);
	if (stamp != r->stamp || !r->run) {
		r->stamp = stamp;
		read_file(r, path);
	}
	return true;
}

static void watch_runs_look(struct watched *r)
{
	char *written = xasprintf("%s%s", r->path, part);

	if (!look_at(r, written) && !look_at(r, r->path))
		watch_runs_forget(r);
	free(written);
}

void watch_look(struct watch *w)
{
	for (size_t i = 0; i < w->n; i++) {
		struct watched *r = &w->runs[i];

		if (!r->status)
			r->status = "waiting";
		watch_runs_look(r);
		if (is_cut(r))          /* or over: the last that it wrote is there by then */
			watch_runs_look(r);
		if (is_cut(r)) {
			r->state = WATCH_BROKEN;
			r->status = "stopped";
		}
	}
}

size_t watch_count(const struct watch *w, enum watch_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		n += w->runs[i].state == state;
	return n;
}

static void watch_runs_release(struct watched *r)
{
	free(r->path);
	free(r->label);
	cJSON_Delete(r->run);
}

void watch_drop_ended(struct watch *w)
{
	size_t n = 0;

	watch_look(w);
	for (size_t i = 0; i < w->n; i++)
		if (w->runs[i].state == WATCH_RUNNING)
			w->runs[n++] = w->runs[i];
		else
			watch_runs_release(&w->runs[i]);
	w->n = n;
}

void watch_release(struct watch *w)
{
	for (size_t i = 0; i < w->n; i++)
		watch_runs_release(&w->runs[i]);
	free(w->runs);
	*w = (struct watch){ 0 };
}
