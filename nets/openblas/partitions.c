/* How many partitions a batch is cut into. */
#include "nets/openblas/openblas.h"

/* Partitions at most, and multiply-accumulates that are worth a task. */
enum { PARTITIONS = 16 };
static const int64_t TASK_MACS = 50 * 1000 * 1000;

/* Tokens of a partition: enough for a product to read its weights often. */
enum { PART_ROWS = 128 };

/* Of a net of tokens. */
static int token_partitions(const struct ob *c, size_t n)
{
	const size_t rows = n * c->rows, wanted = (size_t)c->conf.partitions;
	const size_t parts = wanted ? wanted : rows / PART_ROWS;
	const size_t most = wanted ? rows : PARTITIONS;

	return (int)(parts > most ? most : parts < 1 ? 1 : parts);
}

int ob_partitions(const struct ob *c, size_t n)
{
	int64_t parts = c->conf.partitions;

	if (c->g->tokens)
		return token_partitions(c, n);
	if (c->conf.lowering == LOWERING_CAFFE)
		return 1;
	if (!parts)
		parts = c->macs > TASK_MACS / (int64_t)n * PARTITIONS
			? PARTITIONS : c->macs * (int64_t)n / TASK_MACS;
	return parts > (int64_t)n ? (int)n : parts < 1 ? 1 : (int)parts;
}
