/*
 * unroll.c - makes a flat list of layers from a net's file; docs/nets.md describes the keys.
 *
 * An item is a layer or a block. A block is a named list of items with parameters, and may use only
 * blocks defined before it, so unrolling ends. Each list is a scope: its items read each other by
 * name, or the scope's own input, and always something before them.
 */
#include "nets/layers/layers.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"

#include <stdlib.h>
#include <string.h>

/* ---- the file's top level ---- */

#define KEY(word, type, text) { .name = word, .kind = type, .help = text }
#define OWN(word, text) { .name = word, .kind = JSON_OWN, .help = text, .def = word }
#define ABOUT KEY("about", JSON_TEXT, "what it is")
#define CITE KEY("cite", JSON_TEXT, "the paper")
#define INPUT OWN("input", "[height, width, channels], where no data set says so")
#define CLASSES OWN("classes", "how many, where no data set says so")
#define PARAMS OWN("params", "values that items call \"$NAME\"")
#define LAYERS OWN("layers", "layers and blocks, each reading the one before")

const struct json_key net_keys[] = {
	SCHEMA_KEY, ABOUT, CITE, KEY("base", JSON_TEXT, "the net that this one changes"),
	INPUT, CLASSES, PARAMS, OWN("defaults", "settings of every layer of a kind"),
	OWN("blocks", "lists of layers to use by name"), LAYERS, { .name = NULL }
};

const struct json_key net_over_keys[] = {
	SCHEMA_KEY, ABOUT, CITE,
	{ .name = "base", .kind = JSON_TEXT, .required = true,
	  .help = "the net that this one changes" },
	INPUT, CLASSES, OWN("params", "other values for parameters of the base"), { .name = NULL }
};

const struct json_key net_block_keys[] = { ABOUT, PARAMS, LAYERS, { .name = NULL } };

const struct json_key net_item_keys[] = {
	{ .name = "layer", .kind = JSON_TEXT, .required = true,
	  .help = "the kind of layer, or the name of a block" },
	KEY("name", JSON_TEXT, "what later items call it"),
	KEY("in", JSON_TEXTS, "what it reads, where that is not the item before"),
	OWN("repeat", "how often it stands here, one after the other"),
	OWN("first", "settings of the first of them"), { .name = NULL }
};

static bool is_item_key(const char *key)
{
	for (int i = 0; net_item_keys[i].name; i++)
		if (!strcmp(net_item_keys[i].name, key))
			return true;
	return false;
}

static int check_object(const cJSON *v, const char *what, const char *path)
{
	if (!v || cJSON_IsObject(v))
		return 0;
	return error("%s: \"%s\" is an object", path, what);
}

/* Refuses parameters with the name of a key that every item has. */
static int check_params(const cJSON *params, const char *path)
{
	const cJSON *p;

	if (check_object(params, "params", path))
		return -1;
	cJSON_ArrayForEach(p, params) {
		if (is_item_key(p->string))
			return error("%s: a parameter cannot be called '%s'", path, p->string);
		if (!strcmp(p->string, "classes"))
			return error("%s: the parameter 'classes' is set by the data set", path);
		if (cJSON_IsObject(p) || cJSON_IsArray(p))
			return error("%s: the parameter '%.64s' is a number, true, false, a word "
				     "or null", path, p->string);
	}
	return 0;
}

static int check_blocks(const cJSON *blocks, const char *path)
{
	const cJSON *block;
	char where[512];

	if (check_object(blocks, "blocks", path))
		return -1;
	cJSON_ArrayForEach(block, blocks) {
		snprintf(where, sizeof(where), "%.256s: block '%.64s'", path, block->string);
		if (layer_find(block->string))
			return error("%s: that is the name of a layer", where);
		if (!cJSON_IsObject(block))
			return error("%s: a block is an object", where);
		if (json_check_members(block, net_block_keys, where)
		    || check_params(json_get(block, "params"), where))
			return -1;
	}
	return 0;
}

