/*
 * filter.h - jq filters over results, each in a process of its own. docs/specs.md says what they
 * may call.
 */
#ifndef REPORT_FILTER_FILTER_H
#define REPORT_FILTER_FILTER_H

#include <cjson/cJSON.h>
#include <jv.h>
#include <stdbool.h>
#include <stddef.h>

/* Filters that run over an input end early, with the error "interrupted", once stop() is true. */
void filter_stop_when(bool (*stop)(void));

/* NULL when the filter compiles, else what is wrong with it; the caller frees. */
char *filter_check(const char *filter);

/*
 * Whether all n filters compile, asked once for all of them: jq takes longer to start than to
 * compile a filter. False says nothing of any one of them: filter_check() does. trusted: they come
 * with the program, so this process compiles them, for their filter_set too.
 */
bool filter_check_all(size_t n, const char *const *filters, bool trusted);

struct filter_input;            /* what filters see */

/* JSON text, parsed once for many filters; what is wrong with it is their answer. */
struct filter_input *filter_input_new(const char *json);
void filter_input_free(struct filter_input *input);

enum filter_mode {
	FILTER_SHOW,            /* jq as it is */
	FILTER_JUDGE,           /* nothing to look at, or null in a comparison, is an error */
	FILTER_TURN             /* so, and min_by and the like take another of equal values */
};

struct filter_answer {          /* owned */
	cJSON *outputs;         /* a list; NULL: an error, or there was no input */
	char *error;
};
void filter_answer_release(struct filter_answer *a);

/*
 * Runs a filter over an input, in a process of its own with a limit on its time; without an
 * input (NULL) only compiles it.
 */
struct filter_answer filter_run(const char *filter, const struct filter_input *input,
				enum filter_mode mode);

/* The "runs" of an input; the caller frees. */
jv filter_input_runs(const struct filter_input *input);

/* A value, or an invalid one with a message, as filter_run() would answer; frees it. */
struct filter_answer filter_answer_of(jv value);

struct filter_set;              /* filters that are compiled together, where they can be */

/* The n filters must last as long as the set. The caller frees. */
struct filter_set *filter_set_new(size_t n, const char *const *filters);
void filter_set_free(struct filter_set *set);

/* As filter_run() does, filter k of them. */
struct filter_answer filter_set_run(const struct filter_set *set, size_t k,
				    const struct filter_input *input, enum filter_mode mode);

#endif
