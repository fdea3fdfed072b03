/*
 * times.c - compute times of workers: measured tables, published training rates of nets on
 * accelerators, and the grammar of compute_s, both ways.
 *
 * Only figures that were read in their sources are here. A net with one rate takes time in
 * proportion to the batch.
 */
#include "plan/compute/times.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/file/csv.h"
#include "core/file/textfile.h"
#include "core/node.h"
#include "core/samples/slice.h"
#include "core/text/opt_text.h"
#include "core/text/parse.h"
#include "core/text/units.h"
#include "core/text/word.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- published rates, and tables of the user's ---- */

static const char tensorflow[] = "TensorFlow 1 benchmarks page (tensorflow/docs, "
				 "site/en/r1/guide/performance/benchmarks.md), synthetic images";
static const char examples[] = "NVIDIA DeepLearningExamples (729963d), ResNet-50 in TensorFlow";
static const char pollux[] = "artifact of Pollux, OSDI 2021 (petuum/adaptdl, branch "
			     "osdi21-artifact), one GPU";
static const char llmc[] = "llm.c (discussion 481): 1e10 tokens on 8 GPUs in 90 minutes; windows "
			   "of 1024 tokens";
static const char nanogpt[] = "modded-nanogpt, README: 1e10 tokens on 8 GPUs in 45 minutes; "
			      "windows of 1024 tokens";

/* Tokens a second of a GPU over the tokens of a sample. */
#define GPT2(tokens_s) (tokens_s) / 1024.0

static const struct device_rate k80[] = {
	{ "resnet50", 64, 51.9, tensorflow }, { "alexnet", 512, 656, tensorflow },
	{ "vgg16", 64, 35.4, tensorflow }, { 0 }
};
static const struct device_rate p100[] = {
	{ "resnet50", 64, 219, tensorflow }, { "alexnet", 512, 2987, tensorflow },
	{ "vgg16", 64, 154, tensorflow }, { 0 }
};
static const struct device_rate t4[] = {
	{ "resnet50", 20, 136, pollux }, { "resnet50", 81, 193, pollux },
	{ "resnet50", 200, 217, pollux }, { "resnet18-cifar", 32, 748, pollux },
	{ "resnet18-cifar", 129, 1242, pollux }, { "resnet18-cifar", 363, 1399, pollux }, { 0 }
};
static const struct device_rate v100[] = { { "resnet50", 128, 412, examples }, { 0 } };
static const struct device_rate v100_mixed[] = { { "resnet50", 256, 1270, examples }, { 0 } };
static const struct device_rate a100[] = { { "resnet50", 256, 909, examples }, { 0 } };
static const struct device_rate a100_mixed[] = {
	{ "resnet50", 256, 2375, examples }, { "gpt2", 0, GPT2(231000), llmc },
	{ "gpt2-124m", 0, GPT2(231000), llmc }, { 0 }
};
static const struct device_rate h100_mixed[] = {
	{ "gpt2", 0, GPT2(463000), nanogpt }, { "gpt2-124m", 0, GPT2(463000), nanogpt }, { 0 }
};

static const struct device_rate no_rates[] = { { 0 } };

#define DEVICE(id, called, about, rates)                                                           \
	static const struct compute_kind device_##id = {                                           \
		.plugin = { .name = called, .brief = about }, .rate = rates }
/* One of the setting device. */
#define ACCELERATOR(id, called, about, rates)                                                      \
	static const struct compute_kind device_##id = {                                           \
		.plugin = { .name = called, .brief = about }, .rate = rates,                       \
		.peak = &device_peak_##id }

