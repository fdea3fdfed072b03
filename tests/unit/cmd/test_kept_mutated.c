/* Kept results are read back whatever is in them: each value of each file is replaced in turn. */
#include "cmd/report/parts.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "report/plot/plot.h"
#include "report/report.h"
#include "report/table/table.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"
#include "tests/support/quoted.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- replacing ---- */

static const char *const replacements[] = { "null", "[1e300]", "1e300", "-1", "true", "\"\"", "[]",
					    "{}", "[null]", "[[\"a\"], 1e300]", "{\"a\": [null]}" };
enum { FEW = 2, REPLACEMENTS = sizeof(replacements) / sizeof(replacements[0]) };

/* Replaces the *n-th value below the parent, or, by NULL, removes it; false: there are *n fewer. */
static bool replace(cJSON *parent, int *n, const char *by)
{
	for (cJSON *item = parent->child; item; item = item->next) {
		if ((*n)-- == 0) {
			if (!by)
				cJSON_Delete(cJSON_DetachItemViaPointer(parent, item));
			else if (item->string)
				json_put(parent, item->string, cJSON_Parse(by));
			else
				cJSON_ReplaceItemViaPointer(parent, item, cJSON_Parse(by));
			return true;
		}
		if (replace(item, n, by))
			return true;
	}
	return false;
}

/* [the tree with its n-th value replaced], the first being the tree; NULL: it has no n-th. */
static cJSON *replaced(const cJSON *json, int n, const char *by)
{
	cJSON *root = cJSON_CreateArray();

	cJSON_AddItemToArray(root, cJSON_Duplicate(json, true));
	if (replace(root, &n, by))
		return root;
	cJSON_Delete(root);
	return NULL;
}

/*
 * Calls `read` with each value left out, and replaced by every step-th of the first `most`, which
 * are others for the next value. How often there was something to replace.
 */
static int replace_each(const char *quoted, int most, int step,
			void (*read)(const cJSON *json, const char *name), const char *name)
{
	cJSON *json = quoted_json(quoted), *root;
	int calls = 0;

	for (int by = -1; by < most; by++)
		for (int n = 0; (root = replaced(json, n, by < 0 ? NULL : replacements[by])); n++) {
			if (root->child && (by < 0 || (n + by) % step == 0))
				read(root->child, name);
			cJSON_Delete(root);
			calls++;
		}
	cJSON_Delete(json);
	return calls;
}

/* ---- a plot ---- */

static const char plot[] =
	"{ 'name': 'w', 'title': 'T', 'xlabel': 'x', 'ylabel': 'y', 'measure': 'train_loss',"
	"  'workers': true, 'curves': false, 'logx': true, 'logy': true, 'words': ['a', 'b'],"
	"  'series': [ { 'label': 'A', 'algo': 'asgd', 'seeds': [1, 3],"
	"    'points': [[0, 1, 0.5, 2], [1, 2, 1, 3]], 'published': [[1, 2, 2, 2]],"
	"    'infinite': [1] }, { 'label': 'B', 'points': [[1, 2, 2, 2]] } ] }";

static void put_term(const struct figure *f, FILE *out)
{
	const struct plot_screen screen = { .width = 60, .height = 20 };

	figure_script_term(f, &screen, out);
}

static void put_script(const struct figure *f, FILE *out)
{
	figure_script(f, PLOT_PICTURES, out);
}

static void put_script_pdf(const struct figure *f, FILE *out)
{
	figure_script(f, PLOT_PDF, out);
}

static void read_plot(const cJSON *json, const char *name)
{
	static void (*const put[])(const struct figure *, FILE *) = {
		put_script, put_script_pdf, put_term, figure_data, figure_csv, figure_save,
		figure_tex };
	FILE *nowhere = fopen("/dev/null", "w");
	struct figure f;

	if (figure_load(&f, json, name) == 0)
		for (size_t i = 0; i < sizeof(put) / sizeof(put[0]); i++)
			put[i](&f, nowhere);
	figure_release(&f);
	fclose(nowhere);
}

static void test_plots(void **state)
{
	capture_start();
	assert_true(replace_each(plot, REPLACEMENTS, 1, read_plot, "w.json") > 300);
	capture_stop();
}

