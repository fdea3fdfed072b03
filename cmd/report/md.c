/* The kept results of all experiments as pages of Markdown: the index. */
#include "cmd/report/parts.h"

#include "cmd/report/md_paper.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "plan/spec/spec.h"
#include "report/claims/claims.h"
#include "report/text/escape.h"
#include "report/text/grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char intro[] =
	"# Experiments\n"
	"\n"
	"This page lists what `convoy run` can repeat, and how many claims of each paper\n"
	"hold. `convoy report --md results/reference --out docs` writes it, and a page for each\n"
	"paper, from the specs and the kept results.\n"
	"\n"
	"| verdict | meaning |\n"
	"|---|---|\n"
	"| `holds` | the whole 95 % interval agrees with the claim |\n"
	"| `FAILS` | the whole 95 % interval contradicts the claim |\n"
	"| `undecided` | the interval does not decide the claim, or fewer than three seeds ran |\n"
	"| `not evaluated` | the claim needs a larger [scale](glossary.md), or runs are missing |\n"
	"| `error` | the filter that computes the claim's test failed; counted as not evaluated |\n"
	"\n"
	"- The interval includes the spread of the seeds and the binomial error of the test set.\n"
	"- A claim about the simulated clock alone needs no interval.\n"
	"- If a criterion was set after its runs were made, the runs are still judged by it, and\n"
	"  convoy prints a warning.\n"
	"- An undecided claim is shown neither to be true nor to be false.\n"
	"- [Kinds of claims](specs.md#kinds-of-claims): the paper prints a `number`, says a\n"
	"  `statement` in words, or derives a `theory`. We make the claims of kind `ours`. A\n"
	"  claim of kind `construction` is true whatever is measured. The last two kinds do not\n"
	"  count as reproduction.\n"
	"- An experiment without kept results has `-` in the columns of verdicts. One with\n"
	"  results of two scales counts its claims at each.\n"
	"\n"
	"| experiment | title | of the paper | hold | fail | undecided | not evaluated |\n"
	"|---|---|---|---|---|---|---|\n";

/* A link to the section of the paper's page. */
static void put_link(const char *name, FILE *f)
{
	fprintf(f, "[%s](experiments/%.*s.md#", name, report_md_length(name), name);
	for (const char *c = name; *c; c++)
		if (*c != '/' && *c != '.')
			fputc(*c, f);
	fputc(')', f);
}

static int score_of(const char *folder, const cJSON *results, struct claim_total *total,
		    struct claim_total *by_kind)
{
	const cJSON *result;
	int ret = 0;

	cJSON_ArrayForEach(result, results) {
		struct verdicts *claims = verdicts_read(kept_file(folder, result->valuestring,
								  "claims.json", &ret));
		const struct claim_total all = verdicts_total(claims, NULL);

		claim_total_add(total, &all);
		for (int i = 0; claim_kinds[i]; i++) {
			const struct claim_total some = verdicts_total(claims, claim_kinds[i]);

			claim_total_add(&by_kind[i], &some);
		}
		verdicts_free(claims);
	}
	return ret;
}

static void report_md_put_cell(const char *text, FILE *f)
{
	fputs(" | ", f);
	escape_markdown(text, f);
}

static int report_md_put_row(const struct pages *of, const char *name, struct claim_total *by_kind,
			     FILE *f)
{
	cJSON *results = kept_results(of->folder, of->names, name);
	struct claim_total score = { 0 };
	char *path = path_find("experiments", name);
	cJSON *spec = path ? json_load(path) : NULL;
	const int ret = spec ? score_of(of->folder, results, &score, by_kind) : -1;

	fputs("| ", f);
	put_link(name, f);
	report_md_put_cell(json_word(spec, "title"), f);
	report_md_put_cell(json_word(spec, "figure"), f);
	if (results->child)
		fprintf(f, " | %d | %d | %d | %d |\n", score.holds, score.fails, score.undecided,
			score.open);
	else
		fputs(" | - | - | - | - |\n", f);
	cJSON_Delete(spec);
	cJSON_Delete(results);
	free(path);
	return ret;
}

static int report_index(const struct pages *of)
{
	struct claim_total by_kind[CLAIM_KINDS] = { { 0 } };
	char *path = xasprintf("%s/experiments.md", of->out);
	struct sheet sheet;
	cJSON *totals;
	FILE *f;
	int ret = 0;

	report_md_open(&sheet);
	f = sheet.f;
	fputs(intro, f);
	for (char *const *name = of->names; *name; name++)
		if (report_md_put_row(of, *name, by_kind, f) < 0)
			ret = -1;
	totals = claims_total_rows(by_kind);
	fputc('\n', f);
	grid_print(totals, TABLE_MARKDOWN, f);
	cJSON_Delete(totals);
	ret = report_md_write(&sheet, path, ret);
	free(path);
	return ret;
}

int report_md(const char *folder, const char *out)
{
	char **names, *dir;
	int ret;

	if (access(folder, R_OK | X_OK) < 0)
		return error("%s: no such folder of results", folder);
	names = spec_names(NULL);
	dir = xasprintf("%s/experiments", out);
	ret = dir_make(dir);
	if (ret == 0) {
		const struct pages of = { .folder = folder, .out = out, .names = names };

		ret = report_index(&of);
		for (size_t i = 0; ret == 0 && names[i]; i++)
			if (i == 0 || !report_md_same_paper(names[i - 1], names[i]))
				ret = report_md_paper(&of, names + i, dir);
	}
	free(dir);
	path_list_free(names);
	return ret;
}
