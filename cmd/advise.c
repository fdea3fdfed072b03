/* `convoy advise`: from which value of a parameter on another algorithm is faster. */
#include "cmd/advise.h"

#include "cmd/answer_page.h"
#include "cmd/answer_parts.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/opts.h"
#include "cmd/plot_path.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/members.h"
#include "core/text/word.h"
#include "report/text/grid.h"
#include "report/text/say.h"
#include "runner/results/folder.h"
#include "runner/results/outcome.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 9, POINTS_OF_MAP = 7, DRAWS_OF_TWO = 32, DRAWS_AMONG = 8 };

struct conf {
	char *out, *vary, *between, *among, *progress, *progress_from, *progress_by, *plot, *report;
	double model_error;
	int64_t points, draws, jobs;
	bool extrapolate, json, csv, quiet;
};

static const struct opt opts[] = {
	OPT_TEXT(struct conf, among,
		 "algorithms to rank, with values of options: diloco:period=10/25/50; a dozen if "
		 "neither list nor --between is given", "LIST"),
	OPT_TEXT(struct conf, between, "two algorithms, for their break-even", "FIRST,SECOND"),
	{ "vary", OPT_AT(STRING, struct conf, vary), NULL,
	  "slow (of worker 0), share (of the time in which a worker is slow), bandwidth (GB/s), "
	  "latency (seconds), workers or compute_s; twice with --among: a map; --between needs it",
	  "PARAMETER=LO..HI", 0, 0,
	  NULL, OPT_MANY },
	OPT_NUMBER(struct conf, points, "0", "values of a parameter; 0: 9, of a map 7", "N", 0,
		   1000),
	OPT_NUMBER(struct conf, draws, "0",
		   "seeds, and values of uncertain numbers; 0: 32, with --among 8; one if nothing "
		   "varies", "N", 0, 10000),
	OPT_TEXT(struct conf, progress,
		 "progress per step: FIRST,SECOND (1,0.93+-0.02) or NAME=VALUE,...; else 1, with "
		 "--among that of kept runs", "LIST"),
	OPT_TEXT(struct conf, progress_from,
		 "--among: results folder with your training runs, which tell the progress", "DIR"),
	OPT_TEXT(struct conf, progress_by,
		 "--between: training runs that measure it: 'net=lenet epochs=2'", "SETTINGS"),
	OPT_NUMBER(struct conf, model_error, "0",
		   "deviation of the ratio of two simulated times, a share", "SHARE", 0, 1),
	OPT_FLAG(struct conf, extrapolate, "also show points outside the measured tables"),
	OUT_OPT(struct conf),
	OPT_NUMBER(struct conf, jobs, "0", "runs at once; 0: all cores", "N", 0, 4096),
	OPT_TEXT(struct conf, plot, "picture of the answer: .svg, .png or .pdf", "FILE"),
	OPT_TEXT(struct conf, report, "the answer as a page of HTML, made for A4 paper", "FILE"),
	OPT_FLAG(struct conf, json, "one JSON object on stdout"),
	OPT_FLAG(struct conf, csv, "the table on stdout, separated by commas"),
	QUIET_OPT(struct conf),
	{ 0 }
};

static const char about[] =
	"Finds by timing-only runs which algorithm reaches the same loss first on your\n"
	"cluster. --among ranks several, and shows where along a parameter the first one\n"
	"changes. --between finds the break-even of two, its interval, and which uncertain\n"
	"value to measure next.\n"
	"\n"
	"The time to the same loss is the time of a step divided by the progress per step.\n"
	"Numbers in settings may be uncertain: 0.32+-0.03 or 320ms+-10%, log-normal. The same\n"
	"command gives the same answer. Runs measure 400 gradients of each worker unless\n"
	"their length is given.\n"
	"\n"
	"Examples:\n"
	"  convoy advise --workers 16 --net resnet50 --data imagenet --batch 64 \\\n"
	"                --compute-s 0.05 --link nic:bandwidth_GBps=12.5 \\\n"
	"                --vary bandwidth=0.1..50 --report answer.html\n"
	"  convoy advise --among allreduce,diloco:period=10/50 --workers 64 \\\n"
	"                --net bytes:1e9 --compute-s 1 --link nic --progress diloco=0.95\n"
	"  convoy advise --between allreduce,asgd --vary bandwidth=0.1..100 --workers 8 \\\n"
	"                --net bytes:1e9 --compute-s 1+-0.1 --link nic --progress 1,0.9";

