/* Prints an experiment's file: title, scales, grid and claims, wrapped to the terminal. */
#include "cmd/show/show.h"

#include "core/base/error.h"
#include "core/file/json.h"
#include "core/text/word.h"
#include "core/text/wrap.h"
#include "plan/settings/settings.h"
#include "plan/spec/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 16 };

static void print_member(const cJSON *item, int depth)
{
	int indent = 2 * depth;
	char *text = json_text(item);

	if (item->string) {
		printf("%*s%s:%s", indent, "", item->string, text ? " " : "\n");
		if (text)
			wrap_print(text, indent + 2 + (int)strlen(item->string), indent + 2,
				   HELP_COLUMNS, stdout);
	} else if (text) {
		printf("%*s- ", indent, "");
		wrap_print(text, indent + 2, indent + 2, HELP_COLUMNS, stdout);
	}
	free(text);
	if (depth < DEEPEST)
		for (const cJSON *child = item->child; child; child = child->next)
			print_member(child, depth + 1);
}

void show_members(const cJSON *object)
{
	for (const cJSON *child = object->child; child; child = child->next)
		print_member(child, 0);
}

static double count_runs(const struct spec *s)
{
	double total = 0;
	const cJSON *product, *list;

	cJSON_ArrayForEach(product, s->grid) {
		double n = 1;

		cJSON_ArrayForEach(list, product)
			n *= cJSON_GetArraySize(list);
		total += n;
	}
	return total + (s->baseline ? 1 : 0);
}

static int print_scale(const char *path, const char *name, const cJSON *scale)
{
	const cJSON *time = json_get(scale, "time"), *about = json_get(scale, "about");
	struct spec s;

	if (spec_load(&s, path, name) < 0)
		return EXIT_BAD;
	printf("  %-10s %.0f run%s%s%s%s%s\n", s.scale, count_runs(&s),
	       word_plural(count_runs(&s)), time ? ", " : "", time ? time->valuestring : "",
	       about ? "; " : "", about ? about->valuestring : "");
	spec_release(&s);
	return EXIT_OK;
}

static int print_scales(const struct spec *s)
{
	const cJSON *scale, *scales = json_get(s->json, "scales");

	printf("\nScales (%s, when none is named):\n", s->scale);
	if (!scales || !scales->child)
		return print_scale(s->path, NULL, NULL);
	cJSON_ArrayForEach(scale, scales)
		if (print_scale(s->path, scale->string, scale))
			return EXIT_BAD;
	return EXIT_OK;
}

static void print_product(const cJSON *product)
{
	const cJSON *list, *value;

	cJSON_ArrayForEach(list, product) {
		printf("  %s:", list->string);
		cJSON_ArrayForEach(value, list) {
			char *text = json_text(value);

			printf(" %s", text);
			free(text);
		}
		putchar('\n');
	}
}

static void print_runs(const struct spec *s)
{
	const cJSON *product;

	printf("\nSettings of every run at scale %s:\n", s->scale);
	for (const cJSON *item = s->base->child; item; item = item->next)
		print_member(item, 1);
	cJSON_ArrayForEach(product, s->grid) {
		if (!product->child)
			continue;
		printf("\nOne run for each of:\n");
		print_product(product);
	}
	if (!s->baseline)
		return;
	printf("\nSpeedups are relative to a run of:\n");
	for (const cJSON *item = s->baseline->child; item; item = item->next)
		print_member(item, 1);
}

static void print_claims(const cJSON *claims)
{
	const cJSON *claim;

	if (cJSON_GetArraySize(claims) > 0)
		printf("\nClaims that are checked:\n");
	cJSON_ArrayForEach(claim, claims) {
		printf("  - ");
		wrap_print(json_get(claim, "says")->valuestring, 4, 4, HELP_COLUMNS, stdout);
	}
}

int show_experiment(const char *path)
{
	const cJSON *paper, *figure, *about;
	struct spec s;
	int code;

	if (spec_load(&s, path, NULL) < 0)
		return EXIT_BAD;
	paper = json_get(s.json, "paper");
	figure = json_get(s.json, "figure");
	about = json_get(s.json, "about");
	printf("%s\n", json_get(s.json, "title")->valuestring);
	if (paper)
		printf("%s\n", paper->valuestring);
	if (figure)
		printf("%s\n", figure->valuestring);
	if (about) {
		putchar('\n');
		wrap_print(about->valuestring, 0, 0, HELP_COLUMNS, stdout);
	}
	code = print_scales(&s);
	print_runs(&s);
	print_claims(json_get(s.json, "claims"));
	spec_release(&s);
	return code;
}
