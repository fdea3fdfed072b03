/* `convoy watch`: follows runs by reading the result files that other processes write. */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "cmd/common.h"
#include "core/base/clock.h"
#include "core/base/context.h"
#include "core/base/env.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/file/paths.h"
#include "core/text/opt_text.h"
#include "core/text/word.h"
#include "plan/spec_tune.h"
#include "record/layout.h"
#include "record/result.h"
#include "report/text/width.h"
#include "runner/progress.h"
#include "runner/results/folder.h"
#include "runner/signals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct watch_conf {
	struct finished which;
	bool once;
	double every;
};

static const struct opt watch_opts[] = {
	FINISHED_OPTS,
	OPT_FLAG(struct watch_conf, once, "print the present state and exit"),
	OPT_NUMBER(struct watch_conf, every, "1", "seconds between updates", "SECONDS", 0.1, 3600),
	{ 0 }
};

static const char watch_about[] =
	"Follows runs while another process makes them. Each run is a line: state, progress,\n"
	"epoch, loss, accuracy, gradients a second and the time left; a single run also has a\n"
	"curve. The argument is an experiment (with the settings of its 'convoy run'), a folder\n"
	"of result files, or one file; default: the unfinished runs of the folder of results. A\n"
	"terminal is redrawn; elsewhere a line is printed when a run changes its state. Several\n"
	"runs also have a line that counts them, with the time left if those that wait take as\n"
	"long as the others. A run whose process was killed on this machine is 'stopped'. It\n"
	"ends when no run is in progress, or by Ctrl-C. NO_COLOR, COLUMNS and LINES are\n"
	"respected.\n"
	"\n"
	"Examples:\n"
	"  convoy watch jin2016/nodes --scale smoke\n"
	"  convoy watch results/sim/0123456789abcdef.h5.part\n"
	"  convoy watch --once";

static const char part[] = ".part";    /* added to a result's name until it is complete */

enum {
	DEEPEST = 6,            /* levels of folders that are searched */
	CURVE_POINTS = 3        /* least of a curve: bars of two are a plateau and its end */
};

/* ---- the list of runs ---- */

enum watch_state { WATCH_WAITING, WATCH_RUNNING, WATCH_ENDED, WATCH_BROKEN };

/* A run by its result file. Numbers are the last of their curve; NaN: there are none. */
struct run_facts {
	char *title;            /* "asgd, 4 workers, seed 1", owned; NULL: nothing was read */
	char *host;             /* of the process that makes the run, owned; NULL: not known */
	pid_t pid;              /* 0: not known */
	double epoch, loss, accuracy, gradients, wall_s;
	const char *curve;      /* "test accuracy" or "training loss" */
	double *x, *y;          /* [n] the curve: epochs, and the values of `curve`; owned */
	size_t n;
};

struct watched {                /* one run */
	char *path;             /* of the result; PATH.part exists until it is complete; owned */
	char *label;            /* the plan's: "algo=asgd seed=1"; owned; NULL: none */
	enum watch_state state;
	char *status;           /* "waiting", "stopped", or as in the file; owned */
	double fraction;        /* run_fraction() */
	double age_s;           /* seconds since the file was last written */
	int64_t stamp;          /* modification time [ns] of the file as last read; 0: read again */
	double changed;         /* when that was seen to change, by clock_s(); 0: it never was */
	struct run_facts seen;
};

struct watch {
	struct watched *runs;   /* [n], owned */
	size_t n;
};

static size_t watch_count(const struct watch *w, enum watch_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		n += w->runs[i].state == state;
	return n;
}

/* Sets state and status, and forgets what was read of the run. */
static void watched_reset(struct watched *r, enum watch_state state, const char *status)
{
	free_all(r->seen.title, r->seen.host, r->seen.x, r->seen.y, r->status);
	r->seen = (struct run_facts){ 0 };
	r->state = state;
	r->status = xstrdup(status);
	r->fraction = 0;
}

static void watched_release(struct watched *r)
{
	watched_reset(r, WATCH_WAITING, NULL);
	free_all(r->path, r->label);
}

/* Adds a run unless its path is listed already. Takes ownership of path and label. */
static void watch_add(struct watch *w, char *path, char *label)
{
	for (size_t i = 0; i < w->n; i++) {
		if (strcmp(w->runs[i].path, path) == 0) {
			free_all(path, label);
			return;
		}
	}
	APPEND(w->runs, w->n) = (struct watched){ .path = path, .label = label };
}

