/* Measures that a command line names. */
#ifndef RECORD_LIST_H
#define RECORD_LIST_H

/* 0, or error() that begins with the option and names the nearest measure. */
int measure_check(const char *option, const char *name);

/*
 * The measures of "time_s,wait_share", each checked: NULL-ended, path_list_free(). NULL after
 * error().
 */
char **measures_parse(const char *option, const char *text);

#endif