DEVICE(k80, "k80", "half an NVIDIA K80, one of its two GPUs", k80);
DEVICE(p100, "p100", "NVIDIA P100", p100);
DEVICE(t4, "t4", "NVIDIA T4 in an EC2 g4dn.12xlarge", t4);
DEVICE(v100, "v100", "NVIDIA V100, 16 GB, in f32", v100);
DEVICE(v100_mixed, "v100-mixed", "NVIDIA V100, 16 GB, in mixed precision", v100_mixed);
ACCELERATOR(a100, "a100", "NVIDIA A100, 40 GB, in TF32; its peak is of bf16", a100);
DEVICE(a100_mixed, "a100-mixed", "NVIDIA A100 in mixed precision", a100_mixed);
DEVICE(h100_mixed, "h100-mixed", "NVIDIA H100, mixed precision, no peak: see h100", h100_mixed);
ACCELERATOR(h100, "h100", "NVIDIA H100 SXM in mixed precision", h100_mixed);
ACCELERATOR(h200, "h200", "NVIDIA H200 SXM", no_rates);
ACCELERATOR(b200, "b200", "NVIDIA B200 SXM", no_rates);
ACCELERATOR(l40s, "l40s", "NVIDIA L40S", no_rates);
ACCELERATOR(rtx4090, "rtx4090", "NVIDIA GeForce RTX 4090", no_rates);
ACCELERATOR(mi300x, "mi300x", "AMD MI300X", no_rates);

struct table_conf {
	char *file;
	struct opt_doubles batch, seconds;
};

static const struct opt table_opts[] = {
	OPT_TEXT(struct table_conf, file, "text file of lines BATCH SECONDS, batches ascending",
		 "PATH"),
	{ "batch", OPT_AT(DOUBLES, struct table_conf, batch), NULL,
	  "samples of the measured minibatches, ascending", "A/B/...", 0, 0, NULL, 0 },
	{ "seconds", OPT_AT(DOUBLES, struct table_conf, seconds), NULL,
	  "seconds of each", "S/T/...", 0, 0, NULL, 0 },
	{ 0 }
};

static const struct compute_kind compute_measured = {
	.plugin = { .name = "table",
		    .brief = "measured times: batch to seconds, with an affine fit beyond them",
		    .opts = table_opts, .conf_size = sizeof(struct table_conf) },
};

const struct plugin *const compute_table[] = {
	&compute_measured.plugin, &device_k80.plugin, &device_p100.plugin, &device_t4.plugin,
	&device_v100.plugin, &device_v100_mixed.plugin, &device_a100.plugin,
	&device_a100_mixed.plugin, &device_h100.plugin, &device_h100_mixed.plugin,
	&device_h200.plugin, &device_b200.plugin, &device_l40s.plugin,
	&device_rtx4090.plugin, &device_mi300x.plugin, NULL
};

bool compute_kind_has_net(const struct compute_kind *kind, const char *net)
{
	for (const struct device_rate *r = kind->rate; r && r->net; r++)
		if (strcmp(r->net, net) == 0)
			return true;
	return false;
}

/* ---- tables ---- */

#define TABLE_LONGEST 1e9       /* seconds */
#define LARGEST 16777216.0      /* samples, as of the setting batch */

static const char separators[] = " \t,;";

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

void timetable_add(struct timetable *p, double batch, double seconds)
{
	const size_t n = p->batch.n;

	p->batch.v = xrealloc(p->batch.v, n + 1, sizeof(*p->batch.v));
	p->seconds.v = xrealloc(p->seconds.v, n + 1, sizeof(*p->seconds.v));
	p->batch.v[n] = batch;
	p->seconds.v[n] = seconds;
	p->batch.n = p->seconds.n = n + 1;
}

/* Lines BATCH SECONDS, separated by spaces or a comma; each is cut into pieces. */
static int timetable_read_lines(struct timetable *p, const char *path, char *text)
{
	int number = 0;

	for (char *line; (line = textfile_line(&text));) {
		char *rest, *batch, *seconds;
		double x, y;

		number++;
		line[strcspn(line, "#")] = '\0';
		batch = strtok_r(line, separators, &rest);
		if (!batch)
			continue;
		seconds = strtok_r(NULL, separators, &rest);
		if (!seconds || strtok_r(NULL, separators, &rest) || !text_double(batch, &x) ||
		    !text_double(seconds, &y))
			return error("%s:%d: expected two numbers, BATCH SECONDS", path, number);
		timetable_add(p, x, y);
	}
	return 0;
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
	scoped_by(csv_release) struct csv c;
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
	return ret;
}

/*
 * Appends the lines "BATCH SECONDS" of a text file; '#' begins a comment. With a header (core/file/
 * csv.h), the columns batch and seconds, in any order and unit. 0 or error().
 */
static int timetable_read(struct timetable *p, const char *path)
{
	scoped char *text = textfile_read(path);
	int ret = -1;

	if (text)
		ret = csv_has_header(text) ? timetable_read_columns(p, path, text)
					   : timetable_read_lines(p, path, text);
	return ret;
}

