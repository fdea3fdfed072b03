/* `convoy advise`: from which value of a parameter on another algorithm is faster. */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "cmd/common.h"
#include "cmd/opts.h"
#include "cmd/plot_path.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/members.h"
#include "core/text/utf8.h"
#include "core/text/word.h"
#include "report/text/grid.h"
#include "runner/results/folder.h"
#include "runner/results/outcome.h"
#include "study/advise/advise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct conf {
	char *out, *vary, *between, *progress, *progress_by, *plot;
	double model_error;
	int64_t points, draws, jobs;
	bool extrapolate, json, csv, quiet;
};

static const struct opt opts[] = {
	OPT_TEXT(struct conf, between, "two algorithms that are compared", "FIRST,SECOND"),
	OPT_TEXT(struct conf, vary,
		 "parameter and range: slow (of worker 0), share (of the time in which a worker is "
		 "slow), bandwidth (GB/s), latency, workers or compute_s", "PARAMETER=LO..HI"),
	OPT_NUMBER(struct conf, points, "9", "values of the parameter in the table", "N", 2, 1000),
	OPT_NUMBER(struct conf, draws, "32",
		   "seeds, and values for each uncertain number; one if nothing varies", "N", 1,
		   10000),
	OPT_TEXT(struct conf, progress,
		 "progress per step of both, which may be uncertain: 1,0.93+-0.02; else 1 for both",
		 "FIRST,SECOND"),
	OPT_TEXT(struct conf, progress_by,
		 "measure the progress by training runs with these settings: 'net=lenet lr=0.01 "
		 "epochs=2'", "SETTINGS"),
	OPT_NUMBER(struct conf, model_error, "0",
		   "deviation of the simulated ratio of both times from the true one, as a share",
		   "SHARE", 0, 1),
	OPT_FLAG(struct conf, extrapolate, "also show points outside the measured tables"),
	OUT_OPT(struct conf),
	OPT_NUMBER(struct conf, jobs, "0", "runs at once; 0: all cores", "N", 0, 4096),
	OPT_TEXT(struct conf, plot,
		 "plot of times and of P(second is faster): .svg, .png or .pdf; what to measure "
		 "next as FILE-sensitivity", "FILE"),
	OPT_FLAG(struct conf, json, "one JSON object on stdout"),
	OPT_FLAG(struct conf, csv, "the table on stdout, separated by commas"),
	QUIET_OPT(struct conf),
	{ 0 }
};

static const char about[] =
	"Finds the break-even of two algorithms over one parameter of a cluster, by bisection\n"
	"over timing-only runs: the value from which the second algorithm is faster, or slower.\n"
	"Prints the time per useful step of both, P(the second is faster), the break-even with\n"
	"its interval, and which uncertain value to measure next.\n"
	"\n"
	"Numbers in settings may be uncertain: 0.32+-0.03 or 0.32+-10%, log-normal with this\n"
	"mean and standard deviation. Each draw takes its own seed and values, so the same\n"
	"command gives the same answer. A step is as many gradients as there are workers.\n"
	"Without --epochs, --seconds or --gradients a run has 400 measured gradients of each\n"
	"worker, fewer if there are many workers, more if workers are slow for a while.\n"
	"\n"
	"Examples:\n"
	"  convoy advise --between allreduce,ad-psgd --vary slow=1..10 --workers 16 \\\n"
	"                --net resnet50 --data imagenet --batch 64 \\\n"
	"                --compute-s 0.05+-0.005 --link nic:bandwidth_GBps=12.5 \\\n"
	"                --plot advise.svg\n"
	"  convoy advise --between allreduce,asgd --vary bandwidth=0.1..100 --workers 8 \\\n"
	"                --net bytes:350e6 --compute-s 0.3 --link nic \\\n"
	"                --progress 1,0.9+-0.05";

/* ---- the table and the break-even ---- */

static char *band_text(struct band b, bool random)
{
	if (isnan(b.median))
		return xstrdup("no data");
	return random ? xasprintf("%.4g (%.4g to %.4g)", b.median, b.lo, b.hi)
		      : xasprintf("%.4g", b.median);
}

static void print_points(const struct advice *r, const struct advise *a)
{
	struct text_grid *rows = grid_new();
	char *faster = xasprintf("P(%s is faster)", a->algo[ADVISE_SECOND]);

	grid_row(rows, a->vary.kind->name, a->algo[ADVISE_FIRST], a->algo[ADVISE_SECOND], faster,
		 NULL);
	for (size_t i = 0; i < a->nx; i++) {
		char *x = xasprintf("%.4g", r->row[i].x);
		char *one = band_text(r->row[i].time[ADVISE_FIRST], a->random);
		char *two = band_text(r->row[i].time[ADVISE_SECOND], a->random);
		char *p = isnan(r->row[i].p) ? xstrdup("no data") : xasprintf("%.3g", r->row[i].p);

		grid_row(rows, x, one, two, p, NULL);
		free(x);
		free(one);
		free(two);
		free(p);
	}
	grid_print(rows, TABLE_TEXT, stdout);
	grid_free(rows);
	free(faster);
}

