/* Numbers with units: 50ms, 3h, 100Gb/s, 12.5GB/s, 40GB, 1.3B; one parser for all options. */
#ifndef CORE_TEXT_UNITS_H
#define CORE_TEXT_UNITS_H

#include "core/text/opt.h"

enum quantity {
	QUANTITY_NONE,          /* a number without a unit */
	QUANTITY_TIME,          /* in seconds */
	QUANTITY_RATE,          /* in GB/s: 1e9 bytes a second */
	QUANTITY_SIZE,          /* in bytes */
	QUANTITY_COUNT          /* of things */
};

/* Quantity of a key by its name: latency_s, bandwidth_GBps, sample_bytes. */
enum quantity quantity_of_key(const char *key);

/* Quantity of an option, by its name, its type and what its help writes for the value. */
enum quantity quantity_of(const struct opt *o);

/*
 * Parses a number with a unit of the quantity, or without one, at *p, and moves *p after it:
 * *value <- in the unit of the quantity, rounded once where the unit is a power of ten, so that
 * 640ms is 0.64. False, with *p unchanged, where there is no number, or its unit is another's.
 */
bool unit_parse(const char **p, enum quantity q, double *value);

/*
 * The quantity of the unit with which a text begins: q if that has it, else another. *length <- the
 * unit's, *scale <- what one of it is in the unit of the quantity. QUANTITY_NONE, 0 and 1: it
 * begins with none.
 */
enum quantity unit_begins(const char *text, enum quantity q, size_t *length, double *scale);

/* unit_parse() of a whole text, which is noted for units_understood() where it has a unit. */
bool unit_text(const char *key, const char *text, enum quantity q, double *value);

/*
 * The number with the unit of `like` where it has none: "10Gb/s" of 10 and 400Gb/s, the ends of a
 * range. A count's k or M is no unit, but a part of its number. The caller frees.
 */
char *unit_lend(enum quantity q, const char *number, const char *like);

/* unit_text() of an option. */
bool unit_opt(const struct opt *o, const char *text, double *value);

/*
 * End of a message that a text is no such quantity: ": 'Gb/s' is a unit of a rate; expected a time,
 * such as 0.64, 640ms or 3h"; of a percentage, where the quantity is none: ": as a share of 1, 40%
 * is 0.4". "" of all other texts. The caller frees.
 */
char *unit_advice(enum quantity q, const char *text);

/*
 * "understood: bandwidth_GBps 100Gb/s = 12.5 GB/s, compute_s 640ms = 0.64 s": every value with a
 * unit that was parsed since the last call; NULL: none. The caller frees.
 */
char *units_understood(void);

enum { CURRENCY_LONGEST = 8 };

/* Price of a device's time. */
struct price {
	char currency[CURRENCY_LONGEST + 1];    /* "$", "EUR"; "": none is given */
	double per_hour;                        /* of a device, or of a worker */
	bool of_worker;
};

/*
 * Parses "2.5/h", "$2.5/h", "2.5EUR/h", each also "/d", "/min" or "/s", and "/worker" after it; or
 * "none", of which per_hour is 0. 0 or error().
 */
int price_parse(struct price *price, const char *text);

/* An amount in the currency of the price, with six digits: "$2.5", "20EUR". The caller frees. */
char *price_amount(const struct price *price, double amount);

/* "$2.5/h", "20EUR/h/worker", or "none", in an hour. The caller frees. */
char *price_text(const struct price *price);

/* Prints the quantities with their units, as `convoy help units` does. */
void units_help(FILE *out);

#endif
