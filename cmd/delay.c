/* `convoy delay fit LOG...`: which delay model describes a log of step times. */
#include "cmd/cmd.h"

#include "cmd/answer_page.h"
#include "cmd/args.h"
#include "cmd/common.h"
#include "cmd/plot_path.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/members.h"
#include "core/text/utf8.h"
#include "core/text/word.h"
#include "record/environ.h"
#include "report/page/answer.h"
#include "report/text/say.h"
#include "runner/results/outcome.h"
#include "study/fit/fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct conf {
	int64_t seed, batch, skip;
	char *plot, *file, *cluster, *net, *csv, *report;
	bool apart, intervals, json;
};

static const struct opt opts[] = {
	{ "o", OPT_AT(STRING, struct conf, file), NULL, "the cluster file that is written", "FILE",
	  0, 0, NULL, 0 },
	OPT_TEXT(struct conf, cluster, "a cluster whose other keys the file has, name or path",
		 "CLUSTER"),
	OPT_TEXT(struct conf, net, "the log's net, whose seconds per sample the file then has",
		 "NET"),
	OPT_NUMBER(struct conf, batch, "0", "samples of a step of the log, for --net", "N", 0,
		   1 << 30),
	OPT_NUMBER(struct conf, skip, "0", "steps of each worker to leave out at the beginning",
		   "N", 0, 1e9),
	OPT_FLAG(struct conf, apart,
		 "the workers of the log did not wait for each other in each step"),
	OPT_TEXT(struct conf, csv, "the log as CSV, for --delay replay:file=FILE", "FILE"),
	OPT_TEXT(struct conf, plot,
		 "Q-Q plot of the models against the log; NAME-map: ranks and steps: .svg, .png or "
		 ".pdf", "FILE"),
	OPT_TEXT(struct conf, report, "the answer as a page of HTML, made for A4 paper", "FILE"),
	OPT_FLAG(struct conf, intervals,
		 "95 % intervals of the best model's parameters, by fitting 39 runs of it"),
	OPT_NUMBER(struct conf, seed, "1", "first of the seeds of the models' runs", "N", 0, 1e15),
	OPT_FLAG(struct conf, json, "as JSON on stdout"),
	{ 0 }
};

static const char about[] =
	"Fits the delay models to a log of step times, and says which describes it. The log has\n"
	"only the seconds of computing: with communication, all workers of a synchronous run look\n"
	"alike. It is one of these, recognised by what is in the files:\n"
	"- CSV with a line for each step of each worker, and the columns worker, step, seconds;\n"
	"  or rank, iter, step_time_ms and the like, in any order, or a file of each rank without\n"
	"  that column; or a JSON object on each line\n"
	"- what trainers print, 'step 10 ... time 0.123', in one file or in one of each rank\n"
	"- traces of PyTorch (torch.profiler, .json or .json.gz), one of each rank. The seconds\n"
	"  of a step are its duration, less the time in which a collective ran and the rank\n"
	"  computed nothing\n"
	"\n"
	"Each fitted model makes 99 runs with the workers and steps of the log. It fits if their\n"
	"range includes the log in four measures: the Kolmogorov-Smirnov distance, the lag-1\n"
	"autocorrelation within a worker, the spread between workers, and the step of an\n"
	"all-reduce. The best model is the simplest that fits. Where slow phases are rare or none\n"
	"fits, replay the log: --delay replay:file=LOG. Ranks that are slow together need the\n"
	"model rack, whose ranks share a delay.\n"
	"A rank that is far from the others throughout the log, or has bursts of its own, is\n"
	"named; its factor or its bursts are fixed, and the models are those of the other ranks.\n"
	"A rank that becomes slow and stays so is named, too, but stays among the others.\n"
	"\n"
	"Examples:\n"
	"  convoy delay fit steps.csv --report steps.html\n"
	"  convoy delay fit steps.csv --plot steps.svg\n"
	"  convoy delay fit trace-*.json.gz --csv steps.csv\n"
	"  convoy delay fit steps.csv --skip 5\n"
	"  convoy delay fit steps.csv --cluster here.json --net resnet50 --batch 64 \\\n"
	"             -o mine.json\n"
	"  convoy sim --cluster mine.json --net resnet50 --timing \\\n"
	"             --algo allreduce,ad-psgd";

