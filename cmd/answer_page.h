/* Answers of `convoy advise` and `convoy sim` as pages of HTML. */
#ifndef CMD_ANSWER_PAGE_H
#define CMD_ANSWER_PAGE_H

#include <stdbool.h>

/* 0 if a page can be written at that path, which ends in .html; else error(). */
int answer_report_check(const char *path);

/*
 * Writes the page of an answer, and prints its path unless `silent`. A command that is not known is
 * composed of the settings. 0 or error().
 */
struct answer;
int answer_report(const struct answer *answer, const char *path, bool silent);

/* True for a file of JSON that has an answer, silently. */
bool answer_is_file(const char *file);

/* The page of a file that --json or --plot wrote, at FILE without ".json" and with ".html". */
int answer_report_file(const char *file);

#endif
