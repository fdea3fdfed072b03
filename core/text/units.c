/* Parses numbers with units, says what was understood, and which unit is wrong. */
#include "core/text/units.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/text/opt_text.h"
#include "core/text/word.h"
#include "core/text/wrap.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* With a prefix, in bits a second and in bytes a second, of QUANTITY_RATE; and in bytes. */
#define BITS(prefix, power)                                                                        \
	{ prefix "b/s", QUANTITY_RATE, -9 + (power), 0.125 },                                      \
	{ prefix "bit/s", QUANTITY_RATE, -9 + (power), 0.125 },                                    \
	{ prefix "bps", QUANTITY_RATE, -9 + (power), 0.125 }
#define BYTES(prefix, power)                                                                       \
	{ prefix "B/s", QUANTITY_RATE, -9 + (power), 1 },                                          \
	{ prefix "Bps", QUANTITY_RATE, -9 + (power), 1 }, { prefix "B", QUANTITY_SIZE, power, 1 }

/*
 * A unit is times * 10^power of its quantity's. Powers of ten are put into the number's own
 * exponent; other factors are powers of two, which are exact, or 60 seconds and the like.
 */
static const struct unit {
	const char *name;
	enum quantity quantity;
	int power;
	double times;
} units[] = {
	{ "ns", QUANTITY_TIME, -9, 1 }, { "us", QUANTITY_TIME, -6, 1 },
	{ "\u00b5s", QUANTITY_TIME, -6, 1 }, { "\u03bcs", QUANTITY_TIME, -6, 1 },
	{ "ms", QUANTITY_TIME, -3, 1 }, { "s", QUANTITY_TIME, 0, 1 },
	{ "min", QUANTITY_TIME, 0, 60 }, { "h", QUANTITY_TIME, 0, 3600 },
	{ "d", QUANTITY_TIME, 0, 86400 },
	BITS("", 0), BITS("k", 3), BITS("M", 6), BITS("G", 9), BITS("T", 12),
	BYTES("", 0), BYTES("k", 3), BYTES("M", 6), BYTES("G", 9), BYTES("T", 12),
	{ "bytes", QUANTITY_SIZE, 0, 1 },
	{ "MiB/s", QUANTITY_RATE, -9, 1048576.0 }, { "GiB/s", QUANTITY_RATE, -9, 1073741824.0 },
	{ "KiB", QUANTITY_SIZE, 0, 1024 }, { "MiB", QUANTITY_SIZE, 0, 1048576.0 },
	{ "GiB", QUANTITY_SIZE, 0, 1073741824.0 }, { "TiB", QUANTITY_SIZE, 0, 1099511627776.0 },
	{ "k", QUANTITY_SIZE, 3, 1 }, { "M", QUANTITY_SIZE, 6, 1 }, { "G", QUANTITY_SIZE, 9, 1 },
	{ "T", QUANTITY_SIZE, 12, 1 },
	{ "k", QUANTITY_COUNT, 3, 1 }, { "M", QUANTITY_COUNT, 6, 1 }, { "G", QUANTITY_COUNT, 9, 1 },
	{ "B", QUANTITY_COUNT, 9, 1 }, { "T", QUANTITY_COUNT, 12, 1 },
};

enum { UNITS = sizeof(units) / sizeof(units[0]), LONGEST = 48 };

