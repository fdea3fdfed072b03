/*
 * page_claims.c - verdicts on a page.
 */
#include "report/page_parts.h"

#include "core/mem.h"
#include "report/claims.h"
#include "report/html.h"
#include "report/table.h"

#include <stdlib.h>

static const cJSON *verdict(const cJSON *claim)
{
	return cJSON_GetObjectItemCaseSensitive(claim, "holds");
}

struct page_score page_score(const cJSON *claims)
{
	struct page_score s = { 0 };
	const cJSON *claim;

	cJSON_ArrayForEach(claim, claims)
		if (cJSON_IsTrue(verdict(claim)))
			s.holds++;
		else if (cJSON_IsFalse(verdict(claim)))
			s.fails++;
		else
			s.open++;
	return s;
}

void page_put_score(const struct page_score *s, FILE *out)
{
	char *text = xasprintf("%d hold%s, %d fail%s, %d not judged", s->holds,
			       s->holds == 1 ? "s" : "", s->fails, s->fails == 1 ? "s" : "",
			       s->open);

	html_leaf(out, "p", "score", text);
	free(text);
}

static void put_claim(const cJSON *claim, FILE *out)
{
	const bool holds = cJSON_IsTrue(verdict(claim)), fails = cJSON_IsFalse(verdict(claim));
	const char *where = table_text(claim, "where"), *why = claim_reason(claim);
	char *figures = claim_figures(claim);

	html_open(out, "li", "class", holds ? "holds" : fails ? "fails" : "open", NULL);
	html_leaf(out, "b", NULL, holds ? "holds" : fails ? "fails" : "not judged");
	html_leaf(out, "span", NULL, table_text(claim, "says"));
	if (*where)
		html_leaf(out, "cite", NULL, where);
	if (*figures) {
		html_open(out, "p", NULL);
		html_leaf(out, "code", NULL, figures);
		html_close(out, "p");
	}
	if (*why)
		html_leaf(out, "p", "dim", why);
	html_close(out, "li");
	free(figures);
}

void page_claims(const cJSON *claims, FILE *out)
{
	const struct page_score s = page_score(claims);
	const cJSON *claim;

	page_put_score(&s, out);
	html_open(out, "ul", "class", "verdicts", NULL);
	cJSON_ArrayForEach(claim, claims)
		put_claim(claim, out);
	html_close(out, "ul");
}
