/* `convoy predict`: the same runs in both engines, and how far the simulator is off. */
#include "study/predict/predict.h"

#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/opts.h"
#include "cmd/plot_path.h"
#include "core/base/context.h"
#include "core/base/cores.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"
#include "plan/machine/batch_system.h"
#include "plan/machine/cluster.h"
#include "runner/launch/launch.h"
#include "runner/launch/world.h"
#include "runner/signals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct opt opts[] = {
	RANKS_OPT(struct predict_conf),
	HOSTS_OPTS(struct predict_conf),
	EXPERIMENT_OPTS(struct predict_conf),
	OPT_NUMBER(struct predict_conf, rounds, "3",
		   "times that every row is run, in turns, each with a seed of its own", "N", 1,
		   PREDICT_ROUNDS),
	OPT_NUMBER(struct predict_conf, settle, "0",
		   "first epochs that both times leave out, as warm-up", "EPOCHS", 0, 1e9),
	OPT_NUMBER(struct predict_conf, within, "0",
		   "exit with 1 if a prediction is off by more; 0: never", "PERCENT", 0, 1e9),
	OPT_TEXT(struct predict_conf, plot, "plot of the times: .svg, .png, .pdf or .tex", "FILE"),
	OUT_OPT(struct predict_conf),
	OPT_FLAG(struct predict_conf, json, "a JSON array on stdout, an object a row"),
	QUIET_OPT(struct predict_conf),
	{ 0 }
};

static const char about[] =
	"Runs the same settings in both engines, first simulated on the cluster (timing only),\n"
	"then on real ranks. Prints the predicted and measured seconds per epoch: means over\n"
	"--rounds with 95 % intervals, and whether they agree. --cluster names a file that\n"
	"'convoy calibrate' wrote on these ranks; --algo may list several algorithms. Real runs\n"
	"are always repeated; results are in OUT/predict. A run that diverges gets no number, and\n"
	"the exit code is 1. By default only the last model is evaluated, on a few samples.\n"
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

/* ---- the command ---- */

static bool same_choice(const char *a, const char *b)
{
	const size_t n = strcspn(a, ":");

	return n == strcspn(b, ":") && strncmp(a, b, n) == 0;
}

/* What the cluster was measured with; "" when it does not say. The caller frees. */
static char *measured_with(const struct cluster *c, const char *key)
{
	const cJSON *item = json_get(c->measured, key);

	return item ? json_text(item) : xstrdup("");
}

/* All-reduces of another kind take other times, of which the cluster says nothing. */
static int check_allreduces(const struct cluster *c, const char *name, const struct setup *su)
{
	char *text = measured_with(c, "allreduce");
	const char *was = *text ? text : "whole", *is = setup_text(su, "allreduce");
	const int ret = !c->measured || strcmp(was, is) == 0 ? 0
		: error("%s was measured with --allreduce %s: this needs 'convoy calibrate "
			"--allreduce %s'", name, was, is);

	free(text);
	return ret;
}

/* Says where the run is not what the cluster was measured with; a difference once. */
static void warn_of_differences(const struct cluster *c, const char *name, const struct setup *su,
				const struct setup *before)
{
	static const char *const keys[] = { "net", "data", "batch", "backend", "precision" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *is = setup_text(su, keys[i]);
		char *was = measured_with(c, keys[i]);

		if (*was && !same_choice(was, is) &&
		    (!before || !same_choice(is, setup_text(before, keys[i]))))
			warning("%s was measured with %s %s, not %s", name, keys[i], was, is);
		free(was);
	}
}

/* The simulator gives each node a processor of its own, which ranks of this machine may lack. */
static void warn_of_cores(const struct predict_conf *c, const struct setup *su)
{
	const int cores = cores_allowed();
	const int ranks = setup_ranks(su);

	if (ranks > cores && !c->hosts && !c->hostfile && launch_ranks() == cores)
		warning("%d ranks share %d core%s: a rank that waits or handles a message slows "
			"others' gradients, more in a run than in 'convoy calibrate', and the "
			"simulator gives each rank a core. The prediction may be off", ranks,
			cores, word_plural(cores));
}

/* A row, after the one before it, whose setup is NULL for the first. */
static int check_row(const struct predict_conf *conf, const struct row *row,
		     const struct setup *before)
{
	const char *name = row->sim.in.cluster;
	struct cluster c;
	int ret;

	if (cluster_load(&c, name) < 0)
		return -1;
	if (!c.measured && !before)
		warning("%s was not measured by 'convoy calibrate': these ranks may be others",
			name);
	ret = check_allreduces(&c, name, &row->real);
	if (ret == 0) {
		warn_of_differences(&c, name, &row->real, before);
		warn_of_cores(conf, &row->real);
	}
	cluster_release(&c);
	return ret;
}

/* All rows are judged before the first is run. */
static int check_all(const struct predict_conf *c, const struct entries *entries)
{
	struct row *rows = xcalloc(entries->n, sizeof(*rows));
	size_t n = 0;
	int bad = 0;

	while (!bad && n < entries->n) {
		struct row *r = &rows[n];

		context_set(entries->v[n].name);
		bad = row_prepare(r, c, &entries->v[n], 0);
		if (!bad)
			bad = check_row(c, r, n ? &rows[n - 1].real : NULL);
		n++;
	}
	context_set(NULL);
	while (n > 0)
		row_release(&rows[--n]);
	free(rows);
	return bad;
}

