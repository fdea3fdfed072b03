/* Names with what they are; those of the built-in experiments, with their scales. */
#include "cmd/listing.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"

#include <stdlib.h>

void listing_add(struct listing *list, const char *name, struct listed rest)
{
	list->v = xrealloc(list->v, list->n + 1, sizeof(*list->v));
	rest.name = xstrdup(name);
	list->v[list->n++] = rest;
}

void listed_release(struct listed *l)
{
	for (size_t i = 0; i < l->nscales; i++) {
		free(l->scales[i].name);
		free(l->scales[i].time);
		free(l->scales[i].about);
	}
	free(l->scales);
	free(l->name);
	free(l->brief);
	free(l->paper);
	free(l->figure);
}

void listing_release(struct listing *list)
{
	for (size_t i = 0; i < list->n; i++)
		listed_release(&list->v[i]);
	free(list->v);
}

void listed_read_scales(struct listed *l, const cJSON *spec)
{
	const cJSON *scale;

	cJSON_ArrayForEach(scale, json_get(spec, "scales")) {
		l->scales = xrealloc(l->scales, l->nscales + 1, sizeof(*l->scales));
		l->scales[l->nscales++] = (struct listed_scale){
			xstrdup(scale->string), xstrdup(json_string(scale, "time")),
			xstrdup(json_string(scale, "about"))
		};
	}
}

struct listing listing_experiments(void)
{
	char **names = path_list("experiments");
	struct listing list = { 0 };

	for (size_t i = 0; names[i]; i++) {
		char *path = path_find("experiments", names[i]);
		cJSON *spec = path ? json_load(path) : NULL;
		struct listed one = { .brief = xstrdup(json_string(spec, "title")),
				      .paper = xstrdup(json_string(spec, "paper")),
				      .figure = xstrdup(json_string(spec, "figure")) };

		listed_read_scales(&one, spec);
		if (spec)
			listing_add(&list, names[i], one);
		cJSON_Delete(spec);
		free(path);
	}
	path_list_free(names);
	return list;
}
