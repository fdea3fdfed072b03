/* `convoy predict`: the same runs in both engines, and how far the simulator is off. */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "cmd/opts.h"
#include "cmd/plot_path.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "core/text/word.h"
#include "mpi/real.h"
#include "record/layout.h"
#include "report/text/say.h"
#include "runner/launch/launch.h"
#include "runner/results/outcome.h"
#include "runner/signals.h"
#include "study/predict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct opt opts[] = {
	RANKS_OPT(struct predict_conf),
	HOSTS_THREADS_OPTS(struct predict_conf),
	EXPERIMENT_OPTS(struct predict_conf),
	OPT_NUMBER(struct predict_conf, rounds, "3",
		   "times that every row is run, in turns, each with a seed of its own", "N", 1,
		   PREDICT_ROUNDS),
	OPT_NUMBER(struct predict_conf, settle, "0",
		   "first epochs that both times leave out, as warm-up", "EPOCHS", 0, 1e9),
	OPT_NUMBER(struct predict_conf, within, "0",
		   "exit with 1 if a prediction is off by more (0: never); the margin of 'agrees' "
		   "(0: 25)", "PERCENT", 0, 1e9),
	OPT_TEXT(struct predict_conf, plot,
		 "plot of the times: .svg, .png, .pdf, .tex or .tikz", "FILE"),
	OUT_OPT(struct predict_conf),
	OPT_FLAG(struct predict_conf, json, "a JSON array on stdout, an object a row"),
	QUIET_OPT(struct predict_conf),
	{ 0 }
};

static const char about[] =
	"Runs the same settings in both engines, first simulated on the cluster (timing only),\n"
	"then on real ranks. Prints the predicted and measured seconds per epoch: means over\n"
	"--rounds with 95 % intervals, and whether they agree. Where the interval of their\n"
	"difference contains 0, they agree if all of it is within 25 % (or --within), else it is\n"
	"undecided. --cluster names a file that 'convoy calibrate' wrote on these ranks; --algo\n"
	"may list several algorithms. With --compute-s, and no --delay, gradients of both engines\n"
	"take just that time. Real runs are always repeated; results are in OUT/predict. A run\n"
	"that diverges gets no number, and the exit code is 1. By default only the last model is\n"
	"evaluated, on a few samples.\n"
	"\n"
	"With an EXPERIMENT, by name or path, every point of its grid is a row. Settings override\n"
	"the spec, as in 'convoy run', and --cluster replaces its machine.\n"
	"\n"
	"Examples:\n"
	"  convoy calibrate -n 2 --net lenet -o here.json\n"
	"  convoy predict --cluster here.json -n 2 --net lenet --lr 0.01 \\\n"
	"                 --algo allreduce,ad-psgd\n"
	"  convoy predict --cluster here.json --workers 2 --algo asgd --gradients 500\n"
	"  convoy predict slow-worker-real --cluster here.json --scale smoke";

/* ---- the table ---- */

static cJSON *prediction_json(const struct prediction *p, double within)
{
	const struct estimate_95 predicted = prediction_predicted(p);
	const struct estimate_95 measured = prediction_measured(p), off = prediction_off(p);
	scoped char *verdict = prediction_verdict(p, within);

	return OBJECT(
		j_text("run", p->name), j_text("algo", p->algo), j_number("workers", p->workers),
		j_number("ranks", p->ranks),
		j_text("status", p->diverged ? STATUS_DIVERGED : STATUS_DONE),
		j_number("rounds", (double)p->rounds),
		j_number("predicted_s_per_epoch", predicted.mean),
		j_number("predicted_half", predicted.half),
		j_number("measured_s_per_epoch", measured.mean),
		j_number("measured_half", measured.half), j_number("off_percent", off.mean),
		j_number("off_half", off.half), j_text("verdict", verdict));
}

static void print_estimate(struct estimate_95 e)
{
	char text[64];

	snprintf(text, sizeof(text), isfinite(e.half) ? "%.4g +- %.2g" : "%.4g", e.mean, e.half);
	printf(" %18s", text);
}