static int check_defaults(const cJSON *defaults, const char *path)
{
	const char *kinds[LAYER_KINDS] = { NULL };
	const cJSON *d;

	for (int k = LAYER_INPUT + 1; k < LAYER_KINDS; k++)
		kinds[k - 1] = layer_types[k]->name;
	if (check_object(defaults, "defaults", path)
	    || (defaults && json_check_keys(defaults, kinds, path)))
		return -1;
	cJSON_ArrayForEach(d, defaults)
		if (check_object(d, d->string, path))
			return -1;
	return 0;
}

static int check_frame(const cJSON *root, const char *path)
{
	if (!cJSON_IsObject(root))
		return error("%s: a net is an object with \"layers\"", path);
	if (json_check_members(root, net_keys, path)
	    || check_params(json_get(root, "params"), path)
	    || check_defaults(json_get(root, "defaults"), path)
	    || check_blocks(json_get(root, "blocks"), path))
		return -1;
	return 0;
}

/* A whole number in [1, max], or -1. */
static int whole_number(const cJSON *v, int max)
{
	double d = cJSON_IsNumber(v) ? v->valuedouble : -1;

	return d >= 1 && d <= max && d == (int)d ? (int)d : -1;
}

static int read_input(struct graph *g, const cJSON *root, const char *path)
{
	const cJSON *in = json_get(root, "input");
	const cJSON *classes = json_get(root, "classes");
	int side[3] = { -1, -1, -1 };

	for (int i = 0; cJSON_GetArraySize(in) == 3 && i < 3; i++)
		side[i] = whole_number(cJSON_GetArrayItem(in, i), SIDE_MAX);
	if (in && (side[0] < 0 || side[1] < 0 || side[2] < 0))
		return error("%s: \"input\" is [height, width, channels]", path);
	if (classes && whole_number(classes, CLASSES_MAX) < 0)
		return error("%s: \"classes\" is a whole number from 1 to %d", path, CLASSES_MAX);
	if (!g->input.h && !in)
		return error("%s: has no \"input\", so it needs a data set", path);
	if (!g->classes && !classes)
		return error("%s: has no \"classes\", so it needs a data set", path);
	if (!g->input.h)
		g->input = (struct shape){ side[0], side[1], side[2] };
	if (!g->classes)
		g->classes = whole_number(classes, CLASSES_MAX);
	return shape_check(g->input.h, g->input.w, g->input.c, path);
}

struct builder {
	struct graph *g;
	const char *path;
	const cJSON *defaults;          /* settings by layer kind, may be NULL */
	const cJSON *blocks;            /* may be NULL */
	int height, width;              /* of the file's "input"; 0: it has none */
	int capacity, steps;
};

/* The names that are visible to the items of a list. */
struct scope {
	const char *prefix;             /* "stage1.block1." */
	const cJSON *params;            /* object: values of "$name" */
	const cJSON *end;               /* blocks from here on are not defined yet; NULL: all are */
	int input;                      /* layer that "input" names */
	int prev;                       /* layer that an item without "in" reads */
	struct known { char name[48]; int layer; } *known;
	int n;
};

/* ---- names ---- */

static const struct known *scope_find(const struct scope *s, const char *name)
{
	for (int i = s->n; i-- > 0;)
		if (!strcmp(s->known[i].name, name))
			return &s->known[i];
	return NULL;
}

/* Adds a name for a layer, which the next item reads by default. */
static void scope_add(struct scope *s, const char *name, int layer)
{
	s->known = xgrown(s->known, (size_t)s->n, sizeof(*s->known));
	snprintf(s->known[s->n].name, sizeof(s->known->name), "%s", name);
	s->known[s->n++].layer = layer;
	s->prev = layer;
}

enum { MAX_DIGITS = 9 };       /* a number with one digit more is still an int */

/* name <- the stem with the next number, of at most MAX_DIGITS digits. */
static void scope_number(const struct scope *s, const char *stem, char *name, size_t size)
{
	const size_t len = strlen(stem);
	int last = 0;

	for (int i = s->n; i-- > 0 && !last;) {
		const char *text = s->known[i].name + len;
		size_t digits;

		if (strncmp(s->known[i].name, stem, len))
			continue;
		digits = strspn(text, "0123456789");
		if (digits >= 1 && digits <= MAX_DIGITS && !text[digits])
			last = (int)strtol(text, NULL, 10) + 1;
	}
	snprintf(name, size, "%.32s%d", stem, last ? last : 1);
}

