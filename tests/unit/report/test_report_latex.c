/* Tables as LaTeX, compared with tables that were written by hand. */
#include "core/file/json.h"
#include "report/table/table.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/quoted.h"
#include "tests/support/tables.h"

#include <stdlib.h>
#include <string.h>

static void check_latex(const char *spec, const char *runs, const char *expected)
{
	cJSON *t = tables_of(spec, runs);
	char *text = tables_printed(t, TABLE_LATEX);

	assert_string_equal(text, expected);
	free(text);
	cJSON_Delete(t);
}

static void published_numbers_have_columns(void **state)
{
	check_latex("{ 'title': 't', 'base': { 'workers': 4 },"
		    "  'grid': { 'slow': ['none', '0:9'], 'algo': ['a', 'b'], 'seed': [1, 2, 3] },"
		    "  'published': { 'source': 'Table 9', 'cells': ["
		    "    { 'slow': 'none', 'algo': 'a', 'time_per_epoch_s': 1.25 },"
		    "    { 'slow': '0:9', 'algo': 'a', 'time_per_epoch_s': '>9' } ] },"
		    "  'tables': [ { 'name': 'one', 'title': 'The title', 'rows': 'slow',"
		    "    'columns': 'algo', 'values': ['time_per_epoch_s'], 'notes': ['A note.'],"
		    "    'labels': { '0:9': '9X', 'a': 'A' } } ] }",
		    "[ { 'time_per_epoch_s': 1.2,"
		    "    'point': { 'slow': 'none', 'algo': 'a', 'seed': 1 } },"
		    "  { 'time_per_epoch_s': 1.3,"
		    "    'point': { 'slow': 'none', 'algo': 'a', 'seed': 2 } },"
		    "  { 'time_per_epoch_s': 1.1,"
		    "    'point': { 'slow': 'none', 'algo': 'a', 'seed': 3 } },"
		    "  { 'time_per_epoch_s': 0.8,"
		    "    'point': { 'slow': 'none', 'algo': 'b', 'seed': 1 } },"
		    "  { 'time_per_epoch_s': 9.5,"
		    "    'point': { 'slow': '0:9', 'algo': 'a', 'seed': 1 } },"
		    "  { 'time_per_epoch_s': 0.75,"
		    "    'point': { 'slow': '0:9', 'algo': 'b', 'seed': 1 } },"
		    "  { 'time_per_epoch_s': 0.75,"
		    "    'point': { 'slow': '0:9', 'algo': 'b', 'seed': 2 } } ]",
		    "% Needs \\usepackage{booktabs}.\n"
		    "\\begin{table}[htbp]\n"
		    "\\centering\n"
		    "\\caption{The title}\n"
		    "\\label{tab:one}\n"
		    "time per epoch [s]\\\\[0.5ex]\n"
		    "\\begin{tabular}{lrrr}\n"
		    "\\toprule\n"
		    "slow worker & \\multicolumn{2}{c}{A} & b \\\\\n"
		    "\\cmidrule(lr){2-3}\n"
		    " & measured & paper & \\\\\n"
		    "\\midrule\n"
		    "none & 1.20 $\\pm$ 0.10 (3 seeds) & 1.25 & 0.8000 (1 seed) \\\\\n"
		    "9X & 9.50 (1 seed) & $>$9 & 0.7500 (2 seeds) \\\\\n"
		    "\\bottomrule\n"
		    "\\end{tabular}\n"
		    "\n"
		    "\\medskip\n"
		    "{\\footnotesize\\raggedright\n"
		    "Paper: Table 9\\par\n"
		    "Note: A note.\\par\n"
		    "}\n"
		    "\\end{table}\n");
}

static void names_are_escaped(void **state)
{
	check_latex("{ 'title': 't', 'grid': { 'algo': ['a_b%&#', '${}~^\\\\'] },"
		    "  'tables': [ { 'name': 'a_b', 'title': '100 % of #1 & {x}', 'rows': 'algo',"
		    "    'values': ['time_s', 'train_loss'] } ] }",
		    "[ { 'time_s': 2e-6, 'train_loss': -1.5, 'point': { 'algo': 'a_b%&#' } },"
		    "  { 'time_s': null, 'train_loss': 3.5e9,"
		    "    'point': { 'algo': '${}~^\\\\' } } ]",
		    "% Needs \\usepackage{booktabs}.\n"
		    "\\begin{table}[htbp]\n"
		    "\\centering\n"
		    "\\caption{100 \\% of \\#1 \\& \\{x\\}}\n"
		    "\\label{tab:a_b}\n"
		    "\\begin{tabular}{lrr}\n"
		    "\\toprule\n"
		    "algorithm & time [s] & training loss \\\\\n"
		    "\\midrule\n"
		    "a\\_b\\%\\&\\# & $2.000\\times10^{-6}$ & $-$1.500 \\\\\n"
		    "\\$\\{\\}\\textasciitilde{}\\textasciicircum{}\\textbackslash{}"
		    " & -- & $3.500\\times10^{9}$ \\\\\n"
		    "\\bottomrule\n"
		    "\\end{tabular}\n"
		    "\\end{table}\n");
}

RUN_ALL(published_numbers_have_columns, names_are_escaped)
