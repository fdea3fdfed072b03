/* Names with what they are; those of the built-in experiments, with their scales. */
#include "cmd/listing.h"

#include "core/base/mem.h"
#include "core/file/fields.h"
#include "core/file/json.h"
#include "core/file/paths.h"

#include <stdlib.h>

void listing_add(struct listing *list, const char *name, struct listed rest)
{
	rest.name = xstrdup(name);
	APPEND(list->v, list->n) = rest;
}

void listed_release(struct listed *l)
{
	for (size_t i = 0; i < l->nscales; i++)
		free_all(l->scales[i].name, l->scales[i].time, l->scales[i].about);
	free_all(l->scales, l->name, l->brief, l->paper, l->figure);
}

void listing_release(struct listing *list)
{
	for (size_t i = 0; i < list->n; i++)
		listed_release(&list->v[i]);
	free(list->v);
}

void listed_read_scales(struct listed *l, const cJSON *spec)
{
	static const struct field fields[] = {
		FIELD(TEXT, struct listed_scale, time, "time"),
		FIELD(TEXT, struct listed_scale, about, "about"), { 0 }
	};
	const cJSON *scale;

	json_each(scale, spec, "scales") {
		struct listed_scale *s = &APPEND(l->scales, l->nscales);

		*s = (struct listed_scale){ .name = xstrdup(scale->string) };
		fields_read(scale, fields, s);
	}
}

struct listing listing_experiments(void)
{
	static const struct field fields[] = {
		FIELD(TEXT, struct listed, brief, "title"),
		FIELD(TEXT, struct listed, paper, "paper"),
		FIELD(TEXT, struct listed, figure, "figure"), { 0 }
	};
	scoped_paths char **names = path_list("experiments");
	struct listing list = { 0 };

	for (size_t i = 0; names[i]; i++) {
		scoped char *path = path_find("experiments", names[i]);
		scoped_json cJSON *spec = path ? json_load(path) : NULL;
		struct listed one = { 0 };

		fields_read(spec, fields, &one);
		listed_read_scales(&one, spec);
		if (spec)
			listing_add(&list, names[i], one);
	}
	return list;
}
