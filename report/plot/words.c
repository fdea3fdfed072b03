/* Builds legend texts from settings; finds the numeric option that a sweep varies. */
#include "report/plot/words.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/opt.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The plug-in's name in the object parsed from "name:option=value,...". */
static const char NAME[] = "";

static void plot_words_add_text(cJSON *choice, const char *key, int length, const char *value,
				size_t n)
{
	char *name = xasprintf("%.*s", length, key), *text = xasprintf("%.*s", (int)n, value);

	cJSON_AddStringToObject(choice, name, text);
	free(name);
	free(text);
}

/* {"": name, option: value}, or NULL for a text of another form. The caller frees. */
static cJSON *plot_words_parse(const char *text)
{
	size_t n = strcspn(text, ":=,+*@ ");
	cJSON *choice;

	if (!isalpha((unsigned char)*text) || (text[n] && text[n] != ':'))
		return NULL;
	choice = cJSON_CreateObject();
	plot_words_add_text(choice, NAME, 0, text, n);
	for (text += n; *text; text += n) {
		const size_t key = strcspn(++text, "=,");

		n = strcspn(text, ",");
		if (!key || key >= n) {
			cJSON_Delete(choice);
			return NULL;
		}
		plot_words_add_text(choice, text, (int)key, text + key + 1, n - key - 1);
	}
	return choice;
}

static double plot_words_number_of(const char *text)
{
	char *end;
	const double x = text ? strtod(text, &end) : (double)NAN;

	return !text || end == text || *end ? (double)NAN : x;
}

/* The group's values of a setting, parsed, each once; NULL when one is of another form. */
static cJSON *parse_all(const struct group *all, const char *key)
{
	cJSON *keys = cJSON_CreateString(key), *texts = group_values(all, keys);
	cJSON *choices = cJSON_CreateArray();
	const cJSON *text;

	cJSON_ArrayForEach(text, texts) {
		cJSON *choice = choices ? plot_words_parse(text->valuestring) : NULL;

		if (choice) {
			cJSON_AddItemToArray(choices, choice);
			continue;
		}
		cJSON_Delete(choices);
		choices = NULL;
	}
	cJSON_Delete(keys);
	cJSON_Delete(texts);
	return choices;
}

/* Whether the choices of the same plug-in, or all, differ in an option. */
static bool plot_words_differ(const cJSON *choices, const char *option, const char *name)
{
	const cJSON *choice;
	const char *first = NULL;
	bool any = false;

	cJSON_ArrayForEach(choice, choices) {
		const char *own = json_string(choice, option);

		if (name && strcmp(json_string(choice, NAME), name) != 0)
			continue;
		if (any && (!own || !first ? own != first : strcmp(own, first) != 0))
			return true;
		first = own;
		any = true;
	}
	return false;
}

/* ---- words ---- */

static char *plot_words_joined(char *a, const char *comma, char *b)
{
	char *all = xasprintf("%s%s%s", a, *a && *b ? comma : "", b);

	free(a);
	free(b);
	return all;
}

/* "tau 10", "latency 1e-6 s": a value after its label, which is freed. */
static char *quantity_words(char *label, const char *value)
{
	const char *unit = strstr(label, " [");
	char *words;

	if (unit)
		words = xasprintf("%.*s %s %.*s", (int)(unit - label), label, value,
				  (int)strcspn(unit + 2, "]"), unit + 2);
	else
		words = xasprintf("%s %s", label, value);
	free(label);
	return words;
}

/* The options that tell it from the others; where it is alone all of them. */
static char *options_words(const cJSON *choice, const cJSON *choices, const char *name)
{
	char *all = xstrdup("");
	const cJSON *option;

	cJSON_ArrayForEach(option, choice)
		if (*option->string &&
		    (!choices->child->next || plot_words_differ(choices, option->string, name)))
			all = plot_words_joined(all, ", ",
						quantity_words(option_label(option->string),
							       option->valuestring));
	return all;
}

/* "eamsgd, tau 10", or "momentum -0.6" where all are of one plug-in. */
static char *choice_words(const cJSON *choice, const cJSON *choices)
{
	const char *name = json_string(choice, NAME);
	char *options = options_words(choice, choices, name);

	if (*options && choices->child->next && !plot_words_differ(choices, NAME, NULL))
		return options;
	return plot_words_joined(xstrdup(name), ", ", options);
}

/* Numbers, and what begins with one, need the name of what they count. */
static char *value_words(const struct group *all, const char *key, const char *text)
{
	cJSON *choices, *choice;
	char *words;

	if (opt_same_key(key, "workers"))
		return xasprintf("%s worker%s", text, strcmp(text, "1") ? "s" : "");
	choice = plot_words_parse(text);
	choices = choice ? parse_all(all, key) : NULL;
	if (choices)
		words = choice_words(choice, choices);
	else if (isalpha((unsigned char)*text) && strcmp(text, "true") && strcmp(text, "false"))
		words = xstrdup(text);
	else
		words = quantity_words(measure_label(key, NULL), text);
	cJSON_Delete(choice);
	cJSON_Delete(choices);
	return words;
}

