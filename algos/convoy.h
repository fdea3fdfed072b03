/*
 * convoy.h - for an algorithm in a file of one's own: all that it may use, and how it is exported.
 *
 *     #include <convoy.h>
 *     ...
 *     static const struct algo algo_mine = { ... };
 *     CONVOY_ALGORITHM(mine)
 *
 * `convoy sim --algo ./mine.c` compiles and loads the file; `--algo ./mine.so` loads what was
 * compiled with the flags of `pkg-config --cflags convoy`. docs/my-algorithm.md is a walk-through,
 * core/node.h is the interface. The headers in algos/common/ have what algorithms share.
 */
#ifndef ALGOS_CONVOY_H
#define ALGOS_CONVOY_H

#include "core/base/error.h"
#include "core/math/vec.h"
#include "core/node.h"
#include "core/run.h"

/*
 * Version of the interface: increased with every change of a struct, function or meaning on which
 * an algorithm may depend.
 */
#define CONVOY_ABI 9

/* Sizes that both sides must agree on, in bytes. */
#define CONVOY_SIZES                                                                               \
	{ sizeof(struct algo), sizeof(struct role), sizeof(struct node), sizeof(struct msg),       \
	  sizeof(struct grad), sizeof(struct opt) }

/* The table that a file exports, under the name convoy_algorithm. */
struct own_algorithm {
	uint32_t abi;           /* CONVOY_ABI of the headers; the first member in every version */
	uint32_t sizes[6];      /* CONVOY_SIZES */
	const struct algo *algo;
};

/* Exports `struct algo algo_NAME` from a file of one's own; at the end of the file. */
#define CONVOY_ALGORITHM(name)                                                                     \
	extern const struct own_algorithm convoy_algorithm;                                        \
	__attribute__((visibility("default")))                                                     \
	const struct own_algorithm convoy_algorithm = { CONVOY_ABI, CONVOY_SIZES, &algo_##name };

#endif
