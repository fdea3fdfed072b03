/* compile.h - jq programs from filters. */
#ifndef REPORT_FILTER_COMPILE_H
#define REPORT_FILTER_COMPILE_H

#include <jq.h>

/*
 * A jq that runs the filter over .v of its input, an object; or NULL and a message. The caller
 * frees either. The filter may call the functions of target.h and functions.h, and read .k as $_k.
 */
jq_state *filter_compile(const char *filter, char **message);

#endif