/* Adds the runs of a plan, each once (same_as: an earlier run with the same settings). */
static void watch_add_plan(struct watch *w, const struct plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->runs[i].same_as == i)
			watch_add(w, xstrdup(p->runs[i].path),
				  xstrdup(*p->runs[i].label ? p->runs[i].label : "baseline"));
}

/* Adds a result, named FILE.h5 or FILE.h5.part. */
static void watch_add_file(struct watch *w, const char *path)
{
	const size_t n = strlen(path);

	watch_add(w, xasprintf("%.*s", (int)(word_ends(path, part) ? n - strlen(part) : n), path),
		  NULL);
}

/* Adds the results in a folder and in those below it. */
static void watch_add_folder(struct watch *w, const char *folder, int depth)
{
	scoped_paths char **paths = depth < DEEPEST ? dir_list(folder, "") : NULL;

	for (char **path = paths; path && *path; path++)
		if (dir_exists(*path))
			watch_add_folder(w, *path, depth + 1);
		else if (file_is_regular(*path) &&
			 (word_ends(*path, ".h5.part") || word_ends(*path, ".h5")))
			watch_add_file(w, *path);
}

static int watched_by_path(const void *a, const void *b)
{
	return strcmp(((const struct watched *)a)->path, ((const struct watched *)b)->path);
}

/* ---- reading result files ---- */

/* Reads a column of a curve, and the epochs of its values, into *g. about: what g->curve says. */
static void curve_read(struct run_facts *g, const struct result *run, enum result_curve curve,
		       const char *column, const char *about)
{
	size_t nx, ny;
	const double *x = result_column(run, curve, "epoch", &nx);
	const double *y = result_column(run, curve, column, &ny);

	free_all(g->x, g->y);
	g->x = xcalloc(ny, sizeof(*g->x));
	g->y = xcalloc(ny, sizeof(*g->y));
	g->n = 0;
	g->curve = about;
	for (size_t i = 0; i < nx && i < ny; i++) {
		if (isnan(x[i]) || isnan(y[i]))
			continue;
		g->x[g->n] = x[i];
		g->y[g->n++] = y[i];
	}
}

/* Progress, 0 to 1, to the nearest of the bounds epochs, seconds and gradients; 0: unknown. */
static double run_fraction(const struct result *run)
{
	static const struct {
		const char *setting, *column;
	} bounds[] = {
		{ "epochs", "epoch" }, { "seconds", "time_s" }, { "gradients", "gradients" },
	};
	double fraction = 0, bound;

	for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
		const char *text = result_setting(run, bounds[i].setting);
		const double at = fmax(result_last(run, RESULT_TRAIN, bounds[i].column),
				       result_last(run, RESULT_EVAL, bounds[i].column));

		if (text_double(text, &bound) && bound > 0 && at > 0)
			fraction = fmax(fraction, at / bound);
	}
	return fmin(1, fraction);
}

/* A file that cannot be read is being replaced: stamp 0 has it read at the next update. */
static void watched_read(struct watched *r, const char *path)
{
	struct run_facts *g = &r->seen;
	struct result run;
	double workers;
	bool measured;          /* last: after the last row of training, as at an interruption */
	int ret;

	context_mute();
	ret = result_load(&run, path, RESULT_GLANCE);
	context_unmute();
	if (ret < 0) {
		r->stamp = 0;
		return;
	}
	watched_reset(r, result_is(&run, STATUS_RUNNING) ? WATCH_RUNNING
			 : result_is(&run, STATUS_DONE) || result_diverged(&run) ? WATCH_ENDED
				 : WATCH_BROKEN, run.text[RESULT_STATUS]);
	r->fraction = r->state == WATCH_ENDED ? 1 : run_fraction(&run);
	workers = run.number[RESULT_WORKERS];
	measured = result_last(&run, RESULT_EVAL, "epoch") >
		   result_last(&run, RESULT_TRAIN, "epoch");
	*g = (struct run_facts){
		.title = xasprintf("%s, %.0f worker%s, seed %.0f", run.text[RESULT_ALGO], workers,
				   word_plural(workers), run.number[RESULT_SEED]),
		.host = xstrdup(run.host), .pid = run.host ? (pid_t)run.pid : 0,
		.epoch = result_last(&run, measured ? RESULT_EVAL : RESULT_TRAIN, "epoch"),
		.loss = measured ? result_last(&run, RESULT_EVAL, "train_loss")
				 : result_last(&run, RESULT_TRAIN, "loss"),
		.accuracy = result_last(&run, RESULT_EVAL, "test_accuracy"),
		.gradients = result_last(&run, measured ? RESULT_EVAL : RESULT_TRAIN, "gradients"),
		.wall_s = run.number[MEASURE_WALL],
	};
	curve_read(g, &run, RESULT_EVAL, "test_accuracy", "test accuracy");
	if (g->n < CURVE_POINTS)
		curve_read(g, &run, RESULT_TRAIN, "loss", "training loss");
	result_release(&run);
}