/*
 * A value of the parameter: "1.25 GB/s". An infinite x lies outside the range from r->lo to r->hi:
 * "below 0.1 GB/s", "above 100 GB/s".
 */
static char *edge_text(const struct advice *r, const char *unit, double x)
{
	const char *where = !isinf(x) ? "" : x < 0.0 ? "below " : "above ";

	return xasprintf("%s%.4g%s%s", where, !isinf(x) ? x : x < 0.0 ? r->lo : r->hi,
			 *unit ? " " : "", unit);
}

/* For no draw with a break-even: which algorithm is faster at the points that have data. */
static void print_no_break_even(const struct advice *r, const struct advise *a)
{
	double most = 0.0, least = 1.0;         /* P(the second is faster) */
	size_t known = 0;                       /* points with data */

	for (size_t i = 0; i < a->nx; i++) {
		known += !isnan(r->row[i].p);
		most = isnan(r->row[i].p) ? most : fmax(most, r->row[i].p);
		least = isnan(r->row[i].p) ? least : fmin(least, r->row[i].p);
	}
	if (known == a->nx)
		printf("no break-even between %.4g and %.4g: ", r->lo, r->hi);
	else if (known == 1)
		printf("no break-even is known, with data at %s %.4g only: ", a->vary.kind->name,
		       r->lo);
	else
		printf("no break-even is known, with data at %zu of %zu points, from %s %.4g to "
		       "%.4g: ", known, a->nx, a->vary.kind->name, r->lo, r->hi);
	if (most <= 0.0 || least >= 1.0)
		printf("%s is faster %s\n", a->algo[most <= 0.0 ? ADVISE_FIRST : ADVISE_SECOND],
		       known == a->nx ? "throughout" : "there");
	else if (!a->random)
		printf("both are equally fast\n");
	else
		printf("%s is faster with P = %.3g, whatever %s is\n", a->algo[ADVISE_SECOND],
		       0.5 * (most + least), a->vary.kind->name);
	if (known < a->nx)
		puts("A break-even may lie where there is no data: measure there, or give "
		     "--extrapolate.");
}

static void print_break_even(const struct advice *r, const struct advise *a)
{
	const char *unit = a->vary.kind->unit, *second = a->algo[ADVISE_SECOND];
	const char *side = r->direction > 0 ? "above" : "below";
	/* for an infinite median: most draws have the first algorithm faster in the whole range */
	const bool first = (r->even.median > 0.0) == (r->direction > 0);
	char *x = edge_text(r, unit, r->even.median);
	char *lo = edge_text(r, unit, r->even.lo), *hi = edge_text(r, unit, r->even.hi);

	/* infinite: most draws have no break-even in the range */
	if (isinf(r->even.median)) {
		printf("no break-even between %.4g and %.4g in %zu of %zu draws: %s is faster "
		       "throughout\nbreak-even of the others: %s is faster %s (90 %% interval of "
		       "all draws %s to %s)\n", r->lo, r->hi, a->ndraws - r->inside, a->ndraws,
		       a->algo[first ? ADVISE_FIRST : ADVISE_SECOND], second, side, lo, hi);
	} else {
		printf("break-even: %s %s (", a->vary.kind->name, x);
		if (a->random)
			printf("90 %% interval %s to %s, %zu draw%s", lo, hi, a->ndraws,
			       word_plural((double)a->ndraws));
		else
			printf("%s to %s by the length of the runs", lo, hi);
		printf("). %s is faster %s.\n", second, side);
		if (r->inside < a->ndraws)
			printf("%zu of %zu draws have no break-even between %.4g and %.4g.\n",
			       a->ndraws - r->inside, a->ndraws, r->lo, r->hi);
	}
	free(x);
	free(lo);
	free(hi);
	if (r->several)
		printf("%zu of %zu draws have several; the first one counts.\n", r->several,
		       a->ndraws);
}

