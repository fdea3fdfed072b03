/* `convoy show KIND NAME`: everything about one thing. */
#include "cmd/cmd.h"

#include "algos/algos.h"
#include "cmd/args.h"
#include "cmd/common.h"
#include "cmd/listing.h"
#include "cmd/show.h"
#include "core/base/error.h"
#include "core/file/code.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "core/file/output.h"
#include "core/file/paths.h"
#include "core/graph.h"
#include "core/text/word.h"
#include "core/text/wrap.h"
#include "nets/external/external.h"
#include "plan/compute/times.h"
#include "plan/machine/cluster.h"
#include "plan/settings/settings.h"
#include "plan/spec/spec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct show_conf {
	bool json, plot;
	char *input;
	int64_t classes, workers;
};

static const struct opt show_opts[] = {
	OPT_FLAG(struct show_conf, json, "as JSON on stdout; a net unrolled, with its blobs"),
	OPT_TEXT(struct show_conf, input, "a net for images of so many pixels and channels",
		 "HxWxC"),
	OPT_NUMBER(struct show_conf, classes, "0",
		   "a net for so many classes; 0: its file's own", "N",
		   0, 1 << 20),
	OPT_NUMBER(struct show_conf, workers, "0",
		   "a graph of so many: its degrees, its spectral gap",
		   "N", 0, 1 << 24),
	OPT_FLAG(struct show_conf, plot,
		 "draws a net's layers, or how often a delay is how long, as FILE or NAME.svg; of "
		 "a net also FILE.dot, by which Graphviz draws it"),
	{ 0 }
};

static const char show_about[] =
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

/* The published rates of a device; NULL of another plug-in. */
static const struct device_rate *device_rates(const struct kind *kind, const struct plugin *p)
{
	return strcmp(kind->one, "device") == 0 ? ((const struct compute_kind *)p)->rate : NULL;
}

/* An accelerator's peak, and published rates of transformers on it. */
static void peak_print(const struct compute_kind *k)
{
	const struct token_rate *t = k->peak->tokens;

	printf("\npeak %.4g operations a second, for --device %s with --mfu SHARE\n",
	       k->peak->flops, k->plugin.name);
	printf("  ");
	wrap_print(k->peak->source, 2, 2, HELP_COLUMNS, stdout);
	if (k->peak->memory > 0.0)
		printf("  memory %.4g GB\n", k->peak->memory / 1e9);
	if (t)
		printf("\n%-16s %6s %12s %6s\n", "parameters", "GPUs", "tokens/s", "mfu");
	for (; t && t->params > 0.0; t++)
		printf("%-16.4g %6d %12.6g %6.3f\n", t->params, t->gpus, t->tokens_s,
		       device_rate_mfu(k, t));
	if (k->peak->tokens) {
		printf("  of a GPU: ");
		wrap_print(device_tokens_source, 12, 2, HELP_COLUMNS, stdout);
	}
}

static void plugin_print(const struct kind *kind, const struct plugin *p)
{
	const bool device = strcmp(kind->one, "device") == 0;
	const struct device_rate *r = device_rates(kind, p);

	printf("%s: %s\n", p->name, p->brief);
	if (p->cite)
		printf("Source: %s\n", p->cite);
	if (strcmp(kind->one, "algo") == 0)
		facts_print((const struct algo *)p);
	if (r && r->net)
		printf("\n%-16s %6s %12s   %s\n", "net", "batch", "samples/s", "source");
	for (; r && r->net; r++) {
		if (r->batch > 0.0)
			printf("%-16s %6g", r->net, r->batch);
		else
			printf("%-16s %6s", r->net, "-");
		printf(" %12.5g   %s\n", r->samples_s, r->source);
	}
	if (device && ((const struct compute_kind *)p)->peak)
		peak_print((const struct compute_kind *)p);
	if (p->opts && p->opts->name) {
		printf("\nOptions, as in --%s %s:KEY=VALUE,...\n",
		       device ? "compute-s" : kind->one, p->name);
		opt_help(p->opts, "  ", stdout);
	} else if (!device) {
		printf("It has no options.\n");
	}
}

static void peak_add(cJSON *json, const struct device_peak *peak)
{
	cJSON *rates;

	if (!peak)
		return;
	rates = cJSON_CreateArray();
	for (const struct token_rate *t = peak->tokens; t && t->params > 0.0; t++)
		list_add(rates, OBJECT(j_number("parameters", t->params), j_number("gpus", t->gpus),
				       j_number("tokens_per_s", t->tokens_s)));
	ADD(json, j_number("peak_flops", peak->flops), j_text("peak_source", peak->source),
	    j_if(peak->memory > 0.0, j_number("memory_bytes", peak->memory)),
	    j_json("token_rates", rates));
}