/* Reads the file if it has changed. False when there is no such file. */
static bool watched_read_changed(struct watched *r, const char *path)
{
	struct stat st;
	int64_t stamp;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	stamp = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	if (r->stamp && stamp != r->stamp)
		r->changed = clock_s();
	/* The clock of a file server may be another one. */
	r->age_s = r->changed > 0 ? clock_s() - r->changed
				  : fmax(0, difftime(time(NULL), st.st_mtim.tv_sec));
	if (stamp != r->stamp || !r->seen.title) {
		r->stamp = stamp;
		watched_read(r, path);
	}
	return true;
}

/*
 * Reads the run's file if it has changed. True when the file says that the run is in progress, but
 * its process has ended.
 */
static bool watched_update(struct watched *r)
{
	scoped char *written = xasprintf("%s%s", r->path, part);

	if (!watched_read_changed(r, written) && !watched_read_changed(r, r->path))
		watched_reset(r, WATCH_WAITING, "waiting");
	return r->state == WATCH_RUNNING && r->seen.pid && process_gone(r->seen.host, r->seen.pid);
}

static void watch_update(struct watch *w)
{
	for (size_t i = 0; i < w->n; i++) {
		struct watched *r = &w->runs[i];

		if (!r->status)
			r->status = xstrdup("waiting");
		/*
		 * Between reading and checking, the run may have completed and its process ended.
		 * Then the second reading finds the complete file; else the process was killed.
		 */
		if (watched_update(r) && watched_update(r)) {
			free(r->status);
			r->state = WATCH_BROKEN;
			r->status = xstrdup("stopped");
		}
	}
}

/* ---- a single run's curve as bars of block characters, whose heights are in eighths ---- */

/* Size and abilities of the terminal or file that is written to. */
struct screen {
	int width, height;      /* characters, lines */
	bool redraw;            /* lines are drawn over the old ones */
	bool colour, blocks;    /* blocks: UTF-8 */
	int drawn;              /* lines drawn last, which the next drawing replaces */
};

/* Height of a curve; characters for its scale at the left; largest width. */
enum { CURVE_LINES = 6, MARGIN = 10, COLUMNS_MOST = 72 };

/* Draws accuracy, or else loss, against epochs. Returns the number of lines drawn. */
static int curve_draw(const struct run_facts *g, const struct screen *s, FILE *out)
{
	static const char *const block[] = { " ", "▁", "▂", "▃", "▄",
					     "▅", "▆", "▇", "█" };
	static const char *const plain[] = { " ", ".", ".", ".", ":", ":", "|", "|", "|" };
	const int width = s->width - MARGIN - 1;
	const int columns = width < 8 ? 8 : width > COLUMNS_MOST ? COLUMNS_MOST : width;
	double height[COLUMNS_MOST], low, high, from, span;
	size_t k = 0;
	scoped char *about = NULL;

	if (g->n < CURVE_POINTS)
		return 0;
	low = high = g->y[0];
	for (size_t i = 0; i < g->n; i++) {
		low = fmin(low, g->y[i]);
		high = fmax(high, g->y[i]);
	}
	if (high <= low)
		high = low + fmax(fabs(low), 1e-9);
	/* A column is as high as the last point that falls into it, or as the one before it. */
	from = g->x[0];
	span = g->x[g->n - 1] - from;
	for (int i = 0; i < columns; i++) {
		while (k + 1 < g->n && g->x[k + 1] <= from + span * (i + 1) / columns)
			k++;
		height[i] = g->y[k];
	}
	for (int line = CURVE_LINES - 1; line >= 0; line--) {
		if (line == CURVE_LINES - 1 || line == 0)
			fprintf(out, "%*.4g ", MARGIN - 1, line ? high : low);
		else
			fprintf(out, "%*s", MARGIN, "");
		for (int i = 0; i < columns; i++) {
			const double lines = (height[i] - low) / ((high - low) / CURVE_LINES);
			const double eighths = round(8 * (lines - line));
			/* the lowest line is never empty */
			const int shown = (int)fmin(8, fmax(line == 0, eighths));

			fputs((s->blocks ? block : plain)[shown], out);
		}
		fputc('\n', out);
	}
	about = xasprintf("%s, epoch %.4g to %.4g", g->curve, from, g->x[g->n - 1]);
	text_cut(about, columns);
	fprintf(out, "%*s%s\n", MARGIN, "", about);
	return CURVE_LINES + 1;
}

