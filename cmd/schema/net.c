/* The schema of a net; docs/nets.md says what its keys mean. */
#include "cmd/schema/schema.h"

#include "core/base/mem.h"
#include "nets/layers/layers.h"

#include <stdlib.h>

/* {"type": "integer", "minimum": 1, "maximum": max} */
static cJSON *schema_net_whole(int max)
{
	cJSON *made = schema_text("{\"type\": \"integer\", \"minimum\": 1}");

	cJSON_AddNumberToObject(made, "maximum", max);
	return made;
}

static cJSON *input_def(void)
{
	cJSON *made = schema_list(schema_net_whole(SIDE_MAX), 3);

	cJSON_AddNumberToObject(made, "maxItems", 3);
	return made;
}

/* A parameter of the net or block may stand for any value. */
static cJSON *or_param(cJSON *value)
{
	return schema_either(value, schema_text("{\"type\": \"string\", \"pattern\": \"^[$]\"}"));
}

static cJSON *params_def(void)
{
	cJSON *made = schema_text("{\"type\": \"object\", \"additionalProperties\": "
				  "{\"type\": [\"number\", \"boolean\", \"string\", \"null\"]}}");
	const char **names = json_key_names(net_item_keys);
	cJSON *taken = schema_words(names), *not = cJSON_AddObjectToObject(made, "propertyNames");

	cJSON_AddItemToArray(cJSON_GetObjectItem(taken, "enum"), cJSON_CreateString("classes"));
	cJSON_AddItemToObject(not, "not", taken);
	free(names);
	return made;
}

/* {setting: value} of a kind of layer. */
static cJSON *layer_def(const struct layer_type *type)
{
	cJSON *made = schema_text("{\"type\": \"object\", \"additionalProperties\": false, "
				  "\"properties\": {}}");
	cJSON *all = cJSON_GetObjectItem(made, "properties");

	for (const struct opt *o = type->opts; o && o->name; o++)
		cJSON_AddItemToObject(all, o->name, or_param(schema_opt(o)));
	return made;
}

static cJSON *defaults_def(void)
{
	cJSON *made = schema_text("{\"type\": \"object\", \"additionalProperties\": false, "
				  "\"properties\": {}}");
	cJSON *all = cJSON_GetObjectItem(made, "properties");

	for (int k = LAYER_INPUT + 1; k < LAYER_KINDS; k++)
		cJSON_AddItemToObject(all, layer_types[k]->name, schema_ref(layer_types[k]->name));
	return made;
}

/* Of an item whose layer is of this type: the common keys and the type's settings. */
static cJSON *item_case(const struct layer_type *type)
{
	cJSON *made = schema_text("{\"if\": {\"properties\": {\"layer\": {}}}, \"then\": "
				  "{\"additionalProperties\": false, \"properties\": {}}}");
	cJSON *layer = cJSON_GetObjectItem(
		cJSON_GetObjectItem(cJSON_GetObjectItem(made, "if"), "properties"), "layer");
	cJSON *all = cJSON_GetObjectItem(cJSON_GetObjectItem(made, "then"), "properties");

	cJSON_AddStringToObject(layer, "const", type->name);
	for (const struct json_key *key = net_item_keys; key->name; key++)
		cJSON_AddTrueToObject(all, key->name);
	for (const struct opt *o = type->opts; o && o->name; o++) {
		char *path = xasprintf("%s/properties/%s", type->name, o->name);

		cJSON_AddItemToObject(all, o->name, schema_ref(path));
		free(path);
	}
	return made;
}

/* The name of a layer, or an object; next to a block's name may be its parameters. */
static cJSON *item_def(void)
{
	cJSON *object = schema_object(net_item_keys), *cases = cJSON_CreateArray();

	cJSON_DeleteItemFromObject(object, "additionalProperties");
	for (int k = LAYER_INPUT + 1; k < LAYER_KINDS; k++)
		cJSON_AddItemToArray(cases, item_case(layer_types[k]));
	cJSON_AddItemToObject(object, "allOf", cases);
	return schema_either(schema_text("{\"type\": \"string\"}"), object);
}

static cJSON *blocks_def(void)
{
	cJSON *made = schema_text("{\"type\": \"object\"}");

	cJSON_AddItemToObject(made, "additionalProperties", schema_object(net_block_keys));
	return made;
}

static cJSON *defs_of_net(void)
{
	cJSON *all = cJSON_CreateObject();

	cJSON_AddItemToObject(all, "input", input_def());
	cJSON_AddItemToObject(all, "classes", schema_net_whole(CLASSES_MAX));
	cJSON_AddItemToObject(all, "repeat", or_param(schema_net_whole(REPEAT_MAX)));
	cJSON_AddItemToObject(all, "first", schema_text("{\"type\": \"object\"}"));
	cJSON_AddItemToObject(all, "params", params_def());
	cJSON_AddItemToObject(all, "defaults", defaults_def());
	cJSON_AddItemToObject(all, "blocks", blocks_def());
	cJSON_AddItemToObject(all, "item", item_def());
	cJSON_AddItemToObject(all, "layers", schema_list(schema_ref("item"), 1));
	for (int k = LAYER_INPUT + 1; k < LAYER_KINDS; k++)
		cJSON_AddItemToObject(all, layer_types[k]->name, layer_def(layer_types[k]));
	return all;
}

/* A file with a base says less than one without. */
static void add_base(cJSON *net)
{
	const char **names = json_key_names(net_over_keys);
	cJSON *then = cJSON_CreateObject();

	cJSON_AddItemToObject(net, "if", schema_text("{\"required\": [\"base\"]}"));
	cJSON_AddItemToObject(then, "propertyNames", schema_words(names));
	cJSON_AddItemToObject(net, "then", then);
	cJSON_AddItemToObject(net, "else", schema_text("{\"required\": [\"layers\"]}"));
	free(names);
}

cJSON *schema_net(void)
{
	cJSON *net = schema_object(net_keys);

	add_base(net);
	return schema_root("A net of convoy", net, defs_of_net());
}
