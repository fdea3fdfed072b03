/* Results that are kept in a folder: their files, their claims judged and plots drawn again. */
#define _XOPEN_SOURCE 700         /* realpath() */
#include "cmd/report/parts.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/fields.h"
#include "core/file/json.h"
#include "core/file/output.h"
#include "core/file/paths.h"
#include "core/text/utf8.h"
#include "core/text/word.h"
#include "data/read.h"
#include "plan/plan.h"
#include "report/claims/looks.h"
#include "report/claims/scales.h"
#include "report/plot/plot.h"
#include "report/report.h"
#include "report/table/table.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes of an unpacked file; runs.json of the largest experiment has 2 MB. */
static const size_t KEPT_MOST = (size_t)1 << 26;

/*
 * A parsed file, or PATH.gz where that is kept; NULL without either, or after error(), when *ret is
 * -1. Frees the path.
 */
static cJSON *kept_load(char *path, int *ret)
{
	struct bytes text = { 0 };
	cJSON *json = NULL;

	if (access(path, F_OK) == 0) {
		json = json_load(path);
		*ret = json ? *ret : -1;
	} else {
		xappend(&path, "", ".gz");
		if (access(path, F_OK) == 0) {
			if (data_read(path, KEPT_MOST, &text) == 0) {
				text.at = xrealloc(text.at, text.n + 1, 1);
				text.at[text.n] = '\0';
				json = json_parse((const char *)text.at, path);
			}
			*ret = json ? *ret : -1;
		}
	}
	free_all(text.at, path);
	return json;
}

cJSON *kept_file(const char *folder, const char *name, const char *file, int *ret)
{
	return kept_load(xasprintf("%s/%s/%s", folder, name, file), ret);
}

/*
 * The runs of a folder's runs.json, at least one, all of an experiment; none without the file, or
 * after error(), when *ret is -1.
 */
static struct results kept_runs(const char *dir, int *ret)
{
	scoped_json cJSON *json = kept_load(xasprintf("%s/runs.json", dir), ret);
	struct results runs = { 0 };
	bool sound = cJSON_IsArray(json) && json->child;
	const cJSON *run;

	cJSON_ArrayForEach(run, json)
		sound = sound && *json_word(run, "experiment");
	if (sound)
		runs = results_of_json(json);
	else if (json)
		*ret = error("%s/runs.json: expected a list of an experiment's runs", dir);
	return runs;
}

/* ---- when and where results were made ---- */

static const struct field made_fields[] = {
	FIELD(WORD, struct kept_made, runs, "runs"),
	FIELD(WORD, struct kept_made, wall, "wall time"),
	FIELD(TEXT, struct kept_made, scale, "scale"),
	FIELD(TEXT, struct kept_made, made, "made"),
	FIELD(WORD, struct kept_made, version, "version"),
	FIELD(WORD, struct kept_made, commit, "commit"),
	FIELD(WORD, struct kept_made, machine, "machine"), { 0 }
};

struct kept_made kept_made(const char *folder, const char *name, int *ret)
{
	scoped_json cJSON *json = kept_file(folder, name, "made.json", ret);
	struct kept_made made = { .there = json };

	fields_read(json, made_fields, &made);
	return made;
}

void kept_made_release(struct kept_made *made)
{
	fields_release(made_fields, made);
}

/* ---- their verdicts ---- */

/*
 * The scale of a result: as its made.json says; where it has none, as the end of its name, which is
 * the experiment's or "EXPERIMENT-SCALE", else the spec's usual one. The caller frees.
 */
static char *result_scale(const cJSON *spec, const char *experiment, const char *result,
			  const struct kept_made *made)
{
	const char *usual = json_word(spec, "scale"), *end = result + strlen(experiment);
	scoped char *with = xasprintf("%s%s", usual, end);
	const cJSON *scales = json_get(spec, "scales");
	const char *scale = made->scale ? made->scale :
			    *end && json_get(scales, end + 1) ? end + 1 :
			    json_get(scales, with) ? with : *end ? end + 1 : usual;

	return xstrdup(scale);
}

int kept_verdicts(const char *folder, const cJSON *spec, const char *experiment,
			 const char *result, struct scale_verdicts *of)
{
	int ret = 0;
	scoped_by(kept_made_release) struct kept_made made = kept_made(folder, result, &ret);

	*of = (struct scale_verdicts){
		.scale = result_scale(spec, experiment, result, &made),
		.all = verdicts_read(kept_file(folder, result, "claims.json", &ret)) };
	return ret;
}

/* ---- which results are an experiment's ---- */

/* How many bytes of a result's name are the experiment's: all, or up to a "-" after it; else 0. */
static size_t kept_match(const char *experiment, const char *result)
{
	const size_t n = strlen(experiment);

	return strncmp(experiment, result, n) == 0 && (!result[n] || result[n] == '-') ? n : 0;
}

