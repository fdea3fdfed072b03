/* What --help prints of a command, and `convoy help settings`. */
#ifndef CMD_HELP_TEXT_H
#define CMD_HELP_TEXT_H

#include "cmd/args.h"

#include <stdio.h>

/* The settings of a run by what they are about; a NULL title ends the list. */
struct settings_group {
	const char *title;
	const char *names;      /* keys of settings_opts, separated by spaces */
};

extern const struct settings_group settings_groups[];

/* Calls show() for each setting of a list of names. */
void settings_each(const char *names, void (*show)(const struct opt *o));

/* "usage: convoy run ...": a further line begins before an option in brackets. */
void help_usage(const struct args *a, FILE *out);

/* Usage, text, options, and of the settings those that the command names in a->common. */
void help_command(const struct args *a);

/* All settings, by groups, with defaults and bounds. */
void help_settings(void);

/* The rules by which omitted settings depend on others. */
void help_defaults(void);

/* The measures of a run, each with its words. */
void help_measures(void);

/*
 * manual.c: prints the template, in which the lines @SYNOPSIS@, @OPTIONS@ and @SETTINGS@ stand for
 * what the option tables say. The exit code.
 */
int manual_print(const char *template);

#endif
