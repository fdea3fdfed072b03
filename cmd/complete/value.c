/* The values of an option: words, plug-ins with their options, paths. */
#include "cmd/complete/complete.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "nets/backend.h"
#include "plan/settings/settings.h"

#include <stdlib.h>
#include <string.h>

/* What a file of a kind says of itself in its first lines. */
static void offer_file(struct stem s, const char *folder, const char *name)
{
	char *path = path_find(folder, name);
	cJSON *json = path ? json_load(path) : NULL;
	const char *title = json_string(json, "title");
	const char *about = json_string(json, "about");

	offer(s, name, "", title ? title : about);
	cJSON_Delete(json);
	free(path);
}

static void offer_files(struct stem s, const char *folder)
{
	char **names = path_list(folder);

	for (size_t i = 0; names[i]; i++)
		if (strncmp(names[i], s.text, strcspn(s.text, "_-")) == 0)
			offer_file(s, folder, names[i]);
	path_list_free(names);
	if (strchr(s.text, '/') || *s.text == '.')
		offer_paths(s);
}

void offer_kind(struct stem s, const struct kind *kind)
{
	for (size_t i = 0; kind->table && kind->table[i]; i++)
		offer(s, kind->table[i]->name, "", kind->table[i]->brief);
	if (!kind->folder)
		return;
	if (strcmp(kind->one, "experiment") == 0)
		offer_experiments(s);
	else
		offer_files(s, kind->folder);
}

static const struct plugin *plugin_of(const struct kind *kind, const char *text, size_t n)
{
	for (size_t i = 0; kind->table && kind->table[i]; i++)
		if (strlen(kind->table[i]->name) == n && !strncmp(kind->table[i]->name, text, n))
			return kind->table[i];
	return NULL;
}

void offer_pair(const struct line *l, struct stem s, const struct opt *opts)
{
	const char *equal = strchr(s.text, '=');
	char *key;

	if (!equal) {
		for (; opts && opts->name; opts++)
			if (!(opts->flags & OPT_HIDDEN))
				offer(s, opts->name, "=", opts->help);
		return;
	}
	key = xasprintf("%.*s", (int)(equal - s.text), s.text);
	if (opt_find(opts, key))
		offer_value(l, stem_after(s, equal), opt_find(opts, key));
	free(key);
}

/* NAME, or after "NAME:" its options; of several names joined by commas the last. */
void offer_plugin(const struct line *l, struct stem s, const struct kind *kind, const char *def)
{
	const char *colon = strchr(s.text, ':');
	const char *comma = strrchr(colon ? colon : s.text, ',');
	const struct plugin *plugin;

	if (!colon) {
		s = comma ? stem_after(s, comma) : s;
		if (def && !plugin_of(kind, def, strcspn(def, ":")) && !kind->folder)
			offer(s, def, "", "the default");
		offer_kind(s, kind);
		return;
	}
	plugin = plugin_of(kind, s.text, (size_t)(colon - s.text));
	if (plugin)
		offer_pair(l, stem_after(s, comma ? comma : colon), plugin->opts);
}

static void offer_words(struct stem s, const char *const *words)
{
	for (; *words; words++)
		offer(s, *words, "", NULL);
}

static void offer_backends(struct stem s)
{
	offer(s, "auto", "", "the first built in");
	for (size_t i = 0; backend_table[i]; i++)
		offer(s, backend_table[i]->name, "", NULL);
}

/* Texts that are neither names nor numbers are files and folders, as a rule. */
static bool is_path(const struct opt *o)
{
	static const char *const args[] = { "DIR", "PATH", "FILE", "FOLDER" };

	for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++)
		if (o->type == OPT_STRING && o->arg && strstr(o->arg, args[i]))
			return true;
	return false;
}

void offer_value(const struct line *l, struct stem s, const struct opt *o)
{
	static const char *const yes_no[] = { "true", "false", NULL };

	if (o->type == OPT_ENUM)
		offer_words(s, o->choices);
	else if (o->type == OPT_BOOL)
		offer_words(s, yes_no);
	else if (!strcmp(o->name, "only"))
		offer_grid(l, s);
	else if (!strcmp(o->name, "set"))
		offer_pair(l, s, settings_opts);
	else if (!strcmp(o->name, "scale"))
		offer_scales(l, s);
	else if (!strcmp(o->name, "backend"))
		offer_backends(s);
	else if (kind_known(o->name))
		offer_plugin(l, s, kind_find(o->name), o->def);
	else if (is_path(o))
		offer_paths(s);
}
