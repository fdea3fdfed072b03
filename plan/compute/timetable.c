/* Reads, checks, fits and evaluates measured compute times by batch. */
#include "plan/compute/timetable.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/csv.h"
#include "core/file/textfile.h"
#include "core/text/opt_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 1e9             /* seconds */
#define LARGEST 16777216.0      /* samples, as of the setting batch */

static const char separators[] = " \t,;";

int timetable_check(const struct timetable *p, const char *where)
{
	if (p->batch.n != p->seconds.n)
		return error("%s: %zu batches, but %zu times (expected a time for each batch)",
			     where, p->batch.n, p->seconds.n);
	if (p->batch.n == 0)
		return error("%s: no measured times (expected file=PATH, or batch=A/B/... and "
			     "seconds=S/T/...)", where);
	for (size_t i = 0; i < p->batch.n; i++) {
		const double batch = p->batch.v[i], seconds = p->seconds.v[i];

		if (!(batch > 0.0 && batch <= LARGEST))
			return error("%s: a batch of %g samples; must be more than 0, at most %.0f",
				     where, batch, LARGEST);
		if (!(seconds > 0.0 && seconds <= LONGEST))
			return error("%s: batch %g takes %g s; must be more than 0, at most %g",
				     where, batch, seconds, LONGEST);
		if (i && batch <= p->batch.v[i - 1])
			return error("%s: batch %g follows batch %g (expected ascending batches)",
				     where, batch, p->batch.v[i - 1]);
	}
	if (timetable_fit(p).per_sample > 0.0)
		return 0;
	return error("%s: the times do not grow with the batch, so nothing follows for other "
		     "batches. Measure more batches, or give the seconds themselves", where);
}

static void timetable_append(struct opt_doubles *to, double x)
{
	to->v = xrealloc(to->v, to->n + 1, sizeof(*to->v));
	to->v[to->n++] = x;
}

void timetable_add(struct timetable *p, double batch, double seconds)
{
	timetable_append(&p->batch, batch);
	timetable_append(&p->seconds, seconds);
}

/* BATCH SECONDS, separated by spaces or a comma; the line is cut into pieces. */
static int timetable_read_line(struct timetable *p, char *line, const char *path, int number)
{
	char *rest, *batch, *seconds;
	double x, y;

	line[strcspn(line, "#")] = '\0';
	batch = strtok_r(line, separators, &rest);
	if (!batch)
		return 0;
	seconds = strtok_r(NULL, separators, &rest);
	if (!seconds || strtok_r(NULL, separators, &rest) || !text_double(batch, &x) ||
	    !text_double(seconds, &y))
		return error("%s:%d: expected two numbers, BATCH SECONDS", path, number);
	timetable_add(p, x, y);
	return 0;
}

/* Lines of batch and seconds without names. */
static int timetable_read_lines(struct timetable *p, const char *path, char *text)
{
	int ret = 0, number = 0;

	for (char *line; ret == 0 && (line = textfile_line(&text));)
		ret = timetable_read_line(p, line, path, ++number);
	return ret;
}

/* Columns by name, in any order and unit. */
static int timetable_read_columns(struct timetable *p, const char *path, char *text)
{
	static const char *const batches[] = { "batch", "batch_size", "samples", NULL };
	static const char *const times[] = { "seconds", "compute_time", "compute_s", "step_time",
					     "duration", "time_s", NULL };
	struct csv_column column[] = {
		{ .name = "batch", .names = batches },
		{ .name = "seconds", .names = times, .time = true, .any_time = true },
	};
	double batch, seconds;
	struct csv c;
	int ret;

	csv_begin(&c, path, text);
	ret = csv_header(&c, column, 2);
	if (ret == 0)
		ret = csv_need(&c, column, 2);
	while (ret == 0 && (ret = csv_row(&c)) > 0) {
		ret = csv_double(&c, &column[0], &batch) < 0 ||
		      csv_double(&c, &column[1], &seconds) < 0 ? -1 : 0;
		if (ret == 0)
			timetable_add(p, batch, seconds);
	}
	csv_release(&c);
	return ret;
}

int timetable_read(struct timetable *p, const char *path)
{
	char *text = textfile_read(path);
	int ret = -1;

	if (text)
		ret = csv_has_header(text) ? timetable_read_columns(p, path, text)
					   : timetable_read_lines(p, path, text);
	free(text);
	return ret;
}

void timetable_release(struct timetable *p)
{
	free(p->batch.v);
	free(p->seconds.v);
	*p = (struct timetable){ 0 };
}

struct affine timetable_fit(const struct timetable *p)
{
	const size_t n = p->batch.n;
	double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0, slope;

	if (n == 1)
		return (struct affine){ 0.0, p->seconds.v[0] / p->batch.v[0] };
	for (size_t i = 0; i < n; i++) {
		x += p->batch.v[i] / (double)n;
		y += p->seconds.v[i] / (double)n;
	}
	for (size_t i = 0; i < n; i++) {
		xx += (p->batch.v[i] - x) * (p->batch.v[i] - x);
		xy += (p->batch.v[i] - x) * (p->seconds.v[i] - y);
	}
	slope = xy / xx;
	return (struct affine){ y - slope * x, slope };
}

bool timetable_cover(const struct timetable *p, double samples)
{
	return samples >= p->batch.v[0] && samples <= p->batch.v[p->batch.n - 1];
}

double timetable_seconds(const struct timetable *p, double samples)
{
	const double *x = p->batch.v, *y = p->seconds.v;
	size_t i = 1;

	if (p->batch.n == 1)
		return y[0] * samples / x[0];
	if (!timetable_cover(p, samples)) {     /* from the nearest point on, as the fit */
		const size_t end = samples < p->batch.v[0] ? 0 : p->batch.n - 1;
		const double batch = p->batch.v[end], seconds = p->seconds.v[end];
		const double line = seconds + timetable_fit(p).per_sample * (samples - batch);

		return end ? line : fmax(line, seconds * samples / batch);
	}
	while (x[i] < samples)
		i++;
	return y[i - 1] + (y[i] - y[i - 1]) * (samples - x[i - 1]) / (x[i] - x[i - 1]);
}
