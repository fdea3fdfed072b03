/*
 * override.c - how a command line overrides a spec, and what that changes.
 *
 * One value of a setting is of every run; several are an axis of the grid, and of every table and
 * plot.
 */
#include "plan/spec_tune.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/text/opt_text.h"
#include "data/data.h"
#include "plan/settings/values.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- what differs from the spec ---- */

/*
 * A setting's value as one text for all ways to write it: of a data set, without its folder. NULL
 * after error().
 */
static char *same_text(const struct opt *setting, const char *value, const char *where)
{
	struct choice c = { 0 }, plain = { 0 };
	const char *joint = ":";
	char *text = NULL;

	if (strcmp(setting->name, "data") != 0)
		return settings_canonical(setting, value, where);
	if (choice_parse(&c, dataset_table, "data set", value) == 0 &&
	    choice_parse(&plain, dataset_table, "data set", c.plugin->name) == 0)
		text = xstrdup(c.plugin->name);
	for (const struct opt *o = text ? c.plugin->opts : NULL; o && o->name; o++) {
		scoped char *own = opt_format(o, c.conf), *usual = opt_format(o, plain.conf);
		/* The folder of a set may as well be said by $CONVOY_DATA. */
		const bool folder = o->flags & OPT_NOHASH || strcmp(o->name, "dir") == 0;

		if (!folder && strcmp(own, usual) != 0) {
			xappendf(&text, joint, "%s=%s", o->name, own);
			joint = ",";
		}
	}
	choice_release(&c);
	choice_release(&plain);
	return text;
}

/* 1 when the value is another one, 0, or -1; NULL: the default. */
static int is_other(const struct opt *o, const char *value, const char *text, const char *path)
{
	scoped char *own = same_text(o, value ? value : o->def ? o->def : "", path);

	return own ? strcmp(own, text) != 0 : -1;
}

/* Values as one text, "0:5,0:20"; NULL after error(). The caller frees. */
static char *list_text_of(const struct opt *o, const struct value_list *values, const char *path)
{
	char *all = xstrdup("");

	for (size_t i = 0; values && i < values->n; i++) {
		char *text = same_text(o, values->v[i].text, path);

		if (!text) {
			free(all);
			return NULL;
		}
		xappend_own(&all, ",", text);
	}
	return all;
}

/* 1 when some run of the spec has another value than text, or a tuned one, 0, or -1. */
static int differs_value(const struct spec *s, const struct opt *o, const char *text)
{
	int ret = spec_tune_has(s->tune, o->name);

	for (size_t i = 0; i < s->grid.n; i++) {
		const struct value_list *list = product_values(&s->grid.v[i], o->name);

		if (!list && ret == 0)
			ret = is_other(o, point_text(&s->base, o->name), text, s->path);
		for (size_t k = 0; list && k < list->n && ret == 0; k++)
			ret = is_other(o, list->v[k].text, text, s->path);
	}
	return ret;
}

char *other_data(const struct spec *s, const char *data)
{
	const struct opt *o = opt_find(settings_opts, "data");
	char *text = same_text(o, data, s->name);

	if (text && differs_value(s, o, text) > 0)
		return text;
	free(text);
	return NULL;
}

/* Several values are another set-up unless the grid has the same ones. */
static int changes_compare(struct changes *c, const struct spec *s, const struct opt *o,
			   const char *given)
{
	struct value_list values;
	bool several;
	char *text = NULL;
	int other = values_parse(&values, o->name, given, "command line");

	if (other < 0)
		return -1;
	several = values.n > 1 && strcmp(o->name, "seed") != 0;
	if (several || !setting_facts(o)->same_set_up) {
		text = several ? list_text_of(o, &values, "command line")
			       : same_text(o, values.v[0].text, "command line");
		other = !text ? -1 : several ? 0 : differs_value(s, o, text);
		/* other values in some product of the grid, or the same in another order */
		for (size_t i = 0; i < s->grid.n && several && other == 0; i++) {
			scoped char *own = list_text_of(o, product_values(&s->grid.v[i], o->name),
							s->path);

			other = own ? strcmp(own, text) != 0 : -1;
		}
	}
	if (other > 0 && !several && strcmp(o->name, "data") == 0) {
		c->data = text;
		text = NULL;
	} else if (other > 0) {
		xappendf(&c->settings, " ", "%s=%s", o->name, text);
		c->keys |= (uint64_t)1 << (o - settings_opts);
	}
	free(text);
	value_list_release(&values);
	return other < 0 ? -1 : 0;
}

