/*
 * args.h - the command line of a subcommand, from its option table.
 *
 * --key=value, --key value, -k value, --flag, --no-flag, "--" ends the options; -o is --out. Where
 * a command takes settings, every setting of a run is a flag too, and --set KEY=VALUE says the
 * same. The last of several values holds, but for OPT_MANY.
 */
#ifndef CMD_ARGS_H
#define CMD_ARGS_H

#include "core/text/opt.h"

#include <cjson/cJSON.h>
#include <stdio.h>

struct args {
	const struct opt *opts; /* the command's own flags; NULL: none */
	void *conf;             /* what they fill, initialised by args_parse() */
	const char *one;        /* what its only word is, "trace"; NULL: any number of words */
	bool none;              /* it takes no word */
	bool settings;          /* takes the settings of a run */
	bool code;              /* may start a net that is code of the user: takes code_opts */
	const char *common;     /* the settings that --help names, separated by spaces; or NULL */
	const char *usage;      /* "run EXPERIMENT... [--scale SCALE]" */
	const char *about;      /* paragraphs for --help, examples included */
	/* Results; args_release() frees them, and conf's strings. */
	const char **words;     /* [nwords] what is no option; borrowed from argv */
	size_t nwords;
	cJSON *set;             /* object of the settings given, as texts */
	int argc;               /* the whole command line; borrowed */
	char **argv;
};

/* The flags of a command that has --json alone. */
struct json_conf {
	bool json;
};
extern const struct opt json_opts[];

/* Options of nets that are code: allow_code, python, foreign_timeout. */
extern const struct opt code_opts[];

/*
 * argv[0] is the program, argv[1] the command; the rest is parsed. True when
 * the command may go on. False after --help or an error(), with the
 * exit code in *code.
 */
bool args_parse(struct args *a, int argc, char **argv, int *code);
void args_release(struct args *a);

/* Parses, runs the command when it may go on, and releases; returns the exit code. */
int args_main(struct args *a, int argc, char **argv, int (*run)(const struct args *a));

/*
 * From now on args_parse() parses nothing: it gives a command's tables to answer(), with `to`, and
 * is false. NULL: it parses again.
 */
void args_ask(void (*answer)(const struct args *a, void *to), void *to);

/*
 * True when each line of the text is KEY=VALUE and KEY a setting; else prints what is wrong with
 * the flag of that name ("--only").
 */
bool args_are_settings(const struct args *a, const char *flag, const char *lines);

/* help_text.c: "usage: convoy run ..."; a line may begin before an option in brackets. */
void help_usage(const struct args *a, FILE *out);

/* help_text.c: usage, text, options, and of the settings those that a->common names. */
void help_command(const struct args *a);

/* Prints error() with the way to the help; returns EXIT_USAGE. */
int args_usage(const struct args *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
