/* How many claims hold, by kind. */
#include "report/claims/claims.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "report/claims/rules.h"
#include "report/report.h"
#include "report/text/grid.h"

#include <stdlib.h>
#include <string.h>

enum { OF_A_PAPER = 3 };        /* the first of claim_kinds count as reproduction */

struct claim_total claims_total(const cJSON *claims, const char *kind)
{
	struct claim_total t = { 0 };
	const cJSON *claim;

	cJSON_ArrayForEach(claim, claims) {
		const char *verdict = json_word(claim, "verdict");

		if (kind && strcmp(json_word(claim, "kind"), kind) != 0)
			continue;
		if (!strcmp(verdict, "holds"))
			t.holds++;
		else if (!strcmp(verdict, "fails"))
			t.fails++;
		else if (!strcmp(verdict, "undecided"))
			t.undecided++;
		else
			t.open++;
	}
	return t;
}

void claim_total_add(struct claim_total *sum, const struct claim_total *more)
{
	sum->holds += more->holds;
	sum->fails += more->fails;
	sum->undecided += more->undecided;
	sum->open += more->open;
}

static int total_count(const struct claim_total *t)
{
	return t->holds + t->fails + t->undecided + t->open;
}

static void total_add_row(cJSON *rows, const char *kind, const struct claim_total *t)
{
	const int n[] = { t->holds, t->fails, t->undecided, t->open };
	char *text[4];

	for (int i = 0; i < 4; i++)
		text[i] = xasprintf("%d", n[i]);
	grid_row(rows, kind, text[0], text[1], text[2], text[3], NULL);
	for (int i = 0; i < 4; i++)
		free(text[i]);
}

cJSON *claims_total_rows(const struct claim_total *totals)
{
	cJSON *rows = cJSON_CreateArray();
	struct claim_total paper = { 0 };

	grid_row(rows, "claims by kind", "hold", "fail", "undecided", "not evaluated", NULL);
	for (int i = 0; claim_kinds[i]; i++) {
		if (i < OF_A_PAPER)
			claim_total_add(&paper, &totals[i]);
		if (total_count(&totals[i]))
			total_add_row(rows, claim_kinds[i], &totals[i]);
		if (i + 1 == OF_A_PAPER && total_count(&paper))
			total_add_row(rows, "together, of the paper", &paper);
	}
	return rows;
}

void claims_print_totals(const cJSON *claims, FILE *out)
{
	struct claim_total totals[CLAIM_KINDS] = { { 0 } };
	cJSON *rows;

	for (int i = 0; claim_kinds[i]; i++)
		totals[i] = claims_total(claims, claim_kinds[i]);
	rows = claims_total_rows(totals);
	grid_print(rows, TABLE_TEXT, out);
	cJSON_Delete(rows);
}

void claims_print_all(const cJSON *claims, FILE *out)
{
	claims_print(claims, out);
	if (cJSON_GetArraySize(claims) > 0) {
		putc('\n', out);
		claims_print_totals(claims, out);
	}
}
