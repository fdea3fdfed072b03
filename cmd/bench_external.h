/* `convoy bench nets` of nets that other processes compute. */
#ifndef CMD_BENCH_EXTERNAL_H
#define CMD_BENCH_EXTERNAL_H

#include "cmd/args.h"

#include <stdbool.h>

struct bench_external {         /* the options, as `convoy bench nets` has them; borrowed */
	const char *batch, *threads;    /* lists separated by commas */
	double seconds;
	bool json;
};

/* True when a net of the command line is python:... or exec:.... */
bool bench_external_named(const struct args *a);

/* Measures and prints every combination; an exit code. */
int bench_external(const struct args *a, const struct bench_external *b);

#endif