/* ---- the table and the break-even ---- */

static void print_points(const struct break_even *r, const struct advise *a)
{
	scoped_grid struct text_grid *rows = grid_new();
	scoped char *faster = xasprintf("P(%s is faster)", a->algo[ADVISE_SECOND]);
	scoped char *head = vary_head(a->vary[0].kind);

	grid_row(rows, head, a->algo[ADVISE_FIRST], a->algo[ADVISE_SECOND], faster,
		 NULL);
	for (size_t i = 0; i < a->nx; i++) {
		scoped char *x = vary_row_text(r->row[i].x, i ? r->row[i - 1].x : (double)NAN);
		scoped char *one = band_text(r->row[i].time[ADVISE_FIRST]);
		scoped char *two = band_text(r->row[i].time[ADVISE_SECOND]);
		scoped char *p =
			isnan(r->row[i].p) ? xstrdup("no data") : xasprintf("%.3g", r->row[i].p);

		grid_row(rows, x, one, two, p, NULL);
	}
	grid_print(rows, TABLE_TEXT, stdout);
}

/* For no draw with a break-even: which algorithm is faster at the points that have data. */
static void print_no_break_even(const struct break_even *r, const struct advise *a)
{
	const struct row **row = xcalloc(a->nx + 1, sizeof(*row));      /* [known] with data */
	double most = 0.0, least = 1.0;         /* P(the second is faster) */
	size_t known = 0;
	char *tie;

	for (size_t i = 0; i < a->nx; i++) {
		row[known] = &r->row[i];
		known += !isnan(r->row[i].p);
		most = isnan(r->row[i].p) ? most : fmax(most, r->row[i].p);
		least = isnan(r->row[i].p) ? least : fmin(least, r->row[i].p);
	}
	if (known == a->nx)
		say("no break-even between %.6g and %.6g: ", r->lo, r->hi);
	else if (known == 1)
		say("no break-even is known, with data at %s %.*g only: ", a->vary[0].kind->name,
		    vary_digits(r->lo), r->lo);
	else
		say("no break-even is known, with data at %zu of %zu points, from %s %.6g to "
		    "%.6g: ", known, a->nx, a->vary[0].kind->name, r->lo, r->hi);
	tie = break_even_tie(row, known, a->vary[0].kind->name, a->algo);
	free(row);
	if (tie)
		say("%s\n", tie);
	else if (most <= 0.0 || least >= 1.0)
		say("%s is faster %s\n", a->algo[most <= 0.0 ? ADVISE_FIRST : ADVISE_SECOND],
		    known == a->nx ? "throughout" : "there");
	else if (!a->random)
		say("both are equally fast\n");
	else
		say("%s is faster with P = %.3g, whatever %s is\n", a->algo[ADVISE_SECOND],
		    0.5 * (most + least), a->vary[0].kind->name);
	free(tie);
	if (known < a->nx)
		say("A break-even may lie where there is no data: measure there, or give "
		    "--extrapolate.\n");
}

