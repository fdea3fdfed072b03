/* Verdicts on a page. */
#include "report/page/parts.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "report/claims/claims.h"
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
static void put_totals(const struct verdicts *all, FILE *out)
{
	for (int i = 0; claim_kinds[i]; i++) {
		const struct claim_total t = verdicts_total(all, claim_kinds[i]);
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

static void put_verdict(const struct verdict *v, FILE *out)
{
	const char *shown = verdict_shown(v);
	const char *where = v->of.where ? v->of.where : "", *kind = v->of.kind ? v->of.kind : "";

	html_open(out, "li", "class", !strcmp(shown, "FAILS") ? "fails" :
		  !strcmp(shown, "holds") ? shown : "open", NULL);
	html_leaf(out, "b", NULL, shown);
	html_leaf(out, "span", NULL, v->of.says ? v->of.says : "");
	put_text("cite", NULL, xasprintf("%s%s%s", kind, *kind && *where ? "; " : "", where), out);
	if (v->of.quote && *v->of.quote)
		html_leaf(out, "q", NULL, v->of.quote);
	put_code(verdict_figures(v), out);
	put_code(verdict_interval(v), out);
	put_text("p", "dim", xstrdup(verdict_why(v)), out);
	put_text("p", "dim", xstrdup(v->warning ? v->warning : ""), out);
	put_text("p", "dim", verdict_criterion(v), out);
	html_close(out, "li");
}

void page_claims(const struct verdicts *all, FILE *out)
{
	const struct claim_total s = verdicts_total(all, NULL);

	page_put_score(&s, out);
	put_totals(all, out);
	html_open(out, "ul", "class", "verdicts", NULL);
	for (size_t i = 0; i < all->n; i++)
		put_verdict(&all->v[i], out);
	html_close(out, "ul");
}
