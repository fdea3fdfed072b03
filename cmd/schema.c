/*
 * schema.c - `convoy schema spec|net|cluster`: JSON Schemas (draft 2020-12), made of the tables
 * that the readers check by. docs/specs.md, docs/nets.md say what the keys mean.
 */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "cmd/common.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/json_keys.h"
#include "core/file/members.h"
#include "core/file/paths.h"
#include "core/text/opt.h"
#include "core/text/opt_text.h"
#include "core/text/units.h"
#include "core/text/word.h"
#include "nets/layers/layers.h"
#include "plan/machine/cluster.h"
#include "plan/settings/settings.h"
#include "plan/spec/spec.h"
#include "record/layout.h"
#include "record/measure.h"
#include "report/claims/claims.h"
#include "report/keys.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers as text: 12, 1e6, 50k, inf; and what "$NAME" of a net and "auto" are not. */
#define NUMBER_PATTERN "^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$" \
		       "|^[-+]?[iI][nN][fF]([iI][nN][iI][tT][yY])?$"
#define UNITS_PATTERN "^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?" \
		      "( ?[a-zA-Z\u00b5\u03bc]+(/s)?)?$" \
		      "|^[-+]?[iI][nN][fF]([iI][nN][iI][tT][yY])?$"
#define WHOLE_PATTERN "^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+|[kMG])?$"

/* ---- parts of schemas: new trees, which take over the trees that they are given ---- */

/* A tree of JSON text, which is right. */
static cJSON *schema_of(const char *json)
{
	cJSON *made = json_parse(json, "schema");

	if (!made)
		BUG("schema: %s", json);
	return made;
}

static cJSON *schema_type(const char *type)
{
	return OBJECT(j_text("type", type));
}

static cJSON *schema_pattern(const char *pattern)
{
	return OBJECT(j_text("type", "string"), j_text("pattern", pattern));
}

static cJSON *schema_ref(const char *def)
{
	scoped char *path = xasprintf("#/$defs/%s", def);

	return OBJECT(j_text("$ref", path));
}

/* A list of at least so many items of that kind. */
static cJSON *schema_list(cJSON *items, int least)
{
	return OBJECT(j_text("type", "array"), j_json("items", items),
		      j_if(least, j_number("minItems", least)));
}

static cJSON *schema_either(cJSON *a, cJSON *b)
{
	return OBJECT(j_json("anyOf", list_add(list_add(cJSON_CreateArray(), a), b)));
}

static void text_add(cJSON *list, const char *text)
{
	list_add(list, cJSON_CreateString(text));
}

static cJSON *schema_words(const char *const *words)
{
	return OBJECT(j_texts("enum", (char *const *)words, SIZE_MAX));
}

/* An object whose keys and values are such; `keys` NULL: any keys. */
static cJSON *schema_map(cJSON *keys, cJSON *values)
{
	return OBJECT(j_text("type", "object"), j_if(keys, j_json("propertyNames", keys)),
		      j_json("additionalProperties", values));
}

/* An object with these keys at most. */
static cJSON *schema_closed(cJSON *properties)
{
	return OBJECT(j_text("type", "object"), j_bool("additionalProperties", false),
		      j_json("properties", properties));
}

static cJSON *schema_number(const struct opt *o)
{
	const bool whole = opt_is_whole(o), bounded = opt_bounded(o);
	cJSON *value = OBJECT(j_text("type", whole ? "integer" : "number"),
			      j_if(bounded && !isinf(o->min), j_number("minimum", o->min)),
			      j_if(bounded && !isinf(o->max), j_number("maximum", o->max)));

	return schema_either(value, schema_pattern(quantity_of(o) != QUANTITY_NONE ? UNITS_PATTERN
						   : whole ? WHOLE_PATTERN : NUMBER_PATTERN));
}

/* The default as JSON: of its type where that has one. */
static struct member j_default(const struct opt *o)
{
	double value;
	bool yes;

	if (o->type == OPT_BOOL && text_bool(o->def, &yes))
		return j_bool("default", yes);
	if ((opt_is_whole(o) || o->type == OPT_DOUBLE) && text_double(o->def, &value) &&
	    isfinite(value))
		return j_number("default", value);
	return j_text("default", o->def);
}

/* A text, number or bool. */
static cJSON *schema_scalar(void)
{
	return schema_of("{\"type\": [\"string\", \"number\", \"boolean\"]}");
}