/* 0, or error() for a name that is malformed, too long or taken. */
static int scope_check(const struct scope *s, const char *name, const char *path)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

	if (!*name || name[strspn(name, allowed)] || strlen(name) > 32)
		return error("%s: layer name '%.64s': at most 32 letters, digits, '_' and '-'",
			     path, name);
	if (strlen(s->prefix) + strlen(name) >= sizeof(s->known->name))
		return error("%s: layer name '%s%s' is too long", path, s->prefix, name);
	if (!strcmp(name, "input") || scope_find(s, name))
		return error("%s: two layers are called '%s%s'", path, s->prefix, name);
	return 0;
}

static int find_input(const struct scope *s, const cJSON *ref, const char *where)
{
	const struct known *known;
	const char *near, **names;

	if (!cJSON_IsString(ref))
		return error("%s: \"in\" is a name, or a list of two", where);
	if (!strcmp(ref->valuestring, "input"))
		return s->input;
	known = scope_find(s, ref->valuestring);
	if (known)
		return known->layer;
	names = xcalloc((size_t)s->n + 2, sizeof(*names));
	for (int i = 0; i < s->n; i++)
		names[i] = s->known[i].name;
	names[s->n] = "input";
	near = nearest_word(ref->valuestring, names);
	error("%s: reads '%.64s', which no layer before it is called%s%s%s", where,
	      ref->valuestring, near ? "; did you mean '" : "", near ? near : "",
	      near ? "'?" : "");
	free(names);
	return -1;
}

/* in[] <- the layers that an item reads; `ins`: how many its kind needs. 0 or error(). */
static int scope_inputs(const struct scope *s, const cJSON *item, int ins, int in[2],
			const char *where)
{
	const cJSON *ref = json_get(item, "in");
	int given = cJSON_IsArray(ref) ? cJSON_GetArraySize(ref) : 1;

	in[0] = s->prev;
	in[1] = -1;
	if (!ref && ins == 1)
		return 0;
	if (!ref || given != ins)
		return error("%s: reads %d layer%s, but \"in\" names %d", where, ins,
			     word_plural(ins), ref ? given : 0);
	for (int i = 0; i < ins; i++) {
		in[i] = find_input(s, cJSON_IsArray(ref) ? cJSON_GetArrayItem(ref, i) : ref,
				   where);
		if (in[i] < 0)
			return -1;
	}
	return 0;
}

/* ---- one layer ---- */

static int layer_set_value(const struct layer_type *type, struct layer *l, const cJSON *v,
			   const char *where)
{
	char number[32];
	const char *text = number;

	if (cJSON_IsString(v))
		text = v->valuestring;
	else if (cJSON_IsBool(v))
		text = cJSON_IsTrue(v) ? "true" : "false";
	else if (cJSON_IsNumber(v))
		snprintf(number, sizeof(number), "%.17g", v->valuedouble);
	else
		return error("%s: \"%s\" is a number, true, false, or a word", where, v->string);
	if (!type->opts)
		return error("%s: unknown key '%s': a %s has no settings", where, v->string,
			     type->name);
	return opt_set(type->opts, l, v->string, text, where);
}

/* Reads a layer's settings: defaults, then the file's for the kind, then the item's. */
static int layer_read(const struct builder *b, const struct layer_type *type, const cJSON *item,
		      struct layer *l, const char *where)
{
	const cJSON *v, *own = json_get(b->defaults, type->name);

	opt_init(type->opts, l);
	cJSON_ArrayForEach(v, own)
		if (layer_set_value(type, l, v, where))
			return -1;
	cJSON_ArrayForEach(v, item)
		if (!is_item_key(v->string) && layer_set_value(type, l, v, where))
			return -1;
	return 0;
}

