/* `convoy list KIND`: names, each with one line; experiments with their scales; finished runs. */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "cmd/common.h"
#include "cmd/listing.h"
#include "cmd/opts.h"
#include "cmd/show.h"
#include "core/base/context.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "core/file/paths.h"
#include "core/text/opt_text.h"
#include "core/text/word.h"
#include "core/text/wrap.h"
#include "plan/settings/settings.h"
#include "plan/settings/values.h"
#include "record/record.h"
#include "report/text/grid.h"
#include "runner/results/folder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct conf {
	char *out;
	bool json, md;
};

static const struct opt opts[] = {
	OPT_FLAG(struct conf, json,
		 "a JSON array of name, brief and what else is listed, on stdout"),
	OPT_FLAG(struct conf, md,
		 "algos: a table in Markdown of what each waits for, sends and keeps"),
	OUT_OPT(struct conf),
	{ 0 }
};

static const char about[] =
	"Lists what can be chosen by name. Kinds: experiments, lessons, algos, graphs, nets,\n"
	"data, partitions, delays, links, clusters, schedules, optims, codecs, devices; and\n"
	"runs. Without a kind, lists the kinds.\n"
	"An experiment has its paper, figure or table, and its scales with what they take.\n"
	"\n"
	"Runs are the finished runs in the folder of results, by their settings: KEY=VALUE, as\n"
	"options have them, with several values if wanted. A name without options (algo=diloco)\n"
	"finds any. experiment, scale and status are keys too. All must hold.\n"
	"\n"
	"Examples:\n"
	"  convoy list runs algo=ad-psgd workers=8,16\n"
	"  convoy list experiments\n"
	"  convoy list algos --json | jq -r '.[].name'\n"
	"  convoy list algos --md";

/* ---- names ---- */

/* Plug-ins, and files with the first sentence of what they say. */
static struct listing listing_of_kind(const struct kind *kind)
{
	char **names = kind->folder ? path_list(kind->folder) : NULL;
	struct listing list = { 0 };

	for (size_t i = 0; names && names[i]; i++) {
		scoped char *path = path_find(kind->folder, names[i]);
		scoped_json cJSON *json = path ? json_load(path) : NULL;
		const char *text = json_word(json, json_get(json, "title") ? "title" : "about");
		const char *end = strstr(text, ". ");

		if (json)
			listing_add(&list, names[i], (struct listed){
				.brief = xasprintf("%.*s", end ? (int)(end - text)
							       : (int)strlen(text), text) });
	}
	for (size_t i = 0; kind->table && kind->table[i]; i++)
		listing_add(&list, kind->table[i]->name,
			    (struct listed){ .brief = xstrdup(kind->table[i]->brief) });
	if (names)
		path_list_free(names);
	return list;
}

/* ---- as they are shown ---- */

static cJSON *listing_json(const struct listing *list, bool experiments)
{
	cJSON *all = cJSON_CreateArray();

	for (size_t i = 0; i < list->n; i++) {
		const struct listed *l = &list->v[i];
		cJSON *one = OBJECT(j_text("name", l->name), j_text("brief", l->brief));
		cJSON *scales = experiments ? cJSON_CreateArray() : NULL;

		for (size_t k = 0; k < l->nscales; k++)
			list_add(scales, OBJECT(j_text("name", l->scales[k].name),
						j_text("time", l->scales[k].time),
						j_text("about", l->scales[k].about)));
		if (experiments)
			ADD(one, j_text("paper", l->paper), j_text("figure", l->figure),
			    j_json("scales", scales));
		list_add(all, one);
	}
	return all;
}

/* Name, title, source, and "scales: smoke (20 s), laptop (40 min), paper", in indented lines. */
static void experiment_print(const struct listed *l)
{
	scoped char *scales = xstrdup("scales:"), *source = NULL;

	printf("%s\n    ", l->name);
	wrap_print(l->brief ? l->brief : "", 4, 4, HELP_COLUMNS, stdout);
	xappend(&source, "", l->paper);
	xappend(&source, ", ", l->figure);
	if (source) {
		printf("    ");
		wrap_print(source, 4, 4, HELP_COLUMNS, stdout);
	}
	for (size_t i = 0; i < l->nscales; i++) {
		const char *time = l->scales[i].time;

		xappend_own(&scales, i ? ", " : " ",
			    time ? xasprintf("%s (%s)", l->scales[i].name, time)
				 : xstrdup(l->scales[i].name));
	}
	if (l->nscales) {
		printf("    ");
		wrap_print(scales, 4, 12, HELP_COLUMNS, stdout);
	}
}

