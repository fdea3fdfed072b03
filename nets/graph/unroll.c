/*
 * unroll.c - from the "layers" of a net's file to a flat list of layers.
 *
 * An item is a layer or a block; a block is a named list of items with
 * parameters, and may use only blocks defined above it, so unrolling ends. Each
 * list is a scope: its items read each other by name, or the scope's own input,
 * and what they read always stands before them.
 */
#include "nets/graph/unroll.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 1 << 15 };

/* Gives every parameter of a block its value: the item's, or the block's default. */
static cJSON *bind_params(const cJSON *params, const cJSON *item, const cJSON *outer,
			  const char *where)
{
	cJSON *bound = must_have(cJSON_CreateObject(), "a net");
	const cJSON *p, *v;

	cJSON_ArrayForEach(p, params) {
		v = json_get(item, p->string);
		if (!v && cJSON_IsNull(p)) {
			error("%s: needs \"%s\"", where, p->string);
			cJSON_Delete(bound);
			return NULL;
		}
		cJSON_AddItemToObject(bound, p->string, cJSON_Duplicate(v ? v : p, 1));
	}
	v = json_get(outer, "classes");
	if (v && !json_get(bound, "classes"))
		cJSON_AddItemToObject(bound, "classes", cJSON_Duplicate(v, 1));
	return bound;
}

/* 0 when the item has no keys but the common ones and the block's parameters. */
static int check_block_keys(const cJSON *params, const cJSON *item, const char *where)
{
	size_t n = 0, size = (size_t)cJSON_GetArraySize(params) + 6;
	const char **known = xcalloc(size, sizeof(*known));
	const cJSON *p;
	int ret;

	for (; net_item_keys[n].name; n++)
		known[n] = net_item_keys[n].name;
	cJSON_ArrayForEach(p, params)
		known[n++] = p->string;
	ret = json_check_keys(item, known, where);
	free(known);
	return ret;
}

static int add_block(struct builder *b, struct scope *s, const cJSON *block, const cJSON *item,
		     const char *name, const char *where)
{
	const cJSON *params = json_get(block, "params");
	struct scope inner = { .end = block };
	cJSON *bound = NULL;
	char *prefix = NULL;
	int in[2], ret = -1;

	if (check_block_keys(params, item, where) || scope_inputs(s, item, 1, in, where))
		return -1;
	bound = bind_params(params, item, s->params, where);
	if (!bound)
		return -1;
	prefix = xasprintf("%s%s.", s->prefix, name);
	inner.prefix = prefix;
	inner.params = bound;
	inner.input = inner.prev = in[0];
	if (!unroll_list(b, &inner, json_get(block, "layers"), where)) {
		scope_add(s, name, inner.prev);
		ret = 0;
	}
	free(inner.known);
	free(prefix);
	cJSON_Delete(bound);
	return ret;
}

/* The block of that name among those that may be used here, or NULL. */
static const cJSON *find_block(const struct builder *b, const struct scope *s, const char *name)
{
	const cJSON *block = b->blocks ? b->blocks->child : NULL;

	for (; block && block != s->end; block = block->next)
		if (!strcmp(block->string, name))
			return block;
	return NULL;
}

static int unknown_kind(const struct builder *b, const struct scope *s, const char *name,
			const char *where)
{
	int capacity = LAYER_KINDS + cJSON_GetArraySize(b->blocks), n = 0;
	const char **names = xcalloc((size_t)capacity + 1, sizeof(*names));
	const cJSON *block = b->blocks ? b->blocks->child : NULL;
	char *advice;

	for (int k = LAYER_INPUT + 1; k < LAYER_KINDS; k++)
		names[n++] = layer_types[k].name;
	for (; block && block != s->end; block = block->next)
		names[n++] = block->string;
	advice = word_advice(name, names);
	error("%s: unknown layer or block '%.64s'%s", where, name, advice);
	free(advice);
	free(names);
	return -1;
}

/* Adds one layer or block, whose "$name"s are already replaced. */
static int add_one(struct builder *b, struct scope *s, const cJSON *item, const char *stem)
{
	const cJSON *what = json_get(item, "layer"), *block;
	char name[48], where[512];
	enum layer_kind kind;

	if (!cJSON_IsString(what))
		return error("%s: an item of \"layers\" in '%s' has no \"layer\" that says what "
			     "it is", b->path, *s->prefix ? s->prefix : "the net");
	if (++b->steps > STEPS_MAX)
		return error("%s: unrolls to more than %d layers and blocks", b->path, STEPS_MAX);
	if (stem)
		snprintf(name, sizeof(name), "%.40s", stem);
	else
		scope_number(s, what->valuestring, name, sizeof(name));
	snprintf(where, sizeof(where), "%.256s: layer '%.64s%s'", b->path, s->prefix, name);
	kind = layer_find(what->valuestring);
	block = find_block(b, s, what->valuestring);
	if (!kind && !block)
		return unknown_kind(b, s, what->valuestring, where);
	if (scope_check(s, name, b->path))
		return -1;
	if (block)
		return add_block(b, s, block, item, name, where);
	return layer_add(b, s, kind, item, name, where);
}