/* ---- a line for each run ---- */

/*
 * Width and height where the terminal does not tell; largest ones accepted; narrowest label;
 * characters of a line after its label.
 */
enum { WIDTH = 100, HEIGHT = 24, SIDE_MOST = 10000, LABEL_LEAST = 12, FIGURES = 78 };

/* If a running run's file is not updated for so long, its line says so. */
static const double silence_s = 120;

/* The number in an environment variable, else what the terminal says, else a guess. */
static int screen_side(const char *variable, int asked, int guess)
{
	const int told = env_count(variable, SIDE_MOST);

	return told > 0 ? told : asked > 0 ? asked : guess;
}

static struct screen screen_of(FILE *out)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	struct winsize size = { 0 };
	struct screen s = {
		.redraw = terminal_moves(out), .colour = terminal_colour(out),
	};

	for (size_t i = 0; i < 3; i++) {
		const char *text = getenv(names[i]);

		if (text && *text) {
			s.blocks = strstr(text, "UTF-8") || strstr(text, "utf8");
			break;
		}
	}
	if (s.redraw)
		ioctl(fileno(out), TIOCGWINSZ, &size);
	s.width = screen_side("COLUMNS", size.ws_col, WIDTH);
	s.height = screen_side("LINES", size.ws_row, HEIGHT);
	return s;
}

static void put_number(FILE *f, const char *what, const char *format, double value)
{
	if (isfinite(value)) {
		fprintf(f, "  %s ", what);
		fprintf(f, format, value);
	}
}

/* Seconds that a run in progress still takes at its pace; NaN: not known. */
static double watched_left_s(const struct watched *r)
{
	const double wall = r->seen.wall_s;

	if (r->state != WATCH_RUNNING || !(r->fraction > 0) || !isfinite(wall) ||
	    r->age_s > silence_s)
		return (double)NAN;
	return fmax(0, wall * (1 - r->fraction) / r->fraction - r->age_s);
}

/* Gradients a second, and the time that is left at that pace. */
static void put_pace(FILE *f, const struct watched *r)
{
	const double rate = r->seen.gradients / r->seen.wall_s, left = watched_left_s(r);
	char span[32];

	if (isfinite(rate))
		fprintf(f, "  %.*f gradients/s", rate < 100, rate);
	if (r->state == WATCH_RUNNING && r->age_s > silence_s) {
		progress_span(r->age_s, span, sizeof(span));
		fprintf(f, "  no update for %s", span);
	} else if (isfinite(left)) {
		progress_span(left, span, sizeof(span));
		fprintf(f, "  %s left", span);
	}
}

/* The plan's name of the run, or what its file says, or the file's name. */
static const char *watched_label(const struct watched *r)
{
	return r->label ? r->label : r->seen.title ? r->seen.title : path_base(r->path);
}

/*
 * "asgd, 4 workers, seed 1  running  42 %  epoch 2.1  loss 0.3 ...". The label is cut or padded to
 * label_width; 0: neither. The caller frees.
 */