/* ---- the fit as text ---- */

/* A limit from here on excludes few laws: two without a common value are 1 apart. */
static const double WEAK_KS = 0.25;

static double log_mean(const struct fit *f)
{
	return fit_mean(f->log.seconds, f->log.workers * f->log.steps);
}

static void print_log(const struct fit *f)
{
	const struct outliers *o = &f->outliers;
	scoped char *together = together_words(&f->together, f->log.workers);
	scoped char *lasting = lasting_words(&f->log, o);

	say("%s: %zu worker%s, %zu steps each, mean %.4g s", f->path, f->log.workers,
	    word_plural((double)f->log.workers), f->log.steps, log_mean(f));
	if (f->cut)
		say("; the first %zu steps are compared", f->compared);
	say("\n\n");
	for (size_t i = 0, n; i < o->n; i += n) {
		const struct outlier *one = &o->v[i];
		scoped char *words = outliers_words(o, i, f->log.steps, &n);

		say("%s; mean %.4g s, %.4g times the median rank's\n", words, one->seconds,
		    one->factor);
	}
	if (lasting) {
		say("%s.%s", lasting, o->n ? "\n" : "\n\n");
	} else if (!o->n && f->log.workers > 1) {
		scoped char *slower = slower_words(&f->log);

		say("%s.\n\n",
		    slower ? slower : "No rank is slow throughout or has bursts of its own");
	}
	if (o->n)
		say("An all-reduce step takes %.4g s, and %.4g s of the other %zu ranks alone, "
		    "to which the models are fitted.\n\n", f->step, f->own.step,
		    f->rest.workers);
	if (together)
		say("%s\n\n", together);
}

static char *range_text(const struct fit_range *r)
{
	return xasprintf("%.3f (%.3f to %.3f)", r->middle, r->low, r->high);
}

static char *step_text(const struct fit_range *r)
{
	return xasprintf("%.3g (%.3g to %.3g)", r->middle, r->low, r->high);
}

/* The end of --delay, and " --slow 3:1.5": workers with phases, and with factors, of their own. */
static void print_outliers(const struct outliers *o, double compute_s)
{
	scoped char *slow = outliers_slow(o), *clauses = outliers_clauses(o, compute_s, false);

	printf("%s'", clauses);
	if (*slow)
		printf(" --slow %s", slow);
	puts("");
}

static void print_best(const struct fit *f)
{
	const struct fit_model *m = &f->model[f->best];
	const struct fit_comparison *c = &f->of[f->best];
	struct fit_settings replay;

	if (c->fits)
		printf("\nBest: %s, the simplest model that fits.\n", m->name);
	else
		printf("\nNo model fits; %s is the nearest.\n", m->name);
	printf("  --compute-s %.5g --delay '%s", m->compute_s, m->delay);
	print_outliers(&f->outliers, m->compute_s);
	/* runs that are far from each other include almost any log */
	if (c->fits && c->ks_most >= WEAK_KS)
		say("The KS distance says little: runs of %s with %zu worker%s differ by up to "
		    "%.3f.\n", m->name, f->rest.workers,
		    word_plural((double)f->rest.workers), c->ks_most);
	if (c->fits)
		return;
	if (!fit_replays(f)) {
		puts("The log itself can be replayed. Give --csv FILE.");
		return;
	}
	replay = fit_settings(f, false);
	printf("The log itself, which -o and --report take:\n  --compute-s %.5g --delay '%s'\n",
	       replay.compute_s, replay.delay);
	fit_settings_release(&replay);
}

static void print_intervals(const struct fit *f)
{
	const struct fit_model *m = &f->model[f->best];
	const double deviation = fmin(0.25 * (m->p[0].high - m->p[0].low), m->p[0].value);
	scoped char *delay = fit_model_text(m, true);

	printf("\nParameters, with 95 %% intervals by %d fits to runs of the model:\n", m->refits);
	for (size_t i = 0; i < m->n; i++) {
		const struct fit_parameter *p = &m->p[i];
		scoped char *name = fit_parameter_name(p);

		printf("  %-20s %10.4g  %.4g to %.4g\n", name, p->value, p->low, p->high);
	}
	printf("A cluster file holds no intervals. For convoy advise, with a quarter of each as "
	       "the deviation:\n  --compute-s %.5g", m->compute_s);
	if (deviation > 0.0)
		printf("+-%.2g", deviation);
	printf(" --delay '%s", delay);
	print_outliers(&f->outliers, m->compute_s);
}

