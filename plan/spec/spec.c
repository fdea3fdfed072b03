/* Loads an experiment's file, picks its scale, and applies the scale's settings. */
#include "plan/spec/spec.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/fields.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "core/text/opt_text.h"
#include "core/text/word.h"
#include "plan/settings/settings.h"

#include <stdlib.h>
#include <string.h>

/* ---- the grid ---- */

void grid_release(struct grid *g)
{
	for (size_t i = 0; i < g->n; i++)
		product_release(&g->v[i]);
	free(g->v);
	*g = (struct grid){ 0 };
}

bool grid_differs(const struct grid *grid, const char *key)
{
	const struct value_list *first = product_values(&grid->v[0], key);

	for (size_t i = 1; i < grid->n; i++) {
		const struct value_list *own = product_values(&grid->v[i], key);

		if (own != first && !(own && first && value_lists_equal(own, first)))
			return true;
	}
	return false;
}

void spec_set(struct spec *s, const struct grid_point *set)
{
	point_lay(&s->base, set);
	for (size_t i = 0; i < s->grid.n; i++)
		for (size_t k = 0; k < set->n; k++)
			if (product_values(&s->grid.v[i], set->v[k].key))
				product_put(&s->grid.v[i], set->v[k].key,
					    &(struct value_list){ &set->v[k].value, 1 });
}

void spec_set_list(struct spec *s, const char *key, const struct value_list *values)
{
	for (size_t i = 0; i < s->grid.n; i++)
		product_put(&s->grid.v[i], key, values);
}

/* ---- scales ---- */

static struct spec_scale *scale_find(const struct spec *s, const char *name)
{
	for (size_t i = 0; i < s->nscales; i++)
		if (strcmp(s->scales[i].name, name) == 0)
			return &s->scales[i];
	return NULL;
}

bool spec_has_scale(const struct spec *s, const char *name)
{
	return strcmp(s->scale, name) == 0 || scale_find(s, name);
}

/* The scale wanted, else the spec's own choice, else "laptop", else the only one. */
static int scale_pick(struct spec *s, const char *wanted)
{
	struct spec_scale *scale;
	struct spec_part *part;
	const char **known;

	if (!wanted)
		wanted = json_string(s->json, "scale");
	scale = scale_find(s, wanted ? wanted : "laptop");
	if (wanted && !scale && !s->nscales)
		return error("%s: unknown scale '%s': the spec has no scales", s->path, wanted);
	if (wanted && !scale) {
		known = xcalloc(s->nscales + 1, sizeof(*known));
		for (size_t i = 0; i < s->nscales; i++)
			known[i] = s->scales[i].name;
		word_unknown(s->path, "scale", wanted, known);
		free(known);
		return -1;
	}
	if (!scale && s->nscales == 1)
		scale = s->scales;
	s->scale = xstrdup(scale ? scale->name : "default");
	if (!scale)
		return 0;
	/* The scale overrides the spec's own: a list of products replaces the grid. */
	s->time = scale->time;
	part = &scale->part;
	spec_set(s, &part->base);
	if (part->replaces) {
		grid_release(&s->grid);
		s->grid = part->grid;
		part->grid = (struct grid){ 0 };
	} else {
		for (size_t i = 0; i < part->grid.v[0].n; i++)
			spec_set_list(s, part->grid.v[0].v[i].key, &part->grid.v[0].v[i].values);
	}
	s->tune = spec_tune_lay(s->tune, part);
	point_lay(&s->baseline, &part->baseline);
	s->has_baseline = s->has_baseline || part->has_baseline;
	return 0;
}

/* ---- the name ---- */

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
	const char *begin = path_base(path);

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

/* ---- the file ---- */

static const struct field word_fields[] = {
	FIELD(WORD, struct spec, title, "title"), FIELD(WORD, struct spec, about, "about"),
	FIELD(WORD, struct spec, paper, "paper"), FIELD(WORD, struct spec, figure, "figure"), { 0 }
};

int spec_from_json(struct spec *s, cJSON *json, const char *path, const char *scale)
{
	*s = (struct spec){ .path = xstrdup(path), .name = spec_name(path), .json = json };
	fields_read(json, word_fields, s);
	if (spec_check_name(s->name, path) < 0 || spec_read(s) < 0 ||
	    entries_prepare(json, path) < 0 || scale_pick(s, scale) < 0 ||
	    spec_tune_check(s->tune, &s->grid, path) < 0) {
		spec_release(s);
		return -1;
	}
	return 0;
}

static int spec_find(struct spec *s, const char *name, const char *scale, bool claims)
{
	scoped char *path = path_find("experiments", name);
	cJSON *json = path ? json_load(path) : NULL;

	if (!claims)
		cJSON_DeleteItemFromObjectCaseSensitive(json, "claims");
	return json ? spec_from_json(s, json, path, scale) : -1;
}

int spec_load(struct spec *s, const char *name, const char *scale)
{
	return spec_find(s, name, scale, true);
}

