/*
 * table.h - measured times by size: what messages and all-reduces of so many bytes take.
 *
 * An all-reduce that was measured with m ranks takes, with n (an extrapolation): of the ring's
 * 2 (n - 1) steps, each latency and bytes / n, the value at the smallest size is the latencies'
 * part, the rest that of the bytes.
 */
#ifndef SIM_LINK_TABLE_H
#define SIM_LINK_TABLE_H

#include "core/text/opt.h"

struct size_table {
	struct opt_doubles bytes, seconds;      /* pairs, bytes ascending */
};

/* Linear between sizes; constant before the first, beyond the last as between the last two. */
double table_at(const struct size_table *t, double bytes);

/* Seconds of an all-reduce over n members; the table is of `ranks`, at least 2. */
double table_allreduce(const struct size_table *t, int64_t ranks, int n, double bytes);

/* A rate or size multiplied by a ratio, and rounded to nine digits. */
double link_scaled(double value, double ratio);

/* Multiplies the sizes so. */
void table_scale(struct size_table *t, double ratio);

/* 0, or error(): numbers must go in pairs, sizes ascend. name: "message", of link model `model`. */
int table_check(const struct size_table *t, const char *model, const char *name);

#endif
