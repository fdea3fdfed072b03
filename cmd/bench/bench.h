/* Between the parts of `convoy bench`. */
#ifndef CMD_BENCH_BENCH_H
#define CMD_BENCH_BENCH_H

#include "runner/estimate/gradient_rate.h"

#include <cjson/cJSON.h>

struct bench {
	struct rate_case *cases;        /* [n], owned */
	size_t n;
	double seconds;                 /* of each case, after warming up */
	bool layers;
};

/* What the command line asks for; lists are words joined by commas. */
struct bench_lists {
	const char **nets;              /* [nnets]; none: those of the papers */
	size_t nnets;
	const char *backend, *precision, *lowering, *partitions, *batch, *threads, *team;
};

/* grid.c: the product of the lists becomes b->cases. 0 or error(). */
int bench_grid(struct bench *b, const struct bench_lists *l);
void bench_release(struct bench *b);

/* Multiplications and additions of a sample's gradient: 2 x 3 x its forward MACs. */
double bench_flops(const struct rate_case *c);

/* print.c */
void bench_print_head(const struct bench *b);
void bench_print_case(const struct rate_case *c);
void bench_print_layers(const struct rate_case *c);
cJSON *bench_json(const struct bench *b);

/* "f32", "bf16"; "1" .. "caffe" */
const char *bench_precision(const struct rate_case *c);
const char *bench_lowering(const struct rate_case *c);

/*
 * plot.c: draws the rates of the finished cases. A path DIR/NAME.svg, or .png, stands
 * for both, and their script and data. 0 or error().
 */
int bench_plot(const struct bench *b, const char *path);

#endif
