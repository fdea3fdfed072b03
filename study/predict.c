/* Predictions: the points that are run in both engines, both runs of each, and their difference. */
#include "study/predict.h"

#include "core/base/context.h"
#include "core/base/cores.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/math/statistics.h"
#include "core/text/opt_text.h"
#include "core/text/word.h"
#include "plan/machine/cluster.h"
#include "plan/plan.h"
#include "plan/settings/values.h"
#include "report/plot/plot.h"
#include "runner/launch/launch.h"
#include "runner/launch/launcher.h"
#include "runner/results/folder.h"
#include "runner/signals.h"
#include "runner/single_run/simrun.h"
#include "sim/link/link.h"
#include "study/finished_run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the entries ---- */

struct preset {                 /* a setting, unless it is given */
	const char *key, *value;
};

static void presets_add(struct grid_point *set, const struct preset *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!point_text(set, all[i].key))
			point_put_text(set, all[i].key, all[i].value);
}

static void entry_add(struct entries *j, const char *name, struct grid_point set)
{
	APPEND(j->v, j->n) = (struct entry){ xstrdup(name), set };
}

void entries_release(struct entries *j)
{
	for (size_t i = 0; i < j->n; i++) {
		free(j->v[i].name);
		point_release(&j->v[i].set);
	}
	free(j->v);
	*j = (struct entries){ 0 };
}

int entries_of_flags(struct entries *j, const cJSON *given)
{
	scoped_by(point_release) struct grid_point set = point_read(given);
	const char *list = point_text(&set, "algo");
	scoped_by(value_list_release) struct value_list algos;
	const int ret = values_parse(&algos, "algo", list ? list : "allreduce", "command line");

	*j = (struct entries){ 0 };
	for (size_t i = 0; ret == 0 && i < algos.n; i++) {
		point_put_last(&set, "algo", xstrdup(algos.v[i].text));
		entry_add(j, algos.v[i].text, point_copy(&set));
	}
	return ret;
}

int entries_of_experiment(struct entries *j, const struct predict_conf *c, const char *experiment,
			  const cJSON *given)
{
	/* makes an experiment's points real runs: gradients are computed */
	static const struct preset real[] = {
		{ "engine", "mpi" }, { "timing", "false" }, { "samples", "0" }, { "link", "auto" },
		{ "host_copy_s", "auto" }, { "update_s", "auto" }, { "shards", "1" },
		{ "sim_bucket", "0" }, { "allreduce", "whole" }
	};
	/* evaluation is not what is timed: as often as was given */
	static const char *const watching[] = { "eval_every", "eval_samples", "stat_batches",
						"train_every" };
	struct grid_point all = point_read(given), set = point_copy(&all);
	struct plan_request request = { .experiment = experiment, .scale = c->scale,
					.only = c->only, .out = results_folder(c->out) };
	struct plan plan;
	cJSON *json;
	int ret;

	/* the cluster is of the simulated runs */
	point_drop(&set, "cluster");
	presets_add(&set, real, sizeof(real) / sizeof(real[0]));
	request.set = json = point_json(&set);
	ret = plan_make(&plan, &request);
	*j = (struct entries){ 0 };
	for (size_t i = 0; ret == 0 && i < plan.n; i++) {
		const struct planned *r = &plan.runs[i];
		struct grid_point point = { 0 };

		if (r->same_as != i)
			continue;
		/* its settings as they were given, and its workers */
		for (const struct opt *o = settings_opts; o->name; o++) {
			scoped char *text = opt_format(o, &r->su.in);
			bool belongs = text && *text;

			for (size_t k = 0; k < sizeof(watching) / sizeof(watching[0]); k++)
				if (strcmp(o->name, watching[k]) == 0 && !point_text(&all, o->name))
					belongs = false;
			if (belongs)
				point_put_text(&point, o->name, text);
		}
		point_put_last(&point, "workers", xstrdup(setup_text(&r->su, "workers")));
		point_put_last(&point, "cluster", xstrdup(point_text(&all, "cluster")));
		entry_add(j, *r->label ? r->label : plan.spec.name, point);
	}
	plan_release(&plan);
	cJSON_Delete(json);
	point_release(&set);
	point_release(&all);
	return ret;
}

/* ---- the settings of a row's two runs ---- */

struct predict_row {
	const struct predict_conf *conf;
	const struct entry *entry;
	struct grid_point set;          /* the settings */
	struct setup real, sim;
	char *real_path, *sim_path;     /* of the results */
	char *folder;                   /* OUT/predict */
};