/* Where NCCL, or Open MPI, takes another all-reduce, and what that has to do with the answer. */
static void print_switches(const struct advice *r, const struct advise *a)
{
	const char *unit = a->vary.kind->unit;

	for (size_t i = 0; i < r->nchanges; i++) {
		const struct kind_switch *s = &r->change[i];
		const bool fits = s->which == ADVISE_FIRST;
		const double jump = fabs(log(s->above_s / s->below_s));
		const char *where = a->vary.kind->whole ? "from" : "at";

		printf("%s's all-reduce changes from %s to %s %s %s %.4g%s%s: a useful step of %s "
		       "takes %.4g s just below, and %.4g s %s.\n", s->library, s->from, s->to,
		       where, a->vary.kind->name, s->above, *unit ? " " : "", unit,
		       a->algo[fits ? ADVISE_FIRST : ADVISE_SECOND], s->below_s, s->above_s,
		       a->vary.kind->whole ? "there" : "just above");
		if (s->at_even)
			printf("The break-even lies at this switch: it depends on %s's choice.\n",
			       s->library);
		else if (s->swaps)
			printf("Here, too, another algorithm becomes faster.\n");
		else if (r->inside && isfinite(r->even.median) && jump > log(1.05) &&
			 fabs(log(r->even.median / s->above)) < log(1.25))
			printf("The break-even lies next to this switch: it depends on %s's "
			       "choice.\n", s->library);
	}
}

/* 1.05 x, rounded up to two digits: --seconds to recommend when x seconds just suffice. */
static double rounded_up(double x)
{
	const double digit = pow(10.0, floor(log10(x)) - 1.0);

	return ceil(1.05 * x / digit) * digit;
}

/*
 * Says where there is no data, at which points runs are too short to have ADVICE_RARE events of a
 * kind that happens rarely, and whether the cluster's faults last longer than the runs.
 */
static void print_gaps(const struct advice *r, const struct advise *a)
{
	static const char *const names[RARES] = { "slow periods", "failures", "checkpoints" };
	const char *before = "";        /* the reason printed last: equal ones are printed once */
	double shortest = HUGE_VAL;     /* seconds measured by the shortest run */

	for (size_t i = 0; i < a->nx; i++) {
		shortest = fmin(shortest, r->row[i].measured_s);
		if (!a->no_data[i] || strcmp(before, a->no_data[i]) == 0)
			continue;
		printf("no data at %s %.4g: %s\n", a->vary.kind->name, a->x[i], a->no_data[i]);
		before = a->no_data[i];
	}
	for (int k = 0; k < RARES; k++) {
		size_t few = 0, least = 0;      /* such points; the one with fewest events */

		for (size_t i = 0; i < a->nx; i++) {
			if (!(r->row[i].rare[k] < ADVICE_RARE))         /* enough, or NaN */
				continue;
			if (!few++ || r->row[i].rare[k] < r->row[least].rare[k])
				least = i;
		}
		if (few)        /* a->rare: events a second */
			printf("%zu of %zu points have fewer than %d %s in a run (%.2g at %s "
			       "%.4g): times there, and a break-even near them, may be biased. "
			       "Give --seconds %.6g or more\n", few, a->nx, ADVICE_RARE, names[k],
			       r->row[least].rare[k], a->vary.kind->name, a->x[least],
			       rounded_up(ADVICE_RARE / a->rare[least][k]));
	}
	if (a->faults_until > shortest && isfinite(shortest))
		printf("faults last until %.4g s, but some runs measure %.4g s only: their times "
		       "are of a part of the faults. Give --seconds %.6g or more\n",
		       a->faults_until, shortest, rounded_up(a->faults_until));
}

/* The premises of the comparison: progress per step, and what is uncertain. */
static void print_premises(const struct advise *a)
{
	const struct measured *m = &a->measured;

	if (m->net) {
		printf("progress per step of %s, relative to %s, in %zu training run%s of %s "
		       "(%.0f s): ", a->algo[ADVISE_SECOND], a->algo[ADVISE_FIRST], m->runs,
		       word_plural((double)m->runs), m->net, m->wall_s);
		for (int i = 0; i < MEASURED_POINTS; i++)
			printf("%s%.3g at %s %.4g", i ? ", " : "", exp(m->log_progress[i]),
			       a->vary.kind->name, vary_x(&a->vary, m->u[i]));
		putchar('\n');
	} else if (a->progress_given) {
		printf("progress per step, as given: %s %.4g, %s %.4g\n", a->algo[ADVISE_FIRST],
		       a->progress[ADVISE_FIRST].value, a->algo[ADVISE_SECOND],
		       a->progress[ADVISE_SECOND].value);
	} else {
		puts("progress per step: taken as 1 for both, so only the time of the hardware is "
		     "compared (--progress)");
	}
	printf("uncertain: ");
	for (size_t i = 0; i < a->uncertain.n; i++)
		printf("%s%s %.4g +- %.3g", i ? ", " : "", a->uncertain.v[i].name,
		       a->uncertain.v[i].mean, a->uncertain.v[i].sd);
	puts(a->uncertain.n ? "" : "no value; give those that are as VALUE+-DEVIATION");
	if (a->uncertain.n && a->ndraws == 1)
		puts("one draw only: P is 0 or 1, and no interval holds what is uncertain. Give "
		     "--draws 20 or more");
	if (a->model_error == SIZE_MAX)
		puts("model error: none assumed (--model-error). Predicted times have differed "
		     "from measured ones by 12 % in the median, by 32 % or more in the worst tenth "
		     "(docs/validation.md)");
}