static const struct quantity_words {
	const char *name, *unit, *examples, *all, *keys;
} quantities[] = {
	[QUANTITY_TIME] = { "time", " s", "0.64, 640ms or 3h", "ns us ms s min h d",
			    "keys that end in _s, and values written SECONDS or TIME" },
	[QUANTITY_RATE] = { "rate", " GB/s", "12.5, 12.5GB/s or 100Gb/s",
			    "b/s kb/s Mb/s Gb/s Tb/s (bits; or Gbps, Gbit/s); B/s kB/s MB/s GB/s "
			    "TB/s (bytes; or GBps); MiB/s GiB/s",
			    "keys that end in GBps" },
	[QUANTITY_SIZE] = { "size", " bytes", "2.6e9, 2.6GB or 25MiB",
			    "B (or bytes) kB MB GB TB (powers of 1000; or k M G T), KiB MiB GiB "
			    "TiB",
			    "keys that end in bytes, and values written BYTES" },
	[QUANTITY_COUNT] = { "count", "", "1e6, 350M or 1.3B", "k M G T, and B for 1e9",
			     "whole numbers, and values written N" },
};

static bool ends_in(const char *name, const char *end)
{
	return strcmp(name, end) == 0 || word_ends(name, end);
}

enum quantity quantity_of_key(const char *key)
{
	if (ends_in(key, "GBps"))
		return QUANTITY_RATE;
	if (ends_in(key, "bytes"))
		return QUANTITY_SIZE;
	if (ends_in(key, "seconds") || (word_ends(key, "_s") && !word_ends(key, "_per_s")))
		return QUANTITY_TIME;
	return QUANTITY_NONE;
}

enum quantity quantity_of(const struct opt *o)
{
	static const struct {
		const char *arg;
		enum quantity quantity;
	} args[] = {
		{ "SECONDS", QUANTITY_TIME }, { "BYTES", QUANTITY_SIZE },
		{ "GB/S", QUANTITY_RATE }, { "GB/s", QUANTITY_RATE }, { "N", QUANTITY_COUNT },
	};

	if (o->type == OPT_BOOL || o->type == OPT_STRING || o->type == OPT_ENUM)
		return QUANTITY_NONE;
	for (size_t i = 0; o->arg && i < sizeof(args) / sizeof(args[0]); i++)
		if (strcmp(o->arg, args[i].arg) == 0)
			return args[i].quantity;
	if (quantity_of_key(o->name) != QUANTITY_NONE)
		return quantity_of_key(o->name);
	return opt_is_whole(o) ? QUANTITY_COUNT : QUANTITY_NONE;
}

/* ---- numbers ---- */

struct pieces {                 /* "-1.5e3 Gb/s": "-1.5", 3, "Gb/s" */
	const char *end;        /* of the whole */
	char mantissa[LONGEST], unit[LONGEST];
	long exponent;
};

static const char digits[] = "0123456789";

/* Length of letters, the bytes of a Greek one, and "/s". */
static size_t letters_length(const char *p)
{
	size_t n = 0;

	while ((p[n] >= 'a' && p[n] <= 'z') || (p[n] >= 'A' && p[n] <= 'Z') ||
	       (unsigned char)p[n] >= 0x80 ||
	       (n && p[n] == '/' && p[n + 1] >= 'a' && p[n + 1] <= 'z'))
		n++;
	return n;
}

/* False where there is no decimal number, or one longer than anyone writes. */
static bool pieces_take(struct pieces *x, const char *p)
{
	const char *begin = p, *letters;
	size_t n, whole, part;
	char *end;

	p += *p == '-' || *p == '+';
	whole = strspn(p, digits);
	p += whole;
	part = *p == '.' ? strspn(p + 1, digits) : 0;
	p += *p == '.' ? 1 + part : 0;
	n = (size_t)(p - begin);
	if (whole + part == 0 || n >= sizeof(x->mantissa))
		return false;
	memcpy(x->mantissa, begin, n);
	x->mantissa[n] = '\0';
	x->exponent = 0;
	if ((*p == 'e' || *p == 'E') &&
	    isdigit((unsigned char)p[1 + (p[1] == '-' || p[1] == '+')])) {
		x->exponent = strtol(p + 1, &end, 10);
		p = end;
	}
	letters = p + (*p == ' ');
	n = letters_length(letters);
	if (n >= sizeof(x->unit) || x->exponent < -9999 || x->exponent > 9999)
		return false;
	memcpy(x->unit, letters, n);
	x->unit[n] = '\0';
	x->end = n ? letters + n : p;
	return true;
}