/* The parameters that there are, and "$" before each. */
static char *advice_of(const struct scope *s, const char *word)
{
	const cJSON *param;
	cJSON *names = cJSON_CreateArray();
	const char **words = xcalloc((size_t)cJSON_GetArraySize(s->params) + 1, sizeof(*words));
	char *advice;
	size_t n = 0;

	cJSON_ArrayForEach(param, s->params) {
		char *name = xasprintf("$%s", param->string);

		cJSON_AddItemToArray(names, cJSON_CreateString(name));
		words[n] = cJSON_GetArrayItem(names, (int)n)->valuestring;
		n++;
		free(name);
	}
	advice = word_advice(word, words);
	free(words);
	cJSON_Delete(names);
	return advice;
}

static int no_param(const struct builder *b, const struct scope *s, const char *word)
{
	char *advice = advice_of(s, word);

	error("%s: in '%s': no parameter '%.64s'%s", b->path, *s->prefix ? s->prefix : "layers",
	      word, advice);
	free(advice);
	return -1;
}

/* Replaces "$name" by the parameter's value, in all settings of an item and in "first". */
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

static void graph_unroll_overlay(cJSON *item, const cJSON *over)
{
	const cJSON *v;

	cJSON_ArrayForEach(v, over) {
		cJSON_DeleteItemFromObjectCaseSensitive(item, v->string);
		cJSON_AddItemToObject(item, v->string, cJSON_Duplicate(v, 1));
	}
}

/* How often an item stands here, or -1 after error(). */
static int graph_unroll_repeats(const struct builder *b, const struct scope *s, const cJSON *item)
{
	const cJSON *v = json_get(item, "repeat");
	double n = cJSON_IsNumber(v) ? v->valuedouble : 0;

	if (!v)
		return 1;
	if (!(n >= 1 && n <= REPEAT_MAX) || n != (int)n)
		return error("%s: in '%s': \"repeat\" is a whole number from 1 to %d", b->path,
			     *s->prefix ? s->prefix : "layers", REPEAT_MAX);
	return (int)n;
}

/* The i-th of n repeats: the first has the settings of "first", later ones read the one before. */
static int add_repeat(struct builder *b, struct scope *s, const cJSON *item, int i, int n)
{
	cJSON *one = must_have(cJSON_Duplicate(item, 1), "a net");
	const cJSON *given = json_get(item, "name");
	const cJSON *first = json_get(item, "first");
	const char *name = cJSON_GetStringValue(given);
	char stem[64];
	int ret;

	if ((first && !cJSON_IsObject(first)) || (given && !name)) {
		cJSON_Delete(one);
		return error("%s: in '%s': %s", b->path, *s->prefix ? s->prefix : "layers",
			     given && !name
				     ? "\"name\" is a text"
				     : "\"first\" is an object of settings");
	}
	if (i)
		cJSON_DeleteItemFromObjectCaseSensitive(one, "in");
	else
		graph_unroll_overlay(one, first);
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
	cJSON *plain;
	int n, ret;

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
	n = ret ? ret : graph_unroll_repeats(b, s, plain);
	ret = n < 0 ? -1 : 0;
	for (int i = 0; i < n && !ret; i++)
		ret = add_repeat(b, s, plain, i, n);
	cJSON_Delete(plain);
	return ret;
}

int unroll_list(struct builder *b, struct scope *s, const cJSON *list, const char *where)
{
	const cJSON *item;

	if (!cJSON_IsArray(list) || !list->child)
		return error("%s: \"layers\" is a list of one layer or more", where);
	cJSON_ArrayForEach(item, list)
		if (unroll_item(b, s, item))
			return -1;
	return 0;
}

/* Side i of the file's own input, which has been checked; 0 without one. */
static int own_side(const cJSON *root, int i)
{
	const cJSON *in = json_get(root, "input");

	return in ? cJSON_GetArrayItem(in, i)->valueint : 0;
}

int graph_unroll(struct graph *g, const cJSON *root, const char *path)
{
	struct builder b = {
		.g = g, .path = path, .capacity = 16,
		.height = own_side(root, 0), .width = own_side(root, 1),
		.defaults = json_get(root, "defaults"),
		.blocks = json_get(root, "blocks"),
	};
	struct scope s = { .prefix = "" };
	cJSON *params = cJSON_Duplicate(json_get(root, "params"), 1);
	int ret;

	if (!params)
		params = cJSON_CreateObject();
	cJSON_AddNumberToObject(params, "classes", g->classes);
	s.params = params;
	g->layers = xrealloc(g->layers, (size_t)b.capacity, sizeof(*g->layers));
	ret = unroll_list(&b, &s, json_get(root, "layers"), path);
	if (!ret && s.prev != g->n - 1)
		ret = error("%s: the last item of \"layers\" adds nothing, but it gives the "
			    "logits", path);
	free(s.known);
	cJSON_Delete(params);
	return ret;
}