char **kept_results(const char *folder, char *const *names, const char *experiment)
{
	const int paper = (int)strcspn(experiment, "/");
	scoped char *above = xasprintf("%s/%.*s", folder, paper, experiment);
	char **paths = dir_list(above, ""), **list = paths ? paths : xcalloc(1, sizeof(*list));
	size_t n = 0;

	for (char **path = paths; path && *path; path++) {
		char *name = xstrdup(*path + strlen(folder) + 1);
		const size_t match = kept_match(experiment, name);
		bool own = match;

		/* the name, of all experiments, must be the longest that matches */
		for (char *const *other = names; *other && own; other++)
			own = kept_match(*other, name) <= match;
		free(*path);
		if (own)
			list[n++] = name;
		else
			free(name);
	}
	list[n] = NULL;
	return list;
}

/* ---- claims, judged by the specs as they are now ---- */

struct kept {                   /* of one result */
	const char *folder, *name;
	const struct spec *spec;
	struct verdicts *former;        /* owned */
	struct results *runs;   /* borrowed; NULL: not kept */
	char *smoke;            /* claims_smoke() of the kept tables; owned */
	struct looks *looks;    /* planned at its claims; owned; NULL: none */
};

/* ---- where the runs are not kept ---- */

/* Why a verdict without an interval decides nothing now; NULL: it does. */
static const char *doubt_of(const struct kept *k, const struct claim *c)
{
	const char *timed = point_text(&k->spec->base, "timing");
	const char *engine = point_text(&k->spec->base, "engine");
	const bool timing = timed && !strcmp(timed, "true");
	const bool real = engine && !strcmp(engine, "mpi");
	const bool learnt = claim_is_learnt(c) && !timing;

	if (claim_is_constructed(c) || (!learnt && !claim_is_timed(c, real)))
		return NULL;
	return learnt && k->smoke ? k->smoke :
			  "the former verdict has no interval, and its runs are not kept";
}

/* Takes the former verdict on a claim that cannot be judged now. */
static void verdict_carry(struct verdict *v, const struct kept *k)
{
	const struct claim of = v->of;
	struct verdict *former = NULL;
	const char *doubt;

	for (size_t i = 0; i < k->former->n && !former; i++) {
		const char *its = k->former->v[i].of.says;

		if (its && !strcmp(its, of.says ? of.says : ""))
			former = &k->former->v[i];
	}
	if (!former) {
		v->word = "not evaluated";
		v->reason = xstrdup(claim_is_at(&of, k->spec->scale) ?
					    "the kept results have no verdict on it" :
					    verdict_not_here);
		return;
	}
	*v = *former;
	*former = (struct verdict){ 0 };
	v->of = of;
	v->yours = false;
	v->former = v->former || (v->word && strcmp(v->word, "not evaluated") != 0);
	if (v->word)
		return;
	/* of the format that had true, false and null alone */
	doubt = v->held ? doubt_of(k, &v->of) : NULL;
	v->former = true;
	v->word = !v->held || (doubt && doubt == k->smoke) ? "not evaluated" :
		  doubt ? "undecided" : v->held;
	v->by_means = doubt ? v->held : v->by_means;
	free(v->reason);
	v->reason = xstrdup(!v->held ? verdict_not_here : doubt ? doubt :
			    "the former verdict; its runs are not kept");
}

/* ---- where they are ---- */

/* True of a claim that reads what runs.json leaves out. */
static bool reads_more(const struct claim *c)
{
	bool reads = claim_reads(c, "train") || claim_reads(c, "nodes") || claim_reads(c, "tables");

	for (int i = 0; i < MEASURE_COUNT; i++)
		reads = reads || (measure_table[i].source == MEASURED_CLOCK &&
				  claim_reads(c, measure_table[i].name));
	return reads;
}

static struct verdicts *verdicts_of(const struct kept *k)
{
	const cJSON *spec = k->spec->json;
	const char *scale = k->runs && k->runs->n ? k->runs->v[0].text[RESULT_SCALE] : NULL;
	struct verdicts *all = k->runs ? looks_judge(spec, k->runs, NULL, scale, k->looks) :
					 verdicts_new(json_get(spec, "claims"));

	for (size_t i = 0; i < all->n; i++)
		if (!k->runs || reads_more(&all->v[i].of)) {
			verdict_clear(&all->v[i]);
			verdict_carry(&all->v[i], k);
		}
	return all;
}

/* ---- files ---- */