static cJSON *plugin_json(const struct kind *kind, const struct plugin *p)
{
	static const char *const types[] = {
		[OPT_BOOL] = "bool", [OPT_INT] = "integer", [OPT_INT32] = "integer",
		[OPT_DOUBLE] = "number", [OPT_STRING] = "text", [OPT_ENUM] = "choice",
		[OPT_DOUBLES] = "numbers"
	};
	const struct device_rate *r = device_rates(kind, p);
	cJSON *rates = r ? cJSON_CreateArray() : NULL, *options = cJSON_CreateArray();
	cJSON *json = OBJECT(j_text("name", p->name), j_text("brief", p->brief),
			     j_text("cite", p->cite));

	if (strcmp(kind->one, "algo") == 0)
		facts_add(json, (const struct algo *)p);
	for (; r && r->net; r++)
		list_add(rates, OBJECT(j_text("net", r->net), r->batch > 0.0
							     ? j_number("batch", r->batch)
							     : j_null("batch"),
				       j_number("samples_per_s", r->samples_s),
				       j_text("source", r->source)));
	for (const struct opt *o = p->opts; o && o->name; o++)
		list_add(options, OBJECT(j_text("name", o->name), j_text("type", types[o->type]),
					 j_text("default", o->def), j_text("help", o->help)));
	if (strcmp(kind->one, "device") == 0)
		peak_add(json, ((const struct compute_kind *)p)->peak);
	return ADD(json, j_if(rates, j_json("rates", rates)), j_json("options", options));
}

/* ---- graphs: degrees, edges, what holds of them, and how fast they mix ---- */

/* Seeds of `show` are those of a run that says nothing. */
enum { SEED = 1 };

static void graph_print(const char *text, const struct topology *t, bool as_json)
{
	const int arcs = (int)t->arcs, edges = t->directed ? arcs : arcs / 2;
	const double second = topology_second(t);       /* eigenvalue's modulus; NaN: too many */
	const char *weights = t->directed ? "columns sum to one: 1 / (1 + receivers)"
			      : t->regular ? "uniform: 1 / (1 + degree)"
					   : "Metropolis: 1 / (1 + the larger of two degrees)";
	int fewest = t->n, most = 0;    /* neighbours, or receivers */

	for (int i = 0; i < t->n; i++) {
		const int degree = topology_out(t, i).n;

		fewest = degree < fewest ? degree : fewest;
		most = degree > most ? degree : most;
	}
	if (as_json) {
		json_print_own(OBJECT(
			j_text("graph", text), j_number("workers", t->n),
			j_number("degree_min", fewest), j_number("degree_max", most),
			j_number("edges", edges), j_bool("symmetric", !t->directed),
			j_bool("connected", t->connected), j_bool("bipartite", t->bipartite),
			j_text("weights", weights), j_number("second_eigenvalue", second),
			j_number("spectral_gap", 1.0 - second)));
		return;
	}
	printf("graph %s of %d worker%s\n", text, t->n, word_plural(t->n));
	printf(fewest == most ? "  degree             %d\n" : "  degree             %d to %d\n",
	       fewest, most);
	printf("  %-18s %d\n", t->directed ? "arcs" : "edges", edges);
	printf("  symmetric          %s\n", t->directed ? "no" : "yes");
	printf("  connected          %s\n", t->connected ? "yes" : "no");
	printf("  bipartite          %s\n", t->bipartite ? "yes" : "no");
	printf("  weights            %s\n", weights);
	if (isnan(second))
		printf("  spectral gap       not computed for more than %d workers\n",
		       SPECTRUM_MAX);
	else
		printf("  second eigenvalue  %.6f (modulus)\n  spectral gap       %.6f\n", second,
		       1.0 - second);
}

/* `text` is a graph with its options, as --graph takes it. Exit code. */
static int show_graph(const char *text, int workers, bool as_json)
{
	struct choice graph = { 0 };
	struct topology t;
	int code = EXIT_BAD;

	if (choice_parse(&graph, graph_table, "graph", text) < 0)
		return EXIT_BAD;
	if (topology_make(&t, &graph, workers, SEED) == 0) {
		char *canonical = choice_format(&graph);

		graph_print(canonical, &t, as_json);
		free(canonical);
		topology_free(&t);
		code = EXIT_OK;
	}
	choice_release(&graph);
	return code;
}

