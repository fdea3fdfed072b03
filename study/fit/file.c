/* file.c - reads a log of step times; writes it as CSV, its fit as cluster file and Q-Q plot. */
#include "study/fit/fit.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "core/file/output.h"
#include "core/file/paths.h"
#include "core/math/median.h"
#include "core/text/word.h"
#include "plan/machine/cluster.h"
#include "plan/resolve/model.h"
#include "record/trace/json_items.h"
#include "record/trace/torch_log.h"
#include "report/plot/plot.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the log ---- */

/* A step of a warm-up takes more than 2 medians; a warm-up is a tenth of the log at most. */
enum { SLOW_START = 2, WARM_UP_PART = 10 };

/*
 * Number of warm-up steps at the beginning of v[steps], a worker's seconds: they are slow, and
 * slower than all after the first tenth of the log. *median <- of all steps.
 */
static size_t log_slow_start(const double *v, size_t steps, double *median)
{
	const size_t most = steps / WARM_UP_PART;
	double *sorted = xcalloc(steps, sizeof(*sorted)), least;
	size_t k = 0;

	memcpy(sorted, v, steps * sizeof(*sorted));
	*median = median_of(sorted, steps);
	free(sorted);
	least = SLOW_START * *median;
	for (size_t i = most; i < steps; i++)
		least = fmax(least, v[i]);
	while (k < most && v[k] > least)
		k++;
	return k;
}

int fit_read(struct fit *f, const char *const *paths, size_t n, size_t skip, bool apart)
{
	struct steplog *l = &f->log;
	size_t left, traces = 0, other = n;      /* the first file that is no trace */
	size_t warm_up;         /* least number of slow first steps of a worker */
	double factor = HUGE_VAL;
	int ret;

	f->path = n == 1 ? xstrdup(paths[0])
			 : xasprintf("%s and %zu more", paths[0], n - 1);
	for (size_t i = 0; i < n; i++) {
		if (access(paths[i], R_OK) == 0 && !file_is_regular(paths[i]) &&
		    !dir_exists(paths[i]))
			return error("%s: not a regular file, and a log is read more than once. "
				     "Write it to a file first", paths[i]);
		const bool is = json_items_are_in(paths[i]) &&
				(n > 1 || !steplog_is_json_lines(paths[i]));

		traces += is;
		other = is || other < n ? other : i;
	}
	f->traces = traces == n;
	if (traces && other < n)
		return error("%s: not a trace of torch.profiler, but other files are (expected "
			     "files of one kind). Leave it out", paths[other]);
	ret = f->traces ? torch_log_read(l, paths, n) : steplog_read(l, paths, n);
	if (ret < 0)
		return -1;
	f->csv = n == 1 && !f->traces && !skip && steplog_is_table(paths[0]) ? f->path : NULL;
	/* leaves out each worker's first steps: l->seconds is [workers][left] then */
	skip = skip < l->steps ? skip : l->steps;
	left = l->steps - skip;
	for (size_t w = 0; w < l->workers; w++)
		memmove(l->seconds + w * left, l->seconds + w * l->steps + skip,
			left * sizeof(*l->seconds));
	l->steps = left;
	if (l->steps < FIT_FEWEST_STEPS)
		return error("%s: too few steps of each worker%s: %zu (expected at least %d)%s",
			     f->path, skip ? " after those of --skip" : "", l->steps,
			     FIT_FEWEST_STEPS,
			     f->traces ? ". Profile more: active=200 in the schedule" : "");
	if (!apart && l->workers > 1)
		l->least = xcalloc(l->steps, sizeof(*l->least));
	warm_up = l->steps;
	for (size_t w = 0; w < l->workers && warm_up > 0; w++) {
		const double *v = l->seconds + w * l->steps;
		double median;
		const size_t own = log_slow_start(v, l->steps, &median);

		warm_up = own < warm_up ? own : warm_up;
		factor = fmin(factor, v[0] / median);
	}
	if (warm_up > 0)
		warning("the log's first step takes %.3g times the median or more on every worker. "
			"Leave out warm-up steps with --skip %zu", factor, warm_up);
	return 0;
}

int fit_write_csv(const struct steplog *l, const char *path)
{
	char *text;
	size_t size;
	FILE *out = xmemstream(&text, &size);
	int ret;

	fputs("worker,step,seconds\n", out);
	for (size_t w = 0; w < l->workers; w++)
		for (size_t k = 0; k < l->steps; k++)
			fprintf(out, "%zu,%zu,%.9g\n", w, k, l->seconds[w * l->steps + k]);
	xmemclose(out);
	ret = output_text(path, text);
	free(text);
	if (ret == 0)
		note("wrote %s", path);
	return ret;
}

/* ---- what describes the log ---- */

bool fit_replays(const struct fit *f)
{
	return !f->of[f->best].fits && f->csv;
}

struct fit_settings fit_settings(const struct fit *f, bool alone)
{
	const struct fit_model *m = &f->model[f->best];
	struct fit_settings s = { .compute_s = m->compute_s };
	scoped char *clauses = NULL;

