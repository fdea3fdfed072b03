/* What a net's file may say; docs/nets.md says what it means. */
#include "nets/layers.h"

#include <stddef.h>

#define END { NULL, JSON_OWN, false, NULL, NULL }
#define ABOUT { "about", JSON_TEXT, false, "what it is", NULL }
#define CITE { "cite", JSON_TEXT, false, "the paper", NULL }
#define INPUT \
	{ "input", JSON_OWN, false, "[height, width, channels], where no data set says so", \
	  "input" }
#define CLASSES \
	{ "classes", JSON_OWN, false, "how many, where no data set says so", "classes" }
#define PARAMS { "params", JSON_OWN, false, "values that items call \"$NAME\"", "params" }
#define LAYERS \
	{ "layers", JSON_OWN, false, "layers and blocks, each reading the one before", "layers" }

const struct json_key net_keys[] = {
	SCHEMA_KEY, ABOUT, CITE,
	{ "base", JSON_TEXT, false, "the net that this one changes", NULL },
	INPUT, CLASSES, PARAMS,
	{ "defaults", JSON_OWN, false, "settings of every layer of a kind", "defaults" },
	{ "blocks", JSON_OWN, false, "lists of layers to use by name", "blocks" },
	LAYERS, END
};

const struct json_key net_over_keys[] = {
	SCHEMA_KEY, ABOUT, CITE,
	{ "base", JSON_TEXT, true, "the net that this one changes", NULL },
	INPUT, CLASSES,
	{ "params", JSON_OWN, false, "other values for parameters of the base", "params" }, END
};

const struct json_key net_block_keys[] = { ABOUT, PARAMS, LAYERS, END };

const struct json_key net_item_keys[] = {
	{ "layer", JSON_TEXT, true, "the kind of layer, or the name of a block", NULL },
	{ "name", JSON_TEXT, false, "what later items call it", NULL },
	{ "in", JSON_TEXTS, false, "what it reads, where that is not the item before", NULL },
	{ "repeat", JSON_OWN, false, "how often it stands here, one after the other", "repeat" },
	{ "first", JSON_OWN, false, "settings of the first of them", "first" },
	END
};
