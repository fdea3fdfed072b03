/*
 * predict.c - `convoy predict`: the same run in both engines, and how far the simulator is off.
 */
#include "cmd/predict.h"

#include "cmd/args.h"
#include "cmd/cluster.h"
#include "cmd/cmd.h"
#include "cmd/common.h"
#include "cmd/plot_path.h"
#include "cmd/launch.h"
#include "core/error.h"
#include "core/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(struct predict_conf, field)

static const struct opt opts[] = {
	{ "n", OPT_INT, AT(ranks), "0",
	  "ranks to start; 0: what the workers need, else the batch system's, else one a core",
	  "N", 0, 1 << 20, NULL, 0 },
	{ "hostfile", OPT_STRING, AT(hostfile), NULL, "file of hosts, for mpirun", "FILE", 0, 0,
	  NULL, 0 },
	{ "hosts", OPT_STRING, AT(hosts), NULL, "hosts and slots, for mpirun: a:2,b:2", "HOSTS",
	  0, 0, NULL, 0 },
	{ "threads", OPT_INT, AT(threads), "1", "compute threads of a rank", "N", 1, 4096, NULL,
	  0 },
	{ "settle", OPT_DOUBLE, AT(settle), "0",
	  "epochs at the beginning that both times leave out, while machines warm up", "EPOCHS",
	  0, 1e9, NULL, 0 },
	{ "within", OPT_DOUBLE, AT(within), "0",
	  "exit with 1 when a prediction is off by more; 0: never", "PERCENT", 0, 1e9, NULL, 0 },
	{ "plot", OPT_STRING, AT(plot), NULL,
	  "draw the times into FILE, which ends in .svg or .png", "FILE", 0, 0, NULL, 0 },
	{ "out", OPT_STRING, AT(out), NULL,
	  "folder of results; else $CONVOY_RESULTS, else results", "DIR", 0, 0, NULL, 0 },
	{ "json", OPT_BOOL, AT(json), "false", "a JSON array on stdout, an object an algorithm",
	  NULL, 0, 0, NULL, 0 },
	{ "quiet", OPT_BOOL, AT(quiet), "false", "no progress on stderr", NULL, 0, 0, NULL, 0 },
	{ NULL, OPT_BOOL, 0, NULL, NULL, NULL, 0, 0, NULL, 0 }
};

static const char about[] =
	"Runs the same settings in both engines, first simulated on the cluster (the clock\n"
	"alone), then on real ranks, and prints seconds per epoch as predicted and as measured.\n"
	"--cluster names a file that 'convoy calibrate' wrote on these ranks; --algo takes\n"
	"several algorithms joined by commas. Real runs are always made anew; results are in\n"
	"OUT/predict. Without settings for it, nothing is evaluated but the last model, on a few\n"
	"samples.\n"
	"\n"
	"Examples:\n"
	"  convoy calibrate -n 2 --net lenet -o here.json\n"
	"  convoy predict --cluster here.json -n 2 --net lenet --algo allreduce,ad-psgd\n"
	"  convoy predict --cluster here.json --workers 2 --algo asgd --gradients 500";

/* ---- the command ---- */

static bool same_choice(const char *a, const char *b)
{
	const size_t n = strcspn(a, ":");

	return n == strcspn(b, ":") && strncmp(a, b, n) == 0;
}

/* Says where the run is not what the cluster was measured with. */
static int warn_of_differences(const struct setup *su)
{
	static const char *const keys[] = { "net", "data", "batch", "backend", "precision" };
	struct cluster c;

	if (cluster_load(&c, su->in.cluster) < 0)
		return -1;
	if (!c.measured)
		warning("%s was not measured by 'convoy calibrate': these ranks may be others",
			su->in.cluster);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const cJSON *item = cJSON_GetObjectItemCaseSensitive(c.measured, keys[i]);
		char *was = item ? json_text(item) : NULL;

		if (was && !same_choice(was, setup_text(su, keys[i])))
			warning("%s was measured with %s %s, not %s", su->in.cluster, keys[i], was,
				setup_text(su, keys[i]));
		free(was);
	}
	cluster_release(&c);
	return 0;
}