static const struct unit *unit_find(const char *name, enum quantity q)
{
	for (size_t i = 0; i < UNITS; i++)
		if (units[i].quantity == q && strcmp(units[i].name, name) == 0)
			return &units[i];
	return NULL;
}

bool unit_parse(const char **p, enum quantity q, double *value)
{
	static const struct unit none = { "", QUANTITY_NONE, 0, 1 };
	char text[LONGEST + 32];
	const struct unit *u;
	struct pieces x;
	double v;

	if (!pieces_take(&x, *p))
		return false;
	u = *x.unit ? unit_find(x.unit, q) : &none;
	if (!u)
		return false;
	snprintf(text, sizeof(text), "%se%ld", x.mantissa, x.exponent + u->power);
	errno = 0;
	v = fabs(u->times - 1.0) > 0.0 ? (double)(strtold(text, NULL) * (long double)u->times)
				       : strtod(text, NULL);
	if (!isfinite(v) || (errno == ERANGE && fabs(v) > 1))
		return false;
	/* of 2.6GiB, whose bytes are no whole number */
	*value = q == QUANTITY_SIZE && *x.unit && fabs(v) >= 1.0 ? nearbyint(v) : v;
	*p = x.end;
	return true;
}

enum quantity unit_begins(const char *text, enum quantity q, size_t *length, double *scale)
{
	const enum quantity any[] = { q, QUANTITY_TIME, QUANTITY_RATE, QUANTITY_COUNT,
				      QUANTITY_SIZE };
	enum quantity found = QUANTITY_NONE;
	size_t n = letters_length(text);
	scoped char *one = NULL;

	/* a plus-minus sign may follow, whose bytes count as letters */
	for (size_t i = 0; i + 1 < n; i++)
		n = strncmp(text + i, "\u00b1", 2) == 0 ? i : n;
	one = xasprintf("1%.*s", (int)n, text);
	*length = 0;
	*scale = 1.0;
	for (size_t i = 0; i < sizeof(any) / sizeof(any[0]) && n && !found; i++) {
		const char *p = one;

		if (any[i] != QUANTITY_NONE && unit_parse(&p, any[i], scale) && !*p) {
			found = any[i];
			*length = n;
		}
	}
	return found;
}

/* ---- what was understood ---- */

static char *understood;        /* pieces of the line, joined by ", "; owned */
static int more;                /* that it leaves out */

enum { UNDERSTOOD_MOST = 400 }; /* characters, about */

/* Notes a value that has a unit, once. */
static void unit_note(const char *key, const char *text, enum quantity q, double value)
{
	char *number = double_text(value), *piece, *found;
	size_t n;

	piece = xasprintf("%s%s%s = %s%s", key ? key : "", key ? " " : "", text, number,
			  quantities[q].unit);
	n = strlen(piece);
	found = understood;
	while (found && (found = strstr(found, piece)) && found[n] && found[n] != ',')
		found += n;
	if (!found && understood && strlen(understood) > UNDERSTOOD_MOST)
		more++;
	else if (!found)
		xappend(&understood, understood ? ", " : "", piece);
	free_all(piece, number);
}

char *units_understood(void)
{
	char *line = NULL;

	if (understood && more)
		line = xasprintf("understood: %s, and %d more", understood, more);
	else if (understood)
		line = xasprintf("understood: %s", understood);
	free(understood);
	understood = NULL;
	more = 0;
	return line;
}

bool unit_text(const char *key, const char *text, enum quantity q, double *value)
{
	const char *p = text;
	struct pieces x;
	double v;

	if (!unit_parse(&p, q, &v) || *p)
		return false;
	pieces_take(&x, text);
	if (*x.unit)
		unit_note(key, text, q, v);
	*value = v;
	return true;
}

