/* `convoy compare`: two results side by side. */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "cmd/common.h"
#include "cmd/opts.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "core/file/paths.h"
#include "core/text/opt_text.h"
#include "core/text/word.h"
#include "plan/plan.h"
#include "plan/settings/settings.h"
#include "record/layout.h"
#include "record/measure.h"
#include "report/compare/compare.h"
#include "runner/results/folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct conf {
	char *scale, *out, *values;
	int format;
};

static const struct opt opts[] = {
	OPT_TEXT(struct conf, scale, "of experiments that are named: which scale", "SCALE"),
	OPT_TEXT(struct conf, values,
	  "measures to compare, separated by commas: time_s,time_to:test_accuracy>=0.8", "LIST"),
	OPT_CHOICE(struct conf, format, "text", "how the comparison is written", NULL,
		   table_format_name),
	OUT_OPT(struct conf),
	{ 0 }
};

static const char about[] =
	"Compares two results: result files, folders of them (--out of other commands, too), or\n"
	"experiments by name or by their spec's file, of which it takes the last results.\n"
	"Shows the settings that differ, and every measure with difference and ratio. Runs that\n"
	"differ only in the seed are one: mean and deviation, and whether the difference is\n"
	"larger than seeds explain (Welch's interval at 95 %).\n"
	"A:KEY=VALUE selects the runs with that setting, to compare an experiment with itself.\n"
	"\n"
	"Examples:\n"
	"  convoy compare results/sim/0123456789abcdef.h5 results/sim/fedcba9876543210.h5\n"
	"  convoy compare slow-worker slow-worker-real\n"
	"  convoy compare slow-worker:algo=asgd slow-worker:algo=ad-psgd\n"
	"  convoy compare results/zhang2017/convergence/smoke /tmp/convergence/smoke\n"
	"  convoy compare A B --values 'time_s,time_to:test_accuracy>=0.8' --format md";

/* ---- WHAT:KEY=VALUE,KEY=VALUE: those runs of a result that have these settings ---- */

struct subset {
	char *what;                     /* a path, or the name of an experiment; owned */
	struct grid_point wanted;       /* canonical; owned, empty where all are meant */
};

/*
 * Reads the text; a path that is there is all of it. A comma parts settings, but for those of an
 * algorithm, a net and the like it stands between their options: such a setting is the last. What
 * is no pair is a key without a value. 0, or error() naming the setting.
 */
static int subset_read(struct subset *p, const char *text)
{
	const char *colon = access(text, F_OK) == 0 ? NULL : strchr(text, ':'), *at;
	scoped_json cJSON *pairs = cJSON_CreateObject();
	const cJSON *pair;
	int ret;

	while (colon && (colon == text || !key_length(colon + 1)))
		colon = strchr(colon + 1, ':');
	p->what = xasprintf("%.*s", (int)(colon ? (size_t)(colon - text) : strlen(text)), text);
	for (at = colon; at && *at;) {
		const char *start = at + 1;
		const size_t n = key_length(start) ? key_length(start) : strcspn(start, ",");
		const char *value = start + n + (start[n] == '=');
		scoped char *key = xasprintf("%.*s", (int)n, start), *own;

		at = value + strcspn(value, ",");
		if (kind_known(key) && memchr(value, ':', (size_t)(at - value)))
			at = value + strlen(value);
		own = xasprintf("%.*s", (int)(at - value), value);
		ADD(pairs, j_text(key, own));
	}
	ret = settings_check_keys(pairs, text);
	/* under the settings' own names, in their own notation */
	cJSON_ArrayForEach(pair, pairs) {
		char *own = ret < 0 ? NULL
				    : settings_canonical(opt_find(settings_opts, pair->string),
							 pair->valuestring, text);

		if (own)
			point_put_last(&p->wanted, pair->string, own);
		else
			ret = -1;
	}
	return ret;
}

/* A setting that the file leaves out is as it is by default. */
static const char *subset_value_of(const struct result *r, const char *key)
{
	const struct result_value *v = result_value(r, RESULT_SETTINGS, key);
	const char *text = v ? v->text : opt_find(settings_opts, key)->def;

	return text ? text : "";
}

static bool subset_has(const struct subset *p, const struct result *r)
{
	for (size_t i = 0; i < p->wanted.n; i++)
		if (!setting_agrees(p->wanted.v[i].value.text,
				    subset_value_of(r, p->wanted.v[i].key)))
			return false;
	return true;
}

/* error() about the first setting of which no run has the value, or else the last one. */
static int subset_none(const struct subset *p, const struct results *runs)
{
	const char **words = xcalloc(runs->n + 1, sizeof(*words)), *text = NULL, *key = NULL;
	char *advice;
	size_t n = 0;
	bool any = true;

	for (size_t i = 0; i < p->wanted.n && any; i++) {
		text = p->wanted.v[i].value.text;
		key = p->wanted.v[i].key;
		any = false;
		for (size_t k = 0; k < runs->n; k++)
			any |= setting_agrees(text, subset_value_of(&runs->v[k], key));
	}
	for (size_t k = 0; k < runs->n; k++) {
		const char *own = subset_value_of(&runs->v[k], key);
		size_t i = 0;

		while (i < n && strcmp(words[i], own) != 0)
			i++;
		words[i] = own;
		n += i == n;
	}
	advice = word_advice(text, words);
	error("%s: no run has %s=%s%s", p->what, key, text, advice);
	free_all(advice, words);
	return -1;
}

