/* Answers of `convoy advise` and `convoy sim`, as their JSON has them, as pages of HTML. */
#ifndef CMD_ANSWER_PAGE_H
#define CMD_ANSWER_PAGE_H

#include <cjson/cJSON.h>
#include <stdbool.h>

/* 0 if a page can be written at that path, which ends in .html; else error(). */
int answer_report_check(const char *path);

/*
 * Writes the page of an answer, and prints its path unless `silent`. command: the one that asked;
 * NULL: the answer says it, or it is composed of the settings. 0 or error().
 */
int answer_report(const cJSON *answer, const char *command, const char *path, bool silent);

/* True for a file of JSON that has an answer, silently. */
bool answer_is_file(const char *file);

/* The page of a file that --json or --plot wrote, at FILE without ".json" and with ".html". */
int answer_report_file(const char *file);

#endif
