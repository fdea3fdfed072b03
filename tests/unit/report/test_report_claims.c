/* Claims and the sections of a spec: verdicts, and what is refused with which words. */
#include "core/base/mem.h"
#include "record/measure.h"
#include "report/claims/claims.h"
#include "report/report.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/quoted.h"
#include "tests/support/scene.h"

#include <stdlib.h>
#include <string.h>

/* The printed verdict on one claim over runs at scale "smoke". */
static char *verdict_over(const char *over, const char *claim)
{
	char *whole = xasprintf("{ 'published': { 'source': 's', 'cells': [] }, 'claims': [%s] }",
				claim);
	cJSON *spec = quoted_json(whole);
	struct verdicts *all;
	struct results runs = scene_runs(over);
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	all = claims_judge(spec, &runs, NULL, "smoke");
	verdicts_print(all, out);
	fclose(out);
	verdicts_free(all);
	results_release(&runs);
	cJSON_Delete(spec);
	free(whole);
	return text;
}

static char *verdict(const char *claim)
{
	return verdict_over("[ { 'algo': 'a', 'time_s': 1.5 }, { 'algo': 'b', 'time_s': 3,"
			    "  'status': 'done', 'eval': { 'epoch': [1, 2], 'time_s': [4, 8],"
			    "  'gradients': [16, 32], 'test_loss': [0.9, 0.3] } } ]", claim);
}

/* The printed figures of a filter over three runs, of which one diverged. */
static char *verdict_of_means(const char *shows)
{
	static const char runs[] =
		"[ { 'algo': 'a', 'time_s': 1, 'gap_mean': null, 'status': 'done',"
		"    'train_loss': 0.5, 'eval': { 'time_s': [4, 8], 'test_loss': [0.9, 0.3] } },"
		"  { 'algo': 'a', 'time_s': 4, 'gap_mean': 3, 'status': 'done', 'train_loss': 0.7,"
		"    'eval': { 'time_s': [5, 9], 'test_loss': [0.9, 0.3] } },"
		"  { 'algo': 'b', 'time_s': 7, 'gap_mean': null, 'status': 'diverged',"
		"    'train_loss': null, 'test_accuracy': 0,"
		"    'eval': { 'time_s': [6], 'test_loss': [0.9] } } ]";
	char *claim = xasprintf("{ 'says': 'x', 'jq': 'true', 'shows': '%s' }", shows);
	char *text = verdict_over(runs, claim);

	free(claim);
	return text;
}