int spec_load_settings(struct spec *s, const char *name, const char *scale)
{
	return spec_find(s, name, scale, false);
}

void spec_release(struct spec *s)
{
	free(s->path);
	free(s->name);
	free(s->scale);
	fields_release(word_fields, s);
	cJSON_Delete(s->json);
	point_release(&s->base);
	grid_release(&s->grid);
	point_release(&s->baseline);
	spec_tune_release(s->tune);
	for (size_t i = 0; i < s->nscales; i++)
		spec_part_release(&s->scales[i].part);
	free(s->scales);
	*s = (struct spec){ 0 };
}

char **spec_names(const char *scale)
{
	char **names = path_list("experiments");
	size_t n = 0;

	for (size_t i = 0; names[i]; i++) {
		scoped char *path = scale ? path_find("experiments", names[i]) : NULL;
		scoped_json cJSON *json = path ? json_load(path) : NULL;

		/* A spec that cannot be read stays: its reader says why. */
		if (!json || json_get(json_get(json, "scales"), scale))
			names[n++] = names[i];
		else
			free(names[i]);
	}
	names[n] = NULL;
	return names;
}

/* ---- engine mpi ---- */

void simulator_only_drop(struct spec *s, const struct grid_point *set)
{
	const char *engine = point_text(set, "engine");
	char *all = NULL;

	if (!engine || strcmp(engine, "mpi") != 0)
		return;
	/* A baseline that is timed alone, among training runs, computes on real ranks. */
	point_drop(&s->baseline, "timing");
	for (const struct opt *o = settings_opts; o->name; o++) {
		bool there;

		if (!setting_facts(o)->sim_only || point_value(set, o->name))
			continue;
		there = point_drop(&s->base, o->name);
		there = point_drop(&s->baseline, o->name) || there;
		for (size_t k = 0; k < s->grid.n; k++)
			there = product_drop(&s->grid.v[k], o->name) || there;
		if (there)
			xappend(&all, ", ", o->name);
	}
	if (all)
		warning("%s: left out with engine = mpi, for only the simulator has them: %s",
			s->name, all);
	free(all);
}

/* ---- --only ---- */

/* The value after '='; *key is the setting's own name. */
static const char *filter_split(const char *only, const char **key)
{
	scoped char *written = xasprintf("%.*s", (int)strcspn(only, "="), only);

	*key = setting_name(written);
	return strchr(only, '=') + 1;
}

/* True when the grid has this very value of the setting. */
static bool grid_has(const struct spec *s, const char *key, const char *text)
{
	bool has = false;

	for (size_t i = 0; i < s->grid.n && !has; i++) {
		const struct value_list *list = product_values(&s->grid.v[i], key);

		has = list && value_list_has(list, text);
	}
	return has;
}

bool point_filter_agrees(const struct spec *s, const struct grid_point *point, const char *only)
{
	char *copy = xstrdup(only ? only : ""), *rest, *line = strtok_r(copy, "\n", &rest);
	bool all = true;

	for (; line && all; line = strtok_r(NULL, "\n", &rest)) {
		const char *key, *wanted = filter_split(line, &key), *own = point_text(point, key);

		all = own && (strcmp(own, wanted) == 0 ||
			      (!grid_has(s, key, wanted) && setting_agrees(wanted, own)));
	}
	free(copy);
	return all;
}

/* 0 when some point has the value of one KEY=VALUE, else error(). */
static int filter_seek(const struct spec *s, const char *only)
{
	const char *key, *wanted = filter_split(only, &key);
	struct words values = { 0 }, keys = { 0 };
	bool found = false;
	scoped char *advice = NULL;

	for (size_t i = 0; i < s->grid.n; i++) {
		const struct value_list *list = product_values(&s->grid.v[i], key);

		for (size_t k = 0; k < s->grid.v[i].n; k++)
			words_add_new(&keys, s->grid.v[i].v[k].key);
		for (size_t k = 0; list && k < list->n; k++)
			words_add_new(&values, list->v[k].text);
	}
	for (size_t k = 0; k < values.n && !found; k++)
		found = setting_agrees(wanted, values.v[k]);
	advice = values.n ? word_advice(wanted, values.v) : word_advice(key, keys.v);
	if (!found)
		error("%s: no run has %s%s%s", s->name, only,
		      values.n ? "" : ": the grid has no such setting", advice);
	free(values.v);
	free(keys.v);
	return found ? 0 : -1;
}

int point_filter_refuse(const struct spec *s, const char *only)
{
	char *copy = xstrdup(only), *rest, *line = strtok_r(copy, "\n", &rest), *all = NULL;
	int ret = 0;

	for (; ret == 0 && line; line = strtok_r(NULL, "\n", &rest)) {
		xappend(&all, " and ", line);
		ret = filter_seek(s, line);
	}
	if (ret == 0)
		error("%s: no run has %s", s->name, all);
	free(all);
	free(copy);
	return -1;
}
