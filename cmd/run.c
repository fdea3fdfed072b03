/* `convoy run`: experiments, from their specs to tables, plots and claims. */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "cmd/common.h"
#include "cmd/decide_opts.h"
#include "cmd/opts.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "core/file/output.h"
#include "core/file/paths.h"
#include "core/text/utf8.h"
#include "core/text/word.h"
#include "core/text/wrap.h"
#include "data/data.h"
#include "plan/plan.h"
#include "plan/spec_tune.h"
#include "report/claims/claims.h"
#include "report/text/say.h"
#include "runner/estimate/estimate.h"
#include "runner/launch/launch.h"
#include "runner/plan_run.h"
#include "runner/results/folder.h"
#include "runner/results/outcome.h"
#include "runner/signals.h"
#include "study/decide.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run_conf {
	char *scale, *out, *only, *hostfile, *hosts, *mpirun;
	int64_t jobs, threads, ranks;
	double checkpoint_every;
	char *budget;
	int64_t max_seeds;
	bool follows;           /* another task of a launcher, such as srun, prints */
	bool decide, v, all, dry_run, json, quiet, fail_fast, resume, again, retrain;
};

static const struct opt run_opts[] = {
	OPT_FLAG(struct run_conf, all,
		 "every built-in experiment; with --scale, those that have it"),
	EXPERIMENT_OPTS(struct run_conf),
	OUT_OPT(struct run_conf),
	OPT_NUMBER(struct run_conf, jobs, "0", "runs at once; 0: all cores if timing-only, else 1",
		   "N", 0, 4096),
	OPT_NUMBER(struct run_conf, threads, "0",
		   "compute threads of a run; 0: the cores left by jobs", "N", 0, 4096),
	SIM_RANKS_OPT(struct run_conf),
	HOSTS_OPTS(struct run_conf),
	MPIRUN_OPT(struct run_conf),
	CHECKPOINT_OPT(struct run_conf, "300"),
	OPT_FLAG(struct run_conf, dry_run,
	  "print the plan and missing data; run and write nothing"),
	OPT_FLAG(struct run_conf, json, "a JSON object an experiment, on stdout"),
	OPT_FLAG(struct run_conf, quiet, "no plan and no progress on stderr"),
	OPT_FLAG(struct run_conf, fail_fast, "stop at the first run that fails"),
	{ "resume", OPT_AT(BOOL, struct run_conf, resume), "true",
	  "skip finished runs", NULL, 0, 0, NULL,
	  0 },
	OPT_FLAG(struct run_conf, again, "repeat finished runs, like --no-resume"),
	RETRAIN_OPT(struct run_conf),
	OPT_FLAG(struct run_conf, decide, "then add seeds until the claims are decided"),
	DECIDE_OPTS(struct run_conf),
	OPT_FLAG(struct run_conf, v,
		 "claims with their groups, seeds, criteria and looks"),
	{ 0 }
};

static const char run_about[] =
	"Runs experiments, by name or path: prints their tables, checks their claims and draws\n"
	"their plots. Each run's result is one HDF5 file. Finished runs are skipped, and training\n"
	"runs continue from their checkpoints, so the same command resumes an interrupted\n"
	"experiment; the results are bit-identical. A setting with several values, as in\n"
	"'convoy sim', is one more axis of the grid. If the spec tunes settings, the runs that\n"
	"choose them are made first. Several processes of one command, on machines that see one\n"
	"folder of results ('srun convoy run ...', a job array), share the runs.\n"
	"\n"
	"Exit codes: 0 all runs are done, whatever the claims say; 1 a run failed, a claim has\n"
	"an error, or wrong input; 128 the machine failed, for example a full disk; 129 command\n"
	"line; 130, 143 interrupted by Ctrl-C, SIGTERM.\n"
	"\n"
	"Examples:\n"
	"  convoy run slow-worker                      a paper's table, with our numbers\n"
	"  convoy run convergence --data cifar10:dir=data/cifar10\n"
	"  convoy run slow-worker --slow 0:5,0:20 --workers 8,16 --dry-run\n"
	"  convoy run --all --scale smoke              everything that has that scale\n"
	"  convoy run convergence --decide --budget 2h until its claims hold or fail\n"
	"  convoy run my.json --set lr=0.05 --jobs 2 --threads 1 --out /tmp/results";