static bool is_given(const struct grid_point *set, const char *key)
{
	const char *text = point_text(set, key);

	return text && !setup_is_auto(text);
}

/*
 * True of a row with a compute time of its own, and no delay: ranks wait until a gradient has taken
 * that time, and so it is simulated. What the cluster says of other gradients is not of these.
 */
static bool row_is_padded(const struct grid_point *set)
{
	return is_given(set, "compute_s") && !is_given(set, "delay");
}

/* The settings of an entry's row in a round. */
static struct grid_point row_settings(const struct entry *entry, const struct predict_conf *c,
				      size_t round)
{
	/* evaluation is not what is timed */
	static const struct preset rare[] = { { "eval_every", "0" }, { "eval_samples", "100" },
					      { "stat_batches", "1" } };
	static const struct preset whole = { "allreduce", "whole" };    /* as it is measured */
	struct grid_point set = point_copy(&entry->set);
	const char *text = point_text(&set, "seed");
	int64_t seed = 1;

	/* rounds differ in the delays that are drawn, and in the samples */
	if (text)
		text_int(text, &seed);
	if (round > 0)
		point_put_last(&set, "seed", xasprintf("%" PRId64, seed + (int64_t)round));
	presets_add(&set, rare, sizeof(rare) / sizeof(rare[0]));
	if (c->settle > 0 && !point_text(&set, "train_every"))
		point_put_last(&set, "train_every", xasprintf("%.17g", c->settle));
	point_put_last(&set, "engine", xstrdup("mpi"));
	if (row_is_padded(&set))
		point_put_last(&set, "delay", xstrdup("constant"));
	presets_add(&set, &whole, 1);
	return set;
}

static int resolve_real(struct setup *su, const struct grid_point *set,
			const struct predict_conf *c)
{
	const char *workers;

	if (settings_apply_point(&su->in, set, "command line") < 0)
		return -1;
	workers = su->in.workers;
	su->ranks = c->ranks ? (int)c->ranks
			     : workers && strcmp(workers, "auto") ? 0 : batch_ranks();
	if (setup_resolve(su) < 0 || setup_check_ranks(su) < 0)
		return -1;
	if (su->real.shared)
		return error("server = shared is not predicted: the simulator's server is a "
			     "machine of its own");
	return 0;
}

/*
 * A cluster's link on which messages that are received do not delay gradients, as they delay none
 * that wait for the rest of their time. NULL: it is like that, or after error(). The caller frees.
 */
static int link_without_delay(const char *cluster, char **link)
{
	struct choice c = { 0 };
	struct cluster of;
	const struct opt *o;
	int ret = cluster_load(&of, cluster);

	*link = NULL;
	if (ret == 0 && strncmp(of.link, "measured", strlen("measured")) == 0) {
		ret = choice_parse(&c, link_table, "link", of.link);
		o = ret == 0 ? opt_find(c.plugin->opts, "receive_GBps") : NULL;
		if (o) {
			*(double *)((char *)c.conf + o->offset) = 0.0;
			*link = choice_format(&c);
		}
		choice_release(&c);
	}
	if (ret == 0)
		cluster_release(&of);
	return ret;
}

/* The clock of the same run; how all-reduces are made is in the cluster's times of them. */
static int resolve_simulated(struct setup *su, const struct grid_point *set,
			     const struct setup *real)
{
	scoped_by(point_release) struct grid_point own = point_copy(set);
	const char *data = setup_text(real, "data");
	char *link = NULL;
	int ret = 0;

	point_drop(&own, "allreduce");
	point_drop(&own, "server");
	if (!point_text(&own, "sim_bucket"))
		point_put_text(&own, "sim_bucket", "0");        /* times are of whole vectors */
	point_put_last(&own, "engine", xstrdup("sim"));
	point_put_last(&own, "timing", xstrdup("true"));
	point_put_last(&own, "workers", xstrdup(setup_text(real, "workers")));
	point_put_last(&own, "epochs", xstrdup(setup_text(real, "epochs")));
	/* a timing-only run would have the net's own input, and as many samples as that */
	if (strcmp(data, "none") != 0)
		point_put_last(&own, "data", xstrdup(data));
	if (is_given(set, "compute_s") && !is_given(set, "link"))
		ret = link_without_delay(point_text(set, "cluster"), &link);
	if (link)
		point_put_last(&own, "link", link);
	if (ret == 0 && (settings_apply_point(&su->in, &own, "command line") < 0 ||
			 setup_resolve(su) < 0))
		ret = -1;
	return ret;
}