/* What has no points or words for them is named. */
static void test_plots_say_why(void **state)
{
	static const char *const wrong[] = { "'words': null", "'words': 3", "'words': [1]",
					     "'words': {'a': 'b'}", "'words': []",
					     "'series': [null]", "'series': {'a': {}}" };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char *text = xasprintf("{ 'name': 'w', 'xlabel': 'x', 'ylabel': 'y', %s%s }",
				       wrong[i], strstr(wrong[i], "series") ? "" :
				       ", 'series': [ { 'points': [[0, 1, 1, 1]] } ]");
		cJSON *json = quoted_json(text);
		struct figure f;

		capture_start();
		assert_int_equal(figure_load(&f, json, "w.json"), -1);
		assert_said("w.json: ");
		figure_release(&f);
		cJSON_Delete(json);
		free(text);
	}
	capture_stop();
}

/* ---- the other files of a kept result, on its page and in claims that are judged again ---- */

static const char spec[] =
	"{ 'title': 'T', 'base': { 'net': 'quadratic', 'gradients': 40, 'lr': 0.02 },"
	"  'grid': { 'algo': ['asgd', 'allreduce'] }, 'reads': ['own.json'],"
	"  'plots': [ { 'name': 'w', 'from': 'eval', 'x': 'epoch', 'y': 'train_loss' } ],"
	"  'tables': [ { 'name': 't', 'rows': 'algo', 'values': ['test_accuracy'] } ],"
	"  'claims': [ { 'says': 'c', 'kind': 'ours', 'where': 'w', 'jq': 'true' } ] }";

static const struct {
	const char *name, *quoted;
	bool judged;            /* read by report --claims where no runs are kept */
} files[] = {
	{ "claims.json",
	  "[ { 'says': 'c', 'kind': 'ours', 'where': 'w', 'quote': 'q', 'quantity': 'loss',"
	  "    'criterion': { 'since': '2026-11-24', 'was': [ { 'says': 'b', 'since': '2026-11-21',"
	  "      'verdict': 'holds' } ] }, 'verdict': 'holds', 'holds': true, 'reason': 'r',"
	  "    'warning': 'w', 'error': 'e', 'shows': { 'algo=a seed=1': 1, 'algo=a seed=2': 2 },"
	  "    'interval': { 'rule': 'all_of', 'of': [ { 'rule': 'beats', 'measure': 'test_loss',"
	  "      'difference': 1, 'interval': [0, 2], 'seeds': [3, 3], 'why': 'y',"
	  "      'of': ['algo=a', 'algo=b'], 'verdict': 'holds' } ] } } ]", true },
	{ "made.json", "{ 'runs': '2', 'scale': 'default', 'made': '2026-11-26T19:11:39Z',"
	  "  'version': '1', 'commit': 'c', 'machine': 'm' }", true },
	{ "settings.json", "{ 'lr': '0.01', 'workers': '2' }", false },
	{ "runs.json",
	  "[ { 'experiment': 'p/mine', 'scale': 'default', 'hash': '1', 'algo': 'asgd',"
	  "  'seed': 1, 'test_accuracy': 0.5, 'settings': { 'algo': 'asgd', 'data': 'shapes' },"
	  "  'point': { 'algo': 'asgd' }, 'eval': { 'epoch': [1] } } ]", false },
	{ "tables/t.json",
	  "{ 'name': 't', 'title': 'T', 'corner': 'c', 'rows_by': 'algo', 'columns_by': 'lr',"
	  "  'columns': ['a'], 'source': 's', 'notes': ['n'],"
	  "  'heads': [ { 'value': 'v', 'group': 'g', 'measure': 'test_accuracy', 'label': 'l' } ],"
	  "  'rows': [ { 'label': 'l', 'value': 'v', 'cells': [ { 'measured': 0.5,"
	  "    'deviation': 0.1, 'n': 2, 'runs': 3, 'published': '<0.5', 'relative_error': 0.1,"
	  "    'holds': true, 'diverged': 1 } ] } ] }", true },
	{ "tuning.json", "[ { 'algo': 'asgd', 'lr': 0.1, 'chosen': { 'lr': 0.1 } } ]", true },
	{ "plots/w.json", "{ 'name': 'w', 'title': 'T' }", false },
	{ "own.json", "{ 'a': [1] }", true },
};
enum { RUNS = 3, FILES = sizeof(files) / sizeof(files[0]) };

