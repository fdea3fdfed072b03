/*
 * complete.c - `convoy complete WORD...`: what the last word of a command line may become, for
 * the shells' completion. Commands answer with their option tables; nothing is listed here.
 */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "cmd/listing.h"
#include "core/base/context.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "core/text/utf8.h"
#include "core/text/word.h"
#include "nets/backend.h"
#include "plan/settings/settings.h"
#include "plan/spec/spec.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Typed words after "convoy", of which the last is completed. */
struct line {
	char **words;           /* [n] */
	size_t n;
	const struct syntax *command;
};

/* A word's beginning that stays, and its end that is completed. */
struct stem {
	const char *lead;
	int n;                  /* characters of lead */
	const char *text;
};

enum { LONGEST = 90 };          /*
 * Prints word and tail, after what stays, where the text is a beginning of the word; and after a
 * tab the first line of what it is about (NULL: nothing), up to a blank where it is long. '-' and
 * '_' are the same. Only words that a shell takes as they are: scripts leave them unquoted.
 */
static void offer(struct stem s, const char *word, const char *tail, const char *about)
{
	size_t shown = about ? strcspn(about, "\t\r\n") : 0;
	scoped char *line = NULL;

	for (const char *c = word; *c; c++)
		if ((unsigned char)*c <= ' ' || *c == 127 ||
		    strchr("'\"\\$`&;|<>()*?[]{}!#", *c))
			return;
	for (size_t i = 0; s.text[i]; i++)
		if ((s.text[i] == '_' ? '-' : s.text[i]) != (word[i] == '_' ? '-' : word[i]))
			return;
	if (shown > LONGEST)
		for (shown = LONGEST; shown > 1 && about[shown] != ' '; shown--)
			;
	line = xasprintf("%.*s%s%s%s%.*s", s.n, s.lead, word, tail, about && *about ? "\t" : "",
			 (int)shown, about ? about : "");
	utf8_puts(line);
}

/* After the last `mark` of the text: that is still to be completed. */
static struct stem stem_after(struct stem s, const char *mark)
{
	const int n = s.n + (int)(mark - s.text) + 1;

	return (struct stem){ s.text == s.lead + s.n ? s.lead : s.text - s.n, n, mark + 1 };
}

static void offer_flags(struct stem s, const struct opt *opts)
{
	for (; opts && opts->name; opts++) {
		scoped char *flag = word_option(opts->name);

		if (!(opts->flags & OPT_HIDDEN))
			offer(s, flag, "", opts->help);
	}
}

/* The option that a word of the line is, with its dashes; NULL: none. */
static const struct opt *option_of(const struct syntax *s, const char *word)
{
	const char *name = word + strspn(word, "-");

	if (word[0] != '-' || !*name)
		return NULL;
	return args_option(s, strcmp(name, "o") == 0 ? "out" : name);
}

/* Files and folders; folders end with '/'. */
static void offer_paths(struct stem s)
{
	const char *slash = strrchr(s.text, '/');
	const struct stem last = slash ? stem_after(s, slash) : s;
	scoped char *folder = !slash ? xstrdup(".")
				     : xasprintf("%.*s", (int)(slash - s.text) + 1, s.text);
	struct dirent **names;
	const int n = scandir(folder, &names, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		const char *name = names[i]->d_name;
		char *path = xasprintf("%s%s%s", folder, slash ? "" : "/", name);

		/*
		 * Folders and files match as they are spelled: offer() takes '-' for '_'. What is
		 * not plain is left to the shell's own completion.
		 */
		if ((*name != '.' || *last.text == '.') && strcmp(name, ".") &&
		    strcmp(name, "..") && !strpbrk(name, "~,=") &&
		    strncmp(name, last.text, strlen(last.text)) == 0)
			offer(last, name, dir_exists(path) ? "/" : "", NULL);
		free_all(path, names[i]);
	}
	if (n >= 0)
		free(names);
}

/* ---- experiments, and what the one on the line has: its scales and its grid ---- */