/* The outcome of an experiment of the command line, a line of the summary. */
struct run_row {
	const char *experiment, *scale; /* borrowed; scale NULL: none was found */
	bool planned;                   /* there is a plan, and its runs were counted */
	size_t done, failed;            /* runs */
	size_t left;                    /* runs that were not reached, or interrupted */
	bool judged;                    /* its claims were looked at */
	size_t holds, fails;            /* claims */
	size_t undecided, open;         /* open: not evaluated */
	size_t errors;
	double seconds;                 /* of the wall clock that it took */
};

struct entry {                  /* an experiment of the command line */
	const char *name;       /* borrowed */
	struct plan plan;
	bool made;              /* the plan */
	struct estimate estimate;       /* of its runs to do */
	struct estimate tuning;         /* of those before them that choose settings */
	struct run_row row;
};

struct run_series {             /* the experiments of the command line */
	const struct args *args;
	const struct run_conf *conf;
	struct entry *entries;  /* [n] */
	size_t n;
};

/* ---- what came of an experiment, on stdout ---- */

static void results_print_json(const struct plan *p, const struct outcome *o,
			       const struct texts *plots)
{
	cJSON *tuning = p->tuning ? tuning_json(p) : NULL;

	json_print_own(OBJECT(
		j_text("experiment", p->spec.name), j_text("scale", p->spec.scale),
		j_json("runs", outcome_runs(o, p)),
		j_json("baseline", o->baselines.n ?
				   result_json(o->baselines.v, RESULT_BRIEF) : NULL),
		j_if(tuning, j_json("tuning", tuning)),
		j_json("tables", tables_json(&o->tables)),
		j_json("claims", verdicts_json(o->claims)),
		j_texts("plots", plots->v, plots->n)));
}

/* Tables, or the runs where the spec has none; claims; the paths of pictures. */
static void results_print(const struct plan *p, const struct outcome *o,
			  const struct texts *plots)
{
	if (!json_get(p->spec.json, "tables")) {
		runs_print(&o->runs);
		if (o->gap)
			say("%s\n", o->gap);
		if (o->tables.n)
			putchar('\n');
	}
	outcome_print_tables(&o->tables, TABLE_TEXT);
	if (o->claims->n > 0)
		putchar('\n');
	verdicts_print_all(o->claims, stdout);
	if (plots->n)
		printf("\nPlots, each with its script and data:\n");
	for (size_t i = 0; i < plots->n; i++)
		if (word_ends(plots->v[i], ".svg") || word_ends(plots->v[i], ".png"))
			printf("  "), utf8_puts(plots->v[i]);
}

/* ---- the summary: a row of counts for each experiment ---- */

static void run_row_count(struct run_row *row, const struct plan *p)
{
	const struct plan *t = p->tuning ? &p->tuning->plan : NULL;

	row->planned = true;
	row->done += plan_count(p, RUN_FINISHED);
	row->failed += plan_count(p, RUN_FAILED);
	row->left += plan_left(p);
	if (t)
		run_row_count(row, t);
}

