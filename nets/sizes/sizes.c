/* sizes.c - the table of nets that are known by their size, and how one is chosen. */
#include "nets/sizes/sizes.h"

#include "core/base/mem.h"
#include "nets/nets.h"

#include <stdlib.h>
#include <string.h>

#define SIZE(name) extern const struct size_type size_##name;
#include "nets/sizes/list.h"
#undef SIZE

const struct plugin *const size_table[] = {
#define SIZE(name) &size_##name.plugin,
#include "nets/sizes/list.h"
#undef SIZE
	NULL
};

#define PROBLEM(name) extern const struct problem_type problem_##name;
#include "nets/list.h"
#undef PROBLEM

const struct plugin *const net_table[] = {
#define PROBLEM(name) &problem_##name.plugin,
#include "nets/list.h"
#undef PROBLEM
#define SIZE(name) &size_##name.plugin,
#include "nets/sizes/list.h"
#undef SIZE
	NULL
};

bool sizes_chosen(const char *text)
{
	const size_t n = strcspn(text, ":");

	for (const struct plugin *const *p = size_table; *p; p++)
		if (strlen((*p)->name) == n && strncmp((*p)->name, text, n) == 0)
			return true;
	return false;
}

/* With the first option's key where it is left out. The caller frees. */
static char *sizes_with_key(const struct plugin *p, const char *text)
{
	const char *value = strchr(text, ':');

	if (!value || !p->opts || !value[1] || value[1 + strcspn(value + 1, "=,")] == '=')
		return xstrdup(text);
	return xasprintf("%s:%s=%s", p->name, p->opts->name, value + 1);
}

int sizes_parse(struct choice *c, const char *text)
{
	char *name = xasprintf("%.*s", (int)strcspn(text, ":"), text), *full;
	const struct plugin *p = plugin_find(size_table, "net", name);
	int ret = -1;

	free(name);
	if (!p)
		return -1;
	full = sizes_with_key(p, text);
	ret = choice_parse(c, size_table, "net", full);
	free(full);
	return ret;
}

void sizes_add(struct size_list *list, size_t n, struct size_layer layer)
{
	list->layer = xrealloc(list->layer, list->n + n, sizeof(*list->layer));
	for (size_t i = 0; i < n; i++)
		list->layer[list->n++] = layer;
}

void sizes_release(struct size_list *list)
{
	free(list->layer);
	*list = (struct size_list){ 0 };
}