static void test_means(void **state)
{
	static const struct {
		const char *shows, *line;
	} cases[] = {
		{ "[.runs[] | select(.algo == \\'a\\')] | mean_of(.time_s)", "x: 2.5\n" },
		{ "mean_of(.runs[] | select(.algo == \\'a\\'); .time_s)", "x: 2.5\n" },
		{ "[.runs | mean_of(.time_s), mean_of(.time_s * .time_s), mean_of(.gap_mean)]",
		  "x: [4, 22, 3]\n" },
		{ "[.runs[].time_s] | mean_of(.)", "x: 4\n" },
		{ "[.runs[:2] | mean_of(.train_loss), mean_of(time_to(\\'test_loss<=0.9\\'))]",
		  "x: [0.6, 4.5]\n" },
		{ "[.runs | mean_of(.train_loss), mean_of(time_to(\\'test_loss<0.5\\'))]",
		  "x: [∞, ∞]\n" },
		{ "[.runs | mean_of(.test_accuracy), mean_of(.train_loss)]", "x: [-∞, ∞]\n" },
		{ "[.runs | mean_of(.test_perplexity)]", "x: [∞]\n" },
		{ "[[] | mean_of(.time_s)]", "x: [null]\n" },
		{ "[mean_of(.runs[0]; .gap_mean)]", "x: [null]\n" },
		{ ".runs[] | mean_of(.time_s)", "[shows: mean_of takes a list of runs: " },
		{ ".runs | mean_of(.algo)", "[shows: mean_of: \"a\" is no number]\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = verdict_of_means(cases[i].shows);

		if (!strstr(text, cases[i].line))
			fail_msg("%s: %s", cases[i].shows, text);
		free(text);
	}
}

/* Without the times of rows, it is not known when a run got there. */
static void test_times_that_are_missing(void **state)
{
	char *text = verdict_over("[ { 'algo': 'a', 'status': 'done', 'eval': {"
				  "    'time_s': [null, null], 'test_loss': [0.9, 0.3] } } ]",
				  "{ 'says': 'x', 'jq': 'true',"
				  "  'shows': '[.runs[0] | time_to(\\'test_loss<=0.9\\')]' }");

	assert_non_null(strstr(text, "x: [null]\n"));
	free(text);
}

static void test_verdicts(void **state)
{
	static const struct {
		const char *claim, *line;
	} cases[] = {
		{ "{ 'says': 'b is slower', 'where': 'section 4',"
		  "  'jq': '.runs[1].time_s > .runs[0].time_s',"
		  "  'shows': '{ratio: (.runs[1].time_s / .runs[0].time_s)}' }",
		  "holds          b is slower (section 4): {ratio: 2}\n" },
		{ "{ 'says': 'no', 'jq': '.runs | length == 3', 'shows': '.runs[].algo' }",
		  "FAILS          no: [a, b]\n" },
		{ "{ 'says': 'A. B.', 'jq': 'true', 'shows': '1' }", "holds          A. B: 1\n" },
		{ "{ 'says': 'A.', 'jq': 'true' }", "holds          A.\n" },
		{ "{ 'says': 'A.', 'where': 'x', 'jq': 'true', 'shows': '1' }",
		  "holds          A. (x): 1\n" },
		{ "{ 'says': 'later', 'jq': 'if .scale == \\'paper\\' then true else null end' }",
		  "not evaluated  later [not evaluated at this scale]\n" },
		{ "{ 'says': 'p', 'jq': '.published.source == \\'s\\' and .tables == []' }",
		  "holds          p\n" },
		{ "{ 'says': 'far', 'kind': 'construction', 'jq': '.runs[1] |"
		  " time_to(\\'test_loss<=0.5\\') == 8 and"
		  " epochs_to(\\'test_loss<0.3\\') > 1000',"
		  " 'shows': '.runs[1] | [time_to(\\'test_loss<=0.5\\'),"
		  " epochs_to(\\'test_loss<=0.5\\'), gradients_to(\\'test_loss<=0.9\\'),"
		  " time_to(\\'test_loss<0.3\\')]' }",
		  "holds          far (construction): [8, 2, 16, ∞]\n" },
		{ "{ 'says': 'x', 'jq': '.runs[1] | time_to(\\'test_los<=0.5\\')' }",
		  "error          x [no column 'test_los']\n" },
		{ "{ 'says': 'x', 'jq': 'empty' }",
		  "error          x [the filter yields nothing]\n" },
		{ "{ 'says': 'x', 'jq': 'true, false' }",
		  "error          x [the filter yields more than one value]\n" },
		{ "{ 'says': 'x', 'jq': '1' }",
		  "error          x [the filter yields neither true, false, null nor "
		  "a verdict of beats, within, no_worse or no_later]\n" },
		{ "{ 'says': 'x', 'jq': '.runs[0].status' }",
		  "error          x [the filter yields null, but does not say null: it reads a "
		  "name that no run has, or a group has no runs]\n" },
		{ "{ 'says': 'x', 'jq': '.runs.algo' }",
		  "error          x [Cannot index array with string " },
		{ "{ 'says': 'x', 'jq': 'error(\\'mine\\')' }", "error          x [mine]\n" },
		{ "{ 'says': 'x', 'jq': 'range(infinite)' }",
		  "error          x [too many outputs]\n" },
		{ "{ 'says': 'x', 'jq': 'true', 'shows': '.runs.a' }",
		  "holds          x [shows: Cannot index array with string " },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = verdict(cases[i].claim);
		const size_t n = strlen(cases[i].line);

		/* Where jq's versions differ in the rest of the line, it is left out. */
		if (cases[i].line[n - 1] != '\n')
			text[n < strlen(text) ? n : 0] = '\0';
		assert_string_equal(text, cases[i].line);
		free(text);
	}
}

/* Something with the message, or nothing where that is "". */
static void said_or_nothing(const char *message)
{
	if (!strstr(capture_text(), message) || (!*message && *capture_text()))
		fail_msg("'%s' is not in: %s", message, capture_text());
}

/* What is said of the names that a filter reads. */
static void test_fields(void **state)
{
	static const struct {
		const char *filter, *message;
	} cases[] = {
		{ "[.runs[] | .tmie_s] | add", "no run has 'tmie_s', which is null then; did you "
		  "mean 'time_s'?" },
		{ ".runs[0].settings.lrr == .runs[1].settings.lrr",
		  "no run has 'lrr', which is null then; did you mean 'lr'?" },
		{ ".runs | map(.point.qqqqqqqq)", "no run has 'qqqqqqqq', which is null then" },
		{ ".runs[0].point.algo == 'a' and .scale == 'smoke' and .tables == []", "" },
		{ ".runs | map({t: .time_s}) | .[0].t > 0", "" },
		{ ".runs | map(.mine = 1) | .[0].mine", "" },
		{ ".runs | map(.mine |= 1) | .[0].mine", "" },
		{ ".runs[0] as {$point, workers: $w} | $point.algo", "" },
		{ "'a.json: .qqq \\' .rrr' == 'x' # .xxx", "" },
		{ "$ENV.PATH != env.HOME", "" },
		{ ".runs[0].eval | to_entries | map(.key, .value)", "" },
		{ ".runs | map(.staleness.value, .gap.at_least, .faults, .wall_s)", "" },
		{ ".runs | map(.point.slow, .2e3, 1.e5)", "" },
		{ ".published.cells | map(.paper_only)", "" },
		{ "'x=1' | capture('(?<mine>.)') | .mine", "" },
		{ "'{}' | fromjson | .mine", "" },
		{ "'\\(1 | f('.xxx'))'", "" },
		{ ".runs[] | select(.point.algo == 'asdg')", "no run has algo 'asdg'" },
		{ ".runs[] | select(.algo != 'b')", "no run has algo 'b'" },
		{ ".runs[] | select(.point.algo == 'ssp:' + '2' or .algo == 'ssp')", "" },
		{ ".runs[] | select(.settings.lr == '1' or .point.lr == '0.5')", "" },
		/* Settings are no members of a run, and measures none of its point. */
		{ ".runs[] | select(.lr != '1')",
		  "no run has '.lr', which is null then; use .settings.lr" },
		{ "def f($r): $r.lr; f(.runs[0])", "use .settings.lr" },
		{ ".runs[0].settings.time_s", "no run has '.settings.time_s', which is null then; "
		  "use .time_s" },
		{ ".runs[0].point.time_s", "no run has '.point.time_s'" },
		{ ".runs[0].settings as $s | $s.lr", "" },
		{ "[.runs[] | .settings] | map(.lr)", "" },
		{ ".runs[0] | to_entries[] | .value.lr?", "" },
		{ ".files['a.json'].lr", "" },
		{ ".published.cells[0].paper_only == .lr", "use .settings.lr" },
		{ "[.runs[] | {(.point.algo): .time_s}] | add | .ssp / .a", "" },
		{ ".runs[0].settings.lr == 1", "'.settings.lr' is a text, which equals no number" },
	};
	struct results runs = scene_runs("[ { 'algo': 'a', 'time_s': 1, 'point': { 'algo': 'a' },"
				  " 'settings': { 'lr': '1' }, 'eval': {}, 'staleness': {},"
				  " 'gap': {} } ]");
	cJSON *tables = cJSON_CreateArray();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cJSON *spec = quoted_json("{ 'scales': { 'big': { 'grid': { 'slow': [],"
					  "   'algo': ['ssp'], 'lr': [0.5] } } },"
					  " 'published': { 'cells': [{ 'paper_only': 1 }] },"
					  " 'claims': [{ 'jq': 'asdg' }] }");
		const struct fields in = { spec, &runs, tables };
		char *filter = xstrdup(cases[i].filter), *message;

		for (char *c = filter; *c; c++)
			*c = *c == '\'' ? '"' : *c;
		message = fields_missing(&in, filter);
		if (*cases[i].message ? !message || !strstr(message, cases[i].message) : !!message)
			fail_msg("%s: %s", filter, message ? message : "nothing");
		cJSON_Delete(spec);
		free(message);
		free(filter);
	}
	results_release(&runs);
	cJSON_Delete(tables);
}

