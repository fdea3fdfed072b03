/* Nets of which only the sizes and times of layers are known, for timing-only runs. */
#ifndef NETS_SIZES_SIZES_H
#define NETS_SIZES_SIZES_H

#include "core/text/opt.h"

struct size_layer {             /* in the order of the forward pass */
	double parameters;      /* floats; 0: none, or shared with another layer */
	double macs;            /* forward multiply-accumulates per sample */
	double forward_s, backward_s;   /* seconds for a minibatch; 0: not measured */
};

struct size_list {
	struct size_layer *layer;       /* [n] owned */
	size_t n;
	bool timed;             /* layers have seconds ... */
	bool split;             /* ... of both passes */
};

struct size_row {                /* a row of a table of layers */
	size_t n;               /* number of equal layers; 0 ends a table */
	double parameters, macs;
};

struct size_type {              /* plug-in */
	struct plugin plugin;
	/* Fills an empty list with the layers; 0 or error(). */
	int (*layers)(const void *conf, struct size_list *list);
	/*
	 * Instead: layers of a net from a paper; its name is enough for a cluster to know measured
	 * times.
	 */
	const struct size_row *rows;
	int window;             /* tokens of a sample; 0: it has none */
	int (*window_of)(const void *conf);     /* the same by its settings; or NULL */
};

extern const struct plugin *const size_table[]; /* NULL-ended */
extern const struct plugin *const net_table[];  /* problems and sizes, NULL-ended */

/*
 * The path of a net's file, which the caller frees: a name in the zoo, or a path. NULL after
 * error(), with the nearest name of any net, or that a net of net_table has no file.
 */
char *net_path(const char *net);

/* True if a text chooses one of size_table: "bytes:...", "vgg16". */
bool sizes_chosen(const char *text);

/*
 * Parses "NAME", "NAME:KEY=VALUE,..." or "NAME:VALUE,KEY=VALUE,...", where VALUE sets the plug-in's
 * first option. 0 or error().
 */
int sizes_parse(struct choice *c, const char *text);

/* Fills an empty list with the layers of a chosen net; 0 or error(). */
int sizes_layers(const struct choice *c, struct size_list *list);

/* Adds n equal layers. */
void sizes_add(struct size_list *list, size_t n, struct size_layer layer);

void sizes_release(struct size_list *list);

#endif
