/* The schema of an experiment; docs/specs.md says what its keys mean. */
#include "cmd/schema/schema.h"

#include "core/base/mem.h"
#include "core/file/paths.h"
#include "core/text/word.h"
#include "plan/settings/kinds.h"
#include "plan/settings/settings.h"
#include "plan/spec/spec.h"
#include "plan/spec/tune.h"
#include "record/layout.h"
#include "record/measure.h"
#include "report/claims/rules.h"
#include "report/keys.h"

#include <stdlib.h>
#include <string.h>

#define SCALAR "{\"type\": [\"string\", \"number\", \"boolean\"]}"

/* A plug-in's name, alone or with its options, or the word that is the default. */
static cJSON *plugin_value(const struct kind *kind, const char *def)
{
	const char *names[128] = { NULL };
	size_t n = 0;

	for (; kind->table[n] && n < 126; n++)
		names[n] = kind->table[n]->name;
	names[n] = def;
	return schema_either(schema_words(names), schema_begins(names, ":"));
}

/* Files may be paths, and a delay has clauses: names are examples. */
static void add_examples(cJSON *schema, const struct kind *kind)
{
	cJSON *examples = cJSON_AddArrayToObject(schema, "examples");
	char **files = kind->folder ? path_list(kind->folder) : NULL;

	for (size_t i = 0; kind->table && kind->table[i]; i++)
		cJSON_AddItemToArray(examples, cJSON_CreateString(kind->table[i]->name));
	for (size_t i = 0; files && files[i]; i++)
		cJSON_AddItemToArray(examples, cJSON_CreateString(files[i]));
	if (files)
		path_list_free(files);
}

/* What may stand for a number: words, or a table of compute times, or devices. */
static const char *schema_spec_instead(const struct opt *o)
{
	return strcmp(o->name, "compute_s") == 0
		       ? "{\"type\": \"string\", \"pattern\": \"^ *[a-z]|:\"}"
		       : "{\"enum\": [\"auto\", \"workers\"]}";
}

static cJSON *auto_value(const struct opt *o, const struct opt *number)
{
	struct opt typed = *number;

	typed.help = o->help;
	typed.def = NULL;
	return schema_either(schema_opt(&typed), schema_text(schema_spec_instead(o)));
}

static cJSON *text_value(const struct opt *o)
{
	const struct opt *number = opt_find(autos_opts, o->name);
	const struct kind *kind = kind_known(o->name) ? kind_find(o->name) : NULL;
	cJSON *made;

	if (number)
		return auto_value(o, number);
	if (kind && !kind->folder && strcmp(kind->one, "delay") != 0)
		return plugin_value(kind, o->def);
	made = schema_text("{\"type\": \"string\"}");
	if (kind)
		add_examples(made, kind);
	return made;
}

static cJSON *setting_value(const struct opt *o)
{
	cJSON *made;

	if (o->type != OPT_STRING)
		return schema_opt(o);
	made = text_value(o);
	cJSON_AddStringToObject(made, "description", o->help);
	cJSON_AddStringToObject(made, "default", o->def);
	return made;
}

/* lr_batch and lr-batch are one. NULL where there is no '_'. The caller frees. */
static char *schema_spec_dashed(const char *name)
{
	return strchr(name, '_') ? word_dashed(name) : NULL;
}

static cJSON *setting_ref(const char *name)
{
	char *path = xasprintf("settings/properties/%s", name);
	cJSON *made = schema_ref(path);

	free(path);
	return made;
}

static cJSON *schema_spec_closed(void)
{
	return schema_text("{\"type\": \"object\", \"additionalProperties\": false, "
			   "\"properties\": {}}");
}

/* {setting: value} */
static cJSON *settings_def(void)
{
	cJSON *made = schema_spec_closed(), *all = cJSON_GetObjectItem(made, "properties");

	for (const struct opt *o = settings_opts; o->name; o++) {
		char *other = schema_spec_dashed(o->name);

		cJSON_AddItemToObject(all, o->name, setting_value(o));
		if (other)
			cJSON_AddItemToObject(all, other, setting_ref(o->name));
		free(other);
	}
	return made;
}

static cJSON *values_of_setting(const char *name)
{
	cJSON *made = schema_list(setting_ref(name), 1);

	cJSON_AddTrueToObject(made, "uniqueItems");
	return made;
}

/* {setting: [value, ...]} */
static cJSON *product_def(void)
{
	cJSON *made = schema_spec_closed(), *all = cJSON_GetObjectItem(made, "properties");

	for (const struct opt *o = settings_opts; o->name; o++) {
		char *other = schema_spec_dashed(o->name);

		cJSON_AddItemToObject(all, o->name, values_of_setting(o->name));
		if (other)
			cJSON_AddItemToObject(all, other, values_of_setting(o->name));
		free(other);
	}
	return made;
}

static void add_word(cJSON *list, const char *name)
{
	char *other = schema_spec_dashed(name);

	cJSON_AddItemToArray(list, cJSON_CreateString(name));
	if (other)
		cJSON_AddItemToArray(list, cJSON_CreateString(other));
	free(other);
}

