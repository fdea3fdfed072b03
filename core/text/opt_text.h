/* Values of options as text, both ways. */
#ifndef CORE_TEXT_OPT_TEXT_H
#define CORE_TEXT_OPT_TEXT_H

#include "core/text/opt.h"

/* Parsers of a whole text s; false, with *v unchanged, if s is not a value of the type. */
bool text_bool(const char *s, bool *v);
bool text_int(const char *s, int64_t *v);       /* 12, -3, 1e6, 2.5k, 1M, 1G: whole */
bool text_double(const char *s, double *v);     /* not NaN; infinity only spelled out */
double text_number(const char *s);              /* text_double(), or NaN, as of NULL */
bool text_doubles(const char *s, struct opt_doubles *v);        /* a/b/c or ""; v->v is fresh */

/* The shortest digits that text_double() reads back to the same value; the caller frees. */
char *double_text(double v);
char *doubles_text(const struct opt_doubles *v);

/*
 * True when a run's value of a setting is the one wanted: a number in any notation, a name with the
 * options that are named: "eamsgd:tau=10" of a run's "eamsgd:rho=0.1,tau=10". The digest of a file
 * may be left out: "./mine.c" of a run's "./mine.c@0123456789abcdef:power=1".
 */
bool setting_agrees(const char *wanted, const char *own);

#endif
