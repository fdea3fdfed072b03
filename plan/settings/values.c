/* Several values of a setting as one text; settings that are kept with their results. */
#include "plan/settings/values.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/output.h"
#include "core/file/paths.h"
#include "core/text/opt_text.h"
#include "plan/settings/settings.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct reader {
	const struct opt *setting;
	const char *text, *where;
	struct value_list *values;
};

/* ---- where a value ends ---- */

static bool values_is_word(const char *begin, size_t n, const char *word)
{
	return strlen(word) == n && strncmp(begin, word, n) == 0;
}

/* A part begins with the name of a plug-in, or stands for one. */
static bool is_named(const struct plugin *const *table, const char *part)
{
	const size_t n = strcspn(part, ":,; *=");

	for (; *table; table++)
		if (values_is_word(part, n, (*table)->name))
			return true;
	return values_is_word(part, n, "auto") || values_is_word(part, n, "none");
}

/* Whether the part after a comma goes on with the value that began before it. */
static bool values_continues(const struct reader *r, const char *value, const char *part)
{
	const struct plugin *const *table = setting_facts(r->setting)->table;

	if (strcspn(value, ":;") >= (size_t)(part - value))
		return false;
	return table ? !is_named(table, part) : part[strcspn(part, "=:,")] == '=';
}

static const char *value_end(const struct reader *r, const char *value)
{
	const char *end = value + strcspn(value, ",");

	while (*end && values_continues(r, value, end + 1))
		end += 1 + strcspn(end + 1, ",");
	return end;
}

/* ---- ranges ---- */

struct range {
	double from, to, step;
	bool factor;            /* step multiplies */
};

static bool is_number(const char *begin, const char *end, double *x)
{
	char *text = xasprintf("%.*s", (int)(end - begin), begin);
	const bool is = isdigit((unsigned char)*text) && text_double(text, x);

	free(text);
	return is && isfinite(*x);
}

/* FROM..TO, then nothing or ':'. */
static bool is_range(const char *value, struct range *g)
{
	const char *dots = strstr(value, "..");

	return dots && is_number(value, dots, &g->from) &&
	       is_number(dots + 2, dots + 2 + strcspn(dots + 2, ":"), &g->to);
}

static int read_range(const struct reader *r, const char *value, struct range *g)
{
	const char *step = strchr(value, ':');

	const bool counts = !step && strcmp(r->setting->name, "seed") == 0;

	g->factor = !counts && (!step || step[1] == 'x');
	g->step = counts ? 1.0 : 2.0;
	if (step && !is_number(step + 1 + g->factor, step + strlen(step), &g->step))
		return error("%s: %s '%s': expected FROM..TO, FROM..TO:STEP or FROM..TO:xFACTOR",
			     r->where, r->setting->name, value);
	if (g->to < g->from)
		return error("%s: %s '%s': the range ends below its beginning", r->where,
			     r->setting->name, value);
	if (g->step <= (g->factor ? 1.0 : 0.0))
		return error("%s: %s '%s': %s", r->where, r->setting->name, value,
			     g->factor ? "a factor must be more than 1"
				       : "a step must be more than 0");
	if (g->factor && g->from <= 0.0)
		return error("%s: %s '%s': what is multiplied must begin above 0; %g..%g:STEP adds",
			     r->where, r->setting->name, value, g->from, g->to);
	return 0;
}

/* ---- the list ---- */

static int add_range(struct reader *r, const char *value, const struct range *g)
{
	const double end = g->to * (1.0 + 1e-12);
	double x = g->from;

	for (int i = 0; x <= end; i++) {
		char text[32];

		if (i == VALUES_MOST)
			return error("%s: %s '%s': more than %d values", r->where,
				     r->setting->name, value, VALUES_MOST);
		snprintf(text, sizeof(text), "%.12g", x);
		value_list_add(r->values, (struct value){ text, VALUE_TEXT });
		x = g->factor ? g->from * pow(g->step, i + 1) : g->from + g->step * (i + 1);
	}
	return 0;
}

