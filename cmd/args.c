/* Parses a subcommand's arguments against its option table; unknown options get advice. */
#include "cmd/args.h"

#include "cmd/help_text.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"
#include "mpi/real.h"
#include "plan/settings/settings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct opt json_opts[] = {
	OPT_FLAG(struct json_conf, json, "as JSON on stdout"),
	{ 0 }
};

int args_usage(const struct args *a, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	error("%s", text);
	if (real_rank() == 0)
		help_usage(a, stderr);
	return EXIT_USAGE;
}

/* "; did you mean '--quiet'?", over every name that stands after "--". The caller frees. */
static char *flag_advice(const struct args *a, const char *name)
{
	const char *known[96];
	size_t n = 0;

	for (const struct opt *o = a->opts; o && o->name && n < 60; o++)
		known[n++] = o->name;
	for (const struct opt *o = settings_opts; a->settings && o->name && n < 94; o++)
		known[n++] = o->name;
	if (a->settings && a->opts)
		known[n++] = "set";
	known[n] = NULL;
	return word_option_advice(name, known);
}

/* "; did you mean 'lr'?", over the settings. The caller frees. */
static char *setting_advice(const char *name)
{
	const char *known[96];
	size_t n = 0;

	for (const struct opt *o = settings_opts; o->name && n < 95; o++)
		known[n++] = o->name;
	known[n] = NULL;
	return word_advice(name, known);
}

static int unknown_flag(const struct args *a, const char *dashes, const char *name)
{
	char *advice = flag_advice(a, name);

	args_usage(a, "unknown option '%s%s'%s", dashes, name, advice);
	free(advice);
	return EXIT_USAGE;
}

static void args_put_setting(struct args *a, const char *key, const char *value)
{
	const struct opt *o = opt_find(settings_opts, key);

	json_set_text(a->set, o->name, value);
}

static bool args_is_setting(const struct args *a, const char *flag, const char *text)
{
	const char *equal = strchr(text, '=');
	char *key;
	bool known;

	if (!equal) {
		args_usage(a, "%s '%s': expected KEY=VALUE", flag, text);
		return false;
	}
	key = xasprintf("%.*s", (int)(equal - text), text);
	known = opt_find(settings_opts, key);
	if (!known) {
		char *advice = setting_advice(key);

		args_usage(a, "%s: unknown setting '%s'%s", flag, key, advice);
		free(advice);
	}
	free(key);
	return known;
}

bool args_are_settings(const struct args *a, const char *flag, const char *lines)
{
	char *copy = xstrdup(lines), *rest, *line = strtok_r(copy, "\n", &rest);
	bool are = line || args_is_setting(a, flag, lines);

	for (; line && are; line = strtok_r(NULL, "\n", &rest))
		are = args_is_setting(a, flag, line);
	free(copy);
	return are;
}

/*
 * No text means anything when it is empty: such a path comes from a variable of a script that has
 * no value. Hidden options are given by other commands. EXIT_USAGE after an error, or 0.
 */
static int args_check_text(const struct args *a, const struct opt *o, const char *value)
{
	if (!o || o->type != OPT_STRING || o->flags & OPT_HIDDEN || *value)
		return 0;
	return args_usage(a, "--%s: the value is empty (expected %s). Give one, or leave the "
			     "option out", o->name, o->arg ? o->arg : "a text");
}

/* --set KEY=VALUE */
static int args_parse_set(struct args *a, const char *text)
{
	const char *equal = strchr(text, '=');
	char *key;
	int bad;

	if (!args_is_setting(a, "--set", text))
		return EXIT_USAGE;
	key = xasprintf("%.*s", (int)(equal - text), text);
	bad = args_check_text(a, opt_find(settings_opts, key), equal + 1);
	if (!bad)
		args_put_setting(a, key, equal + 1);
	free(key);
	return bad;
}

/* An option of the command's own; one that may stand several times keeps what it had. */
static int args_set_own(struct args *a, const struct opt *o, const char *value)
{
	char *had = o->flags & OPT_MANY ? opt_format(o, a->conf) : NULL;
	char *all = had && *had ? xasprintf("%s\n%s", had, value) : NULL;
	const int bad = opt_set(a->opts, a->conf, o->name, all ? all : value, "command line");

	free(had);
	free(all);
	return bad ? EXIT_USAGE : 0;
}

/* One flag whose value is known. */
static int args_set_value(struct args *a, const char *name, const char *value)
{
	const struct opt *own = a->opts ? opt_find(a->opts, name) : NULL;
	const struct opt *o = own || !a->settings ? own : opt_find(settings_opts, name);

	if (args_check_text(a, o, value))
		return EXIT_USAGE;
	if (own)
		return args_set_own(a, own, value);
	if (strcmp(name, "set") == 0)
		return args_parse_set(a, value);
	args_put_setting(a, name, value);
	return 0;
}

