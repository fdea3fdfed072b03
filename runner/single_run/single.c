/* Parts of commands that make one run: settings and result in print, and the run. */
#include "runner/single_run/single.h"

#include "algos/own/own.h"
#include "core/base/cores.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/members.h"
#include "core/metric.h"
#include "core/text/units.h"
#include "core/text/utf8.h"
#include "data/data.h"
#include "mpi/real.h"
#include "plan/machine/batch_system.h"
#include "plan/resolve/remarks.h"
#include "record/layout.h"
#include "runner/launch/launch.h"
#include "runner/progress.h"
#include "runner/results/folder.h"
#include "runner/results/outcome.h"
#include "runner/signals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a table of settings: each with its values, and where they come from ---- */

enum { VALUES = 4 };            /* of a line; "..." stands for more */

struct line {                   /* a setting's values that come from one source */
	char *source;           /* owned */
	const char *value[VALUES + 1];  /* [n], each once; borrowed */
	size_t n;
};

/* Adds a value of that source, which is taken over, to the n lines. */
static void lines_add(struct line **lines, size_t *n, char *source, const char *value)
{
	struct line *l;
	size_t i = 0;

	while (i < *n && strcmp((*lines)[i].source, source) != 0)
		i++;
	if (i == *n) {
		APPEND(*lines, *n) = (struct line){ .source = source };
	} else {
		free(source);
	}
	l = &(*lines)[i];
	for (i = 0; i < l->n; i++)
		if (strcmp(l->value[i], value) == 0)
			return;
	if (l->n <= VALUES)
		l->value[l->n++] = value;
}

/* A value of the table: whole, or as people read it. Owned. */
static char *shown_value(const char *key, const char *value, bool whole)
{
	return whole ? xstrdup(value) : setting_brief(key, value);
}

/* "workers       4, 8, 16                  given" for each source of each setting. */
static void settings_table_print(const struct setup *const *runs, size_t n, bool all)
{
	for (size_t k = 0; n && k < runs[0]->ncanonical; k++) {
		struct line *lines = NULL;
		size_t nlines = 0;
		bool shown = all;

		for (size_t i = 0; i < n; i++) {
			const struct setting_source *src = &runs[i]->sources[k];

			shown |= src->from != FROM_DEFAULT;
			lines_add(&lines, &nlines, setting_source_text(src),
				  runs[i]->canonical[k].value);
		}
		for (size_t i = 0; i < nlines; i++) {
			const char *key = runs[0]->canonical[k].key;
			scoped char *text = shown_value(key, lines[i].value[0], all);

			for (size_t v = 1; v < lines[i].n; v++)
				xappend_own(&text, ", ", v < VALUES ? shown_value(key,
					lines[i].value[v], all) : xstrdup("..."));
			if (shown)
				printf("%-15s %-28s  %s\n", key, text, lines[i].source);
			free(lines[i].source);
		}
		free(lines);
	}
}

void settings_table_of_plan(const struct plan *p)
{
	const size_t n = plan_own_runs(p);
	scoped const struct setup **runs = xcalloc(n + 1, sizeof(*runs));

	for (size_t i = 0; i < n; i++)
		runs[i] = &p->runs[i].su;
	settings_table_print(runs, n, false);
}

/* ---- one run ---- */

void single_note_assumed(const struct setup *su)
{
	note_own(units_understood());
	note_own(assumed_text(&su, NULL, 1));
	notes_own(remarks(&su, NULL, 1, NULL));
}

void single_print_settings(const struct setup *su, bool json)
{
	cJSON *object;

	if (!json) {
		printf("%-15s %s\n", "hash", su->hash);
		settings_table_print(&su, 1, true);
		return;
	}
	object = OBJECT(j_text("hash", su->hash));
	for (size_t i = 0; i < su->ncanonical; i++)
		ADD(object, j_text(su->canonical[i].key, su->canonical[i].value));
	json_print_own(ADD(object, j_json("assumed", assumed_json(su)),
			   j_json("sources", setting_sources_json(su->sources))));
}

static void print_text(const char *key, const char *text)
{
	printf("%-19s ", key);
	utf8_puts(text && *text ? text : "-");
}

static void print_number(const char *key, double x)
{
	char text[32];

	snprintf(text, sizeof(text), "%.6g", x);
	print_text(key, isnan(x) ? NULL : text);
}

/* In full: a seed is given again, and a count compared. */
static void print_count(const char *key, double x)
{
	scoped char *text = xasprintf("%.0f", x);

	print_text(key, isnan(x) ? NULL : text);
}

static void print_measure(const struct measure_info *m, double x)
{
	if (m->source == MEASURED_COUNT || m->source == MEASURED_RARE_COUNT)
		print_count(m->name, x);
	else
		print_number(m->name, x);
}

/* The cost with the currency of the price: "$1.2", "1.2EUR". */
static void print_cost(const struct result *r)
{
	struct price price;
	scoped char *text = NULL;

	if (price_parse(&price, result_setting(r, "price")) < 0)
		return;
	text = price_amount(&price, r->number[MEASURE_COST]);
	print_text(measure_table[MEASURE_COST].name, text);
}

