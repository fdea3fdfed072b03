/* Parses numbers, words and spans at the beginning of a text, and prints them. */
#include "core/text/parse.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/text/opt_text.h"
#include "core/text/units.h"
#include "core/text/word.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* strtod(), but without hexadecimal numbers. */
bool parse_number(const char **p, double *value)
{
	char *end;

	if (**p < '0' || **p > '9' || (*p)[1] == 'x' || (*p)[1] == 'X')
		return false;
	*value = strtod(*p, &end);
	*p = end;
	return isfinite(*value);
}

bool parse_char(const char **p, char c)
{
	if (**p != c)
		return false;
	(*p)++;
	return true;
}

bool parse_word(const char **p, const char *word)
{
	const size_t n = strlen(word);

	if (strncmp(*p, word, n) != 0)
		return false;
	*p += n;
	return true;
}

static const double seconds_most = 1e15;        /* a clock has whole seconds up to there */

bool parse_time(const char **p, double *seconds)
{
	const char *end = *p;
	char *text;
	bool good;

	if (*end < '0' || *end > '9' || end[1] == 'x' || end[1] == 'X' ||
	    !unit_parse(&end, QUANTITY_TIME, seconds))
		return false;
	text = xasprintf("%.*s", (int)(end - *p), *p);
	good = unit_text(NULL, text, QUANTITY_TIME, seconds) && *seconds <= seconds_most;
	free(text);
	*p = good ? end : *p;
	return good;
}

bool parse_span(const char **p, double *from, double *to)
{
	return parse_time(p, from) && parse_char(p, '-') && parse_time(p, to) && *to > *from;
}

static int refuse_key(const char *setting, const char *text, const struct parse_key *key)
{
	scoped char *assigned = xasprintf("%s=", key->name);
	const char *value = text, *end;
	double seconds;
	int ret = 0;

	while (ret == 0 && (value = strstr(value, assigned))) {
		value += strlen(assigned);
		end = value;
		if (!parse_time(&end, &seconds) || (key->above_0 && !(seconds > 0.0))) {
			scoped char *own = xasprintf("%.*s", (int)strcspn(value, ",+"), value);
			scoped char *advice = unit_advice(QUANTITY_TIME, own);

			ret = error("%s '%s': %s must be a number of seconds, %s, not '%s'%s",
				    setting, text, key->name,
				    key->above_0 ? "more than 0" : "at least 0", own,
				    strtod(own, NULL) > seconds_most ? ": the most is 1e15" :
									advice);
		}
	}
	return ret;
}

/* Letters after a digit are a unit, and no word. */
static int refuse_word(const char *setting, const char *text, const char *const *words)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	size_t n;
	int ret = 0;

	for (const char *p = text; *p && ret == 0; p += n ? n : 1) {
		n = strspn(p, letters);
		if (n && (p == text || p[-1] < '0' || p[-1] > '9')) {
			scoped char *word = xasprintf("%.*s", (int)n, p);
			const char *near = nearest_word(word, words);

			if (near && !word_is_among(word, words))
				ret = error("%s '%s': unknown word '%s'; did you mean '%s'?",
					    setting, text, word, near);
		}
	}
	return ret;
}

static int refuse_unit(const char *setting, const char *text, const char *time)
{
	scoped char *own = xasprintf("%.*s", (int)strcspn(time, "-,+"), time);
	scoped char *advice = unit_advice(QUANTITY_TIME, own);
	int ret = 0;

	if (*advice)
		ret = error("%s '%s': '%s' must be a number of seconds%s", setting, text, own,
			    advice);
	return ret;
}

static int refuse_span(const char *setting, const char *text)
{
	const char *p = text;
	double from, to;

	while ((p = strchr(p, '@'))) {
		bool has_to = false;

		p++;
		if (!parse_time(&p, &from) ||
		    ((has_to = parse_char(&p, '-')) && !parse_time(&p, &to))) {
			if (refuse_unit(setting, text, p) < 0)
				return -1;
		} else if (has_to && to <= from) {
			return error("%s '%s': FROM = %g must be before TO = %g", setting, text,
				     from, to);
		}
	}
	return 0;
}

int parse_refuse(const char *setting, const char *text, const struct parse_key *keys,
		 const char *const *words)
{
	for (; keys->name; keys++)
		if (refuse_key(setting, text, keys) < 0)
			return -1;
	return refuse_span(setting, text) < 0 ? -1 : refuse_word(setting, text, words);
}

void put_number(double value, FILE *out)
{
	scoped char *text = double_text(value);

	fputs(text, out);
}

void put_span(double from, double to, FILE *out)
{
	put_number(from, out);
	if (isinf(to))
		return;
	putc('-', out);
	put_number(to, out);
}

char *list_text(size_t n, void (*put)(const void *of, size_t i, FILE *out), const void *of)
{
	char *text;
	size_t size;
	FILE *out;

	if (!n)
		return xstrdup("none");
	out = xmemstream(&text, &size);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? "+" : "", out);
		put(of, i, out);
	}
	xmemclose(out);
	return text;
}
