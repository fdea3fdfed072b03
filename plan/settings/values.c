/* Parses several values of a setting from one text; writes and reads settings.json of results. */
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

/* True when the n characters at `begin` are the word. */
static bool part_is_word(const char *begin, size_t n, const char *word)
{
	return strlen(word) == n && strncmp(begin, word, n) == 0;
}

/*
 * End of the first value of the list at `value`. A comma ends it, unless the value has options (a
 * ':' or ';' before that comma) and another one follows: of a plug-in, a part that does not begin
 * with a plug-in's name, "auto" or "none"; of any other setting, a part KEY=...
 */
static const char *value_end(const struct opt *setting, const char *value)
{
	const struct plugin *const *table = setting_facts(setting)->table;
	const char *end = value + item_length(value, ",");

	while (*end) {
		const char *part = end + 1;
		const size_t n = strcspn(part, ":,; *=");
		bool named = part_is_word(part, n, "auto") || part_is_word(part, n, "none") ||
			     plugin_is_file(table, part, n);

		for (size_t i = 0; table && table[i]; i++)
			named |= part_is_word(part, n, table[i]->name);
		if (strcspn(value, ":;") >= (size_t)(part - value) ||
		    (table ? named : part[strcspn(part, "=:,")] != '='))
			break;
		end = part + item_length(part, ",");
	}
	return end;
}

/*
 * True when the text is a finite number that begins with a digit, or one with a unit of the
 * setting, by default the unit of `like`: *x <- it.
 */
static bool is_number(const struct opt *setting, const char *text, const char *like, double *x)
{
	scoped char *lent = settings_lend(setting, text, like),
		    *plain = settings_plain(setting, lent);
	const bool is = isdigit((unsigned char)*text) && text_double(plain ? plain : lent, x);

	return is && isfinite(*x);
}

/* Adds a value, without its unit where it is a number. */
static void split_add(struct value_list *values, const struct opt *setting, char *value)
{
	scoped char *plain = settings_plain(setting, value);

	value_list_add(values, (struct value){ plain ? plain : value, VALUE_TEXT });
}

/* True when the text is a finite number that begins with a digit, without a unit. */
static bool is_factor(const char *text, double *x)
{
	return isdigit((unsigned char)*text) && text_double(text, x) && isfinite(*x);
}

struct range {                  /* the texts of FROM..TO:STEP; owned; NULL: there is none */
	char *from, *to, *step;
};

static struct range range_split(const char *value)
{
	const char *dots = strstr(value, ".."), *to = dots ? dots + 2 : NULL;
	const char *colon = to ? strchr(to, ':') : NULL;

	return (struct range){
		to ? xasprintf("%.*s", (int)(dots - value), value) : NULL,
		to ? xasprintf("%.*s", (int)strcspn(to, ":"), to) : NULL,
		colon ? xstrdup(colon + 1) : NULL };
}

/*
 * Adds the values of FROM..TO, FROM..TO:STEP or FROM..TO:xFACTOR; the caller has read from and to.
 * 0 or error().
 */
static int range_add(struct value_list *values, const struct opt *setting, const char *value,
		     const struct range *r, double from, double to, const char *where)
{
	const char *name = setting->name, *step = r->step;
	const bool counts = !step && strcmp(name, "seed") == 0;
	const bool factor = !counts && (!step || *step == 'x');
	double by = counts ? 1.0 : 2.0, x = from, end;
	bool whole;

	if (step && !(factor ? is_factor(step + 1, &by) : is_number(setting, step, r->to, &by)))
		return error("%s: %s '%s': expected FROM..TO, FROM..TO:STEP or FROM..TO:xFACTOR",
			     where, name, value);
	if (to < from)
		return error("%s: %s '%s': the range ends below its beginning", where, name, value);
	if (by <= (factor ? 1.0 : 0.0))
		return error("%s: %s '%s': %s", where, name, value,
			     factor ? "a factor must be more than 1"
				    : "a step must be more than 0");
	if (factor && from <= 0.0)
		return error("%s: %s '%s': what is multiplied must begin above 0; %g..%g:STEP adds",
			     where, name, value, from, to);
	/* whole numbers are exact; of others, TO itself is a value in spite of rounding */
	whole = floor(from) >= from && floor(by) >= by;
	end = whole ? to : to * (1.0 + 1e-12);
	for (int i = 0; x <= end; i++) {
		char text[32];

		if (i == VALUES_MOST)
			return error("%s: %s '%s': more than %d values", where, name, value,
				     VALUES_MOST);
		snprintf(text, sizeof(text), "%.*g", whole ? 17 : 12, x);
		value_list_add(values, (struct value){ text, VALUE_TEXT });
		x = factor ? from * pow(by, i + 1) : from + by * (i + 1);
	}
	return 0;
}