static void summary_print(const struct run_row *rows, size_t n)
{
	struct run_row sum = { .experiment = "together", .scale = "", .planned = true,
			       .judged = true };
	int width = (int)strlen("experiment"), scale_width = (int)strlen("scale");

	for (size_t i = 0; i < n; i++) {
		const struct run_row *r = &rows[i];
		const int name = (int)strlen(r->experiment);
		const int scale = r->scale ? (int)strlen(r->scale) : 0;

		width = name > width ? name : width;
		scale_width = scale > scale_width ? scale : scale_width;
		sum.done += r->done;
		sum.failed += r->failed;
		sum.left += r->left;
		sum.holds += r->holds;
		sum.fails += r->fails;
		sum.undecided += r->undecided;
		sum.open += r->open;
		sum.errors += r->errors;
		sum.seconds += r->seconds;
	}
	printf("\n%*s  %5s  %6s  %5s  %6s  %6s  %9s  %13s%s\n", width + scale_width + 2, "",
	       "runs", "runs", "runs", "claims", "claims", "claims", "claims",
	       sum.errors ? "  claims" : "");
	printf("%-*s  %-*s  %5s  %6s  %5s  %6s  %6s  %9s  %13s%s  %9s\n", width, "experiment",
	       scale_width, "scale", "done", "failed", "left", "hold", "fail", "undecided",
	       "not evaluated", sum.errors ? "   error" : "", "seconds");
	for (size_t i = 0; i <= n; i++) {
		const struct run_row *r = i < n ? &rows[i] : &sum;
		const struct {
			bool known;
			size_t n;
			int width;
		} counts[] = {
			{ r->planned, r->done, 5 }, { r->planned, r->failed, 6 },
			{ r->planned, r->left, 5 }, { r->judged, r->holds, 6 },
			{ r->judged, r->fails, 6 }, { r->judged, r->undecided, 9 },
			{ r->judged, r->open, 13 }, { r->judged, r->errors, 6 },
		};
		const size_t last = sizeof(counts) / sizeof(counts[0]) - !sum.errors;
		char *name = xstrdup(r->experiment);

		utf8_make_printable(name);
		printf("%-*s  %-*s", width, name, scale_width, r->scale ? r->scale : "-");
		free(name);
		for (size_t k = 0; k < last; k++)
			if (counts[k].known)
				printf("  %*zu", counts[k].width, counts[k].n);
			else
				printf("  %*s", counts[k].width, "-");
		printf("  %9.1f\n", r->seconds);
	}
}

/* A count, or null where it is not known. */
static struct member j_count(const char *key, bool known, size_t n)
{
	return known ? j_number(key, (double)n) : j_null(key);
}

static void summary_print_json(const struct run_row *rows, size_t n)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < n; i++) {
		const struct run_row *r = &rows[i];

		list_add(list, OBJECT(
			j_text("experiment", r->experiment), j_text("scale", r->scale),
			j_count("done", r->planned, r->done),
			j_count("failed", r->planned, r->failed),
			j_count("left", r->planned, r->left),
			j_json("claims", OBJECT(j_count("hold", r->judged, r->holds),
						j_count("fail", r->judged, r->fails),
						j_count("undecided", r->judged, r->undecided),
						j_count("not_evaluated", r->judged, r->open),
						j_count("error", r->judged, r->errors))),
			j_number("seconds", r->seconds)));
	}
	json_print_own(OBJECT(j_json("summary", list)));
}

/* ---- the runs of an experiment ---- */

/* True where finished runs are made once more. */
static bool runs_again(const struct run_conf *c)
{
	return c->again || !c->resume;
}

/* How the runs of one of them are carried out. */
static struct pool_conf series_conf(const struct run_series *b)
{
	const struct run_conf *c = b->conf;

	return (struct pool_conf){ .jobs = (int)c->jobs, .threads = (int)c->threads,
				 .fail_fast = c->fail_fast, .quiet = c->quiet,
				 .checkpoint_every = c->checkpoint_every,
				 .resume = c->checkpoint_every > 0 && !runs_again(c),
				 .again = runs_again(c), .retrain = c->retrain,
				 .sim = { .ranks = (int)c->ranks, .hostfile = c->hostfile,
					  .hosts = c->hosts, .options = c->mpirun } };
}

/* Seconds of all runs to do; NaN: some are not known. */
static double seconds_of_all(const struct estimate *e)
{
	return e->unknown ? (double)NAN : e->seconds;
}

/* Says where in the series an experiment stands, and what is still after it. */
static char *entry_position(const struct run_series *b, const struct entry *e, double *after_s)
{
	*after_s = 0;
	for (const struct entry *later = e + 1; later < b->entries + b->n; later++)
		*after_s += seconds_of_all(&later->estimate) + seconds_of_all(&later->tuning);
	return b->n > 1 ? xasprintf("experiment %zu of %zu, ", (size_t)(e - b->entries) + 1, b->n)
			: NULL;
}

/*
 * Makes all runs of an experiment, those that choose settings first, before those that have them.
 * An exit code as plan_run().
 */
