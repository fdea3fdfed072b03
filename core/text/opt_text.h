/* Values of options as text, both ways. */
#ifndef CORE_TEXT_OPT_TEXT_H
#define CORE_TEXT_OPT_TEXT_H

#include "core/text/opt.h"

/* Each reads all of s; false when it is no such value (then *v is as it was). */
bool text_bool(const char *s, bool *v);
bool text_int(const char *s, int64_t *v);       /* 12, -3, 1e6, 2.5k, 1M, 1G: whole in the end */
bool text_double(const char *s, double *v);     /* not NaN; infinity only when it is asked for */
bool text_doubles(const char *s, struct opt_doubles *v);        /* a/b/c or ""; v->v is fresh */

/* The shortest digits that text_double() reads back to the same value; the caller frees. */
char *double_text(double v);
char *doubles_text(const struct opt_doubles *v);

#endif