/* The value of an option in a file: a number, bool or word, or the same as text. */
static cJSON *schema_opt(const struct opt *o)
{
	cJSON *made = NULL, *list;
	double value;

	switch (o->type) {
	case OPT_BOOL:
		made = schema_of("{\"enum\": [true, false, \"true\", \"false\", \"yes\", \"no\", "
				 "\"on\", \"off\", \"1\", \"0\", 1, 0]}");
		break;
	case OPT_INT:
	case OPT_INT32:
	case OPT_DOUBLE:
		made = schema_number(o);
		break;
	case OPT_ENUM:
		/* a choice that is a number, such as 1, may also be written as one */
		list = cJSON_CreateArray();
		for (size_t i = 0; o->choices[i]; i++)
			text_add(list, o->choices[i]);
		for (size_t i = 0; o->choices[i]; i++)
			if (text_double(o->choices[i], &value))
				list_add(list, cJSON_CreateNumber(value));
		made = OBJECT(j_json("enum", list));
		break;
	case OPT_STRING:
	case OPT_DOUBLES:
		made = schema_scalar();
		break;
	}
	ADD(made, j_if(o->help, j_text("description", o->help)));
	return o->def ? ADD(made, j_default(o)) : made;
}

static cJSON *schema_kind(enum json_kind kind)
{
	switch (kind) {
	case JSON_TEXT:
		return schema_type("string");
	case JSON_LINES:
		return schema_list(schema_type("string"), 0);
	case JSON_TEXTS:
		return schema_either(schema_type("string"), schema_kind(JSON_LINES));
	case JSON_BOOL:
		return schema_type("boolean");
	case JSON_AMOUNT:
		return OBJECT(j_text("type", "number"), j_number("minimum", 0));
	case JSON_OWN:
		break;
	}
	BUG("a key has no kind");
}

/* An amount of that quantity, which a text with a unit may be, too. */
static cJSON *schema_amount(enum quantity q)
{
	cJSON *number = schema_kind(JSON_AMOUNT);

	return q == QUANTITY_NONE ? number : schema_either(number, schema_pattern(UNITS_PATTERN));
}

static cJSON *schema_key(const struct json_key *key)
{
	if (key->def)
		return schema_ref(key->def);
	return key->kind == JSON_AMOUNT ? schema_amount(quantity_of_key(key->name))
					: schema_kind(key->kind);
}

/* Makes the schema one of an object with these keys; open: with others too. */
static cJSON *schema_add_keys(cJSON *schema, const struct json_key *keys, bool open)
{
	cJSON *required = cJSON_CreateArray(), *properties = cJSON_CreateObject();

	for (; keys->name; keys++) {
		cJSON *value = schema_key(keys);

		ADD(value, j_text("description", keys->help));
		ADD(properties, j_json(keys->name, value));
		if (keys->required)
			text_add(required, keys->name);
	}
	return ADD(schema, j_text("type", "object"),
		   j_if(!open, j_bool("additionalProperties", false)),
		   j_json("properties", properties), j_json("required", required));
}

static cJSON *schema_object(const struct json_key *keys)
{
	return schema_add_keys(cJSON_CreateObject(), keys, false);
}

/* The top of a schema, whose keys refer to $defs. */
static cJSON *schema_root(const char *title, const struct json_key *keys)
{
	return schema_add_keys(
		OBJECT(j_text("$schema", "https://json-schema.org/draft/2020-12/schema"),
		       j_text("title", title)), keys, false);
}

/* ---- a net ---- */

static cJSON *whole_def(int most)
{
	return OBJECT(j_text("type", "integer"), j_number("minimum", 1), j_number("maximum", most));
}

/* A parameter of the net or block may stand for any value. */
static cJSON *or_param(cJSON *value)
{
	return schema_either(value, schema_pattern("^[$]"));
}

/* An item whose layer is of this type has the common keys and the type's settings. */
static cJSON *item_case(const struct layer_type *type)
{
	cJSON *layer = OBJECT(j_json("layer", OBJECT(j_text("const", type->name))));
	cJSON *all = cJSON_CreateObject();

	for (const struct json_key *key = net_item_keys; key->name; key++)
		ADD(all, j_bool(key->name, true));
	for (const struct opt *o = type->opts; o && o->name; o++) {
		scoped char *path = xasprintf("%s/properties/%s", type->name, o->name);

		ADD(all, j_json(o->name, schema_ref(path)));
	}
	return OBJECT(j_json("if", OBJECT(j_json("properties", layer))),
		      j_json("then", OBJECT(j_bool("additionalProperties", false),
					    j_json("properties", all))));
}

