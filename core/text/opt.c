/* Parses, bounds and prints typed options; refusals name the option, its unit and choices. */
#include "core/text/opt.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/text/opt_text.h"
#include "core/text/units.h"
#include "core/text/word.h"
#include "core/text/wrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Column of --help at which explanations begin. */
enum { HELP_AT = 24 };

static void *field_of(const struct opt *o, void *conf)
{
	return (char *)conf + o->offset;
}

bool opt_same_key(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if ((*a == '_' ? '-' : *a) != (*b == '_' ? '-' : *b))
			return false;
	return *a == *b;
}

static const struct opt *find_exactly(const struct opt *opts, const char *name)
{
	for (; opts && opts->name; opts++)
		if (opt_same_key(opts->name, name))
			return opts;
	return NULL;
}

/* Former names of options and keys: accepted everywhere, never printed. */
static const struct {
	const char *former, *present;
} former_names[] = {
	{ "handoff_s", "host_copy_s" },
	{ "handoff_GBps", "host_copy_GBps" },
	{ "handoff_latency_s", "host_copy_latency_s" },
	{ "beside_GBps", "receive_GBps" },
};

const char *former_name(const char *name)
{
	for (size_t i = 0; i < sizeof(former_names) / sizeof(former_names[0]); i++)
		if (opt_same_key(former_names[i].former, name))
			return former_names[i].present;
	return NULL;
}

const struct opt *opt_find(const struct opt *opts, const char *name)
{
	const struct opt *o = find_exactly(opts, name);
	const char *present = o ? NULL : former_name(name);

	return present ? find_exactly(opts, present) : o;
}

static int unknown_key(const struct opt *opts, const char *key, const char *where)
{
	scoped const char **names = NULL;
	scoped char *advice = NULL;
	size_t n = 0, k = 0;

	while (opts && opts[n].name)
		n++;
	names = xcalloc(n + 1, sizeof(*names));
	for (size_t i = 0; i < n; i++)
		if (!(opts[i].flags & OPT_HIDDEN))
			names[k++] = opts[i].name;
	advice = word_advice(key, names);
	error("%s: unknown option '%s'%s%s%s", where, key, advice,
	      *names ? "" : "; it takes no options",
	      strpbrk(key, "./") ? ". A ',' ends a value, unless it is written '\\,' in the "
				     "name of a file" : "");
	return -1;
}

bool opt_bounded(const struct opt *o)
{
	return o->min < 0 || o->min > 0 || o->max < 0 || o->max > 0;
}

/* A whole number that is not round in full: 2097150, where double_text() has 2.09715e6. Owned. */
static char *bound_text(const struct opt *o, double bound)
{
	char *text = double_text(bound);

	if (!opt_is_whole(o) || !strchr(text, '.'))
		return text;
	free(text);
	return xasprintf("%.0f", bound);
}

/* Bounds as text: "; at least 1", "; from 0 to 1", or "". The caller frees. */
static char *bounds_text(const struct opt *o, const char *before)
{
	char *min, *max, *text;

	if (!opt_bounded(o) || (isinf(o->min) && isinf(o->max)))
		return xstrdup("");
	min = bound_text(o, o->min);
	max = bound_text(o, o->max);
	if (isinf(o->max))
		text = xasprintf("%sat least %s", before, min);
	else if (isinf(o->min))
		text = xasprintf("%sat most %s", before, max);
	else
		text = xasprintf("%sfrom %s to %s", before, min, max);
	free_all(min, max);
	return text;
}

static bool opt_within(const struct opt *o, double v)
{
	return !opt_bounded(o) || (v >= o->min && v <= o->max);
}

