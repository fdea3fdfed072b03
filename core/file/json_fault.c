/* A recursive-descent checker of JSON that reports the first error and its reason. */
#include "core/file/json.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Specs need about ten; recursion over a tree is safe to here. */
enum { DEEPEST = 64 };

struct reader {
	const char *c;          /* what is read next */
	int depth;
	struct json_fault fault;
};

static bool read_value(struct reader *r);

static bool json_fault_fail(struct reader *r, const char *at, const char *why)
{
	r->fault = (struct json_fault){ at, why };
	return false;
}

static void skip_space(struct reader *r)
{
	r->c += strspn(r->c, " \t\r\n");
}

/* Takes the character when it is next, after white space. */
static bool json_fault_accept(struct reader *r, char c)
{
	skip_space(r);
	if (*r->c != c)
		return false;
	r->c++;
	return true;
}

/* The number after a \u, at its u; moves past it. -1 after json_fault_fail(). */
static int read_code(struct reader *r)
{
	char digits[5] = "";

	for (int i = 0; i < 4; i++) {
		digits[i] = r->c[i + 1];
		if (!isxdigit((unsigned char)digits[i])) {
			json_fault_fail(r, r->c - 1, "\\u needs four hexadecimal digits");
			return -1;
		}
	}
	r->c += 5;
	return (int)strtol(digits, NULL, 16);
}

/* One \u escape, or the two that make a character beyond 16 bits; at the u. */
static bool read_unicode(struct reader *r)
{
	const char *start = r->c - 1;
	int code = read_code(r), low;

	if (code < 0)
		return false;
	if (code == 0)
		return json_fault_fail(r, start, "\\u0000 cannot stand in a text");
	if (code < 0xd800 || code > 0xdfff)
		return true;
	if (code >= 0xdc00 || r->c[0] != '\\' || r->c[1] != 'u')
		return json_fault_fail(r, start, "half of a \\u pair, which is no character");
	r->c++;
	low = read_code(r);
	if (low >= 0 && (low < 0xdc00 || low > 0xdfff))
		return json_fault_fail(r, start, "half of a \\u pair, which is no character");
	return low >= 0;
}

static bool read_escape(struct reader *r)
{
	if (*++r->c != 'u') {
		if (!*r->c || !strchr("\"\\/bfnrt", *r->c))
			return json_fault_fail(r, r->c - 1, "no such escape in a string");
		r->c++;
		return true;
	}
	return read_unicode(r);
}

static bool read_string(struct reader *r)
{
	const char *start = r->c++;

	while (*r->c != '"') {
		if (*r->c == '\\') {
			if (!read_escape(r))
				return false;
		} else if (!*r->c || *r->c == '\n') {
			return json_fault_fail(r, start, "this string has no end on its line");
		} else if ((unsigned char)*r->c < ' ') {
			return json_fault_fail(r, r->c, "a control character in a string");
		} else {
			r->c++;
		}
	}
	r->c++;
	return true;
}

static bool skip_digits(struct reader *r)
{
	const char *start = r->c;

	r->c += strspn(r->c, "0123456789");
	return r->c > start;
}

/* The largest double as cJSON writes it: in 15 digits, which round up. */
static bool is_largest(const char *start, const char *end)
{
	static const char text[] = "1.79769313486232e+308";
	const size_t n = sizeof(text) - 1;

	start += *start == '-';
	return (size_t)(end - start) == n && memcmp(start, text, n) == 0;
}

static bool json_fault_read_number(struct reader *r)
{
	const char *start = r->c;
	bool good;

	r->c += *r->c == '-';
	good = *r->c == '0' ? (r->c++, !isdigit((unsigned char)*r->c)) : skip_digits(r);
	if (good && *r->c == '.') {
		r->c++;
		good = skip_digits(r);
	}
	if (good && (*r->c == 'e' || *r->c == 'E')) {
		r->c++;
		r->c += *r->c == '+' || *r->c == '-';
		good = skip_digits(r);
	}
	if (!good)
		return json_fault_fail(r, start, "not a number as JSON writes it");
	if (!isfinite(strtod(start, NULL)) && !is_largest(start, r->c))
		return json_fault_fail(r, start, "the number is too large");
	return true;
}

static bool read_member(struct reader *r)
{
	skip_space(r);
	if (*r->c != '"')
		return json_fault_fail(r, r->c, "expected a key in double quotes");
	if (!read_string(r))
		return false;
	if (!json_fault_accept(r, ':'))
		return json_fault_fail(r, r->c, "expected ':' after the key");
	return read_value(r);
}

/* Items between brackets, the first of which has been taken. */
static bool read_items(struct reader *r, char close, bool (*item)(struct reader *r),
		       const char *expected)
{
	if (++r->depth > DEEPEST)
		return json_fault_fail(r, r->c - 1, "nested too deeply");
	if (!json_fault_accept(r, close)) {
		do {
			if (!item(r))
				return false;
		} while (json_fault_accept(r, ','));
		if (!json_fault_accept(r, close))
			return json_fault_fail(r, r->c, expected);
	}
	r->depth--;
	return true;
}

static bool read_word(struct reader *r)
{
	static const char *const words[] = { "true", "false", "null" };

	for (int i = 0; i < 3; i++) {
		size_t n = strlen(words[i]);

		if (!strncmp(r->c, words[i], n) && !isalnum((unsigned char)r->c[n])) {
			r->c += n;
			return true;
		}
	}
	if (!*r->c)
		return json_fault_fail(r, r->c, "the text ends too early");
	return json_fault_fail(r, r->c,
			       "expected a value: text in double quotes, a number, true, false, "
			       "null, [ or {");
}

static bool read_value(struct reader *r)
{
	if (json_fault_accept(r, '{'))
		return read_items(r, '}', read_member, "expected ',' or '}'");
	if (json_fault_accept(r, '['))
		return read_items(r, ']', read_value, "expected ',' or ']'");
	if (*r->c == '"')
		return read_string(r);
	if (*r->c == '-' || isdigit((unsigned char)*r->c))
		return json_fault_read_number(r);
	return read_word(r);
}

struct json_fault json_fault(const char *text)
{
	struct reader r = { .c = text };

	if (read_value(&r)) {
		skip_space(&r);
		if (*r.c)
			json_fault_fail(&r, r.c, "the JSON value ends before this");
	}
	return r.fault;
}