static int entry_make_runs(const struct run_series *b, struct entry *e)
{
	struct pool_conf n = series_conf(b);
	scoped char *where = entry_position(b, e, &n.after_s);
	int code = EXIT_OK;

	if (e->plan.tuning) {
		struct plan *t = &e->plan.tuning->plan;
		struct pool_conf first = n;
		char *position = xasprintf("%s%s, ", where ? where : "", t->stage);

		first.position = position;
		first.after_s += seconds_of_all(&e->estimate);
		first.estimate = b->conf->quiet ? NULL : &e->tuning;
		first.check = tuning_check_measure;
		first.check_of = &e->plan;
		if (plan_count(t, RUN_TODO))
			code = plan_run(t, &first);
		free(position);
		if (!signal_caught && code != EXIT_DIE)
			code = e->plan.tuning->unmeasured ||
					       (plan_failed(t) && b->conf->fail_fast) ||
					       tuning_end(&e->plan, runs_again(b->conf)) < 0
				       ? EXIT_BAD : EXIT_OK;
	}
	if (code == EXIT_OK) {
		if (!b->conf->quiet)
			note_own(tuning_text(&e->plan));
		n.position = where;
		n.estimate = b->conf->quiet ? NULL : &e->estimate;
		code = plan_run(&e->plan, &n);
	}
	return code;
}

/* The files of the plots that another process has drawn, in the order of the spec. */
static struct texts plots_find(const struct plan *p)
{
	static const char *const suffixes[] = { ".gp", ".dat", ".csv", ".json", ".svg", ".png" };
	struct texts found = { 0 };
	const cJSON *plot;

	for (size_t i = 0; (plot = plot_at(p, i)); i++) {
		const char *name = json_word(plot, "name");

		/* NAME, or NAME-1, NAME-2, ... */
		for (int part = 0;; part++) {
			char *stem = part ? xasprintf("%s/plots/%s-%d", p->dir, name, part)
					  : xasprintf("%s/plots/%s", p->dir, name);
			const size_t n = found.n;

			for (size_t k = 0; k < sizeof(suffixes) / sizeof(suffixes[0]); k++) {
				scoped char *path = xasprintf("%s%s", stem, suffixes[k]);

				if (file_is_regular(path))
					texts_put(&found, path);
			}
			free(stem);
			if (part && found.n == n)
				break;
		}
	}
	return found;
}

/*
 * Writes tables, claims and plots, or finds those that another process of the sweep has written
 * while this one waited for it: all its runs were finished then. 0 or error().
 */
static int entry_write(const struct plan *p, struct outcome *o, struct texts *plots)
{
	scoped char *path = xasprintf("%s/report", p->dir);
	struct result_lock lock = result_lock(path);
	int ret = 0;

	if (lock.waited && !lock.taken_over && !p->looks)       /* looks may differ */
		*plots = plots_find(p);
	else if (outcome_write(o, p) < 0 || provenance_write(p) < 0 ||
		 draw_plots(p, o, NULL, "svg", NULL, plots) < 0)
		ret = -1;
	result_unlock(&lock);
	return ret;
}

/* Finished runs become tables, claims and plots, also when some run failed. 0 or error(). */
static int entry_report(struct entry *e, const struct run_conf *c)
{
	const struct plan *p = &e->plan;
	struct claim_total t;
	scoped_by(outcome_release) struct outcome o;
	scoped_by(texts_release) struct texts plots = { 0 };
	int ret = -1;

	if (outcome_read(&o, p) == 0) {
		/* Files of a part of the grid would replace those of the whole. */
		if (p->left_out && !c->quiet)
			note("--only: tables, claims and plots are not written");
		ret = p->left_out ? 0 : entry_write(p, &o, &plots);
	}
	if (ret == 0) {
		o.claims->brief = !c->v;
		if (!c->follows)
			(c->json ? results_print_json : results_print)(p, &o, &plots);
		if (!c->quiet)
			note_own(trained_text(&o.runs));
		t = verdicts_total(o.claims, NULL);
		e->row.judged = true;
		e->row.holds = (size_t)t.holds;
		e->row.fails = (size_t)t.fails;
		e->row.undecided = (size_t)t.undecided;
		e->row.open = (size_t)t.open;
		e->row.errors = (size_t)t.errors;
		ret = verdicts_check(o.claims, p->spec.name);
	}
	return ret;
}