void timetable_release(struct timetable *p)
{
	free_all(p->batch.v, p->seconds.v);
	*p = (struct timetable){ 0 };
}

/* True when so many samples lie between the first point and the last. */
static bool timetable_cover(const struct timetable *p, double samples)
{
	return samples >= p->batch.v[0] && samples <= p->batch.v[p->batch.n - 1];
}

/* Seconds of so many samples. */
static double timetable_seconds(const struct timetable *p, double samples)
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

/*
 * Fills the points of a net (NULL: one that is not built in) from a chosen kind and its settings,
 * none of which may be missing or of no use. 0, or error() that begins with `where`; release the
 * points in either case.
 */
static int compute_points(const struct compute_kind *kind, const void *conf, const char *net,
			  struct timetable *p, const char *where)
{
	const struct table_conf *c = conf;
	char *nets = NULL;

	*p = (struct timetable){ 0 };
	for (const struct device_rate *r = kind->rate; r && net && r->net; r++) {
		const double batch = r->batch > 0.0 ? r->batch : 1.0;

		if (strcmp(r->net, net) == 0)
			timetable_add(p, batch, batch / r->samples_s);
	}
	if (kind->rate && p->batch.n == 0) {
		for (const struct device_rate *r = kind->rate; r->net; r++)     /* each once */
			if (r == kind->rate || strcmp(r->net, r[-1].net) != 0)
				xappend(&nets, ", ", r->net);
		error("%s: no published rate of %s%s on it (expected %s). Give a table of your "
		      "own: table:batch=A/B/...,seconds=S/T/...%s", where,
		      net ? "net " : "this net", net ? net : "",
		      nets ? nets : "the net's own times",
		      kind->peak ? ", or the settings device and mfu" : "");
		free(nets);
		return -1;
	}
	if (!kind->rate && c->file && (c->batch.n || c->seconds.n))
		return error("%s: file and batch or seconds are two tables. Give one of them",
			     where);
	if (!kind->rate && c->file && timetable_read(p, c->file) < 0)
		return -1;
	if (!kind->rate && c->batch.n != c->seconds.n)
		return error("%s: %zu batches, but %zu times (expected a time for each batch)",
			     where, c->batch.n, c->seconds.n);
	for (size_t i = 0; !kind->rate && i < c->batch.n; i++)
		timetable_add(p, c->batch.v[i], c->seconds.v[i]);
	if (p->batch.n == 0)
		return error("%s: no measured times (expected file=PATH, or batch=A/B/... and "
			     "seconds=S/T/...)", where);
	for (size_t i = 0; i < p->batch.n; i++) {
		const double batch = p->batch.v[i], seconds = p->seconds.v[i];

		if (!(batch > 0.0 && batch <= LARGEST))
			return error("%s: a batch of %g samples; must be more than 0, at most %.0f",
				     where, batch, LARGEST);
		if (!(seconds > 0.0 && seconds <= TABLE_LONGEST))
			return error("%s: batch %g takes %g s; must be more than 0, at most %g",
				     where, batch, seconds, TABLE_LONGEST);
		if (i && batch <= p->batch.v[i - 1])
			return error("%s: batch %g follows batch %g (expected ascending batches)",
				     where, batch, p->batch.v[i - 1]);
	}
	if (timetable_fit(p).per_sample > 0.0)
		return 0;
	return error("%s: the times do not grow with the batch, so nothing follows for other "
		     "batches. Measure more batches, or give the seconds themselves", where);
}

/* ---- the setting ---- */

enum { MOST_CLAUSES = 10000 };

#define LONGEST 1e15            /* seconds, as of the setting */

static const char blanks[] = " \t\r\n";

struct times_source {           /* what is being parsed, and for which workers */
	const char *all;        /* for messages */
	int workers;
	const char *net;
};

bool compute_times_has_clauses(const char *text)
{
	double x;

	return text && *text && strcmp(text, "auto") != 0 && !text_double(text, &x) &&
	       (strpbrk(text, ":;") || isalpha((unsigned char)*text));
}

/* ---- ranks ---- */