static char *watched_line(const struct watched *r, int label_width)
{
	char *text, *label = xstrdup(watched_label(r));
	size_t size;
	FILE *f = xmemstream(&text, &size);

	if (label_width)
		text_cut(label, label_width);
	text_pad(label, label_width, f);
	fprintf(f, "  %-11s %3.0f %%", r->status, floor(100 * r->fraction));
	if (r->seen.title) {
		put_number(f, "epoch", "%.2f", r->seen.epoch);
		put_number(f, "loss", "%.4g", r->seen.loss);
		put_number(f, "accuracy", "%.4f", r->seen.accuracy);
		put_pace(f, r);
	}
	xmemclose(f);
	free(label);
	return text;
}

/* Draws at most `most` runs of a state, with labels of width `label`. Returns how many. */
static int draw_state(const struct watch *w, enum watch_state state, int most, int label,
		      const struct screen *s, FILE *out)
{
	static const char *const colour[] = { [WATCH_WAITING] = "\033[2m",
					      [WATCH_RUNNING] = "\033[1m",
					      [WATCH_ENDED] = "\033[32m",
					      [WATCH_BROKEN] = "\033[31m" };
	int n = 0;

	for (size_t i = 0; i < w->n && n < most; i++) {
		char *line;

		if (w->runs[i].state != state)
			continue;
		line = watched_line(&w->runs[i], label);
		if (s->redraw)
			text_cut(line, s->width - 1);
		fprintf(out, "%s%s%s\n", s->colour ? colour[state] : "", line,
			s->colour ? "\033[0m" : "");
		free(line);
		n++;
	}
	return n;
}

/*
 * Seconds until all runs have ended, if those that tell nothing yet take as long as the others and
 * as many run at once as now; not finite: not known.
 */
static double watch_left_s(const struct watch *w)
{
	double left = 0, whole = 0;     /* seconds of the runs that are known, added up */
	size_t known = 0, unknown = watch_count(w, WATCH_WAITING);

	for (size_t i = 0; i < w->n; i++) {
		const struct watched *r = &w->runs[i];
		const double rest = r->state == WATCH_ENDED ? 0 : watched_left_s(r);

		if (isnan(rest) || !isfinite(r->seen.wall_s)) {
			unknown += r->state == WATCH_RUNNING;
			continue;
		}
		left += rest;
		whole += r->seen.wall_s / r->fraction;
		known++;
	}
	return (left + (double)unknown * whole / (double)known) /
	       (double)watch_count(w, WATCH_RUNNING);
}

/* "7 runs: 3 ended, 2 going on, 2 waiting, about 1:05 left" */
static void watch_put_total(const struct watch *w, FILE *out)
{
	const size_t broken = watch_count(w, WATCH_BROKEN);
	const double left = watch_left_s(w);
	char span[32];

	fprintf(out, "%zu run%s: %zu ended, %zu going on, %zu waiting", w->n,
		word_plural((double)w->n), watch_count(w, WATCH_ENDED),
		watch_count(w, WATCH_RUNNING), watch_count(w, WATCH_WAITING));
	if (broken)
		fprintf(out, ", %zu broken off", broken);
	if (isfinite(left)) {
		progress_span(left, span, sizeof(span));
		fprintf(out, ", about %s left", span);
	}
	fputc('\n', out);
}

/* Draws all runs (a single one also with its curve) over what was drawn before. */
static void watch_draw(const struct watch *w, struct screen *s, FILE *out)
{
	static const enum watch_state order[] = { WATCH_RUNNING, WATCH_BROKEN, WATCH_ENDED,
						  WATCH_WAITING };
	const int space = s->width - FIGURES > LABEL_LEAST ? s->width - FIGURES : LABEL_LEAST;
	const int most = s->redraw ? s->height - 2 : (int)w->n;         /* lines for runs */
	int label = LABEL_LEAST, n = 0;

	/* labels are padded to the widest, or on a terminal cut to the space there is */
	for (size_t i = 0; i < w->n; i++) {
		const int width = text_width(watched_label(&w->runs[i]));

		label = width > label ? width : label;
	}
	if (s->redraw && label > space)
		label = space;
	if (s->drawn)
		fprintf(out, "\033[%dA\033[J", s->drawn);
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		n += draw_state(w, order[i], most - n, label, s, out);
	if (w->n > 1) {
		watch_put_total(w, out);
		n++;
	} else if (w->n == 1) {
		n += curve_draw(&w->runs[0].seen, s, out);
	}
	fflush(out);
	s->drawn = s->redraw ? n : 0;
}