static void row_release(struct predict_row *r)
{
	setup_release(&r->real);
	setup_release(&r->sim);
	free_all(r->real_path, r->sim_path, r->folder);
	point_release(&r->set);
}

/* Resolves both runs of an entry, of seed + round. 0 or error(); row_release() either way. */
static int row_prepare(struct predict_row *r, const struct predict_conf *c,
		       const struct entry *entry, size_t round)
{
	scoped_by(point_release) struct grid_point simulated = row_settings(entry, c, round);
	int ret = -1;

	*r = (struct predict_row){ .conf = c, .entry = entry, .set = point_copy(&simulated) };
	setup_init(&r->real);
	setup_init(&r->sim);
	point_drop(&r->set, "cluster");         /* real ranks have none */
	if (resolve_real(&r->real, &r->set, c) == 0 &&
	    resolve_simulated(&r->sim, &simulated, &r->real) == 0) {
		r->folder = xasprintf("%s/predict", results_folder(c->out));
		r->real_path = xasprintf("%s/%s.h5", r->folder, r->real.hash);
		r->sim_path = xasprintf("%s/%s.h5", r->folder, r->sim.hash);
		ret = 0;
	}
	return ret;
}

/* ---- judging a row ---- */

/* The setting that the cluster was measured with; "" when it does not say. The caller frees. */
static char *measured_with(const struct cluster *c, const char *key)
{
	const cJSON *item = json_get(c->measured, key);

	return item ? json_text(item) : xstrdup("");
}

/* Judges a row, after the one before it, whose setup is NULL for the first. 0 or error(). */
static int row_check(const struct predict_row *row, const struct setup *before)
{
	static const char *const keys[] = { "net", "data", "batch", "backend", "precision" };
	const struct setup *su = &row->real;
	const char *name = row->sim.in.cluster;
	const int cores = cores_allowed(), ranks = setup_ranks(su);
	struct cluster c;
	char *was;
	int ret = 0;

	if (cluster_load(&c, name) < 0)
		return -1;
	if (!c.measured && !before)
		warning("%s was not measured by 'convoy calibrate': these ranks may be others",
			name);
	/* all-reduces of another kind take other times, of which the cluster says nothing */
	was = measured_with(&c, "allreduce");
	if (c.measured && strcmp(*was ? was : "whole", setup_text(su, "allreduce")) != 0)
		ret = error("%s was measured with --allreduce %s: this needs 'convoy calibrate "
			    "--allreduce %s'", name, *was ? was : "whole",
			    setup_text(su, "allreduce"));
	free(was);
	/* where the run is not what the cluster was measured with; a difference once */
	for (size_t i = 0; ret == 0 && i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *is = setup_text(su, keys[i]);

		was = measured_with(&c, keys[i]);
		if (*was && !choice_same_name(was, is) &&
		    (!before || !choice_same_name(is, setup_text(before, keys[i]))))
			warning("%s was measured with %s %s, not %s", name, keys[i], was, is);
		free(was);
	}
	/* the simulator gives each node a processor of its own, which ranks here may lack */
	if (ret == 0 && ranks > cores && !row->conf->hosts && !row->conf->hostfile &&
	    batch_ranks() == cores)
		warning("%d ranks share %d core%s: a rank that waits or handles a message slows "
			"others' gradients, more in a run than in 'convoy calibrate', and the "
			"simulator gives each rank a core. The prediction may be off", ranks,
			cores, word_plural(cores));
	cluster_release(&c);
	return ret;
}

/* All rows are judged before the first is run. */
static int rows_check(const struct predict_conf *c, const struct entries *entries)
{
	scoped struct predict_row *rows = xcalloc(entries->n, sizeof(*rows));
	size_t n = 0, padded = 0;
	int bad = 0;

	while (!bad && n < entries->n) {
		struct predict_row *r = &rows[n];

		context_set(entries->v[n].name);
		bad = row_prepare(r, c, &entries->v[n], 0);
		if (!bad)
			bad = row_check(r, n ? &rows[n - 1].real : NULL);
		padded += row_is_padded(&entries->v[n].set);
		n++;
	}
	context_set(NULL);
	if (!bad && padded && !c->quiet)
		note("compute_s is given%s: both engines have --delay constant there, and no "
		     "message delays a gradient. Give --delay for times that vary",
		     padded < n ? " in some rows" : "");
	while (n > 0)
		row_release(&rows[--n]);
	return bad;
}

/* ---- running a row ---- */