/* The option of that name: the command's own, or a setting of a run. */
static const struct opt *args_find(const struct args *a, const char *name)
{
	static const struct opt set = { .name = "set", .type = OPT_STRING };
	const struct opt *o = a->opts ? opt_find(a->opts, name) : NULL;

	if (o || !a->settings)
		return o;
	if (strcmp(name, "set") == 0)
		return &set;
	return opt_find(settings_opts, name);
}

/* --NAME, where the value, if it needs one, is the next word. Counts the words eaten. */
static int args_parse_bare(struct args *a, const char *name, const char *next, int *eaten)
{
	const struct opt *o = args_find(a, name);

	*eaten = 1;
	if (!o && strncmp(name, "no-", 3) == 0) {
		o = args_find(a, name + 3);
		if (o && o->type == OPT_BOOL)
			return args_set_value(a, name + 3, "false");
		o = NULL;
	}
	if (!o)
		return unknown_flag(a, "--", name);
	if (o->type == OPT_BOOL)
		return args_set_value(a, name, "true");
	if (!next)
		return args_usage(a, "option '--%s' needs a value", name);
	*eaten = 2;
	return args_set_value(a, name, next);
}

static int args_parse_option(struct args *a, const char *word, const char *next, int *eaten)
{
	const char *equal = strchr(word, '=');
	char *name;
	int bad;

	if (!equal)
		return args_parse_bare(a, word, next, eaten);
	*eaten = 1;
	name = xasprintf("%.*s", (int)(equal - word), word);
	bad = args_find(a, name) ? args_set_value(a, name, equal + 1) : unknown_flag(a, "--", name);
	free(name);
	return bad;
}

static bool is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* The word at argv[i]; *eaten words were used. */
static int args_parse_word(struct args *a, char **argv, int i, bool *ended, int *eaten)
{
	const char *word = argv[i];

	*eaten = 1;
	if (*ended || word[0] != '-' || !word[1]) {
		a->words[a->nwords++] = word;
		return 0;
	}
	if (strcmp(word, "--") == 0) {
		*ended = true;
		return 0;
	}
	/* A name of one letter also stands after one dash: -n 8. */
	if (word[1] != '-' && !word[2] && args_find(a, word + 1))
		return args_parse_option(a, word + 1, argv[i + 1], eaten);
	if (strcmp(word, "-o") == 0 && args_find(a, "out"))
		return args_parse_option(a, "out", argv[i + 1], eaten);
	if (word[1] != '-')
		return unknown_flag(a, "-", word + 1);
	return args_parse_option(a, word + 2, argv[i + 1], eaten);
}

static int args_check_words(const struct args *a)
{
	if (a->none && a->nwords)
		return args_usage(a, "'%s': %.*s accepts options only", a->words[0],
				  (int)strcspn(a->usage, " "), a->usage);
	if (a->one && a->nwords != 1)
		return args_usage(a, a->nwords ? "one %s at a time" : "no %s is named", a->one);
	return EXIT_OK;
}

static void (*asked)(const struct args *a, void *to);
static void *asker;

void args_ask(void (*answer)(const struct args *a, void *to), void *to)
{
	asked = answer;
	asker = to;
}

bool args_parse(struct args *a, int argc, char **argv, int *code)
{
	bool ended = false;
	int eaten;

	if (a->opts)
		opt_init(a->opts, a->conf);
	a->words = xcalloc((size_t)argc + 1, sizeof(*a->words));
	a->nwords = 0;
	a->argc = argc;
	a->argv = argv;
	a->set = cJSON_CreateObject();
	*code = EXIT_OK;
	if (asked) {
		asked(a, asker);
		return false;
	}
	for (int i = 2; i < argc; i += eaten) {
		if (!ended && is_help(argv[i])) {
			help_command(a);
			return false;
		}
		*code = args_parse_word(a, argv, i, &ended, &eaten);
		if (*code)
			return false;
	}
	*code = args_check_words(a);
	return *code == EXIT_OK;
}

void args_release(struct args *a)
{
	if (a->opts)
		opt_release(a->opts, a->conf);
	free(a->words);
	cJSON_Delete(a->set);
	a->words = NULL;
	a->set = NULL;
}

int args_main(struct args *a, int argc, char **argv, int (*run)(const struct args *a))
{
	int code;

	if (args_parse(a, argc, argv, &code))
		code = run(a);
	args_release(a);
	return code;
}
