/* `convoy show net`: layers as a table, as JSON or as a diagram by Graphviz; layers by size. */
#include "cmd/show.h"

#include "cmd/common.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/file/members.h"
#include "core/file/output.h"
#include "core/file/paths.h"
#include "core/text/utf8.h"
#include "nets/layers/layers.h"
#include "nets/nets.h"
#include "nets/sizes/sizes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIDE_MOST = 1 << 20 };

static cJSON *shape_json(struct shape s)
{
	return cJSON_CreateIntArray((const int[]){ s.h, s.w, s.c }, 3);
}

static cJSON *layer_json(const struct graph *g, const struct layer *l)
{
	const char *in[2];
	size_t n = 0;
	cJSON *json;

	for (int i = 0; i < 2; i++)
		if (l->in[i] >= 0)
			in[n++] = g->layers[l->in[i]].name;
	json = OBJECT(j_text("name", l->name), j_text("kind", layer_kind_name(l->kind)),
		      j_texts("in", (char *const *)in, n));
	if (layer_types[l->kind]->show_shared)
		layer_types[l->kind]->show_shared(g, l, json);
	ADD(json, j_json("shape", shape_json(l->os)));
	layer_show(l, json);
	return ADD(json, j_number("parameters", (double)layer_parameters(l)),
		   j_number("macs", (double)l->macs), j_number("bytes", (double)layer_bytes(l)));
}

static cJSON *net_json(const struct graph *g)
{
	cJSON *layers = cJSON_CreateArray(), *blobs = cJSON_CreateArray();

	for (int i = 0; i < g->n; i++)
		list_add(layers, layer_json(g, &g->layers[i]));
	for (size_t i = 0; i < g->nblobs; i++) {
		const struct blob *b = &g->blobs[i];

		list_add(blobs, OBJECT(j_text("name", b->name),
				       j_json("shape", cJSON_CreateIntArray(b->shape, b->rank)),
				       j_number("offset", (double)b->offset),
				       j_number("count", (double)b->count),
				       j_bool("decay", b->decay)));
	}
	return OBJECT(j_text("name", g->name), j_if(g->about, j_text("about", g->about)),
		      j_if(g->cite, j_text("cite", g->cite)),
		      j_json("input", shape_json(g->input)), j_number("classes", g->classes),
		      j_number("parameters", (double)g->dim),
		      j_number("macs", (double)graph_macs(g)),
		      j_number("bytes", (double)graph_bytes(g)),
		      j_number("statistics", (double)g->stats_dim), j_json("layers", layers),
		      j_json("blobs", blobs));
}

/*
 * ---- the diagram in DOT ----
 *
 * A box is a layer with the normalisations, ReLUs and dropouts right after it that alone read it.
 */

#define DOT " \xc2\xb7 "

struct box {
	int first, last;        /* layers; others read the last one's output */
	int rank;               /* boxes on the longest way to it from the input */
};

struct diagram {
	const struct graph *g;
	struct box *boxes;      /* [n], readers after what they read */
	int *box_of;            /* [layers] */
	int n;
	FILE *out;
};

static void boxes_make(struct diagram *d)
{
	const struct layer *layers = d->g->layers;
	scoped int *readers = xcalloc((size_t)d->g->n, sizeof(*readers));

	for (int i = 1; i < d->g->n; i++)
		for (int k = 0; k < 2; k++)
			if (layers[i].in[k] >= 0)
				readers[layers[i].in[k]]++;
	for (int i = 0; i < d->g->n; i++) {
		const bool joins = layer_types[layers[i].kind]->joins;
		const int in = layers[i].in[0];

		if (joins && in > 0 && in == i - 1 && readers[in] == 1) {
			d->box_of[i] = d->box_of[in];
			d->boxes[d->box_of[i]].last = i;
			continue;
		}
		d->box_of[i] = d->n;
		d->boxes[d->n++] = (struct box){ .first = i, .last = i };
	}
}

