/*
 * bench.h - between the parts of `convoy bench`.
 *
 * A case is one net on one backend, measured in a process of its own, so that
 * its peak memory is its own and a crash takes nothing with it.
 */
#ifndef CMD_BENCH_H
#define CMD_BENCH_H

#include "nets/backend.h"

#include <cjson/cJSON.h>

struct bench_case {
	char *net;                      /* owned */
	struct graph *graph;            /* owned */
	const struct backend *backend;
	struct backend_conf conf;
	size_t batch;
	int threads;                    /* gradients at once */
	int team;                       /* threads that share each */
	unsigned limit_s;               /* of the wall clock, then bench_child() fails; 0: none */
	/* Results */
	bool done;
	double rate;                    /* samples per second, all threads together */
	double gemm;                    /* FLOP/s of bench_peak(); 0: none */
	double memory;                  /* bytes: peak resident memory of the process */
	int64_t gradients;              /* that were timed */
	struct layer_time *times;       /* [graph->n] per gradient, owned; NULL: not asked */
};

struct bench {
	struct bench_case *cases;       /* [n], owned */
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

/* bench_grid.c: the product of the lists becomes b->cases. 0 or error(). */
int bench_grid(struct bench *b, const struct bench_lists *l);
void bench_release(struct bench *b);

/* Multiplications and additions of a sample's gradient: 2 x 3 x its forward MACs. */
double bench_flops(const struct bench_case *c);

/* bench_rate.c: fills a case's results; for a process that then ends. 0 or error(). */
int bench_measure(struct bench_case *c, double seconds);

/* bench_child.c: the same in a process of its own. tick(arg) is called now and then. */
int bench_child(struct bench_case *c, double seconds, void (*tick)(void *arg), void *arg);

/*
 * FLOP/s of the backend's peak() on all threads of the case at once, together. In a process
 * of its own: threads of libraries are lost in a fork.
 */
double bench_peak(const struct bench_case *c);

/* One peak is that of both. */
bool bench_same_peak(const struct bench_case *a, const struct bench_case *b);

/* bench_print.c */
void bench_print_head(const struct bench *b);
void bench_print_case(const struct bench_case *c);
void bench_print_layers(const struct bench_case *c);
cJSON *bench_json(const struct bench *b);

/* "f32", "bf16"; "1" .. "caffe" */
const char *bench_precision(const struct bench_case *c);
const char *bench_lowering(const struct bench_case *c);

/*
 * bench_plot.c: draws the rates of the finished cases. A path DIR/NAME.svg, or .png, stands
 * for both, and their script and data. 0 or error().
 */
int bench_plot(const struct bench *b, const char *path);

#endif
