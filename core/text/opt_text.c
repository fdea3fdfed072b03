/* Converts numbers, booleans and lists of numbers to text and back without loss. */
#include "core/text/opt_text.h"

#include "core/base/mem.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_MAX_CHARS = 64 };

bool text_bool(const char *s, bool *v)
{
	static const char *const word[] = { "false", "true", "no", "yes", "off", "on", "0", "1" };

	for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
		if (!strcmp(s, word[i])) {
			*v = i % 2;
			return true;
		}
	}
	return false;
}

/* strtod(), but without white space, hexadecimal numbers and NaN. */
bool text_double(const char *s, double *v)
{
	char *end;
	double d;

	if (!*s || strspn(s, "+-.0123456789eEinftyINFTY") != strlen(s))
		return false;
	errno = 0;
	d = strtod(s, &end);
	if (end == s || *end || (errno == ERANGE && fabs(d) > 1))
		return false;
	*v = d;
	return true;
}

double text_number(const char *s)
{
	double x;

	return s && text_double(s, &x) ? x : (double)NAN;
}

/* Writes 50k as 50e3, so that strtod() rounds once. False when there is no suffix. */
static bool expand_suffix(const char *s, char *to)
{
	static const char suffix[] = "kMG", power[] = "369";
	size_t n = strlen(s);
	const char *found;

	if (!n || n + 2 > NUMBER_MAX_CHARS)
		return false;
	found = strchr(suffix, s[n - 1]);
	if (!found || !*found)
		return false;
	memcpy(to, s, n - 1);
	to[n - 1] = 'e';
	to[n] = power[found - suffix];
	to[n + 1] = '\0';
	return true;
}

bool text_int(const char *s, int64_t *v)
{
	char expanded[NUMBER_MAX_CHARS], *end;
	long long whole;
	double d;

	errno = 0;
	if (!*s || !strchr("+-0123456789.", *s))
		return false;
	whole = strtoll(s, &end, 10);
	if (end != s && !*end && !errno) {
		*v = whole;
		return true;
	}
	if (!text_double(expand_suffix(s, expanded) ? expanded : s, &d))
		return false;
	if (!(fabs(d) <= 9007199254740992.0) || floor(d) < d) /* 2^53: beyond, not exact */
		return false;
	*v = (int64_t)d;
	return true;
}

/* Removes superfluous characters: 1e+06 becomes 1e6. */
static void tidy_exponent(char *s)
{
	char *to = strchr(s, 'e'), *from;

	if (!to)
		return;
	from = ++to;
	if (*from == '-')
		to++;
	from += strspn(from, "+-0");
	memmove(to, from, strlen(from) + 1);
}

char *double_text(double v)
{
	char s[32];
	double back = 0;

	if (fabs(v) < 1e6 && floor(v) >= v && !signbit(v))      /* most are whole and small */
		return xasprintf("%d", (int)v);
	for (int digits = 6;; digits++) {
		snprintf(s, sizeof(s), "%.*g", digits, v);
		if (digits >= 17 || (text_double(s, &back) && back >= v && back <= v)) {
			tidy_exponent(s);
			return xstrdup(s);
		}
	}
}

bool text_doubles(const char *s, struct opt_doubles *v)
{
	char *copy = xstrdup(s), *at = copy;
	struct opt_doubles list = { 0 };
	bool good = true;

	while (good && *s && at) {
		char *slash = strchr(at, '/');

		if (slash)
			*slash++ = '\0';
		good = text_double(at, &APPEND(list.v, list.n));
		at = slash;
	}
	free(copy);
	if (good)
		*v = list;
	else
		free(list.v);
	return good;
}

char *doubles_text(const struct opt_doubles *v)
{
	char *all = xstrdup("");

	for (size_t i = 0; i < v->n; i++)
		xappend_own(&all, "/", double_text(v->v[i]));
	return all;
}