static void print_fit(const struct fit *f)
{
	print_log(f);
	if (strcmp(f->model[0].name, "constant") == 0) {
		printf("All times%s are equal: the delay is constant.\n  --compute-s %.5g --delay "
		       "'constant", f->outliers.n ? " of these" : "", f->model[0].compute_s);
		print_outliers(&f->outliers, f->model[0].compute_s);
		return;
	}
	printf("%-10s %-16s %-26s %-24s %-23s %s\n", "model", "KS distance",
	       "lag-1 autocorrelation", "spread between workers", "all-reduce step [s]", "fits");
	printf("%-10s %-16s %-26.3f %-24.3f %-.3g\n", f->outliers.n ? "the others" : "the log",
	       "", f->own.lag1, f->own.spread, f->own.step);
	for (size_t i = 0; i < f->n; i++) {
		const struct fit_comparison *c = &f->of[i];
		scoped char *ks = xasprintf("%.3f (%.3f)", c->ks, c->ks_most);
		scoped char *lag1 = range_text(&c->lag1), *spread = range_text(&c->spread);
		scoped char *step = step_text(&c->step);

		printf("%-10s %-16s %-26s %-24s %-23s %s\n", f->model[i].name, ks, lag1, spread,
		       step, c->fits ? "yes" : "no");
	}
	say("In parentheses: %d runs of the model, the largest distance and the ranges. The "
	    "step: the slowest rank's, on average.\n", FIT_RUNS);
	if (f->log.least)
		say("Ranks are taken to wait for each other in each step. If they did not, give "
		    "--apart.\n");
	if (f->phases.left_out)
		say("markov, phases and bursts are left out: slow steps, %.3g times as long as "
		    "others, do not come in phases.\n", f->phases.factor);
	print_best(f);
	if (f->intervals)
		print_intervals(f);
}

/* ---- the fit as JSON ---- */

static cJSON *range_json(const struct fit_range *r)
{
	return OBJECT(j_number("low", r->low), j_number("middle", r->middle),
		      j_number("high", r->high));
}

static cJSON *model_json(const struct fit *f, size_t i)
{
	const struct fit_comparison *c = &f->of[i];

	return OBJECT(j_text("name", f->model[i].name), j_text("delay", f->model[i].delay),
		      j_number("compute_s", f->model[i].compute_s), j_number("ks", c->ks),
		      j_number("ks_most", c->ks_most), j_json("lag1", range_json(&c->lag1)),
		      j_json("spread", range_json(&c->spread)),
		      j_json("step_s", range_json(&c->step)), j_bool("fits", c->fits));
}

/* Slow workers; of phases, their factor, and mean times without and with one. */
static cJSON *outliers_json(const struct outliers *o)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < o->n; i++) {
		const struct estimates *e = &o->v[i].of;
		cJSON *one = OBJECT(j_number("worker", (double)o->v[i].worker),
				    j_number("mean_s", o->v[i].seconds),
				    j_number("factor", o->v[i].factor));

		if (o->v[i].phases)
			ADD(one, j_json("phases", OBJECT(j_number("factor", e->factor),
							 j_number("fast_s", e->fast_s),
							 j_number("slow_s", e->slow_s))));
		list_add(list, one);
	}
	return list;
}

