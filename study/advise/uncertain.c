/* Finds numbers V+-U in a text, draws values for them and puts these in their stead. */
#include "study/advise/advise.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/math/rng.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the grammar ---- */

/* After "+-" or "±" at p; NULL: neither is there. */
static const char *uncertain_sign(const char *p)
{
	static const char sign[] = "\xc2\xb1";

	return strncmp(p, "+-", 2) == 0			? p + 2
	       : strncmp(p, sign, strlen(sign)) == 0	? p + strlen(sign)
							: NULL;
}

/* The end of a number V+-U that begins at p; NULL: of one without. NaN: U is no number. */
static const char *uncertain_read(const char *p, const char **end, double *mean, double *sd)
{
	const char *sign, *after;
	char *number;

	*mean = strtod(p, &number);
	*end = after = number;
	sign = uncertain_sign(number);
	if (!sign)
		return NULL;
	*sd = (double)NAN;
	after = sign;
	if (isdigit((unsigned char)*sign) || *sign == '.') {
		*sd = strtod(sign, &number);
		after = number;
	}
	if (*after == '%') {
		*sd *= *mean / 100.0;
		after++;
	}
	return after;
}

/* The next number V+-U at or after p, its end in *end; NULL: there is none. */
static const char *uncertain_next(const char *text, const char *p, const char **end, double *mean,
				  double *sd)
{
	while (*p) {
		const char *after;

		if (!isdigit((unsigned char)*p) ||
		    (p > text && (isalnum((unsigned char)p[-1]) || strchr("._", p[-1])))) {
			p++;
			continue;
		}
		*end = uncertain_read(p, &after, mean, sd);
		if (*end)
			return p;
		p = after;
	}
	return NULL;
}

/* ---- the list ---- */

static bool uncertain_taken(const struct uncertain_list *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->v[i].name, name) == 0)
			return true;
	return false;
}

void uncertain_add(struct uncertain_list *l, const char *name, double mean, double sd)
{
	char *own = xstrdup(name);

	for (int k = 2; uncertain_taken(l, own); k++) {
		free(own);
		own = xasprintf("%s (%d)", name, k);
	}
	l->v = xrealloc(l->v, l->n + 1, sizeof(*l->v));
	l->v[l->n++] = (struct uncertain){ own, mean, sd };
}

/* The beginning of the word that ends at p: of letters, digits and what else it may have. */
static const char *uncertain_word(const char *text, const char *p, const char *else_has)
{
	while (p > text && (isalnum((unsigned char)p[-1]) || strchr(else_has, p[-1])))
		p--;
	return p;
}

/* "link.latency_s" of what stands after "latency_s=", "[2]" after it in a list; owned. */
static char *uncertain_name(const char *name, const char *text, const char *number,
			    const char *after)
{
	const char *end = number, *begin;
	char *index, *own;
	int k = 0;

	/* of a list A/B/C its beginning, and how many stand before the number */
	for (; end > text && end[-1] == '/'; k++)
		end = uncertain_word(text, end - 1, ".+-%\xc2\xb1");
	index = k || *after == '/' ? xasprintf("[%d]", k + 1) : xstrdup("");
	if (end == text || end[-1] != '=') {
		own = xasprintf("%s%s", name, index);
	} else {
		begin = uncertain_word(text, --end, "_");
		own = xasprintf("%s.%.*s%s", name, (int)(end - begin), begin, index);
	}
	free(index);
	return own;
}

/* NAME and the ranks and the model of the number, such as " of 0: static"; owned. */
static char *uncertain_owner(const char *name, const char *text, const char *number)
{
	const char *clause = number, *colon = number, *model;
	int who;

	/* the number's clause begins after ';', and in a sum of clauses after its '+' */
	while (clause > text && clause[-1] != ';' &&
	       !(clause[-1] == '+' && isdigit((unsigned char)*clause) &&
		 clause[strspn(clause, "0123456789")] == ':'))
		clause--;
	clause += strspn(clause, " ");
	who = isdigit((unsigned char)*clause) || strncmp(clause, "server", 6) == 0
		      ? (int)strcspn(clause, ":") : 0;
	while (colon > clause && *colon != ':')
		colon--;
	if (*colon != ':')
		return xstrdup(name);
	model = uncertain_word(clause, colon, "-_");
	if (colon == clause + who)
		return xasprintf("%s of %.*s", name, who, clause);
	return xasprintf("%s of %.*s%s%.*s", name, who, clause, who ? ": " : "",
			 (int)(colon - model), model);
}

int uncertain_find(struct uncertain_list *l, const char *name, const char *text)
{
	const char *p = text, *end;
	double mean, sd;
	int ret = 0;

	while (ret == 0 && (p = uncertain_next(text, p, &end, &mean, &sd))) {
		char *own = uncertain_name(name, text, p, end);

		if (uncertain_taken(l, own)) {
			char *plain = own;

			own = uncertain_owner(plain, text, p);
			free(plain);
		}
		if (uncertain_sign(end))
			ret = error("%s '%s': a second +- after a number (expected V+-U or "
				    "V+-P%%)", name, text);
		else if (!(sd > 0.0))
			ret = error("%s: an uncertain value is V+-U or V+-P%% (expected a number "
				    "above 0 after +-)", own);
		else if (!(mean > 0.0))
			ret = error("%s: %g+-%g: a value with an uncertainty must be above 0", own,
				    mean, sd);
		else if (sd > mean)
			ret = error("%s: %g+-%g: the uncertainty is larger than the value "
				    "(expected at most %g). Measure it, or give a smaller one.",
				    own, mean, sd, mean);
		else
			uncertain_add(l, own, mean, sd);
		free(own);
		p = end;
	}
	return ret;
}

char *uncertain_fill(const char *text, const double *values)
{
	const char *p = text, *number, *end;
	double mean, sd;
	char *filled;
	size_t size;
	FILE *out = xmemstream(&filled, &size);

	while ((number = uncertain_next(text, p, &end, &mean, &sd))) {
		fprintf(out, "%.*s%.9g", (int)(number - p), p, *values++);
		p = end;
	}
	fputs(p, out);
	xmemclose(out);
	return filled;
}

void uncertain_release(struct uncertain_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i].name);
	free(l->v);
	*l = (struct uncertain_list){ 0 };
}

/* ---- draws ---- */

double uncertain_at(const struct uncertain *u, double z)
{
	const double variance = log1p(u->sd / u->mean * (u->sd / u->mean));

	return u->mean * exp(sqrt(variance) * z - 0.5 * variance);
}

double uncertain_draw(const struct uncertain *u, uint64_t seed)
{
	struct rng r;

	rng_at(&r, seed, RNG_ADVISE, 0, fnv_text(FNV_START, u->name));
	return rng_normal(&r);
}
