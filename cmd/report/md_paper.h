/* The page of Markdown of one paper: notes, experiments, kept results. */
#ifndef CMD_REPORT_MD_PAPER_H
#define CMD_REPORT_MD_PAPER_H

#include "plan/spec/spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct pages {                  /* what is written, and where */
	const char *folder, *out;       /* of the kept results; of the pages */
	char *const *names;             /* of all experiments */
};

/* Bytes of the folder in an experiment's name. */
int report_md_length(const char *name);
bool report_md_same_paper(const char *a, const char *b);

struct sheet {                  /* a page in memory */
	FILE *f;
	char *text;             /* size bytes once f is closed */
	size_t size;
};

void report_md_open(struct sheet *sheet);

/*
 * Closes the page and frees its text; before, when ret is 0, writes it to the file and prints the
 * path. ret, or -1 after error().
 */
int report_md_write(struct sheet *sheet, const char *path, int ret);

/* After an empty line, the label and the text, in which nothing is markup; none: nothing. */
void report_md_put_line(const char *label, const char *text, FILE *f);

struct page {                   /* of one paper */
	const struct pages *of;
	const char *dir;        /* the page's folder */
	FILE *f;
};

/* md_notes.c: the relative path from the page to FOLDER/PATH; the caller frees. */
char *report_md_way(const struct page *p, const char *path);

/* md_notes.c: FOLDER/PAPER/README.md, where there is one. 0, or -1 after error(). */
int report_md_notes(const struct page *p, const char *paper);

/*
 * md_plots.c: the pictures FOLDER/RESULT/plots/NAME.svg of the spec's plots and of tuning; where
 * there are many, the first ones, and a link to the others. 0, or -1 after error().
 */
int report_md_plots(const struct page *p, const char *result, const struct spec *s);

/* md_result.c: claims, plots and tables of FOLDER/RESULT. 0, or -1 after error(). */
int report_md_result(const struct page *p, const char *result, const struct spec *s);

/*
 * Writes DIR/PAPER.md, of the experiments from the first on that are of the same paper. 0, or -1
 * after error().
 */
int report_md_paper(const struct pages *of, char *const *first, const char *dir);

#endif