static int row_train(const struct predict_row *r)
{
	const struct predict_conf *c = r->conf;
	const struct launch l = { .ranks = setup_ranks(&r->real), .hostfile = c->hostfile,
				  .hosts = c->hosts, .result = r->real_path, .quiet = true };
	scoped_by(cmdline_release) struct cmdline w = { 0 };

	cmdline_add(&w, "convoy");
	cmdline_add(&w, "train");
	cmdline_addf(&w, "--file=%s", r->real_path);
	cmdline_addf(&w, "--threads=%d", (int)c->threads);
	if (c->quiet)
		cmdline_add(&w, "--quiet");
	for (size_t i = 0; i < r->set.n; i++)
		if (strcmp(r->set.v[i].key, "engine") != 0)
			cmdline_addf(&w, "--%s=%s", r->set.v[i].key, r->set.v[i].value.text);
	return launch(&l, (int)w.n, w.v);
}

/* Without a time where the run diverged, which is another work than what was predicted. */
static int read_time(const char *path, double settle, double *seconds, int64_t *diverged)
{
	struct finished_run run;
	const int ret = finished_run_read(&run, path);

	*diverged = run.diverged ? (int64_t)fmax(1, run.gradients) : 0;
	*seconds = run.diverged || settle > 0 ? (double)NAN : run.time_per_epoch_s;
	/* from the first row of the training curve at `settle` epochs or later */
	for (size_t i = 0; i < run.rows && settle > 0 && !run.diverged && isnan(*seconds); i++) {
		const double at = run.train.epoch[i];

		if (at >= settle * (1 - 1e-9) && at < run.epochs)
			*seconds = (run.time_s - run.train.time_s[i]) / (run.epochs - at);
	}
	finished_run_release(&run);
	if (ret < 0)
		return -1;
	if (*diverged || isfinite(*seconds))
		return 0;
	if (settle <= 0)
		return error("%s: the run is too short to time (expected a whole round of all "
			     "workers). Make it longer", path);
	return error("%s: the run was over before %g epoch%s: --settle is too long", path, settle,
			     word_plural(settle));
}

/* Makes both runs of an entry in a round and adds their times to *p. An exit code. */
static int predict_one(const struct predict_conf *c, const struct entry *entry,
		       struct prediction *p, size_t round)
{
	scoped_by(row_release) struct predict_row r;
	struct run_context context = { .experiment = "", .scale = "", .threads = 1,
				       .interrupted = &signal_caught };
	int64_t none, diverged;
	int code = EXIT_BAD;

	if (!c->quiet && c->rounds > 1)
		note("round %zu of %d: %s", round + 1, (int)c->rounds, entry->name);
	else if (!c->quiet)
		note("%s", entry->name);
	if (row_prepare(&r, c, entry, round) == 0 && folder_prepare(r.folder) == 0) {
		struct result_lock lock = result_lock(r.sim_path);

		context.path = r.sim_path;
		code = simrun(&r.sim, NULL, &context) == RUN_END_DONE ? EXIT_OK : EXIT_BAD;
		result_unlock(&lock);
	}
	if (code == EXIT_OK)
		code = row_train(&r);
	if (code == EXIT_OK) {
		p->name = entry->name;
		p->algo = point_text(&entry->set, "algo");
		p->workers = (int)r.real.num.workers;
		p->ranks = setup_ranks(&r.real);
		if (read_time(r.sim_path, c->settle, &p->predicted[p->rounds], &none) < 0 ||
		    read_time(r.real_path, c->settle, &p->measured[p->rounds], &diverged) < 0)
			code = EXIT_BAD;
	}
	if (code == EXIT_OK) {
		p->diverged = p->diverged ? p->diverged : diverged;
		p->rounds++;
	}
	return code;
}

int predict_all(const struct predict_conf *c, const struct entries *entries, struct prediction *p,
		size_t *n)
{
	int code = EXIT_OK;

	*n = 0;
	if (rows_check(c, entries) != 0)
		return EXIT_BAD;
	for (size_t round = 0; round < (size_t)c->rounds; round++)
		for (size_t i = 0; i < entries->n && code == EXIT_OK && !signal_caught; i++) {
			/* a row that diverged is not run again */
			if (!p[i].diverged)
				code = predict_one(c, &entries->v[i], &p[i], round);
			if (code == EXIT_OK && i >= *n)
				*n = i + 1;
		}
	return code == EXIT_OK && signal_caught ? signals_exit_code() : code;
}

/* ---- means of rounds ---- */

static const double two_sided = 0.975;

static struct spread spread_at(const double *x, const struct prediction *p)
{
	const struct spread nothing = { (double)NAN, (double)NAN, 0, 0 };