/* Adds seeds until the claims are decided. An exit code as plan_run(). */
static int entry_decide(const struct run_series *b, struct entry *e, const struct decide_conf *c)
{
	struct deciding d = { 0 };
	int code = EXIT_BAD;

	if (decide_begin(&d, &e->plan, c, false) == 0) {
		code = decide_run(&d, 1, c);
		if (!b->conf->quiet && d.read)
			decide_say(&d);
	}
	decide_end(&d);
	return code;
}

/* Explains a lesson, which is run to learn from it, on stderr. */
static void lesson_print(const struct run_series *b, const struct spec *s)
{
	const struct run_conf *c = b->conf;
	scoped char *text = NULL;

	if (!word_starts(s->name, "tour/") || b->n > 1 || c->quiet || c->json || c->follows)
		return;
	text = xstrdup(s->about);
	utf8_make_printable(text);
	fputc('\n', stderr);
	wrap_print(text, 0, 0, HELP_COLUMNS, stderr);
	fputc('\n', stderr);
}

static int entry_run(const struct run_series *b, struct entry *e)
{
	const struct plan *p = &e->plan;
	struct decide_conf decide = { .pool = series_conf(b) };
	int code, ret;

	if (plan_check_metrics(p) < 0)
		return EXIT_BAD;
	if (b->conf->decide &&
	    (decide_options(&decide, b->conf->max_seeds, b->conf->budget) < 0 ||
	     decide_check(p, &decide) < 0))
		return EXIT_BAD;
	if (b->conf->dry_run) {
		plan_print(p, &e->estimate, &e->tuning, b->conf->json);
		ret = p->tuning ? plan_look_data(&p->tuning->plan) : 0;
		if (b->conf->decide && decide_print_plan(&e->plan, &decide, b->conf->json) < 0)
			ret = -1;
		return plan_look_data(p) < 0 || ret < 0 ? EXIT_BAD : EXIT_OK;
	}
	if ((b->conf->ranks > 1 || plan_is_real(p)) && world_check_alone("run") < 0)
		return EXIT_BAD;
	lesson_print(b, &p->spec);
	provenance_warn(p);
	code = entry_make_runs(b, e);
	if (code != EXIT_OK)
		return code;
	if (b->conf->decide && !plan_lacks_own(p))
		code = entry_decide(b, e, &decide);
	if (signal_caught || code == EXIT_DIE)
		return code;
	ret = entry_report(e, b->conf);
	if (ret < 0 && output_full())
		return EXIT_DIE;
	return signal_caught ? signals_exit_code()
			     : plan_failed(p) || ret < 0 ? EXIT_BAD : code;
}

/* ---- all experiments of the command line ---- */

static int plan_estimate_one(const struct run_series *b, const struct plan *p, struct estimate *e)
{
	struct pool_conf n = series_conf(b);

	if (jobs_choose(p, &n) < 0)
		return -1;
	*e = plan_estimate(p, n.jobs, n.threads, n.retrain || n.again);
	return 0;
}

/* Before the first run, and where it will be read. What several plans take is said together. */
static void series_estimate(struct run_series *b)
{
	struct estimate all = { 0 };
	scoped char *text = NULL, *what = NULL;
	bool tunes = false;

	for (size_t i = 0; i < b->n; i++) {
		struct entry *e = &b->entries[i];

		if (!e->made || plan_estimate_one(b, &e->plan, &e->estimate) < 0)
			continue;
		if (e->plan.tuning)
			plan_estimate_one(b, &e->plan.tuning->plan, &e->tuning);
		tunes = tunes || e->tuning.known + e->tuning.unknown;
		estimate_add(&all, &e->tuning);
		estimate_add(&all, &e->estimate);
	}
	text = estimate_text(&all);
	what = b->n > 1 ? xasprintf("%zu experiments", b->n) : xstrdup("tuning and experiment");
	if ((b->n > 1 || tunes) && !b->conf->quiet)
		note("%s, %zu run%s to do%s%s", what, all.known + all.unknown,
		     word_plural((double)(all.known + all.unknown)),
		     text ? ": " : "", text ? text : "");
}

