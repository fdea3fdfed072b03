/*
 * pairs.c - products of a net of tokens in bf16, by vdpbf16ps.
 *
 * The weights of layers are packed once a pass, for y = x weight^T and for dx = dy weight. Other
 * factors are rounded in each product.
 */
#include "nets/onednn/onednn.h"
#include "nets/onednn/product.h"

/* weight[rows][columns] of a layer. */
struct matrix {
	size_t at, rows, columns;       /* at: in the parameters */
	float *forward, *back;          /* packed weight^T [columns][rows], and weight */
	int first;                      /* of its tasks */
};

struct pairs {
	const struct ob_packed *packed;
	struct ob_products products;
	struct team *team;
	struct matrix *all;     /* [n] */
	int n, tasks;
	float **work;           /* [team_lanes] */
	const float *x;         /* this call's parameters ... */
	bool back;              /* ... and whether it has a backward pass */
};

/* Packs the rows of task k: one panel of weight^T, a part of all panels of weight. */
static void pairs_pack(void *arg, int k, int lane)
{
	const struct pairs *p = arg;
	const struct matrix *m = p->all;
	const size_t some = p->packed->columns;
	size_t row, rows, pairs;
	const float *from;

	(void)lane;
	while (m + 1 < p->all + p->n && k >= m[1].first)
		m++;
	row = (size_t)(k - m->first) * some;
	rows = size_least(some, m->rows - row);
	from = p->x + m->at + row * m->columns;
	pairs = (m->columns + 1) / 2;
	p->packed->make(true, rows, m->columns, from, m->columns, pairs,
			m->forward + p->packed->floats(row, pairs));
	if (p->back)
		p->packed->make(false, m->columns, rows, from, m->columns, (m->rows + 1) / 2,
				m->back + row / 2 * some);
}

/* struct ob_products' begin(). */
static void pairs_begin(void *by, const float *x, bool back)
{
	struct pairs *p = by;

	p->x = x;
	p->back = back;
	team_run(p->team, p->tasks, pairs_pack, p);
}

/* The packed form of b, with which *pairs is set; NULL if it has none. */
static const float *pairs_find(const struct pairs *p, const struct ob_product *q, size_t *pairs)
{
	const size_t some = p->packed->columns;

	for (const struct matrix *m = p->all; m < p->all + p->n; m++) {
		const float *weight = p->x + m->at;
		const size_t at = (size_t)(q->b - weight), row = at / m->columns;
		const size_t column = at % m->columns;

		if (q->b < weight || row >= m->rows || q->ldb != m->columns)
			continue;
		*pairs = ((q->tb ? m->columns : m->rows) + 1) / 2;
		if (q->tb)
			return column || row % some ? NULL
				: m->forward + p->packed->floats(row, *pairs);
		return column % some || row % 2 ? NULL
			: m->back + p->packed->floats(column, *pairs) + row / 2 * some;
	}
	return NULL;
}

/* struct ob_products' multiply(). */
static void pairs_multiply(void *by, int lane, const struct ob_product *q)
{
	struct pairs *p = by;
	struct ob_product packed = *q;

	if (!p->work[lane])
		p->work[lane] = xlines_unset(PRODUCT_BF16_BYTES, 1);
	packed.b = pairs_find(p, q, &packed.ldb);
	if (packed.b)
		p->packed->multiply(&packed, p->work[lane]);
	else
		product_bf16_compute(q, p->work[lane]);
}

/* Adds the weights of a layer, unless a layer before shares them. */
static void pairs_add(struct pairs *p, size_t at, size_t rows, size_t columns)
{
	const struct ob_packed *by = p->packed;

	for (int i = 0; i < p->n; i++)
		if (p->all[i].at == at)
			return;
	p->all[p->n++] = (struct matrix){
		at, rows, columns,
		xlines_unset(by->floats(rows, (columns + 1) / 2), sizeof(float)),
		xlines_unset(by->floats(columns, (rows + 1) / 2), sizeof(float)), p->tasks };
	p->tasks += (int)((rows + by->columns - 1) / by->columns);
}

void *pairs_open(struct onednn *c, const struct backend_conf *conf)
{
	struct pairs *p = c->pairs = xcalloc(1, sizeof(*p));

	p->packed = product_bf16();
	p->products = (struct ob_products){ .whole = true, .begin = pairs_begin,
					    .multiply = pairs_multiply, .packed = p->packed };
	p->team = c->team;
	p->work = xcalloc((size_t)team_lanes(c->team), sizeof(*p->work));
	p->all = xcalloc((size_t)c->graph->n, sizeof(*p->all));
	for (int i = 1; i < c->graph->n; i++) {
		const struct layer *l = &c->graph->layers[i];

		if (l->kind == LAYER_LINEAR || l->kind == LAYER_UNEMBED)
			pairs_add(p, l->weight, (size_t)l->os.c, (size_t)l->is.c);
	}
	return ob_open_with(c->graph, conf, c->max_batch, c->team, &p->products, p);
}

void pairs_close(struct pairs *p)
{
	for (int i = 0; i < p->n; i++) {
		free(p->all[i].forward);
		free(p->all[i].back);
	}
	for (int i = 0; i < team_lanes(p->team); i++)
		free(p->work[i]);
	free(p->all);
	free(p->work);
	free(p);
}