static void print_run(const struct result *r)
{
	static const enum measure_id shown[] = {
		MEASURE_TIME, MEASURE_EPOCHS, MEASURE_TIME_PER_EPOCH, MEASURE_WAIT_SHARE,
		MEASURE_COMMUNICATION_SHARE, MEASURE_MFU, MEASURE_GPU_HOURS, MEASURE_COST,
		MEASURE_GOODPUT, MEASURE_GOODPUT_EXPECTED,
		MEASURE_FAILURES, MEASURE_CHECKPOINTS, MEASURE_CHECKPOINT, MEASURE_LOST,
		MEASURE_DOWN, MEASURE_YOUNG, MEASURE_DALY, MEASURE_BYTES_SENT,
		MEASURE_STALENESS_MEAN, MEASURE_TRAIN_LOSS, MEASURE_TEST_LOSS,
		MEASURE_TEST_PERPLEXITY, MEASURE_TEST_BITS, MEASURE_TEST_ACCURACY,
	};

	print_text("algo", r->text[RESULT_ALGO]);
	print_count("workers", r->number[RESULT_WORKERS]);
	print_count("seed", r->number[RESULT_SEED]);
	print_text("status", r->text[RESULT_STATUS]);
	print_text("end", r->text[RESULT_END]);
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		if (shown[i] == MEASURE_COST && r->has[shown[i]])
			print_cost(r);
		else if (r->has[shown[i]])
			print_measure(&measure_table[shown[i]], r->number[shown[i]]);
	for (size_t i = 0; i < r->curve[RESULT_EVAL].n; i++) {
		const char *key = r->curve[RESULT_EVAL].column[i].name;

		if (metric_is_key(key))
			print_number(key, result_number(r, key));
	}
	print_text("model", r->text[RESULT_MODEL]);
	if (r->text[RESULT_TRAINED_BY])
		print_text("trained_by", r->text[RESULT_TRAINED_BY]);
	print_text("file", r->text[RESULT_FILE]);
	if (r->text[RESULT_REMARK])
		print_text("remark", r->text[RESULT_REMARK]);
}

void single_print_result(struct result *r, bool json)
{
	if (json)
		json_print_own(result_json(r, RESULT_BRIEF));
	else
		print_run(r);
	note_own(absent_text(&(struct results){ r, json ? 0 : 1 }));
}

int single_threads(int64_t asked)
{
	return batch_threads(asked, cores_allowed());
}

static void single_tick(void *ctx, double fraction, double gradients)
{
	progress_show(ctx, 0, fraction, gradients);
}

/* Findings of rank 0 before the run, once it holds the lock. */
enum single_state { SINGLE_TODO, SINGLE_FINISHED, SINGLE_INTERRUPTED };

static enum run_end single_make(const struct setup *su, struct run_context *t, bool quiet)
{
	struct progress progress;
	struct dataset *data;
	const bool announces = !quiet && !world_inside();       /* else who has launched it does */
	enum run_end end = RUN_END_FAILED;

	t->tick = single_tick;
	t->ctx = &progress;
	t->interrupted = &signal_caught;
	progress_start(&progress, 1, quiet);
	signals_announce(announces);
	if (setup_data(su, &data) == 0)
		end = simrun(su, data, t);
	signals_announce(false);
	progress_end(&progress);
	dataset_close(data);
	if (end == RUN_END_INTERRUPTED)
		note("interrupted; what was reached is in %s.part", t->path);
	return end;
}

static struct {                 /* the run of this process whose end exit() must not pass for */
	pid_t process;          /* 0: there is none */
	struct result_lock *lock;
} unfinished;

static void exit_tell(void)
{
	const char *files = own_crash_suspects();

	if (unfinished.process != getpid())
		return;
	error("exit() ended the program before its run was done%s%s",
	      files ? ". Likely called by the code of " : "", files ? files : "");
	result_unlock(unfinished.lock);
	fflush(stdout);
	_exit(EXIT_DIE);
}

/* Of a rank, the launcher tells; a library of MPI may itself end it by exit(). */
static void unfinished_watch(struct result_lock *lock)
{
	static bool told;

	if (world_inside() || !own_crash_suspects())
		return;
	if (!told)
		atexit(exit_tell);
	told = true;
	unfinished.process = getpid();
	unfinished.lock = lock;
}

enum run_end single_run(const struct setup *su, struct run_context *t, bool quiet)
{
	const bool first = real_rank() == 0;
	struct result_lock lock = { 0 };
	enum single_state state = SINGLE_TODO;
	enum run_end end = RUN_END_DONE;

	if (t->lease)
		parents_lock_keep(t->path, t->lease);
	if (first)
		lock = result_lock(t->path);
	t->lock = &lock;
	/* A run of an experiment has been planned, and its result looked for. */
	if (first && t->alone && result_usable(t->path, su->hash) && !t->trace)
		state = SINGLE_FINISHED;
	if (first && signal_caught)
		state = SINGLE_INTERRUPTED;
	real_share(&state, sizeof(state));
	if (state == SINGLE_TODO) {
		unfinished_watch(&lock);
		end = single_make(su, t, quiet);
		unfinished.process = 0;
	} else if (state == SINGLE_INTERRUPTED)
		end = RUN_END_INTERRUPTED;
	else if (first && !quiet)
		note("finished before: %s", t->path);
	result_unlock(&lock);
	return end;
}
