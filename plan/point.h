/*
 * point.h - values of settings as specs and command lines have them: lists of values, points (one
 * value of each setting) and products (several), which a point of the grid is taken from.
 *
 * Keys are the settings' own names, those in settings_opts.
 */
#ifndef PLAN_POINT_H
#define PLAN_POINT_H

#include "record/result.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct value {
	char *text;             /* as a user would write it; owned */
	enum value_kind kind;   /* in JSON */
};

struct value_list {
	struct value *v;        /* [n] */
	size_t n;
};

struct grid_point {
	struct point_value {
		const char *key;
		struct value value;
	} *v;                   /* [n] */
	size_t n;
};

struct points {
	struct grid_point *v;   /* [n], owned */
	size_t n;
};

struct grid_product {
	struct grid_axis {
		const char *key;
		struct value_list values;       /* at least one */
	} *v;                   /* [n] */
	size_t n;
};

/* The setting's own name. */
const char *setting_name(const char *key);

/* ---- lists ---- */

/* Adds the value, whose text is copied. */
void value_list_add(struct value_list *list, struct value value);
bool value_list_has(const struct value_list *list, const char *text);
void value_list_release(struct value_list *list);

bool value_lists_equal(const struct value_list *a, const struct value_list *b);

/* "0.05, 0.1"; the caller frees. */
char *value_list_text(const struct value_list *list);

/* ---- points ---- */

/* The text of a setting, or its value; NULL: the point does not have it. */
const char *point_text(const struct grid_point *p, const char *key);
const struct value *point_value(const struct grid_point *p, const char *key);

/* Sets a value, whose text is copied: a new setting stands last, another stays where it is. */
void point_put(struct grid_point *p, const char *key, struct value value);

/* Sets a text, or a number. */
void point_put_text(struct grid_point *p, const char *key, const char *text);
void point_put_number(struct grid_point *p, const char *key, double x);

/* Sets a text, which is taken over, as the last setting. */
void point_put_last(struct grid_point *p, const char *key, char *text);

/* Sets all values of the other point; NULL is empty. */
void point_lay(struct grid_point *p, const struct grid_point *over);

/* True where the point had the setting. */
bool point_drop(struct grid_point *p, const char *key);

/* Adds a point, which is taken over. */
void points_add(struct points *all, struct grid_point point);
void points_release(struct points *all);

struct grid_point point_copy(const struct grid_point *p);
void point_release(struct grid_point *p);

/* True where both have the same settings, in any order, with the same values. */
bool points_equal(const struct grid_point *a, const struct grid_point *b);

/* points_equal(), but the setting `key` may differ, or be in one of them alone; NULL: none may. */
bool points_equal_but(const struct grid_point *a, const struct grid_point *b, const char *key);

/* Equal for equal points. */
uint64_t point_digest(const struct grid_point *p);

/* "algo=asgd lr=0.1"; the caller frees. */
char *point_words(const struct grid_point *p);

/* "asgd, 0.1"; the caller frees. */
char *point_values_text(const struct grid_point *p);

/* ---- products ---- */

/* The values of a setting; NULL: the product does not have it. */
const struct value_list *product_values(const struct grid_product *p, const char *key);

/* Sets the values, which are copied, as point_put() does. */
void product_put(struct grid_product *p, const char *key, const struct value_list *values);
bool product_drop(struct grid_product *p, const char *key);
void product_release(struct grid_product *p);
bool products_equal(const struct grid_product *a, const struct grid_product *b);

/* Points of a product, and its index-th one, of which the last setting varies fastest. */
size_t product_size(const struct grid_product *p);
struct grid_point product_point(const struct grid_product *p, size_t index);

/* ---- JSON: all trees are the caller's to free, and what is read is checked before ---- */

/* A text, number or bool as a user would write it; NULL for others. The caller frees. */
char *json_text(const cJSON *value);

/* {setting: value}, [value, ...] or a value, {setting: [value, ...]}; NULL is empty. */
struct grid_point point_read(const cJSON *object);
struct value_list value_list_read(const cJSON *json);
struct grid_product product_read(const cJSON *object);

/* The members of object[key] that are settings, as they are; none without such an object. */
struct grid_point point_read_known(const cJSON *object, const char *key);

cJSON *point_json(const struct grid_point *p);

/* Fills a part of the result, which is empty, with the point. */
void point_to_result(const struct grid_point *p, struct result *r, enum result_part part);

cJSON *value_list_json(const struct value_list *list);
cJSON *product_json(const struct grid_product *p);

/* ---- for which values of the settings that runs differ in something holds, in words ---- */

enum holds { HOLDS_NOT, HOLDS, HOLDS_ANY };     /* HOLDS_ANY: the run does not depend on it */

/*
 * " with net=lenet", " with net=lenet,vgg algo=asgd": the fewest settings of the points that tell
 * the runs of HOLDS from those of HOLDS_NOT; "" where there are none of the latter; " in some of
 * the runs" where it takes more than a few values, or no such settings do. The caller frees.
 */
char *holds_text(const struct grid_point *const *points, const enum holds *is, size_t n);

#endif