static cJSON *spec_where(const char *where)
{
	char *whole = xasprintf(
		"{ 'base': { 'lr': 0.1, 'net': 'lenet', 'optim': 'sgd:momentum=0.9' },"
		"  'grid': [{ 'algo': ['asgd', 'ssp:s=2'], 'workers': [4], 'seed': [1, 2] },"
		"           { 'algo': ['ssp'], 'workers': [4], 'slow': ['0:3'], 'seed': [1],"
		"             'compute_s': [2] }],"
		"  'scales': { 'big': { 'grid': { 'workers': [8] },"
		"    'base': { 'batch': 64, 'seconds': 'inf' } } },"
		"  'tables': [{ 'where': { %s } }] }", where);
	cJSON *spec = quoted_json(whole);

	free(whole);
	return spec;
}

/* What is said of a value that a section selects by. */
static void test_where(void **state)
{
	static const struct {
		const char *where, *message;
	} cases[] = {
		{ "'algo': 'asdg'", "f: tables[0]: where: no run has algo=asdg; did you mean "
		  "'asgd'? Known: asgd, ssp:s=2, ssp" },
		{ "'algo': ['asgd', 'spp']", "where: no run has algo=spp; did you mean 'ssp'?" },
		{ "'workers': 9", "where: no run has workers=9; known: 4, 8" },
		{ "'seed': 3", "where: no run has seed=3; known: 1, 2" },
		{ "'lr': 0.2", "where: no run has lr=0.2; did you mean '0.1'?" },
		{ "'net': 'lenett'", "where: no run has net=lenett; did you mean 'lenet'?" },
		{ "'slow': '0:4'", "where: no run has slow=0:4; did you mean '0:3'?" },
		{ "'algo': ['asgd', 'ssp:s=2', 'ssp']", "" },
		{ "'workers': 8, 'lr': 0.1", "" },
		{ "'lr': '1e-1', 'net': 'lenet', 'batch': '64'", "" },
		{ "'optim': 'sgd:momentum=0.9,nesterov=false'", "" },
		{ "'slow': 'none'", "" },
		{ "'compute_s': 0.1, 'test_loss': 7, 'seconds': 'inf'", "" },
		{ "'workers': 4 }, 'title': '{seeds} of {seed}', 'labels': { 'ssp': 'SSP'",
		  "f: tables[0]: {seeds} is no setting, and stays as it is; did you mean 'seed'?" },
		{ "'workers': 4 }, 'notes': ['x_{max}', 'of {slw}'], 'labels': { '4': 'four'",
		  "f: tables[0]: {slw} is no setting, and stays as it is; did you mean 'slow'?" },
		{ "'workers': 4 }, 'labels': { 'asgdd': 'ASGD'", "f: tables[0]: labels: no run, "
		  "setting or measure has the name 'asgdd'; did you mean 'asgd'?" },
		{ "'workers': 4 }, 'title': '{seed} x_{max}', 'labels': { 'asgd': '{slow}', "
		  "'5': 'five', 'test_loss': 'loss', 'ssp:s=3': 'SSP'", "" },
	};
	cJSON *defaults = quoted_json("{ 'slow': 'none', 'compute_s': 'auto', 'seed': '1' }");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cJSON *spec = spec_where(cases[i].where);

		capture_start();
		slips_warn(spec, defaults, "f");
		capture_stop();
		said_or_nothing(cases[i].message);
		cJSON_Delete(spec);
	}
	cJSON_Delete(defaults);
}

