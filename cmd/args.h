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

struct args;

/* Behaviour of a command where a launcher has started several processes, or could. */
enum command_ranks {
	RANKS_UNKNOWN,          /* the same in each */
	RANKS_REFUSED,          /* nothing: it starts ranks itself */
	RANKS_IF_MANY,          /* its part as one of several ranks, by launch_main() */
	RANKS_ALL,              /* its part, or starts ranks, by launch_main() */
};

/* Arguments of a command, and how it runs. */
struct syntax {
	const struct opt *opts; /* the command's own flags; NULL: none */
	size_t conf_size;       /* bytes of the struct that they fill */
	const char *one;        /* what its only word is, "trace"; NULL: any number of words */
	bool none;              /* it takes no word */
	bool settings;          /* takes the settings of a run */
	bool code;              /* may start a net that is code of the user: takes code_opts */
	enum command_ranks ranks;
	int (*first)(char **argv);      /* before anything is parsed; or NULL */
	int (*main)(int argc, char **argv);     /* parses all, and the rest is empty; or NULL */
	const char *common;     /* the settings that --help names, separated by spaces; or NULL */
	const char *usage;      /* "run EXPERIMENT... [--scale SCALE]" */
	const char *about;      /* paragraphs for --help, examples included */
	int (*run)(const struct args *a);       /* as those, gives the exit code */
};

/* A command line that is parsed. */
struct args {
	const struct syntax *syntax;
	void *conf;             /* [conf_size], of the command's own flags */
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

/* --set, of commands with settings. */
extern const struct opt set_opts[];

/*
 * Parses, and runs the command when it may go on; argv[0] is the program, argv[1] the command.
 * The exit code.
 */
int args_main(const struct syntax *s, int argc, char **argv);

/* The option of that name: the command's own, or of code, or a setting, or --set; or NULL. */
const struct opt *args_option(const struct syntax *s, const char *name);

/*
 * True when each line of the text is KEY=VALUE and KEY a setting; else prints what is wrong with
 * the flag of that name ("--only").
 */
bool args_are_settings(const struct args *a, const char *flag, const char *lines);

/* help_text.c: "usage: convoy run ..."; a line may begin before an option in brackets. */
void help_usage(const struct syntax *s, FILE *out);

/* help_text.c: usage, text, options, and of the settings those that s->common names. */
void help_command(const struct syntax *s);

/* Prints error() with the way to the help; returns EXIT_USAGE. */
int args_usage(const struct args *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
