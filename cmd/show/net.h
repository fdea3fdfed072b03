/*
 * net.h - `convoy show net`: a net's layers as a table, as JSON, as a picture.
 */
#ifndef CMD_SHOW_NET_H
#define CMD_SHOW_NET_H

#include "nets/graph.h"

#include <stdio.h>

/* What of the command line is for nets alone. */
struct show_net {
	const char *input;      /* "HxWxC"; NULL: the file's own */
	int classes;            /* 0: the file's own */
	bool json, plot;
	const char *file;       /* of the plot; NULL: NAME.svg */
};

/* Loads and prints, or draws and prints where. Exit code. */
int show_net(const char *name, const struct show_net *how);

/* The layers as boxes with their connections, as SVG. */
void net_draw(const struct graph *g, FILE *out);

/* ---- between net_layout.c, which places, and net_draw.c, which draws ---- */

enum { DIAGRAM_LANES = 64 };    /* what needs more shares the last one */

/* A layer with the normalisations, ReLUs and dropouts right behind it that alone read it. */
struct box {
	int first, last;        /* layers; others read the last one's output */
	int rank, lane;         /* row counted through all columns; place in the row */
};

struct wire {
	int from, to;           /* boxes */
	int lane;               /* it passes the rows between them in; -1: there is none */
};

struct diagram {
	const struct graph *g;
	struct box *boxes;      /* [nboxes] */
	struct wire *wires;     /* [nwires] */
	int nboxes, nwires, ranks;
	int *column;            /* [ranks], from 0, never falling */
	char (*groups)[48];     /* [ngroups] prefixes such as "stage1.block1" */
	int ngroups;
	int *group;             /* [ranks] of the first lane's box, -1: none */
};

void diagram_build(struct diagram *d, const struct graph *g);
void diagram_release(struct diagram *d);

#endif
