/* Nets of which only layers' bytes and times are known: for timing-only runs. */
#ifndef NETS_SIZES_SIZES_H
#define NETS_SIZES_SIZES_H

#include "core/text/opt.h"

struct size_layer {             /* in the order of the forward pass */
	double parameters;      /* floats; 0: none, as of an output that shares another's weights */
	double macs;            /* forward multiply-accumulates per sample */
	double forward_s, backward_s;   /* seconds of a minibatch; 0: not measured */
};

struct size_list {
	struct size_layer *layer;       /* [n] owned */
	size_t n;
	bool timed;             /* layers have seconds ... */
	bool split;             /* ... of both passes */
};

struct size_row {                /* of a table of layers */
	size_t n;               /* layers alike; 0 ends a table */
	double parameters, macs;
};

struct size_type {              /* plug-in */
	struct plugin plugin;
	/* Fills an empty list; 0 or error(). */
	int (*layers)(const void *conf, struct size_list *list);
	/* Instead, of a net of a paper: its name says which, so a cluster may have timed it. */
	const struct size_row *rows;
};

extern const struct plugin *const size_table[]; /* NULL-ended */
extern const struct plugin *const net_table[];  /* problems and sizes, NULL-ended */

/* True of a text that chooses one of size_table: "bytes:...", "vgg16". */
bool sizes_chosen(const char *text);

/*
 * Reads "NAME", "NAME:KEY=VALUE,..." or "NAME:VALUE,KEY=VALUE,...", where VALUE is of the
 * plug-in's first option. 0 or error().
 */
int sizes_parse(struct choice *c, const char *text);

/* Fills an empty list with the layers of a chosen net; 0 or error(). */
int sizes_layers(const struct choice *c, struct size_list *list);

/* Adds n layers alike. */
void sizes_add(struct size_list *list, size_t n, struct size_layer layer);

void sizes_release(struct size_list *list);

#endif