/* Checks that the net reads either tokens, with a first layer that embeds them, or pixels. */
static int layer_check_domain(struct graph *g, const struct layer *l, const char *where)
{
	const struct layer_type *type = layer_types[l->kind];
	const bool embeds = type->domain == READS_TOKENS;

	if (embeds && l->in[0] != 0)
		return error("%s: reads tokens, and only the net's input is tokens", where);
	if (g->n == 1)
		g->tokens = embeds;
	if (g->tokens && (type->domain == ON_PIXELS || (!embeds && l->in[0] == 0)))
		return error("%s: a %s cannot be in a net of tokens, which begins with \"embed\"",
			     where, type->name);
	if (!g->tokens && type->domain >= ON_TOKENS)
		return error("%s: is for nets of tokens, whose first layer is \"embed\"", where);
	return 0;
}

/* Adds a layer to the graph and the scope; "$name"s are already replaced. 0 or error(). */
static int layer_add(struct builder *b, struct scope *s, enum layer_kind kind, const cJSON *item,
		     const char *name, const char *where)
{
	const struct layer_type *type = layer_types[kind];
	struct layer l = { .kind = kind, .stride = 1, .groups = 1, .div = 1, .bias_decay = true };
	struct graph *g = b->g;
	int ret;

	if (g->n >= LAYERS_MAX)
		return error("%s: more than %d layers", where, LAYERS_MAX);
	if (layer_read(b, type, item, &l, where) || scope_inputs(s, item, type->ins, l.in, where)
	    || layer_check_domain(g, &l, where))
		return -1;
	if ((size_t)snprintf(l.name, sizeof(l.name), "%s%s", s->prefix, name) >= sizeof(l.name))
		return error("%s: layer name '%s%s' is too long", where, s->prefix, name);
	l.is = g->layers[l.in[0]].os;
	ret = type->shape(g, &l, where);
	if (ret == TOO_SMALL && (g->input.h < b->height || g->input.w < b->width))
		note("%s is made for images of %dx%d; those of %dx%d are too small for it",
		     b->path, b->height, b->width, g->input.h, g->input.w);
	if (ret < 0)
		return -1;
	if (ret == NO_LAYER) {
		scope_add(s, name, l.in[0]);
		return 0;
	}
	if (g->n == b->capacity) {
		b->capacity *= 2;
		g->layers = xrealloc(g->layers, (size_t)b->capacity, sizeof(*g->layers));
	}
	g->layers[g->n++] = l;
	scope_add(s, name, g->n - 1);
	return 0;
}

/* ---- blocks and layers ---- */

static int unroll_list(struct builder *b, struct scope *s, const cJSON *list, const char *where);

enum { STEPS_MAX = 1 << 15 };

/* Gives every parameter of a block its value: the item's, or the block's default. */
static int add_block(struct builder *b, struct scope *s, const cJSON *block, const cJSON *item,
		     const char *name, const char *where)
{
	const cJSON *params = json_get(block, "params"), *p, *v;
	struct scope inner = { .end = block };
	const char **known;
	char *prefix;
	cJSON *bound;
	int in[2], ret;
	size_t n = 0;

	/* Allowed keys: the common ones and the block's parameters. */
	known = xcalloc((size_t)cJSON_GetArraySize(params) + 6, sizeof(*known));
	for (; net_item_keys[n].name; n++)
		known[n] = net_item_keys[n].name;
	cJSON_ArrayForEach(p, params)
		known[n++] = p->string;
	ret = json_check_keys(item, known, where);
	free(known);
	if (ret || scope_inputs(s, item, 1, in, where))
		return -1;
	bound = must_have(cJSON_CreateObject(), "a net");
	cJSON_ArrayForEach(p, params) {
		v = json_get(item, p->string);
		if (!v && cJSON_IsNull(p)) {
			cJSON_Delete(bound);
			return error("%s: needs \"%s\"", where, p->string);
		}
		cJSON_AddItemToObject(bound, p->string, cJSON_Duplicate(v ? v : p, 1));
	}
	v = json_get(s->params, "classes");
	if (v && !json_get(bound, "classes"))
		cJSON_AddItemToObject(bound, "classes", cJSON_Duplicate(v, 1));
	inner.prefix = prefix = xasprintf("%s%s.", s->prefix, name);
	inner.params = bound;
	inner.input = inner.prev = in[0];
	ret = unroll_list(b, &inner, json_get(block, "layers"), where);
	if (!ret)
		scope_add(s, name, inner.prev);
	free(inner.known);
	free(prefix);
	cJSON_Delete(bound);
	return ret;
}