char *unit_lend(enum quantity q, const char *number, const char *like)
{
	struct pieces own, other;
	const bool lends = q != QUANTITY_COUNT && pieces_take(&own, number) && !*own.unit &&
			   !*own.end && pieces_take(&other, like) && unit_find(other.unit, q);

	return xasprintf("%s%s", number, lends ? other.unit : "");
}

bool unit_opt(const struct opt *o, const char *text, double *value)
{
	const enum quantity q = quantity_of(o);

	return q != QUANTITY_NONE && unit_text(o->name, text, q, value);
}

/* ---- what is wrong ---- */

/* The quantity that has such a unit, or QUANTITY_NONE. */
static enum quantity unit_owner(const char *name)
{
	for (size_t i = 0; i < UNITS; i++)
		if (strcmp(units[i].name, name) == 0)
			return units[i].quantity;
	return QUANTITY_NONE;
}

/* The unit of that quantity which differs only in case, or has the most in common; or NULL. */
static const char *unit_nearest(const char *name, enum quantity q)
{
	static const char *const others[][2] = {
		{ "sec", "s" }, { "secs", "s" }, { "second", "s" }, { "seconds", "s" },
		{ "m", "min" }, { "mins", "min" }, { "minute", "min" }, { "minutes", "min" },
		{ "hr", "h" }, { "hrs", "h" }, { "hour", "h" }, { "hours", "h" }, { "day", "d" },
		{ "days", "d" }, { "msec", "ms" }, { "usec", "us" }, { "nsec", "ns" },
		{ "million", "M" }, { "billion", "B" }, { "bn", "B" }, { "mio", "M" },
	};
	const char *names[UNITS + 1];
	size_t n = 0;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (word_same(others[i][0], name) && unit_find(others[i][1], q))
			return others[i][1];
	for (size_t i = 0; i < UNITS; i++)
		if (units[i].quantity == q)
			names[n++] = units[i].name;
	names[n] = NULL;
	for (size_t i = 0; i < n; i++)
		if (word_same(names[i], name))
			return names[i];
	return strlen(name) > 2 ? nearest_word(name, names) : NULL;
}

/* Meanings of a rate or a size with or without b or B. The caller frees; NULL: nothing to say. */
static char *unit_bits(const struct pieces *x, enum quantity q)
{
	const char *u = x->unit, *rest = u + (strchr("kKmMgGtT", *u) ? 1 : 0);
	const bool prefix = strchr("kMGT", *u) != NULL;

	if (q == QUANTITY_RATE && prefix && !*rest)
		return xasprintf(": '%s' may be bits or bytes; expected %s%sb/s (bits) or %s%sB/s "
				 "(bytes)", u, x->mantissa, u, x->mantissa, u);
	if (q == QUANTITY_RATE &&
	    (word_same(rest, "b/s") || word_same(rest, "bps") || word_same(rest, "b")))
		return xasprintf(": unknown unit '%s'; expected a rate, such as Gb/s (bits) or "
				 "GB/s (bytes)", u);
	if (q == QUANTITY_SIZE && (prefix || rest == u) &&
	    (strcmp(rest, "b") == 0 || word_same(rest, "bit")))
		return xasprintf(": '%s' is bits, and a size is in bytes; expected %.*sB or, if "
				 "bits are meant, an eighth of it", u, (int)(rest - u), u);
	return NULL;
}