/* All rows are judged before the first is run. */
static int check_all(const struct predict_conf *c, const cJSON *given, char **algos)
{
	for (size_t i = 0; algos[i]; i++) {
		struct row r;
		int bad = row_prepare(&r, c, given, algos[i]);

		if (!bad && i == 0)
			bad = warn_of_differences(&r.real);
		row_release(&r);
		if (bad)
			return -1;
	}
	return 0;
}

static int predict_all(const struct predict_conf *c, const cJSON *given, char **algos,
		       struct prediction *p, size_t *n, int argc, char **argv)
{
	int code = EXIT_OK;

	for (size_t i = 0; algos[i] && code == EXIT_OK; i++) {
		struct row r;

		if (!c->quiet)
			note("%s", algos[i]);
		code = row_prepare(&r, c, given, algos[i]) < 0 ? EXIT_BAD
							       : row_predict(&r, &p[i], argc, argv);
		if (code == EXIT_OK) {
			p[i].algo = xstrdup(algos[i]);
			++*n;
		}
		row_release(&r);
	}
	return code;
}

static int judge(const struct prediction *p, size_t n, double within)
{
	int code = EXIT_OK;

	for (size_t i = 0; i < n && within > 0; i++)
		if (fabs(prediction_off(&p[i])) > within) {
			error("%s: the prediction is off by %.1f %%, which is more than %g %%",
			      p[i].algo, prediction_off(&p[i]), within);
			code = EXIT_BAD;
		}
	return code;
}

static int show(const struct predict_conf *c, const struct prediction *p, size_t n)
{
	if (n)
		predictions_print(p, n, c->json);
	if (n && c->plot && predictions_plot(p, n, c->plot) < 0)
		return EXIT_BAD;
	return judge(p, n, c->within);
}

static int apply(const struct args *a, const struct predict_conf *c, int argc, char **argv)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(a->set, "algo");
	char **algos = algos_split(list ? list->valuestring : "allreduce");
	struct prediction p[64] = { { 0 } };
	size_t n = 0;
	int code, shown;

	for (n = 0; algos[n]; n++)
		if (n == 63)
			die("more than 63 algorithms");
	n = 0;
	code = check_all(c, a->set, algos) < 0 ? EXIT_BAD
					       : predict_all(c, a->set, algos, p, &n, argc, argv);
	shown = show(c, p, n);
	for (size_t i = 0; i < n; i++)
		free(p[i].algo);
	algos_free(algos);
	return code != EXIT_OK ? code : shown;
}

static int check_words(struct args *a, const struct predict_conf *c)
{
	if (a->nwords)
		return args_usage(a, "'%s': predict takes flags only", a->words[0]);
	if (!cJSON_GetObjectItemCaseSensitive(a->set, "cluster"))
		return args_usage(a, "which cluster? Give --cluster FILE, from 'convoy calibrate'");
	if (c->plot && plot_path_check(c->plot) < 0)
		return EXIT_BAD;
	return EXIT_OK;
}

int cmd_predict(int argc, char **argv)
{
	struct predict_conf conf;
	struct args a = { .opts = opts, .conf = &conf, .settings = true, .about = about,
			  .usage = "predict --cluster FILE [-n RANKS] [--SETTING VALUE]... "
				   "[OPTIONS]" };
	int code;

	if (!real_version() || launch_inside()) {
		error(real_version() ? "predict starts mpirun itself: call it without"
				     : "this convoy was built without MPI");
		return EXIT_BAD;
	}
	if (args_parse(&a, argc, argv, &code)) {
		code = check_words(&a, &conf);
		if (code == EXIT_OK)
			code = apply(&a, &conf, argc, argv);
	}
	args_release(&a);
	return code;
}