static cJSON *schema_net(void)
{
	cJSON *defaults = cJSON_CreateObject(), *cases = cJSON_CreateArray();
	cJSON *item = schema_add_keys(cJSON_CreateObject(), net_item_keys, true);
	cJSON *taken = cJSON_CreateArray(), *all;
	scoped const char **names = json_key_names(net_over_keys);

	for (int k = LAYER_INPUT + 1; k < LAYER_KINDS; k++) {
		const struct layer_type *type = layer_types[k];

		ADD(defaults, j_json(type->name, schema_ref(type->name)));
		list_add(cases, item_case(type));
	}
	ADD(item, j_json("allOf", cases));
	for (const struct json_key *key = net_item_keys; key->name; key++)
		text_add(taken, key->name);
	text_add(taken, "classes");
	all = OBJECT(
		j_json("input", ADD(schema_list(whole_def(SIDE_MAX), 3), j_number("maxItems", 3))),
		j_json("classes", whole_def(CLASSES_MAX)),
		j_json("repeat", or_param(whole_def(REPEAT_MAX))),
		j_json("first", schema_type("object")),
		j_json("params", ADD(schema_of(
			"{\"type\": \"object\", \"additionalProperties\": "
			"{\"type\": [\"number\", \"boolean\", \"string\", \"null\"]}}"),
			j_json("propertyNames",
			       OBJECT(j_json("not", OBJECT(j_json("enum", taken))))))),
		j_json("defaults", schema_closed(defaults)),
		j_json("blocks", schema_map(NULL, schema_object(net_block_keys))),
		/* A layer's name, or an object, which may have a block's parameters. */
		j_json("item", schema_either(schema_type("string"), item)),
		j_json("layers", schema_list(schema_ref("item"), 1)));
	/* {setting: value} of each kind of layer */
	for (int k = LAYER_INPUT + 1; k < LAYER_KINDS; k++) {
		cJSON *settings = cJSON_CreateObject();

		for (const struct opt *o = layer_types[k]->opts; o && o->name; o++)
			ADD(settings, j_json(o->name, or_param(schema_opt(o))));
		ADD(all, j_json(layer_types[k]->name, schema_closed(settings)));
	}
	/* A file with a base says less than one without. */
	return ADD(schema_root("A net of convoy", net_keys),
		  j_json("if", schema_of("{\"required\": [\"base\"]}")),
		  j_json("then", OBJECT(j_json("propertyNames", schema_words(names)))),
		  j_json("else", schema_of("{\"required\": [\"layers\"]}")), j_json("$defs", all));
}

/* ---- a cluster ---- */

static cJSON *schema_cluster(void)
{
	const struct opt *workers = opt_find(autos_opts, "workers");

	return ADD(schema_root("A simulated machine of convoy", cluster_keys),
		   j_json("$defs", OBJECT(
		j_json("workers", OBJECT(j_text("type", "integer"),
					 j_number("minimum", workers->min),
					 j_number("maximum", workers->max))),
		j_json("compute", schema_object(cluster_compute_keys)),
		/* By net: seconds, or seconds by the workers that compute at once. */
		j_json("seconds_per_sample", schema_map(NULL, schema_either(
			schema_amount(QUANTITY_TIME),
			ADD(schema_map(schema_pattern("^[1-9][0-9]*$"),
				       schema_amount(QUANTITY_TIME)),
			    j_number("minProperties", 1))))),
		j_json("seconds_per_batch", schema_map(NULL, schema_amount(QUANTITY_TIME))),
		j_json("times", schema_map(NULL, ADD(schema_type("string"),
						     j_number("minLength", 1)))),
		j_json("flops", ADD(schema_type("number"), j_number("exclusiveMinimum", 0))),
		j_json("measured", ADD(schema_type("object"),
				       j_json("propertyNames",
					      schema_words(cluster_measured_keys)))),
		j_json("sources", schema_map(NULL, schema_type("string"))))));
}

/* ---- an experiment ---- */

/* A plug-in's name, alone or with its options, or the word that is the default. */
static cJSON *plugin_value(const struct kind *kind, const char *def)
{
	cJSON *list = cJSON_CreateArray();
	scoped char *names = NULL, *pattern = NULL;

	for (size_t i = 0; kind->table[i] || def; i++) {
		const char *name = kind->table[i] ? kind->table[i]->name : def;

		text_add(list, name);
		xappend(&names, "|", name);
		if (!kind->table[i])
			break;
	}
	pattern = xasprintf("^(%s):", names);
	return schema_either(OBJECT(j_json("enum", list)), schema_pattern(pattern));
}

