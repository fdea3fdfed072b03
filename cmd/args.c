/* Parses a subcommand's arguments against its option table; unknown options get advice. */
#include "cmd/args.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/code.h"
#include "core/file/json.h"
#include "core/text/word.h"
#include "mpi/real.h"
#include "plan/settings/settings.h"
#include "runner/launch/launch.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const struct opt json_opts[] = {
	OPT_FLAG(struct json_conf, json, "as JSON on stdout"),
	{ 0 }
};

struct code_conf {
	bool allow_code;
	char *python;
	double foreign_timeout;
};

const struct opt code_opts[] = {
	OPT_FLAG(struct code_conf, allow_code,
		 "run code that a spec, result, checkpoint or trace names; without it, only nets "
		 "python:... and exec:... and algorithms of the command line"),
	OPT_TEXT(struct code_conf, python, "interpreter; else $CONVOY_PYTHON, else python3",
		 "PATH"),
	OPT_NUMBER(struct code_conf, foreign_timeout, "600", "time limit of one gradient",
		   "SECONDS", 1e-3, 1e9),
	{ 0 }
};

const struct opt set_opts[] = {
	{ .name = "set", .type = OPT_STRING, .help = "KEY=VALUE, a setting of the runs" },
	{ .name = NULL }
};

int args_usage(const struct args *a, const char *fmt, ...)
{
	va_list ap;
	char *text;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	text = xcalloc((size_t)n + 1, 1);
	va_start(ap, fmt);
	vsnprintf(text, (size_t)n + 1, fmt, ap);
	va_end(ap);
	error("%s", text);
	free(text);
	if (real_rank() == 0)
		help_usage(a->syntax, stderr);
	return EXIT_USAGE;
}

/* The names of a table of options and of another (either may be NULL); the caller frees. */
static const char **opt_names(const struct opt *opts, const struct opt *more)
{
	const struct opt *const tables[] = { opts, more };
	const char **names = xcalloc(2, sizeof(*names));
	size_t n = 0;

	for (int i = 0; i < 2; i++)
		for (const struct opt *o = tables[i]; o && o->name; o++) {
			names = xrealloc(names, n + 3, sizeof(*names));
			names[n++] = o->name;
		}
	names[n] = names[n + 1] = NULL;
	return names;
}

static int option_unknown(const struct args *a, const char *dashes, const char *name)
{
	const struct syntax *s = a->syntax;
	scoped const char **known = opt_names(s->opts, s->settings ? settings_opts : NULL);
	size_t n = 0;
	scoped char *advice = NULL;

	while (known[n])
		n++;
	if (s->settings && s->opts)
		known[n] = set_opts->name;
	advice = word_option_advice(name, known);
	args_usage(a, "unknown option '%s%s'%s", dashes, name, advice);
	return EXIT_USAGE;
}

