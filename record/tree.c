/* tree.c - the content of a result file in memory: made, and looked up. */
#include "record/tree.h"

#include "core/base/mem.h"
#include "core/text/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_MAX = 60000 };      /* bytes of an attribute; HDF5 allows 64 kB with its header */

struct tree *tree_new(void)
{
	struct tree *t = xcalloc(1, sizeof(*t));

	t->at = UINT64_MAX;
	return t;
}

void tree_free(struct tree *root)
{
	if (!root)
		return;
	for (size_t i = 0; i < root->nattributes; i++)
		free(root->attribute[i].name);
	for (size_t i = 0; i < root->nmembers; i++)
		tree_free(root->member[i]);
	if (root->source.in)
		fclose(root->source.in);
	free_all(root->source.bytes, root->attribute, root->member, root->own, root->name, root);
}

struct tree *tree_add(struct tree *parent, const char *name)
{
	struct tree *t = tree_new();

	t->name = xstrdup(name);
	parent->member = xgrown(parent->member, parent->nmembers, sizeof(struct tree *));
	return parent->member[parent->nmembers++] = t;
}

struct tree *tree_find(const struct tree *parent, const char *name)
{
	for (size_t i = 0; parent && i < parent->nmembers; i++)
		if (strcmp(parent->member[i]->name, name) == 0)
			return parent->member[i];
	return NULL;
}

/* ---- attributes ---- */

void tree_put_value(struct tree *t, const char *name, enum tree_type type, size_t size,
		    const void *value)
{
	const size_t length = strlen(name) + 1;
	struct tree_attribute a = { .type = type, .size = size,
				    .name = xcalloc(length + size + 1, 1) };

	memcpy(a.name, name, length);
	a.value = a.name + length;
	memcpy(a.value, value, size);
	if (t->nattributes == t->most_attributes) {
		t->most_attributes = t->most_attributes ? 2 * t->most_attributes : 16;
		t->attribute = xrealloc(t->attribute, t->most_attributes, sizeof(a));
	}
	t->attribute[t->nattributes++] = a;
}

void tree_put_text(struct tree *t, const char *name, const char *value)
{
	scoped char *text = xstrdup(value);
	size_t n = strlen(text);

	utf8_make_valid(text);
	if (n > TEXT_MAX)
		n = utf8_whole(text, TEXT_MAX);
	tree_put_value(t, name, TREE_TEXT, n ? n : 1, text);
}

void tree_put_whole(struct tree *t, const char *name, int64_t value)
{
	tree_put_value(t, name, TREE_WHOLE, sizeof(value), &value);
}

void tree_put_real(struct tree *t, const char *name, double value)
{
	tree_put_value(t, name, TREE_REAL, sizeof(value), &value);
}

void tree_put_count(struct tree *t, const char *name, __int128 value)
{
	if (value <= INT64_MAX)
		tree_put_whole(t, name, (int64_t)value);
	else
		tree_put_real(t, name, (double)value);
}

static struct tree_attribute *attribute_find(const struct tree *t, const char *name)
{
	for (size_t i = 0; t && i < t->nattributes; i++)
		if (strcmp(t->attribute[i].name, name) == 0)
			return &t->attribute[i];
	return NULL;
}

void tree_take_out(struct tree *t, const char *name)
{
	struct tree_attribute *a = attribute_find(t, name);

	if (!a)
		return;
	free(a->name);
	memmove(a, a + 1, (size_t)(t->attribute + t->nattributes - a - 1) * sizeof(*a));
	t->nattributes--;
}

const struct tree_attribute *tree_attribute(const struct tree *t, const char *name)
{
	return attribute_find(t, name);
}

bool tree_has(const struct tree *t, const char *name)
{
	return attribute_find(t, name) != NULL;
}

char *tree_text_of(const struct tree_attribute *a)
{
	char *text = a && a->type == TREE_TEXT ? xstrdup(a->value) : NULL;

	if (text)
		utf8_make_printable(text);
	return text;
}

char *tree_get_text(const struct tree *t, const char *name)
{
	return tree_text_of(attribute_find(t, name));
}

bool tree_text_is(const struct tree *t, const char *name, const char *expected)
{
	scoped char *text = tree_get_text(t, name);

	return text && strcmp(text, expected) == 0;
}

double tree_real(const void *values, size_t size, uint64_t i)
{
	const char *at = (const char *)values + i * size;
	double x;
	float f;

	if (size == sizeof(f)) {
		memcpy(&f, at, sizeof(f));
		return (double)f;
	}
	memcpy(&x, at, sizeof(x));
	return x;
}

int64_t tree_whole(const void *values, size_t size, uint64_t i)
{
	const char *at = (const char *)values + i * size;
	int64_t x;
	int32_t narrow;

	if (size == sizeof(narrow)) {
		memcpy(&narrow, at, sizeof(narrow));
		return narrow;
	}
	memcpy(&x, at, sizeof(x));
	return x;
}

int tree_get_real(const struct tree *t, const char *name, double *value)
{
	const struct tree_attribute *a = attribute_find(t, name);

	if (!a || a->type != TREE_REAL)
		return -1;
	*value = tree_real(a->value, a->size, 0);
	return 0;
}