static int unknown_kind(const struct builder *b, const struct scope *s, const char *name,
			const char *where)
{
	int capacity = LAYER_KINDS + cJSON_GetArraySize(b->blocks), n = 0;
	scoped const char **names = xcalloc((size_t)capacity + 1, sizeof(*names));
	const cJSON *block = b->blocks ? b->blocks->child : NULL;
	scoped char *advice = NULL;

	for (int k = LAYER_INPUT + 1; k < LAYER_KINDS; k++)
		names[n++] = layer_types[k]->name;
	for (; block && block != s->end; block = block->next)
		names[n++] = block->string;
	advice = word_advice(name, names);
	error("%s: unknown layer or block '%.64s'%s", where, name, advice);
	return -1;
}

/* error() of an item that does not say which layer it is. */
static int nameless(const struct builder *b, const struct scope *s, const cJSON *item)
{
	const char *first = item->child ? item->child->string : NULL;
	char *text = cJSON_PrintUnformatted(item);

	error("%s: %slayers: the item %.60s has no \"layer\" (expected such as {\"layer\": "
	      "\"%s\"})", b->path, s->prefix, text, first && layer_find(first) ? first : "dense");
	cJSON_free(text);
	return -1;
}

/* Adds one layer or block, whose "$name"s are already replaced. */
static int add_one(struct builder *b, struct scope *s, const cJSON *item, const char *stem)
{
	const cJSON *what = json_get(item, "layer"), *block = b->blocks ? b->blocks->child : NULL;
	char name[48], where[512];
	enum layer_kind kind;

	if (!cJSON_IsString(what))
		return nameless(b, s, item);
	if (++b->steps > STEPS_MAX)
		return error("%s: unrolls to more than %d layers and blocks", b->path, STEPS_MAX);
	if (stem)
		snprintf(name, sizeof(name), "%.40s", stem);
	else
		scope_number(s, what->valuestring, name, sizeof(name));
	snprintf(where, sizeof(where), "%.256s: layer '%.64s%s'", b->path, s->prefix, name);
	kind = layer_find(what->valuestring);
	while (block && block != s->end && strcmp(block->string, what->valuestring))
		block = block->next;
	if (block == s->end)
		block = NULL;
	if (!kind && !block)
		return unknown_kind(b, s, what->valuestring, where);
	if (scope_check(s, name, b->path))
		return -1;
	if (block)
		return add_block(b, s, block, item, name, where);
	return layer_add(b, s, kind, item, name, where);
}

static int no_param(const struct builder *b, const struct scope *s, const char *word)
{
	const cJSON *param;
	char **words = xcalloc((size_t)cJSON_GetArraySize(s->params) + 1, sizeof(*words)), *advice;
	size_t n = 0;

	cJSON_ArrayForEach(param, s->params)
		words[n++] = xasprintf("$%s", param->string);
	advice = word_advice(word, (const char *const *)words);
	error("%s: in '%s': no parameter '%.64s'%s", b->path, *s->prefix ? s->prefix : "layers",
	      word, advice);
	free(advice);
	while (n)
		free(words[--n]);
	free(words);
	return -1;
}

/* Replaces "$name" by the parameter's value in all settings of an item, and in "first". */
static int replace_params(const struct builder *b, const struct scope *s, cJSON *item)
{
	cJSON *v = item->child, *next;

	for (; v; v = next) {
		const cJSON *value;

		next = v->next;
		if (cJSON_IsObject(v)) {
			if (replace_params(b, s, v))
				return -1;
			continue;
		}
		if (!cJSON_IsString(v) || v->valuestring[0] != '$')
			continue;
		value = json_get(s->params, v->valuestring + 1);
		if (!value)
			return no_param(b, s, v->valuestring);
		cJSON_ReplaceItemInObjectCaseSensitive(item, v->string, cJSON_Duplicate(value, 1));
	}
	return 0;
}

/*
 * Adds the i-th of n repeats: the first has the settings of "first", later ones read the one
 * before.
 */