/* Prints the list, and frees it. */
static void listing_print(struct listing *list, bool experiments, bool json)
{
	int width = 0;

	for (size_t i = 0; i < list->n; i++)
		width = (int)fmax(width, (double)strlen(list->v[i].name));
	if (json)
		json_print_own(listing_json(list, experiments));
	for (size_t i = 0; i < list->n && !json; i++)
		if (experiments)
			experiment_print(&list->v[i]);
		else
			printf("%-*s  %s\n", width, list->v[i].name, list->v[i].brief);
	listing_release(list);
}

/* ---- `convoy list runs`: finished runs in a folder of results, found by their settings ---- */

enum { DEEPEST = 8 };           /* folders below the first: OUT/PAPER/NAME/SCALE/runs are four */

/* Keys that are asked of a run in addition to its settings. */
enum { OTHERS = 3 };
static const char *const others[OTHERS] = { "experiment", "scale", "status" };

struct search {
	struct grid_product settings;   /* any of these values; owned */
	const char **keys;              /* of the settings, NULL-ended; owned */
	const char *other[OTHERS];      /* NULL: not asked */
	struct texts *had;              /* [settings.n] values that runs have of each; owned */
	struct texts other_had[OTHERS]; /* those of runs with the settings; owned */
	struct results runs;            /* those found */
	size_t unread;                  /* files that are no whole results */
	size_t unfinished;              /* files of runs in progress, interrupted or failed */
};

/* One KEY=VALUE. EXIT_OK, or an exit code after error(). */
static int search_add(struct search *s, const struct args *a, const char *word)
{
	struct value_list values;
	scoped char *key = NULL;
	int ret;

	for (int i = 0; i < OTHERS; i++) {
		const size_t n = strlen(others[i]);

		if (strncmp(word, others[i], n) == 0 && word[n] == '=') {
			s->other[i] = word + n + 1;
			return EXIT_OK;
		}
	}
	if (!args_are_settings(a, "runs", word))
		return EXIT_USAGE;
	key = xasprintf("%.*s", (int)strcspn(word, "="), word);
	ret = values_parse(&values, setting_name(key), strchr(word, '=') + 1, "command line");
	if (ret == 0)
		product_put(&s->settings, key, &values);
	value_list_release(&values);
	return ret < 0 ? EXIT_BAD : EXIT_OK;
}

static void had_put(struct texts *had, const char *text)
{
	if (!texts_have(had, text))
		texts_put(had, text);
}

/* "zhang2017/slow-worker" is also called "slow-worker". */
static bool others_agree(struct search *s, const struct result *r)
{
	char space[32];
	bool all = true;

	for (int i = 0; i < OTHERS; i++) {
		const char *text = s->other[i] ? result_text(r, others[i], space) : NULL;

		if (text && *text)
			had_put(&s->other_had[i], text);
		all &= !s->other[i] || (text && (strcmp(text, s->other[i]) == 0 ||
						 strcmp(path_base(text), s->other[i]) == 0));
	}
	return all;
}

static bool settings_agree(const struct search *s, const cJSON *texts)
{
	bool all = true;

	for (size_t i = 0; i < s->settings.n; i++) {
		const struct grid_axis *wanted = &s->settings.v[i];
		const char *text = json_string(texts, wanted->key);
		bool one = false;

		for (size_t k = 0; k < wanted->values.n; k++)
			one = one || (text && setting_agrees(wanted->values.v[k].text, text));
		if (text)
			had_put(&s->had[i], text);
		all &= one;
	}
	return all;
}