char *unit_advice(enum quantity q, const char *text)
{
	const struct quantity_words *w = &quantities[q];
	enum quantity owner;
	const char *near;
	struct pieces x;
	char *bits, *end;
	const double number = strtod(text, &end);

	if (q == QUANTITY_NONE && end > text && strcmp(end, "%") == 0)
		return xasprintf(": as a share of 1, %s is %g", text, number / 100.0);
	if (q == QUANTITY_NONE || !pieces_take(&x, text) || *x.end || !*x.unit)
		return xstrdup("");
	if (q == QUANTITY_SIZE && strcmp(x.unit, "B") == 0)
		return xasprintf(": B is a byte, and a billion bytes are %sGB", x.mantissa);
	if (unit_find(x.unit, q))
		return xstrdup("");
	bits = unit_bits(&x, q);
	if (bits)
		return bits;
	owner = unit_owner(x.unit);
	if (owner != QUANTITY_NONE)
		return xasprintf(": '%s' is a unit of a %s; expected a %s, such as %s", x.unit,
				 quantities[owner].name, w->name, w->examples);
	near = unit_nearest(x.unit, q);
	return near ? xasprintf(": unknown unit '%s'; did you mean '%s'?", x.unit, near)
		    : xasprintf(": unknown unit '%s'; expected a %s, such as %s", x.unit, w->name,
				w->examples);
}

/* ---- prices ---- */

/* Characters of a currency at the beginning of a text: a sign, or letters. */
static size_t currency_take(const char *p)
{
	size_t n = 0;

	while (p[n] == '$' || (p[n] >= 'a' && p[n] <= 'z') || (p[n] >= 'A' && p[n] <= 'Z') ||
	       (unsigned char)p[n] >= 0x80)
		n++;
	return n;
}

/* True of a unit of a number, or of what is in it before a '/': no currency is called so. */
static bool currency_is_unit(const char *name, size_t n)
{
	for (size_t i = 0; i < UNITS; i++)
		if (strcspn(units[i].name, "/") == n && strncmp(units[i].name, name, n) == 0)
			return true;
	return false;
}

/* True where the text is a price; a currency stands before or after the number. */
static bool price_read(struct price *x, const char *text)
{
	const size_t before = currency_take(text);
	const char *p = text + before, *unit;
	size_t after, length;
	double amount = 0.0, hour;
	const struct unit *u = NULL;
	char *number;
	int taken = 0;

	*x = (struct price){ .per_hour = 0.0 };
	p += *p == ' ';
	if (sscanf(p, "%*[0-9.]%n", &taken) != 0 || taken >= LONGEST)
		return false;
	number = xasprintf("%.*s", taken, p);
	if (!text_double(number, &amount) || amount > 1e12)
		taken = 0;
	free(number);
	p += taken + (p[taken] == ' ');
	after = currency_take(p);
	if (taken == 0 || (before && after) || before + after > CURRENCY_LONGEST ||
	    p[after] != '/' || currency_is_unit(before ? text : p, before + after))
		return false;
	memcpy(x->currency, before ? text : p, before + after);
	unit = p + after + 1;
	length = strcspn(unit, "/");
	for (size_t i = 0; i < UNITS && !u; i++)
		if (units[i].quantity == QUANTITY_TIME && strlen(units[i].name) == length &&
		    strncmp(units[i].name, unit, length) == 0)
			u = &units[i];
	x->of_worker = strcmp(unit + length, "/worker") == 0;
	if (!u || u->power != 0 || (unit[length] && !x->of_worker))
		return false;
	hour = 3600.0 / u->times;
	x->per_hour = amount * hour;
	return isfinite(x->per_hour);
}

/* The price that a text with another time or device means: "2/hour", "2/gpu-hr". NULL: none. */
static char *price_meant(const char *text)
{
	const char *slash = strchr(text, '/'), *near, *unit;
	struct price x;
	char *time, *meant;

	if (!slash)
		return NULL;
	time = xasprintf("%.*s", (int)strcspn(slash + 1, "/"), slash + 1);
	unit = strchr(time, '-') ? strrchr(time, '-') + 1 : time;
	near = unit_find(unit, QUANTITY_TIME) ? unit : unit_nearest(unit, QUANTITY_TIME);
	meant = near ? xasprintf("%.*s/%s%s", (int)(slash - text), text, near,
				 strstr(slash, "work") ? "/worker" : "") : NULL;
	free(time);
	if (meant && price_read(&x, meant))
		return meant;
	free(meant);
	return NULL;
}