/*
 * Compares settings of a command line with what the spec, its scale and the defaults say;
 * a list of the grid that is cut to one value is a change too, and so are several values
 * (values.h) that are not the grid's. The seed and how products are computed (backend, lowering,
 * partitions, fusion) make no other set-up, where they have one value. 0 or error(); release in
 * either case.
 */
static int changes_find(struct changes *c, const struct spec *s, const struct grid_point *set)
{
	*c = (struct changes){ 0 };
	for (const struct opt *o = settings_opts; o->name; o++) {
		const char *given = point_text(set, o->name);

		if (given && changes_compare(c, s, o, given) < 0)
			return -1;
	}
	return 0;
}

bool changes_has(const struct changes *c, const char *setting)
{
	return c->keys >> (opt_find(settings_opts, setting) - settings_opts) & 1;
}

void changes_release(struct changes *c)
{
	free_all(c->settings, c->data);
	*c = (struct changes){ 0 };
}

char *changes_text(const struct changes *c)
{
	char *text = xstrdup(c->settings);

	if (c->data)
		xappendf(&text, " ", "data=%s", c->data);
	return text;
}

/* The part of a folder's name that stands for changed settings: "+0123abcd". The caller frees. */
static char *changes_suffix(const struct changes *c)
{
	uint64_t h;

	if (!c->settings)
		return xstrdup("");
	h = fnv_text(FNV_START, c->settings);
	return xasprintf("+%08" PRIx32, (uint32_t)(h ^ h >> 32));
}

/* ---- the grid ---- */

/* 0 or error(). Settings of one value are added to `one`. */
static int lay_setting(struct plan *p, const struct point_value *given, struct grid_point *one)
{
	const char *name = given->key;
	struct value_list values;
	int ret = 0;

	if (values_parse(&values, name, given->value.text, "command line") < 0)
		return -1;
	if (values.n == 1) {
		entries_fit(p, name, &values);
		point_put(one, name, values.v[0]);
	} else if (strcmp(name, "engine") == 0) {
		ret = error("command line: engine: expected one value, sim or mpi");
	} else if (strcmp(name, "seed") == 0) {
		/* Seeds are numbers in a spec, and in what its filters read. */
		for (size_t i = 0; i < values.n; i++) {
			char *text = double_text(strtod(values.v[i].text, NULL));

			free(values.v[i].text);
			values.v[i] = (struct value){ text, VALUE_NUMBER };
		}
		spec_set_list(&p->spec, name, &values);
	} else {
		product_put(&p->swept, name, &values);
		if (grid_differs(&p->spec.grid, name))
			warning("%s: the objects of the spec's grid differ in %s; each of them is "
				"run with all %d values of the command line",
				p->spec.path, name, (int)values.n);
		spec_set_list(&p->spec, name, &values);
		entries_fit(p, name, &values);
	}
	value_list_release(&values);
	return ret;
}

/* Leaves the settings of the command line out of the spec's "tune", and says so. 0 or error(). */
static int leave_out_of_tuning(struct spec *s, const struct grid_point *set)
{
	for (size_t i = 0; i < set->n; i++) {
		const char *name = set->v[i].key;

		if (!spec_tune_has(s->tune, name))
			continue;
		note("%s: %s is given, and not tuned", s->name, name);
		if (spec_tune_drop(s->tune, name)) {
			spec_tune_release(s->tune);
			s->tune = NULL;
		}
	}
	return spec_tune_check(s->tune, &s->grid, s->path);
}

int plan_override(struct plan *p, const struct plan_request *r)
{
	struct grid_point one = { 0 };
	char *suffix;
	int ret = 0;

	p->set = point_read(r->set);
	if (changes_find(&p->changes, &p->spec, &p->set) < 0)
		return -1;
	suffix = changes_suffix(&p->changes);
	p->dir = xasprintf("%s/%s/%s%s", r->out, p->spec.name, p->spec.scale, suffix);
	p->folder = xasprintf("%s/runs", p->dir);
	free(suffix);
	simulator_only_drop(&p->spec, &p->set);
	if (leave_out_of_tuning(&p->spec, &p->set) < 0)
		return -1;
	for (size_t i = 0; i < p->set.n && ret == 0; i++)
		ret = lay_setting(p, &p->set.v[i], &one);
	if (ret == 0)
		spec_set(&p->spec, &one);
	point_release(&one);
	if (ret < 0)
		return -1;
	if (p->changes.settings)
		cJSON_DeleteItemFromObjectCaseSensitive(p->spec.json, "published");
	entries_expand_words(&p->spec, p->changes.settings != NULL);
	if (p->changes.data)
		entries_name_data(p->spec.json, p->changes.data);
	return 0;
}
