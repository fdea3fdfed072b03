/*
 * torus.c - a grid whose opposite edges are joined: neighbours left, right, above, below.
 *
 * Rank r is in row r / columns. Where there are two rows, above and below are the same.
 */
#include "core/graph.h"

#include "core/base/error.h"

struct torus_conf {
	int64_t rows;
};

/* Largest divisor of n that is at most its square root. */
static int torus_squarest(int n)
{
	int rows = 1;

	for (int k = 1; k <= n / k; k++)
		if (n % k == 0)
			rows = k;
	return rows;
}

static void torus_meet(struct topology *t, int rows, int row, int column)
{
	const int columns = t->n / rows, from = row * columns + column;

	topology_arc(t, from, row * columns + (column + columns - 1) % columns);
	topology_arc(t, from, row * columns + (column + 1) % columns);
	topology_arc(t, from, (row + rows - 1) % rows * columns + column);
	topology_arc(t, from, (row + 1) % rows * columns + column);
}

static int torus_make(const void *conf, struct topology *t, uint64_t seed)
{
	const struct torus_conf *c = conf;
	const int rows = c->rows ? (int)c->rows : torus_squarest(t->n);

	(void)seed;
	if (t->n % rows)
		return error("graph torus: %d workers do not fill %d rows", t->n, rows);
	if (!c->rows && rows == 1 && t->n > 1)
		return error("graph torus: %d workers, a prime number, fill no grid of two rows or "
			     "more; rows=1 is a ring", t->n);
	for (int row = 0; row < rows; row++)
		for (int column = 0; column < t->n / rows; column++)
			torus_meet(t, rows, row, column);
	return 0;
}

static const struct opt torus_opts[] = { OPT_NUMBER(struct torus_conf, rows, "0",
						    "rows of the grid; 0: as square as can be", "N",
						    0, 1 << 24),
					 { 0 } };

const struct graph_type graph_torus = {
	.plugin = { .name = "torus",
		    .brief = "a grid with its opposite edges joined",
		    .also = "grid, mesh",
		    .opts = torus_opts,
		    .conf_size = sizeof(struct torus_conf) },
	.make = torus_make,
};