static void print_predictions(const struct prediction *p, size_t n, double within)
{
	int width = 24;

	for (size_t i = 0; i < n; i++)
		width = (int)strlen(p[i].name) > width ? (int)strlen(p[i].name) : width;
	printf("%-*s %7s %5s  %18s %18s %7s\n", width, "run", "workers", "ranks",
	       "predicted s", "measured s", "off %");
	for (size_t i = 0; i < n; i++) {
		scoped char *failure = p[i].diverged ? prediction_failure(&p[i]) : NULL;

		printf("%-*s %7d %5d ", width, p[i].name, p[i].workers, p[i].ranks);
		if (failure) {
			printf("%s\n", failure);
		} else {
			print_estimate(prediction_predicted(&p[i]));
			print_estimate(prediction_measured(&p[i]));
			printf(" %+7.1f\n", prediction_off(&p[i]).mean);
		}
	}
	say("Seconds per epoch of all workers together: mean of %zu round%s%s.\n", p->rounds,
	    word_plural((double)p->rounds),
	    p->rounds == 1 ? "" : " +- half of its 95 % interval");
	for (size_t i = 0; i < n; i++) {
		scoped char *verdict = prediction_verdict(&p[i], within);

		if (!p[i].diverged)
			say("%s: %s.\n", p[i].name, verdict);
	}
}

/* ---- the command ---- */

/* error() for each row that diverged, or is off by more than --within. An exit code. */
static int predict_judge(const struct prediction *p, size_t n, double within)
{
	int code = EXIT_OK;

	for (size_t i = 0; i < n; i++) {
		const double off = prediction_off(&p[i]).mean;
		char *failure = p[i].diverged ? prediction_failure(&p[i]) : NULL;

		if (failure)
			error("%s: %s", p[i].name, failure);
		else if (within > 0 && !(fabs(off) <= within))
			error("%s: the prediction is off by %.1f %%, which is more than %g %%",
			      p[i].name, off, within);
		else
			continue;
		free(failure);
		code = EXIT_BAD;
	}
	return code;
}

static int predict(const struct predict_conf *c, const struct entries *entries)
{
	scoped struct prediction *p = xcalloc(entries->n, sizeof(*p));
	struct plot_path at;
	size_t n;
	int code = predict_all(c, entries, p, &n), judged;

	if (n && c->json) {
		cJSON *rows = cJSON_CreateArray();

		for (size_t i = 0; i < n; i++)
			list_add(rows, prediction_json(&p[i], c->within));
		json_print_own(rows);
	} else if (n) {
		print_predictions(p, n, c->within);
	}
	if (n && c->plot && (plot_path_split(c->plot, PLOT_PATH_FIGURE, &at) < 0 ||
			     predictions_plot(p, n, at.dir, at.name, at.format) < 0))
		judged = EXIT_BAD;
	else
		judged = predict_judge(p, n, c->within);
	if (code == EXIT_OK && signal_caught)
		code = signals_exit_code();
	return code != EXIT_OK ? code : judged;
}

static int predict_apply(const struct args *a)
{
	const struct predict_conf *c = a->conf;
	struct entries entries;
	int code;

	if (a->nwords > 1)
		return args_usage(a, "'%s': one experiment at a time", a->words[1]);
	if (!a->nwords && (c->scale || c->only))
		return args_usage(a, "--%s needs an experiment. Name one",
				  c->scale ? "scale" : "only");
	if (!json_get(a->set, "cluster"))
		return args_usage(a, "no cluster is named. Give --cluster FILE, from "
				     "'convoy calibrate'");
	if ((c->plot && plot_path_check(c->plot, PLOT_PATH_FIGURE) < 0) ||
	    launch_hosts(c->hosts, c->hostfile) < 0)
		return EXIT_BAD;
	if (a->nwords ? entries_of_experiment(&entries, c, a->words[0], a->set) < 0
		      : entries_of_flags(&entries, a->set) < 0)
		return EXIT_BAD;
	code = predict(c, &entries);
	entries_release(&entries);
	return code;
}

static int predict_possible(char **argv)
{
	if (real_version() && (!world_inside() || world_several()))
		return EXIT_OK;
	if (real_version())
		error("%s starts its ranks itself. Call it without mpirun, mpiexec or srun",
		      argv[1]);
	else
		error("%s", real_missing());
	return EXIT_BAD;
}

const struct syntax cmd_predict = {
	.opts = opts, .conf_size = sizeof(struct predict_conf), .settings = true, .code = true,
	.ranks = RANKS_REFUSED, .first = predict_possible,
	.common = "cluster algo workers net data gradients lr",
	.usage = "predict [EXPERIMENT] --cluster FILE [-n RANKS] [--SETTING VALUE]... [OPTIONS]",
	.about = about, .run = predict_apply,
};