/* What is said of where a published number stands. */
static void test_where_of_cells(void **state)
{
	static const struct {
		const char *cell, *message;
	} cases[] = {
		{ "'algo': 'asdg', 'speedup': 2", "warning: f: published.cells[1]: no run has "
		  "algo=asdg; did you mean 'asgd'? Known: asgd, ssp\n" },
		{ "'algo': 'asgd', 'workers': 3, 'speedup': 2",
		  "published.cells[1]: no run has workers=3; known: 4, 8\n" },
		{ "'speedup': 3, 'epochs': 7", "no run has speedup=3; known: 2\n" },
		{ "'algo': 'ssp', 'workers': 8, 'lr': 0.1, 'test_loss': 7, 'epochs': 7", "" },
		{ "'batch': 999, 'epoch': 3, 'slow': 'none', 'test_loss': '>7'", "" },
		{ "'batch': 'many', 'test_loss': 1", "no run has batch=many; " },
	};
	cJSON *defaults = quoted_json("{ 'slow': 'none' }");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *whole = xasprintf(
			"{ 'base': { 'lr': 0.1, 'epochs': 2 },"
			"  'grid': { 'algo': ['asgd', 'ssp'], 'workers': [4], 'batch': [32, 64],"
			"            'speedup': [2] },"
			"  'scales': { 'big': { 'grid': { 'workers': [8] } } },"
			"  'plots': [{ 'x': 'batch', 'y': 'test_loss', 'published': true }],"
			"  'published': { 'cells': [{ 'algo': 'asgd', 'test_loss': 1 },"
			"                           { %s }] } }",
			cases[i].cell);
		cJSON *spec = quoted_json(whole);

		capture_start();
		slips_warn(spec, defaults, "f");
		capture_stop();
		said_or_nothing(cases[i].message);
		cJSON_Delete(spec);
		free(whole);
	}
	cJSON_Delete(defaults);
}