static int add_repeat(struct builder *b, struct scope *s, const cJSON *item, int i, int n)
{
	cJSON *one = must_have(cJSON_Duplicate(item, 1), "a net");
	const cJSON *given = json_get(item, "name"), *first = json_get(item, "first"), *v;
	const char *name = cJSON_GetStringValue(given);
	char stem[64];
	int ret;

	if ((first && !cJSON_IsObject(first)) || (given && !name)) {
		cJSON_Delete(one);
		return error("%s: in '%s': %s", b->path, *s->prefix ? s->prefix : "layers",
			     given && !name ? "\"name\" is a text"
					    : "\"first\" is an object of settings");
	}
	if (i)
		cJSON_DeleteItemFromObjectCaseSensitive(one, "in");
	else
		cJSON_ArrayForEach(v, first)
			member_put(one, v);
	cJSON_DeleteItemFromObjectCaseSensitive(one, "first");
	if (name && n > 1)
		snprintf(stem, sizeof(stem), "%.40s%d", name, i + 1);
	else if (name)
		snprintf(stem, sizeof(stem), "%.40s", name);
	ret = add_one(b, s, one, name ? stem : NULL);
	cJSON_Delete(one);
	return ret;
}

static int unroll_item(struct builder *b, struct scope *s, const cJSON *item)
{
	const cJSON *repeat;
	cJSON *plain;
	double n = 1;
	int ret;

	if (cJSON_IsString(item)) {             /* "relu" is short for {"layer": "relu"} */
		plain = cJSON_CreateObject();
		cJSON_AddStringToObject(plain, "layer", item->valuestring);
	} else if (cJSON_IsObject(item)) {
		plain = cJSON_Duplicate(item, 1);
	} else {
		return error("%s: an item of \"layers\" is an object, or the name of a layer",
			     b->path);
	}
	must_have(plain, "a net");
	ret = replace_params(b, s, plain);
	repeat = json_get(plain, "repeat");
	if (repeat)
		n = cJSON_IsNumber(repeat) ? repeat->valuedouble : 0;
	if (!ret && (!(n >= 1 && n <= REPEAT_MAX) || n != (int)n))
		ret = error("%s: in '%s': \"repeat\" is a whole number from 1 to %d", b->path,
			    *s->prefix ? s->prefix : "layers", REPEAT_MAX);
	for (int i = 0; i < n && !ret; i++)
		ret = add_repeat(b, s, plain, i, (int)n);
	cJSON_Delete(plain);
	return ret;
}

/* Adds all items of a list. 0 or error(). */
static int unroll_list(struct builder *b, struct scope *s, const cJSON *list, const char *where)
{
	const cJSON *item;

	if (!cJSON_IsArray(list) || !list->child)
		return error("%s: \"layers\" is a list of one layer or more", where);
	cJSON_ArrayForEach(item, list)
		if (unroll_item(b, s, item))
			return -1;
	return 0;
}

int graph_unroll(struct graph *g, const cJSON *root, const char *path)
{
	struct builder b = { .g = g, .path = path, .capacity = 16 };
	struct scope s = { .prefix = "" };
	const cJSON *in = json_get(root, "input");
	scoped_json cJSON *params = NULL;
	int ret;

	if (check_frame(root, path) || read_input(g, root, path))
		return -1;
	if (in) {
		b.height = cJSON_GetArrayItem(in, 0)->valueint;
		b.width = cJSON_GetArrayItem(in, 1)->valueint;
	}
	b.defaults = json_get(root, "defaults");
	b.blocks = json_get(root, "blocks");
	params = cJSON_Duplicate(json_get(root, "params"), 1);
	if (!params)
		params = cJSON_CreateObject();
	cJSON_AddNumberToObject(params, "classes", g->classes);
	s.params = params;
	g->layers = xcalloc((size_t)b.capacity, sizeof(*g->layers));
	g->n = 1;
	g->layers[0] = (struct layer){ .kind = LAYER_INPUT, .name = "input", .in = { -1, -1 },
				       .is = g->input, .os = g->input };
	ret = unroll_list(&b, &s, json_get(root, "layers"), path);
	if (!ret && s.prev != g->n - 1)
		ret = error("%s: the last item of \"layers\" adds nothing, but it gives the "
			    "logits", path);
	free(s.known);
	return ret;
}