/* ---- files: one member a line, lists of texts one a line, objects indented ---- */

enum { DEEPEST = 16 };

static void member_print(const cJSON *item, int depth)
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
			member_print(child, depth + 1);
}

static void members_print(const cJSON *object)
{
	for (const cJSON *child = object->child; child; child = child->next)
		member_print(child, 0);
}

/* The text, NULL: none, after its title. */
static void text_print(const char *title, const char *text, int indent)
{
	if (!text)
		return;
	printf("%s", title);
	wrap_print(text, indent, indent, HELP_COLUMNS, stdout);
}

/* ---- an experiment: what it is, its scales with their numbers of runs, its settings ---- */

/* A scale: its number of runs, with time and text, which may be NULL. */
static int scale_print(const char *path, const char *name, const char *time, const char *about)
{
	struct spec s;
	double runs;

	if (spec_load(&s, path, name) < 0)
		return EXIT_BAD;
	runs = s.has_baseline;
	for (size_t i = 0; i < s.grid.n; i++)
		runs += (double)product_size(&s.grid.v[i]);
	printf("  %-10s %.0f run%s%s%s%s%s\n", s.scale, runs, word_plural(runs), time ? ", " : "",
	       time ? time : "", about ? "; " : "", about ? about : "");
	spec_release(&s);
	return EXIT_OK;
}

static void point_print(const struct grid_point *p)
{
	for (size_t i = 0; i < p->n; i++) {
		printf("  %s: ", p->v[i].key);
		wrap_print(p->v[i].value.text, 4 + (int)strlen(p->v[i].key), 4, HELP_COLUMNS,
			   stdout);
	}
}

static int show_experiment(const char *path)
{
	const cJSON *claims, *claim;
	struct listed scales = { 0 };
	struct spec s;
	int code = EXIT_OK;

	if (spec_load(&s, path, NULL) < 0)
		return EXIT_BAD;
	for (size_t i = 0; i < 3; i++) {
		const char *text = (const char *const[]){ s.title, s.paper, s.figure }[i];

		if (*text)
			puts(text);
	}
	text_print("\n", *s.about ? s.about : NULL, 0);
	printf("\nScales (%s, when none is named):\n", s.scale);
	listed_read_scales(&scales, s.json);
	if (!scales.nscales)
		code = scale_print(s.path, NULL, NULL, NULL);
	for (size_t i = 0; i < scales.nscales && code == EXIT_OK; i++)
		code = scale_print(s.path, scales.scales[i].name, scales.scales[i].time,
				   scales.scales[i].about);
	listed_release(&scales);
	printf("\nSettings of every run at scale %s:\n", s.scale);
	point_print(&s.base);
	for (size_t i = 0; i < s.grid.n; i++) {
		const struct grid_product *product = &s.grid.v[i];

		if (product->n)
			printf("\nOne run for each of:\n");
		for (size_t k = 0; k < product->n; k++) {
			const struct grid_axis *a = &product->v[k];

			printf("  %s:", a->key);
			for (size_t j = 0; j < a->values.n; j++)
				printf(" %s", a->values.v[j].text);
			putchar('\n');
		}
	}
	if (s.has_baseline) {
		printf("\nSpeedups are relative to a run of:\n");
		point_print(&s.baseline);
	}
	claims = json_get(s.json, "claims");
	if (claims && claims->child)
		printf("\nClaims that are checked:\n");
	cJSON_ArrayForEach(claim, claims) {
		printf("  - ");
		wrap_print(json_word(claim, "says"), 4, 4, HELP_COLUMNS, stdout);
	}
	spec_release(&s);
	return code;
}

/* ---- a cluster: its words, every number with unit and source, what is not given ---- */

enum { INDENT = 4 };

/* The values that a run takes where the file is silent. */
static void defaults_print(const struct cluster *c)
{
	static const struct {
		const char *key, *value;
	} all[] = {
		{ "workers", "1" },
		{ "host_copy_GBps", "0, which is free" },
		{ "host_copy_latency_s", "0 s" },
		{ "update_s", "0 s" },
		{ "overlap", "true" },
		{ "bucket_bytes", "26214400 bytes: all-reduce overlaps the backward pass, as in "
				  "PyTorch DDP" },
		{ "delay", "constant" },
		{ "link", "ideal" },
	};
	bool complete = c->names_flops;

	/* A latency of copies alone is no reason to say so. */
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		complete &= json_get(c->file, all[i].key) || i == 2;
	if (complete)
		return;
	printf("\nNot given; defaults:\n");
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!json_get(c->file, all[i].key))
			printf("  %s = %s\n", all[i].key, all[i].value);
	if (!c->names_flops)
		printf("  flops = %g operations a second, for nets without a time of their own\n",
		       c->flops);
}

