/*
 * json_items.h - a JSON file of any size, plain or gzip, one item after the other.
 *
 * Only one item is in memory at a time. Brackets and strings of all items are followed, but only
 * json_item_parse() judges whether an item is JSON.
 */
#ifndef RECORD_TRACE_JSON_ITEMS_H
#define RECORD_TRACE_JSON_ITEMS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

struct json_item {
	const char *path;       /* of the file */
	const char *key;        /* of the member; of an element: of its array, "" for the file's */
	const char *text;
	bool element;
	size_t number;          /* of the element, from 0 */
};

/* Takes an item, whose texts live until it returns. 0, or error() that ends the reading. */
typedef int json_item_fn(void *ctx, const struct json_item *item);

/*
 * Reads objects or arrays, one after the other. take() has the elements of an array that is the
 * file's or that is the member `array` of an object, and the other members whole. 0 or error().
 */
int json_items_read(const char *path, const char *array, json_item_fn *take, void *ctx);

/* The item's value, which the caller frees with cJSON_Delete(); NULL after error(). */
cJSON *json_item_parse(const struct json_item *item);

/* Whether the file, plain or gzip, begins as an object or an array; false if it cannot be read. */
bool json_items_are_in(const char *path);

#endif