/* Experiments by name, by the short one where only one paper has it, and by path. */
static void offer_experiments(struct stem s)
{
	scoped_by(listing_release) struct listing all = listing_experiments();

	for (size_t i = 0; i < all.n; i++) {
		const struct listed *l = &all.v[i];
		const char *base = path_base(l->name);
		int n = 0;

		offer(s, l->name, "", l->brief);
		for (size_t k = 0; k < all.n; k++)
			n += strcmp(path_base(all.v[k].name), base) == 0;
		if (*s.text && base != l->name && n == 1)
			offer(s, base, "", l->brief);
	}
	if (strchr(s.text, '/') || *s.text == '.')
		offer_paths(s);
}

/* The scale that the line asks for; NULL: none. */
static const char *scale_of(const struct line *l)
{
	static const char flag[] = "--scale";
	const size_t n = strlen(flag);

	for (size_t i = 1; i + 1 < l->n; i++) {
		if (strcmp(l->words[i], flag) == 0 && i + 2 < l->n)
			return l->words[i + 1];
		if (strncmp(l->words[i], flag, n) == 0 && l->words[i][n] == '=')
			return l->words[i] + n + 1;
	}
	return NULL;
}

/*
 * The i-th experiment on the line, loaded, by its words that are neither options nor their values;
 * false after the last.
 */
static bool load_named(const struct line *l, size_t i, struct spec *s)
{
	const struct opt *o = NULL;

	if (!strstr(l->command->usage, "EXPERIMENT"))
		return false;
	for (size_t k = 1; k + 1 < l->n; k++) {
		const bool value = o && o->type != OPT_BOOL;
		char *path;
		bool found;

		o = value ? NULL : option_of(l->command, l->words[k]);
		if (value || l->words[k][0] == '-' || i-- > 0)
			continue;
		path = path_find("experiments", l->words[k]);
		found = path && (spec_load_settings(s, path, scale_of(l)) == 0 ||
				 spec_load_settings(s, path, NULL) == 0);
		free(path);
		if (found)
			return true;
		i++;
	}
	return false;
}

static void offer_scales_of(const struct listed *l, struct stem s)
{
	for (size_t i = 0; i < l->nscales; i++) {
		const char *time = l->scales[i].time, *about = l->scales[i].about;
		scoped char *brief = xasprintf("%s%s%s", time ? time : "",
					       time && about ? ": " : "", about ? about : "");

		offer(s, l->scales[i].name, "", brief);
	}
}

/* The scales of the experiments on the line; without one, of all. */
static void offer_scales(const struct line *l, struct stem s)
{
	struct spec spec;
	size_t n = 0;

	for (; load_named(l, n, &spec); n++) {
		struct listed one = { 0 };

		listed_read_scales(&one, spec.json);
		offer_scales_of(&one, s);
		listed_release(&one);
		spec_release(&spec);
	}
	if (!n) {
		scoped_by(listing_release) struct listing all = listing_experiments();

		for (size_t i = 0; i < all.n; i++)
			offer_scales_of(&all.v[i], s);
	}
}

/* The settings that span a grid, or the values of one of them; more than once is no harm. */
static void offer_product(struct stem s, const struct grid_product *product)
{
	const char *equal = strchr(s.text, '=');

	for (size_t k = 0; k < product->n; k++) {
		const struct grid_axis *a = &product->v[k];
		const size_t n = strlen(a->key);

		if (!equal)
			offer(s, a->key, "=", opt_find(settings_opts, a->key)->help);
		else if ((size_t)(equal - s.text) == n && !strncmp(s.text, a->key, n))
			for (size_t i = 0; i < a->values.n; i++)
				offer(stem_after(s, equal), a->values.v[i].text, "", NULL);
	}
}

/* KEY=VALUE of the grids of the experiments on the line; false without one. */
static bool offer_grid(const struct line *l, struct stem s)
{
	struct spec spec;
	size_t n = 0;

	for (; load_named(l, n, &spec); n++) {
		for (size_t i = 0; i < spec.grid.n; i++)
			offer_product(s, &spec.grid.v[i]);
		spec_release(&spec);
	}
	return n > 0;
}

/* ---- values: words, plug-ins with their options, paths ---- */

static void offer_value(const struct line *l, struct stem s, const struct opt *o);