static cJSON *fit_json(const struct fit *f)
{
	cJSON *models = cJSON_CreateArray(), *best = model_json(f, f->best);
	char *lasting = lasting_words(&f->log, &f->outliers);
	cJSON *log = OBJECT(
		j_text("file", f->path), j_number("workers", (double)f->log.workers),
		j_number("steps", (double)f->log.steps), j_number("compared", (double)f->compared),
		j_number("mean_s", log_mean(f)), j_number("lag1", f->own.lag1),
		j_number("spread", f->own.spread), j_number("step_s", f->step));

	if (f->together.is)
		ADD(log, j_json("together", OBJECT(j_number("ranks", (double)f->together.size),
						   j_number("correlation", f->together.correlation),
						   j_number("chance", f->together.chance))));
	if (f->outliers.n)
		ADD(log, j_json("outliers", outliers_json(&f->outliers)),
		    j_number("others_step_s", f->own.step));
	if (lasting)
		ADD(log, j_text("becomes_slow", lasting));
	free(lasting);
	for (size_t i = 0; i < f->n; i++)
		list_add(models, model_json(f, i));
	if (f->intervals) {
		const struct fit_model *m = &f->model[f->best];
		cJSON *parameters = cJSON_CreateArray();

		for (size_t i = 0; i < m->n; i++) {
			scoped char *name = fit_parameter_name(&m->p[i]);

			list_add(parameters, OBJECT(j_text("name", name),
						    j_number("value", m->p[i].value),
						    j_number("low", m->p[i].low),
						    j_number("high", m->p[i].high)));
		}
		ADD(best, j_json("parameters", parameters));
	}
	return OBJECT(j_json("log", log), j_json("models", models), j_json("best", best),
		      j_bool("phases_left_out", f->phases.left_out));
}

/* ---- the page: the answer in a sentence, and its doubt ---- */

/* Ranks in the table at most, the slowest first. */
enum { MOST_ROWS = 8 };

static char *page_answer(const struct fit *f)
{
	const struct outliers *o = &f->outliers;
	char *text = NULL, *together = together_words(&f->together, f->log.workers);
	char *lasting = lasting_words(&f->log, o);

	for (size_t i = 0, n, rows = 0; i < o->n; i += n) {
		if (rows++ == MOST_ROWS) {
			xappendf(&text, "; ", "and %zu more", o->n - i);
			break;
		}
		xappend_own(&text, "; ", outliers_words(o, i, f->log.steps, &n));
	}
	xappend_own(&text, "; ", lasting);
	if (!text)
		text = slower_words(&f->log);
	if (text) {
		text[0] = (char)(text[0] == 'r' ? 'R' : text[0]);
		xappend(&text, "", ".");
	} else if (f->log.workers < FIT_FEWEST_RANKS) {
		text = xasprintf("No rank is told from the others: that needs at least %d ranks.",
				 FIT_FEWEST_RANKS);
	} else {
		text = xstrdup("No rank is slow throughout or has bursts of its own.");
	}
	xappend(&text, " ", together);
	xappendf(&text, " ", "An all-reduce step takes %.3g s", f->step);
	if (o->n)
		xappendf(&text, "", ", and %.3g s of the other ranks alone", f->own.step);
	xappend(&text, "", ".");
	free(together);
	return text;
}

static char *page_doubt(const struct fit *f)
{
	const struct fit_comparison *c = &f->of[f->best];
	const char *name = f->model[f->best].name;
	const char *rest = f->outliers.n ? "The other ranks" : "All ranks";

	if (strcmp(name, "constant") == 0)
		return xasprintf("%s always take the same time.", rest);
	if (!c->fits)
		return xasprintf("%s are described by none of the models; the nearest is %s, in "
				 "which their all-reduce step takes %.3g s (%.3g to %.3g), but "
				 "%.3g s in the log. %s.", rest, name, c->step.middle, c->step.low,
				 c->step.high, f->own.step, fit_replays(f)
				 ? "So the settings replay the log" : "Give --csv FILE, and the "
				 "settings replay the log");
	return xasprintf("%s are described by the model %s (largest difference of distribution "
			 "functions %.3f, in its own runs up to %.3f; their all-reduce step takes "
			 "%.3g s, in its own runs %.3g to %.3g). Factors in parentheses: 95 %% "
			 "intervals, from 20 parts of the log.", rest, name, c->ks, c->ks_most,
			 f->own.step, c->step.low, c->step.high);
}

/* ---- table and map ---- */

struct rank_mean {
	size_t rank;
	double mean;
};

