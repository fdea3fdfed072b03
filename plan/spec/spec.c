/* Loads an experiment's file, picks its scale, and applies the scale's settings. */
#include "plan/spec/spec.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "core/text/word.h"
#include "plan/settings/settings.h"
#include "plan/spec/tune.h"
#include "record/measure.h"

#include <stdlib.h>
#include <string.h>

/* Sets the members of one object in another, under the settings' own spelling. */
static void spec_lay(cJSON *object, const cJSON *over)
{
	const cJSON *value;

	cJSON_ArrayForEach(value, over)
		json_put(object, opt_find(settings_opts, value->string)->name,
			 cJSON_Duplicate(value, true));
}

cJSON *spec_copy(const cJSON *object)
{
	cJSON *made = cJSON_CreateObject();

	spec_lay(made, object);
	return made;
}

/* A grid in any form as a list of products. */
static cJSON *copy_grid(const cJSON *grid)
{
	cJSON *list = cJSON_CreateArray();
	const cJSON *product;

	if (cJSON_IsArray(grid))
		cJSON_ArrayForEach(product, grid)
			cJSON_AddItemToArray(list, spec_copy(product));
	else
		cJSON_AddItemToArray(list, spec_copy(grid));
	return list;
}

void spec_set(struct spec *s, const cJSON *set)
{
	cJSON *product;
	const cJSON *value;

	spec_lay(s->base, set);
	cJSON_ArrayForEach(product, s->grid) {
		cJSON_ArrayForEach(value, set) {
			const char *key = opt_find(settings_opts, value->string)->name;
			cJSON *one;

			if (!json_get(product, key))
				continue;
			one = cJSON_CreateArray();
			cJSON_AddItemToArray(one, cJSON_Duplicate(value, true));
			json_put(product, key, one);
		}
	}
}

void spec_set_list(struct spec *s, const char *key, const cJSON *values)
{
	cJSON *product;

	cJSON_ArrayForEach(product, s->grid)
		json_put(product, key, cJSON_Duplicate(values, true));
}

bool spec_grid_differs(const cJSON *grid, const char *key)
{
	const cJSON *first = cJSON_IsArray(grid) ? key_find(grid->child, key) : NULL, *product;

	if (cJSON_IsArray(grid))
		cJSON_ArrayForEach(product, grid) {
			const cJSON *own = key_find(product, key);

			if (own != first && !cJSON_Compare(own, first, true))
				return true;
		}
	return false;
}

static void lay_grid(struct spec *s, const cJSON *grid)
{
	cJSON *product;

	if (cJSON_IsArray(grid)) {
		cJSON_Delete(s->grid);
		s->grid = copy_grid(grid);
		return;
	}
	cJSON_ArrayForEach(product, s->grid)
		spec_lay(product, grid);
}

static void lay_scale(struct spec *s, const cJSON *scale)
{
	spec_set(s, json_get(scale, "base"));
	lay_grid(s, json_get(scale, "grid"));
	s->tune = spec_tune_lay(s->tune, json_get(scale, "tune"));
	if (!json_get(scale, "baseline"))
		return;
	if (!s->baseline)
		s->baseline = cJSON_CreateObject();
	spec_lay(s->baseline, json_get(scale, "baseline"));
}

static int unknown_scale(const struct spec *s, const cJSON *scales, const char *name)
{
	const char **known;
	const cJSON *scale;
	size_t n = 0;

	if (!scales || !scales->child)
		return error("%s: unknown scale '%s': the spec has no scales", s->path, name);
	known = xcalloc((size_t)cJSON_GetArraySize(scales) + 1, sizeof(*known));
	cJSON_ArrayForEach(scale, scales)
		known[n++] = scale->string;
	word_unknown(s->path, "scale", name, known);
	free(known);
	return -1;
}

/* The scale wanted, else the spec's own choice, else "laptop", else the only one. */
static int pick_scale(struct spec *s, const char *wanted)
{
	const cJSON *scales = json_get(s->json, "scales");
	const cJSON *preset = json_get(s->json, "scale");
	const cJSON *scale = NULL;

	if (!wanted && preset)
		wanted = preset->valuestring;
	if (wanted) {
		scale = json_get(scales, wanted);
		if (!scale)
			return unknown_scale(s, scales, wanted);
	} else if (scales) {
		scale = json_get(scales, "laptop");
		if (!scale && cJSON_GetArraySize(scales) == 1)
			scale = scales->child;
	}
	s->scale = xstrdup(scale ? scale->string : "default");
	if (scale)
		lay_scale(s, scale);
	return 0;
}

/* Every component is a name: none is empty, hidden, "." or "..". */
static bool spec_is_plain(const char *path)
{
	for (const char *c = path;; c++) {
		if (*c == '.' || *c == '/' || !*c)
			return false;
		c += strcspn(c, "/");
		if (!*c)
			return true;
	}
}

