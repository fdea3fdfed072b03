/* compile.h - jq programs from filters. */
#ifndef REPORT_FILTER_COMPILE_H
#define REPORT_FILTER_COMPILE_H

#include <jq.h>

/*
 * A jq with the filter compiled, which may call the functions of target.h, functions.h and
 * decide.h, or NULL and a message. The caller frees either.
 */
jq_state *filter_compile(const char *filter, char **message);

#endif
