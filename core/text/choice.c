/* Parses "key=value,..." and "name:key=value,...", the choice of a plug-in with its options. */
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/text/opt.h"
#include "core/text/opt_text.h"
#include "core/text/word.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- options from a text such as "key=value,key=value" ---- */

/* Ends the item at its comma and removes backslashes; returns the next item or NULL. */
static char *cut_item(char *item)
{
	char *to = item;

	for (; *item && *item != ','; item++) {
		if (*item == '\\' && item[1])
			item++;
		*to++ = *item;
	}
	item = *item ? item + 1 : NULL;
	*to = '\0';
	return item;
}

int opt_parse(const struct opt *opts, void *conf, const char *text, const char *where)
{
	scoped char *copy = xstrdup(text);
	scoped const struct opt **seen = xcalloc(strlen(text) + 1, sizeof(*seen));
	size_t n = 0;
	int rc = 0;

	for (char *item = *copy ? copy : NULL, *next, *value; item && !rc; item = next) {
		next = cut_item(item);
		value = strchr(item, '=');
		if (value)
			*value++ = '\0';
		rc = opt_set(opts, conf, item, value, where);
		seen[n] = rc ? NULL : opt_find(opts, item);
		for (size_t i = 0; i < n && !rc; i++)
			if (seen[i] == seen[n])
				rc = error("%s: %s stands there twice. Leave one out", where, item);
		n++;
	}
	return rc;
}

bool opt_gives(const struct opt *opts, const char *text, const char *key)
{
	scoped char *copy = xstrdup(text);
	bool gives = false;

	for (char *item = copy, *next; item && !gives; item = next) {
		next = cut_item(item);
		item[strcspn(item, "=")] = '\0';
		gives = opt_find(opts, item) == opt_find(opts, key);
	}
	return gives;
}

size_t item_length(const char *text, const char *ends)
{
	size_t n = 0;

	while (text[n] && !strchr(ends, text[n]))
		n += text[n] == '\\' && text[n + 1] ? 2 : 1;
	return n;
}

char *item_plain(const char *text, size_t n)
{
	char *plain = xcalloc(n + 1, 1), *to = plain;

	for (size_t i = 0; i < n; i++) {
		i += text[i] == '\\' && i + 1 < n;
		*to++ = text[i];
	}
	return plain;
}

/* ---- plug-ins ---- */

static const struct plugin *const *files_table;
static const struct plugin *(*files_load)(const char *path, const char *digest);

void plugin_files(const struct plugin *const *table,
		  const struct plugin *(*load)(const char *path, const char *digest))
{
	files_table = table;
	files_load = load;
}

/* Characters before '@' and a digest that end a name of n characters; n: it has none. */
static size_t name_without_digest(const char *name, size_t n)
{
	const size_t at = n - PLUGIN_DIGEST - 1;

	if (n <= PLUGIN_DIGEST + 1 || name[at] != '@')
		return n;
	for (size_t i = at + 1; i < n; i++)
		if (!isxdigit((unsigned char)name[i]))
			return n;
	return at;
}

bool plugin_is_file(const struct plugin *const *table, const char *name, size_t n)
{
	if (!files_load || table != files_table)
		return false;
	n = name_without_digest(name, n);
	return memchr(name, '/', n) || (n > 3 && strncmp(&name[n - 3], ".so", 3) == 0) ||
	       (n > 2 && strncmp(&name[n - 2], ".c", 2) == 0);
}

static const struct plugin *file_find(const char *name)
{
	const size_t n = strlen(name), end = name_without_digest(name, n);
	scoped char *path = xasprintf("%.*s", (int)end, name);

	return files_load(path, end < n ? &name[end + 1] : NULL);
}

/* The path of a user's file whose name was written without its ending; NULL: there is none. */
static char *file_named(const struct plugin *const *table, const char *name)
{
	static const char *const endings[] = { ".c", ".so" };
	char *path = NULL;

	for (size_t i = 0; !path && i < 2 && files_load && table == files_table && *name; i++) {
		path = xasprintf("./%s%s", name, endings[i]);
		if (access(path, F_OK) < 0) {
			free(path);
			path = NULL;
		}
	}
	return path;
}

const char **plugin_names(const struct plugin *const *table)
{
	const char **names;
	size_t n = 0;

	while (table[n])
		n++;
	names = xcalloc(n + 1, sizeof(*names));
	for (size_t i = 0; i < n; i++)
		names[i] = table[i]->name;
	return names;
}