static cJSON *text_value(const struct opt *o)
{
	const struct opt *number = opt_find(autos_opts, o->name);
	const struct kind *kind = kind_known(o->name) ? kind_find(o->name) : NULL;
	cJSON *examples;
	char **files;

	if (number) {
		struct opt typed = *number;

		typed.help = o->help;
		typed.def = NULL;
		/* Words may stand for the number, or a table of compute times, or devices. */
		return schema_either(schema_opt(&typed),
				     strcmp(o->name, "compute_s") == 0
					     ? schema_pattern("^ *[a-z]|:")
					     : schema_of("{\"enum\": [\"auto\", \"workers\"]}"));
	}
	if (!kind)
		return schema_type("string");
	if (!kind->folder && strcmp(kind->one, "delay") != 0)
		return plugin_value(kind, o->def);
	/* Files may be paths, and a delay has clauses: names are examples. */
	files = kind->folder ? path_list(kind->folder) : NULL;
	examples = cJSON_CreateArray();
	for (size_t i = 0; kind->table && kind->table[i]; i++)
		text_add(examples, kind->table[i]->name);
	for (size_t i = 0; files && files[i]; i++)
		text_add(examples, files[i]);
	if (files)
		path_list_free(files);
	return ADD(schema_type("string"), j_json("examples", examples));
}

static cJSON *setting_value(const struct opt *o)
{
	if (o->type != OPT_STRING)
		return schema_opt(o);
	return ADD(text_value(o), j_text("description", o->help), j_text("default", o->def));
}

static cJSON *setting_ref(const char *name)
{
	scoped char *path = xasprintf("settings/properties/%s", name);

	return schema_ref(path);
}

static cJSON *setting_values(const char *name)
{
	return ADD(schema_list(setting_ref(name), 1), j_bool("uniqueItems", true));
}

/* {setting: value}, or {setting: [value, ...]}, where lr_batch may be written as lr-batch. */
static cJSON *settings_def(bool lists)
{
	cJSON *all = cJSON_CreateObject();

	for (const struct opt *o = settings_opts; o->name; o++) {
		ADD(all, j_json(o->name, lists ? setting_values(o->name) : setting_value(o)));
		if (strchr(o->name, '_')) {
			scoped char *other = word_dashed(o->name);

			ADD(all, j_json(other, lists ? setting_values(o->name)
						     : setting_ref(o->name)));
		}
	}
	return schema_closed(all);
}

/* Adds the name, and lr-batch for lr_batch. */
static void word_add(cJSON *list, const char *name)
{
	scoped char *dashed = word_dashed(name);

	text_add(list, name);
	if (strchr(name, '_'))
		text_add(list, dashed);
}

/* A word for a setting, a measure, or a target such as time_to:test_accuracy>=0.9. */
static cJSON *word_def(void)
{
	cJSON *list = cJSON_CreateArray();
	scoped char *targets = NULL, *pattern = NULL;

	for (const struct opt *o = settings_opts; o->name; o++)
		word_add(list, o->name);
	for (size_t i = 0; measure_names[i]; i++)
		word_add(list, measure_names[i]);
	word_add(list, "slow_factor");
	for (size_t i = 0; target_prefix(i); i++)
		xappend(&targets, "|", target_prefix(i));
	pattern = xasprintf("^(%s|metric:)", targets);
	return schema_either(OBJECT(j_json("enum", list)), schema_pattern(pattern));
}

/* A column of a curve, or of the histogram of staleness. */
static cJSON *column_def(void)
{
	const struct layout_column *const layouts[] = { layout_train, layout_eval,
							layout_staleness };
	cJSON *names = cJSON_CreateObject(), *list = cJSON_CreateArray();
	const cJSON *name;

	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		for (const struct layout_column *c = layouts[i]; c->name; c++)
			json_names_add(names, c->name);
	cJSON_ArrayForEach(name, names)
		text_add(list, name->string);
	text_add(list, "wall_s");
	cJSON_Delete(names);
	return schema_either(OBJECT(j_json("enum", list)), schema_pattern("^metric:"));
}

/* One, or a list of at least one. */
static cJSON *one_or_more(const char *def)
{
	return schema_either(schema_ref(def), schema_list(schema_ref(def), 1));
}

