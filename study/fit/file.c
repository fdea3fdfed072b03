/* file.c - the model that fits a log best, in a cluster file. */
#include "study/fit/fit.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/output.h"
#include "core/text/word.h"
#include "plan/machine/cluster.h"
#include "plan/resolve/model.h"

#include <stdio.h>
#include <stdlib.h>

/* A copy of the cluster's file, or a fresh one; NULL after error(). */
static cJSON *fit_base(const struct fit *f, const char *name)
{
	struct cluster c;
	cJSON *file;

	if (name) {
		if (cluster_load(&c, name) < 0)
			return NULL;
		file = cJSON_Duplicate(c.file, true);
		cluster_release(&c);
		return file;
	}
	file = cJSON_CreateObject();
	cJSON_AddStringToObject(file, "about", "Compute times as 'convoy delay fit' found them.");
	cJSON_AddNumberToObject(file, "workers", (double)f->log.workers);
	return file;
}

static void fit_set(cJSON *object, const char *key, cJSON *value)
{
	cJSON_DeleteItemFromObjectCaseSensitive(object, key);
	cJSON_AddItemToObject(object, key, value);
}

/* The member that is an object, made where it is missing. */
static cJSON *fit_member(cJSON *object, const char *key)
{
	cJSON *member = cJSON_GetObjectItemCaseSensitive(object, key);

	return member ? member : cJSON_AddObjectToObject(object, key);
}

static char *fit_source(const struct fit *f)
{
	const struct comparison *c = &f->of[f->best];
	char *fixed = xstrdup(""), *text;

	for (size_t i = 0; i < f->outliers.n; i++)
		xappend_own(&fixed, ",", xasprintf(" %zu:%.4g", f->outliers.v[i].worker,
						   f->outliers.v[i].factor));
	if (f->outliers.n)
		xappend(&fixed, "", ".");
	text = xasprintf("convoy delay fit %s: %zu worker%s, %zu steps each. %s model: KS "
			       "distance %.3f (its own runs: at most %.3f), lag-1 autocorrelation "
			       "%.3f (the log's: %.3f), %s.%s%s", f->path, f->log.workers,
			       word_plural((double)f->log.workers), f->log.steps,
			       f->model[f->best].name, c->ks, c->ks_most, c->lag1.middle,
			       f->own.lag1,
			       c->fits ? "fits" : "the nearest, but it does not fit",
			       f->outliers.n ? " Workers far from the others:" : "", fixed);

	free(fixed);
	return text;
}

/* Five digits: more were not measured. */
static cJSON *fit_digits(double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.5g", value);
	return cJSON_CreateRaw(text);
}

/* Without a time of the net that would win over seconds_per_sample, or be added to it. */
static void fit_drop_others(cJSON *file, const char *net)
{
	static const char *const keys[] = { "times", "seconds_per_batch" };
	cJSON *compute = fit_member(file, "compute"), *sources = fit_member(file, "sources");

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		char *source = xasprintf("%s.%s", keys[i], net);

		cJSON_DeleteItemFromObjectCaseSensitive(json_get(compute, keys[i]), net);
		cJSON_DeleteItemFromObjectCaseSensitive(sources, source);
		free(source);
	}
}

/* net: what cluster files call it. */
static void fit_set_compute(cJSON *file, const struct fit *f, const char *net, int64_t batch,
			    const char *source)
{
	cJSON *nets = fit_member(fit_member(file, "compute"), "seconds_per_sample");
	char *key = xasprintf("seconds_per_sample.%s", net);

	fit_set(nets, net, fit_digits(f->model[f->best].compute_s / (double)batch));
	fit_set(fit_member(file, "sources"), key, cJSON_CreateString(source));
	fit_drop_others(file, net);
	free(key);
}

/* What cluster files call the net; *key <- NULL without one. 0 or error(). The caller frees. */
static int fit_net_key(const char *net, char **key)
{
	struct model m;
	int ret = 0;

	*key = NULL;
	if (!net)
		return 0;
	ret = model_identify(&m, net);
	if (ret == 0)
		*key = model_time_key(&m);
	model_release(&m);
	return ret;
}

/* What the rest of the file says of the cluster is not true of what was measured. */
static void fit_set_about(cJSON *file, const struct fit *f, const struct fit_file *to)
{
	char *net = to->net ? xasprintf(" and the compute time of %s", to->net) : xstrdup("");
	char *text = xasprintf("The delay%s: from %s, by 'convoy delay fit'. All else is of "
			       "cluster %s: %s", net, f->path, to->cluster,
			       json_word(file, "about"));

	if (json_get(file, "about"))
		cJSON_ReplaceItemInObjectCaseSensitive(file, "about", cJSON_CreateString(text));
	else
		cJSON_AddStringToObject(file, "about", text);
	free(text);
	free(net);
}

int fit_write(const struct fit *f, const struct fit_file *to)
{
	char *source, *text, *whole, *delay, *net, *clauses;
	cJSON *file;
	int ret;

	if (fit_net_key(to->net, &net) < 0)
		return -1;
	file = fit_base(f, to->cluster);
	if (!file) {
		free(net);
		return -1;
	}
	source = fit_source(f);
	clauses = outliers_clauses(&f->outliers, f->model[f->best].compute_s, true);
	delay = xasprintf("%s%s", f->model[f->best].delay, clauses);
	fit_set(file, "delay", cJSON_CreateString(delay));
	fit_set(fit_member(file, "sources"), "delay", cJSON_CreateString(source));
	if (net)
		fit_set_compute(file, f, net, to->batch, source);
	if (to->cluster)
		fit_set_about(file, f, to);
	text = cJSON_Print(file);
	whole = xasprintf("%s\n", text ? text : "");
	ret = output_text(to->path, whole);
	if (ret == 0)
		note("wrote %s", to->path);
	if (ret == 0 && !to->net)
		note("%s has no compute time from the log. Give --net and --batch", to->path);
	cJSON_Delete(file);
	free(net);
	free(clauses);
	free(delay);
	free(source);
	free(text);
	free(whole);
	return ret;
}