/* "paper/name" of .../experiments/paper/name.json, "name" of any other path. */
static char *spec_name(const char *path)
{
	static const char shared[] = "experiments/";
	const char *slash = strrchr(path, '/'), *begin = slash ? slash + 1 : path;

	for (const char *at = path; (at = strstr(at, shared)); at++)
		if ((at == path || at[-1] == '/') && spec_is_plain(at + strlen(shared)))
			begin = at + strlen(shared);
	return path_bare(begin);
}

/* A spec's name is that of the folder of its results, next to which report --all puts its page. */
static int spec_check_name(const char *name, const char *path)
{
	if (!spec_is_plain(name))
		return error("%s: the name of a spec must not begin with '.'", path);
	for (const char *c = name; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			return error("%s: the name of a spec must not hold line breaks or other "
				     "control characters: rename the file", path);
	if (!strcmp(name, "index.html"))
		return error("%s: results/index.html is the page of 'convoy report --all': rename "
			     "the file", path);
	return 0;
}

/* Gives tables or plots the spec's labels where they have none of their own for a word. */
static void spec_share_labels(cJSON *entries, const cJSON *labels)
{
	cJSON *entry, *own;
	const cJSON *label;

	cJSON_ArrayForEach(entry, entries) {
		own = json_get(entry, "labels");
		if (!own)
			own = cJSON_AddObjectToObject(entry, "labels");
		cJSON_ArrayForEach(label, labels)
			if (!json_get(own, label->string))
				cJSON_AddItemToObject(own, label->string,
						      cJSON_Duplicate(label, true));
	}
}

int spec_from_json(struct spec *s, cJSON *json, const char *path, const char *scale)
{
	*s = (struct spec){ .path = xstrdup(path), .name = spec_name(path), .json = json };
	if (spec_check_name(s->name, path) < 0)
		goto bad;
	if (spec_check(json, path) < 0 || spec_split_panels(json, path) < 0)
		goto bad;
	if (json_get(json, "labels")) {
		spec_share_labels(json_get(json, "tables"), json_get(json, "labels"));
		spec_share_labels(json_get(json, "plots"), json_get(json, "labels"));
	}
	s->base = spec_copy(json_get(json, "base"));
	s->grid = copy_grid(json_get(json, "grid"));
	if (json_get(json, "baseline"))
		s->baseline = spec_copy(json_get(json, "baseline"));
	s->tune = spec_tune_lay(NULL, json_get(json, "tune"));
	if (pick_scale(s, scale) == 0 && spec_tune_check_whole(s->tune, s->grid, path) == 0)
		return 0;
bad:
	spec_release(s);
	return -1;
}

static int load(struct spec *s, const char *name, const char *scale, bool claims)
{
	char *path = path_find("experiments", name);
	cJSON *json = path ? json_load(path) : NULL;
	int ret;

	if (!claims)
		cJSON_DeleteItemFromObjectCaseSensitive(json, "claims");
	ret = json ? spec_from_json(s, json, path, scale) : -1;
	free(path);
	return ret;
}

int spec_load(struct spec *s, const char *name, const char *scale)
{
	return load(s, name, scale, true);
}

int spec_load_settings(struct spec *s, const char *name, const char *scale)
{
	return load(s, name, scale, false);
}

static bool names_real(const cJSON *keys)
{
	const char *key;

	for (int i = 0; (key = keys_at(keys, i)); i++)
		if (measure_is_real(key))
			return true;
	return false;
}

bool spec_is_real(const struct spec *s)
{
	const cJSON *each;

	cJSON_ArrayForEach(each, json_get(s->json, "tables"))
		if (names_real(json_get(each, "values")))
			return true;
	cJSON_ArrayForEach(each, json_get(s->json, "plots"))
		if (names_real(json_get(each, "x")) || names_real(json_get(each, "y")))
			return true;
	return false;
}

void spec_release(struct spec *s)
{
	free(s->path);
	free(s->name);
	free(s->scale);
	cJSON_Delete(s->json);
	cJSON_Delete(s->base);
	cJSON_Delete(s->grid);
	cJSON_Delete(s->baseline);
	cJSON_Delete(s->tune);
	*s = (struct spec){ 0 };
}

/* One that cannot be read is left to who loads it, and says so. */
static bool may_have(const char *name, const char *scale)
{
	char *path = path_find("experiments", name);
	cJSON *json = path ? json_load(path) : NULL;
	bool may = !json || json_get(json_get(json, "scales"), scale);

	cJSON_Delete(json);
	free(path);
	return may;
}

char **spec_names(const char *scale)
{
	char **names = path_list("experiments");
	size_t n = 0;

	for (size_t i = 0; names[i]; i++) {
		if (!scale || may_have(names[i], scale))
			names[n++] = names[i];
		else
			free(names[i]);
	}
	names[n] = NULL;
	return names;
}