/* The names of a kind; those of files with what their first lines say. */
static void offer_kind(struct stem s, const struct kind *kind)
{
	char **names;

	for (size_t i = 0; kind->table && kind->table[i]; i++)
		offer(s, kind->table[i]->name, "", kind->table[i]->brief);
	if (!kind->folder)
		return;
	if (strcmp(kind->one, "experiment") == 0) {
		offer_experiments(s);
		return;
	}
	names = path_list(kind->folder);
	for (size_t i = 0; names[i]; i++) {
		const char *title;
		scoped char *path = NULL;
		scoped_json cJSON *json = NULL;

		if (strncmp(names[i], s.text, strcspn(s.text, "_-")) != 0)
			continue;
		path = path_find(kind->folder, names[i]);
		json = path ? json_load(path) : NULL;
		title = json_string(json, "title");
		offer(s, names[i], "", title ? title : json_string(json, "about"));
	}
	path_list_free(names);
	if (strchr(s.text, '/') || *s.text == '.')
		offer_paths(s);
}

/* KEY=VALUE of a table. */
static void offer_pair(const struct line *l, struct stem s, const struct opt *opts)
{
	const char *equal = strchr(s.text, '=');
	scoped char *key = NULL;

	if (!equal) {
		for (; opts && opts->name; opts++)
			if (!(opts->flags & OPT_HIDDEN))
				offer(s, opts->name, "=", opts->help);
		return;
	}
	key = xasprintf("%.*s", (int)(equal - s.text), s.text);
	if (opt_find(opts, key))
		offer_value(l, stem_after(s, equal), opt_find(opts, key));
}

/* The plug-in of a kind whose name is the text as far as ':'; NULL: none. */
static const struct plugin *plugin_at(const struct kind *kind, const char *text)
{
	const size_t n = strcspn(text, ":");

	for (size_t i = 0; kind->table && kind->table[i]; i++)
		if (strlen(kind->table[i]->name) == n && !strncmp(kind->table[i]->name, text, n))
			return kind->table[i];
	return NULL;
}

/* NAME, or after "NAME:" its options; of several names joined by commas the last. */
static void offer_plugin(const struct line *l, struct stem s, const struct kind *kind,
			 const char *def)
{
	const char *colon = strchr(s.text, ':');
	const char *comma = strrchr(colon ? colon : s.text, ',');
	const struct plugin *plugin = colon ? plugin_at(kind, s.text) : NULL;

	if (plugin)
		offer_pair(l, stem_after(s, comma ? comma : colon), plugin->opts);
	if (colon)
		return;
	s = comma ? stem_after(s, comma) : s;
	if (def && !plugin_at(kind, def) && !kind->folder)
		offer(s, def, "", "the default");
	offer_kind(s, kind);
}

static void offer_value(const struct line *l, struct stem s, const struct opt *o)
{
	static const char *const yes_no[] = { "true", "false", NULL };
	static const char *const paths[] = { "DIR", "PATH", "FILE", "FOLDER", NULL };

	if (o->type == OPT_ENUM || o->type == OPT_BOOL) {
		for (const char *const *w = o->type == OPT_ENUM ? o->choices : yes_no; *w; w++)
			offer(s, *w, "", NULL);
	} else if (!strcmp(o->name, "only")) {
		if (!offer_grid(l, s))
			offer_pair(l, s, settings_opts);
	} else if (!strcmp(o->name, "set")) {
		offer_pair(l, s, settings_opts);
	} else if (!strcmp(o->name, "scale")) {
		offer_scales(l, s);
	} else if (!strcmp(o->name, "backend")) {
		offer(s, "auto", "", "the first built in");
		for (size_t i = 0; backend_table[i]; i++)
			offer(s, backend_table[i]->name, "", NULL);
	} else if (kind_known(o->name)) {
		offer_plugin(l, s, kind_find(o->name), o->def);
	} else if (o->type == OPT_STRING && o->arg) {
		/* Texts that are neither names nor numbers are files and folders, as a rule. */
		for (size_t i = 0; paths[i]; i++)
			if (strstr(o->arg, paths[i])) {
				offer_paths(s);
				break;
			}
	}
}

/* ---- options ---- */