/*
 * Leaves of the runs those that have the settings: in any notation of a number, and
 * with the options that are named. 0, or error() when there is none, with the nearest value.
 */
static int subset_keep(const struct subset *p, struct results *runs)
{
	bool any = false;
	size_t n = 0;

	for (size_t i = 0; i < runs->n; i++)
		any = any || subset_has(p, &runs->v[i]);
	if (!any)
		return subset_none(p, runs);
	for (size_t i = 0; i < runs->n; i++)
		if (subset_has(p, &runs->v[i]))
			runs->v[n++] = runs->v[i];
		else
			result_release(&runs->v[i]);
	runs->n = n;
	return 0;
}

/* ---- runs of a file, of a folder, or of an experiment ---- */

static int compare_add_file(struct results *runs, const char *path)
{
	struct result r;

	if (result_load(&r, path, RESULT_TIMED) < 0)
		return -1;
	/* a run that was interrupted or failed has results of another length than it should */
	if (!result_is(&r, STATUS_DONE) && !result_is(&r, STATUS_DIVERGED))
		warning("%s: the run did not finish (%s); its measures are of the part that was "
			"made", path, r.text[RESULT_STATUS]);
	results_add(runs, &r);
	return 0;
}

/* DIR/runs where there is one, else DIR; DIR/sim, where sim --out DIR writes, if DIR has none. */
static int compare_add_folder(struct results *runs, const char *dir)
{
	scoped char *inner = xasprintf("%s/runs", dir), *single = xasprintf("%s/sim", dir);
	const char *folder = dir_exists(inner) ? inner : dir;
	char **paths = dir_list(folder, ".h5");
	int ret;

	if (paths && !paths[0] && folder == dir && dir_exists(single)) {
		path_list_free(paths);
		folder = single;
		paths = dir_list(folder, ".h5");
	}
	ret = paths ? 0 : error("cannot read %s: %s", folder, strerror(errno));
	for (size_t i = 0; ret == 0 && paths[i]; i++)
		ret = compare_add_file(runs, paths[i]);
	path_list_free(paths);
	return ret == 0 && !runs->n ? error("%s: no result file there", dir) : ret;
}

/* The last results of an experiment, as table, plot and report take them. */
static int compare_add_experiment(struct results *runs, const char *name, const struct conf *c)
{
	struct plan_request request = { .experiment = name, .scale = c->scale,
					.out = results_folder(c->out) };
	scoped_by(latest_release) struct last last;
	scoped_by(plan_release) struct plan plan = { 0 };
	int ret = latest_find(&last, &request, false);

	if (ret == 0)
		ret = plan_make(&plan, &request);
	for (size_t i = 0; ret == 0 && i < plan_own_runs(&plan); i++)
		if (plan.runs[i].state == RUN_FINISHED && plan.runs[i].same_as == i)
			ret = compare_add_file(runs, plan.runs[i].path);
	if (ret == 0 && !runs->n) {
		latest_error(&plan, request.out);
		ret = -1;
	}
	return ret;
}

/* Adds the runs that a word of the command line names. 0, or error(). */
static int compare_add(struct results *runs, const char *word, const struct conf *c)
{
	struct subset part = { 0 };
	int ret = subset_read(&part, word), diverged = 0;
	const char *name = part.what;
	/* a file that is no spec, or what can only have meant one: none there is called so */
	const bool is_file = word_ends(name, ".h5") ||
			     (access(name, F_OK) == 0 && !word_ends(name, ".json"));

	if (ret == 0)
		ret = dir_exists(name) ? compare_add_folder(runs, name)
		      : is_file	       ? compare_add_file(runs, name)
				       : compare_add_experiment(runs, name, c);
	if (ret == 0)
		ret = subset_keep(&part, runs);
	free(part.what);
	point_release(&part.wanted);
	for (size_t i = 0; ret == 0 && i < runs->n; i++)
		diverged += result_diverged(&runs->v[i]);
	if (diverged)
		warning("%s: %d of %zu runs diverged: their losses count as infinite, and no "
			"difference to them is called one beyond seeds", word, diverged, runs->n);
	return ret;
}

static int compare(const struct args *a)
{
	const struct conf *c = a->conf;
	char **measures = NULL;
	struct results runs[2] = { { 0 } };
	struct comparison comparison;
	int code = EXIT_OK;

	if (a->nwords != 2)
		return args_usage(a, "expected two results to compare");
	if (c->values && !(measures = measures_parse("--values", c->values)))
		return EXIT_USAGE;
	if (compare_add(&runs[0], a->words[0], c) < 0 || compare_add(&runs[1], a->words[1], c) < 0)
		code = EXIT_BAD;
	if (code == EXIT_OK) {
		comparison = results_compare(&(struct compared){ a->words[0], &runs[0] },
					     &(struct compared){ a->words[1], &runs[1] },
					     (const char *const *)measures);
		compare_print(&comparison, (enum table_format)c->format, stdout);
		compare_release(&comparison);
	}
	results_release(&runs[0]);
	results_release(&runs[1]);
	path_list_free(measures);
	return code;
}

const struct syntax cmd_compare = {
	.opts = opts, .conf_size = sizeof(struct conf),
	.usage = "compare A[:KEY=VALUE,...] B[:KEY=VALUE,...] [--values LIST] "
		 "[--format FORMAT] [OPTIONS]",
	.about = about, .run = compare,
};