char *words_series(const struct group *all, const cJSON *run, const cJSON *keys,
		   const cJSON *labels)
{
	char *words = xstrdup("");
	const char *key;

	for (int i = 0; (key = keys_at(keys, i)); i++) {
		char *text = run_text(run, key);
		const char *label = text ? json_string(labels, text) : NULL;

		words = plot_words_joined(words, ", ",
					  label ? xstrdup(label) :
					  text	? value_words(all, key, text) :
						  xstrdup("-"));
		free(text);
	}
	return words;
}

/* ---- a numeric axis ---- */

struct sweep {                  /* what an option's values are */
	int distinct, without;  /* values of one plug-in; values of the setting that have none */
	bool numbers;
};

static bool same_name(const cJSON *a, const cJSON *b)
{
	return !strcmp(json_string(a, NAME), json_string(b, NAME));
}

/* Whether an earlier choice of the same plug-in has the same number. */
static bool has_before(const cJSON *choices, const cJSON *last, const char *option)
{
	const double x = plot_words_number_of(json_string(last, option));
	const cJSON *choice;

	cJSON_ArrayForEach(choice, choices) {
		const double own = plot_words_number_of(json_string(choice, option));

		if (choice == last)
			break;
		if (own >= x && own <= x && same_name(choice, last))
			return true;
	}
	return false;
}

static struct sweep sweep_of(const cJSON *choices, const cJSON *of, const char *option)
{
	struct sweep s = { .numbers = true };
	const cJSON *choice;

	cJSON_ArrayForEach(choice, choices) {
		const char *text = json_string(choice, option);

		s.without += !text;
		s.numbers = s.numbers && (!text || isfinite(plot_words_number_of(text)));
		s.distinct += text && same_name(choice, of) &&
			      !has_before(choices, choice, option);
	}
	return s;
}

/* Two numbers make an axis where all have one; else three, and more than are without. */
static bool is_axis(const struct sweep *s)
{
	return s->numbers && s->distinct >= (s->without ? 3 : 2) && s->distinct > s->without;
}

/* The option of most numbers; the first of several. */
static const char *plot_words_widest(const cJSON *choices)
{
	const char *found = NULL;
	const cJSON *choice, *option;
	int most = 0;

	cJSON_ArrayForEach(choice, choices)
		cJSON_ArrayForEach(option, choice) {
			const struct sweep s = sweep_of(choices, choice, option->string);

			if (*option->string && is_axis(&s) && s.distinct > most) {
				most = s.distinct;
				found = option->string;
			}
		}
	return found;
}

char *words_option(const struct group *all, const char *key)
{
	cJSON *choices = parse_all(all, key);
	const char *found = plot_words_widest(choices);
	char *name = found ? xstrdup(found) : NULL;

	cJSON_Delete(choices);
	return name;
}

/* A run's setting, parsed; NULL when it is of another form. The caller frees. */
static cJSON *choice_of(const cJSON *run, const char *key)
{
	char *text = run_text(run, key);
	cJSON *choice = text ? plot_words_parse(text) : NULL;

	free(text);
	return choice;
}

double words_number(const cJSON *run, const char *key, const char *option)
{
	cJSON *choice = choice_of(run, key);
	const double x = plot_words_number_of(json_string(choice, option));

	cJSON_Delete(choice);
	return x;
}

bool words_same_rest(const cJSON *a, const cJSON *b, const char *key, const char *option)
{
	cJSON *x = choice_of(a, key), *y = choice_of(b, key);
	bool same;

	cJSON_DeleteItemFromObjectCaseSensitive(x, option);
	cJSON_DeleteItemFromObjectCaseSensitive(y, option);
	same = cJSON_Compare(x, y, true);
	cJSON_Delete(x);
	cJSON_Delete(y);
	return same;
}

static bool all_same(const cJSON *choices)
{
	const cJSON *choice;

	cJSON_ArrayForEach(choice, choices)
		if (!cJSON_Compare(choice, choices->child, true))
			return false;
	return true;
}

char *words_rest(const struct group *all, const cJSON *run, const char *key, const char *option)
{
	cJSON *choices = parse_all(all, key), *own = choice_of(run, key), *choice;
	char *words;

	cJSON_DeleteItemFromObjectCaseSensitive(own, option);
	cJSON_ArrayForEach(choice, choices)
		cJSON_DeleteItemFromObjectCaseSensitive(choice, option);
	words = all_same(choices) ? xstrdup("") : choice_words(own, choices);
	cJSON_Delete(choices);
	cJSON_Delete(own);
	return words;
}

char *words_axis(const struct group *all, const char *key, const char *option)
{
	char *label = option_label(option);
	cJSON *choices = parse_all(all, key);
	const char *name = json_string(choices->child, NAME);

	if (strcmp(name, option) && !plot_words_differ(choices, NAME, NULL))
		label = plot_words_joined(xstrdup(name), " ", label);
	cJSON_Delete(choices);
	return label;
}
