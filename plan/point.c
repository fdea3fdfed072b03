/* Values of settings: lists, points and products of them, from JSON and back, and in words. */
#include "plan/point.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "core/text/opt_text.h"
#include "plan/settings/settings.h"

#include <stdlib.h>
#include <string.h>

const char *setting_name(const char *key)
{
	const struct opt *o = opt_find(settings_opts, key);

	if (!o)
		BUG("no setting %s", key);
	return o->name;
}

static bool values_equal(const struct value *a, const struct value *b)
{
	return a->kind == b->kind && strcmp(a->text, b->text) == 0;
}

/* ---- lists ---- */

void value_list_add(struct value_list *list, struct value value)
{
	APPEND(list->v, list->n) = (struct value){ xstrdup(value.text), value.kind };
}

bool value_list_has(const struct value_list *list, const char *text)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->v[i].text, text) == 0)
			return true;
	return false;
}

static struct value_list value_list_copy(const struct value_list *list)
{
	struct value_list copy = { 0 };

	for (size_t i = 0; i < list->n; i++)
		value_list_add(&copy, list->v[i]);
	return copy;
}

void value_list_release(struct value_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->v[i].text);
	free(list->v);
	*list = (struct value_list){ 0 };
}

char *value_list_text(const struct value_list *list)
{
	char *all = xstrdup("");

	for (size_t i = 0; i < list->n; i++)
		xappend(&all, ", ", list->v[i].text);
	return all;
}

/* ---- points ---- */

static size_t point_find(const struct grid_point *p, const char *key)
{
	size_t i = 0;

	while (i < p->n && strcmp(p->v[i].key, key) != 0)
		i++;
	return i;
}

const struct value *point_value(const struct grid_point *p, const char *key)
{
	const size_t i = point_find(p, key);

	return i < p->n ? &p->v[i].value : NULL;
}

const char *point_text(const struct grid_point *p, const char *key)
{
	const struct value *value = point_value(p, key);

	return value ? value->text : NULL;
}

void point_put(struct grid_point *p, const char *key, struct value value)
{
	const size_t i = point_find(p, key);
	char *text = xstrdup(value.text);

	if (i == p->n)
		APPEND(p->v, p->n) = (struct point_value){ .key = setting_name(key) };
	free(p->v[i].value.text);
	p->v[i].value = (struct value){ text, value.kind };
}

void point_put_text(struct grid_point *p, const char *key, const char *text)
{
	point_put(p, key, (struct value){ (char *)text, VALUE_TEXT });
}

void point_put_number(struct grid_point *p, const char *key, double x)
{
	scoped char *text = double_text(x);

	point_put(p, key, (struct value){ text, VALUE_NUMBER });
}

void point_put_last(struct grid_point *p, const char *key, char *text)
{
	point_drop(p, key);
	point_put(p, key, (struct value){ text, VALUE_TEXT });
	free(text);
}

void point_lay(struct grid_point *p, const struct grid_point *over)
{
	for (size_t i = 0; over && i < over->n; i++)
		point_put(p, over->v[i].key, over->v[i].value);
}

bool point_drop(struct grid_point *p, const char *key)
{
	const size_t i = point_find(p, key);

	if (i == p->n)
		return false;
	free(p->v[i].value.text);
	p->n--;
	memmove(&p->v[i], &p->v[i + 1], (p->n - i) * sizeof(*p->v));
	return true;
}

void points_add(struct points *all, struct grid_point point)
{
	APPEND(all->v, all->n) = point;
}

void points_release(struct points *all)
{
	for (size_t i = 0; i < all->n; i++)
		point_release(&all->v[i]);
	free(all->v);
	*all = (struct points){ 0 };
}

struct grid_point point_copy(const struct grid_point *p)
{
	struct grid_point copy = { 0 };

	point_lay(&copy, p);
	return copy;
}

void point_release(struct grid_point *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->v[i].value.text);
	free(p->v);
	*p = (struct grid_point){ 0 };
}

bool points_equal_but(const struct grid_point *a, const struct grid_point *b, const char *key)
{
	const size_t own = key && point_value(a, key), other = key && point_value(b, key);

	for (size_t i = 0; i < a->n; i++) {
		const struct value *at = point_value(b, a->v[i].key);

		if (key && strcmp(a->v[i].key, key) == 0)
			continue;
		if (!at || !values_equal(&a->v[i].value, at))
			return false;
	}
	return a->n - own == b->n - other;
}

bool points_equal(const struct grid_point *a, const struct grid_point *b)
{
	return points_equal_but(a, b, NULL);
}

uint64_t point_digest(const struct grid_point *p)
{
	uint64_t digest = 0;

	for (size_t i = 0; i < p->n; i++)
		digest += fnv_text(fnv_text(FNV_START, p->v[i].key), p->v[i].value.text);
	return digest;
}

char *point_words(const struct grid_point *p)
{
	char *all = xstrdup("");

	for (size_t i = 0; i < p->n; i++)
		xappendf(&all, " ", "%s=%s", p->v[i].key, p->v[i].value.text);
	return all;
}