/* A note where no run has the value, with the nearest that a run has; false: there is none. */
static bool value_missing(const struct texts *had, const char *key, const char *value,
			  const char *folder)
{
	scoped const char **words = xcalloc(had->n + 1, sizeof(*words));
	bool missing = had->n > 0;
	char *advice;

	for (size_t k = 0; k < had->n; k++) {
		const char *slash = strrchr(had->v[k], '/');

		words[k] = had->v[k];
		missing &= !setting_agrees(value, words[k]) &&
			   !(slash && strcmp(slash + 1, value) == 0);
	}
	if (missing) {
		advice = word_advice(value, words);
		note("no run in %s has %s=%s%s", folder, key, value, advice);
		free(advice);
	}
	return missing;
}

/* A note for each word whose values no run has, or one line. */
static void nothing_found(const struct search *s, const char *folder)
{
	bool told = false, asked = s->settings.n > 0;
	scoped char *rest = s->unfinished ?
				    xasprintf("; %zu unfinished: 'convoy watch %s' shows what "
					      "they reached",
					      s->unfinished, folder) :
				    xstrdup("");

	for (size_t i = 0; i < s->settings.n; i++) {
		const struct grid_axis *wanted = &s->settings.v[i];

		for (size_t k = 0; k < wanted->values.n; k++)
			told |= value_missing(&s->had[i], wanted->key, wanted->values.v[k].text,
					      folder);
	}
	for (int i = 0; i < OTHERS; i++) {
		asked |= s->other[i] != NULL;
		if (s->other[i])
			told |= value_missing(&s->other_had[i], others[i], s->other[i], folder);
	}
	if (!told)
		note("no finished run in %s%s%s", folder,
		     asked ? " has these settings" : "", rest);
}

static void search_file(struct search *s, const char *path)
{
	struct run_cost cost;
	struct result r;
	scoped_json cJSON *texts = result_cost(path, s->keys, &cost);
	const bool wanted = texts && settings_agree(s, texts);
	bool read = false;

	if (wanted) {
		context_mute();
		read = result_load(&r, path, RESULT_WHOLE) == 0;
		context_unmute();
	}
	s->unread += !texts || (wanted && !read);
	if (read && others_agree(s, &r))
		results_add(&s->runs, &r);
	else if (read)
		result_release(&r);
}

static void search_folder(struct search *s, const char *folder, int depth)
{
	scoped_paths char **paths = dir_list(folder, "");

	for (char **path = paths; path && *path; path++) {
		struct stat st;
		const bool there = lstat(*path, &st) == 0;

		if (there && S_ISDIR(st.st_mode) && depth < DEEPEST)
			search_folder(s, *path, depth + 1);
		else if (there && S_ISREG(st.st_mode) && word_ends(*path, ".h5") &&
			 !word_ends(*path, ".trace.h5"))
			search_file(s, *path);
		else
			s->unfinished += there && word_ends(*path, ".h5.part");
	}
}

/* Whether a line of the runs found says the setting: always, or because they differ in it. */
static bool setting_tells(const struct results *runs, const char *name)
{
	static const char *const always[] = { "algo", "workers", "net", "seed" };

	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		if (strcmp(always[i], name) == 0)
			return true;
	for (size_t i = 1; i < runs->n; i++)
		if (strcmp(result_setting(&runs->v[i], name),
			   result_setting(&runs->v[0], name)) != 0)
			return true;
	return false;
}

/* "algo=asgd workers=8 ..." of a run; *cut <- true if not all fits. The caller frees. */
static char *settings_words(const struct results *runs, const struct result *r, bool *cut)
{
	enum { MOST = 100 };            /* bytes; one setting is always shown */
	char *words = xstrdup("");

	for (const struct opt *o = settings_opts; o->name; o++) {
		char *value, *word;

		if (!*result_setting(r, o->name) || !setting_tells(runs, o->name))
			continue;
		value = setting_brief(o->name, result_setting(r, o->name));
		word = xasprintf("%s=%s", o->name, value);
		free(value);
		if (*words && strlen(words) + strlen(word) > MOST) {
			xappend(&words, " ", "...");
			free(word);
			*cut = true;
			break;
		}
		xappend_own(&words, " ", word);
	}
	return words;
}