/* "0,4-7:" at *p, which moves after it. */
static int times_take_ranks(const struct times_source *src, struct compute_times *t, const char **p)
{
	const struct ranks_rule rule = {
		.setting = "compute_s", .text = src->all, .workers = src->workers, .alone = true,
		.expected = "ranks before ':', as in '0-7: v100' or '0,4-7: 0.05'", .end = ':',
	};
	const struct rank_list *last;
	int rank;

	if (ranks_take(&rule, p, &t->clause[t->n - 1].who) < 0)
		return -1;
	last = &t->clause[t->n - 1].who;
	rank = ranks_twice(last);
	for (size_t i = 0; i + 1 < t->n && rank == NO_PEER; i++)
		rank = ranks_common(&t->clause[i].who, last);
	return rank == NO_PEER ? 0 : error("compute_s '%s': rank %d is named twice. Give it one "
					   "time", src->all, rank);
}

static int times_take_time(const struct times_source *src, struct times_clause *c,
			   const char *text)
{
	if (!*text)
		return error("compute_s '%s': a clause without a time (expected seconds, table:... "
			     "or a device of 'convoy list devices')", src->all);
	if (!isdigit((unsigned char)*text) && *text != '.' && *text != '-') {
		char *where;
		int ret;

		if (choice_parse(&c->kind, compute_table, "compute time", text) < 0)
			return -1;
		where = xasprintf("compute_s: %s", c->kind.plugin->name);
		ret = compute_points((const struct compute_kind *)c->kind.plugin, c->kind.conf,
				     src->net, &c->points, where);
		free(where);
		return ret;
	}
	if (!text_double(text, &c->seconds) &&
	    !unit_text("compute_s", text, QUANTITY_TIME, &c->seconds)) {
		char *advice = unit_advice(QUANTITY_TIME, text);

		error("compute_s '%s': '%s' is no number of seconds%s", src->all, text, advice);
		free(advice);
		return -1;
	}
	if (!(c->seconds > 0.0 && c->seconds <= LONGEST))
		return error("compute_s '%s': %g s; must be more than 0, at most %g", src->all,
			     c->seconds, LONGEST);
	return 0;
}

/* ---- clauses ---- */

static void times_clause_release(struct times_clause *c)
{
	ranks_release(&c->who);
	choice_release(&c->kind);
	timetable_release(&c->points);
}

/* The piece of a clause, which has no spaces at either end. */
static int times_add_clause(const struct times_source *src, struct compute_times *t,
			    const char *text)
{
	const size_t before = strspn(text, "0123456789-, \t\r\n");
	const bool ranks = before && text[before] == ':';
	struct times_clause *c;

	if (t->n == MOST_CLAUSES)
		return error("compute_s: more than %d clauses", MOST_CLAUSES);
	if (!ranks && t->n)
		return error("compute_s '%s': a time for all workers stands first (expected "
			     "'RANKS: TIME' here)", src->all);
	c = &APPEND(t->clause, t->n);
	*c = (struct times_clause){ 0 };
	if (ranks && times_take_ranks(src, t, &text) < 0)
		return -1;
	text += strspn(text, blanks);
	if (times_take_time(src, c, text) < 0)
		return -1;
	if (ranks && c->who.n == 0) {
		times_clause_release(c);
		t->n--;
	}
	return 0;
}

static const struct times_clause *times_of(const struct compute_times *t, int rank)
{
	const struct times_clause *found = NULL;

	for (size_t i = 0; i < t->n; i++)
		if (t->clause[i].who.n == 0 || ranks_has(&t->clause[i].who, rank))
			found = &t->clause[i];
	return found;
}

int compute_times_parse(struct compute_times *t, const char *text, int workers, int64_t batch,
			const char *net)
{
	const struct times_source src = { text, workers, net };
	char *copy = xstrdup(text), *next;
	int ret = 0;

	*t = (struct compute_times){ .batch = (double)batch };
	for (char *piece = copy; piece && ret == 0; piece = next) {
		next = strchr(piece, ';');
		if (next)
			*next++ = '\0';
		ret = times_add_clause(&src, t, word_trim(piece));
	}
	free(copy);
	for (int w = 0; ret == 0 && w < workers; w++)
		if (!times_of(t, w))
			ret = error("compute_s '%s': rank %d has no time. Add one for all workers "
				    "in front, or a clause '%d: TIME'", text, w, w);
	return ret;
}

