/*
 * complete.c - `convoy complete WORD...`: what the last word of a command line may become, for
 * the shells' completion. Commands answer with their option tables; nothing is listed here.
 */
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/context.h"
#include "cmd/data.h"
#include "cmd/kinds.h"
#include "cmd/list_experiments.h"
#include "cmd/settings.h"
#include "core/error.h"
#include "core/mem.h"
#include "core/paths.h"
#include "nets/backend.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is typed: words behind "convoy", of which the last is completed. */
struct line {
	char **words; /* [n] */
	size_t n;
	const struct args *command; /* its tables; NULL: it has none */
};

/* A word's beginning that stays, and its end that is completed. */
struct stem {
	const char *lead;
	int n; /* characters of lead */
	const char *text;
};

static void offer(struct stem s, const char *word, const char *tail)
{
	for (size_t i = 0; s.text[i]; i++)
		if ((s.text[i] == '_' ? '-' : s.text[i]) != (word[i] == '_' ? '-' : word[i]))
			return;
	printf("%.*s%s%s\n", s.n, s.lead, word, tail);
}

/* What stands behind the last `mark` of the text is still to be completed. */
static struct stem behind(struct stem s, const char *mark)
{
	const int n = s.n + (int)(mark - s.text) + 1;

	return (struct stem){ s.text == s.lead + s.n ? s.lead : s.text - s.n, n, mark + 1 };
}

static void offer_files(struct stem s, const char *folder)
{
	char **names = path_list(folder);

	for (size_t i = 0; names[i]; i++)
		offer(s, names[i], "");
	path_list_free(names);
}

static void offer_kind(struct stem s, const struct kind *kind)
{
	for (size_t i = 0; kind->table && kind->table[i]; i++)
		offer(s, kind->table[i]->name, "");
	if (kind->folder)
		offer_files(s, kind->folder);
}

static void offer_words(struct stem s, const char *const *words)
{
	for (; *words; words++)
		offer(s, *words, "");
}

static void offer_keys(struct stem s, const struct opt *opts, const char *tail)
{
	for (; opts && opts->name; opts++)
		if (!(opts->flags & OPT_HIDDEN))
			offer(s, opts->name, tail);
}

static const struct plugin *plugin_of(const struct kind *kind, const char *text, size_t n)
{
	for (size_t i = 0; kind->table && kind->table[i]; i++)
		if (strlen(kind->table[i]->name) == n && !strncmp(kind->table[i]->name, text, n))
			return kind->table[i];
	return NULL;
}

static void offer_value(const struct line *l, struct stem s, const struct opt *o);

/* KEY= of a table, or the values of KEY. */
static void offer_pair(const struct line *l, struct stem s, const struct opt *opts)
{
	const char *equal = strchr(s.text, '=');
	char *key;

	if (!equal) {
		offer_keys(s, opts, "=");
		return;
	}
	key = xasprintf("%.*s", (int)(equal - s.text), s.text);
	if (opt_find(opts, key))
		offer_value(l, behind(s, equal), opt_find(opts, key));
	free(key);
}

/* NAME, or behind "NAME:" its options; of several names joined by commas the last. */
static void offer_plugin(const struct line *l, struct stem s, const struct kind *kind,
			 const char *def)
{
	const char *colon = strchr(s.text, ':');
	const char *comma = strrchr(colon ? colon : s.text, ',');
	const struct plugin *plugin;

	if (!colon) {
		s = comma ? behind(s, comma) : s;
		if (def && !plugin_of(kind, def, strcspn(def, ":")) && !kind->folder)
			offer(s, def, "");
		offer_kind(s, kind);
		return;
	}
	plugin = plugin_of(kind, s.text, (size_t)(colon - s.text));
	if (plugin)
		offer_pair(l, behind(s, comma ? comma : colon), plugin->opts);
}

/* Of the experiments that are named, or of all. */
static void offer_scales(const struct line *l, struct stem s)
{
	cJSON *all = list_experiments();
	const cJSON *experiment, *scale;
	bool named = false;

	for (int pass = 0; pass < 2 && !named; pass++)
		cJSON_ArrayForEach(experiment, all) {
			const char *name = cJSON_GetStringValue(experiment->child);
			bool wanted = pass == 1;

			for (size_t i = 1; i + 1 < l->n; i++)
				wanted = wanted || !strcmp(l->words[i], name);
			named = named || (wanted && pass == 0);
			cJSON_ArrayForEach(scale, cJSON_GetObjectItem(experiment, "scales"))
				if (wanted)
					offer(s, cJSON_GetStringValue(scale->child), "");
		}
	cJSON_Delete(all);
}

