/* Compares a command line's settings with the spec's and lists the differences. */
#include "plan/spec/user_changes.h"

#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "data/data.h"
#include "plan/settings/settings.h"
#include "plan/settings/values.h"
#include "plan/spec/tune.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Where a set lies, which may as well be said by $CONVOY_DATA. */
static bool is_path(const struct opt *o)
{
	return (o->flags & OPT_NOHASH) || strcmp(o->name, "dir") == 0;
}

/* name:key=value of the options that are not as they are by default. */
static char *choice_text(const struct choice *c, const struct choice *plain)
{
	char *text = xstrdup(c->plugin->name);
	const char *joint = ":";

	for (const struct opt *o = c->plugin->opts; o && o->name; o++) {
		char *value = opt_format(o, c->conf), *usual = opt_format(o, plain->conf);

		if (!is_path(o) && strcmp(value, usual) != 0) {
			xappend_own(&text, joint, xasprintf("%s=%s", o->name, value));
			joint = ",";
		}
		free(value);
		free(usual);
	}
	return text;
}

/* A data set as one text for all ways to write it, its folder left out. NULL after error(). */
static char *data_text(const char *data)
{
	struct choice c = { 0 }, plain = { 0 };
	char *text = NULL;

	if (choice_parse(&c, dataset_table, "data set", data) == 0 &&
	    choice_parse(&plain, dataset_table, "data set", c.plugin->name) == 0)
		text = choice_text(&c, &plain);
	choice_release(&c);
	choice_release(&plain);
	return text;
}

/* The same for any setting. */
static char *plain_text(const struct opt *o, const char *value, const char *where)
{
	return strcmp(o->name, "data") == 0 ? data_text(value)
					    : settings_canonical(o, value, where);
}

/* 1 when the spec's value is another one, 0, or -1; value NULL: the default. */
static int is_other(const struct opt *o, const cJSON *value, const char *text, const char *path)
{
	char *written = value ? json_text(value) : xstrdup(o->def ? o->def : "");
	char *own = plain_text(o, written, path);
	int ret = own ? strcmp(own, text) != 0 : -1;

	free(written);
	free(own);
	return ret;
}

/* 1 when some run of the spec has another value than text, or a tuned one, 0, or -1. */
static int changes_differs(const struct spec *s, const struct opt *o, const char *text)
{
	const cJSON *product, *value;
	int ret = spec_tune_has(s->tune, o->name);

	cJSON_ArrayForEach(product, s->grid) {
		const cJSON *list = json_get(product, o->name);

		if (!list && ret == 0)
			ret = is_other(o, json_get(s->base, o->name), text, s->path);
		cJSON_ArrayForEach(value, list)
			if (ret == 0)
				ret = is_other(o, value, text, s->path);
	}
	return ret;
}

static void note_setting(struct changes *c, const struct opt *o, const char *text)
{
	xappend_own(&c->settings, " ", xasprintf("%s=%s", o->name, text));
	c->keys |= (uint64_t)1 << (o - settings_opts);
}

/* Takes text. */
static void note_change(struct changes *c, const struct opt *o, char *text)
{
	if (strcmp(o->name, "data") == 0) {
		c->data = text;
		return;
	}
	note_setting(c, o, text);
	free(text);
}

static int changes_compare(struct changes *c, const struct spec *s, const struct opt *o,
			   const char *written)
{
	char *text = plain_text(o, written, "command line");
	int other = text ? changes_differs(s, o, text) : -1;

	if (other > 0)
		note_change(c, o, text);
	else
		free(text);
	return other < 0 ? -1 : 0;
}

/* Values as one text, "0:5,0:20"; NULL after error(). The caller frees. */
static char *list_text(const struct opt *o, const cJSON *values, const char *path)
{
	char *all = xstrdup("");
	const cJSON *value;

	cJSON_ArrayForEach(value, values) {
		char *written = json_text(value);
		char *text = plain_text(o, written ? written : "", path);

		free(written);
		if (!text) {
			free(all);
			return NULL;
		}
		xappend_own(&all, ",", text);
	}
	return all;
}

/* 1 when some product of the grid has other values, or the same in another order; 0, or -1. */
static int differs_list(const struct spec *s, const struct opt *o, const char *text)
{
	const cJSON *product;
	int ret = 0;

	cJSON_ArrayForEach(product, s->grid) {
		char *own = ret == 0 ? list_text(o, json_get(product, o->name), s->path) : NULL;

		if (ret == 0)
			ret = own ? strcmp(own, text) != 0 : -1;
		free(own);
	}
	return ret;
}

/* Several values are another set-up unless the grid has the same ones. */
static int compare_list(struct changes *c, const struct spec *s, const struct opt *o,
			const cJSON *values)
{
	char *text = list_text(o, values, "command line");
	int other = text ? differs_list(s, o, text) : -1;

	if (other > 0)
		note_setting(c, o, text);
	free(text);
	return other < 0 ? -1 : 0;
}

/* The seed and what multiplies make no other set-up. */
static bool is_set_up(const struct opt *o)
{
	static const char *const same[] = { "seed", "backend", "lowering", "partitions",
					    "fusion" };

	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		if (strcmp(o->name, same[i]) == 0)
			return false;
	return true;
}

static int compare_given(struct changes *c, const struct spec *s, const struct opt *o,
			 const cJSON *given)
{
	char *text = json_text(given);
	cJSON *values = text ? values_of(o->name, text, "command line") : NULL;
	int ret = values ? 0 : -1;

	free(text);
	if (values && values->child->next && strcmp(o->name, "seed") != 0)
		ret = compare_list(c, s, o, values);
	else if (values && is_set_up(o))
		ret = changes_compare(c, s, o, values->child->valuestring);
	cJSON_Delete(values);
	return ret;
}

int changes_find(struct changes *c, const struct spec *s, const cJSON *set)
{
	*c = (struct changes){ 0 };
	for (const struct opt *o = settings_opts; o->name; o++)
		if (json_get(set, o->name) && compare_given(c, s, o, json_get(set, o->name)) < 0)
			return -1;
	return 0;
}

bool changes_has(const struct changes *c, const char *setting)
{
	return c->keys >> (opt_find(settings_opts, setting) - settings_opts) & 1;
}

void changes_release(struct changes *c)
{
	free(c->settings);
	free(c->data);
	*c = (struct changes){ 0 };
}

char *changes_text(const struct changes *c)
{
	char *text = c->settings ? xstrdup(c->settings) : NULL;

	if (c->data)
		xappend_own(&text, " ", xasprintf("data=%s", c->data));
	return text;
}

char *changes_suffix(const struct changes *c)
{
	uint64_t h;

	if (!c->settings)
		return xstrdup("");
	h = fnv_text(FNV_START, c->settings);
	return xasprintf("+%08" PRIx32, (uint32_t)(h ^ h >> 32));
}
