/* presets.h - rows of layers, by which a built-in net of known size is written. */
#ifndef NETS_SIZES_PRESETS_H
#define NETS_SIZES_PRESETS_H

#include "nets/sizes/sizes.h"

struct size_row {
	size_t n;               /* layers alike; 0 ends a table */
	double parameters, macs;
};

static inline int size_rows(const struct size_row *row, struct size_list *list)
{
	for (; row->n; row++)
		sizes_add(list, row->n, (struct size_layer){ .parameters = row->parameters,
							     .macs = row->macs });
	return 0;
}

#endif