static void offer_backends(struct stem s)
{
	offer(s, "auto", "");
	for (size_t i = 0; backend_table[i]; i++)
		offer(s, backend_table[i]->name, "");
}

/* Nothing where a file is meant: the shell knows those. */
static void offer_value(const struct line *l, struct stem s, const struct opt *o)
{
	static const char *const yes_no[] = { "true", "false", NULL };

	if (o->type == OPT_ENUM)
		offer_words(s, o->choices);
	else if (o->type == OPT_BOOL)
		offer_words(s, yes_no);
	else if (!strcmp(o->name, "set") || !strcmp(o->name, "only"))
		offer_pair(l, s, settings_opts);
	else if (!strcmp(o->name, "scale"))
		offer_scales(l, s);
	else if (!strcmp(o->name, "backend"))
		offer_backends(s);
	else if (kind_known(o->name))
		offer_plugin(l, s, kind_find(o->name), o->def);
}

/* ---- options ---- */

static void offer_flags(struct stem s, const struct opt *opts)
{
	for (; opts && opts->name; opts++) {
		char *flag = xasprintf("%s%s", opts->name[1] ? "--" : "-", opts->name);

		for (char *p = flag; *p; p++)
			*p = *p == '_' ? '-' : *p;
		if (!(opts->flags & OPT_HIDDEN))
			offer(s, flag, "");
		free(flag);
	}
}

static const struct opt set_opts[] = { { .name = "set", .type = OPT_STRING }, { .name = NULL } };

static const struct opt help_opts[] = { { .name = "help", .type = OPT_BOOL }, { .name = NULL } };

static const struct opt *option_of(const struct args *a, const char *word)
{
	const char *name = word + strspn(word, "-");
	const struct opt *o = a->opts ? opt_find(a->opts, name) : NULL;

	if (word[0] != '-' || !*name)
		return NULL;
	if (!o && strcmp(name, "o") == 0 && a->opts)
		o = opt_find(a->opts, "out");
	if (!o && a->settings)
		o = opt_find(settings_opts, name);
	return o || !a->settings ? o : opt_find(set_opts, name);
}

/* --NAME=VALUE */
static void offer_joined(const struct line *l, struct stem s, const char *equal)
{
	char *flag = xasprintf("%.*s", (int)(equal - s.text), s.text);
	const struct opt *o = option_of(l->command, flag);

	if (o)
		offer_value(l, behind(s, equal), o);
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
			offer(s, table->name, "");
}

static void offer_kinds(struct stem s)
{
	const struct kind *kind;

	for (size_t i = 0; (kind = kind_at(i)); i++)
		offer(s, kind->many, "");
}

/* One alternative of a usage's word. `before`: the word that was typed before it. */
static void offer_role(const struct line *l, struct stem s, const char *role, const char *before)
{
	if (islower((unsigned char)*role))
		offer(s, role, "");
	else if (!strcmp(role, "EXPERIMENT"))
		offer_files(s, "experiments");
	else if (!strcmp(role, "KIND"))
		offer_kinds(s);
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

static void offer_word(const struct line *l, struct stem s, size_t place, const char *before)
{
	char *roles = usage_word(l->command->usage, place), *rest = NULL;

	if (!roles)
		return;
	for (char *role = strtok_r(roles, "|", &rest); role; role = strtok_r(NULL, "|", &rest))
		offer_role(l, s, role, before);
	free(roles);
}

/* ---- the line ---- */

/* Behind the command: a value, an option, or a word. */
static void offer_argument(const struct args *a, void *line)
{
	struct line *l = line;
	struct stem s = { l->words[l->n - 1], 0, l->words[l->n - 1] };
	const char *before = l->words[0];
	const struct opt *o = NULL;
	size_t place = 0;

	l->command = a;
	for (size_t i = 0; i + 1 < l->n; i++) {
		const bool value = o && o->type != OPT_BOOL;

		o = value ? NULL : option_of(a, l->words[i]);
		if (value || l->words[i][0] == '-')
			continue;
		place++;
		before = l->words[i];
	}
	if (o && o->type != OPT_BOOL)
		offer_value(l, s, o);
	else if (s.text[0] == '-')
		offer_option(l, s);
	else
		offer_word(l, s, place, before);
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