void compute_times_release(struct compute_times *t)
{
	for (size_t i = 0; i < t->n; i++)
		times_clause_release(&t->clause[i]);
	free(t->clause);
	*t = (struct compute_times){ 0 };
}

bool compute_times_have_device(const struct compute_times *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct plugin *kind = t->clause[i].kind.plugin;

		if (kind && ((const struct compute_kind *)kind)->rate)
			return true;
	}
	return false;
}

double compute_times_seconds(const struct compute_times *t, int rank, double samples)
{
	const struct times_clause *c = times_of(t, rank);

	if (c->seconds > 0.0)
		return c->seconds * samples / t->batch;
	return timetable_seconds(&c->points, samples);
}

/* ---- back to text ---- */

static void times_put_ranks(const struct times_clause *c, FILE *out)
{
	ranks_put(&c->who, out);
	if (c->who.n)
		fputs(": ", out);
}

static void times_put_time(const struct times_clause *c, FILE *out)
{
	if (c->seconds > 0.0)
		put_number(c->seconds, out);
	else if (((const struct compute_kind *)c->kind.plugin)->rate)
		fputs(c->kind.plugin->name, out);
	else {
		scoped char *batch = doubles_text(&c->points.batch);
		scoped char *seconds = doubles_text(&c->points.seconds);

		fprintf(out, "table:batch=%s,seconds=%s", batch, seconds);
	}
}

char *compute_times_format(const struct compute_times *t)
{
	char *text = NULL;
	size_t size;
	FILE *out = xmemstream(&text, &size);

	for (size_t i = 0; i < t->n; i++) {
		fputs(i ? "; " : "", out);
		times_put_ranks(&t->clause[i], out);
		times_put_time(&t->clause[i], out);
	}
	xmemclose(out);
	return text;
}

char *compute_times_format_worker(const struct compute_times *t, int rank)
{
	char *text = NULL;
	size_t size;
	FILE *out = xmemstream(&text, &size);

	times_put_time(times_of(t, rank), out);
	xmemclose(out);
	return text;
}

uint64_t compute_times_hash(uint64_t h, const struct compute_times *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct timetable *p = &t->clause[i].points;

		if (p->batch.n == 0)
			continue;
		h = fnv(h, p->batch.v, p->batch.n * sizeof(*p->batch.v));
		h = fnv(h, p->seconds.v, p->seconds.n * sizeof(*p->seconds.v));
	}
	return h;
}

/* The setting batch, or the clause's smallest or largest slice, that is not measured; 0: none. */
static double times_beyond(const struct compute_times *t, const struct times_clause *c,
			   int workers, const int64_t *slice)
{
	double least = t->batch, most = t->batch;

	for (int w = 0; slice && w < workers; w++) {
		const double samples = (double)slice_size(slice, 0, w);

		if (times_of(t, w) != c)
			continue;
		least = fmin(least, samples);
		most = fmax(most, samples);
	}
	if (!timetable_cover(&c->points, least))
		return least;
	return timetable_cover(&c->points, most) ? 0.0 : most;
}

char *compute_times_beyond(const struct compute_times *t, int workers, const int64_t *slice)
{
	char *text = NULL;
	size_t size, said = 0;
	FILE *out = xmemstream(&text, &size);

	for (size_t i = 0; i < t->n; i++) {
		const struct times_clause *c = &t->clause[i];
		const struct opt_doubles *batch = &c->points.batch;
		const double samples = c->seconds > 0.0 ? 0.0 : times_beyond(t, c, workers, slice);

		if (samples <= 0.0)
			continue;
		fputs(said++ ? "; " : "", out);
		times_put_ranks(c, out);
		if (batch->n > 1)
			fprintf(out, "batch %g is outside the measured %g to %g", samples,
				batch->v[0], batch->v[batch->n - 1]);
		else if (((const struct compute_kind *)c->kind.plugin)->rate && batch->v[0] <= 1.0)
			fprintf(out, "proportional to the batch, as the rate's is not published");
		else
			fprintf(out, "proportional to the batch, as only batch %g is measured",
				batch->v[0]);
	}
	xmemclose(out);
	if (said)
		return text;
	free(text);
	return NULL;
}
