/* Finished runs in a folder of results, found by their settings. */
#include "cmd/list/list.h"

#include "cmd/common.h"
#include "cmd/compare/subset.h"
#include "core/base/context.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "core/text/word.h"
#include "plan/settings/settings.h"
#include "plan/settings/values.h"
#include "record/measure.h"
#include "record/record.h"
#include "report/text/grid.h"
#include "runner/results/outcome.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEEPEST = 8 };           /* folders below the first: OUT/PAPER/NAME/SCALE/runs are four */

/* What is asked of a run in addition to its settings. */
static const char *const others[] = { "experiment", "scale", "status", NULL };

struct search {
	cJSON *wanted;          /* {key: [text, ...]} */
	const char **keys;      /* of the settings among them, NULL-ended */
	struct results runs;    /* those found */
	size_t unread;          /* files that are no whole results */
};

/* ---- what is asked for ---- */

static int list_runs_add_setting(struct search *s, const char *key, const char *value)
{
	const char *name = opt_find(settings_opts, key)->name;
	cJSON *values = values_of(name, value, "command line");
	size_t n = 0;

	if (!values)
		return -1;
	cJSON_DeleteItemFromObjectCaseSensitive(s->wanted, name);
	cJSON_AddItemToObject(s->wanted, name, values);
	while (s->keys && s->keys[n])
		n++;
	s->keys = xrealloc(s->keys, n + 2, sizeof(*s->keys));
	s->keys[n] = name;
	s->keys[n + 1] = NULL;
	return 0;
}

static bool is_other(const char *key)
{
	for (size_t i = 0; others[i]; i++)
		if (strcmp(others[i], key) == 0)
			return true;
	return false;
}

static void add_other(struct search *s, const char *key, const char *value)
{
	cJSON_DeleteItemFromObjectCaseSensitive(s->wanted, key);
	cJSON_AddItemToArray(cJSON_AddArrayToObject(s->wanted, key), cJSON_CreateString(value));
}

/* One KEY=VALUE. EXIT_OK, or an exit code after error(). */
static int add_wanted(struct search *s, const struct args *a, const char *word)
{
	const char *equal = strchr(word, '=');
	char *key = xasprintf("%.*s", (int)(equal ? equal - word : 0), word);
	int code = EXIT_OK;

	if (is_other(key))
		add_other(s, key, equal + 1);
	else if (!args_are_settings(a, "runs", word))
		code = EXIT_USAGE;
	else if (list_runs_add_setting(s, key, equal + 1) < 0)
		code = EXIT_BAD;
	free(key);
	return code;
}

/* ---- is a run one of them ---- */

/* "zhang2017/slow-worker" is also called "slow-worker". */
static bool others_agree(const struct search *s, const struct result *r)
{
	char space[32];

	for (size_t i = 0; others[i]; i++) {
		const cJSON *list = json_get(s->wanted, others[i]);
		const char *text = result_text(r, others[i], space);
		const char *slash = text ? strrchr(text, '/') : NULL;

		if (list && !(text && (strcmp(text, list->child->valuestring) == 0 ||
				       (slash && !strcmp(slash + 1, list->child->valuestring)))))
			return false;
	}
	return true;
}

static bool settings_agree(const struct search *s, const cJSON *texts)
{
	const cJSON *value;

	for (size_t i = 0; s->keys && s->keys[i]; i++) {
		const char *text = json_string(texts, s->keys[i]);
		bool one = false;

		cJSON_ArrayForEach(value, json_get(s->wanted, s->keys[i]))
			one = one || (text && subset_value_agrees(value->valuestring, text));
		if (!one)
			return false;
	}
	return true;
}

/* ---- the files ---- */

static void read_file(struct search *s, const char *path)
{
	static const char *const none[] = { NULL };
	struct run_cost cost;
	struct result r;
	cJSON *texts = result_cost(path, s->keys ? s->keys : none, &cost);
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
	cJSON_Delete(texts);
}

static void read_folder(struct search *s, const char *folder, int depth)
{
	char **paths = dir_list(folder, "");

	for (char **path = paths; path && *path; path++) {
		struct stat st;
		const bool there = lstat(*path, &st) == 0;

		if (there && S_ISDIR(st.st_mode) && depth < DEEPEST)
			read_folder(s, *path, depth + 1);
		else if (there && S_ISREG(st.st_mode) && word_ends(*path, ".h5") &&
			 !word_ends(*path, ".trace.h5"))
			read_file(s, *path);
	}
	path_list_free(paths);
}

/* ---- what is shown ---- */

/* Always, or where the runs found differ in it. */
static bool is_shown(const struct results *runs, const char *key)
{
	static const char *const always[] = { "algo", "workers", "net", "seed" };

	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		if (strcmp(always[i], key) == 0)
			return true;
	for (size_t i = 1; i < runs->n; i++)
		if (strcmp(result_setting(&runs->v[i], key), result_setting(&runs->v[0], key)) != 0)
			return true;
	return false;
}

static char *settings_words(const struct results *runs, const struct result *r)
{
	char *words = xstrdup("");

	for (const struct opt *o = settings_opts; o->name; o++) {
		if (!*result_setting(r, o->name) || !is_shown(runs, o->name))
			continue;
		xappend(&words, " ", o->name);
		xappend(&words, "=", result_setting(r, o->name));
	}
	return words;
}

static char *number_words(const struct result *r, const char *key)
{
	const double x = result_number(r, key);

	return isnan(x) ? xstrdup("-") : xasprintf("%.4g", x);
}

static void print_runs(const struct results *runs)
{
	struct text_grid *rows = grid_new();

	grid_row(rows, "file", "status", "s/epoch", "loss", "accuracy", "settings", NULL);
	for (size_t i = 0; i < runs->n; i++) {
		const struct result *r = &runs->v[i];
		char *time = number_words(r, "time_per_epoch_s");
		char *loss = number_words(r, "train_loss");
		char *accuracy = number_words(r, "test_accuracy");
		char *words = settings_words(runs, r);

		grid_row(rows, r->text[RESULT_FILE], r->text[RESULT_STATUS], time, loss, accuracy,
			 words, NULL);
		free(time);
		free(loss);
		free(accuracy);
		free(words);
	}
	grid_print(rows, TABLE_TEXT, stdout);
	grid_free(rows);
}

static void list_runs_show(const struct search *s, const char *folder, bool json)
{
	if (json)
		json_print_own(results_json(&s->runs, true));
	else if (s->runs.n)
		print_runs(&s->runs);
	if (!s->runs.n)
		note("no run in %s has these settings", folder);
	if (s->unread)
		note("%zu file%s in %s cannot be read as a whole result", s->unread,
		     s->unread > 1 ? "s" : "", folder);
}

int list_runs(const struct args *a, const char *folder, bool json)
{
	struct search s = { .wanted = cJSON_CreateObject() };
	int code = EXIT_OK;

	for (size_t i = 1; i < a->nwords && code == EXIT_OK; i++)
		code = add_wanted(&s, a, a->words[i]);
	if (code == EXIT_OK) {
		read_folder(&s, folder, 0);
		list_runs_show(&s, folder, json);
	}
	cJSON_Delete(s.wanted);
	results_release(&s.runs);
	free(s.keys);
	return code;
}