	return p->diverged ? nothing : spread_of(x, p->rounds);
}

static struct estimate_95 estimate_of(struct spread s)
{
	const double t = s.n > 1 ? student_quantile(two_sided, s.n - 1) : (double)NAN;

	return (struct estimate_95){ s.mean, s.n > 1 ? t * s.dev / sqrt(s.n) : (double)NAN };
}

struct estimate_95 prediction_predicted(const struct prediction *p)
{
	return estimate_of(spread_at(p->predicted, p));
}

struct estimate_95 prediction_measured(const struct prediction *p)
{
	return estimate_of(spread_at(p->measured, p));
}

/* The variance of the mean, as a part of the mean's square. */
static double relative_variance(struct spread s)
{
	return s.dev * s.dev / s.n / (s.mean * s.mean);
}

/* Errors of the quotient are to first order, the degrees of freedom Welch and Satterthwaite's. */
struct estimate_95 prediction_off(const struct prediction *p)
{
	const struct spread a = spread_at(p->predicted, p), b = spread_at(p->measured, p);
	const double ratio = a.mean / b.mean, va = relative_variance(a), vb = relative_variance(b);
	struct estimate_95 off = { 100.0 * (ratio - 1.0), (double)NAN };
	double df;

	if (a.n < 2)
		return off;
	off.half = 0.0;
	if (!(va + vb > 0.0))
		return off;
	df = (va + vb) * (va + vb) / (va * va / (a.n - 1) + vb * vb / (b.n - 1));
	off.half = 100.0 * ratio * sqrt(va + vb) * student_quantile(two_sided, df);
	return off;
}

char *prediction_failure(const struct prediction *p)
{
	return xasprintf("diverged after %lld gradient%s; lower --lr", (long long)p->diverged,
			 word_plural((double)p->diverged));
}

char *prediction_verdict(const struct prediction *p, double within)
{
	const struct estimate_95 off = prediction_off(p);
	const char *side = off.mean < 0.0 ? "fast" : "slow";
	const double margin = within > 0.0 ? within : PREDICT_WITHIN;
	/* No time is negative: none is predicted more than 100 % too fast. */
	const double low = fmax(off.mean - off.half, -100.0), high = off.mean + off.half;

	if (p->diverged)
		return prediction_failure(p);
	if (!isfinite(off.half))
		return xasprintf("too %s by %.1f %%; one round gives no interval", side,
				 fabs(off.mean));
	if (low > 0.0 || high < 0.0)
		return xasprintf("too %s by %.1f %% (%.1f to %.1f)", side, fabs(off.mean),
				 fmin(fabs(low), fabs(high)), fmax(fabs(low), fabs(high)));
	if (low < -margin || high > margin)
		return xasprintf("undecided: %zu rounds scatter too much (%+.1f to %+.1f %%, "
				 "expected within %g %%); give more --rounds", p->rounds, low, high,
				 margin);
	return xasprintf("agrees: the difference of %+.1f %% is within the scatter of %zu rounds "
			 "(%+.1f to %+.1f)", off.mean, p->rounds, low, high);
}

/* ---- the plot ---- */

int predictions_plot(const struct prediction *p, size_t n, const char *dir, const char *name,
		     const char *format)
{
	static const char *const titles[] = { "predicted", "measured" };
	scoped_by(figure_release) struct figure f = { .title = "Predicted and measured",
						      .seeds = 1,
						      .n = 2,
						      .name = name,
						      .xlabel = xstrdup(""),
						      .ylabel = xstrdup("time per epoch [s]"),
						      .series = xcalloc(2, sizeof(*f.series)) };
	size_t k = 0;

	for (int i = 0; i < 2; i++)
		f.series[i] = (struct series){ .label = xstrdup(titles[i]),
					       .title = xstrdup(titles[i]),
					       .p = xcalloc(n, sizeof(*f.series->p)),
					       .fewest = 1, .most = 1 };
	for (size_t row = 0; row < n; row++) {
		const struct estimate_95 e[] = { prediction_predicted(&p[row]),
						 prediction_measured(&p[row]) };

		if (p[row].diverged)
			continue;
		figure_add_word(&f, p[row].name);
		for (int i = 0; i < 2; i++) {
			const double half = isfinite(e[i].half) ? e[i].half : 0.0;

			f.series[i].p[f.series[i].n++] =
				(struct point){ .x = (double)k, .y = e[i].mean,
						.lo = e[i].mean - half, .hi = e[i].mean + half };
		}
		k++;
	}
	return k ? figure_write(&f, dir, format, NULL) : 0;
}