static void print_break_even(const struct break_even *r, const struct advise *a)
{
	const char *unit = a->vary[0].kind->unit, *second = a->algo[ADVISE_SECOND];
	const char *side = r->direction > 0 ? "above" : "below";
	/* for an infinite median: most draws have the first algorithm faster in the whole range */
	const bool first = (r->even.median > 0.0) == (r->direction > 0);
	char *x = edge_text(r->even.median, r->lo, r->hi, unit);
	char *lo = edge_text(r->even.lo, r->lo, r->hi, unit);
	char *hi = edge_text(r->even.hi, r->lo, r->hi, unit);

	/* infinite: most draws have no break-even in the range */
	if (isinf(r->even.median)) {
		say("no break-even between %.6g and %.6g in %zu of %zu draws: %s is faster "
		    "throughout\nbreak-even of the others: %s is faster %s (90 %% interval of "
		    "all draws %s to %s)\n", r->lo, r->hi, a->ndraws - r->inside, a->ndraws,
		    a->algo[first ? ADVISE_FIRST : ADVISE_SECOND], second, side, lo, hi);
	} else {
		say("break-even: %s %s (", a->vary[0].kind->name, x);
		if (a->random)
			say("90 %% interval %s to %s, %zu draw%s", lo, hi, a->ndraws,
			    word_plural((double)a->ndraws));
		else
			say("%s to %s by the length of the runs", lo, hi);
		say("). %s is faster %s.\n", second, side);
		if (r->inside < a->ndraws)
			say("%zu of %zu draws have no break-even between %.6g and %.6g.\n",
			    a->ndraws - r->inside, a->ndraws, r->lo, r->hi);
	}
	free_all(x, lo, hi);
	if (r->several)
		say("%zu of %zu draws have several; the first one counts.\n", r->several,
		    a->ndraws);
}

/* Prints where NCCL or Open MPI takes another all-reduce, and what that means for the answer. */
static void print_switches(const struct break_even *r, const struct advise *a)
{
	const char *unit = a->vary[0].kind->unit;

	for (size_t i = 0; i < r->nchanges; i++) {
		const struct kind_switch *s = &r->change[i];
		const bool fits = s->which == ADVISE_FIRST;
		const char *where = a->vary[0].kind->whole ? "from" : "at";

		say("%s's all-reduce changes from %s to %s %s %s %.*g%s%s: the time to the same "
		    "loss of %s is %.4g s just below, and %.4g s %s.\n", s->library, s->from,
		    s->to, where, a->vary[0].kind->name, vary_digits(s->above), s->above,
		    *unit ? " " : "", unit, a->algo[fits ? ADVISE_FIRST : ADVISE_SECOND],
		    s->below_s, s->above_s, a->vary[0].kind->whole ? "there" : "just above");
		/* said once of a switch that both algorithms have */
		if (i + 1 < r->nchanges && s[1].below <= s->below && s[1].below >= s->below)
			continue;
		if (s->at_even)
			say("The break-even lies at this switch: it depends on %s's choice.\n",
			    s->library);
		else if (s->swaps)
			say("Here, too, another algorithm becomes faster.\n");
		else if (r->inside &&
			 switch_is_near(r->even.median, s->above, s->below_s, s->above_s))
			say("The break-even lies next to this switch: it depends on %s's "
			    "choice.\n", s->library);
	}
}

/* Says where there is no data, and what else the answer leaves open. */
static void print_gaps(const struct break_even *r, const struct advise *a)
{
	const char *before = "";        /* the reason printed last: equal ones are printed once */

	for (size_t i = 0; i < a->nx; i++) {
		if (!a->no_data[i] || strcmp(before, a->no_data[i]) == 0)
			continue;
		say("no data at %s %.*g: %s\n", a->vary[0].kind->name, vary_digits(a->x[i]),
		    a->x[i], a->no_data[i]);
		before = a->no_data[i];
	}
	for (size_t i = 0; i < r->gaps.n; i++)
		say("%s\n", r->gaps.v[i]);
}

/* The premises of the comparison: progress per step, and what is uncertain. */
static void print_premises(const struct advise *a)
{
	const struct measured *m = &a->measured;

	if (m->net) {
		say("progress per step of %s, relative to %s, in %zu training run%s of %s "
		    "(%.0f s): ", a->algo[ADVISE_SECOND], a->algo[ADVISE_FIRST], m->runs,
		    word_plural((double)m->runs), m->net, m->wall_s);
		for (int i = 0; i < MEASURED_POINTS; i++)
			say("%s%.3g at %s %.*g", i ? ", " : "", exp(m->log_progress[i]),
			    a->vary[0].kind->name, vary_digits(vary_x(&a->vary[0], m->u[i])),
			    vary_x(&a->vary[0], m->u[i]));
		say("\n");
	} else if (a->progress_given) {
		say("progress per step, as given: %s %.4g, %s %.4g\n", a->algo[ADVISE_FIRST],
		    a->progress[ADVISE_FIRST].value, a->algo[ADVISE_SECOND],
		    a->progress[ADVISE_SECOND].value);
	} else {
		say("progress per step: taken as 1 for both, so only the time of the hardware is "
		    "compared (--progress)\n");
	}
	say("uncertain: ");
	for (size_t i = 0; i < a->uncertain.n; i++)
		say("%s%s %.*g +- %.3g", i ? ", " : "", a->uncertain.v[i].name,
		    vary_digits(a->uncertain.v[i].mean), a->uncertain.v[i].mean,
		    a->uncertain.v[i].sd);
	say("%s\n", a->uncertain.n ? "" : "no value; give those that are as VALUE+-DEVIATION");
	if (a->uncertain.n && a->ndraws == 1)
		say("one draw only: P is 0 or 1, and no interval holds what is uncertain. Give "
		    "--draws 20 or more\n");
	if (a->model_error == SIZE_MAX)
		say("%s\n", MODEL_ERROR_NONE);
}

