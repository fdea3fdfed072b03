/*
 * Claims and the sections of a spec: verdicts, and what is refused with which words.
 */
#include "core/mem.h"
#include "report/report.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/quoted.h"

#include <stdlib.h>
#include <string.h>

/* The printed verdict on one claim over two runs at scale "smoke". */
static char *verdict(const char *claim)
{
	char *whole = xasprintf("{ 'published': { 'source': 's', 'cells': [] }, 'claims': [%s] }",
				claim);
	cJSON *spec = quoted_json(whole), *tables = cJSON_CreateArray(), *claims;
	cJSON *runs = quoted_json("[ { 'algo': 'a', 't': 1.5 }, { 'algo': 'b', 't': 3,"
				 "  'status': 'done', 'eval': { 'epoch': [1, 2], 'time_s': [4, 8],"
				 "  'gradients': [16, 32], 'test_loss': [0.9, 0.3] } } ]");
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	claims = claims_check(spec, runs, tables, "smoke");
	claims_print(claims, out);
	fclose(out);
	cJSON_Delete(claims);
	cJSON_Delete(runs);
	cJSON_Delete(tables);
	cJSON_Delete(spec);
	free(whole);
	return text;
}

static void test_verdicts(void **state)
{
	static const struct {
		const char *claim, *line;
	} cases[] = {
		{ "{ 'says': 'b is slower', 'where': 'section 4', 'jq': '.runs[1].t > .runs[0].t',"
		  "  'shows': '{ratio: (.runs[1].t / .runs[0].t)}' }",
		  "holds  b is slower (section 4): {ratio: 2}\n" },
		{ "{ 'says': 'no', 'jq': '.runs | length == 3', 'shows': '.runs[].algo' }",
		  "FAILS  no: [a, b]\n" },
		{ "{ 'says': 'later', 'jq': 'if .scale == \\'paper\\' then true else null end' }",
		  "n/a    later\n" },
		{ "{ 'says': 'p', 'jq': '.published.source == \\'s\\' and .tables == []' }",
		  "holds  p\n" },
		{ "{ 'says': 'far', 'jq': '.runs[1] | time_to(\\'test_loss<=0.5\\') == 8 and"
		  " epochs_to(\\'test_loss<0.3\\') > 1000',"
		  " 'shows': '.runs[1] | [time_to(\\'test_loss<=0.5\\'),"
		  " epochs_to(\\'test_loss<=0.5\\'), gradients_to(\\'test_loss<=0.9\\'),"
		  " time_to(\\'test_loss<0.3\\')]' }",
		  "holds  far: [8, 2, 16, ∞]\n" },
		{ "{ 'says': 'x', 'jq': '.runs[1] | time_to(\\'test_los<=0.5\\')' }",
		  "error  x [no column 'test_los']\n" },
		{ "{ 'says': 'x', 'jq': 'empty' }", "error  x [the filter yields nothing]\n" },
		{ "{ 'says': 'x', 'jq': 'true, false' }",
		  "error  x [the filter yields more than one value]\n" },
		{ "{ 'says': 'x', 'jq': '1' }",
		  "error  x [the filter yields neither true, false nor null]\n" },
		{ "{ 'says': 'x', 'jq': '.runs.algo' }",
		  "error  x [Cannot index array with string \"algo\"]\n" },
		{ "{ 'says': 'x', 'jq': 'error(\\'mine\\')' }", "error  x [mine]\n" },
		{ "{ 'says': 'x', 'jq': 'range(infinite)' }", "error  x [too many outputs]\n" },
		{ "{ 'says': 'x', 'jq': 'true', 'shows': '.runs.a' }",
		  "holds  x [shows: Cannot index array with string \"a\"]\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = verdict(cases[i].claim);

		assert_string_equal(text, cases[i].line);
		free(text);
	}
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
		{ "'tables': [{ 'name': 'a', 'rows': 'algo', 'values': ['speedup', 'test_los'] }]",
		  "unknown values 'test_los'; did you mean 'test_loss'?" },
		{ "'tables': [{ 'name': 'a', 'row': 'algo', 'values': 'speedup' }]",
		  "f: tables[0]: unknown key 'row'; did you mean 'rows'?" },
		{ "'tables': [{ 'name': 'a', 'rows': 'algo' }]", "'values' is missing" },
		{ "'tables': [{ 'name': 'a', 'rows': 'algo', 'values': 'time_to:accuracy>=0.8' }]",
		  "values 'time_to:accuracy>=0.8': expected a column of eval or train" },
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
		{ "'claims': [{ 'says': 's', 'jq': '.runs[' }]",
		  "f: claims[0]: jq: jq: error: syntax error" },
		{ "'claims': [{ 'jq': 'true' }]", "f: claims[0]: 'says' is missing" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *whole = xasprintf("{ 'grid': { 'algo': ['a'] }, %s }", cases[i].section);
		cJSON *spec = quoted_json(whole);

		capture_start();
		assert_int_equal(report_check(spec, "f"), -1);
		capture_stop();
		if (!strstr(capture_text(), cases[i].message))
			fail_msg("'%s' is not in: %s", cases[i].message, capture_text());
		cJSON_Delete(spec);
		free(whole);
	}
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
		"  'claims': [{ 'says': 's', 'jq': 'true', 'shows': '[.runs[]]' }] }");

	(void)state;
	assert_int_equal(report_check(spec, "f"), 0);
	cJSON_Delete(spec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_good_sections),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
