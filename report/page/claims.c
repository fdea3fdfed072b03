/* Verdicts on a page. */
#include "report/page/parts.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "report/claims/claims.h"
#include "report/claims/rules.h"
#include "report/page/html.h"

#include <stdlib.h>
#include <string.h>

void page_put_score(const struct claim_total *s, FILE *out)
{
	char *text = xasprintf("%d hold%s, %d fail%s, %d undecided, %d not evaluated", s->holds,
			       s->holds == 1 ? "s" : "", s->fails, s->fails == 1 ? "s" : "",
			       s->undecided, s->open);

	html_leaf(out, "p", "score", text);
	free(text);
}

/* The same by kind, a line each. */
static void put_totals(const cJSON *claims, FILE *out)
{
	for (int i = 0; claim_kinds[i]; i++) {
		const struct claim_total t = claims_total(claims, claim_kinds[i]);
		char *text;

		if (!(t.holds + t.fails + t.undecided + t.open))
			continue;
		text = xasprintf("%s: %d hold, %d fail, %d undecided, %d not evaluated",
				 claim_kinds[i], t.holds, t.fails, t.undecided, t.open);
		html_leaf(out, "p", "dim", text);
		free(text);
	}
}

static void put_text(const char *name, const char *class, char *text, FILE *out)
{
	if (*text)
		html_leaf(out, name, class, text);
	free(text);
}

static void put_code(char *text, FILE *out)
{
	if (*text) {
		html_open(out, "p", NULL);
		html_leaf(out, "code", NULL, text);
		html_close(out, "p");
	}
	free(text);
}

static const char *class_of(const char *verdict)
{
	if (!strcmp(verdict, "FAILS"))
		return "fails";
	return !strcmp(verdict, "holds") ? verdict : "open";
}

static void put_claim(const cJSON *claim, FILE *out)
{
	const char *verdict = claim_verdict(claim);
	const char *where = json_word(claim, "where"), *kind = json_word(claim, "kind");

	html_open(out, "li", "class", class_of(verdict), NULL);
	html_leaf(out, "b", NULL, verdict);
	html_leaf(out, "span", NULL, json_word(claim, "says"));
	put_text("cite", NULL, xasprintf("%s%s%s", kind, *kind && *where ? "; " : "", where), out);
	if (*json_word(claim, "quote"))
		html_leaf(out, "q", NULL, json_word(claim, "quote"));
	put_code(claim_figures(claim), out);
	put_code(claim_interval(claim), out);
	put_text("p", "dim", xstrdup(claim_reason(claim)), out);
	put_text("p", "dim", xstrdup(json_word(claim, "warning")), out);
	put_text("p", "dim", claim_criterion(claim), out);
	html_close(out, "li");
}

void page_claims(const cJSON *claims, FILE *out)
{
	const struct claim_total s = claims_total(claims, NULL);
	const cJSON *claim;

	page_put_score(&s, out);
	put_totals(claims, out);
	html_open(out, "ul", "class", "verdicts", NULL);
	cJSON_ArrayForEach(claim, claims)
		put_claim(claim, out);
	html_close(out, "ul");
}