/* Unit of the option as text: " of seconds", or "". */
static const char *unit_of(const struct opt *o)
{
	static const char *const units[][2] = {
		{ "SECONDS", " of seconds" }, { "EPOCHS", " of epochs" }, { "BYTES", " of bytes" },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if ((opt_is_whole(o) || o->type == OPT_DOUBLE) && o->arg &&
		    !strcmp(o->arg, units[i][0]))
			return units[i][1];
	return "";
}

/*
 * error() with the expected kind of value, "true or false", "a whole number", ..., and the bounds.
 */
static int opt_refuse(const struct opt *o, const char *value, const char *where)
{
	static const char *const what[] = {
		[OPT_BOOL] = "true or false", [OPT_INT] = "a whole number",
		[OPT_INT32] = "a whole number",
		[OPT_DOUBLE] = "a number", [OPT_STRING] = "text", [OPT_ENUM] = "a word",
		[OPT_DOUBLES] = "numbers separated by '/'",
	};
	scoped char *bounds = bounds_text(o, ", "), *advice = unit_advice(quantity_of(o), value);

	error("%s: %s must be %s%s%s, not '%s'%s", where, o->name, what[o->type], unit_of(o),
	      bounds, value, advice);
	return -1;
}

/* True for a choice between "false" and several kinds of "true". */
static bool is_switch(const struct opt *o)
{
	return o->type == OPT_ENUM && strcmp(o->choices[0], "false") == 0;
}

static int set_enum(const struct opt *o, int *field, const char *value, const char *where)
{
	scoped char *advice = NULL;
	bool on;

	if (is_switch(o) && text_bool(value, &on)) {
		*field = on;
		return 0;
	}
	for (int i = 0; o->choices[i]; i++) {
		if (opt_same_key(o->choices[i], value)) {
			*field = i;
			return 0;
		}
	}
	advice = word_advice(value, o->choices);
	error("%s: %s cannot be '%s'%s", where, o->name, value, advice);
	return -1;
}

/* text_doubles(), each of which may have a unit of the option's. */
static bool doubles_read(const struct opt *o, const char *value, struct opt_doubles *v)
{
	char *copy, *at;
	bool good = text_doubles(value, v);

	if (good || quantity_of(o) == QUANTITY_NONE)
		return good;
	copy = at = xstrdup(value);
	for (good = true; good && at;) {
		char *slash = strchr(at, '/');

		if (slash && slash[1] == 's' && strchr("/", slash[2]))  /* of GB/s */
			slash = strchr(slash + 1, '/');
		if (slash)
			*slash++ = '\0';
		v->v = xrealloc(v->v, v->n + 1, sizeof(*v->v));
		good = text_double(at, &v->v[v->n]) || unit_opt(o, at, &v->v[v->n]);
		v->n++;
		at = slash;
	}
	free(copy);
	return good;
}

static int set_doubles(const struct opt *o, struct opt_doubles *field, const char *value,
		       const char *where)
{
	struct opt_doubles v = { 0 };
	bool good = doubles_read(o, value, &v);

	for (size_t i = 0; i < v.n; i++)
		good = good && opt_within(o, v.v[i]);
	if (!good) {
		free(v.v);
		return opt_refuse(o, value, where);
	}
	free(field->v);
	*field = v;
	return 0;
}

/* text_int(), or a whole number with a unit. */
static bool whole_read(const struct opt *o, const char *text, int64_t *whole)
{
	double real;

	if (text_int(text, whole))
		return true;
	if (!unit_opt(o, text, &real) || fabs(real) > 9007199254740992.0 || floor(real) < real)
		return false;
	*whole = (int64_t)real;
	return true;
}

static int set_one(const struct opt *o, void *conf, const char *value, const char *where)
{
	void *field = field_of(o, conf);
	int64_t whole;
	double real;

	switch (o->type) {
	case OPT_BOOL:
		return text_bool(value, field) ? 0 : opt_refuse(o, value, where);
	case OPT_INT:
	case OPT_INT32:
		if (!whole_read(o, value, &whole) || !opt_within(o, (double)whole))
			return opt_refuse(o, value, where);
		if (o->type == OPT_INT32)
			*(int *)field = (int)whole;
		else
			*(int64_t *)field = whole;
		return 0;
	case OPT_DOUBLE:
		if ((!text_double(value, &real) && !unit_opt(o, value, &real)) ||
		    !opt_within(o, real))
			return opt_refuse(o, value, where);
		*(double *)field = real;
		return 0;
	case OPT_STRING: {
		char *old = *(char **)field;

		*(char **)field = *value ? xstrdup(value) : NULL;
		free(old);
		return 0;
	}
	case OPT_ENUM:
		return set_enum(o, field, value, where);
	case OPT_DOUBLES:
		return set_doubles(o, field, value, where);
	}
	BUG("option %s has no type", o->name);
}

int opt_set(const struct opt *opts, void *conf, const char *key, const char *value,
	    const char *where)
{
	const struct opt *o = opt_find(opts, key);

	if (!o)
		return unknown_key(opts, key, where);
	if (!value && o->type != OPT_BOOL && !is_switch(o))
		return error("%s: %s needs a value: %s=%s", where, o->name, o->name,
			     o->arg ? o->arg : "VALUE");
	return set_one(o, conf, value ? value : "true", where);
}

void opt_init(const struct opt *opts, void *conf)
{
	static const size_t size[] = {
		[OPT_BOOL] = sizeof(bool), [OPT_INT] = sizeof(int64_t),
		[OPT_INT32] = sizeof(int),
		[OPT_DOUBLE] = sizeof(double), [OPT_STRING] = sizeof(char *),
		[OPT_ENUM] = sizeof(int), [OPT_DOUBLES] = sizeof(struct opt_doubles),
	};
	for (const struct opt *o = opts; o && o->name; o++) {
		memset(field_of(o, conf), 0, size[o->type]);
		if (o->def && set_one(o, conf, o->def, "default"))
			BUG("option %s: bad default '%s'", o->name, o->def);
	}
}

void opt_release(const struct opt *opts, void *conf)
{
	for (const struct opt *o = opts; o && o->name; o++) {
		if (o->type == OPT_STRING) {
			char **field = field_of(o, conf);

			free(*field);
			*field = NULL;
		} else if (o->type == OPT_DOUBLES) {
			struct opt_doubles *field = field_of(o, conf);

			free(field->v);
			*field = (struct opt_doubles){ 0 };
		}
	}
}

char *opt_format(const struct opt *opt, const void *conf)
{
	const void *field = (const char *)conf + opt->offset;

	switch (opt->type) {
	case OPT_BOOL:
		return xstrdup(*(const bool *)field ? "true" : "false");
	case OPT_INT:
		return xasprintf("%lld", (long long)*(const int64_t *)field);
	case OPT_INT32:
		return xasprintf("%d", *(const int *)field);
	case OPT_DOUBLE:
		return double_text(*(const double *)field);
	case OPT_STRING:
		return xstrdup(*(char *const *)field ? *(char *const *)field : "");
	case OPT_ENUM:
		return xstrdup(opt->choices[*(const int *)field]);
	case OPT_DOUBLES:
		return doubles_text(field);
	}
	BUG("option %s has no type", opt->name);
}

char *opt_meaning(const struct opt *o)
{
	char *bounds = bounds_text(o, "; "), *text = NULL;
	bool has_default = o->def && *o->def;
	size_t size;
	FILE *f = xmemstream(&text, &size);

	fputs(o->help ? o->help : "", f);
	for (int i = 0; o->type == OPT_ENUM && o->choices[i]; i++)
		fprintf(f, "%s%s", i ? ", " : ": ", o->choices[i]);
	fprintf(f, "%s%s%s%s", bounds, has_default ? " [" : "", has_default ? o->def : "",
		has_default ? "]" : "");
	xmemclose(f);
	free(bounds);
	return text;
}

void opt_help(const struct opt *opts, const char *prefix, FILE *out)
{
	for (const struct opt *o = opts; o && o->name; o++) {
		scoped char *usage = NULL, *meaning = NULL;

		if (o->flags & OPT_HIDDEN)
			continue;
		usage = xasprintf("%s%s %s", prefix, o->name, o->arg ? o->arg : "");
		meaning = opt_meaning(o);
		fprintf(out, "%-*s", HELP_AT, usage);
		if (strlen(usage) >= HELP_AT)
			fprintf(out, "\n%*s", HELP_AT, "");
		wrap_print(meaning, HELP_AT, HELP_AT, HELP_COLUMNS, out);
	}
}