static int show_cluster(const char *path)
{
	const cJSON *line;
	struct cluster_numbers all;
	struct cluster c;

	if (cluster_load(&c, path) < 0)
		return EXIT_BAD;
	text_print("", c.about, 0);
	text_print("\nSource:\n    ", c.source, INDENT);
	text_print("\nCite:\n    ", c.cite, INDENT);
	printf("\nNumbers, each with its source:\n");
	all = cluster_numbers(&c);
	for (size_t i = 0; i < all.n; i++) {
		const struct cluster_number *x = &all.v[i];

		printf("\n  %s = %s%s%s\n%*s", x->name, x->value, *x->unit ? " " : "", x->unit,
		       INDENT, "");
		if (x->source)
			wrap_print(x->source, INDENT, INDENT, HELP_COLUMNS, stdout);
		else
			puts(c.measured ? "measured by convoy calibrate"
					: "no source of its own");
	}
	cluster_numbers_free(&all);
	defaults_print(&c);
	if (c.derivation)
		printf("\nDerivation:\n");
	text_print("  ", cJSON_GetStringValue(c.derivation), 2);
	cJSON_ArrayForEach(line, c.derivation)
		text_print("  - ", line->valuestring, INDENT);
	if (c.measured) {
		printf("\nMeasured with:\n");
		members_print(c.measured);
	}
	cluster_release(&c);
	return EXIT_OK;
}

/* ---- the command ---- */

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
	scoped char *path = path_find(kind->folder, name);
	scoped_json cJSON *json = path ? json_load(path) : NULL;
	int code = EXIT_OK;

	if (!json)
		code = EXIT_BAD;
	else if (as_json)
		output_json(json, stdout);
	else if (!strcmp(kind->one, "experiment") || !strcmp(kind->one, "lesson"))
		code = show_experiment(path);
	else if (strcmp(kind->one, "cluster") == 0)
		code = show_cluster(path);
	else
		members_print(json);
	return code;
}

static int show_dispatch(const struct args *a)
{
	const struct show_conf *conf = a->conf;
	const struct kind *kind;
	const struct plugin *p;
	const char *name = a->words[1];
	struct show_net how = { conf->input, (int)conf->classes, conf->json, conf->plot,
				a->nwords > 2 ? a->words[2] : NULL };

	if (a->nwords != 2 && !(a->nwords == 3 && conf->plot))
		return args_usage(a, "expected a kind and a name, such as 'net lenet'. 'convoy "
				     "list' names the kinds");
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
	if (strcmp(kind->one, "net") == 0 && strchr(name, ':') && external_chosen(name))
		return error("net %s is code, which show does not start. 'convoy check net %s' "
			     "starts it and prints its parameters", name, name), EXIT_BAD;
	if (strcmp(kind->one, "net") == 0 && !plugin_named(kind->table, name) &&
	    !show_is_size(name))
		return show_net(name, &how);
	if (conf->input || conf->classes || conf->plot)
		return args_usage(a, "--input, --classes and --plot are for nets made of layers");
	if (strcmp(kind->one, "net") == 0 && show_is_size(name))
		return show_size(name, conf->json);
	if (kind->table && plugin_is_file(kind->table, name, strlen(name))) {
		code_permit(a->argc, a->argv);
		p = plugin_find(kind->table, kind->what, name);
		if (!p)
			return EXIT_BAD;
	} else {
		p = plugin_named(kind->table, name);
	}
	if (!p && kind->folder)
		return show_file(kind, name, conf->json);
	if (!p)
		return plugin_find(kind->table, kind->what, name) ? EXIT_OK : EXIT_BAD;
	if (conf->json)
		json_print_own(plugin_json(kind, p));
	else
		plugin_print(kind, p);
	return EXIT_OK;
}

const struct syntax cmd_show = {
	.opts = show_opts, .conf_size = sizeof(struct show_conf),
	.usage = "show KIND NAME [--json | --plot [FILE]] [OPTIONS]",
	.about = show_about, .run = show_dispatch,
};
