/*
 * md.h - all experiments on one page of Markdown, with results that were kept.
 */
#ifndef CMD_REPORT_MD_H
#define CMD_REPORT_MD_H

/*
 * Prints docs/experiments.md: every built-in experiment, with its question, command and
 * scales, and what is kept of it in FOLDER/<paper>/<name> or <name>-<variant>: claims.json,
 * tables; before a paper's first, FOLDER/<paper>/README.md. Links go to ../FOLDER. 0, or error()
 * for what cannot be read.
 */
int report_md(const char *folder);

#endif
