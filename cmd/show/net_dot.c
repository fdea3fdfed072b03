/*
 * net_dot.c - a net's diagram in Graphviz's language DOT, which draws it.
 *
 * A box is a layer with the normalisations, ReLUs and dropouts right after it that alone read it.
 */
#include "cmd/show/show.h"

#include "core/base/mem.h"
#include "nets/layers/layers.h"
#include "nets/nets.h"

#include <stdlib.h>
#include <string.h>

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

/* ---- boxes ---- */

static int *count_readers(const struct graph *g)
{
	int *readers = xcalloc((size_t)g->n, sizeof(*readers));

	for (int i = 1; i < g->n; i++)
		for (int k = 0; k < 2; k++)
			if (g->layers[i].in[k] >= 0)
				readers[g->layers[i].in[k]]++;
	return readers;
}

static void make_boxes(struct diagram *d)
{
	int *readers = count_readers(d->g);

	for (int i = 0; i < d->g->n; i++) {
		const struct layer *l = &d->g->layers[i];
		const int in = l->in[0];

		if (in > 0 && in == i - 1 && layer_types[l->kind]->joins && readers[in] == 1) {
			d->box_of[i] = d->box_of[in];
			d->boxes[d->box_of[i]].last = i;
			continue;
		}
		d->box_of[i] = d->n;
		d->boxes[d->n++] = (struct box){ .first = i, .last = i };
	}
	free(readers);
}

/* ---- text ---- */

/* A string of DOT. In labels "&amp;" and the like stand for characters. */
static void put_string(const char *text, FILE *out)
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
static void put_label(const struct graph *g, const struct box *b, FILE *out)
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

/* ---- the diagram ---- */

static void net_dot_put_head(const struct graph *g, FILE *out)
{
	char title[256], parameters[32], macs[32];

	format_count((double)g->dim, parameters, sizeof(parameters));
	format_count((double)graph_macs(g), macs, sizeof(macs));
	snprintf(title, sizeof(title), "%s: %dx%dx%d, %d classes, %s parameters, %s "
		 "multiply-accumulates", g->name, g->input.h, g->input.w, g->input.c, g->classes,
		 parameters, macs);
	fputs("digraph ", out);
	put_string(g->name, out);
	fputs(" {\n\tgraph [labelloc=t, fontname=\"Helvetica\", label=", out);
	put_string(title, out);
	fputs("]\n\tnode [shape=box, style=\"rounded,filled\", color=\"#546e7a\", "
	      "fontname=\"Helvetica\", fontsize=11]\n"
	      "\tedge [color=\"#37474f\", arrowsize=0.6]\n\n"
	      "\t/* in a box: output, parameters, multiply-accumulates of one sample */\n", out);
}

/* Boxes named stage1.block1.NAME stand in the frame stage1.block1. */
static void put_box(const struct diagram *d, int i)
{
	const struct box *b = &d->boxes[i];
	const char *name = box_name(d, i), *end = strrchr(name, '.');
	const char *colour = layer_types[d->g->layers[b->first].kind]->colour;
	char *frame = end ? xasprintf("%.*s", (int)(end - name), name) : NULL;

	putc('\t', d->out);
	if (frame) {
		char *cluster = xasprintf("cluster_%s", frame);

		fputs("subgraph ", d->out);
		put_string(cluster, d->out);
		fputs(" { color=\"#cfd8dc\"; fontsize=10; label=", d->out);
		put_string(frame, d->out);
		fputs("; ", d->out);
		free(cluster);
	}
	put_string(name, d->out);
	fputs(" [label=", d->out);
	put_label(d->g, b, d->out);
	fprintf(d->out, ", fillcolor=\"%s\"]%s\n", colour ? colour : "#eceff1",
		frame ? " }" : "");
	free(frame);
}

/* What the box reads. A connection past other boxes has a colour of its own. */
static void put_wires(const struct diagram *d, int i)
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
		put_string(box_name(d, from[k]), d->out);
		fputs(" -> ", d->out);
		put_string(box_name(d, i), d->out);
		fputs(d->boxes[i].rank > d->boxes[from[k]].rank + 1 ? " [color=\"#d9480f\"]\n"
								    : "\n", d->out);
	}
}

void net_dot(const struct graph *g, FILE *out)
{
	struct diagram d = { .g = g, .out = out };

	d.boxes = xcalloc((size_t)g->n, sizeof(*d.boxes));
	d.box_of = xcalloc((size_t)g->n, sizeof(*d.box_of));
	make_boxes(&d);
	net_dot_put_head(g, out);
	for (int i = 0; i < d.n; i++)
		put_box(&d, i);
	putc('\n', out);
	for (int i = 0; i < d.n; i++)
		put_wires(&d, i);
	fputs("}\n", out);
	free(d.boxes);
	free(d.box_of);
}