static char *kept;

static void file_write(const char *name, const cJSON *json)
{
	char *text = json_format(json, false);

	folder_write(kept, name, PACK_PLAIN, text, strlen(text));
	free(text);
}

static void file_restore(int i)
{
	cJSON *json = quoted_json(files[i].quoted);

	file_write(files[i].name, json);
	cJSON_Delete(json);
}

static int write_page(void)
{
	char *names[] = { "p/mine", NULL };
	const struct pages of = { .folder = folder, .out = folder, .names = names };

	return report_md_paper(&of, names, folder);
}

static void read_pages(const cJSON *json, const char *name)
{
	file_write(name, json);
	write_page();
}

static void read_table(const cJSON *table, const char *name)
{
	FILE *nowhere = fopen("/dev/null", "w");
	struct table t = { 0 };

	if (table_of_json(&t, table))
		for (int i = 0; table_format_name[i]; i++)
			table_print(&t, (enum table_format)i, nowhere);
	table_release(&t);
	fclose(nowhere);
}

static void read_claims(const cJSON *claims, const char *name)
{
	FILE *nowhere = fopen("/dev/null", "w");
	struct verdicts *all = verdicts_read(cJSON_Duplicate(claims, true));

	for (int i = 0; table_format_name[i]; i++)
		verdicts_print_as(all, (enum table_format)i, nowhere);
	verdicts_print_all(all, nowhere);
	verdicts_free(all);
	fclose(nowhere);
}

static void judge_again(const cJSON *json, const char *name)
{
	file_write(name, json);
	kept_claims_judge(folder);
}

static void result_open(void)
{
	char *home = xasprintf("%s/home", folder);
	cJSON *json = quoted_json(spec);
	char *text = json_format(json, false);

	kept = xasprintf("%s/p/mine", folder);
	folder_write(home, "experiments/p/mine.json", PACK_PLAIN, text, strlen(text));
	setenv("CONVOY_HOME", home, 1);
	folder_write(kept, "plots/w.svg", PACK_PLAIN, "", 0);
	for (int i = 0; i < FILES; i++)
		file_restore(i);
	cJSON_Delete(json);
	free(text);
	free(home);
}

/* What reports print goes to `to`, which it closes. The stream before. */
static int stdout_to(int to)
{
	const int before = dup(STDOUT_FILENO);

	fflush(stdout);
	dup2(to, STDOUT_FILENO);
	close(to);
	return before;
}

static void test_results(void **state)
{
	const int before = stdout_to(open("/dev/null", O_WRONLY));

	result_open();
	capture_start();
	assert_int_equal(write_page(), 0);
	for (int i = 0; i < FILES; i++) {
		const char *quoted = files[i].quoted, *name = files[i].name;

		assert_true(replace_each(quoted, REPLACEMENTS, 2, read_pages, name) > 0);
		if (strncmp(name, "tables", 6) == 0)
			replace_each(quoted, REPLACEMENTS, 1, read_table, name);
		if (strcmp(name, "claims.json") == 0)
			replace_each(quoted, REPLACEMENTS, 1, read_claims, name);
		file_restore(i);
	}
	replace_each(files[RUNS].quoted, FEW, 1, judge_again, files[RUNS].name);
	folder_unlink(kept, files[RUNS].name);  /* the former verdicts count */
	assert_int_equal(kept_claims_judge(folder), 0);
	for (int i = 0; i < FILES; i++)
		if (files[i].judged) {
			replace_each(files[i].quoted, REPLACEMENTS, 2, judge_again, files[i].name);
			file_restore(i);
		}
	capture_stop();
	close(stdout_to(before));
	unsetenv("CONVOY_HOME");
	free(kept);
}

RUN_WITH(folder_open, folder_close, test_plots, test_plots_say_why, test_results)
