/* A line a run. */
#include "cmd/watch/watch.h"

#include "core/base/env.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"
#include "report/text/width.h"
#include "runner/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

enum { WIDTH = 100, HEIGHT = 24, SIDE_MOST = 10000, LABEL_LEAST = 12, FIGURES = 78 };

/* Seconds without a word of a run that goes on, until its line says so. */
static const double silence_s = 120;

/* A variable's number, else what the terminal says, else a guess. */
static int watch_draw_side(const char *variable, int asked, int guess)
{
	const int told = env_count(variable, SIDE_MOST);

	return told > 0 ? told : asked > 0 ? asked : guess;
}

static bool is_utf8(void)
{
	const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < 3; i++) {
		const char *text = getenv(names[i]);

		if (text && *text)
			return strstr(text, "UTF-8") || strstr(text, "utf8");
	}
	return false;
}

struct screen screen_of(FILE *out)
{
	struct winsize size = { 0 };
	struct screen s = {
		.blocks = is_utf8(), .redraw = terminal_moves(out), .colour = terminal_colour(out),
	};

	if (s.redraw)
		ioctl(fileno(out), TIOCGWINSZ, &size);
	s.width = watch_draw_side("COLUMNS", size.ws_col, WIDTH);
	s.height = watch_draw_side("LINES", size.ws_row, HEIGHT);
	return s;
}

static void put_number(FILE *f, const char *what, const char *format, double value)
{
	if (isfinite(value)) {
		fprintf(f, "  %s ", what);
		fprintf(f, format, value);
	}
}

/* Gradients a second, and the seconds that are left at that pace. */
static void put_pace(FILE *f, const struct watched *r)
{
	const double wall = json_number(r->run, "wall_s");
	const double rate = watch_last(r->run, "train", "gradients") / wall;
	char span[32];

	if (isfinite(rate))
		fprintf(f, "  %.*f gradients/s", rate < 100, rate);
	if (r->state != WATCH_RUNNING)
		return;
	if (r->age_s > silence_s) {
		progress_span(r->age_s, span, sizeof(span));
		fprintf(f, "  no update for %s", span);
	} else if (r->fraction > 0 && isfinite(wall)) {
		progress_span(fmax(0, wall * (1 - r->fraction) / r->fraction - r->age_s), span,
			      sizeof(span));
		fprintf(f, "  %s left", span);
	}
}

/* "algo, 4 workers, seed 1", where no plan has a name for the run. */
static char *watch_draw_label_of(const struct watched *r)
{
	const char *slash = strrchr(r->path, '/');

	if (r->label)
		return xstrdup(r->label);
	if (!r->run)
		return xstrdup(slash ? slash + 1 : r->path);
	return xasprintf("%s, %.0f worker%s, seed %.0f", json_string(r->run, "algo"),
			 json_number(r->run, "workers"),
			 word_plural(json_number(r->run, "workers")),
			 json_number(r->run, "seed"));
}

char *watch_line(const struct watched *r, int label_width)
{
	char *text, *label = watch_draw_label_of(r);
	size_t size;
	FILE *f = xmemstream(&text, &size);

	if (label_width && text_width(label) > label_width)
		label[label_width] = '\0';
	text_pad(label, label_width, false, f);
	fprintf(f, "  %-11s %3.0f %%", r->status, floor(100 * r->fraction));
	put_number(f, "epoch", "%.2f", watch_last(r->run, "train", "epoch"));
	put_number(f, "loss", "%.4g", watch_last(r->run, "train", "loss"));
	put_number(f, "accuracy", "%.4f", watch_last(r->run, "eval", "test_accuracy"));
	if (r->run)
		put_pace(f, r);
	xmemclose(f);
	free(label);
	return text;
}

/* As wide as the widest, but where it does not fit on a terminal. */
static int label_width(const struct watch *w, const struct screen *s)
{
	int widest = LABEL_LEAST;
	const int space = s->width - FIGURES > LABEL_LEAST ? s->width - FIGURES : LABEL_LEAST;

	for (size_t i = 0; i < w->n; i++) {
		char *label = watch_draw_label_of(&w->runs[i]);

		widest = text_width(label) > widest ? text_width(label) : widest;
		free(label);
	}
	return widest < space || !s->redraw ? widest : space;
}

static const char *colour_of(enum watch_state state)
{
	static const char *const colour[] = { [WATCH_WAITING] = "\033[2m",
					      [WATCH_RUNNING] = "\033[1m",
					      [WATCH_ENDED] = "\033[32m",
					      [WATCH_BROKEN] = "\033[31m" };

	return colour[state];
}

/* One line, as far as the screen is wide where it is drawn again. */
static void draw_run(const struct watched *r, int label, const struct screen *s, FILE *out)
{
	char *line = watch_line(r, label);

	if (s->redraw && (int)strlen(line) >= s->width)
		line[s->width - 1] = '\0';
	fprintf(out, "%s%s%s\n", s->colour ? colour_of(r->state) : "", line,
		s->colour ? "\033[0m" : "");
	free(line);
}

/* The runs of a state, up to so many; how many were drawn. */
static int draw_state(const struct watch *w, enum watch_state state, int most, int label,
		      const struct screen *s, FILE *out)
{
	int n = 0;

	for (size_t i = 0; i < w->n && n < most; i++) {
		if (w->runs[i].state != state)
			continue;
		draw_run(&w->runs[i], label, s, out);
		n++;
	}
	return n;
}

static int draw_sum(const struct watch *w, FILE *out)
{
	fprintf(out, "%zu run%s: %zu ended, %zu going on, %zu waiting", w->n,
		word_plural((double)w->n),
		watch_count(w, WATCH_ENDED), watch_count(w, WATCH_RUNNING),
		watch_count(w, WATCH_WAITING));
	if (watch_count(w, WATCH_BROKEN))
		fprintf(out, ", %zu broken off", watch_count(w, WATCH_BROKEN));
	fputc('\n', out);
	return 1;
}

void watch_draw(const struct watch *w, struct screen *s, FILE *out)
{
	static const enum watch_state order[] = { WATCH_RUNNING, WATCH_BROKEN, WATCH_ENDED,
						  WATCH_WAITING };
	const int label = label_width(w, s), all = s->redraw ? s->height - 2 : (int)w->n;
	int n = 0;

	if (s->drawn)
		fprintf(out, "\033[%dA\033[J", s->drawn);
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		n += draw_state(w, order[i], all - n, label, s, out);
	if (w->n > 1)
		n += draw_sum(w, out);
	else if (w->n == 1 && w->runs[0].run)
		n += watch_curve(w->runs[0].run, s, out);
	fflush(out);
	s->drawn = s->redraw ? n : 0;
}