static int rank_order(const void *a, const void *b)
{
	const struct rank_mean *x = a, *y = b;

	if (x->mean != y->mean)
		return x->mean > y->mean ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

static const struct outlier *outlier_of(const struct outliers *o, size_t rank)
{
	for (size_t i = 0; i < o->n; i++)
		if (o->v[i].worker == rank)
			return &o->v[i];
	return NULL;
}

static void page_add_table(struct answer_page *p, const struct fit *f)
{
	const size_t ranks = f->log.workers, shown = ranks < MOST_ROWS ? ranks : MOST_ROWS;
	struct rank_mean *v = xcalloc(ranks, sizeof(*v));
	struct text_grid *g = grid_new();
	double median;          /* rank's mean */

	for (size_t i = 0; i < ranks; i++)
		v[i] = (struct rank_mean){ i, fit_mean(f->log.seconds + i * f->log.steps,
						       f->log.steps) };
	qsort(v, ranks, sizeof(*v), rank_order);
	median = 0.5 * (v[ranks / 2].mean + v[(ranks - 1) / 2].mean);
	grid_row(g, "rank", "mean [s]", "times the median rank's", "in bursts [%]", "finding",
		 NULL);
	for (size_t r = 0; r < shown; r++) {
		const struct outlier *o = outlier_of(&f->outliers, v[r].rank);
		scoped char *rank = xasprintf("%zu", v[r].rank),
			    *mean = xasprintf("%.4g", v[r].mean);
		scoped char *ratio = xasprintf("%.3g", v[r].mean / median);
		const double bursts = o ? 100.0 * (double)o->burst_steps : 0.0;
		scoped char *share = o && o->phases ?
					     xasprintf("%.2g", bursts / (double)f->log.steps) :
					     xstrdup("-");

		grid_row(g, rank, mean, ratio, share,
			 !o ? "like the others"
			 : o->phases && o->throughout ? "slow throughout, and bursts"
			 : o->phases ? "bursts"
			 : o->level < 1.0 ? "fast throughout" : "slow throughout", NULL);
	}
	free(v);
	p->table = g;
	p->table_title = xstrdup("Slowest ranks");
	if (shown < ranks)
		texts_putf(&p->table_notes, "The other %zu ranks are faster.", ranks - shown);
}

static void page_add_map(struct answer_page *p, struct fit_map *m)
{
	struct chart *c = p->chart = xcalloc(1, sizeof(*p->chart));

	p->ncharts = 1;
	c->kind = CHART_HEAT;
	c->title = xasprintf("Colour: mean time of %.3g step%s of a rank in medians of the log, "
			     "%.4g s", (double)m->steps / (double)m->columns,
			     m->steps > m->columns ? "s" : "", m->median);
	c->xlabel = xstrdup("step");
	c->ylabel = xstrdup("rank");
	c->n = m->columns;
	c->x = xcalloc(c->n, sizeof(*c->x));
	for (size_t k = 0; k < c->n; k++)
		c->x[k] = (double)(m->steps - 1) * (double)k / (double)(c->n - 1);
	c->nup = m->ranks;
	c->up = xcalloc(c->nup, sizeof(*c->up));
	for (size_t i = 0; i < c->nup; i++) {
		const size_t rank = i * m->workers / m->ranks;

		c->up[i] = (double)rank;
	}
	c->heat = m->v;
	m->v = NULL;
}

/* ---- the page ---- */

/* --compute-s, --delay and --slow as a command takes them. The caller frees. */
static char *page_settings(const struct fit *f, struct answer_page *p)
{
	scoped_by(fit_settings_release) struct fit_settings s = fit_settings(f, false);
	scoped char *seconds = xasprintf("%.5g", s.compute_s);
	char *text = xasprintf("--compute-s %s --delay '%s'%s%s", seconds, s.delay,
			       *s.slow ? " --slow " : "", s.slow);

	answer_fact_add(p, "--compute-s", seconds, "seconds of a step");
	answer_fact_add(p, "--delay", s.delay, "how steps vary");
	if (*s.slow)
		answer_fact_add(p, "--slow", s.slow, "rank:factor");
	return text;
}

/* Writes the page. 0 or error(). */
static int fit_report(const struct fit *f, const struct conf *c)
{
	struct answer_page p = { .title = xstrdup("Which ranks are slow, and when?") };
	scoped_by(fit_map_release) struct fit_map map = fit_map(&f->log);
	scoped char *settings = page_settings(f, &p), *command = environ_command();
	scoped char *batch =
		c->batch ? xasprintf(" --batch %lld", (long long)c->batch) : xstrdup("");
	int ret;

	p.question = xasprintf("%s: %zu rank%s, %zu steps each. Does one of them slow down a "
			       "synchronous run, always or at times, and what delay describes the "
			       "log?", f->path, f->log.workers, word_plural((double)f->log.workers),
			       f->log.steps);
	p.answer = page_answer(f);
	p.doubt = page_doubt(f);
	page_add_table(&p, f);
	page_add_map(&p, &map);
	p.facts_title = xstrdup("Settings that describe this cluster");
	p.command_title = xstrdup("Next: which algorithm suits this cluster");
	/*
	 * The network is the cluster's, whatever -o copies of its file, or one that stands for it
	 * until it is known.
	 */
	p.command = xasprintf("convoy advise --among allreduce,local-sgd:period=8,asgd %s%s --net "
			      "%s%s --workers %zu %s", c->cluster ? "--cluster " : "--link nic:",
			      c->cluster ? c->cluster : "bandwidth_GBps=12.5",
			      c->net ? c->net : "resnet50", batch, f->log.workers, settings);
	if (!c->net)
		texts_put(&p.next, "The net: resnet50 stands for yours in the command below. Give "
				   "--net and --batch.");
	if (!c->cluster)
		texts_put(&p.next, "The network: a NIC of 12.5 GB/s stands for yours. convoy "
				   "calibrate measures it.");
	p.made = xasprintf("convoy %s, commit %s, by: %s", environ_version, environ_commit,
			   command);
	ret = answer_page_write(&p, c->report);
	answer_page_release(&p);
	return ret;
}

/* ---- the command ---- */

static int delay_fit(const struct args *a)
{
	const struct conf *c = a->conf;
	const struct fit_file to = { c->file, c->cluster, c->net, c->batch };
	struct fit f = { .intervals = c->intervals };
	struct plot_path at;
	struct texts paths = { 0 };
	bool drawn = true;
	int code = EXIT_BAD;

	if (a->nwords < 1 || strcmp(a->words[0], "fit") != 0)
		return args_usage(a, "expected 'fit' and a log");
	if (a->nwords < 2)
		return args_usage(a, "expected a log");
	if ((c->cluster || c->net) && !c->file && !c->report)
		return args_usage(a, "--cluster and --net need a file to write. Give -o FILE");
	if (!c->net != !c->batch)
		return args_usage(a, "--net and --batch need each other. Give both");
	if (c->plot && plot_path_check(c->plot, PLOT_PATH_PICTURE) < 0)
		return EXIT_BAD;
	if ((c->report && answer_report_check(c->report) < 0) || fit_write_check(&to) < 0)
		return EXIT_BAD;
	if (fit_read(&f, a->words + 1, a->nwords - 1, (size_t)c->skip, c->apart) == 0) {
		f.csv = f.csv ? f.csv : c->csv;
		/* files are written first: a report of what could not be written would mislead */
		if (fit_find(&f, (uint64_t)c->seed) == 0 &&
		    (!c->file || fit_write(&f, &to) == 0) &&
		    (!c->csv || fit_write_csv(&f.log, c->csv) == 0) &&
		    (!c->report || fit_report(&f, c) == 0))
			code = EXIT_OK;
		if (code == EXIT_OK && c->plot)
			drawn = plot_path_split(c->plot, PLOT_PATH_PICTURE, &at) == 0 &&
				fit_plot(&f, at.dir, at.name, at.format, &paths) == 0 &&
				fit_plot_map(&f, at.dir, at.name, at.format, &paths) == 0;
	}
	if (code == EXIT_OK && c->json) {
		json_print_own(ADD(fit_json(&f),
				   j_if(c->plot, j_texts("plots", paths.v, paths.n))));
	} else if (code == EXIT_OK) {
		print_fit(&f);
		paths_print(&paths, "");
		if (c->report)
			utf8_puts(c->report);
	}
	texts_release(&paths);
	fit_release(&f);
	return code == EXIT_OK && !drawn ? EXIT_BAD : code;
}

const struct syntax cmd_delay = {
	.opts = opts, .conf_size = sizeof(struct conf),
	.usage = "delay fit LOG... [-o FILE] [--plot FILE] [OPTIONS]",
	.about = about, .run = delay_fit,
};
