/* sizes.c - convoy show net of a net that is known by its size: its layers and their sum. */
#include "cmd/show/show.h"

#include "core/base/error.h"
#include "nets/sizes/sizes.h"
#include "runner/results/outcome.h"

#include <stdio.h>
#include <string.h>

bool show_is_size(const char *name)
{
	const bool bare = !strchr(name, ':');

	for (const struct plugin *const *p = size_table; bare && *p; p++)
		if (strcmp((*p)->name, name) == 0)
			return ((const struct size_type *)*p)->rows != NULL;
	return sizes_chosen(name);
}

static struct size_layer sizes_sum(const struct size_list *list)
{
	struct size_layer all = { 0 };

	for (size_t i = 0; i < list->n; i++) {
		all.parameters += list->layer[i].parameters;
		all.macs += list->layer[i].macs;
		all.forward_s += list->layer[i].forward_s;
		all.backward_s += list->layer[i].backward_s;
	}
	return all;
}

static void sizes_print_row(const char *name, const struct size_layer *l, bool timed)
{
	printf("%-8s %16.0f %20.0f", name, l->parameters, l->macs);
	if (timed)
		printf(" %12.6g %12.6g", l->forward_s, l->backward_s);
	putchar('\n');
}

static void sizes_print(const struct plugin *p, const struct size_list *list)
{
	const struct size_layer all = sizes_sum(list);

	printf("%s: %s\n", p->name, p->brief);
	if (p->cite)
		printf("Source: %s\n", p->cite);
	printf("\n%-8s %16s %20s", "layer", "parameters", "MACs");
	if (list->timed)
		printf(" %12s %12s", "forward [s]", "backward [s]");
	putchar('\n');
	for (size_t i = 0; i < list->n; i++) {
		char name[24];

		snprintf(name, sizeof(name), "%zu", i + 1);
		sizes_print_row(name, &list->layer[i], list->timed);
	}
	sizes_print_row("total", &all, list->timed);
}

static void sizes_add_members(cJSON *json, const struct size_layer *l, bool timed)
{
	cJSON_AddNumberToObject(json, "parameters", l->parameters);
	cJSON_AddNumberToObject(json, "macs", l->macs);
	if (!timed)
		return;
	cJSON_AddNumberToObject(json, "forward_s", l->forward_s);
	cJSON_AddNumberToObject(json, "backward_s", l->backward_s);
}

static void sizes_print_json(const struct plugin *p, const struct size_list *list)
{
	const struct size_layer all = sizes_sum(list);
	cJSON *json = cJSON_CreateObject(), *layers;

	cJSON_AddStringToObject(json, "name", p->name);
	cJSON_AddStringToObject(json, "brief", p->brief);
	if (p->cite)
		cJSON_AddStringToObject(json, "cite", p->cite);
	sizes_add_members(json, &all, list->timed);
	layers = cJSON_AddArrayToObject(json, "layers");
	for (size_t i = 0; i < list->n; i++) {
		cJSON *item = cJSON_CreateObject();

		sizes_add_members(item, &list->layer[i], list->timed);
		cJSON_AddItemToArray(layers, item);
	}
	json_print(json);
	cJSON_Delete(json);
}

int show_size(const char *name, bool as_json)
{
	struct choice c = { 0 };
	struct size_list list = { 0 };
	int ret = sizes_parse(&c, name);

	if (ret == 0)
		ret = sizes_layers(&c, &list);
	if (ret == 0 && as_json)
		sizes_print_json(c.plugin, &list);
	else if (ret == 0)
		sizes_print(c.plugin, &list);
	sizes_release(&list);
	choice_release(&c);
	return ret < 0 ? EXIT_BAD : EXIT_OK;
}
