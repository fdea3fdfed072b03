/*
 * net_draw.c - a net's diagram as SVG.
 */
#include "cmd/show/net.h"

#include "core/base/mem.h"
#include "nets/nets.h"

#include <stdlib.h>
#include <string.h>

/* Pixels: a box, what lies between two, a lane without boxes, a block's heading, the margin. */
enum {
	BOX_W = 186, BOX_H = 36, ROW_GAP = 16, LANE_GAP = 12, WIRE_W = 16, HEAD = 14, EDGE = 24,
	TITLE = 46, COLUMN_GAP = 30, HEADING_W = 720
};

#define DOT " \xc2\xb7 "

struct place {
	double x, y;            /* top left corner of a box */
};

struct sheet {
	const struct diagram *d;
	FILE *out;
	double *row;            /* [ranks] top of the boxes */
	double (*lane)[DIAGRAM_LANES];  /* [columns] left edge of each lane */
	bool (*wide)[DIAGRAM_LANES];    /* [columns] the lane has boxes */
	double *left;           /* [columns + 1] left edge of a column */
	int *source;            /* [columns] box before the column that feeds it, or -1 */
	double width, height;
};

static const char *colour(enum layer_kind kind)
{
	switch (kind) {
	case LAYER_CONV:
		return "#cfe2f7";
	case LAYER_DENSE:
		return "#dcd3f2";
	case LAYER_MAXPOOL:
	case LAYER_AVGPOOL:
	case LAYER_GLOBALPOOL:
		return "#cdebd3";
	case LAYER_ADD:
	case LAYER_CONCAT:
		return "#fbdcc0";
	case LAYER_SHORTCUT:
		return "#fdeecb";
	case LAYER_INPUT:
		return "#ffffff";
	default:
		return "#eceff1";
	}
}

static void print_xml(const char *text, FILE *out)
{
	for (; *text; text++)
		if (*text == '&' || *text == '<' || *text == '>' || (unsigned char)*text < 0x20)
			fprintf(out, "&#%d;", *text < 0x20 ? '?' : *text);
		else
			putc(*text, out);
}

/* ---- where ---- */

static int column_of(const struct sheet *s, int box)
{
	return s->d->column[s->d->boxes[box].rank];
}

static struct place place_of(const struct sheet *s, int box)
{
	const struct box *b = &s->d->boxes[box];

	return (struct place){ s->lane[column_of(s, box)][b->lane], s->row[b->rank] };
}

static void place_rows(struct sheet *s)
{
	double y = TITLE + EDGE;
	int last = -1;

	for (int r = 0; r < s->d->ranks; r++) {
		int group = s->d->group[r];

		if (r && s->d->column[r] != s->d->column[r - 1]) {
			y = TITLE + EDGE + BOX_H / 2.0 + ROW_GAP;
			last = -1;
		}
		if (group != last)
			y += HEAD;
		last = group;
		s->row[r] = y;
		y += BOX_H + ROW_GAP;
		if (y > s->height)
			s->height = y;
	}
	s->height += EDGE;
}

/* used[column][lane]: 1 + whether boxes stand in it. */
static void note_lanes(struct sheet *s, bool (*used)[DIAGRAM_LANES])
{
	const struct diagram *d = s->d;

	for (int i = 0; i < d->nboxes; i++) {
		used[column_of(s, i)][d->boxes[i].lane] = true;
		s->wide[column_of(s, i)][d->boxes[i].lane] = true;
	}
	for (int i = 0; i < d->nwires; i++)
		if (d->wires[i].lane >= 0)
			used[column_of(s, d->wires[i].to)][d->wires[i].lane] = true;
}

static void place_lanes(struct sheet *s, int columns)
{
	bool (*used)[DIAGRAM_LANES] = xcalloc((size_t)columns, sizeof(*used));
	double x = EDGE;

	note_lanes(s, used);
	for (int c = 0; c < columns; c++) {
		s->left[c] = x;
		for (int k = 0; k < DIAGRAM_LANES; k++) {
			s->lane[c][k] = x;
			if (used[c][k])
				x += s->wide[c][k] ? BOX_W + LANE_GAP : WIRE_W;
		}
		x += COLUMN_GAP;
	}
	s->left[columns] = x;
	s->width = x - COLUMN_GAP + EDGE - LANE_GAP;
	if (s->width < HEADING_W)
		s->width = HEADING_W;
	free(used);
}

static void find_sources(struct sheet *s, int columns)
{
	for (int c = 0; c < columns; c++)
		s->source[c] = -1;
	for (int i = 0; i < s->d->nwires; i++) {
		const struct wire *w = &s->d->wires[i];

		if (column_of(s, w->from) != column_of(s, w->to))
			s->source[column_of(s, w->to)] = w->from;
	}
}