/* Advice on how to find the one thing that a command takes; "": there is none. */
static const char *one_lists(const char *noun)
{
	static const char *const lists[][2] = {
		{ "experiment", ". 'convoy list experiments' names them" },
		{ "set", ". 'convoy list data' names them" },
		{ "result", ". 'convoy list runs' names them" },
		{ "trace", ". 'convoy sim --trace FILE' writes one" },
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (strcmp(noun, lists[i][0]) == 0)
			return lists[i][1];
	return "";
}

/*
 * The setting that KEY=VALUE is about, and its value; NULL after an error about the flag of that
 * name.
 */
static const struct opt *pair_setting(const struct args *a, const char *flag, const char *pair,
				      const char **value)
{
	const char *equal = strchr(pair, '=');
	const struct opt *o;
	scoped char *key = NULL;

	if (!equal) {
		args_usage(a, "%s '%s': expected KEY=VALUE", flag, pair);
		return NULL;
	}
	*value = equal + 1;
	key = xasprintf("%.*s", (int)(equal - pair), pair);
	o = opt_find(settings_opts, key);
	if (!o) {
		scoped const char **known = opt_names(settings_opts, NULL);
		scoped char *advice = word_advice_on("setting", key, known);

		args_usage(a, "%s: unknown setting '%s'%s", flag, key, advice);
	}
	return o;
}

bool args_are_settings(const struct args *a, const char *flag, const char *lines)
{
	char *copy = xstrdup(lines), *rest, *line = strtok_r(copy, "\n", &rest);
	const char *value;
	bool are = line || pair_setting(a, flag, lines, &value);

	for (; line && are; line = strtok_r(NULL, "\n", &rest))
		are = pair_setting(a, flag, line, &value);
	free(copy);
	return are;
}

const struct opt *args_option(const struct syntax *s, const char *name)
{
	const struct opt *o = s->opts ? opt_find(s->opts, name) : NULL;

	if (!o && s->code)
		o = opt_find(code_opts, name);
	if (o || !s->settings)
		return o;
	return strcmp(name, set_opts->name) == 0 ? set_opts : opt_find(settings_opts, name);
}

static struct code_conf code_conf;

/* True if the command line has --dry-run. */
static bool is_dry(const struct args *a)
{
	const struct opt *o = a->syntax->opts ? opt_find(a->syntax->opts, "dry_run") : NULL;

	return o && *(const bool *)((const char *)a->conf + o->offset);
}

/* The variables that the options of code_opts are read from, and that processes of ours read. */
static const char *const code_variables[] = { "CONVOY_ALLOW_CODE", "CONVOY_PYTHON",
					      "CONVOY_FOREIGN_TIMEOUT" };

/* Gives the options of code their defaults, or, where it has them, those of the environment. */
static int code_read(const struct args *a)
{
	int bad = 0;

	opt_init(code_opts, &code_conf);
	for (int i = 0; a->syntax->code && code_opts[i].name && !bad; i++) {
		const char *text = getenv(code_variables[i]);
		scoped char *where = xasprintf("environment variable %s", code_variables[i]);

		if (text && *text)
			bad = opt_set(code_opts, &code_conf, code_opts[i].name, text, where);
	}
	return bad;
}

/* Permits code to be started, with its options. */
static void code_apply(const struct args *a)
{
	char *limit = opt_format(opt_find(code_opts, "foreign_timeout"), &code_conf);

	code_allow_all(code_conf.allow_code);
	if (code_conf.python)
		setenv("CONVOY_PYTHON", code_conf.python, 1);
	setenv("CONVOY_FOREIGN_TIMEOUT", limit, 1);
	free(limit);
	if (!is_dry(a))
		code_permit(a->argc, a->argv);
	opt_release(code_opts, &code_conf);
}

/* Gives the option a value. An option that may stand several times keeps the values it had. */
static int option_take(struct args *a, const struct opt *o, const char *value)
{
	const struct syntax *s = a->syntax;
	scoped char *had = NULL, *all = NULL;
	int bad;

	if (o == set_opts) {
		o = pair_setting(a, "--set", value, &value);
		if (!o)
			return EXIT_USAGE;
	}
	/*
	 * No text means anything when it is empty: such a path comes from a variable of a script
	 * that has no value. Hidden options are given by other commands.
	 */
	if (o->type == OPT_STRING && !(o->flags & OPT_HIDDEN) && !*value)
		return args_usage(a, "--%s: the value is empty (expected %s). Give one, or leave "
				  "the option out", o->name, o->arg ? o->arg : "a text");
	if (s->code && opt_find(code_opts, o->name) == o)
		return opt_set(code_opts, &code_conf, o->name, value, "command line") ? EXIT_USAGE
											: 0;
	if (!s->opts || opt_find(s->opts, o->name) != o) {
		json_set_text(a->set, o->name, value);
		return 0;
	}
	if (strcmp(o->name, "only") == 0 && !args_are_settings(a, "--only", value))
		return EXIT_USAGE;
	had = o->flags & OPT_MANY ? opt_format(o, a->conf) : NULL;
	all = had && *had ? xasprintf("%s\n%s", had, value) : NULL;
	bad = opt_set(s->opts, a->conf, o->name, all ? all : value, "command line");
	return bad ? EXIT_USAGE : 0;
}

/* True of "--algo" and "--algo=asgd" for a command with that option. */
static bool is_option(const struct syntax *s, const char *word)
{
	scoped char *name = xasprintf("%.*s", (int)strcspn(word, "="), word);

	return word_starts(name, "--") &&
			(args_option(s, name + 2) || strcmp(name, "--help") == 0 ||
			 (word_starts(name, "--no-") && args_option(s, name + 5)));
}

/* True where the option takes the word after it: it needs a value, or is told true or false. */
static bool option_eats(const struct opt *o, const char *next)
{
	return next && (o->type != OPT_BOOL || !strcmp(next, "true") || !strcmp(next, "false"));
}

/*
 * --NAME=VALUE, or --NAME, whose value, if it needs one, is the next word, unless that is an
 * option. Counts words eaten.
 */
static int option_parse(struct args *a, const char *word, const char *next, int *eaten)
{
	const size_t n = strcspn(word, "=");
	const char *value = word[n] ? word + n + 1 : NULL;
	scoped char *name = xasprintf("%.*s", (int)n, word);
	const struct opt *o = args_option(a->syntax, name), *off = NULL;
	int bad;

	if (!o && !value && strncmp(name, "no-", 3) == 0)
		off = args_option(a->syntax, name + 3);
	*eaten = o && !value && option_eats(o, next) ? 2 : 1;
	if (off && off->type == OPT_BOOL)
		bad = option_take(a, off, "false");
	else if (off)
		bad = args_usage(a, "option '--%s' needs a value: there is no '--%s'", name + 3,
				 name);
	else if (!o)
		bad = option_unknown(a, "--", name);
	else if (!value && o->type != OPT_BOOL && !next)
		bad = args_usage(a, "option '%s%s' needs a value", name[1] ? "--" : "-", name);
	else if (*eaten == 2 && is_option(a->syntax, next))
		bad = args_usage(a, "option '--%s' needs a value, and '%s' is the next option. "
				 "'--%s=%s' would give it that text", name, next, name, next);
	else
		bad = option_take(a, o, value ? value : *eaten == 2 ? next : "true");
	return bad;
}

/*
 * True when the command may go on. False after --help or an error(), with the exit code in *code.
 */
static bool args_parse(struct args *a, int *code)
{
	const struct syntax *s = a->syntax;
	bool ended = false;
	int eaten = 1;

	if (s->opts)
		opt_init(s->opts, a->conf);
	*code = EXIT_OK;
	if (code_read(a)) {
		*code = EXIT_USAGE;
		return false;
	}
	for (int i = 2; i < a->argc; i += eaten) {
		const char *word = a->argv[i], *next = a->argv[i + 1];

		if (!ended && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
			if (real_rank() == 0)
				help_command(s);
			return false;
		}
		eaten = 1;
		if (ended || word[0] != '-' || !word[1])
			a->words[a->nwords++] = word;
		else if (strcmp(word, "--") == 0)
			ended = true;
		/* a name of one letter also stands after one dash: -n 8 */
		else if (word[1] != '-' && !word[2] && args_option(s, word + 1))
			*code = option_parse(a, word + 1, next, &eaten);
		else if (strcmp(word, "-o") == 0 && args_option(s, "out"))
			*code = option_parse(a, "out", next, &eaten);
		else if (word[1] != '-')
			*code = option_unknown(a, "-", word + 1);
		else
			*code = option_parse(a, word + 2, next, &eaten);
		if (*code)
			return false;
	}
	if (s->none && a->nwords)
		*code = args_usage(a, "'%s': %.*s accepts options only", a->words[0],
				   (int)strcspn(s->usage, " "), s->usage);
	else if (s->one && a->nwords != 1)
		*code = a->nwords ? args_usage(a, "one %s at a time", s->one)
				  : args_usage(a, "no %s is named%s", s->one, one_lists(s->one));
	if (*code == EXIT_OK && s->code)
		code_apply(a);
	return *code == EXIT_OK;
}

static int args_run(void *args)
{
	struct args *a = args;
	int code;
	const bool parsed = args_parse(a, &code);

	/* Ranks have one command line each. */
	if (real_agree(parsed ? EXIT_OK : EXIT_USAGE) != EXIT_OK && parsed)
		code = EXIT_USAGE;
	else if (parsed)
		code = a->syntax->run(a);
	return code;
}

int args_main(const struct syntax *s, int argc, char **argv)
{
	struct args a = {
		.syntax = s, .conf = xcalloc(1, s->conf_size), .argc = argc, .argv = argv,
		.words = xcalloc((size_t)argc + 1, sizeof(*a.words)), .set = cJSON_CreateObject(),
	};
	int code = s->first ? s->first(argv) : EXIT_OK;

	if (s->main)
		code = s->main(argc, argv);
	else if (code == EXIT_OK && s->ranks == RANKS_REFUSED && world_check_alone(argv[1]) < 0)
		code = EXIT_BAD;
	else if (code == EXIT_OK && (s->ranks == RANKS_ALL ||
				     (s->ranks == RANKS_IF_MANY && world_several())))
		code = launch_main(argv[1], args_run, &a);
	else if (code == EXIT_OK)
		code = args_run(&a);
	if (s->opts)
		opt_release(s->opts, a.conf);
	free_all(a.words, a.conf);
	cJSON_Delete(a.set);
	return code;
}