char *point_values_text(const struct grid_point *p)
{
	char *all = xstrdup("");

	for (size_t i = 0; i < p->n; i++)
		xappend(&all, ", ", p->v[i].value.text);
	return all;
}

/* ---- products ---- */

static size_t product_find(const struct grid_product *p, const char *key)
{
	size_t i = 0;

	while (i < p->n && strcmp(p->v[i].key, key) != 0)
		i++;
	return i;
}

const struct value_list *product_values(const struct grid_product *p, const char *key)
{
	const size_t i = product_find(p, key);

	return i < p->n ? &p->v[i].values : NULL;
}

void product_put(struct grid_product *p, const char *key, const struct value_list *values)
{
	const size_t i = product_find(p, key);
	struct value_list copy = value_list_copy(values);

	if (i == p->n)
		APPEND(p->v, p->n) = (struct grid_axis){ .key = setting_name(key) };
	value_list_release(&p->v[i].values);
	p->v[i].values = copy;
}

bool product_drop(struct grid_product *p, const char *key)
{
	const size_t i = product_find(p, key);

	if (i == p->n)
		return false;
	value_list_release(&p->v[i].values);
	p->n--;
	memmove(&p->v[i], &p->v[i + 1], (p->n - i) * sizeof(*p->v));
	return true;
}

void product_release(struct grid_product *p)
{
	for (size_t i = 0; i < p->n; i++)
		value_list_release(&p->v[i].values);
	free(p->v);
	*p = (struct grid_product){ 0 };
}

bool value_lists_equal(const struct value_list *a, const struct value_list *b)
{
	size_t i = 0;

	while (i < a->n && i < b->n && values_equal(&a->v[i], &b->v[i]))
		i++;
	return i == a->n && i == b->n;
}

bool products_equal(const struct grid_product *a, const struct grid_product *b)
{
	for (size_t i = 0; i < a->n; i++) {
		const struct value_list *other = product_values(b, a->v[i].key);

		if (!other || !value_lists_equal(&a->v[i].values, other))
			return false;
	}
	return a->n == b->n;
}

size_t product_size(const struct grid_product *p)
{
	size_t size = 1;

	for (size_t i = 0; i < p->n; i++) {
		const size_t n = p->v[i].values.n;

		size = n && size > SIZE_MAX / n ? SIZE_MAX : size * n;
	}
	return size;
}

struct grid_point product_point(const struct grid_product *p, size_t index)
{
	struct grid_point point = { 0 };
	size_t stride = product_size(p);

	for (size_t i = 0; i < p->n; i++) {
		const struct value_list *list = &p->v[i].values;

		stride /= list->n;
		point_put(&point, p->v[i].key, list->v[index / stride % list->n]);
	}
	return point;
}

/* ---- JSON ---- */

char *json_text(const cJSON *value)
{
	if (cJSON_IsString(value))
		return xstrdup(value->valuestring);
	if (cJSON_IsNumber(value))
		return double_text(value->valuedouble);
	if (cJSON_IsBool(value))
		return xstrdup(cJSON_IsTrue(value) ? "true" : "false");
	return NULL;
}

/* The text is owned. */
static struct value value_read(const cJSON *item)
{
	return (struct value){ json_text(item), cJSON_IsNumber(item) ? VALUE_NUMBER
						: cJSON_IsBool(item) ? VALUE_BOOL : VALUE_TEXT };
}

/* The same of a setting, of which a text with a unit is a number. */
static struct value value_read_of(const cJSON *item, const char *key)
{
	struct value value = value_read(item);
	char *plain = value.kind == VALUE_TEXT && value.text
		? settings_plain(opt_find(settings_opts, key), value.text) : NULL;

	if (plain) {
		free(value.text);
		value = (struct value){ plain, VALUE_NUMBER };
	}
	return value;
}

static cJSON *value_json(const struct value *value)
{
	if (value->kind == VALUE_NUMBER)
		return cJSON_CreateNumber(strtod(value->text, NULL));
	return value->kind == VALUE_BOOL ? cJSON_CreateBool(strcmp(value->text, "true") == 0)
					 : cJSON_CreateString(value->text);
}

struct grid_point point_read(const cJSON *object)
{
	struct grid_point p = { 0 };
	const cJSON *item;

	cJSON_ArrayForEach(item, object) {
		struct value value = value_read_of(item, item->string);

		point_put(&p, setting_name(item->string), value);
		free(value.text);
	}
	return p;
}

struct grid_point point_read_known(const cJSON *object, const char *key)
{
	struct grid_point p = { 0 };
	const cJSON *item;

	json_each(item, object, key) {
		const struct opt *o = item->string ? opt_find(settings_opts, item->string) : NULL;
		struct value value = value_read(item);

		if (o && value.text)
			point_put(&p, o->name, value);
		free(value.text);
	}
	return p;
}

/* value_list_read() of a setting's values; NULL: of none. */
static struct value_list values_read_of(const cJSON *json, const char *key)
{
	const bool several = cJSON_IsArray(json);
	struct value_list list = { 0 };

