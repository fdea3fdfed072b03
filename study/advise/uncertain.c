/* Finds numbers V+-U in a text, draws values for them, and replaces the numbers by the values. */
#include "study/advise/advise.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/math/rng.h"
#include "core/text/units.h"

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

struct number {                 /* V+-U, V+-P%, each with a unit or without */
	const char *begin, *end;
	const char *unit;       /* [length] as written, of V or else of U */
	size_t length;
	double scale;           /* what one of the unit is, in that of its quantity */
	double mean, sd;        /* in the unit of the quantity */
};

/*
 * Reads a number at p, whose quantity is q where that is known; NULL: it has no +-, or its end.
 * *number_end <- the end of V. The deviation is NaN if no number follows +-, or one of
 * another quantity.
 */
static const char *uncertain_read(const char *p, enum quantity q, const char **number_end,
				  struct number *x)
{
	const char *sign;
	enum quantity own, other;
	char *after;
	size_t length;
	double scale;
	bool relative;

	*x = (struct number){ .begin = p, .sd = (double)NAN };
	x->mean = strtod(p, &after);
	*number_end = x->unit = after;
	own = unit_begins(x->unit, q, &x->length, &x->scale);
	sign = uncertain_sign(x->unit + x->length);
	if (!sign)
		return NULL;
	after = (char *)sign;
	if (isdigit((unsigned char)*sign) || *sign == '.')
		x->sd = strtod(sign, &after);
	relative = *after == '%';
	after += relative;
	other = unit_begins(after, own ? own : q, &length, &scale);
	if (own && other && own != other)
		x->sd = (double)NAN;
	if (!own) {
		x->unit = after;
		x->length = length;
		x->scale = scale;
	}
	x->mean *= x->scale;
	x->sd *= relative ? x->mean / 100.0 : length ? scale : x->scale;
	x->end = after + length;
	return x->end;
}

/* The beginning of the word that ends at p, of letters, digits and the characters in `others`. */
static const char *word_begin(const char *text, const char *p, const char *others)
{
	while (p > text && (isalnum((unsigned char)p[-1]) || strchr(others, p[-1])))
		p--;
	return p;
}

/* The quantity of a number after "KEY=" or "MODEL:" in the text called `name`. */
static enum quantity uncertain_quantity(const char *name, const char *text, const char *number)
{
	const char *end = number > text && strchr("=:", number[-1]) ? number - 1 : number;
	const char *begin = word_begin(text, end, "_");
	scoped char *key =
		end < number ? xasprintf("%.*s", (int)(end - begin), begin) : xstrdup(name);

	return quantity_of_key(key);
}

/* True, and *x is the next V+-U at or after p, which is in the text called `name`. */
static bool uncertain_next(const char *name, const char *text, const char *p, struct number *x)
{
	while (*p) {
		const char *after;

		/* a digit within a word or a number does not begin one */
		if (!isdigit((unsigned char)*p) ||
		    (p > text && (isalnum((unsigned char)p[-1]) || strchr("._", p[-1])))) {
			p++;
			continue;
		}
		if (uncertain_read(p, uncertain_quantity(name, text, p), &after, x))
			return true;
		p = after;
	}
	return false;
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
	APPEND(l->v, l->n) = (struct uncertain){ own, mean, sd };
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
	while (end > text && end[-1] == '/') {
		end = word_begin(text, end - 1, ".+-%\xc2\xb1");
		k += isdigit((unsigned char)*end) || *end == '.';       /* but for Gb/s */
	}
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
	struct number x = { .end = text };
	int ret = 0;

	while (ret == 0 && uncertain_next(name, text, x.end, &x)) {
		scoped char *own = uncertain_name(name, text, x.begin, x.end);

		if (uncertain_has_name(l, own)) {
			scoped char *plain = own;

			own = uncertain_owner(plain, text, x.begin);
		}
		if (uncertain_sign(x.end))
			ret = error("%s '%s': a second +- after a number (expected V+-U or "
				    "V+-P%%)", name, text);
		else if (!(x.sd > 0.0))
			ret = error("%s: an uncertain value is V+-U or V+-P%% (expected a number "
				    "above 0 after +-)", own);
		else if (!isfinite(x.mean) || !isfinite(x.sd))
			ret = error("%s '%s': the number is too large", name, text);
		else if (!(x.mean > 0.0))
			ret = error("%s: %g+-%g: a value with an uncertainty must be above 0", own,
				    x.mean, x.sd);
		else if (x.sd > x.mean)
			ret = error("%s: %g+-%g: the uncertainty is larger than the value "
				    "(expected at most %g). Measure it, or give a smaller one.",
				    own, x.mean, x.sd, x.mean);
		else
			uncertain_add(l, own, x.mean, x.sd);
	}
	return ret;
}

char *uncertain_fill(const char *name, const char *text, const double *values)
{
	struct number x;
	const char *p = text;
	char *filled;
	size_t size;
	FILE *out = xmemstream(&filled, &size);

	while (uncertain_next(name, text, p, &x)) {
		fprintf(out, "%.*s%.9g%.*s", (int)(x.begin - p), p, *values++ / x.scale,
			(int)x.length, x.unit);
		p = x.end;
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