static void refuse(const char *section, const char *message)
{
	char *whole = xasprintf("{ 'grid': { 'algo': ['a'] }, %s }", section);
	cJSON *spec = quoted_json(whole);

	capture_start();
	assert_int_equal(report_check(spec, "f"), -1);
	capture_stop();
	assert_null(strstr(capture_text(), "shell"));
	said_or_nothing(message);
	cJSON_Delete(spec);
	free(whole);
}

static void test_refusals(void **state)
{
	static const struct {
		const char *section, *message;
	} cases[] = {
		{ "'tables': {}", "f: tables must be a list" },
		{ "'tables': [3]", "f: tables[0] must be an object" },
		{ "'tables': [{ 'name': 'a/b', 'rows': 'algo', 'values': 'speedup' }]",
		  "f: tables[0]: name 'a/b' must be of letters" },
		{ "'tables': [{ 'name': 'a', 'rows': 'alg', 'values': 'speedup' }]",
		  "f: tables[0]: unknown rows 'alg'; did you mean 'algo'?" },
		{ "'tables': [{ 'name': 'a', 'rows': 'codec', 'values': 'speedup' }]",
		  "f: tables[0]: unknown rows 'codec', which is no measure and is in neither "
		  "the grid nor the base" },
		{ "'claims': [{ 'says': 's', 'kind': 'ours', 'beats': { 'a': { 'algo': 'a' },"
		  " 'b': { 'algo': 'aa' } } }]",
		  "f: claims[0]: no run has algo 'aa'; did you mean 'a'?" },
		{ "'claims': [{ 'says': 's', 'kind': 'ours', 'order': { 'of': [{ 'algo': 'a:k=1' },"
		  " { 'algo': ['a', 'xyz'] }] } }]",
		  "f: claims[0]: no run has algo 'xyz'; known: a" },
		{ "'tables': [{ 'name': 'a', 'rows': 'algo', 'values': ['speedup', 'test_los'] }]",
		  "unknown values 'test_los'; did you mean 'test_loss'?" },
		{ "'tables': [{ 'name': 'a', 'row': 'algo', 'values': 'speedup' }]",
		  "f: tables[0]: unknown key 'row'; did you mean 'rows'?" },
		{ "'tables': [{ 'name': 'a', 'rows': 'algo' }]", "'values' is missing" },
		{ "'tables': [{ 'name': 'a', 'rows': 'algo', 'values': 'time_to:accuracy>=0.8' }]",
		  "values 'time_to:accuracy>=0.8': eval and train have no column 'accuracy'; did "
		  "you mean 'test_accuracy'?" },
		{ "'tables': [{ 'name': 'a', 'rows': 'algo', 'values': 'time_to:>=0.8' }]",
		  "values 'time_to:>=0.8': expected a column of eval or train" },
		{ "'tables': [{ 'name': 'a', 'rows': 'algo', 'values': 'time_to:test_loss=0.8' }]",
		  "values 'time_to:test_loss=0.8': expected a column" },
		{ "'tables': [{ 'name': 'a', 'rows': 'algo', 'values': 'speedup' },"
		  " { 'name': 'a', 'rows': 'algo', 'values': 'speedup' }]",
		  "f: tables[1]: the name 'a' is taken" },
		{ "'plots': [{ 'name': 'a', 'from': 'evil', 'x': 'epoch', 'y': 'loss' }]",
		  "f: plots[0]: unknown from 'evil'; did you mean 'eval'?" },
		{ "'plots': [{ 'name': 'a', 'from': 'eval', 'x': 'epoch', 'y': 'trainloss' }]",
		  "unknown y 'trainloss'; did you mean 'train_loss'?" },
		{ "'plots': [{ 'name': 'a', 'from': 'staleness', 'x': 'value', 'y': 'counts' }]",
		  "unknown y 'counts'; did you mean 'count'?" },
		{ "'plots': [{ 'name': 'a', 'from': 'runs', 'x': 'algo', 'y': 'speedup',"
		  " 'logx': 1 }]", "'logx' must be true or false" },
		{ "'published': { 'cells': [] }", "f: published: 'source' is missing" },
		{ "'published': { 'source': 's', 'cells': [{ 'algo': 'a' }] }",
		  "f: published.cells[0]: the cell has no measure" },
		{ "'published': { 'source': 's', 'cells': [{ 'alog': 'a', 'speedup': 1 }] }",
		  "unknown key 'alog'; did you mean 'algo'?" },
		{ "'claims': [{ 'says': 's', 'kind': 'ours', 'jq': '.runs[' }]",
		  "f: claims[0]: jq: syntax error, unexpected " },
		{ "'claims': [{ 'says': 's', 'kind': 'ours', 'jq': '.runs)' }]",
		  ", in '.runs)'\n" },
		{ "'claims': [{ 'says': 's', 'kind': 'ours', 'jq': 'foo' }]",
		  "error: f: claims[0]: jq: foo/0 is not defined, in 'foo'\n" },
		{ "'claims': [{ 'says': 's', 'kind': 'ours', 'jq': '.runs\\n| foo' }]",
		  "error: f: claims[0]: jq: foo/0 is not defined, line 2\n" },
		{ "'claims': [{ 'kind': 'ours', 'jq': 'true' }]",
		  "f: claims[0]: 'says' is missing" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		refuse(cases[i].section, cases[i].message);
}

static void test_good_sections(void **state)
{
	cJSON *spec = quoted_json(
		"{ 'base': { 'net': 'x' }, 'grid': [{ 'slow': [] }, { 'algo': [] }],"
		"  'scales': { 'a': { 'grid': { 'ad-x': [] } } },"
		"  'published': { 'source': 's', 'cells': [{ 'ad_x': 1, 'epoch': 3, 'loss': 1 }] },"
		"  'tables': [{ 'name': 'a', 'rows': ['net', 'algo'], 'values': 'speedup' }],"
		"  'plots': [{ 'name': 'a', 'from': 'runs', 'x': 'slow_factor', 'y': 'speedup',"
		"    'series': ['algo', 'ad_x'], 'where': { 'net': ['x', 'y'] } },"
		"    { 'name': 'b', 'from': 'staleness', 'x': 'value', 'y': 'count' }],"
		"  'paper_accuracy': { 'value': 0.9, 'source': 's' },"
		"  'claims': [{ 'says': 's', 'kind': 'number', 'where': 'Table 1', 'quote': 'q',"
		"    'criterion': { 'since': '2024-01-31', 'was': [{ 'says': 'x',"
		"      'since': '2024-01-30', 'verdict': 'fails' }] },"
		"    'jq': 'true', 'shows': '[.runs[]]', 'quantity': 'runs' }] }");

	assert_int_equal(report_check(spec, "f"), 0);
	cJSON_Delete(spec);
}

RUN_ALL(test_verdicts, test_means, test_times_that_are_missing, test_fields, test_where,
	test_where_of_cells, test_refusals, test_good_sections)