/* Break-evens at both ends of each uncertain value, and its share of their variance. */
static void print_sensitivity(const struct break_even *r, const struct advise *a)
{
	scoped_grid struct text_grid *rows = grid_new();

	printf("\nMeasure next what has the largest share:\n");
	grid_row(rows, "value", "low", "break-even there", "high", "break-even there",
		 "share of the variance", NULL);
	for (size_t i = 0; i < r->neffects; i++) {
		const struct effect *e = &r->effect[i];
		const struct uncertain *u = &a->uncertain.v[e->uncertain];
		scoped char *low = xasprintf("%.4g", uncertain_at(u, -1.0));
		scoped char *high = xasprintf("%.4g", uncertain_at(u, 1.0));
		scoped char *at_low = edge_text(e->lo, r->lo, r->hi, "");
		scoped char *at_high = edge_text(e->hi, r->lo, r->hi, "");
		scoped char *share = xasprintf("%.0f %%", 100.0 * e->share);

		grid_row(rows, u->name, low, at_low, high, at_high, share, NULL);
	}
	grid_print(rows, TABLE_TEXT, stdout);
	say("from run to run, or not linear: %.0f %%\n", 100.0 * r->rest);
}

static void print_advice(const struct break_even *r, const struct advise *a)
{
	char *simulated = advise_provenance(a);

	say("%s\n", simulated);
	free(simulated);
	if (a->assumed_line)
		say("%s\n", a->assumed_line);
	say("time to the same loss [s]: of a step, divided by progress per step; a step is as "
	    "many gradients as there are workers\n");
	if (a->random)
		say("in parentheses: 90 %% of the draws\n");
	print_points(r, a);
	print_gaps(r, a);
	say("\n");
	if (isnan(r->lo))
		say("no data at any point: measure there, or give --extrapolate\n");
	else if (!r->inside)
		print_no_break_even(r, a);
	else
		print_break_even(r, a);
	print_switches(r, a);
	print_premises(a);
	if (r->neffects)
		print_sensitivity(r, a);
}

/* ---- the command ---- */

/* Draws times and effects, and adds the paths. 0 or error(). */
static int between_draw(const struct break_even *r, const struct advise *a,
			const struct answer *answer, const char *plot, struct texts *paths)
{
	scoped_by(chart_release) struct chart chart = chart_of_between(answer);
	struct plot_path at;
	int ret = chart_draw(&chart, answer, plot, paths);

	if (ret == 0 && plot_path_split(plot, PLOT_PATH_NUMBERS, &at) == 0)
		ret = break_even_plot(r, a, at.dir, at.name, at.format, paths);
	return ret;
}

/* Draws the plots of --plot, and prints the advice, with or without them. An exit code. */
static int advise_show(struct break_even *r, const struct advise *a, const struct conf *c)
{
	scoped_by(texts_release) struct texts paths = { 0 };
	scoped_by(answer_release) struct answer answer;
	bool drawn = true;
	int ret = 0;

	if ((c->plot || c->report) && break_even_refine(r, a) != EXIT_OK)
		ret = -1;
	answer = answer_of_between(r, a);
	if (ret == 0 && c->plot)
		drawn = between_draw(r, a, &answer, c->plot, &paths) == 0;
	answer_warn_unmoved(&answer);
	if (ret == 0 && c->json) {
		json_print_own(ADD(answer_json(&answer), j_texts("plots", paths.v, paths.n)));
	} else if (ret == 0 && c->csv) {
		answer_print_csv(&answer, stdout);
	} else if (ret == 0) {
		print_advice(r, a);
		paths_print(&paths, "\n");
	}
	if (ret == 0 && c->report)
		ret = answer_report(&answer, c->report, c->json || c->csv);
	return ret < 0 || !drawn ? EXIT_BAD : EXIT_OK;
}