	if (fit_replays(f)) {
		char here[PATH_MAX], *path;

		/* a cluster file is read from other folders, too */
		path = alone && *f->csv != '/' && getcwd(here, sizeof(here))
			       ? xasprintf("%s/%s", here, f->csv) : xstrdup(f->csv);
		s.compute_s = fit_mean(f->log.seconds, f->log.workers * f->log.steps);
		s.delay = xstrdup("replay:file=");
		/* some characters would end the path */
		for (const char *c = path; *c; c++)
			xappendf(&s.delay, "", "%s%c", strchr(";*,", *c) ? "\\" : "", *c);
		s.slow = xstrdup("");
		free(path);
		return s;
	}
	clauses = outliers_clauses(&f->outliers, m->compute_s, alone);
	s.delay = xasprintf("%s%s", m->delay, clauses);
	s.slow = alone ? xstrdup("") : outliers_slow(&f->outliers);
	return s;
}

void fit_settings_release(struct fit_settings *s)
{
	free_all(s->delay, s->slow);
}

/* ---- the cluster file ---- */

/* The member of that key, an object; adds an empty one if it is missing. */
static cJSON *member_object(cJSON *object, const char *key)
{
	cJSON *member = cJSON_GetObjectItemCaseSensitive(object, key);

	return member ? member : cJSON_AddObjectToObject(object, key);
}

/* Replaces the object's member of that key, if any; the new one is the last. */
static void member_set(cJSON *object, struct member m)
{
	cJSON_DeleteItemFromObjectCaseSensitive(object, m.key);
	members_add(object, 1, &m);
}

/* Where the numbers are from, for "sources". The caller frees. */
static char *fit_source_text(const struct fit *f)
{
	const struct fit_comparison *c = &f->of[f->best];
	char *outliers = xstrdup(""), *text, *all = NULL;       /* " WORKER:FACTOR, ..." */
	char *together = together_words(&f->together, f->log.workers);

	for (size_t i = 0; i < f->outliers.n; i++)
		xappendf(&outliers, ",", " %zu:%.4g", f->outliers.v[i].worker,
			 f->outliers.v[i].factor);
	if (f->outliers.n) {
		xappend(&outliers, "", ".");
		all = xasprintf(", without those far from the others; %.4g s of all", f->step);
	}
	text = xasprintf("convoy delay fit %s: %zu worker%s, %zu steps each. %s model: KS "
			       "distance %.3f (its own runs: at most %.3f), lag-1 autocorrelation "
			       "%.3f (the log's: %.3f), all-reduce step %.4g s (the log's: "
			       "%.4g s%s), %s.%s%s%s%s", f->path, f->log.workers,
			       word_plural((double)f->log.workers), f->log.steps,
			       f->model[f->best].name, c->ks, c->ks_most, c->lag1.middle,
			       f->own.lag1, c->step.middle, f->own.step, all ? all : "",
			       c->fits ? "fits" : fit_replays(f)
			       ? "the nearest, but it does not fit, so the log is replayed"
			       : "the nearest, but it does not fit",
			       together ? " " : "", together ? together : "",
			       f->outliers.n ? " Workers far from the others:" : "", outliers);

	free_all(all, together, outliers);
	return text;
}

/* Sets the seconds per sample of `net`, its name in cluster files, and their source. */
static void cluster_set_compute(cJSON *file, double seconds, const char *net, const char *source)
{
	/* a time of the net would win over seconds_per_sample, or be added to it */
	static const char *const others[] = { "times", "seconds_per_batch" };
	cJSON *compute = member_object(file, "compute"), *sources = member_object(file, "sources");
	char *key = xasprintf("seconds_per_sample.%s", net);

	member_set(member_object(compute, "seconds_per_sample"),
		   j_measured(net, seconds));
	member_set(sources, j_text(key, source));
	free(key);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		key = xasprintf("%s.%s", others[i], net);
		cJSON_DeleteItemFromObjectCaseSensitive(json_get(compute, others[i]), net);
		cJSON_DeleteItemFromObjectCaseSensitive(sources, key);
		free(key);
	}
}

/* Has "about" say what is from the log, and that all else is from the cluster that was given. */
static void cluster_set_about(cJSON *file, const struct fit *f, const struct fit_file *to)
{
	scoped char *net =
		to->net ? xasprintf(" and the compute time of %s", to->net) : xstrdup("");
	scoped char *text = xasprintf("The delay%s: from %s, by 'convoy delay fit'. All else is of "
				      "cluster %s: %s", net, f->path, to->cluster,
				      json_word(file, "about"));

	if (json_get(file, "about"))
		cJSON_ReplaceItemInObjectCaseSensitive(file, "about", cJSON_CreateString(text));
	else
		ADD(file, j_text("about", text));
}

/* Name of a net in cluster files, NULL after error(); the caller frees. */
static char *net_time_key(const char *net)
{
	scoped_by(model_release) struct model model;

	return model_identify(&model, net) == 0 ? model_time_key(&model) : NULL;
}

