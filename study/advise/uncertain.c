/* Finds numbers V+-U in a text, draws values for them, and replaces the numbers by the values. */
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

/* ---- parsing a number V+-U ---- */

/* Returns what follows "+-" or "±" at p; NULL: p has neither. */
static const char *uncertain_sign(const char *p)
{
	static const char sign[] = "\xc2\xb1"; /* ± in UTF-8 */

	return strncmp(p, "+-", 2) == 0			? p + 2
	       : strncmp(p, sign, strlen(sign)) == 0	? p + strlen(sign)
							: NULL;
}

/*
 * Reads V+-U or V+-P% at p and returns its end; NULL: the number has no +-. *number_end <- the end
 * of V. *sd is NaN if no number follows +-.
 */
static const char *uncertain_read(const char *p, const char **number_end, double *mean, double *sd)
{
	const char *sign, *after;
	char *number;

	*mean = strtod(p, &number);
	*number_end = number;
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

/* The next number V+-U at or after p, which is in `text`; *end <- its end. NULL: there is none. */
static const char *uncertain_next(const char *text, const char *p, const char **end, double *mean,
				  double *sd)
{
	while (*p) {
		const char *after;

		/* a digit within a word or a number does not begin one */
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

/* True when a value of the list has that name. */
static bool uncertain_has_name(const struct uncertain_list *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->v[i].name, name) == 0)
			return true;
	return false;
}

void uncertain_add(struct uncertain_list *l, const char *name, double mean, double sd)
{
	char *own = xstrdup(name);

	for (int k = 2; uncertain_has_name(l, own); k++) {
		free(own);
		own = xasprintf("%s (%d)", name, k);
	}
	l->v = xrealloc(l->v, l->n + 1, sizeof(*l->v));
	l->v[l->n++] = (struct uncertain){ own, mean, sd };
}

/* The beginning of the word that ends at p, of letters, digits and the characters in `others`. */
static const char *word_begin(const char *text, const char *p, const char *others)
{
	while (p > text && (isalnum((unsigned char)p[-1]) || strchr(others, p[-1])))
		p--;
	return p;
}

/*
 * Name of the number from `number` to `after` in the text called `name`: "link.latency_s" after
 * "latency_s=", with "[2]" if it is the second of a list. The caller frees.
 */
static char *uncertain_name(const char *name, const char *text, const char *number,
			    const char *after)
{
	const char *end = number, *begin;
	char *index, *own;
	int k = 0;

	/* in a list A/B/C: k items are before the number, and `end` becomes the list's beginning */
	for (; end > text && end[-1] == '/'; k++)
		end = word_begin(text, end - 1, ".+-%\xc2\xb1");
	index = k || *after == '/' ? xasprintf("[%d]", k + 1) : xstrdup("");
	if (end == text || end[-1] != '=') {
		own = xasprintf("%s%s", name, index);
	} else {
		begin = word_begin(text, --end, "_");
		own = xasprintf("%s.%.*s%s", name, (int)(end - begin), begin, index);
	}
	free(index);
	return own;
}

/* The name, with ranks and model of the number's clause: "NAME of 0: static". The caller frees. */
static char *uncertain_owner(const char *name, const char *text, const char *number)
{
	const char *clause = number, *colon = number, *model;
	int who;                /* length of the ranks, or of "server"; 0: for all workers */

	/* a clause begins after ';', or after a '+' before "RANK:" */
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
	model = word_begin(clause, colon, "-_");
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

		if (uncertain_has_name(l, own)) {
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
		else if (!isfinite(mean) || !isfinite(sd))
			ret = error("%s '%s': the number is too large", name, text);
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
	/* of the logarithm: ln(1 + (sd / mean)^2); its mean is ln(mean) - variance / 2 */
	const double variance = log1p(u->sd / u->mean * (u->sd / u->mean));

	return u->mean * exp(sqrt(variance) * z - 0.5 * variance);
}

double uncertain_draw(const struct uncertain *u, uint64_t seed)
{
	struct rng r;

	rng_at(&r, seed, RNG_ADVISE, 0, fnv_text(FNV_START, u->name));
	return rng_normal(&r);
}
