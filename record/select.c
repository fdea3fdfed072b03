/* Selects runs by values of their settings, gathers their measures, finds published numbers. */
#include "record/select.h"

#include "core/base/mem.h"
#include "core/text/opt.h"
#include "core/text/opt_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct selection selection_new(size_t capacity)
{
	return (struct selection){ .run = xcalloc(capacity + 1, sizeof(struct result *)) };
}

void selection_release(struct selection *s)
{
	free(s->run);
	*s = (struct selection){ 0 };
}

/*
 * True when the run's value is the one wanted, or one of a list of these. A value from the grid is
 * written as in the spec, and must be equal. Other values have all their options: there it is
 * enough if the options wanted are among them.
 */
static bool value_agrees(const struct result *r, const char *key, const cJSON *wanted)
{
	const cJSON *choice;
	const char *own;
	char space[32], *text;
	bool same;

	if (cJSON_IsArray(wanted)) {
		cJSON_ArrayForEach(choice, wanted)
			if (value_agrees(r, key, choice))
				return true;
		return false;
	}
	own = result_text(r, key, space);
	text = value_text(wanted);
	same = own && text && (!strcmp(own, text) || (!result_value(r, RESULT_POINT, key) &&
						      setting_agrees(text, own)));
	free(text);
	return same;
}

struct selection select_where(const struct results *runs, const cJSON *where)
{
	struct selection s = selection_new(runs->n);
	const cJSON *wanted;

	for (size_t i = 0; i < runs->n; i++) {
		bool agrees = true;

		cJSON_ArrayForEach(wanted, where)
			agrees = agrees && value_agrees(&runs->v[i], wanted->string, wanted);
		if (agrees)
			s.run[s.n++] = &runs->v[i];
	}
	return s;
}

char **select_texts(const struct selection *s, const cJSON *keys)
{
	char **texts = xcalloc(s->n + 1, sizeof(*texts));

	for (size_t i = 0; i < s->n; i++)
		texts[i] = result_label(s->run[i], keys, NULL);
	return texts;
}

struct selection select_text(const struct selection *s, char *const *texts, const char *text)
{
	struct selection picked = selection_new(s->n);

	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(texts[i], text))
			picked.run[picked.n++] = s->run[i];
	return picked;
}

void selection_add(struct selection *s, const struct result *r)
{
	const char *hash = r->text[RESULT_HASH];

	for (size_t i = 0; i < s->n; i++) {
		const char *own = s->run[i]->text[RESULT_HASH];

		if (hash && own && strcmp(own, hash) == 0)
			return;
	}
	s->run[s->n++] = r;
}

void selection_once(struct selection *s)
{
	const size_t n = s->n;

	s->n = 0;
	for (size_t i = 0; i < n; i++)
		selection_add(s, s->run[i]);
}

char **select_distinct(const struct selection *s, const cJSON *keys)
{
	char **values = xcalloc(s->n + 1, sizeof(*values));
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		char *text = result_label(s->run[i], keys, NULL);
		size_t k = 0;

		while (k < n && strcmp(values[k], text) != 0)
			k++;
		if (k < n)
			free(text);
		else
			values[n++] = text;
	}
	return values;
}

/* True when all runs have the same value of a setting, or none. */
static bool value_is_shared(const struct selection *s, const char *key)
{
	char space[32], other[32];
	const char *first = result_text(s->run[0], key, space);

	for (size_t i = 1; i < s->n; i++) {
		const char *own = result_text(s->run[i], key, other);

		if (own && first ? strcmp(own, first) != 0 : own != first)
			return false;
	}
	return true;
}

/* A setting of the first run's point was compared in the round of that run: later ones skip it. */
const char *select_mixes(const struct selection *s, const char *except)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct result_values *point = &s->run[i]->values[RESULT_POINT];

		for (size_t k = 0; k < point->n; k++) {
			const char *key = point->v[k].key;

			if (strcmp(key, "seed") != 0 && !(except && opt_same_key(key, except)) &&
			    !(i > 0 && result_value(s->run[0], RESULT_POINT, key)) &&
			    !value_is_shared(s, key))
				return key;
		}
	}
	return NULL;
}

int select_diverged(const struct selection *s)
{
	int n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += result_diverged(s->run[i]);
	return n;
}

void select_numbers(const struct selection *s, const char *key, double *x)
{
	/* some ran to the end, and a run cut short by divergence cannot be compared with them */
	const bool mixed = (size_t)select_diverged(s) < s->n && !measure_learnt(key) &&
			   measure_find(key) < MEASURE_COUNT;

	for (size_t i = 0; i < s->n; i++)
		x[i] = mixed && result_diverged(s->run[i]) ? (double)NAN :
							     result_number(s->run[i], key);
}

struct spread select_spread(const struct selection *s, const char *key)
{
	scoped double *x = xcalloc(s->n + 1, sizeof(*x));

	select_numbers(s, key, x);
	return spread_of(x, s->n);
}

/* A key of a cell is a setting if the run's point has it, or if no measure has that name. */
bool published_agrees(const cJSON *cell, const struct result *r, const char *x)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, cell) {
		if (x && opt_same_key(item->string, x) && cJSON_IsNumber(item))
			continue;
		if ((result_value(r, RESULT_POINT, item->string) || !measure_known(item->string)) &&
		    !value_agrees(r, item->string, item))
			return false;
	}
	return true;
}

const cJSON *published_number(const cJSON *cells, const struct result *r, const char *measure)
{
	const cJSON *cell;

	cJSON_ArrayForEach(cell, cells) {
		const cJSON *value = key_find(cell, measure);

		if (value && published_agrees(cell, r, NULL))
			return value;
	}
	return NULL;
}
