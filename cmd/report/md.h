/*
 * md.h - kept results of all experiments as pages of Markdown: an index, and one a paper.
 */
#ifndef CMD_REPORT_MD_H
#define CMD_REPORT_MD_H

/*
 * Writes OUT/experiments.md, which has every built-in experiment and the totals of the verdicts,
 * and OUT/experiments/PAPER.md: FOLDER/PAPER/README.md, then each experiment of the paper with
 * its question, command and scales, and the claims.json and tables that are kept of it in
 * FOLDER/PAPER/NAME or NAME-VARIANT. Prints the paths. 0, or error() for what cannot be read or
 * written.
 */
int report_md(const char *folder, const char *out);

#endif
