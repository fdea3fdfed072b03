/* Reads and writes the file of known runs. */
#include "study/advise/known.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/file/output.h"
#include "core/file/paths.h"
#include "record/environ.h"
#include "runner/results/folder.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIGURES = 9, LINE = 320 };

static const double often_enough_s = 5.0;       /* between two writes while runs are made */

static const char head[] = "# convoy advise, points 4: hash time_s time_per_epoch_s epochs "
			   "gradients wait_share bytes_sent staleness exchanges lead checksum\n";

/* ---- a line ---- */

static void figures_list(struct record_figures *f, double *list[FIGURES])
{
	double *own[FIGURES] = { &f->time_s, &f->time_per_epoch_s, &f->epochs, &f->gradients,
				 &f->wait_share, &f->bytes_sent, &f->staleness,
				 &f->exchanges, &f->lead };

	memcpy(list, own, sizeof(own));
}

static unsigned line_checksum(const char *text, size_t n)
{
	return (unsigned)(fnv(FNV_START, text, n) >> 32);
}

static void line_print(const struct known_run *r, FILE *out)
{
	struct record_figures f = r->figures;
	double *list[FIGURES];
	char text[LINE];
	size_t n = (size_t)snprintf(text, sizeof(text), "%016" PRIx64, r->hash);

	figures_list(&f, list);
	for (int i = 0; i < FIGURES; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, " %.17g", *list[i]);
	fprintf(out, "%s %08x\n", text, line_checksum(text, n));
}

/* Larger figures are of no run, and a product of two of them is still a number. */
static const double most_figure = 1e30;

/* True for what a run may have; what it did not measure is NaN. */
static bool figures_possible(const struct record_figures *f)
{
	const double some[] = { f->time_s, f->epochs, f->gradients };
	const double any[] = { f->time_per_epoch_s, f->wait_share, f->bytes_sent, f->staleness,
			       f->exchanges, f->lead };

	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++)
		if (!(some[i] > 0.0 && some[i] < most_figure))
			return false;
	for (size_t i = 0; i < sizeof(any) / sizeof(any[0]); i++)
		if (any[i] < 0.0 || any[i] > most_figure)
			return false;
	return f->gradients >= 1.0 && !(f->time_per_epoch_s <= 0.0);
}

/* Reads the n bytes of a line, which a NUL follows. False: it is damaged. */
static bool line_parse(const char *text, size_t n, struct known_run *r)
{
	const char *last = text + n;
	double *list[FIGURES];
	char *end;

	while (last > text && last[-1] != ' ')
		last--;
	if (last == text || strlen(last) != 8 ||
	    strtoul(last, &end, 16) != line_checksum(text, (size_t)(last - text) - 1) || *end)
		return false;
	r->hash = strtoull(text, &end, 16);
	figures_list(&r->figures, list);
	for (int i = 0; i < FIGURES; i++)
		*list[i] = strtod(end, &end);
	return end == last - 1 && figures_possible(&r->figures);
}

/* ---- the list ---- */

/*
 * What a key has in addition to the hash of a run, which tells versions of convoy apart: a program
 * of changed sources that are in no commit has points of its own, by the bytes of its file.
 */
static uint64_t key_of_program(void)
{
	const bool committed = !strstr(environ_commit, "dirty") &&
			       strcmp(environ_commit, "unknown") != 0;
	FILE *self = committed ? NULL : fopen("/proc/self/exe", "rb");
	uint64_t word[512] = { 0 }, key = FNV_START;
	size_t n;

	if (!self)
		return 0;
	while ((n = fread(word, 1, sizeof(word), self)) > 0)
		for (size_t i = 0; i < (n + 7) / 8; i++)
			key = fnv_step(key, word[i]);
	fclose(self);
	return key;
}

static uint64_t known_key(const struct known *k, const char *hash)
{
	return strtoull(hash, NULL, 16) ^ k->program;
}