/* ---- drawing ---- */

static void draw_text(const struct sheet *s, double x, double y, const char *style,
		      const char *text)
{
	fprintf(s->out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, style);
	print_xml(text, s->out);
	fputs("</text>\n", s->out);
}

/* "conv 3x3/2 · bn · relu" */
static void name_box(const struct graph *g, const struct box *b, char *text, size_t size)
{
	char detail[64];
	int n = 0;

	layer_detail(&g->layers[b->first], detail, sizeof(detail));
	n = snprintf(text, size, "%s%s%s", layer_kind_name(g->layers[b->first].kind),
		     *detail ? " " : "", detail);
	for (int i = b->first + 1; i <= b->last && n > 0 && (size_t)n < size; i++)
		n += snprintf(text + n, size - (size_t)n, DOT "%s",
			      layer_kind_name(g->layers[i].kind));
}

/* 1234567 -> "1.23 M" */
static void print_count(double count, char *text, size_t size)
{
	static const char *const unit[] = { "", " k", " M", " G", " T" };
	int u = 0;

	for (; count >= 999.5 && u < 4; u++)
		count /= 1000;
	snprintf(text, size, "%.*f%s", u && count < 99.95 ? (count < 9.995 ? 2 : 1) : 0, count,
		 unit[u]);
}

static void describe_box(const struct graph *g, const struct box *b, char *text, size_t size)
{
	struct shape os = g->layers[b->last].os;
	char params[32], macs[32];
	size_t count = 0;

	for (int i = b->first; i <= b->last; i++)
		count += layer_parameters(&g->layers[i]);
	print_count((double)count, params, sizeof(params));
	print_count((double)g->layers[b->first].macs, macs, sizeof(macs));
	if (count)
		snprintf(text, size, "%dx%dx%d" DOT "%s" DOT "%s", os.h, os.w, os.c, params, macs);
	else
		snprintf(text, size, "%dx%dx%d", os.h, os.w, os.c);
}

static void draw_box(const struct sheet *s, int i)
{
	const struct graph *g = s->d->g;
	const struct box *b = &s->d->boxes[i];
	struct place p = place_of(s, i);
	char text[256];

	fprintf(s->out, "<g><title>");
	print_xml(g->layers[b->first].name, s->out);
	fprintf(s->out, "</title><rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" rx=\"4\" "
		"fill=\"%s\" class=\"box\"/>\n", p.x, p.y, BOX_W, BOX_H,
		colour(g->layers[b->first].kind));
	name_box(g, b, text, sizeof(text));
	draw_text(s, p.x + BOX_W / 2.0, p.y + 15, "name", text);
	describe_box(g, b, text, sizeof(text));
	draw_text(s, p.x + BOX_W / 2.0, p.y + 29, "size", text);
	fputs("</g>\n", s->out);
}

/* The box that an earlier column ends with, named again at the top of this one. */
static void draw_source(const struct sheet *s, int column, int box)
{
	const struct layer *l = &s->d->g->layers[s->d->boxes[box].last];
	double x = s->left[column], y = TITLE + EDGE / 2.0;

	fprintf(s->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"18\" rx=\"9\" "
		"class=\"source\"/>\n", x, y, BOX_W);
	draw_text(s, x + BOX_W / 2.0, y + 12.5, "size", l->name);
}

/* Where a connection leaves: under its box, or under that box's name atop a later column. */
static struct place leaves(const struct sheet *s, const struct wire *w)
{
	struct place p = place_of(s, w->from);
	int column = column_of(s, w->to);

	if (column == column_of(s, w->from))
		return (struct place){ p.x + BOX_W / 2.0, p.y + BOX_H };
	return (struct place){ s->left[column] + BOX_W / 2.0, TITLE + EDGE / 2.0 + 18 };
}

static void draw_wire(const struct sheet *s, const struct wire *w)
{
	struct place a = leaves(s, w), b = place_of(s, w->to);
	int column = column_of(s, w->to), rank = s->d->boxes[w->to].rank;
	double x, top, bottom;

	b.x += BOX_W / 2.0;
	if (w->lane < 0) {
		double mid = (a.y + b.y) / 2;

		fprintf(s->out, "<path class=\"wire\" d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f "
			"%.1f\"/>\n", a.x, a.y, a.x, mid, b.x, mid, b.x, b.y);
		return;
	}
	x = s->lane[column][w->lane] + (s->wide[column][w->lane] ? BOX_W / 2.0 : WIRE_W / 2.0);
	top = a.y + ROW_GAP + BOX_H / 2.0;
	bottom = s->row[rank - 1] + BOX_H / 2.0;
	b.x += x > b.x ? BOX_W / 4.0 : 0;
	fprintf(s->out, "<path class=\"skip\" d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1fL%.1f "
		"%.1fC%.1f %.1f %.1f %.1f %.1f %.1f\"/>\n", a.x, a.y, a.x, a.y + ROW_GAP, x,
		a.y, x, top, x, bottom, x, b.y, b.x, b.y - ROW_GAP, b.x, b.y);
}

