/* The page of Markdown of one paper: notes, experiments, kept results. */
#ifndef CMD_REPORT_MD_PAPER_H
#define CMD_REPORT_MD_PAPER_H

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

/*
 * Writes DIR/PAPER.md, of the experiments from the first on that are of the same paper. 0, or -1
 * after error().
 */
int report_md_paper(const struct pages *of, char *const *first, const char *dir);

#endif
