/* Draws the progress line: done, rate and time left, redrawn or appended. */
#include "runner/progress.h"

#include "core/base/clock.h"
#include "core/base/env.h"

#include <stdio.h>

/* Seconds: nothing is shown before the first; then so often, on a terminal and elsewhere. */
static const double silence_s = 2, redraw_s = 0.2, line_s = 30;

void progress_start(struct progress *p, size_t runs, bool quiet)
{
	*p = (struct progress){ .quiet = quiet, .runs = runs, .began = clock_s() };
	p->shown = p->began;
	p->tty = terminal_moves(stderr);
}

double progress_elapsed(const struct progress *p)
{
	return clock_s() - p->began;
}

void progress_span(double seconds, char *text, size_t size)
{
	long s = seconds < 1e8 ? (long)seconds : 100000000L;

	if (s >= 3600)
		snprintf(text, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
	else
		snprintf(text, size, "%ld:%02ld", s / 60, s % 60);
}

static void progress_draw(struct progress *p, size_t done, double fraction, double gradients)
{
	/* the first unit, in which a net may be compiled, is not of the rate */
	const double elapsed = progress_elapsed(p) - p->first_s, n = gradients - p->first_gradients;
	const double done_since = fraction - p->first_fraction;
	const double rest = elapsed * (1 - fraction) / done_since;
	char left[32] = "?", span[32], all[64] = "", runs[64] = "", rate[64] = "";

	if (done_since > 0)
		progress_span(rest, left, sizeof(left));
	if (done_since > 0 && p->after_s > 0) {
		progress_span(rest + p->after_s, span, sizeof(span));
		snprintf(all, sizeof(all), ", about %s in all", span);
	}
	if (p->processes > 1)
		snprintf(runs, sizeof(runs), "%zu of %zu, %zu processes, ", p->before + done,
			 p->before + p->runs, p->processes);
	else if (p->runs > 1)
		snprintf(runs, sizeof(runs), "run %zu of %zu, ",
			 done < p->runs ? done + 1 : done, p->runs);
	if (n > 0)
		snprintf(rate, sizeof(rate), "%.*f %s/s, ", n / elapsed < 100, n / elapsed,
			 p->unit ? p->unit : "gradients");
	fprintf(stderr, "%s%s%s%.0f %%, %s%s left%s%s", p->tty ? "\r\033[K" : "convoy: ",
		p->position ? p->position : "", runs, 100 * fraction, rate, left, all,
		p->tty ? "" : "\n");
	fflush(stderr);
	p->drawn = p->tty;
}

void progress_show(struct progress *p, size_t done, double fraction, double gradients)
{
	double now = clock_s();

	if (!done && fraction > 0 && p->first_fraction <= 0) {
		p->first_s = now - p->began;
		p->first_fraction = fraction;
		p->first_gradients = gradients;
	}
	if (p->quiet || now - p->began < silence_s || fraction >= 1 ||
	    now - p->shown < (p->tty ? redraw_s : line_s))
		return;
	p->shown = now;
	progress_draw(p, done, fraction, gradients);
}

void progress_end(struct progress *p)
{
	if (p->drawn)
		fprintf(stderr, "\r\033[K");
	p->drawn = false;
}