static int by_hash(const void *a, const void *b)
{
	const struct known_run *x = a, *y = b;

	return (x->hash > y->hash) - (x->hash < y->hash);
}

static struct known_run *known_sorted_find(const struct known *k, uint64_t hash)
{
	const struct known_run wanted = { .hash = hash };

	return k->sorted ? bsearch(&wanted, k->run, k->sorted, sizeof(*k->run), by_hash) : NULL;
}

static void known_put(struct known *k, const struct known_run *r)
{
	if (k->n % 1024 == 0)
		k->run = xrealloc(k->run, k->n + 1024, sizeof(*k->run));
	k->run[k->n++] = *r;
}

/* Sorts, and keeps one of each hash. */
static void known_sort(struct known *k)
{
	size_t kept = 0;

	if (k->sorted == k->n)
		return;
	qsort(k->run, k->n, sizeof(*k->run), by_hash);
	for (size_t i = 0; i < k->n; i++)
		if (!kept || k->run[kept - 1].hash != k->run[i].hash)
			k->run[kept++] = k->run[i];
	k->sorted = k->n = kept;
}

const struct record_figures *known_find(struct known *k, const char *hash)
{
	const struct known_run *r;

	known_sort(k);
	r = known_sorted_find(k, known_key(k, hash));
	return r ? &r->figures : NULL;
}

void known_add(struct known *k, const char *hash, const struct record_figures *figures)
{
	known_put(k, &(struct known_run){ known_key(k, hash), *figures });
}

/* ---- the file ---- */

/*
 * Adds the runs of the file; `says`: a note counts damaged or impossible lines. Returns their
 * number.
 */
static size_t known_read(struct known *k, bool says)
{
	size_t damaged = 0, size = 0;
	char *text, *next, *end;

	if (access(k->path, F_OK) < 0)
		return 0;
	text = file_is_regular(k->path) ? file_read(k->path, &size) : NULL;
	if (!text || strncmp(text, head, sizeof(head) - 1) != 0) {
		if (says)
			note("%s is no file of points, or of another version of convoy: its runs "
			     "are made again", k->path);
		free(text);
		return 0;
	}
	/* a zero byte damages its line, not those after it */
	for (char *line = text + sizeof(head) - 1; line < text + size; line = next) {
		struct known_run r;

		end = memchr(line, '\n', (size_t)(text + size - line));
		next = end ? end + 1 : text + size;
		if (end)
			*end = '\0';
		if (end && line_parse(line, (size_t)(end - line), &r))
			known_put(k, &r);
		else
			damaged++;
	}
	if (damaged && says)
		note("%s: %zu %s made again", k->path, damaged,
		     damaged == 1 ? "line is damaged and left out; its run is"
				  : "lines are damaged and left out; their runs are");
	free(text);
	return damaged;
}

void known_open(struct known *k, const char *out)
{
	size_t damaged;

	*k = (struct known){ .path = xasprintf("%s/advise.points", out),
			     .program = key_of_program(), .saved_s = clock_s() };
	damaged = known_read(k, true);
	known_sort(k);
	k->saved = damaged ? SIZE_MAX : k->n;
}

int known_save(struct known *k, bool soon)
{
	struct result_lock lock;
	char *text = NULL;
	size_t size = 0;
	FILE *out;
	int ret;

	known_sort(k);
	if (k->n == k->saved || (soon && clock_s() - k->saved_s < often_enough_s))
		return 0;
	lock = result_lock(k->path);
	known_read(k, false);
	known_sort(k);
	out = xmemstream(&text, &size);
	fputs(head, out);
	for (size_t i = 0; i < k->n; i++)
		if (figures_possible(&k->run[i].figures))
			line_print(&k->run[i], out);
	xmemclose(out);
	ret = output_write(k->path, text, size);
	result_unlock(&lock);
	free(text);
	k->saved = k->n;
	k->saved_s = clock_s();
	return ret;
}

void known_release(struct known *k)
{
	free_all(k->path, k->run);
	*k = (struct known){ 0 };
}
