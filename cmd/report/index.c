/* The index of the pages of Markdown: each experiment, and how many claims hold. */
#include "cmd/report/parts.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "report/claims/scales.h"
#include "report/text/escape.h"
#include "report/text/grid.h"

#include <stdio.h>
#include <stdlib.h>

static const char intro[] =
	"# Experiments\n"
	"\n"
	"This page lists what `convoy run` can repeat, and how many claims of each paper\n"
	"hold. `convoy report --md results/reference --out docs` writes it, and the pages of each\n"
	"paper, from the specs and the kept results.\n"
	"\n"
	"| verdict | meaning |\n"
	"|---|---|\n"
	"| `holds` | the whole interval agrees with the claim |\n"
	"| `FAILS` | the whole interval contradicts the claim |\n"
	"| `undecided` | the interval does not decide it; fewer than three seeds ran; it has no "
	"interval; some runs diverged; or it depends on a setting that the paper does not give |\n"
	"| `not evaluated` | the claim needs a larger [scale](glossary.md), or runs are missing |\n"
	"| `error` | the filter that computes the claim's test failed; counted as not evaluated |\n"
	"\n"
	"- The interval is of 95 %, or wider where [looks were planned](deciding.md). It includes\n"
	"  the spread of the seeds and the choice of the test images. A claim about the\n"
	"  simulated clock alone needs none.\n"
	"- A criterion set after its runs were made still counts, with a warning.\n"
	"- [Kinds of claims](specs.md#kinds-of-claims): the paper prints a `number`, says a\n"
	"  `statement` in words, or derives a `theory`. Claims of kind `ours` are ours, and a\n"
	"  `construction` holds or fails by the settings alone: neither counts as reproduction.\n"
	"- `-`: no results are kept. A claim counts once: with results of several scales, it has\n"
	"  the verdict of the largest scale that evaluates it.\n"
	"\n"
	"| experiment | title | of the paper | hold | fail | undecided | not evaluated |\n"
	"|---|---|---|---|---|---|---|\n";

/* A link to the section of the paper's page. */
static void put_link(const char *name, FILE *f)
{
	fprintf(f, "[%s](experiments/", name);
	put_anchor(name, f);
	fputc(')', f);
}

static int score_of(const char *folder, const char *name, char *const *results, const cJSON *spec,
		    struct claim_total *total, struct claim_total *by_kind)
{
	struct scale_verdicts *list = NULL;
	struct merged_claim *claims;
	size_t n = 0, count;
	int ret = 0;

	for (; *results; results++) {
		list = xrealloc(list, n + 1, sizeof(*list));
		ret = kept_verdicts(folder, spec, name, *results, &list[n++]) < 0 ? -1 : ret;
	}
	claims = claims_merge(list, n, json_get(spec, "scales"), &count);
	*total = merged_claims_total(claims, count, NULL);
	for (int i = 0; claim_kinds[i]; i++) {
		const struct claim_total some = merged_claims_total(claims, count, claim_kinds[i]);

		claim_total_add(&by_kind[i], &some);
	}
	merged_claims_free(claims, count);
	scale_verdicts_release(list, n);
	free(list);
	return ret;
}

static void put_cell(const char *text, FILE *f)
{
	fputs(" | ", f);
	escape_markdown(text, f);
}

static int put_row(const struct pages *of, const char *name, struct claim_total *by_kind,
			     FILE *f)
{
	char **results = kept_results(of->folder, of->names, name);
	struct claim_total score = { 0 };
	char *path = path_find("experiments", name);
	cJSON *spec = path ? json_load(path) : NULL;
	const int ret = spec ? score_of(of->folder, name, results, spec, &score, by_kind) : -1;

	fputs("| ", f);
	put_link(name, f);
	put_cell(json_word(spec, "title"), f);
	put_cell(json_word(spec, "figure"), f);
	if (*results)
		fprintf(f, " | %d | %d | %d | %d |\n", score.holds, score.fails, score.undecided,
			score.open + score.errors);
	else
		fputs(" | - | - | - | - |\n", f);
	cJSON_Delete(spec);
	path_list_free(results);
	free(path);
	return ret;
}

int report_index(const struct pages *of)
{
	struct claim_total by_kind[CLAIM_KINDS] = { { 0 } };
	char *path = xasprintf("%s/experiments.md", of->out);
	struct sheet sheet;
	struct text_grid *totals;
	FILE *f;
	int ret = 0;

	sheet_open(&sheet);
	f = sheet.f;
	fputs(intro, f);
	for (char *const *name = of->names; *name; name++)
		if (put_row(of, *name, by_kind, f) < 0)
			ret = -1;
	totals = claims_total_rows(by_kind);
	fputc('\n', f);
	grid_print(totals, TABLE_MARKDOWN, f);
	grid_free(totals);
	ret = sheet_write(&sheet, path, ret);
	free(path);
	return ret;
}