static int predict_one(const struct predict_conf *c, const struct entry *entry,
		       struct prediction *p, size_t round)
{
	struct row r;
	int code = EXIT_BAD;

	if (!c->quiet && c->rounds > 1)
		note("round %zu of %d: %s", round + 1, (int)c->rounds, entry->name);
	else if (!c->quiet)
		note("%s", entry->name);
	if (row_prepare(&r, c, entry, round) == 0)
		code = row_predict(&r, p);
	row_release(&r);
	return code;
}

/* In turns: a machine that grows slower does so for all rows. What diverged is not run again. */
static int predict_all(const struct predict_conf *c, const struct entries *entries,
		       struct prediction *p, size_t *n)
{
	int code = EXIT_OK;

	for (size_t round = 0; round < (size_t)c->rounds; round++)
		for (size_t i = 0; i < entries->n && code == EXIT_OK && !signal_caught; i++) {
			if (!p[i].diverged)
				code = predict_one(c, &entries->v[i], &p[i], round);
			if (code == EXIT_OK && i >= *n)
				*n = i + 1;
		}
	return code == EXIT_OK && signal_caught ? signals_exit_code() : code;
}

/* 0 or error(). */
static int judge_row(const struct prediction *p, double within)
{
	const double off = prediction_off(p).mean;
	char *failure;

	if (p->diverged) {
		failure = prediction_failure(p);
		error("%s: %s", p->name, failure);
		free(failure);
		return -1;
	}
	if (within <= 0 || fabs(off) <= within)
		return 0;
	return error("%s: the prediction is off by %.1f %%, which is more than %g %%", p->name,
		     off, within);
}

static int predict_judge(const struct prediction *p, size_t n, double within)
{
	int code = EXIT_OK;

	for (size_t i = 0; i < n; i++)
		if (judge_row(&p[i], within) < 0)
			code = EXIT_BAD;
	return code;
}

static int predict_show(const struct predict_conf *c, const struct prediction *p, size_t n)
{
	struct plot_path at;

	if (n)
		predictions_print(p, n, c->json);
	if (n && c->plot && (plot_path_split(c->plot, PLOT_PATH_FIGURE, &at) < 0 ||
			     predictions_plot(p, n, at.dir, at.name, at.format) < 0))
		return EXIT_BAD;
	return predict_judge(p, n, c->within);
}

static int predict(const struct predict_conf *c, const struct entries *entries)
{
	struct prediction *p = xcalloc(entries->n, sizeof(*p));
	size_t n = 0;
	int code = EXIT_BAD, shown;

	if (check_all(c, entries) == 0)
		code = predict_all(c, entries, p, &n);
	shown = predict_show(c, p, n);
	if (code == EXIT_OK && signal_caught)
		code = signals_exit_code();
	free(p);
	return code != EXIT_OK ? code : shown;
}

static int check_words(const struct args *a, const struct predict_conf *c)
{
	if (a->nwords > 1)
		return args_usage(a, "'%s': one experiment at a time", a->words[1]);
	if (!a->nwords && (c->scale || c->only))
		return args_usage(a, "--%s needs an experiment. Name one",
				  c->scale ? "scale" : "only");
	if (c->only && !args_are_settings(a, "--only", c->only))
		return EXIT_USAGE;
	if (!json_get(a->set, "cluster"))
		return args_usage(a, "no cluster is named. Give --cluster FILE, from "
				     "'convoy calibrate'");
	if (c->plot && plot_path_check(c->plot, PLOT_PATH_FIGURE) < 0)
		return EXIT_BAD;
	return EXIT_OK;
}

static int predict_apply(const struct args *a)
{
	const struct predict_conf *c = a->conf;
	struct entries entries;
	int code = check_words(a, c);

	if (code != EXIT_OK)
		return code;
	if (launch_hosts(c->hosts, c->hostfile) < 0)
		return EXIT_BAD;
	if (a->nwords ? entries_of_experiment(&entries, c, a->words[0], a->set) < 0
		      : entries_of_flags(&entries, a->set) < 0)
		return EXIT_BAD;
	code = predict(c, &entries);
	entries_release(&entries);
	return code;
}

int cmd_predict(int argc, char **argv)
{
	struct predict_conf conf;
	struct args a = { .opts = opts, .conf = &conf, .settings = true, .about = about,
			  .common = "cluster algo workers net data gradients lr",
			  .usage = "predict [EXPERIMENT] --cluster FILE [-n RANKS] "
				   "[--SETTING VALUE]... [OPTIONS]" };

	if (!real_version() || world_inside()) {
		error(real_version() ? "predict starts its ranks itself. Call it without mpirun, "
				       "mpiexec or srun"
				     : "this convoy was built without MPI");
		return EXIT_BAD;
	}
	return args_main(&a, argc, argv, predict_apply);
}
