/* Fuzzes the parser of IDX files with one and three dimensions. */
#include "data/read.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Touches the first and the last byte that the header promises. */
static void parse(const struct bytes *b, int rank)
{
	volatile uint8_t seen;
	struct idx idx;
	size_t n = 1;

	if (idx_parse("input", b->at, b->n, rank, &idx) < 0)
		return;
	for (int i = 0; i < rank; i++)
		n *= idx.dim[i];
	if (n) {
		seen = idx.at[0];
		seen = idx.at[n - 1];
		(void)seen;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes b;

	if (data_unpack("input", data, size, 1 << 18, &b) < 0)
		return 0;
	parse(&b, 1);
	parse(&b, 3);
	free(b.at);
	return 0;
}