/* ---- the command ---- */

/* Finds the runs that the command line means. 0 or error(). */
static int watch_find(struct watch *w, const struct args *a)
{
	const struct watch_conf *c = a->conf;
	const char *name = a->nwords ? a->words[0] : results_folder(c->which.out);
	char *written = xasprintf("%s%s", name, part);
	struct stat st = { 0 };
	const bool there = stat(name, &st) == 0 || stat(written, &st) == 0;
	size_t n = 0;

	free(written);
	/* a word that is no file or folder, or a spec in JSON, names an experiment */
	if (a->nwords && (!there || word_ends(name, ".json"))) {
		const struct plan_request request = {
			.experiment = name, .scale = c->which.scale, .set = a->set,
			.only = c->which.only, .out = results_folder(c->which.out),
		};
		struct plan plan;
		const int rc = plan_make(&plan, &request);

		if (rc == 0 && plan.tuning)
			watch_add_plan(w, &plan.tuning->plan);
		if (rc == 0)
			watch_add_plan(w, &plan);
		plan_release(&plan);
		return rc;
	}
	if (!a->nwords || S_ISDIR(st.st_mode)) {
		watch_add_folder(w, name, 0);
		if (w->n)
			qsort(w->runs, w->n, sizeof(*w->runs), watched_by_path);
	} else if (access(name, F_OK) == 0 && !file_is_regular(name)) {
		return error("'%s' is not a regular file. Name a folder, a result or an "
			     "experiment", name);
	} else if (!word_ends(name, ".h5") && !word_ends(name, ".h5.part")) {
		return error("'%s' is no result (expected a name that ends in .h5). Name a folder, "
			     "a result or an experiment", name);
	} else {
		watch_add_file(w, name);
	}
	/* without a word: only the runs in progress */
	if (!a->nwords) {
		watch_update(w);
		for (size_t i = 0; i < w->n; i++)
			if (w->runs[i].state == WATCH_RUNNING)
				w->runs[n++] = w->runs[i];
			else
				watched_release(&w->runs[i]);
		w->n = n;
	}
	return w->n ? 0 : error("%s: no run %s", name, a->nwords ? "in it"
								  : "is in progress in it");
}

static bool watch_goes_on(const struct watch *w)
{
	return watch_count(w, WATCH_RUNNING) + watch_count(w, WATCH_WAITING) > 0;
}

static int watch_follow(struct watch *w, const struct watch_conf *c)
{
	struct screen s = screen_of(stdout);
	enum watch_state *was = xcalloc(w->n, sizeof(*was));    /* zero: WATCH_WAITING */

	for (bool more = true; more && !signal_caught; more = !c->once && watch_goes_on(w)) {
		bool changed = false;

		watch_update(w);
		if (c->once || s.redraw)
			watch_draw(w, &s, stdout);
		/* not a terminal: a line for each run whose state has changed, and the total */
		for (size_t i = 0; i < w->n && !c->once && !s.redraw; i++) {
			scoped char *line = NULL;

			if (w->runs[i].state == was[i])
				continue;
			was[i] = w->runs[i].state;
			changed = true;
			line = watched_line(&w->runs[i], 0);
			printf("%s\n", line);
		}
		if (changed && w->n > 1)
			watch_put_total(w, stdout);
		fflush(stdout);
		if (!c->once && watch_goes_on(w))
			clock_sleep(c->every);
	}
	free(was);
	return signal_caught ? signals_exit_code() : EXIT_OK;
}

static int watch(const struct args *a)
{
	const struct watch_conf *c = a->conf;
	struct watch w = { 0 };
	int code;

	if (a->nwords > 1)
		return args_usage(a, "one experiment, folder or file at a time");
	code = watch_find(&w, a) < 0 ? EXIT_BAD : watch_follow(&w, c);
	for (size_t i = 0; i < w.n; i++)
		watched_release(&w.runs[i]);
	free(w.runs);
	return code;
}

const struct syntax cmd_watch = {
	.opts = watch_opts, .conf_size = sizeof(struct watch_conf), .settings = true,
	.usage = "watch [EXPERIMENT|FOLDER|FILE] [--once] [OPTIONS]",
	.about = watch_about, .run = watch,
};
