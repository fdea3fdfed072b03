/* An experiment as one page that needs nothing else: no script, no other file. */
#ifndef REPORT_PAGE_PAGE_H
#define REPORT_PAGE_PAGE_H

#include "report/claims/claims.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

struct page {                   /* all borrowed; lists may be empty */
	const char *name, *scale;
	const cJSON *spec;      /* title, paper, about, scales */
	const char *changes;    /* "workers=8": the spec's words are of other settings; NULL */
	const struct verdicts *claims;
	const struct tables *tables;
	const cJSON *plots, *timelines; /* [{"title","caption","svg": path}]; no svg: not drawn */
	const cJSON *settings;  /* [{"setting","paper","here"}]; NULL: there is no such scale */
	const cJSON *facts;     /* {what: text} */
	bool means;             /* runs differ in their seed: plots show means of them */
	const char *warning;    /* that runs are missing; NULL: none are */
	const char *command;    /* that makes it again */
};

/*
 * What a page is called: the spec's title, or the name with what differs from the spec; changes
 * NULL: nothing. The caller frees.
 */
char *page_title(const cJSON *spec, const char *name, const char *changes);

/*
 * Writes the page and renames it; a note stands for each picture that was not drawn or
 * cannot be read. The number of those, 0 when the page has all; -1 after error().
 */
int page_write(const struct page *p, const char *path);

/*
 * Writes the page that names all: [{"title","paper","name","scale","page": relative path, "holds",
 * "fails","open": numbers of claims, "changes": what differs from the spec}], the last left out
 * where nothing does. 0 or error().
 */
int page_write_index(const cJSON *entries, const char *path);

#endif
