/* Names of runs in a claim's figures, without the settings that all of them have in common. */
#include "report/claims/names.h"

#include "core/base/mem.h"
#include "core/file/json.h"

#include <ctype.h>
#include <string.h>

/* The length of "key=value" at the beginning; values may have spaces. 0: there is none. */
static size_t names_setting(const char *name)
{
	const char *s = name + strcspn(name, " =");

	if (*s != '=' || s == name)
		return 0;
	while ((s = strchr(s, ' '))) {
		const char *next = ++s;

		while (islower((unsigned char)*next) || *next == '_')
			next++;
		if (next > s && *next == '=')
			return (size_t)(s - 1 - name);
	}
	return strlen(name);
}

static bool names_has(const char *name, const char *setting, size_t n)
{
	for (size_t size; (size = names_setting(name)); name += size + (name[size] == ' '))
		if (size == n && strncmp(name, setting, n) == 0)
			return true;
	return false;
}

static void names_add(cJSON *all, const char *name)
{
	if (name && names_setting(name))
		cJSON_AddItemToArray(all, cJSON_CreateString(name));
}

/* Keys of figures. */
static void names_of_figures(cJSON *all, const cJSON *figures)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, figures) {
		names_add(all, item->string);
		names_of_figures(all, item);
	}
}

/* Sides of comparisons. */
static void names_of_sides(cJSON *all, const cJSON *verdict)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, json_get(verdict, "of")) {
		names_add(all, cJSON_GetStringValue(one));
		names_of_sides(all, one);
	}
}

cJSON *names_of(const cJSON *claim)
{
	cJSON *all = cJSON_CreateArray();

	names_of_figures(all, json_get(claim, "shows"));
	names_of_sides(all, json_get(claim, "interval"));
	return all;
}

static bool names_share(const cJSON *all, const char *setting, size_t n)
{
	const cJSON *name;

	cJSON_ArrayForEach(name, all)
		if (!names_has(name->valuestring, setting, n))
			return false;
	return true;
}

char *names_short(const cJSON *all, const char *name, bool seed)
{
	char *text = NULL;

	if (!names_setting(name))
		return xstrdup(name);
	for (const char *s = name; *s;) {
		const size_t n = names_setting(s);

		if (!names_share(all, s, n) && (seed || strncmp(s, "seed=", strlen("seed=")) != 0))
			xappend_own(&text, " ", xasprintf("%.*s", (int)n, s));
		s += n + (s[n] == ' ');
	}
	return text ? text : xstrdup(name);
}
