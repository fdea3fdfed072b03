/* The index of the pages of Markdown: each experiment, how many claims hold, and which are open. */
#include "cmd/report/parts.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "core/text/word.h"
#include "report/claims/contrast.h"
#include "report/claims/looks.h"
#include "report/claims/scales.h"
#include "report/text/escape.h"
#include "report/text/grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void put_cell(const char *text, FILE *f)
{
	fputs(" | ", f);
	escape_markdown(text, f);
}

/* ---- claims of the papers that are neither held nor refuted ---- */

static const char intro_open[] =
	"\n"
	"## Open claims of the papers\n"
	"\n"
	"What it would take to decide each of them. A number of seeds is the smallest that is\n"
	"expected to, if the difference and its deviations stay as they are, and as uncertain as\n"
	"these; the time is that of the runs it lacks, as long as those that are kept.\n"
	"\n"
	"| experiment | claim | verdict | it would take |\n"
	"|---|---|---|---|\n";

/* As the totals count it. */
static bool is_open_of_paper(const struct verdict *v)
{
	struct claim_total t = { 0 };

	for (int i = 0; i < CLAIM_KINDS_OF_PAPER; i++)
		claim_total_count(&t, v, claim_kinds[i]);
	return t.undecided + t.open + t.errors > 0;
}

/* Groups whose runs a verdict compares: each is known by its first run. */
static size_t groups_of(const struct verdict *v)
{
	const struct claim_contrast *c;
	scoped_by(texts_release) struct texts first = { 0 };

	for (size_t k = 0; (c = contrast_at(v->contrast, k)); k++)
		for (int i = 0; i < 2; i++)
			if (c->side[i].runs.n && !texts_have(&first, c->side[i].runs.v[0]))
				texts_put(&first, c->side[i].runs.v[0]);
	return first.n;
}

/* "about 489 seeds of 2 groups, which have 5: 8 min" */
static void put_seeds(const struct verdict *v, double run_s, FILE *f)
{
	const int have = contrasts_seeds(v->contrast);
	const size_t groups = groups_of(v);
	const bool more = v->needs >= LOOKS_MOST_NEEDED;
	scoped char *time = word_duration(run_s * (double)groups * (v->needs - have));

	fprintf(f, "%s%d seeds%s of %zu groups, which have %d", more ? "" : "about ", v->needs,
		more ? " or more" : "", groups, have);
	if (run_s > 0)
		fprintf(f, ": %s%s", time, more ? " or more" : "");
}

/* The spec's claim with these words, for kept verdicts do not say at which scales it is judged. */
static struct claim claim_of(const cJSON *spec, const char *says)
{
	const cJSON *one;

	json_each(one, spec, "claims")
		if (!strcmp(json_word(one, "says"), says))
			return claim_read(one);
	return (struct claim){ 0 };
}

/* Why it is open, and the scales of the claim after that of the verdict, with their times. */
static void put_scales(const struct merged_claim *m, const cJSON *spec, const char *why, FILE *f)
{
	const struct claim c = claim_of(spec, m->v->of.says ? m->v->of.says : "");
	const char *before = *why ? "; scale " : "scale ";
	const cJSON *one;
	bool after = false;

	escape_markdown(why, f);
	json_each(one, spec, "scales") {
		if (after && claim_is_at(&c, one->string)) {
			fprintf(f, "%s`%s`: ", before, one->string);
			escape_markdown(json_word(one, "time"), f);
			before = "; ";
		}
		after = after || !strcmp(one->string, m->scale);
	}
}

static void put_open(const char *name, const struct merged_claim *m, const cJSON *spec,
		     double run_s, FILE *f)
{
	const struct verdict *v = m->v;
	const char *why = v->reason && strcmp(v->reason, verdict_not_here) != 0 ? v->reason :
			  contrasts_hopeless(v->contrast);

	fputs("| ", f);
	put_link(name, f);
	put_cell(v->of.says ? v->of.says : "", f);
	put_cell(verdict_shown(v), f);
	fputs(" | ", f);
	if (v->needs > contrasts_seeds(v->contrast) && v->needs > LOOK_FIRST)
		put_seeds(v, run_s, f);
	else if (v->word && !strcmp(v->word, "undecided"))
		escape_markdown(why ? why : "at least three seeds", f);
	else
		put_scales(m, spec, why ? why : "", f);
	fputs(" |\n", f);
}