int tree_get_whole(const struct tree *t, const char *name, int64_t *value)
{
	const struct tree_attribute *a = attribute_find(t, name);

	if (!a || a->type != TREE_WHOLE)
		return -1;
	*value = tree_whole(a->value, a->size, 0);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct tree_attribute *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

const struct tree_attribute **tree_attributes(const struct tree *t, size_t *n)
{
	const struct tree_attribute **all = xcalloc((t ? t->nattributes : 0) + 1, sizeof(*all));

	*n = t ? t->nattributes : 0;
	for (size_t i = 0; i < *n; i++)
		all[i] = &t->attribute[i];
	qsort(all, *n, sizeof(*all), by_name);
	return all;
}

/* ---- data sets ---- */

static struct tree *tree_put_set(struct tree *parent, const char *name, enum tree_type type,
				 size_t size, uint64_t n, const void *v)
{
	struct tree *set = tree_add(parent, name);

	set->set = true;
	set->type = type;
	set->size = size;
	set->rank = 1;
	set->dim[0] = set->count = n;
	set->values = v;
	return set;
}

void tree_put_column(struct tree *parent, const struct column *c)
{
	tree_put_set(parent, c->name, c->integer ? TREE_WHOLE : TREE_REAL, sizeof(double), c->n,
		     c->integer ? (const void *)c->v.whole : c->v.real);
}

void tree_take_column(struct tree *parent, struct column *c)
{
	tree_put_column(parent, c);
	parent->member[parent->nmembers - 1]->own = c->integer ? (void *)c->v.whole : c->v.real;
	c->v.real = NULL;
	c->n = c->capacity = 0;
}

void tree_put_floats(struct tree *parent, const char *name, size_t n, const float *v)
{
	tree_put_set(parent, name, TREE_REAL, sizeof(*v), n, v);
}

void tree_put_words(struct tree *parent, const char *name, size_t n, const uint64_t *v)
{
	tree_put_set(parent, name, TREE_WHOLE, sizeof(*v), n, v);
}

void tree_put_long_text(struct tree *parent, const char *name, const char *value)
{
	char *text = xstrdup(value);
	const size_t n = strlen(text);
	struct tree *set = tree_put_set(parent, name, TREE_TEXT, n ? n : 1, 1, text);

	set->rank = 0;
	set->own = text;
	utf8_make_valid(text);
}

/* to[bytes] <- bytes that are in the file `in`. */
static bool values_read(FILE *in, uint64_t at, void *to, size_t bytes)
{
	for (size_t done = 0; done < bytes;) {
		const ssize_t some = pread(fileno(in), (char *)to + done, bytes - done,
					   (off_t)(at + done));

		if (some <= 0)
			return false;
		done += (size_t)some;
	}
	return true;
}

const void *tree_values(const struct tree *root, const struct tree *set, void **own)
{
	const size_t bytes = (size_t)set->count * set->size;

	*own = NULL;
	if (set->values || !bytes)
		return set->values ? set->values : "";
	if (set->at == UINT64_MAX)
		return NULL;
	if (root->source.bytes)
		return root->source.bytes + set->at;
	*own = xcalloc(bytes, 1);
	if (values_read(root->source.in, set->at, *own, bytes))
		return *own;
	free(*own);
	return *own = NULL;
}

/* Whether it is a data set of numbers in one dimension. */
static bool has_numbers(const struct tree *set)
{
	return set && set->set && set->type != TREE_TEXT && set->rank == 1;
}

int tree_get_words(const struct tree *root, const struct tree *parent, const char *name, size_t n,
		   uint64_t *v)
{
	const struct tree *set = tree_find(parent, name);
	const bool right = has_numbers(set) && set->type == TREE_WHOLE &&
			   set->size == sizeof(*v) && set->count == n;
	scoped void *own = NULL;
	const void *values = right ? tree_values(root, set, &own) : NULL;

	if (values)
		memcpy(v, values, n * sizeof(*v));
	return values ? 0 : -1;
}

/* v[n] <- numbers, which may be there already if they are as wide. */
static void values_to_reals(const struct tree *set, const void *values, uint64_t n, double *v)
{
	for (uint64_t i = 0; i < n; i++)
		v[i] = set->type == TREE_REAL ? tree_real(values, set->size, i)
					      : (double)tree_whole(values, set->size, i);
}

int tree_get_part(const struct tree *root, const struct tree *parent, const char *name,
		  uint64_t from, double v[TREE_PART])
{
	const struct tree *set = tree_find(parent, name);
	const uint64_t left = has_numbers(set) && from < set->count ? set->count - from : 0;
	const uint64_t n = left < TREE_PART ? left : TREE_PART;
	const char *all;

	if (!has_numbers(set) || (n && !set->values && set->at == UINT64_MAX))
		return -1;
	if (!n)
		return 0;
	all = set->values ? set->values :
	      root->source.bytes ? root->source.bytes + set->at : NULL;
	if (!all &&
	    !values_read(root->source.in, set->at + from * set->size, v, n * set->size))
		return -1;
	if (!all && set->size != sizeof(*v)) {
		double wide[TREE_PART];

		values_to_reals(set, v, n, wide);
		memcpy(v, wide, n * sizeof(*v));
	} else {
		values_to_reals(set, all ? all + from * set->size : (const void *)v, n, v);
	}
	return (int)n;
}

int tree_get_column(const struct tree *root, const struct tree *parent, struct column *c)
{
	const struct tree *set = tree_find(parent, c->name);
	const size_t n = has_numbers(set) ? (size_t)set->count : 0;
	const bool large = n && !set->values && !root->source.bytes && set->size == sizeof(double);
	void *own = NULL;
	const void *values = NULL;

	if (!has_numbers(set) || (n && !set->values && set->at == UINT64_MAX))
		return -1;
	if (!large && !(values = tree_values(root, set, &own)))
		return -1;
	c->v.real = n ? xcalloc(n, sizeof(double)) : NULL;
	c->n = c->capacity = n;
	/* a large one needs no second buffer */
	if (large && !values_read(root->source.in, set->at, c->v.real, n * sizeof(double)))
		return -1;
	values_to_reals(set, large ? c->v.real : values, n, c->v.real);
	free(own);
	return 0;
}