/* The best accuracy of the kept tables; NaN: they have none. */
static double best_accuracy(const struct kept *k, int *ret)
{
	const cJSON *entry;
	double best = (double)NAN;

	json_each(entry, k->spec->json, "tables") {
		scoped char *file = xasprintf("tables/%s.json", json_word(entry, "name"));
		scoped_json cJSON *json = kept_file(k->folder, k->name, file, ret);
		struct table t;

		if (table_of_json(&t, json)) {
			for (size_t i = 0; i < t.nrows * t.nheads; i++)
				if (!strcmp(t.head[i % t.nheads].measure, "test_accuracy"))
					best = fmax(best,
						    t.row[i / t.nheads].cell[i % t.nheads].mean);
			table_release(&t);
		}
	}
	return best;
}

static int judge_result(const char *folder, const char *name, struct spec *s)
{
	struct kept k = { .folder = folder, .name = name, .spec = s };
	char *dir = xasprintf("%s/%s", folder, name);
	char *path = xasprintf("%s/claims.json", dir);
	cJSON *tuning, *claims, *json;
	struct kept_made made;
	struct results runs;
	int ret = 0;

	claims = kept_file(folder, name, "claims.json", &ret);
	k.former = verdicts_read(claims);
	runs = kept_runs(dir, &ret);
	k.runs = runs.n ? &runs : NULL;
	made = kept_made(folder, name, &ret);
	k.smoke = claims_smoke(s->json, best_accuracy(&k, &ret));
	tuning = kept_file(folder, name, TUNING_NAME ".json", &ret);
	json_put(s->json, TUNING_NAME, tuning ? tuning : cJSON_CreateNull());
	if (ret == 0)
		ret = claims_read_files(s->json, dir);
	if (ret == 0)
		ret = looks_load(&k.looks, dir);
	if (ret == 0 && (claims || k.runs)) {
		struct verdicts *all = verdicts_of(&k);

		if (made.made)
			verdicts_check_dates(all, made.made, s->path);
		json = verdicts_json(all);
		ret = output_json_file(path, json, "");
		if (ret == 0)
			puts(path);
		cJSON_Delete(json);
		verdicts_free(all);
	}
	verdicts_free(k.former);
	looks_free(k.looks);
	kept_made_release(&made);
	results_release(&runs);
	free_all(k.smoke, path, dir);
	return ret;
}

int kept_claims_judge(const char *folder)
{
	char **names = spec_names(NULL);
	int ret = access(folder, R_OK | X_OK) < 0 ?
			  error("%s: no such folder of results", folder) : 0;
	bool any = false;

	for (size_t i = 0; ret == 0 && names[i]; i++) {
		scoped_paths char **results = kept_results(folder, names, names[i]);
		struct spec s;

		any |= *results != NULL;
		if (*results) {
			const bool loaded = spec_load(&s, names[i], NULL) == 0;

			ret = loaded ? 0 : -1;
			for (char **result = results; *result && loaded; result++)
				ret = judge_result(folder, *result, &s) < 0 ? -1 : ret;
			spec_release(&s);
		}
	}
	path_list_free(names);
	if (ret == 0 && !any)
		return error("%s: no results there (expected PAPER/NAME/claims.json)", folder);
	return ret;
}

/* ---- kept results once more in the formats that are not kept ---- */

enum { DEEPEST = 8 };           /* folders within folders */

/*
 * " (nodes-long)" where the folder PAPER/nodes-long/plots has further results of an experiment
 * PAPER/nodes, whose pictures have the same titles otherwise; else "". The caller frees.
 */
static char *title_end(const char *dir)
{
	scoped char *folder = path_folder(dir), *real = realpath(folder, NULL);
	char **names = spec_names(NULL), *end;
	const char *name = real ? real + strlen(real) : "";
	size_t match = 0;

	/* the last two names of the path, however it was given */
	for (int slashes = 0; real && name > real && (slashes += name[-1] == '/') < 2;)
		name--;
	for (size_t i = 0; names[i]; i++) {
		const size_t own = kept_match(names[i], name);

		match = own > match ? own : match;
	}
	end = match && name[match] ? xasprintf(" (%s)", path_base(name)) : xstrdup("");
	path_list_free(names);
	return end;
}

/* Draws a figure that is whole, and prints the path of its SVG. 1, or -1 after error(). */
static int figure_draw(struct figure *f, const char *dir)
{
	char *end = title_end(dir), *title = f->title ? xstrdup(f->title) : NULL;
	scoped_by(texts_release) struct texts paths = { 0 };
	int ret;

	if (title && !word_ends(title, end))
		xappend(&title, "", end);
	f->title = title;
	ret = figure_write(f, dir, "svg", &paths);
	f->title = NULL;
	free_all(title, end);
	for (size_t i = 0; i < paths.n && ret == 0; i++)
		if (word_ends(paths.v[i], ".svg"))
			utf8_puts(paths.v[i]);
	return ret < 0 ? -1 : 1;
}