/* What may be named: a setting, a measure, or a target such as time_to:test_accuracy>=0.9. */
static cJSON *word_def(void)
{
	const char *targets[16] = { NULL };
	cJSON *words = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(words, "enum");

	for (const struct opt *o = settings_opts; o->name; o++)
		add_word(list, o->name);
	for (size_t i = 0; measure_names[i]; i++)
		add_word(list, measure_names[i]);
	add_word(list, "slow_factor");
	for (size_t i = 0; i < 15 && target_prefix(i); i++)
		targets[i] = target_prefix(i);
	return schema_either(words, schema_begins(targets, ""));
}

static size_t add_columns(const char **names, size_t n, const struct layout_column *c)
{
	for (; c->name; c++) {
		size_t k = 0;

		while (k < n && strcmp(names[k], c->name) != 0)
			k++;
		if (k == n)
			names[n++] = c->name;
	}
	return n;
}

/* A column of a curve, or of the histogram of staleness. */
static cJSON *column_def(void)
{
	const char *names[TRAIN_COLUMNS + EVAL_COLUMNS + STALENESS_COLUMNS + 2] = { NULL };
	size_t n = add_columns(names, 0, layout_train);

	n = add_columns(names, n, layout_eval);
	n = add_columns(names, n, layout_staleness);
	names[n] = "wall_s";
	return schema_words(names);
}

/* An object whose keys are words, or those of other, and whose values are such. */
static cJSON *by_word(cJSON *value, cJSON *names)
{
	cJSON *made = schema_text("{\"type\": \"object\"}");

	cJSON_AddItemToObject(made, "propertyNames", names);
	cJSON_AddItemToObject(made, "additionalProperties", value);
	return made;
}

static cJSON *scales_def(void)
{
	return by_word(schema_ref("scale"), schema_ref("name"));
}

static cJSON *where_def(void)
{
	return by_word(schema_either(schema_text(SCALAR), schema_list(schema_text(SCALAR), 0)),
		       schema_ref("word"));
}

static cJSON *cells_def(void)
{
	cJSON *cell = by_word(schema_text(SCALAR),
			      schema_either(schema_ref("word"), schema_ref("column")));

	cJSON_AddNumberToObject(cell, "minProperties", 1);
	return schema_list(cell, 0);
}

cJSON *schema_spec(void)
{
	const struct {
		const char *name;
		cJSON *schema;
	} defs[] = {
		{ "settings", settings_def() },
		{ "product", product_def() },
		{ "grid",
		  schema_either(schema_ref("product"), schema_list(schema_ref("product"), 1)) },
		{ "scale", schema_object(spec_scale_keys) },
		{ "scales", scales_def() },
		{ "tune", schema_object(spec_tune_keys) },
		{ "tune_or_not",
		  schema_either(schema_ref("tune"), schema_text("{\"const\": false}")) },
		{ "grids", by_word(schema_ref("product"), schema_text("{}")) },
		{ "best", schema_words(spec_tune_bests) },
		{ "seeds", values_of_setting("seed") },
		{ "name", schema_text("{\"type\": \"string\", \"maxLength\": 100, "
				      "\"pattern\": \"^[A-Za-z0-9][-_.A-Za-z0-9]*$\"}") },
		{ "word", word_def() },
		{ "words", schema_either(schema_ref("word"), schema_list(schema_ref("word"), 1)) },
		{ "column", column_def() },
		{ "axis", schema_either(schema_ref("word"), schema_ref("column")) },
		{ "axes", schema_either(schema_ref("axis"), schema_list(schema_ref("axis"), 1)) },
		{ "from", schema_words(report_froms) },
		{ "labels", schema_text("{\"type\": \"object\", "
					"\"additionalProperties\": {\"type\": \"string\"}}") },
		{ "where", where_def() },
		{ "cells", cells_def() },
		{ "published", schema_object(report_published_keys) },
		{ "tables", schema_list(schema_object(report_table_keys), 0) },
		{ "plots", schema_list(schema_object(report_plot_keys), 0) },
		{ "claims", schema_list(schema_object(report_claim_keys), 0) },
		{ "reads", schema_list(schema_text("{\"type\": \"string\", \"maxLength\": 100, "
						   "\"pattern\": \"^[A-Za-z0-9][-_.A-Za-z0-9]*"
						   "\\\\.json$\"}"), 0) },
		{ "kind", schema_words(claim_kinds) },
		{ "criterion", schema_object(report_criterion_keys) },
		{ "formers", schema_list(schema_object(report_former_keys), 0) },
		{ "date", schema_text("{\"type\": \"string\", "
				      "\"pattern\": \"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|"
				      "3[01])$\"}") },
		{ "former_verdict", schema_words(claim_former_verdicts) },
		{ "paper_accuracy", schema_object(report_paper_accuracy_keys) },
	};
	cJSON *all = cJSON_CreateObject();

	for (size_t i = 0; i < sizeof(defs) / sizeof(defs[0]); i++)
		cJSON_AddItemToObject(all, defs[i].name, defs[i].schema);
	return schema_root("An experiment of convoy", schema_object(spec_keys), all);
}
