/* Between the parts of the unroller; see unroll.c. */
#ifndef NETS_GRAPH_UNROLL_H
#define NETS_GRAPH_UNROLL_H

#include "nets/layers.h"

struct builder {
	struct graph *g;
	const char *path;
	const cJSON *defaults;          /* settings by layer kind, may be NULL */
	const cJSON *blocks;            /* may be NULL */
	int height, width;              /* of the file's own "input"; 0: it has none */
	int capacity, steps;
};

/* The names that the items of one list see. */
struct scope {
	const char *prefix;             /* "stage1.block1." */
	const cJSON *params;            /* object: what "$name" stands for */
	const cJSON *end;               /* blocks from here on are not yet defined; NULL: all are */
	int input;                      /* layer that "input" means */
	int prev;                       /* layer that an item without "in" reads */
	struct known { char name[48]; int layer; } *known;
	int n, capacity;
};

/* ---- scope.c ---- */

/* Adds a name for a layer, which the next item reads unless it says otherwise. */
void scope_add(struct scope *s, const char *name, int layer);

/* name <- the stem with the number after the last of at most 9 digits. */
void scope_number(const struct scope *s, const char *stem, char *name, size_t size);

/* 0, or error() for a name that is malformed, too long or taken. */
int scope_check(const struct scope *s, const char *name, const char *path);

/* in[] <- the layers an item reads; `ins` is how many its kind needs. 0 or error(). */
int scope_inputs(const struct scope *s, const cJSON *item, int ins, int in[2],
		 const char *where);

/* ---- layer.c ---- */

/* The kind of that name, or LAYER_INPUT when there is none. */
enum layer_kind layer_find(const char *name);

/* Adds a layer to the graph and the scope; "$name"s are already replaced. 0 or error(). */
int layer_add(struct builder *b, struct scope *s, enum layer_kind kind, const cJSON *item,
	      const char *name, const char *where);

/* ---- tie.c ---- */

/* What a layer shares with others. 0 or error(). */
int layer_tie(struct graph *g, struct layer *l, const char *where);

/* ---- memory.c ---- */

/* Where each layer's rows lie in a stream's memory, and how large that is. */
void graph_offset_memory(struct graph *g);

/* ---- unroll.c ---- */

/* Adds all items of a list. 0 or error(). */
int unroll_list(struct builder *b, struct scope *s, const cJSON *list, const char *where);

#endif