static void runs_found_print(const struct results *runs)
{
	static const char *const numbers[] = { "time_per_epoch_s", "train_loss", "test_accuracy" };
	struct text_grid *rows = grid_new();
	bool cut = false;

	grid_row(rows, "file", "status", "s/epoch", "loss", "accuracy", "settings", NULL);
	for (size_t i = 0; i < runs->n; i++) {
		const struct result *r = &runs->v[i];
		char number[3][32], *words = settings_words(runs, r, &cut);

		for (int k = 0; k < 3; k++) {
			const double x = result_number(r, numbers[k]);

			/* -infinite: what a run that diverged has not learnt */
			snprintf(number[k], sizeof(number[k]), isfinite(x) ? "%.4g" :
				 x > 0 ? "∞" : "-", x);
		}
		grid_row(rows, r->text[RESULT_FILE], r->text[RESULT_STATUS], number[0], number[1],
			 number[2], words, NULL);
		free(words);
	}
	grid_print(rows, TABLE_TEXT, stdout);
	grid_free(rows);
	if (cut)
		note("the runs differ in more settings (...): name some, as in 'convoy list runs "
		     "algo=asgd', or see --json");
}

/*
 * Prints the runs in the folder, and in those below, whose settings are those of the words of `a`
 * after the first. Files that cannot be read are counted in a note. An exit code.
 */
static int list_runs(const struct args *a, const char *folder, bool json)
{
	struct search s = { 0 };
	int code = EXIT_OK;

	for (size_t i = 1; i < a->nwords && code == EXIT_OK; i++)
		code = search_add(&s, a, a->words[i]);
	s.keys = xcalloc(s.settings.n + 1, sizeof(*s.keys));
	s.had = xcalloc(s.settings.n + 1, sizeof(*s.had));
	for (size_t i = 0; i < s.settings.n; i++)
		s.keys[i] = s.settings.v[i].key;
	if (code == EXIT_OK) {
		search_folder(&s, folder, 0);
		if (json)
			json_print_own(results_json(&s.runs, RESULT_BRIEF));
		else if (s.runs.n)
			runs_found_print(&s.runs);
		if (!s.runs.n)
			nothing_found(&s, folder);
		if (s.unread)
			note("%zu file%s in %s cannot be read as a whole result", s.unread,
			     s.unread > 1 ? "s" : "", folder);
	}
	for (size_t i = 0; i < s.settings.n; i++)
		texts_release(&s.had[i]);
	for (int i = 0; i < OTHERS; i++)
		texts_release(&s.other_had[i]);
	free(s.had);
	product_release(&s.settings);
	results_release(&s.runs);
	free(s.keys);
	return code;
}

/* ---- the command ---- */

static int list(const struct args *a)
{
	const struct conf *c = a->conf;
	const char *name = a->nwords ? a->words[0] : NULL;
	const struct kind *kind = NULL;
	struct listing names = { 0 };
	bool experiments = false;

	if (name && strcmp(name, "runs") == 0 && !c->md)
		return list_runs(a, results_folder(c->out), c->json);
	if (a->nwords > 1)
		return args_usage(a, "one kind at a time; KEY=VALUE is for runs");
	if (c->md && (!name || (strcmp(name, "algos") != 0 && strcmp(name, "algo") != 0)))
		return args_usage(a, "--md is for algos");
	if (c->md) {
		facts_table();
		return EXIT_OK;
	}
	if (name) {
		kind = kind_find_or(name, "runs");
		if (!kind)
			return EXIT_USAGE;
		experiments = strcmp(kind->one, "experiment") == 0;
		names = experiments ? listing_experiments() : listing_of_kind(kind);
	} else {
		for (size_t i = 0; (kind = kind_at(i)); i++)
			listing_add(&names, kind->many,
				    (struct listed){ .brief = xstrdup(kind->what) });
		listing_add(&names, "runs", (struct listed){
			.brief = xstrdup("finished run, found by its settings") });
	}
	listing_print(&names, experiments, c->json);
	return EXIT_OK;
}

const struct syntax cmd_list = {
	.opts = opts, .conf_size = sizeof(struct conf),
	.usage = "list [KIND] [KEY=VALUE]... [--json|--md]",
	.about = about, .run = list,
};
