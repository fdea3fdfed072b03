/*
 * manual.c - `convoy help --man TEMPLATE`: the man page, in which the usages, options and
 * settings are those of the tables; the rest is docs/convoy.1.in.
 */

#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/data/parts.h"
#include "cmd/help_text.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "core/text/opt.h"
#include "plan/settings/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Text as groff shows it: no hyphens for dashes, no requests. */
static void manual_put(const char *text)
{
	for (const char *c = text; *c; c++) {
		if ((*c == '.' || *c == '\'') && (c == text || c[-1] == '\n'))
			fputs("\\&", stdout);
		if (*c == '-' || *c == '\\')
			fputs(*c == '-' ? "\\-" : "\\e", stdout);
		else
			putchar(*c);
	}
}

/* A name of an option with dashes, as it is typed. */
static void put_name(const char *name)
{
	for (; *name; name++)
		fputs(*name == '_' || *name == '-' ? "\\-" : (char[]){ *name, '\0' }, stdout);
}

static void put_opt(const struct opt *o, const char *dashes)
{
	char *meaning = opt_meaning(o);

	printf(".TP\n.B ");
	manual_put(o->name[1] || !*dashes ? dashes : "-");
	put_name(o->name);
	if (o->arg)
		printf("\\fR \\fI%s\\fP", o->arg);
	putchar('\n');
	manual_put(meaning);
	putchar('\n');
	free(meaning);
}

static void put_opts(const struct opt *opts, const char *dashes)
{
	for (; opts && opts->name; opts++)
		if (!(opts->flags & OPT_HIDDEN))
			put_opt(opts, dashes);
}

static void put_usage(const struct args *a, void *unused)
{
	(void)unused;
	printf(".B convoy ");
	manual_put(a->usage);
	printf("\n.br\n");
}

/* The part of the usage that names the command: "check net" of "check net NAME [OPTIONS]". */
static void manual_put_title(const char *usage)
{
	const size_t n = strcspn(usage, "[ABCDEFGHIJKLMNOPQRSTUVWXYZ-|");
	char *title = xasprintf("%.*s", (int)n, usage);

	while (*title && title[strlen(title) - 1] == ' ')
		title[strlen(title) - 1] = '\0';
	printf(".SS convoy ");
	manual_put(title);
	putchar('\n');
	free(title);
}

static void put_options(const struct args *a, void *unused)
{
	(void)unused;
	if (!a->opts)
		return;
	manual_put_title(a->usage);
	if (a->settings)
		printf("Accepts the settings of a run as options too.\n");
	put_opts(a->opts, "--");
}

/* Every command, and every part of `data`, tells its tables. */
static void ask_all(void (*answer)(const struct args *a, void *to))
{
	args_ask(answer, NULL);
	for (const struct command *c = command_table; c->brief; c++)
		if (c->main == cmd_data)
			for (const struct command *p = data_parts; p->name; p++)
				p->main(2, (char *[]){ NULL, NULL, NULL });
		else if (c->main != cmd_help)
			c->main(2, (char *[]){ NULL, NULL, NULL });
	args_ask(NULL, NULL);
}

static void manual_put_setting(const struct opt *o)
{
	put_opt(o, "");
}

static void manual_put_settings(void)
{
	for (const struct settings_group *g = settings_groups; g->title; g++) {
		printf(".SS %s\n", g->title);
		settings_each(g->names, manual_put_setting);
	}
}

static void manual_put_line(const char *line)
{
	if (strcmp(line, "@SYNOPSIS@") == 0)
		ask_all(put_usage);
	else if (strcmp(line, "@OPTIONS@") == 0)
		ask_all(put_options);
	else if (strcmp(line, "@SETTINGS@") == 0)
		manual_put_settings();
	else
		puts(line);
}

int manual_print(const char *template)
{
	char *text = file_read(template, NULL), *end;

	if (!text)
		return EXIT_BAD;
	for (char *line = text; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		manual_put_line(line);
	}
	free(text);
	return EXIT_OK;
}