static int add_value(struct reader *r, char *value)
{
	struct range g;

	if (is_range(value, &g))
		return read_range(r, value, &g) < 0 ? -1 : add_range(r, value, &g);
	value_list_add(r->values, (struct value){ value, VALUE_TEXT });
	return 0;
}

static int values_split(struct reader *r)
{
	const char *at = r->text;

	for (;;) {
		const char *end = value_end(r, at);
		char *value = xasprintf("%.*s", (int)(end - at), at);
		int ret;

		if (!*value && strchr(r->text, ','))
			ret = error("%s: %s '%s': a value is empty", r->where, r->setting->name,
				    r->text);
		else
			ret = add_value(r, value);
		free(value);
		if (ret < 0 || !*end)
			return ret;
		at = end + 1;
	}
}

/* Each value is taken, and none stands twice: it would be weighed twice. */
static int values_check(const struct reader *r)
{
	struct value_list seen = { 0 };
	int ret = 0;

	for (size_t i = 0; i < r->values->n && ret == 0; i++) {
		char *text = settings_canonical(r->setting, r->values->v[i].text, r->where);

		if (!text)
			ret = -1;
		else if (value_list_has(&seen, text))
			ret = error("%s: %s: the value %s stands there twice", r->where,
				    r->setting->name, text);
		else
			value_list_add(&seen, (struct value){ text, VALUE_TEXT });
		free(text);
	}
	value_list_release(&seen);
	return ret;
}

int values_parse(struct value_list *values, const char *key, const char *text, const char *where)
{
	struct reader r = { opt_find(settings_opts, key), text, where, values };

	*values = (struct value_list){ 0 };
	if (values_split(&r) == 0 && values_check(&r) == 0)
		return 0;
	value_list_release(values);
	return -1;
}

cJSON *values_of(const char *key, const char *text, const char *where)
{
	struct value_list values;
	cJSON *json;

	if (values_parse(&values, key, text, where) < 0)
		return NULL;
	json = value_list_json(&values);
	value_list_release(&values);
	return json;
}

/* ---- settings of a command line, kept with the results that they made ---- */

enum { DIGITS = 8 };                    /* of changes_suffix() */

static char *path_of(const char *dir)
{
	return xasprintf("%s/settings.json", dir);
}

int given_write(const char *dir, const struct grid_point *set)
{
	char *path = path_of(dir);
	cJSON *json = point_json(set);
	char *text = must_have(cJSON_Print(json), "settings");
	int ret = 0;

	if (set->n)
		ret = output_text(path, text);
	else
		unlink(path);
	cJSON_Delete(json);
	free(text);
	free(path);
	return ret;
}

/* Texts of settings that there are. */
static bool is_given(const cJSON *set)
{
	const cJSON *value;

	if (!cJSON_IsObject(set))
		return false;
	cJSON_ArrayForEach(value, set) {
		const struct opt *o = opt_find(settings_opts, value->string);

		if (!cJSON_IsString(value) || !o || strcmp(o->name, value->string) != 0)
			return false;
	}
	return true;
}

cJSON *given_read(const char *dir)
{
	char *path = path_of(dir);
	cJSON *set = access(path, F_OK) == 0 ? json_load(path) : NULL;

	if (set && !is_given(set)) {
		error("%s: settings and their texts are expected", path);
		cJSON_Delete(set);
		set = NULL;
	}
	free(path);
	return set;
}

/* SCALE+01234567 */
size_t given_scale(const char *name)
{
	const char *plus = strrchr(name, '+');

	if (plus && strspn(plus + 1, "0123456789abcdef") == DIGITS && !plus[1 + DIGITS])
		return (size_t)(plus - name);
	return strlen(name);
}

char **given_folders(const char *dir, const char *scale)
{
	char **paths = dir_list(dir, "");
	size_t n = 0;

	for (size_t i = 0; paths && paths[i]; i++) {
		const char *name = paths[i] + strlen(dir) + 1;
		const size_t length = given_scale(name);

		if (name[length] && length == strlen(scale) && strncmp(name, scale, length) == 0 &&
		    dir_exists(paths[i]))
			paths[n++] = paths[i];
		else
			free(paths[i]);
	}
	if (paths)
		paths[n] = NULL;
	return paths;
}
