#include "report/plot_words.h"

#include "core/mem.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The plug-in's name in the object parsed from "name:option=value,...". */
static const char NAME[] = "";

static const char *text_of(const cJSON *choice, const char *key)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(choice, key));
}

static void add_text(cJSON *choice, const char *key, int length, const char *value, size_t n)
{
	char *name = xasprintf("%.*s", length, key), *text = xasprintf("%.*s", (int)n, value);

	cJSON_AddStringToObject(choice, name, text);
	free(name);
	free(text);
}

/* {"": name, option: value}, or NULL for a text of another form. The caller frees. */
static cJSON *parse(const char *text)
{
	size_t n = strcspn(text, ":=,+*@ ");
	cJSON *choice;

	if (!isalpha((unsigned char)*text) || (text[n] && text[n] != ':'))
		return NULL;
	choice = cJSON_CreateObject();
	add_text(choice, NAME, 0, text, n);
	for (text += n; *text; text += n) {
		const size_t key = strcspn(++text, "=,");

		n = strcspn(text, ",");
		if (!key || key >= n) {
			cJSON_Delete(choice);
			return NULL;
		}
		add_text(choice, text, (int)key, text + key + 1, n - key - 1);
	}
	return choice;
}

static double number_of(const char *text)
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
		cJSON *choice = choices ? parse(text->valuestring) : NULL;

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
static bool differ(const cJSON *choices, const char *option, const char *name)
{
	const cJSON *choice;
	const char *first = NULL;
	bool any = false;

	cJSON_ArrayForEach(choice, choices) {
		const char *own = text_of(choice, option);

		if (name && strcmp(text_of(choice, NAME), name) != 0)
			continue;
		if (any && (!own || !first ? own != first : strcmp(own, first) != 0))
			return true;
		first = own;
		any = true;
	}
	return false;
}

/* ---- words ---- */

static char *joined(char *a, const char *comma, char *b)
{
	char *all = xasprintf("%s%s%s", a, *a && *b ? comma : "", b);

	free(a);
	free(b);
	return all;
}

static char *spaced(const char *option)
{
	char *words = xstrdup(option);

	for (char *c = words; *c; c++)
		*c = *c == '_' ? ' ' : *c;
	return words;
}

/* "tau 10": the options that tell it from the others; where it is alone all of them. */
static char *options_words(const cJSON *choice, const cJSON *choices, const char *name)
{
	char *all = xstrdup("");
	const cJSON *option;

	cJSON_ArrayForEach(option, choice)
		if (*option->string && (!choices->child->next ||
					differ(choices, option->string, name)))
			all = joined(all, ", ", joined(spaced(option->string), " ",
						       xstrdup(option->valuestring)));
	return all;
}

/* "eamsgd, tau 10", or "momentum -0.6" where all are of one plug-in. */
static char *choice_words(const cJSON *choice, const cJSON *choices)
{
	const char *name = text_of(choice, NAME);
	char *options = options_words(choice, choices, name);

	if (*options && choices->child->next && !differ(choices, NAME, NULL))
		return options;
	return joined(xstrdup(name), ", ", options);
}

/* Numbers, and what begins with one, need the name of what they count. */
static char *value_words(const struct group *all, const char *key, const char *text)
{
	cJSON *choices, *choice;
	char *words;

	if (key_equal(key, "workers"))
		return xasprintf("%s worker%s", text, strcmp(text, "1") ? "s" : "");
	choice = parse(text);
	choices = choice ? parse_all(all, key) : NULL;
	if (choices)
		words = choice_words(choice, choices);
	else if (isalpha((unsigned char)*text) && strcmp(text, "true") && strcmp(text, "false"))
		words = xstrdup(text);
	else
		words = joined(measure_label(key, NULL), " ", xstrdup(text));
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
		const char *label = text ? text_of(labels, text) : NULL;

		words = joined(words, ", ", label ? xstrdup(label) :
					    text  ? value_words(all, key, text) :
						    xstrdup("-"));
		free(text);
	}
	return words;
}

/* ---- a numeric axis ---- */

static bool all_numbers(const cJSON *choices, const char *option)
{
	const cJSON *choice;

	cJSON_ArrayForEach(choice, choices)
		if (!isfinite(number_of(text_of(choice, option))))
			return false;
	return true;
}

char *words_option(const struct group *all, const char *key)
{
	cJSON *choices = parse_all(all, key);
	const cJSON *option;
	const char *found = NULL;
	int n = 0;
	char *name;

	if (choices && choices->child)
		cJSON_ArrayForEach(option, choices->child)
			if (differ(choices, option->string, NULL)) {
				found = option->string;
				n++;
			}
	name = n == 1 && all_numbers(choices, found) ? xstrdup(found) : NULL;
	cJSON_Delete(choices);
	return name;
}

double words_number(const cJSON *run, const char *key, const char *option)
{
	char *text = run_text(run, key);
	cJSON *choice = text ? parse(text) : NULL;
	const double x = number_of(text_of(choice, option));

	cJSON_Delete(choice);
	free(text);
	return x;
}

char *words_axis(const cJSON *run, const char *key, const char *option)
{
	char *text = run_text(run, key), *label = measure_label(option, NULL);
	cJSON *choice = text ? parse(text) : NULL;
	const char *name = text_of(choice, NAME);

	if (name && strcmp(name, option))
		label = joined(xstrdup(name), " ", label);
	cJSON_Delete(choice);
	free(text);
	return label;
}