/* --NAME, or the value after --NAME= */
static void offer_option(const struct line *l, struct stem s)
{
	static const struct opt help_opts[] = {
		{ .name = "help", .type = OPT_BOOL, .help = "usage, examples, options" }, { 0 }
	};
	const char *equal = strchr(s.text, '=');

	if (equal) {
		char *flag = xasprintf("%.*s", (int)(equal - s.text), s.text);
		const struct opt *o = option_of(l->command, flag);

		if (o)
			offer_value(l, stem_after(s, equal), o);
		free(flag);
		return;
	}
	offer_flags(s, l->command->opts);
	if (l->command->code)
		offer_flags(s, code_opts);
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

/* One alternative of a usage's word. `before`: the word that was typed before it. */
static void offer_role(const struct line *l, struct stem s, const char *role, const char *before)
{
	const struct kind *kind;

	if (islower((unsigned char)*role)) {
		offer(s, role, "", NULL);
	} else if (!strcmp(role, "EXPERIMENT")) {
		offer_experiments(s);
	} else if (!strcmp(role, "KEY=VALUE")) {
		offer_pair(l, s, settings_opts);
	} else if (!strcmp(role, "KIND")) {
		for (size_t i = 0; (kind = kind_at(i)); i++)
			offer(s, kind->many, "", kind->what);
		if (strcmp(l->words[0], "list") == 0)
			offer(s, "runs", "", "finished runs, by their settings");
	} else if (!strcmp(role, "NET")) {
		offer_kind(s, kind_find("net"));
	} else if (!strncmp(role, "NAME", 4) && kind_known(before)) {
		offer_plugin(l, s, kind_find(before), NULL);
	} else if (!strcmp(role, "NAME:key=value,")) {
		offer_plugin(l, s, kind_find("data"), NULL);
	}
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

/* ---- the line ---- */

/* After the command: a value, an option, or a word. */
static void offer_argument(const struct line *l)
{
	struct stem s = { l->words[l->n - 1], 0, l->words[l->n - 1] };
	const char *before = l->words[0];
	const struct opt *o = NULL;
	size_t position = 0;
	char *roles = NULL, *rest = NULL;

	for (size_t i = 0; i + 1 < l->n; i++) {
		const bool value = o && o->type != OPT_BOOL;

		o = value ? NULL : option_of(l->command, l->words[i]);
		if (value || l->words[i][0] == '-')
			continue;
		position++;
		before = l->words[i];
	}
	if (o && o->type != OPT_BOOL)
		offer_value(l, s, o);
	else if (s.text[0] == '-')
		offer_option(l, s);
	else if ((roles = usage_word(l->command->usage, position)))
		for (char *role = strtok_r(roles, "|", &rest); role;
		     role = strtok_r(NULL, "|", &rest))
			offer_role(l, s, role, before);
	free(roles);
}

static void offer_line(struct line *l)
{
	const struct stem s = { l->words[l->n - 1], 0, l->words[l->n - 1] };
	const struct command *c, *part = data_parts;

	if (l->n == 1) {
		offer_commands(s, command_table);
		return;
	}
	context_mute();
	c = command_find(l->words[0], NULL);
	if (c && c->syntax == &cmd_help) {
		offer_commands(s, command_table);
		offer(s, "settings", "", "all settings of a run");
		offer(s, "defaults", "", "which defaults depend on which settings");
		offer(s, "measures", "", "what tables and plots can show of a run");
		offer(s, "units", "", "times, rates, sizes and counts with units");
	} else if (c && c->syntax == &cmd_data && l->n == 2) {
		offer_commands(s, data_parts);
	} else if (c) {
		while (c->syntax == &cmd_data && part->name && strcmp(part->name, l->words[1]) != 0)
			part++;
		l->command = c->syntax == &cmd_data ? part->syntax : c->syntax;
		if (l->command && !l->command->main)
			offer_argument(l);
	}
}

static int complete_main(int argc, char **argv)
{
	struct line l = { argv + 2, argc > 2 ? (size_t)argc - 2 : 0, NULL };

	if (l.n)
		offer_line(&l);
	return EXIT_OK;
}

const struct syntax cmd_complete = { .main = complete_main };
