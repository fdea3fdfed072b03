/* Parses and formats "name:key=value,...", the choice of a plug-in with its options. */
#include "core/base/mem.h"
#include "core/text/opt.h"
#include "core/text/word.h"

#include <stdlib.h>
#include <string.h>

static int unknown_plugin(const struct plugin *const *table, const char *kind, const char *name)
{
	const char **names;
	size_t n = 0;

	while (table[n])
		n++;
	names = xcalloc(n + 1, sizeof *names);
	for (size_t i = 0; i < n; i++)
		names[i] = table[i]->name;
	word_unknown(NULL, kind, name, names);
	free(names);
	return -1;
}

const struct plugin *plugin_find(const struct plugin *const *table, const char *kind,
				 const char *name)
{
	for (size_t i = 0; table[i]; i++)
		if (!strcmp(table[i]->name, name))
			return table[i];
	unknown_plugin(table, kind, name);
	return NULL;
}

static int choice_fill(struct choice *c, const struct plugin *plugin, const char *kind,
		       const char *opts)
{
	struct choice made = { plugin, xcalloc(plugin->conf_size, 1) };
	char *where = xasprintf("%s %s", kind, plugin->name);
	int rc;

	opt_init(plugin->opts, made.conf);
	rc = opt_parse(plugin->opts, made.conf, opts, where);
	free(where);
	choice_release(rc ? &made : c);
	if (!rc)
		*c = made;
	return rc;
}

int choice_parse(struct choice *c, const struct plugin *const *table, const char *kind,
		 const char *text)
{
	char *name = xstrdup(text ? text : ""), *colon = strchr(name, ':');
	const struct plugin *plugin;
	int rc = -1;

	if (colon)
		*colon = '\0';
	plugin = plugin_find(table, kind, name);
	if (plugin)
		rc = choice_fill(c, plugin, kind, colon ? colon + 1 : "");
	free(name);
	return rc;
}

/* A backslash before what would end the value. The caller frees. */
static char *choice_escaped(const char *value)
{
	char *s = xcalloc(2 * strlen(value) + 1, 1), *to = s;

	for (; *value; value++) {
		if (*value == ',' || *value == '\\')
			*to++ = '\\';
		*to++ = *value;
	}
	return s;
}

char *choice_format(const struct choice *c)
{
	const struct opt *first = c->plugin ? c->plugin->opts : NULL;
	char *text = xstrdup(c->plugin ? c->plugin->name : "");

	for (const struct opt *o = first; o && o->name; o++) {
		char *plain = opt_format(o, c->conf), *value = choice_escaped(plain);

		xappend_own(&text, o == first ? ":" : ",", xasprintf("%s=%s", o->name, value));
		free(plain);
		free(value);
	}
	return text;
}

void choice_release(struct choice *c)
{
	if (c->plugin)
		opt_release(c->plugin->opts, c->conf);
	free(c->conf);
	*c = (struct choice){ 0 };
}
