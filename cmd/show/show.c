/* `convoy show KIND NAME`: everything about one thing. */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "cmd/show/show.h"
#include "core/base/error.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "plan/settings/kinds.h"
#include "runner/results/outcome.h"

#include <stdlib.h>
#include <string.h>

struct conf {
	bool json, plot;
	char *input;
	int64_t classes, workers;
};

static const struct opt opts[] = {
	OPT_FLAG(struct conf, json, "as JSON on stdout; a net unrolled, with its blobs"),
	OPT_TEXT(struct conf, input, "a net for images of this size", "HxWxC"),
	OPT_NUMBER(struct conf, classes, "0", "a net for so many classes; 0: its file's own", "N",
		   0, 1 << 20),
	OPT_NUMBER(struct conf, workers, "0", "a graph of so many: its degrees, its spectral gap",
		   "N", 0, 1 << 24),
	OPT_FLAG(struct conf, plot,
		 "draws a net's layers, or how often a delay is how long, as FILE or NAME.svg; of "
		 "a net also FILE.dot, by which Graphviz draws it"),
	{ 0 }
};

static const char about[] =
	"Shows one experiment, algorithm, graph, net, data set, delay, link, cluster, schedule,\n"
	"optimiser, codec or device: what it is, its options with defaults and bounds, and where\n"
	"it comes from.\n"
	"\n"
	"Examples:\n"
	"  convoy show experiment slow-worker\n"
	"  convoy show algo ad-psgd\n"
	"  convoy show graph torus --workers 16\n"
	"  convoy show delay 'gamma:cv=0.1'\n"
	"  convoy show net resnet20\n"
	"  convoy show net resnet18 --input 32x32x3 --classes 10 --json\n"
	"  convoy show net resnet50 --plot resnet50.svg\n"
	"  convoy show net vgg16\n"
	"  convoy show cluster power8-edr";

static bool is_algo(const struct kind *kind)
{
	return strcmp(kind->one, "algo") == 0;
}

static bool is_device(const struct kind *kind)
{
	return strcmp(kind->one, "device") == 0;
}

static void show_plugin(const struct kind *kind, const struct plugin *p)
{
	printf("%s: %s\n", p->name, p->brief);
	if (p->cite)
		printf("Source: %s\n", p->cite);
	if (is_algo(kind))
		facts_print((const struct algo *)p);
	if (is_device(kind))
		show_device(p);
	if (!p->opts || !p->opts->name) {
		if (!is_device(kind))
			printf("It has no options.\n");
		return;
	}
	printf("\nOptions, as in --%s %s:KEY=VALUE,...\n",
	       is_device(kind) ? "compute-s" : kind->one, p->name);
	opt_help(p->opts, "  ", stdout);
}

static const char *type_name(enum opt_type type)
{
	static const char *const names[] = {
		[OPT_BOOL] = "bool", [OPT_INT] = "integer", [OPT_INT32] = "integer",
		[OPT_DOUBLE] = "number",
		[OPT_STRING] = "text", [OPT_ENUM] = "choice", [OPT_DOUBLES] = "numbers"
	};

	return names[type];
}

static void show_plugin_json(const struct kind *kind, const struct plugin *p)
{
	cJSON *json = cJSON_CreateObject();
	cJSON *list;

	json_add_text(json, "name", p->name);
	json_add_text(json, "brief", p->brief);
	json_add_text(json, "cite", p->cite);
	if (is_algo(kind))
		facts_add(json, (const struct algo *)p);
	if (is_device(kind))
		show_device_json(json, p);
	list = cJSON_AddArrayToObject(json, "options");
	for (const struct opt *o = p->opts; o && o->name; o++) {
		cJSON *item = cJSON_CreateObject();

		json_add_text(item, "name", o->name);
		json_add_text(item, "type", type_name(o->type));
		json_add_text(item, "default", o->def);
		json_add_text(item, "help", o->help);
		cJSON_AddItemToArray(list, item);
	}
	json_print(json);
	cJSON_Delete(json);
}

/* The plug-in of that name, or NULL, silently. */
static const struct plugin *plugin_named(const struct plugin *const *table, const char *name)
{
	for (; table && *table; table++)
		if (strcmp((*table)->name, name) == 0)
			return *table;
	return NULL;
}

static int show_file(const struct kind *kind, const char *name, bool as_json)
{
	char *path;
	cJSON *json;
	int code = EXIT_OK;

	path = path_find(kind->folder, name);
	json = path ? json_load(path) : NULL;
	if (!json)
		code = EXIT_BAD;
	else if (as_json)
		json_print(json);
	else if (!strcmp(kind->one, "experiment") || !strcmp(kind->one, "lesson"))
		code = show_experiment(path);
	else if (strcmp(kind->one, "cluster") == 0)
		code = show_cluster(path);
	else
		show_members(json);
	cJSON_Delete(json);
	free(path);
	return code;
}

static int show(const struct kind *kind, const char *name, bool as_json)
{
	const struct plugin *p = plugin_named(kind->table, name);

	if (!p && kind->folder)
		return show_file(kind, name, as_json);
	if (!p)
		return plugin_find(kind->table, kind->what, name) ? EXIT_OK : EXIT_BAD;
	if (as_json)
		show_plugin_json(kind, p);
	else
		show_plugin(kind, p);
	return EXIT_OK;
}

static int show_dispatch(const struct args *a)
{
	const struct conf *conf = a->conf;
	const struct kind *kind;
	const char *name = a->words[1];
	struct show_net how = { conf->input, (int)conf->classes, conf->json, conf->plot,
				a->nwords > 2 ? a->words[2] : NULL };

	if (a->nwords != 2 && !(a->nwords == 3 && conf->plot))
		return args_usage(a, "expected a kind and a name");
	kind = kind_find(a->words[0]);
	if (!kind)
		return EXIT_USAGE;
	if (strcmp(kind->one, "graph") == 0 && conf->workers)
		return show_graph(name, (int)conf->workers, conf->json);
	if (conf->workers)
		return args_usage(a, "--workers is for graphs");
	if (strcmp(kind->one, "delay") == 0 &&
	    (conf->plot || show_delay_preset(name) || !plugin_named(kind->table, name)))
		return show_delay(name, conf->json, conf->plot, how.file);
	if (strcmp(kind->one, "net") == 0 && !plugin_named(kind->table, name) &&
	    !show_is_size(name))
		return show_net(name, &how);
	if (conf->input || conf->classes || conf->plot)
		return args_usage(a, "--input, --classes and --plot are for nets made of layers");
	if (strcmp(kind->one, "net") == 0 && show_is_size(name))
		return show_size(name, conf->json);
	return show(kind, name, conf->json);
}

int cmd_show(int argc, char **argv)
{
	struct conf conf;
	struct args a = { .opts = opts, .conf = &conf, .about = about,
			  .usage = "show KIND NAME [--json | --plot [FILE]] [OPTIONS]" };

	return args_main(&a, argc, argv, show_dispatch);
}