const struct plugin *plugin_find(const struct plugin *const *table, const char *kind,
				 const char *name)
{
	const char **names;
	char *own = NULL;

	if (plugin_is_file(table, name, strlen(name)))
		return file_find(name);
	for (size_t i = 0; table[i]; i++)
		if (!strcmp(table[i]->name, name))
			return table[i];
	names = plugin_names(table);
	for (size_t i = 0; !own && table[i]; i++)
		own = foreign_name(table[i]->also, names[i], name);
	own = own ? own : file_named(table, name);
	word_unknown_but(NULL, kind, name, names, own);
	free_all(names, own);
	return NULL;
}

int choice_parse(struct choice *c, const struct plugin *const *table, const char *kind,
		 const char *text)
{
	char *name = xstrdup(text ? text : ""), *colon = strchr(name, ':'), *where;
	struct choice made = { 0 };
	int rc = -1;

	if (colon)
		*colon = '\0';
	made.plugin = plugin_find(table, kind, name);
	if (made.plugin) {
		made.conf = xcalloc(made.plugin->conf_size, 1);
		where = xasprintf("%s %s", kind, name);
		opt_init(made.plugin->opts, made.conf);
		rc = opt_parse(made.plugin->opts, made.conf, colon ? colon + 1 : "", where);
		choice_release(rc ? &made : c);
		if (!rc)
			*c = made;
		free(where);
	}
	free(name);
	return rc;
}

/* An option's value, with a backslash before each character that would end it. Owned. */
static char *value_format(const struct opt *o, const void *conf)
{
	char *plain = opt_format(o, conf), *value = xcalloc(2 * strlen(plain) + 1, 1);
	char *to = value;

	for (const char *from = plain; *from; from++) {
		if (*from == ',' || *from == '\\')
			*to++ = '\\';
		*to++ = *from;
	}
	free(plain);
	return value;
}

/* usual: settings whose values are left out after the first `always` options; or NULL. */
static char *format_but(const struct choice *c, const void *usual, size_t always)
{
	char *text = xstrdup(c->plugin ? c->plugin->name : "");
	bool first = true;

	if (c->plugin && c->plugin->code)
		xappend(&text, "@", c->plugin->code);
	for (const struct opt *o = c->plugin ? c->plugin->opts : NULL; o && o->name; o++) {
		scoped char *value = value_format(o, c->conf);
		const bool main = (size_t)(o - c->plugin->opts) < always;
		scoped char *other = usual && !main ? value_format(o, usual) : NULL;

		if (!other || strcmp(value, other) != 0) {
			xappendf(&text, first ? ":" : ",", "%s=%s", o->name, value);
			first = false;
		}
	}
	return text;
}

char *choice_format(const struct choice *c)
{
	return format_but(c, NULL, 0);
}

char *choice_brief(const struct choice *c, size_t always)
{
	scoped void *usual = NULL;
	char *text;

	if (!c->plugin)
		return choice_format(c);
	usual = xcalloc(1, c->plugin->conf_size + 1);
	opt_init(c->plugin->opts, usual);
	text = format_but(c, usual, always);
	opt_release(c->plugin->opts, usual);
	return text;
}

bool choice_same_name(const char *a, const char *b)
{
	const size_t n = strcspn(a, ":");

	return n == strcspn(b, ":") && strncmp(a, b, n) == 0;
}

static bool same_value(const char *a, const char *b)
{
	double x, y;

	if (strcmp(a, b) == 0)
		return true;
	return text_double(a, &x) && text_double(b, &y) && fabs(x - y) <= 0;
}

/* Whether "KEY=VALUE" is among "KEY=VALUE,KEY=VALUE". */
static bool has_option(const char *options, const char *wanted)
{
	const size_t key = strcspn(wanted, "="), n = key + (wanted[key] == '=');
	scoped char *copy = xstrdup(options);
	bool found = false;

	for (char *item = copy, *next; item && !found; item = next) {
		next = cut_item(item);
		found = strncmp(item, wanted, n) == 0 && same_value(item + n, wanted + n);
	}
	return found;
}

bool setting_agrees(const char *wanted, const char *own)
{
	const size_t n = strcspn(wanted, ":"), m = strcspn(own, ":");
	scoped char *options = NULL;
	bool all = true;

	if (same_value(wanted, own))
		return true;
	if ((n != m && n != name_without_digest(own, m)) || strncmp(wanted, own, n) != 0)
		return false;
	options = wanted[n] && wanted[n + 1] ? xstrdup(wanted + n + 1) : NULL;
	for (char *item = options, *next; item && all; item = next) {
		next = cut_item(item);
		all = has_option(own[m] ? own + m + 1 : "", item);
	}
	return all;
}

void choice_release(struct choice *c)
{
	if (c->plugin)
		opt_release(c->plugin->opts, c->conf);
	free(c->conf);
	*c = (struct choice){ 0 };
}