/* Break-evens at both ends of each uncertain value, and its share of their variance. */
static void print_sensitivity(const struct advice *r, const struct advise *a)
{
	struct text_grid *rows = grid_new();

	printf("\nMeasure next what has the largest share:\n");
	grid_row(rows, "value", "low", "break-even there", "high", "break-even there",
		 "share of the variance", NULL);
	for (size_t i = 0; i < r->neffects; i++) {
		const struct effect *e = &r->effect[i];
		const struct uncertain *u = &a->uncertain.v[e->uncertain];
		char *low = xasprintf("%.4g", uncertain_at(u, -1.0));
		char *high = xasprintf("%.4g", uncertain_at(u, 1.0));
		char *at_low = edge_text(r, "", e->lo), *at_high = edge_text(r, "", e->hi);
		char *share = xasprintf("%.0f %%", 100.0 * e->share);

		grid_row(rows, u->name, low, at_low, high, at_high, share, NULL);
		free(low);
		free(high);
		free(at_low);
		free(at_high);
		free(share);
	}
	grid_print(rows, TABLE_TEXT, stdout);
	printf("from run to run, or not linear: %.0f %%\n", 100.0 * r->rest);
	grid_free(rows);
}

static void print_advice(const struct advice *r, const struct advise *a)
{
	char *simulated = advise_provenance(a);

	utf8_puts(simulated);
	free(simulated);
	printf("time per useful step [s]: of as many gradients as there are workers, divided by "
	       "progress per step\n");
	print_points(r, a);
	print_gaps(r, a);
	putchar('\n');
	if (isnan(r->lo))
		puts("no data at any point: measure there, or give --extrapolate");
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

/* Draws the plots of --plot, and prints the advice. An exit code. */
static int advise_show(struct advice *r, const struct advise *a, const struct conf *c)
{
	struct texts paths = { 0 };
	struct plot_path at;
	int ret = 0;

	if (c->plot)
		ret = plot_path_split(c->plot, PLOT_PATH_NUMBERS, &at) < 0 ||
				      advice_refine(r, a) != EXIT_OK
			      ? -1 : advice_plot(r, a, at.dir, at.name, at.format, &paths);
	if (ret == 0 && c->json) {
		json_print_own(ADD(advice_json(r, a), j_texts("plots", paths.v, paths.n)));
	} else if (ret == 0 && c->csv) {
		advice_print_csv(r, a, stdout);
	} else if (ret == 0) {
		print_advice(r, a);
		paths_print(&paths, "\n");
	}
	texts_release(&paths);
	return ret < 0 ? EXIT_BAD : EXIT_OK;
}

static int advise(const struct args *args)
{
	const struct conf *c = args->conf;
	struct advise a = {
		.out = results_folder(c->out), .extrapolate = c->extrapolate,
		.conf = { .jobs = (int)c->jobs, .threads = 1, .quiet = c->quiet },
	};
	const struct question question = {
		.between = c->between, .vary = c->vary, .progress = c->progress,
		.model_error = c->model_error, .points = (size_t)c->points, .set = args->set,
	};
	struct advice r;
	int code = EXIT_BAD;

	if (c->json && c->csv)
		return error("--json and --csv are both given (expected one). Leave one out"),
		       EXIT_BAD;
	if (c->progress && c->progress_by)
		return error("--progress and --progress-by are both given (expected one). Leave "
			     "one out"), EXIT_BAD;
	if (c->plot && plot_path_check(c->plot, PLOT_PATH_NUMBERS) < 0)
		return EXIT_BAD;
	if (advise_open(&a, &question) == 0)
		code = c->progress_by ? advise_measure(&a, c->progress_by) : EXIT_OK;
	if (code == EXIT_OK) {
		advise_draw_all(&a, (size_t)c->draws);
		code = advice_find(&r, &a);
		if (code == EXIT_OK)
			code = advise_show(&r, &a, c);
		advice_release(&r);
	}
	advise_release(&a);
	return code;
}

int cmd_advise(int argc, char **argv)
{
	struct conf conf;
	struct args a = { .opts = opts, .conf = &conf, .settings = true, .code = true,
			  .about = about,
			  .none = true, .common = "workers net data batch cluster compute_s link",
			  .usage = "advise --between FIRST,SECOND --vary PARAMETER=LO..HI "
				   "[--SETTING VALUE]... [OPTIONS]" };

	return args_main(&a, argc, argv, advise);
}
