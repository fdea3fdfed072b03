/* Parses the header of a NumPy array, and turns its elements into numbers. Format: NEP 1. */
#include "data/npz/npy.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "data/store.h"

#include <math.h>
#include <string.h>

size_t npy_header_size(const uint8_t first[12], const char *where)
{
	const unsigned version = first[6];
	size_t length;

	if (memcmp(first, "\x93NUMPY", 6) != 0) {
		error("%s: is no NumPy array: it does not begin with \\x93NUMPY", where);
		return 0;
	}
	if (version < 1 || version > 3) {
		error("%s: version %u of the .npy format (expected 1, 2 or 3). Write it with a "
		      "published NumPy", where, version);
		return 0;
	}
	length = (size_t)little_endian(first + 8, version == 1 ? 2 : 4);
	if (length > NPY_MOST_HEADER) {
		error("%s: a header of %zu bytes (expected at most %d): damaged", where, length,
		      NPY_MOST_HEADER);
		return 0;
	}
	return length + (version == 1 ? 10 : 12);
}

/* ---- the header: a dict of Python ---- */

struct dict {
	const char *at, *end;
	const char *where;
};

static int dict_bad(const struct dict *d)
{
	return error("%s: its header is damaged: it is not {'descr': ..., 'fortran_order': ..., "
		     "'shape': ...}", d->where);
}

static void dict_skip(struct dict *d)
{
	while (d->at < d->end && strchr(" \t\r\n", *d->at) && *d->at)
		d->at++;
}

/* Reads the character, with spaces before it, if it is next. */
static bool dict_sees(struct dict *d, char c)
{
	dict_skip(d);
	if (d->at == d->end || *d->at != c)
		return false;
	d->at++;
	return true;
}

/* text[size] <- a string in quotes. False: there is none, or it is longer. */
static bool dict_text(struct dict *d, char *text, size_t size)
{
	size_t n = 0;
	char quote;

	dict_skip(d);
	if (d->at == d->end || (*d->at != '\'' && *d->at != '"'))
		return false;
	quote = *d->at++;
	while (d->at < d->end && *d->at != quote && n + 1 < size)
		text[n++] = *d->at++;
	text[n] = '\0';
	return dict_sees(d, quote);
}

/* *n <- a whole number, after which Python 2 wrote an L. False: there is none, or too large. */
static bool dict_number(struct dict *d, size_t *n)
{
	const char *from;

	dict_skip(d);
	from = d->at;
	*n = 0;
	for (; d->at < d->end && *d->at >= '0' && *d->at <= '9'; d->at++)
		if (__builtin_mul_overflow(*n, (size_t)10, n)
		    || __builtin_add_overflow(*n, (size_t)(*d->at - '0'), n))
			return false;
	if (d->at == from)
		return false;
	if (d->at < d->end && *d->at == 'L')
		d->at++;
	return true;
}

/* "<f4" and the like. */
static int npy_type(struct npy *a, struct dict *d)
{
	static const char *const known[] = { "b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8",
					     "f2", "f4", "f8" };
	char text[24];

	dict_skip(d);
	if (d->at < d->end && *d->at == '[')
		return error("%s: has records of several fields (expected numbers). Save each "
			     "field as an array", d->where);
	if (!dict_text(d, text, sizeof(text)))
		return dict_bad(d);
	for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++)
		if (*text && strchr("<>|=", *text) && strcmp(text + 1, known[k]) == 0) {
			a->kind = text[1];
			a->width = (size_t)(text[2] - '0');
			a->big = text[0] == '>';
			return 0;
		}
	if (strchr(text, 'O'))
		return error("%s: has Python objects (dtype=object), which are never loaded, for "
			     "they could run a program; ragged rows become objects too. Save an "
			     "array of numbers: .astype('float32')", d->where);
	return error("%s: elements of type '%s' (expected integers, bool, or floats of 16, 32 or "
		     "64 bits). Convert it: .astype('float32')", d->where, text);
}

