/* An experiment as one page that needs nothing else: no script, no other file. */
#ifndef REPORT_PAGE_PAGE_H
#define REPORT_PAGE_PAGE_H

#include "report/claims/claims.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

struct picture {
	char *title, *caption;  /* owned */
	char *svg;              /* owned; its path; NULL: not drawn */
};

struct pictures {
	struct picture *v;      /* [n] */
	size_t n;
};

/* Takes the texts over. */
void pictures_add(struct pictures *all, char *title, char *caption, char *svg);
void pictures_release(struct pictures *all);

struct page_setting {           /* that is not the paper's */
	const char *name;       /* NULL ends a list */
	char *paper, *here;     /* owned */
};

struct page {                   /* all borrowed; lists may be empty */
	const char *name, *scale;
	const cJSON *spec;      /* title, paper, about, scales */
	const char *changes;    /* "workers=8": the spec's words are of other settings; NULL */
	const struct verdicts *claims;
	const struct tables *tables;
	const struct pictures *forest;  /* of the claims' differences, one or none */
	const struct pictures *plots, *timelines;
	const struct page_setting *settings;    /* NULL: there is no scale of the paper */
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

struct page_entry {             /* of the index; texts are owned */
	char *title, *paper, *name, *scale;
	char *page;             /* a relative path */
	char *changes;          /* what differs from the spec; NULL: nothing */
	struct claim_total score;
};

struct page_index {
	struct page_entry *v;   /* [n] */
	size_t n;
};

/* Takes the entry over. */
void page_index_add(struct page_index *all, const struct page_entry *e);
void page_index_release(struct page_index *all);

/* Writes the page that names all of them. 0 or error(). */
int page_write_index(const struct page_index *all, const char *path);

#endif