/* ---- the rows ---- */

/* Mean wall seconds of a kept result's runs; NaN: it does not say. */
static double kept_run_s(const char *folder, const char *result, int *ret)
{
	scoped_by(kept_made_release) struct kept_made made = kept_made(folder, result, ret);
	const double runs = made.runs ? strtod(made.runs, NULL) : 0;
	const double wall = made.wall ? strtod(made.wall, NULL) : (double)NAN;

	return runs > 0 ? wall / runs : (double)NAN;
}

static const char *result_of(const struct scale_verdicts *list, size_t n, char *const *results,
			     const struct verdict *v)
{
	for (size_t i = 0; i < n; i++)
		if (v >= list[i].all->v && v < list[i].all->v + list[i].all->n)
			return results[i];
	return NULL;
}

static int score_of(const char *folder, const char *name, char *const *results, const cJSON *spec,
		    struct claim_total *total, struct claim_total *by_kind, FILE *open)
{
	scoped struct scale_verdicts *list = NULL;
	struct merged_claim *claims;
	size_t n = 0, count;
	int ret = 0;

	for (char *const *result = results; *result; result++)
		ret = kept_verdicts(folder, spec, name, *result, &APPEND(list, n)) < 0 ? -1 : ret;
	claims = claims_merge(list, n, json_get(spec, "scales"), &count);
	*total = merged_claims_total(claims, count, NULL);
	for (int i = 0; claim_kinds[i]; i++) {
		const struct claim_total some = merged_claims_total(claims, count, claim_kinds[i]);

		claim_total_add(&by_kind[i], &some);
	}
	for (size_t i = 0; i < count; i++)
		if (is_open_of_paper(claims[i].v))
			put_open(name, &claims[i], spec,
				 kept_run_s(folder, result_of(list, n, results, claims[i].v), &ret),
				 open);
	merged_claims_free(claims, count);
	scale_verdicts_release(list, n);
	return ret;
}

static int put_row(const struct pages *of, const char *name, struct claim_total *by_kind,
		   FILE *open, FILE *f)
{
	scoped_paths char **results = kept_results(of->folder, of->names, name);
	struct claim_total score = { 0 };
	scoped char *path = path_find("experiments", name);
	scoped_json cJSON *spec = path ? json_load(path) : NULL;
	const int ret = spec ? score_of(of->folder, name, results, spec, &score, by_kind,
					open) : -1;

	fputs("| ", f);
	put_link(name, f);
	put_cell(json_word(spec, "title"), f);
	put_cell(json_word(spec, "figure"), f);
	if (*results)
		fprintf(f, " | %d | %d | %d | %d |\n", score.holds, score.fails, score.undecided,
			score.open + score.errors);
	else
		fputs(" | - | - | - | - |\n", f);
	return ret;
}

int report_index(const struct pages *of)
{
	struct claim_total by_kind[CLAIM_KINDS] = { { 0 } };
	scoped char *path = xasprintf("%s/experiments.md", of->out);
	struct sheet sheet;
	struct text_grid *totals;
	char *rows = NULL;
	size_t size = 0;
	FILE *open = xmemstream(&rows, &size), *f;
	int ret = 0;

	sheet_open(&sheet);
	f = sheet.f;
	fputs(intro, f);
	for (char *const *name = of->names; *name; name++)
		if (put_row(of, *name, by_kind, open, f) < 0)
			ret = -1;
	totals = claims_total_rows(by_kind, false);
	fputc('\n', f);
	grid_print(totals, TABLE_MARKDOWN, f);
	grid_free(totals);
	fclose(open);
	if (size)
		fprintf(f, "%s%s", intro_open, rows);
	free(rows);
	return sheet_write(&sheet, path, ret);
}
