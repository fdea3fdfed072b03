/* Names: an item reads the items before it in its own list, or "input". */
#include "nets/graph/unroll.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"

#include <stdlib.h>
#include <string.h>

static const struct known *scope_find(const struct scope *s, const char *name)
{
	for (int i = s->n; i-- > 0;)
		if (!strcmp(s->known[i].name, name))
			return &s->known[i];
	return NULL;
}

void scope_add(struct scope *s, const char *name, int layer)
{
	if (s->n == s->capacity) {
		s->capacity = s->capacity ? 2 * s->capacity : 16;
		s->known = xrealloc(s->known, (size_t)s->capacity, sizeof(*s->known));
	}
	snprintf(s->known[s->n].name, sizeof(s->known->name), "%s", name);
	s->known[s->n++].layer = layer;
	s->prev = layer;
}

enum { MAX_DIGITS = 9 };       /* one more than their number is still an int */

/* Not negative when the text is a number, and not too long a one; else -1. */
static int scope_number_of(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits < 1 || digits > MAX_DIGITS || text[digits] ? -1 : (int)strtol(text, NULL, 10);
}

void scope_number(const struct scope *s, const char *stem, char *name, size_t size)
{
	size_t len = strlen(stem);
	int last = -1;

	for (int i = s->n; i-- > 0 && last < 0;)
		if (!strncmp(s->known[i].name, stem, len))
			last = scope_number_of(s->known[i].name + len);
	snprintf(name, size, "%.32s%d", stem, last < 0 ? 1 : last + 1);
}

int scope_check(const struct scope *s, const char *name, const char *path)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

	if (!*name || name[strspn(name, allowed)] || strlen(name) > 32)
		return error("%s: layer name '%.64s': at most 32 letters, digits, '_' and '-'",
			     path, name);
	if (strlen(s->prefix) + strlen(name) >= sizeof(s->known->name))
		return error("%s: layer name '%s%s' is too long", path, s->prefix, name);
	if (!strcmp(name, "input") || scope_find(s, name))
		return error("%s: two layers are called '%s%s'", path, s->prefix, name);
	return 0;
}

static int find_input(const struct scope *s, const cJSON *ref, const char *where)
{
	const struct known *known;
	const char *near, **names;

	if (!cJSON_IsString(ref))
		return error("%s: \"in\" is a name, or a list of two", where);
	if (!strcmp(ref->valuestring, "input"))
		return s->input;
	known = scope_find(s, ref->valuestring);
	if (known)
		return known->layer;
	names = xcalloc((size_t)s->n + 2, sizeof(*names));
	for (int i = 0; i < s->n; i++)
		names[i] = s->known[i].name;
	names[s->n] = "input";
	near = nearest_word(ref->valuestring, names);
	error("%s: reads '%.64s', which no layer before it is called%s%s%s", where,
	      ref->valuestring, near ? "; did you mean '" : "", near ? near : "",
	      near ? "'?" : "");
	free(names);
	return -1;
}

int scope_inputs(const struct scope *s, const cJSON *item, int ins, int in[2],
		 const char *where)
{
	const cJSON *ref = json_get(item, "in");
	int given = cJSON_IsArray(ref) ? cJSON_GetArraySize(ref) : 1;

	in[0] = s->prev;
	in[1] = -1;
	if (!ref && ins == 1)
		return 0;
	if (!ref || given != ins)
		return error("%s: reads %d layer%s, but \"in\" names %d", where, ins,
			     word_plural(ins), ref ? given : 0);
	for (int i = 0; i < ins; i++) {
		in[i] = find_input(s, cJSON_IsArray(ref) ? cJSON_GetArrayItem(ref, i) : ref,
				   where);
		if (in[i] < 0)
			return -1;
	}
	return 0;
}