/* The break-even of two algorithms. An exit code. */
static int advise_between(const struct conf *c, struct advise *a, const struct question *question)
{
	struct break_even r;
	int code = EXIT_BAD;

	if (c->progress_from)
		return error("--progress-from is of --among. Give --progress or --progress-by"),
		       EXIT_BAD;
	if (c->progress && c->progress_by)
		return error("--progress and --progress-by are both given (expected one). Leave "
			     "one out"), EXIT_BAD;
	if (advise_open(a, question) == 0)
		code = c->progress_by ? advise_measure(a, c->progress_by) : EXIT_OK;
	if (code == EXIT_OK) {
		advise_draw_all(a, c->draws ? (size_t)c->draws : DRAWS_OF_TWO);
		code = break_even_find(&r, a);
		if (code == EXIT_OK)
			code = advise_show(&r, a, c);
		break_even_release(&r);
	}
	return code;
}

static int advise(const struct args *args)
{
	const struct conf *c = args->conf;
	const bool map = c->vary && strchr(c->vary, '\n');
	struct among m = { .a = {
		.out = results_folder(c->out), .extrapolate = c->extrapolate,
		.conf = { .jobs = (int)c->jobs, .threads = 1, .quiet = c->quiet },
	} };
	const struct among_question question = {
		.among = c->among, .progress = c->progress, .progress_from = c->progress_from,
		.draws = c->draws ? (size_t)c->draws : DRAWS_AMONG,
		.q = { .between = c->between, .vary = c->vary, .progress = c->progress,
		       .model_error = c->model_error, .set = args->set,
		       .points = c->points ? (size_t)c->points : map ? POINTS_OF_MAP : POINTS },
	};
	const struct advise_output output = { .plot = c->plot, .report = c->report,
					      .json = c->json, .csv = c->csv };
	int code;

	if (c->json && c->csv)
		return error("--json and --csv are both given (expected one). Leave one out"),
		       EXIT_BAD;
	if (c->points == 1)
		return error("--points 1: expected 2 or more, or 0"), EXIT_BAD;
	if (c->plot && (plot_path_check(c->plot, PLOT_PATH_NUMBERS) < 0 ||
			(c->between && plot_path_check_second(c->plot, PLOT_PATH_NUMBERS,
							      ADVISE_SECOND_PLOT) < 0)))
		return EXIT_BAD;
	if (c->report && answer_report_check(c->report) < 0)
		return EXIT_BAD;
	if (c->between && c->among)
		return error("--between and --among are both given (expected one). Leave one out"),
		       EXIT_BAD;
	if (!c->between && c->progress_by)
		return error("--progress-by is of --between, which names two algorithms"), EXIT_BAD;
	code = c->between ? advise_between(c, &m.a, &question.q)
			  : advise_among(&m, &question, &output);
	among_release(&m);
	return code;
}

/* "--among" without a list is "--among=dozen". */
static int among_complete(char **argv)
{
	static char dozen[] = "--among=dozen";

	for (int i = 1; argv[i]; i++)
		if (strcmp(argv[i], "--among") == 0 &&
		    (!argv[i + 1] || strncmp(argv[i + 1], "--", 2) == 0))
			argv[i] = dozen;
	return EXIT_OK;
}

const struct syntax cmd_advise = {
	.opts = opts, .conf_size = sizeof(struct conf), .none = true, .settings = true,
	.code = true, .first = among_complete,
	.common = "workers net batch compute_s link",
	.usage = "advise [--among LIST] [--vary PARAMETER=LO..HI]... "
		 "[--SETTING VALUE]... [OPTIONS]",
	.about = about, .run = advise,
};