/* The ranks of a block that lie in one column, from `first` on. */
static int draw_group(const struct sheet *s, int first)
{
	int group = s->d->group[first], last = first, column = s->d->column[first];
	double right = s->left[column + 1] - COLUMN_GAP + 4;

	while (last + 1 < s->d->ranks && s->d->group[last + 1] == group
	       && s->d->column[last + 1] == column)
		last++;
	if (group >= 0) {
		fprintf(s->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
			"rx=\"6\" class=\"block\"/>\n", s->left[column] - 8, s->row[first] - 15,
			right - s->left[column] + 8, s->row[last] - s->row[first] + BOX_H + 21);
		draw_text(s, s->left[column] - 4, s->row[first] - 4.5, "head",
			  s->d->groups[group]);
	}
	return last;
}

static void draw_head(const struct sheet *s)
{
	const struct graph *g = s->d->g;
	char text[256], params[32], macs[32];

	fprintf(s->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
		"viewBox=\"0 0 %.0f %.0f\" font-family=\"Helvetica, Arial, sans-serif\">\n",
		s->width, s->height, s->width, s->height);
	fputs("<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
	      "markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\">"
	      "<path d=\"M0 0L8 4L0 8z\" fill=\"#37474f\"/></marker></defs>\n"
	      "<style>.box{stroke:#546e7a;stroke-width:0.8}"
	      ".block{fill:#f6f8fa;stroke:#cfd8dc;stroke-width:0.8}"
	      ".source{fill:#fff;stroke:#90a4ae;stroke-dasharray:3 2}"
	      ".wire,.skip{fill:none;stroke:#37474f;stroke-width:1.1;marker-end:url(#tip)}"
	      ".skip{stroke:#d9480f}.name{font-size:12px;text-anchor:middle;fill:#102027}"
	      ".size{font-size:10px;text-anchor:middle;fill:#455a64}"
	      ".legend{font-size:10px;fill:#455a64}"
	      ".head{font-size:10px;font-style:italic;fill:#607d8b}"
	      ".title{font-size:15px;font-weight:bold;fill:#102027}</style>\n"
	      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", s->out);
	print_count((double)g->dim, params, sizeof(params));
	print_count((double)graph_macs(g), macs, sizeof(macs));
	snprintf(text, sizeof(text), "%s: %dx%dx%d, %d classes, %s parameters, %s "
		 "multiply-accumulates", g->name, g->input.h, g->input.w, g->input.c, g->classes,
		 params, macs);
	draw_text(s, EDGE, 20, "title", text);
	draw_text(s, EDGE, 36, "legend", "Each box: output, parameters, multiply-accumulates "
		  "of one sample. Normalisation, ReLU and dropout stand in the box they follow.");
}

static void draw_all(const struct sheet *s, int columns)
{
	draw_head(s);
	for (int r = 0; r < s->d->ranks; r++)
		r = draw_group(s, r);
	for (int c = 1; c < columns; c++)
		if (s->source[c] >= 0)
			draw_source(s, c, s->source[c]);
	for (int i = 0; i < s->d->nwires; i++)
		draw_wire(s, &s->d->wires[i]);
	for (int i = 0; i < s->d->nboxes; i++)
		draw_box(s, i);
	fputs("</svg>\n", s->out);
}

void net_draw(const struct graph *g, FILE *out)
{
	struct diagram d;
	struct sheet s = { .d = &d, .out = out };
	int columns;

	diagram_build(&d, g);
	columns = d.column[d.ranks - 1] + 1;
	s.row = xcalloc((size_t)d.ranks, sizeof(*s.row));
	s.lane = xcalloc((size_t)columns, sizeof(*s.lane));
	s.wide = xcalloc((size_t)columns, sizeof(*s.wide));
	s.left = xcalloc((size_t)columns + 1, sizeof(*s.left));
	s.source = xcalloc((size_t)columns, sizeof(*s.source));
	place_rows(&s);
	place_lanes(&s, columns);
	find_sources(&s, columns);
	draw_all(&s, columns);
	free(s.row);
	free(s.lane);
	free(s.wide);
	free(s.left);
	free(s.source);
	diagram_release(&d);
}