/* Adds the values of a list, and of each range in it, without looking at them. 0 or error(). */
static int values_split(struct value_list *values, const struct opt *setting, const char *text,
			const char *where)
{
	for (const char *at = text;;) {
		const char *end = value_end(setting, at);
		char *value = xasprintf("%.*s", (int)(end - at), at);
		const struct range r = range_split(value);
		double from, to;
		int ret = 0;

		if (!*value && strchr(text, ','))
			ret = error("%s: %s '%s': a value is empty", where, setting->name, text);
		else if (at > text && *value == '0' && isdigit((unsigned char)value[1]) &&
			 setting->type != OPT_INT && setting->type != OPT_INT32 &&
			 is_number(setting, value, value, &from))
			ret = error("%s: %s '%s': '%s' begins with 0. A comma separates values; a "
				    "decimal number has a point", where, setting->name, text,
				    value);
		else if (r.to && is_number(setting, r.from, r.to, &from) &&
			 is_number(setting, r.to, r.to, &to))
			ret = range_add(values, setting, value, &r, from, to, where);
		else
			split_add(values, setting, value);
		free_all(value, r.from, r.to, r.step);
		if (ret < 0 || !*end)
			return ret;
		at = end + 1;
	}
}

/* A '/' between two numbers, not that of a unit, as in 10Gb/s; or NULL. */
static char *slash_between(char *text)
{
	char *slash = strchr(text, '/');

	while (slash && !isdigit((unsigned char)slash[1]))
		slash = strchr(slash + 1, '/');
	return slash;
}

/* Ends the text of a number after the first of several; returns the next, NULL where it is one. */
static char *several_cut(const struct opt *o, char *text)
{
	char *dots = strstr(text, ".."), *slash = slash_between(text), *more;

	if (!o || (o->type != OPT_DOUBLE && o->type != OPT_INT && o->type != OPT_INT32))
		return NULL;
	if (dots) {
		*dots = '\0';
		dots[2 + strcspn(dots + 2, ":")] = '\0';
		return dots + 2;
	}
	if (!slash)
		return NULL;
	*slash++ = '\0';
	more = slash_between(slash);
	if (more)
		*more = '\0';
	return slash;
}

/* 0, or error() where an option of a plug-in has several values: only the whole may have them. */
static int value_refuse_several(const struct opt *setting, const char *value, const char *where)
{
	const struct plugin *const *p = setting_facts(setting)->table;
	const int name = (int)strcspn(value, ":;");
	char *copy, *rest, *key = NULL, *first = NULL, *second = NULL;

	while (p && *p && !part_is_word(value, (size_t)name, (*p)->name))
		p++;
	if (!p || !*p || value[name] != ':')
		return 0;
	copy = xasprintf("%.*s", (int)strcspn(value + name + 1, ";"), value + name + 1);
	for (char *item = strtok_r(copy, ",", &rest); item && !second;
	     item = strtok_r(NULL, ",", &rest)) {
		char *equals = strchr(item, '=');

		if (equals) {
			*equals = '\0';
			key = item;
			first = equals + 1;
			second = several_cut(opt_find((*p)->opts, key), first);
		} else if (key && isdigit((unsigned char)*item)) {
			second = item;
		}
	}
	if (second)
		error("%s: %s '%s': %s has one value. To compare several, write all of it for "
		      "each: %.*s:%s=%s,%.*s:%s=%s", where, setting->name, value, key, name, value,
		      key, first, name, value, key, second);
	free(copy);
	return second ? -1 : 0;
}

int values_see(struct value_list *seen, char *value, const char *where, const char *name,
	       const char *how)
{
	int ret = value ? 0 : -1;

	if (value && value_list_has(seen, value))
		ret = error("%s: %s: the value %s stands there twice%s", where, name, value, how);
	else if (value)
		value_list_add(seen, (struct value){ value, VALUE_TEXT });
	free(value);
	return ret;
}

int values_parse(struct value_list *values, const char *key, const char *text, const char *where)
{
	const struct opt *setting = opt_find(settings_opts, key);
	struct value_list seen = { 0 };
	int ret;

	*values = (struct value_list){ 0 };
	ret = values_split(values, setting, text, where);
	/* the setting must accept each value; one that stands twice would count twice in means */
	for (size_t i = 0; i < values->n && ret == 0; i++) {
		const char *given = values->v[i].text;
		char *value = value_refuse_several(setting, given, where) < 0
			      ? NULL : settings_canonical(setting, given, where);

		ret = values_see(&seen, value, where, setting->name, "");
	}
	value_list_release(&seen);
	if (ret < 0)
		value_list_release(values);
	return ret;
}

/* ---- settings.json: the settings of the command line that made a folder of results ---- */

enum { DIGITS = 8 };                    /* hexadecimal, of changes_suffix() */

int given_write(const char *dir, const struct grid_point *set)
{
	scoped char *path = xasprintf("%s/settings.json", dir);
	scoped_json cJSON *json = point_json(set);
	scoped char *text = must_have(cJSON_Print(json), "settings");
	int ret = 0;

	if (set->n)
		ret = output_text(path, text);
	else
		unlink(path);
	return ret;
}

int given_read(const char *dir, cJSON **set)
{
	scoped char *path = xasprintf("%s/settings.json", dir);
	const bool there = access(path, F_OK) == 0;
	bool good;

	*set = there ? json_load(path) : NULL;
	good = cJSON_IsObject(*set);
	/* each member is a text, and its key the present name of a setting */
	for (const cJSON *value = good ? (*set)->child : NULL; value; value = value->next) {
		const struct opt *o = opt_find(settings_opts, value->string);

		good &= cJSON_IsString(value) && o && strcmp(o->name, value->string) == 0;
	}
	if (*set && !good) {
		error("%s: settings and their texts are expected", path);
		cJSON_Delete(*set);
		*set = NULL;
	}
	return there && !*set ? -1 : 0;
}

/* The name is SCALE, or SCALE+01234567. */
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