/* Has titles name the data set of the runs, if it is one and not the spec's. */
static void runs_name_data(const struct spec *s, const struct results *runs)
{
	const char *data = "";
	scoped char *other = NULL;

	for (size_t i = 0; i < runs->n; i++) {
		const char *own = result_setting(&runs->v[i], "data");

		if (strcmp(own, "none") == 0)
			continue;
		if (*data && strcmp(own, data) != 0)
			return;
		data = own;
	}
	other = *data ? other_data(s, data) : NULL;
	if (other)
		entries_name_data(s->json, other);
}

/* Draws those plots of the built-in experiment of the runs whose numbers no file in dir has. */
static int draw_runs(const char *dir, const struct results *runs)
{
	const char *name = runs->v[0].text[RESULT_EXPERIMENT];
	scoped_paths char **names = spec_names(NULL);
	struct spec s;
	const cJSON *entry;
	size_t i = 0;
	int drawn = 0;

	while (names[i] && strcmp(names[i], name) != 0)
		i++;
	if (names[i] && spec_load_settings(&s, name, runs->v[0].text[RESULT_SCALE]) == 0) {
		entries_expand_words(&s, false);
		runs_name_data(&s, runs);
		json_each(entry, s.json, "plots") {
			scoped char *path = xasprintf("%s/%s.json", dir, json_word(entry, "name"));
			struct figure f;
			int some = 0;

			if (drawn >= 0 && access(path, F_OK) != 0) {
				if (figure_build(&f, entry, s.json, runs))
					some = figure_draw(&f, dir);
				figure_release(&f);
			}
			drawn = some < 0 ? -1 : drawn + some;
		}
		spec_release(&s);
	} else if (names[i]) {
		drawn = -1;
	}
	return drawn;
}

/* Writes a table that is whole as text, Markdown and CSV. 0 or error(). */
static int print_table_file(const char *path)
{
	static const struct {
		const char *suffix;
		enum table_format format;
	} files[] = { { "txt", TABLE_TEXT }, { "md", TABLE_MARKDOWN }, { "csv", TABLE_CSV } };
	scoped_json cJSON *json = json_load(path);
	scoped_by(table_release) struct table table = { 0 };
	int ret = json ? table_read(&table, json, path) : -1;

	for (size_t i = 0; ret == 0 && i < sizeof(files) / sizeof(files[0]); i++) {
		scoped char *own = xasprintf("%.*s.%s", (int)(strlen(path) - strlen(".json")), path,
					     files[i].suffix);
		scoped char *text = NULL;
		size_t n = 0;
		FILE *out = xmemstream(&text, &n);

		table_print(&table, files[i].format, out);
		xmemclose(out);
		ret = output_write(own, text, n);
	}
	return ret;
}

/* Plots that were drawn there and below, or -1. */
static int draw_folder(const char *dir, int depth)
{
	const bool plots = !strcmp(path_base(dir), "plots");
	const bool tables = !strcmp(path_base(dir), "tables");
	scoped_by(results_release) struct results runs = { 0 };
	char **paths;
	int drawn = 0;

	if (depth == DEEPEST)
		return 0;
	paths = dir_list(dir, "");
	if (!paths)
		return error("%s: no folder that can be read (expected one of kept results)",
			     dir);
	for (char **path = paths; *path && drawn >= 0; path++) {
		const bool numbers = word_ends(*path, ".json");
		struct stat st;
		int some = 0;

		if (lstat(*path, &st) != 0)
			continue;
		if (S_ISDIR(st.st_mode)) {
			some = draw_folder(*path, depth + 1);
		} else if (plots && numbers) {
			scoped_json cJSON *json = json_load(*path);
			scoped_by(figure_release) struct figure f = { 0 };

			some = json && figure_load(&f, json, *path) == 0 ? figure_draw(&f, dir)
									 : -1;
		} else if (tables && numbers) {
			some = print_table_file(*path);
		}
		drawn = some < 0 ? -1 : drawn + some;
	}
	path_list_free(paths);
	/* a table may be called runs, too */
	if (drawn >= 0 && !tables && !plots)
		runs = kept_runs(dir, &drawn);
	if (runs.n) {
		scoped char *own = xasprintf("%s/plots", dir);
		const int some = draw_runs(own, &runs);

		drawn = some < 0 ? -1 : drawn + some;
	}
	return drawn;
}

int report_again(const char *folder)
{
	char *own = xstrdup(folder);
	int drawn;

	for (size_t n = strlen(own); n > 1 && own[n - 1] == '/'; n--)
		own[n - 1] = '\0';
	drawn = draw_folder(own, 0);
	free(own);
	if (drawn == 0)
		return error("%s: no plots there (expected PAPER/NAME/plots/*.json, or runs.json)",
			     folder);
	return drawn < 0 ? -1 : 0;
}