static int series_run(struct run_series *b)
{
	const struct run_conf *c = b->conf;
	int worst = EXIT_OK;
	size_t i = 0;

	/* all plans are made before the first run: a mistake shows at once */
	for (size_t k = 0; k < b->n; k++) {
		struct entry *e = &b->entries[k];
		const struct plan_request request = {
			.experiment = e->name, .scale = c->scale, .set = b->args->set,
			.only = c->only, .out = results_folder(c->out), .again = runs_again(c),
		};

		e->row.experiment = e->name;
		e->made = plan_make(&e->plan, &request) == 0;
		if (e->made) {
			e->row.scale = e->plan.spec.scale;
			e->row.experiment = e->plan.spec.name;
		} else {
			plan_release(&e->plan);
			worst = EXIT_BAD;
		}
	}
	if (c->dry_run || !c->quiet)
		series_estimate(b);
	for (; i < b->n && !signal_caught && !(c->fail_fast && worst != EXIT_OK); i++) {
		struct entry *e = &b->entries[i];
		const double began = clock_s();
		const int code = e->made ? entry_run(b, e) : EXIT_BAD;

		e->row.seconds = e->made ? clock_s() - began : 0;
		worst = code > worst ? code : worst;
		if (code == EXIT_DIE)
			return code;
	}
	/* A signal between two experiments, or while tables are made, leaves the rest too. */
	return i < b->n && signal_caught ? signals_exit_code() : worst;
}

static int run_names(struct run_series *b, const char *const *names)
{
	struct run_row *rows = xcalloc(b->n, sizeof(*rows));
	int code;

	if (b->conf->dry_run)
		dataset_plan_only();
	b->entries = xcalloc(b->n, sizeof(*b->entries));
	for (size_t i = 0; i < b->n; i++)
		b->entries[i].name = names[i];
	code = series_run(b);
	for (size_t i = 0; i < b->n; i++) {
		struct entry *e = &b->entries[i];

		if (e->made)
			run_row_count(&e->row, &e->plan);
		rows[i] = e->row;
	}
	if ((b->conf->all || b->n > 1) && !b->conf->dry_run && !b->conf->follows)
		(b->conf->json ? summary_print_json : summary_print)(rows, b->n);
	for (size_t i = 0; i < b->n; i++)
		plan_release(&b->entries[i].plan);
	free_all(b->entries, rows);
	return code;
}

/* Every built-in experiment, or those that have the scale. */
static int run_all(struct run_series *b)
{
	char **names = spec_names(b->conf->scale), **installed = spec_names(NULL);
	int code = EXIT_BAD;

	while (names[b->n])
		b->n++;
	if (b->n)
		code = run_names(b, (const char *const *)names);
	else if (!installed[0])
		error("no experiments are installed: set CONVOY_HOME to convoy's share folder");
	else
		error("no experiment has the scale '%s'; 'convoy list experiments' shows what they "
		      "have", b->conf->scale);
	path_list_free(names);
	path_list_free(installed);
	return code;
}

static int run(const struct args *a)
{
	struct run_conf *c = a->conf;
	struct run_series b = { .args = a, .conf = c, .n = a->nwords };
	const int listed = launch_hosts(c->hosts, c->hostfile);

	if (listed < 0)
		return EXIT_BAD;
	c->follows = world_several() && world_rank() > 0;
	c->quiet |= c->follows;
	if (!c->ranks)
		c->ranks = listed;
	if (c->all && a->nwords)
		return args_usage(a, "--all and names are both given (expected one). Leave one "
				     "out");
	if (!c->all && a->nwords == 0)
		return args_usage(a, "no experiment is named. 'convoy list experiments' names "
				     "them");
	if (!c->decide && (c->budget || c->max_seeds))
		return args_usage(a, "--%s is given without --decide",
				  c->budget ? "budget" : "max-seeds");
	if (c->decide && c->only)
		return args_usage(a, "--only leaves out runs that claims compare. Leave out "
				     "--only or --decide");
	if (c->decide && decide_options(&(struct decide_conf){ 0 }, c->max_seeds, c->budget) < 0)
		return EXIT_USAGE;
	return c->all ? run_all(&b) : run_names(&b, a->words);
}

const struct syntax cmd_run = {
	.opts = run_opts, .conf_size = sizeof(struct run_conf), .settings = true, .code = true,
	.common = "workers data net epochs seed slow",
	.usage = "run EXPERIMENT...|--all [--scale SCALE] [--set KEY=VALUE]... [OPTIONS]",
	.about = run_about, .run = run,
};
