/* Loads an experiment's file, picks its scale, and applies the scale's settings. */
#include "plan/spec/spec.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "core/text/word.h"
#include "plan/settings/settings.h"
#include "record/measure.h"

#include <stdlib.h>
#include <string.h>

/* ---- the grid ---- */

static void grid_release(struct grid *g)
{
	for (size_t i = 0; i < g->n; i++)
		product_release(&g->v[i]);
	free(g->v);
	*g = (struct grid){ 0 };
}

static void grid_add(struct grid *g, struct grid_product product)
{
	g->v = xrealloc(g->v, g->n + 1, sizeof(*g->v));
	g->v[g->n++] = product;
}

/* An object is one product, a list has several. */
static struct grid grid_read(const cJSON *json)
{
	struct grid g = { 0 };
	const cJSON *product;

	if (!cJSON_IsArray(json))
		grid_add(&g, product_read(json));
	else
		cJSON_ArrayForEach(product, json)
			grid_add(&g, product_read(product));
	return g;
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

bool grid_json_differs(const cJSON *json, const char *key)
{
	struct grid grid = grid_read(json);
	const bool differs = grid_differs(&grid, setting_name(key));

	grid_release(&grid);
	return differs;
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

/* A list of products replaces the grid; an object's lists replace those of each product. */
static void scale_lay_grid(struct spec *s, const cJSON *json)
{
	struct grid over = grid_read(json);

	if (cJSON_IsArray(json)) {
		grid_release(&s->grid);
		s->grid = over;
		return;
	}
	for (size_t i = 0; i < over.v[0].n; i++)
		spec_set_list(s, over.v[0].v[i].key, &over.v[0].v[i].values);
	grid_release(&over);
}

static void scale_lay(struct spec *s, const cJSON *scale)
{
	struct grid_point base = point_read(json_get(scale, "base"));
	struct grid_point baseline = point_read(json_get(scale, "baseline"));

	spec_set(s, &base);
	scale_lay_grid(s, json_get(scale, "grid"));
	s->tune = spec_tune_lay(s->tune, json_get(scale, "tune"));
	point_lay(&s->baseline, &baseline);
	s->has_baseline = s->has_baseline || json_get(scale, "baseline");
	point_release(&base);
	point_release(&baseline);
}

static int scale_unknown(const struct spec *s, const cJSON *scales, const char *name)
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
static int scale_pick(struct spec *s, const char *wanted)
{
	const cJSON *scales = json_get(s->json, "scales"), *scale = NULL;

	if (!wanted)
		wanted = json_string(s->json, "scale");
	if (wanted) {
		scale = json_get(scales, wanted);
		if (!scale)
			return scale_unknown(s, scales, wanted);
	} else if (scales) {
		scale = json_get(scales, "laptop");
		if (!scale && scales->child && !scales->child->next)
			scale = scales->child;
	}
	s->scale = xstrdup(scale ? scale->string : "default");
	if (scale)
		scale_lay(s, scale);
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

/* ---- tables and plots ---- */

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
				json_put(own, label->string, cJSON_Duplicate(label, true));
	}
}

static bool spec_has_plot(const cJSON *plots, const char *name)
{
	const cJSON *plot;

	cJSON_ArrayForEach(plot, plots)
		if (strcmp(json_string(plot, "name"), name) == 0)
			return true;
	return false;
}

/* Adds a plot for each quantity y: NAME-1, NAME-2, ... 0, or error() where a name is taken. */
static int plot_split(cJSON *split, const cJSON *plots, const cJSON *plot, const char *path)
{
	const cJSON *list = json_get(plot, "y"), *y;
	const char *own = json_string(plot, "name");
	int i = 0;

	if (list->child->next && json_get(plot, "ylabel"))
		return error("%s: plots: %s: 'ylabel' is of one quantity, and 'y' has several. "
			     "Leave it out: each has a plot of its own, with the name and the unit "
			     "of the measure", path, own);
	cJSON_ArrayForEach(y, list) {
		char *name = list->child->next ? xasprintf("%s-%d", own, ++i) : xstrdup(own);
		cJSON *panel = cJSON_Duplicate(plot, true);

		json_put(panel, "name", cJSON_CreateString(name));
		json_put(panel, "y", cJSON_Duplicate(y, true));
		cJSON_AddItemToArray(split, panel);
		if (i && spec_has_plot(plots, name)) {
			error("%s: plots: the name '%s' is taken, and a plot with several 'y' "
			      "needs it. Rename one of them", path, name);
			free(name);
			return -1;
		}
		free(name);
	}
	return 0;
}

/* Plots of several quantities become as many plots, each with its own y axis. */
static int spec_split_plots(cJSON *spec, const char *path)
{
	const cJSON *plots = json_get(spec, "plots"), *plot;
	cJSON *split = cJSON_CreateArray();
	int ret = 0;

	cJSON_ArrayForEach(plot, plots)
		if (!cJSON_IsArray(json_get(plot, "y")))
			cJSON_AddItemToArray(split, cJSON_Duplicate(plot, true));
		else if (ret == 0)
			ret = plot_split(split, plots, plot, path);
	if (plots && ret == 0)
		json_put(spec, "plots", split);
	else
		cJSON_Delete(split);
	return ret;
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

/* ---- the file ---- */

int spec_from_json(struct spec *s, cJSON *json, const char *path, const char *scale)
{
	const cJSON *labels = json_get(json, "labels");

	*s = (struct spec){ .path = xstrdup(path), .name = spec_name(path), .json = json };
	if (spec_check_name(s->name, path) < 0 || spec_check(json, path) < 0 ||
	    spec_split_plots(json, path) < 0)
		goto bad;
	if (labels) {
		spec_share_labels(json_get(json, "tables"), labels);
		spec_share_labels(json_get(json, "plots"), labels);
	}
	s->base = point_read(json_get(json, "base"));
	s->grid = grid_read(json_get(json, "grid"));
	s->baseline = point_read(json_get(json, "baseline"));
	s->has_baseline = json_get(json, "baseline");
	s->tune = spec_tune_lay(NULL, json_get(json, "tune"));
	if (scale_pick(s, scale) == 0 && spec_tune_check(s->tune, &s->grid, path) == 0)
		return 0;
bad:
	spec_release(s);
	return -1;
}

static int spec_read(struct spec *s, const char *name, const char *scale, bool claims)
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
	return spec_read(s, name, scale, true);
}

int spec_load_settings(struct spec *s, const char *name, const char *scale)
{
	return spec_read(s, name, scale, false);
}

void spec_release(struct spec *s)
{
	free(s->path);
	free(s->name);
	free(s->scale);
	cJSON_Delete(s->json);
	point_release(&s->base);
	grid_release(&s->grid);
	point_release(&s->baseline);
	spec_tune_release(s->tune);
	*s = (struct spec){ 0 };
}

char **spec_names(const char *scale)
{
	char **names = path_list("experiments");
	size_t n = 0;

	for (size_t i = 0; names[i]; i++) {
		char *path = scale ? path_find("experiments", names[i]) : NULL;
		cJSON *json = path ? json_load(path) : NULL;

		/* A spec that cannot be read stays: its reader says why. */
		if (!json || json_get(json_get(json, "scales"), scale))
			names[n++] = names[i];
		else
			free(names[i]);
		cJSON_Delete(json);
		free(path);
	}
	names[n] = NULL;
	return names;
}

/* ---- engine mpi ---- */

void simulator_only_drop(struct spec *s, const struct grid_point *set)
{
	const char *engine = point_text(set, "engine");
	const struct opt *o;
	char *all = NULL;

	if (!engine || strcmp(engine, "mpi") != 0)
		return;
	/* A baseline that is timed alone, among training runs, computes on real ranks. */
	point_drop(&s->baseline, "timing");
	for (int i = 1; (o = SETTING_WITH(sim_only, i)); i++) {
		bool there;

		if (point_value(set, o->name))
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
	char *written = xasprintf("%.*s", (int)strcspn(only, "="), only);

	*key = setting_name(written);
	free(written);
	return strchr(only, '=') + 1;
}

bool point_filter_agrees(const struct grid_point *point, const char *only)
{
	char *copy = xstrdup(only ? only : ""), *rest, *line = strtok_r(copy, "\n", &rest);
	bool all = true;

	for (; line && all; line = strtok_r(NULL, "\n", &rest)) {
		const char *key, *wanted = filter_split(line, &key), *own = point_text(point, key);

		all = own && strcmp(own, wanted) == 0;
	}
	free(copy);
	return all;
}

/* Adds a word that the NULL-ended list does not have. */
static void words_add(const char ***words, size_t *n, const char *word)
{
	for (size_t i = 0; i < *n; i++)
		if (strcmp((*words)[i], word) == 0)
			return;
	*words = xrealloc(*words, *n + 2, sizeof(**words));
	(*words)[(*n)++] = word;
	(*words)[*n] = NULL;
}

/* 0 when some point has the value of one KEY=VALUE, else error(). */
static int filter_seek(const struct spec *s, const char *only)
{
	const char *key, *wanted = filter_split(only, &key);
	const char **values = xcalloc(1, sizeof(*values)), **keys = xcalloc(1, sizeof(*keys));
	size_t nvalues = 0, nkeys = 0;
	bool found = false;
	char *advice;

	for (size_t i = 0; i < s->grid.n; i++) {
		const struct value_list *list = product_values(&s->grid.v[i], key);

		for (size_t k = 0; k < s->grid.v[i].n; k++)
			words_add(&keys, &nkeys, s->grid.v[i].v[k].key);
		for (size_t k = 0; list && k < list->n; k++)
			words_add(&values, &nvalues, list->v[k].text);
		found = found || (list && value_list_has(list, wanted));
	}
	advice = nvalues ? word_advice(wanted, values) : word_advice(key, keys);
	if (!found)
		error("%s: no run has %s%s%s", s->name, only,
		      nvalues ? "" : ": the grid has no such setting", advice);
	free(advice);
	free(values);
	free(keys);
	return found ? 0 : -1;
}

int point_filter_matches_none(const struct spec *s, const char *only)
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