int fit_write_check(const struct fit_file *to)
{
	struct cluster c = { 0 };
	scoped char *net = to->net ? net_time_key(to->net) : NULL;
	int ret = to->net && !net ? -1 : 0;

	if (ret == 0 && to->cluster) {
		ret = cluster_load(&c, to->cluster);
		if (ret == 0)
			cluster_release(&c);
	}
	return ret;
}

int fit_write(const struct fit *f, const struct fit_file *to)
{
	struct fit_settings s;
	char *source, *net = NULL;
	struct cluster c = { 0 };
	cJSON *file;
	int ret;

	if (to->net && !(net = net_time_key(to->net)))
		return -1;
	if (to->cluster && cluster_load(&c, to->cluster) < 0) {
		free(net);
		return -1;
	}
	file = to->cluster ? cJSON_Duplicate(c.file, true)
			   : OBJECT(j_text("about", "Compute times as 'convoy delay fit' found "
						    "them."),
				    j_number("workers", (double)f->log.workers));
	if (to->cluster)
		cluster_release(&c);
	source = fit_source_text(f);
	s = fit_settings(f, true);
	member_set(file, j_text("delay", s.delay));
	if (json_number(file, "workers") < (double)f->log.workers)      /* clauses name its ranks */
		member_set(file, j_number("workers", (double)f->log.workers));
	member_set(member_object(file, "sources"), j_text("delay", source));
	if (net)
		cluster_set_compute(file, s.compute_s / (double)to->batch, net, source);
	if (to->cluster)
		cluster_set_about(file, f, to);
	ret = output_json_file(to->path, file, "\n");
	if (ret == 0)
		note("wrote %s", to->path);
	if (ret == 0 && fit_replays(f))
		note("%s replays %s, as no model fits. Keep both", to->path, f->csv);
	if (ret == 0 && !to->net)
		note("%s has no compute time from the log. Give --net and --batch", to->path);
	cJSON_Delete(file);
	free(net);
	fit_settings_release(&s);
	free(source);
	return ret;
}

/* ---- the Q-Q plot ---- */

/* The model that is the k-th drawn: the best one is the first. */
static size_t qq_model(const struct fit *f, size_t k)
{
	return k == 0 ? f->best : k <= f->best ? k - 1 : k;
}

/* A block for each model, the best one first; its columns are named in the first line. */
static void qq_put_data(const void *ctx, FILE *out)
{
	const struct fit *f = ctx;

	fputs("# columns: quantile of the log; of the model: middle, least and greatest of its "
	      "runs (seconds)\n", out);
	for (size_t k = 0; k < f->n; k++) {
		const size_t m = qq_model(f, k);

		fprintf(out, "%s# %s: %s\n", k ? "\n\n" : "", f->model[m].name,
			f->model[m].delay);
		for (size_t i = 0; i < FIT_QUANTILES; i++)
			/* every fifth, and each of the last few, where a tail shows */
			if (i % 5 == 0 || i + 20 >= FIT_QUANTILES)
				fprintf(out, "%.6g %.6g %.6g %.6g\n", f->own.quantile[i],
					f->of[m].quantile[i].middle, f->of[m].quantile[i].low,
					f->of[m].quantile[i].high);
	}
}

static void qq_put_script(const void *ctx, const char *name, FILE *out)
{
	static const char *const color[] = { "#0072B2", "#D55E00", "#009E73", "#CC79A7",
					     "#E69F00", "#56B4E9", "#666666" };
	const struct fit *f = ctx;
	const double low = f->own.quantile[0], high = f->own.quantile[FIT_QUANTILES - 1];
	/* both axes have the range of the log's quantiles, in seconds */
	const double margin = fmax(0.05 * (high - low), 0.01 * high);

	fputs("set xlabel 'quantile of the log [s]'\nset ylabel 'quantile of the model [s]'\n"
	      "set border 3 lc rgb '#404040'\nset tics nomirror\n"
	      "set grid lt 1 lc rgb '#DCDCDC' lw 0.8\n"
	      "set key above left Left reverse samplen 1 maxrows 3 noenhanced\n", out);
	fprintf(out, "set xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n", low - margin,
		high + margin, low - margin, high + margin);
	fputs("plot ", out);
	gnuplot_path(name, ".dat", out);
	fprintf(out, " index 0 using 1:3:4 with filledcurves fc rgb '#CCE3F0' title 'runs of %s', "
		"\\\n\tx with lines dt 2 lc rgb '#404040' title 'equal'",
		f->model[f->best].name);
	for (size_t k = 0; k < f->n; k++) {
		fputs(", \\\n\t", out);
		gnuplot_path(name, ".dat", out);
		fprintf(out, " index %zu using 1:2 with points pt 7 ps %g lc rgb '%s' title ", k,
			k == 0 ? 0.6 : 0.3, color[k]);
		gnuplot_string(f->model[qq_model(f, k)].name, out);
	}
	fputs("\n", out);
}

int fit_plot(const struct fit *f, const char *dir, const char *name, const char *format,
	     struct texts *paths)
{
	const struct plot_parts parts = { .name = name, .ctx = f, .script = qq_put_script,
					  .data = qq_put_data };

	return plot_write(&parts, dir, format, paths);
}