static int npy_dims(struct npy *a, struct dict *d)
{
	a->rank = 0;
	a->count = 1;
	if (!dict_sees(d, '('))
		return dict_bad(d);
	while (!dict_sees(d, ')')) {
		size_t n;

		if (!dict_number(d, &n) || (!dict_sees(d, ',') && (dict_skip(d), d->at == d->end
								   || *d->at != ')')))
			return dict_bad(d);
		if (a->rank == NPY_MOST_RANK)
			return error("%s: has more than %d dimensions", d->where, NPY_MOST_RANK);
		a->dim[a->rank++] = n;
		if (__builtin_mul_overflow(a->count, n, &a->count))
			return error("%s: impossible sizes in its header: damaged", d->where);
	}
	return 0;
}

static int npy_order(struct npy *a, struct dict *d)
{
	static const char *const words[] = { "False", "True" };

	dict_skip(d);
	for (size_t k = 0; k < 2; k++) {
		const size_t n = strlen(words[k]);

		if ((size_t)(d->end - d->at) >= n && memcmp(d->at, words[k], n) == 0) {
			a->fortran = k;
			d->at += n;
			return 0;
		}
	}
	return dict_bad(d);
}

int npy_parse(struct npy *a, const char *text, size_t n, const char *where)
{
	struct dict d = { text, text + n, where };
	bool type = false, order = false, shape = false;
	size_t bytes;
	char key[24];

	*a = (struct npy){ 0 };
	if (!dict_sees(&d, '{'))
		return dict_bad(&d);
	while (!dict_sees(&d, '}')) {
		int ret;

		if (!dict_text(&d, key, sizeof(key)) || !dict_sees(&d, ':'))
			return dict_bad(&d);
		if (!type && strcmp(key, "descr") == 0)
			type = true, ret = npy_type(a, &d);
		else if (!order && strcmp(key, "fortran_order") == 0)
			order = true, ret = npy_order(a, &d);
		else if (!shape && strcmp(key, "shape") == 0)
			shape = true, ret = npy_dims(a, &d);
		else
			ret = dict_bad(&d);
		if (ret)
			return -1;
		if (!dict_sees(&d, ',') && (dict_skip(&d), d.at == d.end || *d.at != '}'))
			return dict_bad(&d);
	}
	if (!type || !order || !shape)
		return dict_bad(&d);
	if (__builtin_mul_overflow(a->count, a->width, &bytes))
		return error("%s: impossible sizes in its header: damaged", where);
	return 0;
}

char *npy_shape(const struct npy *a)
{
	char *text = NULL;

	for (int k = 0; k < a->rank; k++)
		xappendf(&text, " x ", "%zu", a->dim[k]);
	return text ? text : xstrdup("a single number");
}

/* ---- elements ---- */

/* Value of a float of 16 bits: sign, 5 bits of exponent, 10 of fraction. */
static double half_value(unsigned bits)
{
	const int exponent = (int)(bits >> 10 & 31);
	const double fraction = (double)(bits & 1023) / 1024;
	double v;

	if (exponent == 31)
		v = bits & 1023 ? (double)NAN : (double)INFINITY;
	else
		v = exponent ? ldexp(1 + fraction, exponent - 15) : ldexp(fraction, -14);
	return bits & 0x8000 ? -v : v;
}

static double element_value(const struct npy *a, uint64_t bits)
{
	const unsigned unused = 64 - 8 * (unsigned)a->width;
	union {
		uint64_t u;
		int64_t i;
		double d;
	} wide = { .u = bits };
	union {
		uint32_t u;
		float f;
	} narrow = { .u = (uint32_t)bits };

	switch (a->kind) {
	case 'b':
		return bits != 0;
	case 'u':
		return (double)bits;
	case 'i':
		wide.u = bits << unused;
		return (double)(wide.i >> unused);
	default:
		return a->width == 8 ? wide.d : a->width == 4 ? (double)narrow.f
							      : half_value((unsigned)bits);
	}
}

void npy_convert(const struct npy *a, size_t n, const uint8_t *from, double *to)
{
	for (size_t i = 0; i < n; i++, from += a->width)
		to[i] = element_value(a, a->big ? big_endian(from, a->width)
						: little_endian(from, a->width));
}