	for (const cJSON *item = several ? json->child : json; item;
	     item = several ? item->next : NULL) {
		struct value value = key ? value_read_of(item, key) : value_read(item);

		value_list_add(&list, value);
		free(value.text);
	}
	return list;
}

struct value_list value_list_read(const cJSON *json)
{
	return values_read_of(json, NULL);
}

struct grid_product product_read(const cJSON *object)
{
	struct grid_product p = { 0 };
	const cJSON *item;

	cJSON_ArrayForEach(item, object) {
		scoped_by(value_list_release) struct value_list values =
			values_read_of(item, item->string);

		product_put(&p, setting_name(item->string), &values);
	}
	return p;
}

cJSON *point_json(const struct grid_point *p)
{
	cJSON *object = cJSON_CreateObject();

	for (size_t i = 0; i < p->n; i++)
		ADD(object, j_json(p->v[i].key, value_json(&p->v[i].value)));
	return object;
}

void point_to_result(const struct grid_point *p, struct result *r, enum result_part part)
{
	r->values[part].there = true;
	for (size_t i = 0; i < p->n; i++) {
		const struct value *v = &p->v[i].value;
		const double x = v->kind == VALUE_NUMBER ? strtod(v->text, NULL)
							 : strcmp(v->text, "true") == 0;

		result_add_value(r, part, (struct result_value){
			.key = xstrdup(p->v[i].key), .kind = v->kind, .number = x,
			.text = v->kind == VALUE_NUMBER ? xasprintf("%.15g", x)
							: xstrdup(v->text),
		});
	}
}

cJSON *value_list_json(const struct value_list *list)
{
	cJSON *array = cJSON_CreateArray();

	for (size_t i = 0; i < list->n; i++)
		list_add(array, value_json(&list->v[i]));
	return array;
}

cJSON *product_json(const struct grid_product *p)
{
	cJSON *object = cJSON_CreateObject();

	for (size_t i = 0; i < p->n; i++)
		ADD(object, j_json(p->v[i].key, value_list_json(&p->v[i].values)));
	return object;
}

/* ---- for which values of the settings something holds ---- */

enum { VALUES_READABLE = 6 };   /* that are read easily */

/* The values of the runs of HOLDS, settings that one of them lacks left out. */
static struct grid_product values_of_holding(const struct grid_point *const *points,
					     const enum holds *is, size_t n)
{
	struct grid_product sets = { 0 };
	bool first = true;

	for (size_t i = 0; i < n; i++) {
		if (is[i] != HOLDS)
			continue;
		for (size_t k = 0; first && k < points[i]->n; k++)
			product_put(&sets, points[i]->v[k].key, &(struct value_list){ 0 });
		first = false;
		for (size_t k = sets.n; k-- > 0;) {
			const struct value *value = point_value(points[i], sets.v[k].key);

			if (!value)
				product_drop(&sets, sets.v[k].key);
			else if (!value_list_has(&sets.v[k].values, value->text))
				value_list_add(&sets.v[k].values, *value);
		}
	}
	return sets;
}

/* True when no run of HOLDS_NOT has such values; but: a setting that does not count, or sets->n. */
static bool tells_apart(const struct grid_product *sets, size_t but,
			const struct grid_point *const *points, const enum holds *is, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool in = is[i] == HOLDS_NOT;

		for (size_t k = 0; k < sets->n && in; k++) {
			const char *text = k == but ? NULL : point_text(points[i], sets->v[k].key);

			in = k == but || (text && value_list_has(&sets->v[k].values, text));
		}
		if (in)
			return false;
	}
	return true;
}

/* "1,2,4"; of several long ones "nic:bandwidth_GBps=0.5 and 5 more". The caller frees. */
static char *values_text(const struct value_list *values)
{
	enum { LONG = 80 };
	char *text = NULL;

	for (size_t v = 0; v < values->n; v++)
		xappend(&text, ",", values->v[v].text);
	if (text && values->n > 2 && strlen(text) > LONG) {
		free(text);
		text = xasprintf("%s and %zu more", values->v[0].text, values->n - 1);
	}
	return text ? text : xstrdup("");
}

char *holds_text(const struct grid_point *const *points, const enum holds *is, size_t n)
{
	struct grid_product sets;
	char *text = NULL;
	size_t i = 0;

	while (i < n && is[i] != HOLDS_NOT)
		i++;
	if (i == n)
		return xstrdup("");
	sets = values_of_holding(points, is, n);
	if (tells_apart(&sets, sets.n, points, is, n)) {
		for (size_t k = sets.n; k-- > 0;)       /* what is not needed, from the last on */
			if (tells_apart(&sets, k, points, is, n))
				product_drop(&sets, sets.v[k].key);
		text = xstrdup(sets.n ? " with " : "");
	}
	for (size_t k = 0; k < sets.n && text; k++) {
		const struct value_list *values = &sets.v[k].values;

		if (values->n > VALUES_READABLE) {
			free(text);
			text = NULL;
			break;
		}
		xappendf(&text, "", "%s%s=", k ? " " : "", sets.v[k].key);
		xappend_own(&text, "", values_text(values));
	}
	product_release(&sets);
	return text ? text : xstrdup(" in some of the runs");
}