/* A string of DOT. In labels "&amp;" and the like stand for characters. */
static void dot_string(const char *text, FILE *out)
{
	putc('"', out);
	for (; *text; text++)
		if (*text == '&')
			fputs("&amp;", out);
		else if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else
			putc((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text, out);
	putc('"', out);
}

static const char *box_name(const struct diagram *d, int box)
{
	return d->g->layers[d->boxes[box].first].name;
}

/* 1234567 -> "1.23 M" */
static void format_count(double count, char *text, size_t size)
{
	static const char *const unit[] = { "", " k", " M", " G", " T" };
	int u = 0;

	for (; count >= 999.5 && u < 4; u++)
		count /= 1000;
	snprintf(text, size, "%.*f%s", u && count < 99.95 ? (count < 9.995 ? 2 : 1) : 0, count,
		 unit[u]);
}

/* "conv 3x3/2 · bn · relu\n16x16x32 · 4.64 k · 1.18 M" */
static void box_label(const struct graph *g, const struct box *b, FILE *out)
{
	const struct shape os = g->layers[b->last].os;
	char detail[64], text[32];
	size_t parameters = 0;

	layer_detail(&g->layers[b->first], detail, sizeof(detail));
	fprintf(out, "\"%s%s%s", layer_kind_name(g->layers[b->first].kind), *detail ? " " : "",
		detail);
	for (int i = b->first; i <= b->last; i++) {
		parameters += layer_parameters(&g->layers[i]);
		if (i > b->first)
			fprintf(out, DOT "%s", layer_kind_name(g->layers[i].kind));
	}
	fprintf(out, "\\n%dx%dx%d", os.h, os.w, os.c);
	if (parameters) {
		format_count((double)parameters, text, sizeof(text));
		fprintf(out, DOT "%s", text);
		format_count((double)g->layers[b->first].macs, text, sizeof(text));
		fprintf(out, DOT "%s", text);
	}
	putc('"', out);
}

/* Boxes named stage1.block1.NAME stand in the frame stage1.block1. */
static void box_put(const struct diagram *d, int i)
{
	const struct box *b = &d->boxes[i];
	const char *name = box_name(d, i), *end = strrchr(name, '.');
	const char *colour = layer_types[d->g->layers[b->first].kind]->colour;
	scoped char *frame = end ? xasprintf("%.*s", (int)(end - name), name) : NULL;

	putc('\t', d->out);
	if (frame) {
		scoped char *cluster = xasprintf("cluster_%s", frame);

		fputs("subgraph ", d->out);
		dot_string(cluster, d->out);
		fputs(" { color=\"#cfd8dc\"; fontsize=10; label=", d->out);
		dot_string(frame, d->out);
		fputs("; ", d->out);
	}
	dot_string(name, d->out);
	fputs(" [label=", d->out);
	box_label(d->g, b, d->out);
	fprintf(d->out, ", fillcolor=\"%s\"]%s\n", colour ? colour : "#eceff1",
		frame ? " }" : "");
}

/* Wires from what the box reads. A connection past other boxes has a colour of its own. */
static void box_put_wires(const struct diagram *d, int i)
{
	const int *in = d->g->layers[d->boxes[i].first].in;
	int from[2] = { -1, -1 };

	for (int k = 0; k < 2; k++) {
		from[k] = in[k] < 0 ? -1 : d->box_of[in[k]];
		if (from[k] >= 0 && d->boxes[i].rank <= d->boxes[from[k]].rank)
			d->boxes[i].rank = d->boxes[from[k]].rank + 1;
	}
	for (int k = 0; k < 2; k++) {
		if (from[k] < 0 || (k && from[1] == from[0]))
			continue;
		putc('\t', d->out);
		dot_string(box_name(d, from[k]), d->out);
		fputs(" -> ", d->out);
		dot_string(box_name(d, i), d->out);
		fputs(d->boxes[i].rank > d->boxes[from[k]].rank + 1 ? " [color=\"#d9480f\"]\n"
								    : "\n", d->out);
	}
}

/* The layers as boxes with their connections. */
static void net_dot(const struct graph *g, FILE *out)
{
	struct diagram d = { .g = g, .out = out };
	char title[256], parameters[32], macs[32];

	format_count((double)g->dim, parameters, sizeof(parameters));
	format_count((double)graph_macs(g), macs, sizeof(macs));
	snprintf(title, sizeof(title), "%s: %dx%dx%d, %d classes, %s parameters, %s "
		 "multiply-accumulates", g->name, g->input.h, g->input.w, g->input.c, g->classes,
		 parameters, macs);
	fputs("digraph ", out);
	dot_string(g->name, out);
	fputs(" {\n\tgraph [labelloc=t, fontname=\"Helvetica\", label=", out);
	dot_string(title, out);
	fputs("]\n\tnode [shape=box, style=\"rounded,filled\", color=\"#546e7a\", "
	      "fontname=\"Helvetica\", fontsize=11]\n"
	      "\tedge [color=\"#37474f\", arrowsize=0.6]\n\n"
	      "\t/* in a box: output, parameters, multiply-accumulates of one sample */\n", out);
	d.boxes = xcalloc((size_t)g->n, sizeof(*d.boxes));
	d.box_of = xcalloc((size_t)g->n, sizeof(*d.box_of));
	boxes_make(&d);
	for (int i = 0; i < d.n; i++)
		box_put(&d, i);
	putc('\n', out);
	for (int i = 0; i < d.n; i++)
		box_put_wires(&d, i);
	fputs("}\n", out);
	free_all(d.boxes, d.box_of);
}

/* ---- its files ---- */

enum { DOT_S = 120 };           /* that dot may take */

/* Draws the DOT file as path, whose format is svg or pdf. 0, 1: there is no dot, -1: error(). */
static int dot_run(const char *dot_path, const char *path, const char *format)
{
	char *words[] = { "dot", xasprintf("-T%s", format), NULL };
	const int in = open(dot_path, O_RDONLY | O_CLOEXEC);
	const struct process_way way = { .words = words, .in = in, .out = PROCESS_PIPE,
					 .end_signal = SIGTERM };
	struct process_answer a;
	struct process dot;
	char how[96];
	int rc = 1;

	if (in < 0) {
		rc = error("%s: %s", dot_path, strerror(errno));
	} else if (process_start(&dot, &way) == 0) {
		a = process_collect(&dot, &(struct process_limits){ .seconds = DOT_S });
		if (a.end != PROCESS_ENDED) {
			rc = error("%s: Graphviz's dot takes more than %d s. Draw the .dot file by "
				   "another of its programs, such as sfdp", path, DOT_S);
		} else if (process_succeeded(a.status)) {
			rc = output_write(path, a.text, a.n);
		} else {
			process_ending(a.status, how);
			rc = error("%s: Graphviz's dot %s. Run it on the .dot file to see why",
				   path, how);
		}
		free(a.text);
	} else if (errno != ENOENT) {
		rc = error("cannot start Graphviz's dot: %s", strerror(errno));
	}
	if (in >= 0)
		close(in);
	free(words[1]);
	return rc;
}

/*
 * Writes FILE.dot, whose folder is made where it is missing, and the picture FILE.svg or .pdf, as
 * the name of the file ends, and prints their names; NULL: NAME.svg. Without Graphviz a picture
 * that was asked for is an error. 0 or error().
 */
static int net_plot(const struct graph *g, const char *file)
{
	static const char absent[] = "%s is not drawn: Graphviz's program dot is not installed "
				     "(Debian: apt install graphviz). %s was written";
	char *path = file ? xstrdup(file) : xasprintf("%s.svg", g->name);
	const char *suffix = strrchr(path, '.');
	char *dot_path, *folder, *text = NULL;
	size_t n;
	int rc;

	if (!suffix || (strcmp(suffix, ".dot") && strcmp(suffix, ".svg") &&
			strcmp(suffix, ".pdf"))) {
		error("%s: a plot is a DOT, SVG or PDF file. Give it a name that ends in .dot, "
		      ".svg or .pdf", path);
		free(path);
		return -1;
	}
	dot_path = xasprintf("%.*s.dot", (int)(suffix - path), path);
	folder = path_folder(path);
	rc = dir_make(folder);
	if (!rc) {
		FILE *out = xmemstream(&text, &n);

		net_dot(g, out);
		xmemclose(out);
		rc = output_write(dot_path, text, n);
	}
	if (!rc)
		utf8_puts(dot_path);
	if (!rc && strcmp(path, dot_path) != 0) {
		rc = dot_run(dot_path, path, suffix + 1);
		if (rc == 0)
			utf8_puts(path);
		else if (rc > 0 && file)
			rc = error(absent, path, dot_path);
		else if (rc > 0)
			note(absent, path, dot_path);
	}
	free_all(text, folder, dot_path, path);
	return rc < 0 ? -1 : 0;
}

int show_net(const char *name, const struct show_net *how)
{
	struct shape in = { 0, 0, 0 };
	struct graph *g;
	int code = EXIT_OK;
	char end;

	if (how->input &&
	    !(sscanf(how->input, "%7dx%7dx%7d%c", &in.h, &in.w, &in.c, &end) == 3 && in.h > 0 &&
	      in.w > 0 && in.c > 0 && in.h <= SIDE_MOST && in.w <= SIDE_MOST &&
	      in.c <= SIDE_MOST)) {
		error("--input '%s': expected HEIGHTxWIDTHxCHANNELS, such as 32x32x3", how->input);
		return EXIT_USAGE;
	}
	g = graph_load(name, in, how->classes);
	if (!g)
		return EXIT_BAD;
	if (how->plot)
		code = net_plot(g, how->file) < 0 ? EXIT_BAD : EXIT_OK;
	else if (how->json)
		json_print_own(net_json(g));
	else
		graph_print(g, stdout);
	graph_free(g);
	return code;
}

/* ---- nets that are known by the sizes of their layers alone ---- */

bool show_is_size(const char *name)
{
	const bool bare = !strchr(name, ':');

	for (const struct plugin *const *p = size_table; bare && *p; p++)
		if (strcmp((*p)->name, name) == 0)
			return ((const struct size_type *)*p)->rows != NULL;
	return sizes_chosen(name);
}

static void sizes_print(const struct plugin *p, const struct size_list *list,
			const struct size_layer *all)
{
	printf("%s: %s\n", p->name, p->brief);
	if (p->cite)
		printf("Source: %s\n", p->cite);
	printf("\n%-8s %16s %20s", "layer", "parameters", "MACs");
	if (list->timed)
		printf(" %12s %12s", "forward [s]", "backward [s]");
	putchar('\n');
	for (size_t i = 0; i <= list->n; i++) {
		const struct size_layer *l = i < list->n ? &list->layer[i] : all;
		char name[24];

		snprintf(name, sizeof(name), i < list->n ? "%zu" : "total", i + 1);
		printf("%-8s %16.0f %20.0f", name, l->parameters, l->macs);
		if (list->timed)
			printf(" %12.6g %12.6g", l->forward_s, l->backward_s);
		putchar('\n');
	}
}

static cJSON *size_add(cJSON *json, const struct size_layer *l, bool timed)
{
	return ADD(json, j_number("parameters", l->parameters), j_number("macs", l->macs),
		   j_if(timed, j_number("forward_s", l->forward_s)),
		   j_if(timed, j_number("backward_s", l->backward_s)));
}

static cJSON *sizes_json(const struct plugin *p, const struct size_list *list,
			 const struct size_layer *all)
{
	cJSON *layers = cJSON_CreateArray();
	cJSON *json = OBJECT(j_text("name", p->name), j_text("brief", p->brief),
			     j_if(p->cite, j_text("cite", p->cite)));

	for (size_t i = 0; i < list->n; i++)
		list_add(layers, size_add(cJSON_CreateObject(), &list->layer[i], list->timed));
	return ADD(size_add(json, all, list->timed), j_json("layers", layers));
}

int show_size(const char *name, bool as_json)
{
	scoped_by(choice_release) struct choice c = { 0 };
	scoped_by(sizes_release) struct size_list list = { 0 };
	struct size_layer all = { 0 };
	int ret = sizes_parse(&c, name);

	if (ret == 0)
		ret = sizes_layers(&c, &list);
	for (size_t i = 0; ret == 0 && i < list.n; i++) {
		all.parameters += list.layer[i].parameters;
		all.macs += list.layer[i].macs;
		all.forward_s += list.layer[i].forward_s;
		all.backward_s += list.layer[i].backward_s;
	}
	if (ret == 0 && as_json)
		json_print_own(sizes_json(c.plugin, &list, &all));
	else if (ret == 0)
		sizes_print(c.plugin, &list, &all);
	return ret < 0 ? EXIT_BAD : EXIT_OK;
}
