/* `convoy list KIND`: names, each with one line. */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "cmd/list/list.h"
#include "cmd/opts.h"
#include "cmd/show.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "plan/settings/kinds.h"
#include "runner/results/folder.h"
#include "runner/results/outcome.h"

#include <stdlib.h>
#include <string.h>

struct conf {
	char *out;
	bool json, md;
};

static const struct opt opts[] = {
	OPT_FLAG(struct conf, json,
		 "a JSON array of name, brief and what else is listed, on stdout"),
	OPT_FLAG(struct conf, md,
		 "algos: a table in Markdown of what each waits for, sends and keeps"),
	OUT_OPT(struct conf),
	{ 0 }
};

static const char about[] =
	"Lists what can be chosen by name. Kinds: experiments, lessons, algos, graphs, nets,\n"
	"data, delays, links, clusters, schedules, optims, codecs, devices; and runs. Without a\n"
	"kind, lists the kinds.\n"
	"An experiment has its paper, figure or table, and its scales with what they take.\n"
	"\n"
	"Runs are the finished runs in the folder of results, by their settings: KEY=VALUE, as\n"
	"options have them, several values allowed; NAME alone of NAME:KEY=VALUE finds any of\n"
	"its options. experiment, scale and status are keys too. All must hold.\n"
	"\n"
	"Examples:\n"
	"  convoy list runs algo=ad-psgd workers=8,16\n"
	"  convoy list experiments\n"
	"  convoy list algos --json | jq -r '.[].name'\n"
	"  convoy list algos --md";

static void add(cJSON *list, const char *name, const char *brief)
{
	cJSON *item = cJSON_CreateObject();

	cJSON_AddStringToObject(item, "name", name);
	cJSON_AddStringToObject(item, "brief", brief);
	cJSON_AddItemToArray(list, item);
}

/* The first sentence. The caller frees. */
static char *list_sentence(const char *text)
{
	const char *end = strstr(text, ". ");

	return xasprintf("%.*s", end ? (int)(end - text) : (int)strlen(text), text);
}

static void list_add_file(cJSON *list, const char *folder, const char *name)
{
	char *path = path_find(folder, name);
	cJSON *json = path ? json_load(path) : NULL;
	const cJSON *brief = json_get(json, "title");

	if (!brief)
		brief = json_get(json, "about");
	if (json) {
		char *line = list_sentence(cJSON_IsString(brief) ? brief->valuestring : "");

		add(list, name, line);
		free(line);
	}
	cJSON_Delete(json);
	free(path);
}

static cJSON *list_collect(const struct kind *kind)
{
	cJSON *list = cJSON_CreateArray();
	char **names = kind->folder ? path_list(kind->folder) : NULL;

	for (size_t i = 0; names && names[i]; i++)
		list_add_file(list, kind->folder, names[i]);
	for (size_t i = 0; kind->table && kind->table[i]; i++)
		add(list, kind->table[i]->name, kind->table[i]->brief);
	if (names)
		path_list_free(names);
	return list;
}

static void list_print_list(const cJSON *list)
{
	const cJSON *item;
	int width = 0;

	cJSON_ArrayForEach(item, list) {
		int n = (int)strlen(item->child->valuestring);

		if (n > width)
			width = n;
	}
	cJSON_ArrayForEach(item, list)
		printf("%-*s  %s\n", width, item->child->valuestring,
		       item->child->next->valuestring);
}

static int list_kind(const char *name, bool json)
{
	const struct kind *kind = kind_find(name);
	const bool experiments = kind && strcmp(kind->one, "experiment") == 0;
	cJSON *list;

	if (!kind)
		return EXIT_USAGE;
	list = experiments ? list_experiments() : list_collect(kind);
	if (json)
		json_print(list);
	else if (experiments)
		list_experiments_print(list);
	else
		list_print_list(list);
	cJSON_Delete(list);
	return EXIT_OK;
}

static bool is_algos(const char *name)
{
	return strcmp(name, "algos") == 0 || strcmp(name, "algo") == 0;
}

static void list_kinds(bool json)
{
	const struct kind *kind;
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; (kind = kind_at(i)); i++)
		add(list, kind->many, kind->what);
	add(list, "runs", "finished run, found by its settings");
	if (json)
		json_print(list);
	else
		list_print_list(list);
	cJSON_Delete(list);
}

static bool is_runs(const struct args *a)
{
	return a->nwords > 0 && strcmp(a->words[0], "runs") == 0;
}

static int list(const struct args *a)
{
	const struct conf *c = a->conf;

	if (is_runs(a) && !c->md)
		return list_runs(a, results_folder(c->out), c->json);
	if (a->nwords > 1)
		return args_usage(a, "one kind at a time; KEY=VALUE is for runs");
	if (c->md && (a->nwords == 0 || !is_algos(a->words[0])))
		return args_usage(a, "--md is for algos");
	if (!c->md && a->nwords == 1)
		return list_kind(a->words[0], c->json);
	if (c->md)
		facts_table();
	else
		list_kinds(c->json);
	return EXIT_OK;
}

int cmd_list(int argc, char **argv)
{
	struct conf conf;
	struct args a = { .opts = opts, .conf = &conf, .about = about,
			  .usage = "list [KIND] [KEY=VALUE]... [--json|--md]" };

	return args_main(&a, argc, argv, list);
}
