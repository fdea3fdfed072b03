/*
 * complete.c - `convoy complete WORD...`: what the last word of a command line may become, for
 * the shells' completion. Commands answer with their option tables; nothing is listed here.
 */
#include "cmd/complete/complete.h"

#include "cmd/cmd.h"
#include "cmd/data/parts.h"
#include "core/base/context.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "plan/settings/settings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

static const struct opt help_opts[] = {
	{ .name = "help", .type = OPT_BOOL, .help = "usage, examples, options" }, { .name = NULL }
};

/* --NAME=VALUE */
static void offer_joined(const struct line *l, struct stem s, const char *equal)
{
	char *flag = xasprintf("%.*s", (int)(equal - s.text), s.text);
	const struct opt *o = option_of(l->command, flag);

	if (o)
		offer_value(l, stem_after(s, equal), o);
	free(flag);
}

static void offer_option(const struct line *l, struct stem s)
{
	const char *equal = strchr(s.text, '=');

	if (equal) {
		offer_joined(l, s, equal);
		return;
	}
	offer_flags(s, l->command->opts);
	if (l->command->settings) {
		offer_flags(s, settings_opts);
		offer_flags(s, set_opts);
	}
	offer_flags(s, help_opts);
}

/* ---- words, as the usage has them: "show KIND NAME", "data get cifar10|mnist" ---- */

static void offer_commands(struct stem s, const struct command *table)
{
	for (; table->name; table++)
		if (table->brief)
			offer(s, table->name, "", table->brief);
}

static void offer_kinds(const struct line *l, struct stem s)
{
	const struct kind *kind;

	for (size_t i = 0; (kind = kind_at(i)); i++)
		offer(s, kind->many, "", kind->what);
	if (strcmp(l->words[0], "list") == 0)
		offer(s, "runs", "", "finished runs, by their settings");
}

/* One alternative of a usage's word. `before`: the word that was typed before it. */
static void offer_role(const struct line *l, struct stem s, const char *role, const char *before)
{
	if (islower((unsigned char)*role))
		offer(s, role, "", NULL);
	else if (!strcmp(role, "EXPERIMENT"))
		offer_experiments(s);
	else if (!strcmp(role, "KEY=VALUE"))
		offer_pair(l, s, settings_opts);
	else if (!strcmp(role, "KIND"))
		offer_kinds(l, s);
	else if (!strcmp(role, "NET"))
		offer_kind(s, kind_find("net"));
	else if (!strncmp(role, "NAME", 4) && kind_known(before))
		offer_plugin(l, s, kind_find(before), NULL);
	else if (!strcmp(role, "NAME:key=value,"))
		offer_plugin(l, s, kind_find("data"), NULL);
}

/* The usage's word of that number, without brackets and dots; the last if it may be repeated. */
static char *usage_word(const char *usage, size_t wanted)
{
	char *last = NULL;
	bool many = false;

	for (size_t i = 0; *usage; i++) {
		const size_t n = strcspn(usage, " ");
		char *to;

		if (usage[0] == '-' || !strncmp(usage, "[-", 2) || !strncmp(usage, "[OPT", 4))
			break;
		free(last);
		last = xasprintf("%.*s", (int)n, usage);
		many = strstr(last, "...");
		to = last;
		for (char *p = last; *p; p++)
			if (!strchr("[].", *p))
				*to++ = *p;
		*to = '\0';
		if (i == wanted)
			return last;
		usage += n + (usage[n] == ' ');
	}
	if (many)
		return last;
	free(last);
	return NULL;
}

static void offer_word(const struct line *l, struct stem s, size_t position, const char *before)
{
	char *roles = usage_word(l->command->usage, position), *rest = NULL;

	if (!roles)
		return;
	for (char *role = strtok_r(roles, "|", &rest); role; role = strtok_r(NULL, "|", &rest))
		offer_role(l, s, role, before);
	free(roles);
}

/* ---- the line ---- */

/* After the command: a value, an option, or a word. */
static void offer_argument(const struct args *a, void *line)
{
	struct line *l = line;
	struct stem s = { l->words[l->n - 1], 0, l->words[l->n - 1] };
	const char *before = l->words[0];
	const struct opt *o = NULL;
	size_t position = 0;

	l->command = a;
	for (size_t i = 0; i + 1 < l->n; i++) {
		const bool value = o && o->type != OPT_BOOL;

		o = value ? NULL : option_of(a, l->words[i]);
		if (value || l->words[i][0] == '-')
			continue;
		position++;
		before = l->words[i];
	}
	if (o && o->type != OPT_BOOL)
		offer_value(l, s, o);
	else if (s.text[0] == '-')
		offer_option(l, s);
	else
		offer_word(l, s, position, before);
}

/* Commands do not run: args_parse() gives their tables to offer_argument(). */
static void offer_line(struct line *l, char *program)
{
	const struct stem s = { l->words[l->n - 1], 0, l->words[l->n - 1] };
	const struct command *c;

	if (l->n == 1) {
		offer_commands(s, command_table);
		return;
	}
	context_mute();
	c = command_find(l->words[0]);
	if (!c)
		return;
	if (c->main == cmd_help || (c->main == cmd_data && l->n == 2)) {
		offer_commands(s, c->main == cmd_help ? command_table : data_parts);
		if (c->main == cmd_help) {
			offer(s, "settings", "", "all settings of a run");
			offer(s, "defaults", "", "which defaults depend on which settings");
			offer(s, "measures", "", "what tables and plots can show of a run");
		}
		return;
	}
	args_ask(offer_argument, l);
	c->main(l->n > 2 ? 3 : 2, (char *[]){ program, l->words[0], l->words[1], NULL });
	args_ask(NULL, NULL);
}

int cmd_complete(int argc, char **argv)
{
	struct line l = { argv + 2, argc > 2 ? (size_t)argc - 2 : 0, NULL };

	if (l.n)
		offer_line(&l, argv[0]);
	return EXIT_OK;
}