int price_parse(struct price *price, const char *text)
{
	char *meant;
	double x;

	*price = (struct price){ .per_hour = 0.0 };
	if (strcmp(text, "none") == 0 || price_read(price, text))
		return 0;
	*price = (struct price){ .per_hour = 0.0 };
	if (text_double(text + currency_take(text), &x))
		return error("settings: price '%s' has no unit (expected an amount for a time). "
			     "For an hour of a device give %s/h, of a worker %s/h/worker", text,
			     text, text);
	meant = price_meant(text);
	if (meant) {
		error("settings: price '%s': unknown unit '%s'; did you mean '%s'?", text,
		      strchr(text, '/'), meant);
		free(meant);
		return -1;
	}
	return error("settings: price '%s': expected an amount and a time, such as 2.5/h, $2.5/h "
		     "or 2.5EUR/h of a device, $20/h/worker of a worker, or none", text);
}

static char *price_join(const struct price *x, char *amount)
{
	const bool sign = x->currency[0] && !strchr("abcdefghijklmnopqrstuvwxyz"
						    "ABCDEFGHIJKLMNOPQRSTUVWXYZ", x->currency[0]);
	char *text = xasprintf("%s%s%s", sign ? x->currency : "", amount, sign ? "" : x->currency);

	free(amount);
	return text;
}

char *price_amount(const struct price *price, double amount)
{
	return price_join(price, xasprintf("%.6g", amount));
}

/* Digits of a positive number without an exponent, which a price may not have; the caller frees. */
static char *price_digits(double x)
{
	enum { MOST = 20 };     /* decimals */
	char *text = xasprintf("%.0f", x);

	for (int n = 1; n <= MOST && (strtod(text, NULL) < x || strtod(text, NULL) > x); n++) {
		free(text);
		text = xasprintf("%.*f", n, x);
	}
	return text;
}

char *price_text(const struct price *price)
{
	char *amount, *text;

	if (!(price->per_hour > 0.0))
		return xstrdup("none");
	amount = price_join(price, price_digits(price->per_hour));
	text = xasprintf("%s/h%s", amount, price->of_worker ? "/worker" : "");
	free(amount);
	return text;
}

void units_help(FILE *out)
{
	wrap_print("A time, a rate, a size or a count may have a unit, wherever it is written: in "
		   "an option, in NAME:KEY=VALUE, or in a text of a JSON file. Without one, it is "
		   "in the unit of its key. The same value gives the same run, however it is "
		   "written. In a range, 10..400Gb/s, the last number's unit counts for all, but "
		   "k, M, G and T of counts only for their own. A line 'understood: ...' says how "
		   "each unit was read.", 0, 0,
		   HELP_COLUMNS, out);
	for (enum quantity q = QUANTITY_TIME; q <= QUANTITY_COUNT; q++) {
		fprintf(out, "\n%s: %s\n  units     ", quantities[q].name, quantities[q].keys);
		wrap_print(quantities[q].all, 12, 12, HELP_COLUMNS, out);
		fprintf(out, "  examples  %s\n", quantities[q].examples);
	}
	fputs("\n"
	      "price: of a device, 2.5/h, $2.5/h or 2.5EUR/h; of a worker, $20/h/worker\n"
	      "\n"
	      "Bits and bytes differ: 100Gb/s is 12.5GB/s. k, M, G and T are powers of 1000.\n"
	      "\n"
	      "Examples:\n"
	      "  convoy sim --timing --net bytes:5.2GB --compute-s 640ms --samples 1M \\\n"
	      "             --link nic:bandwidth_GBps=100Gb/s,latency_s=2us\n"
	      "  convoy sim --timing --faults all:fail@mtbf_s=30d --seconds 3h\n", out);
}