static cJSON *schema_spec(void)
{
	cJSON *cell = schema_map(schema_either(schema_ref("word"), schema_ref("column")),
				 schema_scalar());
	cJSON *all = OBJECT(
		j_json("settings", settings_def(false)),
		j_json("product", settings_def(true)),
		j_json("grid", one_or_more("product")),
		j_json("scale", schema_object(spec_scale_keys)),
		j_json("scales", schema_map(schema_ref("name"), schema_ref("scale"))),
		j_json("tune", schema_object(spec_tune_keys)),
		j_json("tune_or_not", schema_either(schema_ref("tune"),
						    schema_of("{\"const\": false}"))),
		j_json("grids", schema_map(schema_of("{}"), schema_ref("product"))),
		j_json("best", schema_words(spec_tune_bests)),
		j_json("seeds", setting_values("seed")),
		j_json("name", schema_of("{\"type\": \"string\", \"maxLength\": 100, "
					 "\"pattern\": \"^[A-Za-z0-9][-_.A-Za-z0-9]*$\"}")),
		j_json("word", word_def()),
		j_json("words", one_or_more("word")),
		j_json("column", column_def()),
		j_json("axis", schema_either(schema_ref("word"), schema_ref("column"))),
		j_json("axes", one_or_more("axis")),
		j_json("from", schema_words(report_froms)),
		j_json("labels", schema_map(NULL, schema_type("string"))),
		j_json("where", schema_map(schema_ref("word"),
					   schema_either(schema_scalar(),
							 schema_list(schema_scalar(), 0)))),
		j_json("cells", schema_list(ADD(cell, j_number("minProperties", 1)), 0)),
		j_json("published", schema_object(report_published_keys)),
		j_json("tables", schema_list(schema_object(report_table_keys), 0)),
		j_json("plots", schema_list(schema_object(report_plot_keys), 0)),
		j_json("published_side", schema_object(report_published_side_keys)),
		j_json("side", schema_either(schema_either(schema_type("number"),
							   schema_ref("published_side")),
					     schema_ref("where"))),
		j_json("sides", schema_list(schema_ref("side"), 2)),
		j_json("beats", schema_object(report_beats_keys)),
		j_json("within", schema_object(report_within_keys)),
		j_json("no_worse", schema_object(report_no_worse_keys)),
		j_json("no_later", schema_object(report_no_later_keys)),
		j_json("order", schema_object(report_order_keys)),
		j_json("rules", schema_list(schema_object(report_rule_keys), 1)),
		j_json("claims", schema_list(schema_object(report_claim_keys), 0)),
		j_json("reads", schema_list(schema_of("{\"type\": \"string\", \"maxLength\": 100, "
						      "\"pattern\": \"^[A-Za-z0-9]"
						      "[-_.A-Za-z0-9]*\\\\.json$\"}"), 0)),
		j_json("kind", schema_words(claim_kinds)),
		j_json("criterion", schema_object(report_criterion_keys)),
		j_json("formers", schema_list(schema_object(report_former_keys), 0)),
		j_json("date", schema_pattern("^[0-9]{4}-(0[1-9]|1[0-2])-"
					      "(0[1-9]|[12][0-9]|3[01])$")),
		j_json("former_verdict", schema_words(claim_former_verdicts)),
		j_json("paper_accuracy", schema_object(report_paper_accuracy_keys)));

	return ADD(schema_root("An experiment of convoy", spec_keys), j_json("$defs", all));
}

/* ---- the command ---- */

static const char schema_about[] =
	"Prints the JSON Schema (draft 2020-12) of an experiment's spec, a net or a cluster:\n"
	"keys, types, bounds, defaults and what each means. Editors complete and check files by\n"
	"it; the key \"$schema\" of a file names it.\n"
	"\n"
	"Examples:\n"
	"  convoy schema spec > spec.schema.json\n"
	"  convoy schema net | jq '.\"$defs\".conv'";

static int schema_print(const struct args *a)
{
	static const char *const names[] = { "spec", "net", "cluster", NULL };
	static cJSON *(*const make[])(void) = { schema_spec, schema_net, schema_cluster };

	if (a->nwords != 1)
		return args_usage(a, "no schema is named (spec, net, cluster)");
	for (size_t i = 0; names[i]; i++) {
		if (strcmp(a->words[0], names[i]) == 0) {
			json_print_own(make[i]());
			return EXIT_OK;
		}
	}
	word_unknown(NULL, "schema", a->words[0], names);
	return EXIT_USAGE;
}

const struct syntax cmd_schema = {
	.usage = "schema spec|net|cluster",
	.about = schema_about, .run = schema_print,
};
